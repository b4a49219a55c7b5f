// First derivatives of what kinematics() computes, by tangents of configurations (rnea_derivatives.hpp), in world
// axes and about one point. For a coordinate k of body i with parent p, and a body j of its subtree, with true
// accelerations,
//
//   psi_dot = v_p x S,   psi_ddot = a_p x S + v_p x psi_dot,   S_rate = psi_dot + v_i x S
//
// where q_k moves, body j turns by S and sees its velocity change by psi_dot, its acceleration by psi_ddot + psi_dot
// x v_j; where v_k changes, its velocity does by S and its acceleration by S_rate + S x v_j. Numbers along world
// axes turn with the body too, those along its own do not.
//
// Summed over the subtree of k, with inertia I, velocity inertia B (tree/coriolis.hpp), momentum h and the force f =
// I a + v x* I v that moves it:
//
//   dh/dq = S x* h + I psi_dot,                            dh/dv = I S
//   df/dq = S x* f + I psi_ddot + 2 B psi_dot,             df/dv = I S_rate + 2 B S,   df/da = I S
//
// and moments about the centre of mass, which moves by d, change by d x (all linear momentum, or its rate) less.
// Energy: the kinetic one changes by psi_dot . h, the potential one by - g . (I S).
//
// Products with those of poses, velocities and accelerations of links, without a matrix, in body frames, for any number.
// Where q, v and the accelerations a of joints change by dq, dv and da, body i moves by theta_i and sees its velocity change
// by dv_i, its acceleration by da_i; forces F, N and A on the three, summed over subtrees, give the transposed product:
//
//   theta_i = theta_p + S dq,   dv_i = dv_p + v_p x S dq + S dv
//   da_i = da_p + a_p x S dq + dv_i x S v + v_i x S dv + S da                                   outward
//   N += S v x* A,   g_q = S . (F - v_p x* N - a_p x* A),   g_v = S . (N - v_i x* A),   g_a = S . A   inward
//
// The origin of a link, with the velocity [w; u] there, accelerates by w x u more than its body's spatial acceleration there: a
// force f on that acts on the velocity with [u x f; f x w]. Along axes of the world the numbers of a velocity or an
// acceleration x turn too, by theta x x: N acts on poses with x x N. O(n + links).
//
// Of the numbers of the whole robot (data/centroidal_numbers.hpp) likewise, with the momentum h_i of a body and the mass m
// of all. The centre of mass c moves by the mean of what bodies are displaced, m dc = sum of the linear part of I theta;
// about where it is the momentum changes by the sum of I dv + theta x* h, and less by dc x all linear momentum as c moves.
// A gradient by the momentum is a motion Y of the world about c, and so acts with
//
//   F = I [0; g_c / m] - Y x* h,   N = I (Y + g_T v)
//
// on each body, g_c by the centre of mass with what moves it besides, g_T by kinetic energy. O(n).
#pragma once

#include "data/centroidal_numbers.hpp"
#include "kernels/derivatives/kinematics_derivative_data.hpp"
#include "kernels/tree/centroidal.hpp"
#include "kernels/tree/coriolis.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE Motion<T> acceleration_about(const Vec3<T>& point, int node, const WorkspaceData<T>& w) {
  return motion_to_parent(pose_about(point, node, w), load_motion<T>(w.a0 + 6 * node));
}

// A change of [angular; linear] of a body that turns by S, along axes that do not.
template <class T>
TENON_INLINE Motion<T> turned(const Motion<T>& S, const Motion<T>& x) {
  return {cross(S.w, x.w), cross(S.w, x.v)};
}

