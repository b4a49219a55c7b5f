// The commands of the program `tenon`, one file each.
#pragma once

#include <tenonx.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "client.hpp"
#include "simulation/contacts.hpp"

namespace client {

// Each adds a subcommand whose callback does the work.
void add_info(CLI::App& app);
void add_simulate(CLI::App& app);
void add_bench(CLI::App& app);
void add_count(CLI::App& app);
void add_codegen(CLI::App& app);
void add_generate(CLI::App& app);

// The options by which every command takes a robot, and those by which it takes contacts.
struct RobotArguments {
  std::string path;
  bool floating = false, ignore_mimic = false, tolerant_inertias = false;
  std::string gravity = "0,0,-9.81";
  void add_to(CLI::App& command);
  ModelSource source() const;
};
struct ContactArguments {
  std::vector<std::string> welds, points;
  void add_to(CLI::App& command);
  std::vector<ContactRequest> requests() const;
};

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

// An option that may be given many times, one value each.
CLI::Option* add_repeated(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                          const std::string& description);
// A check that an option is a number in a range.
CLI::Validator between(double lower, double upper);
// Writes text to a file, or to standard output where path is empty. Throws a failure that names --output.
void write_text(const std::string& path, const std::string& text);
// The method of a name; throws a usage failure that lists them.
int32_t parse_method(const std::string& name);

}  // namespace client
