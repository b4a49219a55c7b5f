// Anchors, gains and activity of constraints that each state of a batch has of its own.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "batch/batch_checks.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(20, test_robots() / 20);
constexpr BatchFunction of_rows[] = {BatchFunction::constrained_dynamics, BatchFunction::impact,
                                     BatchFunction::delassus, BatchFunction::damped_product};

std::shared_ptr<const ConstraintSet> contacts(std::uint64_t seed, const std::shared_ptr<const Model>& model,
                                              int most_rows = 12) {
  Random random(seed);
  ConstraintOptions options;
  options.most_rows = most_rows, options.compliance = 0.2;
  std::vector<ConstraintSpec> specs = random_constraints(random, *model, options);
  // One that the world closes, whose rows packs compute too.
  if (random.chance(0.5))
    specs.push_back(closure_constraint(random.integer(0, static_cast<int>(model->links.size()) - 1),
                                       random.pose(0.2), -1, random.pose(0.5), rows_linear));
  return ConstraintSet::bind(model, specs);
}

TEST(RowsOfStates, AreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots; ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 30);
      const auto set = contacts(number, robot.model);
      if (set->row_count() == 0) continue;
      States<double> s(robot, set, 19, number);
      s.draw_rows(number);
      for (const BatchFunction function : of_rows) expect_as_single(s, here, function, 1e-9);
      States<float> f(robot, set, 19, number);
      f.draw_rows(number);
      expect_as_single(f, here, BatchFunction::delassus, 1e-4);
    }
}

TEST(RowsOfStates, AreThoseOfSingleCallsWithLoopsAndRotors) {
  for (const Instructions here : instruction_sets_here())
    for (const char* name : {"cassie", "mini_cheetah", "mit_humanoid"}) {
      SCOPED_TRACE(name);
      const LoopScene scene = model_scene(name, true);
      const int links = static_cast<int>(scene.model->links.size());
      const auto set =
          ConstraintSet::bind(scene.model, {point_constraint(links - 1, {0.1, 0, 0}, RowAxes::world),
                                            point_constraint(links / 2, {0, 0.1, 0})});
      States<double> s(scene.model, set, 21, 4);
      for (std::size_t i = 0; i < s.count; ++i)
        std::copy(scene.q.begin(), scene.q.end(),
                  s.q.begin() + static_cast<std::ptrdiff_t>(i) * scene.q.size());
      std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.wrenches.begin(), s.wrenches.end(), 0.0);
      s.draw_rows(5);
      for (const BatchFunction function : of_rows)  // impacts stop nothing here
        if (function != BatchFunction::impact) expect_as_single(s, here, function, 1e-9);
      expect_same_digits(s, here, BatchFunction::constrained_dynamics);
    }
}

TEST(RowsOfStates, DigitsDoNotDependOnCompanyOrThreads) {
  for (const Instructions here : instruction_sets_here())
    for (const std::uint64_t seed : {3, 11, 24}) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(seed, 14);
      const auto set = contacts(seed, robot.model);
      if (robot.model->nv == 0 || set->row_count() == 0) continue;
      for (const BatchFunction function : of_rows) {
        States<double> s(robot, set, 67, 5);
        s.draw_rows(seed);
        expect_same_digits(s, here, function);
        States<float> f(robot, set, 67, 5);
        f.draw_rows(seed);
        expect_same_digits(f, here, function);
      }
    }
}

struct Feet {
  Feet() {
    std::vector<ConstraintSpec> specs = {point_constraint(5, {0.1, 0.2, 0}), weld_constraint(8, {})};
    specs[0].name = "foot", specs[0].frequency = 20;
    set = ConstraintSet::bind(robot.model, specs);
  }
  Robot robot = random_robot(3, MechanismOptions{Shape::binary, 12, false}, true);
  std::shared_ptr<const ConstraintSet> set;
};

TEST(RowsOfStates, WeightsComplianceAndFramesAreThoseOfSetsMadeAnew) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots; ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 20);
      const auto set = contacts(number, robot.model);
      if (set->row_count() == 0) continue;
      States<double> s(robot, set, 11, number);
      s.draw_rows(number), s.draw_row_numbers(number);
      if (seed % 2 == 0) s.draw_robots(robot.mechanism, robot.options, number);
      for (const BatchFunction function : of_rows) expect_as_single(s, here, function, 1e-8);
      if (robot.model->nv == 0 || seed % 8 != 0) continue;
      for (const BatchFunction function : of_rows) expect_same_digits(s, here, function);
      States<float> f(robot, set, 11, number);
      f.draw_rows(number), f.draw_row_numbers(number);
      for (const BatchFunction function : of_rows) expect_same_digits(f, here, function);
    }
}

