#include "simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace client {
namespace {

class Run {
 public:
  Run(tenon_workspace* workspace, const tenon_model* model, const ContactSet& contacts,
      const SimulationSettings& settings, const Vector& q, const Vector& v)
      : workspace_(workspace),
        contacts_(contacts),
        settings_(settings),
        nv_(static_cast<std::size_t>(tenon_model_nv(model))),
        tau_(nv_),
        qdd_(nv_),
        moved_(nv_),
        error_(contacts.rows) {
    sample_.q = q;
    sample_.v = v;
    sample_.lambda.resize(contacts.rows);
    before_ = q;
    tenon_solve_options_init(&options_, sizeof options_);
    options_.method = settings.method;
    check(tenon_anchor_here(workspace_, q.data(), q.size()), workspace_, "anchoring the contacts");
    statistics_.microseconds.reserve(step_count(settings) + 1);
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
    statistics_.microseconds.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    statistics_.at_iteration_limit += status == TENON_MAX_ITERATIONS;
    statistics_.infeasible += status == TENON_INFEASIBLE;
    tenon_solve_report report;
    tenon_solve_report_init(&report, sizeof report);
    check(tenon_workspace_report(workspace_, &report), workspace_, "reading the report");
    statistics_.most_iterations = std::max(statistics_.most_iterations, report.iterations);
    statistics_.largest_residual = std::max(statistics_.largest_residual, report.primal_residual);
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
    if (contacts_.rows == 0) return;
    check(
        tenon_constraint_rows(workspace_, sample_.q.data(), sample_.q.size(), sample_.v.data(), nv_, nullptr,
                              0, nullptr, 0, 0, nullptr, 0, error_.data(), error_.size(), nullptr, 0),
        workspace_, "measuring the drift");
    sample_.drift_position = sample_.drift_angle = 0;
    for (const Contact& contact : contacts_.contacts) {
      const double* linear = &error_[contact.first_linear_row()];
      sample_.drift_position = std::max(sample_.drift_position, std::hypot(linear[0], linear[1], linear[2]));
      if (!contact.weld) continue;
      const double* angular = &error_[contact.first_row];
      sample_.drift_angle = std::max(sample_.drift_angle, std::hypot(angular[0], angular[1], angular[2]));
    }
  }

  tenon_workspace* workspace_;
  const ContactSet& contacts_;
  SimulationSettings settings_;
  std::size_t nv_;
  Vector tau_, qdd_, moved_, error_, before_;
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
