#include "support/campaign_cases.hpp"

#include <algorithm>
#include <cmath>

#include "support/closure_scene.hpp"
#include "support/geared_robot.hpp"
#include "support/oracle.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
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

template <class T, std::size_t n>
T any_of(Random& random, const T (&from)[n]) {
  return from[random.integer(0, static_cast<int>(n) - 1)];
}

// A stream of its own for each part of a case.
Random stream(std::uint64_t seed, std::uint64_t part) {
  Random mixed(seed * 64 + part);
  return Random(mixed.bits());
}

// ---- robots -----------------------------------------------------------------------------------------------

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
    joint.armature *= joint.type == JointType::prismatic ? mass : mass * length * length;
  }
  for (MechanismFrame& frame : m.frames) stretch(frame.placement.translation);
}

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

// ---- contacts ---------------------------------------------------------------------------------------------

struct Hand {
  Random& random;
  CampaignCase& c;
  const Model& model;
  const Oracle& oracle;
};

int any_link(Hand& h) {
  const int links = static_cast<int>(h.model.links.size());
  if (h.random.chance(0.5)) return h.random.integer(0, links - 1);
  // A link on which none hangs.
  std::vector<int> last;
  for (int i = 0; i < links; ++i)
    if (std::none_of(h.model.links.begin(), h.model.links.end(),
                     [&](const Model::Link& link) { return link.parent_link == i; }))
      last.push_back(i);
  return last[static_cast<std::size_t>(h.random.integer(0, static_cast<int>(last.size()) - 1))];
}

Pose any_frame(Hand& h) {
  return h.random.pose(0.3 * h.c.length);
}

RowAxes any_axes(Hand& h) {
  return h.random.chance(0.5) ? RowAxes::link : RowAxes::world;
}

void add(Hand& h, ConstraintSpec spec, int twin = -1) {
  spec.name = "contact_" + std::to_string(h.c.specs.size());
  if (twin < 0 && h.random.chance(0.3) && !h.c.calm) {
    spec.frequency = h.random.uniform(1, 10);
    if (h.random.chance(0.5)) spec.damping_ratio = h.random.uniform(0.5, 2);
  }
  h.c.specs.push_back(std::move(spec));
  h.c.twin.push_back(twin);
}

ConstraintSpec any_contact(Hand& h) {
  ConstraintSpec spec;
  spec.link = any_link(h), spec.frame = any_frame(h), spec.axes = any_axes(h);
  const double kind = h.random.uniform(0, 1);
  if (kind < 0.35)
    spec.rows = rows_linear;
  else if (kind < 0.55)
    spec.rows = rows_all;
  else if (kind < 0.8)
    spec.rows = static_cast<std::uint32_t>(h.random.integer(1, 63));
  else {
    for (int k = 0, count = 6 * h.random.integer(1, 4); k < count; ++k)
      spec.custom.push_back(h.random.uniform(-1, 1) * (k % 6 < 3 ? h.c.length : 1));
    spec.axes = RowAxes::link;
  }
  return spec;
}

int rows_so_far(const CampaignCase& c) {
  int rows = 0;
  for (const ConstraintSpec& spec : c.specs) rows += row_count(spec);
  return rows;
}

// How many rows go without hitting the limit of what can move.
int room(const Hand& h) {
  return std::max(1, h.model.ny * 3 / 5);
}

void add_mixed(Hand& h, int most_rows) {
  const int wanted = h.random.integer(1, 4);
  for (int i = 0; i < wanted; ++i) {
    ConstraintSpec spec = any_contact(h);
    if (i > 0 && rows_so_far(h.c) + row_count(spec) > most_rows) break;
    add(h, spec);
  }
}

void add_points(Hand& h, std::uint32_t rows, int most_rows) {
  const int wanted = h.random.integer(1, 4), each = rows == rows_all ? 6 : 3;
  for (int i = 0; i < wanted && (i == 0 || each * (i + 1) <= most_rows); ++i) {
    ConstraintSpec spec;
    spec.link = any_link(h), spec.frame = any_frame(h), spec.axes = any_axes(h), spec.rows = rows;
    add(h, spec);
  }
}

