#include "state/loop_split.hpp"

#include <algorithm>
#include <cmath>

#include "data/rank.hpp"

namespace tenon {

namespace {

// The entries of G and g that the kernel does not write: unit rows of the independent coordinates.
void reset_G(WorkspaceImpl& w, const ClusterData& c) {
  std::fill_n(w.w().G + c.G_begin, c.v_count * c.y_count, 0.0);
  for (int j = 0; j < c.y_count; ++j) {
    const int k = w.split.independent[c.y_begin + j];
    w.w().G[c.G_begin + j * c.v_count + k - c.v_begin] = 1;
    w.w().g[k] = 0;
  }
}

// Sets the tables of a cluster from marks, one for each coordinate, nonzero for dependent ones.
void set_split(WorkspaceImpl& w, const ClusterData& c, const double* dependent) {
  std::int32_t y = c.y_begin, d = c.d_begin;
  for (int i = 0; i < c.v_count; ++i) {
    const std::int32_t k = c.v_begin + i;
    w.split.y_index[k] = dependent[i] != 0 ? -1 : y;
    (dependent[i] != 0 ? w.split.dependent[d++] : w.split.independent[y++]) = k;
  }
  reset_G(w, c);
}

}  // namespace

// A column depends on those chosen before if less than singular_split of the longest column remains.
bool change_split(WorkspaceImpl& w, int cluster) {
  const ClusterData& c = w.md().clusters[cluster];
  const int rows = c.row_count;
  // LoopMemory::split_scratch has room for K and then the marks.
  double *A = w.loops.split_scratch.data(), *chosen = A + std::ptrdiff_t{rows} * c.v_count;
  std::copy_n(w.w().loop_K + c.K_begin, std::ptrdiff_t{rows} * c.v_count, A);
  std::fill_n(chosen, c.v_count, 0.0);
  const auto column = [&](int k) { return A + std::ptrdiff_t{k} * rows; };
  const auto product = [&](int i, int k) {
    double sum = 0;
    for (int r = 0; r < rows; ++r) sum += column(i)[r] * column(k)[r];
    return sum;
  };
  double longest = 0;
  for (int d = 0; d < c.d_count; ++d) {
    int best = -1;
    double square = 0;
    for (int k = 0; k < c.v_count; ++k) {
      const double own = chosen[k] != 0 ? 0 : product(k, k);
      if (own > square) square = own, best = k;
    }
    if (d == 0) longest = square;
    if (best < 0 || !(square > singular_split * singular_split * longest)) return false;
    chosen[best] = 1;
    for (int k = 0; k < c.v_count; ++k) {
      if (chosen[k] != 0) continue;
      const double share = product(best, k) / square;
      for (int r = 0; r < rows; ++r) column(k)[r] -= share * column(best)[r];
    }
  }
  set_split(w, c, chosen);
  w.split.changed[cluster] = 1;
  w.split.any_changed = true;
  return true;
}

void restore_split(WorkspaceImpl& w) {
  if (!w.split.any_changed) return;
  const ModelData& m = w.model->data();
  for (int i = 0; i < m.cluster_count; ++i) {
    if (!w.split.changed[i]) continue;
    const ClusterData& c = m.clusters[i];
    double* marks = w.loops.split_scratch.data();
    for (int k = 0; k < c.v_count; ++k) marks[k] = m.y_index[c.v_begin + k] < 0;
    set_split(w, c, marks);
    w.split.changed[i] = 0;
  }
  w.split.any_changed = false;
}

int steep_cluster(const WorkspaceImpl& w) {
  const ModelData& m = w.md();
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    if (c.constant_G || w.split.changed[i]) continue;
    const double* G = w.arena.data.G + c.G_begin;
    for (int e = 0; e < c.v_count * c.y_count; ++e)
      if (std::abs(G[e]) > steepest_G) return i;
  }
  return -1;
}

}  // namespace tenon
