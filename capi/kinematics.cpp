// Kinematics, the queries that read it, and their derivatives.
#include "support/arguments.hpp"
#include "support/call.hpp"
#include "support/derivative_options.hpp"
#include "tenon/kinematics_derivatives.hpp"

using namespace tenon::capi;

static tenon::RowAxes to_axes(int32_t axes) {
  return static_cast<tenon::RowAxes>(axes);
}

tenon_status tenon_kinematics(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                              size_t v_count, const double* a, size_t a_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  call.optional_velocities(ARRAY(v));
  call.optional_velocities(ARRAY(a));
  if (a != nullptr && v == nullptr)
    call.fail(tenon::Status::invalid_argument, "a is given without v; accelerations need both");
  return call.run([&] { return tenon::kinematics(workspace->core, q, v, a); });
}

tenon_status tenon_link_pose(tenon_workspace* workspace, int32_t link, double* pose, size_t pose_size,
                             double* rotation, size_t rotation_count) {
  Call call(workspace, __func__);
  call.index("link", link, call.links(), "links");
  call.optional({"pose", pose, pose_size}, pose_count);
  call.optional(ARRAY(rotation), 9);
  return call.run(
      [&] { return tenon::link_pose(workspace->core, link, pose, pose ? pose + 3 : nullptr, rotation); });
}

// A call about a link, along axes.
static Call link_call(tenon_workspace* workspace, const char* function, int32_t link, int32_t axes) noexcept {
  Call call(workspace, function);
  call.index("link", link, call.links(), "links");
  call.one_of(kinds::axes, "axes", axes);
  return call;
}

tenon_status tenon_link_velocity(tenon_workspace* workspace, int32_t link, int32_t axes, double* velocity,
                                 size_t velocity_count) {
  Call call = link_call(workspace, __func__, link, axes);
  call.needed(ARRAY(velocity), 6);
  return call.run([&] { return tenon::link_velocity(workspace->core, link, to_axes(axes), velocity); });
}

tenon_status tenon_link_acceleration(tenon_workspace* workspace, int32_t link, int32_t axes,
                                     double* acceleration, size_t acceleration_count) {
  Call call = link_call(workspace, __func__, link, axes);
  call.needed(ARRAY(acceleration), 6);
  return call.run(
      [&] { return tenon::link_acceleration(workspace->core, link, to_axes(axes), acceleration); });
}

tenon_status tenon_link_jacobian(tenon_workspace* workspace, int32_t link, int32_t axes, double* J,
                                 size_t J_count, int32_t ldj) {
  Call call = link_call(workspace, __func__, link, axes);
  call.needed_matrix(ARRAY(J), 6, call.velocity_count(), ldj);
  return call.run([&] { return tenon::link_jacobian(workspace->core, link, to_axes(axes), J, ldj); });
}

tenon_status tenon_point_jacobian(tenon_workspace* workspace, int32_t link, const double* point,
                                  size_t point_count, int32_t axes, double* J, size_t J_count, int32_t ldj) {
  Call call = link_call(workspace, __func__, link, axes);
  call.optional(ARRAY(point), 3);
  call.needed_matrix(ARRAY(J), 6, call.velocity_count(), ldj);
  return call.run([&] { return tenon::point_jacobian(workspace->core, link, point, to_axes(axes), J, ldj); });
}

tenon_status tenon_point_bias_acceleration(tenon_workspace* workspace, int32_t link, const double* point,
                                           size_t point_count, int32_t axes, double* acceleration,
                                           size_t acceleration_count) {
  Call call = link_call(workspace, __func__, link, axes);
  call.optional(ARRAY(point), 3);
  call.needed(ARRAY(acceleration), 6);
  return call.run([&] {
    return tenon::point_bias_acceleration(workspace->core, link, point, to_axes(axes), acceleration);
  });
}

tenon_status tenon_link_bias_acceleration(tenon_workspace* workspace, int32_t link, int32_t axes,
                                          double* acceleration, size_t acceleration_count) {
  Call call = link_call(workspace, __func__, link, axes);
  call.needed(ARRAY(acceleration), 6);
  return call.run(
      [&] { return tenon::link_bias_acceleration(workspace->core, link, to_axes(axes), acceleration); });
}

