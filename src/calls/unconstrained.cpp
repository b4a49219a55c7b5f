// Kinematics and unconstrained dynamics of a workspace: checks inputs, maps link wrenches to bodies, calls
// kernels, writes outputs only when nothing failed.
#include <algorithm>

#include "calls/kinematics.hpp"
#include "scalar/out_of_range.hpp"
#include "spatial/tree_factor.hpp"
#include "state/closing_form.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/joint_friction.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

// Keeps G and g at (q, v) for later queries of Jacobians and their rates. known: they are in the arena.
Status keep_map(WorkspaceImpl& w, const double* q, const double* v, bool known) {
  if (!known) TENON_CHECK(update_loops(w, q, v));
  std::copy_n(w.w().G, w.coordinates.G.size(), w.coordinates.G.begin());
  std::copy_n(w.w().g, w.coordinates.g.size(), w.coordinates.g.begin());
  return Status::ok;
}

// Whether the results of kinematics() are finite. A number that is not finite spreads to all descendants, so
// only leaves of the tree are checked (and other bodies whose next body is not their child).
bool kinematics_are_finite(WorkspaceImpl& w, int order) {
  const ModelData& m = w.md();
  const WorkspaceData<double>& d = w.w();
  for (int i = 0; i < m.node_count; ++i) {
    if (i + 1 < m.node_count && m.nodes[i + 1].parent == i) continue;
    if (!all_finite(d.R0 + 9 * i, 9) || !all_finite(d.p0 + 3 * i, 3)) return false;
    if (order > 0 && !all_finite(d.v0 + 6 * i, 6)) return false;
    if (order > 1 && !all_finite(d.a0 + 6 * i, 6)) return false;
  }
  return true;
}

}  // namespace

Status check_link(WorkspaceImpl& w, int link, int order) {
  if (link < 0 || link >= static_cast<int>(w.model->links.size()))
    return w.fail(Status::out_of_range, "%s", OutOfRange("link", link, w.model->links.size(), "links").text);
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

double* jacobian_room(WorkspaceImpl& w, const double* user) {
  if (!user) return nullptr;
  return w.coordinates.independent_v ? w.coordinates.jacobian.data() : w.stage.data();
}

Status give_jacobian(WorkspaceImpl& w, const double* J, int rows, double* user, int ld) {
  if (!w.coordinates.independent_v) return give_matrix(w, J, rows, w.model->nv, rows, user, ld);
  if (user) times_G(w, w.coordinates.G.data(), J, rows, rows, w.stage.data(), rows);
  return give_matrix(w, w.stage.data(), rows, w.model->ny, rows, user, ld);
}

Status kinematics(Workspace& workspace, const double* q, const double* v, const double* a) {
  WorkspaceImpl& w = begin(workspace);
  if (a && !v) return w.fail(Status::invalid_argument, "accelerations need velocities; give v with a");
  TENON_CHECK(map_in_state(w, q, v));
  if (a) TENON_CHECK(map_in_accelerations(w, q, v, a));
  w.kinematics_order = -1;
  if (w.coordinates.independent_v) TENON_CHECK(keep_map(w, q, v, a != nullptr));
  w.kernels->kinematics(w.md(), q, v, a, w.w());
  const int order = a ? 2 : v ? 1 : 0;
  if (!kinematics_are_finite(w, order)) return fail_result(w);
  if (v) std::copy(v, v + w.model->nv, w.kinematics_v.begin());
  if (a) std::copy_n(a, w.model->nv, w.kinematics_a.begin());
  if (w.md().varying_clusters > 0) std::copy_n(q, w.model->nq, w.kinematics_q.begin());
  w.kinematics_order = order;
  return Status::ok;
}

Status link_pose(Workspace& workspace, int link, double* position, double* quaternion, double* rotation) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, link, 0));
  const LinkFrame f = link_frame(w, link);
  double p[3];
  store(p, f.p);
  TENON_CHECK(check_result(w, p, 3));
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
  double result[6];
  store(result, Motion<double>{f.turn(axes, v.w), f.turn(axes, v.v + cross(v.w, f.in_body))});
  return give_numbers(w, result, 6, out);
}

