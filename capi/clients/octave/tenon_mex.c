/* tenon_mex(command, ...): what the classes of +tenon stand on. */
#include "tenon_mex.h"

#include <string.h>

static const command common[] = {{"destroy", forget}, {NULL, NULL}};

void mexFunction(int outputs, mxArray *out[], int inputs, const mxArray *in[]) {
  const command *kinds[] = {common, model_commands, workspace_commands, batch_commands};
  call c = {outputs, inputs - 1, out, in + 1};
  char name[64];
  size_t i;
  if (inputs < 1 || !mxIsChar(in[0]) || mxGetString(in[0], name, sizeof name) != 0)
    fail(TENON_INVALID_ARGUMENT, "the name of a command comes first");
  if (!mexIsLocked()) mexLock(); /* objects stay after "clear all", and so do their numbers */
  for (i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    const command *each;
    for (each = kinds[i]; each->name != NULL; ++each) {
      if (strcmp(each->name, name) == 0) {
        each->run(&c);
        return;
      }
    }
  }
  fail(TENON_NOT_FOUND, name);
}
