// Derivatives of dynamics.
#include "tenon/derivatives.hpp"

#include "support/call.hpp"
#include "support/derivative_options.hpp"

using namespace tenon::capi;
using tenon::ConstrainedChange;
using tenon::ConstrainedDerivatives;
using tenon::ConstrainedGradient;
using tenon::DerivativeOptions;
using tenon::Derivatives;
using tenon::ImpactDerivatives;
using tenon::ImpactInputs;
using tenon::Inputs;
using tenon::ParameterGradient;
using tenon::StateChange;
using tenon::StepEnd;

tenon_status tenon_derivative_options_init(tenon_derivative_options* options, size_t size) {
  return init(options, size, default_derivative_options);
}

tenon_status tenon_inverse_dynamics_derivatives(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* a, size_t a_count, const double* wrenches,
    size_t wrenches_count, double* tau, size_t tau_count, double* dtau_dq, size_t dtau_dq_count, int32_t ldq,
    double* dtau_dv, size_t dtau_dv_count, int32_t ldv, double* dtau_da, size_t dtau_da_count, int32_t lda) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(a), ARRAY(wrenches));
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional_velocities(ARRAY(tau));
  optional_square(call, how, ARRAY(dtau_dq), ldq);
  optional_square(call, how, ARRAY(dtau_dv), ldv);
  optional_square(call, how, ARRAY(dtau_da), lda);
  return call.run(tenon::inverse_dynamics_derivatives, how,
                  Inputs<double>{q, v, nullptr, wrenches, nullptr, a}, tau,
                  Derivatives{how.matrix(dtau_dq, ldq), how.matrix(dtau_dv, ldv), how.matrix(dtau_da, lda)});
}

tenon_status tenon_inverse_dynamics_vjp(tenon_workspace* workspace, const tenon_derivative_options* options,
                                        const double* q, size_t q_count, const double* v, size_t v_count,
                                        const double* a, size_t a_count, const double* wrenches,
                                        size_t wrenches_count, const double* gradient, size_t gradient_count,
                                        double* tau, size_t tau_count, double* gradient_q,
                                        size_t gradient_q_count, double* gradient_v, size_t gradient_v_count,
                                        double* gradient_a, size_t gradient_a_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(a), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.velocities(ARRAY(gradient));
  call.optional_velocities(ARRAY(tau));
  call.optional_velocities(ARRAY(gradient_q));
  call.optional_velocities(ARRAY(gradient_v));
  call.optional_velocities(ARRAY(gradient_a));
  return call.run(tenon::inverse_dynamics_vjp, checked_options,
                  Inputs<double>{q, v, nullptr, wrenches, nullptr, a}, gradient, tau,
                  Derivatives{{gradient_q, 0}, {gradient_v, 0}, {gradient_a, 0}});
}

tenon_status tenon_inverse_dynamics_jvp(tenon_workspace* workspace, const tenon_derivative_options* options,
                                        const double* q, size_t q_count, const double* v, size_t v_count,
                                        const double* a, size_t a_count, const double* wrenches,
                                        size_t wrenches_count, const double* dq, size_t dq_count,
                                        const double* dv, size_t dv_count, const double* da, size_t da_count,
                                        double* tau, size_t tau_count, double* dtau, size_t dtau_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(a), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(dq));
  call.optional_velocities(ARRAY(dv));
  call.optional_velocities(ARRAY(da));
  call.optional_velocities(ARRAY(tau));
  call.velocities(ARRAY(dtau));
  return call.run(tenon::inverse_dynamics_jvp, checked_options,
                  Inputs<double>{q, v, nullptr, wrenches, nullptr, a}, StateChange{dq, dv, da}, tau, dtau);
}

