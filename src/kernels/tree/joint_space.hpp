// State of the methods in joint space: tau - c, J and right-hand side of the constraint rows, inertias for
// CRBA.
//
// One outward and one inward sweep, both in the root frame (root_frame_poses.hpp): there vectors of different
// bodies add up without transforms, and bias forces (RNEA, [RBDA] Table 5.1) use the same inertias as CRBA.
// Outward, with S qd taken from the columns of S:
//   v_i = v_p + S qd,  a_i = a_p + v_i x S qd,  f_i = I_i a_i + v_i x* I_i v_i - f_ext,  a_0 = -gravity
// Inward: f_p += f_i,  tau - c = tau - S^T f.
//
// J^T is stored by coordinates: row k holds the constraint rows of the subtree of k. These are contiguous
// (ConstraintData), so that products with J use the sparsity of the tree in whole packs of rows. Row k has
// whole_packs(rows) places; places in its packs that are not its own rows are zero. Inter-body rows widen the
// range of the coordinates on their two paths; rows in a range that the coordinate does not move are zero.
#pragma once

#include "kernels/constrained/constraint_rows.hpp"
#include "kernels/tree/crba.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A spatial vector as two packs with their components in lanes; the world's slot is body -1.
template <class T>
struct PackedMotion {
  Lanes<T> w, v;
};
template <class T>
TENON_INLINE PackedMotion<T> load_packed(const T* field, int i) {
  return {Lanes<T>::load(field + 8 * i), Lanes<T>::load(field + 8 * i + 4)};
}
template <class T>
TENON_INLINE void store_packed(T* field, int i, const PackedMotion<T>& m) {
  m.w.store(field + 8 * i), m.v.store(field + 8 * i + 4);
}
template <class T>
TENON_INLINE Motion<T> load_body_motion(const T* field, int i) {
  return {load_vec3<T>(field + 8 * i), load_vec3<T>(field + 8 * i + 4)};
}
// a x b.
template <class T>
TENON_INLINE PackedMotion<T> cross_packed(const PackedMotion<T>& a, const PackedMotion<T>& b) {
  return {cross_components(a.w, b.w), cross_components(a.w, b.v) + cross_components(a.v, b.w)};
}
// Gathers in lanes the vectors load(0) to load(W - 1).
template <int W = 4, class Load>
TENON_INLINE auto gather_packed(const Load& load) {
  const auto w = gather<W>([&](int l) { return load(l).w; }), v = gather<W>([&](int l) { return load(l).v; });
  return Motion<std::decay_t<decltype(w.x)>>{w, v};
}
// Those of bodies i to i + W - 1.
template <int W = 4, class T>
TENON_INLINE Motion<Lanes<T, W>> gather_motion(const T* field, int i) {
  return gather_packed<W>([&](int l) { return load_packed(field, i + l); });
}
// The body that coordinate k moves first; of the places behind the last coordinate too.
template <class T>
TENON_INLINE int body_of_dof(int k, const WorkspaceData<T>& w) {
  return static_cast<int>(static_cast<unsigned>(w.axis_place[k]) / 16);
}
// The same for the bodies of coordinates k to k + W - 1.
template <int W = 4, class T>
TENON_INLINE Motion<Lanes<T, W>> gather_of_dofs(const T* field, int k, const WorkspaceData<T>& w) {
  return gather_packed<W>([&](int l) { return load_packed(field, body_of_dof(k + l, w)); });
}
// Stores the vectors of bodies i to i + W - 1.
template <class T, int W>
TENON_INLINE void scatter_motion(T* field, int i, const Motion<Lanes<T, W>>& x) {
  scatter(x.w, [&](int l, const Lanes<T>& part) { part.store(field + 8 * (i + l)); });
  scatter(x.v, [&](int l, const Lanes<T>& part) { part.store(field + 8 * (i + l) + 4); });
}

// S v of body i.
template <class T>
TENON_INLINE PackedMotion<T> joint_velocity(const ModelData& m, int i, const T* v,
                                            const WorkspaceData<T>& w) {
  Lanes<T> turning(T(0)), moving(T(0));
  for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
    const Lanes<T> axis = Lanes<T>::load(w.pose + w.axis_place[k]);
    turning = turning + Lanes<T>(w.angular_sign[k] * v[k]) * axis;
    moving = moving + Lanes<T>(w.linear_sign[k] * v[k]) * axis;
  }
  return {turning, cross_components(Lanes<T>::load(w.pose + 16 * i + 12), turning) + moving};
}

