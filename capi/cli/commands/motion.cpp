// The options of the commands that move a robot: how it is held, where it starts, how it is stepped.
#include <algorithm>

#include "commands/commands.hpp"

namespace client {

namespace {

// Joints that loops tie together, cluster by cluster.
std::vector<std::vector<tenon_joint_info>> clusters(const tenon_model* model) {
  std::vector<std::vector<tenon_joint_info>> all(static_cast<std::size_t>(tenon_model_cluster_count(model)));
  for (const tenon_joint_info& joint : joints(model))
    if (joint.cluster >= 0) all[static_cast<std::size_t>(joint.cluster)].push_back(joint);
  return all;
}

bool alike(const tenon_joint_info& a, const tenon_joint_info& b) {
  return a.type == b.type && a.independent == b.independent && a.lower == b.lower && a.upper == b.upper;
}

// A guess closes the loops of each leg somewhere. Legs of the same joints start alike instead, where they can be closed
// like that: a symmetric robot then starts symmetrically.
void start_alike(const tenon_model* model, tenon_workspace* workspace, Vector& q) {
  const auto all = clusters(model);
  Vector start = q;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const auto twin = std::find_if(all.begin(), all.end(), [&](const auto& one) {
      return std::equal(one.begin(), one.end(), all[c].begin(), all[c].end(), alike);
    });
    for (std::size_t i = 0; i < all[c].size(); ++i)
      if (all[c][i].independent > 0)
        std::copy_n(q.begin() + (*twin)[i].q_index, all[c][i].nq, start.begin() + all[c][i].q_index);
  }
  double gap = 0;
  if (tenon_close_loops(workspace, nullptr, start.data(), start.size(), &gap) == TENON_OK) q = start;
}

}  // namespace

// Puts --q0, --v0 or --torque values where their joints have their coordinates.
void assign(const tenon_model* model, const std::vector<std::string>& texts, const char* option,
            bool position, Vector& into) {
  for (const std::string& text : texts) {
    const auto [name, values] = parse_assignment(text, option);
    tenon_joint_info joint;
    tenon_joint_info_init(&joint, sizeof joint);
    tenon_model_joint_info(model, find_joint(model, name, option), &joint);
    const int32_t count = position ? joint.nq : joint.nv, index = position ? joint.q_index : joint.v_index;
    if (values.size() != static_cast<std::size_t>(count))
      throw Failure(format("%s: joint '%s' (%s) takes %d number%s, not %zu.", option, name.c_str(),
                           tenon_constant_name(TENON_CONSTANT_JOINT_TYPE, joint.type), count,
                           count == 1 ? "" : "s", values.size()),
                    2);
    for (std::size_t i = 0; i < values.size(); ++i) into[static_cast<std::size_t>(index) + i] = values[i];
  }
}

// "20" or "20,1": a frequency in rad/s and a damping ratio, both not negative.
Stabilisation parse_spring(const std::string& text, const char* option) {
  const Vector numbers = parse_numbers(text, option);
  if (numbers.size() > 2 || numbers[0] < 0 || numbers.back() < 0)
    throw Failure(
        format("%s: '%s' should be a frequency in rad/s and, after a comma, a damping ratio, neither "
               "negative, as in 20,1.",
               option, text.c_str()),
        2);
  return {numbers[0], numbers.size() == 2 ? numbers[1] : 1.0};
}

void MotionArguments::add_to(CLI::App& command) {
  robot.add_to(command);
  contacts.add_to(command);
  command
      .add_option("--stabilise,--stabilize", stabilise,
                  "how contacts are pulled back: rad/s, damping ratio; 0: off")
      ->type_name("FREQ[,RATIO]")
      ->capture_default_str();
  command.add_option("--dt", settings.dt, "time step, s")
      ->check(between(1e-9, 1e3))
      ->type_name("S")
      ->capture_default_str();
  command
      .add_option("--integrator", integrator,
                  "euler: semi-implicit, first order; rk4: fourth order, four solves")
      ->check(CLI::IsMember({"euler", "rk4"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--method", method,
                  "automatic, dense, constrained_aba, ...: how the constraints are solved")
      ->type_name("NAME")
      ->capture_default_str();
  add_repeated(command, "--q0", positions,
               "start position of a joint, rad or m; others start at zero, or with kinematic loops where "
               "these are closed")
      ->type_name("JOINT=VALUE");
  add_repeated(command, "--v0", velocities, "start velocity of a joint; others start at rest")
      ->type_name("JOINT=VALUE");
}

void MotionArguments::settle() {
  settings.runge_kutta = integrator == "rk4";
  settings.method = parse_method(method);
}

Stabilisation MotionArguments::stabilisation() const {
  return parse_spring(stabilise, "--stabilise");
}

void MotionArguments::place(const tenon_model* model, tenon_workspace* workspace, Vector& q,
                            Vector& v) const {
  q.assign(static_cast<std::size_t>(tenon_model_nq(model)), 0.0);
  v.assign(static_cast<std::size_t>(tenon_model_nv(model)), 0.0);
  // Zero, but where that leaves kinematic loops open or is a dead centre.
  check(tenon_workspace_guess(workspace, q.data(), q.size()), workspace, "placing the robot");
  start_alike(model, workspace, q);
  assign(model, positions, "--q0", true, q);
  assign(model, velocities, "--v0", false, v);
  close_loops(workspace, q, v);
}

}  // namespace client
