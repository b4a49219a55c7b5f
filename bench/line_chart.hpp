// A chart of lines as SVG.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct LineChart {
  struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;
    std::size_t colour = 0;
    bool dashed = false;
  };
  std::string title, x_title, y_title;
  std::vector<Line> lines;
  bool powers = false;       // y are exponents of ten, and labelled so
  bool legend_left = false;  // else right
  double headroom = 0;       // above the highest point, for the legend, as a part of the range

  // Axes cover the points. Throws std::runtime_error when the file cannot be written.
  void write(const std::string& path) const;
};

}  // namespace bench
