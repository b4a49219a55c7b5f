// How the equations of constraint rows change with the motion of their bodies: what derivatives of dynamics with rows
// need of constraint_rows.hpp and closure_rows.hpp, which have the rows.
//
// A row is s = K A + gamma - k = 0, with A the acceleration of its body, gravity not taken off, and V its velocity. Where
// the body moves by theta, and its velocity and acceleration change by dV and dA as it sees them,
//
//   ds = K . dA + N' . dV + P . theta
//
// In the terms of rnea_derivatives.hpp, where q_k moves, dV = psi_dot and dA = psi_ddot + psi_dot x V_i; where v_k
// changes, dV = S and dA = S_rate + S x V_i. So with N = N' + V_i x* K
//
//   ds/dq_k = K . psi_ddot + N . psi_dot + P . S,   ds/dv_k = K . S_rate + N . S
//
// for every joint k that moves the body. With e the row's axis, u and a the velocity and the classical acceleration of
// the point p, and z = 2 damping_ratio frequency, f = frequency^2 of the stabilisation,
//
//   linear row   N' = z K + [u x e + p x h; h], h = e x w,   P = [K_f x g; 0] + f K
//   angular row  N' = z K,                                   P = [f J(error)^T e; 0],  J the rate of a rotation vector
//
// The first term of P: gravity turns as the body sees it. Axes of the world turn too: P += [(a + z u) x e; 0], for
// angular rows with the angular acceleration and velocity. Axes of the link turn the position error instead:
// P += [f e x error; 0], for angular rows within J.
//
// A closure sees the difference theta of the motions of its bodies. In axes of body 1, x the origin of frame 2 and
// V = V_1 - V_2, A = A_1 - A_2, u = V_lin + w x x, force c at x written [c],
//
//   linear row   N = z K + (V_1 + V_2) x* K - Z,   Z = [u x e; 0] + [h]
//                P = z V_2 x* K + A_2 x* K + V_2 x* (V_1 x* K - Z) + [h x w - e x (A_ang + (V_1 x V_2)_ang + z w)]
//                    + f K
//
// and for angular rows without Z and [..], with J; for the second body all of it with the opposite sign. Those of embedded
// loops have axes n that turn (loop_turn_gradients.hpp): K = [n; 0], in N also [y' by dw; 0], which V_2 turns in P as z K,
// and in P [y' by theta; 0].
//
// Vectors of bodies are in the root frames, two packs of four numbers each; of packs of states in those of the bodies, six
// numbers (kernels/pack/product_pack.hpp).
#pragma once

#include <type_traits>

#include "kernels/derivatives/loop_turn_gradients.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "kernels/tree/joint_space.hpp"
#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Rows of limbs side by side (kernels/branches): on single bodies.
template <class Model>
inline constexpr bool of_limbs = Model::first_body > 0;

template <class T>
inline constexpr int half_of_body = is_pack<T> ? 3 : 4;
template <class T>
TENON_INLINE Motion<T> motion_of_body(const T* field, int i) {
  const T* at = field + 2 * half_of_body<T> * i;
  return {load_vec3<T>(at), load_vec3<T>(at + half_of_body<T>)};
}
// The pose of body i in the frame of its vectors.
template <class T>
TENON_INLINE Transform<Rot3<T>, T> pose_of_body(const WorkspaceData<T>& w, int i) {
  if constexpr (is_pack<T>) {
    const T o(0), e(1);
    return {{{e, o, o, o, e, o, o, o, e}}, {o, o, o}};
  } else {
    return root_pose(w, i);
  }
}

// turning: P of the velocity K V of the row, whose N is K. n_theta: of an angular row of an embedded loop. T: a number, or
// lanes with `count` rows.
template <class T>
struct RowGradient {
  Force<T> K, N, P, turning;
  int count = 1;
  Mat3<T> n_theta{};
};
template <class T>
TENON_INLINE Force<T> operator*(const T& s, const Force<T>& f) {
  return {s * f.n, s * f.f};
}
template <class T>
TENON_INLINE Force<T> force_at(const Vec3<T>& x, const Vec3<T>& f) {
  return {cross(x, f), f};
}

