#include "drawing/chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "client.hpp"
#include "drawing/drawing.hpp"
#include "drawing/svg.hpp"

namespace chart {
namespace {

using client::format;

constexpr double margin = 28, header = 88, footer = 46;
constexpr double plot_width = 590, plot_height = 148, plot_gap = 42;
constexpr double axis_width = 66, legend_width = 172, drawing_width = 430;
const char* const ink = "#1f2933";
const char* const faint = "#6b7785";
const char* const grid = "#e4e8ed";

struct Box {
  double x, y, width, height;
};

// An axis from lower to upper with its marks; logarithmic axes hold decades as exponents.
struct Axis {
  double lower = 0, upper = 1, step = 1;
  bool logarithmic = false;
  double place(double value) const {
    if (logarithmic) value = std::log10(std::max(value, std::pow(10.0, lower)));
    return (std::clamp(value, lower, upper) - lower) / (upper - lower);
  }
  std::string label(double mark) const {
    if (logarithmic) return format("1e%+d", static_cast<int>(std::lround(mark)));
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
    const double rounded = std::abs(mark) < step * 1e-6 ? 0 : mark;
    return std::abs(rounded) >= 1e6 || step < 1e-6 ? format("%.3g", rounded)
                                                   : format("%.*f", decimals, rounded);
  }
};

// The step of 1, 2 or 5 times a power of ten that gives about `count` marks.
double nice_step(double span, int count) {
  const double raw = span / count, power = std::pow(10.0, std::floor(std::log10(raw)));
  const double digit = raw / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

Axis linear_axis(double lower, double upper, int count, bool widen) {
  if (!(upper > lower)) {
    const double pad = std::max(std::abs(lower) * 0.1, 1e-9);
    lower -= pad;
    upper += pad;
  }
  Axis axis{lower, upper, nice_step(upper - lower, count), false};
  if (widen) {
    axis.lower = axis.step * std::floor(lower / axis.step + 1e-9);
    axis.upper = axis.step * std::ceil(upper / axis.step - 1e-9);
  }
  return axis;
}

Axis value_axis(const Panel& panel) {
  double lower = std::numeric_limits<double>::infinity(), upper = -lower;
  for (const Line& line : panel.lines)
    for (const double y : line.y) {
      if (!std::isfinite(y) || (panel.logarithmic && y <= 0)) continue;
      lower = std::min(lower, y);
      upper = std::max(upper, y);
    }
  if (!(lower <= upper)) lower = upper = panel.logarithmic ? 1 : 0;
  if (!panel.logarithmic) return linear_axis(lower, upper, 4, true);
  Axis axis;
  axis.logarithmic = true;
  axis.upper = std::ceil(std::log10(upper) + 1e-9);
  // Six decades: what is below is as good as zero beside the rest.
  axis.lower = std::max(std::floor(std::log10(lower)), axis.upper - 6);
  if (axis.lower >= axis.upper) axis.lower = axis.upper - 1;
  axis.step = axis.upper - axis.lower > 4 ? 2 : 1;
  return axis;
}

std::string draw_grid(const Box& box, const Axis& time, const Axis& value, bool bottom) {
  std::string out;
  for (double mark = value.lower; mark <= value.upper + value.step * 1e-6; mark += value.step) {
    const double y = box.y + box.height - box.height * (mark - value.lower) / (value.upper - value.lower);
    const bool zero = !value.logarithmic && std::abs(mark) < value.step * 1e-6;
    out += svg::line(box.x, y, box.x + box.width, y, {zero ? "#b8c1cc" : grid, 1, 1, false});
    out += svg::text(box.x - 8, y + 4, value.label(mark), 11, faint, "end");
  }
  const double first = time.step * std::ceil(time.lower / time.step - 1e-9);
  for (double mark = first; mark <= time.upper + time.step * 1e-6; mark += time.step) {
    const double x = box.x + box.width * (mark - time.lower) / (time.upper - time.lower);
    out += svg::line(x, box.y, x, box.y + box.height, {grid, 1, 1, false});
    if (bottom) out += svg::text(x, box.y + box.height + 18, time.label(mark), 11, faint, "middle");
  }
  if (bottom)
    out += svg::text(box.x + box.width / 2, box.y + box.height + 36, "time, s", 12, faint, "middle");
  return out;
}

std::string draw_line(const Box& box, const Axis& time, const Axis& value, const std::vector<double>& t,
                      const Line& line, const std::string& color) {
  const std::size_t count = std::min(t.size(), line.y.size());
  // More points than half-pixels would only make the file larger.
  const std::size_t stride = std::max<std::size_t>(1, count / static_cast<std::size_t>(2 * box.width));
  std::vector<double> xy;
  for (std::size_t i = 0; i < count; i += stride) {
    if (!std::isfinite(line.y[i])) continue;
    xy.push_back(box.x + box.width * (t[i] - time.lower) / (time.upper - time.lower));
    xy.push_back(box.y + box.height * (1 - value.place(line.y[i])));
  }
  return svg::polyline(xy, {color, 1.8, 1, line.dashed});
}

std::string draw_panel(const Box& box, const Axis& time, const std::vector<double>& t, const Panel& panel,
                       bool bottom) {
  const Axis value = value_axis(panel);
  std::string out = svg::text(box.x, box.y - 10, panel.title, 13.5, ink, "start", 600);
  out += svg::text(box.x - 8, box.y - 10, panel.unit, 11, faint, "end");
  out += draw_grid(box, time, value, bottom);
  const double spacing =
      std::min(16.0, box.height / static_cast<double>(std::max<std::size_t>(1, panel.lines.size())));
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const Line& line = panel.lines[i];
    const std::string color = line.color.empty() ? palette(i) : line.color;
    out += draw_line(box, time, value, t, line, color);
    const double y = box.y + 8 + spacing * static_cast<double>(i), x = box.x + box.width + 14;
    out += svg::line(x, y, x + 18, y, {color, 2.5, 1, line.dashed});
    out += svg::text(x + 25, y + 4, line.label, std::min(11.5, spacing - 1), ink);
  }
  return out;
}

}  // namespace

// Okabe and Ito's colours, told apart by colour-blind eyes, with two more of their kind.
const std::string& palette(std::size_t index) {
  static const std::array<std::string, 10> colors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                                     "#56b4e9", "#7a5195", "#5f6b7a", "#a3b012", "#8c4a2f"};
  return colors[index % colors.size()];
}

