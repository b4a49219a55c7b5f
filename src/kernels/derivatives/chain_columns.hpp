// Columns of M^-1 by the articulated inertias of coordinates in the root frame, where vectors of different bodies add up
// without transforms. A joint of several coordinates counts as joints of one coordinate at one place. With IA the inertia of
// what hangs on coordinate k, once all coordinates behind k move freely,
//
//   U = IA S,  D = S . U + armature,  V = U / D,   IA := IA - U V^T,   and the sum over children is passed to the parent.
//
// The factor M = L^T D L has the entries L_ki = V_k . S_i, so that ancestors act through a vector of six numbers:
//
//   inward    y_i = b_i - S_i . p - sum_{k > i in the chain} L_ki y_k,   p of the chain above += p + sum V_k y_k
//   outward   x_k = y_k / D_k - V_k . a - sum_{i < k in the chain} L_ki x_i,   a of what follows = a + sum S_k x_k
//
// A chain has at most eight coordinates, without branches; within it the entries of L are kept. A floating root is a chain of
// its own, where p and a are rows and x = IA^-1 (b - p). Cost O(n) a column, O(n) for the factor: the path rows of ltl.hpp take
// O(n d) and O(n d^2). Products with constraint rows have it too (delassus/chain_rows.hpp).
#pragma once

#include "kernels/derivatives/column_packs.hpp"
#include "kernels/tree/joint_space.hpp"
#include "spatial/small_ldl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Six numbers of a coordinate or a body lie as a PackedMotion does: a zero behind each three.
constexpr int packed_place(int e) {
  return e < 3 ? e : e + 1;
}

// ---- factor

// The columns of the inertias of bodies, six of eight numbers each.
template <class T>
inline void place_inertia_columns(const ModelData& m, T* field, const WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  const L zero(T(0));
  for (int i = 0; i < m.node_count; i += W) {
    const RigidInertia<L> I = gather_inertias<W>(w, [&](int l) { return i + l; });
    const auto store = [&](int place, const L& x, const L& y, const L& z) {
      L packs[4] = {x, y, z, zero};
      scatter_packs(packs, [&](int l, const Lanes<T>& pack) { pack.store(field + 48 * (i + l) + place); });
    };
    store(0, I.I.xx, I.I.xy, I.I.xz), store(4, zero, -I.h.z, I.h.y);
    store(8, I.I.xy, I.I.yy, I.I.yz), store(12, I.h.z, zero, -I.h.x);
    store(16, I.I.xz, I.I.yz, I.I.zz), store(20, -I.h.y, I.h.x, zero);
    store(24, zero, I.h.z, -I.h.y), store(28, I.m, zero, zero);
    store(32, -I.h.z, zero, I.h.x), store(36, zero, I.m, zero);
    store(40, I.h.y, -I.h.x, zero), store(44, zero, zero, I.m);
  }
}

// Two packs of four as one vector of eight numbers, whatever the registers.
template <class T>
struct Eight {
  Wide<T> x[8 / Wide<T>::count];
  static constexpr int parts = 8 / Wide<T>::count;

  TENON_INLINE static Eight load(const T* p) {
    Eight a;
    for (int i = 0; i < parts; ++i) a.x[i] = Wide<T>::load(p + Wide<T>::count * i);
    return a;
  }
  TENON_INLINE void store(T* p) const {
    for (int i = 0; i < parts; ++i) x[i].store(p + Wide<T>::count * i);
  }
  TENON_INLINE void add(const T& s, const Eight& a) {
    for (int i = 0; i < parts; ++i) x[i] = x[i] + Wide<T>(s) * a.x[i];
  }
  TENON_INLINE friend Eight operator*(const T& s, const Eight& a) {
    Eight out;
    for (int i = 0; i < parts; ++i) out.x[i] = Wide<T>(s) * a.x[i];
    return out;
  }
  TENON_INLINE friend T dot(const Eight& a, const Eight& b) {
    if constexpr (parts == 2) {
      return (a.x[0] * b.x[0] + a.x[1] * b.x[1]).sum();
    } else {
      const Wide<T> product = a.x[0] * b.x[0];
      return (half_of<0>(product) + half_of<1>(product)).sum();
    }
  }
};

