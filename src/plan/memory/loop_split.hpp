// The independent coordinates of a workspace's clusters in its sweeps. They are the model's, except at and
// next to a dead centre of these, where they do not determine the other joints: there, calls that take and
// return spanning coordinates sweep with other ones (update_loops in state/projection.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/memory_block.hpp"
#include "scalar/index.hpp"
#include "tenon/model.hpp"

namespace tenon {

struct LoopSplit {
  explicit LoopSplit(const Model& model) : data(model.data()) {
    if (model.loops.clusters.empty()) return;
    y_index.assign(data.y_index, data.y_index + data.nv);
    independent.assign(data.independent, data.independent + data.ny);
    dependent.assign(data.dependent, data.dependent + (data.nv - data.ny));
    changed.assign(index(data.cluster_count), 0);
    data.y_index = y_index.data(), data.independent = independent.data(), data.dependent = dependent.data();
  }
  LoopSplit(const LoopSplit&) = delete;
  LoopSplit& operator=(const LoopSplit&) = delete;

  std::size_t bytes() const { return bytes_of(y_index, independent, dependent, changed); }

  ModelData data;  // the model's, with the tables below
  std::vector<std::int32_t> y_index, independent, dependent;
  std::vector<char> changed;  // per cluster: it uses other coordinates than the model's
  bool any_changed = false;
};

}  // namespace tenon