// phi + d is the rotation vector of the rotation of phi and then, in the turned axes, of a small w: d = J w. J^T e, with
// J = 1 + phi/2 x + c phi x phi x. backwards: w in the axes before the rotation, J with - phi/2. V: T, or lanes with several e.
template <class T, class V>
inline Vec3<V> rotation_rate_transposed(const Vec3<T>& phi, const Vec3<V>& e, bool backwards) {
  using std::sqrt;
  using std::tan;
  const T square = dot(phi, phi), angle = sqrt(square);
  // c = (1 - angle/2 cot(angle/2)) / angle^2.
  const T c = square < T(1e-4) ? T(1.0 / 12) + square * (T(1.0 / 720) + square * T(1.0 / 30240))
                               : (T(1) - T(0.5) * angle / tan(T(0.5) * angle)) / square;
  const Vec3<V> of_all = spread_to<V>(phi), turned = cross(of_all, e);
  return e + V(backwards ? T(0.5) : T(-0.5)) * turned + V(c) * cross(of_all, turned);
}

// The same for the shortest rotation of a unit vector a to b, g (a x b) with g = angle / sine, where a turns by -w.
template <class T>
inline Vec3<T> swing_rate_transposed(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& e) {
  using std::atan2;
  using std::sqrt;
  const Vec3<T> s = cross(a, b);
  const T square = dot(s, s), sine = sqrt(square), cosine = dot(a, b);
  const bool small = square < T(1e-6) && cosine > T(0);
  const T g = small ? T(1) + square * (T(1.0 / 6) + square * T(3.0 / 40)) : atan2(sine, cosine) / sine;
  const T rate = small ? T(-1.0 / 3) - square * T(2.0 / 15) : (g * cosine - T(1)) / square;  // dg / d cosine
  return cross(g * cross(b, e) + (rate * dot(s, e)) * b, a);
}

// True velocity, acceleration and gravity of a body, in its frame. After sweep_motion at the accelerations of joints; of
// packs after sweep_body_forces there, and the poses of evaluate_constraint_rows.
template <class T>
struct BodyMotion {
  Motion<T> V, A;
  Vec3<T> gravity;
};
template <class T, class Model>
inline BodyMotion<T> body_motion(const Model& m, int i, bool is_placed, WorkspaceData<T>& w) {
  BodyMotion<T> b;
  if constexpr (is_pack<T>) {
    b.A = load_motion<T>(w.a + 6 * i);
  } else {
    if (!is_placed) place_supporting_body(m, i, w);
    b.A = motion_to_child(root_pose(w, i), load_body_motion(w.aw, i));
  }
  b.V = load_motion<T>(w.v + 6 * i), b.gravity = load_vec3<T>(w.gs + 3 * i);
  b.A.v = b.A.v + b.gravity;
  return b;
}

// Whether errors of an item with this frequency act; of packs: in some lane, in others times zero.
template <class T, class Rows>
TENON_INLINE bool errors_act(const Rows& c, const T& frequency) {
  if constexpr (is_pack<T>)
    return c.poses == ConstraintPoses::with_errors;
  else
    return frequency > T(0);
}

// The rows of an item one by one: of_frame calls f(j, count, acts, axis, K, linear), of_user f(j, acts, K). is_placed: bodies
// with rows have their motion (place_supporting_body), but for the acceleration.
struct RowByRow {
  static constexpr bool sums = false, is_placed = false;
  template <class T, class Rows, class N, class F>
  TENON_INLINE void of_frame(const Rows& c, const ConstraintItem& item, const N* R, const Mat3<T>& R0,
                             const Vec3<T>& p, const F& f) const {
    int j = 0;
    for_rows_of_frame(item, R, R0, p, [&](const Vec3<T>& e, const Force<T>& K, auto linear) {
      f(j, 1, is_active(c, item.row_begin + j), e, K, linear);
      ++j;
    });
  }
  template <class T, class Rows, class F>
  TENON_INLINE void of_user(const Rows& c, const ConstraintItem& item, const F& f) const {
    for (int j = 0; j < item.row_count; ++j)
      f(j, is_active(c, item.row_begin + j), load_force<T>(c.custom + 6 * (item.custom + j)));
  }
};
// Angular rows side by side, then linear ones: an axis of zeros, where a row is not active, leaves zeros.
struct RowsSideBySide : RowByRow {
  explicit RowsSideBySide(bool placed) : is_placed(placed) {}
  bool is_placed;

