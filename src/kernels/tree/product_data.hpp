// Memory of derivatives of dynamics, lanes being states or limbs: of products by sweeps in body frames, and of matrices. Plain
// arrays (see data/model_data.hpp).
#pragma once

namespace tenon {

// 6 numbers a body, with a slot before the first, for the world, as in the workspace.
template <class T>
struct ProductBodies {
  T* moved;    // motion of the body for the joint rates that are given, or for dq
  T* dv_body;  // jvp: change of velocity as the body sees it
  T* da_body;  // jvp: change of acceleration, the same
  T* force;    // vjp: I Y, jvp: change of the force that moves the body; then of its subtree
  T* moment;   // vjp, 3 a body: moment of 2 B^T Y, the same; with rows whole forces, 6 a body
};

// Of matrices (root_frame_sweeps.hpp), in the frame of the root body.
template <class T>
struct RootFrameMotions {
  T* B;                            // 12 a body: velocity inertia of the body, then of its subtree
  T *psi_dot, *psi_ddot, *S_rate;  // 6 a coordinate
};

// What derivatives are multiplied with, and where results go. Null: zero, or not wanted.
template <class T>
struct TreeProduct {
  const T *q, *v, *x;  // of jvp: dq, dv and da or dtau; of vjp: the gradient is x
  T *by_q, *by_v, *by_x;
  // Whether poses and velocities of bodies are those of this state, after forward dynamics; and of vjp, whether
  // ProductBodies::moved is the motion for the gradient, after a solve for that, and accelerations of bodies are those of the state
  // too: after a solve with rows they are of the robot without rows.
  bool placed = false, moved = false, accelerated = false;
};

// The rows in products with them, in the kernels' order.
template <class T>
struct RowProduct {
  const T* lambda;  // forces at the solution
  const T* b;       // vjp: multipliers
  T* ds;            // jvp: the change of rows
};

}  // namespace tenon
