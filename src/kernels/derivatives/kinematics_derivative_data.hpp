// What derivatives of kinematics write, and their memory: plain arrays (see data/model_data.hpp).
#pragma once

#include "data/motion_changes.hpp"
#include "kernels/derivatives/parameter_data.hpp"

namespace tenon {

// Matrices of 6 rows and nv columns without gaps; null: not wanted.
template <class T>
struct PointDerivatives {
  T *velocity_q, *acceleration_q, *acceleration_v;
};

// The same, and the rate itself, 6.
template <class T>
struct CentroidalDerivatives {
  T *momentum_q, *momentum_v, *rate_q, *rate_v, *rate;
};

// Where a link is fixed to a node, and what its numbers are along: the axes of the world, or its own.
struct PlacedLink {
  int node;             // -1: the world
  const double *R, *p;  // of the link in the body: 9 numbers row by row, and 3
  bool world_axes;
};

// Of bodies, then of their subtrees.
template <class T>
struct KinematicsDerivativeData {
  T* inertia;               // 10, node: m, h, I
  T* momentum;              // 6, node
  T* force;                 // 6, node: that moves the body
  T* B;                     // 12, node: T and f of the velocity inertia (kernels/tree/coriolis.hpp)
  BodyMotions<T> products;  // each 6, node and the world
};

// Gradients by what numbers of the whole robot depend on besides the state: 10 a link of the model, nv, and 3; null: not wanted.
template <class T>
struct MassGradients {
  T *inertia, *armature, *gravity;
};

// The kernels of products (kinematics_derivatives.hpp), of one state and of packs: a part of lists (kernels/kernel_list.hpp).
#define TENON_KINEMATICS_PRODUCTS(KERNEL)                                                                    \
  KERNEL(void, add_link_forces, const PlacedLink&, const BodyMotions<const T>&, const BodyMotions<T>&,       \
         const WorkspaceData<T>&)                                                                            \
  KERNEL(void, kinematics_vjp, Model, const T* v, const T* a, const BodyMotions<T>&, const JointMotions<T>&, \
         const WorkspaceData<T>&)                                                                            \
  KERNEL(void, kinematics_jvp, Model, const T* v, const T* a, const JointMotions<const T>&,                  \
         const BodyMotions<T>&, const WorkspaceData<T>&)                                                     \
  KERNEL(void, link_changes, const PlacedLink&, const BodyMotions<T>&, const BodyMotions<T>&,                \
         const WorkspaceData<T>&)                                                                            \
  /* Of the whole robot, at the numbers of centroidal_state. */                                              \
  KERNEL(void, centroidal_vjp, Model, const T* v, const T* state, const T* gradient, const BodyMotions<T>&,  \
         const JointMotions<T>&, const WorkspaceData<T>&)                                                    \
  KERNEL(void, centroidal_parameter_vjp, Model, const ParameterData<double>& links, const T* v,              \
         const T* state, const T* gradient, const MassGradients<T>&, const WorkspaceData<T>&)                \
  KERNEL(void, centroidal_jvp, Model, const T* v, const T* state, const JointMotions<const T>&,              \
         const BodyMotions<T>&, T* changes, const WorkspaceData<T>&)

}  // namespace tenon
