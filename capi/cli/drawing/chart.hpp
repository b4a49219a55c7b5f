// Charts as SVG: panels of lines over one time axis, with a drawing of the robot beside them.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace chart {

struct Line {
  std::string label;
  std::vector<double> y;
  std::string color;  // empty: the next one of the palette
  bool dashed = false;
};

struct Panel {
  std::string title;
  std::string unit;
  std::vector<Line> lines;
  bool logarithmic = false;
};

// A drawing in three dimensions, seen from the front and a little from the side and above.
struct Stroke {
  std::vector<std::array<double, 3>> points;
  std::string color;
  double width = 2, opacity = 1;
};
struct Mark {
  std::array<double, 3> point;
  std::string color;
  double radius = 3;
};
struct Arrow {
  std::array<double, 3> from, to;
  std::string color;
};
struct Drawing {
  std::string title;
  std::vector<Stroke> strokes;
  std::vector<Arrow> arrows;
  std::vector<Mark> marks;
  std::vector<std::pair<std::string, std::string>> legend;  // color, text
  double ground = 0;                                        // height at which the floor grid lies
  bool has_ground = false;
};

struct Figure {
  std::string title, subtitle;
  std::vector<double> t;  // s, shared by all panels
  std::vector<Panel> panels;
  Drawing drawing;  // left out where it has no strokes
};

const std::string& palette(std::size_t index);
std::string to_svg(const Figure& figure);

}  // namespace chart
