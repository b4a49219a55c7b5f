// Dynamics, with and without constraints.
#include "tenon/dynamics.hpp"

#include "support/call.hpp"
#include "support/descriptor.hpp"
#include "support/solve_options.hpp"

using namespace tenon::capi;
using tenon::Status;

tenon_status tenon_inverse_dynamics(tenon_workspace* workspace, const double* q, size_t q_count,
                                    const double* v, size_t v_count, const double* a, size_t a_count,
                                    const double* wrenches, size_t wrenches_count, double* tau,
                                    size_t tau_count) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.velocities("a", a, a_count);
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.velocities("tau", tau, tau_count);
  return call.run([&] { return tenon::inverse_dynamics(workspace->core, q, v, a, wrenches, tau); });
}

tenon_status tenon_bias(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                        size_t v_count, const double* wrenches, size_t wrenches_count, double* c,
                        size_t c_count) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.velocities("c", c, c_count);
  return call.run([&] { return tenon::bias_force(workspace->core, q, v, wrenches, c); });
}

tenon_status tenon_gravity_force(tenon_workspace* workspace, const double* q, size_t q_count, double* g,
                                 size_t g_count) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  call.velocities("g", g, g_count);
  return call.run([&] { return tenon::gravity_force(workspace->core, q, g); });
}

tenon_status tenon_coriolis_matrix(tenon_workspace* workspace, const double* q, size_t q_count,
                                   const double* v, size_t v_count, double* C, size_t C_count, int32_t ldc) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.needed_matrix("C", C, C_count, call.velocity_count(), call.velocity_count(), ldc);
  return call.run([&] { return tenon::coriolis_matrix(workspace->core, q, v, C, ldc); });
}

tenon_status tenon_mass_matrix(tenon_workspace* workspace, const double* q, size_t q_count, double* M,
                               size_t M_count, int32_t ldm) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  call.needed_matrix("M", M, M_count, call.velocity_count(), call.velocity_count(), ldm);
  return call.run([&] { return tenon::mass_matrix(workspace->core, q, M, ldm); });
}

tenon_status tenon_factor_mass_matrix(tenon_workspace* workspace, const double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  return call.run([&] { return tenon::factor_mass_matrix(workspace->core, q); });
}

static Call mass_matrix_product(tenon_workspace* workspace, const char* function, int32_t columns,
                                const double* B, size_t B_count, int32_t ldb, const double* X, size_t X_count,
                                int32_t ldx) {
  Call call(workspace, function);
  if (columns < 0) call.fail(Status::wrong_size, "columns is %d; give 0 or more", static_cast<int>(columns));
  const std::size_t count = columns < 0 ? 0 : static_cast<std::size_t>(columns);
  call.needed_matrix("B", B, B_count, call.velocity_count(), count, ldb);
  call.needed_matrix("X", X, X_count, call.velocity_count(), count, ldx);
  return call;
}

tenon_status tenon_solve_mass_matrix(tenon_workspace* workspace, int32_t columns, const double* B,
                                     size_t B_count, int32_t ldb, double* X, size_t X_count, int32_t ldx) {
  Call call = mass_matrix_product(workspace, __func__, columns, B, B_count, ldb, X, X_count, ldx);
  return call.run([&] { return tenon::solve_mass_matrix(workspace->core, B, ldb, columns, X, ldx); });
}

tenon_status tenon_multiply_mass_matrix(tenon_workspace* workspace, int32_t columns, const double* B,
                                        size_t B_count, int32_t ldb, double* X, size_t X_count, int32_t ldx) {
  Call call = mass_matrix_product(workspace, __func__, columns, B, B_count, ldb, X, X_count, ldx);
  return call.run([&] { return tenon::multiply_mass_matrix(workspace->core, B, ldb, columns, X, ldx); });
}

tenon_status tenon_forward_dynamics(tenon_workspace* workspace, const double* q, size_t q_count,
                                    const double* v, size_t v_count, const double* tau, size_t tau_count,
                                    const double* wrenches, size_t wrenches_count, double* qdd,
                                    size_t qdd_count) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.velocities("tau", tau, tau_count);
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.velocities("qdd", qdd, qdd_count);
  return call.run([&] { return tenon::forward_dynamics(workspace->core, q, v, tau, wrenches, qdd); });
}

tenon_status tenon_solve_options_init(tenon_solve_options* options, size_t size) {
  return init(options, size, default_solve_options);
}

