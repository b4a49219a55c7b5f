#include "tenonx/recorded.hpp"

#include <cmath>

namespace tenon::trace {

Recorded::Recorded(Graph& graph, const Term& term) : number_(0) {
  if (graph.is_constant(term))
    number_ = graph.value(term);
  else
    graph_ = &graph, term_ = term;
}

namespace {

Graph* graph_of(Recorded x, Recorded y) {
  return x.graph() ? x.graph() : y.graph();
}

}  // namespace

Recorded operator+(Recorded x, Recorded y) {
  Graph* g = graph_of(x, y);
  if (!g) return x.value() + y.value();
  return {*g, g->add(x.term_in(*g), y.term_in(*g))};
}

Recorded operator-(Recorded x, Recorded y) {
  Graph* g = graph_of(x, y);
  if (!g) return x.value() - y.value();
  return {*g, g->add(x.term_in(*g), -y.term_in(*g))};
}

Recorded operator-(Recorded x) {
  if (!x.graph()) return -x.value();
  return {*x.graph(), -x.term_in(*x.graph())};
}

Recorded operator*(Recorded x, Recorded y) {
  Graph* g = graph_of(x, y);
  if (!g) return x.value() * y.value();
  return {*g, g->multiply(x.term_in(*g), y.term_in(*g))};
}

Recorded operator/(Recorded x, Recorded y) {
  Graph* g = graph_of(x, y);
  if (!g) return x.value() / y.value();
  return {*g, g->divide(x.term_in(*g), y.term_in(*g))};
}

Recorded sqrt(Recorded x) {
  if (!x.graph()) return std::sqrt(x.value());
  return {*x.graph(), x.graph()->square_root(x.term_in(*x.graph()))};
}

Recorded sin(Recorded x) {
  if (!x.graph()) return std::sin(x.value());
  return {*x.graph(), x.graph()->sine(x.term_in(*x.graph()))};
}

Recorded cos(Recorded x) {
  if (!x.graph()) return std::cos(x.value());
  return {*x.graph(), x.graph()->cosine(x.term_in(*x.graph()))};
}

Recorded atan2(Recorded y, Recorded x) {
  Graph* g = graph_of(x, y);
  if (!g) return std::atan2(y.value(), x.value());
  return {*g, g->arctangent(y.term_in(*g), x.term_in(*g))};
}

bool operator<(Recorded x, Recorded y) {
  return x.value() < y.value();
}
bool operator>(Recorded x, Recorded y) {
  return x.value() > y.value();
}
bool operator<=(Recorded x, Recorded y) {
  return x.value() <= y.value();
}
bool operator>=(Recorded x, Recorded y) {
  return x.value() >= y.value();
}
bool operator==(Recorded x, Recorded y) {
  return x.value() == y.value();
}

void sin_cos(const Recorded* angle, Recorded* sine, Recorded* cosine, int count) {
  for (int i = 0; i < count; ++i) {
    sine[i] = sin(angle[i]);
    cosine[i] = cos(angle[i]);
  }
}

}  // namespace tenon::trace
