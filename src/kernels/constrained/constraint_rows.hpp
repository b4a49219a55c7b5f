// Constraint rows at a state: K (rows x 6, body frame) and the right-hand side k, so that the constraint
// reads K a' = k, where a' is the body's spatial acceleration minus gravity, as in the sweeps ([CABA] Eq. 22,
// 23c).
//
// A row of a point or weld is an axis e (body coordinates) applied to the angular acceleration, or to the
// classical acceleration of the frame origin p: e . (a_lin + alpha x p + w x (v_lin + w x p)). Stabilisation
// (Baumgarte 1972) adds -2 zeta omega (row velocity) - omega^2 (row error) to the desired acceleration.
// Closures of two links: closure_rows.hpp.
#pragma once

#include "kernels/constrained/closure_rows.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Gravity in the frames of the nodes that carry constraints, and their world poses where a row needs them.
template <class T, class Model, class Rows>
inline void sweep_support_poses(const Model& m, const Rows& c, WorkspaceData<T>& w) {
  const T o(0), e(1);
  store(w.gs - 3, load_vec3<T>(w.gravity));
  store(w.Rs - 9, Mat3<T>{e, o, o, o, e, o, o, o, e});
  store(w.ps - 3, Vec3<T>{o, o, o});
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const auto X = J::load(n, i, w);
      store(w.gs + 3 * i, unrotate(X.R, load_vec3<T>(w.gs + 3 * n.parent)));
      if (c.poses == ConstraintPoses::none) return;
      const Mat3<T> R = load_mat3<T>(w.Rs + 9 * n.parent);
      store(w.Rs + 9 * i, compose(R, X.R));
      store(w.ps + 3 * i, load_vec3<T>(w.ps + 3 * n.parent) + R * X.p);
    });
  }
}

// Errors of the frame of an item relative to its anchor, in coordinates of its body, whose rotation and origin are R0 and
// `origin`.
template <class T>
struct FrameErrors {
  Vec3<T> turned{}, moved{};
};
template <class T, class Rows>
inline FrameErrors<T> frame_errors(const Rows& c, int index, const Mat3<T>& R0, const Vec3<T>& origin) {
  const auto *frame = c.frames + 12 * index, *anchor = c.anchors + 12 * index;
  FrameErrors<T> error;
  error.moved = transpose_times(R0, origin + R0 * load_vec3<T>(frame + 9) - load_vec3<T>(anchor + 9));
  if (c.items[index].rows & 7u)  // which costs as much as the rest in packs, lane by lane
    error.turned =
        transpose_times(R0, rotation_vector((R0 * load_mat3<T>(frame)) * transpose(load_mat3<T>(anchor))));
  return error;
}

// One item. index: its number.
template <class T, class Rows>
inline void evaluate_item(const Rows& c, int index, WorkspaceData<T>& w) {
  const auto& item = c.items[index];
  const int i = item.node;
  const Motion<T> v = load_motion<T>(w.v + 6 * i);
  const Mat3<T> R0 = load_mat3<T>(w.Rs + 9 * i);
  const Vec3<T> gravity = load_vec3<T>(w.gs + 3 * i);
  const auto* frame = c.frames + 12 * index;
  const Vec3<T> p = load_vec3<T>(frame + 9);
  const Vec3<T> point_velocity = v.v + cross(v.w, p);
  const Vec3<T> centripetal = cross(v.w, point_velocity);

  const T omega(c.gains[2 * index]), zeta(c.gains[2 * index + 1]);
  FrameErrors<T> errors;
  if (c.poses == ConstraintPoses::with_errors && item.custom < 0)
    errors = frame_errors(c, index, R0, load_vec3<T>(w.ps + 3 * i));

  int r = item.row_begin;
  const auto finish = [&](const Force<T>& K, const T& gamma, const T& error) {
    if (!is_active(c, r)) {
      clear_row(r++, w);
      return;
    }
    const T velocity = dot(v, K);
    store(w.K + 6 * r, K);
    w.row_gamma[r] = gamma;
    w.row_error[r] = error;
    w.row_velocity[r] = velocity;
    const T wanted = w.desired[r] - (T(2) * zeta * omega) * velocity - omega * omega * error;
    w.k[r] = wanted - gamma - dot(K.f, gravity);
    ++r;
  };
  if (item.custom >= 0) {
    for (int j = 0; j < item.row_count; ++j) {
      finish(load_force<T>(c.custom + 6 * (item.custom + j)), T(0), T(0));
    }
    return;
  }
  for_rows_of_frame(item, frame, R0, p, [&](const Vec3<T>& e, const Force<T>& K, auto linear) {
    finish(K, linear.value ? dot(e, centripetal) : T(0), dot(e, linear.value ? errors.moved : errors.turned));
  });
}

