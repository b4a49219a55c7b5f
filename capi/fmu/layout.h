/* What the program `tenon`, which writes a unit, and the binary in it, which reads it, must know alike: the numbers of
 * the variables and the names of the files. */
#ifndef TENON_FMU_LAYOUT_H
#define TENON_FMU_LAYOUT_H

#include <stdint.h>

/* The first line of resources/tenon.txt; another number is another layout. */
#define UNIT_FORMAT "tenon-unit 1"
#define UNIT_SETTINGS "tenon.txt"
#define UNIT_ROBOT "robot.urdf"
/* modelIdentifier: the binary is this with the ending of its system. */
#define UNIT_IDENTIFIER "tenon_fmu"
/* Log categories: steps and evaluations that fail but may be tried elsewhere, and all other failures. */
#define UNIT_LOG_DISCARD "logStatusDiscard"
#define UNIT_LOG_ERROR "logStatusError"

/* The kinds of variables, in the order of their value references. */
enum unit_kind {
  UNIT_TIME,
  UNIT_GRAVITY,      /* 3 */
  UNIT_TORQUE,       /* nv */
  UNIT_POSITION,     /* nq, states */
  UNIT_VELOCITY,     /* nv, states */
  UNIT_RATE,         /* nq, d/dt of the positions */
  UNIT_ACCELERATION, /* nv, d/dt of the velocities */
  UNIT_POSE,         /* 7 of each link asked for */
  UNIT_FORCE,        /* rows of the contacts */
  UNIT_KINDS
};

/* Value reference of the first variable of each kind; first[UNIT_KINDS] is how many there are. */
static inline void unit_layout(uint32_t nq, uint32_t nv, uint32_t links, uint32_t rows,
                               uint32_t first[UNIT_KINDS + 1]) {
  const uint32_t counts[UNIT_KINDS] = {1, 3, nv, nq, nv, nq, nv, 7 * links, rows};
  first[0] = 0;
  for (int kind = 0; kind < UNIT_KINDS; ++kind) first[kind + 1] = first[kind] + counts[kind];
}

#endif
