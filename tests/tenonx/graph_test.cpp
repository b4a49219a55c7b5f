#include "tenonx/recorded.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tenonx/evaluate.hpp"

namespace tenon::trace {
namespace {

struct Graph_ : ::testing::Test {
  Recorded input(double value) { return {graph, graph.input(value)}; }
  // Operations that x depends on.
  std::size_t cost(const Recorded& result) {
    const auto counts = graph.count({result.term_in(graph)});
    std::size_t sum = 0;
    for (std::size_t i = 0; i < operation_count; ++i)
      if (i != static_cast<std::size_t>(Operation::input) &&
          i != static_cast<std::size_t>(Operation::constant))
        sum += counts[i];
    return sum;
  }
  Graph graph;
  Recorded x = input(0.75), y = input(-1.25), z = input(2);
};

TEST_F(Graph_, ConstantsFold) {
  const Recorded two(2), three(3);
  EXPECT_EQ((two * three + two / three - three).graph(), nullptr);
  EXPECT_DOUBLE_EQ((two * three - two).value(), 4);
  EXPECT_DOUBLE_EQ(sqrt(two).value(), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(sin(two).value(), std::sin(2.0));
  EXPECT_EQ(graph.nodes().size(), 3u);
}

TEST_F(Graph_, NeutralOperandsLeaveNoNode) {
  EXPECT_EQ(cost(x + Recorded(0)), 0u);
  EXPECT_EQ(cost(Recorded(0) - x), 0u);
  EXPECT_EQ(cost(x * Recorded(1)), 0u);
  EXPECT_EQ(cost(Recorded(-1) * x), 0u);
  EXPECT_EQ(cost(x / Recorded(1)), 0u);
  EXPECT_EQ((x * Recorded(0)).graph(), nullptr);
  EXPECT_EQ((Recorded(0) / x).graph(), nullptr);
  EXPECT_EQ((x - x).graph(), nullptr);
  EXPECT_EQ(cost(Recorded(1) / (Recorded(1) / x)), 0u);
  EXPECT_EQ((x * Recorded(0)).value(), 0);
}

TEST_F(Graph_, EqualOperationsAreShared) {
  EXPECT_EQ(cost(x * y + x * y), 2u);
  EXPECT_EQ(cost((x * y) / (y * x)), 2u);
  EXPECT_EQ(cost((x + y) * (y + x)), 2u);
  EXPECT_EQ(cost(sin(x) + sin(x)), 2u);
  EXPECT_EQ(cost(x * Recorded(0.1) + Recorded(0.1) * x), 2u);
}

TEST_F(Graph_, SignsCostNothing) {
  EXPECT_EQ(cost((x - y) * (y - x)), 2u);
  EXPECT_DOUBLE_EQ(((x - y) * (y - x)).value(), -4);
  EXPECT_EQ(cost(-x * y + x * y), 0u);
  EXPECT_EQ(cost(-x - y), 1u);
  EXPECT_DOUBLE_EQ((-x - y).value(), 0.5);
  EXPECT_EQ(cost(x * Recorded(-3) + x * Recorded(3)), 0u);
  EXPECT_EQ(cost(sin(-x) + sin(x)), 0u);
  EXPECT_EQ(cost(cos(-x) - cos(x)), 0u);
  EXPECT_DOUBLE_EQ(sqrt(-y).value(), std::sqrt(1.25));
  EXPECT_DOUBLE_EQ(atan2(y, -z).value(), std::atan2(-1.25, -2.0));
}

TEST_F(Graph_, DeadOperationsAreNotCounted) {
  const Recorded unused = x * y * z;
  EXPECT_NE(unused.graph(), nullptr);
  EXPECT_EQ(cost(x + z), 1u);
}

TEST_F(Graph_, CountsByKind) {
  const Recorded r = (x * y - z) / sqrt(x) + sin(y) * cos(y);
  const auto counts = graph.count({r.term_in(graph)});
  const auto of = [&](Operation o) { return counts[static_cast<std::size_t>(o)]; };
  EXPECT_EQ(of(Operation::add) + of(Operation::subtract), 2u);
  EXPECT_EQ(of(Operation::multiply), 2u);
  EXPECT_EQ(of(Operation::divide), 1u);
  EXPECT_EQ(of(Operation::square_root), 1u);
  EXPECT_EQ(of(Operation::sine), 1u);
  EXPECT_EQ(of(Operation::cosine), 1u);
  EXPECT_EQ(of(Operation::input), 3u);
}

TEST_F(Graph_, EvaluatesForOtherInputs) {
  const Recorded r = (x * y - z) / sqrt(x) - atan2(y, -z) + sin(-y);
  const double a = 0.5, b = 3, c = -4;
  const double expected = (a * b - c) / std::sqrt(a) - std::atan2(b, -c) + std::sin(-b);
  EXPECT_NEAR(evaluate(graph, {a, b, c}, {r.term_in(graph)})[0], expected, 1e-15);
  EXPECT_NEAR(r.value(), (0.75 * -1.25 - 2) / std::sqrt(0.75) - std::atan2(-1.25, -2.0) + std::sin(1.25),
              1e-15);
}

TEST_F(Graph_, SharesInALargeGraphToo) {
  Recorded sum(0);
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < 5000; ++i) sum = sum + x * Recorded(i + 0.5) - x * Recorded(i + 0.5);
  EXPECT_LE(graph.nodes().size(), 3u + 3 * 5000u);
}

}  // namespace
}  // namespace tenon::trace