// Of the velocity and the classical acceleration of `point` (world), fixed to a node, along the axes that are the
// columns of E (world). turning: these axes turn with the node.
template <class T>
void point_derivatives(const ModelData& m, int node, const T* point, const T* E, bool turning,
                       const PointDerivatives<T>& out, const WorkspaceData<T>& w) {
  const Vec3<T> origin = load_vec3<T>(point);
  const Mat3<T> axes = load_mat3<T>(E);
  for (T* x : {out.velocity_q, out.acceleration_q, out.acceleration_v})
    for (int k = 0; x && k < 6 * m.nv; ++k) x[k] = T(0);
  const Motion<T> v = velocity_about(origin, node, w);
  Motion<T> a{};
  if (out.acceleration_q) a = acceleration_about(origin, node, w);
  a.v = a.v + cross(v.w, v.v);
  const auto give = [&](T* to, int k, const Motion<T>& x) {
    store(to + 6 * k, Motion<T>{transpose_times(axes, x.w), transpose_times(axes, x.v)});
  };
  // That of the classical acceleration, from those of the velocity and the spatial one.
  const auto classical = [&](const Motion<T>& dv, const Motion<T>& da) {
    return Motion<T>{da.w, da.v + cross(dv.w, v.v) + cross(v.w, dv.v)};
  };
  for (int i = node; i >= 0; i = m.nodes[i].parent) {
    const NodeData& n = m.nodes[i];
    const Transform<Rot3<T>, T> X = pose_about(origin, i, w);
    const Motion<T> v_p = velocity_about(origin, n.parent, w), v_i = velocity_about(origin, i, w);
    Motion<T> a_p{};
    if (out.acceleration_q) a_p = acceleration_about(origin, n.parent, w);
    with_joint(n, [&](auto joint) {
      for_each_column<decltype(joint), T>(n, [&](auto d, auto column) {
        const int k = n.v_index + d.value;
        const Motion<T> S = outer_motion(column, X, T(m.v_sign[k])), psi_dot = cross(v_p, S);
        if (out.velocity_q) give(out.velocity_q, k, turning ? psi_dot : psi_dot + turned(S, v));
        if (out.acceleration_q) {
          const Motion<T> da = classical(psi_dot, cross(a_p, S) + cross(v_p, psi_dot) + cross(psi_dot, v));
          give(out.acceleration_q, k, turning ? da : da + turned(S, a));
        }
        if (out.acceleration_v)
          give(out.acceleration_v, k, classical(S, psi_dot + cross(v_i, S) + cross(S, v)));
      });
    });
  }
}

// ---- sums over subtrees

// Of the momentum [angular about the centre of mass; linear], world axes, and of its rate. com: 3.
template <class T>
void centroidal_derivatives(const ModelData& m, const T* com, const CentroidalDerivatives<T>& out,
                            const KinematicsDerivativeData<T>& d, const WorkspaceData<T>& w) {
  const Vec3<T> c = load_vec3<T>(com);
  const bool rates = out.rate_q || out.rate_v || out.rate;
  Force<T> momentum{}, force{};
  T mass(0);
  for (int i = 0; i < m.node_count; ++i) {
    const Motion<T> v = velocity_about(c, i, w);
    const RigidInertia<T> I = inertia_to_parent(pose_about(c, i, w), load_rigid<T>(m.nodes[i]));
    const Force<T> h = I * v;
    mass = mass + I.m;
    momentum = momentum + h;
    store(d.inertia + 10 * i, I);
    store(d.momentum + 6 * i, h);
    if (!rates) continue;
    const Force<T> f = I * acceleration_about(c, i, w) + velocity_product(I, v);
    const VelocityInertia<T> B = velocity_inertia(I, v);
    force = force + f;
    store(d.force + 6 * i, f);
    store(d.B + 12 * i, B.rotation);
    store(d.B + 12 * i + 9, B.momentum);
  }
  if (out.rate) store(out.rate, force);
  const T inverse = T(1) / mass;
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const auto add_to_parent = [&](T* field, int size) {
      for (int e = 0; n.parent >= 0 && e < size; ++e)
        field[size * n.parent + e] = field[size * n.parent + e] + field[size * i + e];
    };
    add_to_parent(d.inertia, 10), add_to_parent(d.momentum, 6);
    if (rates) add_to_parent(d.force, 6), add_to_parent(d.B, 12);
    const RigidInertia<T> I = load_inertia<T>(d.inertia + 10 * i);
    const Force<T> h = load_force<T>(d.momentum + 6 * i);
    VelocityInertia<T> B{};
    if (rates) B = {load_mat3<T>(d.B + 12 * i), load_vec3<T>(d.B + 12 * i + 9)};
    const Motion<T> v_p = velocity_about(c, n.parent, w), v_i = velocity_about(c, i, w);
    const Transform<Rot3<T>, T> X = pose_about(c, i, w);
    with_joint(n, [&](auto joint) {
      for_each_column<decltype(joint), T>(n, [&](auto e, auto column) {
        const std::int64_t k = n.v_index + e.value;
        const Motion<T> S = outer_motion(column, X, T(m.v_sign[k])), psi_dot = cross(v_p, S);
        const Force<T> moved = I * S;
        // About the centre of mass where it is then.
        const auto give = [&](T* to, const Force<T>& x, const Force<T>& all) {
          store(to + 6 * k, Force<T>{x.n - cross(inverse * moved.f, all.f), x.f});
        };
        if (out.momentum_v) store(out.momentum_v + 6 * k, moved);
        if (out.momentum_q) give(out.momentum_q, cross_force(S, h) + I * psi_dot, momentum);
        if (out.rate_q) {
          const Motion<T> psi_ddot = cross(acceleration_about(c, n.parent, w), S) + cross(v_p, psi_dot);
          const Force<T> turning = B * psi_dot;
          give(out.rate_q,
               cross_force(S, load_force<T>(d.force + 6 * i)) + I * psi_ddot + (turning + turning), force);
        }
        if (out.rate_v) {
          const Force<T> turning = B * S;
          store(out.rate_v + 6 * k, I * (psi_dot + cross(v_i, S)) + (turning + turning));
        }
      });
    });
  }
}

