// Tables and memory of prox_ltls where rows bridge two branches (kernels/cluster/bridged_factor_data.hpp),
// sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cluster/bridged_factor_data.hpp"
#include "model/constraint_data.hpp"

namespace tenon {

class BridgedFactor {
 public:
  // w: of the workspace, complete but for `bridged`, the joint-space block included. constraints: null for
  // none.
  BridgedFactor(const ModelData& m, const ConstraintData* constraints, const WorkspaceData<double>& w);
  BridgedFactor(const BridgedFactor&) = delete;
  BridgedFactor& operator=(const BridgedFactor&) = delete;

  // Takes over what of the workspace has changed since: gravity, pointers.
  void follow(const WorkspaceData<double>& w);

  BridgedFactorData<double>* data() { return way_begin_.empty() ? nullptr : &data_; }
  std::size_t bytes() const;

 private:
  void collect_ways(const ModelData& m, const ConstraintData& c);
  std::vector<std::int32_t> elimination_tree(const ModelData& m) const;
  void number_depth_first(const std::vector<std::int32_t>& parent);
  void lay_out_rows(const ModelData& m, const WorkspaceData<double>& w);

  std::vector<std::int32_t> number_, coordinate_, v_parent_, dof_depth_, row_first_, place_, way_begin_, way_;
  std::vector<DofPanel> panels_;
  std::vector<double> memory_;
  BridgedFactorData<double> data_{};
};

}  // namespace tenon
