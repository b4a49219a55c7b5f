// A robot as in a textbook: bodies, each with a parent and a joint, and frames fixed to bodies. Input of the
// dense reference. Made from a compiled Model here; tests also make it from a Mechanism, so that they do not
// depend on the compiler of models.
#pragma once

#include <vector>

#include "tenon/mechanism.hpp"
#include "tenon/model.hpp"

namespace tenon::reference {

struct Body {
  int parent;            // -1: the world; always smaller than the body's own index
  JointType type;        // never universal
  int q_index, v_index;  // first coordinates; unused when fixed
  Pose origin;           // of the body frame in the parent's at q = 0
  Matrix3
      basis;  // columns: in-plane x, y and joint axis in the body frame; one-dof joints use the third only
  double mass;
  Vector3 first_moment;           // mass * centre of mass, body frame
  std::array<double, 6> inertia;  // xx xy xz yy yz zz about the body frame origin
  double pitch;                   // screws: translation along the axis for one radian
};

struct Frame {
  int body;  // -1: the world
  Pose placement;
};

struct Tree {
  int nq = 0, nv = 0;
  std::vector<Body> bodies;
  std::vector<Frame> links;      // one for each of Model::links
  std::vector<double> armature;  // per velocity coordinate
};

// Columns x, y, axis of a right-handed basis; the axis is normalised, x and y are any.
Matrix3 basis_along(const Vector3& axis);

Tree tree_of(const Model& model);

}  // namespace tenon::reference
