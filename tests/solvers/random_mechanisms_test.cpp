// Trees with one to ten random loops, gears and couplings of every type, nested and parallel ones, and
// contacts: loops embedded in clusters, as closure rows, and a random half of each in one solve, by every
// method that can, against the spanning tree with multipliers in long double.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <map>
#include <string>

#include "support/constrained_scene.hpp"
#include "support/loop_scene.hpp"
#include "support/oracle.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

constexpr int mechanisms = std::max(12, TENON_TEST_ROBOTS * 3 / 50);
constexpr double tolerance = 1e-8;
constexpr double well_posed = 1e-6;  // as in random_constraints_test.cpp

enum class Treatment { embedded, rows, half };

struct Drawn {
  LoopScene scene;
  State state;
  VectorXd v, tau;
  std::vector<ConstraintSpec> contacts;
  VectorXd expected;
};

// A mechanism at a closed configuration and a velocity on the constraints. False where such a scene is
// singular or its rows say nothing definite.
bool draw(std::uint64_t seed, Drawn& d) {
  d.scene = random_loop_scene(seed, 10);
  Random random(seed + 0x5000000);
  const Model& model = *d.scene.model;
  d.state = random_state(random, model);
  d.tau = as_vector(d.state.tau);
  VectorXd ydot(model.ny);
  for (double& x : ydot) x = random.uniform(-1, 1);
  d.v.resize(model.nv);
  Workspace w(d.scene.model);
  if (spanning_velocity(w, d.scene.q.data(), ydot.data(), d.v.data()) != Status::ok) return false;
  ConstraintOptions few;
  few.most_rows = model.ny / 2;
  few.stabilisation = few.weights = 0;
  d.contacts = random_constraints(random, model, few);
  // Their axes along the links': anchors and world axes are the business of other tests.
  for (ConstraintSpec& spec : d.contacts) spec.axes = RowAxes::link;
  Posedness posedness;
  d.expected = multiplier_accelerations(d.scene, d.contacts, d.scene.q, d.v, d.tau, d.state.wrenches.data(),
                                        &posedness);
  return posedness.feasible && posedness.kept >= well_posed;
}

std::vector<bool> choice_of(Treatment treatment, std::uint64_t seed, std::size_t loops) {
  Random random(seed + 0x6000000);
  std::vector<bool> embedded(loops);
  for (std::size_t i = 0; i < loops; ++i)
    embedded[i] = treatment == Treatment::embedded || (treatment == Treatment::half && random.chance(0.5));
  return embedded;
}

struct Tally {
  std::map<Method, int> compared;
  int scenes = 0, with_both = 0, with_bridges = 0, too_hard = 0;
};

// Loops that can hardly be closed from elsewhere without the others are left to the rows.
PartlyEmbedded divide(const Drawn& d, Treatment treatment, std::uint64_t seed, Tally& tally) {
  const std::size_t loops = d.scene.mechanism.loops.size();
  try {
    return partly_embedded(d.scene, choice_of(treatment, seed, loops));
  } catch (const Error&) {
    ++tally.too_hard;
    return partly_embedded(d.scene, std::vector<bool>(loops, false));
  }
}

void compare(const Drawn& d, const PartlyEmbedded& part, Tally& tally) {
  const Model &model = *part.scene.model, &whole = *d.scene.model;
  std::vector<ConstraintSpec> specs = d.contacts;
  specs.insert(specs.end(), part.closures.begin(), part.closures.end());
  const auto set = ConstraintSet::bind(part.scene.model, specs);
  Workspace w(part.scene.model, set);
  const VectorXd v = in_order_of(model, whole, d.v, false), tau = in_order_of(model, whole, d.tau, false),
                 expected = in_order_of(model, whole, d.expected, false);
  ++tally.scenes;
  tally.with_both += set->data().bridge_count > 0 && model.data().cluster_count > 0;
  tally.with_bridges += set->data().bridge_count > 0;
  for (const Method method : available_methods()) {
    SolveOptions options;
    options.method = method;
    VectorXd qdd = VectorXd::Constant(model.nv, 1e99);
    const Status status = constrained_dynamics(w, options, part.scene.q.data(), v.data(), tau.data(),
                                               d.state.wrenches.data(), nullptr, qdd.data(), nullptr);
    // Some cannot do all of it, and say so: who must is counted. Nor need a part of the loops be regular
    // where all together are.
    if (status == Status::unsupported || status == Status::singular_configuration) {
      EXPECT_TRUE((qdd.array() == 1e99).all()) << "wrote its output";
      continue;
    }
    EXPECT_EQ(status, Status::ok) << name_of(method) << ": " << w.message();
    EXPECT_LE(relative_error(qdd, expected, 1), tolerance) << name_of(method);
    ++tally.compared[method];
  }
}

TEST(RandomMechanisms, MatchMultipliers) {
  std::map<Treatment, Tally> tallies;
  for (int index = 0; index < mechanisms && !HasFailure(); ++index) {
    const std::uint64_t seed = static_cast<std::uint64_t>(index);
    Drawn d;
    if (!draw(seed, d)) continue;
    for (const Treatment treatment : {Treatment::embedded, Treatment::rows, Treatment::half}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", treatment " +
                   std::to_string(static_cast<int>(treatment)));
      Tally& tally = tallies[treatment];
      compare(d, divide(d, treatment, seed, tally), tally);
    }
  }
  for (auto& [treatment, tally] : tallies) {
    SCOPED_TRACE(static_cast<int>(treatment));
    EXPECT_GE(tally.scenes, mechanisms * 6 / 10);
    EXPECT_LE(tally.too_hard, mechanisms / 5);
    for (const Method method :
         {Method::automatic, Method::dense, Method::pv, Method::prox_pv, Method::prox_ltl})
      EXPECT_GE(tally.compared[method], tally.scenes * 9 / 10) << name_of(method);
  }
  EXPECT_GE(tallies[Treatment::embedded].compared[Method::constrained_aba], mechanisms / 2);
  EXPECT_GE(tallies[Treatment::rows].with_bridges, mechanisms / 3);
  EXPECT_GE(tallies[Treatment::half].with_both, mechanisms / 4);
}

}  // namespace
}  // namespace tenon::testing
