// The few SVG elements that charts are made of.
#pragma once

#include <string>
#include <vector>

namespace svg {

std::string escape(const std::string& text);

struct Style {
  std::string color = "#1f2933";
  double width = 1;
  double opacity = 1;
  bool dashed = false;
};

std::string line(double x1, double y1, double x2, double y2, const Style& style);
// Points as x, y, x, y, ...; rounded joins.
std::string polyline(const std::vector<double>& xy, const Style& style);
std::string circle(double x, double y, double radius, const std::string& fill, const std::string& rim);
std::string polygon(const std::vector<double>& xy, const std::string& fill);
std::string rectangle(double x, double y, double width, double height, const std::string& fill);
// anchor: start, middle or end. weight: 400 or 600.
std::string text(double x, double y, const std::string& words, double size, const std::string& color,
                 const char* anchor = "start", int weight = 400);

}  // namespace svg
