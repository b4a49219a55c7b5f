// Tables and memory of the methods for the Delassus matrix and of the operational-space products for one
// model and constraint set (kernels/delassus/delassus_data.hpp), sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/constrained/pv_data.hpp"
#include "kernels/delassus/delassus_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"

namespace tenon {

template <class T>
class DelassusMemory {
 public:
  // constraints null: none. pv: tables for the same model and constraints, whose lanes efpa uses.
  DelassusMemory(const ModelData& m, const ConstraintData* constraints, const PvData<T>& pv);

  std::size_t bytes() const;

  OsimrData<T> osimr{};
  EfpaData<T> efpa{};
  KjrData<T> kjr{};
  InverseMassData<T> inverse_mass{};
  T* J = nullptr;                // rows x nv, kernels' order
  T* inverse_mass_JT = nullptr;  // nv x rows: M^-1 J^T, kernels' order
  T* Lambda = nullptr;           // rows x rows, kernels' order

  bool in_order = true;  // the user's order of rows is the kernels'

 private:
  class BranchFinder;
  void find_groups(const ConstraintData& c);
  std::int32_t path_dofs(const ModelData& m, std::int32_t node, std::int32_t up) const;
  std::size_t measure_paths(const ModelData& m);
  void find_efpa_nodes(const ModelData& m, const PvData<T>& pv);
  void find_packs(const ConstraintData& c);
  void allocate(const ModelData& m, int row_count, const PvData<T>& pv);

  std::vector<OsimrEnd> ends_;
  std::vector<OsimrBranch> branches_;
  std::vector<OsimrMeet> meets_;
  std::int32_t X_size_ = 0;
  std::vector<OsimrGroup> groups_;
  std::vector<EfpaNode> efpa_nodes_;
  std::vector<std::int32_t> group_lane_end_;
  std::vector<KjrPack> packs_;
  std::vector<std::int32_t> pack_of_row_;
  std::size_t efpa_K_size_ = 0;
  MemoryBlock<T> memory_;
};

}  // namespace tenon
