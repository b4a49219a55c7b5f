// Memory of a workspace for a model with kinematic loops, besides the arena. Empty without loops.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "plan/assembly.hpp"
#include "plan/on_demand.hpp"
#include "plan/row_factor.hpp"
#include "scalar/index.hpp"

namespace tenon {

// For LoopMethod::multipliers: the rows of all loops, rigid and of one weight.
struct LoopRows {
  LoopRows(int rows, int nv)
      : room(RowFactor::room_size(rows, nv), 0.0),
        factor(rows, nv, room.data()),
        KLT(index(rows) * index(nv)),
        motion(index(nv)) {
    for (std::vector<double>* x : {&b, &rest, &scale, &compliance}) x->assign(index(rows), 0.0);
    weight.assign(index(rows), 1.0);
    data.row_count = rows;
    data.scale = scale.data(), data.weight = weight.data(), data.compliance = compliance.data();
  }
  std::size_t bytes() const {
    return bytes_of(room, factor, KLT, motion, b, rest, scale, compliance, weight);
  }

  std::vector<double> room;
  RowFactor factor;
  std::vector<double> KLT;     // K L^-T, per row nv numbers
  std::vector<double> motion;  // L^T qdd
  std::vector<double> b, rest, scale, compliance, weight;
  ConstraintData data{};
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
    rows = OnDemand<LoopRows>(
        [&model] { return std::make_unique<LoopRows>(model.data().loop_row_count, model.nv); });
  }
  std::size_t bytes() const {
    return bytes_of(assembly, gaps, split_scratch, callback_scratch, M, MG, H, spanning, bias, independent,
                    start, best, target, K, rows);
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
  OnDemand<LoopRows> rows;
};

}  // namespace tenon
