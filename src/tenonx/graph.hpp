// Operations on numbers as a directed graph without repetition: what a kernel did when it ran on recorders
// (recorded.hpp).
//
// Every operation is entered once. Equal operations on equal operands share a node, in any order of the
// operands of sums and products. Operations on constants, sums with 0, products with 0, 1 and -1 and
// quotients by 1 make no node. A change of sign is a flag on the reference to a node and costs nothing: b - a
// is the same node as a - b with the sign flag set. Operands precede their operation, so the nodes can be
// evaluated in their order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon::trace {

enum class Operation : std::uint8_t {
  input,
  constant,
  add,
  subtract,
  multiply,
  divide,
  negate,  // only under a root or as an argument of the arc tangent
  square_root,
  sine,
  cosine,
  arctangent,  // of two arguments
};
inline constexpr std::size_t operation_count = 11;

// A node or its negative.
struct Term {
  std::int32_t node;
  bool negative;
};
inline Term operator-(const Term& x) {
  return {x.node, !x.negative};
}

class Graph {
 public:
  struct Node {
    Operation operation;
    std::int32_t a, b;  // operands, -1 for none; of an input its number
    double value;       // at the state of the recording
  };

  Graph();

  Term input(double value);
  Term constant(double value);
  Term add(const Term& x, const Term& y);
  Term multiply(const Term& x, const Term& y);
  Term divide(const Term& x, const Term& y);
  Term square_root(const Term& x);
  Term sine(const Term& x);
  Term cosine(const Term& x);
  Term arctangent(const Term& y, const Term& x);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(const Term& x) const { return nodes_[static_cast<std::size_t>(x.node)]; }
  bool is_constant(const Term& x) const { return node(x).operation == Operation::constant; }
  double value(const Term& x) const { return x.negative ? -node(x).value : node(x).value; }

  // The nodes that these terms depend on.
  std::vector<bool> live(const std::vector<Term>& outputs) const;
  // The number of live nodes of each operation.
  std::array<std::size_t, operation_count> count(const std::vector<Term>& outputs) const;
  // The values of the terms for other inputs, with the operations that were recorded.
  std::vector<double> evaluate(const std::vector<double>& inputs, const std::vector<Term>& outputs) const;

 private:
  std::int32_t enter(Operation operation, std::int32_t a, std::int32_t b, double value);
  std::int32_t positive(const Term& x);
  std::size_t place_of(Operation operation, std::int32_t a, std::int32_t b, double value) const;
  void grow();

  std::vector<Node> nodes_;
  std::vector<std::int32_t> table_;  // open addressing: hashed by operation and operands, -1 for empty
  int input_count_ = 0;
};

}  // namespace tenon::trace
