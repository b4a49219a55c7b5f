// Exact derivatives along a direction: numbers x + d eps with eps^2 = 0, in long double, as the scalar of the library's
// recursive algorithms themselves. It shares no formula of derivatives with what it judges.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <vector>

#include "tenon/dynamics.hpp"

namespace tenon::testing {

struct Dual {
  long double x = 0, d = 0;

  Dual() = default;
  explicit Dual(double value) : x(value) {}
  Dual(long double value, long double change) : x(value), d(change) {}
};
inline Dual operator+(const Dual& a, const Dual& b) {
  return {a.x + b.x, a.d + b.d};
}
inline Dual operator-(const Dual& a, const Dual& b) {
  return {a.x - b.x, a.d - b.d};
}
inline Dual operator-(const Dual& a) {
  return {-a.x, -a.d};
}
inline Dual operator*(const Dual& a, const Dual& b) {
  return {a.x * b.x, a.x * b.d + a.d * b.x};
}
inline Dual operator/(const Dual& a, const Dual& b) {
  return {a.x / b.x, (a.d - a.x / b.x * b.d) / b.x};
}
inline bool operator>(const Dual& a, const Dual& b) {
  return a.x > b.x;
}
inline bool operator<(const Dual& a, const Dual& b) {
  return a.x < b.x;
}
inline bool operator>=(const Dual& a, const Dual& b) {
  return a.x >= b.x;
}
inline Dual sqrt(const Dual& a) {
  const long double root = std::sqrt(a.x);
  return {root, a.d / (2 * root)};
}
inline Dual sin(const Dual& a) {
  return {std::sin(a.x), std::cos(a.x) * a.d};
}
inline Dual cos(const Dual& a) {
  return {std::cos(a.x), -std::sin(a.x) * a.d};
}
inline Dual atan2(const Dual& y, const Dual& x) {
  return {std::atan2(y.x, x.x), (x.x * y.d - y.x * x.d) / (x.x * x.x + y.x * y.x)};
}
inline void sin_cos(const Dual* angle, Dual* sine, Dual* cosine, int count) {
  for (int i = 0; i < count; ++i) {
    const long double s = std::sin(angle[i].x), c = std::cos(angle[i].x);
    sine[i] = {s, c * angle[i].d}, cosine[i] = {c, -s * angle[i].d};
  }
}

// A state, what acts, and a direction in which all of these change; q by a tangent vector. Arrays of the model's sizes.
struct Direction {
  Eigen::VectorXd q, v, third;  // third: of accelerations, or of forces on the joints
};

// Changes of the equations of motion, r = ID(q, v, qdd) - J^T lambda - tau, and of rows, s = J qdd + gamma + R lambda - k.
struct ResidualChanges {
  Eigen::VectorXd r, s;
};

// What kinematics gives of a point of a link, of the centre of mass and of the whole tree, with their changes; world axes
// but for the point.
struct DualMotion {
  Dual velocity[6], acceleration[6];  // of the point, as point_velocity_derivatives has it
  Dual com_velocity[3], com_acceleration[3];
  Dual momentum[6], rate[6];  // about the centre of mass
  Dual energy[2];             // kinetic, potential
};

// Changes of tau = ID(q, v, qdd) and of qdd = FD(q, v, tau) of a tree along directions.
class DualDynamics {
 public:
  // wrenches: on links, as in Inputs. The workspace has the gravity, and maps them to bodies.
  DualDynamics(Workspace& w, const std::vector<double>& q, const std::vector<double>& v,
               const std::vector<double>& wrenches);
  ~DualDynamics();
  Eigen::VectorXd inverse(const std::vector<double>& a, const Direction& along);
  Eigen::VectorXd forward(const std::vector<double>& tau, const Direction& along);
  // Along changes of q, v and a. point: 3, link axes.
  DualMotion motion(const std::vector<double>& a, const Direction& along, int link, const double* point,
                    RowAxes axes);
  // The same with embedded loops, in independent coordinates, as in looped().
  DualMotion looped_motion(const Eigen::VectorXd& ydot, const Eigen::VectorXd& yddot, const Direction& along,
                           int link, const double* point, RowAxes axes);
  // With the constraint rows of the workspace, in the user's order. qdd, lambda: a solution; `along` has changes of tau.
  ResidualChanges constrained(const Eigen::VectorXd& qdd, const Eigen::VectorXd& lambda,
                              const std::vector<double>& desired, const Direction& along,
                              const Eigen::VectorXd& dqdd, const Eigen::VectorXd& dlambda,
                              const Eigen::VectorXd& ddesired);
  // With embedded loops, in independent coordinates: r = G^T (ID(q, v, G yddot + g) - J^T lambda - tau) and s, where q moves
  // by G times along.q and v = G(q) ydot. along.q, along.v: of independent coordinates, along.third: of all. lambda empty:
  // without rows.
  ResidualChanges looped(const Eigen::VectorXd& ydot, const Eigen::VectorXd& yddot,
                         const Eigen::VectorXd& lambda, const Eigen::VectorXd& tau,
                         const std::vector<double>& desired, const Direction& along,
                         const Eigen::VectorXd& dyddot, const Eigen::VectorXd& dlambda,
                         const Eigen::VectorXd& ddesired);

 private:
  struct Memory;
  struct TreeState;
  TreeState tree_state(const Eigen::VectorXd& ydot, const Eigen::VectorXd& yddot, const Direction& along,
                       const Eigen::VectorXd& dyddot);
  DualMotion motion_at(const TreeState& s, int link, const double* point, RowAxes axes);
  const Model& model_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace tenon::testing