tenon_status tenon_forward_dynamics_derivatives(tenon_workspace* workspace,
                                                const tenon_derivative_options* options, const double* q,
                                                size_t q_count, const double* v, size_t v_count,
                                                const double* tau, size_t tau_count, const double* wrenches,
                                                size_t wrenches_count, double* qdd, size_t qdd_count,
                                                double* dqdd_dq, size_t dqdd_dq_count, int32_t ldq,
                                                double* dqdd_dv, size_t dqdd_dv_count, int32_t ldv,
                                                double* dqdd_dtau, size_t dqdd_dtau_count, int32_t ldtau) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches));
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional_velocities(ARRAY(qdd));
  optional_square(call, how, ARRAY(dqdd_dq), ldq);
  optional_square(call, how, ARRAY(dqdd_dv), ldv);
  optional_square(call, how, ARRAY(dqdd_dtau), ldtau);
  return call.run(
      tenon::forward_dynamics_derivatives, how, Inputs<double>{q, v, tau, wrenches}, qdd,
      Derivatives{how.matrix(dqdd_dq, ldq), how.matrix(dqdd_dv, ldv), how.matrix(dqdd_dtau, ldtau)});
}

tenon_status tenon_forward_dynamics_vjp(tenon_workspace* workspace, const tenon_derivative_options* options,
                                        const double* q, size_t q_count, const double* v, size_t v_count,
                                        const double* tau, size_t tau_count, const double* wrenches,
                                        size_t wrenches_count, const double* gradient, size_t gradient_count,
                                        double* qdd, size_t qdd_count, double* gradient_q,
                                        size_t gradient_q_count, double* gradient_v, size_t gradient_v_count,
                                        double* gradient_tau, size_t gradient_tau_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.velocities(ARRAY(gradient));
  call.optional_velocities(ARRAY(qdd));
  call.optional_velocities(ARRAY(gradient_q));
  call.optional_velocities(ARRAY(gradient_v));
  call.optional_velocities(ARRAY(gradient_tau));
  return call.run(tenon::forward_dynamics_vjp, checked_options, Inputs<double>{q, v, tau, wrenches}, gradient,
                  qdd, Derivatives{{gradient_q, 0}, {gradient_v, 0}, {gradient_tau, 0}});
}

tenon_status tenon_forward_dynamics_jvp(tenon_workspace* workspace, const tenon_derivative_options* options,
                                        const double* q, size_t q_count, const double* v, size_t v_count,
                                        const double* tau, size_t tau_count, const double* wrenches,
                                        size_t wrenches_count, const double* dq, size_t dq_count,
                                        const double* dv, size_t dv_count, const double* dtau,
                                        size_t dtau_count, double* qdd, size_t qdd_count, double* dqdd,
                                        size_t dqdd_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(dq));
  call.optional_velocities(ARRAY(dv));
  call.optional_velocities(ARRAY(dtau));
  call.optional_velocities(ARRAY(qdd));
  call.velocities(ARRAY(dqdd));
  return call.run(tenon::forward_dynamics_jvp, checked_options, Inputs<double>{q, v, tau, wrenches},
                  StateChange{dq, dv, dtau}, qdd, dqdd);
}

// What derivatives of a step take and give besides what all have.
static void optional_end(Call& call, Array next_q, Array next_v) noexcept {
  call.optional(next_q, call.position_count());
  call.optional_velocities(next_v);
}

