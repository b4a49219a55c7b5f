// Matrices of first derivatives of forward dynamics on branch lanes, for stars: - M^-1 times those of inverse dynamics
// (derivative_branches.hpp), and M^-1. With C the block of M of a limb and B its rows in the columns of the root,
//
//   E = C^-1 B,   S = M_00 - sum B^T E,   X_0 = S^-1 (D_0 - sum E^T D_limb),   X_limb = C^-1 D_limb - E X_0,
//
// all limbs of a bundle side by side, and the matrices by q and by v at once. The accelerations come from the same factor.
// Cost O(n d) and O(n^2).
#pragma once

#include <algorithm>

#include "kernels/branches/derivative_branches.hpp"
#include "kernels/derivatives/chain_columns.hpp"
#include "spatial/small_ldl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The sum of a(e) x[e] over six, by two sums that do not wait for each other.
template <class A, class N>
TENON_INLINE N dot_six(const A& a, const N (&x)[6]) {
  N even = a(0) * x[0], odd = a(1) * x[1];
  even = even + a(2) * x[2], odd = odd + a(3) * x[3];
  return (even + a(4) * x[4]) + (odd + a(5) * x[5]);
}

// ---- the factor

// x := C^-1 x, N columns: number (i, e) at i row + e column. L: of C, as a block.
template <int N, class X>
TENON_INLINE void solve_limbs(const X* L, int n, X* x, int row, int column) {
  const int line = line_of_block(n);
  const auto subtract = [&](int i, int first, int end, bool scales, const auto& factor) TENON_INLINE_LAMBDA {
    decltype(number(x, 0)) sum[N];
    unroll<N>([&](auto e) { sum[e] = number(x, row * i + column * e); });
    if (scales) {
      const auto inverse = number(L, (line + 1) * i);
      unroll<N>([&](auto e) { sum[e] = inverse * sum[e]; });
    }
    for (int k = first; k < end; ++k) {
      const auto s = factor(k);
      unroll<N>([&](auto e) { sum[e] = sum[e] - s * number(x, row * k + column * e); });
    }
    unroll<N>([&](auto e) { put(x, row * i + column * e, sum[e]); });
  };
  for (int i = 1; i < n; ++i) subtract(i, 0, i, false, [&](int k) { return number(L, line * i + k); });
  for (int i = n - 1; i >= 0; --i)
    subtract(i, i + 1, n, true, [&](int k) { return number(L, line * k + i); });
}

// Factors the mass matrix of the limbs of a bundle, and finds E: zero in lanes without a limb. rows: of E, eight numbers a
// coordinate of the model.
template <class P>
inline bool factor_limbs(Bundle<P>& limbs, const LimbCoordinates<P::width>& c, double* rows) {
  LimbMatrices<P>& x = *limbs.matrices;
  const int n = c.body_count;
  std::copy_n(x.mass, n * x.line, x.factor);
  const bool positive = factor_ldl(n, x.line, x.factor);
  std::copy_n(x.F + 6, 6 * n, x.E + 6);
  solve_limbs<6>(x.factor, n, x.E + 6, 6, 1);
  for (int l = 0; l < P::width; ++l)
    for (int e = 6; c.whole_places[l] == 0 && e < 6 * (n + 1); ++e) set_lane(x.E[e], l, 0.0);
  const LimbLines<1> to({rows}, [&](int l) { return 8 * c.first[l]; });
  for (int k = 0; k < n; ++k)
    for (const int e : {0, 2}) store_lines(x.E + 6 * (k + 1) + e, 1, c.whole_places, to, 8 * k + e);
  for (int e = 0; e < n * x.line; ++e) put(x.factor_of_both, e, number(PackPair<P>{x.factor, x.factor}, e));
  for (int e = 6; e < 6 * (n + 1); ++e) put(x.E_of_both, e, number(PackPair<P>{x.E, x.E}, e));
  return positive;
}

