// The independent coordinates of a workspace's clusters in its sweeps. They are the model's, except at and
// next to a dead centre of these, where they do not determine the other joints: there, calls that take and
// return spanning coordinates sweep with other ones (update_loops in state/projection.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "plan/memory_block.hpp"
#include "scalar/index.hpp"
#include "tenon/model.hpp"

namespace tenon {

struct LoopSplit : Memory {
  explicit LoopSplit(const Model& model) : data(model.data()) {
    if (model.loops.clusters.empty()) return;
    const auto copy = [&](const std::int32_t* list, std::int32_t count) {
      return keep(std::vector<std::int32_t>(list, list + count));
    };
    data.y_index = y_index = copy(data.y_index, data.nv);
    data.independent = independent = copy(data.independent, data.ny);
    data.dependent = dependent = copy(data.dependent, data.nv - data.ny);
    changed = keep(std::vector<char>(index(data.cluster_count), 0));
  }

  ModelData data;  // the model's, with the tables below
  std::int32_t *y_index, *independent, *dependent;
  char* changed;  // per cluster: it uses other coordinates than the model's
  bool any_changed = false;
};

}  // namespace tenon
