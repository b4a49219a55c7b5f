// proxLTL ([CABA] II-C1; Carpentier, Budhiraja, Mansard, Proximal and sparse resolution of constrained
// dynamic equations, 2021): the dual function of Gauss' principle maximised by proximal steps; its Hessian is
// the Delassus matrix by ltl_osim.hpp. O(n d^2 + m d^2 + m^2 d + m^3), an iteration O(m^2).
//
// With z = D^-1/2 L^-T (tau - c), in the coordinates of Z (ltl_osim.hpp),
//   b = rhs - J a_free = rhs - Z z,   (Z Z^T + R + 1/mu) step = b - (Z Z^T + R) f,
//   qdd = L^-1 D^-1/2 (z + Z^T lambda),
// so that M^-1 is applied once, one half before and one after the iteration. The iteration computes the step
// and not its end point ([CABA] Eq. 14b), so that no digits are spent on what f already holds.
#pragma once

#include "kernels/constrained/dense_ldl.hpp"
#include "kernels/delassus/ltl_osim.hpp"

namespace tenon {
TENON_ISA_BEGIN

// x := U^T x and x := U x, M^-1 = U U^T, U = L^-1 D^-1/2. After prox_ltl_start.
template <class T>
void ltl_half_inward(const ModelData& m, T* x, WorkspaceData<T>& w) {
  ltl_solve_lt(m, w.H_L, x, w);
  for (int k = 0; k < m.nv; ++k) x[k] = x[k] * w.H_root_d[k];
}
template <class T>
void ltl_half_outward(const ModelData& m, T* x, WorkspaceData<T>& w) {
  for (int k = 0; k < m.nv; ++k) x[k] = x[k] * w.H_root_d[k];
  ltl_solve_l(m, w.H_L, x, w);
}

// row_free := Z z, and zeros behind the rows.
template <class T>
inline void place_free_motion(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  for (int r = 0; r < whole_packs(c.row_count); ++r) w.row_free[r] = T(0);
  for (int r = c.row_count; r < whole_packs(c.row_count); ++r) w.row_rhs[r] = T(0);
  add_rows(m, c, w.ZT, w.z, w.row_free);
}

// J L^-T D^-1/2 in ZT and b from the factor of M, J^T in ZT, joint_force and row_rhs.
template <class T>
inline void prox_ltl_dual(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  ltl_osim_rows(m, c, w.H_L, w.H_inv_d, w.H_root_d, w.ZT, w);
  for (int k = 0; k < m.nv; ++k) w.z[k] = w.joint_force[k];
  ltl_half_inward(m, w.z, w);
  place_free_motion(m, c, w);
}

// After joint_space_state: everything up to ZT and b. False when M is not positive definite.
template <class T>
bool prox_ltl_start(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  crba_rows(m, w.H_L, w);
  if (!ltl_factor(m, w.H_L, w.H_inv_d, w)) return false;
  transposed_jacobian(m, c, w.ZT, w);
  prox_ltl_dual(m, c, w);
  return true;
}

// Then the Delassus matrix, for the iteration.
template <class T>
void prox_ltl_gram(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  ltl_osim_gram(m, c, w.ZT, w.delassus);
}

// Factor for new proximal parameters.
template <class T>
void prox_ltl_factor(const ConstraintData& c, const T* inv_mu, WorkspaceData<T>& w) {
  const int n = c.row_count, stride = whole_packs(n);
  for (int r = 0; r < n; ++r) w.damping[r] = T(c.compliance[r]) + inv_mu[r];
  for (int r = n; r < stride; ++r) w.damping[r] = T(0);
  factor_dense(w.delassus, w.damping, n, stride, w.dual_factor, w.dual_inv_d, w.dual_scaled);
}

// The proximal step from centre f, null: zero.
template <class T>
void prox_ltl_step(const ConstraintData& c, const T* f, T* step, WorkspaceData<T>& w) {
  const int n = c.row_count, stride = whole_packs(n);
  T *x = w.row_step, *soft = w.row_soft;
  for (int r = 0; r < stride; ++r) soft[r] = f && r < n ? T(c.compliance[r]) * f[r] : T(0);
  for (int r = 0; r < stride; r += 4) {
    const auto at = [r](const T* a) { return Lanes<T>::load(a + r); };
    (at(w.row_rhs) - at(w.row_free) - at(soft)).store(x + r);
  }
  if (f) subtract_product(w.delassus, n, stride, f, x);
  solve_dense(w.dual_factor, w.dual_inv_d, stride, x);
  for (int r = 0; r < n; ++r) step[r] = x[r];
}

// Of WorkspaceData::y = z + Z^T lambda: row_step := rhs - J qdd - row_soft, the residuals of the rows.
template <class T>
inline void place_residuals_of_motion(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  const int n = c.row_count;
  for (int r = 0; r < whole_packs(n); ++r) w.row_step[r] = T(0);
  add_rows(m, c, w.ZT, w.y, w.row_step);
  for (int r = 0; r < n; ++r) w.row_step[r] = w.row_rhs[r] - w.row_step[r] - w.row_soft[r];
}
// The same and qdd.
template <class T>
void prox_ltl_motion(const ModelData& m, const ConstraintData& c, T* qdd, WorkspaceData<T>& w) {
  place_residuals_of_motion(m, c, w);
  for (int k = 0; k < m.nv; ++k) qdd[k] = w.y[k];
  ltl_half_outward(m, qdd, w);
}

// y and row_soft of the multipliers.
template <class T>
inline void place_forced_motion(const ModelData& m, const ConstraintData& c, const T* lambda,
                                WorkspaceData<T>& w) {
  const int n = c.row_count, stride = whole_packs(n);
  for (int r = 0; r < stride; ++r) w.row_force[r] = r < n ? lambda[r] : T(0);
  for (int k = 0; k < m.nv; ++k) w.y[k] = w.z[k];
  add_transposed_rows(m, c, w.ZT, w.row_force, w.y);
  for (int r = 0; r < n; ++r) w.row_soft[r] = T(c.compliance[r]) * lambda[r];
}
template <class T>
void prox_ltl_finish(const ModelData& m, const ConstraintData& c, const T* lambda, T* qdd,
                     WorkspaceData<T>& w) {
  place_forced_motion(m, c, lambda, w);
  prox_ltl_motion(m, c, qdd, w);
}

TENON_ISA_END
}  // namespace tenon