void add_weights(Hand& h) {
  const double reach = h.random.chance(0.3) ? 9 : 2;
  for (ConstraintSpec& spec : h.c.specs) {
    if (!h.random.chance(0.4)) continue;
    spec.weight.clear();
    for (int k = row_count(spec); k > 0; --k)
      spec.weight.push_back(std::exp(h.random.uniform(-reach, reach)));
  }
}

// Compliance of a row next to what it would be by the mass alone.
double typical_compliance(const Hand& h, const ConstraintSpec& spec, int k) {
  int row = 3;
  if (spec.custom.empty()) {
    unsigned bit = 0;
    for (int seen = -1; bit < 6; ++bit) {
      seen += static_cast<int>(spec.rows >> bit & 1u);
      if (seen == k) break;
    }
    row = static_cast<int>(bit);
  }
  return row < 3 ? 1 / (h.c.mass * h.c.length * h.c.length) : 1 / h.c.mass;
}

void add_compliance(Hand& h, ConstraintSpec& spec, double share, double orders) {
  spec.compliance.clear();
  for (int k = 0; k < row_count(spec); ++k) {
    const double size =
        orders > 0 ? std::pow(10, h.random.uniform(-orders, orders / 3)) : h.random.uniform(0, 0.5);
    spec.compliance.push_back(h.random.chance(share) ? size * typical_compliance(h, spec, k) : 0);
  }
}

void add_twins(Hand& h) {
  const std::size_t count = h.c.specs.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && !h.random.chance(0.5)) continue;
    ConstraintSpec spec = h.c.specs[i];
    add(h, spec, static_cast<int>(i));
    if (h.random.chance(0.2)) add(h, spec, static_cast<int>(i));
  }
}

// Corners of a sole: rows that depend on each other and agree while the link does not turn.
void add_sole(Hand& h) {
  ConstraintSpec spec;
  spec.link = any_link(h), spec.rows = rows_linear, spec.axes = any_axes(h);
  const int corners = h.random.integer(3, 5);
  for (int i = 0; i < corners; ++i) {
    spec.frame.translation = {h.c.length * (i % 2 ? 0.1 : -0.1), h.c.length * (i / 2 % 2 ? 0.05 : -0.05),
                              -0.02 * h.c.length};
    if (i == 4) spec.frame.translation = {0, 0, 0};
    add(h, spec);
  }
}

void add_soft_and_rigid(Hand& h) {
  const double kind = h.random.uniform(0, 1);
  ConstraintSpec spec = any_contact(h);
  if (kind < 0.3) {  // one contact, soft in some rows by very different amounts
    if (h.random.chance(0.5)) spec.rows = rows_all, spec.custom.clear();
    add_compliance(h, spec, 0.7, 9);
    add(h, spec);
  } else if (kind < 0.6) {  // twice, once soft
    add(h, spec);
    const int first = static_cast<int>(h.c.specs.size()) - 1;
    add_compliance(h, spec, h.random.chance(0.5) ? 1 : 0.5, h.random.chance(0.5) ? 9 : 0);
    add(h, spec, first);
    h.c.twins_agree = h.random.chance(0.5);
  } else {  // rigid and soft welds on the same link, more than it can obey
    spec.rows = rows_all, spec.custom.clear();
    for (int i = 0, count = h.random.integer(2, 3); i < count; ++i) {
      spec.frame = any_frame(h);
      spec.compliance.clear();
      if (i == 0 || h.random.chance(0.5)) add_compliance(h, spec, 0.7, h.random.chance(0.5) ? 6 : 0);
      add(h, spec);
    }
  }
}

