// How the end of integrate_joint, q' = q exp(u), moves, by tangents: with q exp(x) and u + du it is q' exp(y),
//
//   y = Ad(exp(-u)) x + J(u) du,   Ad(exp(-u)) = exp(-A),   J(u) = sum over k of (-A)^k / (k + 1)!,   A = ad u.
//
// A of SE(3), SE(2) and SO(3) has A^5 = -2 a^2 A^3 - a^4 A, a the angle of u, so both are polynomials of degree four in
// A (J. Selig, Geometric Fundamentals of Robotics, 2005). Products need A and its transpose times a vector
// only.
#pragma once

#include <cmath>

#include "kernels/joint/integrate.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A^T x: with x a force, as y^T x is a power, A^T x = - u x* x.
inline void transposed_bracket(std::int32_t kind, const double* u, const double* x, double* out) {
  switch (kind) {
    case joint_spherical:
      store(out, cross(load_vec3<double>(x), load_vec3<double>(u)));
      return;
    case joint_planar: {
      const double turn = u[2] * x[1] - u[1] * x[2], one = u[0] * x[2], two = -(u[0] * x[1]);
      out[0] = turn, out[1] = one, out[2] = two;
      return;
    }
    default: {
      const Force<double> f = cross_force(load_motion<double>(u), load_force<double>(x));
      store(out, Force<double>{-f.n, -f.f});
    }
  }
}

// Coefficients of A, ..., A^4 in exp(A) and in its derivative, the sum of A^k / (k + 1)!.
struct GroupSeries {
  double exponential[4], derivative[4];

  explicit GroupSeries(double a2) {
    if (a2 > 1) {
      const double a = std::sqrt(a2), s = std::sin(a), c = std::cos(a), a4 = a2 * a2;
      const double even = (4 - a * s - 4 * c) / (2 * a2), odd = (2 - a * s - 2 * c) / (2 * a4);
      const double of_exponential[4] = {(3 * s - a * c) / (2 * a), even, (s - a * c) / (2 * a2 * a), odd};
      const double of_derivative[4] = {even, (4 * a - 5 * s + a * c) / (2 * a2 * a), odd,
                                       (2 * a - 3 * s + a * c) / (2 * a4 * a)};
      for (int e = 0; e < 4; ++e) exponential[e] = of_exponential[e], derivative[e] = of_derivative[e];
      return;
    }
    // The series themselves, by A^(k + 2) = first A + third A^3, or the same of A^2 and A^4.
    for (int e = 0; e < 4; ++e) exponential[e] = derivative[e] = 0;
    for (int parity = 0; parity < 2; ++parity) {
      double first = 1, third = 0, factorial = parity == 0 ? 1 : 2;
      for (int k = 1 + parity; k < 26; k += 2) {
        exponential[parity] += first / factorial, exponential[parity + 2] += third / factorial;
        derivative[parity] += first / (factorial * (k + 1)),
            derivative[parity + 2] += third / (factorial * (k + 1));
        factorial *= (k + 1.0) * (k + 2.0);
        const double next = -a2 * a2 * third;
        third = first - 2 * a2 * third, first = next;
      }
    }
  }
};

// Of one joint, u = dt v as it is moved. transposed: moved := Ad^T x, by_u := J^T x. Else moved := Ad x, by_u := J x.
inline void move_tangent(std::int32_t kind, const double* u, const double* x, bool transposed, double* moved,
                         double* by_u) {
  const int count = kind == joint_floating ? 6 : kind < joint_spherical ? 1 : 3;
  for (int e = 0; e < count; ++e) moved[e] = by_u[e] = x[e];
  if (count == 1) return;
  const double a2 = kind == joint_planar ? u[0] * u[0] : u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const GroupSeries series(a2);
  double power[6], next[6];
  for (int e = 0; e < count; ++e) power[e] = x[e];
  for (int k = 0; k < 4; ++k) {
    if (transposed)
      transposed_bracket(kind, u, power, next);
    else
      joint_bracket(kind, u, power, next);
    for (int e = 0; e < count; ++e) {
      power[e] = -next[e];
      moved[e] += series.exponential[k] * power[e];
      by_u[e] += series.derivative[k] * power[e];
    }
  }
}
// Of all joints: q and v of the model.
inline void move_tangents(const ModelData& m, const double* u, const double* x, bool transposed,
                          double* moved, double* by_u) {
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    const int k = n.v_index;
    move_tangent(n.kind, u + k, x + k, transposed, moved + k, by_u + k);
  }
}

// rate = v + [u, v] / 2 + [u, [u, v]] / 12 of one joint (add_brackets): its change where u and v change, and the gradients
// by u and v of a number with this gradient by the rate. w = [u, v]; with the transposes of brackets
//
//   drate = dv + ([du, v] + [u, dv]) / 2 + ([du, w] + [u, [du, v] + [u, dv]]) / 12,   [du, v] = -[v, du].
inline void bracket_change(std::int32_t kind, const double* u, const double* v, const double* du,
                           const double* dv, double* out) {
  out[0] = dv[0];
  if (kind < joint_spherical) return;
  double w[6], turned[6], moved[6], once[6], twice[6];
  joint_bracket(kind, u, v, w);
  joint_bracket(kind, du, v, turned);
  joint_bracket(kind, u, dv, moved);
  const int count = joint_bracket(kind, du, w, once);
  for (int e = 0; e < count; ++e) moved[e] += turned[e];
  joint_bracket(kind, u, moved, twice);
  for (int e = 0; e < count; ++e) out[e] = dv[e] + (0.5 * moved[e] + (once[e] + twice[e]) * (1.0 / 12));
}
inline void bracket_gradient(std::int32_t kind, const double* u, const double* v, const double* gradient,
                             double* by_u, double* by_v) {
  by_v[0] = gradient[0], by_u[0] = 0;
  if (kind < joint_spherical) return;
  double w[6] = {}, mixed[6] = {}, once[6], twice[6], of_v[6], of_w[6];  // g++ sees kinds without brackets
  const int count = joint_bracket(kind, u, v, w);
  transposed_bracket(kind, u, gradient, once);
  transposed_bracket(kind, u, once, twice);
  for (int e = 0; e < count; ++e) mixed[e] = 0.5 * gradient[e] + once[e] * (1.0 / 12);
  transposed_bracket(kind, v, mixed, of_v);
  transposed_bracket(kind, w, gradient, of_w);
  for (int e = 0; e < count; ++e) {
    by_v[e] = gradient[e] + (0.5 * once[e] + twice[e] * (1.0 / 12));
    by_u[e] = -(of_v[e] + of_w[e] * (1.0 / 12));
  }
}
// Of all joints.
inline void bracket_changes(const ModelData& m, const double* u, const double* v, const double* du,
                            const double* dv, double* out) {
  for (int i = 0; i < m.node_count; ++i) {
    const int k = m.nodes[i].v_index;
    bracket_change(m.nodes[i].kind, u + k, v + k, du + k, dv + k, out + k);
  }
}
inline void bracket_gradients(const ModelData& m, const double* u, const double* v, const double* gradient,
                              double* by_u, double* by_v) {
  for (int i = 0; i < m.node_count; ++i) {
    const int k = m.nodes[i].v_index;
    bracket_gradient(m.nodes[i].kind, u + k, v + k, gradient + k, by_u + k, by_v + k);
  }
}

TENON_ISA_END
}  // namespace tenon
