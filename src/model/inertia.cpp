// Checks masses and inertias of a compiled model, and holds joints that move none.
//
// Descriptions of real robots often break the rules of rigid bodies without harm: an indefinite inertia of a
// link that is welded to a heavy one, principal moments that break the triangle inequality. Those are
// warnings. Errors are a moving body of indefinite inertia (negative kinetic energy) and a joint that moves
// no inertia, which makes the mass matrix singular: D = S^T IA S + armature ([RBDA] 7.4) has no inverse
// there.
//
// Whether D is invertible depends on the mechanism and, for almost all poses, not on the pose, so one generic
// pose is tested: the articulated-body recursion, O(n), in body frames.
#include "model/compile.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "mechanism/description.hpp"
#include "model/body_poses.hpp"
#include "scalar/classic_text.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

// Relative to the largest principal moment: negative moments that are rounding errors of inertias written
// with nine digits or more; and violations of the triangle inequality to be expected in a file of six digits.
constexpr double negative_moment = 1e-9, triangle_excess = 1e-6;
// For sums of some hundred terms in double precision.
constexpr double rounding_of_sums = 1e-13;

// xx xy xz yy yz zz.
Eigen::Matrix3d symmetric(const double* I) {
  Eigen::Matrix3d A;
  A << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  return A;
}

Eigen::Matrix3d skew(double x, double y, double z) {
  Eigen::Matrix3d A;
  A << 0, -z, y, z, 0, -x, -y, x, 0;
  return A;
}

// In ascending order.
Eigen::Vector3d principal_moments(const Eigen::Matrix3d& I) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(I, Eigen::EigenvaluesOnly).eigenvalues();
}

void warn_of_link(const MechanismLink& link, Model& model) {
  const Eigen::Vector3d moments = principal_moments(symmetric(link.inertia.data()));
  const double largest = moments.cwiseAbs().maxCoeff();
  const bool negative = has_negative_moment(link.inertia);
  if (!negative && moments[2] <= moments[0] + moments[1] + triangle_excess * largest) return;
  model.warnings.push_back(text_of("link ", quoted(link.name), ": inertia ",
                                   negative ? "is not positive definite" : "breaks the triangle inequality",
                                   " (principal moments ", moments[0], ", ", moments[1], ", ", moments[2],
                                   " kg m^2), which no rigid body can have; it is used as given"));
}

// The first link of a body, for messages; the joint's name where the body has none.
std::string body_name(const Model& model, std::size_t node) {
  for (const Model::Link& link : model.links) {
    if (link.body == static_cast<int>(node) && !link.is_frame) return "link " + quoted(link.name);
  }
  return "the body of joint " + quoted(model.joints[node].name);
}

constexpr char mend_moments[] =
    "; give an inertia about the centre of mass whose principal moments are not negative";

// What is wrong with the inertia of a body; "" where it is one that a body can have.
std::string indefinite_body(const Model& model, const NodeData& node, std::size_t i) {
  Eigen::Matrix3d central = symmetric(node.I);  // about the centre of mass: I + (h x)(h x) / m
  const Eigen::Matrix3d h = skew(node.h[0], node.h[1], node.h[2]);
  if (node.mass > 0) central += h * h / node.mass;
  const Eigen::Vector3d moments = principal_moments(central);
  const double rounding =
      rounding_of_sums * (std::abs(node.I[0]) + std::abs(node.I[3]) + std::abs(node.I[5]));
  if (moments[0] >= -negative_moment * moments.cwiseAbs().maxCoeff() - rounding) return "";
  return text_of(
      body_name(model, i), ", moved by joint ", quoted(model.joints[i].name),
      ": the inertia of the body, with all that is fixed to it, is not positive definite (principal "
      "moments ",
      moments[0], ", ", moments[1], ", ", moments[2], " kg m^2)");
}

void check_body(const Mechanism& mechanism, const CompileOptions& options, Model& model, std::size_t i) {
  const std::string text = indefinite_body(model, model.nodes[i], i);
  if (text.empty()) return;
  if (!options.tolerant_inertias)
    reject(mechanism, Status::invalid_inertia,
           text + mend_moments + ", or set tolerant_inertias to use it as given");
  model.warnings.push_back(text + "; it is used as given, and the mass matrix may not be positive definite");
}

enum class Singular { no, massless, dependent };

// Eliminates the joint from the articulated inertia: A - U D^-1 U^T, coordinate by coordinate, which is the
// Cholesky elimination of D. A pivot counts as zero if it is within rounding errors of the inertia of the
// rigid subtree.
Singular eliminate(const NodeData& node, const double* armature, const RigidInertia<double>& composite,
                   ArticulatedInertia<double>& A) {
  const Sym3<double>& I = composite.I;
  const bool empty = composite.m == 0 && I.xx == 0 && I.yy == 0 && I.zz == 0;
  Singular singular = Singular::no;
  for (int d = 0; d < joint_subspace(node.kind).count; ++d) {
    const Motion<double> S = subspace_column(node, d);
    const Force<double> U = A * S;
    const double pivot = dot(S, U) + armature[d];
    if (pivot > rounding_of_sums * (dot(S, composite * S) + armature[d]))
      A = A + scaled_square(-1 / pivot, U);
    else if (singular == Singular::no)
      singular = empty ? Singular::massless : Singular::dependent;
  }
  return singular;
}