// A link on the first moving joint of its branch, or the base.
int near_base(Hand& h) {
  std::vector<int> found;
  for (std::size_t i = 0; i < h.model.links.size(); ++i)
    if (h.model.links[i].body <= 2) found.push_back(static_cast<int>(i));
  if (found.empty()) return any_link(h);
  return found[static_cast<std::size_t>(h.random.integer(0, static_cast<int>(found.size()) - 1))];
}

void add_still(Hand& h) {
  const int wanted = h.random.integer(1, 3);
  for (int i = 0; i < wanted; ++i) {
    ConstraintSpec spec;
    spec.link = h.random.chance(0.6) ? near_base(h) : any_link(h);
    spec.axes = any_axes(h);
    spec.rows = h.random.chance(0.6) ? rows_linear : rows_all;
    if (h.random.chance(0.3)) spec.rows = static_cast<std::uint32_t>(h.random.integer(1, 63));
    // On the axis of the joint that moves the link, or beside it by anything down to rounding.
    const int joint = h.model.links[static_cast<std::size_t>(spec.link)].joint;
    if (joint >= 0) {
      const Vector3 axis = h.model.joints[static_cast<std::size_t>(joint)].axis;
      const double along = h.c.length * (h.random.chance(0.3) ? 0 : h.random.uniform(-0.5, 0.5));
      for (std::size_t k = 0; k < 3; ++k) spec.frame.translation[k] = along * axis[k];
      if (h.random.chance(0.4)) {
        const double beside = h.c.length * std::pow(10, -h.random.uniform(1, 17));
        const Vector3 off = h.random.direction();
        for (std::size_t k = 0; k < 3; ++k) spec.frame.translation[k] += beside * off[k];
      }
    }
    if (h.random.chance(0.5)) spec.frame.rotation = h.random.pose(0).rotation;
    add(h, spec);
  }
  if (h.random.chance(0.4)) add_mixed(h, rows_so_far(h.c) + room(h));
}

void add_closures(Hand& h) {
  ClosureOptions options;
  options.most = 3;
  options.most_rows = h.random.chance(0.5) ? room(h) : 20;
  options.weights = 0.2;
  options.stabilisation = h.c.calm ? 0 : 0.3;
  options.compliance = h.random.chance(0.2) ? 0.5 : 0;
  for (ConstraintSpec& spec : random_closures(h.random, h.model, h.oracle, options)) {
    h.c.specs.push_back(spec);
    h.c.twin.push_back(-1);
  }
  const int first = static_cast<int>(h.c.specs.size()) - 1;
  if (h.random.chance(0.25)) {
    const ConstraintSpec again = h.c.specs.back();
    add(h, again, first);
    h.c.twins_agree = h.random.chance(0.5);
  }
  if (h.random.chance(0.5)) add_mixed(h, rows_so_far(h.c) + room(h) / 2);
}

void draw_contacts(Hand& h) {
  switch (h.c.contact_kind) {
    case ContactKind::points:
      add_points(h, rows_linear, room(h));
      break;
    case ContactKind::welds:
      add_points(h, rows_all, room(h));
      break;
    case ContactKind::mixed:
      add_mixed(h, room(h));
      if (h.random.chance(0.3)) add_weights(h);
      break;
    case ContactKind::agreeing:
      if (h.random.chance(0.3)) {
        add_sole(h);
      } else {
        add_mixed(h, room(h));
        add_twins(h);
      }
      if (h.random.chance(0.3)) add_weights(h);
      break;
    case ContactKind::contradicting:
      add_mixed(h, room(h));
      add_twins(h);
      h.c.twins_agree = false;
      if (h.random.chance(0.5)) add_weights(h);
      break;
    case ContactKind::soft:
      add_mixed(h, h.random.chance(0.5) ? room(h) : 30);
      if (h.random.chance(0.3)) add_twins(h);
      for (ConstraintSpec& spec : h.c.specs)
        if (h.random.chance(0.7)) add_compliance(h, spec, 0.5, 0);
      break;
    case ContactKind::soft_rigid:
      add_soft_and_rigid(h);
      if (h.random.chance(0.3)) add_mixed(h, rows_so_far(h.c) + room(h));
      break;
    case ContactKind::closures:
      add_closures(h);
      break;
    case ContactKind::still:
      add_still(h);
      break;
    case ContactKind::overfull:
      for (int i = 0; i < 12 && rows_so_far(h.c) <= std::min(40, h.model.ny); ++i) {
        ConstraintSpec spec = any_contact(h);
        if (h.random.chance(0.5)) spec.rows = rows_all, spec.custom.clear();
        add(h, spec);
      }
      if (h.random.chance(0.3)) add_weights(h);
      break;
  }
}