Status link_acceleration(Workspace& workspace, int link, RowAxes axes, double* out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, link, 2));
  const LinkFrame f = link_frame(w, link);
  const Motion<double> v = load_motion<double>(w.w().v0 + 6 * f.body);
  const Motion<double> a = load_motion<double>(w.w().a0 + 6 * f.body);
  const Vec3<double> linear = a.v + cross(a.w, f.in_body) + cross(v.w, v.v + cross(v.w, f.in_body));
  double result[6];
  store(result, Motion<double>{f.turn(axes, a.w), f.turn(axes, linear)});
  return give_numbers(w, result, 6, out);
}

static Status find_mass(WorkspaceImpl& w, double& mass) {
  mass = 0;
  for (int i = 0; i < w.md().node_count; ++i) mass += w.md().nodes[i].mass;
  if (!(mass > 0))
    return w.fail(
        Status::invalid_model,
        "nothing that moves in this model has mass, so there is no centre of mass; the mass of links that "
        "are fixed to the world does not count");
  return Status::ok;
}

Status find_center_of_mass(WorkspaceImpl& w, double& mass, double* com) {
  TENON_CHECK(find_mass(w, mass));
  w.kernels->center_of_mass(w.md(), com, nullptr, 3, w.w());
  return Status::ok;
}

Status find_centroidal_state(WorkspaceImpl& w, const CentroidalParts& parts, double* state) {
  TENON_CHECK(check_link(w, 0, parts.move() ? 1 : 0));
  double mass = 0;
  if (parts.have_center()) TENON_CHECK(find_mass(w, mass));
  w.kernels->centroidal_state(w.md(), parts.move() ? w.kinematics_v.data() : nullptr, parts.have_center(),
                              state, w.w());
  for (int i = 0; i < centroidal_parts; ++i)
    if (parts.part[i]) TENON_CHECK(check_result(w, state + centroidal_at[i], centroidal_size[i]));
  return Status::ok;
}

Status centroidal_state(Workspace& workspace, const CentroidalParts& parts, double* numbers) {
  double state[centroidal_room];
  TENON_CHECK(find_centroidal_state(begin(workspace), parts, state));
  for (int i = 0; i < centroidal_parts; ++i)
    if (parts.part[i]) std::copy_n(state + centroidal_at[i], centroidal_size[i], numbers + centroidal_at[i]);
  return Status::ok;
}

Status center_of_mass(Workspace& workspace, double* position, double* velocity, double* jacobian, int ld) {
  WorkspaceImpl& w = begin(workspace);
  double state[centroidal_room], com[3];
  TENON_CHECK(find_centroidal_state(w, {{true, velocity != nullptr}}, state));
  double* columns = jacobian_room(w, jacobian);
  if (columns) w.kernels->center_of_mass(w.md(), com, columns, 3, w.w());
  TENON_CHECK(give_jacobian(w, columns, 3, jacobian, ld));
  if (position) std::copy_n(state, 3, position);
  if (velocity) std::copy_n(state + 3, 3, velocity);
  return Status::ok;
}

Status centroidal_momentum(Workspace& workspace, double* out) {
  double numbers[centroidal_count];
  TENON_CHECK(centroidal_state(workspace, {{false, false, true}}, numbers));
  std::copy_n(numbers + centroidal_at[2], 6, out);
  return Status::ok;
}

Status energy(Workspace& workspace, double* kinetic, double* potential) {
  double numbers[centroidal_count];
  TENON_CHECK(centroidal_state(workspace, {{false, false, false, kinetic != nullptr, potential != nullptr}},
                               numbers));
  if (kinetic) *kinetic = numbers[centroidal_at[3]];
  if (potential) *potential = numbers[centroidal_at[4]];
  return Status::ok;
}

Status inverse_dynamics(Workspace& workspace, const Inputs<double>& user, double* tau) {
  WorkspaceImpl& w = begin(workspace);
  Inputs<double> in;
  TENON_CHECK(map_in_inverse(w, user, in));
  double* force = result_room(w);
  tree_inverse_dynamics(w, in, force);
  add_friction(w, in.v, force);
  return map_out_forces(w, force, tau);
}

