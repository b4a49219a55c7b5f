/* An importer of functional mock-up units that knows nothing of Tenon: it loads the binary by its whole path, from any folder,
 * moves the robot by co-simulation and by model exchange, and prints the values of all variables after that.
 *
 *     unit <extracted unit> <binary in it> <version> <token> <variables> <states> <first input>
 *
 * The first line is "ok", others are "x[number] = bits of the double", as compare.py reads them. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#include <shellapi.h>
#else
#include <dlfcn.h>
#endif

enum { most = 1000, steps = 50 };
static const double h = 1e-3;

typedef void *instance;
typedef unsigned reference;

static void fail(const char *what) {
  fprintf(stderr, "unit: %s\n", what);
  exit(1);
}

static void check(int status, const char *what) {
  if (status != 0) fail(what);
}

/* ---- The binary. Paths are UTF-8 */

static void *library;

static void load(const char *path) {
#ifdef _WIN32
  static wchar_t given[2000], whole[2000];
  MultiByteToWideChar(CP_UTF8, 0, path, -1, given, 2000);
  GetFullPathNameW(given, 2000, whole, NULL);
  library = (void *)LoadLibraryExW(whole, NULL, 0); /* as LoadLibrary: it looks beside the program, not beside the unit */
#else
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
  if (!library) fail("the binary cannot be loaded");
}

static void *take(const char *name) {
#ifdef _WIN32
  void *found = (void *)(uintptr_t)GetProcAddress((HMODULE)library, name);
#else
  void *found = dlsym(library, name);
#endif
  if (!found) fail(name);
  return found;
}

/* ---- Messages */

typedef struct callbacks {
  void (*logger)(void *, const char *, int, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, int);
  void *environment;
} callbacks;

static void say_2(void *environment, const char *name, int status, const char *category, const char *message, ...) {
  (void)environment, (void)name, (void)status, (void)category;
  fprintf(stderr, "the unit says: %s\n", message);
}
static void say_3(void *environment, int status, const char *category, const char *message) {
  (void)environment, (void)status, (void)category;
  fprintf(stderr, "the unit says: %s\n", message);
}

/* ---- What the two versions spell differently */

static int version;
static char token[200], resources[4000]; /* a path, or for version 2 a URI */

static instance start(int exchange) {
  static const callbacks two = {say_2, calloc, free, NULL, NULL};
  instance unit;
  if (version == 2)
    unit = ((instance(*)(const char *, int, const char *, const char *, const callbacks *, int, int))take(
        "fmi2Instantiate"))("robot", exchange ? 0 : 1, token, resources, &two, 0, 0);
  else if (exchange)
    unit = ((instance(*)(const char *, const char *, const char *, _Bool, _Bool, void *, void *))take(
        "fmi3InstantiateModelExchange"))("robot", token, resources, 0, 0, NULL, (void *)(uintptr_t)say_3);
  else
    unit = ((instance(*)(const char *, const char *, const char *, _Bool, _Bool, _Bool, _Bool, const reference *, size_t, void *,
                         void *, void *))take("fmi3InstantiateCoSimulation"))(
        "robot", token, resources, 0, 0, 0, 0, NULL, 0, NULL, (void *)(uintptr_t)say_3, NULL);
  if (!unit) fail("there is no instance");
  if (version == 2) {
    check(((int (*)(instance, int, double, double, int, double))take("fmi2SetupExperiment"))(unit, 0, 0, 0, 0, 0), "set up");
    check(((int (*)(instance))take("fmi2EnterInitializationMode"))(unit), "initialise");
    check(((int (*)(instance))take("fmi2ExitInitializationMode"))(unit), "initialise");
  } else {
    check(((int (*)(instance, _Bool, double, double, _Bool, double))take("fmi3EnterInitializationMode"))(unit, 0, 0, 0, 0, 0),
          "initialise");
    check(((int (*)(instance))take("fmi3ExitInitializationMode"))(unit), "initialise");
  }
  return unit;
}

static void get(instance unit, const reference *of, size_t count, double *values) {
  check(version == 2 ? ((int (*)(instance, const reference *, size_t, double *))take("fmi2GetReal"))(unit, of, count, values)
                     : ((int (*)(instance, const reference *, size_t, double *, size_t))take("fmi3GetFloat64"))(
                           unit, of, count, values, count),
        "get");
}

static void set(instance unit, reference of, double value) {
  check(version == 2
            ? ((int (*)(instance, const reference *, size_t, const double *))take("fmi2SetReal"))(unit, &of, 1, &value)
            : ((int (*)(instance, const reference *, size_t, const double *, size_t))take("fmi3SetFloat64"))(unit, &of, 1,
                                                                                                            &value, 1),
        "set");
}