// ---- states -----------------------------------------------------------------------------------------------

bool linear_coordinate(JointType type, int k) {
  return type == JointType::prismatic || (type == JointType::planar && k > 0) ||
         (type == JointType::floating && k > 2);
}

void move_away(const CampaignCase& c, std::vector<double>& q) {
  const Model& model = *c.robot.model;
  for (const Model::Joint& joint : model.joints) {
    double* x = q.data() + joint.q_index;
    const int positions = joint.type == JointType::floating    ? 3
                          : joint.type == JointType::planar    ? 2
                          : joint.type == JointType::prismatic ? 1
                                                               : 0;
    for (int k = 0; k < positions; ++k) x[k] *= c.length;
  }
  if (c.robot_kind == RobotKind::far)
    for (std::size_t k = 0; k < 3; ++k) q[k] += c.away[k];
}

void square_positions(Random& random, const Model& model, std::vector<double>& q) {
  for (const Model::Joint& joint : model.joints)
    if (joint.type == JointType::revolute || joint.type == JointType::continuous)
      q[static_cast<std::size_t>(joint.q_index)] = random.integer(-1, 2) * half_pi;
}

// q of the kind asked for, on a tree.
void draw_tree_positions(CampaignCase& c, Random& random, StateKind kind, std::vector<double>& q) {
  const Model& model = *c.robot.model;
  if (kind == StateKind::neutral || kind == StateKind::square || kind == StateKind::near_neutral) {
    neutral(model, q.data());
    if (kind == StateKind::square || (kind == StateKind::near_neutral && random.chance(0.3)))
      square_positions(random, model, q);
  }
  move_away(c, q);
}

double drawn_distance(Random& random, StateKind kind) {
  switch (kind) {
    case StateKind::neutral:
    case StateKind::square:
      return 0;
    case StateKind::near_neutral:
      return std::pow(10, -random.uniform(1, 12));
    default:
      return 0.5;
  }
}

bool has_loops(const Model& model) {
  return !model.loops.clusters.empty() || !model.row_loops.empty();
}

bool draw_positions(CampaignCase& c, Random& random, StateKind kind, std::vector<double>& q) {
  const Model& model = *c.robot.model;
  const bool looped = c.closed.size() > 0;
  if (looped)
    for (int k = 0; k < model.nq; ++k) q[static_cast<std::size_t>(k)] = c.closed(k);
  else
    draw_tree_positions(c, random, kind, q);
  const double distance = drawn_distance(random, kind);
  if (distance == 0 || (!looped && kind != StateKind::near_neutral)) return true;
  // Every coordinate a little away, or one of them.
  Eigen::VectorXd step(model.nv);
  for (double& x : step) x = distance * random.uniform(-1, 1);
  if (random.chance(0.3)) {
    const int k = random.integer(0, model.nv - 1);
    const double only = step(k);
    step.setZero();
    step(k) = only;
  }
  std::vector<double> next(q.size());
  Workspace& w = *c.workspace;
  if (integrate(w, q.data(), step.data(), 1, next.data()) != Status::ok) return false;
  if (looped && has_loops(model) && close_loops(w, LoopMoves::all, next.data(), nullptr) != Status::ok)
    return false;
  q = next;
  return true;
}

