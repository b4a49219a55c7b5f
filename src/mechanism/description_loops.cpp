// The checks of loops, couplings, gears and implicit constraints of a mechanism whose links and joints are
// known to form a tree.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mechanism/description.hpp"
#include "scalar/classic_text.hpp"
#include "scalar/finite.hpp"
#include "scalar/index.hpp"

namespace tenon {

int moving_joint_above(const Description& description, std::size_t link) {
  for (int i = description.joint_above[link]; i >= 0;) {
    const Description::Joint& joint = description.joints[index(i)];
    if (joint.data.type != JointType::fixed) return i;
    i = description.joint_above[joint.parent];
  }
  return -1;
}

namespace {

// Near 1e6 the spacing of doubles is 1e-10, a tenth of loop_tolerance.
constexpr double largest_offset = 1e6;  // rad or m

// A rotation whose z axis is along `axis`.
Matrix3 rotation_to(const Vector3& axis) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  const Vector3 z = {axis[0] / length, axis[1] / length, axis[2] / length};
  std::size_t least = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (std::abs(z[k]) < std::abs(z[least]) - same_component) least = k;
  Vector3 x = {-z[0] * z[least], -z[1] * z[least], -z[2] * z[least]};
  x[least] += 1;
  const double norm = std::hypot(x[0], x[1], x[2]);
  for (double& e : x) e /= norm;
  return {x[0], z[1] * x[2] - z[2] * x[1], z[0], x[1], z[2] * x[0] - z[0] * x[2], z[1],
          x[2], z[0] * x[1] - z[1] * x[0], z[2]};
}

class LoopReader {
 public:
  LoopReader(const Mechanism& mechanism, Description& description)
      : mechanism_(mechanism), description_(description) {}

  void run() {
    for (std::size_t i = 0; i < description_.link_count; ++i) links_.emplace(mechanism_.links[i].name, i);
    for (std::size_t i = 0; i < description_.joints.size(); ++i) {
      joints_.emplace(description_.joints[i].data.name, i);
      description_.dependent.push_back(!description_.joints[i].data.independent);
    }
    find_depths();
    followers_.resize(description_.joints.size());
    tied_.resize(description_.joints.size(), 0);
    for (const MechanismLoop& loop : mechanism_.loops) add(loop);
    for (const MechanismCoupling& coupling : mechanism_.couplings) add(coupling);
    for (const MechanismGear& gear : mechanism_.gears) add(gear);
    for (std::size_t i = 0; i < mechanism_.implicits.size(); ++i) add(mechanism_.implicits[i], i);
    check_circles();
    check_untied();
  }

 private:
  [[noreturn]] void fail(const std::string& text, Status status = Status::invalid_model) const {
    reject(mechanism_, status, text);
  }

  std::string claim(const char* kind, const std::string& name) {
    if (name.empty()) fail(std::string("a ") + kind + " has no name; give it one");
    const std::string who = kind + (" " + quoted(name)) + ": ";
    if (!names_.emplace(name, kind).second)
      fail(who + "a " + names_[name] + " has this name already; rename one of them");
    return who;
  }

  std::size_t link_of(const std::string& who, const std::string& role, const std::string& name) const {
    const auto found = links_.find(name);
    if (found == links_.end())
      fail(who + "its " + role + " link " + quoted(name) +
           " does not exist; add the link or correct the name");
    return found->second;
  }

  // one_dof: the joint must have one position coordinate.
  std::size_t joint_of(const std::string& who, const std::string& name, bool one_dof) const {
    const auto found = joints_.find(name);
    if (found == joints_.end())
      fail(who + "joint " + quoted(name) + " does not exist; add the joint or correct the name");
    const JointType type = description_.joints[found->second].data.type;
    if (type == JointType::fixed)
      fail(who + "joint " + quoted(name) + " is fixed and has no position; name a joint that moves");
    if (one_dof && position_count(type) != 1)
      fail(who + "joint " + quoted(name) + " has " + std::to_string(velocity_count(type)) +
           " degrees of freedom; only revolute, continuous and prismatic joints can be coupled");
    return found->second;
  }

  void check_ends(const std::string& who, std::size_t predecessor, std::size_t successor) const {
    if (moving_joint_above(description_, predecessor) != moving_joint_above(description_, successor)) return;
    const std::string &a = mechanism_.links[predecessor].name, &b = mechanism_.links[successor].name;
    if (predecessor == successor) fail(who + "both its ends are on link " + quoted(a) + "; name two links");
    fail(who + "its links " + quoted(a) + " and " + quoted(b) +
         " do not move against each other; name links with a moving joint between them");
  }