tenon_status tenon_center_of_mass(tenon_workspace* workspace, double* position, size_t position_count,
                                  double* velocity, size_t velocity_count, double* J, size_t J_count,
                                  int32_t ldj) {
  Call call(workspace, __func__);
  call.optional(ARRAY(position), 3);
  call.optional(ARRAY(velocity), 3);
  call.optional_matrix(ARRAY(J), 3, call.velocity_count(), ldj);
  return call.run([&] { return tenon::center_of_mass(workspace->core, position, velocity, J, ldj); });
}

tenon_status tenon_centroidal_momentum(tenon_workspace* workspace, double* momentum, size_t momentum_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(momentum), 6);
  return call.run([&] { return tenon::centroidal_momentum(workspace->core, momentum); });
}

tenon_status tenon_centroidal_momentum_matrix(tenon_workspace* workspace, double* A, size_t A_count,
                                              int32_t lda) {
  Call call(workspace, __func__);
  call.needed_matrix(ARRAY(A), 6, call.velocity_count(), lda);
  return call.run([&] { return tenon::centroidal_momentum_matrix(workspace->core, A, lda); });
}

tenon_status tenon_centroidal_momentum_bias(tenon_workspace* workspace, double* bias, size_t bias_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(bias), 6);
  return call.run([&] { return tenon::centroidal_momentum_bias(workspace->core, bias); });
}

tenon_status tenon_energy(tenon_workspace* workspace, double* kinetic, double* potential) {
  Call call(workspace, __func__);
  return call.run([&] { return tenon::energy(workspace->core, kinetic, potential); });
}

// ---- derivatives

// A call about a point of a link, along axes.
static Call point_call(tenon_workspace* workspace, const char* function, int32_t link, Array point,
                       int32_t axes) noexcept {
  Call call = link_call(workspace, function, link, axes);
  call.optional(point, 3);
  return call;
}
static void optional_columns(Call& call, const CheckedDerivativeOptions& options, const Array& matrix,
                             std::size_t rows, int32_t ld) noexcept {
  call.optional_matrix(matrix, rows, call.velocity_count(), ld, options.row_major);
}

tenon_status tenon_point_velocity_derivatives(tenon_workspace* workspace,
                                              const tenon_derivative_options* options, int32_t link,
                                              const double* point, size_t point_count, int32_t axes,
                                              double* dvelocity_dq, size_t dvelocity_dq_count, int32_t ldq,
                                              double* dvelocity_dv, size_t dvelocity_dv_count, int32_t ldv) {
  Call call = point_call(workspace, __func__, link, ARRAY(point), axes);
  const CheckedDerivativeOptions how = checked(call, options);
  optional_columns(call, how, ARRAY(dvelocity_dq), 6, ldq);
  optional_columns(call, how, ARRAY(dvelocity_dv), 6, ldv);
  return call.run(tenon::point_velocity_derivatives, how, link, point, to_axes(axes),
                  how.matrix(dvelocity_dq, ldq), how.matrix(dvelocity_dv, ldv));
}

tenon_status tenon_point_acceleration_derivatives(
    tenon_workspace* workspace, const tenon_derivative_options* options, int32_t link, const double* point,
    size_t point_count, int32_t axes, double* dacceleration_dq, size_t dacceleration_dq_count, int32_t ldq,
    double* dacceleration_dv, size_t dacceleration_dv_count, int32_t ldv, double* dacceleration_da,
    size_t dacceleration_da_count, int32_t lda) {
  Call call = point_call(workspace, __func__, link, ARRAY(point), axes);
  const CheckedDerivativeOptions how = checked(call, options);
  optional_columns(call, how, ARRAY(dacceleration_dq), 6, ldq);
  optional_columns(call, how, ARRAY(dacceleration_dv), 6, ldv);
  optional_columns(call, how, ARRAY(dacceleration_da), 6, lda);
  return call.run(tenon::point_acceleration_derivatives, how, link, point, to_axes(axes),
                  tenon::Derivatives{how.matrix(dacceleration_dq, ldq), how.matrix(dacceleration_dv, ldv),
                                     how.matrix(dacceleration_da, lda)});
}

