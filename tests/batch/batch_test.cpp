// Batches against single calls: the same numbers to rounding, whatever the order, the company, the strides and
// the threads; and a bad state spoils only itself.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "batch/batch_checks.hpp"
#include "batch/single_worker.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(20, test_robots() / 20);

std::shared_ptr<const ConstraintSet> constraints_for(Random& random, const Robot& robot, double duplicates) {
  ConstraintOptions options;
  options.most_rows = 12, options.duplicates = duplicates, options.compliance = 0.2;
  return ConstraintSet::bind(robot.model, random_constraints(random, *robot.model, options));
}

TEST(Batch, FunctionsOfTreesAreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here()) {
    for (int seed = 0; seed < robots; ++seed) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(static_cast<std::uint64_t>(seed));
      // The factor of a mass matrix has rounding errors times its condition: 1.6e-12 at worst, with a screw.
      for (const BatchFunction function : on_trees)
        expect_as_single(States<double>(robot, nullptr, 35, static_cast<std::uint64_t>(seed)), here, function,
                         function == BatchFunction::mass_matrix_factor ? 1e-11 : 1e-12);
    }
  }
}

TEST(Batch, ConstrainedDynamicsIsThatOfSingleCalls) {
  for (const Instructions here : instruction_sets_here()) {
    for (int seed = 0; seed < robots; ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 30);
      Random random(number);
      const auto set = constraints_for(random, robot, seed % 2 == 0 ? 0 : 0.5);
      // Either solve ends at a residual of 1e-11, and rows that are hard to move amplify it: 1.3e-11 at
      // worst with FMA, 2.3e-10 without.
      for (const BatchFunction function : {BatchFunction::constrained_dynamics, BatchFunction::impact})
        expect_as_single(States<double>(robot, set, 11, number), here, function, 1e-9);
    }
  }
}

TEST(Batch, DelassusMatricesAreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here()) {
    for (int seed = 0; seed < robots; ++seed) {
      SCOPED_TRACE(seed);
      const std::uint64_t number = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot(number, 30);
      Random random(number);
      const auto set = constraints_for(random, robot, seed % 2 == 0 ? 0 : 0.5);
      if (set->row_count() == 0) continue;
      expect_as_single(States<double>(robot, set, 19, number), here, BatchFunction::delassus, 1e-12);
      expect_as_single(States<float>(robot, set, 19, number), here, BatchFunction::delassus, 1e-4);
      // The damping is 1e-5 of a typical diagonal.
      expect_as_single(States<double>(robot, set, 19, number), here, BatchFunction::damped_product, 1e-9);
    }
  }
}

// Single calls would give the same numbers, so that a kernel that gave up would go unnoticed.
TEST(Batch, PacksComputeAllStatesOfTrees) {
  const Robot robot = random_robot(3, MechanismOptions{Shape::binary, 12, false}, true);
  const auto set = ConstraintSet::bind(robot.model, {point_constraint(5, {0.1, 0.2, 0})});
  for (const Instructions here : instruction_sets_here()) {
    Batch batch(robot.model, set, batch_options(false, here));
    States<double> s(robot, set, 21, 3);
    for (const BatchFunction function :
         {BatchFunction::forward_dynamics, BatchFunction::inverse_dynamics, BatchFunction::mass_matrix,
          BatchFunction::mass_matrix_factor, BatchFunction::mass_matrix_lower, BatchFunction::mass_matrix,
          BatchFunction::kinematics, BatchFunction::constrained_dynamics, BatchFunction::impact,
          BatchFunction::delassus, BatchFunction::damped_product}) {
      const BatchCall call = s.call(function);
      ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
      EXPECT_EQ(batch.packed(), batch.width() > 1 ? s.count : 0) << static_cast<int>(function);
    }
  }
}

TEST(Batch, DigitsDoNotDependOnCompanyOrThreads) {
  for (const Instructions here : instruction_sets_here()) {
    for (const std::uint64_t seed : {3, 11, 24}) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(seed, 14);
      Random random(seed);
      const auto set = constraints_for(random, robot, 0.5);
      if (robot.model->nv == 0) continue;
      for (const BatchFunction function :
           {BatchFunction::forward_dynamics, BatchFunction::inverse_dynamics, BatchFunction::mass_matrix,
            BatchFunction::mass_matrix_factor, BatchFunction::constrained_dynamics, BatchFunction::impact,
            BatchFunction::delassus, BatchFunction::damped_product}) {
        expect_same_digits(States<double>(robot, set, 67, 5), here, function);
        expect_same_digits(States<float>(robot, set, 67, 5), here, function);
      }
    }
  }
}

TEST(Batch, SinglePrecisionHasSixDigits) {
  for (const Instructions here : instruction_sets_here()) {
    for (const std::uint64_t seed : {1, 2, 5, 8}) {
      MechanismOptions options;
      options.links = 8;
      const Robot robot = random_robot(seed, options, seed % 2 == 0);
      for (const BatchFunction function : on_trees)
        expect_as_single(States<float>(robot, nullptr, 35, seed), here, function, 1e-4);
    }
  }
}

