// What an algorithm does on one robot, operation by operation: counted, or written as a C function.
//
// The kernel runs once on a scalar that records (src/trace/). What the model and the constraint set make
// constant is folded (masses, lengths, gravity, penalties), equal terms are shared, and operations that no
// output depends on are dropped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tenon/constraints.hpp"
#include "tenon/model.hpp"

namespace tenon {

struct TraceOptions {
  int iterations = 3;  // of proximal methods, plain ones as in the papers; the recorded number is fixed
  double mu = 1e6;     // their proximal parameter over a row's typical Delassus diagonal
};

struct OperationCounts {
  std::size_t additions = 0;  // and subtractions; a change of sign costs nothing
  std::size_t multiplications = 0;
  std::size_t divisions = 0;
  std::size_t square_roots = 0;
  std::size_t sines = 0;
  std::size_t cosines = 0;
  std::size_t arctangents = 0;
  std::size_t total() const {
    return additions + multiplications + divisions + square_roots + sines + cosines + arctangents;
  }
};

struct TraceableAlgorithm {
  const char* name;
  const char* summary;     // inputs, outputs, source
  bool constrained;        // needs constraint rows
  bool fixed_path;         // does the same operations in every state, so that it can be written as C
  bool loops = false;      // takes models with kinematic loops
  bool for_loops = false;  // is made for them; on a tree it does what another one does there
};
// A table that is there from the start: nothing is allocated.
struct TraceableAlgorithms {
  const TraceableAlgorithm* first;
  std::size_t count;
  const TraceableAlgorithm* begin() const { return first; }
  const TraceableAlgorithm* end() const { return first + count; }
  std::size_t size() const { return count; }
  const TraceableAlgorithm& operator[](std::size_t i) const { return first[i]; }
};
TraceableAlgorithms traceable_algorithms() noexcept;

// Loops that rows close (Model::row_loops) are among the rows: those of a set, or without a set alone.
//
// Both throw Error: not_found for a name of no algorithm, invalid_argument for a constrained one without
// rows and for options out of range, unsupported for rows on links that are part of the world, for rows
// between two moving links by most methods, and for forward dynamics without rows where rows close loops.
OperationCounts count_operations(const Model& model, const ConstraintSet* constraints,
                                 std::string_view algorithm, const TraceOptions& options = {});

struct GeneratedFunction {
  std::string name;       // empty: made of the model's and the algorithm's names
  std::string generator;  // what the head comment says made it
};
// C99, <math.h> only. Further errors: unsupported where the path depends on values (pv_early; rows whose
// position error is stabilised), invalid_argument for a name that is no identifier.
std::string generate_c(const Model& model, const ConstraintSet* constraints, std::string_view algorithm,
                       const TraceOptions& options = {}, const GeneratedFunction& function = {});

}  // namespace tenon
