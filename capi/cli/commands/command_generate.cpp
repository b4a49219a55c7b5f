// tenon generate: robots with kinematic loops, any length, as URDF.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "commands/commands.hpp"
#include "generator.hpp"

namespace client {
namespace {

constexpr const char* help =
    R"(Writes robots with kinematic loops as URDF, any length, to try and to time things on.

A chain puts one sub-mechanism after another; branches are two chains tied together at a link of
choice. Loops are closed with all joints at zero.
)";

constexpr const char* examples = R"(Examples:
  tenon generate chain --kind four_bar --count 12 -o chain.urdf
  tenon generate chain --kind belt --count 3 --branches 4 > legs.urdf
  tenon generate branches --tie connecting_rod --depth 10 --at 4 -o tied.urdf
  tenon info chain.urdf)";

struct Arguments {
  std::string kind, tie = "transmission", output;
  int count = 4, branches = 1, depth = 10, at = 1;
};

CLI::Option* add_number(CLI::App& command, const char* name, int& value, const char* description) {
  return command.add_option(name, value, description)
      ->check(between(1, 1000))
      ->type_name("N")
      ->capture_default_str();
}

void add_output(CLI::App& command, std::string& path) {
  command.add_option("-o,--output", path, "file to write; else standard output")->type_name("FILE");
}

void add_chain(CLI::App& group) {
  std::vector<std::string> names;
  std::string list;
  for (const CellFacts& cell : cell_facts()) {
    names.emplace_back(cell.name);
    list += format("\n  %-15s %s: %d bodies, %d independent", cell.name, cell.summary, cell.bodies,
                   cell.independent);
  }
  CLI::App* command = group.add_subcommand("chain", "One sub-mechanism after another." + list);
  command->footer(examples);
  auto arguments = std::make_shared<Arguments>();
  command->add_option("--kind", arguments->kind, "the sub-mechanism")
      ->required()
      ->check(CLI::IsMember(names));
  add_number(*command, "--count", arguments->count, "how many on each branch");
  add_number(*command, "--branches", arguments->branches, "how many chains hang on the base");
  add_output(*command, arguments->output);
  command->callback([arguments] {
    const std::vector<CellFacts>& cells = cell_facts();
    const auto cell = std::find_if(cells.begin(), cells.end(),
                                   [&](const CellFacts& c) { return c.name == arguments->kind; });
    write_text(arguments->output, generate_chain(cell->kind, arguments->count, arguments->branches));
  });
}

void add_branches(CLI::App& group) {
  CLI::App* command = group.add_subcommand(
      "branches", "Two chains with parallel axes, tied together by one constraint at a link.");
  command->footer(examples);
  auto arguments = std::make_shared<Arguments>();
  command->add_option("--tie", arguments->tie, "what ties them")
      ->check(CLI::IsMember({"transmission", "connecting_rod"}))
      ->capture_default_str();
  add_number(*command, "--depth", arguments->depth, "links of each branch");
  add_number(*command, "--at", arguments->at, "the link that is tied, from the base");
  add_output(*command, arguments->output);
  command->callback([arguments] {
    if (arguments->at > arguments->depth)
      throw Failure(format("--at: link %d is beyond the %d links of a branch; give 1 to %d.", arguments->at,
                           arguments->depth, arguments->depth),
                    2);
    const TieKind kind = arguments->tie == "transmission" ? TieKind::transmission : TieKind::connecting_rod;
    write_text(arguments->output, generate_tied_branches(kind, arguments->depth, arguments->at));
  });
}

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("generate", help);
  command->footer(examples);
  command->require_subcommand(1);
  add_chain(*command);
  add_branches(*command);
}

}  // namespace client
