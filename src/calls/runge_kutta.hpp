// The Runge-Kutta step of order four on configurations, for any numbers: those of one state, or of a pack of states.
//
// It is that of H. Munthe-Kaas (High order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29, 1999) with
// the classical tableau. A configuration is an element of a product of groups. With q(t) = q_0 exp(u(t)) and velocities v
// in child axes, q' = q v, the vector u obeys
//
//   u' = v + [u, v] / 2 + [u, [u, v]] / 12 + O(u^4),
//
// the inverse of the derivative of exp. A method of order four needs no more terms (that of third order is zero). Without
// the brackets the method has only order two where rotations do not commute.
#pragma once

#include <algorithm>

namespace tenon {

// Memory of a step, of nq or nv numbers each.
template <class T>
struct StepArrays {
  const T *start_q, *start_v;
  T *q, *v;          // of a stage; in the end the new state
  T *u, *rate;       // u', of the stage before and of this one
  T *sum_u, *sum_a;  // weighted
};

// out := a + s b.
template <class T>
void add_scaled(const T* a, double s, const T* b, int count, T* out) {
  const T scale(s);
  for (int i = 0; i < count; ++i) out[i] = a[i] + scale * b[i];
}

// system: accelerate(stage) gives the accelerations at arrays.q, arrays.v, or null, which ends the step;
// add_brackets(u, h, v) and integrate(v, h, q): as in kernels/joint/integrate.hpp. False: the step has ended early.
template <class T, class System>
bool step_runge_kutta(const System& system, int nq, int nv, double dt, const StepArrays<T>& x) {
  constexpr double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, place[5] = {0, 0.5, 0.5, 1, 1};
  for (T* zero : {x.u, x.sum_u, x.sum_a}) std::fill_n(zero, nv, T(0));
  std::copy_n(x.start_q, nq, x.q);
  std::copy_n(x.start_v, nv, x.v);
  for (int stage = 0; stage < 4; ++stage) {
    const T* const a = system.accelerate(stage);
    if (!a) return false;
    std::copy_n(x.v, nv, x.rate);
    system.add_brackets(x.u, place[stage] * dt, x.rate);
    std::copy_n(x.rate, nv, x.u);
    add_scaled(x.sum_u, weight[stage], x.u, nv, x.sum_u);
    add_scaled(x.sum_a, weight[stage], a, nv, x.sum_a);
    const bool last = stage == 3;
    const double time = place[stage + 1] * dt;
    add_scaled(x.start_v, time, last ? x.sum_a : a, nv, x.v);
    std::copy_n(x.start_q, nq, x.q);
    system.integrate(last ? x.sum_u : x.u, time, x.q);
  }
  return true;
}

}  // namespace tenon
