// The settings of constraints that a workspace may change: active or not, gains, weights and compliance.
// Kernels read these numbers. The layout of memory stays that of the whole set.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/memory_block.hpp"
#include "scalar/index.hpp"
#include "tenon/constraints.hpp"

namespace tenon {

struct RowSettings {
  explicit RowSettings(const ConstraintSet* set) {
    if (!set) return;
    data = set->data();
    items.assign(data.items, data.items + data.item_count);
    weight.assign(data.weight, data.weight + data.row_count);
    compliance.assign(data.compliance, data.compliance + data.row_count);
    active.assign(data.active, data.active + data.row_count);
    data.items = items.data(), data.weight = weight.data();
    data.compliance = compliance.data(), data.active = active.data();
  }
  RowSettings(const RowSettings&) = delete;
  RowSettings& operator=(const RowSettings&) = delete;

  // Calls f(item, row, index of the row in its constraint) for every row of a constraint.
  template <class F>
  void for_rows(int constraint, int first_user_row, F&& f) {
    for (ConstraintItem& item : items)
      if (item.constraint == constraint)
        for (std::int32_t r = item.row_begin; r < item.row_begin + item.row_count; ++r)
          f(item, index(r), data.user_row[r] - first_user_row);
  }
  void update_poses() {
    data.poses = ConstraintPoses::none;
    for (const ConstraintItem& item : items) {
      if (item.world_axes != 0 && data.poses == ConstraintPoses::none) data.poses = ConstraintPoses::axes;
      if (item.frequency > 0) data.poses = ConstraintPoses::with_errors;
    }
  }
  std::size_t bytes() const { return bytes_of(items, weight, compliance, active); }

  ConstraintData data{};  // the data of the set, with the tables below
  std::vector<ConstraintItem> items;
  std::vector<double> weight, compliance;
  std::vector<std::int32_t> active;
};

}  // namespace tenon
