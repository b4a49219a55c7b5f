// Matrices of first derivatives of packs, in the notation of kernels/derivatives/rnea_derivatives.hpp, where
// coordinates of one state are in lanes; here lanes are states. All vectors are in the frame of the root body of each
// tree, so that a coordinate k meets its ancestors without transforms. Those of forward dynamics are - M^-1 times those
// of inverse dynamics: with M^-1 at hand (spatial/tree_factor.hpp) that is a product of blocks that stay in registers, where
// a solve would load and store each number again. Cost O(n d), then O(n d^2 + n^2 d).
#pragma once

#include "kernels/pack/crba_pack.hpp"
#include "kernels/pack/product_pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Row i, column j of a matrix of solutions.
TENON_INLINE std::ptrdiff_t place_in(const SolvedSpace& s, std::ptrdiff_t i, std::ptrdiff_t j) {
  return s.order == MatrixOrder::rows ? i * s.ld + j : j * s.ld + i;
}

// The sum of squares of numbers that it has seen, of which none is larger than its root: no number where one of them is not.
template <class T>
class SumOfSquares {
 public:
  TENON_INLINE void see(const T& a) { x_ = x_ + a * a; }
  TENON_INLINE void see(const Vec3<T>& a) { x_ = x_ + a.x * a.x, y_ = y_ + a.y * a.y, z_ = z_ + a.z * a.z; }
  TENON_INLINE void see(const Motion<T>& a) { see(a.w), see(a.v); }
  TENON_INLINE void see(const Force<T>& a) { see(a.n), see(a.f); }
  TENON_INLINE T all() const { return x_ + y_ + z_; }

 private:
  T x_ = T(0), y_ = T(0), z_ = T(0);
};

// What entries are made of, in d and w, and torques. They are finite where squares of motions and forces are moderate.
template <class T>
void derivative_forces_of_states(const ModelData& m, const Inputs<T>& in, T* tau, PackedDerivatives<T>& d,
                                 WorkspaceData<T>& w) {
  sweep_derivative_motions(m, in, d, w);
  SumOfSquares<T> motion, force;
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
    for (int k = n.v_index; k < end; ++k) {
      const auto motion_in = [&](const T* field) TENON_INLINE_LAMBDA {
        const Motion<T> x = load_motion<T>(field + 6 * k);
        motion.see(x);
        return x;
      };
      const auto place = [&](T* field, const Force<T>& x) TENON_INLINE_LAMBDA {
        store(field + 6 * k, x);
        force.see(x);
      };
      const Motion<T> S = motion_in(w.U);
      for (const T* field : {d.psi_dot, d.psi_ddot, d.S_rate}) motion_in(field);
      const CoordinateForces<T> forces = forces_of_coordinate(i, k, d, w);
      place(d.F, forces.F), place(d.F_v, forces.F_v), place(d.F_q, force_by_position(i, k, d, w));
      store(d.N + 3 * k, forces.N);
      force.see(forces.N);
      const T armature = load_armature(m, k, w);
      force.see(armature);
      if (d.damping) force.see(d.damping[k]);
      tau[k] = dot(S, load_force<T>(w.f + 6 * i)) + armature * in.qdd[k];
    }
    if (n.parent >= 0) add_to_parent(i, n.parent, d, w);
  }
  d.motion_squares = motion.all(), d.force_squares = force.all();
}

// Which of the matrices by q, v and x are wanted; what is wanted of all is known when it is compiled.
template <bool all>
struct WantedMatrices {
  bool q, v, x;
};
template <>
struct WantedMatrices<true> {
  static constexpr bool q = true, v = true, x = true;
};

