// Products with the derivatives of the equations of motion with constraint rows (row_derivatives.hpp), without a matrix.
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

namespace tenon {
TENON_ISA_BEGIN

// Calls each(r, body, K, N, P) for the sides of all rows, in root frames.
template <class T, class Each>
inline void for_row_sides(const ConstraintData& c, const RowDerivativeData<T>& d, const WorkspaceData<T>& w,
                          const Each& each) {
  const int stride = whole_packs(c.row_count);
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    for (int j = 0; j < item.row_count; ++j) {
      const int r = item.row_begin + j;
      if (item.side_row < 0) {
        if (item.node < 0) continue;
        const auto load = [&](const T* field) { return load_dof_force(field + r, stride); };
        each(r, item.node, load(w.Kw), load(d.N), load(d.P));
        continue;
      }
      for (int side = 0; side < 2; ++side) {
        const auto load = [&](const T* field) {
          return load_force<T>(field + 12L * (item.side_row + j) + 6 * side);
        };
        each(r, side == 0 ? item.first : item.second, load(w.side_Kw), load(d.side_N), load(d.side_P));
      }
    }
  }
}

template <class T>
TENON_INLINE void subtract_force(T* field, int body, const Force<T>& f) {
  T* at = field + 8L * body;
  at[0] = at[0] - f.n.x, at[1] = at[1] - f.n.y, at[2] = at[2] - f.n.z;
  at[4] = at[4] - f.f.x, at[5] = at[5] - f.f.y, at[6] = at[6] - f.f.z;
}

template <class T>
struct RowsOfVjp {
  static constexpr bool any = true;
  void operator()() const {
    for (int e = 0; e < 8 * whole_packs(m.node_count); e += 4) Lanes<T>(T(0)).store(d.turning + e);
    for_row_sides(c, d, w, [&](int r, int body, const Force<T>& K, const Force<T>& N, const Force<T>& P) {
      subtract_force(x.force, body, b[r] * K);
      subtract_force(x.moment, body, b[r] * N);
      subtract_force(d.turning, body, b[r] * P);
    });
    for_bent_forces(m, c, lambda, w, [&](const BentForce<T>& bent) {
      const auto motion = [&](int body, int side) {
        return body < 0 ? Motion<T>{} : bent.seen_by_first(side, load_body_motion(x.moved, body));
      };
      const Force<T> power = bent.power(motion(bent.first, 0), motion(bent.second, 1));
      if (bent.first >= 0) subtract_force(d.turning, bent.first, force_to_parent(bent.X_1, power));
      if (bent.closure && bent.second >= 0)
        subtract_force(d.turning, bent.second,
                       force_to_parent(bent.X_2, force_to_child(bent.X, Force<T>{} - power)));
    });
  }

  const ModelData& m;
  const ConstraintData& c;
  const T *lambda, *b;
  DerivativeData<T>& x;
  RowDerivativeData<T>& d;
  WorkspaceData<T>& w;
};

// After row_gradients. b: multipliers of s, kernels' order. g_q, g_v: whole packs.
template <class T>
void constrained_vjp(const ModelData& m, const ConstraintData& c, const T* wrenches, const T* lambda,
                     const T* y, const T* b, T* g_q, T* g_v, DerivativeData<T>& x, RowDerivativeData<T>& d,
                     WorkspaceData<T>& w) {
  rnea_vjp_with(m, wrenches, y, g_q, g_v, static_cast<T*>(nullptr), d.turning, x, w,
                RowsOfVjp<T>{m, c, lambda, b, x, d, w});
}

template <class T>
struct RowsOfJvp {
  static constexpr bool any = true;
  void operator()() const {
    for (int r = 0; r < whole_packs(c.row_count); ++r) ds[r] = T(0);
    for_row_sides(c, d, w, [&](int r, int body, const Force<T>& K, const Force<T>& N, const Force<T>& P) {
      const auto load = [&](const T* field) { return load_body_motion(field, body); };
      const Motion<T> dV = load(x.dv_body);
      ds[r] = ds[r] + dot(load(x.da_body) - cross(dV, load(w.vw)), K) + dot(dV, N) + dot(load(d.theta), P);
    });
    for_bent_forces(m, c, lambda, w, [&](const BentForce<T>& bent) {
      const auto motion = [&](int body, int side) {
        return body < 0 ? Motion<T>{} : bent.seen_by_first(side, load_body_motion(d.theta, body));
      };
      Force<T> one{}, two{};
      bent.changes(motion(bent.first, 0) - motion(bent.second, 1), one, two);
      if (bent.first >= 0) subtract_force(x.force, bent.first, force_to_parent(bent.X_1, one));
      if (bent.second >= 0) subtract_force(x.force, bent.second, force_to_parent(bent.X_2, two));
    });
  }

  const ModelData& m;
  const ConstraintData& c;
  const T* lambda;
  T* ds;
  DerivativeData<T>& x;
  RowDerivativeData<T>& d;
  WorkspaceData<T>& w;
};

// The same. dv null: zero. dr: whole packs of coordinates; ds: of rows.
template <class T>
void constrained_jvp(const ModelData& m, const ConstraintData& c, const T* v, const T* wrenches,
                     const T* lambda, const T* dq, const T* dv, T* dr, T* ds, DerivativeData<T>& x,
                     RowDerivativeData<T>& d, WorkspaceData<T>& w) {
  place_motion_of(m, dq, d.theta, w);
  rnea_jvp_with(m, v, wrenches, dq, dv, static_cast<const T*>(nullptr), dr, x, w,
                RowsOfJvp<T>{m, c, lambda, ds, x, d, w});
}

// change := b^T d(J u)/dq, size := the sum of the sizes of its terms, a row each, and of what terms are where joints turn with
// `speed`, that of the fastest. After row_gradients of velocities and
// sweep_motion with the velocities u. O(m d).
template <class T>
void row_velocity_vjp(const ModelData& m, const ConstraintData& c, const T* b, T speed, T* change, T* size,
                      const RowDerivativeData<T>& d, const WorkspaceData<T>& w) {
  using std::abs;
  const int stride = dof_stride(m);
  for (int k = 0; k < m.nv; ++k) change[k] = size[k] = T(0);
  for_row_sides(c, d, w, [&](int r, int body, const Force<T>&, const Force<T>& N, const Force<T>& P) {
    for (int i = body; i >= 0; i = m.nodes[i].parent) {
      const Motion<T> v_p = load_body_motion(w.vw, m.nodes[i].parent);
      for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
        const Motion<T> S = load_dof_motion(w.S_root + k, stride);
        const T term = b[r] * (dot(cross(v_p, S), N) + dot(S, P));
        change[k] = change[k] + term;
        size[k] =
            size[k] + abs(b[r]) * (abs(dot(cross(v_p, S), N)) + abs(dot(S, P)) + speed * abs(dot(S, N)));
      }
    }
  });
}

TENON_ISA_END
}  // namespace tenon
