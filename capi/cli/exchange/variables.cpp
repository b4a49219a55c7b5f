#include "exchange/variables.hpp"

#include <numeric>

namespace client {
namespace {

// What one coordinate of a joint is.
struct Coordinate {
  enum Kind { turn, shift, quaternion } kind;
  const char* name;  // "" where a joint has no other
};

std::vector<Coordinate> position_coordinates(int32_t type) {
  constexpr auto turn = Coordinate::turn, shift = Coordinate::shift, part = Coordinate::quaternion;
  switch (type) {
    case TENON_JOINT_TYPE_PRISMATIC:
      return {{shift, ""}};
    case TENON_JOINT_TYPE_SPHERICAL:
      return {{part, "qx"}, {part, "qy"}, {part, "qz"}, {part, "qw"}};
    case TENON_JOINT_TYPE_PLANAR:
      return {{shift, "x"}, {shift, "y"}, {turn, "angle"}};
    case TENON_JOINT_TYPE_FLOATING:
      return {{shift, "x"}, {shift, "y"}, {shift, "z"}, {part, "qx"},
              {part, "qy"}, {part, "qz"}, {part, "qw"}};
    default:
      return {{turn, ""}};
  }
}

std::vector<Coordinate> velocity_coordinates(int32_t type) {
  constexpr auto turn = Coordinate::turn, shift = Coordinate::shift;
  switch (type) {
    case TENON_JOINT_TYPE_PRISMATIC:
      return {{shift, ""}};
    case TENON_JOINT_TYPE_SPHERICAL:
      return {{turn, "angular x"}, {turn, "angular y"}, {turn, "angular z"}};
    case TENON_JOINT_TYPE_PLANAR:
      return {{turn, "angular"}, {shift, "linear x"}, {shift, "linear y"}};
    case TENON_JOINT_TYPE_FLOATING:
      return {{turn, "angular x"}, {turn, "angular y"}, {turn, "angular z"},
              {shift, "linear x"}, {shift, "linear y"}, {shift, "linear z"}};
    default:
      return {{turn, ""}};
  }
}

bool is_plain(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.empty() || digit(name[0])) return false;
  for (const char c : name)
    if (!letter(c) && !digit(c)) return false;
  return true;
}

class Maker {
 public:
  // kind.JOINT, or with a number from 1 where there are several. A name that is no identifier is quoted.
  std::string name(const char* kind, const std::string& of, std::size_t index, std::size_t count) {
    std::string text = of;
    if (!is_plain(of)) {
      text = "'";
      for (const char c : of) {
        if (c == '\'' || c == '\\' || c == '"') text += '\\';
        text += c;
        if (c < ' ' || c > '~') list_.structured = false;
      }
      text += "'";
    }
    return std::string(kind) + "." + text + (count == 1 ? "" : format("[%zu]", index + 1));
  }

  Variable& add(unit_kind kind, const std::string& name, const char* unit, const std::string& description) {
    Variable variable;
    variable.name = name;
    variable.description = description;
    variable.kind = kind;
    variable.unit = unit;
    list_.variables.push_back(variable);
    return list_.variables.back();
  }

  std::uint32_t next() const { return static_cast<std::uint32_t>(list_.variables.size()); }
  VariableList& list() { return list_; }

 private:
  VariableList list_;
};

std::string tell(const char* what, const tenon_joint_info& joint, const Coordinate& coordinate) {
  return format("%s of joint '%s'%s%s", what, joint.name, *coordinate.name ? ", " : "", coordinate.name);
}

// units: of a turn, a shift, and a part of a quaternion.
using Units = std::array<const char*, 3>;

// One variable for each position coordinate, of kind UNIT_POSITION or UNIT_RATE.
template <class Finish>
void add_positions(Maker& maker, const std::vector<tenon_joint_info>& all, unit_kind kind, const Units& units,
                   const char* what, const Finish& finish) {
  for (const tenon_joint_info& joint : all) {
    const std::vector<Coordinate> coordinates = position_coordinates(joint.type);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      std::string name = maker.name("q", joint.name, i, coordinates.size());
      if (kind == UNIT_RATE) name = "der(" + name + ")";
      finish(joint, i, maker.add(kind, name, units[coordinates[i].kind], tell(what, joint, coordinates[i])));
    }
  }
}

template <class Finish>
void add_velocities(Maker& maker, const std::vector<tenon_joint_info>& all, unit_kind kind,
                    const char* prefix, const Units& units, const char* what, const Finish& finish) {
  for (const tenon_joint_info& joint : all) {
    const std::vector<Coordinate> coordinates = velocity_coordinates(joint.type);
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      finish(joint, i,
             maker.add(kind, maker.name(prefix, joint.name, i, coordinates.size()),
                       units[coordinates[i].kind], tell(what, joint, coordinates[i])));
  }
}

void depend(Variable& variable, std::uint32_t first, std::size_t count) {
  variable.depends_on_all = false;
  const std::size_t before = variable.depends.size();
  variable.depends.resize(before + count);
  std::iota(variable.depends.begin() + static_cast<std::ptrdiff_t>(before), variable.depends.end(), first);
}

