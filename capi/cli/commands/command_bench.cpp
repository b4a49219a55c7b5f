// tenon bench: what every algorithm and method costs on the user's robot and machine.
#include <cstdio>
#include <memory>

#include "batch_bench.hpp"
#include "bench.hpp"
#include "commands/commands.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace client {
namespace {

constexpr const char* help =
    R"(Times every algorithm, and with contacts every method of constrained dynamics, on a robot.

One core, one state a call, random states, all calls in turns. With --batch many states in one
call instead, beside single calls, and a rollout of them.

Read ratios rather than digits: on a busy machine all figures grow together. The minimum is the
least disturbed pass; a pass is the mean over the states.
)";

constexpr const char* examples = R"(Examples:
  tenon bench models/iiwa14.urdf
  tenon bench models/atlas.urdf --floating --weld l_foot --weld r_foot
  tenon bench models/solo12.urdf --floating --point FL_FOOT --point FR_FOOT --point HL_FOOT --point HR_FOOT
  tenon bench models/go1.urdf --floating --batch 4096 --threads 2 --precision float --json go1.json)";

struct Arguments {
  RobotArguments robot;
  ContactArguments contacts;
  std::size_t states = 1000;
  double seconds = 1;
  BatchRequest batch;
  std::string precision = "double", json;
};

double share_of_a_core(const BatchTiming& timing, const BatchRequest& batch) {
  return timing.microseconds * batch.threads;
}

void print_batches(const BatchTimings& timings, const BatchRequest& batch) {
  std::printf("batches of %zu states, %d thread%s, %s precision, %s, %d states side by side\n", batch.states,
              batch.threads, batch.threads == 1 ? "" : "s", batch.single_precision ? "single" : "double",
              timings.instruction_set.c_str(), timings.width);
  std::printf("\n%-28s %12s %12s %8s %14s\n", "function", "us a state", "single call", "ratio",
              "states/s/core");
  for (const BatchTiming& t : timings.functions) {
    const double core = share_of_a_core(t, batch);
    if (t.single_microseconds > 0)
      std::printf("%-28s %12.4f %12.3f %8.2f %14.0f  differs by %.0e\n", t.name.c_str(), t.microseconds,
                  t.single_microseconds, t.single_microseconds / t.microseconds, 1e6 / core, t.difference);
    else
      std::printf("%-28s %12.4f %12s %8s %14.0f\n", t.name.c_str(), t.microseconds, "", "", 1e6 / core);
    if (t.failed > 0) std::printf("  note: %zu of the states failed\n", t.failed);
  }
}

// A text of JSON, without its quotes.
std::string in_json(const std::string& text) {
  std::string safe;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20)
      safe += format("\\u%04x", c);
    else
      safe += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return safe;
}

void write_batches(const BatchTimings& timings, const BatchRequest& batch, const char* model,
                   const std::string& path) {
  std::string text = "{\n  \"model\": \"" + in_json(model) + "\",\n  \"cpu\": \"" + in_json(cpu_name()) +
                     "\",\n  \"build\": \"" + in_json(tenon_build_info()) + "\",\n";
  text += format("  \"states\": %zu,\n  \"threads\": %d,\n  \"precision\": \"%s\",\n", batch.states,
                 batch.threads, batch.single_precision ? "float" : "double");
  text += format("  \"instruction_set\": \"%s\",\n  \"width\": %d,\n  \"functions\": [",
                 timings.instruction_set.c_str(), timings.width);
  const char* comma = "\n";
  for (const BatchTiming& t : timings.functions) {
    text += comma + format("    {\"name\": \"%s\", \"us_a_state\": %.6g", t.name.c_str(), t.microseconds);
    if (t.single_microseconds > 0)
      text += format(", \"us_single_call\": %.6g, \"difference\": %.3g", t.single_microseconds, t.difference);
    text += format(", \"failed\": %zu}", t.failed);
    comma = ",\n";
  }
  Output file("the figures", path);
  file.write(text + "\n  ]\n}\n");
  file.close();
}

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
  if (is_standard_output(arguments.json))
    throw Failure("--json: standard output has the table for readers; name a file.", 2);
  const std::vector<ContactRequest> requests = arguments.contacts.requests();
  const ModelHandle model = load(arguments.robot.source());
  const ContactSet contacts = make_contacts(model.get(), requests, {});
  const WorkspaceHandle workspace = make_workspace(model.get(), contacts.handle.get());
  if (tenon_model_nv(model.get()) == 0)
    throw Failure(
        format("'%s' has no moving joint; there is nothing to time.", arguments.robot.path.c_str()));
  const bool batches = arguments.batch.states > 0;
  const States states =
      random_states(workspace.get(), model.get(), batches ? arguments.batch.states : arguments.states);

  std::printf("%s: %d degrees of freedom, %zu constraint rows\n", tenon_model_name(model.get()),
              tenon_model_nv(model.get()), contacts.rows);
  std::printf("%s%s\n%s\n", cpu_name().c_str(), batches ? "" : ", one core", tenon_build_info());
  if (batches) {
    BatchRequest request = arguments.batch;
    request.single_precision = arguments.precision == "float";
    request.seconds = arguments.seconds;
    const BatchTimings timings = time_batches(model.get(), contacts, workspace.get(), states, request);
    print_batches(timings, request);
    if (!arguments.json.empty())
      write_batches(timings, request, tenon_model_name(model.get()), arguments.json);
    return;
  }
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
  CLI::Option* batch =
      command->add_option("--batch", arguments->batch.states, "time batches of N states instead")
          ->check(between(1, 1e6))
          ->type_name("N");
  command->add_option("--threads", arguments->batch.threads, "threads of a batch")
      ->check(between(1, 1024))
      ->type_name("N")
      ->capture_default_str()
      ->needs(batch);
  command->add_option("--precision", arguments->precision, "of the numbers of a batch")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str()
      ->needs(batch);
  command->add_option("--steps", arguments->batch.steps, "of the rollout")
      ->check(between(1, 1e6))
      ->type_name("N")
      ->capture_default_str()
      ->needs(batch);
  command->add_option("--json", arguments->json, "write the figures of the batch to this file")
      ->type_name("FILE")
      ->needs(batch);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace client
