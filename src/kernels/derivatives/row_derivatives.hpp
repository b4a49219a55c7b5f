// First derivatives of the equations of motion with constraint rows, at their solution qdd, lambda: of
//
//   r(q, v) = ID(q, v, qdd) - J^T lambda - external,   s(q, v) = J qdd + gamma - k
//
// with qdd and lambda held. The forces of rows are external wrenches that turn with their bodies (rnea_derivatives.hpp);
// what else they do is added here. s: row_gradients.hpp.
//
// Where a body moves by theta, its force F = [n at p; f] of rows along axes of the world changes, as the body sees it,
// by [n x theta_w + p x (f x theta_w); f x theta_w]. That of a closure changes with the difference theta of the motions
// of its bodies: on body 1 by [dx x f; 0] with dx = - (theta_v + theta_w x x), x the origin of frame 2, and on body 2 by
// the opposite of that and of theta x* F; those of embedded loops on body 1 also by [M theta_w; 0], as their axes turn, with
// M the sum of lambda n_theta (loop_turn_gradients.hpp).
// O(n m d), and O(d^2) for each such item.
#pragma once

#include "kernels/derivatives/rnea_derivatives.hpp"
#include "kernels/derivatives/row_gradients.hpp"

namespace tenon {
TENON_ISA_BEGIN

// An item whose force changes as its bodies move. In axes of body `first`.
template <class T>
struct BentForce {
  int first, second;  // bodies, -1: none or the world
  int meet;           // their nearest common ancestor, for one body -1
  bool closure;
  Force<T> F;                         // on body `first`
  Vec3<T> x;                          // p, or the origin of frame 2
  Mat3<T> M;                          // zero but for embedded loops
  Transform<Rot3<T>, T> X, X_1, X_2;  // X_first_second, and the poses in their root frames

  // As bodies see it: changes of the forces on both.
  TENON_INLINE void changes(const Motion<T>& theta, Force<T>& on_first, Force<T>& on_second) const {
    if (!closure) {
      const Vec3<T> f = cross(F.f, theta.w), n = F.n - cross(x, F.f);
      on_first = {cross(n, theta.w) + cross(x, f), f};
      return;
    }
    const Vec3<T> dx = -(theta.v + cross(theta.w, x));
    on_first = {cross(dx, F.f) + M * theta.w, Vec3<T>{}};
    on_second = force_to_child(X, Force<T>{} - on_first - cross_force(theta, F));
  }
  // The transposed: what multiplies theta in the power of these changes, with the bodies moving by Y_1 and Y_2.
  TENON_INLINE Force<T> power(const Motion<T>& Y_1, const Motion<T>& Y_2) const {
    if (!closure) {
      const Vec3<T> n = F.n - cross(x, F.f);
      return {cross(Y_1.v + cross(Y_1.w, x), F.f) + cross(Y_1.w, n), Vec3<T>{}};
    }
    const Vec3<T> Y = Y_1.w - Y_2.w;
    return cross_force(Y_2, F) + Force<T>{transpose_times(M, Y), Vec3<T>{}} - force_at(x, cross(F.f, Y));
  }
  // A motion of body 1 or 2 in the root frame of its tree, in axes of body 1.
  TENON_INLINE Motion<T> seen_by_first(int side, const Motion<T>& in_root) const {
    return side == 0 ? motion_to_child(X_1, in_root) : motion_to_parent(X, motion_to_child(X_2, in_root));
  }
};

// Calls each(b) for the items whose forces change.
template <class T, class Model, class Rows, class Each>
inline void for_bent_forces(const Model& m, const ActingRows<T, Rows>& acting, WorkspaceData<T>& w,
                            const Each& each) {
  const Rows& c = *acting.rows;
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    BentForce<T> b{};
    if (of_limbs<Model> || !item.closure) {
      if (item.node < 0 || !item.world_axes || item.custom >= 0) continue;
      const int i = item.node;
      if constexpr (!is_pack<T>) place_supporting_body(m, i, w);
      b.first = i, b.second = b.meet = -1;
      b.x = load_vec3<T>(c.frames + 12 * index + 9);
      b.X_1 = pose_of_body(w, i);
      SumOfRows<T>{acting.lambda}.template of_frame<T>(
          c, item, c.frames + 12 * index, load_mat3<T>(w.Rs + 9 * i), b.x,
          [&](int, int, bool, const Vec3<T>&, const Force<T>& K, auto) { b.F = b.F + K; });
      each(b);
    } else if constexpr (!of_limbs<Model>) {
      if (item.first == item.second) continue;
      const bool two = item.side_row >= 0;
      const int stride = whole_packs(c.row_count);
      const T* const bent = acting.d ? acting.d->bent : nullptr;
      Force<T> F{};
      T M[9] = {};
      for (int j = 0; j < item.row_count; ++j) {
        const int r = item.row_begin + j;
        const Force<T> K = two ? load_force<T>(acting.side_Kw + std::int64_t{12} * (item.side_row + j))
                               : load_dof_force(acting.Kw + r, stride);
        F = F + acting.lambda[r] * K;
        for (int e = 0; bent && e < 9; ++e) M[e] = M[e] + acting.lambda[r] * bent[std::int64_t{9} * r + e];
      }
      F = force_to_child(pose_of_body(w, two ? item.first : item.node), F);
      const ClosureState<T> s = closure_state(m, item, false, w);
      b.closure = true, b.F = F;
      b.first = item.first, b.second = item.second, b.meet = two ? item.meet : -1;
      b.x = s.x, b.X = s.X, b.M = load_mat3<T>(M);
      b.X_1 = pose_of_body(w, b.first), b.X_2 = pose_of_body(w, b.second);
      if (item.first < 0) b.F = Force<T>{} - force_to_parent(s.X, F);  // the rows' forces are those on body 2
      each(b);
    }
  }
}