// Of a step by each rule.
#define TENON_STEP_DERIVATIVES(rule)                                                                         \
  tenon_status tenon_step_##rule##_vjp(                                                                      \
      tenon_workspace* workspace, const tenon_derivative_options* options, double dt, const double* q,       \
      size_t q_count, const double* v, size_t v_count, const double* tau, size_t tau_count,                  \
      const double* wrenches, size_t wrenches_count, const double* gradient_next_q,                          \
      size_t gradient_next_q_count, const double* gradient_next_v, size_t gradient_next_v_count,             \
      double* next_q, size_t next_q_count, double* next_v, size_t next_v_count, double* gradient_q,          \
      size_t gradient_q_count, double* gradient_v, size_t gradient_v_count, double* gradient_tau,            \
      size_t gradient_tau_count) {                                                                           \
    Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches));       \
    const DerivativeOptions checked_options = checked(call, options);                                        \
    call.optional_velocities(ARRAY(gradient_next_q));                                                        \
    call.optional_velocities(ARRAY(gradient_next_v));                                                        \
    optional_end(call, ARRAY(next_q), ARRAY(next_v));                                                        \
    call.optional_velocities(ARRAY(gradient_q));                                                             \
    call.optional_velocities(ARRAY(gradient_v));                                                             \
    call.optional_velocities(ARRAY(gradient_tau));                                                           \
    return call.run(tenon::step_vjp, tenon::Integrator::rule, checked_options, dt,                           \
                    Inputs<double>{q, v, tau, wrenches}, gradient_next_q, gradient_next_v,                   \
                    StepEnd{next_q, next_v},                                                                 \
                    Derivatives{{gradient_q, 0}, {gradient_v, 0}, {gradient_tau, 0}}, ParameterGradient{});  \
  }                                                                                                          \
                                                                                                             \
  tenon_status tenon_step_##rule##_jvp(                                                                      \
      tenon_workspace* workspace, const tenon_derivative_options* options, double dt, const double* q,       \
      size_t q_count, const double* v, size_t v_count, const double* tau, size_t tau_count,                  \
      const double* wrenches, size_t wrenches_count, const double* dq, size_t dq_count, const double* dv,    \
      size_t dv_count, const double* dtau, size_t dtau_count, double* next_q, size_t next_q_count,           \
      double* next_v, size_t next_v_count, double* dnext_q, size_t dnext_q_count, double* dnext_v,           \
      size_t dnext_v_count) {                                                                                \
    Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches));       \
    const DerivativeOptions checked_options = checked(call, options);                                        \
    call.optional_velocities(ARRAY(dq));                                                                     \
    call.optional_velocities(ARRAY(dv));                                                                     \
    call.optional_velocities(ARRAY(dtau));                                                                   \
    optional_end(call, ARRAY(next_q), ARRAY(next_v));                                                        \
    call.optional_velocities(ARRAY(dnext_q));                                                                \
    call.optional_velocities(ARRAY(dnext_v));                                                                \
    return call.run(tenon::step_jvp, tenon::Integrator::rule, checked_options, dt,                           \
                    Inputs<double>{q, v, tau, wrenches}, StateChange{dq, dv, dtau}, StepEnd{next_q, next_v}, \
                    Derivatives{{dnext_q, 0}, {dnext_v, 0}, {}});                                            \
  }

TENON_STEP_DERIVATIVES(semi_implicit_euler)
TENON_STEP_DERIVATIVES(runge_kutta_4)
#undef TENON_STEP_DERIVATIVES

tenon_status tenon_constrained_dynamics_derivatives(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, double* qdd, size_t qdd_count,
    double* lambda, size_t lambda_count, double* dqdd_dq, size_t dqdd_dq_count, int32_t ldq, double* dqdd_dv,
    size_t dqdd_dv_count, int32_t ldv, double* dqdd_dtau, size_t dqdd_dtau_count, int32_t ldtau,
    double* dqdd_ddesired, size_t dqdd_ddesired_count, int32_t lddesired) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional_velocities(ARRAY(qdd));
  call.optional_rows(ARRAY(lambda));
  optional_square(call, how, ARRAY(dqdd_dq), ldq);
  optional_square(call, how, ARRAY(dqdd_dv), ldv);
  optional_square(call, how, ARRAY(dqdd_dtau), ldtau);
  call.optional_matrix(ARRAY(dqdd_ddesired), call.velocity_count(), call.rows(), lddesired, how.row_major);
  return call.run(tenon::constrained_dynamics_derivatives, how, Inputs<double>{q, v, tau, wrenches, desired},
                  qdd, lambda,
                  ConstrainedDerivatives{
                      {how.matrix(dqdd_dq, ldq), how.matrix(dqdd_dv, ldv), how.matrix(dqdd_dtau, ldtau)},
                      how.matrix(dqdd_ddesired, lddesired),
                      {},
                      {}});
}