  template <class T, class Rows, class N, class F>
  TENON_INLINE void of_frame(const Rows& c, const ConstraintItem& item, const N* R, const Mat3<T>& R0,
                             const Vec3<T>& p, const F& f) const {
    using L = Lanes<T>;
    Mat3<T> axes = transpose(R0);
    if (!item.world_axes) axes = load_mat3<T>(R);
    int r = item.row_begin;
    // Rows `of` of three axes.
    const auto take = [&](unsigned of, auto linear) {
      Vec3<T> e[4] = {};
      int count = 0;
      const auto axis = [&](unsigned j, const Vec3<T>& x) {
        if (!(of >> j & 1u)) return;
        if (is_active(c, r + count)) e[count] = x;
        ++count;
      };
      axis(0, axis_of<0>(axes)), axis(1, axis_of<1>(axes)), axis(2, axis_of<2>(axes));
      const auto lanes = [&](auto number) { return L(number(e[0]), number(e[1]), number(e[2]), T(0)); };
      const Vec3<L> all = {lanes([](const Vec3<T>& x) { return x.x; }),
                           lanes([](const Vec3<T>& x) { return x.y; }),
                           lanes([](const Vec3<T>& x) { return x.z; })};
      const Force<L> K = linear.value ? force_at(spread(p), all) : Force<L>{all, spread(Vec3<T>{})};
      if (count > 0) f(r - item.row_begin, count, true, all, K, linear);
      r += count;
    };
    take(item.rows & 7u, Int<0>{});
    take(item.rows >> 3 & 7u, Int<1>{});
  }
};
// Their sum with the weights b: gradients are linear in the axis of a row, so that rows of a kind are one row.
template <class T>
struct SumOfRows {
  static constexpr bool sums = true, is_placed = false;
  const T* b;
  template <class, class Rows, class N, class F>
  TENON_INLINE void of_frame(const Rows& c, const ConstraintItem& item, const N* R, const Mat3<T>& R0,
                             const Vec3<T>& p, const F& f) const {
    Vec3<T> angular{}, straight{};
    int r = item.row_begin;
    for_rows_of_frame(item, R, R0, p, [&](const Vec3<T>& e, const Force<T>&, auto linear) {
      Vec3<T>& sum = linear.value ? straight : angular;
      if (is_active(c, r)) sum = sum + b[r] * e;
      ++r;
    });
    if (item.rows & 7u) f(0, 1, true, angular, Force<T>{angular, Vec3<T>{}}, Int<0>{});
    if (item.rows & 56u) f(0, 1, true, straight, force_at(p, straight), Int<1>{});
  }
  template <class, class Rows, class F>
  TENON_INLINE void of_user(const Rows& c, const ConstraintItem& item, const F& f) const {
    Force<T> sum{};
    for (int j = 0; j < item.row_count; ++j)
      if (is_active(c, item.row_begin + j))
        sum = sum + b[item.row_begin + j] * load_force<T>(c.custom + 6 * (item.custom + j));
    f(0, true, sum);
  }
};

