// Memory of the factor of constraint rows: kernels/constrained/row_factor.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/constrained/row_factor_data.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

struct RowFactor : Memory {
  // coordinates: the size of M. room: room_size numbers of the caller, which hold the matrices from the factor to its
  // last use.
  RowFactor(int rows, int coordinates, double* room) {
    data.rows = rows, data.coordinates = coordinates;
    data.stride = whole_packs(coordinates + rows);
    data.columns = room;
    data.range = room + rows * data.stride;
    for (double** x : {&data.scale, &data.square, &data.reference, &data.diagonal, &data.negligible, &data.z,
                       &data.root, &data.x})
      *x = keep(std::vector<double>(index(whole_packs(rows)), 0.0));
    data.y = keep(std::vector<double>(index(data.stride), 0.0));
    data.order = keep(std::vector<std::int32_t>(index(rows), 0));
  }
  // Enough if all rows have compliance.
  static std::size_t room_size(int rows, int coordinates) {
    const int length = coordinates + rows;
    return index(rows) * index(whole_packs(length)) +
           index(whole_packs(rows)) * index(std::min(rows, length));
  }

  RowFactorData data{};
};

}  // namespace tenon
