#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace client {

void Outcome::see(std::size_t step, const Sample& sample) {
  if (step == 0) start = end = sample;
  const double jump = sample.balance(start) - end.balance(start);
  if (std::abs(jump) > std::abs(worst_jump)) worst_jump = jump, jump_at = sample.t;
  most_kinetic = std::max(most_kinetic, sample.kinetic);
  most_energy = std::max(most_energy, sample.kinetic + std::abs(sample.potential));
  worst_drift_position = std::max(worst_drift_position, sample.drift_position);
  worst_drift_angle = std::max(worst_drift_angle, sample.drift_angle);
  worst_loop_gap = std::max(worst_loop_gap, sample.loop_gap);
  worst_balance = std::max(worst_balance, std::abs(sample.balance(start)));
  end = sample;
}

void print_outcome(std::FILE* to, const tenon_model* model, const ContactSet& contacts,
                   const SimulationSettings& settings, const Outcome& outcome) {
  const SolveStatistics& solves = outcome.statistics;
  std::fprintf(to, "  degrees of freedom   %d\n", tenon_model_nv(model));
  const std::size_t of_loops = contacts.rows - contacts.contact_rows;
  std::fprintf(to, "  constraint rows      %zu, of %zu contacts", contacts.contact_rows,
               contacts.contacts.size());
  if (of_loops > 0) std::fprintf(to, "; %zu of kinematic loops", of_loops);
  std::fputc('\n', to);
  std::fprintf(to, "  time per solve       %.1f us (median of %zu; method %s)\n",
               solves.median_microseconds(), solves.solves,
               tenon_constant_name(TENON_CONSTANT_METHOD, settings.method));
  if (contacts.rows > 0) {
    std::fprintf(to, "  iterations           at most %d; largest row residual %.1e\n", solves.most_iterations,
                 solves.largest_residual);
  }
  if (contacts.contact_rows > 0) {
    std::fprintf(to, "  contact drift        at most %.2e m", outcome.worst_drift_position);
    if (outcome.worst_drift_angle > 0) std::fprintf(to, ", %.2e rad", outcome.worst_drift_angle);
    std::fprintf(to, "; at the end %.2e m", outcome.end.drift_position);
    if (outcome.worst_drift_angle > 0) std::fprintf(to, ", %.2e rad", outcome.end.drift_angle);
    std::fputc('\n', to);
  }
  if (tenon_model_loop_count(model) > 0)
    std::fprintf(to,
                 "  kinematic loops      closed after every step; it left a gap of at most %.1e (m or rad)\n",
                 outcome.worst_loop_gap);
  std::fprintf(to, "  energy               kinetic %+.4f J, potential %+.4f J since the start\n",
               outcome.end.kinetic - outcome.start.kinetic, outcome.end.potential - outcome.start.potential);
  std::fprintf(
      to,
      "  energy balance       work of torques %+.6f J, change of energy %+.6f J; apart by at most %.1e J\n",
      outcome.end.work,
      outcome.end.kinetic + outcome.end.potential - outcome.start.kinetic - outcome.start.potential,
      outcome.worst_balance);
  if (outcome.broke_the_balance())
    std::fprintf(
        to,
        "  note: the step to t = %g s changed the energy by %+.3g J that no torque gave; take a smaller "
        "--dt (a limb may be straight or folded there: a contact that holds it then asks for "
        "velocities without bounds)\n",
        outcome.jump_at, outcome.worst_jump);
  if (solves.at_iteration_limit > 0)
    std::fprintf(to, "  note: %zu of %zu solves stopped at the iteration limit before the tolerance\n",
                 solves.at_iteration_limit, solves.solves);
  if (solves.infeasible > 0)
    std::fprintf(to,
                 "  note: in %zu of %zu solves the contacts contradict each other; the least-squares motion "
                 "was taken\n",
                 solves.infeasible, solves.solves);
}

std::string describe_run(const tenon_model* model, const ContactSet& contacts,
                         const SimulationSettings& settings) {
  return format("%d degrees of freedom, %zu constraint rows; %g s in steps of %g ms, %s",
                tenon_model_nv(model), contacts.rows, settings.duration, 1e3 * settings.dt,
                settings.runge_kutta ? "Runge-Kutta of order four" : "semi-implicit Euler");
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace client
