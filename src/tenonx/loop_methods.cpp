#include "tenonx/loop_methods.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "data/rank.hpp"
#include "plan/row_factor.hpp"
#include "scalar/index.hpp"
#include "state/closing_form.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

// Memory of LoopMethod::multipliers: the rows of all loops, rigid and of one weight.
struct LoopRows final : AddedMemory {
  LoopRows(int rows, int nv)
      : room(RowFactor::room_size(rows, nv), 0.0),
        factor(rows, nv, room.data()),
        KLT(index(rows) * index(nv)) {
    for (std::vector<double>* x : {&b, &rest, &scale, &compliance}) x->assign(index(rows), 0.0);
    weight.assign(index(rows), 1.0);
    data.row_count = rows;
    data.scale = scale.data(), data.weight = weight.data(), data.compliance = compliance.data();
  }
  std::size_t bytes() const override {
    return sizeof(*this) + bytes_of(room, factor, KLT, b, rest, scale, compliance, weight);
  }

  std::vector<double> room;
  RowFactor factor;
  std::vector<double> KLT;  // K L^-T, per row nv numbers
  std::vector<double> b, rest, scale, compliance, weight;
  ConstraintData data{};
};

LoopRows& rows_of(WorkspaceImpl& w) {
  if (!w.loops.added) w.loops.added = std::make_unique<LoopRows>(w.md().loop_row_count, w.model->nv);
  return static_cast<LoopRows&>(*w.loops.added);
}

// Solves [M K^T; K 0] with all rows of K, redundant ones included: with M = L L^T, L^T qdd is L^-1 (tau - c) and, in the
// span of the rows of K L^-T, what makes K qdd = k.
Status solve_multipliers(WorkspaceImpl& w, const Inputs<double>& in, double* qdd) {
  const double gap = w.loops.assembly.evaluate(in.q, in.v, w.w());
  if (w.loops.assembly.broken() >= 0 || !(gap < INFINITY)) return fail_of_gap(w);
  const int nv = w.model->nv, count = w.md().loop_row_count;
  LoopRows& s = rows_of(w);
  double *L = w.loops.M.data(), *K = w.loops.K.data(), *c = w.loops.bias.data();
  dense_K(w, K, count);
  std::copy_n(w.w().loop_k, count, s.b.begin());
  tree_mass_matrix(w, in.q, L, nv);
  if (!factor_positive(L, nv)) return fail_mass_matrix(w, in.q);
  w.kernels->rnea(w.md(), in, c, w.w());
  for (int k = 0; k < nv; ++k) qdd[k] = in.tau[k] - c[k];
  solve_lower(L, nv, qdd);

  double size = 0;  // of the terms of the right-hand side
  for (int r = 0; r < count; ++r) {
    double* row = s.KLT.data() + std::ptrdiff_t{r} * nv;
    for (int k = 0; k < nv; ++k) row[k] = K[std::ptrdiff_t{k} * count + r];
    solve_lower(L, nv, row);
    double &b = s.b[index(r)], &square = s.scale[index(r)];
    size = std::max(size, std::abs(b));
    square = 0;
    for (int k = 0; k < nv; ++k) {
      const double term = row[k] * qdd[k];
      size = std::max(size, std::abs(term));
      b -= term, square += row[k] * row[k];
    }
  }
  // A row that nothing moves, as across the plane of a planar loop, is measured by the others.
  const double longest = *std::max_element(s.scale.begin(), s.scale.end());
  std::fill(s.scale.begin(), s.scale.end(), squared_rank_tolerance * longest);
  RowFactorData& factor = s.factor.data;
  w.kernels->factor_rigid_rows(s.data, s.KLT.data(), factor);
  w.kernels->take_reachable(s.data, s.b.data(), s.rest.data(), factor);
  w.kernels->add_row_solution(s.b.data(), factor);
  w.kernels->row_motion(factor);
  for (int k = 0; k < nv; ++k) qdd[k] += factor.y[k];
  solve_upper(L, nv, qdd);
  for (const double rest : s.rest)
    if (std::abs(rest) > sure_contradiction * size) return Status::infeasible;
  return Status::ok;
}

