// Kinematics and unconstrained dynamics of a workspace: inputs checked, link wrenches brought to bodies,
// kernels called, outputs written only when all went well.
#include <algorithm>
#include <cmath>

#include "solvers/check.hpp"
#include "solvers/link_frames.hpp"
#include "solvers/projection.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

WorkspaceImpl& begin(Workspace& workspace) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  return w;
}

Status check_link(WorkspaceImpl& w, int link, int order) {
  if (link < 0 || link >= static_cast<int>(w.model->links.size()))
    return w.fail(Status::out_of_range, "link index %d is out of range; the model has %d links", link,
                  static_cast<int>(w.model->links.size()));
  if (w.kinematics_order < order)
    return w.fail(Status::invalid_argument, "%s are not computed; call kinematics with %s first",
                  order == 0   ? "poses"
                  : order == 1 ? "velocities"
                               : "accelerations",
                  order == 0   ? "q"
                  : order == 1 ? "q and v"
                               : "q, v and a");
  return Status::ok;
}

}  // namespace

Status kinematics(Workspace& workspace, const double* q, const double* v, const double* a) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "a", a, w.model->nv));
  if (a && !v) return w.fail(Status::invalid_argument, "accelerations need velocities; give v with a");
  w.kernels->kinematics(w.md(), q, v, a, w.w());
  if (v) std::copy(v, v + w.model->nv, w.kinematics_v.begin());
  w.kinematics_order = a ? 2 : v ? 1 : 0;
  return Status::ok;
}

Status link_pose(Workspace& workspace, int link, double* position, double* quaternion, double* rotation) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, link, 0));
  const LinkFrame f = link_frame(w, link);
  if (position) store(position, f.p);
  if (quaternion) quaternion_of_rotation(f.R, quaternion);
  if (rotation) store(rotation, transpose(f.R));
  return Status::ok;
}

Status link_velocity(Workspace& workspace, int link, RowAxes axes, double* out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, link, 1));
  const LinkFrame f = link_frame(w, link);
  const Motion<double> v = load_motion<double>(w.w().v0 + 6 * f.body);
  store(out, Motion<double>{f.turn(axes, v.w), f.turn(axes, v.v + cross(v.w, f.in_body))});
  return Status::ok;
}

Status link_acceleration(Workspace& workspace, int link, RowAxes axes, double* out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, link, 2));
  const LinkFrame f = link_frame(w, link);
  const Motion<double> v = load_motion<double>(w.w().v0 + 6 * f.body);
  const Motion<double> a = load_motion<double>(w.w().a0 + 6 * f.body);
  const Vec3<double> linear = a.v + cross(a.w, f.in_body) + cross(v.w, v.v + cross(v.w, f.in_body));
  store(out, Motion<double>{f.turn(axes, a.w), f.turn(axes, linear)});
  return Status::ok;
}

Status link_jacobian(Workspace& workspace, int link, RowAxes axes, double* J, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, link, 0));
  const LinkFrame f = link_frame(w, link);
  double point[3], E[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  store(point, f.p);
  if (axes == RowAxes::link) store(E, f.R);
  w.kernels->frame_jacobian(w.md(), f.body, point, E, J, ld, w.w());
  return Status::ok;
}

Status center_of_mass(Workspace& workspace, double* position, double* velocity, double* jacobian, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, velocity ? 1 : 0));
  if (!(w.model->total_mass > 0))
    return w.fail(Status::invalid_argument, "the moving bodies have no mass, so there is no centre of mass");
  double com[3];
  w.kernels->center_of_mass(w.md(), com, jacobian, ld, w.w());
  if (position) std::copy(com, com + 3, position);
  if (velocity) {
    double momentum[6];
    w.kernels->world_momentum(w.md(), momentum, w.w());
    double mass = 0;
    for (const NodeData& n : w.model->nodes) mass += n.mass;
    for (int e = 0; e < 3; ++e) velocity[e] = momentum[3 + e] / mass;
  }
  return Status::ok;
}

