// Derivatives of a recording's outputs by its inputs, as terms of its graph.
//
// The chain rule by elimination of vertices: every operation of the graph is a vertex, with its partial derivative by each
// operand on the edge between them. Taking out vertex j adds c_kj c_ji to the edge from i to k, for all operands i of j
// and all users k of j. When inputs and outputs alone are left, the edges are the Jacobian (Griewank and Walther,
// Evaluating Derivatives, 2nd ed., chapter 9). Vertices in their order are forward mode, in the opposite order reverse
// mode; a third order takes the vertex with the least product of operands and users next (Markowitz). What costs the
// fewest operations is kept. An entry without an edge is zero whatever the inputs.
#pragma once

#include <string>
#include <vector>

#include "tenonx/recording.hpp"

namespace tenon::trace {

// Of one output by one input: a matrix in compressed columns.
struct Jacobian {
  std::string name;                // jac_qdd_q
  std::string output, input;       // their names
  std::size_t rows, columns;       // numbers of the output and of the input
  std::vector<std::size_t> first;  // the first entry of each column, and the number of all
  std::vector<std::size_t> row;    // of each entry
  std::vector<Term> terms;         // the entries, column by column
};

// Of every output by every input, outputs outside. Enters operations into the recording's graph.
std::vector<Jacobian> differentiate(Recording& recording);

// The lines of the head comment about them. function: its name.
std::string about_jacobians(const std::vector<Jacobian>& jacobians, const std::string& function,
                            const Model& model);

// The C function that tells where entries stand.
std::string sparsity_function(const std::vector<Jacobian>& jacobians, const std::string& function);

}  // namespace tenon::trace
