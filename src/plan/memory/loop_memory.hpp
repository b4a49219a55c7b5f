// Memory of a workspace for a model with kinematic loops, besides the arena. Empty without loops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "plan/assembly.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"
#include "tenon/model.hpp"
#include "tenon/workspace.hpp"

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
    M.resize(nv * nv), MG.resize(nv * ny), H.resize(ny * ny);
    for (std::vector<double>* x : {&spanning, &bias}) x->assign(nv, 0);
    independent.assign(ny, 0);
    for (std::vector<double>* x : {&start, &best, &target}) x->assign(index(model.nq), 0);
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

// The independent coordinates of a workspace's clusters in its sweeps. They are the model's, except at and
// next to a dead centre of these, where they do not determine the other joints: there, calls that take and
// return spanning coordinates sweep with other ones (update_loops in state/projection.hpp).
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

// Memory of a workspace for coordinates other than the spanning tree's (state/coordinates.hpp). Without loops
// all but `result` are empty.
struct CoordinateMemory {
  CoordinateMemory(const Model& model, int rows);
  std::size_t bytes() const;

  // A dependent position that follows from a coupling alone: q[at] = offset + sum of its terms.
  struct Follower {
    std::int32_t at, term_begin, term_end;
    double offset;
  };
  struct Term {
    std::int32_t of;
    double ratio;
  };
  struct Quaternion {
    int y_index, joint;
  };

  Coordinates positions = Coordinates::spanning, velocities = Coordinates::spanning;  // as set
  bool independent_q = false, independent_v = false;  // the same, never true without loops
  bool map_changes = false;                           // some cluster's G is not constant
  int split_joint = -1;                               // a joint with coordinates of both kinds, or -1
  std::vector<double> guess;                          // closed; the path to independent positions starts here
  std::vector<Follower> followers;
  std::vector<Term> terms;
  std::vector<std::int32_t> turned;     // independent positions of clusters that need iteration
  std::vector<Quaternion> quaternions;  // among the independent positions
  // Arguments of a call in coordinates of the spanning tree, and its result.
  std::vector<double> q, v, a, tau, result;
  std::vector<double> jacobian;  // rows of nv
  std::vector<double> G, g;      // of the last kinematics()
  OnDemandArray H, H_factor;     // of factor_mass_matrix(), ny x ny
};

}  // namespace tenon
