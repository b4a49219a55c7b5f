// The robot beside the charts: strokes, arrows and marks in three dimensions, projected and fitted to a box.
#pragma once

#include <string>

#include "drawing/chart.hpp"

namespace chart {

std::string draw(const Drawing& drawing, double x, double y, double width, double height);

}  // namespace chart
