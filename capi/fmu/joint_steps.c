/* exp and brackets of SO(3), SE(2) and SE(3) in body axes; near the identity, where closed forms cancel, by series. */
#include "joint_steps.h"

#include <math.h>
#include <string.h>

/* c := a x b; c is neither. */
static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* sin(a) / a and (1 - cos a) / a, of half the angle without cancellation. */
static double sinc(double a) {
  return fabs(a) < 1e-2 ? 1 - a * a / 6 * (1 - a * a / 20) : sin(a) / a;
}
static double cosinc(double a) {
  return sin(0.5 * a) * sinc(0.5 * a);
}
/* (a - sin a) / a^3 */
static double cubic(double a) {
  const double s = a * a;
  return a < 0.1 ? (1 - s / 20 * (1 - s / 42 * (1 - s / 72))) / 6 : (a - sin(a)) / (s * a);
}

static void normalize(double q[4]) {
  const double norm = sqrt(dot(q, q) + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) q[i] /= norm;
}

/* q := q exp(phi) */
static void turn(double q[4], const double phi[3]) {
  const double half = 0.5 * sqrt(dot(phi, phi)), s = 0.5 * sinc(half), w = cos(half);
  const double r[3] = {s * phi[0], s * phi[1], s * phi[2]};
  double axes[3];
  const double scalar = q[3] * w - dot(q, r);
  cross(q, r, axes);
  for (int i = 0; i < 3; ++i) q[i] = q[i] * w + q[3] * r[i] + axes[i];
  q[3] = scalar;
  normalize(q);
}

/* p := p + R(q) J moved, with the left Jacobian J of phi: where a body is that moves along a screw. */
static void shift(double p[3], const double q[4], const double phi[3], const double moved[3]) {
  const double angle = sqrt(dot(phi, phi)), b = 0.5 * sinc(0.5 * angle) * sinc(0.5 * angle), c = cubic(angle);
  double once[3], twice[3], along[3], t[3], u[3];
  cross(phi, moved, once);
  cross(phi, once, twice);
  for (int i = 0; i < 3; ++i) along[i] = moved[i] + b * once[i] + c * twice[i];
  cross(q, along, t);
  for (int i = 0; i < 3; ++i) t[i] *= 2;
  cross(q, t, u);
  for (int i = 0; i < 3; ++i) p[i] += along[i] + q[3] * t[i] + u[i];
}

static void move_planar(double q[3], const double v[3], double dt) {
  const double a = dt * v[0], s = sinc(a), c = cosinc(a);
  const double x = dt * (s * v[1] - c * v[2]), y = dt * (c * v[1] + s * v[2]);
  q[0] += cos(q[2]) * x - sin(q[2]) * y;
  q[1] += sin(q[2]) * x + cos(q[2]) * y;
  q[2] += a;
}

void move_joints(const robot* self, const double* v, double dt, double* q) {
  for (size_t i = 0; i < self->joint_count; ++i) {
    const robot_joint* joint = &self->joints[i];
    const double* rate = v + joint->v;
    double* x = q + joint->q;
    double step[6];
    const int count = joint->type == ROBOT_JOINT_FLOATING ? 6 : joint->type == ROBOT_JOINT_PLAIN ? 1 : 3;
    for (int k = 0; k < count; ++k) step[k] = dt * rate[k];
    switch (joint->type) {
      case ROBOT_JOINT_SPHERICAL:
        turn(x, step);
        break;
      case ROBOT_JOINT_PLANAR:
        move_planar(x, rate, dt);
        break;
      case ROBOT_JOINT_FLOATING:
        shift(x, x + 3, step, step + 3);
        turn(x + 3, step);
        break;
      default:
        x[0] += step[0];
    }
  }
}

/* [u, v]; zero for joints of one coordinate. */
static void bracket(int32_t type, const double* u, const double* v, double out[6]) {
  double other[3];
  memset(out, 0, 6 * sizeof *out);
  if (type == ROBOT_JOINT_PLANAR) {
    out[1] = v[0] * u[2] - u[0] * v[2];
    out[2] = u[0] * v[1] - v[0] * u[1];
    return;
  }
  cross(u, v, out);
  if (type != ROBOT_JOINT_FLOATING) return;
  cross(u, v + 3, out + 3);
  cross(u + 3, v, other);
  for (int i = 0; i < 3; ++i) out[3 + i] += other[i];
}

void add_brackets(const robot* self, const double* u_of_one, double h, double* v) {
  for (size_t i = 0; i < self->joint_count; ++i) {
    const robot_joint* joint = &self->joints[i];
    const int count = joint->type == ROBOT_JOINT_FLOATING ? 6 : 3;
    double u[6] = {0}, once[6], twice[6];
    if (joint->type == ROBOT_JOINT_PLAIN) continue;
    for (int k = 0; k < count; ++k) u[k] = h * u_of_one[joint->v + (size_t)k];
    bracket(joint->type, u, v + joint->v, once);
    bracket(joint->type, u, once, twice);
    for (int k = 0; k < count; ++k) v[joint->v + (size_t)k] += once[k] / 2 + twice[k] / 12;
  }
}

void normalize_joints(const robot* self, double* q) {
  for (size_t i = 0; i < self->joint_count; ++i) {
    const robot_joint* joint = &self->joints[i];
    if (joint->type == ROBOT_JOINT_SPHERICAL) normalize(q + joint->q);
    if (joint->type == ROBOT_JOINT_FLOATING) normalize(q + joint->q + 3);
  }
}

void quaternion_of_rotation(const double R[9], double q[4]) {
  /* 4 q q^T, whose largest diagonal element has all its digits: the column there, scaled. */
  const double xx = R[0], yy = R[4], zz = R[8];
  const double square[4][4] = {{1 + xx - yy - zz, R[1] + R[3], R[2] + R[6], R[5] - R[7]},
                               {R[1] + R[3], 1 - xx + yy - zz, R[5] + R[7], R[6] - R[2]},
                               {R[2] + R[6], R[5] + R[7], 1 - xx - yy + zz, R[1] - R[3]},
                               {R[5] - R[7], R[6] - R[2], R[1] - R[3], 1 + xx + yy + zz}};
  int largest = 0;
  double scale;
  for (int i = 1; i < 4; ++i)
    if (square[i][i] > square[largest][largest]) largest = i;
  scale = 0.5 / sqrt(square[largest][largest]);
  if (square[largest][3] < 0) scale = -scale;
  for (int i = 0; i < 4; ++i) q[i] = scale * square[largest][i];
}