tenon_status tenon_constrained_solution_derivatives(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, double* qdd, size_t qdd_count,
    double* lambda, size_t lambda_count, double* dx_dq, size_t dx_dq_count, int32_t ldq, double* dx_dv,
    size_t dx_dv_count, int32_t ldv, double* dx_dtau, size_t dx_dtau_count, int32_t ldtau,
    double* dx_ddesired, size_t dx_ddesired_count, int32_t lddesired) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional_velocities(ARRAY(qdd));
  call.optional_rows(ARRAY(lambda));
  const std::size_t n = call.velocity_count(), m = call.rows();
  call.optional_matrix(ARRAY(dx_dq), n + m, n, ldq, how.row_major);
  call.optional_matrix(ARRAY(dx_dv), n + m, n, ldv, how.row_major);
  call.optional_matrix(ARRAY(dx_dtau), n + m, n, ldtau, how.row_major);
  call.optional_matrix(ARRAY(dx_ddesired), n + m, m, lddesired, how.row_major);
  const auto of_lambda = [&](double* x, std::int32_t ld) { return rows_of_solution(call, how, n, x, ld); };
  return call.run(
      tenon::constrained_dynamics_derivatives, how, Inputs<double>{q, v, tau, wrenches, desired}, qdd, lambda,
      ConstrainedDerivatives{{how.matrix(dx_dq, ldq), how.matrix(dx_dv, ldv), how.matrix(dx_dtau, ldtau)},
                             how.matrix(dx_ddesired, lddesired),
                             {of_lambda(dx_dq, ldq), of_lambda(dx_dv, ldv), of_lambda(dx_dtau, ldtau)},
                             of_lambda(dx_ddesired, lddesired)});
}

tenon_status tenon_constrained_dynamics_vjp(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, const double* gradient,
    size_t gradient_count, const double* gradient_lambda, size_t gradient_lambda_count, double* qdd,
    size_t qdd_count, double* lambda, size_t lambda_count, double* gradient_q, size_t gradient_q_count,
    double* gradient_v, size_t gradient_v_count, double* gradient_tau, size_t gradient_tau_count,
    double* gradient_desired, size_t gradient_desired_count) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(gradient));
  call.optional_rows(ARRAY(gradient_lambda));
  call.optional_velocities(ARRAY(qdd));
  call.optional_rows(ARRAY(lambda));
  call.optional_velocities(ARRAY(gradient_q));
  call.optional_velocities(ARRAY(gradient_v));
  call.optional_velocities(ARRAY(gradient_tau));
  call.optional_rows(ARRAY(gradient_desired));
  return call.run(
      tenon::constrained_dynamics_vjp, checked_options, Inputs<double>{q, v, tau, wrenches, desired},
      gradient, gradient_lambda, qdd, lambda,
      ConstrainedGradient{{{gradient_q, 0}, {gradient_v, 0}, {gradient_tau, 0}}, {gradient_desired, 0}});
}

tenon_status tenon_constrained_dynamics_jvp(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, const double* dq, size_t dq_count,
    const double* dv, size_t dv_count, const double* dtau, size_t dtau_count, const double* ddesired,
    size_t ddesired_count, double* qdd, size_t qdd_count, double* lambda, size_t lambda_count, double* dqdd,
    size_t dqdd_count, double* dlambda, size_t dlambda_count) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(dq));
  call.optional_velocities(ARRAY(dv));
  call.optional_velocities(ARRAY(dtau));
  call.optional_rows(ARRAY(ddesired));
  call.optional_velocities(ARRAY(qdd));
  call.optional_rows(ARRAY(lambda));
  call.optional_velocities(ARRAY(dqdd));
  call.optional_rows(ARRAY(dlambda));
  return call.run(tenon::constrained_dynamics_jvp, checked_options,
                  Inputs<double>{q, v, tau, wrenches, desired}, ConstrainedChange{{dq, dv, dtau}, ddesired},
                  qdd, lambda, dqdd, dlambda);
}

// The inputs of an impact.
static Call impact_call(tenon_workspace* workspace, const char* function, Array restitution, Array q,
                        Array v) noexcept {
  Call call(workspace, function);
  call.one_or_rows(restitution);
  call.state(q, v);
  return call;
}

