#include "support/moving.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {

Eigen::VectorXd random_vector(Random& random, int n, double reach) {
  Eigen::VectorXd x(n);
  for (double& e : x) e = random.uniform(-reach, reach);
  return x;
}

int random_link(Random& random, const Model& model) {
  return random.integer(0, static_cast<int>(model.links.size()) - 1);
}

std::shared_ptr<const ConstraintSet> random_point(Random& random, const std::shared_ptr<const Model>& model) {
  const int link = random.integer(1, static_cast<int>(model->links.size()) - 1);
  return ConstraintSet::bind(model, {point_constraint(link, random.vector(0.2))});
}

LoopScene model_scene(const std::string& name, bool floating) {
  CompileOptions options;
  options.floating_base = floating;
  return loop_scene(load_urdf(TENON_MODELS_DIR "/" + name + ".urdf"), options);
}

MovingTree::MovingTree(Robot robot_, int seed)
    : robot(std::move(robot_)),
      random(static_cast<std::uint64_t>(seed)),
      s(random_state(random, *robot.model)),
      w(robot.model),
      oracle(robot) {}

MovingLoops::MovingLoops(const LoopScene& scene, Random& random,
                         const std::shared_ptr<const ConstraintSet>& set)
    : w(scene.model, set),
      independent(scene.model, set),
      q(scene.q),
      y(static_cast<Eigen::Index>(scene.model->loops.independent_q.size())),
      ydot(random_vector(random, scene.model->ny)),
      yddot(random_vector(random, scene.model->ny)),
      v(scene.model->nv),
      g(v.size()),
      G(v.size(), ydot.size()) {
  const State state = random_state(random, *scene.model);
  tau = as_vector(state.tau);
  wrenches = state.wrenches;
  EXPECT_EQ(set_coordinates(independent, Coordinates::spanning, Coordinates::independent), Status::ok);
  EXPECT_EQ(independent_positions(w, q.data(), y.data()), Status::ok);
  closed_ = spanning_velocity(w, q.data(), ydot.data(), v.data()) == Status::ok &&
            loop_map(w, q.data(), v.data(), G.data(), scene.model->nv, g.data()) == Status::ok;
  if (!closed_) return;
  qdd = G * yddot + g;
  tau_y = G.transpose() * tau;
}

std::unique_ptr<Workspace> MovingTree::with(Instructions instructions) const {
  WorkspaceOptions options;
  options.instructions = instructions;
  try {
    auto other = std::make_unique<Workspace>(robot.model, nullptr, options);
    other->set_gravity(w.gravity());
    return other;
  } catch (const Error&) {
    return nullptr;
  }
}

bool MovingLoops::regular(double most) const {
  return closed_ && G.norm() <= most * std::sqrt(static_cast<double>(ydot.size()));
}

}  // namespace tenon::testing
