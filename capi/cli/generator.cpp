#include "generator.hpp"

#include <cmath>
#include <cstdio>

namespace client {
namespace {

// A point or vector in the plane of a linkage.
struct Planar {
  double x = 0, y = 0;
};
Planar operator-(Planar a, Planar b) {
  return {a.x - b.x, a.y - b.y};
}

struct Spatial {
  double x = 0, y = 0, z = 0;
};

// Where something is put: on this link, at this point of it.
struct Place {
  std::string link;
  Spatial at;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value == 0 ? 0.0 : value);  // no -0
  return text;
}
std::string numbers(const Spatial& p) {
  return number(p.x) + " " + number(p.y) + " " + number(p.z);
}

// Principal moments of inertia of a link: along its bar, across it in the plane, about the normal.
struct Moments {
  double along, across, normal;
};

// Writes one element after another. A plane is horizontal, about z, or vertical: then its y is z and axes
// point along -y.
class Writer {
 public:
  explicit Writer(const std::string& name)
      : text_("<?xml version=\"1.0\"?>\n<robot name=\"" + name + "\">\n") {}

  bool vertical = false;

  // A bar from the origin of its frame to `end`, 2 kg a metre, 3 cm thick, a centimetre off the plane.
  void bar(const std::string& name, Planar end) {
    const double length = std::hypot(end.x, end.y), mass = 2 * length;
    const double across = mass * (length * length / 12 + 1e-4);
    link(name, mass, {end.x / 2, end.y / 2}, 0.01, {1.5e-4 * mass, across, across});
  }
  // About as heavy as those of small legged robots, symmetric about its axis.
  void rotor(const std::string& name) { link(name, 0.07, {}, 0, {2.6e-5, 2.6e-5, 5.1e-5}); }
  void link(const std::string& name, double mass, Planar center, double off, const Moments& m) {
    const double length = std::hypot(center.x, center.y);
    const double c = length > 0 ? center.x / length : 1, s = length > 0 ? center.y / length : 0;
    const double xx = m.along * c * c + m.across * s * s, yy = m.along * s * s + m.across * c * c;
    const double xy = (m.along - m.across) * c * s;
    add("  <link name=\"" + name + "\"><inertial><origin xyz=\"" + point(center, off) + "\"/><mass value=\"" +
        number(mass) + "\"/><inertia ixx=\"" + number(xx) + "\" ixy=\"" + number(vertical ? 0 : xy) +
        "\" ixz=\"" + number(vertical ? xy : 0) + "\" iyy=\"" + number(vertical ? m.normal : yy) +
        "\" iyz=\"0\" izz=\"" + number(vertical ? yy : m.normal) + "\"/></inertial></link>");
  }

  // A place on a link, in this plane.
  Place place(const std::string& on, Planar p) const { return {on, spatial(p, 0)}; }

  // A hinge about the normal of the plane, `at` away from a place; off: along the normal.
  void hinge(const Place& on, const std::string& child, Planar at, double off, bool independent) {
    joint(on, child, at, off, normal(), independent);
  }
  void joint(const Place& on, const std::string& child, Planar at, double off, const std::string& axis,
             bool independent) {
    const Spatial p = spatial(at, off);
    add("  <joint name=\"to_" + child + "\" type=\"continuous\"" +
        (independent ? "" : " independent=\"false\"") + "><parent link=\"" + on.link + "\"/><child link=\"" +
        child + "\"/><origin xyz=\"" + numbers({on.at.x + p.x, on.at.y + p.y, on.at.z + p.z}) +
        "\"/><axis xyz=\"" + axis + "\"/></joint>");
  }
  // A hinge that closes a loop.
  void pin(const std::string& name, const std::string& predecessor, Planar at, const std::string& successor,
           Planar there) {
    add("  <loop name=\"" + name + "\" type=\"revolute\"><predecessor link=\"" + predecessor +
        "\"><origin xyz=\"" + point(at, 0) + "\"/></predecessor><successor link=\"" + successor +
        "\"><origin xyz=\"" + point(there, 0) + "\"/></successor><axis xyz=\"" + normal() + "\"/></loop>");
  }
  void coupling(const std::string& predecessor, const std::string& successor, double ratio) {
    add("  <coupling name=\"" + successor + "_gear\"><predecessor link=\"" + predecessor +
        "\"/><successor link=\"" + successor + "\"/><ratio value=\"" + number(ratio) + "\"/></coupling>");
  }

