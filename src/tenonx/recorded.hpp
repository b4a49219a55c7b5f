// A scalar that records what is done with it: the T of kernels that run once to count their operations or to
// be turned into C (graph.hpp).
//
// A constant is only a number. What depends on inputs is a term of a graph, which has its value at the state
// of the recording, by which comparisons are decided: a recording holds the branches that this state takes.
// Kernels branch on values only for pivots and convergence, so a random state shows the branches of all
// states but singular ones. The exception is pv_early, which assigns rows to joints by their size.
#pragma once

#include <cstdint>

#include "tenonx/graph.hpp"

namespace tenon::trace {

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

bool operator<(Recorded x, Recorded y);
bool operator>(Recorded x, Recorded y);
bool operator<=(Recorded x, Recorded y);
bool operator>=(Recorded x, Recorded y);
bool operator==(Recorded x, Recorded y);

// Called by kernels for all angles of a robot (kernels/joint/sincos.hpp).
void sin_cos(const Recorded* angle, Recorded* sine, Recorded* cosine, int count);

}  // namespace tenon::trace
