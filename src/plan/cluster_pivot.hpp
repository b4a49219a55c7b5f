// How much of the inertia of a cluster rounding of penalties has left: the smallest ratio of a pivot of its D to
// the diagonal. One matrix holds both coordinates that rows hold and free ones.
#pragma once

#include <algorithm>

#include "data/model_data.hpp"

namespace tenon {

// D(e): number e of the factor in WorkspaceData::cluster_D, from the cluster's first.
template <class Factor>
double cluster_pivot(const ClusterData& c, const Factor& D) {
  double smallest = 1;
  for (int y = 1; y < c.y_count; ++y) {
    const double pivot = 1 / D(y * c.y_count + y);
    double diagonal = pivot;
    for (int z = 0; z < y; ++z)
      diagonal += D(y * c.y_count + z) * D(y * c.y_count + z) / D(z * c.y_count + z);
    smallest = std::min(smallest, pivot / diagonal);
  }
  return smallest;
}

// Of all clusters. D(e): number e of WorkspaceData::cluster_D.
template <class Model, class Factor>
double smallest_pivot_by(const Model& m, const Factor& D) {
  double smallest = 1;
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    smallest = std::min(smallest, cluster_pivot(c, [&](int e) { return D(c.G_begin + e); }));
  }
  return smallest;
}
inline double smallest_cluster_pivot(const ModelData& m, const double* cluster_D) {
  return smallest_pivot_by(m, [&](int e) { return cluster_D[e]; });
}

}  // namespace tenon
