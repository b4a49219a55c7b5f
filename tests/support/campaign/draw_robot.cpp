// The robots of the campaign.
#include <algorithm>
#include <cmath>

#include "support/campaign/drawing.hpp"
#include "support/geared_robot.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

constexpr double half_pi = 1.57079632679489661923;

const char* const linkage_files[] = {"four_bar", "six_bar", "planar_leg_linkage", "strandbeest_leg"};
// Small ones more often.
const char* const model_files[] = {
    "double_pendulum", "double_pendulum", "iiwa14",          "iiwa14", "panda_arm",    "panda_arm",
    "solo12",          "solo12",          "chain",           "go1",    "mini_cheetah", "mit_humanoid_leg",
    "tello",           "cassie",          "cassie",          "jvrc1",  "mit_humanoid", "revolute_rotor_chain",
    "shadow_hand",     "solo12",          "double_pendulum", "iiwa14", "chain",        "mit_humanoid_leg",
    "atlas",           "shadow_hand",     "panda_arm",       "cassie", "jvrc1",        "atlas_shadow_hands"};

// Some joints of a random tree meet in a point.
void join_wrists(Random& random, Mechanism& m) {
  if (!random.chance(0.4)) return;
  for (MechanismJoint& joint : m.joints)
    if (random.chance(0.5)) joint.origin.translation = {0, 0, 0};
}

Robot compiled(Mechanism mechanism, const CompileOptions& options) {
  Robot robot;
  robot.mechanism = std::move(mechanism);
  robot.options = options;
  robot.model = Model::compile(robot.mechanism, options);
  return robot;
}

bool moves(const Mechanism& m) {
  return std::any_of(m.joints.begin(), m.joints.end(),
                     [](const MechanismJoint& joint) { return joint.type != JointType::fixed; });
}

int links_of_tree(Random& random) {
  if (random.chance(0.03)) return random.integer(16, 60);
  return static_cast<int>(std::exp(random.uniform(std::log(2.0), std::log(15.999))));
}

Robot draw_tree(Random& random, bool floating, CampaignCase& c, bool geared = false) {
  MechanismOptions options;
  options.shape = static_cast<Shape>(random.integer(0, 3));
  options.links = links_of_tree(random);
  if (geared) options.links = std::min(options.links, 8);
  options.hinges_only = geared || random.chance(0.4);
  Mechanism m;
  do m = random_mechanism(random, options);
  while (!moves(m));
  join_wrists(random, m);
  if (geared) add_gears(random, m);
  scale_mechanism(m, c.length, c.mass);
  CompileOptions how;
  how.floating_base = floating;
  c.title = "tree of " + std::to_string(m.links.size()) + " links";
  return compiled(std::move(m), how);
}

// Rods along x, one after the other or in mirrored pairs; axes of one direction or of all three.
Robot draw_aligned(Random& random, CampaignCase& c) {
  Mechanism m;
  m.name = "aligned", m.source = "campaign";
  const int arms = random.chance(0.5) ? 1 : random.integer(2, 4),
            length = random.integer(1, arms == 1 ? 7 : 3);
  const bool planar = random.chance(0.4), hinges = random.chance(0.7), prime = random.chance(0.3);
  m.links.push_back({"base", 4, {0, 0, 0.05}, {0.1, 0, 0, 0.1, 0, 0.1}});
  int axes[8];
  for (int& axis : axes) axis = planar ? 2 : random.integer(0, 2);
  double rods[8];
  for (double& rod : rods) rod = random.chance(0.25) ? 0 : prime ? 0.1 * random.integer(1, 5) : 0.3;
  for (int arm = 0; arm < arms; ++arm)
    for (int i = 0; i < length; ++i) {
      const std::string name = "rod_" + std::to_string(arm) + "_" + std::to_string(i);
      m.links.push_back({name, 1, {0.15, 0, 0}, {0.004, 0, 0, 0.01, 0, 0.01}});
      MechanismJoint joint;
      joint.name = "hinge_" + std::to_string(arm) + "_" + std::to_string(i);
      joint.type = !hinges && axes[i] == 0 ? JointType::prismatic : JointType::revolute;
      joint.parent = i == 0 ? "base" : "rod_" + std::to_string(arm) + "_" + std::to_string(i - 1);
      joint.child = name;
      joint.axis = {0, 0, 0};
      joint.axis[static_cast<std::size_t>(axes[i])] = 1;
      joint.origin.translation = {i == 0 ? 0 : rods[i - 1], 0, 0};
      if (i == 0 && arms > 1) {
        joint.origin.translation = {arm / 2 ? -0.2 : 0.2, arm % 2 ? 0.1 : -0.1, 0};
        if (random.chance(0.5)) joint.origin.rotation = rotation_from_rpy(0, half_pi, 0);
      }
      m.joints.push_back(joint);
    }
  CompileOptions how;
  how.floating_base = random.chance(0.5);
  c.title = std::to_string(arms) + " aligned arms of " + std::to_string(length) + " rods";
  return compiled(std::move(m), how);
}

