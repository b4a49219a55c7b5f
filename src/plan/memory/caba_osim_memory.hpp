// Tables and memory of caba_osim and caba_osimf (kernels/delassus/caba_osim_data.hpp), made once for a model
// and its constraints.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/delassus/caba_osim_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"

namespace tenon {

template <class T>
class CabaOsimMemory {
 public:
  // constraints may be null. Makes nothing for inter-body rows.
  CabaOsimMemory(const ModelData& m, const ConstraintData* constraints);

  std::size_t bytes() const;
  // Whether some link has more rows than its segment has velocity coordinates.
  bool more_rows_than_joints() const { return more_rows_than_joints_; }

  // Whether rows enter a cluster through several of its bodies: no links are made, the methods cannot be
  // used.
  bool rows_meet_in_cluster() const { return rows_meet_in_cluster_; }

  CabaOsimData<T> data{};

 private:
  void find_links(const ModelData& m, const ConstraintData& c);
  void allocate(const ModelData& m);

  std::vector<OsimLink> links_;
  std::vector<std::int32_t> segment_of_node_, link_at_node_;
  std::int32_t places_ = 0, own_size_ = 0, most_rows_ = 0;
  bool more_rows_than_joints_ = false, rows_meet_in_cluster_ = false;
  MemoryBlock<T> memory_;
};

}  // namespace tenon
