#include "support/constrained_scene.hpp"

#include <algorithm>
#include <utility>

namespace tenon::testing {
namespace {

// The world pose of a constrained frame, moved a little.
Pose anchor_near(const Oracle& oracle, const ConstraintSpec& spec, Random& random) {
  const auto X = oracle.dynamics.link_pose(spec.link) * reference::to_world_pose<Real>(spec.frame);
  Pose pose;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      pose.rotation[static_cast<std::size_t>(3 * i + j)] = static_cast<double>(X.R(i, j));
    pose.translation[static_cast<std::size_t>(i)] = static_cast<double>(X.p(i));
  }
  Pose off;
  off.rotation =
      rotation_from_rpy(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
  off.translation = random.vector(0.1);
  return pose * off;
}

State state_of(std::uint64_t seed, const Robot& robot) {
  Random random(seed);
  return random_state(random, *robot.model);
}

std::vector<ConstraintSpec> specs_of(std::uint64_t seed, const Robot& robot, SceneKind kind) {
  Random random(seed + 0x1000000);
  ConstraintOptions options;
  const bool few = kind == SceneKind::independent || kind == SceneKind::redundant;
  if (few) options.most_rows = std::min(30, std::max(1, robot.model->nv * 3 / 5));
  if (kind == SceneKind::redundant || kind == SceneKind::contradictory) options.duplicates = 0.3;
  if (kind == SceneKind::compliant) options.compliance = 0.7;
  std::vector<ConstraintSpec> specs = random_constraints(random, *robot.model, options);
  if (kind == SceneKind::redundant && !specs.empty()) specs.push_back(specs.back());
  return specs;
}

}  // namespace

std::vector<double> scale_of_user_rows(const ConstraintSet& set) {
  std::vector<double> scale(static_cast<std::size_t>(set.row_count()));
  for (int r = 0; r < set.row_count(); ++r)
    scale[static_cast<std::size_t>(set.data().user_row[r])] = set.data().scale[r];
  return scale;
}

ConstrainedScene::ConstrainedScene(Robot robot_, State state_, std::vector<ConstraintSpec> specs_)
    : robot(std::move(robot_)),
      state(std::move(state_)),
      set(ConstraintSet::bind(robot.model, std::move(specs_))),
      desired(static_cast<std::size_t>(set->row_count()), 0.0),
      anchors(set->specs().size()),
      workspace(robot.model, set),
      oracle(robot),
      rows_oracle(oracle.dynamics.tree(), set->specs()),
      kkt(oracle.dynamics.tree(), set->specs()) {}

ConstrainedScene::ConstrainedScene(std::uint64_t seed, SceneKind kind, int most_links)
    : ConstrainedScene(random_robot(seed, most_links), state_of(seed, random_robot(seed, most_links)),
                       specs_of(seed, random_robot(seed, most_links), kind)) {
  Random random(seed + 0x2000000);
  const double reach = random.chance(0.3) ? 0 : 5;
  oracle.set_state(state.q, state.v);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < set->specs().size(); ++i) {
    const ConstraintSpec& spec = set->specs()[i];
    const bool twin = i > 0 && spec.name == set->specs()[i - 1].name;
    poses.push_back(twin ? poses.back() : anchor_near(oracle, spec, random));
    const int first = set->first_row(static_cast<int>(i)), count = row_count(spec);
    for (int r = first; r < first + count; ++r) {
      double& x = desired[static_cast<std::size_t>(r)];
      x = twin && kind == SceneKind::redundant ? desired[static_cast<std::size_t>(r - count)]
                                               : random.uniform(-reach, reach);
    }
  }
  set_anchors(poses);
}

void ConstrainedScene::set_anchors(const std::vector<Pose>& poses) {
  anchors = poses;
  for (std::size_t i = 0; i < poses.size(); ++i) workspace.set_anchor(static_cast<int>(i), poses[i]);
}

void ConstrainedScene::solve_reference() {
  reference::KktInputs in;
  in.q = state.q.data();
  in.v = state.v.data();
  in.tau = state.tau.data();
  in.wrenches = state.wrenches.data();
  in.desired = desired.data();
  in.anchors = anchors.data();
  in.gravity = robot.options.gravity;
  const std::vector<double> scale = scale_of_user_rows(*set);
  in.scale = scale.data();
  qdd.resize(nv());
  lambda.resize(rows());
  expected_status = kkt.solve(in, {}, qdd.data(), lambda.data(), expected_report);
  oracle.set_state(state.q, state.v);
  rows_oracle.evaluate(oracle.dynamics, desired.data(), anchors.data());
  JT_lambda = joint_force(lambda);
  a_free = oracle.forward_dynamics(state.tau, state.wrenches.data()).cast<double>();
}

Eigen::VectorXd ConstrainedScene::joint_force(const Eigen::VectorXd& multipliers) const {
  return (rows_oracle.J.transpose() * multipliers.cast<Real>()).cast<double>();
}

Status ConstrainedScene::solve(Method method, Eigen::VectorXd& x, Eigen::VectorXd& multipliers,
                               SolveOptions options) {
  options.method = method;
  x.setConstant(nv(), 1e99);
  if (!options.warm_start) multipliers.setConstant(rows(), 1e99);
  return constrained_dynamics(
      workspace, options,
      {state.q.data(), state.v.data(), state.tau.data(), state.wrenches.data(), desired.data()}, x.data(),
      multipliers.data());
}

const std::vector<Method>& available_methods() {
  static const std::vector<Method> methods = [] {
    std::vector<Method> all = {Method::automatic};
    for (const MethodFacts& facts : method_facts)
      if (facts.method != Method::pv_soft) all.push_back(facts.method);
    return all;
  }();
  return methods;
}

}  // namespace tenon::testing
