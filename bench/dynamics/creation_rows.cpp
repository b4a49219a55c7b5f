// How long a workspace takes to make, and the memory that it holds after one solve: a humanoid with hands and 42 rows,
// and a chain of 1,000 links with welds on every sixth, 1,002 rows.
#include <memory>
#include <stdexcept>

#include "dynamics/rows.hpp"

namespace bench {
namespace {

Robot long_chain() {
  Robot robot = chain(1000);
  robot.name = "chain_1000_welds";
  robot.contacts.clear();
  for (int i = 3; i < 1000 && robot.contacts.size() < 167; i += 6 - (i > 990))
    robot.contacts.push_back({"link" + std::to_string(i), {0.2, 0, 0}, 6});
  return robot;
}

void time_creation(benchmark::State& state, const Fixture& fixture) {
  char message[512] = "";
  for (auto _ : state) {
    tenon_workspace* workspace = nullptr;
    if (tenon_workspace_create(fixture.model(), fixture.constraints(), nullptr, &workspace, message,
                               sizeof message) < 0)
      throw std::runtime_error(message);
    state.PauseTiming();
    tenon_workspace_destroy(workspace);
    state.ResumeTiming();
  }
  label(state, fixture, true);
  state.counters["workspace_bytes"] = static_cast<double>(fixture.workspace_bytes());
}

}  // namespace

void register_creation() {
  const auto add = [](const Robot& robot) {
    // Made when the row is run first: the chain takes a while.
    const auto fixture = std::make_shared<std::unique_ptr<Fixture>>();
    register_one(robot.name + "/creation/tenon", [robot, fixture](benchmark::State& state) {
      if (!*fixture) *fixture = std::make_unique<Fixture>(robot, 0);
      time_creation(state, **fixture);
    });
  };
  add(robot_named("atlas_shadow_hands"));
  add(long_chain());
}

}  // namespace bench
