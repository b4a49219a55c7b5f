// What is set for states in the lanes of a pack: their constraints (batch/batch_rows.hpp), in the order of the set that is
// swept, and their robots (batch/batch_robots.hpp). What is the same in all states stays in the lanes from call to call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "batch/batch_robots.hpp"
#include "batch/batch_rows.hpp"
#include "batch/pack/pack_numbers.hpp"
#include "kernels/pack/pack_table.hpp"

namespace tenon {

template <class N, int W>
class PackSettings {
 public:
  using Pack = tenon::Pack<N, W>;

  // Of the states in these lanes, to the lanes of numbers, which are the same in all calls.
  void take_rows(const BatchRows& rows, const ConstraintData& swept, const std::size_t (&states)[W],
                 PackNumbers<N, W>& numbers);
  void take_robots(const BatchRobots& robots, const PackKernels<N, W>& kernels,
                   const std::size_t (&states)[W], PackNumbers<N, W>& numbers);

  // As kernels read what the lanes have. without_gains: the poses that rows need which no error acts on.
  static RowSettingsOf<Pack> of_rows(ConstraintPoses poses, bool some_inactive,
                                     const PackNumbers<N, W>& numbers);
  static RowSettingsOf<Pack> of_rows(const BatchRows& rows, ConstraintPoses without_gains,
                                     const PackNumbers<N, W>& numbers) {
    return of_rows(rows.stabilised ? ConstraintPoses::with_errors : without_gains, rows.some_inactive,
                   numbers);
  }

 private:
  std::uint64_t rows_taken_ =
      0;  // version of the BatchRows of which the lanes have what is the same in all states
  std::uint64_t robots_taken_ = 0;  // likewise; 0: those of some states
};

}  // namespace tenon
