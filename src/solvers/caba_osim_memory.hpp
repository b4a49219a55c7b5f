// Tables and memory of caba_osim and caba_osimf (kernels/caba_osim_data.hpp), made once for a model and its
// constraints.
#pragma once

#include <cstddef>
#include <vector>

#include "constraint/constraint_data.hpp"
#include "kernels/caba_osim_data.hpp"
#include "model/model_data.hpp"

namespace tenon {

template <class T>
class CabaOsimMemory {
 public:
  // constraints may be null.
  CabaOsimMemory(const ModelData& m, const ConstraintData* constraints);
  CabaOsimMemory(const CabaOsimMemory&) = delete;
  CabaOsimMemory& operator=(const CabaOsimMemory&) = delete;

  std::size_t bytes() const;

  CabaOsimData<T> data{};

 private:
  void find_links(const ModelData& m, const ConstraintData& c);
  void allocate(const ModelData& m);

  std::vector<OsimLink> links_;
  std::vector<std::int32_t> segment_of_node_, link_at_node_;
  std::vector<T> memory_;
};

}  // namespace tenon
