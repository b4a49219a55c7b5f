// The demo: Atlas with two Shadow hands stands on both feet and moves its body while its ten fingertips stay
// where they are. 84 degrees of freedom, 42 constraint rows, one second at 1 kHz, through the C API alone.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "client.hpp"
#include "drawing/figure.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "simulation/contacts.hpp"
#include "simulation/controller.hpp"
#include "simulation/simulation.hpp"

namespace client {
namespace {

constexpr double pi = 3.14159265358979323846;

// How the robot stands, mirrored left to right: knees and elbows bent, hands before the body with the palms
// down.
struct Posture {
  const char* joint;   // behind "l_" and "r_"
  double left, right;  // rad
};
constexpr Posture limbs[] = {{"leg_hpy", -0.45, -0.45}, {"leg_kny", 0.9, 0.9},     {"leg_aky", -0.45, -0.45},
                             {"arm_shz", 0.65, -0.65},  {"arm_shx", -1.42, 1.42},  {"arm_ely", 1.62, 1.62},
                             {"arm_elx", 2.26, -2.26},  {"arm_uwy", -1.27, -1.27}, {"arm_mwx", -1.35, 1.35},
                             {"arm_lwy", 0.6, 0.6}};
constexpr const char* finger_joints[] = {"FFJ3", "FFJ2", "FFJ1", "MFJ3", "MFJ2", "MFJ1", "RFJ3",
                                         "RFJ2", "RFJ1", "LFJ3", "LFJ2", "LFJ1", "THJ4", "THJ1"};
constexpr double finger_bend = 0.5;

// What it does: the pelvis goes down and to the side and comes back, the back turns, the head nods.
struct Sway {
  const char* joint;
  std::size_t coordinate;  // of the joint
  double size;             // rad or m
};
constexpr Sway sways[] = {{"root_joint", 4, 0.06},
                          {"root_joint", 5, -0.10},
                          {"back_bkz", 0, 0.25},
                          {"back_bkx", 0, 0.1},
                          {"neck_ay", 0, 0.4}};

// The fingertips press down one after the other, left and right in turns, thumbs first, as on a keyboard.
constexpr const char* fingers[] = {"thtip", "fftip", "mftip", "rftip", "lftip"};
constexpr double press_force = 8, press_length = 0.3, press_interval = 0.075;  // N, s, s

std::vector<ContactRequest> demo_contacts() {
  std::vector<ContactRequest> requests = {{true, "l_foot", {}}, {true, "r_foot", {}}};
  for (const char* hand : {"lh_", "rh_"})
    for (const char* finger : fingers) requests.push_back({false, std::string(hand) + finger, {}});
  return requests;
}

// The plan of the motion keeps the palms where they are, so that the fingers need not move to stay in touch.
std::vector<ContactRequest> planned_contacts() {
  return {{true, "l_foot", {}}, {true, "r_foot", {}}, {true, "lh_palm", {}}, {true, "rh_palm", {}}};
}

tenon_joint_info joint_named(const tenon_model* model, const std::string& name) {
  tenon_joint_info info;
  tenon_joint_info_init(&info, sizeof info);
  tenon_model_joint_info(model, find_joint(model, name), &info);
  return info;
}

Vector start_posture(const tenon_model* model, tenon_workspace* workspace) {
  Vector q(static_cast<std::size_t>(tenon_model_nq(model)));
  check(tenon_neutral(workspace, q.data(), q.size()), workspace, "placing the robot");
  const auto set = [&](const std::string& joint, double value) {
    q[static_cast<std::size_t>(joint_named(model, joint).q_index)] = value;
  };
  for (const Posture& limb : limbs) {
    set(std::string("l_") + limb.joint, limb.left);
    set(std::string("r_") + limb.joint, limb.right);
  }
  for (const char* hand : {"lh_", "rh_"})
    for (const char* joint : finger_joints) set(std::string(hand) + joint, finger_bend);
  return q;
}

// There and back in one second, from rest to rest.
double swing(double t) {
  return 0.5 * (1 - std::cos(2 * pi * t));
}
double swing_rate(double t) {
  return pi * std::sin(2 * pi * t);
}
double swing_acceleration(double t) {
  return 2 * pi * pi * std::cos(2 * pi * t);
}

class Motion {
 public:
  Motion(const tenon_model* model, tenon_workspace* workspace, Hold& hold)
      : workspace_(workspace), hold_(hold), J_(6 * static_cast<std::size_t>(tenon_model_nv(model))) {
    for (const Sway& sway : sways)
      swaying_.push_back(static_cast<std::size_t>(joint_named(model, sway.joint).v_index) + sway.coordinate);
    for (const char* finger : fingers)
      for (const char* hand : {"lh_", "rh_"}) tips_.push_back(find_link(model, std::string(hand) + finger));
  }

