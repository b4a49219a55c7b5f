// Matrices of first derivatives of inverse dynamics on branch lanes, for stars (branch_data.hpp), by the sweeps of
// kernels/tree/root_frame_sweeps.hpp. They have the blocks of the mass matrix (crba_branches.hpp): of the root, of each limb,
// and what limbs show to the root, whose S is the identity. Where the root moves, S_rate = v x S of its coordinates,
// psi_dot = 0, and psi_ddot turns gravity alone; so what it shows to limbs needs no products with S. Cost O(n d).
#pragma once

#include "kernels/branches/crba_branches.hpp"
#include "kernels/tree/root_frame_sweeps.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- blocks

// Calls f(n) with the number of joints of a limb, as a compile-time value where it is that of legs of most quadrupeds.
template <class F>
TENON_INLINE void with_joints_of_limb(int n, const F& f) {
  constexpr int of_legs = 3;
  if (n == of_legs)
    f(std::integral_constant<int, of_legs>{});
  else
    f(n);
}

// Entry (row, column) of a block of a limb, counted from 0.
template <class P>
TENON_INLINE P& entry_of(P* block, int line, MatrixOrder order, int row, int column) {
  return block[order == MatrixOrder::rows ? line * row + column : line * column + row];
}

// What the root has with all that it carries, in its frame; zero without a floating root.
struct RootOfStar {
  RigidInertia<double> I;
  VelocityInertia<double> B;
  Force<double> f;
  Motion<double> v;
  Vec3<double> rest;  // the acceleration in place of gravity
};

// Outward: poses and motions of a bundle. Without in.qdd of joints that do not accelerate.
template <class P>
inline void place_limb_motions(Bundle<P>& limbs, const Inputs<double>& in) {
  LimbMatrices<P>& x = *limbs.matrices;
  const P o(0), e(1);
  gather(limbs, in.q, limbs.q_of, limbs.q);
  gather(limbs, in.v, limbs.v_of, limbs.v);
  if (in.qdd)
    gather(limbs, in.qdd, limbs.v_of, limbs.qdd);
  else
    for (int k = 1; k < limbs.model.node_count; ++k) limbs.qdd[k] = o;
  gather_wrenches(in.wrenches, limbs);
  read_parents(limbs, &LimbParent::v, x.w.v);
  read_parents(limbs, &LimbParent::a, x.w.a);
  store(x.w.R0, Mat3<P>{e, o, o, o, e, o, o, o, e}), store(x.w.p0, Vec3<P>{o, o, o});
  for (int i = 0; i < 10; ++i) x.w.IA[i] = o;
  for (int i = 0; i < 12; ++i) x.motions.B[i] = o;
  store(x.w.f, Force<P>{});
  Inputs<P> own = inputs_of(limbs, in);
  own.qdd = limbs.qdd;
  sweep_derivative_motions(limbs.model, own, x.motions, x.w);
}

// Inward: what does not depend on accelerations, and torques, in x.tau. order: of the blocks. n: joints of a limb.
template <class P, class Count>
inline void fill_velocity_blocks(Bundle<P>& limbs, MatrixOrder order, Count n) {
  LimbMatrices<P>& x = *limbs.matrices;
  const int line = line_of_block(n);
  const Motion<P> v_0 = load_motion<P>(x.w.v);
  for (int k = n; k >= 1; --k) {
    const CoordinateForces<P> forces = forces_of_coordinate(k, k, x.motions, x.w);
    const Force<P>& F = forces.F;
    store(x.F + 6 * k, F), store(x.F_v + 6 * k, forces.F_v), store(x.N_k + 3 * k, forces.N);
    store(x.root_v + 6 * k, Force<P>{cross(F.n, v_0.w) + cross(F.f, v_0.v) + forces.N, cross(F.f, v_0.w)});
    for (int j = k; j >= 1; --j) {
      const Motion<P> S = load_motion<P>(x.w.U + 6 * j);
      entry_of(x.mass, line, order, j - 1, k - 1) = entry_of(x.mass, line, order, k - 1, j - 1) = dot(S, F);
      entry_of(x.by_v, line, order, j - 1, k - 1) = dot(S, forces.F_v);
      entry_of(x.by_v, line, order, k - 1, j - 1) =
          forces.below_v(load_motion<P>(x.motions.S_rate + 6 * j), S);
    }
    P& diagonal = x.mass[(line + 1) * (k - 1)];
    const P armature = limbs.model.armature[k];
    diagonal = diagonal + armature;
    x.tau[k] = dot(load_motion<P>(x.w.U + 6 * k), load_force<P>(x.w.f + 6 * k)) + armature * limbs.qdd[k];
    add_to_parent(k, k - 1, x.motions, x.w);
  }
}
// The others.
template <class P, class Count>
inline void fill_position_blocks(Bundle<P>& limbs, MatrixOrder order, const Vec3<double>& rest, Count n) {
  LimbMatrices<P>& x = *limbs.matrices;
  const int line = line_of_block(n);
  const Vec3<P> gravity = {P(rest.x), P(rest.y), P(rest.z)};
  for (int k = n; k >= 1; --k) {
    const CoordinateForces<P> forces = {load_force<P>(x.F + 6 * k), {}, load_vec3<P>(x.N_k + 3 * k)};
    const Force<P> F_q = force_by_position(k, k, x.motions, x.w);
    store(x.F_q + 6 * k, F_q);
    store(x.root_q + 6 * k, cross(forces.F.f, gravity));
    for (int j = k; j >= 1; --j) {
      entry_of(x.by_q, line, order, j - 1, k - 1) = dot(load_motion<P>(x.w.U + 6 * j), F_q);
      entry_of(x.by_q, line, order, k - 1, j - 1) =
          forces.below_q(load_motion<P>(x.motions.psi_ddot + 6 * j), load_vec3<P>(x.motions.psi_dot + 6 * j));
    }
  }
}

