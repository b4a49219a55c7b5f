// Tables and memory of caba_osim and caba_osimf (kernels/delassus/caba_osim_data.hpp), made once for a model
// and its constraints.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/delassus/caba_osim_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"

namespace tenon {

// The tables, of memory for any number.
class CabaOsimPlan {
 public:
  // constraints may be null. Makes nothing for inter-body rows.
  CabaOsimPlan(const ModelData& m, const ConstraintData* constraints);

  // Whether some link has more rows than its segment has velocity coordinates.
  bool more_rows_than_joints() const { return more_rows_than_joints_; }

  // Whether rows enter a cluster through several of its bodies: no links are made, the methods cannot be
  // used.
  bool rows_meet_in_cluster() const { return rows_meet_in_cluster_; }

 protected:
  std::size_t bytes() const;

  CabaOsimTables tables_{};
  std::int32_t places_ = 0, own_size_ = 0, most_rows_ = 0;

 private:
  void find_links(const ModelData& m, const ConstraintData& c);

  std::vector<OsimLink> links_;
  std::vector<std::int32_t> segment_of_node_, link_at_node_;
  bool more_rows_than_joints_ = false, rows_meet_in_cluster_ = false;
};

template <class T>
class CabaOsimMemory : public CabaOsimPlan {
 public:
  CabaOsimMemory(const ModelData& m, const ConstraintData* constraints) : CabaOsimPlan(m, constraints) {
    static_cast<CabaOsimTables&>(data) = tables_;
    if (data.row_count == 0) return;
    const std::size_t links = index(data.link_count), stride = index(data.stride), nv = index(m.nv);
    const std::size_t row_array = 6 * stride, matrix6 = 48;
    const std::size_t places = index(places_), most = index(most_rows_);
    memory_.cut({{&data.carried, matrix6},       {&data.segment_W, 8 * nv},
                 {&data.segment_inv_d, nv},      {&data.own_K, 8 * most},
                 {&data.own_KT, 6 * most},       {&data.response, 8 * most},
                 {&data.own_A, most * most},     {&data.stack, most * (16 + most)},
                 {&data.damping, stride},        {&data.Phi, 21 * links},
                 {&data.axes, matrix6 * links},  {&data.propagate, matrix6 * links},
                 {&data.omega, matrix6 * links}, {&data.psi, matrix6 * links},
                 {&data.own, index(own_size_)},  {&data.gain, 6 * places},
                 {&data.drive, 6 * places},      {&data.gain_up, row_array},
                 {&data.drive_up, row_array},    {&data.matrix, stride * stride},
                 {&data.force, 8 * links},       {&data.motion, 8 * links},
                 {&data.own_b, places}});
  }

  std::size_t bytes() const { return CabaOsimPlan::bytes() + memory_.bytes(); }

  CabaOsimData<T> data{};

 private:
  MemoryBlock<T> memory_;
};

}  // namespace tenon
