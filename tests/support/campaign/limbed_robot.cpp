#include "support/campaign/limbed_robot.hpp"

#include <string>
#include <vector>

#include "support/geared_robot.hpp"
#include "support/loop_scene.hpp"

namespace tenon::testing {
namespace {

GearOptions gears_of(Limbs kind) {
  GearOptions gears;
  if (kind != Limbs::plain_rotors) return gears;
  gears.symmetric = gears.parallel = gears.on_parent = 1;
  gears.belt = 0;
  gears.revolute_only = true;
  return gears;
}

Mechanism random_limb(Random& shape, Limbs kind) {
  if (kind == Limbs::loops) return random_loop_scene(shape.bits(), 2).mechanism;
  MechanismOptions options;
  options.shape = shape.chance(0.7) ? Shape::chain : Shape::random;
  options.links = shape.integer(2, 7);
  options.hinges_only = true;
  return random_mechanism(shape, options);
}

// The Random of the limbs' shape is copied, so that all have the same joints; `own` draws what differs.
void add_limb(Random shape, Random& own, const std::string& prefix, const std::string& parent, Limbs kind,
              Mechanism& robot) {
  Mechanism limb = random_limb(shape, kind);
  const bool closed = kind == Limbs::loops;  // the same lengths in all limbs
  MechanismJoint hip;
  if (closed)
    hip.type = JointType::revolute, hip.axis = shape.direction();
  else
    hip = limb.joints.front();
  hip.parent = "what carries the limb", hip.child = limb.links.front().name, hip.name = "hip";
  limb.joints.push_back(hip);
  if (kind == Limbs::plain_rotors || kind == Limbs::any_gears) add_gears(shape, limb, gears_of(kind));
  for (MechanismLink& link : limb.links) {
    const bool rotor = link.name.rfind("rotor_", 0) == 0;
    link.name = prefix + link.name;
    link.mass *= own.uniform(0.5, 2);
    const double scale = own.uniform(0.5, 1);  // of rotors in all directions: they stay on their axes
    for (double& x : link.center_of_mass) x *= rotor ? scale : own.uniform(0.5, 1);
    for (double& x : link.inertia) x *= rotor ? scale : 1;
    robot.links.push_back(link);
  }
  for (MechanismJoint& joint : limb.joints) {
    joint.name = prefix + joint.name;
    joint.parent = joint.parent == hip.parent ? parent : prefix + joint.parent;
    joint.child = prefix + joint.child;
    if (!closed) joint.origin.translation = own.vector(0.4);
    if (own.chance(0.2)) joint.armature = own.uniform(0, 0.2);
    if (!closed && own.chance(0.5))
      for (double& x : joint.axis) x = -x;
    robot.joints.push_back(joint);
  }
  for (MechanismCoupling& gear : limb.couplings) {
    gear.name = prefix + gear.name;
    for (auto* joints : {&gear.dependent, &gear.independent})
      for (std::string& joint : *joints) joint = prefix + joint;
    if (!closed) gear.ratios[0] *= own.uniform(0.5, 1.5);
    robot.couplings.push_back(gear);
  }
  const auto add_ties = [&](const auto& from, auto& to) {
    for (auto tie : from) {
      for (std::string* name : {&tie.name, &tie.predecessor, &tie.successor}) *name = prefix + *name;
      to.push_back(tie);
    }
  };
  add_ties(limb.loops, robot.loops);
  add_ties(limb.gears, robot.gears);
}

}  // namespace

Robot robot_with_limbs(std::uint64_t seed, Limbs kind) {
  Random random(seed * 77 + 5);
  Robot robot;
  MechanismOptions options;
  options.links = kind == Limbs::on_base ? 1 : random.integer(1, 8);
  robot.mechanism = random_mechanism(random, options);
  if (kind == Limbs::plain_rotors || kind == Limbs::any_gears)
    add_gears(random, robot.mechanism, gears_of(kind));
  const int sets = random.integer(1, kind == Limbs::loops ? 1 : 3);
  for (int set = 0; set < sets; ++set) {
    const Random shape(random.bits());
    std::vector<std::string> bodies;
    for (const MechanismLink& link : robot.mechanism.links)
      if (link.name.find("rotor_") == std::string::npos) bodies.push_back(link.name);
    const int limbs = random.integer(1, kind == Limbs::loops ? 4 : 6);
    const int last = kind == Limbs::on_base ? 0 : static_cast<int>(bodies.size()) - 1,
              first = random.integer(0, last);
    for (int limb = 0; limb < limbs; ++limb) {
      const int on = random.chance(0.5) ? first : random.integer(0, last);
      add_limb(shape, random, "set_" + std::to_string(set) + "_limb_" + std::to_string(limb) + "_",
               bodies[static_cast<std::size_t>(on)], kind, robot.mechanism);
    }
  }
  robot.options.floating_base = random.chance(0.5);
  if (random.chance(0.2)) robot.options.gravity = random.vector(10);
  try {
    robot.model = Model::compile(robot.mechanism, robot.options);
  } catch (const Error&) {
    if (kind != Limbs::loops) throw;
  }
  return robot;
}

std::vector<ConstraintSpec> rows_on_limbs(Random& random, const Robot& robot, bool few) {
  std::vector<ConstraintSpec> specs;
  std::vector<std::uint32_t> rows_of_set;
  for (int set = 0; set < 3; ++set) {
    rows_of_set.push_back(random.chance(0.6) ? rows_linear : rows_all);
    if (few) rows_of_set.back() = 1u << random.integer(0, 2) | 1u << random.integer(3, 5);
  }
  for (std::size_t link = 0; link < robot.model->links.size(); ++link) {
    const std::string& name = robot.model->links[link].name;
    const bool on_limb = name.rfind("set_", 0) == 0;
    if (on_limb ? name.substr(name.size() - 6) != "link_1" || random.chance(0.3) : random.chance(0.9))
      continue;
    ConstraintSpec spec;
    spec.link = static_cast<int>(link);
    spec.frame = random.pose(0.3);
    const int set = on_limb ? name[4] - '0' : 0;
    spec.rows = rows_of_set[static_cast<std::size_t>(set)];
    spec.axes = on_limb && set != 1 ? RowAxes::link : RowAxes::world;
    if (random.chance(0.3)) spec.frequency = random.uniform(1, 10);
    // Rows that give way have one answer, however many there are.
    for (int k = few ? 0 : row_count(spec); k > 0; --k) spec.compliance.push_back(random.uniform(0.01, 0.5));
    specs.push_back(spec);
  }
  return specs;
}

}  // namespace tenon::testing