// One body of a row. Two bodies share what is inward of `end`, which does not move their row.
struct RowSide {
  int body, end;
};
// Calls each(r, side, K, N, P) for the sides of all rows, in root frames; N and P are zero without ActingRows::d.
template <class T, class Each>
inline void for_row_sides(const ActingRows<T>& acting, const Each& each) {
  const RowsFor<T>& c = *acting.rows;
  const RowDerivativeData<T> d = acting.d ? *acting.d : RowDerivativeData<T>{};
  const int stride = whole_packs(c.row_count);
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    for (int j = 0; j < item.row_count; ++j) {
      const int r = item.row_begin + j;
      if (item.side_row < 0) {
        if (item.node < 0) continue;
        const auto load = [&](const T* field) {
          return field ? load_dof_force(field + r, stride) : Force<T>{};
        };
        each(r, RowSide{item.node, -1}, load(acting.Kw), load(d.N), load(d.P));
        continue;
      }
      for (int side = 0; side < 2; ++side) {
        const auto load = [&](const T* field) {
          return field ? load_force<T>(field + std::int64_t{12} * (item.side_row + j) + 6 * side)
                       : Force<T>{};
        };
        const RowSide at = {side == 0 ? item.first : item.second, item.meet};
        if (at.body >= 0) each(r, at, load(acting.side_Kw), load(d.side_N), load(d.side_P));
      }
    }
  }
}

// The axis of coordinate k in the root frame of its tree.
template <class T>
TENON_INLINE Motion<T> axis_in_root_frame(const ModelData& m, int k, const WorkspaceData<T>& w) {
  if constexpr (is_pack<T>)
    return load_motion<T>(w.U + 6 * k);
  else
    return load_dof_motion(w.S_root + k, dof_stride(m));
}

// dq -= J^T times the changes of forces.
template <class T>
inline void subtract_bent_force(const ModelData& m, const BentForce<T>& b, T* dq, std::int64_t ld,
                                MatrixOrder order, const WorkspaceData<T>& w) {
  const int bodies[2] = {b.first, b.second};
  const auto subtract = [&](int body, const Force<T>& f, int k) {
    for (int i = body; i >= 0; i = m.nodes[i].parent)
      for (int j = m.nodes[i].v_index; j < end_of_dofs(m, i); ++j) {
        T& at = dq[place_of(order, j, k, ld)];
        at = at - dot(axis_in_root_frame(m, j, w), f);
      }
  };
  for (int side = 0; side < 2; ++side) {
    for (int i = bodies[side]; i != b.meet && i >= 0; i = m.nodes[i].parent) {
      for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
        Motion<T> theta = b.seen_by_first(side, axis_in_root_frame(m, k, w));
        if (side == 1) theta = Motion<T>{} - theta;
        Force<T> one{}, two{};
        b.changes(theta, one, two);
        subtract(b.first, force_to_parent(b.X_1, one), k);
        subtract(b.second, force_to_parent(b.X_2, two), k);
      }
    }
  }
}

