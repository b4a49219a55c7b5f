// What kernels see of a compiled model: plain arrays, no methods, no ownership. Kernels are compiled once per
// instruction set and must not share inline functions with baseline code (src/spatial/isa.hpp), so everything
// here is data.
#pragma once

#include <cstdint>

namespace tenon {

// How a body moves against its parent. Every joint subspace S is a choice of coordinate axes of the child's
// body frame (the frame is ours to choose, architecture "Frames that make it fast"), so S never needs to be
// stored:
//   revolute_k     {k}          rotation by a planar rotation about k, tree rotation identity
//   prismatic_k    {3 + k}      no rotation at all
//   *_oblique      {2} or {5}   about or along z of a realigned frame; general constant tree rotation
//   spherical      {0 1 2}
//   planar         {2 3 4}      normal z; v = [rate about z, velocity along x, y] in the body frame
//   floating       {0 .. 5}
enum JointKind : std::int32_t {
  joint_revolute_x = 0,
  joint_revolute_y = 1,
  joint_revolute_z = 2,
  joint_prismatic_x = 3,
  joint_prismatic_y = 4,
  joint_prismatic_z = 5,
  joint_revolute_oblique = 6,
  joint_prismatic_oblique = 7,
  joint_spherical = 8,
  joint_planar = 9,
  joint_floating = 10,
};

// One node of the cluster tree. Today each node holds one body; a node of several bodies (a local kinematic
// loop) will keep this head and add its cluster joint.
struct NodeData {
  std::int32_t parent;   // node, or -1 for the world; always < own index
  std::int32_t kind;     // JointKind
  std::int32_t q_index;  // first position coordinate
  std::int32_t v_index;  // first velocity coordinate
  double sign;  // one-dof joints: -1 where the user's axis is opposite to the body-frame axis, else 1
  double p[3];  // joint frame origin in the parent body frame
  double R[9];  // tree rotation, child -> parent at q = 0, row by row; identity for the aligned kinds
  double mass;
  double h[3];  // mass * centre of mass, body frame
  double I[6];  // rotational inertia about the body frame origin: xx xy xz yy yz zz
};

struct ModelData {
  std::int32_t node_count;
  std::int32_t nq, nv;
  const NodeData* nodes;  // nodes[i].parent < i, numbered depth first
  const std::int32_t*
      v_parent;  // per velocity coordinate: the one before it on the way to the root, -1 at the end
  const std::int32_t* v_node;  // per velocity coordinate: its node
  const double* armature;      // per velocity coordinate
  const double* v_sign;        // per velocity coordinate: NodeData::sign
  double gravity[3];           // world frame; the default of a workspace
};

}  // namespace tenon
