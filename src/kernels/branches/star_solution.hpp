// Linear equations of stars (branch_data.hpp) for many right-hand sides, all limbs of a bundle side by side, and two matrices at
// once: motions x, and forces y of constraint rows, all on limbs, with
//
//   M x - J^T y = f,   J x + R y = g.
//
// C: the block of M of a limb, B: its rows in the columns of the root, J_limb: its columns of J. What a limb has of its own goes
// first: how it follows the root and its rows, and what its forces f_limb leave to others,
//
//   E = - C^-1 B,   W = - C^-1 J_limb^T,   x_own = C^-1 f_limb,   d = f_root + E^T f_limb,   h = g + W^T f_limb.
//
// The root and the rows answer to that,
//
//   [x; y] = [x_own; 0] + X d + Z h,
//
// without rows by X = [S^-1; E S^-1], S = M_root + sum B^T E, and no Z (constrained_derivative_branches.hpp has those with rows). A
// column of a limb has d and the h of this limb's own rows: a number of the solution costs six products and one for each row
// of a limb.
#pragma once

#include <algorithm>

#include "kernels/branches/derivative_branches.hpp"
#include "kernels/derivatives/chain_columns.hpp"
#include "spatial/small_ldl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Calls f(room) with the places of rows that the columns of a bundle have, as a number that compilers know. act: whether rows do.
template <class P, class F>
TENON_INLINE void with_room_for_rows(const Bundle<P>& limbs, bool act, const F& f) {
  const int rows = act ? limbs.rows.row_count : 0;
  if (rows == 0)
    f(std::integral_constant<int, 0>{});
  else if (room_for_rows(rows) == 3)
    f(std::integral_constant<int, 3>{});
  else
    f(std::integral_constant<int, most_rows_at_once>{});
}

// The sum of a(e) x[e] over six, by two sums that do not wait for each other.
template <class A, class N>
TENON_INLINE N dot_six(const A& a, const N (&x)[6]) {
  N even = a(0) * x[0], odd = a(1) * x[1];
  even = even + a(2) * x[2], odd = odd + a(3) * x[3];
  return (even + a(4) * x[4]) + (odd + a(5) * x[5]);
}

// ---- the factor

// x := C^-1 x, N columns: number (i, e) at i row + column e. L: of C, as a block.
template <int N, class X>
TENON_INLINE void solve_limbs(const X* L, int n, X* x, int row, int column) {
  const std::int64_t line = line_of_block(n);
  const auto subtract = [&](std::int64_t i, std::int64_t first, std::int64_t end, bool scales,
                            const auto& factor) TENON_INLINE_LAMBDA {
    decltype(number(x, 0)) sum[N];
    unroll<N>([&](auto e) { sum[e] = number(x, row * i + column * e); });
    if (scales) {
      const auto inverse = number(L, (line + 1) * i);
      unroll<N>([&](auto e) { sum[e] = inverse * sum[e]; });
    }
    for (std::int64_t k = first; k < end; ++k) {
      const auto s = factor(k);
      unroll<N>([&](auto e) { sum[e] = sum[e] - s * number(x, row * k + column * e); });
    }
    unroll<N>([&](auto e) { put(x, row * i + column * e, sum[e]); });
  };
  for (std::int64_t i = 1; i < n; ++i)
    subtract(i, 0, i, false, [&](std::int64_t k) { return number(L, line * i + k); });
  for (std::int64_t i = n - 1; i >= 0; --i)
    subtract(i, i + 1, n, true, [&](std::int64_t k) { return number(L, line * k + i); });
}

