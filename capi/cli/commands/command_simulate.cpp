// tenon simulate: a robot in motion, with contacts from the command line.
#include <cstdio>
#include <memory>
#include <optional>

#include "commands/commands.hpp"
#include "csv.hpp"
#include "drawing/figure.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "simulation/controller.hpp"
#include "simulation/simulation.hpp"

namespace client {
namespace {

constexpr const char* help =
    R"(Lets a robot move with contacts held, and writes a table and a plot on request.

Contacts stay where they are at the start. Reported are the time per solve, the drift of the contacts and
the balance of energy; the table and the plot have the motion and the contact forces too.

Joints move freely unless --torque or --hold says otherwise. Contacts hold in both directions: they
pull as well as push. Rows lie along the axes of the world.
)";

constexpr const char* examples = R"(Examples:
  tenon simulate models/double_pendulum.urdf --q0 shoulder=1.5 --duration 5 --plot swing.svg
  tenon simulate models/atlas.urdf --floating --weld l_foot --weld r_foot --hold 10 \
        --q0 l_leg_kny=0.6 --q0 r_leg_kny=0.6 --csv stand.csv
  tenon simulate models/iiwa14.urdf --point iiwa_link_7@0,0,0.1 --torque iiwa_joint_1=5 --integrator euler

A joint with several coordinates takes them all: --q0 root_joint=0,0,0.9,0,0,0,1 is the pose of a
floating base, position and quaternion x, y, z, w.

The table: t, q:JOINT, v:JOINT, lambda:CONTACT.ROW (forces on the robot, N and N m, world axes), kinetic,
potential, work (of the joint torques) in J, and drift_position, drift_angle in m and rad.)";

struct Arguments {
  MotionArguments motion;
  std::vector<std::string> torques;
  std::string hold, csv, plot;
  std::size_t every = 1;
};

void check_settings(const SimulationSettings& settings) {
  if (settings.duration / settings.dt > 1e9)
    throw Failure(
        format("--dt: steps of %g s over %g s are more than a thousand million; take a larger --dt or a "
               "shorter --duration.",
               settings.dt, settings.duration),
        2);
  if (settings.dt > settings.duration)
    throw Failure(
        format("--dt: a step of %g s is longer than the duration of %g s; take a smaller --dt or a longer "
               "--duration.",
               settings.dt, settings.duration),
        2);
}

void run(Arguments arguments) {
  MotionArguments& motion = arguments.motion;
  motion.settle();
  const SimulationSettings& settings = motion.settings;
  check_settings(settings);
  const bool table_told = is_standard_output(arguments.csv), plot_told = is_standard_output(arguments.plot);
  if (table_told && plot_told)
    throw Failure(
        "--plot: standard output takes the table or the plot, not both; name a file for one of them.", 2);
  if (!arguments.plot.empty()) check_plot(arguments.plot);
  const Stabilisation stabilisation = motion.stabilisation();
  const std::vector<ContactRequest> requests = motion.contacts.requests();

  const ModelHandle model = load(motion.robot.source());
  const ContactSet contacts = make_contacts(model.get(), requests, stabilisation);
  const WorkspaceHandle workspace = make_workspace(model.get(), contacts.handle.get());
  Vector q, v, constant(static_cast<std::size_t>(tenon_model_nv(model.get())), 0.0);
  assign(model.get(), arguments.torques, "--torque", false, constant);
  motion.place(model.get(), workspace.get(), q, v);

  std::optional<Hold> hold;
  if (!arguments.hold.empty()) {
    const Stabilisation spring = parse_spring(arguments.hold, "--hold");
    const Hold::Held robot{workspace.get(), contacts};
    hold.emplace(model.get(), robot, robot, q, spring);
  }
  std::optional<CsvWriter> csv;
  if (!arguments.csv.empty()) csv.emplace(arguments.csv, model.get(), contacts);

  Recorder recorder;
  Outcome outcome;
  {
    Progress progress("simulating");
    outcome.statistics = simulate(
        workspace.get(), model.get(), contacts, settings, q, v,
        [&](double, const Vector& at, const Vector& rate, Vector& tau) {
          tau = constant;
          if (hold) hold->add(at, rate, tau);
        },
        [&](std::size_t step, std::size_t steps, const Sample& sample) {
          progress.show(static_cast<double>(step) / static_cast<double>(steps));
          outcome.see(step, sample);
          if (!arguments.plot.empty()) recorder.see(step, steps, sample);
          if (csv && (step % arguments.every == 0 || step == steps)) csv->write(sample);
        });
  }
  if (csv) csv->close();

  const std::string run_text = describe_run(model.get(), contacts, settings);
  std::FILE* to = table_told || plot_told ? stderr : stdout;
  std::fprintf(to, "%s: %g s in steps of %g ms, %s\n", tenon_model_name(model.get()), settings.duration,
               1e3 * settings.dt, settings.runge_kutta ? "Runge-Kutta 4" : "semi-implicit Euler");
  print_outcome(to, model.get(), contacts, settings, outcome);
  if (!arguments.csv.empty() && !table_told)
    std::fprintf(to, "  table                %s\n", arguments.csv.c_str());
  if (!arguments.plot.empty()) {
    write_figure(make_figure(model.get(), workspace.get(), contacts, recorder.samples(),
                             tenon_model_name(model.get()), run_text),
                 arguments.plot);
    if (!plot_told) std::fprintf(to, "  plot                 %s\n", arguments.plot.c_str());
  }
}

}  // namespace

void add_simulate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("simulate", help);
  command->footer(examples);
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  a.motion.add_to(*command);
  command->add_option("--duration", a.motion.settings.duration, "s")
      ->check(between(1e-9, 1e6))
      ->type_name("S")
      ->capture_default_str();
  add_repeated(*command, "--torque", a.torques, "constant torque of a joint, N m or N")
      ->type_name("JOINT=VALUE");
  command
      ->add_option("--hold", a.hold,
                   "every joint returns to its start like a spring: rad/s, damping ratio;\n"
                   "gravity is balanced")
      ->type_name("FREQ[,RATIO]");
  command->add_option("--csv", a.csv, "write a table; - for standard output")->type_name("FILE");
  command->add_option("--every", a.every, "rows of the table: every so many steps")
      ->check(between(1, 1e9))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--plot", a.plot, "write a plot as SVG; - for standard output")->type_name("FILE");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace client
