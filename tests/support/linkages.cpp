#include "support/linkages.hpp"

#include <cmath>
#include <string>

namespace tenon::testing {
namespace {

using Pins = std::vector<std::array<double, 2>>;

// Where a pin is held: a link and the pin in its frame. Link frames have the world's axes at q = 0.
struct Holder {
  int link = -1;
  Vector3 point{};
};

// A slender bar of one kilogram a metre, from its frame to `end`, a little off the plane.
MechanismLink bar_link(const std::string& name, const Vector3& end) {
  const double length = std::hypot(end[0], end[1]), mass = length;
  MechanismLink link{name, mass, {end[0] / 2, end[1] / 2, 0.01}, {}};
  const double across = mass * length * length / 12;
  const double c = end[0] / length, s = end[1] / length;
  link.inertia = {across * s * s + 1e-4, -across * s * c, 0, across * c * c + 1e-4, 0, across + 1e-4};
  return link;
}

MechanismJoint pin_joint(const Mechanism& mechanism, int parent, const Vector3& point) {
  MechanismJoint joint;
  joint.name = "pin_" + std::to_string(mechanism.joints.size());
  joint.type = JointType::revolute;
  joint.parent = mechanism.links[static_cast<std::size_t>(parent)].name;
  joint.child = mechanism.links.back().name;
  joint.origin.translation = point;
  joint.axis = {0, 0, 1};
  return joint;
}

}  // namespace

Linkage linkage(const Pins& pins, const std::vector<int>& ground, const std::vector<std::array<int, 2>>& bars,
                std::uint32_t rows) {
  Linkage made;
  made.robot.options.gravity = {0, -9.81, 0};
  Mechanism& mechanism = made.robot.mechanism;
  mechanism.links.push_back({"ground", 1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}});
  std::vector<Holder> holders(pins.size());
  const auto pin = [&](int i) -> const std::array<double, 2>& { return pins[static_cast<std::size_t>(i)]; };
  const auto holder = [&](int i) -> Holder& { return holders[static_cast<std::size_t>(i)]; };
  for (const int i : ground) holder(i) = {0, {pin(i)[0], pin(i)[1], 0}};
  struct Open {
    int link, second;
    Vector3 point, second_point;
  };
  std::vector<Open> open;
  for (auto [from, to] : bars) {
    if (holder(from).link < 0) std::swap(from, to);
    const Vector3 end = {pin(to)[0] - pin(from)[0], pin(to)[1] - pin(from)[1], 0};
    const int link = static_cast<int>(mechanism.links.size());
    mechanism.links.push_back(bar_link("bar_" + std::to_string(link), end));
    mechanism.joints.push_back(pin_joint(mechanism, holder(from).link, holder(from).point));
    if (holder(to).link < 0)
      holder(to) = {link, end};
    else
      open.push_back({link, holder(to).link, end, holder(to).point});
  }
  made.robot.model = Model::compile(mechanism, made.robot.options);
  for (const Open& o : open) {
    Pose frame, second;
    frame.translation = o.point;
    second.translation = o.second_point;
    made.closures.push_back(closure_constraint(o.link, frame, o.second, second, rows));
  }
  return made;
}

Linkage four_bar(std::uint32_t rows) {
  return linkage({{0, 0}, {0.1, 0.2}, {0.6, 0.35}, {0.5, 0}}, {0, 3}, {{0, 1}, {1, 2}, {3, 2}}, rows);
}

Linkage six_bar(std::uint32_t rows) {
  return linkage({{0, 0}, {0.1, 0.2}, {0.6, 0.35}, {0.5, 0}, {0.2, 0.6}, {0.75, 0.65}}, {0, 3},
                 {{0, 1}, {1, 2}, {3, 2}, {1, 4}, {4, 2}, {4, 5}, {5, 3}}, rows);
}

Linkage strandbeest_leg(std::uint32_t rows) {
  return linkage(
      {{0.000000, 0.000000},
       {0.143300, 0.044328},
       {-0.380000, -0.078000},
       {-0.272035, 0.322710},
       {-0.237008, -0.444063},
       {-0.759581, 0.051302},
       {-0.572595, -0.295501},
       {-0.362032, -0.917845}},
      {0, 2}, {{0, 1}, {1, 3}, {2, 3}, {1, 4}, {2, 4}, {2, 5}, {3, 5}, {5, 6}, {4, 6}, {6, 7}, {4, 7}}, rows);
}

}  // namespace tenon::testing
