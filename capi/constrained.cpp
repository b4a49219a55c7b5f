// Dynamics with constraints, and steps in time.
#include "support/call.hpp"
#include "support/solve_options.hpp"
#include "tenon/dynamics.hpp"

using namespace tenon::capi;
using tenon::Inputs;
using tenon::Status;

tenon_status tenon_solve_options_init(tenon_solve_options* options, size_t size) {
  return init(options, size, default_solve_options);
}

tenon_status tenon_constrained_dynamics(tenon_workspace* workspace, const tenon_solve_options* options,
                                        const double* q, size_t q_count, const double* v, size_t v_count,
                                        const double* tau, size_t tau_count, const double* wrenches,
                                        size_t wrenches_count, const double* desired, size_t desired_count,
                                        double* qdd, size_t qdd_count, double* lambda, size_t lambda_count) {
  Call call(workspace, __func__);
  const auto checked = call.options(options, lambda != nullptr || call.rows() == 0);
  call.state(ARRAY(q), ARRAY(v));
  call.velocities(ARRAY(tau));
  call.wrenches(ARRAY(wrenches));
  call.optional_rows(ARRAY(desired));
  call.velocities(ARRAY(qdd));
  call.optional_rows(ARRAY(lambda));
  return call.run(tenon::constrained_dynamics, checked, Inputs<double>{q, v, tau, wrenches, desired}, qdd,
                  lambda);
}

tenon_status tenon_constrained_inverse_dynamics(tenon_workspace* workspace, const double* q, size_t q_count,
                                                const double* v, size_t v_count, const double* a,
                                                size_t a_count, const double* wrenches, size_t wrenches_count,
                                                const double* lambda, size_t lambda_count, double* tau,
                                                size_t tau_count) {
  Call call(workspace, __func__);
  call.state(ARRAY(q), ARRAY(v));
  call.velocities(ARRAY(a));
  call.wrenches(ARRAY(wrenches));
  call.optional_rows(ARRAY(lambda));
  call.velocities(ARRAY(tau));
  return call.run(
      [&] { return tenon::constrained_inverse_dynamics(workspace->core, q, v, a, wrenches, lambda, tau); });
}

tenon_status tenon_underactuated_inverse_dynamics(tenon_workspace* workspace, const int32_t* actuated,
                                                  size_t actuated_count, const double* q, size_t q_count,
                                                  const double* v, size_t v_count, const double* a,
                                                  size_t a_count, const double* wrenches,
                                                  size_t wrenches_count, double* lambda, size_t lambda_count,
                                                  double* tau, size_t tau_count) {
  Call call(workspace, __func__);
  if (actuated != nullptr && actuated_count != call.velocity_count())
    call.fail(Status::wrong_size, "actuated has %zu numbers; give %zu, one for each velocity coordinate",
              actuated_count, call.velocity_count());
  call.state(ARRAY(q), ARRAY(v));
  call.velocities(ARRAY(a));
  call.wrenches(ARRAY(wrenches));
  call.optional_rows(ARRAY(lambda));
  call.velocities(ARRAY(tau));
  return call.run([&] {
    return tenon::underactuated_inverse_dynamics(workspace->core, actuated, q, v, a, wrenches, lambda, tau);
  });
}

tenon_status tenon_impact(tenon_workspace* workspace, const double* restitution, size_t restitution_count,
                          const double* q, size_t q_count, double* v, size_t v_count, double* impulse,
                          size_t impulse_count) {
  Call call(workspace, __func__);
  call.one_or_rows(ARRAY(restitution));
  call.state(ARRAY(q), ARRAY(v));
  call.optional_rows(ARRAY(impulse));
  return call.run([&] {
    return tenon::impact(workspace->core, restitution, static_cast<int>(restitution_count), q, v, impulse);
  });
}

tenon_status tenon_constraint_rows(tenon_workspace* workspace, const double* q, size_t q_count,
                                   const double* v, size_t v_count, const double* desired,
                                   size_t desired_count, double* J, size_t J_count, int32_t ldj, double* rhs,
                                   size_t rhs_count, double* position_error, size_t position_error_count,
                                   double* row_velocity, size_t row_velocity_count) {
  Call call(workspace, __func__);
  call.state(ARRAY(q), ARRAY(v));
  call.optional_rows(ARRAY(desired));
  call.optional_matrix(ARRAY(J), call.rows(), call.velocity_count(), ldj);
  call.optional_rows(ARRAY(rhs));
  call.optional_rows(ARRAY(position_error));
  call.optional_rows(ARRAY(row_velocity));
  return call.run([&] {
    return tenon::constraint_rows(workspace->core, q, v, desired, J, ldj, rhs, position_error, row_velocity);
  });
}

// A step by each rule.
#define TENON_STEP(rule)                                                                                     \
  tenon_status tenon_step_##rule(tenon_workspace* workspace, const tenon_solve_options* options, double dt,  \
                                 double* q, size_t q_count, double* v, size_t v_count, const double* tau,    \
                                 size_t tau_count, const double* wrenches, size_t wrenches_count,            \
                                 double* qdd, size_t qdd_count, double* lambda, size_t lambda_count) {       \
    Call call(workspace, __func__);                                                                          \
    const auto checked = call.options(options, lambda != nullptr || call.rows() == 0);                       \
    call.finite("dt", &dt, 1);                                                                               \
    call.state(ARRAY(q), ARRAY(v));                                                                          \
    call.velocities(ARRAY(tau));                                                                             \
    call.wrenches(ARRAY(wrenches));                                                                          \
    call.optional_velocities(ARRAY(qdd));                                                                    \
    call.optional_rows(ARRAY(lambda));                                                                       \
    return call.run(                                                                                         \
        [&] { return tenon::step_##rule(workspace->core, checked, dt, q, v, tau, wrenches, qdd, lambda); }); \
  }

TENON_STEP(semi_implicit_euler)
TENON_STEP(runge_kutta_4)