// Parts of column or row k of the matrices that are wanted, by the sparsity of the tree: x.by_q[i] is that at i. Above:
// ancestors of k and coordinates before it of its own joint.
template <MatrixOrder order, bool all, class T>
TENON_NOINLINE void fill_above(const ModelData& m, int k, const WantedMatrices<all> wanted,
                               const PackedProduct<T>& x, const PackedDerivatives<T>& d,
                               const WorkspaceData<T>& w) {
  const auto motion = [](const T* field, int j) TENON_INLINE_LAMBDA { return load_motion<T>(field + 6 * j); };
  const auto force = [k](const T* field) TENON_INLINE_LAMBDA { return load_force<T>(field + 6 * k); };
  T *const by_q = x.by_q, *const by_v = x.by_v, *const by_x = x.by_x;
  const std::int32_t* const parent = m.v_parent;
  const Force<T> F = force(d.F);
  if constexpr (order == MatrixOrder::columns) {
    const Force<T> F_q = force(d.F_q), F_v = force(d.F_v);
    for (int j = parent[k]; j >= 0; j = parent[j]) {
      const Motion<T> S = motion(w.U, j);
      if (wanted.x) by_x[j] = dot(S, F);
      if (wanted.q) by_q[j] = dot(S, F_q);
      if (wanted.v) by_v[j] = dot(S, F_v);
    }
  } else {
    const Vec3<T> N = load_vec3<T>(d.N + 3 * k);
    for (int j = parent[k]; j >= 0; j = parent[j]) {
      const Motion<T> S = motion(w.U, j);
      if (wanted.x) by_x[j] = dot(S, F);
      if (wanted.q) by_q[j] = dot(motion(d.psi_ddot, j), F) + dot(load_vec3<T>(d.psi_dot + 6 * j), N);
      if (wanted.v) by_v[j] = dot(motion(d.S_rate, j), F) + dot(S.w, N);
    }
  }
}
// From k on what is below it.
template <MatrixOrder order, bool all, class T>
TENON_NOINLINE void fill_below(int k, const WantedMatrices<all> wanted, const PackedProduct<T>& x,
                               const PackedDerivatives<T>& d, const WorkspaceData<T>& w) {
  const auto motion = [k](const T* field) TENON_INLINE_LAMBDA { return load_motion<T>(field + 6 * k); };
  const auto force = [](const T* field, int i) TENON_INLINE_LAMBDA { return load_force<T>(field + 6 * i); };
  T *const by_q = x.by_q, *const by_v = x.by_v, *const by_x = x.by_x;
  const Motion<T> S = motion(w.U);
  const auto for_below = [&](const auto& each) TENON_INLINE_LAMBDA {
    each(k);
    for (int range = d.below_begin[k]; range < d.below_begin[k + 1]; ++range)
      for (int i = d.below[range].first, end = d.below[range].end; i < end; ++i) each(i);
  };
  if constexpr (order == MatrixOrder::columns) {
    const Motion<T> psi_ddot = motion(d.psi_ddot), S_rate = motion(d.S_rate);
    const Vec3<T> psi_dot = load_vec3<T>(d.psi_dot + 6 * k);
    for_below([&](int i) TENON_INLINE_LAMBDA {
      const Force<T> F = force(d.F, i);
      const Vec3<T> N = load_vec3<T>(d.N + 3 * i);
      if (wanted.x) by_x[i] = dot(S, F);
      if (wanted.q) by_q[i] = dot(psi_ddot, F) + dot(psi_dot, N);
      if (wanted.v) by_v[i] = dot(S_rate, F) + dot(S.w, N);
    });
  } else {
    for_below([&](int i) TENON_INLINE_LAMBDA {
      if (wanted.x) by_x[i] = dot(S, force(d.F, i));
      if (wanted.q) by_q[i] = dot(S, force(d.F_q, i));
      if (wanted.v) by_v[i] = dot(S, force(d.F_v, i));
    });
  }
}
// All of it. zeros: what of those between branches is written.
enum class WrittenZeros { none, edges, all };
template <MatrixOrder order, class T>
inline void fill_line(const ModelData& m, int k, WrittenZeros zeros, const PackedProduct<T>& x,
                      const PackedDerivatives<T>& d, const WorkspaceData<T>& w) {
  T *const by_q = x.by_q, *const by_v = x.by_v, *const by_x = x.by_x;
  const auto clear = [&](int begin, int end) {
    for (T* line : {by_q, by_v, by_x})
      for (int j = begin; line && j < end; ++j) line[j] = T(0);
  };
  constexpr int edge = T::width - 1;
  for (int r = d.gaps_begin[k]; zeros != WrittenZeros::none && r < d.gaps_begin[k + 1]; ++r) {
    const CoordinateRange gap = d.gaps[r];
    if (zeros == WrittenZeros::all || gap.end - gap.first <= 2 * edge)
      clear(gap.first, gap.end);
    else
      clear(gap.first, gap.first + edge), clear(gap.end - edge, gap.end);
  }
  const auto fill = [&](auto wanted) TENON_INLINE_LAMBDA {
    fill_above<order>(m, k, wanted, x, d, w);
    fill_below<order>(k, wanted, x, d, w);
  };
  if (by_q && by_v && by_x)
    fill(WantedMatrices<true>{});
  else
    fill(WantedMatrices<false>{by_q != nullptr, by_v != nullptr, by_x != nullptr});
  // A joint turns its own columns of S too: by q all of its pairs have the formula of those below the diagonal, and the diagonal
  // itself has it by v, for the same bits in both orders.
  const int first = m.nodes[m.v_node[k]].v_index, end = end_of_dofs(m, m.v_node[k]);
  const auto below_q = [&](int j, int i) TENON_INLINE_LAMBDA {
    return dot(load_motion<T>(d.psi_ddot + 6 * j), load_force<T>(d.F + 6 * i)) +
           dot(load_vec3<T>(d.psi_dot + 6 * j), load_vec3<T>(d.N + 3 * i));
  };
  if (by_q && order == MatrixOrder::columns)
    for (int i = first; i < k; ++i) by_q[i] = below_q(k, i);
  if (by_q && order == MatrixOrder::rows)
    for (int j = k; j < end; ++j) by_q[j] = below_q(j, k);
  if (by_v && order == MatrixOrder::rows)
    by_v[k] = dot(load_motion<T>(d.S_rate + 6 * k), load_force<T>(d.F + 6 * k)) +
              dot(load_motion<T>(w.U + 6 * k).w, load_vec3<T>(d.N + 3 * k));
  if (by_x) by_x[k] = by_x[k] + load_armature(m, k, w);
  if (by_v && d.damping) by_v[k] = by_v[k] + d.damping[k];
}

