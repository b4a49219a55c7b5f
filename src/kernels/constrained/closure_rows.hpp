// Rows of a closure: frame 1 of body 1 and frame 2 of body 2 kept together, along the axes e of frame 1.
//
// In coordinates of body 1, with x the origin of frame 2, V = V_1 - V_2 the relative spatial velocity and
// K = [e; 0] for an angular row, K = [x x e; e] for a linear one,
//
//   velocity      y  = K V,   the derivative of R_1^T (x_1 - x_2) and of the angle between the frames
//   acceleration  y' = K (A_1 - A_2) + K (V_1 x V_2) - e . (w x u),   the last term for linear rows only,
//
// with w the angular part of V and u = V_lin + w x x. Seen from body 1, V_2 changes by A_2 - V_1 x V_2, and x
// by -u. Exact whatever the gap. The row acts on body 1 by K and on body 2 by -K, along one line: above the
// nearest common ancestor of the bodies the forces cancel, and gravity cancels in A_1 - A_2.
//
// The relative pose is computed along both paths from that ancestor and not through the world: no digits are
// lost far from the origin.
#pragma once

#include "kernels/joint/rotation_error.hpp"
#include "kernels/tree/articulated_body.hpp"

namespace tenon {
TENON_ISA_BEGIN

// X_ancestor_i from the joint transforms on the path.
template <class T>
inline Transform<Rot3<T>, T> pose_in_ancestor(const ModelData& m, int i, int ancestor,
                                              const WorkspaceData<T>& w) {
  const T o(0), e(1);
  Mat3<T> R{e, o, o, o, e, o, o, o, e};
  Vec3<T> p{o, o, o};
  for (; i != ancestor; i = m.nodes[i].parent) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      const auto X = decltype(joint)::load(n, i, w);
      const Vec3<T> x = rotate(X.R, Vec3<T>{R.xx, R.yx, R.zx}), y = rotate(X.R, Vec3<T>{R.xy, R.yy, R.zy}),
                    z = rotate(X.R, Vec3<T>{R.xz, R.yz, R.zz});
      R = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
      p = rotate(X.R, p) + X.p;
    });
  }
  return {{R}, p};
}

// Calls f(axis, K, linear) for the rows of a frame with origin p: first those of angular acceleration. R: of the frame in
// the body, row by row, R0: the world rotation of the body.
template <class T, class N, class F>
TENON_INLINE void for_rows_of_frame(const ConstraintItem& item, const N* R, const Mat3<T>& R0,
                                    const Vec3<T>& p, F&& f) {
  const T o(0);
  const auto axis = [&](int j) -> Vec3<T> {
    if (!item.world_axes) return {T(R[j]), T(R[3 + j]), T(R[6 + j])};
    return j == 0   ? Vec3<T>{R0.xx, R0.xy, R0.xz}
           : j == 1 ? Vec3<T>{R0.yx, R0.yy, R0.yz}
                    : Vec3<T>{R0.zx, R0.zy, R0.zz};
  };
  for (int j = 0; j < 3; ++j) {
    if (!(item.rows >> j & 1u)) continue;
    const Vec3<T> e = axis(j);
    f(e, Force<T>{e, {o, o, o}}, Int<0>{});
  }
  for (int j = 0; j < 3; ++j) {
    if (!(item.rows >> (3 + j) & 1u)) continue;
    const Vec3<T> e = axis(j);
    f(e, Force<T>{cross(p, e), e}, Int<1>{});
  }
}

// Quantities shared by the rows of a closure; all in coordinates of body 1.
template <class T>
struct ClosureState {
  Transform<Rot3<T>, T> X;   // X_1_2 of the bodies
  Vec3<T> x;                 // origin of frame 2
  Motion<T> V;               // V_1 - V_2
  Vec3<T> gamma_w, gamma_v;  // velocity-product accelerations, angular and linear
  Vec3<T> error_w, error_v;  // position errors
};

// The shortest rotation that takes axis K of one frame to axis K of the other.
template <int K, class T>
inline Vec3<T> swing_of_axis(const Mat3<T>& from, const Mat3<T>& to) {
  return swing(axis_of<K>(from), axis_of<K>(to), axis_of<(K + 1) % 3>(to));
}

