// What kernels see of a constraint set: plain arrays (see model/model_data.hpp for why).
#pragma once

#include <cstdint>

namespace tenon {

struct ConstraintItem {
  std::int32_t node;       // -1: on a link that is part of the world
  std::int32_t row_begin, row_count;
  std::uint32_t rows;      // bits: angular x y z, linear x y z; 0 for custom rows
  std::int32_t world_axes; // 1: rows along the world's axes
  std::int32_t custom;     // index into custom (six numbers a row, body frame), -1 otherwise
  double R[9], p[3];       // constrained frame in the body frame
  double frequency, damping_ratio;
};

struct ConstraintData {
  std::int32_t item_count, row_count;
  const ConstraintItem* items;         // sorted by node, world ones (node -1) first
  const double* custom;
  const double* weight;                // per row
  const double* compliance;            // per row
  const double* scale;                 // per row: typical diagonal of J M^-1 J^T, sets the size of mu
  std::int32_t support_count;
  const std::int32_t* support;         // nodes that carry a constrained node, themselves included, ascending
  const std::int32_t* node_first;      // node_count + 1: items of node i are [node_first[i], node_first[i + 1])
};

}  // namespace tenon