  void torques(double t, const Vector& q, const Vector& v, Vector& tau) {
    for (std::size_t i = 0; i < swaying_.size(); ++i)
      hold_.set_target(swaying_[i], sways[i].size * swing(t), sways[i].size * swing_rate(t),
                       sways[i].size * swing_acceleration(t));
    tau.assign(tau.size(), 0.0);
    hold_.add(q, v, tau);
    check(tenon_kinematics(workspace_, q.data(), q.size(), nullptr, 0, nullptr, 0), workspace_, "pressing");
    for (std::size_t i = 0; i < tips_.size(); ++i) {
      const double begun = t - press_interval * static_cast<double>(i);
      if (begun > 0 && begun < press_length) press(tips_[i], press_force * swing(begun / press_length), tau);
    }
  }

 private:
  // The joint torques of a force straight down at a link, J^T f; the base has no motor.
  void press(int32_t link, double force, Vector& tau) {
    check(tenon_link_jacobian(workspace_, link, TENON_AXES_WORLD, J_.data(), J_.size(), 6), workspace_,
          "pressing");
    for (std::size_t i = 6; i < tau.size(); ++i) tau[i] -= J_[5 + 6 * i] * force;
  }

  tenon_workspace* workspace_;
  Hold& hold_;
  Vector J_;
  std::vector<std::size_t> swaying_;
  std::vector<int32_t> tips_;
};

void run(const std::string& path, const std::string& plot, const SimulationSettings& settings) {
  if (!plot.empty()) check_plot(plot);
  const ModelHandle model = load({path, true, {0, 0, -9.81}});
  const ContactSet contacts = make_contacts(model.get(), demo_contacts(), {50, 1});
  const WorkspaceHandle workspace = make_workspace(model.get(), contacts.handle.get());
  const Vector q = start_posture(model.get(), workspace.get());
  const Vector v(static_cast<std::size_t>(tenon_model_nv(model.get())), 0.0);
  const ContactSet planned = make_contacts(model.get(), planned_contacts(), {20, 1});
  const WorkspaceHandle plan = make_workspace(model.get(), planned.handle.get());
  Hold hold(model.get(), {workspace.get(), contacts}, {plan.get(), planned}, q, {12, 1});
  Motion motion(model.get(), workspace.get(), hold);

  Recorder recorder;
  Outcome outcome;
  {
    Progress progress("simulating");
    outcome.statistics = simulate(
        workspace.get(), model.get(), contacts, settings, q, v,
        [&](double t, const Vector& at, const Vector& rate, Vector& tau) {
          motion.torques(t, at, rate, tau);
        },
        [&](std::size_t step, std::size_t steps, const Sample& sample) {
          progress.show(static_cast<double>(step) / static_cast<double>(steps));
          outcome.see(step, sample);
          recorder.see(step, steps, sample);
        });
  }

  std::FILE* to = is_standard_output(plot) ? stderr : stdout;
  std::fprintf(to, "Atlas with two Shadow hands: feet welded, ten fingertips held; %g s at %g kHz\n",
               settings.duration, 1e-3 / settings.dt);
  std::fprintf(to, "  machine              %s, one core\n  library              %s\n", cpu_name().c_str(),
               tenon_build_info());
  print_outcome(to, model.get(), contacts, settings, outcome);
  if (plot.empty()) return;
  write_figure(make_figure(model.get(), workspace.get(), contacts, recorder.samples(),
                           "Atlas with two Shadow hands: feet welded, ten fingertips held",
                           describe_run(model.get(), contacts, settings) +
                               format("; %.0f us a solve", outcome.statistics.median_microseconds())),
               plot);
  if (to == stdout) std::printf("  plot                 %s\n", plot.c_str());
}

}  // namespace
}  // namespace client

int main(int argc, char** argv) {
  CLI::App app("Atlas with two Shadow hands: stands on both feet and moves while its fingertips are held.",
               "tenon_demo");
  std::string model = "models/atlas_shadow_hands.urdf", plot;
  client::SimulationSettings settings;
  app.add_option("--model", model, "the robot, a URDF file")->capture_default_str();
  app.add_option("--plot", plot, "write a plot as SVG; - for standard output");
  app.add_option("--duration", settings.duration, "s")
      ->check(CLI::Range(0.001, 1000.0))
      ->capture_default_str();
  int code = 0;
  try {
    app.parse(client::utf8_arguments(argc, argv));
    client::run(model, plot, settings);
  } catch (const CLI::ParseError& error) {
    code = app.exit(error) == 0 ? 0 : 2;
  } catch (const client::Failure& failure) {
    std::fprintf(stderr, "tenon_demo: %s\n", failure.what());
    code = failure.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenon_demo: %s\n", error.what());
    code = 1;
  }
  return client::finish("tenon_demo", code);
}
