#include "model/massless.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mechanism/description.hpp"

namespace tenon {
namespace {

class MasslessJoints {
 public:
  explicit MasslessJoints(const Mechanism& mechanism) : mechanism_(mechanism) {
    for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
      const MechanismJoint& joint = mechanism.joints[i];
      above_.emplace(joint.child, i);
      joints_.emplace(joint.name, i);
      if (joint.type == JointType::universal) joints_.emplace(joint.name + "_2", i);
      ++children_[joint.parent];
    }
    mark_tied();
    climb();
    release_leaders();
  }

  bool holds(std::size_t joint) const { return held_.count(joint) > 0; }
  bool holds(const std::string& name) const {
    const auto found = joints_.find(name);
    return found != joints_.end() && holds(found->second);
  }

 private:
  void mark_tied() {
    for (const MechanismLoop& loop : mechanism_.loops) tied_.insert({loop.predecessor, loop.successor});
    for (const MechanismGear& gear : mechanism_.gears) tied_.insert({gear.predecessor, gear.successor});
    for (const MechanismImplicit& implicit : mechanism_.implicits)
      for (const std::string& name : implicit.joints)
        if (const auto found = joints_.find(name); found != joints_.end())
          tied_.insert(mechanism_.joints[found->second].child);
  }

  bool is_empty(const MechanismLink& link) const {
    return link.mass == 0 && link.inertia == std::array<double, 6>{} && tied_.count(link.name) == 0;
  }

  // From the leaves inward: marks links that are empty and carry only such links.
  void climb() {
    std::unordered_set<std::string> empty;
    std::vector<std::string> open;
    for (const MechanismLink& link : mechanism_.links) {
      if (!is_empty(link)) continue;
      empty.insert(link.name);
      if (children_.count(link.name) == 0) open.push_back(link.name);
    }
    while (!open.empty()) {
      const auto joint = above_.find(open.back());
      open.pop_back();
      if (joint == above_.end()) continue;
      const MechanismJoint& j = mechanism_.joints[joint->second];
      // Armature helps only the joint itself, not the joints further inward.
      if (j.type != JointType::fixed && j.armature == 0) held_.insert(joint->second);
      if (--children_[j.parent] == 0 && empty.count(j.parent) > 0) open.push_back(j.parent);
    }
  }

  // A joint that others follow feels their inertia, so it must not be fixed while one of them moves.
  void release_leaders() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const MechanismCoupling& coupling : mechanism_.couplings) {
        const auto held = [&](const std::string& name) { return holds(name); };
        if (std::all_of(coupling.dependent.begin(), coupling.dependent.end(), held)) continue;
        for (const std::string& name : coupling.independent) {
          const auto leader = joints_.find(name);
          changed = (leader != joints_.end() && held_.erase(leader->second) > 0) || changed;
        }
      }
    }
  }

  const Mechanism& mechanism_;
  std::unordered_map<std::string, std::size_t> above_, joints_;  // by child link; by name
  std::unordered_map<std::string, int> children_;  // joints on a link with subtrees not known to be empty
  std::unordered_set<std::string> tied_;           // links
  std::unordered_set<std::size_t> held_;
};

// The coupling without the rows of followers that are held.
MechanismCoupling without_held(const MechanismCoupling& coupling, const MasslessJoints& massless) {
  const std::size_t leaders = coupling.independent.size();
  MechanismCoupling rest = coupling;
  rest.dependent.clear(), rest.ratios.clear(), rest.offsets.clear();
  for (std::size_t i = 0; i < coupling.dependent.size(); ++i) {
    if (massless.holds(coupling.dependent[i])) continue;
    const auto ratios = coupling.ratios.begin() + static_cast<std::ptrdiff_t>(i * leaders);
    rest.dependent.push_back(coupling.dependent[i]);
    rest.ratios.insert(rest.ratios.end(), ratios, ratios + static_cast<std::ptrdiff_t>(leaders));
    if (!coupling.offsets.empty()) rest.offsets.push_back(coupling.offsets[i]);
  }
  return rest;
}

}  // namespace

Mechanism hold_massless_joints(const Mechanism& mechanism) {
  const MasslessJoints massless(mechanism);
  Mechanism rest = mechanism;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rest.joints.size(); ++i) {
    if (!massless.holds(i)) continue;
    names.push_back(rest.joints[i].name);
    rest.joints[i].type = JointType::fixed;
  }
  if (names.empty()) return rest;
  rest.couplings.clear();
  for (const MechanismCoupling& coupling : mechanism.couplings) {
    // A wrong number of ratios or offsets is reported later, by the check of the description.
    const std::size_t count = coupling.dependent.size();
    const bool sound = coupling.ratios.size() == count * coupling.independent.size() &&
                       (coupling.offsets.empty() || coupling.offsets.size() == count);
    MechanismCoupling kept = sound ? without_held(coupling, massless) : coupling;
    if (!kept.dependent.empty()) rest.couplings.push_back(std::move(kept));
  }
  rest.warnings.push_back(std::string(names.size() == 1 ? "joint " : "joints ") + quoted_list(names) +
                          ": neither mass nor inertia is moved there; held where the position is 0");
  return rest;
}

}  // namespace tenon