static void step(instance unit, double time) {
  _Bool event, terminate, early;
  double last;
  check(version == 2 ? ((int (*)(instance, double, double, int))take("fmi2DoStep"))(unit, time, h, 1)
                     : ((int (*)(instance, double, double, _Bool, _Bool *, _Bool *, _Bool *, double *))take("fmi3DoStep"))(
                           unit, time, h, 1, &event, &terminate, &early, &last),
        "step");
}

/* x := x + h dx/dt: no more than that all functions are called. */
static void euler(instance unit, double time, double *x, double *dx, size_t count) {
  const int two = version == 2;
  check(((int (*)(instance, double))take(two ? "fmi2SetTime" : "fmi3SetTime"))(unit, time), "time");
  check(((int (*)(instance, double *, size_t))take(two ? "fmi2GetContinuousStates" : "fmi3GetContinuousStates"))(unit, x, count),
        "states");
  check(((int (*)(instance, double *, size_t))take(two ? "fmi2GetDerivatives" : "fmi3GetContinuousStateDerivatives"))(unit, dx,
                                                                                                                   count),
        "derivatives");
  for (size_t i = 0; i < count; ++i) x[i] += h * dx[i];
  check(((int (*)(instance, const double *, size_t))take(two ? "fmi2SetContinuousStates" : "fmi3SetContinuousStates"))(unit, x,
                                                                                                                    count),
        "states");
}

/* ---- The path of the resources */

static void find_resources(const char *folder) {
  static char whole[2000];
  char *into = resources;
#ifdef _WIN32
  static wchar_t given[2000], wide[2000];
  MultiByteToWideChar(CP_UTF8, 0, folder, -1, given, 2000);
  GetFullPathNameW(given, 2000, wide, NULL);
  WideCharToMultiByte(CP_UTF8, 0, wide, -1, whole, 2000, NULL, NULL);
  for (char *c = whole; *c; ++c)
    if (*c == '\\') *c = '/';
#else
  if (!realpath(folder, whole)) fail("no such folder");
#endif
  if (version == 3) {
    snprintf(resources, sizeof resources, "%s/resources/", whole);
    return;
  }
  into += sprintf(into, whole[0] == '/' ? "file://" : "file:///");
  for (const char *c = whole; *c && into < resources + 3900; ++c)
    if (strchr("/:._-~", *c) || (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z'))
      *into++ = *c;
    else
      into += sprintf(into, "%%%02X", (unsigned)(unsigned char)*c);
  sprintf(into, "/resources");
}

static void print(instance unit, size_t count, size_t from) {
  static reference of[most];
  static double values[most];
  for (size_t i = 0; i < count; ++i) of[i] = (reference)i;
  get(unit, of, count, values);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    printf("x[%u] = %016" PRIx64 "\n", (unsigned)(from + i), bits);
  }
}

static int run(int argc, char **argv) {
  static char path[4000];
  static double x[most], dx[most];
  size_t variables, states;
  if (argc != 8) fail("usage: unit <extracted unit> <binary in it> <version> <token> <variables> <states> <first input>");
  version = atoi(argv[3]);
  snprintf(token, sizeof token, "%s", argv[4]);
  variables = (size_t)atoi(argv[5]), states = (size_t)atoi(argv[6]);
  if (variables > most || states > most) fail("too many variables");
  snprintf(path, sizeof path, "%s/%s", argv[1], argv[2]);
  load(path);
  find_resources(argv[1]);
  const reference input = (reference)atoi(argv[7]);
  const instance one = start(0), other = start(1);
  set(one, input, 3), set(other, input, 3);
  if (version == 3)
    check(((int (*)(instance))take("fmi3EnterContinuousTimeMode"))(other), "mode");
  else
    check(((int (*)(instance))take("fmi2EnterContinuousTimeMode"))(other), "mode");
  for (int i = 0; i < steps; ++i) step(one, i * h), euler(other, i * h, x, dx, states);
  printf("ok\n");
  print(one, variables, 0);
  print(other, variables, variables);
  for (int i = 0; i < 2; ++i)
    ((void (*)(instance))take(version == 2 ? "fmi2FreeInstance" : "fmi3FreeInstance"))(i ? one : other);
  return 0;
}

int main(int argc, char **argv) {
#ifdef _WIN32
  static char text[8][2000];
  static char *own[8];
  wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &argc);
  (void)argv;
  for (int i = 0; i < argc && i < 8; ++i) {
    WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, text[i], 2000, NULL, NULL);
    own[i] = text[i];
  }
  return run(argc, own);
#else
  return run(argc, argv);
#endif
}
