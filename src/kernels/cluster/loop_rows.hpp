// Rows of a geometric loop constraint. The ends of the loop are two frames, the predecessor's P and the
// successor's S, z along the axis of the joint that would connect them; both are given in one frame taken as
// fixed, with spatial vectors about its origin. Every row requires phi = 0; the rate of phi is f . V, V the
// velocity of S's body minus that of P's:
//
//   linear    phi = e . (x_S - x_P),   f = [x_S x e; e],   e an axis of P
//   angular   phi = the part along an axis of P of a rotation vector, angle times axis, f = [n; 0]:
//             of the rotation from P to S where no turn is free,
//             of the shortest one from the z axis of P to that of S where S may turn about z
//
// so that K qdd = k with K = f^T S over the joints between the ends and -k = fdot . V + f . A, A the
// acceleration at qdd = 0. These are the exact derivatives of phi, also where the loop is open. Angles go up
// to pi: a loop with one end turned over is open by pi. Only there, at a half turn, phi jumps and has no
// derivative.
#pragma once

#include "kernels/joint/rotation_error.hpp"
#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct LoopEnds {
  Mat3<T> predecessor_R, successor_R;
  Vec3<T> predecessor_p, successor_p;
};
// Velocities of the bodies at the ends.
template <class T>
struct LoopEndVelocities {
  Motion<T> predecessor, successor;
};
template <class T>
struct LoopRow {
  T phi;
  Force<T> f, fdot;
};
// The angular rows x, y, z: phi, n and the derivative of n.
template <class T>
struct LoopTurn {
  T phi[3];
  Vec3<T> n[3], ndot[3];
};

template <int K, class T>
TENON_INLINE LoopRow<T> linear_loop_row(const LoopEnds<T>& ends, const LoopEndVelocities<T>& v) {
  const Vec3<T> e = axis_of<K>(ends.predecessor_R), &x = ends.successor_p;
  const Vec3<T> edot = cross(v.predecessor.w, e);
  const Vec3<T> xdot = v.successor.v + cross(v.successor.w, x);
  return {dot(e, x - ends.predecessor_p), {cross(x, e), e}, {cross(xdot, e) + cross(x, edot), edot}};
}

// A function of one number with its first two derivatives.
template <class T>
struct Jet {
  T value, first, second;
};

// angle / sin(angle) between two directions as a function of their cosine c; the sine is given as well. Near
// c = 1, where the closed form cancels, the series angle / sin(angle) = sum of 2^n n!^2 (1 - c)^n / (2
// n + 1)!.
template <class T>
inline Jet<T> angle_over_sine(const T& c, const T& sine) {
  using std::atan2;
  const T u = T(1) - c;
  if (u < T(0.01)) {
    constexpr double a[] = {1.0,         1.0 / 3,   2.0 / 15,    2.0 / 35,
                            8.0 / 315.0, 8.0 / 693, 16.0 / 3003, 16.0 / 6435};
    Jet<T> h = {T(a[7]), T(7 * a[7]), T(42 * a[7])};
    for (int n = 6; n >= 0; --n) h.value = T(a[n]) + u * h.value;
    for (int n = 6; n >= 1; --n) h.first = T(n * a[n]) + u * h.first;
    for (int n = 6; n >= 2; --n) h.second = T(n * (n - 1) * a[n]) + u * h.second;
    return {h.value, -h.first, h.second};  // du/dc = -1
  }
  const T h = atan2(sine, c) / sine, squared = sine * sine;
  const T first = (c * h - T(1)) / squared;
  return {h, first, (h + T(3) * c * first) / squared};
}