  Pose end_frame(const std::string& who, const Pose& frame, const MechanismLoop& loop) const {
    if (!all_finite(frame.rotation) || !all_finite(frame.translation))
      fail(who + "an end frame is not finite; give finite numbers", Status::not_finite);
    if (rotation_defect(frame.rotation) > rotation_tolerance)
      fail(who + "the rotation of an end frame is no rotation matrix; give an orthonormal right-handed one");
    Pose clean = frame;
    clean.rotation = nearest_rotation(frame.rotation);
    return has_axis(loop.type) ? clean * Pose{rotation_to(loop.axis), {0, 0, 0}} : clean;
  }

  void add(const MechanismLoop& loop) {
    const std::string who = claim("loop", loop.name);
    if (held_rows(loop.type) == 0)
      fail(who +
               "a joint of this type cannot close a loop; use revolute, continuous, prismatic, planar, "
               "spherical or fixed",
           Status::unsupported);
    if (has_axis(loop.type)) {
      const double length = std::hypot(loop.axis[0], loop.axis[1], loop.axis[2]);
      if (!std::isfinite(length))
        fail(who + "axis is not finite; give three finite numbers", Status::not_finite);
      if (length < shortest_axis) fail(who + "axis is zero; give a unit axis");
    }
    const std::size_t predecessor = link_of(who, "predecessor", loop.predecessor),
                      successor = link_of(who, "successor", loop.successor);
    check_ends(who, predecessor, successor);
    const std::vector<std::size_t> joints = joints_between(predecessor, successor);
    for (const std::size_t joint : joints) tied_[joint] = 1;
    description_.loops.push_back({loop.name, loop.type, predecessor, successor,
                                  end_frame(who, loop.predecessor_frame, loop),
                                  end_frame(who, loop.successor_frame, loop), joints});
  }

  void check_offset(const std::string& who, double offset) const {
    if (std::abs(offset) > largest_offset)
      fail(text_of(who, "its offset is ", offset,
                   "; positions of this size are not known to the 1e-9 rad or m to which couplings hold, so "
                   "give an offset between -1e6 and 1e6"));
  }

  void add(const MechanismCoupling& coupling) {
    const std::string who = claim("coupling", coupling.name);
    const std::size_t d = coupling.dependent.size(), y = coupling.independent.size();
    if (d == 0) fail(who + "it has no dependent joint; name the joints that follow");
    if (coupling.ratios.size() != d * y)
      fail(who + "it has " + std::to_string(coupling.ratios.size()) + " ratios; " + std::to_string(d) +
           " dependent joints that follow " + std::to_string(y) + " need " + std::to_string(d * y));
    if (!coupling.offsets.empty() && coupling.offsets.size() != d)
      fail(who + "it has " + std::to_string(coupling.offsets.size()) + " offsets; give one for each of the " +
           std::to_string(d) + " dependent joints, or none");
    if (!all_finite(coupling.ratios) || !all_finite(coupling.offsets))
      fail(who + "a ratio or offset is not finite; give finite numbers", Status::not_finite);
    for (const double offset : coupling.offsets) check_offset(who, offset);
    Description::Coupling made{coupling.name, {}, static_cast<int>(d * y)};
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t follower = joint_of(who, coupling.dependent[i], true);
      Description::CouplingRow row{{{follower, 1, -1}}, coupling.offsets.empty() ? 0 : coupling.offsets[i]};
      for (std::size_t j = 0; j < y; ++j) {
        const std::size_t leader = joint_of(who, coupling.independent[j], true);
        if (leader == follower)
          fail(who + "joint " + quoted(coupling.dependent[i]) + " follows itself; name another joint");
        followers_[leader].push_back(follower);
        row.terms.push_back({leader, -coupling.ratios[i * y + j], static_cast<int>(j * d + i)});
      }
      for (const auto& term : row.terms) tied_[term.joint] = 1;
      description_.dependent[follower] = 1;
      made.rows.push_back(std::move(row));
    }
    description_.couplings.push_back(std::move(made));
  }

  void add(const MechanismGear& gear) {
    const std::string who = claim("gear", gear.name);
    if (!std::isfinite(gear.ratio) || !std::isfinite(gear.offset))
      fail(who + "ratio or offset is not finite; give finite numbers", Status::not_finite);
    check_offset(who, gear.offset);
    if (gear.ratio == 0)
      fail(who + "its ratio is zero; give the turns of the successor for one of the predecessor");
    const std::size_t predecessor = link_of(who, "predecessor", gear.predecessor),
                      successor = link_of(who, "successor", gear.successor);
    check_ends(who, predecessor, successor);
    Description::CouplingRow row{{}, gear.offset};
    bool declared = false;
    const std::size_t middle = common_link(predecessor, successor);
    for (const bool forward : {true, false}) {
      for (const std::size_t joint : joints_up(forward ? successor : predecessor, middle)) {
        joint_of(who, description_.joints[joint].data.name, true);
        row.terms.push_back({joint, forward ? 1 : -gear.ratio, forward ? -1 : 0});
        tied_[joint] = 1;
        declared = declared || description_.dependent[joint];
      }
    }
    if (!declared) description_.dependent[row.terms.front().joint] = 1;
    description_.couplings.push_back({gear.name, {row}, 1});
  }