  Spatial spatial(Planar p, double off) const {
    return vertical ? Spatial{p.x, -off, p.y} : Spatial{p.x, p.y, off};
  }
  std::string point(Planar p, double off) const { return numbers(spatial(p, off)); }
  std::string normal() const { return vertical ? "0 -1 0" : "0 0 1"; }
  std::string finish() const { return text_ + "</robot>\n"; }

 private:
  void add(const std::string& element) { text_ += element + "\n"; }
  std::string text_;
};

constexpr double gear_ratio = 6;
constexpr Planar tip = {0.2, 0};  // of a link, where the next one hangs

// Each adds a cell whose last link is `name` and returns where the next one goes. `on` may lie in another
// plane.

Place add_rotor(Writer& w, const Place& on, const std::string& name) {
  w.bar(name, tip);
  w.hinge(on, name, {}, 0, true);
  w.rotor(name + "_rotor");
  w.hinge(on, name + "_rotor", {}, 0.04, false);
  w.coupling(name, name + "_rotor", gear_ratio);
  return w.place(name, tip);
}

Place add_belt(Writer& w, const Place& on, const std::string& name) {
  const std::string upper = name + "_upper";
  w.bar(upper, tip);
  w.hinge(on, upper, {}, 0, true);
  w.bar(name, tip);
  w.hinge({upper, {}}, name, tip, 0, true);
  for (const std::string& driven : {upper, name}) {
    w.rotor(driven + "_rotor");
    w.hinge(on, driven + "_rotor", {-0.03, 0}, driven == upper ? 0.04 : -0.04, false);
    w.coupling(driven, driven + "_rotor", gear_ratio);
  }
  return w.place(name, tip);
}

// Crank from A to B, coupler to C, link from D beyond C: the shape of a four-bar at q = 0.
constexpr Planar A = {0, 0}, B = {0.03, 0.09}, C = {0.15, 0.11}, D = {0.11, 0};
constexpr Planar driven_tip = {0.08, 0.22};  // twice as far from D as C

void add_four_bar_on(Writer& w, const Place& on, const std::string& name, Planar link_end) {
  const std::string crank = name + "_crank", coupler = name + "_coupler";
  w.bar(crank, B - A);
  w.hinge(on, crank, A, 0, true);
  w.bar(coupler, C - B);
  w.hinge({crank, {}}, coupler, B - A, 0, false);
  w.bar(name, link_end);
  w.hinge(on, name, D, 0, false);
  w.pin(name + "_pin", coupler, C - B, name, C - D);
}

Place add_four_bar(Writer& w, const Place& on, const std::string& name) {
  add_four_bar_on(w, on, name, driven_tip);
  return w.place(name, driven_tip);
}

// A four-bar whose coupler and rocker each carry one bar more; the two meet.
Place add_six_bar(Writer& w, const Place& on, const std::string& name) {
  const Planar E = {0.09, 0.17}, F = {0.21, 0.08}, G = {0.2, 0.2}, end = {0.02, 0.2};
  const std::string base = name + "_rocker", dyad = name + "_dyad";
  add_four_bar_on(w, on, base, C - D);
  w.bar(dyad, G - E);
  w.hinge({base + "_coupler", {}}, dyad, E - B, 0, false);
  w.bar(name, end);
  w.hinge({base, {}}, name, F - D, 0, false);
  w.pin(name + "_pin", dyad, G - E, name, G - F);
  return w.place(name, end);
}

Place add_connecting_rod(Writer& w, const Place& on, const std::string& name) {
  add_four_bar_on(w, on, name, driven_tip);
  w.rotor(name + "_rotor");
  w.hinge(on, name + "_rotor", {}, 0.04, false);
  w.coupling(name + "_crank", name + "_rotor", gear_ratio);
  return w.place(name, driven_tip);
}

// The carrier turns about the normal of the plane, the link on it about x. One side gear turns by the sum of
// both angles; the other, through an idler that turns against the link, by their difference.
Place add_differential(Writer& w, const Place& on, const std::string& name) {
  const std::string carrier = name + "_carrier", idler = name + "_idler";
  w.bar(carrier, {0.1, 0});
  w.hinge(on, carrier, {}, 0, true);
  w.bar(name, tip);
  w.joint({carrier, {}}, name, {0.1, 0}, 0, "1 0 0", true);
  w.link(idler, 0.05, {}, 0, {3e-5, 1.6e-5, 1.6e-5});
  w.joint({carrier, {}}, idler, {0.02, 0}, 0, "1 0 0", false);
  w.coupling(name, idler, -1);
  for (const bool sum : {true, false}) {
    const std::string rotor = name + (sum ? "_rotor_1" : "_rotor_2");
    w.rotor(rotor);
    w.hinge(on, rotor, {}, sum ? 0.05 : -0.05, false);
    w.coupling(sum ? name : idler, rotor, gear_ratio);
  }
  return w.place(name, tip);
}

Place add_cell(Writer& w, CellKind kind, const Place& on, const std::string& name) {
  switch (kind) {
    case CellKind::rotor:
      return add_rotor(w, on, name);
    case CellKind::belt:
      return add_belt(w, on, name);
    case CellKind::four_bar:
      return add_four_bar(w, on, name);
    case CellKind::six_bar:
      return add_six_bar(w, on, name);
    case CellKind::connecting_rod:
      return add_connecting_rod(w, on, name);
    case CellKind::differential:
      return add_differential(w, on, name);
  }
  return on;
}

}  // namespace