// All rows. Needs velocities and joint transforms (sweep_velocities).
template <class T, class Rows = ConstraintData>
inline void evaluate_constraint_rows(const ModelData& m, const Rows& c, WorkspaceData<T>& w) {
  sweep_support_poses(m, c, w);
  for (int index = 0; index < c.item_count; ++index) {
    if (c.items[index].closure)
      evaluate_closure(m, c, index, w);
    else
      evaluate_item(c, index, w);
  }
}

// K a' of every row.
template <class T, class Rows>
inline void constraint_accelerations(const Rows& c, WorkspaceData<T>& w) {
  for (int index = 0; index < c.item_count; ++index) {
    const auto& item = c.items[index];
    if (item.side_row >= 0) {
      inter_body_accelerations(item, w);
      continue;
    }
    const Motion<T> a = load_motion<T>(w.a + 6 * item.node);
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r)
      w.Ka[r] = dot(a, load_force<T>(w.K + 6 * r));
  }
}

// Row r of J: J_rk = S_k^T f on the path from node i inward to node `end`, f the row's force in the frame of
// k's body.
template <class T>
inline void carry_row(const ModelData& m, int i, int end, Force<T> f, T* row, int ld,
                      const WorkspaceData<T>& w) {
  for (; i != end; i = m.nodes[i].parent) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using Joint = decltype(joint);
      for_each_column<Joint, T>(n, [&](auto d, auto S) {
        const int k = n.v_index + d.value;
        row[static_cast<std::int64_t>(k) * ld] = T(m.v_sign[k]) * dot(S, f);
      });
      f = force_to_parent(Joint::load(n, i, w), f);
    });
  }
}

// J, rows (user's order) x nv, column-major with leading dimension ld.
template <class T>
void constraint_jacobian(const ModelData& m, const ConstraintData& c, T* J, int ld, WorkspaceData<T>& w) {
  if (m.nv == 0) return;  // J has no entries, and may be null
  for (int k = 0; k < m.nv; ++k)
    for (int r = 0; r < c.row_count; ++r) J[r + static_cast<std::int64_t>(k) * ld] = T(0);
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    for (int j = 0; j < item.row_count; ++j) {
      const int r = item.row_begin + j;
      T* row = J + c.user_row[r];
      if (item.side_row < 0) {
        carry_row(m, item.node, -1, load_force<T>(w.K + 6 * r), row, ld, w);
        continue;
      }
      const T* sides = w.side_K + 12 * (item.side_row + j);
      carry_row(m, item.first, item.meet, load_force<T>(sides), row, ld, w);
      carry_row(m, item.second, item.meet, load_force<T>(sides + 6), row, ld, w);
    }
  }
}

// rhs of J qdd = rhs: k minus the row accelerations at qdd = 0. Overwrites the accelerations of the
// supporting nodes.
template <class T>
void constraint_right_hand_side(const ModelData& m, const ConstraintData& c, const T* v, T* rhs,
                                WorkspaceData<T>& w) {
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      T rate[J::nv];
      load_rate<J>(n, v, rate);
      store(w.a + 6 * i, motion_to_child(J::load(n, i, w), load_motion<T>(w.a + 6 * n.parent)) +
                             velocity_product_acceleration<J>(n, load_motion<T>(w.v + 6 * i), rate));
    });
  }
  constraint_accelerations(c, w);
  for (int r = 0; r < c.row_count; ++r) rhs[r] = w.k[r] - w.Ka[r];
}

TENON_ISA_END
}  // namespace tenon
