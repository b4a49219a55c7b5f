// Sines and cosines of all joint angles in one pass over contiguous memory, in packs: with scalar sines they
// would take a fifth of the time of ABA on an arm.
#pragma once

#include "kernels/joint/sincos.hpp"
#include "kernels/workspace_data.hpp"
#include "model/model_data.hpp"
#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE bool has_angle(const NodeData& n) {
  return n.kind <= joint_revolute_z || n.kind == joint_revolute_oblique || n.kind == joint_planar;
}

// Fills angle, cos_q and sin_q of every node. Nodes without an angle keep the zero from the allocation.
template <class T>
inline void joint_angles(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (has_angle<T>(n)) w.angle[i] = T(n.sign) * q[n.q_index + (n.kind == joint_planar ? 2 : 0)];
  }
  sin_cos(w.angle, w.sin_q, w.cos_q, m.node_count);
}

TENON_ISA_END
}  // namespace tenon
