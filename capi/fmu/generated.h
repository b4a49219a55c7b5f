/* What `tenon export fmu --sources` writes into sources/generated.c for one robot, a tree without contacts: straight-line
 * functions of the code generator (`tenon codegen`), which head comments there describe, and the facts they do not say. */
#ifndef TENON_FMU_GENERATED_H
#define TENON_FMU_GENERATED_H

#include "robot.h"

typedef struct generated_facts {
  size_t nq, nv, joint_count, link_count;
  const robot_joint* joints;
  double gravity[3]; /* for which generated_aba is */
} generated_facts;

extern const generated_facts generated_robot;

/* qdd of M qdd + c = tau. */
void generated_aba(const double* q, const double* v, const double* tau, double* qdd);
/* c in a gravity of 1 m/s^2 along an axis of the world. */
void generated_bias_x(const double* q, const double* v, double* c);
void generated_bias_y(const double* q, const double* v, double* c);
void generated_bias_z(const double* q, const double* v, double* c);
/* Of each link its position, and its rotation to world axes by columns: 12 numbers. */
void generated_kinematics(const double* q, double* poses);

#endif