std::string to_svg(const Figure& figure) {
  const bool drawn = !figure.drawing.strokes.empty();
  const double left = margin + (drawn ? drawing_width + 20 : 0) + axis_width;
  const double panels = static_cast<double>(std::max<std::size_t>(1, figure.panels.size()));
  const double height = header + panels * (plot_height + plot_gap) - plot_gap + footer + 8;
  const double width = left + plot_width + legend_width + margin / 2;

  std::string out = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
      "font-family=\"'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif\">\n",
      width, height, width, height);
  out += "<title>" + svg::escape(figure.title) + "</title>\n";
  out += svg::rectangle(0, 0, width, height, "#ffffff");
  out += svg::text(margin, 32, figure.title, 19, ink, "start", 600);
  out += svg::text(margin, 53, figure.subtitle, 12.5, faint);
  if (drawn) out += draw(figure.drawing, margin, header - 16, drawing_width, height - header);

  const double begin = figure.t.empty() ? 0 : figure.t.front(), end = figure.t.empty() ? 1 : figure.t.back();
  const Axis time = linear_axis(begin, end, 10, false);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Box box{left, header + 10 + static_cast<double>(i) * (plot_height + plot_gap), plot_width,
                  plot_height};
    out += draw_panel(box, time, figure.t, figure.panels[i], i + 1 == figure.panels.size());
  }
  return out + "</svg>\n";
}

}  // namespace chart