Status bias_force(Workspace& workspace, const double* q, const double* v, const double* wrenches, double* c) {
  return inverse_dynamics(workspace, {q, v, nullptr, wrenches}, c);
}

static Status give_mass_matrix(WorkspaceImpl& w, const double* q, double* M, int ld) {
  return w.coordinates.independent_v ? independent_mass_matrix(w, q, M, ld)
                                     : give_tree_mass_matrix(w, q, M, ld);
}

Status mass_matrix(Workspace& workspace, const double* q, double* M, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  return give_mass_matrix(w, q, M, ld);
}

Status mass_matrix_triangle(Workspace& workspace, const double* q, bool factor, double* M) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  const ModelData& tree = w.coordinates.independent_v && w.independent ? w.independent->data.tree : w.md();
  TENON_CHECK(give_mass_matrix(w, q, M, tree.nv));
  double* row = M;
  for (int i = 0; i < tree.nv; row += ++i)
    for (int j = 0; j <= i; ++j) row[j] = M[std::ptrdiff_t{i} * tree.nv + j];
  if (!factor || factor_along_tree(tree.nv, tree.v_parent, M)) return Status::ok;
  return fail_mass_matrix(w, q);
}

namespace {

// Keeps H = G^T M G and its Cholesky factor for solve and multiply.
Status factor_independent(WorkspaceImpl& w, const double* q) {
  CoordinateMemory& c = w.coordinates;
  const int ny = w.model->ny;
  TENON_CHECK(independent_mass_matrix(w, q, c.H.data(), ny));
  std::copy_n(c.H.data(), c.H.size(), c.H_factor.data());
  if (!factor_positive(c.H_factor.data(), ny)) return fail_mass_matrix(w, q);
  w.factored = true;
  return Status::ok;
}

// x := H b.
void multiply_independent(const WorkspaceImpl& w, const double* b, double* x) {
  const int n = w.model->ny;
  std::fill_n(x, n, 0.0);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) x[i] += w.coordinates.H[index(k * n + i)] * b[k];
}

}  // namespace

Status factor_mass_matrix(Workspace& workspace, const double* q) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  w.factored = false;
  if (w.coordinates.independent_v) return factor_independent(w, q);
  w.need(of_kept_mass_matrix);
  w.kernels->crba_rows(w.md(), q, w.w().M, w.w());
  bool positive = false;
  TENON_CHECK(check_path_rows(w, w.w().M, w.tables.row_first, w.tables.dof_depth, w.model->nv));
  if (w.independent) {
    TENON_CHECK(update_loops(w, q, w.zeros.data(), SplitFor::any));
    IndependentSpaceData<double>& d = w.independent->data;
    std::copy_n(w.w().G, w.md().G_size, w.independent->G);
    w.kernels->independent_mass_rows(w.md(), q, d.w.L, d, w.w());
    TENON_CHECK(check_path_rows(w, d.w.L, d.w.row_first, d.w.dof_depth, d.tree.nv));
    positive = w.kernels->ltl_factor(d.tree, d.w.L, d.w.L_inv_d, d.w);
    TENON_CHECK(positive ? check_result(w, d.w.L_inv_d, d.tree.nv) : Status::ok);
  } else {
    std::copy_n(w.w().M, w.tables.entry_count, w.w().L);
    positive = w.kernels->ltl_factor(w.md(), w.w().L, w.w().L_inv_d, w.w());
    TENON_CHECK(positive ? check_result(w, w.w().L_inv_d, w.model->nv) : Status::ok);
  }
  if (!positive) return fail_mass_matrix(w, q);
  w.factored = true;
  return Status::ok;
}

// x := G H^-1 G^T x, with G at the configuration of the factor.
static void solve_in_independent(WorkspaceImpl& w, double* x) {
  IndependentSpaceData<double>& d = w.independent->data;
  const double* G = w.independent->G;
  to_independent_force(w, x, d.yddot, G);
  w.kernels->ltl_solve(d.tree, d.w.L, d.w.L_inv_d, d.yddot, d.w);
  from_independent(w, d.yddot, nullptr, x, G);
}