// Columns or rows first to end - 1, one behind the other. Of zeros between branches only the first and the last of each range, as
// many as can be among W numbers that are not all zero.
template <class T>
void rnea_lines_of_states(const ModelData& m, int first, int end, MatrixOrder order,
                          const PackedProduct<T>& x, const PackedDerivatives<T>& d,
                          const WorkspaceData<T>& w) {
  for (int k = first; k < end; ++k) {
    PackedProduct<T> line = x;
    for (T** A : {&line.by_q, &line.by_v, &line.by_x})
      if (*A) *A += std::ptrdiff_t{k - first} * m.nv;
    if (order == MatrixOrder::columns)
      fill_line<MatrixOrder::columns>(m, k, WrittenZeros::edges, line, d, w);
    else
      fill_line<MatrixOrder::rows>(m, k, WrittenZeros::edges, line, d, w);
  }
}

// d.M := the lower triangle of the mass matrix row by row, after derivative_forces_of_states; zeros between branches are
// not written.
template <class T>
inline void place_mass_matrix(const ModelData& m, PackedDerivatives<T>& d, const WorkspaceData<T>& w) {
  for (int k = 0; k < m.nv; ++k) {
    T* const row = d.M + std::ptrdiff_t{k} * (k + 1) / 2;
    const Force<T> F = load_force<T>(d.F + 6 * k);
    for (int j = k; j >= 0; j = m.v_parent[j]) row[j] = dot(load_motion<T>(w.U + 6 * j), F);
    row[k] = row[k] + load_armature(m, k, w);
  }
}

