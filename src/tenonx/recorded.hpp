// A scalar that records what is done with it: the T of kernels that run once to count their operations or to
// be turned into C.
//
// A constant is only a number. What depends on inputs is a term of a graph, which has its value at the state
// of the recording, by which comparisons are decided: a recording holds the branches that this state takes.
// Kernels branch on values only for pivots and convergence, so a random state shows the branches of all
// states but singular ones. The exception is pv_early, which assigns rows to joints by their size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tenon::trace {

// Operations on numbers as a directed graph without repetition: what a kernel did when it ran on recorders.
//
// Every operation is entered once. Equal operations on equal operands share a node, in any order of the
// operands of sums and products. Operations on constants, sums with 0, products with 0, 1 and -1 and
// quotients by 1 make no node. A change of sign is a flag on the reference to a node and costs nothing: b - a
// is the same node as a - b with the sign flag set. Operands precede their operation, so the nodes can be
// evaluated in their order.
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

  Term input(double value);
  Term constant(double value);
  // Of operands that are not all constants.
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

 private:
  std::int32_t enter(Operation operation, std::int32_t a, std::int32_t b, double value);
  std::int32_t positive(const Term& x);

  std::vector<Node> nodes_;
  // The nodes of each operation by their operands, constants by their bits.
  std::array<std::unordered_map<std::uint64_t, std::int32_t>, operation_count> known_;
  int input_count_ = 0;
};

// As large as two registers, in which functions get it and return it: kernels are calls of the operators below, and so
// their code is a tenth smaller than with references.
class Recorded {
 public:
  constexpr Recorded() : number_(0) {}
  constexpr Recorded(double value) : number_(value) {}
  Recorded(Graph& graph, const Term& term);

  double value() const { return graph_ ? graph_->value(term_) : number_; }
  // The term in the graph; a constant is entered at this call.
  Term term_in(Graph& graph) const { return graph_ ? term_ : graph.constant(number_); }
  Graph* graph() const { return graph_; }

  friend bool operator<(Recorded x, Recorded y) { return x.value() < y.value(); }
  friend bool operator>(Recorded x, Recorded y) { return x.value() > y.value(); }
  friend bool operator<=(Recorded x, Recorded y) { return x.value() <= y.value(); }
  friend bool operator>=(Recorded x, Recorded y) { return x.value() >= y.value(); }
  friend bool operator==(Recorded x, Recorded y) { return x.value() == y.value(); }

 private:
  Graph* graph_ = nullptr;  // null: a constant
  union {
    double number_;  // of a constant
    Term term_;
  };
};

Recorded operator+(Recorded x, Recorded y);
Recorded operator-(Recorded x, Recorded y);
Recorded operator-(Recorded x);
Recorded operator*(Recorded x, Recorded y);
Recorded operator/(Recorded x, Recorded y);
Recorded sqrt(Recorded x);
Recorded sin(Recorded x);
Recorded cos(Recorded x);
Recorded atan2(Recorded y, Recorded x);

// Called by kernels for all angles of a robot (kernels/joint/sincos.hpp).
void sin_cos(const Recorded* angle, Recorded* sine, Recorded* cosine, int count);

}  // namespace tenon::trace