// Minus gravity in the root frame of the tree with this root.
template <class T>
TENON_INLINE Vec3<T> acceleration_at_rest(const ModelData& m, int root, const WorkspaceData<T>& w) {
  const Vec3<T> up = -load_vec3<T>(w.gravity);
  return m.nodes[root].kind == joint_floating ? unrotate(FloatingJoint::load(m.nodes[root], root, w).R, up)
                                              : up;
}
template <class T>
TENON_INLINE Lanes<T> packed_acceleration_at_rest(const ModelData& m, int root, const WorkspaceData<T>& w) {
  const Vec3<T> a = acceleration_at_rest(m, root, w);
  const T packed[4] = {a.x, a.y, a.z, T(0)};
  return Lanes<T>::load(packed);
}

template <class T>
TENON_INLINE PackedMotion<T> add_scaled(const PackedMotion<T>& sum, const T& x, const PackedMotion<T>& a) {
  const Lanes<T> scale(x);
  return {sum.w + scale * a.w, sum.v + scale * a.v};
}

// Motion of all bodies where joints accelerate by a, null: not at all, and the columns of S.
template <class T>
inline void sweep_motion(const ModelData& m, const T* q, const T* v, const T* a, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  place_bodies(m, q, w);
  place_subspaces(m, w);
  const Lanes<T> zero(T(0));
  const PackedMotion<T> rest = {zero, zero};
  store_packed(w.vw, -1, rest);
  const T up[4] = {-w.gravity[0], -w.gravity[1], -w.gravity[2], T(0)};
  store_packed(w.aw, -1, {zero, Lanes<T>::load(up)});
  PackedMotion<T> vi = rest, ai = rest;  // along a chain they stay in registers
  const T *const pose = w.pose, *const angular = w.angular_sign, *const linear = w.linear_sign;
  const std::int32_t* const axis_place = w.axis_place;
  T *const velocities = w.vw, *const accelerations = w.aw;
  int k = 0;
  for (int i = 0; i < m.node_count; ++i) {
    const int parent = m.nodes[i].parent, end = end_of_dofs(m, i);
    if (parent < 0)
      vi = rest, ai = {zero, packed_acceleration_at_rest(m, i, w)};
    else if (parent != i - 1)
      vi = load_packed(velocities, parent), ai = load_packed(accelerations, parent);
    const Lanes<T> p = Lanes<T>::load(pose + 16 * i + 12);
    PackedMotion<T> rate = rest;
    const auto add_coordinate = [&]() TENON_INLINE_LAMBDA {
      const Lanes<T> axis = Lanes<T>::load(pose + axis_place[k]), turning = Lanes<T>(angular[k]) * axis;
      const PackedMotion<T> S = {turning, cross_components(p, turning) + Lanes<T>(linear[k]) * axis};
      rate = add_scaled(rate, v[k], S);
      if (a) ai = add_scaled(ai, a[k], S);
      ++k;
    };
    add_coordinate();  // most joints have no more
    while (k < end) add_coordinate();
    // rate x rate is zero.
    const PackedMotion<T> turned = cross_packed(vi, rate);
    vi = {vi.w + rate.w, vi.v + rate.v};
    ai = {ai.w + turned.w, ai.v + turned.v};
    store_packed(velocities, i, vi), store_packed(accelerations, i, ai);
  }
}

