// proxLTLs ([CABA] II-C2): the augmented Lagrangian in joint space. M_mu = M + J^T mu J (crba_augmented.hpp)
// is factored once, O(n d^2); an iteration (Eq. 17a, 17b) is J^T force, a sparse solve and J qdd, O(n d + m
// d).
//
// Eq. 17a is M_mu qdd = tau - c + J^T mu (rhs + f / mu). It is solved for the change of qdd,
//   M_mu change = tau - c + J^T mu (rhs - J qdd + f / mu) - M qdd,
// which is equivalent and refines the solution: M_mu holds mu J^T J rounded, and in the plain form that error
// stays. At mu = 1e6 it is 1e-9 in qdd although the rows hold to 1e-13.
#pragma once

#include "kernels/cluster/elimination_tree_data.hpp"
#include "kernels/constrained/crba_augmented.hpp"
#include "spatial/ordered.hpp"

namespace tenon {
TENON_ISA_BEGIN

// qdd and J qdd := 0.
template <class T>
inline void prox_ltls_at_rest(const ModelData& m, const ConstraintData& c, T* qdd, WorkspaceData<T>& w) {
  for (int k = 0; k < m.nv; ++k) qdd[k] = T(0);
  const int rows = whole_packs(c.row_count);
  for (int r = 0; r < rows; ++r) w.row_acceleration[r] = T(0);
  for (int r = c.row_count; r < rows; ++r) w.row_rhs[r] = T(0);
}

// After joint_space_state: S and F for M and M_mu, and J; qdd = 0.
template <class T>
void prox_ltls_start(const ModelData& m, const ConstraintData& c, T* qdd, WorkspaceData<T>& w) {
  composite_forces(m, w);
  transposed_jacobian(m, c, w.JT, w);
  prox_ltls_at_rest(m, c, qdd, w);
}

// Inter-body rows: M_mu of the other rows, in H_L, is moved to the path rows of the elimination tree, which
// has entries for J^T mu J of inter-body rows too.
template <class T>
inline bool factor_elimination_tree(const ModelData& m, const ConstraintData& c, EliminationTreeData<T>& b,
                                    const WorkspaceData<T>& w) {
  for (int e = 0; e < b.w.entry_count; ++e) b.rows[e] = T(0);
  for (int k = 0; k < m.nv; ++k) {
    const int end = w.row_first[k] + w.dof_depth[k];
    for (int e = w.row_first[k]; e <= end; ++e) b.rows[b.place[e]] = w.H_L[e];
  }
  const int stride = whole_packs(c.row_count);
  for (int index = 0; index < c.inter_body_count; ++index) {
    const ConstraintItem& item = c.items[c.inter_body[index]];
    const int *begin = b.path + b.path_begin[index], *end = b.path + b.path_begin[index + 1];
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
      for (const int* x = begin; x < end; ++x)
        b.x[*x] = w.JT[static_cast<std::int64_t>(b.coordinate[*x]) * stride + r];
      for (const int* x = begin; x < end; ++x) {
        const T share = w.mu_row[r] * b.x[*x];
        T* row = b.rows + b.w.row_first[*x];
        for (const int* y = begin; y <= x; ++y) {
          T& entry = row[b.w.dof_depth[*y]];
          entry = entry + share * b.x[*y];
        }
      }
    }
  }
  return ltl_factor(b.tree, b.rows, b.inv_d, b.w);
}
template <class T>
inline void solve_elimination_tree(const ModelData& m, EliminationTreeData<T>& b, T* x) {
  for (int k = 0; k < m.nv; ++k) b.x[b.number[k]] = x[k];
  ltl_solve(b.tree, b.rows, b.inv_d, b.x, b.w);
  for (int k = 0; k < m.nv; ++k) x[k] = b.x[b.number[k]];
}

// Penalties mu_row of the rows for new proximal parameters, and the factors that split mu_row between the
// proximal term (hard_share) and the compliance (soft_share).
template <class T>
inline void prox_ltls_shares(const ConstraintData& c, const T* inv_mu, WorkspaceData<T>& w) {
  const int n = c.row_count;
  for (int r = 0; r < n; ++r) {
    w.mu_row[r] = T(1) / (T(c.compliance[r]) + inv_mu[r]);
    w.hard_share[r] = w.mu_row[r] * inv_mu[r];
    w.soft_share[r] = w.mu_row[r] * T(c.compliance[r]);
  }
  for (int r = n; r < whole_packs(n); ++r) w.mu_row[r] = w.hard_share[r] = w.soft_share[r] = T(0);
}

