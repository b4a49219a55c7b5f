// tenon export: a robot for other programs. So far as a functional mock-up unit.
#include <cstring>
#include <memory>

#include "commands/commands.hpp"
#include "exchange/archive.hpp"
#include "exchange/binaries.hpp"
#include "exchange/description.hpp"
#include "exchange/sources.hpp"

namespace client {
namespace {

constexpr const char* help =
    R"(Writes a robot as a functional mock-up unit (FMI 2.0 or 3.0).

Programs that simulate systems of many parts load it, with their own controllers, motors and plants.
It holds co-simulation, by the steps of `tenon simulate`, and model exchange, and needs no Tenon where
it is used.

Inputs: tau.JOINT, torques. Outputs: q.JOINT, v.JOINT and a.JOINT, positions, velocities and
accelerations; pose.LINK[1..7], position and quaternion x, y, z, w in the world; force.CONTACT[1..3] and
of welds moment.CONTACT[1..3], on the robot along world axes. States: q and v, whose start values can
be set; loops are closed and contacts held where they are when the simulation begins. Parameter:
gravity. A joint with several coordinates has q.JOINT[1], q.JOINT[2] and so on.

The unit runs on the systems whose binaries are in it: that of this machine, and those of the releases of
Tenon, unpacked, that --binaries names. --sources adds the robot as C code for all others; robots with
contacts, loops or couplings have none.
)";

constexpr const char* examples = R"(Examples:
  tenon export fmu models/iiwa14.urdf --pose iiwa_link_7 -o iiwa14.fmu
  tenon export fmu models/go1.urdf --floating --point FL_foot --point FR_foot --point RL_foot \
        --point RR_foot --version 2 -o go1.fmu
  tenon export fmu models/six_bar.urdf --dt 5e-4 -o six_bar.fmu
  tenon export fmu models/iiwa14.urdf --binaries tenon-0.1.0-windows-x86_64 --sources -o iiwa14.fmu)";

struct Arguments {
  MotionArguments motion;
  int version = 3;
  std::vector<std::string> poses, binaries;
  bool sources = false, no_binaries = false;
  std::string output;
};

struct Robot {
  ModelHandle model;
  ContactSet contacts;
  Vector q, v;
  std::array<double, 3> gravity;
  std::vector<int32_t> links;
};

Robot make_robot(const Arguments& arguments) {
  const MotionArguments& motion = arguments.motion;
  Robot robot;
  robot.gravity = motion.robot.source().gravity;
  robot.model = load(motion.robot.source());
  robot.contacts = make_contacts(robot.model.get(), motion.contacts.requests(), motion.stabilisation());
  const WorkspaceHandle workspace = make_workspace(robot.model.get(), robot.contacts.handle.get());
  motion.place(robot.model.get(), workspace.get(), robot.q, robot.v);
  for (const std::string& link : arguments.poses)
    robot.links.push_back(find_link(robot.model.get(), link, "--pose"));
  return robot;
}

std::string bits(double number) {
  std::uint64_t pattern = 0;
  std::memcpy(&pattern, &number, sizeof pattern);
  return format(" %016llx", static_cast<unsigned long long>(pattern));
}

template <class Numbers>
std::string list(const Numbers& numbers) {
  std::string text;
  for (const double number : numbers) text += bits(number);
  return text;
}

// resources/tenon.txt after its token; capi/fmu/settings.c reads it.
std::string write_settings(const Arguments& arguments, const Robot& robot) {
  const RobotArguments& source = arguments.motion.robot;
  const SimulationSettings& settings = arguments.motion.settings;
  const Stabilisation stabilisation = arguments.motion.stabilisation();
  std::string text = format("floating %d\nignore_mimic %d\ntolerant_inertias %d\n", source.floating ? 1 : 0,
                            source.ignore_mimic ? 1 : 0, source.tolerant_inertias ? 1 : 0) +
                     "gravity" + list(robot.gravity) + " # " + source.gravity + "\n" +
                     format("runge_kutta %d\nmethod %d\ndt%s # %g\n", settings.runge_kutta ? 1 : 0,
                            settings.method, bits(settings.dt).c_str(), settings.dt) +
                     "stabilise" + bits(stabilisation.frequency) + bits(stabilisation.damping_ratio) + " # " +
                     arguments.motion.stabilise + "\n" +
                     format("contacts %zu\n", robot.contacts.contacts.size());
  for (const Contact& contact : robot.contacts.contacts)
    text += format("%d %d", contact.weld ? 1 : 0, contact.link) + list(contact.point) + "\n";
  text += format("poses %zu\n", robot.links.size());
  for (const int32_t link : robot.links) text += format("%d\n", link);
  return text + format("q %zu", robot.q.size()) + list(robot.q) + format("\nv %zu", robot.v.size()) +
         list(robot.v) + "\nend\n";
}

