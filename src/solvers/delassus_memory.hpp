// Tables and memory of the methods for the Delassus matrix for one model and constraint set
// (kernels/delassus_data.hpp), sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constraint/constraint_data.hpp"
#include "kernels/delassus_data.hpp"
#include "model/model_data.hpp"

namespace tenon {

class DelassusMemory {
 public:
  // constraints: null for none.
  DelassusMemory(const ModelData& m, const ConstraintData* constraints);
  DelassusMemory(const DelassusMemory&) = delete;
  DelassusMemory& operator=(const DelassusMemory&) = delete;

  std::size_t bytes() const;

  OsimrData<double> osimr{};

 private:
  void find_branches(const ModelData& m, const ConstraintData& c);
  void find_groups(const ModelData& m, const ConstraintData& c);
  int longest_way(const ModelData& m) const;
  void allocate(const ModelData& m, const ConstraintData& c);

  std::vector<OsimrEnd> ends_;
  std::vector<OsimrBranch> branches_;
  std::vector<OsimrGroup> groups_;
  std::vector<double> memory_;
};

}  // namespace tenon
