// The kernels of first derivatives on the numbers of several states at a time, for models without loops. One table for
// each instruction set and precision, apart from that of dynamics (pack_table.hpp) because they take long to compile.
#pragma once

#include "kernels/kernel_list.hpp"
#include "spatial/pack.hpp"

namespace tenon {

// Their memory. Arrays of bodies have a slot before the first, for the world, as those of the workspace do.
template <class T>
struct PackedDerivatives {
  // Products (kernels/pack/product_pack.hpp), 6 numbers a body.
  T* moved;    // motion of the body for the joint rates that are given, or for dq
  T* dv_body;  // jvp: change of velocity as the body sees it
  T* da_body;  // jvp: change of acceleration, the same
  T* force;    // vjp: I Y, jvp: change of the force that moves the body; then of its subtree
  T* moment;   // vjp, 3 a body: moment of 2 B^T Y, the same
  T* x;        // nv: M^-1 times a vector
  // Matrices (kernels/pack/derivative_pack.hpp), in the frame of the root body.
  T* B;                             // 12 a body: velocity inertia of the body, then of its subtree
  T *psi_dot, *psi_ddot, *S_rate;   // 6 a coordinate
  T* M;                             // nv x nv, the lower triangle row by row: mass matrix, then its factor
  const std::int32_t* subtree_end;  // per velocity coordinate: the end of the coordinates of its subtree
};

// What derivatives are multiplied with, and where results go. Null: zero, or not wanted.
template <class T>
struct PackedProduct {
  const T *q, *v, *x;  // of jvp: dq, dv and da or dtau; of vjp: the gradient is x
  T *by_q, *by_v, *by_x;
};

// The list (kernels/kernel_list.hpp). In: with the accelerations at which the derivatives are.
#define TENON_PACK_DERIVATIVE_KERNELS(KERNEL)                                                                    \
  /* Torques, and w^T dtau/d(q, v, a) for the gradient w; all outputs are written. */                            \
  KERNEL(void, rnea_vjp_of_states, Model, In, const PackedProduct<T>&, T* tau, PackedDerivatives<T>&, Work)      \
  /* Torques, and in by_q their change along (dq, dv, da). */                                                    \
  KERNEL(void, rnea_jvp_of_states, Model, In, const PackedProduct<T>&, T* tau, PackedDerivatives<T>&, Work)      \
  /* x := M^-1 x, by the articulated inertias of forward dynamics at q. */                                       \
  KERNEL(void, solve_by_inertias, Model, T* x, PackedDerivatives<T>&, Work)                                      \
  /* Torques, dtau/dq, dtau/dv and M, nv x nv, column by column; null: not wanted. Zeros between branches are */ \
  /* not written. The lower triangle of M is in PackedDerivatives::M too. */                                     \
  KERNEL(void, rnea_derivatives_of_states, Model, In, const PackedProduct<T>&, T* tau,                           \
         PackedDerivatives<T>&, Work)                                                                            \
  /* by_q, by_v := - M^-1 times these; by_x := M^-1. After the last. False, in some lane: M is not positive */   \
  /* definite. */                                                                                                \
  KERNEL(bool, forward_derivatives_of_states, Model, const PackedProduct<T>&, PackedDerivatives<T>&)

template <class N, int W>
struct PackDerivativeKernels {
  using T = Pack<N, W>;
  TENON_KERNEL_ENTRIES(TENON_PACK_DERIVATIVE_KERNELS)
};

}  // namespace tenon