// Factors the mass matrix of the limbs of a bundle, and finds C^-1 and E: zero in lanes without a limb.
// joints: of a limb.
template <class P, class Count>
inline bool factor_limbs(const StarResponses& star, Bundle<P>& limbs, const LimbCoordinates<P::width>& c,
                         Count joints) {
  LimbMatrices<P>& x = *limbs.matrices;
  const int n = joints, line = line_of_block(n);
  std::copy_n(x.mass, n * line, x.factor);
  const bool positive = factor_ldl(n, line, x.factor);
  for (int e = 6; e < 6 * (n + 1); ++e) x.E[e] = P(0) - x.F[e];
  solve_limbs<6>(x.factor, n, x.E + 6, 6, 1);
  for (int l = 0; l < P::width; ++l)
    for (int e = 6; c.whole_places[l] == 0 && e < 6 * (n + 1); ++e) set_lane(x.E[e], l, 0.0);
  for (int e = 0; e < n * line; ++e) x.inverse[e] = P(0);
  for (int j = 0; j < n; ++j) x.inverse[(line + 1) * j] = P(1);
  for (int j = 0; j < n; j += 4) solve_limbs<4>(x.factor, n, x.inverse + line * j, 1, line);
  store_limb_blocks(x.inverse, c, c.own_places, {star.own}, star.ld);
  for (int e = 0; e < n * line; ++e) put(x.factor_of_both, e, number(PackPair<P>{x.factor, x.factor}, e));
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
template <class L, class X, class Count, int matrices>
inline void add_to_root(const L* E, const X* x, Count n, double* const (&A)[matrices]) {
  using N = decltype(number(x, 0));
  for (std::int64_t r = 0; r < 6; ++r) {
    N sum[8];
    unroll<8>([&](auto e) { sum[e] = N(0.0); });
    for (std::int64_t j = 1; j <= n; ++j) {
      const auto s = number(E, 6 * j + r);
      unroll<6>([&](auto e) { sum[e] = sum[e] + s * number(x, 6 * j + e); });
    }
    for (std::int64_t e = 0; e < 8; e += 4) {
      double* to[matrices];
      for (int i = 0; i < matrices; ++i) to[i] = A[i] + 8 * r + e;
      add_sums(sum + e, to);
    }
  }
}

// Factors all limbs and the root, and places X of a star without rows. False where the mass matrix is not positive definite.
// inverse: S^-1, six rows of eight numbers.
template <class P>
inline bool factor_star(Branches<P>& b, const LimbCoordinates<P::width>* coordinates, const RootOfStar& root,
                        double (&inverse)[48]) {
  const ModelData& trunk = b.trunk.model;
  const bool floats = trunk.node_count > 0;
  double S[48], carried[48] = {};
  bool positive = true;
  for (int k = 0; k < b.bundle_count; ++k) {
    LimbMatrices<P>& x = *b.bundles[k].matrices;
    with_joints_of_limb(coordinates[k].body_count, [&](auto n) {
      positive = factor_limbs(b.star, b.bundles[k], coordinates[k], n) && positive;
      if (floats) add_to_root(x.E, x.F, n, {carried});
    });
  }
  if (!floats) return positive;
  double A[6][6];
  root_block_of_mass(trunk, root.I, S);
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) A[r][c] = S[8 * r + c] + carried[8 * r + c];
  if (!invert_six(A, inverse)) return false;
  const StarResponses& to = b.star;
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < 6; ++r) to.of_root[c * to.ld + r] = inverse[8 * r + c];
  for (int k = 0; k < b.bundle_count; ++k) {
    LimbMatrices<P>& x = *b.bundles[k].matrices;
    for (int j = 6; j <= 6 * coordinates[k].body_count; j += 6) {
      P e_j[6];
      unroll<6>([&](auto e) { e_j[e] = x.E[j + e]; });
      unroll<6>(
          [&](auto c) { x.response[j + c] = dot_six([&](int r) { return P(inverse[8 * r + c]); }, e_j); });
    }
    store_lines_of_root(x.response, coordinates[k], {to.of_root}, to.ld);
  }
  return positive;
}

// ---- the solution

// Where it goes, column by column: motions, and forces of rows, if they are wanted. rows: how many act, all or none.
template <int matrices>
struct StarSolution {
  double* motion[matrices];
  double* force[matrices];
  std::int64_t motion_ld, force_ld;
  int rows;
  bool has_forces;
};

