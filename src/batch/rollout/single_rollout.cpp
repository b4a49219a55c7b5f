// Rollouts of single states, and gradients through them: backward step by step (tenon/derivatives.hpp).
#include <algorithm>

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
  Status worst = Status::ok;
  for (std::size_t step = 0; step < call.steps; ++step) {
    if (call.differentiates()) kept(n).keep_before(call, step);
    const Inputs<double> in = inputs_of_step(call, state, n, step);
    double* const qdd = call.out[2].data ? out_.data() : nullptr;
    double* const lambda = call.out[3].data ? second_.data() : nullptr;
    const Status status = step_in_time(*used_, call.integrator, call.solve, call.dt, q_.data(), v_.data(),
                                       in.tau, in.wrenches, qdd, lambda);
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
Status SingleWorker<N>::roll_back(const BatchCall& call, std::size_t state, const BatchSizes& n) {
  const Status worst = roll(call, state, n);
  if (static_cast<std::int32_t>(worst) < 0) return worst;
  double *const by_q = by_[0].data(), *const by_v = by_[1].data(), *const by_x = by_[2].data();
  for (double* x : {by_q, by_v, by_x}) std::fill_n(x, n.v, 0.0);
  const BatchCall::Differentiation& how = call.derivatives;
  const ParameterGradient sums = parameter_gradient(call);
  std::vector<double>* const by_wrenches =
      sums.by_wrenches ? &by_parameters_[static_cast<std::size_t>(ByParameter::wrenches)] : nullptr;
  for (std::vector<double>& x : by_parameters_) std::fill(x.begin(), x.end(), 0.0);
  const auto give_of_step = [&](std::size_t step) {
    give(by_x, n.v, call.out[6], state, step);
    if (by_wrenches) give(by_wrenches->data(), n.wrenches, how.by(ByParameter::wrenches), state, step);
  };
  // After the last record, whose states nothing is asked of.
  for (std::size_t step = call.records() * call.every; step < call.steps; ++step) give_of_step(step);
  const auto add_one = [&](const BatchArray& a, const char* name, std::size_t record, double* to) {
    const double* more = take(a, state, n.v, along_[0], record);
    for (std::size_t k = 0; more && k < n.v; ++k) to[k] += more[k];
    return check_finite(used_->impl(), name, to, static_cast<int>(n.v));
  };
  const auto add = [&](std::size_t record) {
    TENON_CHECK(add_one(call.derivatives.along_q, "record_gradient_q", record, by_q));
    return add_one(call.derivatives.along_v, "record_gradient_v", record, by_v);
  };
  const auto advance = [&](std::size_t step) {
    const Inputs<double> in = inputs_of_step(call, state, n, step);
    return step_in_time(*used_, call.integrator, call.solve, call.dt, q_.data(), v_.data(), in.tau,
                        in.wrenches, nullptr, nullptr);
  };
  const auto back = [&](std::size_t step) {
    const Inputs<double> in = inputs_of_step(call, state, n, step);
    if (by_wrenches) std::fill(by_wrenches->begin(), by_wrenches->end(), 0.0);
    TENON_CHECK(step_vjp(*used_, call.integrator, {}, call.dt, in, by_q, by_v, {},
                         {{by_q, 0}, {by_v, 0}, {by_x, 0}}, sums));
    if (call.feedback.given()) add_feedback_gradients(position_of_, stiffness_, damping_, by_x, by_q, by_v);
    TENON_CHECK(check_range(by_x, n.v));
    if (by_wrenches) TENON_CHECK(check_range(by_wrenches->data(), n.wrenches));
    give_of_step(step);
    return Status::ok;
  };
  TENON_CHECK(go_back(call, kept(n), add, advance, back));
  TENON_CHECK(check_range(by_q, n.v));
  TENON_CHECK(check_range(by_v, n.v));
  const auto for_sums = [&](const auto& each) {
    for (std::size_t i = 0; i < parameter_kinds; ++i)
      if (how.by_parameters[i].data && by_wrenches != &by_parameters_[i])
        TENON_CHECK(each(by_parameters_[i].data(), n.parameters[i], how.by_parameters[i]));
    return Status::ok;
  };
  TENON_CHECK(
      for_sums([&](const double* x, std::size_t count, const BatchArray&) { return check_range(x, count); }));
  give(by_q, n.v, call.out[4], state);
  give(by_v, n.v, call.out[5], state);
  for_sums([&](const double* x, std::size_t count, const BatchArray& to) {
    give(x, count, to, state);
    return Status::ok;
  });
  return worst;
}

template Status SingleWorker<double>::roll(const BatchCall&, std::size_t, const BatchSizes&);
template Status SingleWorker<double>::roll_back(const BatchCall&, std::size_t, const BatchSizes&);
template Status SingleWorker<float>::roll(const BatchCall&, std::size_t, const BatchSizes&);
template Status SingleWorker<float>::roll_back(const BatchCall&, std::size_t, const BatchSizes&);

}  // namespace tenon