// Of each node.
std::vector<Singular> singular_joints(const Model& model, const std::vector<NodeData>& nodes,
                                      const std::vector<double>& armature) {
  std::vector<double> q(index(model.nq));
  sample_configuration(model, 1, q.data(), Sample::anywhere);  // limits may allow only a singular pose
  std::vector<RigidInertia<double>> composite;
  std::vector<ArticulatedInertia<double>> A;
  for (const NodeData& node : nodes) {
    composite.push_back(body_inertia(node));
    A.push_back(articulated(composite.back()));
  }
  std::vector<Singular> singular(nodes.size());
  for (std::size_t i = singular.size(); i-- > 0;) {
    const NodeData& node = nodes[i];
    singular[i] = eliminate(node, &armature[index(node.v_index)], composite[i], A[i]);
    if (node.parent < 0) continue;
    const Placement X = joint_placement(node, q.data());
    const std::size_t parent = index(node.parent);
    A[parent] = A[parent] + inertia_to_parent(X, A[i]);
    composite[parent] = composite[parent] + inertia_to_parent(X, composite[i]);
  }
  return singular;
}

bool is_leaf(const Model& model, std::size_t node) {
  // Bodies are numbered depth first: the next one is a child, or there is none.
  return node + 1 == model.nodes.size() || model.nodes[node + 1].parent != static_cast<int>(node);
}

const char* singular_text(const Model& model, std::size_t node, bool massless) {
  if (massless)
    return "massless moving leaf: neither the link nor anything it carries has mass or inertia, so the mass "
           "matrix is singular; give it a mass or an inertia, give the joint an armature, make the joint "
           "fixed, or set tolerant_inertias to have all such joints held";
  if (node == 0 && model.floating_base)
    return "the floating base moves no inertia that the joints beyond it do not already move, so the mass "
           "matrix is singular; give the root link a mass and an inertia, or compile with a fixed base";
  return "the joint moves no inertia that the joints beyond it do not already move, so the mass matrix is "
         "singular; give the link a mass and an inertia about the joint axis, give the joint an armature, or "
         "make the joint fixed";
}

// A joint that moves no inertia of its own; "" where there is none.
std::string singular_joint(const Model& model, const std::vector<NodeData>& nodes,
                           const std::vector<double>& armature) {
  const std::vector<Singular> singular = singular_joints(model, nodes, armature);
  const bool massless = std::count(singular.begin(), singular.end(), Singular::massless) > 0;
  std::vector<std::size_t> culprits;
  for (std::size_t i = 0; i < singular.size(); ++i)
    if (singular[i] == (massless ? Singular::massless : Singular::dependent)) culprits.push_back(i);
  if (culprits.empty()) return "";
  // In a massless subtree with several joints, name a leaf: mending starts there.
  auto first = culprits.begin();
  if (massless) first = std::find_if(first, culprits.end(), [&](std::size_t i) { return is_leaf(model, i); });
  if (first == culprits.end())
    first = culprits.begin();  // the leaves have armature, which does not help joints further inward
  std::vector<std::string> others;
  for (auto i = culprits.begin(); i != culprits.end(); ++i) {
    if (i != first) others.push_back(model.joints[*i].name);
  }
  std::string text = body_name(model, *first) + ", moved by joint " + quoted(model.joints[*first].name) +
                     ": " + singular_text(model, *first, massless);
  if (!others.empty()) text += " (the same holds for " + quoted_list(others) + ")";
  return text;
}

// Whether a body has mass, and an inertia about its centre that is positive by far: by the pivots of its factor.
bool is_solid(const NodeData& node) {
  if (!(node.mass > 0)) return false;
  const Vec3<double> c = (1 / node.mass) * load_vec3<double>(node.h);
  const double *I = node.I, m = node.mass, least = 1e-6 * (std::abs(I[0]) + std::abs(I[3]) + std::abs(I[5]));
  const double xx = I[0] - m * (c.y * c.y + c.z * c.z), xy = I[1] + m * c.x * c.y, xz = I[2] + m * c.x * c.z,
               yy = I[3] - m * (c.x * c.x + c.z * c.z) - xy * xy / xx,
               yz = I[4] + m * c.y * c.z - xy * xz / xx,
               zz = I[5] - m * (c.x * c.x + c.y * c.y) - xz * xz / xx - yz * yz / yy;
  return xx > least && yy > least && zz > least;
}

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

bool has_negative_moment(const std::array<double, 6>& inertia) {
  const Eigen::Vector3d moments = principal_moments(symmetric(inertia.data()));
  return moments[0] < -negative_moment * moments.cwiseAbs().maxCoeff();
}

std::string wrong_inertia(const Model& model, const std::vector<NodeData>& nodes,
                          const std::vector<double>& armature) {
  if (std::all_of(nodes.begin(), nodes.end(), is_solid)) return "";  // nearly always, and much faster
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string text = indefinite_body(model, nodes[i], i);
    if (!text.empty()) return text + mend_moments;
  }
  return singular_joint(model, nodes, armature);
}

void check_inertias(const Mechanism& mechanism, const CompileOptions& options, Model& model) {
  for (const MechanismLink& link : mechanism.links) warn_of_link(link, model);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) check_body(mechanism, options, model, i);
  const std::string text = singular_joint(model, model.nodes, model.armature);
  if (!text.empty()) reject(mechanism, Status::invalid_inertia, text);
}

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
