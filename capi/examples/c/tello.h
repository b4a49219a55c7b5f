/* The differentials of the Tello humanoid, which URDF cannot say: constraints that tenon.h takes as functions.
 *
 * Two rotors on the hip clamp move gimbal (about x) and thigh (about y) together, two on the thigh move shin and foot.
 * With N = 6 the angles of the cranks that the rotors turn are y = rotor / N. Equations: Sim and Ramos, Tello leg (IEEE
 * RA-L 2022), with the lengths of ROAM-Lab-ND/generalized_rbda, src/Robots/Tello.cpp, commit 45fa7c4 (MIT). There the
 * coordinates that the equations read as y and as link angles are exchanged; here they are what they are called.
 *
 * C99, and C++ too.
 */
#ifndef TENON_EXAMPLE_TELLO_H
#define TENON_EXAMPLE_TELLO_H

#include <math.h>
#include <stdio.h>
#include <tenon.h>

#define TELLO_GEAR_RATIO 6.0

/* One rod of a hip: its length is constant. side: +1 for crank 1, -1 for crank 2. y, l1, l2: crank, gimbal, thigh, and
 * dy, d1, d2 their rates. Writes half the error of the squared length, its derivatives by y, l1, l2, and what their
 * change adds along the motion. */
static inline void tello_hip_rod(double side, const double *angle, const double *rate, double *phi, double *gradient,
                                 double *curvature) {
  const double a = 57.0 / 2500, b = 8.0 / 625, c = side * 7.0 / 625, e = 49.0 / 5000, f = side * 399.0 / 20000;
  const double sy = sin(angle[0]), cy = cos(angle[0]), s1 = sin(angle[1]), c1 = cos(angle[1]);
  const double s2 = sin(angle[2]), c2 = cos(angle[2]);
  *phi = a * sy - e * c1 - f * s1 - b * cy * c2 - a * c1 * s2 - c * sy * s1 + c * s1 * s2 - b * c1 * sy * s2 +
         3021.0 / 160000;
  gradient[0] = a * cy + b * sy * c2 - c * cy * s1 - b * c1 * cy * s2;
  gradient[1] = e * s1 - f * c1 + a * s1 * s2 - c * sy * c1 + c * c1 * s2 + b * s1 * sy * s2;
  gradient[2] = b * cy * s2 - a * c1 * c2 + c * s1 * c2 - b * c1 * sy * c2;
  const double yy = -a * sy + b * cy * c2 + c * sy * s1 + b * c1 * sy * s2;
  const double y1 = -c * cy * c1 + b * s1 * cy * s2, y2 = -b * sy * s2 - b * c1 * cy * c2;
  const double l11 = e * c1 + f * s1 + a * c1 * s2 + c * sy * s1 - c * s1 * s2 + b * c1 * sy * s2;
  const double l12 = a * s1 * c2 + c * c1 * c2 + b * s1 * sy * c2;
  const double l22 = b * cy * c2 + a * c1 * s2 - c * s1 * s2 + b * c1 * sy * s2;
  const double dy = rate[0], d1 = rate[1], d2 = rate[2];
  *curvature = yy * dy * dy + l11 * d1 * d1 + l22 * d2 * d2 + 2 * (y1 * dy * d1 + y2 * dy * d2 + l12 * d1 * d2);
}

/* A tenon_implicit_callback on rotor 1, rotor 2, gimbal, thigh. */
static inline tenon_status tello_hip(void *user, int32_t nq, int32_t nv, int32_t rows, const double *q, const double *v,
                                     double *phi, double *K, double *Kdot_v) {
  (void)user;
  if (nq != 4 || nv != 4 || rows != 2) return TENON_WRONG_SIZE;
  for (int i = 0; i < 2; ++i) {
    const double angle[3] = {q[i] / TELLO_GEAR_RATIO, q[2], q[3]};
    const double rate[3] = {v[i] / TELLO_GEAR_RATIO, v[2], v[3]};
    double gradient[3];
    tello_hip_rod(i == 0 ? 1 : -1, angle, rate, &phi[i], gradient, &Kdot_v[i]);
    K[2 * i + i] = gradient[0] / TELLO_GEAR_RATIO;
    K[2 * (1 - i) + i] = 0;
    K[2 * 2 + i] = gradient[1];
    K[2 * 3 + i] = gradient[2];
  }
  return TENON_OK;
}