// Inertias of bodies i to i + W - 1, unless those of subtrees are there, and the forces that move them. Calls each(i, I, v) with
// inertias and velocities.
template <int W, bool summed = false, class T, class Each>
TENON_INLINE void place_forces_of_bodies(int i, WorkspaceData<T>& w, const Each& each) {
  using L = Lanes<T, W>;
  const RigidInertia<L> I = body_inertias<W>(i, w);
  if (!summed) store_inertias(i, I, w);
  const Motion<L> v = gather_motion<W>(w.vw, i);
  const Force<L> f = I * gather_motion<W>(w.aw, i) + velocity_product(I, v);
  scatter_motion(w.fw, i, Motion<L>{f.n, f.f});
  each(i, I, v);
}
// Takes off what external wrenches do.
template <class T>
inline void take_off_wrenches(const ModelData& m, const T* wrenches, WorkspaceData<T>& w) {
  if (!wrenches) return;
  for (int i = 0; i < m.node_count; ++i) {
    const PackedPose<T> X = load_pose(w, i);
    const Force<T> wrench = load_force<T>(wrenches + 6 * i);
    const PackedMotion<T> f = load_packed(w.fw, i);
    const Lanes<T> force = rotate(X, wrench.f);
    store_packed(w.fw, i, {f.w - (rotate(X, wrench.n) + cross_components(X.p, force)), f.v - force});
  }
}

// Those of all bodies, as many at a time as wide lanes hold.
template <class T, class Each>
inline void place_body_forces(const ModelData& m, const T* wrenches, WorkspaceData<T>& w, const Each& each) {
  for (int i = 0; i < m.node_count; i += wide_count<T>) place_forces_of_bodies<wide_count<T>>(i, w, each);
  take_off_wrenches(m, wrenches, w);
}

template <class T>
inline void place_body_forces(const ModelData& m, const T* wrenches, WorkspaceData<T>& w) {
  place_body_forces(m, wrenches, w, [](int, const auto&, const auto&) {});
}

template <class T>
inline void sweep_joint_forces(const ModelData& m, const T* tau, WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  sum_over_subtrees<2>(m, w.fw);
  for (int k = 0; k < m.nv; k += 4) {
    const Motion<Lanes<T>> f = gather_of_dofs(w.fw, k, w);
    const Lanes<T> c_force = dot(load_motions(w.S_root + k, stride), Force<Lanes<T>>{f.w, f.v});
    const int count = m.nv - k < 4 ? m.nv - k : 4;
    for (int l = 0; l < count; ++l) w.joint_force[k + l] = tau[k + l] - c_force.x[l];
  }
}

// Pose of body i in the world, from the pose of its tree's root frame and its pose in that frame.
template <class T>
TENON_INLINE Transform<Rot3<T>, T> world_pose(const ModelData& m, int i, const WorkspaceData<T>& w) {
  const Transform<Rot3<T>, T> X = root_pose(w, i);
  if (i < 0) return X;
  const int root = w.root_node[i];
  const NodeData& n = m.nodes[root];
  if (n.kind == joint_floating) {
    const Transform<Rot3<T>, T> frame = FloatingJoint::load(n, root, w);
    return {{frame.R.R * X.R.R}, frame.p + frame.R.R * X.p};
  }
  Vec3<T> origin{};
  with_joint(n, [&](auto joint) { origin = decltype(joint)::load(n, root, w).p; });
  return {X.R, origin + X.p};
}

// What evaluate_item and evaluate_closure read of node i, in its body frame.
template <class T>
inline void place_supporting_body(const ModelData& m, int i, WorkspaceData<T>& w) {
  store(w.v + 6 * i, motion_to_child(root_pose(w, i), load_body_motion(w.vw, i)));
  const Transform<Rot3<T>, T> X = world_pose(m, i, w);
  store(w.gs + 3 * i, unrotate(X.R, load_vec3<T>(w.gravity)));
  store(w.Rs + 9 * i, X.R.R);
  store(w.ps + 3 * i, X.p);
}

// Column r of Kw.
template <class T>
TENON_INLINE void store_world_row(const Force<T>& K, int r, int stride, WorkspaceData<T>& w) {
  T* Kw = w.Kw + r;
  Kw[0] = K.n.x, Kw[stride] = K.n.y, Kw[2 * stride] = K.n.z;
  Kw[3 * stride] = K.f.x, Kw[4 * stride] = K.f.y, Kw[5 * stride] = K.f.z;
}

