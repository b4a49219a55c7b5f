// Maxima for comparison with a tolerance. std::max and Eigen's maxCoeff() may pass over NaN, so that a test of wrong
// numbers holds; these keep it, and no comparison with NaN holds.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tenon::testing {

template <class N>
N larger(N a, N b) {
  return a >= b || std::isnan(a) ? a : b;
}

// Of absolute values.
template <class N>
N largest(const std::vector<N>& x) {
  N found = 0;
  for (const N value : x) found = larger(found, std::abs(value));
  return found;
}

// For matrices of Eigen.
template <class A, class Plain = typename A::PlainObject>
typename A::Scalar largest(const A& expression) {
  const Plain x = expression;
  typename A::Scalar found = 0;
  for (auto j = x.cols(); j-- > 0;)
    for (auto i = x.rows(); i-- > 0;) found = larger(found, std::abs(x(i, j)));
  return found;
}

// Arrays of different sizes are infinitely far apart.
template <class N>
N largest_difference(const std::vector<N>& a, const std::vector<N>& b) {
  if (a.size() != b.size()) return std::numeric_limits<N>::infinity();
  N found = 0;
  for (std::size_t i = 0; i < a.size(); ++i) found = larger(found, std::abs(a[i] - b[i]));
  return found;
}

}  // namespace tenon::testing
