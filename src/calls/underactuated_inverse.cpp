// Motor and constraint forces for a wanted motion of a robot some of whose coordinates, u, have no motor:
//
//   b = M a + c - external,   J_u^T lambda = b_u,   tau = b - J^T lambda on the others
//
// With M_uu = L L^T, lambda has the least sum of lambda^2 / weight among those that minimise |L^-1 (J_u^T
// lambda - b_u)|, by the factor of the rows J_u L^-T (kernels/constrained/row_factor.hpp). The length of a row is that for
// motions of u with the motors held, relative to its typical length as everywhere.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/rank.hpp"
#include "model/row_order.hpp"
#include "plan/memory/row_memory.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/joint_friction.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

Status check_scene(WorkspaceImpl& w) {
  if (w.md().cluster_count > 0 && !w.coordinates.independent_v)
    return w.fail(Status::unsupported,
                  "in spanning coordinates the forces in the loops of this model are unknown too; "
                  "set independent velocities");
  for (int r = 0; r < w.rows(); ++r)
    if (w.cd()->active[r] && w.cd()->compliance[r] > 0)
      return w.fail(Status::unsupported,
                    "row %d has compliance, so that its force follows from the motion; use "
                    "constrained_inverse_dynamics with that force",
                    w.cd()->user_row[r]);
  return Status::ok;
}

// The coordinates without a motor. actuated null: those of a floating base.
Status find_free(WorkspaceImpl& w, const std::int32_t* actuated, int n, std::vector<std::int32_t>& free) {
  free.clear();
  for (int k = 0; k < n; ++k) {
    if (actuated && actuated[k] != 0 && actuated[k] != 1)
      return w.fail(Status::invalid_argument, "actuated[%d] is %d; give 1 for a motor and 0 for none", k,
                    static_cast<int>(actuated[k]));
    const int coordinate = w.coordinates.independent_v ? w.md().independent[k] : k;
    const bool of_base = w.model->floating_base && w.md().v_node[coordinate] == 0;
    if (actuated ? actuated[k] == 0 : of_base) free.push_back(k);
  }
  return Status::ok;
}

// Maps a force of the spanning tree to the coordinates of the workspace.
void to_set_coordinates(WorkspaceImpl& w, const double* force, double* out) {
  if (w.coordinates.independent_v)
    to_independent_force(w, force, out);
  else
    std::copy_n(force, w.model->nv, out);
}

// Factors M_uu.
Status factor_free(WorkspaceImpl& w, const double* q, int n) {
  UnderactuatedMemory& memory = *w.underactuated;
  const int nu = static_cast<int>(memory.free.size());
  if (w.coordinates.independent_v)
    TENON_CHECK(independent_mass_matrix(w, q, memory.M.data(), n));
  else
    tree_mass_matrix(w, q, memory.M.data(), n);
  for (int j = 0; j < nu; ++j)
    for (int i = 0; i < nu; ++i)
      memory.L[index(j * nu + i)] = memory.M[index(memory.free[index(j)] * n + memory.free[index(i)])];
  return factor_positive(memory.L.data(), nu) ? Status::ok : fail_mass_matrix(w, q);
}

// w.stage := J, rows x n, in the user's order.
const double* place_rows(WorkspaceImpl& w, const double* q) {
  const int rows = w.rows();
  double* J = w.coordinates.independent_v ? w.coordinates.jacobian.data() : w.stage.data();
  std::fill_n(w.w().desired, rows, 0.0);
  w.kernels->constraint_state(w.md(), *w.cd(), w.at_rest(q), w.w());
  w.kernels->constraint_jacobian(w.md(), *w.cd(), J, rows, w.w());
  if (w.coordinates.independent_v) times_G(w, w.w().G, J, rows, rows, w.stage.data(), rows);
  return w.stage.data();
}

