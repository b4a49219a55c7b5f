// crba (kernels/tree/crba.hpp) on branch lanes, for stars (branch_data.hpp).
//
// Inward, limbs pass their composite inertias in body frames, where passing a joint costs least. Outward they find
// their poses, S and F = Ic S in the root frame: that of the floating body, or without one of the first body of
// each limb. M has three parts besides zeros: the floating body's composite inertia; F of the limbs, in its rows and
// columns, since its S is the identity; and S_i^T F_j within each limb.
//
// Other trees gain nothing from lanes: the scalar sweeps compute four bodies or coordinates at a time too, and limbs
// that carry others need their S and F in the order of the model's coordinates.
#pragma once

#include "kernels/branches/limb_lines.hpp"
#include "kernels/tree/crba.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Inertias of the bodies with all that they carry, in Ic; that of node 1 in its parent's frame, in IA of node 0.
template <class P>
inline void sweep_composite_inertia(Bundle<P>& limbs) {
  WorkspaceData<P>& w = limbs.w;
  RigidInertia<P> carried{};
  for (int i = limbs.model.node_count - 1; i >= 1; --i) {
    const NodeDataOf<P>& n = limbs.model.nodes[i];
    const RigidInertia<P> I = load_rigid<P>(n) + carried;
    store(w.Ic + 12 * i, I);
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, limbs.q, w);
      carried = inertia_to_parent(J::load(n, i, w), I);
    });
  }
  store(w.IA, carried);
}

// S and F of the bodies in the root frame.
template <class P>
inline void sweep_limb_forces(Bundle<P>& limbs, bool floats) {
  WorkspaceData<P>& w = limbs.w;
  const P o(0), e(1);
  const Transform<Rot3<P>, P> root = {{{e, o, o, o, e, o, o, o, e}}, {o, o, o}};
  Transform<Rot3<P>, P> pose = root;
  for (int i = 1; i < limbs.model.node_count; ++i) {
    const NodeDataOf<P>& n = limbs.model.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      if (i > 1)
        pose = compose(pose, J::load(n, i, w));
      else if (floats)
        pose = compose(root, J::load(n, i, w));
      const auto S = J::template column<0, P>(n);
      Motion<P> motion{};
      add(motion, S, n.sign);
      store(w.F_root + 6 * i, force_to_parent(pose, load_inertia<P>(w.Ic + 12 * i) * motion));
      store(w.S_root + 6 * i, outer_motion(S, pose, n.sign));
    });
  }
}

// The blocks of M on its diagonal that belong to the limbs of a bundle.
template <class P>
inline void fill_limb_mass(const Bundle<P>& limbs) {
  const int n = limbs.model.node_count - 1, apart = line_of_block(n);
  P* const block = limbs.w.H;
  for (int j = 0; j < n; ++j) {
    const Force<P> F = load_force<P>(limbs.w.F_root + 6 * (j + 1));
    for (int i = 0; i < j; ++i)
      block[apart * j + i] = block[apart * i + j] = dot(load_motion<P>(limbs.w.S_root + 6 * (i + 1)), F);
    block[apart * j + j] = dot(load_motion<P>(limbs.w.S_root + 6 * (j + 1)), F) + limbs.model.armature[j + 1];
  }
}

// The block of a floating body, with I of all that it carries: six rows of eight numbers.
inline void root_block_of_mass(const ModelData& trunk, const RigidInertia<double>& I, double* block) {
  const double packs[12] = {I.I.xx, I.I.xy, I.I.xz, I.h.x, I.I.yy, I.I.yz, I.I.zz, I.h.y, I.h.z, I.m, 0, 0};
  store_floating_forces(packs, block, 8);
  for (int k = 0; k < 6; ++k) block[9 * k] += trunk.armature[k];
}
TENON_INLINE void store_root_block(const double* block, MatrixOrder order, double* M, std::int64_t ld) {
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) M[place_of(order, r, c, ld)] = block[8 * r + c];
}

// runs: of the whole model.
template <class P>
void crba_of_branches(Branches<P>& b, const LimbCoordinates<P::width>* coordinates, const double* q,
                      double* M, int ld_, const DofRun* runs, int run_count) {
  const std::int64_t ld = ld_;
  const bool floats = b.trunk.model.node_count > 0;
  for (int r = 0; r < run_count; ++r) clear_gaps(runs[r], ld, M);
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    gather(limbs, q, limbs.q_of, limbs.q);
    joint_angles(limbs.model, limbs.q, limbs.w);
    sweep_composite_inertia(limbs);
    for (int j = 0; j < limbs.sibling_count; ++j)
      give(limbs.siblings[j], limbs.w.IA, 10, limbs.siblings[j].stores != 0, b.trunk.w.IA);
  }
  if (floats) {
    const ModelData& trunk = b.trunk.model;
    double block[48];
    root_block_of_mass(trunk, load_rigid<double>(trunk.nodes[0]) + load_inertia<double>(b.trunk.w.IA), block);
    store_root_block(block, MatrixOrder::columns, M, ld);
  }
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    sweep_limb_forces(limbs, floats);
    fill_limb_mass(limbs);
    store_limb_blocks(limbs.w.H, coordinates[k], coordinates[k].block_places, {M}, ld);
    if (floats) store_root_lines(limbs.w.F_root, limbs.w.F_root, coordinates[k], {M}, ld);
  }
}

TENON_ISA_END
}  // namespace tenon