// Calls f(L, r, count) for rows from 0 to `end` in registers L, all of which f takes but of less than four rows, `count`. What is
// left behind whole registers is in one that begins before, of four where these are enough.
template <class F>
TENON_INLINE void for_row_registers(int end, const F& f) {
  using L = Wide<double>;
  constexpr int W = L::count;
  int r = 0;
  for (; r + W <= end; r += W) f(L{}, r, W);
  if (r == end) return;
  if (W > 4 && end - r > 4 && end >= W)
    f(L{}, end - W, W);
  else
    for (; r < end; r += 4) f(Lanes<double>{}, r + 4 > end && end > 4 ? end - 4 : r, end < 4 ? end : 4);
}
// C^-1 of a limb, whose columns have numbers in rows from `first` to `end` alone: `columns`, ld numbers apart.
struct InverseOfLimb {
  const double* columns;
  std::int64_t ld;
  int first, end;
};
// Numbers of a column of a solution: d and h, and from here on f.
constexpr int place_of_f = 16;
// For each coordinate of a limb the rows from `begin` on, `rows` of them, of the sum of columns a(e) and of those of C^-1, times
// the numbers, `apart` numbers apart. unit: of f = 1 of the coordinate itself. to: one column after the other, for each matrix.
template <int inner, bool unit, class A, class Count, int matrices>
TENON_INLINE void sum_columns(Count n, int begin, int rows, const A& a, const InverseOfLimb& own,
                              const double* numbers, int apart, double* const (&to)[matrices],
                              std::int64_t ld) {
  for_row_registers(rows, [&](auto lanes, int r, int count) TENON_INLINE_LAMBDA {
    using L = decltype(lanes);
    const int row = begin + r;
    L x[inner];
    unroll<inner>([&](auto e) { x[e] = L::load(a(e) + row); });
    // more(s, j, sum): what C^-1 adds.
    const auto each_column = [&](const auto& more) TENON_INLINE_LAMBDA {
      const double* s = numbers;
      for (int i = 0; i < matrices; ++i) {
        double* at = to[i] + r;
        for (int j = 0; j < n; ++j, s += apart, at += ld) {
          L even = x[0] * L(s[0]), odd = x[1] * L(s[1]);
          unroll<inner - 2>([&](auto e) {
            L& sum = e % 2 == 0 ? even : odd;
            sum = sum + x[e + 2] * L(s[e + 2]);
          });
          more(s + place_of_f, j, even);
          if (count < L::count)
            store_some(even + odd, count, at);
          else
            (even + odd).store(at);
        }
      }
    };
    const auto column = [&](int k) { return L::load(own.columns + k * own.ld + row); };
    if (!(row < own.end && row + L::count > own.first)) {
      each_column([](const double*, int, L&) TENON_INLINE_LAMBDA {});
    } else if constexpr (unit) {
      each_column([&](const double*, int j, L& sum) TENON_INLINE_LAMBDA { sum = sum + column(j); });
    } else if (n <= 4) {  // f is zero behind the limb's
      L y[4];
      unroll<4>([&](auto k) { y[k] = column(k); });
      each_column([&](const double* f, int, L& sum)
                      TENON_INLINE_LAMBDA { unroll<4>([&](auto k) { sum = sum + y[k] * L(f[k]); }); });
    } else {
      each_column([&](const double* f, int, L& sum) TENON_INLINE_LAMBDA {
        for (int k = 0; k < n; ++k) sum = sum + column(k) * L(f[k]);
      });
    }
  });
}

// The columns of the coordinates of limbs. d: 6 a node; h: `rows` a coordinate; f: as blocks, not read for forces of 1 on each
// coordinate, `unit`.
template <int rows, bool unit, class P, class Count, class X, int matrices>
inline void place_limb_columns(const Branches<P>& b, const Bundle<P>& limbs,
                               const LimbCoordinates<P::width>& c, Count n, const X* f, const X* d,
                               const X* h, const StarSolution<matrices>& to) {
  const StarResponses& of = b.star;
  double* const all_numbers = limbs.matrices->numbers;
  const int line = line_of_block(n), apart = place_of_f + line, of_limb = 2 * n * apart;
  double* of_matrix[matrices];
  for (int i = 0; i < matrices; ++i) of_matrix[i] = all_numbers + i * n * apart;
  const LimbLines<matrices> lines(of_matrix, [&](int l) { return l * of_limb; });
  for (int j = 0; j < n; ++j) {
    for (const int e : {0, 2})
      store_lines(behind(d, 6 * (j + 1) + e), 1, c.whole_places, lines, j * apart + e);
    unroll<rows / 3>([&](auto e) {
      store_lines(behind(h, rows * j + 3 * e), 1, c.whole_places, lines, j * apart + 6 + 3 * e);
    });
    for (int k = 0; !unit && k < n; k += 4)
      store_lines(behind(f, line * j + k), 1, c.whole_places, lines, j * apart + place_of_f + k);
  }
  for (int l = 0; l < P::width; ++l) {
    if (c.whole_places[l] == 0) continue;
    const auto a = [&](int e) -> const double* {
      if (e < 6) return of.of_root + e * of.ld;
      const std::int32_t row = e - 6 < limbs.rows.row_count ? limbs.row_of[P::width * (e - 6) + l] : -1;
      return row < 0 ? of.none : of.of_rows + row * of.ld;
    };
    const InverseOfLimb own = {of.own + c.first[l] * of.ld, of.ld, c.first[l], c.first[l] + n};
    const auto sum = [&](int begin, int count, double* const(&M)[matrices],
                         std::int64_t ld) TENON_INLINE_LAMBDA {
      double* first[matrices];
      for (int i = 0; i < matrices; ++i) first[i] = M[i] + c.first[l] * ld;
      sum_columns<6 + rows, unit>(n, begin, count, a, own, all_numbers + l * of_limb, apart, first, ld);
    };
    sum(0, of.nv, to.motion, to.motion_ld);
    if (to.has_forces) sum(of.nv, of.rows, to.force, to.force_ld);
  }
}

