/* Atlas with both feet welded, as capi/examples/c/atlas.c, through a library that is loaded by its name when the program
 * runs: nothing of it is known to the linker. Prints the same lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon.h"

#ifdef _WIN32
#include <windows.h>
#define LIBRARY "tenon.dll"
static void *library(void) { return (void *)LoadLibraryA(LIBRARY); }
static void *function(void *of, const char *name) { return (void *)(uintptr_t)GetProcAddress((HMODULE)of, name); }
#else
#include <dlfcn.h>
#ifdef __APPLE__
#define LIBRARY "libtenon.0.1.dylib"
#else
#define LIBRARY "libtenon.so.0.1"
#endif
static void *library(void) { return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); }
static void *function(void *of, const char *name) { return dlsym(of, name); }
#endif

static void fail(const char *what) {
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
  CALL(tenon_model_destroy)(model);
  return 0;
}