TEST(Batch, TakesAnyStrides) {
  const Robot robot = random_robot(7, 12);
  States<double> s(robot, nullptr, 11, 7);
  Batch batch(robot.model, nullptr, batch_options());
  BatchCall call = s.call(BatchFunction::forward_dynamics);
  ASSERT_EQ(batch.run(call), Status::ok);
  const std::vector<double> expected = s.out;
  // Coordinate-major with gaps.
  const auto spread_out = [&](std::vector<double>& from, std::vector<double>& to) {
    const std::size_t n = from.size() / s.count, gap = 2 * s.count;
    to.assign(n * gap, -1);
    for (std::size_t i = 0; i < s.count; ++i)
      for (std::size_t k = 0; k < n; ++k) to[k * gap + 2 * i] = from[i * n + k];
    BatchArray a;
    a.data = to.data(), a.number_stride = static_cast<std::ptrdiff_t>(gap), a.state_stride = 2;
    return a;
  };
  std::vector<double> q, v, x, wrenches, out;
  call.q = spread_out(s.q, q), call.v = spread_out(s.v, v), call.x = spread_out(s.x, x);
  call.wrenches = spread_out(s.wrenches, wrenches);
  call.out[0] = spread_out(s.out, out);
  std::fill(out.begin(), out.end(), -77.0);
  ASSERT_EQ(batch.run(call), Status::ok);
  const std::size_t nv = static_cast<std::size_t>(robot.model->nv);
  for (std::size_t i = 0; i < s.count; ++i)
    for (std::size_t k = 0; k < nv; ++k) EXPECT_EQ(out[k * 2 * s.count + 2 * i], expected[i * nv + k]);
  // The numbers between are not touched.
  for (std::size_t k = 1; k < out.size(); k += 2) EXPECT_EQ(out[k], -77);
}

// Numbers of states are copied in blocks of several lengths, of which the last may begin before the one before it has ended.
template <class N>
void expect_each_number_counts(const Robot& robot, Instructions here) {
  constexpr std::size_t room = 3;
  constexpr N untouched = 77;
  States<N> s(robot, nullptr, 37, 5);
  const std::size_t nv = static_cast<std::size_t>(robot.model->nv);
  Batch batch(robot.model, nullptr, batch_options(sizeof(N) == sizeof(float), here));
  BatchCall call = s.call(BatchFunction::inverse_dynamics);
  std::vector<N> tau(s.count * (nv + room));
  std::vector<std::int32_t> status(s.count);
  call.out[0] = {tau.data(), 1, static_cast<std::ptrdiff_t>(nv + room)};
  call.status = status.data();
  const auto run = [&] {
    std::fill(tau.begin(), tau.end(), untouched);
    return batch.run(call);
  };
  ASSERT_EQ(run(), Status::ok) << batch.message();
  const std::vector<N> expected = tau;
  for (std::size_t i = 0; i < s.count; ++i)
    for (std::size_t k = 0; k < room; ++k) EXPECT_EQ(tau[i * (nv + room) + nv + k], untouched);
  for (std::size_t e = 0; e < nv; ++e) {
    SCOPED_TRACE(e);
    const std::size_t bad = (7 * e + nv) % s.count;
    N& number = s.v[bad * nv + e];
    const N good = std::exchange(
        number, e % 2 == 0 ? std::numeric_limits<N>::quiet_NaN() : std::numeric_limits<N>::infinity());
    EXPECT_EQ(run(), Status::not_finite);
    number = good;
    for (std::size_t i = 0; i < s.count; ++i) {
      EXPECT_EQ(status[i], static_cast<std::int32_t>(i == bad ? Status::not_finite : Status::ok));
      for (std::size_t k = 0; k < nv + room; ++k)
        EXPECT_EQ(tau[i * (nv + room) + k], i == bad ? untouched : expected[i * (nv + room) + k]);
    }
  }
}
TEST(Batch, EachNumberCountsAndNoOtherIsWritten) {
  for (const Instructions here : instruction_sets_here())
    for (int links = 1; links <= 36; ++links) {
      SCOPED_TRACE(links);
      const Robot robot = random_robot(4, MechanismOptions{Shape::chain, links, true}, false);
      expect_each_number_counts<double>(robot, here);
      expect_each_number_counts<float>(robot, here);
    }
}

TEST(Batch, SizesDoNotOverflow) {
  const Robot robot = random_robot(3, MechanismOptions{Shape::binary, 12, false}, true);
  Workspace w(robot.model, ConstraintSet::bind(robot.model, {weld_constraint(5, {})}));
  BatchCall call;
  call.function = BatchFunction::damped_product;
  call.columns = 715827883;
  EXPECT_EQ(BatchSizes(call, w).out[0], std::size_t{6} * 715827883);
}

TEST(Batch, ABadStateSpoilsOnlyItself) {
  const Robot robot = random_robot(12, MechanismOptions{Shape::random, 9, false}, true);
  States<double> s(robot, nullptr, 20, 3);
  Batch batch(robot.model, nullptr, batch_options());
  BatchCall call = s.call(BatchFunction::forward_dynamics);
  ASSERT_EQ(batch.run(call), Status::ok);
  const std::vector<double> expected = s.out;
  const std::size_t nq = s.q.size() / s.count, nv = s.v.size() / s.count;
  s.q[7 * nq + 3] += 0.5;  // no unit quaternion
  s.v[9 * nv] = std::numeric_limits<double>::infinity();
  s.x[14 * nv + 1] = std::numeric_limits<double>::quiet_NaN();
  call = s.call(BatchFunction::forward_dynamics);
  EXPECT_EQ(batch.run(call), Status::not_normalized);
  EXPECT_NE(std::string(batch.message()).find("state 7: q["), std::string::npos) << batch.message();
  for (std::size_t i = 0; i < s.count; ++i) {
    const bool bad = i == 7 || i == 9 || i == 14;
    EXPECT_EQ(s.status[i] < 0, bad);
    for (std::size_t k = 0; k < nv; ++k) EXPECT_EQ(s.out[i * nv + k], bad ? -77 : expected[i * nv + k]);
  }
  s = States<double>(robot, nullptr, 20, 3);
  EXPECT_EQ(batch.run(call = s.call(BatchFunction::forward_dynamics)), Status::ok);
  EXPECT_STREQ(batch.message(), "");
  EXPECT_EQ(s.out, expected);
}

}  // namespace
}  // namespace tenon::testing
