#include "support/exact/hyper_dual.hpp"

#include <cmath>

#include "support/exact/exact_dynamics.hpp"

namespace tenon::testing {

namespace {

struct HyperDual {
  long double x = 0, s = 0, t = 0, st = 0;

  HyperDual() = default;
  explicit HyperDual(double value) : x(value) {}
  HyperDual(long double x_, long double s_, long double t_, long double st_) : x(x_), s(s_), t(t_), st(st_) {}
};
using N = HyperDual;

// f(a), from f and its derivatives at a.x.
N of(const N& a, long double f, long double first, long double second) {
  return {f, first * a.s, first * a.t, first * a.st + second * a.s * a.t};
}
N operator+(const N& a, const N& b) {
  return {a.x + b.x, a.s + b.s, a.t + b.t, a.st + b.st};
}
N operator-(const N& a, const N& b) {
  return {a.x - b.x, a.s - b.s, a.t - b.t, a.st - b.st};
}
N operator-(const N& a) {
  return {-a.x, -a.s, -a.t, -a.st};
}
N operator*(const N& a, const N& b) {
  return {a.x * b.x, a.x * b.s + a.s * b.x, a.x * b.t + a.t * b.x,
          a.x * b.st + a.s * b.t + a.t * b.s + a.st * b.x};
}
N operator/(const N& a, const N& b) {
  const long double y = 1 / b.x;
  return a * of(b, y, -y * y, 2 * y * y * y);
}
bool operator>(const N& a, const N& b) {
  return a.x > b.x;
}
bool operator<(const N& a, const N& b) {
  return a.x < b.x;
}
bool operator>=(const N& a, const N& b) {
  return a.x >= b.x;
}
N sqrt(const N& a) {
  const long double root = std::sqrt(a.x);
  return of(a, root, 1 / (2 * root), -1 / (4 * root * a.x));
}
N sin(const N& a) {
  return of(a, std::sin(a.x), std::cos(a.x), -std::sin(a.x));
}
N cos(const N& a) {
  return of(a, std::cos(a.x), -std::sin(a.x), -std::cos(a.x));
}
N atan2(const N& y, const N& x) {
  const long double square = x.x * x.x + y.x * y.x, dx = -y.x / square, dy = x.x / square,
                    xx = 2 * x.x * y.x / (square * square), xy = (y.x * y.x - x.x * x.x) / (square * square);
  return {std::atan2(y.x, x.x), dx * x.s + dy * y.s, dx * x.t + dy * y.t,
          dx * x.st + dy * y.st + xx * (x.s * x.t - y.s * y.t) + xy * (x.s * y.t + x.t * y.s)};
}
void sin_cos(const N* angle, N* sine, N* cosine, int count) {
  for (int i = 0; i < count; ++i) sine[i] = sin(angle[i]), cosine[i] = cos(angle[i]);
}

using Numbers = std::vector<N>;

Numbers moved(const Eigen::VectorXd& x, const Eigen::VectorXd& one, const Eigen::VectorXd& two) {
  Numbers to(static_cast<std::size_t>(x.size()));
  const auto at = [](const Eigen::VectorXd& d, Eigen::Index i) { return d.size() == 0 ? 0.0L : d(i); };
  for (Eigen::Index i = 0; i < x.size(); ++i)
    to[static_cast<std::size_t>(i)] = {x(i), at(one, i), at(two, i), 0};
  return to;
}
Eigen::VectorXd eigen(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

// q := q exp(u) of a unit quaternion, with terms of u to the second order: others have no part along both directions.
void turn(N* q, const N* u) {
  const N half(0.5), x = q[0], y = q[1], z = q[2], w = q[3], a = half * u[0], b = half * u[1],
                     c = half * u[2];
  const N d = N(1.0) - half * (a * a + b * b + c * c);
  q[0] = w * a + x * d + y * c - z * b;
  q[1] = w * b + y * d + z * a - x * c;
  q[2] = w * c + z * d + x * b - y * a;
  q[3] = w * d - x * a - y * b - z * c;
}
// p + R (x + u x x / 2): the same of SE(3).
void shift(N* p, const N* quaternion, const N* u, const N* x) {
  const N half(0.5), two(2.0);
  const N y[3] = {x[0] + half * (u[1] * x[2] - u[2] * x[1]), x[1] + half * (u[2] * x[0] - u[0] * x[2]),
                  x[2] + half * (u[0] * x[1] - u[1] * x[0])};
  const N *h = quaternion, &w = h[3];
  const N t[3] = {two * (h[1] * y[2] - h[2] * y[1]), two * (h[2] * y[0] - h[0] * y[2]),
                  two * (h[0] * y[1] - h[1] * y[0])};
  p[0] = p[0] + y[0] + w * t[0] + h[1] * t[2] - h[2] * t[1];
  p[1] = p[1] + y[1] + w * t[1] + h[2] * t[0] - h[0] * t[2];
  p[2] = p[2] + y[2] + w * t[2] + h[0] * t[1] - h[1] * t[0];
}

Numbers moved_positions(const ModelData& m, const std::vector<double>& q, const Eigen::VectorXd& one,
                        const Eigen::VectorXd& two) {
  Numbers to = moved(eigen(q), {}, {});
  const Numbers tangent = moved(Eigen::VectorXd::Zero(m.nv), one, two);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    N* at = to.data() + n.q_index;
    const N* u = tangent.data() + n.v_index;
    if (n.kind == joint_spherical) {
      turn(at, u);
    } else if (n.kind == joint_planar) {
      const N c = cos(at[2]), s = sin(at[2]), half(0.5);
      const N x = u[1] - half * u[0] * u[2], y = u[2] + half * u[0] * u[1];
      at[0] = at[0] + c * x - s * y, at[1] = at[1] + s * x + c * y, at[2] = at[2] + u[0];
    } else if (n.kind == joint_floating) {
      shift(at, at + 3, u, u + 3), turn(at + 3, u);
    } else {
      at[0] = at[0] + u[0];
    }
  }
  return to;
}

Eigen::VectorXd along_both(const Numbers& x) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) out(static_cast<Eigen::Index>(i)) = static_cast<double>(x[i].st);
  return out;
}

}  // namespace

