// Checks masses and inertias of a compiled model.
//
// Descriptions of real robots often break the rules of rigid bodies without harm: an indefinite inertia of a
// link that is welded to a heavy one, principal moments that break the triangle inequality. Those are
// warnings. Errors are a moving body of indefinite inertia (negative kinetic energy) and a joint that moves
// no inertia, which makes the mass matrix singular: D = S^T IA S + armature ([RBDA] 7.4) has no inverse
// there.
//
// Whether D is invertible depends on the mechanism and, for almost all poses, not on the pose, so one generic
// pose is tested: the articulated-body recursion, O(n), in body frames.
#include "model/inertia.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mechanism/description.hpp"
#include "model/body_poses.hpp"
#include "scalar/classic_text.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

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
  ClassicText text;
  text << "link " << quoted(link.name) << ": ";
  if (moments[0] < -negative_moment * largest) {
    text << "inertia is not positive definite";
  } else if (moments[2] > moments[0] + moments[1] + triangle_excess * largest) {
    text << "inertia breaks the triangle inequality";
  } else {
    return;
  }
  text << " (principal moments " << moments[0] << ", " << moments[1] << ", " << moments[2]
       << " kg m^2), which no rigid body can have; it is used as given";
  model.warnings.push_back(text.str());
}

// The first link of a body, for messages; the joint's name where the body has none.
std::string body_name(const Model& model, std::size_t node) {
  for (const Model::Link& link : model.links) {
    if (link.body == static_cast<int>(node) && !link.is_frame) return "link " + quoted(link.name);
  }
  return "the body of joint " + quoted(model.joints[node].name);
}

// What is wrong with the inertia of a body; "" where it is one that a body can have.
std::string indefinite_body(const Model& model, const NodeData& node, std::size_t i) {
  Eigen::Matrix3d central = symmetric(node.I);  // about the centre of mass: I + (h x)(h x) / m
  const Eigen::Matrix3d h = skew(node.h[0], node.h[1], node.h[2]);
  if (node.mass > 0) central += h * h / node.mass;
  const Eigen::Vector3d moments = principal_moments(central);
  const double rounding =
      rounding_of_sums * (std::abs(node.I[0]) + std::abs(node.I[3]) + std::abs(node.I[5]));
  if (moments[0] >= -negative_moment * moments.cwiseAbs().maxCoeff() - rounding) return "";
  ClassicText text;
  text << body_name(model, i) << ", moved by joint " << quoted(model.joints[i].name)
       << ": the inertia of the body, with all that is fixed to it, is not positive definite (principal "
          "moments "
       << moments[0] << ", " << moments[1] << ", " << moments[2] << " kg m^2)";
  return text.str();
}

void check_body(const Mechanism& mechanism, const CompileOptions& options, Model& model, std::size_t i) {
  const std::string text = indefinite_body(model, model.nodes[i], i);
  if (text.empty()) return;
  if (!options.tolerant_inertias)
    reject(mechanism, Status::invalid_inertia,
           text +
               "; give an inertia about the centre of mass whose principal moments are not negative, or set "
               "tolerant_inertias to use it as given");
  model.warnings.push_back(text + "; it is used as given, and the mass matrix may not be positive definite");
}

// Transform of forces from child to parent coordinates; its transpose transforms motions from parent to
// child.
Matrix6 force_transform(const Placement& X) {
  const Mat3<double>& R = X.R.R;
  Eigen::Matrix3d rotation;
  rotation << R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz;
  Matrix6 A;
  A << rotation, skew(X.p.x, X.p.y, X.p.z) * rotation, Eigen::Matrix3d::Zero(), rotation;
  return A;
}

Matrix6 spatial_inertia(const NodeData& node) {
  const Eigen::Matrix3d h = skew(node.h[0], node.h[1], node.h[2]);
  Matrix6 A;
  A << symmetric(node.I), h, h.transpose(), node.mass * Eigen::Matrix3d::Identity();
  return A;
}

enum class Singular { no, massless, dependent };

// Eliminates the joint from the articulated inertia: IA - U D^-1 U^T, coordinate by coordinate, which is the
// Cholesky elimination of D. A pivot counts as zero if it is within rounding errors of the inertia of the
// rigid subtree.
Singular eliminate(const NodeData& node, const double* armature, const Matrix6& composite,
                   Matrix6& articulated) {
  Singular singular = Singular::no;
  Matrix6 A = articulated;
  for (int d = 0; d < joint_subspace(node.kind).count; ++d) {
    Vector6 S;
    store(S.data(), subspace_column(node, d));
    const double scale = S.dot(composite * S) + armature[d];
    const Vector6 U = A * S;
    const double pivot = S.dot(U) + armature[d];
    if (pivot > rounding_of_sums * scale) {
      A -= U * U.transpose() / pivot;
    } else {
      const bool empty = composite.isZero(0);
      if (singular == Singular::no) singular = empty ? Singular::massless : Singular::dependent;
    }
  }
  articulated = A;
  return singular;
}

struct Culprits {
  std::vector<std::size_t> massless, dependent;  // nodes, ascending
};

Culprits find_singular_joints(const Model& model, const std::vector<NodeData>& nodes,
                              const std::vector<double>& armature) {
  const std::size_t n = nodes.size();
  std::vector<double> q(index(model.nq));
  sample_configuration(model, 1, q.data(), Sample::anywhere);  // limits may allow only a singular pose
  std::vector<Matrix6> articulated(n), composite(n);
  for (std::size_t i = 0; i < n; ++i) articulated[i] = composite[i] = spatial_inertia(nodes[i]);
  Culprits culprits;
  for (std::size_t i = n; i-- > 0;) {
    const NodeData& node = nodes[i];
    const Singular singular = eliminate(node, &armature[index(node.v_index)], composite[i], articulated[i]);
    if (singular == Singular::massless) culprits.massless.push_back(i);
    if (singular == Singular::dependent) culprits.dependent.push_back(i);
    if (node.parent < 0) continue;
    const Matrix6 X = force_transform(joint_placement(node, q.data()));
    const std::size_t parent = index(node.parent);
    articulated[parent] += X * articulated[i] * X.transpose();
    composite[parent] += X * composite[i] * X.transpose();
  }
  std::reverse(culprits.massless.begin(), culprits.massless.end());
  std::reverse(culprits.dependent.begin(), culprits.dependent.end());
  return culprits;
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
  const Culprits found = find_singular_joints(model, nodes, armature);
  const bool massless = !found.massless.empty();
  const std::vector<std::size_t>& culprits = massless ? found.massless : found.dependent;
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

}  // namespace

std::string wrong_inertia(const Model& model, const std::vector<NodeData>& nodes,
                          const std::vector<double>& armature) {
  if (std::all_of(nodes.begin(), nodes.end(), is_solid)) return "";  // nearly always, and much faster
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string text = indefinite_body(model, nodes[i], i);
    if (!text.empty()) return text;
  }
  return singular_joint(model, nodes, armature);
}

void check_inertias(const Mechanism& mechanism, const CompileOptions& options, Model& model) {
  for (const MechanismLink& link : mechanism.links) warn_of_link(link, model);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) check_body(mechanism, options, model, i);
  const std::string text = singular_joint(model, model.nodes, model.armature);
  if (!text.empty()) reject(mechanism, Status::invalid_inertia, text);
}

}  // namespace tenon
