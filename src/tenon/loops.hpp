// Coordinates of models with kinematic loops. The spanning tree's coordinates q (nq) and v (nv) describe
// every joint; ny of the velocity coordinates, Model::loops.independent, determine the others on the
// constraint:
//
//   v = G ydot,   qdd = G yddot + g,   tau_y = G^T tau      ([LOOPS1] II-B)
//
// The calls here take spanning coordinates and those that their names say, whatever set_coordinates says;
// loop_forward_dynamics and loop_inverse_dynamics are dynamics calls.
//
// All calls that take q expect the loops to be closed there as far as the caller cares: G and g are those of
// q, and close_loops closes. Without loops the maps are copies. No call allocates,
// but the first that projects (workspace.hpp).
//
// Loops that closure rows keep closed (Model::row_loops) leave their joints independent: the maps know
// nothing of them. The guess, loop_gap, check_loops, close_loops, find_assemblies, project_velocity and
// loop_forward_dynamics take all loops together.
//
// Negative status: nothing was written. Status::singular_configuration: at q the dependent velocities do not
// follow from the independent ones (a dead centre).
#pragma once

#include "tenon/workspace.hpp"

namespace tenon {

// From here on every dynamics call (dynamics.hpp, delassus.hpp, conventions.hpp, the two loop dynamics below)
// takes and returns q (positions) and v, accelerations, forces, rows and columns of mass matrices and columns
// of Jacobians (velocities) in these coordinates: position_count and velocity_count numbers. Whatever the
// last kinematics and factor_mass_matrix left is forgotten. Without loops both are the same.
//
// Independent positions become q by following the loops from the guess, so that dependent joints keep its way
// of assembly; nothing else is remembered from call to call. Status::open_loop where that fails. unsupported:
// independent positions of a model with a joint that is independent in part.
Status set_coordinates(Workspace& w, Coordinates positions, Coordinates velocities);
Coordinates position_coordinates(Workspace& w);
Coordinates velocity_coordinates(Workspace& w);
int position_count(Workspace& w);
int velocity_count(Workspace& w);
// A configuration (nq) of the way of assembly that is meant; its loops are closed first by their dependent
// coordinates. Starts as a configuration that the model was found to close at. Without loops it is nowhere
// needed, and neutral.
Status set_guess(Workspace& w, const double* q);
Status guess(Workspace& w, double* q);

// What may move to close the loops.
enum class LoopMoves : std::int32_t {
  dependent = 0,  // dependent coordinates alone: the independent ones stay as they are
  all = 1,        // every coordinate a little, the closest closed state in the first approximation
};

// The largest gap of all loops at q: lengths in m, angles in rad (small ones), couplings in units of their
// joints. A loop counts as closed below loop_tolerance.
inline constexpr double loop_tolerance = 1e-9;
Status loop_gap(Workspace& w, const double* q, double* gap);

// How well a state keeps the loops: the largest |phi(q)| and |K v|, and which loop (Model::loop_count) has
// it; -1 without loops. v null: at rest.
struct LoopState {
  int position_loop = -1, velocity_loop = -1;
  double position_gap = 0, velocity_gap = 0;
};
Status check_loops(Workspace& w, const double* q, const double* v, LoopState& state);

// Moves q until all loops are closed, to rounding (1e-13 or better) where the loops are well posed. From far
// starts too: where the direct way fails and only dependent coordinates may move, it follows the loops from a
// configuration that is known to be closed, then tries other starts, so the way of assembly may change.
// Status::infeasible: not closed below loop_tolerance, the independent coordinates may be out of reach; q is
// the best found. gap may be null.
Status close_loops(Workspace& w, LoopMoves moves, double* q, double* gap);

// Other ways to assemble the loops for the independent coordinates of q: distinct closed configurations (nq
// each, one after the other) found from `starts` starts of the dependent joints, at most `capacity`, turns of
// 2 pi counted once.
Status find_assemblies(Workspace& w, const double* q, int starts, int capacity, double* assemblies,
                       int* count);

// v := the velocity on the constraint nearest to v: with the same independent velocities, or (all) in the
// metric of the mass matrix, as if loops that had come apart were caught by an impulse without friction.
Status project_velocity(Workspace& w, LoopMoves moves, const double* q, double* v);

// Positions of the joints all of whose coordinates are independent, Model::loops.independent_q: out of q, and
// back by close_loops from guess (nq, or null for a configuration of the model's choice).
Status independent_positions(Workspace& w, const double* q, double* y);
Status spanning_positions(Workspace& w, const double* y, const double* guess, double* q);

Status independent_velocity(Workspace& w, const double* v, double* ydot);                // and accelerations
Status spanning_velocity(Workspace& w, const double* q, const double* ydot, double* v);  // G ydot
Status spanning_acceleration(Workspace& w, const double* q, const double* v, const double* yddot,
                             double* qdd);
Status independent_force(Workspace& w, const double* q, const double* tau, double* tau_y);  // G^T tau
// The force on independent coordinates alone that does what tau_y asks.
Status spanning_force(Workspace& w, const double* tau_y, double* tau);

// G (nv x ny, column-major, leading dimension ldG) and g (nv) at (q, v); v null: at rest. Either output may
// be null.
Status loop_map(Workspace& w, const double* q, const double* v, double* G, int ldG, double* g);
// K (loop rows x nv, column-major, ldK), k and phi (loop rows): K v = 0, K qdd = k. Any output may be null.
Status loop_jacobian(Workspace& w, const double* q, const double* v, double* K, int ldK, double* k,
                     double* phi);

// Forward dynamics by a given treatment of the loops, for comparison; all but the last two give the same
// answer.
enum class LoopMethod : std::int32_t {
  automatic = 0,    // as forward_dynamics
  projection = 1,   // (G^T M G)^-1 on the spanning tree, [LOOPS1] II-D
  multipliers = 2,  // [M K^T; K 0] on the spanning tree, by pseudo-inverse, [LOOPS1] II-D
  approximate = 3,  // dependent joints held still, what moves with them as armature of the independent ones:
                    // tau_y = ID_ind(y) + diag(G_d^T M_dd G_d) yddot
  unconstrained = 4,  // the independent joints alone, dependent ones held still
};
Status loop_forward_dynamics(Workspace& w, LoopMethod method, const double* q, const double* v,
                             const double* tau, const double* wrenches, double* qdd);
// tau_y (ny) for yddot, [LOOPS1] II-C: projection is exact, G^T ID(q, v, G yddot + g).
Status loop_inverse_dynamics(Workspace& w, LoopMethod method, const double* q, const double* v,
                             const double* yddot, const double* wrenches, double* tau_y);

}  // namespace tenon
