// Dynamics of models with loops by methods for comparison; coordinates as in dynamics calls (tenon/dynamics.hpp).
#pragma once

#include <cstdint>

#include "data/inputs.hpp"
#include "tenon/status.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// How loops are treated; all but the last two give the same answer.
enum class LoopMethod : std::int32_t {
  automatic = 0,      // as forward_dynamics
  projection = 1,     // (G^T M G)^-1 on the spanning tree, [LOOPS1] II-D
  multipliers = 2,    // [M K^T; K 0] on the spanning tree, by pseudo-inverse, [LOOPS1] II-D
  approximate = 3,    // dependent joints held still, their inertia as armature of the independent ones:
                      // tau_y = ID_ind(y) + diag(G_d^T M_dd G_d) yddot
  unconstrained = 4,  // the independent joints alone, dependent ones held still
};
// Takes embedded loops and those that rows close together.
Status loop_forward_dynamics(Workspace& w, LoopMethod method, const Inputs<double>& in, double* qdd);
// tau_y (ny) for yddot, [LOOPS1] II-C: projection is exact, G^T ID(q, v, G yddot + g).
Status loop_inverse_dynamics(Workspace& w, LoopMethod method, const double* q, const double* v,
                             const double* yddot, const double* wrenches, double* tau_y);

}  // namespace tenon
