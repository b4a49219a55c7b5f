#include "reference/dense_dynamics.hpp"

#include <cmath>
#include <utility>

namespace tenon::reference {
namespace {

template <class T>
Mat3<T> to_matrix(const Matrix3& a) {
  Mat3<T> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = static_cast<T>(a[static_cast<std::size_t>(3 * i + j)]);
  return m;
}

template <class T>
Vec3<T> to_vector(const Vector3& a) {
  return {static_cast<T>(a[0]), static_cast<T>(a[1]), static_cast<T>(a[2])};
}

template <class T>
Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return a.cross(b);
}

template <class T>
Mat3<T> skew(const Vec3<T>& a) {
  Mat3<T> m;
  m << T(0), -a(2), a(1), a(2), T(0), -a(0), -a(1), a(0), T(0);
  return m;
}

// Rodrigues' formula.
template <class T>
Mat3<T> rotation_about(const Vec3<T>& axis, T angle) {
  using std::cos;
  using std::sin;
  const Mat3<T> K = skew<T>(axis);
  const T half = sin(angle / 2);
  return Mat3<T>::Identity() + sin(angle) * K + 2 * half * half * (K * K);
}

// Of a quaternion x y z w. Divided by the squared norm, so that one rounded to unit norm still gives a
// rotation.
template <class T>
Mat3<T> rotation_of(const double* q) {
  const Vec3<T> e(static_cast<T>(q[0]), static_cast<T>(q[1]), static_cast<T>(q[2]));
  const T w = static_cast<T>(q[3]);
  const Mat3<T> E = skew<T>(e);
  return Mat3<T>::Identity() + (T(2) / (e.squaredNorm() + w * w)) * (w * E + E * E);
}

}  // namespace

template <class T>
WorldPose<T> to_world_pose(const Pose& pose) {
  return {to_matrix<T>(pose.rotation), to_vector<T>(pose.translation)};
}

template <class T>
DenseDynamics<T>::DenseDynamics(Tree tree) : tree_(std::move(tree)) {
  for (const Body& b : tree_.bodies) {
    origin_.push_back(to_world_pose<T>(b.origin));
    basis_.push_back(to_matrix<T>(b.basis));
    first_moment_.push_back(to_vector<T>(b.first_moment));
    const auto& I = b.inertia;
    inertia_.push_back(to_matrix<T>({I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]}));
  }
  pose_.resize(tree_.bodies.size());
  velocity_.resize(tree_.bodies.size());
  bias_.resize(tree_.bodies.size());
  columns_.resize(6, tree_.nv);
  v_.resize(tree_.nv);
  J_.resize(6, tree_.nv);
  IJ_.resize(6, tree_.nv);
}

template <class T>
void DenseDynamics<T>::set_state(const double* q, const double* v) {
  for (int k = 0; k < tree_.nv; ++k) v_(k) = v ? static_cast<T>(v[k]) : T(0);
  for (std::size_t i = 0; i < tree_.bodies.size(); ++i) {
    set_pose(i, q);
    set_columns(i);
    set_velocity(i);
  }
}

template <class T>
void DenseDynamics<T>::set_pose(std::size_t i, const double* q) {
  const Body& b = tree_.bodies[i];
  WorldPose<T> moved;
  const double* x = q + b.q_index;
  const Vec3<T> axis = basis_[i].col(2);
  switch (b.type) {
    case JointType::revolute:
    case JointType::continuous:
      moved.R = rotation_about<T>(axis, static_cast<T>(x[0]));
      break;
    case JointType::prismatic:
      moved.p = axis * static_cast<T>(x[0]);
      break;
    case JointType::screw:
      moved.R = rotation_about<T>(axis, static_cast<T>(x[0]));
      moved.p = axis * (static_cast<T>(b.pitch) * static_cast<T>(x[0]));
      break;
    case JointType::spherical:
      moved.R = rotation_of<T>(x);
      break;
    case JointType::planar:
      moved.p = basis_[i].col(0) * static_cast<T>(x[0]) + basis_[i].col(1) * static_cast<T>(x[1]);
      moved.R = rotation_about<T>(axis, static_cast<T>(x[2]));
      break;
    case JointType::floating:
      moved.p = Vec3<T>(static_cast<T>(x[0]), static_cast<T>(x[1]), static_cast<T>(x[2]));
      moved.R = rotation_of<T>(x + 3);
      break;
    case JointType::fixed:
    case JointType::universal:
      break;
  }
  pose_[i] = body_pose(b.parent) * origin_[i] * moved;
}

