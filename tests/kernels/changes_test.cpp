// Numbers with changes that have changes themselves: derivatives of turning axes of open loops, which no motion that keeps loops
// closed shows, against differences of those of plain numbers.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "kernels/derivatives/loop_turn_gradients.hpp"
#include "support/moving.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

template <class T>
Vec3<T> vector_at(const VectorXd& x, const VectorXd& rate, const T& t, int at) {
  const auto number = [&](int i) { return T(x(at + i)) + t * T(rate(at + i)); };
  return {number(0), number(1), number(2)};
}
// A rotation by its Cayley form, so that it needs no functions but those tested.
template <class T>
Mat3<T> rotation(const Vec3<T>& a) {
  const T one(1), two(2), scale = two / (one + dot(a, a));
  return {one - scale * (a.y * a.y + a.z * a.z),
          scale * (a.x * a.y - a.z),
          scale * (a.x * a.z + a.y),
          scale * (a.x * a.y + a.z),
          one - scale * (a.x * a.x + a.z * a.z),
          scale * (a.y * a.z - a.x),
          scale * (a.x * a.z - a.y),
          scale * (a.y * a.z + a.x),
          one - scale * (a.x * a.x + a.y * a.y)};
}

// All that turn_gradients finds, where the frames and motions move with t.
template <class T>
std::vector<T> gradients(unsigned rows, const VectorXd& x, const VectorXd& rate, const T& t) {
  TurnGradient<T> found[3];
  turn_gradients(rows, rotation(vector_at(x, rate, t, 0)), rotation(vector_at(x, rate, t, 3)),
                 vector_at(x, rate, t, 6), vector_at(x, rate, t, 9), found);
  std::vector<T> all;
  int count = 0;
  for (int bit = 0; bit < 3; ++bit) count += rows >> bit & 1u;
  for (int i = 0; i < count; ++i) {
    const TurnGradient<T>& g = found[i];
    for (const Vec3<T>& v : {g.n, g.velocity_theta, g.theta, g.velocity})
      all.insert(all.end(), {v.x, v.y, v.z});
    const Mat3<T>& M = g.n_theta;
    all.insert(all.end(), {M.xx, M.xy, M.xz, M.yx, M.yy, M.yz, M.zx, M.zy, M.zz});
  }
  return all;
}

TEST(NumbersWithChanges, OfTurningAxesAreSlopes) {
  for (int seed = 0; seed < 200; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    VectorXd x = random_vector(random, 12);
    const VectorXd rate = random_vector(random, 12);
    // From closed loops, where formulas take their series, to half a turn away.
    if (seed % 2 == 0) x.segment(3, 3) = x.segment(0, 3) + std::pow(10.0, -seed % 8) * x.segment(3, 3);
    for (const unsigned rows : {3u, 1u, 2u, 7u, 5u}) {
      SCOPED_TRACE(::testing::Message() << seed << " rows " << rows);
      OneChange t(0.0);
      t.change(0) = 1;
      const std::vector<OneChange> found = gradients(rows, x, rate, t);
      double largest = 1, error = INFINITY;
      for (const OneChange& g : found) largest = larger(largest, std::abs(g.change(0)));
      for (const double h : {1e-3, 2e-4}) {  // next to half a turn long steps go too far
        std::vector<double> at[4];
        const double steps[] = {-2 * h, -h, h, 2 * h};
        for (int i = 0; i < 4; ++i) at[i] = gradients(rows, x, rate, steps[i]);
        double of_step = 0;
        for (std::size_t e = 0; e < found.size(); ++e) {
          const double slope = (at[0][e] - 8 * at[1][e] + 8 * at[2][e] - at[3][e]) / (12 * h);
          of_step = larger(of_step, std::abs(found[e].change(0) - slope));
        }
        error = std::min(error, of_step);
      }
      EXPECT_LE(error, 1e-7 * largest);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
