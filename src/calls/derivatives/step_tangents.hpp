// Derivatives of a step in time by its stages (calls/step_stages.hpp), for the numbers of one state or of a pack of states:
// the change of its end beside the step, and gradients from its end back to its beginning. With h = place dt, k the u' of a
// stage, and all derivatives by configurations by tangents there,
//
//   q_s = q_0 exp(h k_before),   v_s = v_0 + h a_before,   a_s = qdd(q_s, v_s, tau),   k_s = v_s + [u, v_s] / 2 + ...,
//
// of which exp has the derivatives of kernels/joint/integrate_derivatives.hpp, the brackets too, and qdd those of dynamics.
#pragma once

#include <algorithm>

#include "calls/step_stages.hpp"

namespace tenon {

// out := s x, and x := x + s y.
template <class T>
void take_scaled(double s, const T* x, int count, T* out) {
  const T scale(s);
  for (int i = 0; i < count; ++i) out[i] = scale * x[i];
}
template <class T>
void add(const T* y, int count, T* x) {
  for (int i = 0; i < count; ++i) x[i] = x[i] + y[i];
}

// Numbers of nv each.
template <class T>
struct StepChanges {
  const T *start_q, *start_v;  // of the beginning
  T *q, *v;                    // of a stage; in the end of the end
  T *u, *a;                    // of the u' and accelerations of the stage before
  T *sum_u, *sum_a;            // weighted
  T *turn, *moved, *by_u;      // room
};

// system: move_tangents(u, x, transposed, moved, by_u) and bracket_changes(u, v, du, dv, out), as in
// kernels/joint/integrate_derivatives.hpp, of all joints; out may not be an input.
template <class T, class System>
void move_changes(const System& system, double time, const T* rate, const T* rate_change, int nv,
                  const StepChanges<T>& c) {
  take_scaled(time, rate, nv, c.turn);
  take_scaled(time, rate_change, nv, c.q);
  system.move_tangents(c.turn, c.q, false, c.moved, c.by_u);
  std::copy_n(c.by_u, nv, c.q);
  system.move_tangents(c.turn, c.start_q, false, c.moved, c.by_u);
  add(c.moved, nv, c.q);
}

// In System::accelerate of take_stages: before the accelerations, c.q, c.v := the change of the stage.
template <class T, class System>
void begin_change(const System& system, const StepRule& rule, int stage, double dt, int nv,
                  const StepArrays<T>& x, const StepChanges<T>& c) {
  if (stage == 0) {
    for (T* zero : {c.u, c.sum_u, c.sum_a}) std::fill_n(zero, nv, T(0));
    std::copy_n(c.start_q, nv, c.q);
    std::copy_n(c.start_v, nv, c.v);
    return;
  }
  const double time = rule.place[stage] * dt;
  add_scaled(c.start_v, time, c.a, nv, c.v);
  move_changes(system, time, x.u, c.u, nv, c);
}
// The same after them, with their change.
template <class T, class System>
void end_change(const System& system, const StepRule& rule, int stage, double dt, int nv,
                const StepArrays<T>& x, const T* change, const StepChanges<T>& c) {
  std::copy_n(change, nv, c.a);
  add_scaled(c.sum_a, rule.weight[stage], c.a, nv, c.sum_a);
  if (rule.ends_by_velocity) return;
  const double time = rule.place[stage] * dt;
  take_scaled(time, x.u, nv, c.turn);
  take_scaled(time, c.u, nv, c.moved);
  system.bracket_changes(c.turn, x.v, c.moved, c.v, c.u);
  add_scaled(c.sum_u, rule.weight[stage], c.u, nv, c.sum_u);
}
// After the step: c.q, c.v := the change of its end.
template <class T, class System>
void finish_change(const System& system, const StepRule& rule, double dt, int nv, const StepArrays<T>& x,
                   const StepChanges<T>& c) {
  add_scaled(c.start_v, dt, c.sum_a, nv, c.v);
  move_changes(system, dt, x.rate_of_end(rule), rule.ends_by_velocity ? c.v : c.sum_u, nv, c);
}

// What a step of several stages leaves for the way back: their states, one behind the other, and the u' of the stage before
// each.
template <class T>
struct StepPath {
  T *q, *v, *u;

  void keep(int stage, int nq, int nv, const StepArrays<T>& x) const {
    std::copy_n(x.q, nq, q + stage * nq);
    std::copy_n(x.v, nv, v + stage * nv);
    std::copy_n(x.u, nv, u + stage * nv);
  }
};

// By a state and the forces on the joints.
template <class T>
struct StageGradients {
  const T *q, *v, *tau;
};

// Numbers of nv each.
template <class T>
struct StepGradients {
  const T *end_q, *end_v;   // by the end
  T *q, *v, *tau;           // by the beginning, and by the forces, which all stages share
  T *end_rate, *end_speed;  // room: by the rate that leads to the end, and by v'
  T *a, *u, *stage_v;       // by the accelerations, u' and velocities of a stage
  T *turn, *moved, *by_u, *by_v;
};

// system: move_tangents as above; bracket_gradients(u, v, gradient, by_u, by_v); gradients(stage, by_a, found) gives those
// through the accelerations of a stage, false where there are none, which ends the way. x: the step, at its end.
template <class T, class System>
bool pull_back(const System& system, const StepRule& rule, double dt, int nv, const StepArrays<T>& x,
               const StepPath<T>& path, const StepGradients<T>& g) {
  take_scaled(dt, x.rate_of_end(rule), nv, g.turn);
  system.move_tangents(g.turn, g.end_q, true, g.q, g.by_u);
  take_scaled(dt, g.by_u, nv, g.end_rate);
  std::copy_n(g.end_v, nv, g.end_speed);
  if (rule.ends_by_velocity) add(g.end_rate, nv, g.end_speed);
  std::copy_n(g.end_speed, nv, g.v);
  for (T* zero : {g.tau, g.a, g.u}) std::fill_n(zero, nv, T(0));
  for (int stage = rule.stages - 1; stage >= 0; --stage) {
    const double time = rule.place[stage] * dt;
    add_scaled(g.a, rule.weight[stage] * dt, g.end_speed, nv, g.a);
    StageGradients<T> by{};
    if (!system.gradients(stage, g.a, by)) return false;
    add(by.tau, nv, g.tau);
    std::copy_n(by.v, nv, g.stage_v);
    if (!rule.ends_by_velocity) {
      add_scaled(g.u, rule.weight[stage], g.end_rate, nv, g.u);
      take_scaled(time, path.u + stage * nv, nv, g.turn);
      system.bracket_gradients(g.turn, path.v + stage * nv, g.u, g.by_u, g.by_v);
      add(g.by_v, nv, g.stage_v);
      take_scaled(time, g.by_u, nv, g.u);
    }
    add(g.stage_v, nv, g.v);
    if (stage == 0) {
      add(by.q, nv, g.q);
      break;
    }
    system.move_tangents(g.turn, by.q, true, g.moved, g.by_u);
    add(g.moved, nv, g.q);
    add_scaled(g.u, time, g.by_u, nv, g.u);
    take_scaled(time, g.stage_v, nv, g.a);
  }
  return true;
}

}  // namespace tenon