// What the root has, after sweeps of all limbs.
template <class P>
inline RootOfStar root_of_star(const Branches<P>& b) {
  const TreePart<double>& trunk = b.trunk;
  RootOfStar root{};
  if (trunk.model.node_count == 0) return root;
  with_joint(trunk.model.nodes[0], [&](auto joint) {
    using J = decltype(joint);
    root.rest =
        motion_to_child(J::load(trunk.model.nodes[0], 0, trunk.w), load_motion<double>(trunk.w.a - 6)).v;
  });
  root.v = load_motion<double>(trunk.w.v), root.f = load_force<double>(trunk.w.f);
  double inertia[10] = {}, velocity_inertias[12] = {};
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    const Bundle<P>& limbs = b.bundles[k];
    for (int s = 0; s < limbs.sibling_count; ++s) {
      give(limbs.siblings[s], limbs.matrices->w.IA, 10, false, inertia);
      give(limbs.siblings[s], limbs.matrices->motions.B, 12, false, velocity_inertias);
    }
  }
  const RigidInertia<double> own = load_rigid<double>(trunk.model.nodes[0]);
  root.I = own + load_inertia<double>(inertia);
  const VelocityInertia<double> B = twice(velocity_inertia(own, root.v)),
                                of_limbs = load_velocity_inertia(velocity_inertias);
  root.B = {B.rotation + of_limbs.rotation, B.momentum + of_limbs.momentum};
  return root;
}

// Velocity blocks of all limbs, and what the root carries. Without in.qdd where nothing accelerates but gravity.
template <class P>
inline RootOfStar sweep_star(Branches<P>& b, MatrixOrder order, const Inputs<double>& in) {
  TreePart<double>& trunk = b.trunk;
  gather_wrenches(in.wrenches, trunk);
  b.kernels->sweep_body_forces(trunk.model, inputs_of_trunk(b, in), trunk.w);
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    place_limb_motions(limbs, in);
    with_joints_of_limb(limbs.model.node_count - 1, [&](auto n) { fill_velocity_blocks(limbs, order, n); });
    give_force(limbs, limbs.matrices->w.f, &LimbParent::f);
  }
  return root_of_star(b);
}

// ---- the block of a floating root: six rows of eight numbers

// Columns of its rotations and of its translations, in lanes.
using RootColumns = Force<Lanes<double>>;

TENON_INLINE Vec3<Lanes<double>> in_all_lanes(const Vec3<double>& a) {
  return {Lanes<double>(a.x), Lanes<double>(a.y), Lanes<double>(a.z)};
}
TENON_INLINE RigidInertia<Lanes<double>> in_all_lanes(const RigidInertia<double>& a) {
  using L = Lanes<double>;
  return {L(a.m), in_all_lanes(a.h), {L(a.I.xx), L(a.I.xy), L(a.I.xz), L(a.I.yy), L(a.I.yz), L(a.I.zz)}};
}
TENON_INLINE VelocityInertia<Lanes<double>> in_all_lanes(const VelocityInertia<double>& B) {
  using L = Lanes<double>;
  const Mat3<double>& R = B.rotation;
  return {{L(R.xx), L(R.xy), L(R.xz), L(R.yx), L(R.yy), L(R.yz), L(R.zx), L(R.zy), L(R.zz)},
          in_all_lanes(B.momentum)};
}
TENON_INLINE Vec3<Lanes<double>> axes_in_lanes() {
  using L = Lanes<double>;
  return {L(1.0, 0.0, 0.0, 0.0), L(0.0, 1.0, 0.0, 0.0), L(0.0, 0.0, 1.0, 0.0)};
}
// I times a translation.
TENON_INLINE RootColumns multiply_translation(const RigidInertia<Lanes<double>>& I,
                                              const Vec3<Lanes<double>>& u) {
  return {cross(I.h, u), I.m * u};
}
TENON_INLINE void store_root_columns(const RootColumns& x, double* to) {
  x.n.x.store(to), x.n.y.store(to + 8), x.n.z.store(to + 16);
  x.f.x.store(to + 24), x.f.y.store(to + 32), x.f.z.store(to + 40);
}
inline void root_block_by_q(const RootOfStar& root, double* to) {
  const Vec3<Lanes<double>> rest = in_all_lanes(root.rest);
  store_root_columns(multiply_translation(in_all_lanes(root.I), cross(rest, axes_in_lanes())), to);
  for (int r = 0; r < 6; ++r) to[8 * r + 3] = to[8 * r + 4] = to[8 * r + 5] = 0;
}
inline void root_block_by_v(const RootOfStar& root, double* to) {
  using L = Lanes<double>;
  const Vec3<L> axes = axes_in_lanes(), zero = {L(0.0), L(0.0), L(0.0)};
  const RigidInertia<L> I = in_all_lanes(root.I);
  const Motion<L> v = {in_all_lanes(root.v.w), in_all_lanes(root.v.v)}, turn = {axes, zero};
  store_root_columns(I * cross(v, turn) + in_all_lanes(root.B) * turn, to);
  store_root_columns(multiply_translation(I, cross(v.w, axes)), to + 3);
}