// The dynamics of the spanning tree, projected, [LOOPS1] II-D, O(nv^2 ny):
//   yddot = (G^T M G)^-1 G^T (tau - c - M g),   qdd = G yddot + g
Status solve_projection(WorkspaceImpl& w, const Inputs<double>& in, double* qdd) {
  LoopMemory& s = w.loops;
  TENON_CHECK(update_loops(w, in.q, in.v, SplitFor::any));
  // c + M g: the force that the tree needs to move with qdd = g.
  Inputs<double> moving = in;
  moving.qdd = w.w().g;
  w.kernels->rnea(w.md(), moving, s.bias.data(), w.w());
  for (int k = 0; k < w.model->nv; ++k) s.spanning[index(k)] = in.tau[k] - s.bias[index(k)];
  TENON_CHECK(factor_projected_mass_matrix(w, in.q));
  to_independent_force(w, s.spanning.data(), s.independent.data());
  solve_projected_mass_matrix(w, s.independent.data());
  from_independent(w, s.independent.data(), w.w().g, qdd);
  return Status::ok;
}

// The same with zero velocities of dependent joints.
Inputs<double> independent_motion(WorkspaceImpl& w, Inputs<double> in) {
  for (int k = 0; k < w.model->nv; ++k) w.loops.spanning[index(k)] = w.md().y_index[k] < 0 ? 0 : in.v[k];
  in.v = w.loops.spanning.data();
  return in;
}

// Diagonal entry y of G_d^T M_dd G_d: the inertia of the dependent joints as independent coordinate y feels
// it.
double carried_inertia(const WorkspaceImpl& w, int y) {
  const ModelData& m = w.md();
  const int cluster = m.node_cluster[m.v_node[m.independent[y]]];
  if (cluster < 0) return 0;
  const ClusterData& c = m.clusters[cluster];
  const double* G = w.arena.data.G + c.G_begin + (y - c.y_begin) * c.v_count;
  double sum = 0;
  for (int i = c.d_begin; i < c.d_begin + c.d_count; ++i) {
    const int k = m.dependent[i];
    sum += G[k - c.v_begin] * G[k - c.v_begin] * w.loops.M[index(k * m.nv + k)];
  }
  return sum;
}

// loops.H := the mass matrix of the independent joints alone; `carried` adds the inertia above to its
// diagonal.
void joints_mass_matrix(WorkspaceImpl& w, const double* q, bool carried) {
  const ModelData& m = w.md();
  tree_mass_matrix(w, q, w.loops.M.data(), m.nv);
  for (int j = 0; j < m.ny; ++j) {
    for (int i = 0; i < m.ny; ++i)
      w.loops.H[index(j * m.ny + i)] = w.loops.M[index(m.independent[j] * m.nv + m.independent[i])];
    if (carried) w.loops.H[index(j * m.ny + j)] += carried_inertia(w, j);
  }
}

Status solve_independent(WorkspaceImpl& w, bool carried, const Inputs<double>& in, double* qdd) {
  TENON_CHECK(update_loops(w, in.q, in.v));
  double* y = w.loops.independent.data();
  w.kernels->rnea(w.md(), independent_motion(w, in), w.loops.bias.data(), w.w());
  to_independent_force(w, in.tau, y);
  for (int j = 0; j < w.model->ny; ++j) y[j] -= w.loops.bias[index(w.md().independent[j])];
  joints_mass_matrix(w, in.q, carried);
  TENON_CHECK(factor_held_mass_matrix(w, in.q));
  solve_projected_mass_matrix(w, y);
  from_independent(w, y, w.w().g, qdd);
  return Status::ok;
}

Status solve_by(WorkspaceImpl& w, LoopMethod method, const Inputs<double>& in, double* qdd) {
  switch (method) {
    case LoopMethod::projection:
      return solve_projection(w, in, qdd);
    case LoopMethod::multipliers:
      return solve_multipliers(w, in, qdd);
    case LoopMethod::approximate:
    case LoopMethod::unconstrained:
      return solve_independent(w, method == LoopMethod::approximate, in, qdd);
    default:
      return w.fail(Status::invalid_argument, "method %d is none of LoopMethod", static_cast<int>(method));
  }
}

