#include "solve/row_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon {

void measure_units(const ConstraintData& c, const double* acceleration, double* unit) {
  double largest = 0, largest_by_force = 0;
  for (int r = 0; r < c.row_count; ++r) {
    const double a = std::abs(acceleration[r]);
    unit[r] = std::sqrt(c.scale[r]);
    largest = std::max(largest, a);
    largest_by_force = std::max(largest_by_force, a / unit[r]);
  }
  for (int r = 0; r < c.row_count; ++r) unit[r] = std::min(largest, unit[r] * largest_by_force);
}

double size_in_units(const double* residual, const double* unit, double absolute, int rows) {
  double largest = 0;
  for (int r = 0; r < rows; ++r) {
    const double above = std::abs(residual[r]) - absolute;
    if (!(above <= 0))
      largest = std::max(largest, unit[r] > 0 ? above / unit[r] : std::numeric_limits<double>::infinity());
  }
  return largest;
}

}  // namespace tenon
