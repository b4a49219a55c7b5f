// Trees of coordinates other than that of the model, with their path rows, sized once.
#pragma once

#include <cstdint>
#include <vector>

#include "data/constraint_data.hpp"
#include "kernels/cluster/elimination_tree_data.hpp"
#include "kernels/cluster/independent_space_data.hpp"
#include "plan/arena.hpp"

namespace tenon {

// Tables and memory of prox_ltls for inter-body rows (kernels/cluster/elimination_tree_data.hpp), sized once.
class EliminationTree : public Memory {
 public:
  // w: the workspace, complete with its joint-space block but without `elimination_tree`. constraints null:
  // none.
  EliminationTree(const ModelData& m, const ConstraintData* constraints, const WorkspaceData<double>& w);

  // Copies the pointers of the workspace again, after memory was added to it.
  void follow(const WorkspaceData<double>& w);

  EliminationTreeData<double>* data() { return is_empty() ? nullptr : &data_; }

 private:
  PathTables paths_{};
  EliminationTreeData<double> data_{};
};

// The tree of independent coordinates: the parent of each, a chain for each cluster. last, per body: the last of those that move
// it, -1: none.
std::vector<std::int32_t> independent_tree(const ModelData& m, std::vector<std::int32_t>& last);

// Tables and memory of the methods in independent coordinates (kernels/cluster/independent_space_data.hpp)
// for one model with embedded loops and one constraint set, sized once.
class IndependentSpace : public Memory {
 public:
  // w: the workspace, complete with its joint-space block. constraints null: none.
  IndependentSpace(const ModelData& m, const ConstraintData* constraints, const WorkspaceData<double>& w);

  // Copies the pointers of the workspace again, after memory was added to it.
  void follow(const WorkspaceData<double>& w);

  IndependentSpaceData<double> data{};
  double* G;  // at the configuration of the kept factor, data.w.L

 private:
  void bound_rows(const ModelData& m, const ConstraintData& c);

  PathTables paths_{};
};

}  // namespace tenon