bool draw_velocities(CampaignCase& c, Random& random, StateKind kind, CampaignState& s) {
  const Model& model = *c.robot.model;
  for (const Model::Joint& joint : model.joints)
    for (int k = 0; k < joint.nv; ++k)
      if (linear_coordinate(joint.type, k)) s.v[static_cast<std::size_t>(joint.v_index + k)] *= c.length;
  double scale = 1;
  if (kind == StateKind::rest || (kind != StateKind::fast && random.chance(0.3))) scale = 0;
  if (kind == StateKind::fast) scale = std::pow(10, random.uniform(1, 3));
  for (double& x : s.v) x *= scale;
  if (scale == 0) return true;
  // On the loops; where rows alone keep them, now and then not.
  Workspace& w = *c.workspace;
  const bool embedded = !model.loops.clusters.empty(), loops = embedded || !model.row_loops.empty();
  const LoopMoves moves = model.row_loops.empty() ? LoopMoves::dependent : LoopMoves::all;
  if (loops && (embedded || !random.chance(0.2)) &&
      project_velocity(w, moves, s.q.data(), s.v.data()) != Status::ok)
    return false;
  if (!c.calm) return true;
  const Status status = project_velocities(w, s.q.data(), s.v.data());
  return status == Status::ok || status == Status::infeasible;
}

void draw_desired(const CampaignCase& c, Random& random, CampaignState& s) {
  s.desired.assign(static_cast<std::size_t>(c.set->row_count()), 0);
  const double kind = random.uniform(0, 1);
  const double reach = kind < 0.2 || c.calm ? 0 : kind < 0.9 ? 5 : 1e3;
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    const int first = c.set->first_row(static_cast<int>(i)), count = row_count(c.specs[i]);
    const int twin = i < c.twin.size() ? c.twin[i] : -1;
    for (int r = 0; r < count; ++r) {
      double& x = s.desired[static_cast<std::size_t>(first + r)];
      x = random.uniform(-reach, reach);
      if (twin >= 0 && c.twins_agree) x = s.desired[static_cast<std::size_t>(c.set->first_row(twin) + r)];
      if (twin >= 0 && !c.twins_agree && reach == 0 && random.chance(0.7)) x = random.uniform(-2, 2);
    }
  }
}

// Where the frames are, and a little off.
void draw_anchors(CampaignCase& c, Random& random, CampaignState& s) {
  Workspace& w = *c.workspace;
  s.anchors.assign(c.set->specs().size(), Pose{});
  if (anchor_here(w, s.q.data()) != Status::ok) return;
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    Pose off;
    off.rotation =
        rotation_from_rpy(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
    off.translation = random.vector(0.1 * c.length);
    const int twin = i < c.twin.size() ? c.twin[i] : -1;
    s.anchors[i] = twin >= 0 && c.twins_agree ? s.anchors[static_cast<std::size_t>(twin)]
                                              : w.anchor(static_cast<int>(i)) * off;
  }
}

void draw_forces(const CampaignCase& c, Random& random, CampaignState& s) {
  const Model& model = *c.robot.model;
  const double force = c.mass * 20, moment = force * c.length;
  for (const Model::Joint& joint : model.joints)
    for (int k = 0; k < joint.nv; ++k)
      s.tau[static_cast<std::size_t>(joint.v_index + k)] *=
          (linear_coordinate(joint.type, k) ? force : moment) / 20;
  for (std::size_t k = 0; k < s.wrenches.size(); ++k) s.wrenches[k] *= (k % 6 < 3 ? moment : force) / 20;
  if (random.chance(0.2)) std::fill(s.tau.begin(), s.tau.end(), 0);
  if (random.chance(0.5)) s.wrenches.clear();
  const double kind = random.uniform(0, 1);
  if (kind < 0.15) s.gravity = random.vector(10);
  if (kind > 0.95) s.gravity = {0, 0, 0};
}

}  // namespace

