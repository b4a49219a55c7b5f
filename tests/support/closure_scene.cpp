#include "support/closure_scene.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace tenon::testing {
namespace {

using reference::WorldPose;

WorldPose<Real> world_pose(const Oracle& oracle, int link, const Pose& frame) {
  const auto local = reference::to_world_pose<Real>(frame);
  return link < 0 ? local : oracle.dynamics.link_pose(link) * local;
}

std::uint32_t random_rows(Random& random) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.35) return rows_linear;
  if (kind < 0.6) return rows_all & ~(1u << random.integer(0, 2));  // hinges
  if (kind < 0.8) return rows_all;
  return static_cast<std::uint32_t>(random.integer(1, 63));
}

// Any two links of which at least one moves; not the same body, if it can be helped.
std::pair<int, int> random_links(Random& random, const Model& model) {
  const int links = static_cast<int>(model.links.size());
  int first = 0, second = -1;
  for (int attempt = 0; attempt < 20; ++attempt) {
    first = random.chance(0.05) ? -1 : random.integer(0, links - 1);
    second = random.chance(0.1) ? -1 : random.integer(0, links - 1);
    const auto body = [&](int link) {
      return link < 0 ? -1 : model.links[static_cast<std::size_t>(link)].body;
    };
    if (first != second && (body(first) != body(second) || random.chance(0.02))) return {first, second};
  }
  return {0, -1};
}

void random_numbers(Random& random, double probability, std::size_t count, double low, double high,
                    bool exponential, std::vector<double>& x) {
  if (!random.chance(probability)) return;
  for (std::size_t k = 0; k < count; ++k) {
    const double value = random.uniform(low, high);
    x.push_back(exponential ? std::exp(value) : random.chance(0.5) ? value : 0);
  }
}

Robot robot_with_links(std::uint64_t seed, int most_links) {
  // A loop needs something to go round.
  for (;; seed += 0x10000000000u) {
    Robot robot = random_robot(seed, most_links);
    if (robot.model->nv > 2 && robot.model->links.size() > 1) return robot;
  }
}

std::vector<ConstraintSpec> scene_specs(Random& random, const Robot& robot, const State& state,
                                        SceneKind kind) {
  Oracle oracle(robot);
  oracle.set_state(state.q, state.v);
  const bool few = kind == SceneKind::independent || kind == SceneKind::redundant;
  ClosureOptions loops;
  if (few) loops.most_rows = std::min(20, std::max(1, robot.model->nv / 2));
  ConstraintOptions contacts;
  contacts.most_rows = few ? std::min(10, robot.model->nv / 5) : 12;
  if (kind == SceneKind::compliant) loops.compliance = contacts.compliance = 0.7;
  std::vector<ConstraintSpec> specs = random_closures(random, *robot.model, oracle, loops);
  if (kind == SceneKind::redundant || kind == SceneKind::contradictory) {
    specs.push_back(specs.front());
    specs.back().name += "_twin";
    if (kind == SceneKind::contradictory) {  // along the other frame's axes
      std::swap(specs.back().link, specs.back().second_link);
      std::swap(specs.back().frame, specs.back().second_frame);
    }
    specs.back().weight.clear();
    specs.back().compliance.clear();
  }
  for (const ConstraintSpec& spec : random_constraints(random, *robot.model, contacts))
    specs.insert(specs.begin() + random.integer(0, static_cast<int>(specs.size())), spec);
  return specs;
}

}  // namespace

Pose coinciding_frame(const Oracle& oracle, int first, const Pose& frame, int second) {
  const WorldPose<Real> X = world_pose(oracle, first, frame);
  const WorldPose<Real> B = world_pose(oracle, second, {});
  const auto R = (B.R.transpose() * X.R).eval();
  const auto p = (B.R.transpose() * (X.p - B.p)).eval();
  Pose pose;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      pose.rotation[static_cast<std::size_t>(3 * i + j)] = static_cast<double>(R(i, j));
    pose.translation[static_cast<std::size_t>(i)] = static_cast<double>(p(i));
  }
  return pose;
}

std::vector<ConstraintSpec> random_closures(Random& random, const Model& model, const Oracle& oracle,
                                            const ClosureOptions& options) {
  std::vector<ConstraintSpec> specs;
  const int wanted = random.integer(1, options.most);
  int rows = 0;
  while (static_cast<int>(specs.size()) < wanted) {
    const auto [first, second] = random_links(random, model);
    const Pose frame = random.pose(0.3);
    Pose other = coinciding_frame(oracle, first, frame, second);
    if (random.chance(options.open)) {
      Pose off;
      off.rotation =
          rotation_from_rpy(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
      off.translation = random.vector(0.1);
      other = other * off;
    }
    ConstraintSpec spec = closure_constraint(first, frame, second, other, random_rows(random));
    while (row_count(spec) > options.most_rows) spec.rows &= spec.rows - 1;
    spec.name = "closure_" + std::to_string(specs.size());
    if (random.chance(options.stabilisation)) spec.frequency = random.uniform(1, 10);
    if (random.chance(0.5)) spec.damping_ratio = random.uniform(0.5, 2);
    const std::size_t count = static_cast<std::size_t>(row_count(spec));
    rows += static_cast<int>(count);
    if (!specs.empty() && rows > options.most_rows) break;
    random_numbers(random, options.weights, count, -2, 2, true, spec.weight);
    random_numbers(random, options.compliance, count, 0, 0.5, false, spec.compliance);
    specs.push_back(spec);
  }
  return specs;
}

std::unique_ptr<ConstrainedScene> closure_scene(std::uint64_t seed, SceneKind kind, int most_links) {
  Random random(seed + 0x3000000);
  Robot robot = robot_with_links(seed, most_links);
  State state = random_state(random, *robot.model);
  std::vector<ConstraintSpec> specs = scene_specs(random, robot, state, kind);
  auto scene = std::make_unique<ConstrainedScene>(std::move(robot), std::move(state), std::move(specs));
  const double reach = kind == SceneKind::redundant || random.chance(0.3) ? 0 : 5;
  for (double& x : scene->desired) x = random.uniform(-reach, reach);
  std::vector<Pose> anchors;
  for (std::size_t i = 0; i < scene->set->specs().size(); ++i) anchors.push_back(random.pose(0.5));
  scene->set_anchors(anchors);
  return scene;
}

std::unique_ptr<ConstrainedScene> solved_scene(std::uint64_t seed, SceneKind kind, bool closures,
                                               int most_links) {
  auto scene = closures ? closure_scene(seed, kind, most_links)
                        : std::make_unique<ConstrainedScene>(seed, kind, most_links);
  if (scene->rows() == 0) return nullptr;
  scene->solve_reference();
  return scene->expected_status == Status::ok ? std::move(scene) : nullptr;
}

std::vector<Method> closure_methods(bool clusters) {
  std::vector<Method> methods;
  for (const Method method : available_methods())
    if (method == Method::automatic || find_facts(method)->takes_inter_body_rows(clusters))
      methods.push_back(method);
  return methods;
}

}  // namespace tenon::testing
