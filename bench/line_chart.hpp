// A chart of lines as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

struct LineChart {
  struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;
    bool dashed = false;
  };
  std::string title, x_title, y_title;
  std::vector<Line> lines;

  // Axes cover the points. Throws std::runtime_error when the file cannot be written.
  void write(const std::string& path) const;
};

}  // namespace bench
