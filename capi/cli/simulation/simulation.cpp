#include "simulation/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace client {
namespace {

// The angle of R R0^T. From its skew part, whose size is 2 sin(angle): exact for small angles, where 1 - cos
// is not.
double angle_between(const std::array<double, 9>& R, const std::array<double, 9>& R0) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += R[i + 3 * k] * R0[j + 3 * k];
    return sum;
  };
  const double sine =
      std::hypot(entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1));
  return std::atan2(sine, entry(0, 0) + entry(1, 1) + entry(2, 2) - 1);
}

// Enough for a median; a longer run need not keep more.
constexpr std::size_t most_timings = 1000000;

class Run {
 public:
  Run(tenon_workspace* workspace, const tenon_model* model, const ContactSet& contacts,
      const SimulationSettings& settings, const Vector& q, const Vector& v)
      : workspace_(workspace),
        contacts_(contacts),
        settings_(settings),
        nv_(static_cast<std::size_t>(tenon_model_nv(model))),
        has_loops_(tenon_model_loop_count(model) > 0),
        tau_(nv_),
        qdd_(nv_),
        moved_(nv_) {
    sample_.q = q;
    sample_.v = v;
    sample_.lambda.resize(contacts.rows);
    before_ = q;
    tenon_solve_options_init(&options_, sizeof options_);
    options_.method = settings.method;
    check(tenon_workspace_anchor_here(workspace_, q.data(), q.size()), workspace_, "anchoring the contacts");
    statistics_.microseconds.reserve(std::min(most_timings, step_count(settings) + 1));
  }

  // Forces and books at the state of step k.
  const Sample& observe(std::size_t step, const Torque& torque) {
    sample_.t = static_cast<double>(step) * settings_.dt;
    torque(sample_.t, sample_.q, sample_.v, tau_);
    solve();
    measure();
    return sample_;
  }

  void advance() {
    before_ = sample_.q;
    const auto step = settings_.runge_kutta ? tenon_step_runge_kutta_4 : tenon_step_semi_implicit_euler;
    check_alive(step(workspace_, &options_, settings_.dt, sample_.q.data(), sample_.q.size(),
                     sample_.v.data(), nv_, tau_.data(), nv_, nullptr, 0, nullptr, 0, nullptr, 0));
    if (has_loops_) close_again();
    check(tenon_difference(workspace_, before_.data(), before_.size(), sample_.q.data(), sample_.q.size(),
                           moved_.data(), nv_),
          workspace_, "measuring the motion");
    for (std::size_t i = 0; i < nv_; ++i) sample_.work += tau_[i] * moved_[i];
  }

  SolveStatistics& statistics() { return statistics_; }

 private:
  void solve() {
    const auto begin = std::chrono::steady_clock::now();
    const tenon_status status = tenon_constrained_dynamics(
        workspace_, &options_, sample_.q.data(), sample_.q.size(), sample_.v.data(), nv_, tau_.data(), nv_,
        nullptr, 0, nullptr, 0, qdd_.data(), nv_, sample_.lambda.data(), sample_.lambda.size());
    const auto end = std::chrono::steady_clock::now();
    check_alive(status);
    ++statistics_.solves;
    if (statistics_.microseconds.size() < most_timings)
      statistics_.microseconds.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    statistics_.at_iteration_limit += status == TENON_MAX_ITERATIONS;
    statistics_.infeasible += status == TENON_INFEASIBLE;
    tenon_solve_report report;
    tenon_solve_report_init(&report, sizeof report);
    check(tenon_workspace_report(workspace_, &report), workspace_, "reading the report");
    statistics_.most_iterations = std::max(statistics_.most_iterations, report.iterations);
    statistics_.largest_residual = std::max(statistics_.largest_residual, report.primal_residual);
  }

