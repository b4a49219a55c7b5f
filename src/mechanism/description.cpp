// The checks of a description, ordered so that a mistake does not mislead a later check: numbers of each
// link, joint and frame; names; then the tree. A tree has n links, exactly one without a joint above it, from
// which all others are reached.
#include "mechanism/description.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "scalar/classic_text.hpp"
#include "scalar/finite.hpp"
#include "scalar/index.hpp"

namespace tenon {

void reject(const Mechanism& mechanism, Status status, const std::string& text) {
  throw Error(status, mechanism.source.empty() ? text : mechanism.source + ": " + text);
}

std::string quoted(const std::string& name) {
  return "'" + name + "'";
}

std::string quoted_list(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i ? ", " : "") + quoted(names[i]);
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

namespace {

using Rotation = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

double defect_of(const Rotation& R) {
  const double defect = (R.transpose() * R - Rotation::Identity()).cwiseAbs().maxCoeff();
  return R.determinant() > 0 ? defect : std::numeric_limits<double>::infinity();
}

double norm(const Vector3& a) {
  return std::hypot(a[0], a[1], a[2]);
}

class Checker {
 public:
  Checker(const Mechanism& mechanism, const CompileOptions& options)
      : mechanism_(mechanism), options_(options) {}

  Description run() {
    if (mechanism_.links.empty()) fail("the mechanism has no links; give it at least one");
    if (!all_finite(options_.gravity))
      fail("gravity is not finite; give three numbers in m/s^2", Status::not_finite);
    for (const MechanismLink& link : mechanism_.links) check_link(link);
    name_links();
    for (const MechanismJoint& joint : mechanism_.joints) check_joint(joint);
    name_joints();
    for (const MechanismJoint& joint : mechanism_.joints) add_joint(joint);
    find_root();
    check_reached();
    check_frames();
    add_loops(mechanism_, description_);
    return std::move(description_);
  }

 private:
  [[noreturn]] void fail(const std::string& text, Status status = Status::invalid_model) const {
    reject(mechanism_, status, text);
  }

  void check_link(const MechanismLink& link) {
    const std::string who = "link " + quoted(link.name) + ": ";
    if (!std::isfinite(link.mass) || !all_finite(link.center_of_mass) || !all_finite(link.inertia))
      fail(who + "mass, centre of mass or inertia is not finite; give finite numbers", Status::not_finite);
    if (link.mass < 0)
      fail(text_of(who, "mass is ", link.mass, " kg; give a mass of zero or more"), Status::invalid_inertia);
  }

  void name_links() {
    description_.link_count = mechanism_.links.size();
    description_.joints_below.resize(description_.link_count);
    description_.joint_above.resize(description_.link_count, -1);
    for (std::size_t i = 0; i < mechanism_.links.size(); ++i) {
      const std::string& name = mechanism_.links[i].name;
      if (name.empty()) fail("link number " + std::to_string(i) + " has no name; give it one");
      if (!link_index_.emplace(name, i).second)
        fail("two links are named " + quoted(name) + "; rename one of them");
    }
  }

  void name_joints() {
    std::unordered_map<std::string, int> names;
    const auto claim = [&](const std::string& name, const std::string& remedy) {
      if (!names.emplace(name, 0).second) fail("two joints are named " + quoted(name) + "; " + remedy);
    };
    for (std::size_t i = 0; i < mechanism_.joints.size(); ++i) {
      const std::string& name = mechanism_.joints[i].name;
      if (name.empty()) fail("joint number " + std::to_string(i) + " has no name; give it one");
      claim(name, "rename one of them");
    }
    for (const MechanismJoint& joint : mechanism_.joints) {
      if (joint.type == JointType::universal)
        claim(joint.name + "_2", "the second axis of the universal joint " + quoted(joint.name) +
                                     " takes this name, so rename the other joint");
    }
    if (options_.floating_base)
      claim(options_.floating_joint_name,
            "it is the name of the floating base joint, so choose another one for it");
  }