// Inter-body rows: Kw is zero for the body they are numbered with; the two sides go to side_Kw.
template <class T>
inline void place_inter_body(const ConstraintItem& item, int stride, WorkspaceData<T>& w) {
  const int bodies[2] = {item.first, item.second};
  for (int j = 0; j < item.row_count; ++j) {
    const int r = item.row_begin + j;
    store_world_row(Force<T>{}, r, stride, w);
    w.row_rhs[r] = w.k[r];
    for (int side = 0; side < 2; ++side) {
      const std::int64_t place = std::int64_t{12} * (item.side_row + j) + 6 * side;
      const Force<T> K = force_to_parent(root_pose(w, bodies[side]), load_force<T>(w.side_K + place));
      store(w.side_Kw + place, K);
      w.row_rhs[r] = w.row_rhs[r] - dot(load_body_motion(w.aw, bodies[side]), K);
    }
  }
}

// The constraint rows: Kw, and row_rhs in J qdd = row_rhs.
template <class T>
inline void place_constraint_rows(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    const int i = item.node;
    if (item.closure) {
      place_supporting_body(m, item.first, w);
      place_supporting_body(m, item.second, w);
      evaluate_closure(m, c, index, w);
    } else {
      if (index == 0 || c.items[index - 1].node != i || c.items[index - 1].closure)
        place_supporting_body(m, i, w);
      evaluate_item(c, index, w);
    }
    if (item.side_row >= 0) {
      place_inter_body(item, stride, w);
      continue;
    }
    const Transform<Rot3<T>, T> X = root_pose(w, i);
    const Motion<T> a = load_body_motion(w.aw, i);
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
      const Force<T> K = force_to_parent(X, load_force<T>(w.K + 6 * r));
      w.row_rhs[r] = w.k[r] - dot(a, K);
      store_world_row(K, r, stride, w);
    }
  }
  for (int e = 0; e < 6; ++e)
    for (int r = c.row_count; r < stride; ++r) w.Kw[e * stride + r] = T(0);
}

// Constraint rows that coordinate k may move: those of its subtree and inter-body ones. pack: start of their
// first pack.
struct RowRange {
  int begin, end;
  TENON_INLINE int pack() const { return begin < end ? begin / 4 * 4 : end; }
};
TENON_INLINE RowRange rows_of_subtree(const ModelData& m, const ConstraintData& c, int k) {
  const int i = m.v_node[k];
  return {c.moved_begin[i], c.moved_end[i]};
}

// The end of the consecutive coordinates, from k on, that have the same rows.
TENON_INLINE int end_of_same_rows(const ModelData& m, const ConstraintData& c, int k) {
  const RowRange rows = rows_of_subtree(m, c, k);
  for (++k; k < m.nv; ++k) {
    const RowRange other = rows_of_subtree(m, c, k);
    if (other.begin != rows.begin || other.end != rows.end) break;
  }
  return k;
}

// Calls each(i, k) for the coordinates k that rows may move, counted by i. Returns how many there are.
template <class Each>
TENON_INLINE int for_moved_coordinates(const ModelData& m, const ConstraintData& c, const Each& each) {
  int count = 0;
  for (int k = 0; k < m.nv; ++k) {
    const RowRange rows = rows_of_subtree(m, c, k);
    if (rows.begin < rows.end) each(count++, k);
  }
  return count;
}

// The entries of inter-body rows in J^T: their sides, on the coordinates of the two paths.
template <class T>
inline void transposed_inter_body_rows(const ModelData& m, const ConstraintData& c, T* JT,
                                       const WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  for (int index = 0; index < c.inter_body_count; ++index) {
    const ConstraintItem& item = c.items[c.inter_body[index]];
    const int bodies[2] = {item.first, item.second};
    for (int side = 0; side < 2; ++side) {
      for (int i = bodies[side]; i != item.meet; i = m.nodes[i].parent) {
        for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
          const Motion<T> S = load_dof_motion(w.S_root + k, dof_stride(m));
          for (int j = 0; j < item.row_count; ++j)
            JT[static_cast<std::int64_t>(k) * stride + item.row_begin + j] =
                dot(S, load_force<T>(w.side_Kw + 12 * (item.side_row + j) + 6 * side));
        }
      }
    }
  }
}