template <class T>
void rnea_derivatives_of_states(const ModelData& m, bool solved, const Inputs<T>& in,
                                const PackedProduct<T>& x, T* tau, PackedDerivatives<T>& d,
                                WorkspaceData<T>& w) {
  derivative_forces_of_states(m, in, tau, d, w);
  if (solved) place_mass_matrix(m, d, w);
  const auto fill = [&](auto order) {
    for (int k = 0; k < m.nv; ++k) {
      PackedProduct<T> line = x;
      for (T** A : {&line.by_q, &line.by_v, &line.by_x})
        if (*A) *A += d.space.ld * k;
      fill_line<order>(m, k, solved ? WrittenZeros::none : WrittenZeros::all, line, d, w);
    }
  };
  if (d.space.order == MatrixOrder::columns)
    fill(std::integral_constant<MatrixOrder, MatrixOrder::columns>{});
  else
    fill(std::integral_constant<MatrixOrder, MatrixOrder::rows>{});
}

// ---- forward dynamics

// Rows of a product that are summed at a time, so that these and a row of columns stay in registers.
template <class T>
inline constexpr int rows_at_once = sizeof(T) == 64 ? 4 : 2;

// A matrix of any strides.
template <class T>
struct PackedFactor {
  const T* A;
  std::ptrdiff_t row, column;
};
// sum[h][c] += A[first + h, index(q)] B[q, c] over q; B row by row, C numbers each.
template <int R, int C, class T, class Index>
TENON_INLINE void add_products(const PackedFactor<T>& A, int first, int count, const T* B, const Index& index,
                               T (&sum)[R][C]) {
  for (int q = 0; q < count; ++q) {
    const T* const a = A.A + first * A.row + index(q) * A.column;
    for (int h = 0; h < R; ++h)
      for (int c = 0; c < C; ++c) sum[h][c] = sum[h][c] + a[h * A.row] * B[C * q + c];
  }
}
// Calls each(first, R) for rows first to first + R - 1 of all.
template <class T, class Each>
TENON_INLINE void for_row_blocks(int rows, const Each& each) {
  constexpr int R = rows_at_once<T>;
  int i = 0;
  for (; i + R <= rows; i += R) each(i, std::integral_constant<int, R>{});
  for (; i < rows; ++i) each(i, std::integral_constant<int, 1>{});
}

// Calls each(first, C) for columns first to first + C - 1 of all.
template <class Each>
TENON_INLINE void for_column_blocks(int columns, const Each& each) {
  int j = 0;
  for (; j + columns_at_once <= columns; j += columns_at_once)
    each(j, std::integral_constant<int, columns_at_once>{});
  for (; j < columns; ++j) each(j, std::integral_constant<int, 1>{});
}

// Copies what columns first to first + C - 1 of a matrix, of which D is the first, have in the rows of their ancestors and
// subtrees to d.tile, row by row; other rows count as zero and are not read. Their numbers: d.related. Returns how many there
// are.
template <int C, class T>
inline int take_related(const T* D, int first, PackedDerivatives<T>& d) {
  const SolvedSpace& s = d.space;
  const auto meet = [&](int k, int column) {
    const int j = s.row_of[column];
    return j < 0 || (k <= j ? s.subtree_end[k] > j : k < s.subtree_end[j]);
  };
  // Rows that meet all of these columns for certain.
  int lowest = s.row_of[first], highest = lowest, end = s.rows;
  for (int c = 0; c < C; ++c) {
    const int j = s.row_of[first + c];
    lowest = j < lowest ? j : lowest, highest = j > highest ? j : highest;
    if (j >= 0 && s.subtree_end[j] < end) end = s.subtree_end[j];
  }
  int count = 0;
  for (int k = 0; k < s.rows; ++k) {
    T* const to = d.tile + C * count;
    if (k <= lowest ? s.subtree_end[k] > highest : k >= highest && k < end) {
      for (int c = 0; c < C; ++c) to[c] = D[place_in(s, k, c)];
      d.related[count++] = k;
      continue;
    }
    bool some = false;
    for (int c = 0; c < C; ++c) {
      const bool own = meet(k, first + c);
      to[c] = own ? D[place_in(s, k, c)] : T(0);
      some = some || own;
    }
    if (some) d.related[count++] = k;
  }
  return count;
}

