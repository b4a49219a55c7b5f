// What the commands that record algorithms have in common.
#pragma once

#include <tenonx.h>

#include "commands/commands.hpp"

namespace client {

// The options of the commands that record algorithms.
struct RecordingArguments {
  RobotArguments robot;
  ContactArguments contacts;
  std::string axes = "link";
  int32_t iterations = 3;
  double mu = 1e6;
  void add_to(CLI::App& command);
  ContactSet make(const tenon_model* model) const;
  tenonx_trace_options options() const;
};

// The text of tenonx_generate_c; throws what it says where it cannot. An algorithm that is unknown is a usage failure.
std::string generate_code(const tenon_model* model, const tenon_constraints* constraints,
                          const char* algorithm, const tenonx_trace_options& options);

}  // namespace client
