// What derivatives of packs compute outside kernels: sums of products, and functions of single joints.
#pragma once

#include <cstddef>

#include "data/model_data.hpp"
#include "spatial/pack.hpp"

namespace tenon {

// y := a + sign b c in all lanes; a null: zero, b null: one.
template <class N, int W>
void combine(const Pack<N, W>* a, int sign, const Pack<N, W>* b, const Pack<N, W>* c, std::size_t count,
             Pack<N, W>* y) {
  for (std::size_t i = 0; i < count; ++i)
    for (int l = 0; l < W; ++l)
      y[i][l] = (a ? a[i][l] : N(0)) + static_cast<N>(sign) * (b ? b[i][l] * c[i][l] : c[i][l]);
}

// Functions of one joint (kernels/joint/integrate_derivatives.hpp), which have several formulas, lane by lane for the joints
// of several coordinates; each: (kind, inputs, outputs). Others are not touched.
template <std::size_t inputs, std::size_t outputs, class N, int W, class Each>
void for_lanes_of_joints(const ModelData& m, const Pack<N, W>* const (&from)[inputs],
                         Pack<N, W>* const (&to)[outputs], const Each& each) {
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (n.kind < joint_spherical) continue;
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv, count = end - n.v_index;
    for (int l = 0; l < W; ++l) {
      double x[inputs][6], y[outputs][6];
      for (std::size_t k = 0; k < inputs; ++k)
        for (int e = 0; e < count; ++e) x[k][e] = static_cast<double>(from[k][n.v_index + e][l]);
      each(n.kind, x, y);
      for (std::size_t k = 0; k < outputs; ++k)
        for (int e = 0; e < count; ++e) to[k][n.v_index + e][l] = static_cast<N>(y[k][e]);
    }
  }
}

}  // namespace tenon
