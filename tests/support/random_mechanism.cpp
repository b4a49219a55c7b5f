#include "support/random_mechanism.hpp"

#include <algorithm>
#include <cmath>

namespace tenon::testing {
namespace {

constexpr double pi = 3.14159265358979323846;

// A solid box of random size and density, turned and moved in its link: every inertia is physically possible.
MechanismLink random_link(Random& random, const std::string& name) {
  MechanismLink link;
  link.name = name;
  link.mass = std::exp(random.uniform(std::log(0.2), std::log(8.0)));
  link.center_of_mass = random.vector(0.15);
  const Vector3 side = {random.uniform(0.05, 0.4), random.uniform(0.05, 0.4), random.uniform(0.05, 0.4)};
  const double principal[3] = {link.mass / 12 * (side[1] * side[1] + side[2] * side[2]),
                               link.mass / 12 * (side[0] * side[0] + side[2] * side[2]),
                               link.mass / 12 * (side[0] * side[0] + side[1] * side[1])};
  const Matrix3 R = random.pose(0).rotation;
  std::size_t entry = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j, ++entry) {
      for (std::size_t k = 0; k < 3; ++k) link.inertia[entry] += R[3 * i + k] * principal[k] * R[3 * j + k];
    }
  }
  return link;
}

Vector3 random_axis(Random& random) {
  if (random.chance(0.3)) return random.direction();
  Vector3 axis = {0, 0, 0};
  // Length two now and then: axes are normalised when compiled.
  axis[static_cast<std::size_t>(random.integer(0, 2))] =
      (random.chance(0.3) ? -1 : 1) * (random.chance(0.1) ? 2 : 1);
  return axis;
}

// Of both signs, 0.02 to 0.17 m for a radian. share: 0 to 1.
double pitch_of(double share) {
  return share < 0.5 ? -0.02 - 0.3 * share : 0.02 + 0.3 * (share - 0.5);
}

void draw_type(Random& random, bool hinges_only, MechanismJoint& joint) {
  const double x = random.uniform(0, 1);
  joint.type = [&] {
    if (hinges_only)
      return x < 0.75 ? JointType::revolute : x < 0.92 ? JointType::prismatic : JointType::screw;
    if (x < 0.42) return JointType::revolute;
    if (x < 0.50) return JointType::continuous;
    if (x < 0.58) return JointType::prismatic;
    if (x < 0.65) return JointType::screw;
    if (x < 0.73) return JointType::spherical;
    if (x < 0.79) return JointType::planar;
    if (x < 0.82) return JointType::floating;
    if (x < 0.90) return JointType::universal;
    return JointType::fixed;
  }();
  if (joint.type == JointType::screw)
    joint.pitch = pitch_of(hinges_only ? (x - 0.92) / 0.08 : (x - 0.58) / 0.07);
}

int random_parent(Random& random, Shape shape, int link) {
  switch (shape) {
    case Shape::chain:
      return link - 1;
    case Shape::binary:
      return (link - 1) / 2;
    // Up to eight arms of equal length.
    case Shape::star:
      return link <= 8 ? 0 : link - 8;
    case Shape::random:
      break;
  }
  return random.chance(0.5) ? link - 1 : random.integer(0, link - 1);
}

}  // namespace

std::uint64_t Random::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
}

int Random::integer(int low, int high) {
  return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
}

Vector3 Random::direction() {
  for (;;) {
    Vector3 a = vector(1);
    const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    if (length < 0.1 || length > 1) continue;
    for (double& x : a) x /= length;
    return a;
  }
}

void Random::quaternion(double* xyzw) {
  // K. Shoemake, Uniform random rotations, Graphics Gems III, 1992.
  const double u = uniform(0, 1), a = uniform(0, 2 * pi), b = uniform(0, 2 * pi);
  xyzw[0] = std::sqrt(1 - u) * std::sin(a);
  xyzw[1] = std::sqrt(1 - u) * std::cos(a);
  xyzw[2] = std::sqrt(u) * std::sin(b);
  xyzw[3] = std::sqrt(u) * std::cos(b);
}

Pose Random::pose(double reach) {
  Pose pose;
  const bool square = chance(0.5);
  double rpy[3];
  for (double& angle : rpy) angle = square ? integer(-1, 2) * (pi / 2) : uniform(-pi, pi);
  pose.rotation = rotation_from_rpy(rpy[0], rpy[1], rpy[2]);
  pose.translation = vector(reach);
  return pose;
}

Mechanism random_mechanism(Random& random, const MechanismOptions& options) {
  Mechanism mechanism;
  mechanism.name = "random";
  mechanism.source = "random_mechanism";
  for (int i = 0; i < options.links; ++i) {
    const std::string name = "link_" + std::to_string(i);
    mechanism.links.push_back(random_link(random, name));
    if (i == 0) continue;
    MechanismJoint joint;
    joint.name = "joint_" + std::to_string(i);
    joint.child = name;
    joint.parent = "link_" + std::to_string(random_parent(random, options.shape, i));
    draw_type(random, options.hinges_only, joint);
    joint.origin = random.pose(0.4);
    joint.axis = random_axis(random);
    do joint.axis2 = random.direction();
    while (std::abs(joint.axis[0] * joint.axis2[0] + joint.axis[1] * joint.axis2[1] +
                    joint.axis[2] * joint.axis2[2]) > 0.9);
    if (random.chance(0.3)) joint.armature = random.uniform(0, 0.2);
    // A massless link is allowed where it cannot move by itself.
    if (joint.type == JointType::fixed && random.chance(0.3)) {
      mechanism.links.back().mass = 0;
      mechanism.links.back().inertia = {};
    }
    mechanism.joints.push_back(joint);
  }
  for (int i = 0; i < options.links / 8; ++i) {
    const std::string link = "link_" + std::to_string(random.integer(0, options.links - 1));
    mechanism.frames.push_back({"frame_" + std::to_string(i), link, random.pose(0.3)});
  }
  return mechanism;
}

