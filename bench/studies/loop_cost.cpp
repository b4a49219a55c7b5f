// What exact kinematic loops cost: forward dynamics of robots with geared motors against the same robots with
// their rotors as armature, and of linkages.
//
//     loop_cost [--seconds 0.5] [--model NAME]...
//
// Both models of a robot are timed in turn, so that what else the machine does meets both; the fastest of all
// rounds counts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "studies/loop_robots.hpp"
#include "support/timing.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace {

using namespace tenon;

constexpr int state_count = 1000;
constexpr int round_count =
    100;  // states of a round: short beside the time that a busy machine gives at once

// A model at many states on its constraint.
class Timed {
 public:
  explicit Timed(const std::shared_ptr<const Model>& model)
      : model_(model), w_(std::make_unique<Workspace>(model)) {
    const std::size_t nq = static_cast<std::size_t>(model_->nq), nv = static_cast<std::size_t>(model_->nv);
    qdd_.resize(nv);
    for (std::uint64_t seed = 1; count() < state_count && seed < 20 * state_count; ++seed) {
      std::vector<double> q(nq), v(nv), tau(nv);
      random_configuration(*model_, seed, q.data());
      for (std::size_t k = 0; k < nv; ++k) v[k] = std::sin(static_cast<double>(7 * k + seed));
      for (std::size_t k = 0; k < nv; ++k) tau[k] = std::cos(static_cast<double>(11 * k + seed));
      if (close_loops(*w_, LoopMoves::all, q.data(), nullptr) != Status::ok) continue;
      if (project_velocity(*w_, LoopMoves::dependent, q.data(), v.data()) != Status::ok) continue;
      q_.insert(q_.end(), q.begin(), q.end());
      v_.insert(v_.end(), v.begin(), v.end());
      tau_.insert(tau_.end(), tau.begin(), tau.end());
    }
  }

  int count() const { return model_->nv == 0 ? 0 : static_cast<int>(v_.size()) / model_->nv; }
  // The next states, one after another.
  void run() {
    const std::size_t nq = static_cast<std::size_t>(model_->nq), nv = static_cast<std::size_t>(model_->nv);
    for (int call = 0; call < round_count; ++call) {
      const std::size_t i = next_;
      if (forward_dynamics(*w_, &q_[i * nq], &v_[i * nv], &tau_[i * nv], nullptr, qdd_.data()) < Status::ok)
        throw std::runtime_error(w_->message());
      if (++next_ == static_cast<std::size_t>(count())) next_ = 0;
    }
  }

 private:
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Workspace> w_;
  std::vector<double> q_, v_, tau_, qdd_;
  std::size_t next_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  double seconds = 0.5;
  std::vector<std::string> only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--seconds") seconds = std::atof(argv[i + 1]);
    if (std::string(argv[i]) == "--model") only.push_back(argv[i + 1]);
  }
  const auto wanted = [&](const char* name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  std::printf("%-22s %9s %9s %7s   microseconds a call of forward_dynamics\n", "robot", "exact", "armature",
              "ratio");
  for (const char* name :
       {"mini_cheetah", "mit_humanoid", "jvrc1", "mit_humanoid_leg", "revolute_rotor_chain", "four_bar",
        "six_bar", "planar_leg_linkage", "strandbeest_leg", "cassie"}) {
    if (!wanted(name)) continue;
    const bench::LoopRobot robot = bench::loop_robot(name);
    std::vector<Timed> models;
    models.emplace_back(robot.exact);
    if (robot.approximate) models.emplace_back(robot.approximate);
    std::vector<std::function<void()>> calls;
    for (Timed& model : models) calls.push_back([&model] { model.run(); });
    std::vector<double> us = bench::fastest_passes(calls, 1, seconds);
    for (double& time : us) time *= 1e6 / round_count;
    std::printf("%-22s %9.3f", name, us[0]);
    if (us.size() > 1) std::printf(" %9.3f %7.3f", us[1], us[0] / us[1]);
    std::printf("\n");
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "loop_cost: %s\n", error.what());
  return 1;
}
