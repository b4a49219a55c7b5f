// Tables and memory of the methods for the Delassus matrix and of the operational-space products for one
// model and constraint set (kernels/delassus_data.hpp), sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constraint/constraint_data.hpp"
#include "kernels/delassus_data.hpp"
#include "kernels/pv_data.hpp"
#include "model/model_data.hpp"

namespace tenon {

class DelassusMemory {
 public:
  // constraints: null for none. pv: tables for the same, whose lanes efpa uses.
  DelassusMemory(const ModelData& m, const ConstraintData* constraints, const PvData<double>& pv);
  DelassusMemory(const DelassusMemory&) = delete;
  DelassusMemory& operator=(const DelassusMemory&) = delete;

  std::size_t bytes() const;

  OsimrData<double> osimr{};
  EfpaData<double> efpa{};
  KjrData<double> kjr{};
  InverseMassData<double> inverse_mass{};
  double* J = nullptr;                // rows x nv, kernels' order
  double* inverse_mass_JT = nullptr;  // nv x rows: M^-1 J^T, likewise
  double* Lambda = nullptr;           // rows x rows, likewise

 private:
  void find_branches(const ModelData& m, const ConstraintData& c);
  void find_groups(const ModelData& m, const ConstraintData& c);
  int longest_way(const ModelData& m) const;
  void find_efpa_nodes(const ModelData& m, const PvData<double>& pv);
  void find_packs(const ConstraintData& c);
  void allocate(const ModelData& m, int row_count, const PvData<double>& pv);

  std::vector<OsimrEnd> ends_;
  std::vector<OsimrBranch> branches_;
  std::vector<OsimrGroup> groups_;
  std::vector<EfpaNode> efpa_nodes_;
  std::vector<std::int32_t> group_lane_end_;
  std::vector<KjrPack> packs_;
  std::vector<std::int32_t> pack_of_row_;
  std::size_t efpa_K_size_ = 0;
  std::vector<double> memory_;
};

}  // namespace tenon