// Every joint axis is constant in its own body's frame.
template <class T>
void DenseDynamics<T>::set_columns(std::size_t i) {
  const Body& b = tree_.bodies[i];
  const Mat3<T> basis = pose_[i].R * basis_[i];
  const auto set = [&](int k, const Vec3<T>& w, const Vec3<T>& u) { columns_.col(b.v_index + k) << w, u; };
  const Vec3<T> none = Vec3<T>::Zero();
  switch (b.type) {
    case JointType::revolute:
    case JointType::continuous:
      set(0, basis.col(2), none);
      break;
    case JointType::prismatic:
      set(0, none, basis.col(2));
      break;
    case JointType::screw:
      set(0, basis.col(2), basis.col(2) * static_cast<T>(b.pitch));
      break;
    case JointType::planar:
      set(0, basis.col(2), none);
      set(1, none, basis.col(0));
      set(2, none, basis.col(1));
      break;
    case JointType::spherical:
    case JointType::floating:
      for (int k = 0; k < 3; ++k) set(k, pose_[i].R.col(k), none);
      for (int k = 3; k < dof(b); ++k) set(k, none, pose_[i].R.col(k - 3));
      break;
    case JointType::fixed:
    case JointType::universal:
      break;
  }
}

// J v and its derivative at constant coordinate rates. A column [w; u] of joint j turns with body j:
// wdot = omega_j x w, udot = omega_j x u, and the arm r = p_i - p_j changes by v_i - v_j.
template <class T>
void DenseDynamics<T>::set_velocity(std::size_t i) {
  const Vec3<T> point = pose_[i].p;
  Vec6<T>& v = velocity_[i];
  v.setZero();
  for (int j = static_cast<int>(i); j >= 0; j = tree_.bodies[static_cast<std::size_t>(j)].parent) {
    const Body& b = tree_.bodies[static_cast<std::size_t>(j)];
    const Vec3<T> r = point - body_pose(j).p;
    for (int k = b.v_index; k < b.v_index + dof(b); ++k) {
      const Vec3<T> w = columns_.col(k).template head<3>(), u = columns_.col(k).template tail<3>();
      v.template head<3>() += w * v_(k);
      v.template tail<3>() += (u + cross<T>(w, r)) * v_(k);
    }
  }
  Vec6<T>& a = bias_[i];
  a.setZero();
  for (int j = static_cast<int>(i); j >= 0; j = tree_.bodies[static_cast<std::size_t>(j)].parent) {
    const Body& b = tree_.bodies[static_cast<std::size_t>(j)];
    const Vec6<T>& vj = velocity_[static_cast<std::size_t>(j)];
    const Vec3<T> omega = vj.template head<3>(), r = point - body_pose(j).p;
    const Vec3<T> r_dot = v.template tail<3>() - vj.template tail<3>();
    for (int k = b.v_index; k < b.v_index + dof(b); ++k) {
      const Vec3<T> w = columns_.col(k).template head<3>(), u = columns_.col(k).template tail<3>();
      const Vec3<T> w_dot = cross<T>(omega, w), u_dot = cross<T>(omega, u);
      a.template head<3>() += w_dot * v_(k);
      a.template tail<3>() += (u_dot + cross<T>(w_dot, r) + cross<T>(w, r_dot)) * v_(k);
    }
  }
}

template <class T>
const WorldPose<T>& DenseDynamics<T>::body_pose(int body) const {
  return body < 0 ? world_ : pose_[static_cast<std::size_t>(body)];
}

template <class T>
WorldPose<T> DenseDynamics<T>::link_pose(int link) const {
  const Frame& frame = tree_.links[static_cast<std::size_t>(link)];
  return body_pose(frame.body) * to_world_pose<T>(frame.placement);
}

template <class T>
void DenseDynamics<T>::jacobian(int body, const Vec3<T>& point, Mat6X<T>& J) const {
  J.setZero();
  for (int j = body; j >= 0; j = tree_.bodies[static_cast<std::size_t>(j)].parent) {
    const Body& b = tree_.bodies[static_cast<std::size_t>(j)];
    const Vec3<T> r = point - body_pose(j).p;
    for (int k = b.v_index; k < b.v_index + dof(b); ++k) {
      const Vec3<T> w = columns_.col(k).template head<3>(), u = columns_.col(k).template tail<3>();
      J.col(k) << w, u + cross<T>(w, r);
    }
  }
}

