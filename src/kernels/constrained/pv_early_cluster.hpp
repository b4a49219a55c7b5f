// The rows of pv_early (kernels/constrained/pv_early.hpp) past a cluster: as past a joint, with its independent
// coordinates y, G and D (kernels/cluster/cluster.hpp). A row goes from its body to the cluster's parent with all joints
// locked, where k loses K times the bias of each joint and W = K S G is summed; then
//
//   W := W L^-T,   Y = W diag^-1,   K := K - Y (L^-1 U^T),   k := k - Y (L^-1 u).
#pragma once

#include "kernels/cluster/cluster.hpp"
#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/constrained/rows_at_once.hpp"

namespace tenon {
TENON_ISA_BEGIN

// `count` rows from `first` on, which enter by the same body.
template <class T, class Model>
inline void pass_cluster(const Model& m, const ClusterData& c, int first, int count, const T* v,
                         EarlyCrossing<T>* crossing, EarlySet<T>& set, const WorkspaceData<T>& w) {
  using Rows = RowsAtOnce<T>;
  using P = typename Rows::Number;
  Force<P> K = Rows::load_rows(set.K[0] + first, set.most);
  P k = Rows::load(set.K[6] + first);
  for (int y = 0; y < c.y_count; ++y) Rows::store_first(P(T(0)), count, crossing[y].W + first);
  for (int i = set.entry[first]; i != c.parent; i = m.nodes[i].parent) {
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      for (int y = 0; y < c.y_count; ++y) {
        T G[J::nv];
        load_G<J>(c, n, y, w, G);
        P sum = Rows::load(crossing[y].W + first);
        for_each_column<J, T>(n, [&](auto d, auto S) { sum = sum + P(G[d.value]) * dot(S, K); });
        Rows::store_first(sum, count, crossing[y].W + first);
      }
      k = k - dot(Rows::spread(cluster_joint_bias<J>(n, i, v, w)), K);
      K = force_to_parent(Rows::spread(J::load(n, i, w)), K);
    });
  }
  for (int y = 0; y < c.y_count; ++y) {
    const T* L = w.cluster_D + c.G_begin + y * c.y_count;
    P x = Rows::load(crossing[y].W + first);
    for (int z = 0; z < y; ++z) x = x - P(L[z]) * Rows::load(crossing[z].W + first);
    Rows::store_first(x, count, crossing[y].W + first);
    x = P(L[y]) * x;
    Rows::store_first(x, count, crossing[y].Y + first);
    K = K - scaled(x, Rows::spread(load_force<T>(w.U + 6 * (c.v_begin + y))));
    k = k - x * P(w.u[c.v_begin + y]);
  }
  const P at_parent[7] = {K.n.x, K.n.y, K.n.z, K.f.x, K.f.y, K.f.z, k};
  for (int e = 0; e < 7; ++e) Rows::store_first(at_parent[e], count, set.K[e] + first);
}
// All rows of a set; those that enter by one body side by side.
template <class T, class Model>
inline TENON_NOINLINE void pass_cluster(const Model& m, const ClusterData& c, const T* v,
                                        EarlyCrossing<T>* crossing, EarlySet<T>& set,
                                        const WorkspaceData<T>& w) {
  for (int first = 0, end = 0; first < set.count; first = end) {
    while (end < set.count && end < first + RowsAtOnce<T>::count && set.entry[end] == set.entry[first]) ++end;
    pass_cluster(m, c, first, end - first, v, crossing, set, w);
  }
}

// Adds what the multipliers of a segment do to L^-1 u of a cluster.
template <class T>
inline void push_cluster(const ClusterData& c, const EarlyCrossing<T>* crossing, const EarlySet<T>& set,
                         WorkspaceData<T>& w) {
  for (int y = 0; y < c.y_count; ++y) {
    T force = w.u[c.v_begin + y];
    for (int r = 0; r < set.count; ++r) force = force + crossing[y].W[r] * set.lambda[r];
    w.u[c.v_begin + y] = force;
  }
}

TENON_ISA_END
}  // namespace tenon
