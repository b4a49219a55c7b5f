// Four numbers side by side for a compiler without vector extensions (spatial/lanes.hpp) do what four numbers do.
#define TENON_NO_VECTOR_EXTENSIONS
#define TENON_ISA isa_no_vectors
#define TENON_INLINE inline
#include "spatial/lanes.hpp"

#include <gtest/gtest.h>

namespace {

using tenon::isa_no_vectors::Lanes;

const double a[4] = {1, -2, 3, 4.5}, b[4] = {0.25, 5, -6, 7};

void expect(const Lanes<double>& x, double x0, double x1, double x2, double x3) {
  double out[4];
  x.store(out);
  EXPECT_EQ(out[0], x0);
  EXPECT_EQ(out[1], x1);
  EXPECT_EQ(out[2], x2);
  EXPECT_EQ(out[3], x3);
}

TEST(LanesWithoutVectors, Arithmetic) {
  const auto x = Lanes<double>::load(a), y = Lanes<double>::load(b);
  expect(x, 1, -2, 3, 4.5);
  expect(Lanes<double>(2.0), 2, 2, 2, 2);
  expect(Lanes<double>(1.0, 2.0, 3.0, 4.0), 1, 2, 3, 4);
  expect(x + y, 1.25, 3, -3, 11.5);
  expect(x - y, 0.75, -7, 9, -2.5);
  expect(-x, -1, 2, -3, -4.5);
  expect(x * y, 0.25, -10, -18, 31.5);
  EXPECT_EQ(x.sum(), 6.5);
}

TEST(LanesWithoutVectors, Shuffles) {
  auto x = Lanes<double>::load(a), y = Lanes<double>::load(b);
  expect(tenon::shuffle<0, 4, 2, 6>(x, y), 1, 0.25, 3, -6);
  expect(tenon::shuffle<3, 7, 1, 5>(x, y), 4.5, 7, -2, 5);
  Lanes<double> z(8.0, 9.0, 10.0, 11.0), u(12.0, 13.0, 14.0, 15.0);
  tenon::transpose(x, y, z, u);
  expect(x, 1, 0.25, 8, 12);
  expect(y, -2, 5, 9, 13);
  expect(z, 3, -6, 10, 14);
  expect(u, 4.5, 7, 11, 15);
}

TEST(LanesWithoutVectors, StoreFirst) {
  for (int n = 1; n <= 4; ++n) {
    double out[4] = {77, 77, 77, 77};
    tenon::store_first(Lanes<double>::load(a), n, out);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], i < n ? a[i] : 77) << n;
  }
}

}  // namespace
