// A scalar that records what is done with it: the T of kernels that run once to count their operations or to
// be turned into C (graph.hpp).
//
// A constant is only a number. What depends on inputs is a term of a graph and carries its value at the state
// of the recording, by which comparisons are decided: a recording holds the branches that this state takes.
// Kernels branch on values only for pivots and convergence, so a random state shows the branches of all
// states but singular ones. The exception is pv_early, which assigns rows to joints by their size.
#pragma once

#include <cstdint>

#include "tenonx/graph.hpp"

namespace tenon::trace {

class Recorded {
 public:
  constexpr Recorded() = default;
  constexpr Recorded(double value) : value_(value) {}
  Recorded(Graph& graph, const Term& term);

  constexpr double value() const { return value_; }
  // The term in the graph; a constant is entered at this call.
  Term term_in(Graph& graph) const;
  Graph* graph() const { return graph_; }

 private:
  double value_ = 0;
  Graph* graph_ = nullptr;  // null: a constant
  Term term_ = {-1, false};
};

Recorded operator+(const Recorded& x, const Recorded& y);
Recorded operator-(const Recorded& x, const Recorded& y);
Recorded operator-(const Recorded& x);
Recorded operator*(const Recorded& x, const Recorded& y);
Recorded operator/(const Recorded& x, const Recorded& y);
Recorded sqrt(const Recorded& x);
Recorded sin(const Recorded& x);
Recorded cos(const Recorded& x);
Recorded atan2(const Recorded& y, const Recorded& x);

constexpr bool operator<(const Recorded& x, const Recorded& y) {
  return x.value() < y.value();
}
constexpr bool operator>(const Recorded& x, const Recorded& y) {
  return x.value() > y.value();
}
constexpr bool operator<=(const Recorded& x, const Recorded& y) {
  return x.value() <= y.value();
}
constexpr bool operator>=(const Recorded& x, const Recorded& y) {
  return x.value() >= y.value();
}
constexpr bool operator==(const Recorded& x, const Recorded& y) {
  return x.value() == y.value();
}

// Called by kernels for all angles of a robot (kernels/joint/sincos.hpp).
void sin_cos(const Recorded* angle, Recorded* sine, Recorded* cosine, int count);

}  // namespace tenon::trace