// Of kinetic energy, armature included, by q and v, and of potential energy by q; null: not wanted. Moments are
// about the origin of each body: no digits are lost far from the world's origin.
template <class T>
void energy_gradients(const ModelData& m, const T* v, T* kinetic_q, T* kinetic_v, T* potential_q,
                      const KinematicsDerivativeData<T>& d, const WorkspaceData<T>& w) {
  const Vec3<T> g = load_vec3<T>(w.gravity);
  const bool kinetic = kinetic_q || kinetic_v;
  const auto position = [&](int i) { return load_vec3<T>(w.p0 + 3 * i); };
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    const Mat3<T> R = load_mat3<T>(w.R0 + 9 * i);
    d.inertia[10 * i] = T(n.mass);
    store(d.inertia + 10 * i + 1, R * load_vec3<T>(n.h));
    if (!kinetic) continue;
    const Force<T> h = load_rigid<T>(n) * load_motion<T>(w.v0 + 6 * i);
    store(d.momentum + 6 * i, Force<T>{R * h.n, R * h.f});
  }
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const T mass = d.inertia[10 * i];
    const Vec3<T> arm = load_vec3<T>(d.inertia + 10 * i + 1), at = position(i);
    const Mat3<T> R = load_mat3<T>(w.R0 + 9 * i);
    Force<T> h{};
    Motion<T> v_p{};
    if (kinetic) {
      h = load_force<T>(d.momentum + 6 * i);
      v_p = velocity_about(at, n.parent, w);
    }
    if (n.parent >= 0) {
      const Vec3<T> r = at - position(n.parent);
      T* above = d.inertia + 10 * n.parent;
      above[0] = above[0] + mass;
      store(above + 1, load_vec3<T>(above + 1) + arm + mass * r);
      T* momentum = d.momentum + 6 * n.parent;
      if (kinetic) store(momentum, load_force<T>(momentum) + Force<T>{h.n + cross(r, h.f), h.f});
    }
    const Transform<Rot3<T>, T> X = pose_about(at, i, w);
    with_joint(n, [&](auto joint) {
      for_each_column<decltype(joint), T>(n, [&](auto e, auto column) {
        const int k = n.v_index + e.value;
        const T sign(m.v_sign[k]);
        const Motion<T> S = outer_motion(column, X, sign);
        if (kinetic_q) kinetic_q[k] = dot(cross(v_p, S), h);
        if (kinetic_v) kinetic_v[k] = dot(S, h) + T(m.armature[k]) * v[k];
        if (potential_q) potential_q[k] = -dot(g, momentum_at(column, direction(column, R, sign), arm, mass));
      });
    });
  }
}

