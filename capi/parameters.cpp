// Dynamics as a function of inertial parameters: regressors, gradients, of many states and of rollouts too, and a chart.
#include "support/batch_derivative_arguments.hpp"
#include "support/call.hpp"
#include "support/derivative_options.hpp"
#include "support/rollout_arguments.hpp"
#include "tenon/derivatives.hpp"

using namespace tenon::capi;
using tenon::ChosenLinks;
using tenon::DerivativeOptions;
using tenon::Inputs;
using tenon::LoadDerivatives;
using tenon::ParameterDerivatives;
using tenon::ParameterGradient;

static std::size_t parameter_count(const Call& call) noexcept {
  return 10 * call.links();
}

tenon_status tenon_joint_torque_regressor(tenon_workspace* workspace, const double* q, size_t q_count,
                                          const double* v, size_t v_count, const double* a, size_t a_count,
                                          int32_t zeros, double* Y, size_t Y_count, int32_t ldy) {
  Call call(workspace, __func__);
  call.state(ARRAY(q), ARRAY(v));
  call.velocities(ARRAY(a));
  call.needed_matrix(ARRAY(Y), call.velocity_count(), parameter_count(call), ldy);
  if (zeros != 0 && zeros != 1)
    call.fail(tenon::Status::invalid_argument, "zeros is %d; give 0 or 1", static_cast<int>(zeros));
  return call.run(tenon::joint_torque_regressor, Inputs<double>{q, v, nullptr, nullptr, nullptr, a},
                  zeros != 0, Y, ldy);
}

tenon_status tenon_energy_regressors(tenon_workspace* workspace, double* kinetic, size_t kinetic_count,
                                     double* potential, size_t potential_count) {
  Call call(workspace, __func__);
  call.optional(ARRAY(kinetic), parameter_count(call));
  call.optional(ARRAY(potential), parameter_count(call));
  return call.run(tenon::energy_regressors, kinetic, potential);
}

static void parameter_gradients(Call& call, Array inertia, Array armature, Array damping, Array friction,
                                Array wrenches, Array gravity) noexcept {
  call.optional(inertia, parameter_count(call));
  for (const Array& of_joints : {armature, damping, friction}) call.optional(of_joints, call.nv());
  call.wrenches(wrenches);
  call.optional(gravity, 3);
}

tenon_status tenon_inverse_dynamics_parameter_vjp(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* a, size_t a_count, const double* wrenches,
    size_t wrenches_count, const double* gradient, size_t gradient_count, double* tau, size_t tau_count,
    double* gradient_inertia, size_t gradient_inertia_count, double* gradient_armature,
    size_t gradient_armature_count, double* gradient_damping, size_t gradient_damping_count,
    double* gradient_friction, size_t gradient_friction_count, double* gradient_wrenches,
    size_t gradient_wrenches_count, double* gradient_gravity, size_t gradient_gravity_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(a), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.velocities(ARRAY(gradient));
  call.optional_velocities(ARRAY(tau));
  parameter_gradients(call, ARRAY(gradient_inertia), ARRAY(gradient_armature), ARRAY(gradient_damping),
                      ARRAY(gradient_friction), ARRAY(gradient_wrenches), ARRAY(gradient_gravity));
  return call.run(tenon::inverse_dynamics_parameter_vjp, checked_options,
                  Inputs<double>{q, v, nullptr, wrenches, nullptr, a}, gradient, tau,
                  ParameterGradient{gradient_inertia, gradient_armature, gradient_damping, gradient_friction,
                                    gradient_wrenches, gradient_gravity});
}

tenon_status tenon_forward_dynamics_parameter_vjp(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* gradient, size_t gradient_count, double* qdd, size_t qdd_count,
    double* gradient_inertia, size_t gradient_inertia_count, double* gradient_armature,
    size_t gradient_armature_count, double* gradient_damping, size_t gradient_damping_count,
    double* gradient_friction, size_t gradient_friction_count, double* gradient_wrenches,
    size_t gradient_wrenches_count, double* gradient_gravity, size_t gradient_gravity_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.velocities(ARRAY(gradient));
  call.optional_velocities(ARRAY(qdd));
  parameter_gradients(call, ARRAY(gradient_inertia), ARRAY(gradient_armature), ARRAY(gradient_damping),
                      ARRAY(gradient_friction), ARRAY(gradient_wrenches), ARRAY(gradient_gravity));
  return call.run(tenon::forward_dynamics_parameter_vjp, checked_options, Inputs<double>{q, v, tau, wrenches},
                  gradient, qdd,
                  ParameterGradient{gradient_inertia, gradient_armature, gradient_damping, gradient_friction,
                                    gradient_wrenches, gradient_gravity});
}

