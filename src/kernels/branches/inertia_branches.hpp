// sweep_inertias (kernels/tree/articulated_inertia.hpp) on branch lanes. What it leaves, the joint transforms and U
// and D, goes to the workspace of the whole model too, for methods that read it body by body; those of pv_osimr
// (osimr_branches.hpp) read it where it is.
#pragma once

#include "kernels/branches/branch_sweeps.hpp"
#include "kernels/tree/articulated_inertia.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE bool stores_transform(const T& node) {
  return node.kind > joint_revolute_z;
}

// The lanes behind the last limb repeat the joints of the first one, without what its bodies carry.
template <class P>
TENON_INLINE int limb_count(const Bundle<P>& b) {
  int count = P::width;
  while (b.result_of[P::width + count - 1] < 0) --count;
  return count;
}

template <class P>
inline void copy_joints_of_limbs(const Bundle<P>& b, WorkspaceData<double>& whole) {
  constexpr int W = P::width;
  const int limbs = limb_count(b);
  const WorkspaceData<P>& w = b.w;
  for (int i = 1; i < b.model.node_count; ++i) {
    const std::int32_t *body = b.body_of + W * i, *dof = b.v_of + W * i;
    const P rest[4] = {w.U[6 * i + 4], w.U[6 * i + 5], w.D[6 * i], w.cos_q[i]};
    Lanes<double> first[4], last[4];
    numbers_of_each(w.U + 6 * i, first);
    numbers_of_each(rest, last);
    for (int l = 0; l < limbs; ++l) {
      first[l].store(whole.U + 6 * dof[l]);
      store_first(last[l], 2, whole.U + 6 * dof[l] + 4);
      whole.D[6 * dof[l]] = last[l].x[2];
      whole.cos_q[body[l]] = last[l].x[3];
      whole.sin_q[body[l]] = w.sin_q[i].x[l];
    }
    if (!stores_transform(b.model.nodes[i])) continue;
    for (int e = 0; e < 12; e += 4) {
      numbers_of_each(w.X + 12 * i + e, first);
      for (int l = 0; l < limbs; ++l) first[l].store(whole.X + 12 * body[l] + e);
    }
  }
}

template <class P>
inline void copy_joints_of_trunk(const Branches<P>& b, WorkspaceData<double>& whole) {
  for (int i = 0; i < b.trunk.model.node_count; ++i) {
    const NodeData& n = b.trunk.model.nodes[i];
    const int body = b.trunk.body_of[i];
    whole.cos_q[body] = b.trunk.w.cos_q[i];
    whole.sin_q[body] = b.trunk.w.sin_q[i];
    if (stores_transform(n))
      for (int e = 0; e < 12; ++e) whole.X[12 * body + e] = b.trunk.w.X[12 * i + e];
    with_joint(n, [&](auto joint) {
      for (int e = 6 * n.v_index; e < 6 * (n.v_index + decltype(joint)::nv); ++e)
        whole.U[e] = b.trunk.w.U[e], whole.D[e] = b.trunk.w.D[e];
    });
  }
}

template <class P>
TENON_NOINLINE bool sweep_inertias_of_parts(Branches<P>& b, const double* q) {
  bool positive = true;
  for (int k = 0; k < b.bundle_count; ++k) clear_collecting(b.bundles[k]);
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    gather(limbs, q, limbs.q_of, limbs.q);
    positive = sweep_inertias_of<false>(limbs.model, limbs.q, limbs.w) && positive;
    give_inertia(limbs);
  }
  return b.kernels->sweep_inertias(b.trunk.model, q, b.trunk.w) && positive;
}

template <class P>
bool sweep_inertias_of_branches(Branches<P>& b, const double* q, WorkspaceData<double>& whole) {
  const bool positive = sweep_inertias_of_parts(b, q);
  for (int k = 0; k < b.bundle_count; ++k) copy_joints_of_limbs(b.bundles[k], whole);
  copy_joints_of_trunk(b, whole);
  return positive;
}

TENON_ISA_END
}  // namespace tenon
