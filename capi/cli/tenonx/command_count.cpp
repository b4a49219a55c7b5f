// tenon count: what every algorithm costs on the user's robot in operations.
#include <cstdio>
#include <memory>
#include <optional>

#include "tenonx/recording.hpp"

namespace client {
namespace {

constexpr const char* help =
    R"(Counts the operations of every algorithm on a robot, and with contacts of every constrained one.

What the robot makes constant is folded, equal terms are shared, and what no result depends on is
left out, so the figures depend on robot and contacts alone. They are no times: a division takes
longer than an addition, and packs of numbers take as long as one. With kinematic loops those
algorithms are counted that can take them, what it takes to follow the loops included; the pivots of
loops are then those at a closed configuration.
)";

constexpr const char* examples = R"(Examples:
  tenon count models/iiwa14.urdf
  tenon count models/mini_cheetah.urdf
  tenon count models/atlas.urdf --floating --weld l_foot --weld r_foot --iterations 3
  tenon count models/solo12.urdf --floating --point FL_FOOT --algorithm aba --algorithm constrained_aba)";

struct Arguments {
  RecordingArguments recording;
  std::vector<std::string> algorithms;
  std::string csv;
};

struct Line {
  std::string name;
  tenonx_operation_counts counts;
};

std::vector<std::string> algorithms_for(const tenon_model* model, std::size_t rows) {
  const bool loops = tenon_model_cluster_count(model) > 0;
  std::vector<std::string> names;
  for (int32_t i = 0; i < tenonx_traceable_count(); ++i) {
    const int32_t traits = tenonx_traceable_traits(i);
    if (rows == 0 && (traits & TENONX_TRAIT_CONSTRAINED) != 0) continue;
    if ((traits & (loops ? TENONX_TRAIT_LOOPS : TENONX_TRAIT_FOR_LOOPS)) != (loops ? TENONX_TRAIT_LOOPS : 0))
      continue;
    names.emplace_back(tenonx_traceable_name(i));
  }
  return names;
}

// Nothing where the algorithm is not for this robot and contacts, and was not asked for by name.
std::optional<Line> count(const tenon_model* model, const tenon_constraints* constraints,
                          const std::string& algorithm, const tenonx_trace_options& options, bool asked_for) {
  std::array<char, 1024> message{};
  Line line{algorithm, {}};
  tenonx_operation_counts_init(&line.counts, sizeof line.counts);
  const tenon_status status = tenonx_count_operations(model, constraints, algorithm.c_str(), &options,
                                                      &line.counts, message.data(), message.size());
  if (status == TENON_UNSUPPORTED && !asked_for) return std::nullopt;
  if (status == TENON_NOT_FOUND) throw Failure(format("--algorithm: %s.", message.data()), 2);
  if (status < 0) throw Failure(message.data());
  return line;
}

void print(std::FILE* to, const std::vector<Line>& lines) {
  std::fprintf(to, "\n%-20s %10s %10s %9s %6s %6s %6s %6s %11s\n", "algorithm", "additions", "products",
               "divisions", "roots", "sines", "cosines", "atan2", "total");
  for (const Line& line : lines) {
    const tenonx_operation_counts& c = line.counts;
    std::fprintf(to, "%-20s %10lld %10lld %9lld %6lld %6lld %7lld %5lld %11lld\n", line.name.c_str(),
                 static_cast<long long>(c.additions), static_cast<long long>(c.multiplications),
                 static_cast<long long>(c.divisions), static_cast<long long>(c.square_roots),
                 static_cast<long long>(c.sines), static_cast<long long>(c.cosines),
                 static_cast<long long>(c.arctangents), static_cast<long long>(c.total));
  }
}

void write_csv(const std::string& path, const std::vector<Line>& lines) {
  Output file("the table", path);
  file.write("algorithm,additions,multiplications,divisions,square_roots,sines,cosines,arctangents,total\n");
  for (const Line& line : lines) {
    const tenonx_operation_counts& c = line.counts;
    file.write(format("%s,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld\n", line.name.c_str(),
                      static_cast<long long>(c.additions), static_cast<long long>(c.multiplications),
                      static_cast<long long>(c.divisions), static_cast<long long>(c.square_roots),
                      static_cast<long long>(c.sines), static_cast<long long>(c.cosines),
                      static_cast<long long>(c.arctangents), static_cast<long long>(c.total)));
  }
  file.close();
}

void run(const Arguments& arguments) {
  const ModelHandle model = load(arguments.recording.robot.source());
  const ContactSet contacts = arguments.recording.make(model.get());
  std::FILE* to = is_standard_output(arguments.csv) ? stderr : stdout;
  std::fprintf(to, "%s: %d degrees of freedom, %zu constraint rows; %d proximal iterations\n",
               tenon_model_name(model.get()), tenon_model_nv(model.get()), contacts.rows,
               arguments.recording.iterations);
  std::vector<Line> lines;
  std::string left_out;
  const bool asked_for = !arguments.algorithms.empty();
  for (const std::string& name :
       asked_for ? arguments.algorithms : algorithms_for(model.get(), contacts.rows)) {
    const auto line =
        count(model.get(), contacts.handle.get(), name, arguments.recording.options(), asked_for);
    if (line)
      lines.push_back(*line);
    else
      left_out += (left_out.empty() ? "" : ", ") + name;
  }
  print(to, lines);
  if (!left_out.empty())
    std::fprintf(to, "\nNot for this robot and its rows, as --algorithm tells: %s.\n", left_out.c_str());
  if (!arguments.csv.empty()) write_csv(arguments.csv, lines);
  if (contacts.rows == 0 && arguments.algorithms.empty())
    std::fprintf(to, "\nWith --weld or --point the algorithms that need constraint rows are counted too.\n");
}

}  // namespace

void add_count(CLI::App& app) {
  CLI::App* command = app.add_subcommand("count", help);
  command->footer(examples);
  auto arguments = std::make_shared<Arguments>();
  arguments->recording.add_to(*command);
  add_repeated(*command, "--algorithm", arguments->algorithms, "only this one; repeat for more")
      ->type_name("NAME");
  command->add_option("--csv", arguments->csv, "write the table to a file too; - for standard output")
      ->type_name("FILE");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace client
