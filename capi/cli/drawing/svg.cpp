#include "drawing/svg.hpp"

#include "client.hpp"

namespace svg {
namespace {

std::string points(const std::vector<double>& xy) {
  std::string list;
  for (std::size_t i = 0; i + 1 < xy.size(); i += 2) list += client::format("%.1f,%.1f ", xy[i], xy[i + 1]);
  if (!list.empty()) list.pop_back();
  return list;
}

std::string stroke(const Style& style) {
  std::string attributes =
      client::format("stroke=\"%s\" stroke-width=\"%.4g\"", style.color.c_str(), style.width);
  if (style.opacity < 1) attributes += client::format(" stroke-opacity=\"%.3g\"", style.opacity);
  if (style.dashed) attributes += " stroke-dasharray=\"6 4\"";
  return attributes;
}

}  // namespace

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string line(double x1, double y1, double x2, double y2, const Style& style) {
  return client::format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
                        stroke(style).c_str());
}

std::string polyline(const std::vector<double>& xy, const Style& style) {
  return "<polyline points=\"" + points(xy) +
         "\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" " + stroke(style) + "/>\n";
}

std::string circle(double x, double y, double radius, const std::string& fill, const std::string& rim) {
  return client::format(
      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.4g\" fill=\"%s\" stroke=\"%s\" stroke-width=\"0.8\"/>\n", x, y,
      radius, fill.c_str(), rim.c_str());
}

std::string polygon(const std::vector<double>& xy, const std::string& fill) {
  return "<polygon points=\"" + points(xy) + "\" fill=\"" + fill + "\"/>\n";
}

std::string rectangle(double x, double y, double width, double height, const std::string& fill) {
  return client::format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y,
                        width, height, fill.c_str());
}

std::string text(double x, double y, const std::string& words, double size, const std::string& color,
                 const char* anchor, int weight) {
  return client::format(
             "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.4g\" fill=\"%s\" text-anchor=\"%s\" "
             "font-weight=\"%d\">",
             x, y, size, color.c_str(), anchor, weight) +
         escape(words) + "</text>\n";
}

}  // namespace svg