// Calls each(j, gradient) for the rows of an item at a body, from row j on, as `taken`, in the body frame; those that are not
// active are zero.
template <class T, class Model, class Rows, class Taken, class Each>
inline void item_gradients(const Model& m, const Rows& c, int index, const Taken& taken, WorkspaceData<T>& w,
                           const Each& each) {
  const ConstraintItem& item = c.items[index];
  const int i = item.node;
  const BodyMotion<T> b = body_motion(m, i, taken.is_placed, w);
  const Mat3<T> R0 = load_mat3<T>(w.Rs + 9 * i);
  const auto* frame = c.frames + 12 * index;
  const Vec3<T> p = load_vec3<T>(frame + 9);
  const Vec3<T> u = b.V.v + cross(b.V.w, p), a = b.A.v + cross(b.A.w, p) + cross(b.V.w, u);
  const T omega(c.gains[2 * index]), z = T(2) * T(c.gains[2 * index + 1]) * omega, f = omega * omega;
  const bool held = errors_act(c, omega) && item.custom < 0;
  const FrameErrors<T> error =
      held ? frame_errors<T>(c, index, R0, load_vec3<T>(w.ps + 3 * i)) : FrameErrors<T>{};

  const auto finish = [&](int j, auto x) {
    using V = std::decay_t<decltype(x.K.n.x)>;
    x.N = x.N + V(z) * x.K + cross_force(spread_to<V>(b.V), x.K);
    x.P = x.P + V(z) * x.turning;
    x.P.n = x.P.n + cross(x.K.f, spread_to<V>(b.gravity));
    each(j, x);
  };
  if (item.custom >= 0) {
    taken.template of_user<T>(c, item, [&](int j, bool acts, const Force<T>& K) {
      acts ? finish(j, RowGradient<T>{K, Force<T>{}, Force<T>{}, Force<T>{}}) : each(j, RowGradient<T>{});
    });
    return;
  }
  const auto take = [&](int j, int count, bool acts, const auto& e, const auto& K, auto linear) {
    using V = std::decay_t<decltype(e.x)>;
    const auto all = [](const Vec3<T>& x) { return spread_to<V>(x); };
    const Force<V> none{all(Vec3<T>{}), all(Vec3<T>{})};
    RowGradient<V> x = {none, none, none, none, count};
    if (!acts) {
      each(j, x);
      return;
    }
    x.K = K;
    if (linear.value) {
      x.N = force_at(all(p), cross(e, all(b.V.w)));
      x.N.n = x.N.n + cross(all(u), e);
    }
    if (item.world_axes) {
      x.P.n = cross(all(linear.value ? a : b.A.w), e);
      x.turning.n = cross(all(linear.value ? u : b.V.w), e);
    }
    if (held && linear.value) {
      x.P = x.P + V(f) * K;
      if (!item.world_axes) x.P.n = x.P.n + V(f) * cross(e, all(error.moved));
    }
    if (held && !linear.value)
      x.P.n = x.P.n + V(f) * rotation_rate_transposed(error.turned, e, item.world_axes != 0);
    finish(j, x);
  };
  taken.template of_frame<T>(c, item, frame, R0, p, take);
}

// Of a body of a closure. Packs leave gravity out of both: what A_2 x* K lacks then is what K_f x g adds.
template <class T>
inline BodyMotion<T> motion_of_end(const ModelData& m, int i, WorkspaceData<T>& w) {
  if constexpr (is_pack<T>)
    return {load_motion<T>(w.v + 6 * i), load_motion<T>(w.a + 6 * i), Vec3<T>{T(0), T(0), T(0)}};
  else
    return body_motion(m, i, false, w);
}