Status centroidal_momentum(Workspace& workspace, double* out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, 1));
  double com[3];
  w.kernels->center_of_mass(w.md(), com, nullptr, 3, w.w());
  w.kernels->world_momentum(w.md(), out, w.w());
  const Vec3<double> shifted =
      load_vec3<double>(out) - cross(load_vec3<double>(com), load_vec3<double>(out + 3));
  store(out, shifted);
  return Status::ok;
}

Status energy(Workspace& workspace, double* kinetic, double* potential) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, kinetic ? 1 : 0));
  double k = 0, p = 0;
  w.kernels->energy(w.md(), kinetic ? w.kinematics_v.data() : nullptr, &k, &p, w.w());
  if (kinetic) *kinetic = k;
  if (potential) *potential = p;
  return Status::ok;
}

Status inverse_dynamics(Workspace& workspace, const double* q, const double* v, const double* a,
                        const double* wrenches, double* tau) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "a", a, w.model->nv));
  TENON_CHECK(load_wrenches(w, wrenches));
  w.kernels->rnea(w.md(), q, v, a, wrenches != nullptr, tau, w.w());
  return Status::ok;
}

Status bias_force(Workspace& workspace, const double* q, const double* v, const double* wrenches, double* c) {
  return inverse_dynamics(workspace, q, v, nullptr, wrenches, c);
}

Status mass_matrix(Workspace& workspace, const double* q, double* M, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  tree_mass_matrix(w, q, M, ld);
  return Status::ok;
}

Status factor_mass_matrix(Workspace& workspace, const double* q) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_no_loops(w, "the sparse factor of the mass matrix"));
  TENON_CHECK(check_configuration(w, "q", q));
  w.factored = false;
  w.kernels->crba_rows(w.md(), q, w.w().M, w.w());
  std::copy_n(w.w().M, w.tables.row_first.back(), w.w().L);
  if (!w.kernels->ltl_factor(w.md(), w.w().L, w.w().L_inv_d, w.w()))
    return w.fail(Status::not_positive_definite,
                  "the mass matrix is not positive definite; a moving body has no inertia along its joint");
  w.factored = true;
  return Status::ok;
}

static Status check_factored(WorkspaceImpl& w) {
  if (w.factored) return Status::ok;
  return w.fail(Status::invalid_argument, "the mass matrix is not factored; call factor_mass_matrix first");
}

Status solve_mass_matrix(Workspace& workspace, const double* B, int ldb, int count, double* X, int ldx) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_factored(w));
  for (int j = 0; j < count; ++j) TENON_CHECK(check_finite(w, "B", B + std::ptrdiff_t{j} * ldb, w.model->nv));
  for (int j = 0; j < count; ++j) {
    double* x = X + std::ptrdiff_t{j} * ldx;
    const double* b = B + std::ptrdiff_t{j} * ldb;
    std::copy(b, b + w.model->nv, x);
    w.kernels->ltl_solve(w.md(), w.w().L, w.w().L_inv_d, x, w.w());
  }
  return Status::ok;
}

Status multiply_mass_matrix(Workspace& workspace, const double* B, int ldb, int count, double* X, int ldx) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_factored(w));
  for (int j = 0; j < count; ++j) TENON_CHECK(check_finite(w, "B", B + std::ptrdiff_t{j} * ldb, w.model->nv));
  for (int j = 0; j < count; ++j)
    w.kernels->ltl_multiply(w.md(), w.w().M, B + std::ptrdiff_t{j} * ldb, X + std::ptrdiff_t{j} * ldx, w.w());
  return Status::ok;
}

Status forward_dynamics(Workspace& workspace, const double* q, const double* v, const double* tau,
                        const double* wrenches, double* qdd) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "tau", tau, w.model->nv));
  TENON_CHECK(load_wrenches(w, wrenches));
  TENON_CHECK(solve_free(w, q, v, tau, wrenches != nullptr, w.w().qdd));
  std::copy(w.w().qdd, w.w().qdd + w.model->nv, qdd);
  return Status::ok;
}

}  // namespace tenon
