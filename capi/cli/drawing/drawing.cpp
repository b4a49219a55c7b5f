#include "drawing/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "drawing/svg.hpp"

namespace chart {
namespace {

using Point3 = std::array<double, 3>;
struct Point2 {
  double x, y;
};

// Parallel projection from a little above: from the front (+x), or from the side (-y) for what is long in x.
struct Eye {
  double right_x, right_y, depth_x, depth_y;
  explicit Eye(const Drawing& drawing) {
    double lower[2] = {1e300, 1e300}, upper[2] = {-1e300, -1e300};
    for (const Stroke& stroke : drawing.strokes)
      for (const Point3& point : stroke.points)
        for (std::size_t i = 0; i < 2; ++i) {
          lower[i] = std::min(lower[i], point[i]);
          upper[i] = std::max(upper[i], point[i]);
        }
    const bool from_side = upper[0] - lower[0] > 1.3 * (upper[1] - lower[1]);
    const double azimuth = from_side ? -1.05 : 0.52;
    right_x = -std::sin(azimuth);
    right_y = std::cos(azimuth);
    depth_x = right_y;
    depth_y = -right_x;
  }
  Point2 operator()(const Point3& p) const {
    constexpr double elevation = 0.21;
    const double depth = depth_x * p[0] + depth_y * p[1];
    return {right_x * p[0] + right_y * p[1], std::cos(elevation) * p[2] - std::sin(elevation) * depth};
  }
};

// Lines every quarter of the power of ten of the robot's reach, over the better part of it.
struct Ground {
  double step = 0, extent = 0, height = 0;
  explicit Ground(const Drawing& drawing) {
    if (!drawing.has_ground) return;
    double reach = 0.01;
    for (const Stroke& stroke : drawing.strokes)
      for (const Point3& p : stroke.points) reach = std::max({reach, std::abs(p[0]), std::abs(p[1])});
    step = 0.25 * std::pow(10.0, std::floor(std::log10(reach) + 0.5));
    extent = step * std::round(0.6 * reach / step + 0.5);
    height = drawing.ground;
  }
};

// Keeps proportions: one scale for both axes, the drawing centred in its box.
class View {
 public:
  View(const Drawing& drawing, const Ground& ground, double x, double y, double width, double height)
      : project_(drawing) {
    for (const Stroke& stroke : drawing.strokes)
      for (const Point3& point : stroke.points) include(point);
    for (const Arrow& arrow : drawing.arrows) include(arrow.from), include(arrow.to);
    if (ground.extent > 0)
      for (const double x_corner : {-ground.extent, ground.extent})
        for (const double y_corner : {-ground.extent, ground.extent})
          include({x_corner, y_corner, ground.height});
    const double span_x = std::max(upper_.x - lower_.x, 1e-6), span_y = std::max(upper_.y - lower_.y, 1e-6);
    scale_ = std::min(width / span_x, height / span_y);
    x_ = x + width / 2 - scale_ * (lower_.x + upper_.x) / 2;
    y_ = y + height / 2 + scale_ * (lower_.y + upper_.y) / 2;
  }
  Point2 operator()(const Point3& point) const {
    const Point2 p = project_(point);
    return {x_ + scale_ * p.x, y_ - scale_ * p.y};
  }
  double scale() const { return scale_; }

 private:
  void include(const Point3& point) {
    const Point2 p = project_(point);
    lower_ = {std::min(lower_.x, p.x), std::min(lower_.y, p.y)};
    upper_ = {std::max(upper_.x, p.x), std::max(upper_.y, p.y)};
  }
  Eye project_;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  Point2 lower_{infinity, infinity}, upper_{-infinity, -infinity};
  double scale_ = 1, x_ = 0, y_ = 0;
};

std::string draw_ground(const View& view, const Ground& ground) {
  std::string out;
  const double e = ground.extent, z = ground.height;
  for (double a = -e; a <= e + ground.step / 2; a += ground.step) {
    const Point2 p = view({a, -e, z}), q = view({a, e, z}), r = view({-e, a, z}), s = view({e, a, z});
    out += svg::line(p.x, p.y, q.x, q.y, {"#dde3ea", 1, 1, false});
    out += svg::line(r.x, r.y, s.x, s.y, {"#dde3ea", 1, 1, false});
  }
  return out;
}

std::string draw_arrow(const View& view, const Arrow& arrow) {
  const Point2 a = view(arrow.from), b = view(arrow.to);
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (length < 4) return "";
  const double ux = (b.x - a.x) / length, uy = (b.y - a.y) / length, head = std::min(9.0, 0.5 * length);
  const double x = b.x - head * ux, y = b.y - head * uy, side = 0.42 * head;
  return svg::line(a.x, a.y, x, y, {arrow.color, 2, 1, false}) +
         svg::polygon({b.x, b.y, x - side * uy, y + side * ux, x + side * uy, y - side * ux}, arrow.color);
}

}  // namespace

std::string draw(const Drawing& drawing, double x, double y, double width, double height) {
  const double legend = 17 * static_cast<double>(drawing.legend.size());
  const Ground ground(drawing);
  const View view(drawing, ground, x, y + 24, width, height - 48 - legend);
  std::string out = svg::text(x, y + 16, drawing.title, 13.5, "#1f2933", "start", 600);
  if (ground.extent > 0) out += draw_ground(view, ground);
  for (const Stroke& stroke : drawing.strokes) {
    std::vector<double> xy;
    for (const Point3& point : stroke.points) {
      const Point2 p = view(point);
      xy.insert(xy.end(), {p.x, p.y});
    }
    out += svg::polyline(xy, {stroke.color, stroke.width, stroke.opacity, false});
  }
  for (const Arrow& arrow : drawing.arrows) out += draw_arrow(view, arrow);
  for (const Mark& mark : drawing.marks) {
    const Point2 p = view(mark.point);
    out += svg::circle(p.x, p.y, mark.radius, mark.color, "#ffffff");
  }
  for (std::size_t i = 0; i < drawing.legend.size(); ++i) {
    const double row = y + height - legend + 17 * static_cast<double>(i);
    out += svg::line(x, row, x + 18, row, {drawing.legend[i].first, 3, 1, false});
    out += svg::text(x + 25, row + 4, drawing.legend[i].second, 11.5, "#1f2933");
  }
  return out;
}

}  // namespace chart
