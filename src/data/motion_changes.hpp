// What products with derivatives of motion are of (kernels/derivatives/kinematics_derivatives.hpp): plain arrays (see
// data/model_data.hpp).
#pragma once

namespace tenon {

// Changes of poses, velocities and accelerations of bodies or links, 6 numbers each, or forces on these. Which may be null, and
// what that means, functions say.
template <class T>
struct BodyMotions {
  T *poses, *velocities, *accelerations;
  // How many of the three have part, one after the other: where one has, those before it have.
  int order() const { return accelerations ? 2 : velocities ? 1 : 0; }
};

// Changes of the positions of joints, a tangent, of their velocities and accelerations, or gradients by these.
template <class T>
struct JointMotions {
  T *q, *v, *a;
};

}  // namespace tenon