tenon_status tenon_constrained_dynamics(tenon_workspace* workspace, const tenon_solve_options* options,
                                        const double* q, size_t q_count, const double* v, size_t v_count,
                                        const double* tau, size_t tau_count, const double* wrenches,
                                        size_t wrenches_count, const double* desired, size_t desired_count,
                                        double* qdd, size_t qdd_count, double* lambda, size_t lambda_count) {
  Call call(workspace, __func__);
  const auto core_options = call.options(options, lambda != nullptr || call.rows() == 0);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.velocities("tau", tau, tau_count);
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.optional("desired", desired, desired_count, call.rows());
  call.velocities("qdd", qdd, qdd_count);
  call.optional("lambda", lambda, lambda_count, call.rows());
  return call.run([&] {
    return tenon::constrained_dynamics(workspace->core, core_options, q, v, tau, wrenches, desired, qdd,
                                       lambda);
  });
}

tenon_status tenon_constrained_inverse_dynamics(tenon_workspace* workspace, const double* q, size_t q_count,
                                                const double* v, size_t v_count, const double* a,
                                                size_t a_count, const double* wrenches, size_t wrenches_count,
                                                const double* lambda, size_t lambda_count, double* tau,
                                                size_t tau_count) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.velocities("a", a, a_count);
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.optional("lambda", lambda, lambda_count, call.rows());
  call.velocities("tau", tau, tau_count);
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
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.velocities("a", a, a_count);
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.optional("lambda", lambda, lambda_count, call.rows());
  call.velocities("tau", tau, tau_count);
  return call.run([&] {
    return tenon::underactuated_inverse_dynamics(workspace->core, actuated, q, v, a, wrenches, lambda, tau);
  });
}

tenon_status tenon_impact(tenon_workspace* workspace, const double* restitution, size_t restitution_count,
                          const double* q, size_t q_count, double* v, size_t v_count, double* impulse,
                          size_t impulse_count) {
  Call call(workspace, __func__);
  call.one_or_rows("restitution", restitution, restitution_count);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.optional("impulse", impulse, impulse_count, call.rows());
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
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.optional("desired", desired, desired_count, call.rows());
  call.optional_matrix("J", J, J_count, call.rows(), call.velocity_count(), ldj);
  call.optional("rhs", rhs, rhs_count, call.rows());
  call.optional("position_error", position_error, position_error_count, call.rows());
  call.optional("row_velocity", row_velocity, row_velocity_count, call.rows());
  return call.run([&] {
    return tenon::constraint_rows(workspace->core, q, v, desired, J, ldj, rhs, position_error, row_velocity);
  });
}

using Step = Status (*)(tenon::Workspace&, const tenon::SolveOptions&, double, double*, double*,
                        const double*, const double*, double*, double*);

static tenon_status step(Step take, const char* function, tenon_workspace* workspace,
                         const tenon_solve_options* options, double dt, double* q, size_t q_count, double* v,
                         size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
                         size_t wrenches_count, double* qdd, size_t qdd_count, double* lambda,
                         size_t lambda_count) {
  Call call(workspace, function);
  const auto core_options = call.options(options, lambda != nullptr || call.rows() == 0);
  call.finite("dt", &dt, 1);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.velocities("tau", tau, tau_count);
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.optional_velocities("qdd", qdd, qdd_count);
  call.optional("lambda", lambda, lambda_count, call.rows());
  return call.run([&] { return take(workspace->core, core_options, dt, q, v, tau, wrenches, qdd, lambda); });
}

tenon_status tenon_step_semi_implicit_euler(tenon_workspace* workspace, const tenon_solve_options* options,
                                            double dt, double* q, size_t q_count, double* v, size_t v_count,
                                            const double* tau, size_t tau_count, const double* wrenches,
                                            size_t wrenches_count, double* qdd, size_t qdd_count,
                                            double* lambda, size_t lambda_count) {
  return step(tenon::step_semi_implicit_euler, __func__, workspace, options, dt, q, q_count, v, v_count, tau,
              tau_count, wrenches, wrenches_count, qdd, qdd_count, lambda, lambda_count);
}

tenon_status tenon_step_runge_kutta_4(tenon_workspace* workspace, const tenon_solve_options* options,
                                      double dt, double* q, size_t q_count, double* v, size_t v_count,
                                      const double* tau, size_t tau_count, const double* wrenches,
                                      size_t wrenches_count, double* qdd, size_t qdd_count, double* lambda,
                                      size_t lambda_count) {
  return step(tenon::step_runge_kutta_4, __func__, workspace, options, dt, q, q_count, v, v_count, tau,
              tau_count, wrenches, wrenches_count, qdd, qdd_count, lambda, lambda_count);
}
