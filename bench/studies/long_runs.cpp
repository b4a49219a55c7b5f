// Do loops stay closed? Linkages swing from rest under gravity without friction; Cassie hangs by its pelvis
// and its motors, springs with dampers, swing the legs around the pose of the model. A step of Runge-Kutta at
// a time, each followed by projection of positions and velocities onto the loops.
//
//     long_runs [--seconds 60] [--rate 1000] [--treatment embed|rows|auto] [--model NAME]...
//
// Reports the largest gap after a step, how far the loops had drifted before projection, and how far the
// total energy is from what it was and what the motors have done since, beside the largest kinetic energy.
// Ends with status 1 where a gap is 1e-9 m or more, a number is not finite, or a step fails.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace {

using namespace tenon;

struct Options {
  double seconds = 60, rate = 1000;
  LoopTreatment treatment = LoopTreatment::embed;
  std::vector<std::string> models;
};

constexpr Vector3 gravity = {0, -7, -7};  // so that linkages in any plane fall
// Of the motors, for the inertia that each sees: a frequency low for the step, rad/s; damping ratio, rad,
// rad/s.
constexpr double frequency = 20, damping_ratio = 0.5, swing = 0.15, turns = 2;

struct Run {
  double gap = 0, drift = 0;                        // after and before projection, m or rad
  double start = 0, kinetic = 0, energy_drift = 0;  // start: with the motors' work since
  bool finite = true;
};

bool failed(const Workspace& w, Status status, const std::string& name, double time) {
  if (static_cast<std::int32_t>(status) >= 0) return false;
  std::printf("%-20s failed after %.3f s: %s\n", name.c_str(), time, w.message());
  return true;
}

// Energy at a state; the largest kinetic one is kept.
double total_energy(Workspace& w, const double* q, const double* v, Run& run) {
  double kinetic = 0, potential = 0;
  kinematics(w, q, v, nullptr);
  energy(w, &kinetic, &potential);
  run.kinetic = std::max(run.kinetic, kinetic);
  return kinetic + potential;
}

// Cassie's motors and the springs of its shins, which its description has as bare joints; linkages have none.
class Motors {
 public:
  Motors(const Model& model, Workspace& w) {
    const auto ends_with = [](const std::string& name, const std::string& end) {
      return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    for (const Model::Joint& joint : model.joints) {
      const bool spring = ends_with(joint.name, "-knee-shin-joint");
      if (!spring && !ends_with(joint.name, "-op")) continue;
      joints_.push_back(&joint);
      swing_.push_back(spring ? 0 : swing);
    }
    // What each sees: a unit torque against the acceleration that it adds, with all else free to move.
    const std::vector<double>& q = model.loops.closed;
    std::vector<double> rest(at(model.nv)), tau(rest), before(rest), after(rest);
    forward_dynamics(w, {q.data(), rest.data(), tau.data()}, before.data());
    for (const Model::Joint* joint : joints_) {
      const std::size_t k = at(joint->v_index);
      tau[k] = 1;
      forward_dynamics(w, {q.data(), rest.data(), tau.data()}, after.data());
      tau[k] = 0;
      rest_.push_back(q[at(joint->q_index)]);
      inertia_.push_back(1 / (after[k] - before[k]));
    }
  }

  void drive(double time, const std::vector<double>& q, const std::vector<double>& v,
             std::vector<double>& tau) const {
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const double wanted = rest_[i] + swing_[i] * std::sin(turns * time + static_cast<double>(i));
      tau[at(joints_[i]->v_index)] = inertia_[i] * frequency *
                                     (frequency * (wanted - q[at(joints_[i]->q_index)]) -
                                      2 * damping_ratio * v[at(joints_[i]->v_index)]);
    }
  }

  // Of constant torques on the way from one configuration to another.
  double work(const std::vector<double>& tau, const std::vector<double>& from,
              const std::vector<double>& to) const {
    double sum = 0;
    for (const Model::Joint* joint : joints_)
      sum += tau[at(joint->v_index)] * (to[at(joint->q_index)] - from[at(joint->q_index)]);
    return sum;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::vector<const Model::Joint*> joints_;
  std::vector<double> rest_, inertia_, swing_;
};

bool simulate(const std::string& name, const Options& options, Run& run) {
  const Mechanism mechanism = load_urdf(TENON_BENCH_MODELS "/" + name + ".urdf");
  CompileOptions compile;
  compile.gravity = gravity;
  compile.loops = options.treatment;
  const auto model = Model::compile(mechanism, compile);
  Workspace w(model);
  const Motors motors(*model, w);
  std::vector<double> q = model->loops.closed, v(static_cast<std::size_t>(model->nv)), tau(v.size()), before;
  run.start = total_energy(w, q.data(), v.data(), run);
  const double dt = 1 / options.rate;
  const long steps = std::lround(options.seconds * options.rate);
  for (long step = 1; step <= steps; ++step) {
    const double time = static_cast<double>(step) * dt;
    double gap = 0;
    before = q;
    motors.drive(time - dt, q, v, tau);
    if (failed(w, step_runge_kutta_4(w, {}, dt, q.data(), v.data(), tau.data(), nullptr, nullptr, nullptr),
               name, time))
      return false;
    if (failed(w, loop_gap(w, q.data(), &gap), name, time)) return false;
    run.drift = std::max(run.drift, gap);
    if (failed(w, close_loops(w, LoopMoves::all, q.data(), &gap), name, time) ||
        failed(w, project_velocity(w, LoopMoves::all, q.data(), v.data()), name, time))
      return false;
    run.gap = std::max(run.gap, gap);
    run.start += motors.work(tau, before, q);
    const double now = total_energy(w, q.data(), v.data(), run);
    run.energy_drift = std::max(run.energy_drift, std::abs(now - run.start));
    run.finite = run.finite && std::isfinite(now);
  }
  return true;
}

bool read(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--seconds")
      options.seconds = std::atof(value.c_str());
    else if (key == "--rate")
      options.rate = std::atof(value.c_str());
    else if (key == "--model")
      options.models.push_back(value);
    else if (key == "--treatment" && value == "embed")
      options.treatment = LoopTreatment::embed;
    else if (key == "--treatment" && value == "rows")
      options.treatment = LoopTreatment::rows;
    else if (key == "--treatment" && value == "automatic")
      options.treatment = LoopTreatment::automatic;
    else
      return false;
  }
  if (options.models.empty()) options.models = {"four_bar", "six_bar", "strandbeest_leg", "cassie"};
  return argc % 2 == 1 && options.seconds > 0 && options.rate > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read(argc, argv, options)) {
    std::fprintf(
        stderr,
        "usage: long_runs [--seconds 60] [--rate 1000] [--treatment embed|rows|auto] [--model NAME]...\n");
    return 2;
  }
  std::printf("%-20s %10s %10s %14s %14s %14s %8s\n", "model", "gap", "drift", "kinetic (J)", "energy drift",
              "relative", "seconds");
  bool good = true;
  for (const std::string& name : options.models) {
    Run run;
    const auto begin = std::chrono::steady_clock::now();
    const bool ended = simulate(name, options, run);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    good = good && ended && run.finite && run.gap < 1e-9;
    std::printf("%-20s %10.1e %10.1e %14.4g %14.2e %14.2e %8.1f\n", name.c_str(), run.gap, run.drift,
                run.kinetic, run.energy_drift, run.energy_drift / run.kinetic, took.count());
  }
  return good ? 0 : 1;
}