// d.M, the mass matrix, becomes its factor; P := M^-1. False as forward_derivatives_of_states.
template <class T>
inline bool invert_mass_matrix(T* P, PackedDerivatives<T>& d) {
  const SolvedSpace& s = d.space;
  if (!factor_along_tree(s.rows, s.parent, d.M)) return false;
  invert_along_tree(s.rows, s.parent, s.subtree_end, d.M, P);
  SumOfSquares<T> squares;  // the largest number is on the diagonal
  for (std::ptrdiff_t k = 0; k < s.rows; ++k) squares.see(P[k * (s.rows + 1)]);
  d.inverse_squares = squares.all();
  return true;
}

// Calls put(i, c, x) with the numbers x of - P D, row i, of columns first to first + C - 1, of which D is the first; D is
// read before.
template <int C, class T, class Put>
inline void solve_columns(const T* P, int first, const T* D, PackedDerivatives<T>& d, const Put& put) {
  const SolvedSpace& s = d.space;
  const int count = take_related<C>(D, first, d);
  for_row_blocks<T>(s.rows, [&](int i, auto rows) {
    T sum[rows.value][C] = {};
    add_products(
        PackedFactor<T>{P, 1, s.rows}, i, count, d.tile, [&](int q) { return d.related[q]; }, sum);
    for (int h = 0; h < rows.value; ++h)
      for (int c = 0; c < C; ++c) put(i + h, c, -sum[h][c]);
  });
}

template <class T>
bool forward_derivatives_of_states(const PackedProduct<T>& x, PackedDerivatives<T>& d) {
  T* const P = x.by_x ? x.by_x : d.inverse;
  const SolvedSpace& s = d.space;
  if (!invert_mass_matrix(P, d)) return false;
  for (T* A : {x.by_q, x.by_v}) {
    if (!A) continue;
    for_column_blocks(s.columns, [&](int first, auto columns) {
      T* const D = A + place_in(s, 0, first);
      solve_columns<columns.value>(P, first, D, d,
                                   [&](int i, int c, const T& entry) { D[place_in(s, i, c)] = entry; });
    });
  }
  return true;
}

// The same column by column, after derivative_forces_of_states.
template <class T>
bool inverse_mass_of_states(const ModelData& m, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  place_mass_matrix(m, d, w);
  return invert_mass_matrix(d.inverse, d);
}
template <class T>
void forward_columns_of_states(const ModelData& m, int first, int end, MatrixOrder order,
                               const PackedProduct<T>& x, PackedDerivatives<T>& d,
                               const WorkspaceData<T>& w) {
  const std::ptrdiff_t nv = m.nv, length = end - first;
  const bool by_columns = order == MatrixOrder::columns;
  T *const none = nullptr, *const to[2] = {x.by_q, x.by_v};
  for_column_blocks(end - first, [&](int column, auto columns) {
    constexpr int C = columns.value;
    T* D[2];
    for (int e = 0; e < 2; ++e)
      D[e] = !to[e] ? nullptr : by_columns ? to[e] + column * nv : d.columns + e * columns_at_once * nv;
    for (int c = 0; c < C; ++c) {
      const auto line = [&](T* A) { return A ? A + c * nv : nullptr; };
      fill_line<MatrixOrder::columns>(m, first + column + c, WrittenZeros::none,
                                      {none, none, none, line(D[0]), line(D[1]), none}, d, w);
    }
    for (int e = 0; e < 2; ++e) {
      if (!to[e]) continue;
      T* const by = by_columns ? D[e] : to[e] + column;
      const std::ptrdiff_t row = by_columns ? 1 : length, next = by_columns ? nv : 1;
      solve_columns<C>(d.inverse, first + column, D[e], d,
                       [&](int i, int c, const T& entry) { by[i * row + c * next] = entry; });
    }
  });
}

TENON_ISA_END
}  // namespace tenon