// Adds the sums over limbs of four numbers, of one matrix or of both.
template <class N, int matrices>
TENON_INLINE void add_sums(const N* x, double* const (&to)[matrices]) {
  auto a = lanes_of(x[0]), b = lanes_of(x[1]), c = lanes_of(x[2]), d = lanes_of(x[3]);
  transpose(a, b, c, d);
  const auto sum = (a + b) + (c + d);
  if constexpr (matrices == 1) {
    (Lanes<double>::load(to[0]) + sum).store(to[0]);
  } else {
    (Lanes<double>::load(to[0]) + half_of<0>(sum)).store(to[0]);
    (Lanes<double>::load(to[1]) + half_of<1>(sum)).store(to[1]);
  }
}

// A += sum E^T x over all limbs of a bundle: six rows of eight numbers, the last two of each zero. x: 6 a node.
template <class L, class X, int matrices>
inline void add_to_root(const L* E, const X* x, int n, double* const (&A)[matrices]) {
  using N = decltype(number(x, 0));
  for (int r = 0; r < 6; ++r) {
    N sum[8];
    unroll<8>([&](auto e) { sum[e] = N(0.0); });
    for (int j = 1; j <= n; ++j) {
      const auto s = number(E, 6 * j + r);
      unroll<6>([&](auto e) { sum[e] = sum[e] + s * number(x, 6 * j + e); });
    }
    for (int e = 0; e < 8; e += 4) {
      double* to[matrices];
      for (int i = 0; i < matrices; ++i) to[i] = A[i] + 8 * r + e;
      add_sums(sum + e, to);
    }
  }
}

// to := A B, six rows of eight numbers each.
TENON_INLINE void multiply_blocks(const double* A, const double* B, double* to) {
  using L = Wide<double>;
  for (int c = 0; c < 8; c += L::count) {
    L rows[6];
    unroll<6>([&](auto e) { rows[e] = L::load(B + 8 * e + c); });
    for (int r = 0; r < 6; ++r) dot_six([&](int e) { return L(A[8 * r + e]); }, rows).store(to + 8 * r + c);
  }
}

// ---- accelerations

// What accelerations change, in the limbs' parts of the blocks by q. x.w.a of node 0: that of the root.
template <class P>
inline void accelerate_limbs(Bundle<P>& limbs) {
  LimbMatrices<P>& x = *limbs.matrices;
  const int end = limbs.model.node_count;
  for (int k = 1; k < end; ++k) {
    const Motion<P> S = load_motion<P>(x.w.U + 6 * k), above = load_motion<P>(x.w.a + 6 * (k - 1));
    P* const psi_ddot = x.motions.psi_ddot + 6 * k;
    store(psi_ddot, load_motion<P>(psi_ddot) + cross(above, S));
    store(x.w.a + 6 * k, above + Motion<P>{limbs.qdd[k] * S.w, limbs.qdd[k] * S.v});
  }
  // The bodies of the subtree of k accelerate as k does, and by the joints between.
  Force<P> further{};
  for (int k = end - 1; k >= 1; --k) {
    const Motion<P> a = load_motion<P>(x.w.a + 6 * k);
    store(x.w.f + 6 * k, load_force<P>(x.w.f + 6 * k) + load_inertia<P>(x.w.IA + 21 * k) * a + further);
    further = further + scaled(limbs.qdd[k], load_force<P>(x.F + 6 * k));
  }
}

