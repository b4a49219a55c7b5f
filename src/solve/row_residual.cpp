#include "solve/row_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon {

void measure_units(const ConstraintData& c, const double* acceleration, double* per_unit) {
  double largest = 0, largest_by_force = 0;
  for (int r = 0; r < c.row_count; ++r) {
    const double a = std::abs(acceleration[r]);
    largest = std::max(largest, a);
    largest_by_force = std::max(largest_by_force, a * c.per_root_scale[r]);
  }
  const double least = 1 / largest, least_by_force = 1 / largest_by_force;
  for (int r = 0; r < c.row_count; ++r) per_unit[r] = std::max(least, c.per_root_scale[r] * least_by_force);
}

void measure_units(const ConstraintData& c, const WorkspaceData<double>& d, double* size, double* per_unit) {
  for (int r = 0; r < c.row_count; ++r) size[r] = std::max(std::abs(d.k[r]), std::abs(d.Ka[r]));
  measure_units(c, size, per_unit);
}

double size_in_units(const double* residual, const double* per_unit, double absolute, int rows) {
  double largest = 0;
  for (int r = 0; r < rows; ++r) {
    const double above = std::abs(residual[r]) - absolute;
    if (above <= 0) continue;
    const double size = above * per_unit[r];
    // What is no number is too large.
    if (!(size <= largest)) largest = size >= 0 ? size : std::numeric_limits<double>::infinity();
  }
  return largest;
}

}  // namespace tenon
