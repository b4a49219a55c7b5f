// Kinematics and the queries that read it.
#include "support/arguments.hpp"
#include "support/call.hpp"
#include "tenon/dynamics.hpp"

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
