// Tables and memory of prox_ltls for inter-body rows (kernels/cluster/elimination_tree_data.hpp), sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cluster/elimination_tree_data.hpp"
#include "model/constraint_data.hpp"
#include "plan/arena.hpp"

namespace tenon {

class EliminationTree {
 public:
  // w: the workspace, complete with its joint-space block but without `elimination_tree`. constraints null:
  // none.
  EliminationTree(const ModelData& m, const ConstraintData* constraints, const WorkspaceData<double>& w);

  // Copies the pointers of the workspace again, after memory was added to it.
  void follow(const WorkspaceData<double>& w);

  EliminationTreeData<double>* data() { return path_begin_.empty() ? nullptr : &data_; }
  std::size_t bytes() const;

 private:
  void collect_paths(const ModelData& m, const ConstraintData& c);
  std::vector<std::int32_t> elimination_tree(const ModelData& m) const;
  void number_depth_first(const std::vector<std::int32_t>& parent);
  void lay_out_rows(const ModelData& m, const WorkspaceData<double>& w);

  std::vector<std::int32_t> number_, coordinate_, v_parent_, place_, path_begin_, path_;
  PathLayout paths_;
  Memory memory_;
  EliminationTreeData<double> data_{};
};

}  // namespace tenon
