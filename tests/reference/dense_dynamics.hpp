// Rigid-body dynamics without recursion, from world poses and Jacobians, for any scalar T:
//
//   J_i       6 x nv, [angular; linear] velocity of the frame of body i in world axes; column by column, from
//             world joint axes w and directions u:  [w; u + w x (p_i - p_j)] for joints j on the path inward
//   Jdot_i v  the same, differentiated in time: the bias acceleration (classical)
//   M = sum_i J_i^T I_i J_i + diag(armature)
//   c = sum_i J_i^T (I_i Jdot_i v + velocity terms - gravity force) - sum_links J^T wrench
//
// (Newton-Euler equations of every body projected on the coordinates: Jourdain's principle.) O(bodies nv^2).
// Shares nothing with the kernels, so that an error in one is not repeated in the other. Nothing allocates
// after construction.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "reference/tree.hpp"

namespace tenon::reference {

template <class T>
using Vec3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Vec6 = Eigen::Matrix<T, 6, 1>;
template <class T>
using Mat3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using Mat6X = Eigen::Matrix<T, 6, Eigen::Dynamic>;
template <class T>
using VecX = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using MatX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <class T>
struct WorldPose {
  Mat3<T> R = Mat3<T>::Identity();
  Vec3<T> p = Vec3<T>::Zero();
};

template <class T>
WorldPose<T> to_world_pose(const Pose& pose);
template <class T>
WorldPose<T> operator*(const WorldPose<T>& a, const WorldPose<T>& b) {
  return {a.R * b.R, a.R * b.p + a.p};
}

template <class T>
class DenseDynamics {
 public:
  explicit DenseDynamics(Tree tree);

  const Tree& tree() const { return tree_; }
  // All functions below refer to the last state. v null: at rest.
  void set_state(const double* q, const double* v);

  // Frames of links (and of anything fixed to a body; body -1 is the world). Velocities and accelerations are
  // [angular; linear at the given world point], world axes.
  WorldPose<T> link_pose(int link) const;
  const WorldPose<T>& body_pose(int body) const;
  void jacobian(int body, const Vec3<T>& point, Mat6X<T>& J) const;
  Vec6<T> velocity(int body, const Vec3<T>& point) const;
  Vec6<T> bias_acceleration(int body, const Vec3<T>& point) const;  // Jdot v, classical
  // Upper bound of the linear part of a column of the Jacobian, without cancellation: |u| + |w| r.
  T lever(int body, const Vec3<T>& point, int column) const;
  // Bound of the products of two velocities in the bias acceleration of a row whose entries of J have these bounds.
  T velocity_products(const Eigen::Ref<const VecX<T>>& entry_size) const;

  void mass_matrix(MatX<T>& M);
  // wrenches: 6 a link, [moment about the link origin; force], link axes; null for none.
  void bias_force(const Vector3& gravity, const double* wrenches, VecX<T>& c);

  T kinetic_energy() const;
  T potential_energy(const Vector3& gravity) const;  // - sum mass * gravity . (centre of mass)
  T mass() const;
  Vec3<T> center_of_mass() const;
  Vec6<T> centroidal_momentum()
      const;  // [about the centre of mass; linear], without the momentum of the armatures
  void center_of_mass_jacobian(MatX<T>& J) const;

 private:
  void set_pose(std::size_t i, const double* q);
  void set_columns(std::size_t i);
  void set_velocity(std::size_t i);
  Mat3<T> world_inertia(std::size_t i) const;
  Vec3<T> world_first_moment(std::size_t i) const;

  Tree tree_;
  std::vector<WorldPose<T>> origin_, pose_;
  std::vector<Mat3<T>> basis_, inertia_;
  std::vector<Vec3<T>> first_moment_;
  std::vector<Vec6<T>> velocity_, bias_;  // of body frames: J v and Jdot v
  Mat6X<T> columns_;  // per velocity coordinate: world [w; u], u at the origin of its own body
  VecX<T> v_;
  Mat6X<T> J_, IJ_;  // scratch of one body
  WorldPose<T> world_;
};

// Velocity coordinates of one body's joint.
inline int dof(const Body& body) {
  return velocity_count(body.type);
}

// A = L L^T in place, L in the lower triangle. False when a pivot is not positive.
template <class T>
bool cholesky(MatX<T>& A);
// x := L^-1 x, x := L^-T x.
template <class T>
void solve_lower(const MatX<T>& L, Eigen::Ref<VecX<T>> x);
template <class T>
void solve_lower_transposed(const MatX<T>& L, Eigen::Ref<VecX<T>> x);

}  // namespace tenon::reference