const std::vector<CellFacts>& cell_facts() {
  static const std::vector<CellFacts> facts = {
      {CellKind::rotor, "rotor", 2, 1, 1, "a link and its geared rotor"},
      {CellKind::belt, "belt", 4, 2, 2, "two links, the second driven by a belt over the first"},
      {CellKind::four_bar, "four_bar", 3, 1, 2, "crank, coupler and rocker"},
      {CellKind::six_bar, "six_bar", 5, 1, 4, "Watt's six-bar, two loops"},
      {CellKind::connecting_rod, "connecting_rod", 4, 1, 3, "a geared motor, a crank and a rod"},
      {CellKind::differential, "differential", 5, 2, 3, "two rotors turn two axes through bevel gears"}};
  return facts;
}

std::string generate_chain(CellKind kind, int count, int branches) {
  const char* kind_name = cell_facts()[static_cast<std::size_t>(kind)].name;
  Writer w(std::string(kind_name) + "_" + std::to_string(count) +
           (branches > 1 ? "x" + std::to_string(branches) : ""));
  w.link("base", 5, {}, 0, {0.1, 0.1, 0.1});
  for (int b = 0; b < branches; ++b) {
    Place place = {"base", {0.1, 0.15 * b, 0}};
    const std::string prefix = branches > 1 ? "b" + std::to_string(b + 1) + "_" : "";
    for (int i = 0; i < count; ++i) {
      w.vertical = i % 2 == 1;
      place = add_cell(w, kind, place, prefix + "link_" + std::to_string(i + 1));
    }
  }
  return w.finish();
}

std::string generate_tied_branches(TieKind kind, int depth, int at) {
  Writer w("tied_branches_" + std::to_string(depth) + "_" + std::to_string(at));
  const Planar up = {0, 0.2};
  const double apart = 0.3;
  const std::string tied[2] = {"link_1_" + std::to_string(at), "link_2_" + std::to_string(at)};
  w.link("base", 5, {}, 0, {0.1, 0.1, 0.1});
  for (int b = 0; b < 2; ++b) {
    Place place = {"base", {b * apart, 0, 0}};
    for (int i = 1; i <= depth; ++i) {
      const std::string name = "link_" + std::to_string(b + 1) + "_" + std::to_string(i);
      w.bar(name, up);
      const bool follows = b == 1 && (kind == TieKind::transmission ? i == at : i == 1);
      w.hinge(place, name, {}, 0, !follows);
      place = w.place(name, up);
    }
  }
  if (kind == TieKind::transmission) {
    w.coupling(tied[0], tied[1], 1);
  } else {
    w.bar("rod", {apart, 0});
    w.hinge({tied[0], {}}, "rod", up, 0, false);
    w.pin("rod_pin", "rod", {apart, 0}, tied[1], up);
  }
  return w.finish();
}

}  // namespace client
