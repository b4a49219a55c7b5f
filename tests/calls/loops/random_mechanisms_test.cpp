// Trees with one to ten random loops, gears and couplings of every type, nested and parallel ones, and
// contacts: loops embedded in clusters, as closure rows, and a random half of each in one solve, by every
// method that can, against the spanning tree with multipliers in long double.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <map>
#include <string>

#include "support/closure_scene.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

const int mechanisms = std::max(12, test_robots() * 3 / 50);
constexpr double tolerance = 1e-8;

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
  const VectorXd ydot = random_vector(random, model.ny);
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
  int scenes = 0, with_both = 0, with_inter_body_rows = 0, too_hard = 0;
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
  tally.with_both += set->data().inter_body_count > 0 && model.data().cluster_count > 0;
  tally.with_inter_body_rows += set->data().inter_body_count > 0;
  for (const Method method : available_methods()) {
    SolveOptions options;
    options.method = method;
    VectorXd qdd = VectorXd::Constant(model.nv, 1e99);
    const Status status =
        constrained_dynamics(w, options, {part.scene.q.data(), v.data(), tau.data(), d.state.wrenches.data()},
                             qdd.data(), nullptr);
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
    for (const Method method : closure_methods(true))
      EXPECT_GE(tally.compared[method], tally.scenes * 9 / 10) << name_of(method);
  }
  EXPECT_GE(tallies[Treatment::embedded].compared[Method::constrained_aba], mechanisms / 2);
  EXPECT_GE(tallies[Treatment::rows].with_inter_body_rows, mechanisms / 3);
  EXPECT_GE(tallies[Treatment::half].with_both, mechanisms / 4);
}

// Every loop embedded or closed by rows as the model's description says: contacts and all loops in one call.
TEST(RowLoops, MatchMultipliers) {
  int compared = 0, with_both = 0;
  for (int index = 0; index < mechanisms && !HasFailure(); ++index) {
    const std::uint64_t seed = static_cast<std::uint64_t>(index) + 1000;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Drawn d;
    if (!draw(seed, d)) continue;
    LoopScene scene;
    try {
      scene = with_row_loops(d.scene, choice_of(Treatment::half, seed, d.scene.mechanism.loops.size()));
    } catch (const Error&) {
      continue;
    }
    const Model &model = *scene.model, &whole = *d.scene.model;
    Workspace free(scene.model), w(scene.model, ConstraintSet::bind(scene.model, d.contacts));
    EXPECT_EQ(w.constraints()->specs().size(), d.contacts.size() + model.row_loops.size());
    const VectorXd v = in_order_of(model, whole, d.v, false), tau = in_order_of(model, whole, d.tau, false);
    VectorXd qdd(model.nv);
    const Status status = constrained_dynamics(
        w, {}, {scene.q.data(), v.data(), tau.data(), d.state.wrenches.data()}, qdd.data(), nullptr);
    if (status == Status::singular_configuration) continue;
    EXPECT_EQ(status, Status::ok) << w.message();
    EXPECT_LE(relative_error(qdd, in_order_of(model, whole, d.expected, false), 1), tolerance);
    const VectorXd without = multiplier_accelerations(d.scene, {}, d.scene.q, d.v, d.tau, nullptr);
    for (Workspace* each : {&free, &w}) {
      ASSERT_EQ(forward_dynamics(*each, {scene.q.data(), v.data(), tau.data()}, qdd.data()), Status::ok)
          << each->message();
      EXPECT_LE(relative_error(qdd, in_order_of(model, whole, without, false), 1), tolerance);
    }
    ++compared;
    with_both += !model.row_loops.empty() && model.data().cluster_count > 0;
  }
  EXPECT_GE(compared, mechanisms / 2);
  EXPECT_GE(with_both, mechanisms / 4);
}