  void check_joint(const MechanismJoint& joint) {
    const std::string who = "joint " + quoted(joint.name) + ": ";
    if (!is_known(joint.type))
      fail(who + "its type is unknown; use one of the types of JointType", Status::unsupported);
    if (!all_finite(joint.origin.rotation) || !all_finite(joint.origin.translation))
      fail(who + "origin is not finite; give finite numbers", Status::not_finite);
    if (rotation_defect(joint.origin.rotation) > rotation_tolerance)
      fail(who + "the rotation of its origin is no rotation matrix; give an orthonormal right-handed one");
    if (!std::isfinite(joint.armature) || !std::isfinite(joint.damping) || !std::isfinite(joint.friction))
      fail(who + "armature, damping or friction is not finite; give finite numbers", Status::not_finite);
    if (joint.armature < 0)
      fail(text_of(who, "armature is ", joint.armature, "; give a rotor inertia of zero or more"),
           Status::invalid_inertia);
    check_limits(joint, who);
    if (has_axis(joint.type)) check_axis(joint.axis, who + "axis");
    if (joint.type == JointType::universal) check_second_axis(joint, who);
    if (joint.type == JointType::screw && !std::isfinite(joint.pitch))
      fail(who + "its pitch is missing or not finite; give the translation in m for one radian",
           Status::not_finite);
  }

  void check_limits(const MechanismJoint& joint, const std::string& who) {
    const JointLimits& limits = joint.limits;
    if (std::isnan(limits.lower) || std::isnan(limits.upper) || std::isnan(limits.effort) ||
        std::isnan(limits.velocity)) {
      fail(who + "a limit is not a number; give a number, or infinity for no limit", Status::not_finite);
    }
    const bool limited = joint.type != JointType::fixed && joint.type != JointType::continuous;
    if (limited && limits.lower > limits.upper)
      fail(text_of(who, "lower limit ", limits.lower, " is above upper limit ", limits.upper, "; swap them"));
  }

  void check_axis(const Vector3& axis, const std::string& what) {
    if (!all_finite(axis) || !std::isfinite(norm(axis)))
      fail(what + " is not finite; give three finite numbers", Status::not_finite);
    if (norm(axis) < shortest_axis) fail(what + " is zero; give a unit axis");
  }

  void check_second_axis(const MechanismJoint& joint, const std::string& who) {
    check_axis(joint.axis2, who + "axis2");
    const Vector3 &a = joint.axis, &b = joint.axis2;
    const Vector3 c = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    constexpr double parallel = 1e-6;  // rad: files have six digits
    if (norm(c) < parallel * norm(a) * norm(b))
      fail(who + "axis2 is parallel to axis; give two different axes, or make it a revolute joint");
  }

  std::size_t link_of(const MechanismJoint& joint, const std::string& name, const char* role) {
    const auto found = link_index_.find(name);
    if (found == link_index_.end())
      fail("joint " + quoted(joint.name) + ": its " + role + " link " + quoted(name) +
           " does not exist; add the link or correct the name");
    return found->second;
  }

  void add_joint(const MechanismJoint& joint) {
    const std::size_t parent = link_of(joint, joint.parent, "parent"),
                      child = link_of(joint, joint.child, "child");
    const int parent_link = static_cast<int>(parent), child_link = static_cast<int>(child);
    if (description_.joint_above[child] >= 0) {
      const std::string& other = description_.joints[index(description_.joint_above[child])].data.name;
      fail("link " + quoted(joint.child) + " is the child of two joints, " + quoted(other) + " and " +
           quoted(joint.name) + "; keep one of them, and add a loop in place of the other");
    }
    MechanismJoint clean = joint;
    clean.origin.rotation = nearest_rotation(joint.origin.rotation);
    normalise(clean.axis);
    if (joint.type != JointType::universal) {
      hang(clean, parent, child, parent_link, child_link);
      return;
    }
    // A massless link between the two revolute joints.
    const std::size_t middle = description_.joints_below.size();
    description_.joints_below.emplace_back();
    description_.joint_above.push_back(-1);
    clean.type = JointType::revolute;
    hang(clean, parent, middle, parent_link, -1);
    clean.name += "_2";
    clean.origin = {};
    clean.axis = joint.axis2;
    normalise(clean.axis);
    hang(clean, middle, child, parent_link, child_link);
  }

  static void normalise(Vector3& axis) {
    const double length = norm(axis);
    if (length > 0) {
      for (double& x : axis) x /= length;
    }
  }