// ---- products with those of poses, velocities and accelerations of links, directly after kinematics()

// The axes of a link's numbers, as columns in the frame of its body.
template <class T>
TENON_INLINE Mat3<T> axes_in_body(const PlacedLink& link, const WorkspaceData<T>& w) {
  return link.world_axes ? transpose(load_mat3<T>(w.R0 + 9 * link.node)) : load_mat3<T>(link.R);
}
// The motion of a link's origin, from that of its body, in the body's axes.
template <class T>
TENON_INLINE Motion<T> motion_of_link(const PlacedLink& link, const T* of_body) {
  const Motion<T> x = load_motion<T>(of_body);
  return {x.w, x.v + cross(x.w, load_vec3<T>(link.p))};
}

// Its acceleration: the classical one of its origin.
template <class T>
TENON_INLINE Motion<T> acceleration_of_link(const PlacedLink& link, const WorkspaceData<T>& w) {
  const Motion<T> v = motion_of_link(link, w.v0 + 6 * link.node);
  const Motion<T> a = motion_of_link(link, w.a0 + 6 * link.node);
  return {a.w, a.v + cross(v.w, v.v)};
}

// Adds the forces on a link, of which those that are null are zero, to those on bodies.
template <class T>
void add_link_forces(const PlacedLink& link, const BodyMotions<const T>& on, const BodyMotions<T>& of,
                     const WorkspaceData<T>& w) {
  if (link.node < 0) return;
  const Mat3<T> axes = axes_in_body(link, w);
  const auto in_body = [&](const T* x) {
    return Force<T>{axes * load_vec3<T>(x), axes * load_vec3<T>(x + 3)};
  };
  const auto add = [&](T* field, const Force<T>& f) {
    T* const to = field + 6 * link.node;
    store(to, load_force<T>(to) + Force<T>{f.n + cross(load_vec3<T>(link.p), f.f), f.f});
  };
  // The force that turns numbers x along axes of the world.
  const auto add_turn = [&](const Motion<T>& x, const Force<T>& f) {
    if (link.world_axes) add(of.poses, {cross(x.w, f.n) + cross(x.v, f.f), Vec3<T>{T(0), T(0), T(0)}});
  };
  if (on.poses) add(of.poses, in_body(on.poses));
  if (!on.velocities && !on.accelerations) return;
  const Motion<T> V = motion_of_link(link, w.v0 + 6 * link.node);
  if (on.velocities) {
    const Force<T> N = in_body(on.velocities);
    add(of.velocities, N), add_turn(V, N);
  }
  if (!on.accelerations) return;
  const Force<T> A = in_body(on.accelerations);
  add(of.accelerations, A), add_turn(acceleration_of_link(link, w), A);
  add(of.velocities, {cross(V.v, A.f), cross(A.f, V.w)});
}

