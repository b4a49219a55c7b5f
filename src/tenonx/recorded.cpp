#include "tenonx/recorded.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace tenon::trace {
namespace {

std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// A number of constants, or a term that the graph makes.
Recorded combined(double number, Term (Graph::*make)(const Term&), Recorded x) {
  Graph* g = x.graph();
  return g ? Recorded(*g, (g->*make)(x.term_in(*g))) : Recorded(number);
}
Recorded combined(double number, Term (Graph::*make)(const Term&, const Term&), Recorded x, Recorded y) {
  Graph* g = x.graph() ? x.graph() : y.graph();
  return g ? Recorded(*g, (g->*make)(x.term_in(*g), y.term_in(*g))) : Recorded(number);
}

}  // namespace

std::int32_t Graph::enter(Operation operation, std::int32_t a, std::int32_t b, double value) {
  const std::uint64_t key =
      operation == Operation::constant
          ? bits_of(value)
          : static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
  const auto [known, fresh] =
      known_[static_cast<std::size_t>(operation)].emplace(key, static_cast<std::int32_t>(nodes_.size()));
  if (fresh) nodes_.push_back({operation, a, b, value});
  return known->second;
}

Term Graph::input(double value) {
  nodes_.push_back({Operation::input, input_count_++, -1, value});
  return {static_cast<std::int32_t>(nodes_.size()) - 1, false};
}

Term Graph::constant(double value) {
  return {enter(Operation::constant, -1, -1, std::abs(value)), value < 0};
}

Term Graph::add(const Term& x, const Term& y) {
  if (is_constant(x) && value(x) == 0) return y;
  if (is_constant(y) && value(y) == 0) return x;
  const bool same_sign = x.negative == y.negative;
  if (x.node == y.node && !same_sign) return constant(0);
  const bool swapped = x.node > y.node;
  const Term& first = swapped ? y : x;
  const Term& second = swapped ? x : y;
  const Operation operation = same_sign ? Operation::add : Operation::subtract;
  const double sum = node(first).value + (same_sign ? 1 : -1) * node(second).value;
  return {enter(operation, first.node, second.node, sum), first.negative};
}

Term Graph::multiply(const Term& x, const Term& y) {
  for (const auto& [factor, other] : {std::pair{x, y}, std::pair{y, x}}) {
    if (!is_constant(factor)) continue;
    if (node(factor).value == 0) return constant(0);
    if (node(factor).value == 1) return factor.negative ? -other : other;
  }
  const std::int32_t first = x.node < y.node ? x.node : y.node, second = x.node < y.node ? y.node : x.node;
  const double product = node(x).value * node(y).value;
  return {enter(Operation::multiply, first, second, product), x.negative != y.negative};
}

Term Graph::divide(const Term& x, const Term& y) {
  const bool negative = x.negative != y.negative;
  if (is_constant(x) && node(x).value == 0) return constant(0);
  if (is_constant(y) && node(y).value == 1) return {x.node, negative};
  // 1 / (1 / x) = x.
  const Node& below = node(y);
  const auto is_one = [&](std::int32_t i) { return is_constant({i, false}) && value({i, false}) == 1; };
  if (is_one(x.node) && below.operation == Operation::divide && is_one(below.a)) return {below.b, negative};
  const double quotient = node(x).value / below.value;
  return {enter(Operation::divide, x.node, y.node, quotient), negative};
}

std::int32_t Graph::positive(const Term& x) {
  return x.negative ? enter(Operation::negate, x.node, -1, -node(x).value) : x.node;
}

Term Graph::square_root(const Term& x) {
  return {enter(Operation::square_root, positive(x), -1, std::sqrt(value(x))), false};
}

Term Graph::sine(const Term& x) {
  return {enter(Operation::sine, x.node, -1, std::sin(node(x).value)), x.negative};
}

Term Graph::cosine(const Term& x) {
  return {enter(Operation::cosine, x.node, -1, std::cos(node(x).value)), false};
}

Term Graph::arctangent(const Term& y, const Term& x) {
  const double angle = std::atan2(node(y).value, value(x));
  return {enter(Operation::arctangent, y.node, positive(x), angle), y.negative};
}

std::vector<bool> Graph::live(const std::vector<Term>& outputs) const {
  std::vector<bool> live(nodes_.size(), false);
  for (const Term& x : outputs) live[static_cast<std::size_t>(x.node)] = true;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    if (!live[i] || n.operation == Operation::input || n.operation == Operation::constant) continue;
    live[static_cast<std::size_t>(n.a)] = true;
    if (n.b >= 0) live[static_cast<std::size_t>(n.b)] = true;
  }
  return live;
}

std::array<std::size_t, operation_count> Graph::count(const std::vector<Term>& outputs) const {
  std::array<std::size_t, operation_count> counts{};
  const std::vector<bool> alive = live(outputs);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (alive[i]) ++counts[static_cast<std::size_t>(nodes_[i].operation)];
  return counts;
}

Recorded::Recorded(Graph& graph, const Term& term) : number_(0) {
  if (graph.is_constant(term))
    number_ = graph.value(term);
  else
    graph_ = &graph, term_ = term;
}

Recorded operator+(Recorded x, Recorded y) {
  return combined(x.value() + y.value(), &Graph::add, x, y);
}
Recorded operator-(Recorded x, Recorded y) {
  return x + -y;
}
Recorded operator-(Recorded x) {
  return x.graph() ? Recorded(*x.graph(), -x.term_in(*x.graph())) : Recorded(-x.value());
}
Recorded operator*(Recorded x, Recorded y) {
  return combined(x.value() * y.value(), &Graph::multiply, x, y);
}
Recorded operator/(Recorded x, Recorded y) {
  return combined(x.value() / y.value(), &Graph::divide, x, y);
}
Recorded sqrt(Recorded x) {
  return combined(std::sqrt(x.value()), &Graph::square_root, x);
}
Recorded sin(Recorded x) {
  return combined(std::sin(x.value()), &Graph::sine, x);
}
Recorded cos(Recorded x) {
  return combined(std::cos(x.value()), &Graph::cosine, x);
}
Recorded atan2(Recorded y, Recorded x) {
  return combined(std::atan2(y.value(), x.value()), &Graph::arctangent, y, x);
}

void sin_cos(const Recorded* angle, Recorded* sine, Recorded* cosine, int count) {
  for (int i = 0; i < count; ++i) {
    sine[i] = sin(angle[i]);
    cosine[i] = cos(angle[i]);
  }
}

}  // namespace tenon::trace
