// The robots of the search: limbs on a base, all numbers from genes.
#include <cmath>

#include "support/campaign/drawing.hpp"
#include "support/campaign/search.hpp"

namespace tenon::testing {
namespace {

struct Part {  // a link and the joint that it hangs on
  MechanismLink link;
  MechanismJoint joint;
  double torque;  // typical of the joint by what it moves
};
struct Limb {
  std::vector<Part> parts;
  Vector3 held = {0, 0, 0};  // in the last link
  std::uint32_t rows = rows_linear;
  bool world = false;
};

void set_inertia(Genes& g, MechanismLink& link, double gyration) {
  const double each = link.mass * gyration * gyration;
  // Any body's: none is larger than the sum of the others.
  link.inertia = {each, 0, 0, each * g.uniform(0.9, 1.2), 0, each * g.uniform(0.9, 1.2)};
}

Part draw_part(Genes& g, double mass, double gyration, double sliders) {
  Part part;
  part.link.mass = mass;
  part.link.center_of_mass = g.vector(0.3);
  set_inertia(g, part.link, gyration);
  part.joint.type = g.chance(sliders) ? JointType::prismatic : JointType::revolute;
  part.joint.axis = g.direction();
  part.joint.origin.translation = g.vector(0.5);
  const double roll = g.uniform(-3, 3), pitch = g.uniform(-1.5, 1.5), yaw = g.uniform(-3, 3);
  if (g.chance(0.5)) part.joint.origin.rotation = rotation_from_rpy(roll, pitch, yaw);
  part.torque = 10 * mass * (part.joint.type == JointType::prismatic ? 1 : gyration * gyration);
  return part;
}

// Beside a point by anything down to rounding, or not at all.
Vector3 beside(Genes& g, double reach) {
  const double distance = g.power(-14, 0) * reach;
  Vector3 off = g.direction();
  for (double& x : off) x *= distance;
  return g.chance(0.4) ? Vector3{0, 0, 0} : off;
}

Limb draw_wrist(Genes& g) {
  Limb limb;
  for (int heavy = g.integer(1, 4); heavy > 0; --heavy)
    limb.parts.push_back(draw_part(g, g.power(0, 0.7), g.uniform(0.05, 0.2), 0.1));
  const double mass = g.power(-6, 0), gyration = g.power(-3, -0.5),
               offset = g.chance(0.3) ? 0 : g.uniform(0, 0.2);
  Vector3 centre = limb.parts.back().joint.origin.translation;  // in the frame of the last link
  for (int light = g.integer(1, 3); light > 0; --light) {
    Part part = draw_part(g, mass * g.power(-0.5, 0.5), gyration, 0);
    part.joint.origin = {};
    for (std::size_t k = 0; k < 3; ++k) {
      part.joint.origin.translation[k] = centre[k] + offset * part.joint.axis[k];
      centre[k] = -offset * part.joint.axis[k];
      part.link.center_of_mass[k] = centre[k] + gyration * g.uniform(-0.5, 0.5);
    }
    limb.parts.push_back(part);
  }
  const Vector3 off = beside(g, 0.1);
  for (std::size_t k = 0; k < 3; ++k) limb.held[k] = centre[k] + off[k];
  return limb;
}

Limb draw_dummies(Genes& g) {
  Limb limb;
  for (int links = g.integer(2, 8); links > 0; --links) {
    const bool dummy = g.chance(0.4);
    Part part = draw_part(g, dummy ? g.power(-9, -3) : g.power(-1, 1), dummy ? g.power(-4, -1) : 0.1, 0.2);
    if (dummy && g.chance(0.5)) part.joint.origin.translation = {0, 0, 0};
    if (dummy) part.link.center_of_mass = beside(g, 0.1);
    limb.parts.push_back(part);
  }
  limb.held = g.vector(0.3);
  return limb;
}

Limb draw_plain(Genes& g) {
  Limb limb;
  for (int links = g.integer(1, 4); links > 0; --links)
    limb.parts.push_back(draw_part(g, g.power(-1, 1), g.power(-2, -0.5), 0.3));
  limb.held = g.vector(0.3);
  return limb;
}

Limb draw_limb(SearchClass kind, Genes& g) {
  Limb limb = kind == SearchClass::light_wrist   ? draw_wrist(g)
              : kind == SearchClass::dummy_links ? draw_dummies(g)
                                                 : draw_plain(g);
  const int rows = g.integer(0, 9), some = g.integer(1, 63);
  if (rows >= 6)
    limb.rows = rows == 6 ? rows_all : rows == 7 ? static_cast<std::uint32_t>(some) : rows_linear;
  limb.world = g.chance(0.3);
  return limb;
}

std::vector<Limb> draw_limbs(SearchClass kind, Genes& g) {
  const int count = kind == SearchClass::switched ? g.integer(2, 4) : g.chance(0.5) ? 1 : g.integer(2, 5);
  const bool alike = g.chance(0.5);
  std::vector<Limb> limbs;
  for (int i = 0; i < count; ++i) {
    limbs.push_back(alike && i > 0 ? limbs[0] : draw_limb(kind, g));
    // Equal limbs hang at their own places.
    limbs.back().parts[0].joint.origin.translation = g.vector(0.5);
  }
  return limbs;
}

struct Scale {
  double length = 1, mass = 1;
};

Mechanism assembled(const std::vector<Limb>& limbs) {
  Mechanism m;
  m.name = "limbs", m.source = "search";
  m.links.push_back({"base", 10, {0, 0, 0.05}, {0.2, 0, 0, 0.25, 0, 0.3}});
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    std::string parent = "base";
    for (std::size_t k = 0; k < limbs[i].parts.size(); ++k) {
      Part part = limbs[i].parts[k];
      part.link.name = part.joint.child = part.joint.name = "l" + std::to_string(i) + "_" + std::to_string(k);
      part.joint.parent = parent;
      parent = part.link.name;
      m.links.push_back(part.link);
      m.joints.push_back(part.joint);
    }
  }
  return m;
}

void draw_motion(Genes& g, const std::vector<Limb>& limbs, const Scale& scale, SearchCase& c) {
  const Model& model = *c.robot.model;
  MotionState& s = c.state;
  s.q.assign(static_cast<std::size_t>(model.nq), 0), s.v.assign(static_cast<std::size_t>(model.nv), 0),
      s.tau = s.v;
  const double speed = g.chance(0.4) ? 0 : g.power(-1, 1);
  for (const Model::Joint& joint : model.joints) {
    double *q = &s.q[static_cast<std::size_t>(joint.q_index)],
           *v = &s.v[static_cast<std::size_t>(joint.v_index)];
    if (joint.type == JointType::floating) {
      const Vector3 place = g.vector(1), turn = g.direction(), spin = g.vector(speed), pace = g.vector(speed);
      const double half = g.uniform(-1.5, 1.5);
      for (std::size_t k = 0; k < 3; ++k) {
        q[k] = scale.length * place[k], q[k + 3] = std::sin(half) * turn[k];
        v[k] = spin[k], v[k + 3] = scale.length * pace[k];
      }
      q[6] = std::cos(half);
      continue;
    }
    const bool slides = joint.type == JointType::prismatic;
    q[0] = g.uniform(-1, 1) * (slides ? 0.3 * scale.length : 3);
    v[0] = speed * g.uniform(-1, 1) * (slides ? scale.length : 1);
    const std::size_t end = joint.name.find('_');
    const Part& part =
        limbs[std::stoul(joint.name.substr(1, end - 1))].parts[std::stoul(joint.name.substr(end + 1))];
    const double unit = part.torque * scale.mass * scale.length * (slides ? 1 : scale.length);
    s.tau[static_cast<std::size_t>(joint.v_index)] = g.chance(0.2) ? 0 : unit * g.uniform(-1, 1);
  }
  s.desired.assign(static_cast<std::size_t>(c.set->row_count()), 0);
  if (g.chance(0.5))
    for (double& x : s.desired) x = 5 * scale.length * g.uniform(-1, 1);
}

}  // namespace

