// The lines that tell how a simulation went.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include "client.hpp"
#include "simulation/contacts.hpp"
#include "simulation/simulation.hpp"

namespace client {

struct Outcome {
  SolveStatistics statistics;
  Sample start, end;
  double worst_drift_position = 0, worst_drift_angle = 0;  // over the whole run
  double worst_loop_gap = 0;                               // m or rad
  double worst_balance = 0;                                // largest |energy less work|, J
  double worst_jump = 0, jump_at = 0;        // largest change of that by one step, J, and its end, s
  double most_kinetic = 0, most_energy = 0;  // J
  void see(std::size_t step, const Sample& sample);
  // Whether one step made or took energy as no error of an integrator that follows the motion does.
  bool broke_the_balance() const {
    return std::abs(worst_jump) > 0.1 * most_kinetic && std::abs(worst_jump) > 1e-9 * most_energy;
  }
};

void print_outcome(std::FILE* to, const tenon_model* model, const ContactSet& contacts,
                   const SimulationSettings& settings, const Outcome& outcome);

// "84 dof, 42 constraint rows, 1 s in steps of 1 ms, Runge-Kutta 4"
std::string describe_run(const tenon_model* model, const ContactSet& contacts,
                         const SimulationSettings& settings);

// The processor's name as the system gives it.
std::string cpu_name();

}  // namespace client
