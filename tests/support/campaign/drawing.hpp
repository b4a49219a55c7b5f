// How the parts of a case are drawn: what the files of this folder share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/campaign/cases.hpp"
#include "support/oracle.hpp"

namespace tenon::testing {

template <class T, std::size_t n>
T any_of(Random& random, const T (&from)[n]) {
  return from[random.integer(0, static_cast<int>(n) - 1)];
}

// A stream of its own for each part of a case.
inline Random stream(std::uint64_t seed, std::uint64_t part) {
  Random mixed(seed * 64 + part);
  return Random(mixed.bits());
}

inline bool has_loops(const Model& model) {
  return !model.loops.clusters.empty() || !model.row_loops.empty();
}

// All lengths and all masses, and what follows from them.
void scale_mechanism(Mechanism& m, double length, double mass);

Robot draw_robot(Random& random, CampaignCase& c, RobotLibrary& library);

struct Hand {
  Random& random;
  CampaignCase& c;
  const Model& model;
  const Oracle& oracle;
};

void draw_contacts(Hand& h);

// A configuration of a robot of this case's size, brought to where the case is.
void move_away(const CampaignCase& c, std::vector<double>& q);

}  // namespace tenon::testing
