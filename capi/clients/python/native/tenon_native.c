/* The extension module tenon._native: calls of libtenon with numpy arrays as arguments, for less than ctypes costs.
 *
 * bind makes a function of Python from the address of one of libtenon and from what its arguments are: a letter each, as
 * tenon/_roles.py explains. Arrays come by the buffer protocol, so the module needs nothing of numpy, and the addresses
 * come from ctypes, so it is not linked to libtenon either: one file serves each Python from 3.11 on. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <string.h>
#include <tenon_calls.h>

enum {
  most_arguments = 20,
  long_vector = 128, /* results of that many numbers take time enough to let other threads run */
};

typedef struct {
  PyObject_HEAD tenon_function function;
  int shape;
  int releases; /* the interpreter's lock, while libtenon computes */
  int count;
  char roles[most_arguments + 1];
  PyObject* names;      /* of the arguments */
  PyObject* types;      /* classes of the structs among them */
  PyObject* to_numbers; /* makes an array of float64 of anything */
  PyObject* to_indices; /* and of int32 */
} binding;

/* What a call holds while it runs. */
typedef struct frame {
  const binding* self;
  struct frame* next; /* another that runs */
  tenon_slot slots[TENON_CALLS_MOST_SLOTS];
  Py_buffer views[most_arguments];
  int slot_count, view_count, is_long;
} frame;

/* Calls that run, in threads and in functions that others of them call. The interpreter's lock guards the list. */
static frame* running = NULL;

static int computes(const void* workspace) {
  for (const frame* f = running; f; f = f->next)
    if (f->slots[0].p == workspace) return workspace != NULL;
  return 0;
}

static void leave(frame* f) {
  frame** place = &running;
  while (*place != f) place = &(*place)->next;
  *place = f->next;
}

static int is_float64(const Py_buffer* view) {
  return view->itemsize == (Py_ssize_t)sizeof(double) && view->format && strcmp(view->format, "d") == 0;
}

static int is_int32(const Py_buffer* view) {
  return view->itemsize == (Py_ssize_t)sizeof(int32_t) && view->format &&
         (strcmp(view->format, "i") == 0 || strcmp(view->format, "l") == 0);
}

static void push_array(frame* f, void* numbers, Py_ssize_t count) {
  f->slots[f->slot_count++].p = count ? numbers : NULL;
  f->slots[f->slot_count++].n = (size_t)count;
}

/* Takes the buffer of an object as the next view. 0: it has none that will do; no exception is left. */
static int take(frame* f, PyObject* object, int flags, int (*is_right)(const Py_buffer*)) {
  Py_buffer* view = &f->views[f->view_count];
  if (PyObject_GetBuffer(object, view, flags | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return 0;
  }
  if (!is_right(view)) {
    PyBuffer_Release(view);
    return 0;
  }
  ++f->view_count;
  return 1;
}

static int refuse(const frame* f, int argument, const char* why) {
  PyErr_Format(PyExc_TypeError, "%U %s", PyTuple_GetItem(f->self->names, argument), why);
  return -1;
}

static int push_input(frame* f, PyObject* object, PyObject* convert, int (*is_right)(const Py_buffer*)) {
  if (object == Py_None) {
    push_array(f, NULL, 0);
    return 0;
  }
  if (!take(f, object, PyBUF_C_CONTIGUOUS, is_right)) {
    PyObject* array = PyObject_CallFunctionObjArgs(convert, object, NULL);
    if (!array) return -1;
    const int taken = take(f, array, PyBUF_C_CONTIGUOUS, is_right);
    Py_DECREF(array); /* the view keeps it */
    if (!taken) {
      PyErr_SetString(PyExc_TypeError, "no array of numbers can be made of an argument");
      return -1;
    }
  }
  const Py_buffer* view = &f->views[f->view_count - 1];
  push_array(f, view->buf, view->len / view->itemsize);
  return 0;
}

static int push_output(frame* f, PyObject* object, int argument, int in_place) {
  if (object == Py_None) {
    push_array(f, NULL, 0);
    return 0;
  }
  if (!take(f, object, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE, is_float64)) {
    return refuse(f, argument,
                  in_place ? "is changed in place: give a writeable contiguous array of float64"
                           : "is written: give a writeable contiguous array of float64");
  }
  const Py_buffer* view = &f->views[f->view_count - 1];
  const Py_ssize_t count = view->len / view->itemsize;
  push_array(f, view->buf, count);
  if (count >= long_vector) f->is_long = 1;
  return 0;
}

/* A column-major matrix, maybe a part of a larger one: pointer, count and leading dimension. */
static int push_matrix(frame* f, PyObject* object, int argument, int flags) {
  Py_ssize_t count = 0, leading = 0;
  void* numbers = NULL;
  if (object != Py_None) {
    if (!take(f, object, PyBUF_STRIDES | flags, is_float64) || f->views[f->view_count - 1].ndim != 2)
      return refuse(f, argument,
                    flags ? "is to be a writeable matrix of float64" : "is to be a matrix of float64");
    const Py_buffer* view = &f->views[f->view_count - 1];
    const Py_ssize_t rows = view->shape[0], columns = view->shape[1], size = view->itemsize;
    leading = rows > 0 ? rows : 1;
    if (rows > 0 && columns > 0) {
      if (columns > 1) leading = view->strides[1] / size;
      if ((rows > 1 && view->strides[0] != size) || (columns > 1 && view->strides[1] % size != 0) ||
          leading < rows || leading > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%U is to be column-major: order='F'",
                     PyTuple_GetItem(f->self->names, argument));
        return -1;
      }
      count = leading * (columns - 1) + rows;
      numbers = view->buf;
    }
  }
  push_array(f, numbers, count);
  f->slots[f->slot_count++].i = (int32_t)leading;
  return 0;
}