  void add(const MechanismImplicit& implicit, std::size_t source) {
    const std::string who = claim("implicit constraint", implicit.name);
    if (implicit.rows < 1) fail(who + "it has no rows; give the number of equations");
    if (!implicit.evaluate) fail(who + "it has no function; give the one that evaluates it");
    if (implicit.joints.empty()) fail(who + "it names no joint; name those that its function sees");
    Description::Implicit made{implicit.name, {}, source};
    for (const std::string& name : implicit.joints) {
      made.joints.push_back(joint_of(who, name, false));
      tied_[made.joints.back()] = 1;
    }
    for (std::size_t i = 0; i < made.joints.size(); ++i)
      if (std::count(made.joints.begin(), made.joints.end(), made.joints[i]) > 1)
        fail(who + "joint " + quoted(implicit.joints[i]) + " is named twice; name it once");
    description_.implicits.push_back(std::move(made));
  }

  // Moving joints from a link inward to its ancestor `to`.
  std::vector<std::size_t> joints_up(std::size_t link, std::size_t to) const {
    std::vector<std::size_t> joints;
    while (link != to) {
      const std::size_t joint = index(description_.joint_above[link]);
      if (description_.joints[joint].data.type != JointType::fixed) joints.push_back(joint);
      link = description_.joints[joint].parent;
    }
    return joints;
  }

  std::size_t parent_of(std::size_t link) const {
    return description_.joints[index(description_.joint_above[link])].parent;
  }

  // The number of joints between the root and each link.
  void find_depths() {
    depth_.assign(description_.joint_above.size(), -1);
    std::vector<std::size_t> path;
    for (std::size_t link = 0; link < depth_.size(); ++link) {
      for (std::size_t at = link;; at = parent_of(at)) {
        if (depth_[at] >= 0) break;
        if (description_.joint_above[at] < 0) {
          depth_[at] = 0;
          break;
        }
        path.push_back(at);
      }
      for (; !path.empty(); path.pop_back()) depth_[path.back()] = depth_[parent_of(path.back())] + 1;
    }
  }

  std::size_t common_link(std::size_t a, std::size_t b) const {
    const auto parent = [&](std::size_t link) { return parent_of(link); };
    int da = depth_[a], db = depth_[b];
    for (; da > db; --da) a = parent(a);
    for (; db > da; --db) b = parent(b);
    while (a != b) a = parent(a), b = parent(b);
    return a;
  }

  std::vector<std::size_t> joints_between(std::size_t a, std::size_t b) const {
    const std::size_t middle = common_link(a, b);
    std::vector<std::size_t> joints = joints_up(a, middle);
    for (const std::size_t joint : joints_up(b, middle)) joints.push_back(joint);
    return joints;
  }

  // Joints that follow each other in a circle have no position of their own.
  void check_circles() const {
    std::vector<int> leaders(followers_.size(), 0);
    for (const auto& list : followers_)
      for (const std::size_t follower : list) ++leaders[follower];
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < leaders.size(); ++i)
      if (leaders[i] == 0) free.push_back(i);
    for (std::size_t next = 0; next < free.size(); ++next)
      for (const std::size_t follower : followers_[free[next]])
        if (--leaders[follower] == 0) free.push_back(follower);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < leaders.size(); ++i)
      if (leaders[i] > 0) names.push_back(description_.joints[i].data.name);
    if (!names.empty())
      fail("the joints " + quoted_list(names) + " follow each other in a circle; let one of them be free");
  }

  void check_untied() const {
    for (std::size_t i = 0; i < tied_.size(); ++i)
      if (description_.dependent[i] && !tied_[i] && description_.joints[i].data.type != JointType::fixed)
        fail("joint " + quoted(description_.joints[i].data.name) +
             ": it is declared dependent, but no loop or coupling moves it; add one, or make the joint "
             "independent");
  }

  const Mechanism& mechanism_;
  Description& description_;
  std::unordered_map<std::string, std::size_t> links_, joints_;
  std::unordered_map<std::string, std::string> names_;
  std::vector<int> depth_;                           // per link
  std::vector<std::vector<std::size_t>> followers_;  // per joint: those that follow it by a coupling
  std::vector<char> tied_;                           // per joint: some constraint moves it
};

}  // namespace

void add_loops(const Mechanism& mechanism, Description& description) {
  LoopReader(mechanism, description).run();
}

}  // namespace tenon