template <class T>
T DenseDynamics<T>::lever(int body, const Vec3<T>& point, int column) const {
  for (int j = body; j >= 0; j = tree_.bodies[static_cast<std::size_t>(j)].parent) {
    const Body& b = tree_.bodies[static_cast<std::size_t>(j)];
    if (column < b.v_index || column >= b.v_index + dof(b)) continue;
    const T turn = columns_.col(column).template head<3>().norm();
    return columns_.col(column).template tail<3>().norm() + turn * (point - body_pose(j).p).norm();
  }
  return T(0);
}

template <class T>
T DenseDynamics<T>::velocity_products(const Eigen::Ref<const VecX<T>>& entry_size) const {
  T speed(0), turning(0);
  for (Eigen::Index k = 0; k < entry_size.size(); ++k) {
    speed += entry_size(k) * std::abs(v_(k));
    if (entry_size(k) > T(0)) turning += columns_.col(k).template head<3>().norm() * std::abs(v_(k));
  }
  return speed * turning;
}

template <class T>
Vec6<T> DenseDynamics<T>::velocity(int body, const Vec3<T>& point) const {
  if (body < 0) return Vec6<T>::Zero();
  Vec6<T> v = velocity_[static_cast<std::size_t>(body)];
  v.template tail<3>() += cross<T>(v.template head<3>(), point - body_pose(body).p);
  return v;
}

template <class T>
Vec6<T> DenseDynamics<T>::bias_acceleration(int body, const Vec3<T>& point) const {
  if (body < 0) return Vec6<T>::Zero();
  const Vec3<T> omega = velocity_[static_cast<std::size_t>(body)].template head<3>();
  const Vec3<T> r = point - body_pose(body).p;
  Vec6<T> a = bias_[static_cast<std::size_t>(body)];
  a.template tail<3>() += cross<T>(a.template head<3>(), r) + cross<T>(omega, cross<T>(omega, r));
  return a;
}

template <class T>
Mat3<T> DenseDynamics<T>::world_inertia(std::size_t i) const {
  return pose_[i].R * inertia_[i] * pose_[i].R.transpose();
}

template <class T>
Vec3<T> DenseDynamics<T>::world_first_moment(std::size_t i) const {
  return pose_[i].R * first_moment_[i];
}

// The spatial inertia of a body about its frame origin is [I, h x; -h x, m 1].
template <class T>
void DenseDynamics<T>::mass_matrix(MatX<T>& M) {
  M.setZero();
  for (std::size_t i = 0; i < pose_.size(); ++i) {
    jacobian(static_cast<int>(i), pose_[i].p, J_);
    const Mat3<T> I = world_inertia(i), H = skew<T>(world_first_moment(i));
    const T m = static_cast<T>(tree_.bodies[i].mass);
    for (int k = 0; k < tree_.nv; ++k) {
      const Vec3<T> w = J_.col(k).template head<3>(), u = J_.col(k).template tail<3>();
      IJ_.col(k) << I * w + H * u, m * u - H * w;
    }
    M += J_.transpose().lazyProduct(IJ_);
  }
  for (int k = 0; k < tree_.nv; ++k) M(k, k) += static_cast<T>(tree_.armature[static_cast<std::size_t>(k)]);
}

// Newton-Euler about the body frame origin with the acceleration at qdd = 0, minus gravity.
template <class T>
void DenseDynamics<T>::bias_force(const Vector3& gravity, const double* wrenches, VecX<T>& c) {
  const Vec3<T> g = to_vector<T>(gravity);
  c.setZero();
  Vec6<T> f;
  for (std::size_t i = 0; i < pose_.size(); ++i) {
    const Vec3<T> h = world_first_moment(i), omega = velocity_[i].template head<3>();
    const Vec3<T> alpha = bias_[i].template head<3>(), a = bias_[i].template tail<3>() - g;
    const Mat3<T> I = world_inertia(i);
    f.template head<3>() = I * alpha + cross<T>(h, a) + cross<T>(omega, I * omega);
    f.template tail<3>() =
        static_cast<T>(tree_.bodies[i].mass) * a + cross<T>(alpha, h) + cross<T>(omega, cross<T>(omega, h));
    jacobian(static_cast<int>(i), pose_[i].p, J_);
    c += J_.transpose().lazyProduct(f);
  }
  if (!wrenches) return;
  for (std::size_t l = 0; l < tree_.links.size(); ++l) {
    const WorldPose<T> X = link_pose(static_cast<int>(l));
    Vec6<T> local;
    for (int k = 0; k < 6; ++k) local(k) = static_cast<T>(wrenches[6 * l + static_cast<std::size_t>(k)]);
    f << X.R * local.template head<3>(), X.R * local.template tail<3>();
    jacobian(tree_.links[l].body, X.p, J_);
    c -= J_.transpose().lazyProduct(f);
  }
}