const char* name_of(RobotKind kind) {
  static const char* const names[] = {"tree_fixed", "tree_floating", "aligned",        "scaled",
                                      "far",        "geared",        "loops_embedded", "loops_half",
                                      "loops_rows", "linkage",       "model_fixed",    "model_floating"};
  return names[static_cast<int>(kind)];
}
const char* name_of(ContactKind kind) {
  static const char* const names[] = {"points", "welds",      "mixed",    "agreeing", "contradicting",
                                      "soft",   "soft_rigid", "closures", "still",    "overfull"};
  return names[static_cast<int>(kind)];
}
const char* name_of(StateKind kind) {
  static const char* const names[] = {"random", "neutral", "rest", "fast", "square", "near_neutral"};
  return names[static_cast<int>(kind)];
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

void kinds_of_case(std::uint64_t seed, RobotKind& robot, ContactKind& contacts) {
  Random random = stream(seed, 0);
  // Of thirty-two cases: trees are cheap, real robots are not.
  static constexpr int shares[robot_kinds] = {5, 5, 6, 3, 2, 2, 2, 2, 2, 1, 1, 1};
  int pick = random.integer(0, 31), kind = 0;
  while (pick >= shares[kind]) pick -= shares[kind++];
  robot = static_cast<RobotKind>(kind);
  contacts = static_cast<ContactKind>(random.integer(0, contact_kinds - 1));
}

std::unique_ptr<CampaignCase> draw_case(std::uint64_t seed, RobotLibrary& library) {
  auto made = std::make_unique<CampaignCase>();
  CampaignCase& c = *made;
  c.seed = seed;
  kinds_of_case(seed, c.robot_kind, c.contact_kind);
  Random random = stream(seed, 1);
  c.calm = random.chance(0.5);
  c.robot = draw_robot(random, c, library);
  const Model& model = *c.robot.model;
  if (c.closed.size() == 0 && has_loops(model) && !model.loops.closed.empty())
    c.closed = Eigen::Map<const Eigen::VectorXd>(model.loops.closed.data(), model.nq);
  const std::vector<ConstraintSpec> loops = std::move(c.specs);
  c.specs.clear();
  Oracle oracle(c.robot);
  Random contacts = stream(seed, 2);
  State state = random_state(contacts, model);
  if (c.closed.size() > 0)
    state.q.assign(c.closed.data(), c.closed.data() + model.nq);
  else
    move_away(c, state.q);
  oracle.set_state(state.q, state.v);
  Hand hand{contacts, c, model, oracle};
  draw_contacts(hand);
  c.contacts = c.specs.size();
  c.specs.insert(c.specs.end(), loops.begin(), loops.end());
  c.set = ConstraintSet::bind(c.robot.model, c.specs);
  c.workspace = std::make_unique<Workspace>(c.robot.model, c.set);
  return made;
}

StateKind state_kind_of(std::uint64_t seed, int index) {
  Random random = stream(seed, 8 + static_cast<std::uint64_t>(index));
  return static_cast<StateKind>(random.integer(0, state_kinds - 1));
}

bool draw_state(CampaignCase& c, int index, CampaignState& s) {
  Random random = stream(c.seed, 8 + static_cast<std::uint64_t>(index));
  s.kind = static_cast<StateKind>(random.integer(0, state_kinds - 1));
  State drawn = random_state(random, *c.robot.model);
  s.q = drawn.q, s.v = drawn.v, s.tau = drawn.tau, s.wrenches = drawn.wrenches;
  s.gravity = {0, 0, -9.81};
  Random rest(random.bits()), speed(random.bits());
  if (!draw_positions(c, rest, s.kind, s.q) || !draw_velocities(c, speed, s.kind, s)) return false;
  draw_forces(c, random, s);
  draw_desired(c, random, s);
  draw_anchors(c, random, s);
  return true;
}

}  // namespace tenon::testing
