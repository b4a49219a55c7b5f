// Kinematics and unconstrained dynamics of a workspace: inputs checked, link wrenches brought to bodies,
// kernels called, outputs written only when all went well.
#include <algorithm>
#include <cmath>

#include "solvers/coordinates.hpp"
#include "solvers/link_frames.hpp"
#include "solvers/projection.hpp"
#include "solvers/row_loops.hpp"
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

// G at q, for the Jacobians asked for later.
Status keep_map(WorkspaceImpl& w, const double* q) {
  TENON_CHECK(update_loops(w, q, nullptr));
  std::copy_n(w.w().G, w.coordinates.G.size(), w.coordinates.G.begin());
  return Status::ok;
}

// Where to write a Jacobian of nv columns, and how it gets from there to the user.
double* jacobian_room(WorkspaceImpl& w, double* J, int& ld, int rows) {
  if (!w.coordinates.independent_v || !J) return J;
  ld = rows;
  return w.coordinates.jacobian.data();
}
void give_jacobian(const WorkspaceImpl& w, const double* J, int rows, double* user, int ld) {
  if (user && user != J) times_G(w, w.coordinates.G.data(), J, rows, rows, user, ld);
}

}  // namespace

Status kinematics(Workspace& workspace, const double* q, const double* v, const double* a) {
  WorkspaceImpl& w = begin(workspace);
  if (a && !v) return w.fail(Status::invalid_argument, "accelerations need velocities; give v with a");
  TENON_CHECK(take_state(w, q, v));
  if (a) TENON_CHECK(take_accelerations(w, q, v, a));
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "a", a, w.model->nv));
  if (w.coordinates.independent_v) TENON_CHECK(keep_map(w, q));
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
  int stride = ld;
  double* columns = jacobian_room(w, J, stride, 6);
  w.kernels->frame_jacobian(w.md(), f.body, point, E, columns, stride, w.w());
  give_jacobian(w, columns, 6, J, ld);
  return Status::ok;
}

Status center_of_mass(Workspace& workspace, double* position, double* velocity, double* jacobian, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, velocity ? 1 : 0));
  if (!(w.model->total_mass > 0))
    return w.fail(Status::invalid_argument, "the moving bodies have no mass, so there is no centre of mass");
  double com[3];
  int stride = ld;
  double* columns = jacobian_room(w, jacobian, stride, 3);
  w.kernels->center_of_mass(w.md(), com, columns, stride, w.w());
  give_jacobian(w, columns, 3, jacobian, ld);
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
  TENON_CHECK(take_state(w, q, v));
  TENON_CHECK(take_accelerations(w, q, v, a));
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "a", a, w.model->nv));
  TENON_CHECK(load_wrenches(w, wrenches));
  double* force = result_room(w, tau);
  w.kernels->rnea(w.md(), q, v, a, wrenches != nullptr, force, w.w());
  give_forces(w, force, tau);
  return Status::ok;
}

Status bias_force(Workspace& workspace, const double* q, const double* v, const double* wrenches, double* c) {
  return inverse_dynamics(workspace, q, v, nullptr, wrenches, c);
}

Status mass_matrix(Workspace& workspace, const double* q, double* M, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(take_positions(w, q));
  TENON_CHECK(check_configuration(w, "q", q));
  if (w.coordinates.independent_v) return independent_mass_matrix(w, q, M, ld);
  tree_mass_matrix(w, q, M, ld);
  return Status::ok;
}

namespace {

// H = G^T M G and its Cholesky factor, kept for the next two calls.
Status factor_independent(WorkspaceImpl& w, const double* q) {
  CoordinateMemory& c = w.coordinates;
  const int ny = w.model->ny;
  TENON_CHECK(independent_mass_matrix(w, q, c.H.data(), ny));
  std::copy_n(c.H.data(), c.H.size(), c.H_factor.data());
  if (!factor_positive(c.H_factor.data(), ny)) return fail_not_positive_definite(w);
  w.factored = true;
  return Status::ok;
}

// X may be B.
void multiply_independent(WorkspaceImpl& w, const double* B, int ldb, int count, double* X, int ldx) {
  const int n = w.model->ny;
  double* x = w.coordinates.result.data();
  for (int j = 0; j < count; ++j) {
    const double* b = B + std::ptrdiff_t{j} * ldb;
    std::fill_n(x, n, 0.0);
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i) x[i] += w.coordinates.H[static_cast<std::size_t>(k * n + i)] * b[k];
    std::copy_n(x, n, X + std::ptrdiff_t{j} * ldx);
  }
}

}  // namespace

