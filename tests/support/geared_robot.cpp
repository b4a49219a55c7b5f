#include "support/geared_robot.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <string>

#include "reference/decompositions.hpp"
#include "reference/dense_dynamics.hpp"
#include "state/projection.hpp"

namespace tenon::testing {
namespace {

Eigen::Vector3d to_vector(const Vector3& a) {
  return {a[0], a[1], a[2]};
}
bool is_hinge(const MechanismJoint& joint, const GearOptions& options) {
  return joint.type == JointType::revolute || joint.type == JointType::continuous ||
         ((joint.type == JointType::prismatic || joint.type == JointType::screw) && !options.revolute_only);
}

// Rotor inertia about the centre of mass: symmetric about the axis, with it as a principal axis, or any.
std::array<double, 6> rotor_inertia(Random& random, const Eigen::Vector3d& axis, const GearOptions& options) {
  const double spin = random.uniform(0.001, 0.05);
  Eigen::Matrix3d I = random.uniform(0.7, 1.5) * spin * Eigen::Matrix3d::Identity();
  I += (spin - I(0, 0)) * axis * axis.transpose();
  if (!random.chance(options.symmetric)) {
    const Eigen::Vector3d any = to_vector(random.direction()), across = axis.cross(any).normalized();
    const Eigen::Vector3d heavy = random.chance(0.7) ? across : any;
    I += 0.3 * spin * heavy * heavy.transpose();
  }
  return {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
}

}  // namespace

void add_gears(Random& random, Mechanism& mechanism, const GearOptions& options) {
  const std::vector<MechanismJoint> joints = mechanism.joints;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const MechanismJoint& hinge = joints[i];
    if (!is_hinge(hinge, options) || !random.chance(options.geared)) continue;
    MechanismJoint spin;
    spin.name = "rotor_joint_" + hinge.name;
    spin.type = JointType::continuous;
    spin.parent = random.chance(options.on_parent) ? hinge.parent : hinge.child;
    spin.child = "rotor_" + hinge.name;
    spin.origin = hinge.origin;
    spin.origin.translation = random.vector(0.3);
    spin.axis = hinge.axis;
    if (!random.chance(options.parallel)) spin.axis = random.direction();
    spin.armature = random.chance(0.3) ? random.uniform(0, 0.01) : 0;
    const Eigen::Vector3d axis = to_vector(spin.axis).normalized();
    const Eigen::Vector3d center = random.uniform(-0.1, 0.1) * axis;
    MechanismLink rotor;
    rotor.name = spin.child;
    rotor.mass = random.uniform(0.05, 0.5);
    rotor.center_of_mass = {center(0), center(1), center(2)};
    rotor.inertia = rotor_inertia(random, axis, options);
    MechanismCoupling gear;
    gear.name = "gear_" + hinge.name;
    gear.dependent = {spin.name};
    gear.independent = {hinge.name};
    gear.ratios = {(random.chance(0.5) ? 1 : -1) * random.uniform(1, 12)};
    gear.offsets = {random.uniform(-1, 1)};
    for (const MechanismJoint& other : joints) {
      if (other.parent != hinge.child || !is_hinge(other, options) || !random.chance(options.belt)) continue;
      gear.independent.push_back(other.name);
      gear.ratios.push_back(random.uniform(-12, 12));
      break;
    }
    mechanism.links.push_back(rotor);
    mechanism.joints.push_back(spin);
    mechanism.couplings.push_back(gear);
  }
}

void clear_rotor_wrenches(const Model& model, double* wrenches) {
  if (!model.folding) return;
  const std::vector<std::int32_t>& rotors = model.folding->rotor_node;
  for (std::size_t i = 0; i < model.links.size(); ++i)
    if (std::find(rotors.begin(), rotors.end(), model.links[i].body) != rotors.end())
      std::fill_n(wrenches + 6 * i, 6, 0.0);
}

Eigen::VectorXd dense_loop_dynamics(Workspace& workspace, const State& state, const double* wrenches,
                                    const double* desired, bool* well_posed) {
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  WorkspaceImpl& w = workspace.impl();
  const int nv = workspace.model().nv, ny = workspace.model().ny, rows = w.rows();
  const double *q = state.q.data(), *v = state.v.data();
  Matrix M(nv, nv), G(nv, ny), J(rows, nv);
  Vector c(nv), g = Vector::Zero(nv), right_hand_side(rows);
  mass_matrix(workspace, q, M.data(), nv);
  // The library's own computes with folded rotors.
  reference::DenseDynamics<double> bodies(reference::tree_of(workspace.model()));
  bodies.set_state(q, v);
  bodies.bias_force({w.w().gravity[0], w.w().gravity[1], w.w().gravity[2]}, wrenches, c);
  if (rows > 0)
    constraint_rows(workspace, q, v, desired, J.data(), rows, right_hand_side.data(), nullptr, nullptr);
  if (w.md().cluster_count > 0) {
    update_loops(w, q, v);
    g = Eigen::Map<const Vector>(w.w().g, nv);
  }
  for (int y = 0; y < ny; ++y) {
    const Vector unit = Vector::Unit(ny, y);
    from_independent(w, unit.data(), nullptr, G.col(y).data());
  }
  const Eigen::Map<const Vector> tau(state.tau.data(), nv);
  const Matrix H = G.transpose() * M * G;
  const Matrix A = J * G;
  Vector force = G.transpose() * (tau - c - M * g);
  if (rows > 0) {
    const reference::Eigensystem delassus =
        reference::eigensystem(A * reference::solved<double>(H, A.transpose()));
    const Vector& e = delassus.values;
    const double largest = e(rows - 1);
    Vector b =
        delassus.vectors.transpose() * (right_hand_side - J * g - A * reference::solved<double>(H, force));
    for (int r = 0; r < rows; ++r) {
      // What lies between can be taken for redundant or not.
      if (well_posed && e(r) > 1e-13 * largest && e(r) < 1e-6 * largest) *well_posed = false;
      b(r) = e(r) > 1e-10 * largest ? b(r) / e(r) : 0;
    }
    force += A.transpose() * (delassus.vectors * b);
  }
  return G * reference::solved<double>(H, force) + g;
}

}  // namespace tenon::testing
