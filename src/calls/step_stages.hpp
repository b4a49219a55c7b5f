// A step in time on configurations, for any numbers: those of one state, or of a pack of states. The rules are tables.
//
// Runge-Kutta of order four is that of H. Munthe-Kaas (High order Runge-Kutta methods on manifolds, Applied Numerical
// Mathematics 29, 1999) with the classical tableau. A configuration is an element of a product of groups. With
// q(t) = q_0 exp(u(t)) and velocities v in child axes, q' = q v, the vector u obeys
//
//   u' = v + [u, v] / 2 + [u, [u, v]] / 12 + O(u^4),
//
// the inverse of the derivative of exp. A method of order four needs no more terms (that of third order is zero). Without
// the brackets the method has only order two where rotations do not commute.
//
// Semi-implicit Euler has one stage, and ends where the velocity at its end leads: q_0 exp(dt v').
#pragma once

#include <algorithm>

#include "tenon/dynamics.hpp"

namespace tenon {

struct StepRule {
  int stages;
  double weight[4], place[5];  // of stages; place: when they are, in parts of dt, and the end
  bool ends_by_velocity;       // u of the end is dt v', not the sum of the u' of stages
};
inline const StepRule& rule_of(Integrator integrator) {
  static constexpr StepRule semi_implicit_euler = {1, {1, 0, 0, 0}, {0, 1, 0, 0, 0}, true},
                            runge_kutta_4 = {
                                4, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0, 0.5, 0.5, 1, 1}, false};
  return integrator == Integrator::runge_kutta_4 ? runge_kutta_4 : semi_implicit_euler;
}

// Memory of a step, of nq or nv numbers each.
template <class T>
struct StepArrays {
  const T *start_q, *start_v;
  T *q, *v;          // of a stage; in the end the new state
  T *u, *rate;       // u', of the stage before and of this one
  T *sum_u, *sum_a;  // weighted
  // By dt the u of the end.
  const T* rate_of_end(const StepRule& rule) const { return rule.ends_by_velocity ? v : sum_u; }
};

// out := a + s b.
template <class T>
void add_scaled(const T* a, double s, const T* b, int count, T* out) {
  const T scale(s);
  for (int i = 0; i < count; ++i) out[i] = a[i] + scale * b[i];
}

// system: accelerate(stage) gives the accelerations at arrays.q, arrays.v, or null, which ends the step; arrays.u is then
// the u' of the stage before. add_brackets(u, h, v) and integrate(v, h, q): as in kernels/joint/integrate.hpp. False: the
// step has ended early.
template <class T, class System>
bool take_stages(const System& system, const StepRule& rule, int nq, int nv, double dt,
                 const StepArrays<T>& x) {
  for (T* zero : {x.u, x.sum_u, x.sum_a}) std::fill_n(zero, nv, T(0));
  std::copy_n(x.start_q, nq, x.q);
  std::copy_n(x.start_v, nv, x.v);
  for (int stage = 0; stage < rule.stages; ++stage) {
    const T* const a = system.accelerate(stage);
    if (!a) return false;
    if (!rule.ends_by_velocity) {
      std::copy_n(x.v, nv, x.rate);
      system.add_brackets(x.u, rule.place[stage] * dt, x.rate);
      std::copy_n(x.rate, nv, x.u);
      add_scaled(x.sum_u, rule.weight[stage], x.u, nv, x.sum_u);
    }
    add_scaled(x.sum_a, rule.weight[stage], a, nv, x.sum_a);
    const bool last = stage + 1 == rule.stages;
    const double time = rule.place[stage + 1] * dt;
    add_scaled(x.start_v, time, last ? x.sum_a : a, nv, x.v);
    std::copy_n(x.start_q, nq, x.q);
    system.integrate(last ? x.rate_of_end(rule) : x.u, time, x.q);
  }
  return true;
}

}  // namespace tenon
