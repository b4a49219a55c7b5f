/* Atlas with both feet welded, as capi/examples/c/atlas.c, through a library that is loaded by its name when the program
 * runs: nothing of it is known to the linker. Prints the same lines. Then the library is unloaded: it goes, unless
 * threads of a batch are left that run in it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon.h"

#ifdef _WIN32
#include <windows.h>
#define LIBRARY "tenon.dll"
static void *library(void) { return (void *)LoadLibraryA(LIBRARY); }
static void unload(void *of) { FreeLibrary((HMODULE)of); }
static int is_loaded(void) { return GetModuleHandleA(LIBRARY) != NULL; }
static void *function(void *of, const char *name) { return (void *)(uintptr_t)GetProcAddress((HMODULE)of, name); }
#else
#include <dlfcn.h>
#ifdef __APPLE__
#define LIBRARY "libtenon.0.1.dylib"
#else
#define LIBRARY "libtenon.so.0.1"
#endif
static void *library(void) { return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); }
static void unload(void *of) { dlclose(of); }
static int is_loaded(void) {
  void *of = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  if (of) dlclose(of);
  return of != NULL;
}
static void *function(void *of, const char *name) { return dlsym(of, name); }
#endif

__attribute__((noreturn)) static void fail(const char *what) {
  fprintf(stderr, "by_name: %s\n", what);
  exit(1);
}

/* CALL(tenon_x)(...): the library's function, with the type that the header gives it. */
static void *loaded;
static void *take(const char *name) {
  void *found = function(loaded, name);
  if (!found) fail(name);
  return found;
}
#define CALL(name) ((__typeof__(&name))take(#name))

/* A batch whose threads have just worked: they are on their way to where they wait. */
static tenon_batch *busy_batch(const tenon_model *model, double *q, double *v) {
  char message[1000] = "";
  double qdd[64 * 100];
  const size_t nq = (size_t)CALL(tenon_model_nq)(model), nv = (size_t)CALL(tenon_model_nv)(model);
  const tenon_batch_array positions = {sizeof positions, 0, q, nq, 0, nq, 1, 0, 0},
                          zeros = {sizeof zeros, 0, v, nv, 0, nv, 1, 0, 0},
                          results = {sizeof results, 0, qdd, 6400, 0, nv, 1, (ptrdiff_t)nv, 0};
  tenon_batch_options options;
  tenon_batch *batch;
  CALL(tenon_batch_options_init)(&options, sizeof options);
  options.threads = 3;
  if (CALL(tenon_batch_create)(model, NULL, &options, &batch, message, sizeof message) != TENON_OK) fail(message);
  if (CALL(tenon_batch_forward_dynamics)(batch, 64, &positions, &zeros, &zeros, NULL, &results, NULL, 0) !=
      TENON_OK)
    fail(CALL(tenon_batch_message)(batch));
  return batch;
}

/* Whether the library goes when nobody has a handle of it, and stays where threads run in it. */
static void check_unloading(tenon_model *model, double *q, double *v) {
  void (*const destroy)(tenon_batch *) = CALL(tenon_batch_destroy);
  tenon_batch *forgotten;
  destroy(busy_batch(model, q, v));
  forgotten = busy_batch(model, q, v);
  CALL(tenon_model_destroy)(model);
  unload(loaded);
  if (!is_loaded()) fail("the library was unloaded below the threads of a batch");
  loaded = library();
  destroy(forgotten);
  unload(loaded);
  if (is_loaded()) fail("the library stays loaded when all batches are gone");
}

int main(int argc, char **argv) {
  char message[1000] = "";
  tenon_model_options options;
  tenon_model *model;
  tenon_constraints *constraints;
  tenon_workspace *workspace;
  double q[100], v[100] = {0}, tau[100] = {0}, qdd[100], lambda[100];
  if (argc != 2) fail("usage: by_name <atlas.urdf>");
  loaded = library();
  if (!loaded) fail(LIBRARY " cannot be loaded");
  CALL(tenon_model_options_init)(&options, sizeof options);
  options.base = TENON_BASE_FLOATING;
  if (CALL(tenon_model_load_urdf)("no such file.urdf", &options, &model, message, sizeof message) == TENON_OK ||
      !strstr(message, "no such file.urdf"))
    fail("a missing file is not named");
  if (CALL(tenon_model_load_urdf)(argv[1], &options, &model, message, sizeof message) != TENON_OK) fail(message);
  CALL(tenon_constraints_create)(model, &constraints, message, sizeof message);
  for (int side = 0; side < 2; ++side) {
    int32_t foot;
    if (CALL(tenon_model_find_link)(model, side ? "r_foot" : "l_foot", &foot, message, sizeof message) != TENON_OK ||
        CALL(tenon_constraints_add_weld)(constraints, foot, NULL, 0, NULL, NULL, message, sizeof message) != TENON_OK)
      fail(message);
  }
  if (CALL(tenon_constraints_finish)(constraints, message, sizeof message) != TENON_OK ||
      CALL(tenon_workspace_create)(model, constraints, NULL, &workspace, message, sizeof message) != TENON_OK)
    fail(message);
  const size_t nq = (size_t)CALL(tenon_model_nq)(model), nv = (size_t)CALL(tenon_model_nv)(model),
               rows = (size_t)CALL(tenon_constraints_row_count)(constraints);
  if (CALL(tenon_random)(workspace, 1, q, nq) != TENON_OK) fail(CALL(tenon_workspace_message)(workspace));
  for (size_t i = 6; i < nv; ++i) v[i] = 0.01 * (double)i, tau[i] = 10.0 - 0.5 * (double)i;
  const tenon_status status = CALL(tenon_constrained_dynamics)(workspace, NULL, q, nq, v, nv, tau, nv, NULL, 0, NULL, 0,
                                                               qdd, nv, lambda, rows);
  printf("%s\n", CALL(tenon_status_string)(status));
  for (size_t i = 0; i < nv; ++i) {
    uint64_t bits;
    memcpy(&bits, &qdd[i], sizeof bits);
    printf("qdd[%zu] = %016" PRIx64 "\n", i, bits);
  }
  CALL(tenon_workspace_destroy)(workspace);
  CALL(tenon_constraints_destroy)(constraints);
  memset(v, 0, sizeof v);
  check_unloading(model, q, v);
  return 0;
}
