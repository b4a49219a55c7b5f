// Products with the derivatives of the equations of motion with rows (row_derivatives.hpp), without a matrix. Rows are
// those of constraints and those that close embedded loops, on bodies in any order.
// With y over coordinates and b over rows,
//
//   vjp   g = y^T dr/dx - b^T ds/dx:  b^T K, b^T N and b^T P are forces on bodies, subtracted from those of
//         rnea_products.hpp that multiply psi_ddot and S_rate, psi_dot and S, and S
//   jvp   dr and ds along (dq, dv):   of a row, K . (dA - dV x V) + N . dV + P . theta
//
// O(n + m).
#pragma once

#include "kernels/derivatives/rnea_products.hpp"
#include "kernels/derivatives/row_derivatives.hpp"
#include "spatial/ordered.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE void subtract_force(T* field, int body, const Force<T>& f) {
  constexpr int half = half_of_body<T>;
  T* at = field + std::int64_t{2} * half * body;
  at[0] = at[0] - f.n.x, at[1] = at[1] - f.n.y, at[2] = at[2] - f.n.z;
  at[half] = at[half] - f.f.x, at[half + 1] = at[half + 1] - f.f.y, at[half + 2] = at[half + 2] - f.f.z;
}

// Data: DerivativeData, or that of packs and limbs.
template <class T, class Data = DerivativeData<T>, class Model = ModelData, class Rows = RowsFor<T>>
struct RowsOfVjp {
  static constexpr bool any = true;
  void operator()() const {
    clear();
    for (int i = 0; i < all.count; ++i) add(all.of[i]);
  }
  void clear() const {
    const int numbers = 2 * half_of_body<T> * (is_pack<T> ? m.node_count : whole_packs(m.node_count));
    for (int e = 0; e < numbers; ++e) all.turning[e] = T(0);
  }
  void add(const ActingRows<T, Rows>& rows) const {
    const auto subtract = [&](int body, const Force<T>& K, const Force<T>& N, const Force<T>& P) {
      subtract_force(x.force, body, K), subtract_force(x.moment, body, N);
      subtract_force(all.turning, body, P);
    };
    if (!rows.d)
      for_sums_of_rows(m, *rows.rows, rows.b, w, subtract);
    else if constexpr (!of_limbs<Model>)
      for_row_sides(rows,
                    [&](int r, const RowSide& side, const Force<T>& K, const Force<T>& N, const Force<T>& P) {
                      subtract(side.body, rows.b[r] * K, rows.b[r] * N, rows.b[r] * P);
                    });
    for_bent_forces(m, rows, w, [&](const BentForce<T>& bent) {
      const auto motion = [&](int body, int side) {
        return body < 0 ? Motion<T>{} : bent.seen_by_first(side, motion_of_body(x.moved, body));
      };
      const Force<T> power = bent.power(motion(bent.first, 0), motion(bent.second, 1));
      if (bent.first >= 0) subtract_force(all.turning, bent.first, force_to_parent(bent.X_1, power));
      if (bent.closure && bent.second >= 0)
        subtract_force(all.turning, bent.second,
                       force_to_parent(bent.X_2, force_to_child(bent.X, Force<T>{} - power)));
    });
  }

  const Model& m;
  const ProductRows<T, Rows>& all;
  Data& x;
  WorkspaceData<T>& w;
};

// After row_gradients of what has ActingRows::d. g_q, g_v, g_a: whole packs; g_a = M y - J^T b, null: not wanted.
template <class T>
void constrained_vjp(const ModelData& m, const ProductRows<T>& rows, const T* wrenches, const T* y, T* g_q,
                     T* g_v, T* g_a, DerivativeData<T>& x, WorkspaceData<T>& w) {
  rnea_vjp_with(m, wrenches, y, g_q, g_v, g_a, rows.turning, x, w, RowsOfVjp<T>{m, rows, x, w});
}

