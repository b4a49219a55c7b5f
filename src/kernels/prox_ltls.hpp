// proxLTLs ([CABA] II-C2): the augmented Lagrangian in joint space. M_mu = M + J^T mu J (crba_augmented.hpp)
// is factored once, O(n d^2); an iteration (Eq. 17a, 17b) is J^T force, a sparse solve and J qdd, O(n d + m
// d).
//
// Eq. 17a asks for M_mu qdd = tau - c + J^T mu (rhs + f / mu). It is solved for the change of qdd,
//   M_mu change = tau - c + J^T mu (rhs - J qdd + f / mu) - M qdd,
// which is the same and refines: M_mu holds mu J^T J rounded, and in the plain form what that costs stays.
// With mu = 1e6 it leaves 1e-9 in qdd although the rows hold to 1e-13.
#pragma once

#include "kernels/crba_augmented.hpp"

namespace tenon {
TENON_ISA_BEGIN

// M, J, tau - c, rhs; qdd = 0.
template <class T>
void prox_ltls_start(const ModelData& m, const ConstraintData& c, const T* q, const T* v, const T* tau,
                     bool has_wrenches, T* qdd, WorkspaceData<T>& w) {
  joint_space_state(m, c, q, v, tau, has_wrenches, w);
  crba_rows(m, w.H, w);
  transposed_jacobian(m, c, w.JT, w);
  for (int k = 0; k < m.nv; ++k) qdd[k] = T(0);
  for (int r = 0; r < whole_packs(c.row_count); ++r) w.row_acceleration[r] = T(0);
}

// Factor of M_mu for new mu_row. False when it is not positive definite.
template <class T>
bool prox_ltls_factor(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  crba_augmented_rows(m, c, w.H, w.H_L, w);
  return ltl_factor(m, w.H_L, w.H_inv_d, w);
}

// Moves qdd to the minimiser for the centre f, and with it row_acceleration = J qdd and row_lambda, its
// multipliers. moved: qdd is not zero.
template <class T>
void prox_ltls_step(const ModelData& m, const ConstraintData& c, const T* inv_mu, const T* f, bool moved,
                    T* step, T* qdd, WorkspaceData<T>& w) {
  const int n = c.row_count, stride = whole_packs(n);
  T *x = w.qdd_change, *force = w.row_step, *a = w.row_acceleration, *a_change = w.row_change;
  for (int r = 0; r < n; ++r) force[r] = w.mu_row[r] * (w.row_rhs[r] - a[r] + inv_mu[r] * f[r]);
  for (int r = n; r < stride; ++r) force[r] = T(0);
  if (moved)
    ltl_multiply(m, w.H, qdd, x, w);
  else
    for (int k = 0; k < m.nv; ++k) x[k] = T(0);
  for (int k = 0; k < m.nv; ++k) x[k] = w.joint_force[k] - x[k];
  add_transposed_rows(m, c, w.JT, force, x);
  ltl_solve(m, w.H_L, w.H_inv_d, x, w);
  for (int k = 0; k < m.nv; ++k) qdd[k] = qdd[k] + x[k];

  for (int r = 0; r < stride; ++r) a_change[r] = T(0);
  add_rows(m, c, w.JT, x, a_change);
  for (int r = 0; r < n; ++r) {
    // Not f + step: rounding errors of force are errors of a motion, but qdd has followed them.
    w.row_lambda[r] = force[r] - w.mu_row[r] * a_change[r];
    a[r] = a[r] + a_change[r];
    step[r] = w.mu_row[r] * (w.row_rhs[r] - a[r] - T(c.compliance[r]) * f[r]);
  }
}

TENON_ISA_END
}  // namespace tenon
