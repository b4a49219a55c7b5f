/* What the examples share: an end for calls that fail, and memory. */
#ifndef TENON_EXAMPLE_H
#define TENON_EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <tenon.h>

static char message[512];

/* Ends the program with the message of a call that failed; a positive status is an answer with a caveat. */
static void check(tenon_status status, const char *text) {
  if (status >= 0) return;
  fprintf(stderr, "%s: %s\n", tenon_status_string(status), text);
  exit(1);
}

static double *numbers(size_t count) {
  double *x = (double *)calloc(count, sizeof *x);
  if (x == NULL) exit(1);
  return x;
}

#endif
