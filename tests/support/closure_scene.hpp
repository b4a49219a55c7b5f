// Random robots whose links are tied together by closures, at states where the loops are closed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "support/constrained_scene.hpp"

namespace tenon::testing {

// The frame of link `second` (-1: the world) that coincides at the oracle's state with `frame` of link
// `first`.
Pose coinciding_frame(const Oracle& oracle, int first, const Pose& frame, int second);

struct ClosureOptions {
  int most = 5, most_rows = 30;
  double open = 0.2;  // probability that a loop does not quite close
  double weights = 0.3, compliance = 0, stabilisation = 0.3;
};
// One or more closures between random links, one of them the world now and then.
std::vector<ConstraintSpec> random_closures(Random& random, const Model& model, const Oracle& oracle,
                                            const ClosureOptions& options);

// A random robot with contacts and closures in random order, everything from the seed.
std::unique_ptr<ConstrainedScene> closure_scene(std::uint64_t seed, SceneKind kind, int most_links = 40);

// One of these, or without closures, with its reference; null without rows, or where these have no solution.
std::unique_ptr<ConstrainedScene> solved_scene(std::uint64_t seed, SceneKind kind, bool closures,
                                               int most_links);

// The methods that take rows between two links; clusters: also of robots with embedded loops.
std::vector<Method> closure_methods(bool clusters = false);

}  // namespace tenon::testing
