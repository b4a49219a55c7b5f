// tenon info: what is in a robot's file.
#include <cmath>
#include <cstdio>
#include <memory>

#include "commands/commands.hpp"

namespace client {
namespace {

constexpr const char* help =
    R"(Shows a robot: its tree of links and joints, degrees of freedom, mass, and what is odd in its file.

The names it prints are the ones that `tenon simulate` and `tenon bench` take. Links joined by fixed
joints move as one body and are printed on its line; each of them can still be a contact.
)";

constexpr const char* examples = R"(Examples:
  tenon info models/iiwa14.urdf
  tenon info models/atlas.urdf --floating --joints)";

struct Arguments {
  RobotArguments robot;
  bool joints = false, links = false;
};

std::string limit(double value) {
  return std::isfinite(value) ? format("%.4g", value) : "-";
}

// What loops make of a joint.
std::string part_in_loops(const tenon_joint_info& joint) {
  if (joint.cluster < 0) return "";
  const char* moves = joint.independent == joint.nv ? "independent"
                      : joint.independent > 0       ? "partly independent"
                                                    : "dependent";
  return format("  cluster %d, %s%s", joint.cluster, moves, joint.folded == 1 ? ", folded" : "");
}

void print_joints(const tenon_model* model) {
  std::printf("\n%-28s %-11s %4s %4s  %9s %9s %9s %9s  %s\n", "joint", "type", "q", "v", "lower", "upper",
              "velocity", "effort", "axis");
  for (const tenon_joint_info& joint : joints(model))
    std::printf("%-28s %-11s %4d %4d  %9s %9s %9s %9s  %.3g %.3g %.3g%s\n", joint.name,
                tenon_constant_name(TENON_CONSTANT_JOINT_TYPE, joint.type), joint.q_index, joint.v_index,
                limit(joint.lower).c_str(), limit(joint.upper).c_str(), limit(joint.velocity).c_str(),
                limit(joint.effort).c_str(), joint.axis[0], joint.axis[1], joint.axis[2],
                part_in_loops(joint).c_str());
}

void print_links(const tenon_model* model) {
  std::printf("\n%-32s %5s %10s  %s\n", "link", "body", "mass, kg", "centre of mass in the link, m");
  for (int32_t i = 0; i < tenon_model_link_count(model); ++i) {
    const tenon_link_info info = link(model, i);
    const std::string body = info.body == TENON_WORLD ? "world" : std::to_string(info.body);
    std::printf("%-32s %5s %10.5g  %.4g %.4g %.4g\n", info.name, body.c_str(), info.mass,
                info.center_of_mass[0], info.center_of_mass[1], info.center_of_mass[2]);
  }
}

void print_tree(const tenon_model* model) {
  std::size_t needed = 0;
  tenon_model_describe(model, nullptr, 0, &needed);
  std::string text(needed, '\0');
  tenon_model_describe(model, text.data(), text.size(), &needed);
  std::printf("\n%s", text.c_str());
  if (needed > 1 && text[needed - 2] != '\n') std::printf("\n");
}

void print_summary(const tenon_model* model) {
  const WorkspaceHandle workspace = make_workspace(model, nullptr);
  Vector q(static_cast<std::size_t>(tenon_model_nq(model))), center(3);
  check(tenon_neutral(workspace.get(), q.data(), q.size()), workspace.get(), "placing the robot");
  check(tenon_kinematics(workspace.get(), q.data(), q.size(), nullptr, 0, nullptr, 0), workspace.get(),
        "placing the robot");
  const char* base = tenon_model_floating_base(model) == 1 ? "floating" : "fixed";
  std::printf("%s\n", tenon_model_name(model));
  std::printf("  degrees of freedom  %d (%d position coordinates), %s base\n", tenon_model_nv(model),
              tenon_model_nq(model), base);
  if (const int32_t clusters = tenon_model_cluster_count(model); clusters > 0)
    std::printf("  of them independent %d, in %d cluster%s of joints that loops tie together\n",
                tenon_model_ny(model), clusters, clusters == 1 ? "" : "s");
  std::printf("  bodies              %d moving, at most %d one after another; %d joints; %d links\n",
              tenon_model_body_count(model), tenon_model_depth(model), tenon_model_joint_count(model),
              tenon_model_link_count(model));
  std::printf("  mass                %.6g kg\n", tenon_model_total_mass(model));
  if (tenon_model_body_count(model) > 0) {
    check(tenon_center_of_mass(workspace.get(), center.data(), 3, nullptr, 0, nullptr, 0, 0), workspace.get(),
          "finding the centre of mass");
    std::printf("  centre of mass      %.4f %.4f %.4f m, of what moves, all joints at zero\n", center[0],
                center[1], center[2]);
  }
}

void print_warnings(const tenon_model* model) {
  const int32_t count = tenon_model_warning_count(model);
  if (count == 0) return;
  std::printf("\n%d warning%s\n", count, count == 1 ? "" : "s");
  for (int32_t i = 0; i < count; ++i) std::printf("  %s\n", tenon_model_warning(model, i));
}

void run(const Arguments& arguments) {
  const ModelHandle model = load(arguments.robot.source());
  print_summary(model.get());
  print_tree(model.get());
  if (arguments.joints) print_joints(model.get());
  if (arguments.links) print_links(model.get());
  print_warnings(model.get());
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", help);
  command->footer(examples);
  auto arguments = std::make_shared<Arguments>();
  arguments->robot.add_to(*command);
  command->add_flag("--joints", arguments->joints, "add a table of joints: coordinates, limits, axes");
  command->add_flag("--links", arguments->links, "add a table of links: bodies, masses, centres of mass");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace client
