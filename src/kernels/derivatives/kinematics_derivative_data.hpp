// What derivatives of kinematics write, and their memory: plain arrays (see data/model_data.hpp).
#pragma once

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

// Of bodies, then of their subtrees.
template <class T>
struct KinematicsDerivativeData {
  T* inertia;   // 10, node: m, h, I
  T* momentum;  // 6, node
  T* force;     // 6, node: that moves the body
  T* B;         // 12, node: T and f of the velocity inertia (kernels/tree/coriolis.hpp)
};

}  // namespace tenon
