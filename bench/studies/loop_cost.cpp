// What exact kinematic loops cost: forward and inverse dynamics of robots with geared motors against the same
// robots with their rotors as armature, and of linkages.
//
//     loop_cost [--seconds 0.5] [--model NAME]...
//
//     forward       forward_dynamics
//     inverse       loop_inverse_dynamics: independent accelerations and forces, as [LOOPS2] times it
//     inverse_tree  inverse_dynamics: accelerations and forces of all joints
//
// Both models of a robot and all calls are timed in turn, so that what else the machine does meets all of
// them; the fastest of all rounds counts.
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
#include "tenon/loops.hpp"
#include "tenonx/loop_methods.hpp"

namespace {

using namespace tenon;

constexpr int state_count = 1000;
// States of a round: short beside the time that a busy machine gives at once.
constexpr int round_count = 100;

using Call = Status (*)(Workspace& w, const bench::ClosedState& s, const double* qdd, double* out);
struct Task {
  const char* name;
  Call call;
};
constexpr Task tasks[] = {
    {"forward",
     [](Workspace& w, const bench::ClosedState& s, const double*, double* out) {
       return forward_dynamics(w, {s.q.data(), s.v.data(), s.tau.data()}, out);
     }},
    {"inverse",
     [](Workspace& w, const bench::ClosedState& s, const double*, double* out) {
       return loop_inverse_dynamics(w, LoopMethod::automatic, s.q.data(), s.v.data(), s.yddot.data(), nullptr,
                                    out);
     }},
    {"inverse_tree",
     [](Workspace& w, const bench::ClosedState& s, const double* qdd, double* out) {
       return inverse_dynamics(w, {s.q.data(), s.v.data(), nullptr, nullptr, nullptr, qdd}, out);
     }},
};

// A model at many states on its loops.
class Timed {
 public:
  explicit Timed(const std::shared_ptr<const Model>& model)
      : w_(std::make_unique<Workspace>(model)),
        states_(bench::closed_states(*w_, state_count)),
        qdd_(states_.size() * static_cast<std::size_t>(model->nv)),
        out_(static_cast<std::size_t>(model->nv)) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const bench::ClosedState& s = states_[i];
      check(forward_dynamics(*w_, {s.q.data(), s.v.data(), s.tau.data()}, qdd_of(i)));
    }
  }

  // The next states, one after another.
  void run(Call call) {
    for (int k = 0; k < round_count; ++k) {
      check(call(*w_, states_[next_], qdd_of(next_), out_.data()));
      if (++next_ == states_.size()) next_ = 0;
    }
  }

 private:
  double* qdd_of(std::size_t state) { return qdd_.data() + state * out_.size(); }
  void check(Status status) const {
    if (status < Status::ok) throw std::runtime_error(w_->message());
  }

  std::unique_ptr<Workspace> w_;
  std::vector<bench::ClosedState> states_;
  std::vector<double> qdd_, out_;
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
  std::printf("%-22s %-12s %9s %9s %7s   microseconds a call\n", "robot", "task", "exact", "armature",
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
    for (const Task& task : tasks)
      for (Timed& model : models) calls.push_back([&model, &task] { model.run(task.call); });
    const std::vector<double> fastest = bench::fastest_passes(calls, 1, seconds);
    const double* time = fastest.data();
    for (const Task& task : tasks) {
      const double exact = *time++ * 1e6 / round_count;
      std::printf("%-22s %-12s %9.3f", name, task.name, exact);
      if (models.size() > 1) {
        const double armature = *time++ * 1e6 / round_count;
        std::printf(" %9.3f %7.3f", armature, exact / armature);
      }
      std::printf("\n");
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "loop_cost: %s\n", error.what());
  return 1;
}