// qdd of forward dynamics, and the blocks by q at them. inverse: S^-1.
template <class P>
inline void accelerate_star(Branches<P>& b, const Inputs<double>& in, const RootOfStar& root,
                            const double* inverse, double* qdd) {
  const bool floats = b.trunk.model.node_count > 0;
  double rest[8] = {}, f[8], a[6] = {};
  store(f, root.f);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    const int n = limbs.model.node_count - 1;
    gather(limbs, in.tau, limbs.v_of, limbs.qdd);
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
  }
  for (int r = 0; floats && r < 6; ++r) rest[r] = in.tau[r] - f[r] - rest[r];
  for (int r = 0; floats && r < 6; ++r) {
    for (int e = 0; e < 6; ++e) a[r] += inverse[8 * r + e] * rest[e];
    qdd[r] = a[r];
  }
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    for (int e = 0; e < 6; ++e) x.w.a[e] = P(a[e]);
    for (int j = 1; j < limbs.model.node_count; ++j)
      for (int e = 0; e < 6; ++e) limbs.qdd[j] = limbs.qdd[j] - x.E[6 * j + e] * x.w.a[e];
    scatter(limbs, limbs.qdd, qdd);
    accelerate_limbs(limbs);
  }
}

// ---- the solution: Y = S^-1 (D_0 - sum E^T D_limb), so that rows of the root are - Y and rows of limbs have + E Y

// x := A x, A of six rows of eight numbers.
template <class X>
TENON_INLINE void multiply_root(const double* A, X* x) {
  using N = decltype(number(x, 0));
  N from[6], to[6];
  unroll<6>([&](auto e) { from[e] = number(x, e); });
  unroll<6>([&](auto r) { to[r] = dot_six([&](int e) { return N(A[8 * r + e]); }, from); });
  unroll<6>([&](auto r) { put(x, r, to[r]); });
}

// E Y in the columns of one coordinate of each limb, rows of all limbs. Four rows at a time, the last four over the end of those
// before.
template <class X, int matrices>
TENON_INLINE void fill_limb_columns(const X* Y, const double* rows_of_E, int nv, const std::int32_t* count,
                                    const LimbLines<matrices>& columns, long at) {
  using N = decltype(number(Y, 0));
  N y[6];
  unroll<6>([&](auto e) { y[e] = number(Y, e); });
  for (int r = 6; r < nv; r += 4) {
    const int first = r + 4 < nv ? r : nv - 4;
    alignas(64) X rows[4 * sizeof(N) / sizeof(X)];
    unroll<4>([&](auto g) {
      const double* const E = rows_of_E + 8 * (first + g);
      put(rows, g, dot_six([&](int e) { return N(E[e]); }, y));
    });
    store_lines(rows, 1, count, columns, at + first);
  }
}
// The rows of each limb in its own columns: x += E Y; and what stands in rows of the root then: Y := - Y.
template <class X>
inline void finish_own_blocks(const X* E, int n, X* x, X* Y) {
  using N = decltype(number(x, 0));
  const int line = line_of_block(n);
  for (int k = 0; k < n; ++k) {
    N e_k[6];
    unroll<6>([&](auto e) { e_k[e] = number(E, 6 * (k + 1) + e); });
    for (int j = 0; j < n; ++j)
      put(x, line * j + k,
          number(x, line * j + k) + dot_six([&](int e) { return number(Y, 6 * (j + 1) + e); }, e_k));
  }
  for (int e = 6; e < 6 * (n + 1); ++e) put(Y, e, N(0.0) - number(Y, e));
}