struct HyperDualDynamics::Memory : ExactDynamics<N> {
  Memory(Workspace& w, const std::vector<double>& wrenches) : ExactDynamics<N>(w, wrenches) {}
  Numbers positions(const Direction& one, const Direction& two) const {
    return moved_positions(m, q, one.q, two.q);
  }
  Numbers velocities(const Direction& one, const Direction& two) const {
    return moved(eigen(v), one.v, two.v);
  }

  std::vector<double> q, v;
};

HyperDualDynamics::HyperDualDynamics(Workspace& w, const std::vector<double>& q, const std::vector<double>& v,
                                     const std::vector<double>& wrenches)
    : memory_(std::make_unique<Memory>(w, wrenches)) {
  memory_->q = q, memory_->v = v;
}
HyperDualDynamics::~HyperDualDynamics() = default;

Eigen::VectorXd HyperDualDynamics::inverse(const std::vector<double>& a, const Direction& one,
                                           const Direction& two) {
  Memory& x = *memory_;
  return along_both(
      x.inverse(x.positions(one, two), x.velocities(one, two), moved(eigen(a), one.third, two.third)));
}
Eigen::VectorXd HyperDualDynamics::forward(const std::vector<double>& tau, const Direction& one,
                                           const Direction& two) {
  Memory& x = *memory_;
  return along_both(
      x.forward(x.positions(one, two), x.velocities(one, two), moved(eigen(tau), one.third, two.third)));
}
ResidualChanges HyperDualDynamics::constrained(const Eigen::VectorXd& qdd, const Eigen::VectorXd& lambda,
                                               const std::vector<double>& desired, const Direction& one,
                                               const Direction& two, const Eigen::VectorXd& lambda_one,
                                               const Eigen::VectorXd& lambda_two) {
  Memory& x = *memory_;
  const Numbers q = x.positions(one, two), v = x.velocities(one, two), a = moved(qdd, one.third, two.third);
  const Memory::Residual left =
      x.residual({q.data(), v.data(), nullptr, nullptr, nullptr, a.data()},
                 moved(lambda, lambda_one, lambda_two), moved(eigen(desired), {}, {}));
  return {along_both(left.r), along_both(left.s)};
}

}  // namespace tenon::testing
