#include "tenonx/recorded.hpp"

#include <cmath>

namespace tenon::trace {

Recorded::Recorded(Graph& graph, const Term& term) : value_(graph.value(term)), term_(term) {
  if (!graph.is_constant(term)) graph_ = &graph;
}

Term Recorded::term_in(Graph& graph) const {
  return graph_ ? term_ : graph.constant(value_);
}

namespace {

Graph* graph_of(const Recorded& x, const Recorded& y) {
  return x.graph() ? x.graph() : y.graph();
}

}  // namespace

Recorded operator+(const Recorded& x, const Recorded& y) {
  Graph* g = graph_of(x, y);
  if (!g) return x.value() + y.value();
  return {*g, g->add(x.term_in(*g), y.term_in(*g))};
}

Recorded operator-(const Recorded& x, const Recorded& y) {
  Graph* g = graph_of(x, y);
  if (!g) return x.value() - y.value();
  return {*g, g->add(x.term_in(*g), -y.term_in(*g))};
}

Recorded operator-(const Recorded& x) {
  if (!x.graph()) return -x.value();
  return {*x.graph(), -x.term_in(*x.graph())};
}

Recorded operator*(const Recorded& x, const Recorded& y) {
  Graph* g = graph_of(x, y);
  if (!g) return x.value() * y.value();
  return {*g, g->multiply(x.term_in(*g), y.term_in(*g))};
}

Recorded operator/(const Recorded& x, const Recorded& y) {
  Graph* g = graph_of(x, y);
  if (!g) return x.value() / y.value();
  return {*g, g->divide(x.term_in(*g), y.term_in(*g))};
}

Recorded sqrt(const Recorded& x) {
  if (!x.graph()) return std::sqrt(x.value());
  return {*x.graph(), x.graph()->square_root(x.term_in(*x.graph()))};
}

Recorded sin(const Recorded& x) {
  if (!x.graph()) return std::sin(x.value());
  return {*x.graph(), x.graph()->sine(x.term_in(*x.graph()))};
}

Recorded cos(const Recorded& x) {
  if (!x.graph()) return std::cos(x.value());
  return {*x.graph(), x.graph()->cosine(x.term_in(*x.graph()))};
}

Recorded atan2(const Recorded& y, const Recorded& x) {
  Graph* g = graph_of(x, y);
  if (!g) return std::atan2(y.value(), x.value());
  return {*g, g->arctangent(y.term_in(*g), x.term_in(*g))};
}

void sin_cos(const Recorded* angle, Recorded* sine, Recorded* cosine, int count) {
  for (int i = 0; i < count; ++i) {
    sine[i] = sin(angle[i]);
    cosine[i] = cos(angle[i]);
  }
}

}  // namespace tenon::trace