tenon_status tenon_center_of_mass_derivatives(tenon_workspace* workspace,
                                              const tenon_derivative_options* options, double* acceleration,
                                              size_t acceleration_count, double* dvelocity_dq,
                                              size_t dvelocity_dq_count, int32_t ldvq,
                                              double* dacceleration_dq, size_t dacceleration_dq_count,
                                              int32_t ldq, double* dacceleration_dv,
                                              size_t dacceleration_dv_count, int32_t ldv) {
  Call call(workspace, __func__);
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional(ARRAY(acceleration), 3);
  optional_columns(call, how, ARRAY(dvelocity_dq), 3, ldvq);
  optional_columns(call, how, ARRAY(dacceleration_dq), 3, ldq);
  optional_columns(call, how, ARRAY(dacceleration_dv), 3, ldv);
  return call.run(
      tenon::center_of_mass_derivatives, how, acceleration,
      tenon::CenterOfMassDerivatives{how.matrix(dvelocity_dq, ldvq), how.matrix(dacceleration_dq, ldq),
                                     how.matrix(dacceleration_dv, ldv)});
}

tenon_status tenon_centroidal_momentum_derivatives(
    tenon_workspace* workspace, const tenon_derivative_options* options, double* rate, size_t rate_count,
    double* dmomentum_dq, size_t dmomentum_dq_count, int32_t ldhq, double* dmomentum_dv,
    size_t dmomentum_dv_count, int32_t ldhv, double* drate_dq, size_t drate_dq_count, int32_t ldq,
    double* drate_dv, size_t drate_dv_count, int32_t ldv) {
  Call call(workspace, __func__);
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional(ARRAY(rate), 6);
  optional_columns(call, how, ARRAY(dmomentum_dq), 6, ldhq);
  optional_columns(call, how, ARRAY(dmomentum_dv), 6, ldhv);
  optional_columns(call, how, ARRAY(drate_dq), 6, ldq);
  optional_columns(call, how, ARRAY(drate_dv), 6, ldv);
  return call.run(
      tenon::centroidal_momentum_derivatives, how, rate,
      tenon::CentroidalMomentumDerivatives{how.matrix(dmomentum_dq, ldhq), how.matrix(dmomentum_dv, ldhv),
                                           how.matrix(drate_dq, ldq), how.matrix(drate_dv, ldv)});
}

tenon_status tenon_energy_gradients(tenon_workspace* workspace, const tenon_derivative_options* options,
                                    double* kinetic_q, size_t kinetic_q_count, double* kinetic_v,
                                    size_t kinetic_v_count, double* potential_q, size_t potential_q_count) {
  Call call(workspace, __func__);
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional_velocities(ARRAY(kinetic_q));
  call.optional_velocities(ARRAY(kinetic_v));
  call.optional_velocities(ARRAY(potential_q));
  return call.run(tenon::energy_gradients, how, kinetic_q, kinetic_v, potential_q);
}

tenon_status tenon_gravity_force_derivatives(tenon_workspace* workspace,
                                             const tenon_derivative_options* options, const double* q,
                                             size_t q_count, double* g, size_t g_count, double* dg_dq,
                                             size_t dg_dq_count, int32_t ldq, double* dg_dgravity,
                                             size_t dg_dgravity_count, int32_t ldgravity) {
  Call call(workspace, __func__);
  const CheckedDerivativeOptions how = checked(call, options);
  call.positions(ARRAY(q));
  call.optional_velocities(ARRAY(g));
  optional_columns(call, how, ARRAY(dg_dq), call.velocity_count(), ldq);
  call.optional_matrix(ARRAY(dg_dgravity), call.velocity_count(), 3, ldgravity, how.row_major);
  return call.run(tenon::gravity_force_derivatives, how, q, g, how.matrix(dg_dq, ldq),
                  how.matrix(dg_dgravity, ldgravity));
}