// The motions of coordinates k to k + W - 1. After derivative_forces.
template <int W, class T>
TENON_INLINE DofMotions<Lanes<T, W>> load_dof_motions(int k, int stride, const DerivativeData<T>& d,
                                                      const WorkspaceData<T>& w) {
  const auto load = [&](const T* field) { return load_motions<W>(field + k, stride); };
  return {load(w.S_root), load(d.psi_dot), load(d.psi_ddot), load(d.S_rate)};
}

// ds/dq and ds/dv of a row (row_gradients.hpp).
template <class L>
TENON_INLINE L row_by_q(const DofMotions<L>& k, const Force<L>& K, const Force<L>& N, const Force<L>& P) {
  return dot(k.psi_ddot, K) + dot(k.psi_dot, N) + dot(k.S, P);
}
template <class L>
TENON_INLINE L row_by_v(const DofMotions<L>& k, const Force<L>& K, const Force<L>& N) {
  return dot(k.S_rate, K) + dot(k.S, N);
}

// Calls put(r, k, motions of k, K, N, P) for what rows have on each coordinate k of their paths, those of two bodies up to
// where these meet. After derivative_forces.
template <class T, class Put>
inline void for_entries_of_rows(const ModelData& m, const ActingRows<T>& rows, const DerivativeData<T>& x,
                                const WorkspaceData<T>& w, const Put& put) {
  const int stride = dof_stride(m);
  for_row_sides(rows, [&](int r, const RowSide& side, const Force<T>& K, const Force<T>& N,
                          const Force<T>& P) {
    for (int i = side.body; i != side.end && i >= 0; i = m.nodes[i].parent)
      for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
        const auto load = [&](const T* field) { return load_dof_motion(field + k, stride); };
        put(r, k, DofMotions<T>{load(w.S_root), load(x.psi_dot), load(x.psi_ddot), load(x.S_rate)}, K, N, P);
      }
  });
}
// Calls each(first, end) for the coordinates that move body i and not body `end`, inward, in ranges that follow one another.
template <class T, class Each>
inline void for_ranges_of_path(const ModelData& m, int i, int end, const DerivativeData<T>& d,
                               const Each& each) {
  if (!d.subtrees_adjoin) {  // coordinates of a path are neighbours within a joint alone
    for (; i != end && i >= 0; i = m.nodes[i].parent) each(m.nodes[i].v_index, end_of_dofs(m, i));
    return;
  }
  const int last = end < 0 ? -1 : end_of_dofs(m, end) - 1;
  for (int k = end_of_dofs(m, i) - 1; k != last;) {
    const int begin = d.chains[d.chain_of[k]].first, first = begin <= last ? last + 1 : begin;
    each(first, k + 1);
    k = begin <= last ? last : m.v_parent[begin];
  }
}
// Calls each(k, count, first row, end row, load) for coordinates k to k + count - 1, at most a register of them, of the paths of
// rows, those of two bodies up to where these meet. load(field, side_field, r): what row r has there, as Kw and side_Kw.
template <class T, class Each>
inline void for_packs_of_paths(const ModelData& m, const ConstraintData& c, const DerivativeData<T>& x,
                               const Each& each) {
  constexpr int W = wide_count<T>;
  const int stride = whole_packs(c.row_count);
  const auto path = [&](int body, int end, int first_row, int end_row, const auto& load) {
    for_ranges_of_path(m, body, end, x, [&](int first, int last) {
      for (int k = first; k < last; k += W) each(k, last - k < W ? last - k : W, first_row, end_row, load);
    });
  };
  for (int s = 0; s < c.support_count; ++s) {  // rows between two bodies are zero here
    const int i = c.support[s], first = c.node_row_first[i], end = c.node_row_first[i + 1];
    if (first < end)
      path(i, -1, first, end,
           [&](const T* field, const T*, int r) { return load_dof_force(field + r, stride); });
  }
  for (int index = 0; index < c.inter_body_count; ++index) {
    const ConstraintItem& item = c.items[c.inter_body[index]];
    const int begin = item.row_begin;
    for (int side = 0; side < 2; ++side)
      path(side == 0 ? item.first : item.second, item.meet, begin, begin + item.row_count,
           [&](const T*, const T* field, int r) {
             return load_force<T>(field + std::int64_t{12} * (item.side_row + r - begin) + 6 * side);
           });
  }
}

