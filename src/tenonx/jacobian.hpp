// Derivatives of a recording's outputs by its inputs, as terms of its graph.
//
// The chain rule by elimination of vertices: every operation of the graph is a vertex, with its partial derivative by each
// operand on the edge between them. Taking out vertex j adds c_kj c_ji to the edge from i to k, for all operands i of j
// and all users k of j. When inputs and outputs alone are left, the edges are the Jacobian (Griewank and Walther,
// Evaluating Derivatives, 2nd ed., chapter 9). Vertices in their order are forward mode, in the opposite order reverse
// mode; a third order takes the vertex with the least product of operands and users next (Markowitz). What costs the
// fewest operations is kept. An entry without an edge is zero whatever the inputs.
#pragma once

#include <memory>
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

// What is differentiated.
struct Kind {
  const char *title, *role;  // of the Jacobians in the head comment
  const char* option;        // of the caller, that asks for them
  // The outputs are the derivatives of one number by the first inputs, in their order: their Jacobian is symmetric there.
  bool symmetric;
};
inline constexpr Kind of_function = {"Derivatives", "jac", "derivatives", false};
inline constexpr Kind of_adjoint = {"Second derivatives", "hess", "the hessian", true};

// Of every output by every input, outputs outside. Enters operations into the recording's graph. Where the Jacobian is
// symmetric, entries that mirror each other are one term, which is computed once.
std::vector<Jacobian> differentiate(Recording& recording, const Kind& kind);

// The derivatives of a weighted sum of all outputs by all inputs, by reverse mode. Its inputs are those of the recording,
// then the weights: adj_X for each output X; its outputs adj_Y for each input Y.
std::unique_ptr<Recording> adjoint_of(const Recording& recording);

// The lines of the head comment about them. function: the name of what is differentiated.
std::string about_jacobians(const std::vector<Jacobian>& jacobians, const std::string& function,
                            const Kind& kind);
std::string about_adjoint(const Recording& adjoint, const Recording& recording, const std::string& function);
// What derivatives by q are. second: there are second ones.
std::string about_entries(const Model& model, bool second);

// The C function that tells where entries stand.
std::string sparsity_function(const std::vector<Jacobian>& jacobians, const std::string& function);

}  // namespace tenon::trace