  void hang(const MechanismJoint& joint, std::size_t parent, std::size_t child, int parent_link,
            int child_link) {
    description_.joints_below[parent].push_back(description_.joints.size());
    description_.joint_above[child] = count_of(description_.joints);
    description_.joints.push_back({joint, parent, child, parent_link, child_link});
  }

  void find_root() {
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < description_.link_count; ++i) {
      if (description_.joint_above[i] >= 0) continue;
      if (roots.empty()) description_.root = i;
      roots.push_back(mechanism_.links[i].name);
    }
    if (roots.size() > 1)
      fail("there are " + std::to_string(roots.size()) + " root links, " + quoted_list(roots) +
           "; connect all but one to the tree by a joint");
    if (roots.empty()) reject_cycle(0);
  }

  // Every link but the root has one joint above it, so a link that is not reached from the root is on a cycle
  // or descends from one.
  void check_reached() {
    std::vector<char> reached(description_.joints_below.size(), 0);
    std::vector<std::size_t> open = {description_.root};
    while (!open.empty()) {
      const std::size_t link = open.back();
      open.pop_back();
      reached[link] = 1;
      for (const std::size_t joint : description_.joints_below[link])
        open.push_back(description_.joints[joint].child);
    }
    const auto missed = std::find(reached.begin(), reached.end(), 0);
    if (missed != reached.end()) reject_cycle(index(missed - reached.begin()));
  }

  // Goes inward from a link that is not connected to the root: after as many steps as there are links it is
  // on the cycle.
  [[noreturn]] void reject_cycle(std::size_t link) {
    const auto above = [&](std::size_t i) {
      return description_.joints[index(description_.joint_above[i])].parent;
    };
    for (std::size_t step = 0; step < description_.joint_above.size(); ++step) link = above(link);
    std::vector<std::string> names;
    std::size_t at = link;
    do {
      if (at < description_.link_count) names.push_back(mechanism_.links[at].name);
      at = above(at);
    } while (at != link);
    std::reverse(names.begin(), names.end());
    std::rotate(names.begin(), std::min_element(names.begin(), names.end()), names.end());
    fail("the joints form a cycle through the links " + quoted_list(names, 8) +
         "; remove one of its joints so that the links form a tree");
  }

  void check_frames() {
    for (const MechanismFrame& frame : mechanism_.frames) {
      const std::string who = "frame " + quoted(frame.name) + ": ";
      if (frame.name.empty()) fail("a frame has no name; give it one");
      if (link_index_.count(frame.link) == 0)
        fail(who + "its link " + quoted(frame.link) + " does not exist; add the link or correct the name");
      if (!all_finite(frame.placement.rotation) || !all_finite(frame.placement.translation))
        fail(who + "its placement is not finite; give finite numbers", Status::not_finite);
      if (rotation_defect(frame.placement.rotation) > rotation_tolerance)
        fail(who +
             "the rotation of its placement is no rotation matrix; give an orthonormal right-handed one");
    }
    for (std::size_t i = 0; i < mechanism_.frames.size(); ++i) {
      const std::string& name = mechanism_.frames[i].name;
      if (!link_index_.emplace(name, description_.link_count + i).second)
        fail("two links or frames are named " + quoted(name) + "; rename the frame");
    }
  }

  const Mechanism& mechanism_;
  const CompileOptions& options_;
  Description description_;
  std::unordered_map<std::string, std::size_t> link_index_;
};

}  // namespace

double rotation_defect(const Matrix3& R) {
  return defect_of(Eigen::Map<const Rotation>(R.data()));
}

Matrix3 nearest_rotation(const Matrix3& R) {
  constexpr double rounding = 4e-15;  // of a sum of three products: about 18 times 2^-52
  Rotation A = Eigen::Map<const Rotation>(R.data());
  // Newton's iteration for the polar factor, A <- A (3 - A^T A) / 2, doubles the digits each time. A matrix
  // exact to rounding is not changed, so that exact descriptions stay exact.
  for (int step = 0; step < 4 && defect_of(A) > rounding; ++step)
    A = A * (1.5 * Rotation::Identity() - 0.5 * A.transpose() * A);
  Matrix3 out;
  Eigen::Map<Rotation>(out.data()) = A;
  return out;
}

Description check_description(const Mechanism& mechanism, const CompileOptions& options) {
  return Checker(mechanism, options).run();
}

}  // namespace tenon