// The same for a closure, in the frame of its first body: K, N, P of that body.
template <class T, class Rows, class Taken, class Each>
inline void closure_gradients(const ModelData& m, const Rows& c, int index, const ClosureState<T>& s,
                              const Taken& taken, WorkspaceData<T>& w, const Each& each) {
  const ConstraintItem& item = c.items[index];
  const BodyMotion<T> one = motion_of_end(m, item.first, w), two = motion_of_end(m, item.second, w);
  const Motion<T> V_2 = motion_to_parent(s.X, two.V), A_2 = motion_to_parent(s.X, two.A), A = one.A - A_2;
  const Vec3<T> u = s.V.v + cross(s.V.w, s.x);
  const T omega(c.gains[2 * index]), z = T(2) * T(c.gains[2 * index + 1]) * omega, f = omega * omega;
  const Vec3<T> turning = A.w + cross(one.V.w, V_2.w);
  const Mat3<T> R_1 = load_mat3<T>(item.R), R_2 = s.X.R.R * load_mat3<T>(item.R2);
  const auto error_rate = [&](const Vec3<T>& e) {
    switch (item.rows & 7u) {
      case 6:
        return swing_rate_transposed(axis_of<0>(R_2), axis_of<0>(R_1), e);
      case 5:
        return swing_rate_transposed(axis_of<1>(R_2), axis_of<1>(R_1), e);
      case 3:
        return swing_rate_transposed(axis_of<2>(R_2), axis_of<2>(R_1), e);
      default:
        return rotation_rate_transposed(s.error_w, e, false);
    }
  };
  constexpr bool embeds = has_turn_gradients<T> && !Taken::sums;
  TurnGradient<T> turns[3];
  if constexpr (embeds)
    if (item.embedded && (item.rows & 7u)) turn_gradients(item.rows, R_1, R_2, s.V.w, turning, turns);
  const auto take = [&](int j, int, bool acts, const Vec3<T>& e, const Force<T>& fixed, auto linear) {
    if (!acts || item.first == item.second) {
      each(j, RowGradient<T>{});
      return;
    }
    const TurnGradient<T>* const turn = embeds && item.embedded && !linear.value ? turns + j : nullptr;
    const Force<T> K = turn ? Force<T>{turn->n, Vec3<T>{}} : fixed;
    Force<T> Z{}, slows{};
    RowGradient<T> x = {K, Force<T>{}, Force<T>{}, cross_force(V_2, K)};
    if (linear.value) {
      const Vec3<T> h = cross(e, s.V.w);
      Z = force_at(s.x, h);
      Z.n = Z.n + cross(u, e);
      x.P = force_at(s.x, cross(h, s.V.w) - cross(e, turning)) + f * K;
      x.turning = x.turning - force_at(s.x, h);
    } else if (turn) {
      x.P.n = turn->theta, x.turning.n = x.turning.n + turn->velocity_theta;
      slows.n = turn->velocity;
      x.n_theta = turn->n_theta;
    } else if (errors_act(c, omega)) {
      x.P.n = f * error_rate(e);
    }
    const Force<T> seen = cross_force(one.V, K) - Z;
    x.N = z * K + cross_force(V_2, K) + seen + slows;
    x.P = x.P + cross_force(A_2, K) + cross_force(V_2, seen + slows) + z * x.turning;
    x.P.n = x.P.n + cross(K.f, one.gravity);
    each(j, x);
  };
  taken.template of_frame<T>(c, item, item.R, Mat3<T>{}, s.x, take);
}

// Columns r to r + count - 1 of six arrays of rows.
template <class T, class V>
TENON_INLINE void store_some_rows(const Force<V>& x, int r, int count, int stride, T* field) {
  const auto put = [&](int e, const V& number) {
    if constexpr (is_lanes<V>)
      store_some(number, count, field + e * stride + r);
    else
      field[e * stride + r] = number;
  };
  put(0, x.n.x), put(1, x.n.y), put(2, x.n.z), put(3, x.f.x), put(4, x.f.y), put(5, x.f.z);
}

// Where the rows of an item act, and forces from the frame of its gradients in the root frames.
template <class T>
struct ItemSides {
  int body[2];  // -1: none or the world
  Transform<Rot3<T>, T> X_1{}, X_2{}, X{};