TEST(RowsOfStates, WeightsComplianceAndFramesArePackedToo) {
  const Feet feet;
  const auto expect_packed = [&](auto& s, Instructions here, BatchFunction function) {
    Batch batch(feet.robot.model, feet.set, batch_options(sizeof s.q[0] == sizeof(float), here));
    s.draw_rows(3), s.draw_row_numbers(3);
    s.give_rows(batch);
    ASSERT_EQ(batch.run(s.call(function)), Status::ok) << batch.message();
    EXPECT_EQ(batch.packed(), batch.width() > 1 ? s.count : 0) << static_cast<int>(function);
  };
  for (const Instructions here : instruction_sets_here()) {
    States<double> s(feet.robot, feet.set, 21, 3);
    for (const BatchFunction function : of_rows) expect_packed(s, here, function);
    States<float> f(feet.robot, feet.set, 21, 3);
    for (const BatchFunction function : {BatchFunction::constrained_dynamics, BatchFunction::delassus})
      expect_packed(f, here, function);
  }
}

// Some lanes of a pack have rows that are exact without a multiplier, others have rigid ones.
TEST(RowsOfStates, ComplianceMayBeZeroInSomeStates) {
  for (const Instructions here : instruction_sets_here())
    for (const std::uint64_t seed : {2, 5, 9, 14}) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(seed, 16);
      const auto set = contacts(seed, robot.model);
      if (set->row_count() == 0 || robot.model->nv == 0) continue;
      const std::size_t rows = static_cast<std::size_t>(set->row_count());
      States<double> s(robot, set, 19, seed);
      s.draw_rows(seed), s.draw_row_numbers(seed);
      for (std::size_t i = 0; i < s.count; ++i)
        for (std::size_t r = 0; r < rows; ++r) {
          double& x = s.compliance[i * rows + r];
          x = (i + r) % 3 == 0 ? 0 : (i + r) % 3 == 1 ? 0.01 : x;
          std::size_t own = r, constraint = 0;
          while (own >= static_cast<std::size_t>(set->row_count(static_cast<int>(constraint))))
            own -= static_cast<std::size_t>(set->row_count(static_cast<int>(constraint++)));
          s.specs[i][constraint].compliance[own] = x;
        }
      for (const BatchFunction function : of_rows) {
        expect_as_single(s, here, function, 1e-8);
        expect_same_digits(s, here, function);
      }
    }
}

// Numbers of three states are not those of eleven: nothing is read behind them.
TEST(RowsOfStates, NumbersOfFewerStatesAreRefused) {
  const Feet feet;
  States<double> s(feet.robot, feet.set, 11, 1);
  s.draw_rows(1), s.draw_row_numbers(1);
  for (const int which : {0, 1, 2}) {
    Batch batch(s.model, s.set, batch_options(false, Instructions::automatic));
    s.give_rows(batch);
    const BatchParameters all = s.parameters(3);
    BatchParameters given;
    (which == 0   ? given.weights
     : which == 1 ? given.compliance
                  : given.frames) = which == 0   ? all.weights
                                    : which == 1 ? all.compliance
                                                 : all.frames;
    batch.set_parameters(3, given);
    for (const BatchFunction function : {BatchFunction::constrained_dynamics, BatchFunction::delassus})
      EXPECT_EQ(batch.run(s.call(function)), Status::wrong_size) << which;
  }
}