tenon_status tenon_constrained_dynamics_parameter_vjp(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, const double* gradient,
    size_t gradient_count, const double* gradient_lambda, size_t gradient_lambda_count, double* qdd,
    size_t qdd_count, double* lambda, size_t lambda_count, double* gradient_inertia,
    size_t gradient_inertia_count, double* gradient_armature, size_t gradient_armature_count,
    double* gradient_damping, size_t gradient_damping_count, double* gradient_friction,
    size_t gradient_friction_count, double* gradient_wrenches, size_t gradient_wrenches_count,
    double* gradient_gravity, size_t gradient_gravity_count) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(gradient));
  call.optional_rows(ARRAY(gradient_lambda));
  call.optional_velocities(ARRAY(qdd));
  call.optional_rows(ARRAY(lambda));
  parameter_gradients(call, ARRAY(gradient_inertia), ARRAY(gradient_armature), ARRAY(gradient_damping),
                      ARRAY(gradient_friction), ARRAY(gradient_wrenches), ARRAY(gradient_gravity));
  return call.run(tenon::constrained_dynamics_parameter_vjp, checked_options,
                  Inputs<double>{q, v, tau, wrenches, desired}, gradient, gradient_lambda, qdd, lambda,
                  ParameterGradient{gradient_inertia, gradient_armature, gradient_damping, gradient_friction,
                                    gradient_wrenches, gradient_gravity});
}

tenon_status tenon_batch_inverse_dynamics_parameter_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* a, const tenon_batch_array* wrenches,
    const tenon_batch_array* gradient, const tenon_batch_array* tau,
    const tenon_batch_array* gradient_inertia, const tenon_batch_array* gradient_armature,
    const tenon_batch_array* gradient_damping, const tenon_batch_array* gradient_friction,
    const tenon_batch_array* gradient_wrenches, const tenon_batch_array* gradient_gravity, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::inverse_derivatives, DerivativeForm::parameter_vjp, options,
                        states, status, status_count, __func__);
  c.state(q, v, GIVEN(a), wrenches);
  c.call.derivatives.along_x = c.needed_array(GIVEN(gradient), c.velocity_count());
  c.results(GIVEN(tau), {}, {}, {});
  c.parameter_gradients(gradient_inertia, gradient_armature, gradient_damping, gradient_friction,
                        gradient_wrenches, gradient_gravity);
  return c.compute();
}

tenon_status tenon_batch_forward_dynamics_parameter_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* gradient, const tenon_batch_array* qdd,
    const tenon_batch_array* gradient_inertia, const tenon_batch_array* gradient_armature,
    const tenon_batch_array* gradient_damping, const tenon_batch_array* gradient_friction,
    const tenon_batch_array* gradient_wrenches, const tenon_batch_array* gradient_gravity, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::forward_derivatives, DerivativeForm::parameter_vjp, options,
                        states, status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.call.derivatives.along_x = c.needed_array(GIVEN(gradient), c.velocity_count());
  c.results(GIVEN(qdd), {}, {}, {});
  c.parameter_gradients(gradient_inertia, gradient_armature, gradient_damping, gradient_friction,
                        gradient_wrenches, gradient_gravity);
  return c.compute();
}

tenon_status tenon_batch_constrained_dynamics_parameter_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* desired, const tenon_batch_array* gradient,
    const tenon_batch_array* gradient_lambda, const tenon_batch_array* qdd, const tenon_batch_array* lambda,
    const tenon_batch_array* gradient_inertia, const tenon_batch_array* gradient_armature,
    const tenon_batch_array* gradient_damping, const tenon_batch_array* gradient_friction,
    const tenon_batch_array* gradient_wrenches, const tenon_batch_array* gradient_gravity, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::constrained_derivatives, DerivativeForm::parameter_vjp, options,
                        states, status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.constraints(desired, GIVEN(gradient_lambda), lambda, "", nullptr);
  c.call.derivatives.along_x = c.velocities(GIVEN(gradient));
  c.results(GIVEN(qdd), {}, {}, {});
  c.parameter_gradients(gradient_inertia, gradient_armature, gradient_damping, gradient_friction,
                        gradient_wrenches, gradient_gravity);
  return c.compute();
}