// From the forces on bodies, which become those on subtrees, the gradients, nv each. Accelerations, or both these and
// velocities, may be null: of them nothing is written. v, a: of joints.
template <class T>
void kinematics_vjp(const ModelData& m, const T* v, const T* a, const BodyMotions<T>& of,
                    const JointMotions<T>& gradient, const WorkspaceData<T>& w) {
  const T* const none = nullptr;
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const Force<T> F = load_force<T>(of.poses + 6 * i);
      Force<T> by_q = F, N{}, A{};
      if (of.velocities) {
        N = load_force<T>(of.velocities + 6 * i);
        T rate[J::nv];
        load_rate<J>(n, v, rate);
        Motion<T> own{};
        add_motion<J>(n, own, rate);
        const Motion<T> vi = load_motion<T>(w.v0 + 6 * i);
        Force<T> by_v = N;
        if (of.accelerations) {
          A = load_force<T>(of.accelerations + 6 * i);
          N = N + cross_force(own, A);
          by_v = N - cross_force(vi, A);
          load_rate<J>(n, a, rate);
          Motion<T> of_joint = cross(vi, own);
          add_motion<J>(n, of_joint, rate);
          by_q = by_q - cross_force(load_motion<T>(w.a0 + 6 * i) - of_joint, A);
          project_on_joint<J>(m, n, A, none, gradient.a, w);
        }
        by_q = by_q - cross_force(vi - own, N);
        project_on_joint<J>(m, n, by_v, none, gradient.v, w);
      }
      project_on_joint<J>(m, n, by_q, none, gradient.q, w);
      if (n.parent < 0) return;
      const auto X = J::load(n, i, w);
      const auto pass = [&](T* field, const Force<T>& force) {
        T* const to = field + 6 * n.parent;
        store(to, load_force<T>(to) + force_to_parent(X, force));
      };
      pass(of.poses, F);
      if (of.velocities) pass(of.velocities, N);
      if (of.accelerations) pass(of.accelerations, A);
    });
  }
}

// theta, dv and da of bodies; null: as above. A change of joints that is null is zero.
template <class T>
void kinematics_jvp(const ModelData& m, const T* v, const T* a, const JointMotions<const T>& along,
                    const BodyMotions<T>& of, const WorkspaceData<T>& w) {
  for (T* field : {of.poses, of.velocities, of.accelerations})
    if (field) clear_world(field);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const auto X = J::load(n, i, w);
      const auto carried = [&](const T* field) {
        return motion_to_child(X, load_motion<T>(field + 6 * n.parent));
      };
      const auto along_joint = [&](const T* x) {
        Motion<T> s{};
        if (!x) return s;
        T rate[J::nv];
        load_rate<J>(n, x, rate);
        add_motion<J>(n, s, rate);
        return s;
      };
      const Motion<T> s = along_joint(along.q);
      store(of.poses + 6 * i, carried(of.poses) + s);
      if (!of.velocities) return;
      const Motion<T> vi = load_motion<T>(w.v0 + 6 * i), own = along_joint(v), own_dv = along_joint(along.v);
      const Motion<T> dv = carried(of.velocities) + cross(vi - own, s) + own_dv;
      store(of.velocities + 6 * i, dv);
      if (!of.accelerations) return;
      const Motion<T> of_joint = cross(vi, own) + along_joint(a);
      store(of.accelerations + 6 * i, carried(of.accelerations) +
                                          cross(load_motion<T>(w.a0 + 6 * i) - of_joint, s) + cross(dv, own) +
                                          cross(vi, own_dv) + along_joint(along.a));
    });
  }
}

// After kinematics_jvp: of a link; null: not wanted.
template <class T>
void link_changes(const PlacedLink& link, const BodyMotions<T>& of, const BodyMotions<T>& to,
                  const WorkspaceData<T>& w) {
  const Mat3<T> axes = axes_in_body(link, w);
  const Motion<T> theta = motion_of_link(link, of.poses + 6 * link.node);
  const auto give = [&](T* numbers, const Motion<T>& x) {
    store(numbers, Motion<T>{transpose_times(axes, x.w), transpose_times(axes, x.v)});
  };
  const auto give_turned = [&](T* numbers, const Motion<T>& change, const Motion<T>& x) {
    give(numbers, link.world_axes ? change + turned(theta, x) : change);
  };
  if (to.poses) give(to.poses, theta);
  if (!to.velocities && !to.accelerations) return;
  const Motion<T> V = motion_of_link(link, w.v0 + 6 * link.node),
                  dV = motion_of_link(link, of.velocities + 6 * link.node);
  if (to.velocities) give_turned(to.velocities, dV, V);
  if (!to.accelerations) return;
  Motion<T> dA = motion_of_link(link, of.accelerations + 6 * link.node);
  dA.v = dA.v + cross(dV.w, V.v) + cross(V.w, dV.v);
  give_turned(to.accelerations, dA, acceleration_of_link(link, w));
}

// ---- products with those of numbers of the whole robot, directly after kinematics()