Robot random_robot(std::uint64_t seed, const MechanismOptions& options, bool floating_base) {
  Random random(seed);
  Robot robot;
  // A fixed base with nothing that moves has no coordinates and no dynamics: draw again.
  do {
    robot.mechanism = random_mechanism(random, options);
    robot.options.floating_base = floating_base;
    if (random.chance(0.2)) robot.options.gravity = random.vector(10);
  } while (!floating_base && options.links > 1 &&
           std::all_of(robot.mechanism.joints.begin(), robot.mechanism.joints.end(),
                       [](const MechanismJoint& joint) { return joint.type == JointType::fixed; }));
  robot.model = Model::compile(robot.mechanism, robot.options);
  return robot;
}

Robot random_robot(std::uint64_t seed, int most_links) {
  Random random(~seed);
  MechanismOptions options;
  options.shape = static_cast<Shape>(random.integer(0, 3));
  // As many small robots as large ones.
  options.links = static_cast<int>(std::exp(random.uniform(0, std::log(most_links + 0.999))));
  options.hinges_only = random.chance(0.2);
  return random_robot(seed, options, options.links == 1 || random.chance(0.5));
}

State random_state(Random& random, const Model& model) {
  State state;
  state.q.resize(static_cast<std::size_t>(model.nq));
  for (const Model::Joint& joint : model.joints) {
    double* q = state.q.data() + joint.q_index;
    const int orientation = joint.type == JointType::spherical  ? 0
                            : joint.type == JointType::floating ? 3
                                                                : -1;
    for (int k = 0; k < joint.nq; ++k) q[k] = random.uniform(-1, 1) * (joint.nq == 1 ? 2 : 1);
    if (joint.type == JointType::prismatic) q[0] *= 0.25;
    if (orientation >= 0) random.quaternion(q + orientation);
  }
  const auto fill = [&](std::vector<double>& x, int count, double reach) {
    x.resize(static_cast<std::size_t>(count));
    for (double& e : x) e = random.uniform(-reach, reach);
  };
  fill(state.v, model.nv, 2);
  fill(state.a, model.nv, 5);
  fill(state.tau, model.nv, 20);
  state.wrenches.assign(6 * model.links.size(), 0);
  for (std::size_t link = 0; link < model.links.size(); ++link) {
    if (!random.chance(0.3)) continue;
    for (std::size_t k = 0; k < 6; ++k) state.wrenches[6 * link + k] = random.uniform(-10, 10);
  }
  return state;
}

int row_count(const ConstraintSpec& spec) {
  if (!spec.custom.empty()) return static_cast<int>(spec.custom.size() / 6);
  int count = 0;
  for (unsigned k = 0; k < 6; ++k) count += static_cast<int>(spec.rows >> k & 1u);
  return count;
}

std::vector<ConstraintSpec> random_constraints(Random& random, const Model& model,
                                               const ConstraintOptions& options) {
  std::vector<ConstraintSpec> specs;
  const int links = static_cast<int>(model.links.size());
  const int wanted = random.integer(0, options.most_rows);
  int rows = 0, link = 0;
  while (rows < wanted) {
    ConstraintSpec spec;
    spec.name = "constraint_" + std::to_string(specs.size());
    if (specs.empty() || !random.chance(0.2))
      link = random.integer(0, links - 1);  // else once more on the same link
    spec.link = link;
    spec.frame = random.pose(0.3);
    spec.axes = random.chance(0.5) ? RowAxes::link : RowAxes::world;
    const double kind = random.uniform(0, 1);
    if (kind < 0.4)
      spec.rows = rows_linear;
    else if (kind < 0.6)
      spec.rows = rows_all;
    else if (kind < 0.8)
      spec.rows = static_cast<std::uint32_t>(random.integer(1, 63));
    else {
      for (int k = 6 * random.integer(1, 4); k > 0; --k) spec.custom.push_back(random.uniform(-1, 1));
      spec.axes = RowAxes::link;
    }
    if (random.chance(options.stabilisation)) spec.frequency = random.uniform(1, 10);
    if (random.chance(0.5)) spec.damping_ratio = random.uniform(0.5, 2);
    const std::size_t count = static_cast<std::size_t>(row_count(spec));
    if (rows + static_cast<int>(count) > options.most_rows) break;
    if (random.chance(options.weights))
      for (std::size_t k = 0; k < count; ++k) spec.weight.push_back(std::exp(random.uniform(-2, 2)));
    if (random.chance(options.compliance))
      for (std::size_t k = 0; k < count; ++k)
        spec.compliance.push_back(random.chance(0.5) ? random.uniform(0, 0.5) : 0);
    rows += static_cast<int>(count);
    specs.push_back(spec);
    if (random.chance(options.duplicates) && rows + static_cast<int>(count) <= options.most_rows) {
      rows += static_cast<int>(count);
      specs.push_back(spec);
    }
  }
  return specs;
}

}  // namespace tenon::testing
