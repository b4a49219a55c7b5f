// Rollouts of single states, and gradients through them: backward step by step (tenon/derivatives.hpp), from states that
// are kept at the beginnings of records, between which steps are taken again.
#include <algorithm>
#include <limits>
#include <new>

#include "batch/single_worker.hpp"
#include "kernels/joint/joint_torques.hpp"
#include "state/check.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

template <class N>
Inputs<double> SingleWorker<N>::inputs_of_step(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                               std::size_t step) {
  const double* tau = take(call.x, state, n.x, x_, step);
  const double* wrenches = take(call.wrenches, state, n.wrenches, wrenches_, step);
  const BatchCall::Feedback& feedback = call.feedback;
  if (feedback.given()) {
    take(feedback.q_target, state, n.q, q_target_, step);
    take(feedback.v_target, state, n.v, v_target_, step);
    apply_springs<double>({position_of_.data(), stiffness_.data(), damping_.data(), q_target_.data(),
                           v_target_.data(), q_.data(), v_.data()},
                          static_cast<int>(position_of_.size()), x_.data());
  }
  return {q_.data(), v_.data(), tau, wrenches};
}

template <class N>
Status SingleWorker<N>::roll(const BatchCall& call, std::size_t state, const BatchSizes& n) {
  take(call.q, state, n.q, q_);
  take(call.v, state, n.v, v_);
  take(call.feedback.stiffness, state, n.v, stiffness_);
  take(call.feedback.damping, state, n.v, damping_);
  const std::size_t recorded = call.records() * call.every;
  Status worst = Status::ok;
  for (std::size_t step = 0; step < call.steps; ++step) {
    if (call.differentiates() && step < recorded) {
      if (step % call.every == 0) keep(n, step / call.every);
      keep(n, call.records() + step % call.every);
    }
    const Inputs<double> in = inputs_of_step(call, state, n, step);
    const auto advance = call.runge_kutta ? step_runge_kutta_4 : step_semi_implicit_euler;
    double* const qdd = call.out[2].data ? out_.data() : nullptr;
    double* const lambda = call.out[3].data ? second_.data() : nullptr;
    const Status status =
        advance(*used_, call.solve, call.dt, q_.data(), v_.data(), in.tau, in.wrenches, qdd, lambda);
    if (static_cast<std::int32_t>(status) < 0) return status;
    worst = std::max(worst, status);
    if ((step + 1) % call.every != 0) continue;
    const double* const numbers[4] = {q_.data(), v_.data(), qdd, lambda};
    for (std::size_t which = 0; which < 4; ++which)
      if (numbers[which]) TENON_CHECK(check_range(numbers[which], n.out[which]));
    for (std::size_t which = 0; which < 4; ++which)
      give(numbers[which], n.out[which], call.out[which], state, step / call.every);
  }
  return worst;
}

template <class N>
std::size_t SingleWorker<N>::kept_numbers(const BatchCall& call, const BatchSizes& n) {
  const std::size_t records = call.records(), most = std::numeric_limits<std::ptrdiff_t>::max() / 8;
  if (records == 0 || n.v == 0) return 0;
  if (records > most || call.every > most || records + call.every > most / (n.q + n.v))
    throw std::bad_alloc();
  return (records + call.every) * (n.q + n.v);
}
template <class N>
void SingleWorker<N>::keep(const BatchSizes& n, std::size_t place) {
  if (n.v == 0) return;
  std::copy_n(q_.data(), n.q, kept(n, place));
  std::copy_n(v_.data(), n.v, kept(n, place) + n.q);
}
template <class N>
void SingleWorker<N>::go_to(const BatchSizes& n, std::size_t place) {
  if (n.v == 0) return;
  std::copy_n(kept(n, place), n.q, q_.data());
  std::copy_n(kept(n, place) + n.q, n.v, v_.data());
}

template <class N>
Status SingleWorker<N>::roll_back(const BatchCall& call, std::size_t state, const BatchSizes& n) {
  const Status worst = roll(call, state, n);
  if (static_cast<std::int32_t>(worst) < 0) return worst;
  double *const by_q = by_[0].data(), *const by_v = by_[1].data(), *const by_x = by_[2].data();
  for (double* x : {by_q, by_v, by_x}) std::fill_n(x, n.v, 0.0);
  const std::size_t records = call.records();
  // After the last record, whose states nothing is asked of.
  for (std::size_t step = records * call.every; step < call.steps; ++step)
    give(by_x, n.v, call.out[6], state, step);
  const auto add = [&](const BatchArray& a, const char* name, std::size_t record, double* to) {
    const double* more = take(a, state, n.v, along_[0], record);
    for (std::size_t k = 0; more && k < n.v; ++k) to[k] += more[k];
    return check_finite(used_->impl(), name, to, static_cast<int>(n.v));
  };
  for (std::size_t record = records; record-- > 0;) {
    TENON_CHECK(add(call.derivatives.along_q, "record_gradient_q", record, by_q));
    TENON_CHECK(add(call.derivatives.along_v, "record_gradient_v", record, by_v));
    const std::size_t first = record * call.every;
    // roll() left the states of the last.
    if (record + 1 < records) go_to(n, record);
    for (std::size_t k = 0; record + 1 < records && k < call.every; ++k) {
      keep(n, records + k);
      if (k + 1 == call.every) break;
      const Inputs<double> in = inputs_of_step(call, state, n, first + k);
      const Status status = step_semi_implicit_euler(*used_, call.solve, call.dt, q_.data(), v_.data(),
                                                     in.tau, in.wrenches, nullptr, nullptr);
      if (static_cast<std::int32_t>(status) < 0) return status;
    }
    for (std::size_t k = call.every; k-- > 0;) {
      go_to(n, records + k);
      const Inputs<double> in = inputs_of_step(call, state, n, first + k);
      TENON_CHECK(step_semi_implicit_euler_vjp(*used_, {}, call.dt, in, by_q, by_v, {},
                                               {{by_q, 0}, {by_v, 0}, {by_x, 0}}));
      // The controller's torques are stiffness (q_target - q) + damping (v_target - v).
      for (std::size_t i = 0; call.feedback.given() && i < n.v; ++i) {
        if (position_of_[i] >= 0) by_q[i] -= stiffness_[i] * by_x[i];
        by_v[i] -= damping_[i] * by_x[i];
      }
      TENON_CHECK(check_range(by_x, n.v));
      give(by_x, n.v, call.out[6], state, first + k);
    }
  }
  TENON_CHECK(check_range(by_q, n.v));
  TENON_CHECK(check_range(by_v, n.v));
  give(by_q, n.v, call.out[4], state);
  give(by_v, n.v, call.out[5], state);
  return worst;
}

template Status SingleWorker<double>::roll(const BatchCall&, std::size_t, const BatchSizes&);
template Status SingleWorker<double>::roll_back(const BatchCall&, std::size_t, const BatchSizes&);
template std::size_t SingleWorker<double>::kept_numbers(const BatchCall&, const BatchSizes&);
template Status SingleWorker<float>::roll(const BatchCall&, std::size_t, const BatchSizes&);
template Status SingleWorker<float>::roll_back(const BatchCall&, std::size_t, const BatchSizes&);
template std::size_t SingleWorker<float>::kept_numbers(const BatchCall&, const BatchSizes&);

}  // namespace tenon