// The inverse of a symmetric matrix, which becomes its factor: rows of eight. half, null: not wanted: D^-1/2 L^-1, which is a
// root of it, likewise. False where it is not positive definite.
template <class T>
TENON_INLINE bool invert_six(T (&L)[6][6], T* inverse, T* half = nullptr) {
  using std::sqrt;
  const bool positive = factor_ldl(L);
  Eight<T> x[6];
  for (int i = 0; i < 6; ++i) {
    T unit[8] = {T(0), T(0), T(0), T(0), T(0), T(0), T(0), T(0)};
    unit[i] = T(1);
    x[i] = Eight<T>::load(unit);
  }
  unroll<6>([&](auto i) { unroll<i.value>([&](auto k) { x[i].add(-L[i][k], x[k]); }); });
  for (int i = 0; half && i < 6; ++i) (sqrt(L[i][i]) * x[i]).store(half + 8 * i);
  for (int i = 0; i < 6; ++i) x[i] = L[i][i] * x[i];
  unroll<6>([&](auto step) {
    constexpr int k = 5 - step.value;
    unroll<k>([&](auto i) { x[i].add(-L[k][i], x[k]); });
    x[k].store(inverse + 8 * k);
  });
  return positive;
}
// The same of A + armature, packed rows.
template <class T, class N>
TENON_INLINE bool invert_root(const N* armature, const Eight<T> (&A)[6], T* inverse, T* half) {
  T L[6][6];
  for (int i = 0; i < 6; ++i) {
    T row[8];
    A[i].store(row);
    for (int k = 0; k < 6; ++k) L[i][k] = row[packed_place(k)];
    L[i][i] = L[i][i] + T(armature[i]);
  }
  return invert_six(L, inverse, half);
}

// After place_body_forces. False when the mass matrix is not positive definite.
template <class T>
bool chain_factor(const ModelData& m, DerivativeData<T>& d, const WorkspaceData<T>& w) {
  using L = Wide<T>;
  const int stride = dof_stride(m), roots = dofs_of_floating_root(m) > 0 ? 1 : 0;
  for (int k = 0; k < m.nv; k += L::count) {
    const Motion<L> S = load_motions<L::count>(w.S_root + k, stride);
    scatter_motion(d.axis, k, S);
  }
  place_inertia_columns(m, d.articulated, w);
  bool positive = true;
  Eight<T> A[6] = {};  // along a chain it stays in registers
  for (int i = m.node_count - 1; i >= 0; --i) {
    for (int e = 0; e < 6; ++e) A[e].add(T(1), Eight<T>::load(d.articulated + 48 * i + 8 * e));
    if (i == 0 && roots > 0) {
      positive = invert_root(m.armature, A, d.root_inverse, d.root_half) && positive;
      break;
    }
    for (int k = end_of_dofs(m, i) - 1; k >= m.nodes[i].v_index; --k) {
      const T* const S = d.axis + 8 * k;
      Eight<T> U = S[0] * A[0], of_v = S[4] * A[3];
      for (int e = 1; e < 3; ++e) U.add(S[e], A[e]), of_v.add(S[4 + e], A[3 + e]);
      U.add(T(1), of_v);
      T u[8];
      U.store(u);
      const T D = dot(U, Eight<T>::load(S)) + T(m.armature[k]), inverse = T(1) / D;
      positive = positive && D > T(0);
      d.chain_inv_d[k] = inverse;
      // Not by V: that would add one product to the latency before the next coordinate.
      for (int e = 0; e < 6; ++e) A[e].add(-inverse, u[packed_place(e)] * U);
      (inverse * U).store(d.pull + 8 * k);
    }
    const int parent = m.nodes[i].parent;
    if (parent >= 0 && parent == i - 1) continue;
    for (int e = 0; e < 6; ++e) {
      if (parent >= 0) {
        T* const above = d.articulated + 48 * parent + 8 * e;
        Eight<T> sum = Eight<T>::load(above);
        sum.add(T(1), A[e]);
        sum.store(above);
      }
      A[e] = {};
    }
  }
  for (int c = roots; c < d.chain_count; ++c)
    for (int k = d.chains[c].first + 1; k < d.chains[c].end; ++k)
      for (int i = d.chains[c].first; i < k; ++i)
        d.chain_L[8 * k + i - d.chains[c].first] =
            dot(Eight<T>::load(d.pull + 8 * k), Eight<T>::load(d.axis + 8 * i));
  return positive;
}