void add_poses(Maker& maker, const tenon_model* model, const std::vector<int32_t>& links,
               std::uint32_t positions, std::size_t nq) {
  static const char* const parts[7] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
  for (const int32_t index : links) {
    const char* of = tenon_model_link_name(model, index);
    for (std::size_t i = 0; i < 7; ++i)
      depend(maker.add(UNIT_POSE, maker.name("pose", of, i, 7), i < 3 ? "m" : "",
                       format("pose of link '%s' in the world, %s", of, parts[i])),
             positions, nq);
  }
}

void add_forces(Maker& maker, const ContactSet& contacts) {
  static const char* const axes[3] = {"x", "y", "z"};
  for (const Contact& contact : contacts.contacts)
    for (std::size_t i = 0; i < contact.row_count; ++i) {
      const bool moment = contact.weld && i < 3;
      const char* const what = moment ? "moment" : "force";
      maker.add(
          UNIT_FORCE, maker.name(what, contact.name, i % 3, 3), moment ? "N.m" : "N",
          format("%s on the robot at contact '%s', world axis %s", what, contact.name.c_str(), axes[i % 3]));
    }
}

}  // namespace

VariableList make_variables(const tenon_model* model, const ContactSet& contacts,
                            const std::vector<int32_t>& links, const std::array<double, 3>& gravity,
                            const Vector& q, const Vector& v) {
  Maker maker;
  std::array<std::uint32_t, UNIT_KINDS + 1> first{};
  unit_layout(static_cast<std::uint32_t>(q.size()), static_cast<std::uint32_t>(v.size()),
              static_cast<std::uint32_t>(links.size()), static_cast<std::uint32_t>(contacts.contact_rows),
              first.data());
  const std::vector<tenon_joint_info> all = joints(model);
  const auto position = [&](const tenon_joint_info& joint, std::size_t i) {
    return static_cast<std::size_t>(joint.q_index) + i;
  };
  const auto velocity = [&](const tenon_joint_info& joint, std::size_t i) {
    return static_cast<std::size_t>(joint.v_index) + i;
  };
  const auto at = [&](unit_kind kind, std::size_t index) {
    return first[kind] + static_cast<std::uint32_t>(index);
  };

  maker.add(UNIT_TIME, "time", "s", "time");
  for (std::size_t i = 0; i < 3; ++i)
    maker.add(UNIT_GRAVITY, format("gravity[%zu]", i + 1), "m/s2", "gravity, world axes").start = gravity[i];
  add_velocities(maker, all, UNIT_TORQUE, "tau", {"N.m", "N", ""}, "torque or force",
                 [](const tenon_joint_info&, std::size_t, Variable&) {});
  add_positions(maker, all, UNIT_POSITION, {"rad", "m", ""}, "position",
                [&](const tenon_joint_info& joint, std::size_t i, Variable& variable) {
                  if (joint.independent < joint.nv)
                    variable.description += "; loops decide it, its start is where closing them begins";
                  variable.start = q[position(joint, i)];
                  depend(variable, at(UNIT_POSITION, position(joint, i)), 1);
                });
  add_velocities(maker, all, UNIT_VELOCITY, "v", {"rad/s", "m/s", ""}, "velocity",
                 [&](const tenon_joint_info& joint, std::size_t i, Variable& variable) {
                   variable.start = v[velocity(joint, i)];
                   depend(variable, at(UNIT_VELOCITY, velocity(joint, i)), 1);
                 });
  add_positions(maker, all, UNIT_RATE, {"rad/s", "m/s", "1/s"}, "rate of the position",
                [&](const tenon_joint_info& joint, std::size_t i, Variable& variable) {
                  variable.state = at(UNIT_POSITION, position(joint, i));
                  if (!has_one_coordinate(joint))
                    depend(variable, at(UNIT_POSITION, position(joint, 0)),
                           static_cast<std::size_t>(joint.nq));
                  depend(variable, at(UNIT_VELOCITY, velocity(joint, 0)), static_cast<std::size_t>(joint.nv));
                });
  add_velocities(maker, all, UNIT_ACCELERATION, "a", {"rad/s2", "m/s2", ""}, "acceleration",
                 [&](const tenon_joint_info& joint, std::size_t i, Variable& variable) {
                   variable.state = at(UNIT_VELOCITY, velocity(joint, i));
                 });
  add_poses(maker, model, links, first[UNIT_POSITION], q.size());
  add_forces(maker, contacts);
  if (maker.next() != first[UNIT_KINDS])
    throw Failure("variables and value references do not fit: a fault in Tenon.");
  return std::move(maker.list());
}

const std::vector<UnitDefinition>& unit_definitions() {
  static const std::vector<UnitDefinition> all = {{"s", "s=\"1\""},
                                                  {"m", "m=\"1\""},
                                                  {"m/s", "m=\"1\" s=\"-1\""},
                                                  {"m/s2", "m=\"1\" s=\"-2\""},
                                                  {"rad", "rad=\"1\""},
                                                  {"rad/s", "rad=\"1\" s=\"-1\""},
                                                  {"rad/s2", "rad=\"1\" s=\"-2\""},
                                                  {"1/s", "s=\"-1\""},
                                                  {"N", "kg=\"1\" m=\"1\" s=\"-2\""},
                                                  {"N.m", "kg=\"1\" m=\"2\" s=\"-2\""}};
  return all;
}

}  // namespace client
