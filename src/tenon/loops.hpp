// Coordinates of models with kinematic loops. The spanning tree's coordinates q (nq) and v (nv) describe
// every joint. ny of the velocity coordinates, Model::loops.independent, determine the others while loops are
// closed:
//
//   v = G ydot,   qdd = G yddot + g,   tau_y = G^T tau      ([LOOPS1] II-B)
//
// The calls here take spanning coordinates and those that their names say, whatever set_coordinates says.
//
// Calls that take q expect closed loops: G and g are those at q, open or not; close_loops closes them.
// Without loops the maps are copies. Only the first call that projects allocates (workspace.hpp).
//
// Joints of loops that are closed by closure rows (Model::row_loops) stay independent: the maps ignore these
// loops. The guess, loop_gap, check_loops, close_loops, find_assemblies and project_velocity take all loops
// together.
//
// Negative status: nothing was written. Status::singular_configuration: q is a dead centre, where the
// independent velocities do not determine the dependent ones.
#pragma once

#include "tenon/inputs.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// From here on every dynamics call (dynamics.hpp, delassus.hpp, conventions.hpp, the two loop dynamics below)
// takes and returns q (positions) and v, accelerations, forces, rows and columns of mass matrices and columns
// of Jacobians (velocities) in these coordinates: position_count and velocity_count numbers. Results of the
// last kinematics and factor_mass_matrix are discarded. Without loops both kinds are the same.
//
// Independent positions are mapped to q by closing the loops along a path from the guess, so that dependent
// joints keep its assembly mode; the result depends on no earlier call. Status::open_loop where that fails.
// unsupported: independent positions of a model with a joint only some of whose coordinates are independent.
Status set_coordinates(Workspace& w, Coordinates positions, Coordinates velocities);
Coordinates position_coordinates(Workspace& w);
Coordinates velocity_coordinates(Workspace& w);
int position_count(Workspace& w);
int velocity_count(Workspace& w);
// A configuration (nq) of the wanted assembly mode; set_guess first closes its loops with their dependent
// coordinates. The first guess is a configuration with closed loops that was found when the model was
// compiled. Without loops it is neutral, and nothing uses it.
Status set_guess(Workspace& w, const double* q);
Status guess(Workspace& w, double* q);

// What may move to close the loops.
enum class LoopMoves : std::int32_t {
  dependent = 0,  // dependent coordinates alone: the independent ones stay as they are
  all = 1,        // every coordinate a little: to first order the closest closed state
};

// The largest gap of all loops at q: lengths in m, (small) angles in rad, couplings in units of their joints.
// A loop counts as closed below loop_tolerance.
inline constexpr double loop_tolerance = 1e-9;
Status loop_gap(Workspace& w, const double* q, double* gap);

// The gaps of a state: the largest |phi(q)| and |K v|, and which loop (numbered as Model::loop_count counts)
// has it; -1 without loops. v null: at rest.
struct LoopState {
  int position_loop = -1, velocity_loop = -1;
  double position_gap = 0, velocity_gap = 0;
};
Status check_loops(Workspace& w, const double* q, const double* v, LoopState& state);

// Moves q until all loops are closed, to rounding (1e-13 or better) where the loops are well posed. Where
// Newton's method fails from q and only dependent coordinates may move, it closes the loops along a path from
// a configuration known to be closed, then from other starts, so that the assembly mode may change.
// Status::infeasible: not closed below loop_tolerance; the independent coordinates may be out of reach, and q
// is the best one found. gap may be null.
Status close_loops(Workspace& w, LoopMoves moves, double* q, double* gap);

// Assembly modes for the independent coordinates of q: distinct closed configurations (nq each, one after
// another) found from `starts` starts of the dependent joints, at most `capacity`. Configurations that differ
// by turns of 2 pi count once.
Status find_assemblies(Workspace& w, const double* q, int starts, int capacity, double* assemblies,
                       int* count);

// v := the nearest velocity that keeps the loops closed: with the same independent velocities, or (all) in
// the metric of the mass matrix, as an impulse without friction would make it.
Status project_velocity(Workspace& w, LoopMoves moves, const double* q, double* v);

// Positions of the joints all of whose coordinates are independent, Model::loops.independent_q: copied from
// q; and q from them by close_loops, starting at guess (nq, or null: the model chooses).
Status independent_positions(Workspace& w, const double* q, double* y);
Status spanning_positions(Workspace& w, const double* y, const double* guess, double* q);

Status independent_velocity(Workspace& w, const double* v, double* ydot);                // and accelerations
Status spanning_velocity(Workspace& w, const double* q, const double* ydot, double* v);  // G ydot
Status spanning_acceleration(Workspace& w, const double* q, const double* v, const double* yddot,
                             double* qdd);
Status independent_force(Workspace& w, const double* q, const double* tau, double* tau_y);  // G^T tau
// The force on independent coordinates alone that is equivalent to tau_y.
Status spanning_force(Workspace& w, const double* tau_y, double* tau);

// G (nv x ny, column-major, leading dimension ldG) and g (nv) at (q, v); v null: at rest. Either output may
// be null.
Status loop_map(Workspace& w, const double* q, const double* v, double* G, int ldG, double* g);
// K (loop rows x nv, column-major, ldK), k and phi (loop rows): K v = 0, K qdd = k. Any output may be null.
Status loop_jacobian(Workspace& w, const double* q, const double* v, double* K, int ldK, double* k,
                     double* phi);

}  // namespace tenon
