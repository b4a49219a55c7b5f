// One algorithm recorded on one model and constraint set.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tenonx/algorithms.hpp"
#include "tenonx/graph.hpp"
#include "tenonx/recorded.hpp"

namespace tenon::trace {

struct RecordedArray {
  Array array;
  std::vector<Term> terms;
};

struct Recording {
  const TraceableAlgorithm* about;
  Graph graph;
  // The constraint rows of the recording: the given set, or without one the rows of loops.
  const ConstraintSet* constraints = nullptr;
  std::shared_ptr<const ConstraintSet> rows_of_loops;
  std::vector<RecordedArray> inputs, outputs;  // the terms of inputs are its input nodes, in order
  std::vector<Term> all_outputs() const;
};

// Records at a random state with closed loops. Throws as count_operations does. loop_functions: the model's,
// for recorders; a model with such constraints is refused without them.
std::unique_ptr<Recording> record(const Model& model, const ConstraintSet* constraints,
                                  std::string_view algorithm, const TraceOptions& options,
                                  const LoopFunctions<Recorded>& loop_functions = {});

}  // namespace tenon::trace
