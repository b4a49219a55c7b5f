// A constrained simulation through the C API, with the books of energy, drift and solving time that a user
// wants.
#pragma once

#include <functional>

#include "client.hpp"
#include "simulation/contacts.hpp"

namespace client {

struct SimulationSettings {
  double duration = 1;  // s
  double dt = 1e-3;     // s
  bool runge_kutta = true;
  int32_t method = TENON_METHOD_AUTOMATIC;
};

// The state at a moment, and the books up to it.
struct Sample {
  double t = 0;
  Vector q, v, lambda;
  double kinetic = 0, potential = 0;           // J
  double work = 0;                             // of the joint torques since the start, J
  double drift_position = 0, drift_angle = 0;  // largest of all contacts: m, rad
  double loop_gap = 0;  // of kinematic loops, what the step left open before they were closed again: m, rad
  double balance(const Sample& start) const {
    return (kinetic + potential) - (start.kinetic + start.potential) - work;
  }
};

// How the solves of a run went.
struct SolveStatistics {
  std::size_t solves = 0, at_iteration_limit = 0, infeasible = 0;
  int32_t most_iterations = 0;
  double largest_residual = 0;  // m/s^2 or rad/s^2
  Vector microseconds;          // of each of the first million solves
  double median_microseconds() const;
};

// Writes the joint torques at (t, q, v) into tau.
using Torque = std::function<void(double t, const Vector& q, const Vector& v, Vector& tau)>;
// Sees every sample; a sample lives only during the call.
using Observer = std::function<void(std::size_t step, std::size_t steps, const Sample& sample)>;

// Brings a start onto closed kinematic loops: joints that depend on others follow them.
void close_loops(tenon_workspace* workspace, Vector& q, Vector& v);

// Runs from (q, v) with the contacts held where they are at the start; closes kinematic loops after each
// step. Torques are held over a step, so that their work over it is tau . (change of q) exactly, without
// quadrature.
SolveStatistics simulate(tenon_workspace* workspace, const tenon_model* model, const ContactSet& contacts,
                         const SimulationSettings& settings, const Vector& q, const Vector& v,
                         const Torque& torque, const Observer& observer);

std::size_t step_count(const SimulationSettings& settings);

}  // namespace client