// M, and the factor of M_mu, for new proximal parameters. False when M_mu is not positive definite.
template <class T>
bool prox_ltls_factor(const ModelData& m, const ConstraintData& c, const T* inv_mu, WorkspaceData<T>& w) {
  prox_ltls_shares(c, inv_mu, w);
  crba_augmented_rows(m, c, w.H, w.H_L, w);
  return w.elimination_tree ? factor_elimination_tree(m, c, *w.elimination_tree, w)
                            : ltl_factor(m, w.H_L, w.H_inv_d, w);
}

// The largest |x_k| / terms_k; 0 for one that is 0.
inline double largest_share(const double* x, const double* terms, int n) {
  double worst = 0;
  for (int k = 0; k < n; ++k) {
    const double size = magnitude_of(x[k]);
    if (!(size <= worst * terms[k])) worst = size / terms[k];
  }
  return worst;
}

// Moves qdd to the minimiser for the centre f; updates row_acceleration = J qdd and the multipliers
// row_lambda. moved: qdd is not zero. measures: motion_error := the largest error of a coordinate's equation of
// motion before the step, with the multipliers of the last one; as in kernels/constrained/constrained_aba.hpp.
template <class T>
void prox_ltls_step(const ModelData& m, const ConstraintData& c, const T* f, bool moved, bool measures,
                    T* step, T* qdd, WorkspaceData<T>& w) {
  const int n = c.row_count, rows = whole_packs(n);
  T *x = w.qdd_change, *force = w.row_step, *centre = w.row_force, *a = w.row_acceleration,
    *a_change = w.row_change;
  for (int r = 0; r < rows; ++r) centre[r] = r < n ? f[r] : T(0);
  // mu (rhs - a + f / mu), and zero change so far.
  for (int r = 0; r < rows; r += 4) {
    const auto at = [r](const T* v) { return Lanes<T>::load(v + r); };
    (at(w.mu_row) * (at(w.row_rhs) - at(a)) + at(w.hard_share) * at(centre)).store(force + r);
    Lanes<T>(T(0)).store(a_change + r);
  }
  if (moved) {
    ltl_multiply(m, w.H, qdd, x, w);
    if constexpr (is_ordered<T>)
      for (int k = 0; measures && k < m.nv; ++k) w.y[k] = magnitude_of(w.joint_force[k]) + magnitude_of(x[k]);
    for (int k = 0; k < m.nv; ++k) x[k] = w.joint_force[k] - x[k];
  } else {
    for (int k = 0; k < m.nv; ++k) x[k] = w.joint_force[k];
  }
  if constexpr (is_ordered<T>)
    if (measures) {
      add_transposed_rows(m, c, w.JT, w.row_lambda, x);
      w.motion_error = largest_share(x, w.y, m.nv);
      for (int r = 0; r < rows; ++r) a_change[r] = force[r] - w.row_lambda[r];
    }
  add_transposed_rows(m, c, w.JT, measures ? a_change : force, x);
  if (measures)
    for (int r = 0; r < rows; ++r) a_change[r] = T(0);
  if (w.elimination_tree)
    solve_elimination_tree(m, *w.elimination_tree, x);
  else
    ltl_solve(m, w.H_L, w.H_inv_d, x, w);
  for (int k = 0; k < m.nv; ++k) qdd[k] = qdd[k] + x[k];
  add_rows(m, c, w.JT, x, a_change);
  for (int r = 0; r < rows; r += 4) {
    const auto at = [r](const T* v) { return Lanes<T>::load(v + r); };
    const Lanes<T> sum = at(a) + at(a_change);
    sum.store(a + r);
    // Not f + step: that would keep rounding errors that qdd has already corrected.
    (at(force) - at(w.mu_row) * at(a_change)).store(w.row_lambda + r);
    (at(w.mu_row) * (at(w.row_rhs) - sum) - at(w.soft_share) * at(centre)).store(force + r);
  }
  for (int r = 0; r < n; ++r) step[r] = force[r];
}

TENON_ISA_END
}  // namespace tenon
