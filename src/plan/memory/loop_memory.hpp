// Memory of a workspace for a model with kinematic loops, besides the arena. Empty without loops.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "plan/assembly.hpp"
#include "plan/on_demand.hpp"
#include "scalar/index.hpp"

namespace tenon {

// What a method in a layer above keeps.
struct AddedMemory {
  virtual ~AddedMemory() = default;
  virtual std::size_t bytes() const = 0;
};

struct LoopMemory {
  LoopMemory(const Model& model, const KernelTable<double>& kernels) : assembly(model, kernels) {
    const std::size_t nv = index(model.nv), ny = index(model.ny);
    if (model.loops.clusters.empty()) return;
    callback_scratch.assign(index(model.loops.callback_scratch), 0);
    M.resize(nv * nv);
    MG.resize(nv * ny);
    H.resize(ny * ny);
    spanning.assign(nv, 0);
    bias.assign(nv, 0);
    independent.assign(ny, 0);
    start.assign(index(model.nq), 0);
    best = start;
    target = start;
    std::size_t widest = 0;
    for (const ClusterData& c : model.loops.clusters)
      widest = std::max(widest, index((c.row_count + 1) * c.v_count));
    split_scratch.assign(widest, 0);
    gaps.assign(index(model.data().loop_row_count), 0);
    K.resize(index(model.data().loop_row_count) * nv);
  }
  std::size_t bytes() const {
    return bytes_of(assembly, gaps, split_scratch, callback_scratch, M, MG, H, spanning, bias, independent,
                    start, best, target, K, added);
  }

  // The state of the current call, in the coordinates of the sweeps, and whether the arena holds G and g for
  // it.
  struct Known {
    const double *q = nullptr, *v = nullptr;
    bool G = false, g = false;
  };

  Assembly assembly;
  Known known;
  std::vector<double> gaps;           // loop rows
  std::vector<double> split_scratch;  // K of the largest cluster, and a number for each coordinate
  std::vector<double> callback_scratch;
  OnDemandArray M, MG, H;                           // projection: M of the tree, M G, G^T M G
  std::vector<double> spanning, bias, independent;  // vectors of nv, nv and ny
  std::vector<double> start, best, target;          // configurations
  OnDemandArray K;                                  // loop rows x nv
  std::unique_ptr<AddedMemory> added;
};

}  // namespace tenon