// A number for the contents, in the form of a GUID: FNV-1a, twice from different starts.
std::string make_token(const std::string& contents) {
  std::uint64_t halves[2] = {0xcbf29ce484222325u, 0x9ae16a3b2f90404fu};
  for (std::uint64_t& half : halves)
    for (const char c : contents) half = (half ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  const auto part = [](std::uint64_t half, int shift, std::uint64_t mask) {
    return static_cast<unsigned long long>((half >> shift) & mask);
  };
  return format("{%08llx-%04llx-%04llx-%04llx-%012llx}", part(halves[0], 32, 0xffffffffu),
                part(halves[0], 16, 0xffffu), part(halves[0], 0, 0xffffu), part(halves[1], 48, 0xffffu),
                part(halves[1], 0, 0xffffffffffffu));
}

std::string write_page(const Robot& robot, const Arguments& arguments) {
  return format(
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>A robot</title></head><body>\n"
      "<h1>A robot as a functional mock-up unit</h1>\n"
      "<p>%d joints, %zu position and %zu velocity coordinates, %zu contacts; made by Tenon "
      "%s.</p>\n<pre>%s</pre>\n"
      "<p>Co-simulation: steps of %g s, %s. A communication step is cut into such steps, the last one "
      "shorter where "
      "it must be. Inputs are held over them. Model exchange: quaternions and kinematic loops are brought "
      "back by an "
      "event where they have drifted by more than the solver's tolerance.</p>\n</body></html>\n",
      tenon_model_joint_count(robot.model.get()), robot.q.size(), robot.v.size(),
      robot.contacts.contacts.size(), tenon_version_string(), help, arguments.motion.settings.dt,
      arguments.motion.settings.runge_kutta ? "Runge-Kutta 4" : "semi-implicit Euler");
}

using Files = std::map<std::string, std::string>;

void add_files(Archive& archive, const std::string& folder, const Files& files) {
  for (const auto& [name, bytes] : files) archive.add(folder + name, bytes);
}

// "x86_64-linux, aarch64-linux; not for ..."
std::string tell_systems(const Files& binaries, const Files& sources) {
  std::string text, missing;
  const auto add = [](std::string& to, const std::string& name) { to += (to.empty() ? "" : ", ") + name; };
  for (const auto& binary : binaries) add(text, binary.first);
  if (!sources.empty()) text += text.empty() ? "any system, as C sources" : " and as C sources";
  for (const std::string& system : released_systems())
    if (binaries.count(system) == 0) add(missing, system);
  if (missing.empty() || binaries.empty()) return text;
  return text + "; no binaries for " + missing +
         (sources.empty() ? " (--binaries takes them from the releases of Tenon for these)" : "");
}

void run(Arguments& arguments) {
  arguments.motion.settle();
  if (arguments.no_binaries && !arguments.sources)
    throw Failure("--no-binaries: give --sources too; a unit needs one of them.", 2);
  const Robot robot = make_robot(arguments);
  const VariableList list =
      make_variables(robot.model.get(), robot.contacts, robot.links, robot.gravity, robot.q, robot.v);
  const std::string urdf = read_file(arguments.motion.robot.path, "the robot");
  const std::string settings = write_settings(arguments, robot);
  Files sources, binaries;
  if (arguments.sources)
    sources = make_sources(arguments.motion.robot.source(), robot.model.get(), robot.contacts,
                           arguments.version, find_files(arguments.binaries, "sources"));
  if (!arguments.no_binaries) binaries = find_binaries(arguments.binaries);

  DescriptionFacts facts;
  facts.version = arguments.version;
  facts.model_name = tenon_model_name(robot.model.get());
  facts.description = "The robot " + facts.model_name + ": dynamics with contacts and kinematic loops";
  facts.token = make_token(settings + urdf + tenon_version_string());
  facts.dt = arguments.motion.settings.dt;
  for (const auto& file : sources)
    if (is_compiled(file.first)) facts.sources.push_back(file.first);

  Archive archive;
  archive.add("modelDescription.xml", describe_unit(facts, list));
  archive.add("resources/" UNIT_SETTINGS, UNIT_FORMAT "\ntoken " + facts.token + "\n" + settings);
  archive.add("resources/" UNIT_ROBOT, urdf);
  archive.add("documentation/index.html", write_page(robot, arguments));
  add_files(archive, "documentation/licenses/", find_files(arguments.binaries, "licenses"));
  if (!sources.empty() && arguments.version == 3)
    archive.add("sources/buildDescription.xml", describe_build(sources));
  add_files(archive, "sources/", sources);
  add_files(archive, "binaries/", place_binaries(binaries, arguments.version));
  write_text(arguments.output, archive.finish());
  std::fprintf(is_standard_output(arguments.output) ? stderr : stdout,
               "%s: FMI %d.0, %zu variables, %zu states, for %s\n", arguments.output.c_str(),
               arguments.version, list.variables.size(), robot.q.size() + robot.v.size(),
               tell_systems(binaries, sources).c_str());
}

}  // namespace

void add_export(CLI::App& app) {
  CLI::App* group = app.add_subcommand("export", "Writes a robot for other programs.");
  group->footer(examples);
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("fmu", help);
  command->footer(examples);
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  a.motion.add_to(*command);
  add_repeated(*command, "--pose", a.poses, "a link whose pose is an output; repeat for more")
      ->type_name("LINK");
  command->add_option("--version", a.version, "of the standard")
      ->transform(CLI::Transformer({{"2.0", "2"}, {"3.0", "3"}}).description(""))
      ->check(CLI::IsMember({2, 3}).description(""))
      ->type_name("2|3")
      ->capture_default_str();
  add_repeated(
      *command, "--binaries", a.binaries,
      "a release of Tenon for another system, unpacked, or a folder with one for each; repeat for more")
      ->type_name("FOLDER");
  command->add_flag("--sources", a.sources, "C sources too, which need no library");
  command->add_flag("--no-binaries", a.no_binaries, "nothing but the sources");
  command->add_option("-o,--output", a.output, "file to write")->required()->type_name("FILE");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace client