// As kinematics_vjp without accelerations, from the gradient by these numbers; forces on bodies are written. state: of
// centroidal_state.
template <class T>
void centroidal_vjp(const ModelData& m, const T* v, const T* state, const T* gradient,
                    const BodyMotions<T>& of, const JointMotions<T>& to, const WorkspaceData<T>& w) {
  const T by_kinetic = gradient[12], by_potential = gradient[13], inverse = state[inverse_mass_at];
  const Vec3<T> center = load_vec3<T>(state);
  const Motion<T> Y = {load_vec3<T>(gradient + 6),
                       load_vec3<T>(gradient + 9) + inverse * load_vec3<T>(gradient + 3)};
  Vec3<T> by_center = load_vec3<T>(gradient);
  if (of.velocities) by_center = by_center + cross(Y.w, load_vec3<T>(state + 9));
  const Vec3<T> pull = inverse * by_center - by_potential * load_vec3<T>(w.gravity);
  for (int i = 0; i < m.node_count; ++i) {
    const RigidInertia<T> I = load_rigid(m, i, w);
    const Transform<Rot3<T>, T> X = pose_about(center, i, w);
    const Vec3<T> own_pull = transpose_times(load_mat3<T>(w.R0 + 9 * i), pull);
    Force<T> F = {cross(I.h, own_pull), I.m * own_pull};
    if (of.velocities) {
      const Motion<T> own_Y = motion_to_child(X, Y), vi = load_motion<T>(w.v0 + 6 * i);
      F = F - cross_force(own_Y, I * vi);
      store(of.velocities + 6 * i, I * Motion<T>{own_Y.w + by_kinetic * vi.w, own_Y.v + by_kinetic * vi.v});
    }
    store(of.poses + 6 * i, F);
  }
  kinematics_vjp(m, v, static_cast<const T*>(nullptr), of, to, w);
  for (int k = 0; of.velocities && k < m.nv; ++k)
    to.v[k] = to.v[k] + by_kinetic * load_armature(m, k, w) * v[k];
}