// ---- solves

template <int N, class Rows, class T>
TENON_INLINE void solve_chain_inward(const DofChain& c, T* p, T* above, const Rows& x,
                                     const DerivativeData<T>& d) {
  using Row = typename Rows::Row;
  const T *const S = d.axis + 8 * c.first, *const V = d.pull + 8 * c.first,
                 *const L = d.chain_L + 8 * c.first;
  Row y[N];
  unroll<N>([&](auto t) { y[t.value] = x.load(c.first + t.value); });
  if (c.carries) {
    for (int e = 0; e < 6; ++e) {
      const Row from_children = Row::load(p + Row::width * e);
      unroll<N>([&](auto t) { y[t.value].subtract(S[8 * t.value + packed_place(e)], from_children); });
    }
  }
  unroll<N>([&](auto step) {
    constexpr int k = N - 1 - step.value;
    unroll<k>([&](auto i) { y[i.value].subtract(L[8 * k + i.value], y[k]); });
    x.store(c.first + k, y[k]);
  });
  if (!above && !c.carries) return;
  for (int e = 0; e < 6; ++e) {
    Row sum = Row::zero();
    if (c.carries) sum = Row::load(p + Row::width * e), Row::zero().store(p + Row::width * e);
    if (!above) continue;
    sum.add(T(1), Row::load(above + Row::width * e));
    unroll<N>([&](auto t) { sum.add(V[8 * t.value + packed_place(e)], y[t.value]); });
    sum.store(above + Row::width * e);
  }
}

// inv_d: of the coordinates, 1 / D.
template <int N, class Rows, class T>
TENON_INLINE void solve_chain_outward(const DofChain& c, const T& sign, T* a, const T* above, const Rows& x,
                                      const T* inv_d, const DerivativeData<T>& d) {
  using Row = typename Rows::Row;
  const T *const S = d.axis + 8 * c.first, *const V = d.pull + 8 * c.first,
                 *const L = d.chain_L + 8 * c.first;
  Row y[N];
  unroll<N>([&](auto t) { y[t.value] = sign * inv_d[c.first + t.value] * x.load(c.first + t.value); });
  if (above) {
    for (int e = 0; e < 6; ++e) {
      const Row motion = Row::load(above + Row::width * e);
      unroll<N>([&](auto t) { y[t.value].subtract(V[8 * t.value + packed_place(e)], motion); });
    }
  }
  unroll<N>([&](auto i) {
    x.store(c.first + i.value, y[i.value]);
    unroll<N - 1 - i.value>([&](auto step) {
      constexpr int k = i.value + 1 + step.value;
      y[k].subtract(L[8 * k + i.value], y[i.value]);
    });
  });
  if (!c.carries) return;
  for (int e = 0; e < 6; ++e) {
    Row sum = above ? Row::load(above + Row::width * e) : Row::zero();
    unroll<N>([&](auto t) { sum.add(S[8 * t.value + packed_place(e)], y[t.value]); });
    sum.store(a + Row::width * e);
  }
}

// The same of a floating root. p, a: of this chain.
template <class Rows, class T>
TENON_INLINE void solve_root_inward(const DofChain& c, T* p, const Rows& x) {
  using Row = typename Rows::Row;
  if (!c.carries) return;
  for (int e = 0; e < 6; ++e) {
    Row y = x.load(e);
    y.subtract(T(1), Row::load(p + Row::width * e));
    x.store(e, y), Row::zero().store(p + Row::width * e);
  }
}
template <class Rows, class T>
TENON_INLINE void solve_root_outward(const DofChain& c, const T& sign, T* a, const Rows& x,
                                     const DerivativeData<T>& d) {
  using Row = typename Rows::Row;
  Row y[6];
  for (int e = 0; e < 6; ++e) y[e] = sign * x.load(e);
  unroll<6>([&](auto e) {
    const T* const inverse = d.root_inverse + 8 * e.value;
    Row sum = inverse[0] * y[0];
    unroll<5>([&](auto k) { sum.add(inverse[1 + k.value], y[1 + k.value]); });
    x.store(e.value, sum);
    if (c.carries) sum.store(a + Row::width * e.value);
  });
}