tenon_status tenon_impact_derivatives(tenon_workspace* workspace, const tenon_derivative_options* options,
                                      const double* restitution, size_t restitution_count, const double* q,
                                      size_t q_count, const double* v, size_t v_count, double* v_after,
                                      size_t v_after_count, double* impulse, size_t impulse_count,
                                      double* dv_dq, size_t dv_dq_count, int32_t ldq, double* dv_dv,
                                      size_t dv_dv_count, int32_t ldv, double* dimpulse_dq,
                                      size_t dimpulse_dq_count, int32_t ldiq, double* dimpulse_dv,
                                      size_t dimpulse_dv_count, int32_t ldiv) {
  Call call = impact_call(workspace, __func__, ARRAY(restitution), ARRAY(q), ARRAY(v));
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional_velocities(ARRAY(v_after));
  call.optional_rows(ARRAY(impulse));
  optional_square(call, how, ARRAY(dv_dq), ldq);
  optional_square(call, how, ARRAY(dv_dv), ldv);
  call.optional_matrix(ARRAY(dimpulse_dq), call.rows(), call.velocity_count(), ldiq, how.row_major);
  call.optional_matrix(ARRAY(dimpulse_dv), call.rows(), call.velocity_count(), ldiv, how.row_major);
  return call.run(tenon::impact_derivatives, how,
                  ImpactInputs{restitution, static_cast<int>(restitution_count), q, v}, v_after, impulse,
                  ImpactDerivatives{{how.matrix(dv_dq, ldq), how.matrix(dv_dv, ldv), {}},
                                    {how.matrix(dimpulse_dq, ldiq), how.matrix(dimpulse_dv, ldiv), {}}});
}

tenon_status tenon_impact_vjp(tenon_workspace* workspace, const tenon_derivative_options* options,
                              const double* restitution, size_t restitution_count, const double* q,
                              size_t q_count, const double* v, size_t v_count, const double* gradient,
                              size_t gradient_count, const double* gradient_impulse,
                              size_t gradient_impulse_count, double* v_after, size_t v_after_count,
                              double* impulse, size_t impulse_count, double* gradient_q,
                              size_t gradient_q_count, double* gradient_v, size_t gradient_v_count) {
  Call call = impact_call(workspace, __func__, ARRAY(restitution), ARRAY(q), ARRAY(v));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(gradient));
  call.optional_rows(ARRAY(gradient_impulse));
  call.optional_velocities(ARRAY(v_after));
  call.optional_rows(ARRAY(impulse));
  call.optional_velocities(ARRAY(gradient_q));
  call.optional_velocities(ARRAY(gradient_v));
  return call.run(tenon::impact_vjp, checked_options,
                  ImpactInputs{restitution, static_cast<int>(restitution_count), q, v}, gradient,
                  gradient_impulse, v_after, impulse, Derivatives{{gradient_q, 0}, {gradient_v, 0}, {}});
}

tenon_status tenon_impact_jvp(tenon_workspace* workspace, const tenon_derivative_options* options,
                              const double* restitution, size_t restitution_count, const double* q,
                              size_t q_count, const double* v, size_t v_count, const double* dq,
                              size_t dq_count, const double* dv, size_t dv_count, double* v_after,
                              size_t v_after_count, double* impulse, size_t impulse_count, double* dv_after,
                              size_t dv_after_count, double* dimpulse, size_t dimpulse_count) {
  Call call = impact_call(workspace, __func__, ARRAY(restitution), ARRAY(q), ARRAY(v));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(dq));
  call.optional_velocities(ARRAY(dv));
  call.optional_velocities(ARRAY(v_after));
  call.optional_rows(ARRAY(impulse));
  call.optional_velocities(ARRAY(dv_after));
  call.optional_rows(ARRAY(dimpulse));
  return call.run(tenon::impact_jvp, checked_options,
                  ImpactInputs{restitution, static_cast<int>(restitution_count), q, v}, dq, dv, v_after,
                  impulse, dv_after, dimpulse);
}
