// Coordinates of models with kinematic loops: section "Kinematic loops" of include/tenon.h, where set_coordinates,
// set_guess and the like are tenon_workspace_..., and project_velocity is tenon_close_loop_velocities. ny of the
// velocity coordinates, Model::loops.independent, determine the others while loops are closed:
//
//   v = G ydot,   qdd = G yddot + g,   tau_y = G^T tau      ([LOOPS1] II-B)
//
// The calls here take spanning coordinates and those that their names say, whatever set_coordinates says. Only the first
// call that projects allocates (workspace.hpp).
//
// Joints of loops that are closed by closure rows (Model::row_loops) stay independent: the maps ignore these
// loops. The guess, loop_gap, check_loops, close_loops, find_assemblies and project_velocity take all loops
// together.
#pragma once

#include "data/inputs.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// Results of the last kinematics and factor_mass_matrix are discarded. unsupported: independent positions of a model
// with a joint only some of whose coordinates are independent.
Status set_coordinates(Workspace& w, Coordinates positions, Coordinates velocities);
Coordinates position_coordinates(Workspace& w);
Coordinates velocity_coordinates(Workspace& w);
int position_count(const Workspace& w);
int velocity_count(const Workspace& w);
// The first guess is a configuration with closed loops that was found when the model was compiled; without loops it is
// neutral, and nothing uses it.
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

// Loops are numbered as Model::loop_count counts; -1 without loops. v null: at rest.
struct LoopState {
  int position_loop = -1, velocity_loop = -1;
  double position_gap = 0, velocity_gap = 0;
};
Status check_loops(Workspace& w, const double* q, const double* v, LoopState& state);

// Where Newton's method fails from q and only dependent coordinates may move, it closes the loops along a path from
// a configuration known to be closed, then from other starts, so that the assembly mode may change. gap may be null.
Status close_loops(Workspace& w, LoopMoves moves, double* q, double* gap);

// nq numbers each, one after another, at most `capacity`.
Status find_assemblies(Workspace& w, const double* q, int starts, int capacity, double* assemblies,
                       int* count);

Status project_velocity(Workspace& w, LoopMoves moves, const double* q, double* v);

// Model::loops.independent_q. guess null: the model chooses.
Status independent_positions(Workspace& w, const double* q, double* y);
Status spanning_positions(Workspace& w, const double* y, const double* guess, double* q);

Status independent_velocity(Workspace& w, const double* v, double* ydot);                // and accelerations
Status spanning_velocity(Workspace& w, const double* q, const double* ydot, double* v);  // G ydot
Status spanning_acceleration(Workspace& w, const double* q, const double* v, const double* yddot,
                             double* qdd);
Status independent_force(Workspace& w, const double* q, const double* tau, double* tau_y);  // G^T tau
Status spanning_force(Workspace& w, const double* tau_y, double* tau);

// v null: at rest. Outputs may be null.
Status loop_map(Workspace& w, const double* q, const double* v, double* G, int ldG, double* g);
// K v = 0, K qdd = k.
Status loop_jacobian(Workspace& w, const double* q, const double* v, double* K, int ldK, double* k,
                     double* phi);

}  // namespace tenon