Status factor_mass_matrix(Workspace& workspace, const double* q) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(take_positions(w, q));
  TENON_CHECK(check_configuration(w, "q", q));
  w.factored = false;
  if (w.coordinates.independent_v) return factor_independent(w, q);
  w.need_kept_mass_matrix();
  w.kernels->crba_rows(w.md(), q, w.w().M, w.w());
  bool positive = false;
  if (w.independent) {
    TENON_CHECK(update_loops(w, q, w.zeros.data()));
    IndependentSpaceData<double>& d = w.independent->data;
    std::copy_n(w.w().G, w.independent->G.size(), w.independent->G.begin());
    w.kernels->independent_mass_rows(w.md(), q, d.w.L, d, w.w());
    positive = w.kernels->ltl_factor(d.tree, d.w.L, d.w.L_inv_d, d.w);
  } else {
    std::copy_n(w.w().M, w.tables.row_first.back(), w.w().L);
    positive = w.kernels->ltl_factor(w.md(), w.w().L, w.w().L_inv_d, w.w());
  }
  if (!positive) return fail_not_positive_definite(w);
  w.factored = true;
  return Status::ok;
}

static Status check_factored(WorkspaceImpl& w) {
  if (w.factored) return Status::ok;
  return w.fail(Status::invalid_argument, "the mass matrix is not factored; call factor_mass_matrix first");
}

// x := G H^-1 G^T x, with G of the factor.
static void solve_in_independent(WorkspaceImpl& w, double* x) {
  IndependentSpaceData<double>& d = w.independent->data;
  std::copy(w.independent->G.begin(), w.independent->G.end(), w.w().G);
  to_independent_force(w, x, d.yddot);
  w.kernels->ltl_solve(d.tree, d.w.L, d.w.L_inv_d, d.yddot, d.w);
  from_independent(w, d.yddot, nullptr, x);
}

Status solve_mass_matrix(Workspace& workspace, const double* B, int ldb, int count, double* X, int ldx) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_factored(w));
  const int n = w.coordinates.independent_v ? w.model->ny : w.model->nv;
  for (int j = 0; j < count; ++j) TENON_CHECK(check_finite(w, "B", B + std::ptrdiff_t{j} * ldb, n));
  for (int j = 0; j < count; ++j) {
    double* x = X + std::ptrdiff_t{j} * ldx;
    const double* b = B + std::ptrdiff_t{j} * ldb;
    std::copy(b, b + n, x);
    if (w.coordinates.independent_v)
      solve_with_factor(w.coordinates.H_factor.data(), n, x);
    else if (w.independent)
      solve_in_independent(w, x);
    else
      w.kernels->ltl_solve(w.md(), w.w().L, w.w().L_inv_d, x, w.w());
  }
  return Status::ok;
}

// x := M b of the spanning tree of a model with embedded loops, whose coordinates are not numbered depth
// first as ltl_multiply wants them.
static void multiply_spanning(WorkspaceImpl& w, const double* b, double* x) {
  const ModelData& m = w.md();
  std::vector<double>& sum = w.loops.spanning;
  std::fill(sum.begin(), sum.end(), 0.0);
  for (int k = 0; k < m.nv; ++k) {
    const double* row = w.w().M + w.tables.row_first[static_cast<std::size_t>(k)];
    int place = w.tables.dof_depth[static_cast<std::size_t>(k)];
    sum[static_cast<std::size_t>(k)] += row[place] * b[k];
    for (int i = m.v_parent[k]; i >= 0; i = m.v_parent[i]) {
      sum[static_cast<std::size_t>(k)] += row[--place] * b[i];
      sum[static_cast<std::size_t>(i)] += row[place] * b[k];
    }
  }
  std::copy(sum.begin(), sum.end(), x);
}

Status multiply_mass_matrix(Workspace& workspace, const double* B, int ldb, int count, double* X, int ldx) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_factored(w));
  const int n = w.coordinates.independent_v ? w.model->ny : w.model->nv;
  for (int j = 0; j < count; ++j) TENON_CHECK(check_finite(w, "B", B + std::ptrdiff_t{j} * ldb, n));
  if (w.coordinates.independent_v) {
    multiply_independent(w, B, ldb, count, X, ldx);
    return Status::ok;
  }
  for (int j = 0; j < count; ++j) {
    const double* b = B + std::ptrdiff_t{j} * ldb;
    double* x = X + std::ptrdiff_t{j} * ldx;
    if (w.independent)
      multiply_spanning(w, b, x);
    else
      w.kernels->ltl_multiply(w.md(), w.w().M, b, x, w.w());
  }
  return Status::ok;
}

Status forward_dynamics(Workspace& workspace, const double* q, const double* v, const double* tau,
                        const double* wrenches, double* qdd) {
  WorkspaceImpl& w = begin(workspace);
  if (w.row_loops) return solve_row_loops(workspace, q, v, tau, wrenches, qdd);
  TENON_CHECK(take_state(w, q, v));
  TENON_CHECK(take_forces(w, tau));
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "tau", tau, w.model->nv));
  TENON_CHECK(load_wrenches(w, wrenches));
  TENON_CHECK(solve_free(w, q, v, tau, wrenches != nullptr, w.w().qdd));
  give_motion(w, w.w().qdd, qdd);
  return Status::ok;
}

}  // namespace tenon
