// Dynamics without constraints.
#include "tenon/dynamics.hpp"

#include "support/call.hpp"

using namespace tenon::capi;
using tenon::Inputs;
using tenon::Status;

// What inverse and forward dynamics take and give: a state, what is given and found for each velocity coordinate,
// and wrenches.
static Call motion_call(tenon_workspace* workspace, const char* function, Array q, Array v, Array given,
                        Array wrenches, Array found) noexcept {
  Call call(workspace, function);
  call.state(q, v);
  call.velocities(given);
  call.wrenches(wrenches);
  call.velocities(found);
  return call;
}

tenon_status tenon_inverse_dynamics(tenon_workspace* workspace, const double* q, size_t q_count,
                                    const double* v, size_t v_count, const double* a, size_t a_count,
                                    const double* wrenches, size_t wrenches_count, double* tau,
                                    size_t tau_count) {
  Call call = motion_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(a), ARRAY(wrenches), ARRAY(tau));
  return call.run(tenon::inverse_dynamics, Inputs<double>{q, v, nullptr, wrenches, nullptr, a}, tau);
}

tenon_status tenon_bias(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                        size_t v_count, const double* wrenches, size_t wrenches_count, double* c,
                        size_t c_count) {
  Call call(workspace, __func__);
  call.state(ARRAY(q), ARRAY(v));
  call.wrenches(ARRAY(wrenches));
  call.velocities(ARRAY(c));
  return call.run([&] { return tenon::bias_force(workspace->core, q, v, wrenches, c); });
}

tenon_status tenon_gravity_force(tenon_workspace* workspace, const double* q, size_t q_count, double* g,
                                 size_t g_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  call.velocities(ARRAY(g));
  return call.run([&] { return tenon::gravity_force(workspace->core, q, g); });
}

tenon_status tenon_coriolis_matrix(tenon_workspace* workspace, const double* q, size_t q_count,
                                   const double* v, size_t v_count, double* C, size_t C_count, int32_t ldc) {
  Call call(workspace, __func__);
  call.state(ARRAY(q), ARRAY(v));
  call.needed_matrix(ARRAY(C), call.velocity_count(), call.velocity_count(), ldc);
  return call.run([&] { return tenon::coriolis_matrix(workspace->core, q, v, C, ldc); });
}

tenon_status tenon_mass_matrix(tenon_workspace* workspace, const double* q, size_t q_count, double* M,
                               size_t M_count, int32_t ldm) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  call.needed_matrix(ARRAY(M), call.velocity_count(), call.velocity_count(), ldm);
  return call.run([&] { return tenon::mass_matrix(workspace->core, q, M, ldm); });
}

tenon_status tenon_mass_matrix_factor(tenon_workspace* workspace, const double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  return call.run([&] { return tenon::factor_mass_matrix(workspace->core, q); });
}

static Call mass_matrix_product(tenon_workspace* workspace, const char* function, int32_t columns,
                                const double* B, size_t B_count, int32_t ldb, const double* X, size_t X_count,
                                int32_t ldx) {
  Call call(workspace, function);
  if (columns < 0) call.fail(Status::wrong_size, "columns is %d; give 0 or more", static_cast<int>(columns));
  const std::size_t count = columns < 0 ? 0 : static_cast<std::size_t>(columns);
  call.needed_matrix(ARRAY(B), call.velocity_count(), count, ldb);
  call.needed_matrix(ARRAY(X), call.velocity_count(), count, ldx);
  return call;
}

tenon_status tenon_mass_matrix_solve(tenon_workspace* workspace, int32_t columns, const double* B,
                                     size_t B_count, int32_t ldb, double* X, size_t X_count, int32_t ldx) {
  Call call = mass_matrix_product(workspace, __func__, columns, B, B_count, ldb, X, X_count, ldx);
  return call.run([&] { return tenon::solve_mass_matrix(workspace->core, B, ldb, columns, X, ldx); });
}

tenon_status tenon_mass_matrix_multiply(tenon_workspace* workspace, int32_t columns, const double* B,
                                        size_t B_count, int32_t ldb, double* X, size_t X_count, int32_t ldx) {
  Call call = mass_matrix_product(workspace, __func__, columns, B, B_count, ldb, X, X_count, ldx);
  return call.run([&] { return tenon::multiply_mass_matrix(workspace->core, B, ldb, columns, X, ldx); });
}

tenon_status tenon_forward_dynamics(tenon_workspace* workspace, const double* q, size_t q_count,
                                    const double* v, size_t v_count, const double* tau, size_t tau_count,
                                    const double* wrenches, size_t wrenches_count, double* qdd,
                                    size_t qdd_count) {
  Call call = motion_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(qdd));
  return call.run(tenon::forward_dynamics, Inputs<double>{q, v, tau, wrenches}, qdd);
}