// Computes memory.lambda; returns the length of what lambda leaves of `missing`.
double distribute(WorkspaceImpl& w, const double* J, double* missing) {
  UnderactuatedMemory& memory = *w.underactuated;
  const int rows = w.rows(), nu = static_cast<int>(memory.free.size()),
            length = memory.factor.data.coordinates;
  std::fill(memory.JLT.begin(), memory.JLT.end(), 0.0);
  for (int r = 0; r < rows; ++r) {
    double* row = memory.JLT.data() + std::ptrdiff_t{r} * length;
    for (int i = 0; i < nu; ++i)
      row[i] = J[std::ptrdiff_t{memory.free[index(i)]} * rows + w.cd()->user_row[r]];
    solve_lower(memory.L.data(), nu, row);
  }
  ConstraintData rigid = *w.cd();
  rigid.compliance = w.zeros.data();  // rows that are switched off may have some
  RowFactorData& factor = memory.factor.data;
  w.kernels->factor_rigid_rows(rigid, memory.JLT.data(), factor);
  const double left = w.kernels->add_nearest_forces(missing, factor);
  w.kernels->row_multipliers(rigid, memory.lambda.data(), factor);
  return left;
}

// memory.force := b in the coordinates of the workspace, memory.size := the sum of the absolute values of its
// terms.
Status place_forces(WorkspaceImpl& w, const Inputs<double>& in, int n) {
  UnderactuatedMemory& memory = *w.underactuated;
  double *force = memory.force.data(), *size = memory.size.data(), *spanning = result_room(w);
  Inputs<double> unaccelerated = in;
  unaccelerated.qdd = nullptr;
  tree_inverse_dynamics(w, unaccelerated, spanning);
  add_friction(w, in.v, spanning);
  to_set_coordinates(w, spanning, size);
  tree_inverse_dynamics(w, in, spanning);
  add_friction(w, in.v, spanning);
  to_set_coordinates(w, spanning, force);
  for (int k = 0; k < n; ++k) size[k] = std::abs(size[k]) + std::abs(force[k] - size[k]);
  return check_result(w, force, n);
}

// memory.missing := L^-1 b_u. Returns the length of the terms of b_u in the same metric, with the diagonal of
// M in place of L, with which the terms would cancel.
double place_missing(WorkspaceImpl& w, int n) {
  UnderactuatedMemory& memory = *w.underactuated;
  const int nu = static_cast<int>(memory.free.size());
  double whole = 0;
  std::fill(memory.missing.begin(), memory.missing.end(), 0.0);
  for (int i = 0; i < nu; ++i) {
    const std::size_t k = index(memory.free[index(i)]);
    memory.missing[index(i)] = memory.force[k];
    whole += memory.size[k] * memory.size[k] / memory.M[k * index(n + 1)];
  }
  solve_lower(memory.L.data(), nu, memory.missing.data());
  return std::sqrt(whole);
}

// Subtracts J^T lambda from the forces. Returns the length of the missing forces that lambda leaves.
double apply_row_forces(WorkspaceImpl& w, const double* q, int n) {
  UnderactuatedMemory& memory = *w.underactuated;
  const int rows = w.rows();
  const double* J = place_rows(w, q);
  const double left = distribute(w, J, memory.missing.data());
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < rows; ++r)
      memory.force[index(k)] -= J[std::ptrdiff_t{k} * rows + w.cd()->user_row[r]] * memory.lambda[index(r)];
  return left;
}

double length_of(const std::vector<double>& x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

}  // namespace

Status underactuated_inverse_dynamics(Workspace& workspace, const std::int32_t* actuated, const double* q,
                                      const double* v, const double* a, const double* wrenches,
                                      double* user_lambda, double* user_tau) {
  WorkspaceImpl& w = begin(workspace);
  const int n = velocity_count(workspace), rows = w.rows();
  TENON_CHECK(check_scene(w));
  UnderactuatedMemory& memory = *w.underactuated;
  TENON_CHECK(find_free(w, actuated, n, memory.free));
  Inputs<double> in;
  TENON_CHECK(map_in_inverse(w, {q, v, nullptr, wrenches, nullptr, a}, in));
  TENON_CHECK(place_forces(w, in, n));
  std::fill(memory.lambda.begin(), memory.lambda.end(), 0.0);
  double left = 0, whole = 0;
  if (!memory.free.empty()) {
    TENON_CHECK(factor_free(w, in.q, n));
    whole = place_missing(w, n);
    left = rows > 0 ? apply_row_forces(w, in.q, n) : length_of(memory.missing);
  }
  for (const std::int32_t k : memory.free) memory.force[index(k)] = 0;
  TENON_CHECK(check_result(w, memory.lambda.data(), rows));
  TENON_CHECK(give_numbers(w, memory.force.data(), n, user_tau));
  rows_to_user(w.cd(), memory.lambda.data(), user_lambda);
  return left > missing_force_rounding * whole ? Status::infeasible : Status::ok;
}

}  // namespace tenon
