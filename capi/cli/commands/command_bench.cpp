// tenon bench: what every algorithm and method costs on the user's robot and machine.
#include <cstdio>
#include <memory>

#include "bench.hpp"
#include "commands/commands.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace client {
namespace {

constexpr const char* help =
    R"(Times every algorithm, and with contacts every method of constrained dynamics, on a robot.

One core, one state a call, random states, all calls in turns.

Read ratios rather than digits: on a busy machine all figures grow together. The minimum is the
least disturbed pass; a pass is the mean over the states.
)";

constexpr const char* examples = R"(Examples:
  tenon bench models/iiwa14.urdf
  tenon bench models/atlas.urdf --floating --weld l_foot --weld r_foot
  tenon bench models/solo12.urdf --floating --point FL_FOOT --point FR_FOOT --point HL_FOOT --point HR_FOOT)";

struct Arguments {
  RobotArguments robot;
  ContactArguments contacts;
  std::size_t states = 1000;
  double seconds = 1;
};

void print_basic(const std::vector<Timing>& timings) {
  std::printf("\n%-42s %10s %10s\n", "algorithm", "median us", "min us");
  for (const Timing& timing : timings)
    if (!timing.constrained)
      std::printf("%-42s %10.2f %10.2f\n", timing.name.c_str(), timing.median, timing.minimum);
}

void print_constrained(const std::vector<Timing>& timings) {
  std::printf("\n%-24s %10s %10s   %-16s %11s  %s\n", "constrained dynamics", "median us", "min us",
              "iterations", "residual", "qdd against dense");
  for (const Timing& timing : timings) {
    if (!timing.constrained) continue;
    const std::string iterations = format("%.1f, at most %d", timing.mean_iterations, timing.most_iterations);
    const std::string difference =
        timing.method == TENON_METHOD_DENSE ? "the reference" : format("%.1e", timing.difference);
    std::printf("%-24s %10.2f %10.2f   %-16s %11.1e  %s\n", timing.name.c_str(), timing.median,
                timing.minimum, iterations.c_str(), timing.residual, difference.c_str());
    if (!timing.answered_by.empty()) std::printf("  answered by %s\n", timing.answered_by.c_str());
    if (timing.troubled > 0)
      std::printf("  note: in %zu states the iteration limit came before the tolerance\n", timing.troubled);
  }
}

void run(const Arguments& arguments) {
  const std::vector<ContactRequest> requests = arguments.contacts.requests();
  const ModelHandle model = load(arguments.robot.source());
  const ContactSet contacts = make_contacts(model.get(), requests, {});
  const WorkspaceHandle workspace = make_workspace(model.get(), contacts.handle.get());
  if (tenon_model_nv(model.get()) == 0)
    throw Failure(
        format("'%s' has no moving joint; there is nothing to time.", arguments.robot.path.c_str()));
  const States states = random_states(workspace.get(), model.get(), arguments.states);

  std::printf("%s: %d degrees of freedom, %zu constraint rows\n", tenon_model_name(model.get()),
              tenon_model_nv(model.get()), contacts.rows);
  std::printf("%s, one core\n%s\n", cpu_name().c_str(), tenon_build_info());
  std::printf("%zu random states; a workspace of %.0f kB\n", states.count,
              static_cast<double>(tenon_workspace_size_bytes(workspace.get())) / 1000);
  std::fflush(stdout);

  std::vector<Timing> timings;
  {
    Progress progress("timing");
    timings = time_algorithms(workspace.get(), model.get(), contacts, states, arguments.seconds,
                              [&](double share) { progress.show(share); });
  }
  print_basic(timings);
  if (contacts.rows == 0) {
    std::printf("\nWith --weld or --point the methods of constrained dynamics are timed too.\n");
    return;
  }
  print_constrained(timings);
  std::string names;
  for (const std::string& name : missing_methods(workspace.get(), states, contacts.rows))
    names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) std::printf("\nNot in this version: %s.\n", names.c_str());
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", help);
  command->footer(examples);
  auto arguments = std::make_shared<Arguments>();
  arguments->robot.add_to(*command);
  arguments->contacts.add_to(*command);
  command->add_option("--states", arguments->states, "random states, the same ones on every machine")
      ->check(between(1, 1e6))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "time for each line of the tables, s")
      ->check(between(0.001, 3600))
      ->type_name("S")
      ->capture_default_str();
  command->callback([arguments] { run(*arguments); });
}

}  // namespace client
