#include "support/robots.hpp"

#include <cmath>
#include <string>

#include "support/input.hpp"

namespace tenon::fuzz {
namespace {

constexpr double bar[7] = {0.3, 0, 0, 0, 0, 0, 1};

struct Maker {
  tenon_builder* builder = nullptr;
  tenon_model_options options;

  Maker() {
    tenon_builder_create("robot", &builder, nullptr, 0);
    tenon_model_options_init(&options, sizeof options);
  }

  int link(const std::string& name, double mass = 1) {
    const double com[3] = {0.15, 0, 0.01}, inertia[6] = {0.004 * mass, 0, 0, 0.01 * mass, 0, 0.01 * mass};
    std::int32_t index = -1;
    DEMAND(tenon_builder_add_link(builder, name.c_str(), mass, com, 3, inertia, 6, &index, nullptr, 0) ==
               TENON_OK,
           "%s", name.c_str());
    return index;
  }
  // Link and joint of one name, on parent.
  int on(int parent, const std::string& name, int type, double x, double y, double z, double mass = 1,
         const double* origin = bar) {
    const int child = link(name, mass);
    tenon_joint_options joint;
    tenon_joint_options_init(&joint, sizeof joint);
    joint.type = type, joint.parent_link = parent, joint.child_link = child;
    for (int k = 0; k < 7; ++k) joint.origin[k] = origin[k];
    joint.axis[0] = x, joint.axis[1] = y, joint.axis[2] = z;
    joint.axis2[0] = y, joint.axis2[1] = z, joint.axis2[2] = x;
    DEMAND(tenon_builder_add_joint(builder, name.c_str(), &joint, nullptr, 0) == TENON_OK, "%s",
           name.c_str());
    return child;
  }
  int hinge(int parent, const std::string& name, double x, double y, double z, double mass = 1) {
    return on(parent, name, TENON_JOINT_TYPE_REVOLUTE, x, y, z, mass);
  }
  const tenon_model* made() {
    tenon_model* model = nullptr;
    char message[512] = "";
    const tenon_status status = tenon_builder_finish(builder, &options, &model, message, sizeof message);
    DEMAND(status == TENON_OK, "%s", message);
    tenon_builder_destroy(builder);
    return model;
  }
};

const tenon_model* base_alone(bool floating) {
  Maker m;
  m.link("base");
  m.options.base = floating ? TENON_BASE_FLOATING : TENON_BASE_FIXED;
  return m.made();
}

const tenon_model* chain(int links, bool light) {
  Maker m;
  int last = m.link("base");
  for (int i = 0; i < links; ++i)
    last = m.hinge(last, "link" + std::to_string(i), i % 3 == 0, i % 3 == 1, i % 3 == 2,
                   light && i > 2 ? 1e-3 : 1);
  return m.made();
}

const tenon_model* every_joint(bool floating) {
  Maker m;
  const int base = m.link("base");
  const int ball = m.on(base, "ball", TENON_JOINT_TYPE_SPHERICAL, 0, 0, 1);
  const int slide = m.on(ball, "slide", TENON_JOINT_TYPE_PRISMATIC, 0.6, 0, 0.8);
  m.on(slide, "plane", TENON_JOINT_TYPE_PLANAR, 0, 1, 0);
  const int cardan = m.on(slide, "cardan", TENON_JOINT_TYPE_UNIVERSAL, 0, 1, 0);
  m.on(cardan, "fixed", TENON_JOINT_TYPE_FIXED, 1, 0, 0);
  m.on(base, "free", TENON_JOINT_TYPE_FLOATING, 1, 0, 0);
  m.on(cardan, "wheel", TENON_JOINT_TYPE_CONTINUOUS, 0, 0.6, -0.8);
  tenon_builder_add_frame(m.builder, "frame", slide, bar, 7, nullptr, 0);
  m.options.base = floating ? TENON_BASE_FLOATING : TENON_BASE_FIXED;
  return m.made();
}

const tenon_model* four_legs() {
  Maker m;
  const int base = m.link("base", 8);
  for (int leg = 0; leg < 4; ++leg) {
    const std::string name = "leg" + std::to_string(leg);
    const double hip[7] = {leg / 2 ? -0.3 : 0.3, leg % 2 ? -0.2 : 0.2, 0, 0, 0, 0, 1};
    int last = m.on(base, name + "hip", TENON_JOINT_TYPE_REVOLUTE, 1, 0, 0, 1, hip);
    last = m.hinge(last, name + "thigh", 0, 1, 0);
    last = m.hinge(last, name + "shank", 0, 1, 0, 0.3);
    m.on(last, name + "foot", TENON_JOINT_TYPE_FIXED, 1, 0, 0, 0.05);
  }
  m.options.base = TENON_BASE_FLOATING;
  return m.made();
}

// A parallelogram beside a hinge.
const tenon_model* four_bar(int treatment) {
  Maker m;
  const int base = m.link("base"), crank = m.hinge(base, "crank", 0, 0, 1),
            coupler = m.hinge(crank, "coupler", 0, 0, 1);
  const double ground[7] = {0.3, 0.5, 0, 0, 0, 0, 1}, end[7] = {0.25, 0, 0, 0, 0, 0, 1};
  const int rocker = m.on(base, "rocker", TENON_JOINT_TYPE_REVOLUTE, 0, 0, 1, 1, ground);
  m.hinge(coupler, "hand", 0, 1, 0);
  tenon_loop_options loop;
  tenon_loop_options_init(&loop, sizeof loop);
  loop.type = TENON_JOINT_TYPE_REVOLUTE, loop.link = coupler, loop.second_link = rocker;
  for (int k = 0; k < 7; ++k) loop.pose[k] = bar[k], loop.second_pose[k] = end[k];
  loop.pose[0] = 0.5;
  loop.axis[0] = 0, loop.axis[2] = 1;
  loop.treatment = treatment;
  tenon_builder_add_loop(m.builder, "loop", &loop, nullptr, 0);
  return m.made();
}

tenon_status circle(void*, std::int32_t, std::int32_t, std::int32_t, const double* q, const double* v,
                    double* phi, double* K, double* Kdot_v) {
  phi[0] = std::sin(q[0]) + std::sin(q[1]);
  K[0] = std::cos(q[0]), K[1] = std::cos(q[1]);
  Kdot_v[0] = -std::sin(q[0]) * v[0] * v[0] - std::sin(q[1]) * v[1] * v[1];
  return TENON_OK;
}

// A rotor with its gear, a coupling, and a constraint that only a function knows.
const tenon_model* geared(bool by_function) {
  Maker m;
  const int base = m.link("base"), thigh = m.hinge(base, "thigh", 0, 1, 0),
            shank = m.hinge(thigh, "shank", 0, 1, 0);
  const int rotor = m.hinge(thigh, "rotor", 0, 1, 0, 0.1);
  m.hinge(shank, "toe", 0, 1, 0, 0.2);
  m.hinge(shank, "tail", 0, 0, 1, 0.2);
  tenon_builder_add_gear(m.builder, "gear", shank, rotor, 6, 0, nullptr, 0);
  const char *dependent[] = {"toe"}, *independent[] = {"shank", "thigh"};
  const double ratios[] = {-0.5, 0.25}, offsets[] = {0.1};
  tenon_builder_add_coupling(m.builder, "coupling", dependent, 1, independent, 2, ratios, 2, 1, offsets, 1,
                             nullptr, 0);
  const char* joints[] = {"thigh", "tail"};
  if (by_function)
    tenon_builder_add_implicit(m.builder, "circle", joints, 2, 1, circle, nullptr, nullptr, nullptr, 0);
  m.options.base = by_function ? TENON_BASE_FIXED : TENON_BASE_FLOATING;
  return m.made();
}

}  // namespace

const tenon_model* robot(int index) {
  static const tenon_model* const robots[robot_count] = {
      base_alone(false),  base_alone(true),
      chain(2, false),    chain(7, true),
      every_joint(false), every_joint(true),
      four_legs(),        four_bar(TENON_LOOP_TREATMENT_EMBED),
      geared(false),      four_bar(TENON_LOOP_TREATMENT_ROWS),
      geared(true),       chain(40, false)};
  return robots[index];
}

}  // namespace tenon::fuzz
