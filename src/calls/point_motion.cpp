// Points fixed to links, after kinematics(): their Jacobians and their accelerations at qdd = 0, Jdot v. In
// independent coordinates, at yddot = 0: Jdot v + J g.
#include "calls/kinematics.hpp"
#include "state/coordinates.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

// point null: the origin of the link.
Vec3<double> place_point(const LinkFrame& f, const double* point) {
  return point ? f.p + f.R * load_vec3<double>(point) : f.p;
}

// Spatial acceleration of the link about a point, world axes.
Motion<double> bias_about(WorkspaceImpl& w, int body, const Vec3<double>& point) {
  double p[3], a[6];
  store(p, point);
  w.kernels->bias_acceleration(w.md(), body, p, a, w.w());
  if (w.coordinates.independent_v) {
    constexpr double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double* J = w.coordinates.jacobian.data();
    w.kernels->frame_jacobian(w.md(), body, p, world, J, 6, w.w());
    for (int k = 0; k < w.model->nv; ++k)
      for (int e = 0; e < 6; ++e) a[e] += J[6 * k + e] * w.coordinates.g[index(k)];
  }
  return load_motion<double>(a);
}

Status give_motion_along(WorkspaceImpl& w, const LinkFrame& f, RowAxes axes, const Motion<double>& a,
                         double* out) {
  double result[6];
  if (axes == RowAxes::link)
    store(result, Motion<double>{transpose_times(f.R, a.w), transpose_times(f.R, a.v)});
  else
    store(result, a);
  return give_numbers(w, result, 6, out);
}

}  // namespace

Status point_jacobian(Workspace& workspace, int link, const double* point, RowAxes axes, double* J, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, link, 0));
  TENON_CHECK(check_finite(w, "point", point, 3));
  const LinkFrame f = link_frame(w, link);
  double p[3], E[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  store(p, place_point(f, point));
  if (axes == RowAxes::link) store(E, f.R);
  double* columns = jacobian_room(w, J);
  if (!columns) return Status::ok;
  w.kernels->frame_jacobian(w.md(), f.body, p, E, columns, 6, w.w());
  return give_jacobian(w, columns, 6, J, ld);
}

Status link_jacobian(Workspace& workspace, int link, RowAxes axes, double* J, int ld) {
  return point_jacobian(workspace, link, nullptr, axes, J, ld);
}

Status point_bias_acceleration(Workspace& workspace, int link, const double* point, RowAxes axes,
                               double* out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, link, 1));
  TENON_CHECK(check_finite(w, "point", point, 3));
  const LinkFrame f = link_frame(w, link);
  const Vec3<double> p = place_point(f, point);
  const Mat3<double> R = load_mat3<double>(w.w().R0 + 9 * f.body);
  const Motion<double> v = load_motion<double>(w.w().v0 + 6 * f.body);
  const Vec3<double> turning = R * v.w;
  const Vec3<double> velocity = R * v.v + cross(turning, p - load_vec3<double>(w.w().p0 + 3 * f.body));
  Motion<double> a = bias_about(w, f.body, p);
  a.v = a.v + cross(turning, velocity);  // classical
  return give_motion_along(w, f, axes, a, out);
}

Status link_bias_acceleration(Workspace& workspace, int link, RowAxes axes, double* out) {
  return point_bias_acceleration(workspace, link, nullptr, axes, out);
}

}  // namespace tenon