static int push_struct(frame* f, PyObject* object, int argument) {
  tenon_slot* slot = &f->slots[f->slot_count++];
  slot->p = NULL;
  if (object == Py_None) return 0;
  PyObject* type = PyTuple_GetItem(f->self->types, argument);
  if (!PyType_IsSubtype(Py_TYPE(object), (PyTypeObject*)type)) {
    PyErr_Format(PyExc_TypeError, "%U is to be %R", PyTuple_GetItem(f->self->names, argument), type);
    return -1;
  }
  Py_buffer* view = &f->views[f->view_count];
  if (PyObject_GetBuffer(object, view, PyBUF_SIMPLE) != 0) return -1;
  ++f->view_count;
  slot->p = view->buf;
  return 0;
}

static int push_value(frame* f, PyObject* object, int argument, char role) {
  tenon_slot* slot = &f->slots[f->slot_count++];
  if (role == 'w') {
    slot->p = PyLong_AsVoidPtr(object);
  } else if (role == 'd') {
    slot->d = PyFloat_AsDouble(object);
  } else if (role == 'u') {
    slot->u = PyLong_AsUnsignedLongLong(object);
  } else {
    const long value = PyLong_AsLong(object);
    if (value > INT32_MAX || value < INT32_MIN) {
      PyErr_Format(PyExc_OverflowError, "%U has more than 32 bits",
                   PyTuple_GetItem(f->self->names, argument));
      return -1;
    }
    slot->i = (int32_t)value;
  }
  return PyErr_Occurred() ? -1 : 0;
}

static int push(frame* f, PyObject* object, int argument) {
  const char role = f->self->roles[argument];
  switch (role) {
    case 'a':
      return push_input(f, object, f->self->to_numbers, is_float64);
    case 'b':
      return push_input(f, object, f->self->to_indices, is_int32);
    case 'o':
    case 'x':
      return push_output(f, object, argument, role == 'x');
    case 'm':
    case 'M':
      return push_matrix(f, object, argument, role == 'M' ? PyBUF_WRITABLE : 0);
    case 's':
      return push_struct(f, object, argument);
    default:
      return push_value(f, object, argument, role);
  }
}

static PyObject* call(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  frame f;
  f.self = (const binding*)self;
  f.slot_count = f.view_count = 0;
  f.is_long = f.self->releases;
  if (count != f.self->count) {
    PyErr_Format(PyExc_TypeError, "%d arguments are needed, and %zd were given", f.self->count, count);
    return NULL;
  }
  int failed = 0;
  for (int argument = 0; argument < f.self->count && !failed; ++argument)
    failed = push(&f, arguments[argument], argument);
  if (!failed && computes(f.slots[0].p)) {
    PyErr_SetString(
        PyExc_RuntimeError,
        "this workspace computes already, in another thread or as caller of this function: give each "
        "thread one of its own");
    failed = 1;
  }
  int32_t status = 0;
  if (!failed) {
    f.next = running;
    running = &f;
    if (f.is_long) {
      Py_BEGIN_ALLOW_THREADS status = tenon_call(f.self->shape, f.self->function, f.slots);
      Py_END_ALLOW_THREADS
    } else {
      status = tenon_call(f.self->shape, f.self->function, f.slots);
    }
    leave(&f);
  }
  while (f.view_count > 0) PyBuffer_Release(&f.views[--f.view_count]);
  return failed ? NULL : PyLong_FromLong(status);
}

