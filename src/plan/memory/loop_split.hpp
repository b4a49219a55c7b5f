// Which coordinates of a workspace's clusters are independent in its sweeps. They are the model's, but at
// and next to a dead centre of these, where the other joints do not follow from them: there a call that
// takes and returns spanning coordinates sweeps with others (state/projection.hpp, update_loops).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tenon/model.hpp"

namespace tenon {

struct LoopSplit {
  explicit LoopSplit(const Model& model) : data(model.data()) {
    if (model.loops.clusters.empty()) return;
    y_index.assign(data.y_index, data.y_index + data.nv);
    independent.assign(data.independent, data.independent + data.ny);
    dependent.assign(data.dependent, data.dependent + (data.nv - data.ny));
    changed.assign(static_cast<std::size_t>(data.cluster_count), 0);
    data.y_index = y_index.data(), data.independent = independent.data(), data.dependent = dependent.data();
  }
  LoopSplit(const LoopSplit&) = delete;
  LoopSplit& operator=(const LoopSplit&) = delete;

  std::size_t bytes() const {
    return (y_index.size() + independent.size() + dependent.size()) * sizeof(std::int32_t) + changed.size();
  }

  ModelData data;  // the model's, with the tables below
  std::vector<std::int32_t> y_index, independent, dependent;
  std::vector<char> changed;  // per cluster: other coordinates than the model's
  bool any_changed = false;
};

}  // namespace tenon