// Those of all states are computed in packs, and frames of limbs side by side are moved too.
TEST(RowsOfStates, WeightsComplianceAndFramesOfAllStatesArePacked) {
  for (const char* name : {"go1", "atlas"}) {
    CompileOptions floating;
    floating.floating_base = true;
    const auto model =
        Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/" + name + ".urdf"), floating);
    const int links = static_cast<int>(model->links.size());
    const auto set = ConstraintSet::bind(
        model, {point_constraint(links - 1, {0.1, 0, 0}), weld_constraint(links / 2, {})});
    for (const Instructions here : instruction_sets_here()) {
      States<double> s(model, set, 16, 4), one(model, set, 1, 4);
      one.draw_row_numbers(3);
      Batch batch(model, set, batch_options(false, here));
      s.give_rows(batch);
      const BatchCall usual = s.call(BatchFunction::constrained_dynamics);
      ASSERT_EQ(batch.run(usual), Status::ok);
      const std::vector<double> before = s.out;
      batch.set_parameters(1, one.parameters(1));
      ASSERT_EQ(batch.run(s.call(BatchFunction::constrained_dynamics)), Status::ok) << batch.message();
      EXPECT_EQ(batch.packed(), batch.width() > 1 ? s.count : 0);
      const auto anew = one.workspace(0);
      Workspace moved(model, set);
      std::size_t row = 0;
      for (int c = 0; c < 2; ++c) {
        const double* pose = one.frames.data() + 7 * static_cast<std::size_t>(c);
        ASSERT_EQ(set_constraint_frame(moved, c,
                                       {rotation_from_quaternion({pose[3], pose[4], pose[5], pose[6]}),
                                        {pose[0], pose[1], pose[2]}}),
                  Status::ok);
        ASSERT_EQ(set_constraint_weights(moved, c, one.weights.data() + row), Status::ok);
        ASSERT_EQ(set_constraint_compliance(moved, c, one.compliance.data() + row), Status::ok);
        row += static_cast<std::size_t>(set->row_count(c));
      }
      const std::size_t nq = s.q.size() / s.count, nv = s.v.size() / s.count;
      for (std::size_t i = 0; i < s.count; ++i) {
        const Inputs<double> in = {s.q.data() + i * nq, s.v.data() + i * nv, s.x.data() + i * nv,
                                   s.wrenches.data() + i * s.wrenches.size() / s.count,
                                   s.desired.data() + i * s.desired.size() / s.count};
        std::vector<double> expected(nv), found(nv), force(row);
        ASSERT_EQ(constrained_dynamics(*anew, {}, in, expected.data(), force.data()), Status::ok);
        ASSERT_EQ(constrained_dynamics(moved, {}, in, found.data(), force.data()), Status::ok);
        EXPECT_LE(difference(found.data(), expected.data(), nv), 1e-9);
        EXPECT_LE(difference(s.out.data() + i * nv, expected.data(), nv), 1e-8);
        EXPECT_GT(difference(&before[i * nv], expected.data(), nv), 1e-4);
      }
    }
  }
}

// Single calls would give the same numbers, so that packs that gave up would go unnoticed.
TEST(RowsOfStates, ArePackedToo) {
  const Feet feet;
  for (const Instructions here : instruction_sets_here()) {
    Batch batch(feet.robot.model, feet.set, batch_options(false, here));
    States<double> s(feet.robot, feet.set, 21, 3);
    s.draw_rows(3);
    s.give_rows(batch);
    for (const BatchFunction function : of_rows) {
      ASSERT_EQ(batch.run(s.call(function)), Status::ok) << batch.message();
      EXPECT_EQ(batch.packed(), batch.width() > 1 ? s.count : 0) << static_cast<int>(function);
    }
  }
}

TEST(RowsOfStates, HeldPositionsNeedAnchors) {
  const Feet feet;
  Batch batch(feet.robot.model, feet.set, batch_options());
  States<double> s(feet.robot, feet.set, 9, 3);
  const BatchCall solve = s.call(BatchFunction::constrained_dynamics);
  EXPECT_EQ(batch.run(solve), Status::invalid_argument);
  EXPECT_NE(std::string(batch.message()).find("constraint 0 'foot' holds a position (frequency 20 rad/s)"),
            std::string::npos)
      << batch.message();
  for (const double x : s.out) EXPECT_EQ(x, -77);
  EXPECT_EQ(batch.run(s.call(BatchFunction::delassus)), Status::ok);  // has no errors
  EXPECT_STREQ(batch.message(), "");
  const BatchCall again = s.call(BatchFunction::constrained_dynamics);
  // Not held any more, then held by an anchor.
  std::vector<double> zeros(2, 0.0), gains(2, 5.0);
  batch.set_gains(1, array_of(zeros, 2), array_of(zeros, 2));
  EXPECT_EQ(batch.run(again), Status::ok) << batch.message();
  batch.set_gains(1, array_of(gains, 2), array_of(gains, 2));
  EXPECT_EQ(batch.run(again), Status::invalid_argument);
  batch.set_anchor(0, {});
  EXPECT_EQ(batch.run(again), Status::invalid_argument);
  batch.set_anchor(1, {});
  EXPECT_EQ(batch.run(again), Status::ok) << batch.message();
}

