// The command line: one file for each command. Exit codes: 0 good, 1 something failed, 2
// the command line is wrong.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "commands/commands.hpp"

namespace client {

CLI::Option* add_repeated(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                          const std::string& description) {
  return command.add_option(name, values, description)->allow_extra_args(false);
}

void RobotArguments::add_to(CLI::App& command) {
  command.add_option("model", path, "the robot, a URDF file")->required()->type_name("FILE");
  command.add_flag("--floating", floating, "the root link moves freely (legged robots); else it is fixed");
  command.add_flag("--ignore-mimic", ignore_mimic, "joints with <mimic> move freely");
  command.add_flag("--tolerant-inertias", tolerant_inertias,
                   "hold joints that move no mass, and take inertias that no body can have");
  command.add_option("--gravity", gravity, "m/s^2, world axes")->type_name("X,Y,Z")->capture_default_str();
}

ModelSource RobotArguments::source() const {
  const Vector given = parse_numbers(gravity, "--gravity");
  if (given.size() != 3)
    throw Failure(format("--gravity: '%s' has %zu numbers; gravity has three, as in 0,0,-9.81.",
                         gravity.c_str(), given.size()),
                  2);
  return {path, floating, {given[0], given[1], given[2]}, ignore_mimic, tolerant_inertias};
}

void ContactArguments::add_to(CLI::App& command) {
  add_repeated(command, "--weld", welds, "hold a link fast, 6 rows; repeat for more")
      ->type_name("LINK[@X,Y,Z]");
  add_repeated(command, "--point", points, "hold a point of a link, 3 rows; X,Y,Z in the link's frame, m")
      ->type_name("LINK[@X,Y,Z]");
}

std::vector<ContactRequest> ContactArguments::requests() const {
  std::vector<ContactRequest> all;
  for (const std::string& text : welds) all.push_back(parse_contact(text, true, "--weld"));
  for (const std::string& text : points) all.push_back(parse_contact(text, false, "--point"));
  return all;
}

CLI::Validator between(double lower, double upper) {
  return CLI::Validator(
      [lower, upper](const std::string& text) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        const bool good = end != text.c_str() && *end == '\0' && number >= lower && number <= upper;
        return good ? std::string()
                    : format("'%s' is not a number from %g to %g", text.c_str(), lower, upper);
      },
      "");
}

void write_text(const std::string& path, const std::string& text) {
  Output file("--output:", path.empty() ? "-" : path);
  file.write(text);
  file.close();
}

int32_t parse_method(const std::string& name) {
  int32_t method = 0;
  if (tenon_constant_from_name(TENON_CONSTANT_METHOD, name.c_str(), &method) == TENON_OK) return method;
  std::string names = tenon_constant_name(TENON_CONSTANT_METHOD, 0);
  for (int32_t i = 1; i < tenon_constant_count(TENON_CONSTANT_METHOD); ++i)
    names += std::string(", ") + tenon_constant_name(TENON_CONSTANT_METHOD, i);
  throw Failure(format("--method: '%s' names no method; there are %s.", name.c_str(), names.c_str()), 2);
}

namespace {

constexpr const char* overview = R"(Dynamics of robots under motion constraints, on your own URDF files.

First look at a robot and learn its link and joint names, then let it move, then see what it costs.
)";

// In the list of commands the first line of a command's description is enough.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* command) const override {
    const std::string text = command->get_description();
    return format("  %-10s %s\n", command->get_name().c_str(), text.substr(0, text.find('\n')).c_str());
  }
};

constexpr const char* examples = R"(Examples:
  tenon info models/atlas.urdf --floating
      the tree of links and joints, degrees of freedom, mass, and what is odd in the file
  tenon simulate models/double_pendulum.urdf --q0 shoulder=1.5 --plot swing.svg
      one second of a falling pendulum, as a plot
  tenon simulate models/solo12.urdf --floating --point FL_FOOT --point HR_FOOT --csv out.csv
      a quadruped with two feet held, as a table of numbers
  tenon bench models/atlas.urdf --floating --weld l_foot --weld r_foot
      what every algorithm and method costs on this robot and this machine
  tenon count models/atlas.urdf --floating --weld l_foot --weld r_foot
      the same in additions and multiplications, which no machine changes
  tenon codegen models/iiwa14.urdf --algorithm aba -o aba.c
      forward dynamics of this robot as a C function that needs nothing else
  tenon generate chain --kind four_bar --count 12 -o chain.urdf
      a robot with kinematic loops, as long as you like
  tenon export fmu models/go1.urdf --floating --point FL_foot --point RR_foot -o go1.fmu
      the robot as a unit for programs that simulate systems of many parts (FMI)

`tenon COMMAND --help` says all about a command.)";

int complain(const std::string& sentence, int code) {
  std::fprintf(stderr, "tenon: %s\n", sentence.c_str());
  return code;
}

// What the parser of the command line says, as one sentence with the way to help on the command that was meant.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string sentence = error.what(), command = "tenon";
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == '\n')) sentence.pop_back();
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) {
    chosen = chosen->get_subcommands().front();
    command += " " + chosen->get_name();
  }
  const std::vector<std::string> rest = app.remaining(true);
  if (chosen->get_require_subcommand_min() > 0) {
    std::string known;
    for (const CLI::App* one : chosen->get_subcommands([](const CLI::App*) { return true; }))
      known += (known.empty() ? "" : ", ") + one->get_name();
    sentence = (rest.empty() ? "a command is missing" : "there is no command '" + rest.front() + "'") +
               " after `" + command +
               (known.find(',') == std::string::npos ? "`; there is " : "`; there are ") + known;
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) && !rest.empty()) {
    sentence = "'" + rest.front() + "' is not known here";
  }
  return sentence + "; see `" + command + " --help`.";
}

int run(std::vector<std::string> arguments) {
  CLI::App app(overview, "tenon");
  app.set_version_flag("--version",
                       std::string("tenon ") + tenon_version_string() + "\n" + tenon_build_info(),
                       "version and build");
  app.set_help_flag("-h,--help", "this text");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(34);
  app.formatter(formatter);
  app.footer(examples);
  app.require_subcommand(1);
  add_info(app);
  add_simulate(app);
  add_bench(app);
  add_count(app);
  add_codegen(app);
  add_generate(app);
  add_export(app);
  if (arguments.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return 2;
  }
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return complain(explain(app, error), 2);
  } catch (const Failure& failure) {
    return complain(failure.what(), failure.exit_code());
  }
  return 0;
}

}  // namespace
}  // namespace client

int main(int argc, char** argv) {
  int code = 1;
  try {
    code = client::run(client::utf8_arguments(argc, argv));
  } catch (const std::bad_alloc&) {
    std::fputs("tenon: out of memory.\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenon: %s\n", error.what());
  }
  return client::finish("tenon", code);
}