// Calls apply(n, b, x) for each column of B and X, after factor_mass_matrix.
template <class Apply>
static Status give_products(WorkspaceImpl& w, const double* B, int ldb, int count, double* X, int ldx,
                            const Apply& apply) {
  if (!w.factored)
    return w.fail(Status::invalid_argument, "the mass matrix is not factored; call factor_mass_matrix first");
  const int n = w.coordinates.independent_v ? w.model->ny : w.model->nv;
  TENON_CHECK(check_finite_columns(w, "B", B, n, count, ldb));
  return give_columns(w, n, count, X, ldx, [&](int first, int columns, double* to) {
    for (int j = 0; j < columns; ++j)
      apply(n, B + std::ptrdiff_t{first + j} * ldb, to + std::ptrdiff_t{j} * n);
  });
}

Status solve_mass_matrix(Workspace& workspace, const double* B, int ldb, int count, double* X, int ldx) {
  WorkspaceImpl& w = begin(workspace);
  return give_products(w, B, ldb, count, X, ldx, [&](int n, const double* b, double* x) {
    std::copy_n(b, n, x);
    if (w.coordinates.independent_v)
      solve_with_factor(w.coordinates.H_factor.data(), n, x);
    else if (w.independent)
      solve_in_independent(w, x);
    else
      w.kernels->ltl_solve(w.md(), w.w().L, w.w().L_inv_d, x, w.w());
  });
}

// x := M b of the spanning tree of a model with embedded loops, whose coordinates are not numbered depth
// first, as ltl_multiply needs them.
static void multiply_spanning(WorkspaceImpl& w, const double* b, double* x) {
  const ModelData& m = w.md();
  std::vector<double>& sum = w.loops.spanning;
  std::fill(sum.begin(), sum.end(), 0.0);
  for (int k = 0; k < m.nv; ++k) {
    const double* row = w.w().M + w.tables.row_first[k];
    int place = w.tables.dof_depth[k];
    sum[index(k)] += row[place] * b[k];
    for (int i = m.v_parent[k]; i >= 0; i = m.v_parent[i]) {
      sum[index(k)] += row[--place] * b[i];
      sum[index(i)] += row[place] * b[k];
    }
  }
  std::copy(sum.begin(), sum.end(), x);
}

Status multiply_mass_matrix(Workspace& workspace, const double* B, int ldb, int count, double* X, int ldx) {
  WorkspaceImpl& w = begin(workspace);
  return give_products(w, B, ldb, count, X, ldx, [&](int, const double* b, double* x) {
    if (w.coordinates.independent_v)
      multiply_independent(w, b, x);
    else if (w.independent)
      multiply_spanning(w, b, x);
    else
      w.kernels->ltl_multiply(w.md(), w.w().M, b, x, w.w());
  });
}

namespace {

// forward_dynamics with the loops closed by their rows.
Status solve_row_loops(Workspace& workspace, const Inputs<double>& user, double* qdd) {
  WorkspaceImpl& w = workspace.impl();
  if (!w.row_loops->alone) return constrained_dynamics(workspace, {}, user, qdd, nullptr);
  Workspace& alone = *w.row_loops->alone;
  // The other workspace checks its inputs, but it takes spanning coordinates only.
  Inputs<double> in = user;
  if (w.coordinates.independent_q || w.coordinates.independent_v) {
    TENON_CHECK(map_in_state(w, in.q, in.v));
    TENON_CHECK(map_in_forces(w, in.tau));
  }
  const Status status = constrained_dynamics(alone, {}, in, w.w().qdd, nullptr);
  if (static_cast<std::int32_t>(status) < 0) return w.fail(status, "%s", alone.message());
  w.report = alone.report();
  TENON_CHECK(map_out_motion(w, w.w().qdd, qdd));
  return status;
}

}  // namespace

Status forward_dynamics(Workspace& workspace, const Inputs<double>& user, double* qdd) {
  WorkspaceImpl& w = begin(workspace);
  if (w.row_loops) return solve_row_loops(workspace, user, qdd);
  Inputs<double> in;
  TENON_CHECK(map_in_forward(w, user, in));
  TENON_CHECK(solve_free(w, with_friction(w, in), w.w().qdd));
  return map_out_motion(w, w.w().qdd, qdd);
}

}  // namespace tenon
