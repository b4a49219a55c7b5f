// One seeded generator of robots, states and constraint sets for every test that wants many of them. The same
// seed gives the same robot on every machine: the generator and its distributions are our own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tenon/constraints.hpp"
#include "tenon/mechanism.hpp"
#include "tenon/model.hpp"

namespace tenon::testing {

// SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}
  std::uint64_t bits();
  double uniform(double low, double high);
  int integer(int low, int high);  // both ends included
  bool chance(double probability) { return uniform(0, 1) < probability; }
  Vector3 vector(double reach) {
    return {uniform(-reach, reach), uniform(-reach, reach), uniform(-reach, reach)};
  }
  Vector3 direction();
  void quaternion(double* xyzw);
  Pose pose(double reach);  // half of the rotations by multiples of 90 degrees

 private:
  std::uint64_t state_;
};

enum class Shape { chain, star, binary, random };

struct MechanismOptions {
  Shape shape = Shape::random;
  int links = 10;            // the root and what hangs on it, links behind fixed joints included
  bool hinges_only = false;  // revolute, prismatic and screw joints only
};
Mechanism random_mechanism(Random& random, const MechanismOptions& options);

struct Robot {
  Mechanism mechanism;
  CompileOptions options;
  std::shared_ptr<const Model> model;
};
// Every choice drawn from the seed: shape, 1 to most_links links, joints, base, gravity now and then oblique.
Robot random_robot(std::uint64_t seed, int most_links = 60);
// The same with a given shape and number of links.
Robot random_robot(std::uint64_t seed, const MechanismOptions& options, bool floating_base);

struct State {
  std::vector<double> q, v, a, tau, wrenches;  // wrenches: 6 a link, on some links only
};
State random_state(Random& random, const Model& model);

struct ConstraintOptions {
  int most_rows = 30;
  double weights = 0.3, compliance = 0, stabilisation = 0.3;  // probability that a constraint has them
  double duplicates =
      0;  // probability that a constraint is given twice, one after the other, with the same name
};
std::vector<ConstraintSpec> random_constraints(Random& random, const Model& model,
                                               const ConstraintOptions& options);
int row_count(const ConstraintSpec& spec);

}  // namespace tenon::testing