TEST(RowsOfStates, CountsMustAgree) {
  const Feet feet;
  Batch batch(feet.robot.model, feet.set, batch_options());
  States<double> s(feet.robot, feet.set, 9, 3);
  s.draw_rows(2);
  s.give_rows(batch, 8);
  EXPECT_EQ(batch.run(s.call(BatchFunction::constrained_dynamics)), Status::wrong_size);
  EXPECT_NE(std::string(batch.message()).find("those of 8 states, but this call has 9"), std::string::npos)
      << batch.message();
  EXPECT_EQ(batch.run(s.call(BatchFunction::forward_dynamics)), Status::ok) << batch.message();
  std::vector<double> poses(9 * 14);
  EXPECT_THROW(batch.anchors(9, array_of(poses, 14)), Error);
  s.give_rows(batch, 1);
  EXPECT_EQ(batch.run(s.call(BatchFunction::constrained_dynamics)), Status::ok) << batch.message();
  batch.anchors(9, array_of(poses, 14));
  for (std::size_t i = 0; i < 9 * 14; ++i) {
    const std::size_t quaternion = i % 14 / 7 * 7 + 3;
    const double sign = s.anchors[quaternion + 3] < 0 && i % 7 >= 3 ? -1 : 1;
    EXPECT_NEAR(poses[i], sign * s.anchors[i % 14], 1e-12) << i;
  }
}

TEST(RowsOfStates, AnchorHereIsThatOfWorkspaces) {
  const Feet feet;
  for (const int threads : {1, 3}) {
    Batch batch(feet.robot.model, feet.set, batch_options(false, Instructions::automatic, threads));
    States<double> s(feet.robot, feet.set, 33, 3);
    const std::size_t nq = s.q.size() / s.count, nv = s.v.size() / s.count;
    ASSERT_EQ(batch.anchor_here(s.count, array_of(s.q, nq), s.status.data()), Status::ok) << batch.message();
    States<double> moved(feet.robot, feet.set, 33, 4);
    ASSERT_EQ(batch.run(moved.call(BatchFunction::constrained_dynamics)), Status::ok) << batch.message();
    Workspace w(feet.robot.model, feet.set);
    SolveOptions options;
    options.method = Method::constrained_aba;
    std::vector<double> qdd(nv), lambda(9);
    const std::size_t f = s.wrenches.size() / s.count;
    for (std::size_t i = 0; i < s.count; ++i) {
      EXPECT_EQ(s.status[i], 0);
      ASSERT_EQ(anchor_here(w, s.q.data() + i * nq), Status::ok);
      ASSERT_EQ(constrained_dynamics(w, options,
                                     {&moved.q[i * nq], &moved.v[i * nv], &moved.x[i * nv],
                                      &moved.wrenches[i * f], &moved.desired[i * 9]},
                                     qdd.data(), lambda.data()),
                Status::ok);
      EXPECT_LE(difference(&moved.out[i * nv], qdd.data(), nv), 1e-9) << i;
    }
    // A state that fails: the anchors stay.
    std::vector<double> before(14 * s.count), after(before);
    batch.anchors(s.count, array_of(before, 14));
    const std::vector<double> solved = moved.out;
    s.q[20 * nq + 1] = std::nan("");
    EXPECT_EQ(batch.anchor_here(s.count, array_of(s.q, nq), s.status.data()), Status::not_finite);
    EXPECT_EQ(std::strncmp(batch.message(), "state 20: q[1]", 14), 0) << batch.message();
    batch.anchors(s.count, array_of(after, 14));
    EXPECT_EQ(before, after);
    ASSERT_EQ(batch.run(moved.call(BatchFunction::constrained_dynamics)), Status::ok) << batch.message();
    EXPECT_EQ(moved.out, solved);
  }
}

