// Times batches of states: every function beside the single call on the same states, in turns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench.hpp"

namespace client {

struct BatchRequest {
  std::size_t states = 0;
  int32_t threads = 1;
  bool single_precision = false;
  std::size_t steps = 100;  // of the rollout
  double seconds = 1;       // for each function
};

struct BatchTiming {
  std::string name;
  double microseconds = 0;         // a state, the fastest pass
  double single_microseconds = 0;  // the same by single calls on one thread
  double difference = 0;           // from the single calls, relative to the largest number of a state
  std::size_t failed = 0;
};

struct BatchTimings {
  std::string instruction_set;
  int32_t width = 1;
  std::vector<BatchTiming> functions;
};

BatchTimings time_batches(const tenon_model* model, const ContactSet& contacts, tenon_workspace* workspace,
                          const States& states, const BatchRequest& request);

}  // namespace client
