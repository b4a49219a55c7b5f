// Matrices of first derivatives of forward dynamics on branch lanes, for stars: - M^-1 times those of inverse dynamics
// (derivative_branches.hpp), and M^-1, by one elimination (star_solution.hpp), which has the accelerations too. Cost O(n d) and
// O(n^2).
#pragma once

#include "kernels/branches/star_solution.hpp"
#include "spatial/finite_numbers.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- accelerations

// qdd of forward dynamics. inverse: S^-1. Leaves the accelerations of the joints of limbs in them, and of the root at node 0.
template <class P>
inline void accelerate_star(Branches<P>& b, const Inputs<double>& in, const RootOfStar& root,
                            const double* inverse, double* qdd) {
  const bool floats = b.trunk.model.node_count > 0;
  double rest[8] = {}, f[8], a[6] = {};
  store(f, root.f);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    gather(limbs, in.tau, limbs.v_of, limbs.qdd);
    with_joints_of_limb(limbs.model.node_count - 1, [&](auto n) {
      for (int j = 1; j <= n; ++j) limbs.qdd[j] = limbs.qdd[j] - x.tau[j];
      if (floats) {
        P sum[8] = {};
        for (int j = 1; j <= n; ++j)
          unroll<6>([&](auto e) { sum[e] = sum[e] + x.E[6 * j + e] * limbs.qdd[j]; });
        for (int e = 0; e < 8; e += 4) {
          double* const to[1] = {rest + e};
          add_sums(sum + e, to);
        }
      }
      solve_limbs<1>(x.factor, n, limbs.qdd + 1, 1, 1);
    });
  }
  for (int r = 0; floats && r < 6; ++r) rest[r] += in.tau[r] - f[r];
  for (int r = 0; floats && r < 6; ++r) {
    for (int e = 0; e < 6; ++e) a[r] += inverse[8 * r + e] * rest[e];
    qdd[r] = a[r];
  }
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    for (int e = 0; e < 6; ++e) x.w.a[e] = P(a[e]);
    for (int j = 1; j < limbs.model.node_count; ++j)
      for (int e = 0; e < 6; ++e) limbs.qdd[j] = limbs.qdd[j] + x.E[6 * j + e] * x.w.a[e];
    scatter(limbs, limbs.qdd, qdd);
  }
}

// Accelerations of bodies by those of joints alone, and what they add to psi_ddot. at_rest: of a robot without velocities and
// gravity, which has nothing else there. x.w.a of node 0: that of the root.
template <bool at_rest, class P>
inline void accelerate_joints(Bundle<P>& limbs) {
  LimbMatrices<P>& x = *limbs.matrices;
  for (int k = 1; k < limbs.model.node_count; ++k) {
    const Motion<P> S = load_motion<P>(x.w.U + 6 * k), above = load_motion<P>(x.w.a + 6 * (k - 1));
    P* const psi_ddot = x.motions.psi_ddot + 6 * k;
    store(psi_ddot, at_rest ? cross(above, S) : load_motion<P>(psi_ddot) + cross(above, S));
    store(x.w.a + 6 * k, above + Motion<P>{limbs.qdd[k] * S.w, limbs.qdd[k] * S.v});
  }
}
// What accelerations change, in the limbs' parts of the blocks by q.
template <class P>
inline void accelerate_limbs(Bundle<P>& limbs) {
  LimbMatrices<P>& x = *limbs.matrices;
  const int end = limbs.model.node_count;
  accelerate_joints<false>(limbs);
  // The bodies of the subtree of k accelerate as k does, and by the joints between.
  Force<P> further{};
  for (int k = end - 1; k >= 1; --k) {
    const Motion<P> a = load_motion<P>(x.w.a + 6 * k);
    store(x.w.f + 6 * k, load_force<P>(x.w.f + 6 * k) + load_inertia<P>(x.w.IA + 21 * k) * a + further);
    further = further + scaled(limbs.qdd[k], load_force<P>(x.F + 6 * k));
  }
}

// The blocks by q of a bundle, and the damping of joints in those by v.
template <class P>
inline void finish_limb_blocks(Bundle<P>& limbs, const RootOfStar& root, const StarMatrices& to) {
  LimbMatrices<P>& x = *limbs.matrices;
  if (to.by_q)
    with_joints_of_limb(limbs.model.node_count - 1,
                        [&](auto n) { fill_position_blocks(limbs, MatrixOrder::columns, root.rest, n); });
  for (int j = 1; to.damping && j < limbs.model.node_count; ++j) {
    P& diagonal = x.by_v[(x.line + 1) * (j - 1)];
    diagonal = diagonal + gathered<P>(to.damping, limbs.v_of + P::width * j);
  }
}

