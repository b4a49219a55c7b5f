// Tables and memory of prox_ltls for inter-body rows (kernels/cluster/elimination_tree_data.hpp), sized once.
#pragma once

#include "data/constraint_data.hpp"
#include "kernels/cluster/elimination_tree_data.hpp"
#include "plan/arena.hpp"

namespace tenon {

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

}  // namespace tenon