// A call before has left the frames of its last state to the memory that computes.
TEST(RowsOfStates, AnchorHereTakesTheFramesOfStates) {
  const Feet feet;
  for (const std::size_t given : {std::size_t{1}, std::size_t{9}}) {
    States<double> s(feet.robot, feet.set, 9, 3), rows(feet.robot, feet.set, given, 3);
    rows.draw_row_numbers(4);
    const std::size_t nq = s.q.size() / s.count;
    std::vector<double> fresh(14 * s.count), used(fresh);
    for (const bool after_a_call : {false, true}) {
      Batch batch(feet.robot.model, feet.set, batch_options(false, Instructions::automatic));
      BatchParameters parameters = rows.parameters(given);
      batch.set_parameters(given, parameters);
      if (after_a_call) {
        ASSERT_EQ(batch.run(s.call(BatchFunction::delassus)), Status::ok) << batch.message();
      }
      // Other numbers of several states leave the frames as they are.
      parameters.frames.data = nullptr;
      batch.set_parameters(given, parameters);
      ASSERT_EQ(batch.anchor_here(s.count, array_of(s.q, nq), nullptr), Status::ok) << batch.message();
      batch.anchors(s.count, array_of(after_a_call ? used : fresh, 14));
    }
    EXPECT_EQ(used, fresh);
    Workspace w(feet.robot.model, feet.set);
    for (std::size_t i = 0; i < s.count; ++i)
      for (int c = 0; c < 2; ++c) {
        const std::size_t at = 14 * (given == 1 ? 0 : i) + 7 * static_cast<std::size_t>(c);
        const double *frame = &rows.frames[at], *pose = &fresh[14 * i + 7 * static_cast<std::size_t>(c)];
        const int link = feet.set->specs()[static_cast<std::size_t>(c)].link;
        double position[3], rotation[9];
        ASSERT_EQ(kinematics(w, &s.q[i * nq], s.v.data() + i * s.v.size() / s.count, nullptr), Status::ok);
        ASSERT_EQ(link_pose(w, link, position, nullptr, rotation), Status::ok);
        for (std::size_t e = 0; e < 3; ++e)
          EXPECT_NEAR(
              pose[e],
              position[e] + rotation[e] * frame[0] + rotation[3 + e] * frame[1] + rotation[6 + e] * frame[2],
              1e-12)
              << given << ' ' << i;
      }
  }
  // Frames of other states than the call has.
  States<double> s(feet.robot, feet.set, 9, 3);
  s.draw_row_numbers(4);
  Batch batch(feet.robot.model, feet.set, batch_options(false, Instructions::automatic));
  batch.set_parameters(5, s.parameters(5));
  EXPECT_EQ(batch.anchor_here(s.count, array_of(s.q, s.q.size() / s.count), nullptr), Status::wrong_size);
}

TEST(RowsOfStates, WrongNumbersChangeNothing) {
  const Feet feet;
  Batch batch(feet.robot.model, feet.set, batch_options());
  States<double> s(feet.robot, feet.set, 9, 3);
  s.draw_rows(2);
  s.give_rows(batch);
  const BatchCall solve = s.call(BatchFunction::constrained_dynamics);
  ASSERT_EQ(batch.run(solve), Status::ok);
  const std::vector<double> expected = s.out;
  const auto refused = [&](std::vector<double>& list, std::size_t at, double x, Status status,
                           const char* words, const auto& set) {
    const double good = list[at];
    list[at] = x;
    try {
      set();
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    list[at] = good;
    ASSERT_EQ(batch.run(solve), Status::ok);
    EXPECT_EQ(s.out, expected);
  };
  const auto anchors = [&] { batch.set_anchors(9, array_of(s.anchors, 14)); };
  const auto gains = [&] { batch.set_gains(9, array_of(s.frequencies, 2), array_of(s.ratios, 2)); };
  const auto active = [&] { batch.set_active(9, array_of(s.active, 2)); };
  refused(s.anchors, 3 * 14, std::nan(""), Status::not_finite, "state 3, constraint 0 'foot': the anchor",
          anchors);
  refused(s.anchors, 4 * 14 + 10, 3, Status::not_normalized, "state 4, constraint 1", anchors);
  refused(s.frequencies, 5 * 2, -1, Status::invalid_argument, "state 5, constraint 0 'foot': frequency -1",
          gains);
  refused(s.ratios, 5 * 2, std::nan(""), Status::not_finite, "state 5, constraint 0 'foot': frequency",
          gains);
  refused(s.active, 6 * 2 + 1, 0.5, Status::invalid_argument, "state 6, constraint 1 '': active is 0.5",
          active);
}

}  // namespace
}  // namespace tenon::testing