  template <class V>
  TENON_INLINE Force<V> in_root(int side, const Force<V>& x) const {
    if constexpr (is_lanes<V>)  // not of closures
      return force_to_parent(spread(X_1), x);
    else
      return side == 0 ? force_to_parent(X_1, x) : force_to_parent(X_2, force_to_child(X, Force<T>{} - x));
  }
};
// Calls each(item, sides, j, gradient) for all rows, as `taken`.
template <class T, class Model, class Rows, class Taken, class Each>
TENON_INLINE void for_row_gradients(const Model& m, const Rows& c, const Taken& taken, WorkspaceData<T>& w,
                                    const Each& each) {
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    if (!item.closure && item.node < 0) continue;
    ItemSides<T> sides{{item.node, -1}};
    RowGradient<T> sum{};
    const auto take = [&](int j, const auto& x) {
      if constexpr (Taken::sums)
        sum.K = sum.K + x.K, sum.N = sum.N + x.N, sum.P = sum.P + x.P;
      else
        each(item, sides, j, x);
    };
    if (of_limbs<Model> || !item.closure) {
      sides.X_1 = pose_of_body(w, item.node);
      item_gradients(m, c, index, taken, w, take);
    } else if constexpr (!of_limbs<Model>) {
      if constexpr (!is_pack<T>)
        place_supporting_body(m, item.first, w), place_supporting_body(m, item.second, w);
      const ClosureState<T> s = closure_state(m, item, c.poses == ConstraintPoses::with_errors, w);
      sides = {{item.first, item.second}, pose_of_body(w, item.first), pose_of_body(w, item.second), s.X};
      if constexpr (Taken::sums)
        closure_gradients(m, c, index, s, taken, w, take);
      else
        closure_gradients(m, c, index, s, RowByRow{}, w, take);
    }
    if constexpr (Taken::sums) each(item, sides, 0, sum);
  }
}

// N and P of all rows, in the root frames. After joint_space_state, and then sweep_motion at the accelerations.
// velocities: those of the rows' velocities; null: not wanted, as the others. is_placed: no motion with other velocities was
// placed in between.
template <class T, class Rows>
void row_gradients(const ModelData& m, const Rows& c, RowDerivativeData<T>* velocities,
                   RowDerivativeData<T>* accelerations, bool is_placed, WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  for (RowDerivativeData<T>* d : {velocities, accelerations})
    for (int e = 0; d && e < 6 * stride; ++e) d->N[e] = d->P[e] = T(0);
  const auto each = [&](const ConstraintItem& item, const ItemSides<T>& sides, int j, const auto& x) {
    using V = std::decay_t<decltype(x.K.n.x)>;
    const int r = item.row_begin + j;
    const auto put = [&](const RowDerivativeData<T>& d, const Force<V>& N, const Force<V>& P) {
      if (is_lanes<V> || item.side_row < 0) {
        const int side = sides.body[0] >= 0 ? 0 : 1;
        store_some_rows(sides.in_root(side, N), r, x.count, stride, d.N);
        store_some_rows(sides.in_root(side, P), r, x.count, stride, d.P);
      }
      if constexpr (!is_lanes<V>) {
        if (d.bent && item.closure) store(d.bent + std::int64_t{9} * r, x.n_theta);
        for (int side = 0; side < 2 && item.side_row >= 0; ++side) {
          const std::int64_t place = std::int64_t{12} * (item.side_row + j) + 6 * side;
          store(d.side_N + place, sides.in_root(side, N));
          store(d.side_P + place, sides.in_root(side, P));
        }
      }
    };
    if (velocities) put(*velocities, x.K, x.turning);
    if (accelerations) put(*accelerations, x.N, x.P);
  };
  if constexpr (is_pack<T>)
    for_row_gradients(m, c, RowByRow{}, w, each);
  else
    for_row_gradients(m, c, RowsSideBySide(is_placed), w, each);
}

// Calls each(body, K, N, P) with the sums of the rows of an item, weighted by b, in the root frames. After the same.
template <class T, class Model, class Rows, class Each>
TENON_INLINE void for_sums_of_rows(const Model& m, const Rows& c, const T* b, WorkspaceData<T>& w,
                                   const Each& each) {
  for_row_gradients(m, c, SumOfRows<T>{b}, w,
                    [&](const ConstraintItem&, const ItemSides<T>& sides, int, const RowGradient<T>& x) {
                      for (int side = 0; side < 2; ++side)
                        if (sides.body[side] >= 0)
                          each(sides.body[side], sides.in_root(side, x.K), sides.in_root(side, x.N),
                               sides.in_root(side, x.P));
                    });
}

TENON_ISA_END
}  // namespace tenon
