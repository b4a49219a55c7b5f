// The commands of the program `tenon`, one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "client.hpp"
#include "simulation/contacts.hpp"
#include "simulation/simulation.hpp"

namespace client {

// Each adds a subcommand whose callback does the work.
void add_info(CLI::App& app);
void add_simulate(CLI::App& app);
void add_bench(CLI::App& app);
void add_count(CLI::App& app);
void add_codegen(CLI::App& app);
void add_generate(CLI::App& app);
void add_export(CLI::App& app);

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

// The options of the commands that move a robot, from its start on.
struct MotionArguments {
  RobotArguments robot;
  ContactArguments contacts;
  SimulationSettings settings;
  std::string integrator = "rk4", method = "automatic", stabilise = "20,1";
  std::vector<std::string> positions, velocities;
  void add_to(CLI::App& command);
  // Reads integrator and method into settings.
  void settle();
  Stabilisation stabilisation() const;
  // The start, with closed loops.
  void place(const tenon_model* model, tenon_workspace* workspace, Vector& q, Vector& v) const;
};
// Puts --q0, --v0 or --torque values where their joints have their coordinates.
void assign(const tenon_model* model, const std::vector<std::string>& texts, const char* option,
            bool position, Vector& into);
// "20" or "20,1": a frequency in rad/s and a damping ratio, both not negative.
Stabilisation parse_spring(const std::string& text, const char* option);

// An option that may be given many times, one value each.
CLI::Option* add_repeated(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                          const std::string& description);
// A check that an option is a number in a range.
CLI::Validator between(double lower, double upper);
// Writes text to a file, or to standard output where path is empty or "-". Throws a failure that names --output.
void write_text(const std::string& path, const std::string& text);
// The method of a name; throws a usage failure that lists them.
int32_t parse_method(const std::string& name);

}  // namespace client
