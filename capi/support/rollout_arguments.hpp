// What the calls of rollouts are given.
#pragma once

#include "support/batch_arguments.hpp"

namespace tenon::capi {

inline constexpr tenon_rollout_options default_rollout_options = [] {
  tenon_rollout_options o{};
  o.struct_size = sizeof o;
  o.integrator = TENON_INTEGRATOR_SEMI_IMPLICIT_EULER;
  o.dt = 0.001;
  o.steps = o.every = 1;
  return o;
}();

class RolloutArguments : public Arguments {
 public:
  RolloutArguments(tenon_batch* batch, BatchFunction which, const tenon_rollout_options* options,
                   size_t states, std::int32_t* status, size_t status_count, const char* function) noexcept
      : Arguments(batch, which, states, status, status_count, function),
        o_(over(options, default_rollout_options, "tenon_rollout_options")) {
    one_of(kinds::integrator, "tenon_rollout_options: integrator", o_.integrator);
    finite("tenon_rollout_options: dt", &o_.dt, 1);
    if (o_.every == 0) fail(Status::invalid_argument, "tenon_rollout_options: every is 0; give 1 or more");
    if (o_.steps > 0 && o_.every > o_.steps)
      fail(Status::invalid_argument,
           "tenon_rollout_options: every is %zu, and the rollout of %zu steps, so that nothing would be "
           "written; give 1 to %zu",
           o_.every, o_.steps, o_.steps);
    if (good()) call.solve = this->options(o_.solve, false);
    if (o_.integrator == TENON_INTEGRATOR_RUNGE_KUTTA_4) call.integrator = tenon::Integrator::runge_kutta_4;
    call.dt = o_.dt;
    call.steps = o_.steps;
    call.every = o_.every == 0 ? 1 : o_.every;
  }
  void inputs(const tenon_batch_array* q, const tenon_batch_array* v, const tenon_batch_array* tau,
              const tenon_batch_array* wrenches) noexcept {
    position(q);
    velocity(v);
    forces("tau", tau, wrenches, o_.steps);
  }
  // Of a rollout backward.
  void gradients(const tenon_batch_array* record_gradient_q, const tenon_batch_array* record_gradient_v,
                 const tenon_batch_array* gradient_q, const tenon_batch_array* gradient_v,
                 const tenon_batch_array* gradient_tau) noexcept {
    const size_t nv = velocity_count(), records = call.records();
    call.derivatives.form = tenon::DerivativeForm::vjp;
    call.derivatives.along_q = optional_array("record_gradient_q", record_gradient_q, nv, records);
    call.derivatives.along_v = optional_array("record_gradient_v", record_gradient_v, nv, records);
    call.out[4] = output("gradient_q", gradient_q, nv, false);
    call.out[5] = output("gradient_v", gradient_v, nv, false);
    call.out[6] = output("gradient_tau", gradient_tau, nv, false, call.steps);
  }
  // Of each record, besides the state; and the controller.
  void what_options_have() noexcept {
    call.out[2] =
        output("tenon_rollout_options: qdd_out", o_.qdd_out, velocity_count(), false, call.records());
    call.out[3] = output("tenon_rollout_options: lambda_out", o_.lambda_out, rows(), false, call.records());
    BatchCall::Feedback& feedback = call.feedback;
    feedback.stiffness = optional_array("tenon_rollout_options: stiffness", o_.stiffness, velocity_count());
    feedback.damping = optional_array("tenon_rollout_options: damping", o_.damping, velocity_count());
    feedback.q_target =
        optional_array("tenon_rollout_options: q_target", o_.q_target, position_count(), o_.steps);
    feedback.v_target =
        optional_array("tenon_rollout_options: v_target", o_.v_target, velocity_count(), o_.steps);
    if (feedback.stiffness.data != nullptr && feedback.q_target.data == nullptr && call.states > 0)
      fail(Status::invalid_argument, "tenon_rollout_options: stiffness needs q_target, which is NULL");
  }

 private:
  tenon_rollout_options o_;
};

}  // namespace tenon::capi