void draw_scale(Random& random, CampaignCase& c) {
  const double lengths = random.chance(0.5) ? 1e-3 : 1e3, masses = random.chance(0.5) ? 1e-3 : 1e3;
  const int which = random.integer(0, 2);
  if (which != 1) c.length = lengths;
  if (which != 0) c.mass = masses;
}

std::vector<bool> embedded_loops(Random& random, RobotKind kind, std::size_t loops) {
  std::vector<bool> embedded(loops);
  for (std::size_t i = 0; i < loops; ++i)
    embedded[i] = kind == RobotKind::loops_embedded || (kind == RobotKind::loops_half && random.chance(0.5));
  return embedded;
}

// The loops that are not embedded come with the model or as closures of the user's.
Robot draw_loops(Random& random, CampaignCase& c) {
  c.whole = std::make_unique<LoopScene>(random_loop_scene(random.bits(), 1 + random.integer(0, 4)));
  const LoopScene& whole = *c.whole;
  const std::vector<bool> embedded = embedded_loops(random, c.robot_kind, whole.mechanism.loops.size());
  LoopScene scene = whole;
  if (c.robot_kind != RobotKind::loops_embedded) {
    if (random.chance(0.5)) {
      scene = with_row_loops(whole, embedded);
    } else {
      PartlyEmbedded part = partly_embedded(whole, embedded);
      scene = std::move(part.scene);
      c.specs = std::move(part.closures);
    }
  }
  c.closed = scene.q;
  c.title = std::to_string(whole.mechanism.loops.size()) + " loops, " +
            std::to_string(whole.mechanism.gears.size() + whole.mechanism.couplings.size()) +
            " gears and couplings on " + std::to_string(whole.mechanism.links.size()) + " links";
  Robot robot;
  robot.mechanism = scene.mechanism, robot.options = scene.options, robot.model = scene.model;
  return robot;
}

Robot draw_file(Random& random, CampaignCase& c, RobotLibrary& library) {
  const bool linkage = c.robot_kind == RobotKind::linkage;
  const std::string file = linkage ? any_of(random, linkage_files) : any_of(random, model_files);
  const double kind = random.uniform(0, 1);
  const LoopTreatment treatment = kind < 0.5   ? LoopTreatment::embed
                                  : kind < 0.8 ? LoopTreatment::rows
                                               : LoopTreatment::automatic;
  const bool floating = linkage ? random.chance(0.3) : c.robot_kind == RobotKind::model_floating;
  c.title = file + (floating ? ", floating" : ", fixed") +
            (treatment == LoopTreatment::embed  ? ", loops embedded"
             : treatment == LoopTreatment::rows ? ", loops by rows"
                                                : ", loops automatic");
  return library.robot(file, floating, treatment);
}

}  // namespace

void scale_mechanism(Mechanism& m, double length, double mass) {
  const auto stretch = [&](Vector3& x) {
    for (double& e : x) e *= length;
  };
  for (MechanismLink& link : m.links) {
    link.mass *= mass;
    stretch(link.center_of_mass);
    for (double& e : link.inertia) e *= mass * length * length;
  }
  for (MechanismJoint& joint : m.joints) {
    stretch(joint.origin.translation);
    joint.pitch *= length;
    joint.armature *= joint.type == JointType::prismatic ? mass : mass * length * length;
  }
  for (MechanismFrame& frame : m.frames) stretch(frame.placement.translation);
}

Robot draw_robot(Random& random, CampaignCase& c, RobotLibrary& library) {
  switch (c.robot_kind) {
    case RobotKind::tree_fixed:
      return draw_tree(random, false, c);
    case RobotKind::tree_floating:
      return draw_tree(random, true, c);
    case RobotKind::aligned:
      return draw_aligned(random, c);
    case RobotKind::scaled:
      draw_scale(random, c);
      return draw_tree(random, random.chance(0.5), c);
    case RobotKind::far: {
      const double distance = std::pow(10, random.integer(2, 6));
      c.away = random.direction();
      for (double& x : c.away) x *= distance;
      return draw_tree(random, true, c);
    }
    case RobotKind::geared:
      return draw_tree(random, random.chance(0.5), c, true);
    case RobotKind::loops_embedded:
    case RobotKind::loops_half:
    case RobotKind::loops_rows:
      return draw_loops(random, c);
    case RobotKind::linkage:
    case RobotKind::model_fixed:
    case RobotKind::model_floating:
      break;
  }
  return draw_file(random, c, library);
}

RobotLibrary::RobotLibrary(const std::string& folder) {
  const auto read = [&](const char* file) {
    if (mechanisms_.count(file) == 0) mechanisms_[file] = load_urdf(folder + "/" + file + ".urdf");
  };
  for (const char* file : linkage_files) read(file);
  for (const char* file : model_files) read(file);
}

Robot RobotLibrary::robot(const std::string& file, bool floating, LoopTreatment treatment) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto key = std::make_tuple(file, floating, treatment);
  const auto found = robots_.find(key);
  if (found != robots_.end()) return found->second;
  CompileOptions options;
  options.floating_base = floating;
  options.loops = treatment;
  return robots_[key] = compiled(mechanisms_.at(file), options);
}

}  // namespace tenon::testing
