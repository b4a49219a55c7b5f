// crba and crba_rows (kernels/tree/crba.hpp) on branch lanes.
//
// Inward, limbs pass their composite inertias in body frames, where passing a joint costs least. The trunk takes
// these up and computes its own S and F = Ic S. Outward, limbs find their poses in the root frame from those of
// their parents, and S and F there, which go to the workspace of the whole model. M is written from these as for
// any tree, but for the blocks of limbs that carry no others: lanes compute these.
#pragma once

#include "kernels/branches/branch_sweeps.hpp"
#include "kernels/branches/mass_data.hpp"
#include "kernels/joint/angles.hpp"
#include "kernels/tree/crba.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Inertias of the bodies with all that they carry, in Ic; that of node 1 in its parent's frame, in IA of node 0.
template <class P>
inline void sweep_composite_inertia(Bundle<P>& limbs) {
  const LaneModel<P>& m = limbs.model;
  WorkspaceData<P>& w = limbs.w;
  RigidInertia<P> carried{};
  for (int i = m.node_count - 1; i >= 1; --i) {
    const LaneNode<P>& n = m.nodes[i];
    RigidInertia<P> I = load_rigid<P>(n) + carried;
    if (w.node_flags[i] & node_collects) I = I + load_inertia<P>(w.IA + 21 * i);
    store(w.Ic + 12 * i, I);
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, limbs.q, w);
      carried = inertia_to_parent(J::load(n, i, w), I);
    });
  }
  store(w.IA, carried);
}

// Poses, S and F of the bodies; pose of node 0 is given.
template <class P>
inline void sweep_limb_forces(Bundle<P>& limbs) {
  WorkspaceData<P>& w = limbs.w;
  Transform<Rot3<P>, P> pose = root_pose(w, 0);
  for (int i = 1; i < limbs.model.node_count; ++i) {
    const LaneNode<P>& n = limbs.model.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      pose = compose(pose, J::load(n, i, w));
      store_root_pose(w, i, pose);
      Motion<P> S{};
      at<J::axis[0]>(S) = n.sign;
      store(w.F_root + 6 * i, force_to_parent(pose, load_inertia<P>(w.Ic + 12 * i) * S));
      store(w.S_root + 6 * i, axis_motion<J::axis[0]>(pose, n.sign));
    });
  }
}

// Four numbers of each lane, `apart` numbers apart in x: the first `count` of them to consecutive places of each
// limb.
template <class P>
TENON_INLINE void store_of_limbs(const P* x, int apart, int limbs, const std::int32_t* count,
                                 double* const* to, long at) {
  static_assert(P::width == 4);
  const auto load = [&](int i) {
    return Lanes<double>::load(reinterpret_cast<const double*>(x + i * apart));
  };
  Lanes<double> a = load(0), b = load(1), c = load(2), d = load(3);
  transpose(a, b, c, d);
  store_first(a, count[0], to[0] + at);
  if (limbs > 1) store_first(b, count[1], to[1] + at);
  if (limbs > 2) store_first(c, count[2], to[2] + at);
  if (limbs > 3) store_first(d, count[3], to[3] + at);
}
constexpr std::int32_t whole_groups[4] = {4, 4, 4, 4};

// From six numbers a body to six arrays, `stride` apart, over the coordinates of the model. From the last group on,
// so that what a limb writes behind its end is overwritten by the next limb.
template <class P>
TENON_INLINE void scatter_columns(const LimbCoordinates<P::width>& c, const P* columns,
                                  const std::int32_t* places, long stride, double* to) {
  const int last = (c.body_count - 1) / 4 * 4;
  for (int i = last; i >= 0; i -= 4) {
    double* begin[P::width];
    for (int l = 0; l < P::width; ++l) begin[l] = to + c.first[l] + i;
    for (int e = 0; e < 6; ++e)
      store_of_limbs(columns + 6 * (i + 1) + e, 6, c.limb_count, i < last ? whole_groups : places, begin,
                     e * stride);
  }
}

// The blocks of M on its diagonal that belong to the limbs of a bundle.
template <class P>
inline void store_limb_blocks(const Bundle<P>& limbs, const LimbCoordinates<P::width>& c, double* M,
                              long ld) {
  const int n = c.body_count, last = (n - 1) / 4 * 4, apart = last + 4;
  P* const block = limbs.w.H;
  for (int j = 0; j < n; ++j) {
    const Force<P> F = load_force<P>(limbs.w.F_root + 6 * (j + 1));
    for (int i = 0; i < j; ++i)
      block[apart * j + i] = block[apart * i + j] = dot(load_motion<P>(limbs.w.S_root + 6 * (i + 1)), F);
    block[apart * j + j] = dot(load_motion<P>(limbs.w.S_root + 6 * (j + 1)), F) + limbs.model.armature[j + 1];
  }
  double* begin[P::width];
  for (int l = 0; l < P::width; ++l) begin[l] = M + c.first[l] * (ld + 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= last; i += 4)
      store_of_limbs(block + apart * j + i, 1, c.limb_count, i < last ? whole_groups : c.M_places, begin,
                     j * ld + i);
}

// The rows and columns of M of a floating root, where S is the identity, and of the limbs of a bundle.
template <class P>
inline void store_root_rows(const Bundle<P>& limbs, const LimbCoordinates<P::width>& c, double* M, long ld) {
  scatter_columns(c, limbs.w.F_root, c.root_places, ld, M);
  double* begin[P::width];
  for (int l = 0; l < P::width; ++l) begin[l] = M + c.first[l] * ld;
  for (int j = 0; j < c.body_count; ++j)
    for (const int e : {0, 2})
      store_of_limbs(limbs.w.F_root + 6 * (j + 1) + e, 1, c.limb_count, whole_groups, begin, j * ld + e);
}

