// Constrained dynamics of states in one pack that go different ways: rows given twice that agree or contradict
// each other, and rows that need different numbers of sweeps. Every state gets the status and the motion of its
// single call, and its number of iterations; packs, which remove rounding errors from the first iteration on,
// may need one less.
#include <gtest/gtest.h>

#include <set>

#include "batch/batch_states.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(20, test_robots() / 20);

struct Single {
  Status status;
  int iterations;
  std::vector<double> qdd;
};

// The states one by one, by the method of packs and the instructions that a batch uses for single states.
std::vector<Single> solve_singly(const States<double>& s, const SolveOptions& solve, Instructions here) {
  WorkspaceOptions made;
  made.instructions = here;
  Workspace w(s.model, s.set, made);
  const std::size_t nq = s.q.size() / s.count, nv = s.v.size() / s.count, rows = s.desired.size() / s.count,
                    wrenches = s.wrenches.size() / s.count;
  std::vector<Single> all;
  std::vector<double> lambda(rows);
  for (std::size_t i = 0; i < s.count; ++i) {
    Single one{Status::ok, 0, std::vector<double>(nv)};
    one.status = constrained_dynamics(
        w, solve, {&s.q[i * nq], &s.v[i * nv], &s.x[i * nv], &s.wrenches[i * wrenches], &s.desired[i * rows]},
        one.qdd.data(), lambda.data());
    one.iterations = w.report().iterations;
    all.push_back(one);
  }
  return all;
}

std::vector<ConstraintSpec> rows_of(std::uint64_t seed, const Robot& robot, double duplicates) {
  Random random(seed);
  ConstraintOptions options;
  options.most_rows = 12, options.duplicates = duplicates, options.weights = 0;
  return random_constraints(random, *robot.model, options);
}

SolveOptions method_of_packs() {
  SolveOptions solve;
  solve.method = Method::constrained_aba;
  return solve;
}

// What a batch answers for one state, by its single call.
void expect_as_single(const States<double>& s, std::size_t i, const Single& one) {
  const std::size_t nv = one.qdd.size();
  EXPECT_EQ(s.status[i], static_cast<std::int32_t>(one.status)) << "state " << i;
  const int saved = one.iterations - s.iterations[i];
  EXPECT_GE(saved, 0) << "state " << i;
  EXPECT_LE(saved, one.status == Status::ok ? 1 : 0) << "state " << i;
  EXPECT_LE(difference(&s.out[i * nv], one.qdd.data(), nv), 1e-9) << "state " << i;
}

// Rows given twice: in every second state the copies ask for the same, in the others for different
// accelerations, so that each pack has states that hold and states that contradict themselves.
TEST(BatchConvergence, RedundantAndContradictoryRowsInOnePack) {
  int mixed = 0;
  for (const Instructions here : instruction_sets_here()) {
    for (int seed = 0; seed < robots; ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 30);
      std::vector<ConstraintSpec> specs = rows_of(number, robot, 0);
      std::size_t once = 0;
      for (const ConstraintSpec& spec : specs) once += static_cast<std::size_t>(row_count(spec));
      if (once == 0) continue;
      const std::vector<ConstraintSpec> copies = specs;
      specs.insert(specs.end(), copies.begin(), copies.end());
      const auto set = ConstraintSet::bind(robot.model, specs);
      Batch batch(robot.model, set, batch_options(false, here));
      States<double> s(robot, set, static_cast<std::size_t>(2 * batch.width() + 3), number);
      for (std::size_t i = 0; i < s.count; ++i)
        for (std::size_t r = 0; r < once; ++r)
          s.desired[2 * once * i + once + r] = s.desired[2 * once * i + r] + (i % 2 == 0 ? 0 : 1);
      BatchCall call = s.call(BatchFunction::constrained_dynamics);
      call.solve = method_of_packs();
      s.give_rows(batch);
      ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
      const std::vector<Single> single = solve_singly(s, call.solve, here);
      std::set<std::int32_t> seen;
      for (std::size_t i = 0; i < s.count; ++i) {
        seen.insert(s.status[i]);
        expect_as_single(s, i, single[i]);
      }
      mixed += seen.size() > 1;
    }
  }
  EXPECT_GE(mixed, robots / 10);  // packs of two states seldom differ
}

// Feet that nothing moves well beside ordinary ones: the states of one pack need different numbers of sweeps.
TEST(BatchConvergence, StatesOfOnePackNeedDifferentIterations) {
  int mixed = 0;
  for (const Instructions here : instruction_sets_here()) {
    for (int seed = 0; seed < 4 * robots; ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 12);
      const auto set = ConstraintSet::bind(robot.model, rows_of(number, robot, 0.3));
      if (set->row_count() == 0) continue;
      Batch batch(robot.model, set, batch_options(false, here));
      States<double> s(robot, set, static_cast<std::size_t>(batch.width()), number);
      BatchCall call = s.call(BatchFunction::constrained_dynamics);
      call.solve = method_of_packs();
      s.give_rows(batch);
      ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
      const std::vector<Single> single = solve_singly(s, call.solve, here);
      std::set<std::int32_t> counts;
      for (std::size_t i = 0; i < s.count; ++i) {
        counts.insert(s.iterations[i]);
        expect_as_single(s, i, single[i]);
      }
      mixed += counts.size() > 1;
    }
  }
  EXPECT_GE(mixed, robots / 20);  // few in packs of two
}

}  // namespace
}  // namespace tenon::testing