static PyMethodDef call_method = {"call", (PyCFunction)(void (*)(void))call, METH_FASTCALL,
                                  "A function of libtenon; returns its status."};

/* The slots that arguments of these roles fill, as tenon_call_shapes has them. -1: no function has that shape. */
static int shape_of(const char* roles) {
  char shape[3 * most_arguments + 1] = "";
  for (const char* role = roles; *role; ++role) {
    const char own[2] = {*role, '\0'};
    strcat(shape, strchr("aobx", *role) ? "pn"
                  : strchr("mM", *role) ? "pni"
                  : strchr("ws", *role) ? "p"
                                        : own);
  }
  for (size_t number = 0; number < sizeof tenon_call_shapes / sizeof tenon_call_shapes[0]; ++number)
    if (strcmp(shape, tenon_call_shapes[number]) == 0) return (int)number;
  return -1;
}

static PyObject* bind(PyObject* module, PyObject* arguments) {
  unsigned long long address = 0;
  const char* roles = NULL;
  Py_ssize_t length = 0;
  PyObject *names, *types, *to_numbers, *to_indices;
  int releases = 0;
  if (!PyArg_ParseTuple(arguments, "Ks#O!O!OOp", &address, &roles, &length, &PyTuple_Type, &names,
                        &PyTuple_Type, &types, &to_numbers, &to_indices, &releases))
    return NULL;
  const int shape = length <= most_arguments ? shape_of(roles) : -1;
  if (shape < 0 || PyTuple_Size(names) != length || PyTuple_Size(types) != length) {
    PyErr_Format(PyExc_ValueError, "no function of libtenon has arguments '%s'", roles);
    return NULL;
  }
  PyObject* type = *(PyObject**)PyModule_GetState(module);
  binding* self = (binding*)PyType_GenericAlloc((PyTypeObject*)type, 0);
  if (!self) return NULL;
  self->function = (tenon_function)(uintptr_t)address;
  self->shape = shape;
  self->releases = releases;
  self->count = (int)length;
  memcpy(self->roles, roles, (size_t)length + 1);
  self->names = Py_NewRef(names);
  self->types = Py_NewRef(types);
  self->to_numbers = Py_NewRef(to_numbers);
  self->to_indices = Py_NewRef(to_indices);
  PyObject* result = PyCFunction_NewEx(&call_method, (PyObject*)self, NULL);
  Py_DECREF(self);
  return result;
}

static PyObject* computes_at(PyObject* module, PyObject* address) {
  (void)module;
  const void* workspace = PyLong_AsVoidPtr(address);
  return PyErr_Occurred() ? NULL : PyBool_FromLong(computes(workspace));
}

static void binding_dealloc(PyObject* object) {
  binding* self = (binding*)object;
  PyTypeObject* type = Py_TYPE(object);
  Py_XDECREF(self->names);
  Py_XDECREF(self->types);
  Py_XDECREF(self->to_numbers);
  Py_XDECREF(self->to_indices);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyType_Slot binding_slots[] = {{Py_tp_dealloc, (void*)binding_dealloc}, {0, NULL}};
static PyType_Spec binding_spec = {"tenon._native.binding", sizeof(binding), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, binding_slots};

static int module_exec(PyObject* module) {
  PyObject** type = PyModule_GetState(module);
  *type = PyType_FromSpec(&binding_spec);
  return *type ? 0 : -1;
}

static int module_clear(PyObject* module) {
  Py_CLEAR(*(PyObject**)PyModule_GetState(module));
  return 0;
}

static int module_traverse(PyObject* module, visitproc visit, void* arg) {
  Py_VISIT(*(PyObject**)PyModule_GetState(module));
  return 0;
}

static PyMethodDef module_methods[] = {
    {"bind", bind, METH_VARARGS,
     "bind(address, roles, names, types, to_numbers, to_indices, "
     "releases): a function of libtenon for Python."},
    {"computes", computes_at, METH_O, "computes(address): whether a call runs on the workspace there."},
    {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void*)module_exec}, {0, NULL}};
static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_native",      "Calls of libtenon with numpy arrays as arguments.",
    sizeof(PyObject*),     module_methods, module_slots,
    module_traverse,       module_clear,   NULL};

PyMODINIT_FUNC PyInit__native(void) {
  return PyModuleDef_Init(&module_definition);
}