template <class T>
inline ClosureState<T> closure_state(const ModelData& m, const ConstraintItem& item, bool with_errors,
                                     const WorkspaceData<T>& w) {
  ClosureState<T> s;
  const Transform<Rot3<T>, T> a = pose_in_ancestor(m, item.first, item.meet, w);
  const Transform<Rot3<T>, T> b = pose_in_ancestor(m, item.second, item.meet, w);
  s.X = {{transpose(a.R.R) * b.R.R}, unrotate(a.R, b.p - a.p)};
  s.x = s.X.p + s.X.R.R * load_vec3<T>(item.p2);

  const T o(0);
  const Motion<T> rest{{o, o, o}, {o, o, o}};
  const Motion<T> V_1 = item.first < 0 ? rest : load_motion<T>(w.v + 6 * item.first);
  const Motion<T> V_2 = item.second < 0 ? rest : motion_to_parent(s.X, load_motion<T>(w.v + 6 * item.second));
  s.V = V_1 - V_2;
  const Motion<T> turn = cross(V_1, V_2);
  s.gamma_w = turn.w;
  s.gamma_v = turn.v + cross(turn.w, s.x) - cross(s.V.w, s.V.v + cross(s.V.w, s.x));

  s.error_w = s.error_v = {o, o, o};
  if (!with_errors) return s;
  const Mat3<T> R_1 = load_mat3<T>(item.R), R_2 = s.X.R.R * load_mat3<T>(item.R2);
  s.error_v = load_vec3<T>(item.p) - s.x;
  switch (item.rows & 7u) {
    case 0:
      break;
    case 6:
      s.error_w = swing_of_axis<0>(R_2, R_1);
      break;
    case 5:
      s.error_w = swing_of_axis<1>(R_2, R_1);
      break;
    case 3:
      s.error_w = swing_of_axis<2>(R_2, R_1);
      break;
    default:
      s.error_w = rotation_vector(R_1 * transpose(R_2));
  }
  return s;
}

// Rows of packs are all computed, and cleared in some lanes then (leave_rows_out).
template <class N, class S>
TENON_INLINE bool is_active(const ConstraintDataOf<N, S>& c, int r) {
  if constexpr (is_pack<S>)
    return true;
  else
    return c.active[r] != 0;
}
// K := 0 in the lanes where a row is not active; with_forces: the right-hand side too, so that the multiplier is zero.
template <bool with_forces, class N, class T>
inline void leave_rows_out(const ConstraintDataOf<N, T>& c, WorkspaceData<T>& w) {
  if (!c.some_inactive) return;
  for (int r = 0; r < c.row_count; ++r) {
    for (int e = 6 * r; e < 6 * r + 6; ++e) w.K[e] = c.active[r] * w.K[e];
    if (with_forces) w.k[r] = c.active[r] * w.k[r];
  }
}

// Sets an inactive row and its right-hand side to zero, so that its multiplier is zero.
template <class T>
TENON_INLINE void clear_row(int r, WorkspaceData<T>& w) {
  const T o(0);
  store(w.K + 6 * r, Force<T>{{o, o, o}, {o, o, o}});
  w.row_gamma[r] = w.row_error[r] = w.row_velocity[r] = w.k[r] = o;
}

// One row: K on the body, or on both where both move; its velocity, error and right-hand side.
template <class T, class Rows>
TENON_INLINE void place_closure_row(const Rows& c, int index, const ClosureState<T>& s, int j,
                                    const Force<T>& K, const T& gamma, const T& error, WorkspaceData<T>& w) {
  const T o(0);
  const auto& item = c.items[index];
  const int r = item.row_begin + j;
  const Force<T> none{{o, o, o}, {o, o, o}};
  const Force<T> K_2 = none - force_to_child(s.X, K);
  const bool two = item.side_row >= 0;
  if (!is_active(c, r)) {
    for (int side = 0; two && side < 2; ++side) store(w.side_K + 12 * (item.side_row + j) + 6 * side, none);
    clear_row(r, w);
    return;
  }
  const Force<T> single = two || item.first == item.second ? none : item.first < 0 ? K_2 : K;
  if (two) {
    store(w.side_K + 12 * (item.side_row + j), K);
    store(w.side_K + 12 * (item.side_row + j) + 6, K_2);
  }
  store(w.K + 6 * r, single);
  const T velocity = item.first == item.second ? o : dot(s.V, K);
  w.row_gamma[r] = gamma;
  w.row_error[r] = error;
  w.row_velocity[r] = velocity;
  const T omega(c.gains[2 * index]), zeta(c.gains[2 * index + 1]);
  const T wanted = w.desired[r] - (T(2) * zeta * omega) * velocity - omega * omega * error;
  w.k[r] = wanted - gamma;
  if (!two) w.k[r] = w.k[r] - dot(single.f, load_vec3<T>(w.gs + 3 * item.node));
}

template <class T, class Rows>
inline void evaluate_closure(const ModelData& m, const Rows& c, int index, WorkspaceData<T>& w) {
  const auto& item = c.items[index];
  const ClosureState<T> s = closure_state(m, item, c.poses == ConstraintPoses::with_errors, w);
  int row = 0;
  for_rows_of_frame(item, item.R, Mat3<T>{}, s.x, [&](const Vec3<T>& e, const Force<T>& K, auto linear) {
    place_closure_row(c, index, s, row++, K, dot(e, linear.value ? s.gamma_v : s.gamma_w),
                      dot(e, linear.value ? s.error_v : s.error_w), w);
  });
}

// K a' of inter-body rows.
template <class T, class Item>
inline void inter_body_accelerations(const Item& item, WorkspaceData<T>& w) {
  const Motion<T> a_1 = load_motion<T>(w.a + 6 * item.first), a_2 = load_motion<T>(w.a + 6 * item.second);
  for (int j = 0; j < item.row_count; ++j) {
    const T* sides = w.side_K + 12 * (item.side_row + j);
    w.Ka[item.row_begin + j] = dot(a_1, load_force<T>(sides)) + dot(a_2, load_force<T>(sides + 6));
  }
}

TENON_ISA_END
}  // namespace tenon