/* The same on rotor 1, rotor 2, shin, foot: the mean of the cranks turns the shin; their difference, through a planar
 * linkage, the foot. */
static inline tenon_status tello_knee_ankle(void *user, int32_t nq, int32_t nv, int32_t rows, const double *q,
                                            const double *v, double *phi, double *K, double *Kdot_v) {
  (void)user;
  if (nq != 4 || nv != 4 || rows != 2) return TENON_WRONG_SIZE;
  const double p = 3.1415; /* that literal: the angles are the source's */
  const double half = 0.5 / TELLO_GEAR_RATIO, d = half * (q[0] - q[1]), l2 = q[3];
  const double A = 21.0 / 6250, B = 13.0 / 625, C = 7.0 / 2500, D = 91.0 / 5000, E = 147.0 / 50000;
  const double a = d + 1979 * p / 4500, b = d + 493 * p / 1500, c = d + l2 + 231 * p / 500;
  const double e = l2 + 2 * p / 15, f = l2 + p / 45;
  phi[0] = A * cos(a) - B * cos(b) - 273.0 / 12500 * cos(p / 9) - C * sin(c) + D * sin(e) - E * sin(f) +
           163349.0 / 6250000;
  phi[1] = q[2] - half * (q[0] + q[1]);
  const double by_d = -A * sin(a) + B * sin(b) - C * cos(c), by_l2 = -C * cos(c) + D * cos(e) - E * cos(f);
  const double K_rows[8] = {half * by_d, -half, -half * by_d, -half, 0, 1, by_l2, 0};
  for (int i = 0; i < 8; ++i) K[i] = K_rows[i];
  const double dd = half * (v[0] - v[1]), d2 = v[3];
  Kdot_v[0] = (-A * cos(a) + B * cos(b)) * dd * dd + C * sin(c) * (dd + d2) * (dd + d2) +
              (-D * sin(e) + E * sin(f)) * d2 * d2;
  Kdot_v[1] = 0;
  return TENON_OK;
}

/* Adds all four to a builder that holds models/tello.urdf. */
static inline tenon_status tello_add_differentials(tenon_builder *builder, char *message, size_t message_size) {
  static const char *const sides[2] = {"left", "right"};
  /* %s: a side. */
  static const char *const joints[2][4] = {{"%s-hip-clamp-to-hip-rotor-1", "%s-hip-clamp-to-hip-rotor-2",
                                            "%s-hip-clamp-to-gimbal", "%s-gimbal-to-thigh"},
                                           {"%s-thigh-to-knee-ankle-rotor-1", "%s-thigh-to-knee-ankle-rotor-2",
                                            "%s-thigh-to-shin", "%s-shin-to-foot"}};
  for (int side = 0; side < 2; ++side) {
    for (int leg = 0; leg < 2; ++leg) {
      char name[64], texts[4][64];
      const char *names[4];
      snprintf(name, sizeof name, "%s-%s-differential", sides[side], leg ? "knee-ankle" : "hip");
      for (int i = 0; i < 4; ++i) {
        snprintf(texts[i], sizeof texts[i], joints[leg][i], sides[side]);
        names[i] = texts[i];
      }
      const tenon_status status = tenon_builder_add_implicit(
          builder, name, names, 4, 2, leg ? tello_knee_ankle : tello_hip, NULL, NULL, message, message_size);
      if (status < 0) return status;
    }
  }
  return TENON_OK;
}

#endif