template <class T>
T DenseDynamics<T>::kinetic_energy() const {
  T twice(0);
  for (std::size_t i = 0; i < pose_.size(); ++i) {
    const Vec3<T> w = velocity_[i].template head<3>(), u = velocity_[i].template tail<3>();
    twice += w.dot(world_inertia(i) * w) + static_cast<T>(tree_.bodies[i].mass) * u.squaredNorm() +
             2 * u.dot(cross<T>(w, world_first_moment(i)));
  }
  for (int k = 0; k < tree_.nv; ++k) {
    twice += static_cast<T>(tree_.armature[static_cast<std::size_t>(k)]) * v_(k) * v_(k);
  }
  return twice / 2;
}

template <class T>
T DenseDynamics<T>::potential_energy(const Vector3& gravity) const {
  return -mass() * to_vector<T>(gravity).dot(center_of_mass());
}

template <class T>
T DenseDynamics<T>::mass() const {
  T m(0);
  for (const Body& b : tree_.bodies) m += static_cast<T>(b.mass);
  return m;
}

template <class T>
Vec3<T> DenseDynamics<T>::center_of_mass() const {
  Vec3<T> sum = Vec3<T>::Zero();
  for (std::size_t i = 0; i < pose_.size(); ++i) {
    sum += static_cast<T>(tree_.bodies[i].mass) * pose_[i].p + world_first_moment(i);
  }
  return sum / mass();
}

template <class T>
Vec6<T> DenseDynamics<T>::centroidal_momentum() const {
  const Vec3<T> center = center_of_mass();
  Vec6<T> sum = Vec6<T>::Zero();
  for (std::size_t i = 0; i < pose_.size(); ++i) {
    const Vec3<T> w = velocity_[i].template head<3>(), u = velocity_[i].template tail<3>();
    const Vec3<T> h = world_first_moment(i);
    const Vec3<T> linear = static_cast<T>(tree_.bodies[i].mass) * u + cross<T>(w, h);
    sum.template head<3>() += world_inertia(i) * w + cross<T>(h, u) + cross<T>(pose_[i].p - center, linear);
    sum.template tail<3>() += linear;
  }
  return sum;
}

template <class T>
void DenseDynamics<T>::center_of_mass_jacobian(MatX<T>& J) const {
  J.setZero(3, tree_.nv);
  Mat6X<T> Ji(6, tree_.nv);
  for (std::size_t i = 0; i < pose_.size(); ++i) {
    jacobian(static_cast<int>(i), pose_[i].p, Ji);
    J += static_cast<T>(tree_.bodies[i].mass) * Ji.template bottomRows<3>() -
         skew<T>(world_first_moment(i)) * Ji.template topRows<3>();
  }
  J /= mass();
}

template <class T>
bool cholesky(MatX<T>& A) {
  using std::sqrt;
  const Eigen::Index n = A.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index k = 0; k < j; ++k) A.col(j).tail(n - j) -= A(j, k) * A.col(k).tail(n - j);
    if (!(A(j, j) > T(0))) return false;
    A.col(j).tail(n - j) /= sqrt(A(j, j));
  }
  return true;
}

template <class T>
void solve_lower(const MatX<T>& L, Eigen::Ref<VecX<T>> x) {
  const Eigen::Index n = L.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    x(j) /= L(j, j);
    x.tail(n - j - 1) -= x(j) * L.col(j).tail(n - j - 1);
  }
}

template <class T>
void solve_lower_transposed(const MatX<T>& L, Eigen::Ref<VecX<T>> x) {
  const Eigen::Index n = L.rows();
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    x(j) = (x(j) - L.col(j).tail(n - j - 1).dot(x.tail(n - j - 1))) / L(j, j);
  }
}

#define TENON_INSTANTIATE(T)                                         \
  template WorldPose<T> to_world_pose<T>(const Pose&);               \
  template class DenseDynamics<T>;                                   \
  template bool cholesky<T>(MatX<T>&);                               \
  template void solve_lower<T>(const MatX<T>&, Eigen::Ref<VecX<T>>); \
  template void solve_lower_transposed<T>(const MatX<T>&, Eigen::Ref<VecX<T>>);
TENON_INSTANTIATE(double)
TENON_INSTANTIATE(long double)

}  // namespace tenon::reference