// Columns of the trunk to those of the model, in packs: up to three places too many, which limbs or later runs
// overwrite.
template <int W>
inline void copy_trunk_columns(const MassOfBranches<W>& mass, const double* from, double* to) {
  const int own_stride = dof_stride(mass.trunk), stride = dof_stride(*mass.model);
  for (int r = 0; r < mass.run_count; ++r)
    for (int i = 0; i < mass.runs[r].count; i += 4)
      for (int e = 0; e < 6; ++e)
        Lanes<double>::load(from + e * own_stride + mass.runs[r].from + i)
            .store(to + e * stride + mass.runs[r].to + i);
}

template <class P>
inline void sweep_limb_inertias(Branches<P>& b, const double* q) {
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    gather(limbs, q, limbs.q_of, limbs.q);
    joint_angles(limbs.model, limbs.q, limbs.w);
    sweep_composite_inertia(limbs);
    for (int j = 0; j < limbs.sibling_count; ++j) {
      const Siblings<P::width>& siblings = limbs.siblings[j];
      give(siblings, limbs.w.IA, 10, siblings.stores != 0, siblings.parent.IA);
    }
  }
}

// rows: S of all limbs is wanted, for path rows; else of those only that carry others.
template <class P>
inline void composite_forces_of_branches(Branches<P>& b, MassOfBranches<P::width>& mass, const double* q,
                                         bool rows, WorkspaceData<double>& whole) {
  sweep_limb_inertias(b, q);
  for (int k = 0; k < mass.carrier_count; ++k) {
    const LimbCarrier& carrier = mass.carriers[k];
    double* lane = mass.w.body_inertia + carrier.node / 4 * 40 + carrier.node % 4;
    for (int e = 0; e < 10; ++e) lane[4 * e] = carrier.inertia[e] + b.w.IA[21 * carrier.node + e];
  }
  b.kernels->composite_forces(mass.trunk, q, mass.w);
  copy_trunk_columns(mass, mass.w.S_root, whole.S_root);
  copy_trunk_columns(mass, mass.w.F_root, whole.F_root);
  const int stride = dof_stride(*mass.model);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    const LimbCoordinates<P::width>& c = mass.limbs[k];
    read_parents<P>(c.parents, c.one_parent != 0, &LimbParent::pose, limbs.w.pose, 16);
    sweep_limb_forces(limbs);
    scatter_columns(c, limbs.w.F_root, c.F_places, stride, whole.F_root);
    if (rows || c.carries) scatter_columns(c, limbs.w.S_root, c.F_places, stride, whole.S_root);
  }
}

// The block of a floating root that carries limbs only.
template <class P>
inline void store_root_block(const Branches<P>& b, const MassOfBranches<P::width>& mass, double* M, long ld) {
  double I[10], Ic[12], F[6 * 8];
  for (int e = 0; e < 10; ++e) I[e] = mass.carriers[0].inertia[e] + b.w.IA[e];
  const double in_packs[12] = {I[4], I[5], I[6], I[1], I[7], I[8], I[9], I[2], I[3], I[0], 0, 0};
  for (int e = 0; e < 12; ++e) Ic[e] = in_packs[e];
  store_floating_forces(Ic, F, 8);
  for (int k = 0; k < 6; ++k) {
    double* column = M + k * ld;
    Lanes<double>::load(F + 8 * k).store(column);
    column[4] = F[8 * k + 4], column[5] = F[8 * k + 5];
    column[k] = F[9 * k] + mass.model->armature[k];
  }
}

// M where the trunk is a floating body or nothing, and no limb carries others: lanes write all but its zeros.
template <class P>
void crba_of_star(Branches<P>& b, const MassOfBranches<P::width>& mass, const double* q, double* M, long ld) {
  sweep_limb_inertias(b, q);
  for (int r = 0; r < mass.model_run_count; ++r) clear_gaps(mass.model_runs[r], M, ld);
  const bool floats = mass.trunk.node_count > 0;
  if (floats) store_root_block(b, mass, M, ld);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    const LimbCoordinates<P::width>& c = mass.limbs[k];
    read_parents<P>(c.parents, c.one_parent != 0, &LimbParent::pose, limbs.w.pose, 16);
    sweep_limb_forces(limbs);
    store_limb_blocks(limbs, c, M, ld);
    if (floats) store_root_rows(limbs, c, M, ld);
  }
}

template <class P>
void crba_of_branches(Branches<P>& b, MassOfBranches<P::width>& mass, const double* q, double* M, int ld,
                      WorkspaceData<double>& whole) {
  if (mass.is_star) return crba_of_star(b, mass, q, M, ld);
  composite_forces_of_branches(b, mass, q, false, whole);
  b.kernels->mass_matrix_of_forces(*mass.model, mass.model_runs, mass.model_run_count, M, ld, whole);
  for (int k = 0; k < b.bundle_count; ++k)
    if (!mass.limbs[k].carries) store_limb_blocks(b.bundles[k], mass.limbs[k], M, ld);
}

template <class P>
void crba_rows_of_branches(Branches<P>& b, MassOfBranches<P::width>& mass, const double* q, double* rows,
                           WorkspaceData<double>& whole) {
  composite_forces_of_branches(b, mass, q, true, whole);
  b.kernels->mass_rows_of_forces(*mass.model, rows, whole);
}

TENON_ISA_END
}  // namespace tenon