// ---- inverse dynamics

// The limbs' parts of one matrix, or of two. of(x): their numbers.
template <class P, int matrices, class Of>
inline void store_limbs(const Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                        const StarMatrices& to, double* const (&M)[matrices], const Of& of) {
  const bool rows = to.order == MatrixOrder::rows;
  for (double* matrix : M)
    for (int r = 0; r < to.run_count; ++r) clear_gaps(to.runs[r], to.ld, matrix);
  for (int k = 0; k < b.bundle_count; ++k) {
    const auto x = of(*b.bundles[k].matrices);
    store_limb_blocks(x.block, coordinates[k], coordinates[k].block_places, M, to.ld);
    if (b.trunk.model.node_count == 0) continue;
    store_root_lines(rows ? x.of_root_columns : x.of_root_rows, rows ? x.of_root_rows : x.of_root_columns,
                     coordinates[k], M, to.ld);
  }
}

template <class P>
void rnea_derivatives_of_branches(Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                                  const Inputs<double>& in, double* tau, const StarMatrices& to) {
  using X = LimbMatrices<P>;
  using Packs = LimbNumbers<const P*>;
  using Pairs = LimbNumbers<PackPair<P>>;
  const ModelData& trunk = b.trunk.model;
  const bool floats = trunk.node_count > 0;
  const RootOfStar root = sweep_star(b, to.order, in);
  for (int k = 0; k < b.bundle_count; ++k) {
    if (to.by_q)
      with_joints_of_limb(coordinates[k].body_count,
                          [&](auto n) { fill_position_blocks(b.bundles[k], to.order, root.rest, n); });
    if (tau) scatter(b.bundles[k], b.bundles[k].matrices->tau, tau);
  }
  double f[6];
  store(f, root.f);
  for (int k = 0; tau && floats && k < 6; ++k) tau[k] = f[k] + trunk.armature[k] * in.qdd[k];
  const auto store_limbs_of = [&](const auto& M, const auto& of) { store_limbs(b, coordinates, to, M, of); };
  using One = double* const[1];
  using Two = double* const[2];
  if (to.by_q && to.by_v)
    store_limbs_of(Two{to.by_q, to.by_v}, [](const X& x) {
      return Pairs{{x.by_q, x.by_v}, {x.F_q, x.F_v}, {x.root_q, x.root_v}};
    });
  else if (to.by_q)
    store_limbs_of(One{to.by_q}, [](const X& x) { return Packs{x.by_q, x.F_q, x.root_q}; });
  else if (to.by_v)
    store_limbs_of(One{to.by_v}, [](const X& x) { return Packs{x.by_v, x.F_v, x.root_v}; });
  if (to.by_x) store_limbs_of(One{to.by_x}, [](const X& x) { return Packs{x.mass, x.F, x.F}; });
  const auto store_root = [&](double* M, const auto& fill) {
    if (!M || !floats) return;
    double block[48];
    fill(block);
    store_root_block(block, to.order, M, to.ld);
  };
  store_root(to.by_q, [&](double* block) { root_block_by_q(root, block); });
  store_root(to.by_v, [&](double* block) { root_block_by_v(root, block); });
  store_root(to.by_x, [&](double* block) { root_block_of_mass(trunk, root.I, block); });
  for (int k = 0; to.by_v && to.damping && k < to.nv; ++k) to.by_v[k * (to.ld + 1)] += to.damping[k];
}

TENON_ISA_END
}  // namespace tenon