// By a method other than automatic, computed on the closing form. Spanning coordinates, already checked.
Status solve_closing_form(WorkspaceImpl& w, LoopMethod method, const Inputs<double>& in,
                          const double* user_wrenches, double* qdd) {
  RowLoops& loops = *w.row_loops;
  loops.map_in(in.q, in.v);
  for (std::size_t k = 0; k < loops.tau.size(); ++k) loops.tau[k] = in.tau[loops.form.v[k]];
  const Status status = loop_forward_dynamics(
      loops.closing, method, {loops.q.data(), loops.v.data(), loops.tau.data(), user_wrenches},
      loops.qdd.data());
  if (static_cast<std::int32_t>(status) < 0) return w.fail(status, "%s", loops.closing.message());
  for (std::size_t k = 0; k < loops.qdd.size(); ++k) qdd[loops.form.v[k]] = loops.qdd[k];
  return status;
}

}  // namespace

Status loop_forward_dynamics(Workspace& workspace, LoopMethod method, const Inputs<double>& user,
                             double* qdd) {
  WorkspaceImpl& w = begin(workspace);
  if (method == LoopMethod::automatic || (w.md().cluster_count == 0 && !w.row_loops))
    return forward_dynamics(workspace, user, qdd);
  Inputs<double> in;
  TENON_CHECK(map_in_forward(w, user, in));
  double* motion = result_room(w);
  const Status status = w.row_loops ? solve_closing_form(w, method, in, user.wrenches, motion)
                                    : solve_by(w, method, in, motion);
  if (static_cast<std::int32_t>(status) < 0) return status;
  TENON_CHECK(map_out_motion(w, motion, qdd));
  return status;
}

Status loop_inverse_dynamics(Workspace& workspace, LoopMethod method, const double* q, const double* v,
                             const double* yddot, const double* wrenches, double* tau_y) {
  WorkspaceImpl& w = begin(workspace);
  Inputs<double> in = {q, v, nullptr, wrenches};
  TENON_CHECK(map_in_state(w, in.q, in.v));
  TENON_CHECK(check_finite(w, "yddot", yddot, w.model->ny));
  TENON_CHECK(take_wrenches(w, in.wrenches));
  if (w.md().cluster_count == 0) {
    in.qdd = yddot;
    tree_inverse_dynamics(w, in, w.stage.data());
    return give_numbers(w, w.stage.data(), w.model->nv, tau_y);
  }
  TENON_CHECK(update_loops(w, in.q, in.v));
  in.qdd = w.w().qdd;
  double *qdd = w.w().qdd, *force = w.loops.bias.data(), *result = w.stage.data();
  switch (method) {
    case LoopMethod::automatic:
    case LoopMethod::projection:
      from_independent(w, yddot, map_bias(w), qdd);
      // Projection compares: every rotor is a body.
      if (method == LoopMethod::automatic)
        tree_inverse_dynamics(w, in, force);
      else
        w.kernels->rnea(w.md(), in, force, w.w());
      to_independent_force(w, force, result);
      break;
    case LoopMethod::approximate:
    case LoopMethod::unconstrained:
      std::fill_n(qdd, w.model->nv, 0.0);
      for (int j = 0; j < w.model->ny; ++j) qdd[w.md().independent[j]] = yddot[j];
      w.kernels->rnea(w.md(), independent_motion(w, in), force, w.w());
      for (int j = 0; j < w.model->ny; ++j) result[j] = force[w.md().independent[j]];
      if (method == LoopMethod::unconstrained) break;
      tree_mass_matrix(w, in.q, w.loops.M.data(), w.model->nv);
      for (int j = 0; j < w.model->ny; ++j) result[j] += carried_inertia(w, j) * yddot[j];
      break;
    default:
      return w.fail(
          Status::invalid_argument,
          "method %d cannot do inverse dynamics; use automatic, projection, approximate or unconstrained",
          static_cast<int>(method));
  }
  return give_numbers(w, result, w.model->ny, tau_y);
}

}  // namespace tenon
