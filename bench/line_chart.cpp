#include "line_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace bench {
namespace {

constexpr double width = 760, height = 480, left = 70, right = 20, top = 40, bottom = 60;
constexpr const char* colours[] = {"#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b8860b", "#444444"};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void see(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
};

// Steps of 1, 2 or 5 times a power of ten, about ten over the range.
double step_of(const Range& r) {
  const double rough = std::max(r.high - r.low, 1e-12) / 11;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power) return factor * power;
  return 10 * power;
}

class Drawing {
 public:
  Drawing(std::FILE* file, const LineChart& chart) : file_(file), chart_(chart) {
    for (const LineChart::Line& line : chart.lines)
      for (const auto& [px, py] : line.points) x_.see(px), y_.see(py);
    y_.see(y_.high + chart.headroom * (y_.high - y_.low));
  }

  void draw() {
    std::fprintf(
        file_,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        width, height);
    text(width / 2, 22, "middle", chart_.title);
    text(width / 2, height - 16, "middle", chart_.x_title);
    std::fprintf(file_,
                 "<text transform=\"translate(18,%.0f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
                 height / 2, chart_.y_title.c_str());
    axes();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) curve(i);
    std::fprintf(file_, "</svg>\n");
  }

 private:
  double at_x(double x) const { return left + (x - x_.low) / (x_.high - x_.low) * (width - left - right); }
  double at_y(double y) const {
    return height - bottom - (y - y_.low) / (y_.high - y_.low) * (height - top - bottom);
  }
  void text(double x, double y, const char* anchor, const std::string& words) {
    std::fprintf(file_, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
                 words.c_str());
  }
  void segment(double x1, double y1, double x2, double y2, const char* colour, const char* dashes) {
    std::fprintf(file_, "<path d=\"M%.1f,%.1fL%.1f,%.1f\" stroke=\"%s\" stroke-dasharray=\"%s\"/>\n", x1, y1,
                 x2, y2, colour, dashes);
  }

  void axes() {
    char number[32];
    for (double x = std::ceil(x_.low); x <= x_.high; x += std::max(1.0, std::floor(step_of(x_)))) {
      segment(at_x(x), top, at_x(x), height - bottom, "#e4e4e4", "none");
      std::snprintf(number, sizeof number, "%g", x);
      text(at_x(x), height - bottom + 18, "middle", number);
    }
    const double step = chart_.powers ? 1 : step_of(y_);
    for (double y = std::ceil(y_.low / step) * step; y <= y_.high + 1e-9; y += step) {
      segment(left, at_y(y), width - right, at_y(y), "#e4e4e4", "none");
      std::snprintf(number, sizeof number, "%g", chart_.powers ? std::pow(10, y) : y);
      text(left - 6, at_y(y) + 4, "end", number);
    }
  }

  void curve(std::size_t i) {
    const LineChart::Line& line = chart_.lines[i];
    const char* colour = colours[line.colour % (sizeof colours / sizeof *colours)];
    const char* dashes = line.dashed ? "5 4" : "none";
    std::fprintf(
        file_, "<polyline fill=\"none\" stroke-width=\"1.8\" stroke=\"%s\" stroke-dasharray=\"%s\" points=\"",
        colour, dashes);
    for (const auto& [x, y] : line.points) std::fprintf(file_, "%.1f,%.1f ", at_x(x), at_y(y));
    std::fprintf(file_, "\"/>\n");
    const double y = top + 18 + 18 * static_cast<double>(i);
    const double x = chart_.legend_left ? left + 15 : width - 350;
    segment(x, y - 4, x + 32, y - 4, colour, dashes);
    text(x + 40, y, "start", line.name);
  }

  std::FILE* file_;
  const LineChart& chart_;
  Range x_, y_;
};

}  // namespace

void LineChart::write(const std::string& path) const {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) throw std::runtime_error("cannot write " + path);
  Drawing(file, *this).draw();
  std::fclose(file);
}

}  // namespace bench