template <class T, class Data = DerivativeData<T>, class Model = ModelData, class Rows = RowsFor<T>>
struct RowsOfJvp {
  static constexpr bool any = true;
  void operator()() const {
    for (int i = 0; i < all.count; ++i) add(all.of[i]);
  }
  void add(const ActingRows<T, Rows>& rows) const {
    for (int r = 0; r < whole_packs(rows.rows->row_count); ++r) rows.ds[r] = T(0);
    const auto change = [&](int body, const Force<T>& K, const Force<T>& N, const Force<T>& P) {
      const auto load = [&](const T* field) { return motion_of_body(field, body); };
      const Motion<T> dV = load(x.dv_body), V = load(is_pack<T> ? w.v : w.vw);
      return dot(load(x.da_body) - cross(dV, V), K) + dot(dV, N) + dot(load(all.theta), P);
    };
    if constexpr (of_limbs<Model>)
      for_row_gradients(
          m, *rows.rows, RowByRow{}, w,
          [&](const ConstraintItem& item, const ItemSides<T>&, int j, const RowGradient<T>& of) {
            rows.ds[item.row_begin + j] = change(item.node, of.K, of.N, of.P);
          });
    else
      for_row_sides(rows, [&](int r, const RowSide& side, const Force<T>& K, const Force<T>& N,
                              const Force<T>& P) { rows.ds[r] = rows.ds[r] + change(side.body, K, N, P); });
    for_bent_forces(m, rows, w, [&](const BentForce<T>& bent) {
      const auto motion = [&](int body, int side) {
        return body < 0 ? Motion<T>{} : bent.seen_by_first(side, motion_of_body(all.theta, body));
      };
      Force<T> one{}, two{};
      bent.changes(motion(bent.first, 0) - motion(bent.second, 1), one, two);
      if (bent.first >= 0) subtract_force(x.force, bent.first, force_to_parent(bent.X_1, one));
      if (bent.second >= 0) subtract_force(x.force, bent.second, force_to_parent(bent.X_2, two));
    });
  }

  const Model& m;
  const ProductRows<T, Rows>& all;
  Data& x;
  WorkspaceData<T>& w;
};

// The same. dv, da null: zero. dr: whole packs of coordinates; ds: of rows.
template <class T>
void constrained_jvp(const ModelData& m, const ProductRows<T>& rows, const T* v, const T* wrenches,
                     const T* dq, const T* dv, const T* da, T* dr, DerivativeData<T>& x,
                     WorkspaceData<T>& w) {
  place_motion_of(m, dq, rows.theta, w);
  rnea_jvp_with(m, v, wrenches, dq, dv, da, dr, x, w, RowsOfJvp<T>{m, rows, x, w});
}

// Calls put(r, k, turned, moved, S, N) for what d(J u)/dq of rows has on each coordinate k that moves a body of theirs, the sum
// of turned and moved; two bodies cancel where both move. After row_gradients of velocities and sweep_motion with the
// velocities u.
template <class T, class Put>
inline void for_velocity_entries(const ModelData& m, const ActingRows<T>& rows, const WorkspaceData<T>& w,
                                 const Put& put) {
  const int stride = dof_stride(m);
  for_row_sides(rows, [&](int r, const RowSide& side, const Force<T>&, const Force<T>& N, const Force<T>& P) {
    for (int i = side.body; i >= 0; i = m.nodes[i].parent) {
      const Motion<T> v_p = load_body_motion(w.vw, m.nodes[i].parent);
      for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
        const Motion<T> S = load_dof_motion(w.S_root + k, stride);
        put(r, k, dot(cross(v_p, S), N), dot(S, P), S, N);
      }
    }
  });
}
// Adds b^T d(J u)/dq to change, the sizes of its terms to size, and those that terms have where joints turn with `speed`;
// size null: not wanted. O(m d).
template <class T>
void row_velocity_vjp(const ModelData& m, const ActingRows<T>& rows, T speed, T* change, T* size,
                      const WorkspaceData<T>& w) {
  for_velocity_entries(
      m, rows, w, [&](int r, int k, const T& turned, const T& moved, const Motion<T>& S, const Force<T>& N) {
        change[k] = change[k] + rows.b[r] * (turned + moved);
        if (size)
          size[k] = size[k] + magnitude_of(rows.b[r]) * (magnitude_of(turned) + magnitude_of(moved) +
                                                         speed * magnitude_of(dot(S, N)));
      });
}

// ds := d(J u)/dq dq. O(n + m).
template <class T>
void row_velocity_jvp(const ModelData& m, const ProductRows<T>& rows, const T* u, const T* dq,
                      DerivativeData<T>& x, WorkspaceData<T>& w) {
  place_motion_of(m, dq, rows.theta, w);
  sweep_motion_changes(m, u, dq, static_cast<const T*>(nullptr), static_cast<const T*>(nullptr), x, w);
  for (int i = 0; i < rows.count; ++i) {
    const ActingRows<T>& of = rows.of[i];
    for (int r = 0; r < whole_packs(of.rows->row_count); ++r) of.ds[r] = T(0);
    for_row_sides(of, [&](int r, const RowSide& side, const Force<T>&, const Force<T>& N, const Force<T>& P) {
      of.ds[r] = of.ds[r] + dot(load_body_motion(x.dv_body, side.body), N) +
                 dot(load_body_motion(rows.theta, side.body), P);
    });
  }
}

TENON_ISA_END
}  // namespace tenon
