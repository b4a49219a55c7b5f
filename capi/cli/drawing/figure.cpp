#include "drawing/figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "simulation/scene.hpp"

namespace client {
namespace {

using Series = std::vector<double>;

template <class Value>
Series series(const std::vector<Sample>& samples, Value value) {
  Series out;
  out.reserve(samples.size());
  for (const Sample& sample : samples) out.push_back(value(sample));
  return out;
}

// The `count` candidates of the largest score, in their own order.
std::vector<std::size_t> largest(const std::vector<double>& scores, std::size_t count) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(std::min(count, order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

chart::Panel joint_panel(const tenon_model* model, const std::vector<Sample>& samples) {
  std::vector<tenon_joint_info> all = joints(model);
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const tenon_joint_info& j) { return !has_one_coordinate(j); }),
            all.end());
  std::vector<Series> motions;
  std::vector<double> ranges;
  for (const tenon_joint_info& joint : all) {
    const std::size_t index = static_cast<std::size_t>(joint.q_index);
    motions.push_back(
        series(samples, [&](const Sample& sample) { return sample.q[index] - samples.front().q[index]; }));
    const auto [lower, upper] = std::minmax_element(motions.back().begin(), motions.back().end());
    ranges.push_back(*upper - *lower);
  }
  const std::vector<std::size_t> shown = largest(ranges, 8);
  chart::Panel panel;
  panel.title = shown.size() < all.size()
                    ? format("Joint motion since the start: the %zu of %zu joints that move most",
                             shown.size(), all.size())
                    : "Joint motion since the start";
  panel.unit = "rad";
  for (const std::size_t i : shown)
    panel.lines.push_back(
        {std::string(all[i].name) + (all[i].type == TENON_JOINT_TYPE_PRISMATIC ? ", m" : ""), motions[i], "",
         false});
  return panel;
}

// Sizes of the forces at the welds or at the points.
chart::Panel force_panel(const ContactSet& contacts, const std::vector<Sample>& samples, bool weld) {
  std::vector<Series> forces;
  std::vector<std::string> names;
  std::vector<double> peaks;
  for (const Contact& contact : contacts.contacts) {
    if (contact.weld != weld) continue;
    const std::size_t row = contact.first_linear_row();
    forces.push_back(series(samples, [&](const Sample& sample) {
      return std::hypot(sample.lambda[row], sample.lambda[row + 1], sample.lambda[row + 2]);
    }));
    names.push_back(contact.name);
    peaks.push_back(*std::max_element(forces.back().begin(), forces.back().end()));
  }
  chart::Panel panel;
  panel.title = weld ? "Contact force at the welds" : "Contact force at the points";
  panel.unit = "N";
  for (const std::size_t i : largest(peaks, 10)) panel.lines.push_back({names[i], forces[i], "", false});
  return panel;
}

chart::Panel energy_panel(const std::vector<Sample>& samples) {
  const Sample& start = samples.front();
  chart::Panel panel;
  panel.title = "Energy since the start, and the work of the joint torques";
  panel.unit = "J";
  panel.lines = {
      {"kinetic", series(samples, [&](const Sample& s) { return s.kinetic - start.kinetic; }), "", false},
      {"potential", series(samples, [&](const Sample& s) { return s.potential - start.potential; }), "",
       false},
      {"work of torques", series(samples, [](const Sample& s) { return s.work; }), "", false},
      {"energy less work", series(samples, [&](const Sample& s) { return s.balance(start); }), "#1f2933",
       true}};
  return panel;
}

chart::Panel drift_panel(const ContactSet& contacts, const std::vector<Sample>& samples) {
  chart::Panel panel;
  panel.title = "Largest drift of a contact from its anchor";
  panel.unit = "m, rad";
  panel.logarithmic = true;
  panel.lines.push_back(
      {"position, m", series(samples, [](const Sample& s) { return s.drift_position; }), "", false});
  if (std::any_of(contacts.contacts.begin(), contacts.contacts.end(),
                  [](const Contact& c) { return c.weld; }))
    panel.lines.push_back(
        {"angle, rad", series(samples, [](const Sample& s) { return s.drift_angle; }), "", false});
  return panel;
}

constexpr const char* written_as = "the plot";

}  // namespace

void Recorder::see(std::size_t step, std::size_t steps, const Sample& sample) {
  const std::size_t stride = std::max<std::size_t>(1, steps / 2000);
  if (step % stride == 0 || step == steps) samples_.push_back(sample);
}

chart::Figure make_figure(const tenon_model* model, tenon_workspace* workspace, const ContactSet& contacts,
                          const std::vector<Sample>& samples, const std::string& title,
                          const std::string& subtitle) {
  chart::Figure figure;
  figure.title = title;
  figure.subtitle = subtitle;
  if (samples.empty()) return figure;
  figure.t = series(samples, [](const Sample& sample) { return sample.t; });
  chart::Panel motion = joint_panel(model, samples);
  if (!motion.lines.empty()) figure.panels.push_back(std::move(motion));
  for (const bool weld : {true, false}) {
    chart::Panel forces = force_panel(contacts, samples, weld);
    if (!forces.lines.empty()) figure.panels.push_back(std::move(forces));
  }
  figure.panels.push_back(energy_panel(samples));
  if (contacts.contact_rows > 0) figure.panels.push_back(drift_panel(contacts, samples));
  figure.drawing = draw_robot(model, workspace, contacts,
                              {&samples.front(), &samples[samples.size() / 2], &samples.back()});
  return figure;
}

void check_plot(const std::string& path) {
  if (is_standard_output(path)) return;
  const std::size_t name = path.find_last_of("/\\") == path.npos ? 0 : path.find_last_of("/\\") + 1;
  const std::size_t dot = path.find_last_of('.');
  std::string ending = dot == path.npos || dot < name ? "" : path.substr(dot);
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (!ending.empty() && ending != ".svg")
    throw Failure(
        format("--plot: '%s' ends in %s, but plots are SVG; name a file that ends in .svg, and let another "
               "program make other formats of it.",
               path.c_str(), ending.c_str()),
        2);
  std::FILE* file = open_file(path, "ab");
  if (file)
    std::fclose(file);
  else
    Output(written_as, path);
}

void write_figure(const chart::Figure& figure, const std::string& path) {
  Output file(written_as, path);
  file.write(chart::to_svg(figure));
  file.close();
}

}  // namespace client