// ---- the matrices

// All that are wanted, after factor_star and finish_limb_blocks. by_q, by_v: blocks of the root. forces: of rows; null: these do not act.
template <class P>
inline void solve_star(Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                       const double (&root_by_q)[48], const double (&root_by_v)[48], const StarMatrices& to,
                       const StarForces* forces) {
  const bool floats = b.trunk.model.node_count > 0;
  const int rows = forces ? b.star.rows : 0;
  if (to.by_q || to.by_v) {
    // Where one is not wanted, the other is made twice.
    const bool q = to.by_q, v = to.by_v;
    double D[2][48] = {};
    for (int e = 0; floats && e < 48; ++e) D[0][e] = q ? root_by_q[e] : root_by_v[e];
    for (int e = 0; floats && e < 48; ++e) D[1][e] = v ? root_by_v[e] : root_by_q[e];
    const auto of = [&](const LimbMatrices<P>& x) {
      const auto pair = [&](const P* by_q, const P* by_v) {
        return PackPair<P>{q ? by_q : by_v, v ? by_v : by_q};
      };
      return LimbNumbers<PackPair<P>>{pair(x.by_q, x.by_v), pair(x.F_q, x.F_v), pair(x.root_q, x.root_v)};
    };
    StarSolution<2> both = {{q ? to.by_q : to.by_v, v ? to.by_v : to.by_q}, {}, to.ld, 0, rows, false};
    if (forces && (forces->by_q || forces->by_v))
      both.force[0] = q ? forces->by_q : forces->by_v, both.force[1] = v ? forces->by_v : forces->by_q,
      both.force_ld = forces->ld, both.has_forces = true;
    solve_both(b, coordinates, D, of, q, v, both);
  }
  if (!to.by_x) return;
  StarSolution<1> by_x = {{to.by_x}, {}, to.ld, 0, rows, false};
  if (forces && forces->by_x)
    by_x.force[0] = forces->by_x, by_x.force_ld = forces->ld, by_x.has_forces = true;
  solve_forces(b, coordinates, by_x);
}

// Blocks of the root by q and by v, with its damping.
inline void root_blocks(const RootOfStar& root, const StarMatrices& to, double (&by_q)[48],
                        double (&by_v)[48]) {
  root_block_by_q(root, by_q), root_block_by_v(root, by_v);
  for (int k = 0; to.damping && k < 6; ++k) by_v[9 * k] += to.damping[k];
}

// Whether what matrices of moderate terms are multiplied with is moderate too, so that products are finite for certain: at most
// 2^50, and accelerations 2^100. NaN is not.
template <class P>
inline bool is_moderate(const Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                        const double (&inverse)[48], const double* qdd) {
  P sum(0);
  const auto add = [&](const P* x, int count) {
    for (int e = 0; e < count; ++e) sum = sum + x[e] * x[e];
  };
  for (int k = 0; k < b.bundle_count; ++k) {
    const LimbMatrices<P>& x = *b.bundles[k].matrices;
    const int n = coordinates[k].body_count;
    add(x.inverse, n * x.line), add(x.E + 6, 6 * n);
  }
  double of_root = sum_of(sum), of_qdd = 0;
  for (const double x : inverse) of_root += x * x;
  for (int k = 0; k < b.star.nv; ++k) of_qdd += qdd[k] * qdd[k];
  FiniteNumbers scaled;
  scaled.see(0x1p923 * of_root), scaled.see(0x1p823 * of_qdd);
  return scaled.all();
}

template <class P>
bool forward_derivatives_of_branches(Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                                     const Inputs<double>& in, double* qdd, const StarMatrices& to,
                                     const StarMatrices* at_once, bool* went_at_once) {
  const RootOfStar root = sweep_star(b, MatrixOrder::columns, in);
  double inverse[48] = {}, by_q[48] = {}, by_v[48] = {};
  if (!factor_star(b, coordinates, root, inverse)) return false;
  accelerate_star(b, in, root, inverse, qdd);
  for (int k = 0; k < b.bundle_count; ++k) {
    accelerate_limbs(b.bundles[k]);
    finish_limb_blocks(b.bundles[k], root, to);
  }
  root_blocks(root, to, by_q, by_v);
  *went_at_once = at_once && is_moderate(b, coordinates, inverse, qdd);
  solve_star(b, coordinates, by_q, by_v, *went_at_once ? *at_once : to, nullptr);
  return true;
}

TENON_ISA_END
}  // namespace tenon