tenon_status tenon_batch_joint_torque_regressor(tenon_batch* batch, size_t states, const tenon_batch_array* q,
                                                const tenon_batch_array* v, const tenon_batch_array* a,
                                                const tenon_batch_array* Y, int32_t* status,
                                                size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::inverse_derivatives, DerivativeForm::regressor, nullptr, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(a), nullptr);
  c.call.out[1] = c.needed_matrix(GIVEN(Y), c.velocity_count(), parameter_count(c));
  return c.compute();
}

tenon_status tenon_batch_centroidal_parameter_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* center_gradients,
    const tenon_batch_array* center_velocity_gradients, const tenon_batch_array* momentum_gradients,
    const tenon_batch_array* kinetic_gradients, const tenon_batch_array* potential_gradients,
    const tenon_batch_array* gradient_inertia, const tenon_batch_array* gradient_armature,
    const tenon_batch_array* gradient_gravity, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::centroidal_derivatives, DerivativeForm::parameter_vjp, options,
                        states, status, status_count, __func__);
  const Arguments::Whole gradients = {{center_gradients, center_velocity_gradients, momentum_gradients,
                                       kinetic_gradients, potential_gradients}};
  c.whole_robots(q, v, {}, gradients);
  c.gradients_by_whole_robots(gradients);
  c.parameter_gradients(gradient_inertia, gradient_armature, nullptr, nullptr, nullptr, gradient_gravity);
  return c.compute();
}

tenon_status tenon_batch_rollout_parameter_vjp(
    tenon_batch* batch, const tenon_rollout_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* record_gradient_q, const tenon_batch_array* record_gradient_v,
    const tenon_batch_array* gradient_q, const tenon_batch_array* gradient_v,
    const tenon_batch_array* gradient_tau, const tenon_batch_array* gradient_inertia,
    const tenon_batch_array* gradient_armature, const tenon_batch_array* gradient_damping,
    const tenon_batch_array* gradient_friction, const tenon_batch_array* gradient_wrenches,
    const tenon_batch_array* gradient_gravity, int32_t* status, size_t status_count) {
  RolloutArguments c(batch, BatchFunction::rollout_derivatives, options, states, status, status_count,
                     __func__);
  c.inputs(q, v, tau, wrenches);
  c.gradients(record_gradient_q, record_gradient_v, gradient_q, gradient_v, gradient_tau);
  c.parameter_gradients(gradient_inertia, gradient_armature, gradient_damping, gradient_friction,
                        gradient_wrenches, gradient_gravity, c.call.steps);
  c.what_options_have();
  return c.compute();
}

tenon_status tenon_inverse_dynamics_ratio_vjp(tenon_workspace* workspace,
                                              const tenon_derivative_options* options, const double* q,
                                              size_t q_count, const double* v, size_t v_count,
                                              const double* a, size_t a_count, const double* wrenches,
                                              size_t wrenches_count, const double* gradient,
                                              size_t gradient_count, double* gradient_ratios,
                                              size_t gradient_ratios_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(a), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.velocities(ARRAY(gradient));
  call.optional(ARRAY(gradient_ratios), call.ratios());
  ParameterGradient out;
  out.by_ratios = gradient_ratios;
  return call.run(tenon::inverse_dynamics_parameter_vjp, checked_options,
                  Inputs<double>{q, v, nullptr, wrenches, nullptr, a}, gradient, nullptr, out);
}

tenon_status tenon_constrained_dynamics_ratio_vjp(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, const double* gradient,
    size_t gradient_count, const double* gradient_lambda, size_t gradient_lambda_count,
    double* gradient_ratios, size_t gradient_ratios_count) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(gradient));
  call.optional_rows(ARRAY(gradient_lambda));
  call.optional(ARRAY(gradient_ratios), call.ratios());
  ParameterGradient out;
  out.by_ratios = gradient_ratios;
  return call.run(tenon::constrained_dynamics_parameter_vjp, checked_options,
                  Inputs<double>{q, v, tau, wrenches, desired}, gradient, gradient_lambda, nullptr, nullptr,
                  out);
}

