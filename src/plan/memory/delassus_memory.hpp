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
#include "scalar/index.hpp"

namespace tenon {

// The tables, of memory for any number.
class DelassusPlan {
 public:
  // constraints null: none. pv: tables for the same model and constraints, whose lanes efpa uses.
  DelassusPlan(const ModelData& m, const ConstraintData* constraints, const PvTables& pv);

  bool in_order = true;  // the user's order of rows is the kernels'

 protected:
  std::size_t bytes() const;

  OsimrTables osimr_{};
  EfpaTables efpa_{};
  KjrTables kjr_{};
  std::size_t row_count_ = 0, W_size_ = 0, efpa_K_size_ = 0;
  std::int32_t x_size_ = 0, X_size_ = 0, most_y_ = 0;

 private:
  class BranchFinder;
  void find_groups(const ConstraintData& c);
  std::int32_t path_dofs(const ModelData& m, std::int32_t node, std::int32_t up) const;
  std::size_t measure_paths(const ModelData& m);
  void find_efpa_nodes(const ModelData& m, const PvTables& pv);
  void find_packs(const ConstraintData& c);
  void bind_tables(const ModelData& m, int row_count);

  std::vector<OsimrEnd> ends_;
  std::vector<OsimrBranch> branches_;
  std::vector<OsimrMeet> meets_;
  std::vector<OsimrGroup> groups_;
  std::vector<EfpaNode> efpa_nodes_;
  std::vector<std::int32_t> group_lane_end_;
  std::vector<KjrPack> packs_;
  std::vector<std::int32_t> pack_of_row_;
};

template <class T>
class DelassusMemory : public DelassusPlan {
 public:
  DelassusMemory(const ModelData& m, const ConstraintData* constraints, const PvTables& pv)
      : DelassusPlan(m, constraints, pv) {
    static_cast<OsimrTables&>(osimr) = osimr_;
    static_cast<EfpaTables&>(efpa) = efpa_;
    static_cast<KjrTables&>(kjr) = kjr_;
    const std::size_t stride = index(osimr.row_stride), branches = index(osimr.branch_count),
                      nodes = index(m.node_count), nv = index(m.nv), rows = row_count_;
    memory_.cut({{&osimr.K, 6 * stride},
                 {&osimr.G, 6 * stride},
                 {&osimr.P, 48 * branches},
                 {&osimr.Omega, 48 * branches},
                 {&osimr.W, W_size_},
                 {&osimr.W_d, W_size_},
                 {&efpa.K, efpa_K_size_},
                 {&efpa.Y, 6 * index(pv.lane_count)},
                 {&kjr.Omega, rows > 0 ? 48 * nodes : 0},
                 {&inverse_mass.body, 24 * nodes},
                 {&inverse_mass.u, 4 * nv},
                 {&J, rows * nv},
                 {&inverse_mass_JT, rows * nv},
                 {&Lambda, rows * rows},
                 {&osimr.x, index(x_size_)},
                 {&osimr.X, index(X_size_)},
                 {&kjr.x, 4 * index(most_y_)},
                 {&kjr.y, 4 * index(most_y_)},
                 {&inverse_mass.ydd, m.cluster_count > 0 ? 4 * nv : 0}});
  }

  std::size_t bytes() const { return DelassusPlan::bytes() + memory_.bytes(); }

  OsimrData<T> osimr{};
  EfpaData<T> efpa{};
  KjrData<T> kjr{};
  InverseMassData<T> inverse_mass{};
  T* J = nullptr;                // rows x nv, kernels' order
  T* inverse_mass_JT = nullptr;  // nv x rows: M^-1 J^T, kernels' order
  T* Lambda = nullptr;           // rows x rows, kernels' order

 private:
  MemoryBlock<T> memory_;
};

}  // namespace tenon