// By q and by v of a bundle: - C^-1 D in x.solved, - D in x.below for columns of the root, and in x.right what S^-1 multiplies.
template <class P>
inline void eliminate_limbs(LimbMatrices<P>& x, int n, const LimbNumbers<PackPair<P>>& D) {
  const Both zero(0.0);
  const int line = line_of_block(n);
  for (int e = 0; e < n * line; ++e) put(x.solved, e, zero - number(D.block, e));
  for (int e = 6; e < 6 * (n + 1); ++e) put(x.below, e, zero - number(D.of_root_columns, e));
  for (int k = 0; k < n; ++k) {
    Both sum[6];
    unroll<6>([&](auto e) { sum[e] = number(D.of_root_rows, 6 * (k + 1) + e); });
    for (int j = 0; j < n; ++j) {
      const Both s = number(x.solved, line * k + j);
      unroll<6>([&](auto e) { sum[e] = sum[e] + s * number(x.E_of_both, 6 * (j + 1) + e); });
    }
    unroll<6>([&](auto e) { put(x.right, 6 * (k + 1) + e, sum[e]); });
  }
  for (int c = 0; c < n; c += 4) solve_limbs<4>(x.factor_of_both, n, x.solved + 8 * line * c, 1, line);
}
// - C^-1 D + E Y in the columns of the root.
template <class P>
inline void finish_root_columns(LimbMatrices<P>& x, int n, const double (&Y)[2][48]) {
  solve_limbs<6>(x.factor_of_both, n, x.below + 48, 6, 1);
  for (int e = 0; e < 6; ++e) {
    Both y[6];
    unroll<6>([&](auto r) { y[r] = join(Lanes<double>(Y[0][8 * r + e]), Lanes<double>(Y[1][8 * r + e])); });
    for (int k = 1; k <= n; ++k)
      put(x.below, 6 * k + e,
          number(x.below, 6 * k + e) + dot_six([&](int r) { return number(x.E_of_both, 6 * k + r); }, y));
  }
}

// M: by q and by v. D_0: their blocks of the root; of(x): their numbers on limbs; inverse: S^-1.
template <class P, class Of>
inline void solve_both(Branches<P>& b, const LimbCoordinates<P::width>* coordinates, bool floats,
                       const double (&D_0)[2][48], const Of& of, const double* inverse, double* const (&M)[2],
                       long ld, int nv) {
  double sums[2][48] = {}, Y[2][48];
  for (int k = 0; k < b.bundle_count; ++k) {
    LimbMatrices<P>& x = *b.bundles[k].matrices;
    const int n = coordinates[k].body_count;
    eliminate_limbs(x, n, of(x));
    if (floats) add_to_root(x.E_of_both, x.below, n, {sums[0], sums[1]});
  }
  for (int i = 0; floats && i < 2; ++i) {
    for (int e = 0; e < 48; ++e) sums[i][e] += D_0[i][e];
    multiply_blocks(inverse, sums[i], Y[i]);
    double X_0[48];
    for (int e = 0; e < 48; ++e) X_0[e] = -Y[i][e];
    store_root_block(X_0, MatrixOrder::columns, M[i], ld);
  }
  for (int k = 0; k < b.bundle_count; ++k) {
    LimbMatrices<P>& x = *b.bundles[k].matrices;
    const LimbCoordinates<P::width>& c = coordinates[k];
    const int n = c.body_count;
    if (floats) {
      const LimbLines<2> columns(M, [&](int l) { return c.first[l] * ld; });
      for (int j = 0; j < n; ++j) {
        multiply_root(inverse, x.right + 48 * (j + 1));
        fill_limb_columns(x.right + 48 * (j + 1), b.rows_of_E, nv, c.whole_places, columns, j * ld);
      }
      finish_own_blocks(x.E_of_both, n, x.solved, x.right);
      finish_root_columns(x, n, Y);
      store_root_lines(x.right, x.below, c, M, ld);
    }
    store_limb_blocks(x.solved, c, c.own_places, M, ld);
  }
}
// M := M^-1.
template <class P>
inline void invert_star(Branches<P>& b, const LimbCoordinates<P::width>* coordinates, bool floats,
                        const double* inverse, double* M, long ld, int nv) {
  if (floats) store_root_block(inverse, MatrixOrder::columns, M, ld);
  for (int k = 0; k < b.bundle_count; ++k) {
    LimbMatrices<P>& x = *b.bundles[k].matrices;
    const LimbCoordinates<P::width>& c = coordinates[k];
    const int n = c.body_count, line = line_of_block(n);
    P* const block = x.inverse;
    for (int e = 0; e < n * line; ++e) block[e] = P(0);
    for (int j = 0; j < n; ++j) block[(line + 1) * j] = P(1);
    for (int j = 0; j < n; j += 4) solve_limbs<4>(x.factor, n, block + line * j, 1, line);
    if (floats) {
      const LimbLines<1> columns({M}, [&](int l) { return c.first[l] * ld; });
      for (int j = 1; j <= n; ++j) {
        P* const Y = x.inverse_rows + 6 * j;
        unroll<6>([&](auto e) { Y[e] = x.E[6 * j + e]; });
        multiply_root(inverse, Y);
        fill_limb_columns(Y, b.rows_of_E, nv, c.whole_places, columns, (j - 1) * ld);
      }
      finish_own_blocks(x.E, n, block, x.inverse_rows);
      store_root_lines(x.inverse_rows, x.inverse_rows, c, {M}, ld);
    }
    store_limb_blocks(block, c, c.own_places, {M}, ld);
  }
}