// Calls f with the chain's number of coordinates as a compile-time value.
template <class F>
TENON_INLINE void with_chain_size(const DofChain& c, F&& f) {
  with_size<most_in_chain>(c.end - c.first, f);
}

// The factor, for column_packs.hpp; Rows: of x. After chain_factor.
template <class T, class Rows = ColumnRows<T>>
struct ChainColumns {
  DerivativeData<T>& d;

  TENON_INLINE T* vectors(T* of_chains, int c) const {
    return c >= 0 ? of_chains + 6 * Rows::Row::width * c : nullptr;
  }
  TENON_INLINE void inward(const Rows& x, int first, int end) const {
    if (end == 0) return;
    const auto solve = [&](int c) {
      const DofChain& chain = d.chains[c];
      if (chain.is_root) return solve_root_inward(chain, vectors(d.chain_force, c), x);
      with_chain_size(chain, [&](auto size) {
        solve_chain_inward<size.value>(chain, vectors(d.chain_force, c), vectors(d.chain_force, chain.above),
                                       x, d);
      });
    };
    const int first_chain = d.chain_of[first];
    for (int c = d.chain_of[end - 1]; c >= first_chain; --c) solve(c);
    for (int c = d.chains[first_chain].above; c >= 0; c = d.chains[c].above) solve(c);
  }
  TENON_INLINE void outward(const Rows& x, const T& sign, int first) const {
    outward(
        x, sign, d.chain_inv_d,
        [&](const DofChain& chain, T* a) TENON_INLINE_LAMBDA { solve_root_outward(chain, sign, a, x, d); },
        first);
  }
  // inv_d: as solve_chain_outward. root(chain, a): of a floating root.
  template <class Root>
  TENON_INLINE void outward(const Rows& x, const T& sign, const T* inv_d, const Root& root,
                            int first = 0) const {
    for (int c = 0; c < d.chain_count; ++c) {
      const DofChain& chain = d.chains[c];
      if (d.subtree_end[chain.first] <= first) continue;
      if (chain.is_root) {
        root(chain, vectors(d.chain_motion, c));
        continue;
      }
      with_chain_size(chain, [&](auto size) {
        solve_chain_outward<size.value>(chain, sign, vectors(d.chain_motion, c),
                                        vectors(d.chain_motion, chain.above), x, inv_d, d);
      });
    }
  }
};

// x := U x, M^-1 = U U^T (delassus/chain_rows.hpp). After chain_rows_start.
template <class Rows, class T>
TENON_INLINE void half_outward_by_chains(const Rows& x, DerivativeData<T>& d) {
  using Row = typename Rows::Row;
  ChainColumns<T, Rows>{d}.outward(x, T(1), d.chain_root_d,
                                   [&](const DofChain& chain, T* a) TENON_INLINE_LAMBDA {
                                     Row y[6];
                                     for (int e = 0; e < 6; ++e) y[e] = Row::zero();
                                     for (int i = 0; i < 6; ++i) {
                                       const Row given = x.load(i);
                                       for (int e = 0; e < 6; ++e) y[e].add(d.root_half[8 * i + e], given);
                                     }
                                     for (int e = 0; e < 6; ++e) {
                                       x.store(e, y[e]);
                                       if (chain.carries) y[e].store(a + Row::width * e);
                                     }
                                   });
}

template <class T>
TENON_NOINLINE void solve_by_chains(const ModelData& m, RightSide right, int count, T sign, T* A, T* B,
                                    std::int64_t ld, MatrixOrder order, DerivativeData<T>& d) {
  solve_columns(m, right, count, sign, A, B, ld, order, ChainColumns<T>{d}, d);
}

TENON_ISA_END
}  // namespace tenon
