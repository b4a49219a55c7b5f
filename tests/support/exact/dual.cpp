#include "support/exact/dual.hpp"

#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/cluster/explicit_form.hpp"
#include "kernels/tree/kinematics.hpp"
#include "support/exact/exact_dynamics.hpp"

namespace tenon::testing {

namespace {

using Duals = std::vector<Dual>;

Duals along(const std::vector<double>& x, const Eigen::VectorXd& direction) {
  Duals moved(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    moved[i] = {x[i], direction.size() == 0 ? 0.0L : direction(static_cast<Eigen::Index>(i))};
  return moved;
}

// dq/dt of a quaternion whose child turns by w in its own axes.
void turn(Dual* q, const double* w) {
  const long double x = q[0].x, y = q[1].x, z = q[2].x, s = q[3].x, a = w[0], b = w[1], c = w[2];
  q[0].d = (s * a + y * c - z * b) / 2;
  q[1].d = (s * b + z * a - x * c) / 2;
  q[2].d = (s * c + x * b - y * a) / 2;
  q[3].d = -(x * a + y * b + z * c) / 2;
}

// Positions that move along a tangent vector, by the rates of their coordinates.
Duals moved_positions(const ModelData& m, const std::vector<double>& q, const Eigen::VectorXd& tangent) {
  Duals moved = along(q, {});
  for (int i = 0; tangent.size() > 0 && i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    Dual* at = moved.data() + n.q_index;
    const double* v = tangent.data() + n.v_index;
    if (n.kind == joint_spherical) {
      turn(at, v);
    } else if (n.kind == joint_planar) {
      const long double c = std::cos(at[2].x), s = std::sin(at[2].x);
      at[0].d = c * v[1] - s * v[2], at[1].d = s * v[1] + c * v[2], at[2].d = v[0];
    } else if (n.kind == joint_floating) {
      const long double x = at[3].x, y = at[4].x, z = at[5].x, s = at[6].x;
      const long double R[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y)},
                                   {2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x)},
                                   {2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y)}};
      for (int e = 0; e < 3; ++e) at[e].d = R[e][0] * v[3] + R[e][1] * v[4] + R[e][2] * v[5];
      turn(at + 3, v);
    } else {
      at[0].d = v[0];
    }
  }
  return moved;
}

Eigen::VectorXd changes(const Duals& x) {
  Eigen::VectorXd d(static_cast<Eigen::Index>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) d(static_cast<Eigen::Index>(i)) = static_cast<double>(x[i].d);
  return d;
}

std::vector<double> plain(const Eigen::VectorXd& a) {
  return {a.data(), a.data() + a.size()};
}

}  // namespace

struct DualDynamics::Memory : ExactDynamics<Dual> {
  Memory(Workspace& workspace, const std::vector<double>& on_links)
      : ExactDynamics<Dual>(workspace, on_links) {}
  using ExactDynamics<Dual>::arena;
  using ExactDynamics<Dual>::gravity;

  std::vector<double> q, v;
};

DualDynamics::DualDynamics(Workspace& workspace, const std::vector<double>& q, const std::vector<double>& v,
                           const std::vector<double>& wrenches)
    : model_(workspace.model()), memory_(std::make_unique<Memory>(workspace, wrenches)) {
  memory_->q = q, memory_->v = v;
}
DualDynamics::~DualDynamics() = default;

Eigen::VectorXd DualDynamics::inverse(const std::vector<double>& a, const Direction& direction) {
  Memory& x = *memory_;
  return changes(
      x.inverse(moved_positions(x.m, x.q, direction.q), along(x.v, direction.v), along(a, direction.third)));
}
Eigen::VectorXd DualDynamics::forward(const std::vector<double>& force, const Direction& direction) {
  Memory& x = *memory_;
  return changes(x.forward(moved_positions(x.m, x.q, direction.q), along(x.v, direction.v),
                           along(force, direction.third)));
}

struct DualDynamics::TreeState {
  Duals q, v, qdd;
};

