// First derivatives of forward dynamics of a tree. With ID(q, v, qdd) = tau, dqdd/dx = - M^-1 dID/dx for x = q, v and
// dqdd/dtau = M^-1. The factor of M that the columns need gives qdd too, so that articulated inertias are not computed.
#pragma once

#include "kernels/derivatives/ltl_columns.hpp"
#include "kernels/derivatives/rnea_products.hpp"

namespace tenon {
TENON_ISA_BEGIN

// qdd of forward dynamics, with the factor of M in H_L, and the motion of all bodies there as after sweep_motion. False when
// the mass matrix is not positive definite.
template <class T>
bool forward_motion(const ModelData& m, const Inputs<T>& in, T* qdd, DerivativeData<T>& d,
                    WorkspaceData<T>& w) {
  sweep_motion(m, in.q, in.v, static_cast<const T*>(nullptr), w);
  place_body_forces(m, in.wrenches, w);
  sweep_joint_forces(m, in.tau, w);
  crba_rows(m, w.H_L, w);
  if (!ltl_factor(m, w.H_L, w.H_inv_d, w)) return false;
  for (int k = 0; k < m.nv; ++k) qdd[k] = w.joint_force[k];
  ltl_solve(m, w.H_L, w.H_inv_d, qdd, w);
  place_motion_of(m, qdd, d.moved, w);
  for (int i = 0; i < m.node_count; ++i)
    store_packed(w.aw, i, load_packed(w.aw, i) + load_packed(d.moved, i));
  return true;
}

// dq, dv: from derivatives of inverse dynamics to those of forward dynamics; inverse := M^-1. Row-major with leading
// dimension ld, whole eights; null: not wanted. After forward_motion and rnea_derivatives.
template <class T>
void forward_derivatives(const ModelData& m, T* dq, T* dv, T* inverse, int ld, DerivativeData<T>& d,
                         WorkspaceData<T>& w) {
  solve_columns(m, RightSide::tree, m.nv, T(-1), dq, dv, ld, MatrixOrder::rows, d, w);
  solve_columns(m, RightSide::unit, m.nv, T(1), inverse, static_cast<T*>(nullptr), ld, MatrixOrder::rows, d,
                w);
}

TENON_ISA_END
}  // namespace tenon