template <class P>
bool forward_derivatives_of_branches(Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                                     const Inputs<double>& in, double* qdd, const StarMatrices& to) {
  const ModelData& trunk = b.trunk.model;
  const bool floats = trunk.node_count > 0;
  const RootOfStar root = sweep_star(b, MatrixOrder::columns, in);
  double S[48], inverse[48], carried[48] = {};
  bool positive = true;
  for (int k = 0; k < b.bundle_count; ++k) {
    LimbMatrices<P>& x = *b.bundles[k].matrices;
    positive = factor_limbs(b.bundles[k], coordinates[k], b.rows_of_E) && positive;
    if (floats) add_to_root(x.E, x.F, coordinates[k].body_count, {carried});
  }
  if (floats) {
    double A[6][6];
    root_block_of_mass(trunk, root.I, S);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) A[r][c] = S[8 * r + c] - carried[8 * r + c];
    positive = invert_six(A, inverse) && positive;
  }
  if (!positive) return false;
  accelerate_star(b, in, root, inverse, qdd);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    if (to.by_q) fill_position_blocks(limbs, MatrixOrder::columns, root.rest);
    for (int j = 1; to.damping && j < limbs.model.node_count; ++j) {
      P& diagonal = x.by_v[(x.line + 1) * (j - 1)];
      diagonal = diagonal + gathered<P>(to.damping, limbs.v_of + P::width * j);
    }
  }
  for (double* M : {to.by_q, to.by_v, to.by_x})
    for (int r = 0; M && !floats && r < to.run_count; ++r) clear_gaps(to.runs[r], M, to.ld);
  if (to.by_q || to.by_v) {
    // Where one is not wanted, the other is made twice.
    const bool q = to.by_q, v = to.by_v;
    double D_0[2][48] = {};
    if (floats) {
      q ? root_block_by_q(root, D_0[0]) : root_block_by_v(root, D_0[0]);
      v ? root_block_by_v(root, D_0[1]) : root_block_by_q(root, D_0[1]);
    }
    for (int i = 0; floats && to.damping && i < 2; ++i)
      for (int k = 0; (i == 0 ? !q : v) && k < 6; ++k) D_0[i][9 * k] += to.damping[k];
    const auto of = [&](const LimbMatrices<P>& x) {
      const auto pair = [&](const P* by_q, const P* by_v) {
        return PackPair<P>{q ? by_q : by_v, v ? by_v : by_q};
      };
      return LimbNumbers<PackPair<P>>{pair(x.by_q, x.by_v), pair(x.F_q, x.F_v), pair(x.root_q, x.root_v)};
    };
    solve_both(b, coordinates, floats, D_0, of, inverse, {q ? to.by_q : to.by_v, v ? to.by_v : to.by_q},
               to.ld, to.nv);
  }
  if (to.by_x) invert_star(b, coordinates, floats, inverse, to.by_x, to.ld, to.nv);
  return true;
}

TENON_ISA_END
}  // namespace tenon