DualMotion DualDynamics::motion(const std::vector<double>& a, const Direction& direction, int link,
                                const double* point, RowAxes axes) {
  const Memory& x = *memory_;
  return motion_at(
      {moved_positions(x.m, x.q, direction.q), along(x.v, direction.v), along(a, direction.third)}, link,
      point, axes);
}
DualMotion DualDynamics::looped_motion(const Eigen::VectorXd& ydot, const Eigen::VectorXd& yddot,
                                       const Direction& direction, int link, const double* point,
                                       RowAxes axes) {
  return motion_at(tree_state(ydot, yddot, direction, direction.third), link, point, axes);
}

// From the sums over bodies: m u, m du/dt, and R (I dw + w x I w) with moments about the centre of mass.
DualMotion DualDynamics::motion_at(const TreeState& s, int link, const double* point, RowAxes axes) {
  Memory& x = *memory_;
  WorkspaceData<Dual>& w = x.arena.data;
  using V = Vec3<Dual>;
  const Duals& v = s.v;
  kinematics(x.m, s.q.data(), v.data(), s.qdd.data(), w);
  // Of a point of a body, given in body axes: velocity and acceleration, body axes.
  const auto speed = [&](int i, const V& at) {
    return load_vec3<Dual>(w.v0 + 6 * i + 3) + cross(load_vec3<Dual>(w.v0 + 6 * i), at);
  };
  const auto faster = [&](int i, const V& at) {
    const V turning = load_vec3<Dual>(w.v0 + 6 * i);
    return load_vec3<Dual>(w.a0 + 6 * i + 3) + cross(load_vec3<Dual>(w.a0 + 6 * i), at) +
           cross(turning, speed(i, at));
  };
  DualMotion out;
  const Model::Link& of = model_.links[static_cast<std::size_t>(link)];
  const int body = of.body;
  const Mat3<Dual> in_body = load_mat3<Dual>(of.in_body.rotation.data()),
                   R = load_mat3<Dual>(w.R0 + 9 * body);
  const V at = load_vec3<Dual>(of.in_body.translation.data()) + in_body * load_vec3<Dual>(point);
  const auto give = [&](Dual* to, const V& u) {
    store(to, axes == RowAxes::link ? transpose_times(in_body, u) : R * u);
  };
  give(out.velocity, load_vec3<Dual>(w.v0 + 6 * body)), give(out.velocity + 3, speed(body, at));
  give(out.acceleration, load_vec3<Dual>(w.a0 + 6 * body)), give(out.acceleration + 3, faster(body, at));
  Dual mass;
  V com{}, linear{}, force{}, moment{}, torque{};
  Dual twice, work;
  const V g = load_vec3<Dual>(x.gravity);
  for (int i = 0; i < x.m.node_count; ++i) {
    const NodeData& n = x.m.nodes[i];
    const Mat3<Dual> turned = load_mat3<Dual>(w.R0 + 9 * i);
    const RigidInertia<Dual> I = load_rigid<Dual>(n);
    const V h = turned * I.h, p = load_vec3<Dual>(w.p0 + 3 * i), omega = load_vec3<Dual>(w.v0 + 6 * i),
            alpha = load_vec3<Dual>(w.a0 + 6 * i), zero{};
    const V u = turned * speed(i, zero), du = turned * faster(i, zero);
    const V f = I.m * u + turned * cross(omega, I.h),
            df = I.m * du + turned * (cross(alpha, I.h) + cross(omega, cross(omega, I.h)));
    mass = mass + I.m, com = com + h + I.m * p;
    linear = linear + f, force = force + df;
    // About the world's origin.
    moment = moment + turned * (I.I * omega) + cross(h, u) + cross(p, f);
    torque = torque + turned * (I.I * alpha + cross(omega, I.I * omega)) + cross(h, du) + cross(p, df);
    twice = twice + I.m * dot(u, u) + dot(omega, I.I * omega) + Dual(2.0) * dot(h, cross(u, turned * omega));
    work = work + dot(g, h + I.m * p);
  }
  const Dual one(1.0), inverse = mass.x > 0 ? one / mass : Dual();
  com = inverse * com;
  store(out.com_velocity, inverse * linear), store(out.com_acceleration, inverse * force);
  store(out.momentum, moment - cross(com, linear)), store(out.momentum + 3, linear);
  store(out.rate, torque - cross(com, force)), store(out.rate + 3, force);
  for (int k = 0; k < x.m.nv; ++k)
    twice = twice + Dual(x.m.armature[k]) * v[static_cast<std::size_t>(k)] * v[static_cast<std::size_t>(k)];
  out.energy[0] = Dual(0.5) * twice, out.energy[1] = -work;
  return out;
}