  // A step leaves loops open by the error of the integrator; this does not pile up where they are closed
  // again.
  void close_again() {
    Vector& q = sample_.q;
    check_alive(tenon_loop_gap(workspace_, q.data(), q.size(), &sample_.loop_gap));
    tenon_closing_options all;
    tenon_closing_options_init(&all, sizeof all);
    all.moves = TENON_LOOP_MOVES_ALL;
    check_alive(tenon_close_loops(workspace_, &all, q.data(), q.size(), nullptr));
    check_alive(tenon_close_loop_velocities(workspace_, &all, q.data(), q.size(), sample_.v.data(), nv_));
  }

  // A motion that runs away shows as numbers that are not finite; what helps is not in the library's message.
  void check_alive(tenon_status status) const {
    if (status == TENON_NOT_FINITE || status == TENON_NOT_NORMALIZED)
      throw Failure(
          format("the motion ran away at t = %.6g s (%s); take a smaller --dt, softer torques or gains, or a "
                 "start posture farther from singular.",
                 sample_.t, tenon_workspace_message(workspace_)));
    check(status, workspace_, format("solving at t = %.6g s", sample_.t).c_str());
  }

  void measure() {
    check(tenon_kinematics(workspace_, sample_.q.data(), sample_.q.size(), sample_.v.data(), nv_, nullptr, 0),
          workspace_, "measuring the energy");
    check(tenon_energy(workspace_, &sample_.kinetic, &sample_.potential), workspace_, "measuring the energy");
    std::vector<Placed> now = place_contacts();
    if (start_.empty()) start_ = now;
    sample_.drift_position = sample_.drift_angle = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto& p = now[i].point;
      const auto& p0 = start_[i].point;
      sample_.drift_position =
          std::max(sample_.drift_position, std::hypot(p[0] - p0[0], p[1] - p0[1], p[2] - p0[2]));
      if (contacts_.contacts[i].weld)
        sample_.drift_angle =
            std::max(sample_.drift_angle, angle_between(now[i].rotation, start_[i].rotation));
    }
  }

  // Drift is measured on the poses of links, not on what the solver holds to be its error. Needs
  // tenon_kinematics.
  std::vector<Placed> place_contacts() const {
    std::vector<Placed> all;
    for (const Contact& contact : contacts_.contacts) {
      Placed placed = place(workspace_, contact.link);
      placed.point = placed.at(contact.point);
      all.push_back(placed);
    }
    return all;
  }

  tenon_workspace* workspace_;
  const ContactSet& contacts_;
  SimulationSettings settings_;
  std::size_t nv_;
  bool has_loops_;
  Vector tau_, qdd_, moved_, before_;
  std::vector<Placed> start_;  // contacts at the start
  Sample sample_;
  tenon_solve_options options_;
  SolveStatistics statistics_;
};

}  // namespace

double SolveStatistics::median_microseconds() const {
  if (microseconds.empty()) return 0;
  Vector sorted = microseconds;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

void close_loops(tenon_workspace* workspace, Vector& q, Vector& v) {
  double gap = 0;
  const tenon_status status = tenon_close_loops(workspace, nullptr, q.data(), q.size(), &gap);
  if (status == TENON_INFEASIBLE)
    throw Failure(
        format("the loops of the robot stay open by %.3g (m or rad) at this start posture; give positions "
               "within the reach of its linkages.",
               gap));
  check(status, workspace, "closing the loops at the start");
  check(tenon_close_loop_velocities(workspace, nullptr, q.data(), q.size(), v.data(), v.size()), workspace,
        "closing the loops at the start");
}

std::size_t step_count(const SimulationSettings& settings) {
  return static_cast<std::size_t>(std::llround(settings.duration / settings.dt));
}

SolveStatistics simulate(tenon_workspace* workspace, const tenon_model* model, const ContactSet& contacts,
                         const SimulationSettings& settings, const Vector& q, const Vector& v,
                         const Torque& torque, const Observer& observer) {
  Run run(workspace, model, contacts, settings, q, v);
  const std::size_t steps = step_count(settings);
  for (std::size_t step = 0; step <= steps; ++step) {
    observer(step, steps, run.observe(step, torque));
    if (step < steps) run.advance();
  }
  return std::move(run.statistics());
}

}  // namespace client
