// What exact kinematic loops cost: forward dynamics of robots with geared motors against the same robots with
// their rotors as armature, and of linkages.
//
//     loop_cost [--seconds 0.5] [--model NAME]...
//
// Both models of a robot are timed in turn, so that what else the machine does meets both; the fastest of all
// rounds counts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "studies/loop_methods.hpp"
#include "support/timing.hpp"
#include "tenon/dynamics.hpp"

namespace {

using namespace tenon;

constexpr int state_count = 1000;
// States of a round: short beside the time that a busy machine gives at once.
constexpr int round_count = 100;

// A model at many states on its loops.
class Timed {
 public:
  explicit Timed(const std::shared_ptr<const Model>& model)
      : w_(std::make_unique<Workspace>(model)),
        states_(bench::closed_states(*w_, state_count)),
        qdd_(static_cast<std::size_t>(model->nv)) {}

  // The next states, one after another.
  void run() {
    for (int call = 0; call < round_count; ++call) {
      const bench::ClosedState& s = states_[next_];
      if (forward_dynamics(*w_, s.q.data(), s.v.data(), s.tau.data(), nullptr, qdd_.data()) < Status::ok)
        throw std::runtime_error(w_->message());
      if (++next_ == states_.size()) next_ = 0;
    }
  }

 private:
  std::unique_ptr<Workspace> w_;
  std::vector<bench::ClosedState> states_;
  std::vector<double> qdd_;
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
