// What a recording computes at another state than its own.
#pragma once

#include <cmath>
#include <vector>

#include "tenonx/recorded.hpp"

namespace tenon::trace {

inline double result(const Graph::Node& n, double a, double b, const std::vector<double>& inputs) {
  switch (n.operation) {
    case Operation::input:
      return inputs[static_cast<std::size_t>(n.a)];
    case Operation::constant:
      return n.value;
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::negate:
      return -a;
    case Operation::square_root:
      return std::sqrt(a);
    case Operation::sine:
      return std::sin(a);
    case Operation::cosine:
      return std::cos(a);
    case Operation::arctangent:
      return std::atan2(a, b);
  }
  return NAN;
}

// The values of the terms for these inputs, by the operations that were recorded.
inline std::vector<double> evaluate(const Graph& graph, const std::vector<double>& inputs,
                                    const std::vector<Term>& terms) {
  std::vector<double> x, values;
  for (const Graph::Node& n : graph.nodes()) {
    const bool leaf = n.operation == Operation::input || n.operation == Operation::constant;
    const auto operand = [&](std::int32_t i) { return leaf || i < 0 ? 0 : x[static_cast<std::size_t>(i)]; };
    x.push_back(result(n, operand(n.a), operand(n.b), inputs));
  }
  for (const Term& t : terms) {
    const double value = x[static_cast<std::size_t>(t.node)];
    values.push_back(t.negative ? -value : value);
  }
  return values;
}

}  // namespace tenon::trace
