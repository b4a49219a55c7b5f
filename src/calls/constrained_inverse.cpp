// Inverse dynamics with constraint forces, tau = M a + c - J^T lambda - external, in O(n + m): the forces of
// rows act on their bodies as external wrenches K^T lambda of RNEA.
#include <algorithm>

#include "kernels/constrained/row_forces.hpp"
#include "model/row_order.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/joint_friction.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

// Adds the wrenches of the rows' forces (user's order) to the external wrenches.
void apply_row_forces(WorkspaceImpl& w, const double* q, const double* lambda) {
  const ConstraintData& c = *w.cd();
  std::fill_n(w.w().desired, c.row_count, 0.0);
  w.kernels->constraint_state(w.md(), c, w.at_rest(q), w.w());
  rows_from_user(&c, lambda, w.lambda.data());
  add_row_forces(c, w.lambda.data(), w.w().wrench, w.w());
}

}  // namespace

Status constrained_inverse_dynamics(Workspace& workspace, const double* q, const double* v, const double* a,
                                    const double* wrenches, const double* lambda, double* tau) {
  WorkspaceImpl& w = begin(workspace);
  Inputs<double> in;
  TENON_CHECK(map_in_inverse(w, {q, v, nullptr, wrenches, nullptr, a}, in));
  TENON_CHECK(check_finite(w, "lambda", lambda, w.rows()));
  if (lambda && w.rows() > 0) {
    if (!in.wrenches) std::fill_n(w.w().wrench, 6 * w.model->body_count(), 0.0);
    in.wrenches = w.w().wrench;
    apply_row_forces(w, in.q, lambda);
  }
  double* force = result_room(w);
  tree_inverse_dynamics(w, in, force);
  add_friction(w, in.v, force);
  return map_out_forces(w, force, tau);
}

}  // namespace tenon
