// URDF text to Mechanism: links with their inertia, joints with origin, axis, limits and dynamics; ties
// between joints by <mimic> of URDF and by <loop>, <coupling> and the attribute independent of URDF+.
//
// Needs only an XML parser. urdfdom could read the text, but it has no line numbers, prints its errors
// instead of returning them, and would add four shared libraries to the single file of this library. The
// tests use it as an oracle: every model must read the same through both.
//
// Frames: <inertial><origin rpy> turns the frame in which ixx ... izz are given, so with R its rotation the
// inertia in link axes is R I R^T; the centre of mass is the origin's xyz. The joint frame is the child's
// link frame at q = 0.
//
// Checked here, because the line is known here: numbers, missing and repeated elements, unknown and repeated
// names, a zero axis. Model::compile checks that links form a tree and that inertias are possible.

#include "tenon/urdf.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "mechanism/urdf/xml.hpp"
#include "mechanism/utf8.hpp"
#include "spatial/spatial.hpp"

namespace tenon {
namespace urdf {
namespace {

Pose read_origin(const Element& owner) {
  const std::optional<Element> origin = owner.child("origin");
  if (!origin) return {};
  if (origin->has("quat_xyzw"))
    origin->fail(Status::unsupported, "attribute 'quat_xyzw' of <origin> is unsupported; write rpy instead");
  origin->expect_attributes({"xyz", "rpy"});
  const Vector3 rpy = origin->vector("rpy", {0, 0, 0});
  return {rotation_from_rpy(rpy[0], rpy[1], rpy[2]), origin->vector("xyz", {0, 0, 0})};
}

// R I R^T, both as ixx ixy ixz iyy iyz izz.
std::array<double, 6> rotate_inertia(const Matrix3& R, const std::array<double, 6>& I) {
  const Rot3<double> rotation = {load_mat3<double>(R.data())};
  const Sym3<double> turned = congruence(rotation, Sym3<double>{I[0], I[1], I[2], I[3], I[4], I[5]});
  return {turned.xx, turned.xy, turned.xz, turned.yy, turned.yz, turned.zz};
}

void read_inertial(const Element& inertial, MechanismLink& link) {
  inertial.expect_children({"origin", "mass", "inertia"});
  const Pose pose = read_origin(inertial);
  const Element mass = inertial.required_child("mass");
  const Element inertia = inertial.required_child("inertia");
  mass.expect_attributes({"value"});
  inertia.expect_attributes({"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
  link.mass = mass.number("value");
  link.center_of_mass = pose.translation;
  link.inertia = {inertia.number("ixx"), inertia.number("ixy"), inertia.number("ixz"),
                  inertia.number("iyy"), inertia.number("iyz"), inertia.number("izz")};
  if (pose.rotation != identity3) link.inertia = rotate_inertia(pose.rotation, link.inertia);
}

JointType read_type(const Element& e, std::initializer_list<JointType> types, const char* otherwise,
                    const char* remark = "") {
  const std::string name = e.text("type");
  std::string names;
  for (const JointType type : types) {
    if (name == type_name(type)) return type;
    if (!names.empty()) names += type == *(types.end() - 1) ? " or " : ", ";
    names += type_name(type);
  }
  e.fail(Status::parse_error, "type " + in_quotes(name) + otherwise + "; use " + names + remark);
}

JointType read_joint_type(const Element& joint) {
  return read_type(joint,
                   {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic,
                    JointType::screw, JointType::spherical, JointType::planar, JointType::floating},
                   " is unknown", " (a universal joint is two revolute ones)");
}

JointType read_loop_type(const Element& loop) {
  return read_type(loop,
                   {JointType::revolute, JointType::continuous, JointType::prismatic, JointType::planar,
                    JointType::spherical, JointType::fixed},
                   " closes no loop");
}

// URDF+ files use the spellings of Python and of C.
bool read_flag(const Element& e, const char* attribute) {
  const std::string text = e.text(attribute);
  for (const char* yes : {"true", "True", "1"})
    if (text == yes) return true;
  for (const char* no : {"false", "False", "0"})
    if (text == no) return false;
  e.fail(Status::parse_error,
         "attribute " + in_quotes(attribute) + " is " + in_quotes(text) + "; write true or false");
}

LoopTreatment read_treatment(const Element& loop) {
  if (!loop.has("treatment")) return LoopTreatment::by_model;
  static constexpr std::pair<const char*, LoopTreatment> treatments[] = {
      {"embed", LoopTreatment::embed},
      {"open", LoopTreatment::open},
      {"rows", LoopTreatment::rows},
      {"automatic", LoopTreatment::automatic}};
  const std::string name = loop.text("treatment");
  for (const auto& [known, treatment] : treatments)
    if (name == known) return treatment;
  loop.fail(Status::parse_error,
            "treatment " + in_quotes(name) +
                " is unknown; use embed, open, rows or automatic, or leave it to the model");
}

Vector3 read_axis(const Element& joint, JointType type) {
  const std::optional<Element> axis = joint.child("axis");
  if (!axis || !has_axis(type)) return {1, 0, 0};
  axis->expect_attributes({"xyz"});
  const Vector3 direction = axis->vector("xyz");
  if (direction == Vector3{0, 0, 0})
    axis->fail(Status::invalid_model, "axis is zero; give the direction of the joint, such as \"0 0 1\"");
  return direction;
}

// In m for one radian, as the angle is in radians. SDF and Drake give m for a turn.
void read_screw(const Element& joint, MechanismJoint& out) {
  if (out.type != JointType::screw) return;
  const Element screw = joint.required_child("screw");
  screw.expect_attributes({"pitch"});
  out.pitch = screw.number("pitch");
}

// Only revolute, prismatic and screw joints have position limits. URDF asks for those of the first two, and its
// default is zero.
void read_limit(const Element& joint, MechanismJoint& out) {
  const bool needed = out.type == JointType::revolute || out.type == JointType::prismatic;
  const bool bounded = needed || out.type == JointType::screw;
  const std::optional<Element> limit = joint.child("limit");
  if (!limit) {
    if (needed) joint.warn("a " + joint.text("type") + " joint without <limit>; taken as unlimited");
    return;
  }
  limit->expect_attributes({"lower", "upper", "effort", "velocity"});
  const double lower = limit->number("lower", 0), upper = limit->number("upper", 0);
  out.limits.effort = limit->number("effort", out.limits.effort);
  out.limits.velocity = limit->number("velocity", out.limits.velocity);
  if (!bounded) return;
  out.limits.lower = lower;
  out.limits.upper = upper;
  for (const char* bound : {"lower", "upper"})
    if (!limit->has(bound))
      limit->warn("<limit> has no '" + std::string(bound) + "'; taken as 0, as URDF says");
  if (lower > upper) limit->warn("lower limit lies above the upper one; both kept");
}

void read_dynamics(const Element& joint, MechanismJoint& out) {
  const std::optional<Element> dynamics = joint.child("dynamics");
  if (!dynamics) return;
  dynamics->expect_attributes({"damping", "friction"});
  out.damping = dynamics->number("damping", 0);
  out.friction = dynamics->number("friction", 0);
}

// Reads one document into a Mechanism.
class Reader {
 public:
  Reader(const std::string& source, const UrdfOptions& options) : report_(source), options_(options) {
    out_.source = source;
  }

  Mechanism read(std::string_view text) {
    tinyxml2::XMLDocument document;
    parse_document(text, report_, document);
    const tinyxml2::XMLElement& root = find_robot(document);
    const Element robot(root, "robot", report_);
    out_.name = robot.text("name");
    robot.expect_attributes(
        {"name", "version", "xmlns", "xmlns:xacro", "xmlns:drake", "xmlns:xsi", "xsi:schemaLocation"});
    robot.expect_children({"link", "joint", "loop", "coupling", "loop_joint", "material", "gazebo",
                           "transmission", "sensor", "ros2_control", "mujoco"});
    refuse_xacro(root);
    for (const auto* e = root.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) read_child(*e);
    if (out_.links.empty()) robot.fail(Status::invalid_model, "there is no <link>; a robot has at least one");
    check_references();
    out_.warnings = report_.take_warnings();
    return std::move(out_);
  }

 private:
  const tinyxml2::XMLElement& find_robot(const tinyxml2::XMLDocument& document) const {
    const tinyxml2::XMLElement* robot = nullptr;
    for (const auto* node = document.FirstChild(); node != nullptr; node = node->NextSibling()) {
      if (node->ToText())
        report_.fail(Status::parse_error, node->GetLineNum(),
                     "text " + in_quotes(trim(node->Value())) + " stands outside of <robot>; remove it");
      if (!node->ToElement()) continue;
      if (std::strcmp(node->Value(), "robot") != 0)
        report_.fail(Status::parse_error, node->GetLineNum(),
                     "the outermost element is " + in_quotes(node->Value()) +
                         ", not 'robot'; this is no URDF (SDF and MJCF files must be converted first)");
      if (robot != nullptr)
        report_.fail(Status::parse_error, node->GetLineNum(), "a second <robot>; keep one in a file");
      robot = node->ToElement();
    }
    if (robot == nullptr)
      report_.fail(Status::parse_error, 0, "there is no <robot> element; this is no URDF");
    return *robot;
  }

  // A macro that was not expanded would silently change the robot.
  void refuse_xacro(const tinyxml2::XMLElement& root) const {
    for (const auto* e = root.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
      if (std::strncmp(e->Name(), "xacro:", 6) == 0)
        report_.fail(Status::unsupported, e->GetLineNum(),
                     in_quotes(e->Name()) +
                         " is a xacro macro; expand the file first: xacro robot.urdf.xacro > robot.urdf");
  }

  void read_child(const tinyxml2::XMLElement& e) {
    static constexpr std::pair<std::string_view, void (Reader::*)(const Element&)> readers[] = {
        {"link", &Reader::read_link},
        {"joint", &Reader::read_joint},
        {"loop", &Reader::read_loop},
        {"coupling", &Reader::read_coupling},
        {"loop_joint", &Reader::read_drake_loop}};
    for (const auto& [tag, read] : readers)
      if (tag == e.Name()) (this->*read)(named(e));
  }

  Element named(const tinyxml2::XMLElement& e) {
    const std::string name = Element(e, std::string("<") + e.Name() + ">", report_).text("name");
    return Element(e, std::string(e.Name()) + " " + in_quotes(name), report_);
  }

  // Whether options ignore this element; warns if so.
  static bool ignored(const Element& e, bool wanted) {
    if (wanted) e.warn("<" + std::string(e.tag()) + "> ignored; the mechanism is read as a tree");
    return wanted;
  }

  // Returns the name of the element; fails if an earlier element has the same name.
  static std::string claim_name(const Element& e, const char* what, std::map<std::string, int>& lines) {
    const std::string name = e.text("name");
    const auto [place, fresh] = lines.emplace(name, e.line());
    if (!fresh)
      e.fail(Status::invalid_model, std::string(what) + " of this name is on line " +
                                        std::to_string(place->second) + " already; rename one");
    return name;
  }
  std::string tie_name(const Element& e) { return claim_name(e, "a loop or coupling", tie_lines_); }

  struct LoopEnd {
    std::string link;
    Pose frame;
  };
  LoopEnd read_loop_end(const Element& loop, const char* tag) {
    const Element end = loop.required_child(tag);
    end.expect_attributes({"link"});
    end.expect_children({"origin"});
    ends_.push_back({end.text("link"), loop.subject() + ": its " + tag, end.line()});
    return {end.text("link"), read_origin(end)};
  }

  std::pair<LoopEnd, LoopEnd> read_loop_ends(const Element& e) {
    std::pair<LoopEnd, LoopEnd> ends = {read_loop_end(e, "predecessor"), read_loop_end(e, "successor")};
    if (ends.first.link == ends.second.link)
      e.fail(Status::invalid_model,
             "both its ends are on link " + in_quotes(ends.first.link) + "; name two links");
    return ends;
  }

  void read_loop(const Element& e) {
    if (ignored(e, options_.ignore_loops)) return;
    e.expect_attributes({"name", "type", "treatment"});
    e.expect_children({"predecessor", "successor", "axis", "limit", "origin"});
    MechanismLoop loop;
    loop.name = tie_name(e);
    loop.type = read_loop_type(e);
    auto [predecessor, successor] = read_loop_ends(e);
    loop.predecessor = std::move(predecessor.link);
    loop.predecessor_frame = predecessor.frame;
    loop.successor = std::move(successor.link);
    loop.successor_frame = successor.frame;
    loop.axis = read_axis(e, loop.type);
    loop.treatment = read_treatment(e);
    out_.loops.push_back(std::move(loop));
  }

  void read_coupling(const Element& e) {
    if (ignored(e, options_.ignore_loops)) return;
    e.expect_attributes({"name", "type"});
    e.expect_children({"predecessor", "successor", "ratio"});
    MechanismGear gear;
    gear.name = tie_name(e);
    auto [predecessor, successor] = read_loop_ends(e);
    gear.predecessor = std::move(predecessor.link);
    gear.successor = std::move(successor.link);
    const Element ratio = e.required_child("ratio");
    ratio.expect_attributes({"value"});
    gear.ratio = ratio.number("value");
    if (gear.ratio == 0)
      ratio.fail(Status::invalid_model,
                 "the ratio is 0; give the turns of the successor for one of the predecessor");
    out_.gears.push_back(std::move(gear));
  }

  void read_drake_loop(const Element& e) {
    if (ignored(e, options_.ignore_loops)) return;
    e.fail(Status::unsupported,
           "<loop_joint> is unsupported; write a <loop> with <predecessor>, <successor> and <axis>, or set "
           "ignore_loops to read the robot as a tree");
  }

  void read_mimic(const Element& mimic, const MechanismJoint& joint) {
    if (ignored(mimic, options_.ignore_mimic)) return;
    mimic.expect_attributes({"joint", "multiplier", "offset"});
    const double multiplier = mimic.number("multiplier", 1);
    if (multiplier == 0)
      mimic.fail(Status::invalid_model, "the multiplier of <mimic> is 0; make the joint a fixed one instead");
    mimics_.push_back({mimic.text("joint"), mimic.subject(), mimic.line()});
    out_.couplings.push_back({joint.name + " mimic",
                              {joint.name},
                              {mimic.text("joint")},
                              {multiplier},
                              {mimic.number("offset", 0)}});
  }

  void read_link(const Element& e) {
    e.expect_attributes({"name", "type"});
    e.expect_children({"inertial", "visual", "collision", "material", "sensor", "gazebo", "contact"});
    MechanismLink link;
    link.name = claim_name(e, "a link", link_lines_);
    if (const std::optional<Element> inertial = e.child("inertial")) read_inertial(*inertial, link);
    out_.links.push_back(std::move(link));
  }

  void read_joint(const Element& e) {
    e.expect_attributes({"name", "type", "independent"});
    e.expect_children({"origin", "parent", "child", "axis", "screw", "limit", "dynamics", "mimic",
                       "safety_controller", "calibration", "sensor", "gazebo", "actuator",
                       "hardwareInterface"});
    MechanismJoint joint;
    joint.name = claim_name(e, "a joint", joint_lines_);
    joint.type = read_joint_type(e);
    joint.parent = read_end(e, "parent");
    joint.child = read_end(e, "child");
    joint.origin = read_origin(e);
    joint.axis = read_axis(e, joint.type);
    read_screw(e, joint);
    read_limit(e, joint);
    read_dynamics(e, joint);
    if (const std::optional<Element> mimic = e.child("mimic")) {
      if (joint.type == JointType::fixed)
        mimic->warn("<mimic> on a fixed joint is ignored: the joint has no position that could follow");
      else
        read_mimic(*mimic, joint);
    }
    if (e.has("independent") && !options_.ignore_loops) joint.independent = read_flag(e, "independent");
    out_.joints.push_back(std::move(joint));
  }

  static std::string read_end(const Element& joint, const char* tag) {
    const Element end = joint.required_child(tag);
    end.expect_attributes({"link"});
    return end.text("link");
  }

  // The links that joints name must exist, and no link may have two parent joints.
  void check_references() const {
    std::map<std::string_view, std::string_view> holder;
    for (const MechanismJoint& joint : out_.joints) {
      const auto fail = [&](const std::string& what) {
        report_.fail(Status::invalid_model, joint_lines_.at(joint.name),
                     "joint " + in_quotes(joint.name) + ": " + what);
      };
      for (const auto& [role, link] : {std::pair("parent", &joint.parent), std::pair("child", &joint.child)})
        if (link_lines_.count(*link) == 0)
          fail(std::string(role) + " link " + in_quotes(*link) + " does not exist; add it or mend the name");
      if (joint.parent == joint.child)
        fail("parent and child are both " + in_quotes(joint.parent) + "; a joint needs two links");
      const auto [place, fresh] = holder.emplace(joint.child, joint.name);
      if (!fresh)
        fail("child link " + in_quotes(joint.child) + " hangs on joint " + in_quotes(place->second) +
             " already; a link has one parent, close the loop by a <loop>");
    }
    for (const Reference& end : ends_)
      if (link_lines_.count(end.name) == 0)
        report_.fail(
            Status::invalid_model, end.line,
            end.subject + " link " + in_quotes(end.name) + " does not exist; add it or mend the name");
    for (const Reference& mimic : mimics_)
      if (joint_lines_.count(mimic.name) == 0)
        report_.fail(Status::invalid_model, mimic.line,
                     mimic.subject + ": it mimics joint " + in_quotes(mimic.name) +
                         ", which does not exist; add it, mend the name, or set ignore_mimic to let such "
                         "joints move freely");
  }

  // A name that must exist, and the place where it is used.
  struct Reference {
    std::string name, subject;
    int line;
  };

  Report report_;
  UrdfOptions options_;
  Mechanism out_;
  std::map<std::string, int> link_lines_, joint_lines_, tie_lines_;
  std::vector<Reference> ends_, mimics_;
};

std::string read_file(const std::string& path) {
  const auto fail = [&](const std::string& what) { throw Error(Status::file_error, path + ": " + what); };
  if (const std::size_t at = valid_utf8(path); at < path.size())
    throw Error(Status::file_error, "the path of the URDF file is not UTF-8 at its byte " +
                                        std::to_string(at + 1) + ", after '" + path.substr(0, at) +
                                        "'; give it in UTF-8");
  std::error_code error;
  const std::filesystem::path place = std::filesystem::u8path(path);  // names are UTF-8 on every system
  const std::filesystem::file_status status = std::filesystem::status(place, error);
  if (status.type() == std::filesystem::file_type::not_found) fail("there is no such file; check the path");
  if (error) fail("cannot be looked at: " + error.message());
  if (std::filesystem::is_directory(status)) fail("is a directory; name the URDF file in it");
  if (!std::filesystem::is_regular_file(status)) fail("is not a regular file; save the URDF in one");
  const std::uintmax_t size = std::filesystem::file_size(place, error);
  if (error) fail("cannot be read: " + error.message());
  if (size > max_bytes)
    fail("has " + std::to_string(size) + " bytes, more than the " + std::to_string(max_bytes) +
         " that a URDF may have; keep meshes in files of their own");

  errno = 0;
  std::ifstream file(place, std::ios::binary);
  if (!file) fail("cannot be opened: " + std::generic_category().message(errno));
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (file.bad()) fail("reading failed: " + std::generic_category().message(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace
}  // namespace urdf

Mechanism parse_urdf(std::string_view text, const std::string& source, const UrdfOptions& options) {
  return urdf::Reader(source, options).read(text);
}

Mechanism load_urdf(const std::string& path, const UrdfOptions& options) {
  return parse_urdf(urdf::read_file(path), path, options);
}

}  // namespace tenon
