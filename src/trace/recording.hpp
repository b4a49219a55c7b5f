// One algorithm recorded on one model and constraint set.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "scalar/graph.hpp"
#include "scalar/recorded.hpp"
#include "trace/algorithms.hpp"

namespace tenon::trace {

struct RecordedArray {
  Array array;
  std::vector<Term> terms;
};

struct Recording {
  const TraceableAlgorithm* about;
  Graph graph;
  // What was recorded: the set given, or without one that of loops closed by rows.
  const ConstraintSet* constraints = nullptr;
  std::shared_ptr<const ConstraintSet> rows_of_loops;
  std::vector<RecordedArray> inputs, outputs;  // the terms of inputs are its input nodes, in order
  std::vector<Term> all_outputs() const;
};

// The state of the recording is random, loops closed. Throws as count_operations does. loop_functions: those
// of the model for recorders; without them a model that has some is refused.
std::unique_ptr<Recording> record(const Model& model, const ConstraintSet* constraints,
                                  std::string_view algorithm, const TraceOptions& options,
                                  const LoopFunctions<Recorded>& loop_functions = {});

}  // namespace tenon::trace