// Gradients by inertial parameters of links (parameter_data.hpp), in which all but the division by the mass is linear, by
// armatures and by gravity. With Y as above and half of the gradient by the kinetic energy times the motion of a link beside
// it, [w; v] and [r; y] = Y in axes of the link at its origin p, and R^T pull, pull = by_center / mass - by_potential gravity:
//   by m: y . v + pull . p - by_center . center / mass - by_center_velocity . its velocity / mass,
//   by h: y x w + v x r + R^T pull,   by I: r w^T, its off-diagonal pairs summed.
// Added, by links that joints move. v null: at rest.
template <class T>
void centroidal_parameter_vjp(const ModelData& m, const ParameterData<double>& links, const T* v,
                              const T* state, const T* gradient, const MassGradients<T>& to,
                              const WorkspaceData<T>& w) {
  const T by_kinetic = gradient[12], by_potential = gradient[13], inverse = state[inverse_mass_at];
  const Vec3<T> center = load_vec3<T>(state), by_velocity = inverse * load_vec3<T>(gradient + 3);
  const Motion<T> Y = {load_vec3<T>(gradient + 6), load_vec3<T>(gradient + 9) + by_velocity};
  Vec3<T> by_center = load_vec3<T>(gradient);
  if (v) by_center = by_center + cross(Y.w, load_vec3<T>(state + 9));
  const Vec3<T> pull = inverse * by_center - by_potential * load_vec3<T>(w.gravity);
  const T at_rest = inverse * dot(by_center, center),
          by_mass = v ? at_rest + dot(by_velocity, load_vec3<T>(state + 3)) : at_rest;
  for (int i = 0; to.inertia && i < links.count; ++i) {
    const int body = links.body[i];
    const double* const numbers = links.in_body + 48 * (i / 4) + i % 4;  // of four links side by side
    const auto own = [&](int e) { return T(numbers[4 * e]); };
    const Transform<Rot3<T>, T> in_body = {
        {{own(0), own(1), own(2), own(3), own(4), own(5), own(6), own(7), own(8)}},
        {own(9), own(10), own(11)}};
    const Mat3<T> R = load_mat3<T>(w.R0 + 9 * body);
    const Vec3<T> p = load_vec3<T>(w.p0 + 3 * body) + R * in_body.p;
    const Motion<T> pulled =
        motion_to_child(in_body, Motion<T>{Vec3<T>{T(0), T(0), T(0)}, transpose_times(R, pull)});
    T by_m = dot(pull, p) - by_mass;
    Vec3<T> by_h = pulled.v;
    T* const by = to.inertia + 10 * links.link[i];
    if (v) {
      const Motion<T> V = motion_to_child(in_body, load_motion<T>(w.v0 + 6 * body)),
                      moved = motion_to_child(in_body, motion_to_child(pose_about(center, body, w), Y));
      const T half = T(0.5) * by_kinetic;
      const Vec3<T> r = moved.w + half * V.w, y = moved.v + half * V.v;
      by_m = by_m + dot(y, V.v);
      by_h = by_h + cross(y, V.w) + cross(V.v, r);
      by[4] = by[4] + r.x * V.w.x, by[7] = by[7] + r.y * V.w.y, by[9] = by[9] + r.z * V.w.z;
      by[5] = by[5] + (r.x * V.w.y + r.y * V.w.x);
      by[6] = by[6] + (r.x * V.w.z + r.z * V.w.x);
      by[8] = by[8] + (r.y * V.w.z + r.z * V.w.y);
    }
    by[0] = by[0] + by_m, store(by + 1, load_vec3<T>(by + 1) + by_h);
  }
  for (int k = 0; to.armature && v && k < m.nv; ++k)
    to.armature[k] = to.armature[k] + T(0.5) * by_kinetic * v[k] * v[k];
  for (int i = 0; to.gravity && i < m.node_count; ++i) {
    const RigidInertia<T> I = load_rigid(m, i, w);
    const Vec3<T> moment = I.m * load_vec3<T>(w.p0 + 3 * i) + load_mat3<T>(w.R0 + 9 * i) * I.h;
    store(to.gravity, load_vec3<T>(to.gravity) - by_potential * moment);
  }
}

// Of all these numbers; without velocities those of motion are zero. A change that is null is zero.
template <class T>
void centroidal_jvp(const ModelData& m, const T* v, const T* state, const JointMotions<const T>& along,
                    const BodyMotions<T>& of, T* changes, const WorkspaceData<T>& w) {
  kinematics_jvp(m, v, static_cast<const T*>(nullptr), along, of, w);
  const Vec3<T> center = load_vec3<T>(state);
  const T inverse = state[inverse_mass_at];
  Vec3<T> displaced{T(0), T(0), T(0)};
  Force<T> sum{};
  T work(0);
  for (int i = 0; i < m.node_count; ++i) {
    const RigidInertia<T> I = load_rigid(m, i, w);
    const Transform<Rot3<T>, T> X = pose_about(center, i, w);
    const Motion<T> theta = load_motion<T>(of.poses + 6 * i);
    displaced = displaced + load_mat3<T>(w.R0 + 9 * i) * (cross(theta.w, I.h) + I.m * theta.v);
    if (!of.velocities) continue;
    const Motion<T> change = load_motion<T>(of.velocities + 6 * i);
    const Force<T> h = I * load_motion<T>(w.v0 + 6 * i);
    sum = sum + force_to_parent(X, I * change + cross_force(theta, h));
    work = work + dot(change, h);
  }
  for (int k = 0; of.velocities && along.v && k < m.nv; ++k)
    work = work + load_armature(m, k, w) * v[k] * along.v[k];
  const Vec3<T> moved = inverse * displaced;
  store(changes, moved);
  store(changes + 3, inverse * sum.f);
  store(changes + 6, Force<T>{sum.n - cross(moved, load_vec3<T>(state + 9)), sum.f});
  changes[12] = work;
  changes[13] = -dot(load_vec3<T>(w.gravity), displaced);
}

TENON_ISA_END
}  // namespace tenon
