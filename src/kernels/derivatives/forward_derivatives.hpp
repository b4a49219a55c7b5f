// First derivatives of forward dynamics of a tree. With ID(q, v, qdd) = tau, dqdd/dx = - M^-1 dID/dx for x = q, v and
// dqdd/dtau = M^-1. The factor that the columns need gives qdd too.
#pragma once

#include "kernels/derivatives/chain_columns.hpp"
#include "kernels/derivatives/rnea_products.hpp"

namespace tenon {
TENON_ISA_BEGIN

// qdd of forward dynamics, with the factor of M (chain_columns.hpp), and the motion of all bodies there as after sweep_motion. False when
// the mass matrix is not positive definite.
template <class T>
bool forward_motion(const ModelData& m, const Inputs<T>& in, T* qdd, DerivativeData<T>& d,
                    WorkspaceData<T>& w) {
  sweep_motion(m, in.q, in.v, static_cast<const T*>(nullptr), w);
  place_body_forces(m, in.wrenches, w);
  sweep_joint_forces(m, in.tau, w);
  if (!chain_factor(m, d, w)) return false;
  const ChainColumns<T> factor{d};
  const ColumnRows<T> x(d.columns);
  for (int k = 0; k < m.nv; ++k) x.store(k, RowOfColumns<T>::zero()), x.at(0, k)[0] = w.joint_force[k];
  if (m.nv > 0) factor.inward(x, 0, m.nv);
  factor.outward(x, T(1));
  for (int k = 0; k < m.nv; ++k) qdd[k] = x.at(0, k)[0];
  add_accelerations(m, qdd, d, w);
  return true;
}

// dq, dv: from derivatives of inverse dynamics to those of forward dynamics; inverse := M^-1. Row-major with leading
// dimension ld, whole eights; null: not wanted. After forward_motion and rnea_derivatives.
template <class T>
void forward_derivatives(const ModelData& m, T* dq, T* dv, T* inverse, int ld, DerivativeData<T>& d) {
  solve_by_chains(m, RightSide::tree, m.nv, T(-1), dq, dv, ld, MatrixOrder::rows, d);
  solve_by_chains(m, RightSide::unit, m.nv, T(1), inverse, static_cast<T*>(nullptr), ld, MatrixOrder::rows,
                  d);
}

TENON_ISA_END
}  // namespace tenon