// J^T: J_rk = K_r S_k.
template <class T>
inline void transposed_jacobian(const ModelData& m, const ConstraintData& c, T* JT,
                                const WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count), dofs = dof_stride(m);
  const auto own_rows = [&](int k) {
    return RowRange{c.node_row_first[m.v_node[k]], c.subtree_row_end[m.v_node[k]]};
  };
  for (int first = 0, last; first < m.nv; first = last) {
    const RowRange moved = rows_of_subtree(m, c, first), own = own_rows(first);
    // Coordinates with the same rows.
    const int most = end_of_same_rows(m, c, first);
    for (last = first + 1; last < most; ++last) {
      const RowRange other = own_rows(last);
      if (other.begin != own.begin || other.end != own.end) break;
    }
    if (moved.begin == moved.end && own.begin == own.end) continue;
    for (int r = own.pack(); r < own.end; r += 4) {
      const Force<Lanes<T>> K = load_rows(w.Kw + r, stride);
      for (int k = first; k < last; ++k)
        dot(spread(load_dof_motion(w.S_root + k, dofs)), K)
            .store(JT + static_cast<std::int64_t>(k) * stride + r);
    }
    const bool none = own.begin == own.end;
    const int behind = none ? moved.end : own.end, end = whole_packs(moved.end),
              before = none ? moved.end : own.begin;
    for (int k = first; k < last && moved.begin < moved.end; ++k) {
      T* const row = JT + static_cast<std::int64_t>(k) * stride;
      for (int r = moved.pack(); r < before; ++r) row[r] = T(0);
      for (int r = behind; r < end; ++r) row[r] = T(0);
    }
  }
  transposed_inter_body_rows(m, c, JT, w);
}

// x += A^T y and y += A x for A stored as J^T is, x over coordinates and y over rows. Entries of packs that
// are not a row's own must be finite.
template <class T>
inline void add_transposed_rows(const ModelData& m, const ConstraintData& c, const T* A, const T* y, T* x) {
  const int stride = whole_packs(c.row_count);
  for (int first = 0, last; first < m.nv; first = last) {
    last = end_of_same_rows(m, c, first);
    const RowRange rows = rows_of_subtree(m, c, first);
    if (rows.begin == rows.end) continue;
    for (int k = first; k < last; k += 4) {  // behind the last coordinate that one again
      const T* line[4];
      for (int j = 0; j < 4; ++j) line[j] = A + std::int64_t{k + j < last ? k + j : last - 1} * stride;
      Lanes<T> sum[4] = {Lanes<T>(T(0)), Lanes<T>(T(0)), Lanes<T>(T(0)), Lanes<T>(T(0))};
      for (int r = rows.pack(); r < rows.end; r += 4) {
        const Lanes<T> at = Lanes<T>::load(y + r);
        for (int j = 0; j < 4; ++j) sum[j] = sum[j] + Lanes<T>::load(line[j] + r) * at;
      }
      transpose(sum[0], sum[1], sum[2], sum[3]);
      const Lanes<T> all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      for (int j = 0; j < 4 && k + j < last; ++j) x[k + j] = x[k + j] + all.x[j];
    }
  }
}
template <class T>
inline void add_rows(const ModelData& m, const ConstraintData& c, const T* A, const T* x, T* y) {
  const int stride = whole_packs(c.row_count);
  for (int first = 0, last; first < m.nv; first = last) {
    last = end_of_same_rows(m, c, first);
    const RowRange rows = rows_of_subtree(m, c, first);
    for (int r = rows.pack(); r < rows.end; r += 4) {
      Lanes<T> sum = Lanes<T>::load(y + r);
      for (int k = first; k < last; ++k)
        sum = sum + Lanes<T>(x[k]) * Lanes<T>::load(A + static_cast<std::int64_t>(k) * stride + r);
      sum.store(y + r);
    }
  }
}

// The first step of all methods in joint space; leaves Ic for crba_rows.
template <class T>
void joint_space_state(const ModelData& m, const ConstraintData& c, const Inputs<T>& in,
                       WorkspaceData<T>& w) {
  sweep_motion(m, in.q, in.v, m.cluster_count > 0 ? w.g : nullptr, w);
  place_body_forces(m, in.wrenches, w);
  place_constraint_rows(m, c, w);
  sweep_joint_forces(m, in.tau, w);
}

TENON_ISA_END
}  // namespace tenon