// The rotation of the z axes: phi_x = -h (y_P . z_S), phi_y = h (x_P . z_S), with h = angle / sine. There is
// no phi_z. Opposite axes differ by a half turn about x, or about y where the loop has no row about x (no
// joint turns it about x then).
template <class T>
inline LoopTurn<T> swing_of(unsigned rows_held, const LoopEnds<T>& ends, const LoopEndVelocities<T>& v) {
  using std::atan2;
  using std::sqrt;
  const Vec3<T> x = axis_of<0>(ends.predecessor_R), y = axis_of<1>(ends.predecessor_R),
                z = axis_of<2>(ends.predecessor_R), b = axis_of<2>(ends.successor_R);
  const Vec3<T>& wP = v.predecessor.w;
  const Vec3<T> zdot = cross(wP, z), bdot = cross(v.successor.w, b);
  const Vec3<T> turn = cross(b, z), turndot = cross(bdot, z) + cross(b, zdot);
  const T c = dot(z, b), cdot = dot(zdot, b) + dot(z, bdot), sine = sqrt(dot(turn, turn));
  if (c < T(0) && !(sine > negligible_sine<T>())) {
    const T angle = atan2(sine, c), o(0);
    const Vec3<T> none{o, o, o};
    const bool about_x = (rows_held & 1u) != 0;
    return {{about_x ? angle : o, about_x ? o : angle, o}, {x, y, none}, {cross(wP, x), cross(wP, y), none}};
  }
  const Jet<T> h = angle_over_sine(c, sine);
  LoopTurn<T> rows;
  const Vec3<T> axes[2] = {-y, x};
  for (int i = 0; i < 2; ++i) {
    const Vec3<T>& a = axes[i];
    const Vec3<T> adot = cross(wP, a);
    const T d = dot(a, b), ddot = dot(adot, b) + dot(a, bdot);
    const Vec3<T> n = cross(b, a), ndot = cross(bdot, a) + cross(b, adot);
    rows.phi[i] = h.value * d;
    rows.n[i] = h.value * n + (h.first * d) * turn;
    rows.ndot[i] = h.value * ndot + (h.first * cdot) * n + (h.second * cdot * d + h.first * ddot) * turn +
                   (h.first * d) * turndot;
  }
  rows.phi[2] = T(0), rows.n[2] = rows.ndot[2] = {T(0), T(0), T(0)};
  return rows;
}

// (1 - a cot a) / t with t = angle^2, a = angle / 2, as a function of t: the coefficient d below. Where the
// closed form cancels, the series with Bernoulli numbers, |B_2k| t^(k-1) / (2 k)!. No second derivative.
template <class T>
inline Jet<T> turn_coefficient(const T& t) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (t < T(0.25)) {
    constexpr double a[] = {1.0 / 12,           1.0 / 720,      1.0 / 30240,
                            1.0 / 1209600,      1.0 / 47900160, 691.0 / 1307674368000.0,
                            1.0 / 74724249600.0};
    Jet<T> d = {T(a[6]), T(6 * a[6]), T(0)};
    for (int n = 5; n >= 0; --n) d.value = T(a[n]) + t * d.value;
    for (int n = 5; n >= 1; --n) d.first = T(n * a[n]) + t * d.first;
    return d;
  }
  const T half = T(0.5) * sqrt(t), y = half * cos(half) / sin(half);
  return {(T(1) - y) / t, (y * y + y - T(2) + T(0.25) * t) / (T(2) * t * t), T(0)};
}

// The rotation vector phi of R_P^T R_S. Its rate is w - phi x w / 2 + d phi x (phi x w), with w the relative
// angular velocity along the axes of P.
template <class T>
inline LoopTurn<T> rotation_of(const LoopEnds<T>& ends, const LoopEndVelocities<T>& v) {
  const Mat3<T>& R = ends.predecessor_R;
  const Vec3<T>& wP = v.predecessor.w;
  const Vec3<T> phi = rotation_vector(transpose(R) * ends.successor_R);
  const Vec3<T> w = transpose_times(R, v.successor.w - wP);
  const T half(0.5);
  const Jet<T> d = turn_coefficient(dot(phi, phi));
  const Vec3<T> across = cross(phi, w), phidot = w - half * across + d.value * cross(phi, across);
  const T ddot = T(2) * d.first * dot(phi, phidot), o(0), e(1);
  const Vec3<T> units[3] = {{e, o, o}, {o, e, o}, {o, o, e}};
  LoopTurn<T> rows;
  rows.phi[0] = phi.x, rows.phi[1] = phi.y, rows.phi[2] = phi.z;
  for (int i = 0; i < 3; ++i) {
    const Vec3<T> c = cross(phi, units[i]), cdot = cross(phidot, units[i]);
    const Vec3<T> twice = cross(phi, c);
    rows.n[i] = R * (units[i] + half * c + d.value * twice);
    rows.ndot[i] = cross(wP, rows.n[i]) +
                   R * (half * cdot + ddot * twice + d.value * (cross(phidot, c) + cross(phi, cdot)));
  }
  return rows;
}

// The angular rows of a loop. Bits 0 to 2 of rows: angular x y z; without angular z, S may turn about z
// freely.
template <class T>
inline LoopTurn<T> loop_turn(unsigned rows, const LoopEnds<T>& ends, const LoopEndVelocities<T>& v) {
  return rows & 4u ? rotation_of(ends, v) : swing_of(rows, ends, v);
}

// bit: 3 to 5, linear x y z.
template <class T>
inline LoopRow<T> linear_loop_row(int bit, const LoopEnds<T>& ends, const LoopEndVelocities<T>& v) {
  switch (bit) {
    case 3:
      return linear_loop_row<0>(ends, v);
    case 4:
      return linear_loop_row<1>(ends, v);
    default:
      return linear_loop_row<2>(ends, v);
  }
}

TENON_ISA_END
}  // namespace tenon