ResidualChanges DualDynamics::constrained(const Eigen::VectorXd& accelerations,
                                          const Eigen::VectorXd& multipliers,
                                          const std::vector<double>& desired, const Direction& direction,
                                          const Eigen::VectorXd& dqdd, const Eigen::VectorXd& dlambda,
                                          const Eigen::VectorXd& ddesired) {
  const Duals q = moved_positions(memory_->m, memory_->q, direction.q), v = along(memory_->v, direction.v),
              qdd = along(plain(accelerations), dqdd), lambda = along(plain(multipliers), dlambda);
  Memory::Residual left = memory_->residual({q.data(), v.data(), nullptr, nullptr, nullptr, qdd.data()},
                                            lambda, along(desired, ddesired));
  for (std::size_t j = 0; j < left.r.size() && direction.third.size() > 0; ++j)
    left.r[j].d -= direction.third(static_cast<Eigen::Index>(j));
  return {changes(left.r), changes(left.s)};
}

DualDynamics::TreeState DualDynamics::tree_state(const Eigen::VectorXd& ydot, const Eigen::VectorXd& yddot,
                                                 const Direction& direction, const Eigen::VectorXd& dyddot) {
  Memory& x = *memory_;
  WorkspaceData<Dual>& w = x.arena.data;
  const std::size_t n = static_cast<std::size_t>(x.m.nv);
  const Duals still = along(x.q, {});
  Duals motion(n);
  TreeState s = {{}, Duals(n), Duals(n)};
  cluster_constraints(x.m, still.data(), static_cast<const Dual*>(nullptr), w);
  Eigen::VectorXd move;
  if (direction.q.size() > 0) {
    times_explicit(x.m, w.G, along(plain(direction.q), {}).data(), static_cast<const Dual*>(nullptr),
                   motion.data());
    move.resize(x.m.nv);
    for (std::size_t k = 0; k < n; ++k) move(static_cast<Eigen::Index>(k)) = static_cast<double>(motion[k].x);
  }
  s.q = moved_positions(x.m, x.q, move);
  cluster_constraints(x.m, s.q.data(), static_cast<const Dual*>(nullptr), w);
  times_explicit(x.m, w.G, along(plain(ydot), direction.v).data(), static_cast<const Dual*>(nullptr),
                 s.v.data());
  cluster_constraints(x.m, s.q.data(), s.v.data(), w);
  times_explicit(x.m, w.G, along(plain(yddot), dyddot).data(), x.m.varying_clusters > 0 ? w.g : nullptr,
                 s.qdd.data());
  return s;
}

ResidualChanges DualDynamics::looped(const Eigen::VectorXd& ydot, const Eigen::VectorXd& yddot,
                                     const Eigen::VectorXd& multipliers, const Eigen::VectorXd& tau,
                                     const std::vector<double>& desired, const Direction& direction,
                                     const Eigen::VectorXd& dyddot, const Eigen::VectorXd& dlambda,
                                     const Eigen::VectorXd& ddesired) {
  Memory& x = *memory_;
  const std::size_t n = static_cast<std::size_t>(x.m.nv);
  const TreeState s = tree_state(ydot, yddot, direction, dyddot);
  Duals r(static_cast<std::size_t>(x.m.ny));
  Memory::Residual left = x.residual({s.q.data(), s.v.data(), nullptr, nullptr, nullptr, s.qdd.data()},
                                     along(plain(multipliers), dlambda), along(desired, ddesired));
  const Duals force = along(plain(tau), direction.third);
  for (std::size_t j = 0; j < n; ++j) left.r[j] = left.r[j] - force[j];
  times_explicit_transposed(x.m, x.arena.data.G, left.r.data(), r.data());
  return {changes(r), changes(left.s)};
}

}  // namespace tenon::testing