// By q and by v of a bundle, f = - D: in x.f, d in x.right, and for columns of the root f in x.below.
template <class P, class Count>
inline void eliminate_limbs(LimbMatrices<P>& x, Count n, const LimbNumbers<PackPair<P>>& D) {
  const Both zero(0.0);
  const int line = line_of_block(n);
  for (std::int64_t e = 0; e < n * line; ++e) put(x.f, e, zero - number(D.block, e));
  for (std::int64_t e = 6; e < 6 * (n + 1); ++e) put(x.below, e, zero - number(D.of_root_columns, e));
  for (std::int64_t k = 0; k < n; ++k) {
    Both sum[6];
    unroll<6>([&](auto e) { sum[e] = zero - number(D.of_root_rows, 6 * (k + 1) + e); });
    for (std::int64_t j = 0; j < n; ++j) {
      const Both s = number(x.f, line * k + j);
      unroll<6>([&](auto e) { sum[e] = sum[e] + s * number(x.E_of_both, 6 * (j + 1) + e); });
    }
    unroll<6>([&](auto e) { put(x.right, 6 * (k + 1) + e, sum[e]); });
  }
}
// What rows have of it, g = - G: h in x.row_right, and for columns of the root in b.star.
template <int rows, class P, class Count>
inline void eliminate_rows(const StarResponses& star, const Bundle<P>& limbs, Count n, const PackPair<P>& G,
                           const PackPair<P>& of_root) {
  if constexpr (rows > 0) {
    const LimbMatrices<P>& x = *limbs.matrices;
    const int line = line_of_block(n);
    const auto W = [&](std::int64_t i, std::int64_t r) {
      return number(PackPair<P>{x.W, x.W}, rows * i + r);
    };
    for (std::int64_t k = 0; k < n; ++k) {
      Both sum[rows];
      unroll<rows>([&](auto r) { sum[r] = Both(0.0) - number(G, rows * k + r); });
      for (std::int64_t i = 0; i < n; ++i) {
        const Both s = number(x.f, line * k + i);
        unroll<rows>([&](auto r) { sum[r] = sum[r] + s * W(i, r); });
      }
      unroll<rows>([&](auto r) { put(x.row_right, rows * k + r, sum[r]); });
    }
    for (std::int64_t r = 0; r < limbs.rows.row_count; ++r)
      for (std::int64_t e = 0; e < 6; ++e) {
        Both sum = Both(0.0) - number(of_root, 6 * r + e);
        for (std::int64_t i = 0; i < n; ++i) sum = sum + W(i, r) * number(x.below, 6 * (i + 1) + e);
        for (int l = 0; l < P::width; ++l) {
          const std::int32_t row = limbs.row_of[P::width * r + l];
          for (int i = 0; row >= 0 && i < 2; ++i)
            star.root_right[(6 * i + e) * star.row_ld + row] = sum.x[P::width * i + l];
        }
      }
  }
}