// ds/dq and ds/dv of rows, row-major; null: not wanted. Over zeros.
template <class T>
inline void fill_rows(const ModelData& m, const ConstraintData& c, const RowDerivativeData<T>& d, T* rows_q,
                      T* rows_v, std::int64_t ld, const DerivativeData<T>& x, const WorkspaceData<T>& w) {
  constexpr int W = wide_count<T>;
  for_packs_of_paths(m, c, x, [&](int k, int count, int first, int end, const auto& load) {
    const DofMotions<Wide<T>> of_k = load_dof_motions<W>(k, dof_stride(m), x, w);
    const auto of_row = [&](const T* field, const T* side_field, int r) {
      return spread<W>(load(field, side_field, r));
    };
    for (int r = first; r < end; ++r) {
      const auto K = of_row(w.Kw, w.side_Kw, r), N = of_row(d.N, d.side_N, r);
      if (rows_q) store_some(row_by_q(of_k, K, N, of_row(d.P, d.side_P, r)), count, rows_q + r * ld + k);
      if (rows_v) store_some(row_by_v(of_k, K, N), count, rows_v + r * ld + k);
    }
  });
}

// J of constraint rows, and d(J u)/dq, row r scale[r] times, row-major; null: not wanted. adds: J_q is added to. After
// derivative_forces; J_q: after sweep_motion with the velocities u and row_gradients of velocities there. O(m d).
template <class T>
void row_jacobian(const ModelData& m, const ConstraintData& c, const RowDerivativeData<T>& d, const T* scale,
                  bool adds, T* J_q, T* J, int ld_, const DerivativeData<T>& x, const WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  const std::int64_t ld = ld_;
  if (J) clear_packs(J, c.row_count * ld_);
  if (J_q && !adds) clear_packs(J_q, c.row_count * ld_);
  for_packs_of_paths(m, c, x, [&](int k, int count, int first, int end, const auto& load) {
    const Motion<L> S = load_motions<W>(w.S_root + k, dof_stride(m));
    const auto of_row = [&](const T* field, const T* side_field, int r) {
      return spread<W>(load(field, side_field, r));
    };
    for (int r = first; J && r < end; ++r)
      store_some(dot(S, of_row(w.Kw, w.side_Kw, r)), count, J + r * ld + k);
    if (!J_q) return;
    const Motion<L> turned = cross(gather_of_parents<W>(m, w.vw, k, w), S);
    for (int r = first; r < end; ++r) {
      T* const at = J_q + r * ld + k;
      L sum = L(scale[r]) * (dot(turned, of_row(d.N, d.side_N, r)) + dot(S, of_row(d.P, d.side_P, r)));
      if (adds) sum = sum + L::load(at);
      store_some(sum, count, at);
    }
  });
}

// After rnea_derivatives with the forces of rows among the wrenches, and row_gradients. dq: dr/dq in `order`, which lacks
// the changes of the forces of rows; null: not wanted. rows_q, rows_v: ds/dq and ds/dv, row-major, whole
// eights a row; null: not wanted.
template <class T>
void row_derivatives(const ModelData& m, const ConstraintData& c, const T* lambda, T* dq, int ld_,
                     MatrixOrder order, T* rows_q, T* rows_v, DerivativeData<T>& x, RowDerivativeData<T>& d,
                     WorkspaceData<T>& w) {
  const std::int64_t ld = ld_;
  const ActingRows<T> acting = {&c, w.Kw, w.side_Kw, &d, lambda, nullptr, nullptr};
  for (T* rows : {rows_q, rows_v})
    if (rows) clear_packs(rows, c.row_count * ld_);
  if (rows_q || rows_v) fill_rows(m, c, d, rows_q, rows_v, ld, x, w);
  if (dq)
    for_bent_forces(m, acting, w,
                    [&](const BentForce<T>& b) { subtract_bent_force(m, b, dq, ld, order, w); });
}

TENON_ISA_END
}  // namespace tenon
