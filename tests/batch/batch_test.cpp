// Batches against single calls: the same numbers to rounding, whatever the order, the company, the strides and
// the threads; and a bad state spoils only itself.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "batch/batch_states.hpp"

namespace tenon::testing {
namespace {

constexpr int robots = std::max(20, TENON_TEST_ROBOTS / 20);

std::shared_ptr<const ConstraintSet> constraints_for(Random& random, const Robot& robot, double duplicates) {
  ConstraintOptions options;
  options.most_rows = 12, options.duplicates = duplicates, options.compliance = 0.2;
  return ConstraintSet::bind(robot.model, random_constraints(random, *robot.model, options));
}

// What a workspace gives for each state.
void solve_singly(const BatchCall& batch, States<double>& s, Workspace& w) {
  const std::size_t nq = s.q.size() / s.count, nv = s.v.size() / s.count;
  const std::size_t rows = s.desired.size() / s.count, wrenches = s.wrenches.size() / s.count;
  BatchCall call = s.call(batch.function);
  for (std::size_t i = 0; i < s.count; ++i) {
    const double *q = &s.q[i * nq], *v = nv ? &s.v[i * nv] : nullptr, *x = nv ? &s.x[i * nv] : nullptr;
    const double* f = &s.wrenches[i * wrenches];
    const std::size_t n = s.numbers(batch.function, 0);
    double* out = s.out.data() + i * n;
    switch (batch.function) {
      case BatchFunction::forward_dynamics:
        s.status[i] = static_cast<std::int32_t>(forward_dynamics(w, q, v, x, f, out));
        break;
      case BatchFunction::inverse_dynamics:
        s.status[i] = static_cast<std::int32_t>(inverse_dynamics(w, q, v, x, f, out));
        break;
      case BatchFunction::mass_matrix:
        s.status[i] = static_cast<std::int32_t>(mass_matrix(w, q, out, static_cast<int>(nv)));
        break;
      case BatchFunction::kinematics:
        s.status[i] = static_cast<std::int32_t>(kinematics(w, q, v, nullptr));
        for (std::size_t k = 0; k < s.links.size(); ++k) {
          const int link = s.links[k];
          ASSERT_EQ(link_pose(w, link, out + 7 * k, out + 7 * k + 3, nullptr), Status::ok);
          ASSERT_EQ(
              link_velocity(w, link, RowAxes::world, &s.second[i * s.numbers(batch.function, 1) + 6 * k]),
              Status::ok);
          if (nv > 0) {
            ASSERT_EQ(link_jacobian(w, link, RowAxes::world,
                                    &s.third[i * s.numbers(batch.function, 2) + 6 * nv * k], 6),
                      Status::ok);
          }
        }
        break;
      default: {
        SolveOptions options = call.solve;
        options.method = Method::constrained_aba;
        s.status[i] = static_cast<std::int32_t>(constrained_dynamics(
            w, options, q, v, x, f, rows ? &s.desired[i * rows] : nullptr, out, s.second.data() + i * rows));
      }
    }
  }
}

template <class N>
States<double> as_double(const States<N>& s, const Robot& robot) {
  States<double> d(robot, s.set, s.count, 1);
  const auto copy = [](const std::vector<N>& from, std::vector<double>& to) {
    to.assign(from.begin(), from.end());
  };
  copy(s.q, d.q), copy(s.v, d.v), copy(s.x, d.x), copy(s.wrenches, d.wrenches), copy(s.desired, d.desired);
  return d;
}

template <class N>
void expect_as_single(const Robot& robot, const std::shared_ptr<const ConstraintSet>& set, Instructions here,
                      BatchFunction function, std::uint64_t seed, double tolerance) {
  Batch batch(robot.model, set, batch_options(sizeof(N) == sizeof(float), here));
  Workspace w(robot.model, set);
  States<N> s(robot, set, static_cast<std::size_t>(2 * batch.width() + 3), seed);
  const BatchCall call = s.call(function);
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
  States<double> single = as_double(s, robot);
  solve_singly(call, single, w);
  std::vector<double>* expected[3] = {&single.out, &single.second, &single.third};
  std::vector<N>* found[3] = {&s.out, &s.second, &s.third};
  for (std::size_t i = 0; i < s.count; ++i) {
    EXPECT_GE(s.status[i], 0);
    for (int which = 0; which < 3; ++which) {
      const std::size_t n = s.numbers(function, which);
      // Multipliers of rows that depend on each other are not unique.
      if (n == 0 || (function == BatchFunction::constrained_dynamics && which == 1)) continue;
      const std::vector<double> one(found[which]->begin() + static_cast<std::ptrdiff_t>(i * n),
                                    found[which]->begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
      EXPECT_LE(difference(one.data(), expected[which]->data() + i * n, n), tolerance)
          << "state " << i << " output " << which << " function " << static_cast<int>(function);
    }
  }
}

TEST(Batch, FunctionsOfTreesAreThoseOfSingleCalls) {
  for (const Instructions here : instruction_sets_here()) {
    for (int seed = 0; seed < robots; ++seed) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(static_cast<std::uint64_t>(seed));
      for (const BatchFunction function : on_trees)
        expect_as_single<double>(robot, nullptr, here, function, static_cast<std::uint64_t>(seed), 1e-12);
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
      Batch batch(robot.model, set, batch_options(false, here));
      Workspace w(robot.model, set);
      States<double> s(robot, set, static_cast<std::size_t>(batch.width() + 3), number);
      const BatchCall call = s.call(BatchFunction::constrained_dynamics);
      ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
      States<double> single(robot, set, s.count, number);
      solve_singly(call, single, w);
      const std::size_t nv = static_cast<std::size_t>(robot.model->nv);
      for (std::size_t i = 0; i < s.count; ++i) {
        EXPECT_EQ(s.status[i], single.status[i]) << "state " << i;
        // Either solve ends at a residual of 1e-11, and rows that are hard to move amplify it: 1.3e-11 at
        // worst with FMA, 2.3e-10 without.
        if (s.status[i] == 0) {
          EXPECT_LE(difference(&s.out[i * nv], &single.out[i * nv], nv), 1e-9) << "state " << i;
        }
      }
    }
  }
}

// The same digits for every order of the states, every number of them and every number of threads.
template <class N>
void expect_same_digits(const Robot& robot, const std::shared_ptr<const ConstraintSet>& set,
                        BatchFunction function, Instructions here) {
  constexpr std::size_t most = 67;
  States<N> s(robot, set, most, 5);
  Batch batch(robot.model, set, batch_options(sizeof(N) == sizeof(float), here)),
      threaded(robot.model, set, batch_options(sizeof(N) == sizeof(float), here, 2));
  // One bad state among them, whose neighbours must not notice.
  s.q[3 * (s.q.size() / most)] = std::numeric_limits<N>::quiet_NaN();
  BatchCall call = s.call(function);
  EXPECT_EQ(batch.run(call), Status::not_finite);
  const std::vector<N> expected = s.out, expected_second = s.second;
  const std::vector<std::int32_t> status = s.status;
  const std::size_t n = s.numbers(function, 0), second = s.numbers(function, 1);
  ASSERT_EQ(threaded.run(call = s.call(function)), Status::not_finite);
  EXPECT_EQ(s.out, expected);
  EXPECT_EQ(s.second, expected_second);
  for (std::size_t count = 1; count <= most; ++count) {
    // States count - 1, ..., 0 of those above.
    std::vector<N> out(n * count, static_cast<N>(-77)), lambda(second * count, static_cast<N>(-77));
    call = s.call(function);
    call.states = count;
    for (BatchArray* a : {&call.q, &call.v, &call.x, &call.wrenches, &call.desired}) {
      if (!a->data) continue;
      a->data = static_cast<N*>(a->data) + static_cast<std::ptrdiff_t>(count - 1) * a->state_stride;
      a->state_stride = -a->state_stride;
    }
    call.out[0] = array_of(out, n);
    if (second > 0) call.out[1] = array_of(lambda, second);
    (count % 2 == 0 ? batch : threaded).run(call);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t was = count - 1 - i;
      EXPECT_EQ(s.status[i], status[was]);
      for (std::size_t k = 0; k < n; ++k)
        ASSERT_EQ(out[i * n + k], expected[was * n + k]) << count << ' ' << i;
      for (std::size_t k = 0; k < second; ++k)
        ASSERT_EQ(lambda[i * second + k], expected_second[was * second + k]) << count << ' ' << i;
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
      for (const BatchFunction function : {BatchFunction::forward_dynamics, BatchFunction::inverse_dynamics,
                                           BatchFunction::mass_matrix, BatchFunction::constrained_dynamics}) {
        expect_same_digits<double>(robot, set, function, here);
        expect_same_digits<float>(robot, set, function, here);
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
        expect_as_single<float>(robot, nullptr, here, function, seed, 1e-4);
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