tenon_status tenon_constrained_dynamics_parameter_derivatives(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, double* qdd, size_t qdd_count,
    double* lambda, size_t lambda_count, double* dx_dinertia, size_t dx_dinertia_count, int32_t ldinertia,
    double* dx_darmature, size_t dx_darmature_count, int32_t ldarmature, double* dx_ddamping,
    size_t dx_ddamping_count, int32_t lddamping, double* dx_dfriction, size_t dx_dfriction_count,
    int32_t ldfriction) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional_velocities(ARRAY(qdd));
  call.optional_rows(ARRAY(lambda));
  const std::size_t n = call.velocity_count(), m = call.rows();
  call.optional_matrix(ARRAY(dx_dinertia), n + m, parameter_count(call), ldinertia, how.row_major);
  call.optional_matrix(ARRAY(dx_darmature), n + m, call.nv(), ldarmature, how.row_major);
  call.optional_matrix(ARRAY(dx_ddamping), n + m, call.nv(), lddamping, how.row_major);
  call.optional_matrix(ARRAY(dx_dfriction), n + m, call.nv(), ldfriction, how.row_major);
  const auto parts_from = [&](std::size_t row) {
    const auto part = [&](double* x, std::int32_t ld) { return rows_of_solution(call, how, row, x, ld); };
    return ParameterDerivatives{part(dx_dinertia, ldinertia), part(dx_darmature, ldarmature),
                                part(dx_ddamping, lddamping), part(dx_dfriction, ldfriction)};
  };
  return call.run(tenon::constrained_dynamics_parameter_derivatives, how,
                  Inputs<double>{q, v, tau, wrenches, desired}, qdd, lambda, parts_from(0), parts_from(n));
}

tenon_status tenon_constrained_dynamics_load_derivatives(
    tenon_workspace* workspace, const tenon_derivative_options* options, const int32_t* links,
    size_t link_count, const double* q, size_t q_count, const double* v, size_t v_count, const double* tau,
    size_t tau_count, const double* wrenches, size_t wrenches_count, const double* desired,
    size_t desired_count, double* qdd, size_t qdd_count, double* lambda, size_t lambda_count,
    double* dx_dwrenches, size_t dx_dwrenches_count, int32_t ldwrenches, double* dx_dgravity,
    size_t dx_dgravity_count, int32_t ldgravity) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const CheckedDerivativeOptions how = checked(call, options);
  call.chosen_links(links, link_count);
  call.optional_velocities(ARRAY(qdd));
  call.optional_rows(ARRAY(lambda));
  const std::size_t n = call.velocity_count(), m = call.rows();
  if (call.good())
    call.optional_matrix(ARRAY(dx_dwrenches), n + m, 6 * link_count, ldwrenches, how.row_major);
  call.optional_matrix(ARRAY(dx_dgravity), n + m, 3, ldgravity, how.row_major);
  const auto parts_from = [&](std::size_t row) {
    return LoadDerivatives{rows_of_solution(call, how, row, dx_dwrenches, ldwrenches),
                           rows_of_solution(call, how, row, dx_dgravity, ldgravity)};
  };
  return call.run(tenon::constrained_dynamics_load_derivatives, how,
                  ChosenLinks{links, static_cast<int>(link_count)},
                  Inputs<double>{q, v, tau, wrenches, desired}, qdd, lambda, parts_from(0), parts_from(n));
}

tenon_status tenon_inertia_from_log_cholesky(tenon_workspace* workspace, const double* theta,
                                             size_t theta_count, double* pi, size_t pi_count,
                                             double* dpi_dtheta, size_t dpi_dtheta_count, int32_t ldpi) {
  Call call(workspace, __func__);
  call.needed(ARRAY(theta), 10);
  call.optional(ARRAY(pi), 10);
  call.optional_matrix(ARRAY(dpi_dtheta), 10, 10, ldpi);
  return call.run(tenon::inertia_from_log_cholesky, theta, pi, dpi_dtheta, ldpi);
}

tenon_status tenon_log_cholesky_from_inertia(tenon_workspace* workspace, const double* pi, size_t pi_count,
                                             double* theta, size_t theta_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(pi), 10);
  call.needed(ARRAY(theta), 10);
  return call.run(tenon::log_cholesky_from_inertia, pi, theta);
}