// x_own of limbs in the columns of the root, for both matrices, from f in x.below.
template <class P, class Count>
inline void place_own_root_columns(const StarResponses& of, const LimbCoordinates<P::width>& c, Count joints,
                                   LimbMatrices<P>& x) {
  solve_limbs<6>(x.factor_of_both, joints, x.below + 48, 6, 1);
  store_lines_of_root(x.below, c, {of.root_columns, of.root_columns + 6 * of.ld}, of.ld);
}
// The columns of the root, after that. right: d, six rows of eight numbers. Rows that are not of limbs stay zero in root_columns.
inline void place_root_columns(const StarResponses& of, const double (&right)[2][48],
                               const StarSolution<2>& to) {
  const auto add = [&](int begin, int end, double* const(&M)[2], std::int64_t ld) TENON_INLINE_LAMBDA {
    for_row_registers(end, [&](auto lanes, int r, int count) TENON_INLINE_LAMBDA {
      using L = decltype(lanes);
      const int row = begin + r;
      L x[6];
      unroll<6>([&](auto e) { x[e] = L::load(of.of_root + e * of.ld + row); });
      unroll<6>([&](auto pair) {
        constexpr int i = pair / 3, first = pair % 3 * 2;
        L sum[2];
        unroll<2>([&](auto g) {
          sum[g] = L::load(of.root_columns + (6 * i + first + g) * of.ld + row) +
                   dot_six([&](int e) { return L(right[i][8 * e + first + g]); }, x);
        });
        for (int h = 0; h < to.rows; ++h) {
          const L z = L::load(of.of_rows + h * of.ld + row);
          unroll<2>(
              [&](auto g) { sum[g] = sum[g] + z * L(of.root_right[(6 * i + first + g) * of.row_ld + h]); });
        }
        unroll<2>([&](auto g) {
          double* const at = M[i] + (first + g) * ld + r;
          if (count < L::count)
            store_some(sum[g], count, at);
          else
            sum[g].store(at);
        });
      });
    });
  };
  add(0, of.nv, to.motion, to.motion_ld);
  if (to.has_forces) add(of.nv, of.rows, to.force, to.force_ld);
}

// The matrices by q and by v. D_root: their blocks of the root; of(x): what they have on limbs.
template <class P, class Of>
inline void solve_both(Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                       const double (&D_root)[2][48], const Of& of, bool q, bool v,
                       const StarSolution<2>& to) {
  const bool floats = b.trunk.model.node_count > 0;
  double d[2][48];
  for (int i = 0; i < 2; ++i)
    for (int e = 0; e < 48; ++e) d[i][e] = -D_root[i][e];
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    with_joints_of_limb(coordinates[k].body_count, [&](auto n) {
      eliminate_limbs(x, n, of(x));
      with_room_for_rows(limbs, to.rows > 0, [&](auto rows) {
        eliminate_rows<rows>(b.star, limbs, n, {q ? x.G_q : x.G_v, v ? x.G_v : x.G_q},
                             {q ? x.root_G_q : x.root_G_v, v ? x.root_G_v : x.root_G_q});
      });
      if (!floats) return;
      add_to_root(x.E_of_both, x.below, n, {d[0], d[1]});
      place_own_root_columns(b.star, coordinates[k], n, x);
    });
  }
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    with_room_for_rows(limbs, to.rows > 0, [&](auto rows) {
      with_joints_of_limb(coordinates[k].body_count, [&](auto n) {
        place_limb_columns<rows, false>(b, limbs, coordinates[k], n, x.f, x.right, x.row_right, to);
      });
    });
  }
  // What limbs wrote of them is in its place by now.
  if (floats) place_root_columns(b.star, d, to);
}

// The matrix by forces of joints, whose d and h are E and W.
template <class P>
inline void solve_forces(Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                         const StarSolution<1>& to) {
  const StarResponses& of = b.star;
  const bool floats = b.trunk.model.node_count > 0;
  for (int c = 0; floats && c < 6; ++c) {
    const double* from = of.of_root + c * of.ld;
    std::copy_n(from, of.nv, to.motion[0] + c * to.motion_ld);
    if (to.has_forces) std::copy_n(from + of.nv, of.rows, to.force[0] + c * to.force_ld);
  }
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    with_room_for_rows(limbs, to.rows > 0, [&](auto rows) {
      const P* const none = nullptr;
      with_joints_of_limb(coordinates[k].body_count, [&](auto n) {
        place_limb_columns<rows, true>(b, limbs, coordinates[k], n, none, static_cast<const P*>(x.E),
                                       static_cast<const P*>(x.W), to);
      });
    });
  }
}

TENON_ISA_END
}  // namespace tenon