SearchCase draw_search_case(SearchClass kind, Genes& g) {
  Scale scale;
  if (kind == SearchClass::scaled)
    scale = {std::pow(10, 3 * g.integer(-1, 2)), std::pow(10, 3 * g.integer(-2, 2))};
  const std::vector<Limb> limbs = draw_limbs(kind, g);
  SearchCase c;
  c.robot.mechanism = assembled(limbs);
  scale_mechanism(c.robot.mechanism, scale.length, scale.mass);
  c.robot.options.floating_base = g.chance(0.5);
  c.robot.options.gravity = {0, 0, g.chance(0.1) ? 0 : -9.81 * scale.length};
  c.robot.model = Model::compile(c.robot.mechanism, c.robot.options);
  std::vector<ConstraintSpec> specs;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    // The first one is held in any case.
    const bool held = g.chance(0.8), active = kind != SearchClass::switched || g.chance(0.5);
    if (i > 0 && !held) continue;
    ConstraintSpec spec;
    spec.name = "limb_" + std::to_string(i);
    spec.link =
        c.robot.model->find_link("l" + std::to_string(i) + "_" + std::to_string(limbs[i].parts.size() - 1));
    for (std::size_t k = 0; k < 3; ++k) spec.frame.translation[k] = scale.length * limbs[i].held[k];
    spec.rows = limbs[i].rows;
    spec.axes = limbs[i].world ? RowAxes::world : RowAxes::link;
    specs.push_back(spec);
    c.state.active.push_back(active);
  }
  c.set = ConstraintSet::bind(c.robot.model, specs);
  draw_motion(g, limbs, scale, c);
  return c;
}

}  // namespace tenon::testing
