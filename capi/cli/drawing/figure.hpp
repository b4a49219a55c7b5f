// What a simulation leaves behind for its plot: samples, thinned while they come, and the figure made of
// them.
#pragma once

#include "client.hpp"
#include "drawing/chart.hpp"
#include "simulation/contacts.hpp"
#include "simulation/simulation.hpp"

namespace client {

// Keeps about two thousand samples however long the run is, the first and the last among them.
class Recorder {
 public:
  void see(std::size_t step, std::size_t steps, const Sample& sample);
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  std::vector<Sample> samples_;
};

// The robot at the start, halfway and at the end; joint motion, forces at welds and at points, energy, drift.
chart::Figure make_figure(const tenon_model* model, tenon_workspace* workspace, const ContactSet& contacts,
                          const std::vector<Sample>& samples, const std::string& title,
                          const std::string& subtitle);

// Throws where the file cannot be written or is to be none of SVG: better before a long run than after it.
void check_plot(const std::string& path);
// Writes the figure as SVG; throws where the file cannot be written. path "-": standard output.
void write_figure(const chart::Figure& figure, const std::string& path);

}  // namespace client