// Positions and velocities of all loops are closed together, however each is treated.
TEST(RowLoops, AreClosedWithTheOthers) {
  int closed = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene whole = random_loop_scene(seed, 4);
    if (whole.mechanism.loops.empty()) continue;
    const LoopScene scene =
        with_row_loops(whole, choice_of(Treatment::rows, seed, whole.mechanism.loops.size()));
    Workspace w(scene.model), reference(whole.model);
    Random random(seed);
    VectorXd q = scene.q, v(scene.model->nv), moved(v.size());
    for (double& x : v) x = random.uniform(-1, 1);
    double gap = 0, expected = 0;
    moved = 0.01 * v;
    ASSERT_EQ(integrate(w, scene.q.data(), moved.data(), 1, q.data()), Status::ok);
    const VectorXd there = in_order_of(*whole.model, *scene.model, q, true);
    ASSERT_EQ(loop_gap(w, q.data(), &gap), Status::ok);
    ASSERT_EQ(loop_gap(reference, there.data(), &expected), Status::ok);
    EXPECT_EQ(gap, expected);
    if (close_loops(w, LoopMoves::all, q.data(), &gap) != Status::ok) continue;
    ASSERT_EQ(loop_gap(w, q.data(), &gap), Status::ok);
    EXPECT_LT(gap, loop_tolerance);
    if (project_velocity(w, LoopMoves::all, q.data(), v.data()) != Status::ok) continue;
    VectorXd velocity(w.constraints()->row_count());
    if (velocity.size() == 0) continue;
    ASSERT_EQ(constraint_rows(w, q.data(), v.data(), nullptr, nullptr, 0, nullptr, nullptr, velocity.data()),
              Status::ok);
    EXPECT_LE(largest(velocity), 1e-9 * std::max(1.0, largest(v)));
    ++closed;
  }
  EXPECT_GE(closed, 5);
}

// A ring of links on a fixed base, closed by a pin.
Mechanism ring(int links) {
  Mechanism m;
  m.name = "ring";
  m.links.push_back({"base", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}});
  Pose tip;
  for (int i = 0; i < links; ++i) {
    const std::string name = "link_" + std::to_string(i);
    m.links.push_back({name, 1, {0.1, 0.01, 0}, {0.01, 0, 0, 0.01, 0, 0.02}});
    MechanismJoint joint;
    joint.name = "joint_" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = i == 0 ? "base" : "link_" + std::to_string(i - 1);
    joint.child = name;
    joint.axis = {0, 0, 1};
    joint.origin.translation = {i == 0 ? 0.0 : 0.2, 0, 0};
    joint.origin.rotation = rotation_from_rpy(0, 0, i == 0 ? 0.0 : 5.0 / links);
    tip = tip * joint.origin;
    m.joints.push_back(joint);
  }
  MechanismLoop loop;
  loop.name = "pin";
  loop.predecessor = "base";
  loop.successor = "link_" + std::to_string(links - 1);
  loop.axis = {0, 0, 1};
  loop.successor_frame.translation = {0.2, 0.01, 0};
  loop.predecessor_frame.translation = (tip * loop.successor_frame).translation;
  loop.predecessor_frame.rotation = identity3;
  m.loops.push_back(loop);
  return m;
}

TEST(RowLoops, AutomaticEmbedsShortLoops) {
  CompileOptions options;
  options.loops = LoopTreatment::automatic;
  const auto four_bar = Model::compile(ring(3), options), long_ring = Model::compile(ring(20), options);
  EXPECT_EQ(four_bar->data().cluster_count, 1);
  EXPECT_TRUE(four_bar->row_loops.empty());
  EXPECT_EQ(long_ring->data().cluster_count, 0);
  ASSERT_EQ(long_ring->row_loops.size(), 1u);
  EXPECT_EQ(long_ring->row_loops[0].name, "pin");
  EXPECT_EQ(long_ring->row_loops[0].rows, 0x18u) << "the others no joint moves";
  EXPECT_EQ(long_ring->ny, 20);
  EXPECT_NE(long_ring->describe().find("loop pin is closed by rows"), std::string::npos);
}

// A description's own word is taken before the model's option; open leaves a loop out.
TEST(RowLoops, EachLoopMaySayItself) {
  Mechanism m = ring(3);
  const auto rows_of = [&](LoopTreatment own, LoopTreatment all) {
    m.loops[0].treatment = own;
    CompileOptions options;
    options.loops = all;
    const auto model = Model::compile(m, options);
    return std::make_pair(model->data().cluster_count, model->row_loops.size());
  };
  EXPECT_EQ(rows_of(LoopTreatment::by_model, LoopTreatment::rows), std::make_pair(0, std::size_t{1}));
  EXPECT_EQ(rows_of(LoopTreatment::embed, LoopTreatment::rows), std::make_pair(1, std::size_t{0}));
  EXPECT_EQ(rows_of(LoopTreatment::open, LoopTreatment::rows), std::make_pair(0, std::size_t{0}));
  EXPECT_EQ(rows_of(LoopTreatment::rows, LoopTreatment::embed), std::make_pair(0, std::size_t{1}));
  EXPECT_EQ(rows_of(LoopTreatment::rows, LoopTreatment::open), std::make_pair(0, std::size_t{0}));
}

}  // namespace
}  // namespace tenon::testing
