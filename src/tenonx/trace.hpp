// What an algorithm does on one robot, operation by operation: counted, or written as a C function.
//
// The kernel runs once on a scalar that records (recorded.hpp). What the model and the constraint set make
// constant (masses, lengths, gravity, penalties) is folded, equal terms are shared, and operations that no
// output depends on are dropped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tenon/constraints.hpp"
#include "tenon/model.hpp"

namespace tenon {

struct TraceOptions {
  int iterations = 3;  // of proximal methods, without acceleration, as in the papers; always this many
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
  const char* summary;           // inputs, outputs, source
  bool constrained;              // needs constraint rows
  bool fixed_path;               // does the same operations in every state, so that it can be written as C
  bool loops = false;            // takes models with kinematic loops
  bool for_loops = false;        // made for loops; on a tree it does the same as another one
  bool inter_body_rows = false;  // takes rows between two moving links
};
// A static table: nothing is allocated.
template <class T>
struct List {
  const T* first;
  std::size_t count;
  const T* begin() const { return first; }
  const T* end() const { return first + count; }
  std::size_t size() const { return count; }
  const T& operator[](std::size_t i) const { return first[i]; }
};
List<TraceableAlgorithm> traceable_algorithms() noexcept;

// The rows of loops that rows close (Model::row_loops) are recorded too; without a set they are the only
// rows.
//
// Both throw Error.
OperationCounts count_operations(const Model& model, const ConstraintSet* constraints,
                                 std::string_view algorithm, const TraceOptions& options = {});

struct GeneratedFunction {
  std::string name;       // empty: made of the model's and the algorithm's names
  std::string generator;  // the producer that the head comment names
  // States that a call computes side by side: 1, 2, 4, 8 or 16. With more than one, number i of state l is at
  // [lanes * i + l], and the text needs the vector types of gcc and clang.
  int lanes = 1;
  // Also the derivatives of all outputs by all inputs, as a second function; the comment at the head says how.
  bool derivatives = false;
  // These, the derivatives of a weighted sum of all outputs, and the derivatives of those.
  bool hessian = false;
};
// C99, <math.h> only. Further errors: unsupported where the operations depend on values (pv_early; rows whose
// position error is stabilised), invalid_argument for a name that is not an identifier.
std::string generate_c(const Model& model, const ConstraintSet* constraints, std::string_view algorithm,
                       const TraceOptions& options = {}, const GeneratedFunction& function = {});

}  // namespace tenon
