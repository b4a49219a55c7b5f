// Tables and memory of the methods in independent coordinates (kernels/cluster/independent_space_data.hpp)
// for one model with embedded loops and one constraint set, sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cluster/independent_space_data.hpp"
#include "model/constraint_data.hpp"
#include "plan/arena.hpp"

namespace tenon {

class IndependentSpace {
 public:
  // w: the workspace, complete with its joint-space block. constraints null: none.
  IndependentSpace(const ModelData& m, const ConstraintData* constraints, const WorkspaceData<double>& w);

  // Copies the pointers of the workspace again, after memory was added to it.
  void follow(const WorkspaceData<double>& w);
  std::size_t bytes() const;

  IndependentSpaceData<double> data{};
  std::vector<double> G;  // at the configuration of the kept factor, data.w.L

 private:
  void make_tree(const ModelData& m);
  void bound_rows(const ModelData& m, const ConstraintData& c);

  std::vector<std::int32_t> v_parent_, node_, moved_begin_, moved_end_;
  PathLayout paths_;
  MemoryBlock<double> memory_;
  double *H_ = nullptr, *H_L_ = nullptr, *H_inv_d_ = nullptr, *L_ = nullptr, *L_inv_d_ = nullptr,
         *joint_force_ = nullptr;  // of data.w
};

}  // namespace tenon
