#include "support/robots.hpp"

#include <cstdio>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read the model " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Robot from_models(const std::string& name, bool floating_base, std::vector<ContactSpec> contacts) {
  return {name, model_text(name), floating_base, std::move(contacts)};
}

Robot atlas_shadow_hands() {
  std::vector<ContactSpec> contacts = hold({"l_foot", "r_foot"}, 6);
  for (const ContactSpec& tip : hold(fingertips(), 3)) contacts.push_back(tip);
  return from_models("atlas_shadow_hands", true, contacts);
}

// Text of a link of 1 kg, a rod of 0.2 m along x with a little extra about x, and of the joint it hangs on.
class UrdfText {
 public:
  explicit UrdfText(const std::string& name) {
    text_ << "<robot name=\"" << name << "\">\n  <link name=\"base\"/>\n";
  }

  // y, z: where on the parent's end the joint sits.
  void add_link(const std::string& name, const std::string& parent, int depth, double y, double z,
                const char* type = "revolute") {
    static const char* const axes[3] = {"1 0 0", "0 1 0", "0 0 1"};
    text_ << "  <link name=\"" << name << "\"><inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/>"
          << "<inertia ixx=\"0.002\" ixy=\"0\" ixz=\"0\" iyy=\"0.004\" iyz=\"0\" "
             "izz=\"0.005\"/></inertial></link>\n"
          << "  <joint name=\"joint_" << name << "\" type=\"" << type << "\"><parent link=\"" << parent
          << "\"/><child link=\"" << name << "\"/><origin xyz=\"" << (parent == "base" ? 0.0 : 0.2) << ' '
          << y << ' ' << z << "\"/><axis xyz=\"" << axes[depth % 3]
          << "\"/><limit lower=\"-3.14\" upper=\"3.14\" effort=\"100\" velocity=\"10\"/></joint>\n";
  }
  std::string finish() {
    text_ << "</robot>\n";
    return text_.str();
  }

 private:
  std::stringstream text_;
};

const double link_tip[3] = {0.2, 0, 0};

ContactSpec at_tip(const std::string& link, int rows) {
  return {link, {link_tip[0], link_tip[1], link_tip[2]}, rows};
}

struct TreeWriter {
  UrdfText& text;
  int generations;
  int links = 0;
  std::vector<ContactSpec> contacts;

  void add_branch(const std::string& parent, int generation, double y) {
    std::string end = parent;
    for (int k = 0; k < 3; ++k) {
      const std::string name = "link" + std::to_string(links++);
      text.add_link(name, end, 3 * generation + k, k == 0 ? y : 0.0, 0.0);
      end = name;
    }
    if (generation + 1 == generations) {
      contacts.push_back(at_tip(end, 3));
      return;
    }
    add_branch(end, generation + 1, 0.05);
    add_branch(end, generation + 1, -0.05);
  }
};

#ifdef TENON_BENCH_TALOS

// Fingers that follow others are timed as free joints in both libraries.
std::string without_mimic(const std::string& urdf) {
  return std::regex_replace(urdf, std::regex("<mimic[^>]*/>"), "");
}

Robot talos(const std::string& file, const std::string& held, std::vector<ContactSpec> contacts) {
  const std::string text = read_file(std::string(TENON_BENCH_TALOS) + "/" + file + ".urdf");
  return {file + held, without_mimic(text), true, std::move(contacts)};
}

void add_talos(std::vector<Robot>& robots) {
  const std::vector<std::string> feet = {"leg_left_6_link", "leg_right_6_link"};
  robots.push_back(talos("talos_reduced", "", hold(feet, 6)));
  robots.push_back(talos("talos_full_v2", "", hold(feet, 6)));
  robots.push_back(
      talos("talos_full_v2", "_hands", hold({feet[0], feet[1], "arm_left_7_link", "arm_right_7_link"}, 6)));
  robots.push_back(talos("talos_full_v2", "_points", corners(hold(feet, 6))));
}

#else

void add_talos(std::vector<Robot>&) {}

#endif

}  // namespace

std::string model_text(const std::string& name) {
  return read_file(std::string(TENON_BENCH_MODELS) + "/" + name + ".urdf");
}

std::vector<ContactSpec> hold(const std::vector<std::string>& links, int rows) {
  std::vector<ContactSpec> contacts;
  for (const std::string& link : links) contacts.push_back({link, {0, 0, 0}, rows});
  return contacts;
}

std::vector<std::string> fingertips() {
  std::vector<std::string> tips;
  for (const char* side : {"lh_", "rh_"})
    for (const char* finger : {"fftip", "mftip", "rftip", "lftip", "thtip"})
      tips.push_back(std::string(side) + finger);
  return tips;
}

std::vector<ContactSpec> corners(const std::vector<ContactSpec>& contacts, double half_x, double half_y) {
  std::vector<ContactSpec> points;
  for (const ContactSpec& c : contacts)
    for (const double x : {-half_x, half_x})
      for (const double y : {-half_y, half_y})
        points.push_back({c.link, {c.point[0] + x, c.point[1] + y, c.point[2]}, 3});
  return points;
}

namespace {
Robot chain_of(const char* type, const std::string& name, int links) {
  UrdfText text(name);
  std::string parent = "base";
  for (int i = 0; i < links; ++i) {
    const std::string link = "link" + std::to_string(i);
    text.add_link(link, parent, i, 0, 0, type);
    parent = link;
  }
  return {name, text.finish(), false, {at_tip(parent, 6)}};
}
}  // namespace

Robot chain(int links) {
  return chain_of("revolute", "chain_" + std::to_string(links), links);
}

Robot spherical_chain(int links) {
  return chain_of("spherical", "spherical_chain_" + std::to_string(links), links);
}

Robot binary_tree(int generations) {
  UrdfText text("binary_tree");
  TreeWriter writer{text, generations, 0, {}};
  writer.add_branch("base", 0, 0.0);
  return {"binary_tree_" + std::to_string(writer.links), text.finish(), false, writer.contacts};
}

std::vector<Robot> all_robots() {
  std::vector<Robot> robots;
  robots.push_back(from_models("panda_arm", false, hold({"panda_hand"}, 6)));
  robots.push_back(from_models("iiwa14", false, {{"iiwa_link_7", {0, 0, 0.1}, 6}}));
  robots.push_back(from_models("solo12", true, hold({"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}, 3)));
  robots.push_back(from_models("atlas", true, hold({"l_foot", "r_foot"}, 6)));
  robots.push_back(atlas_shadow_hands());
  add_talos(robots);
  for (const int links : {10, 20, 50, 100, 200}) robots.push_back(chain(links));
  for (const int generations : {2, 3, 4, 5, 6}) robots.push_back(binary_tree(generations));
  return robots;
}

std::vector<Robot> compared_robots() {
  std::vector<Robot> robots = all_robots();
  const auto add = [&](Robot robot, const std::string& held) {
    robot.name += held;
    robots.push_back(std::move(robot));
  };
  const std::vector<std::string> feet = {"l_foot", "r_foot"};
  add(from_models("go1", true, hold({"FL_foot", "FR_foot", "RL_foot", "RR_foot"}, 3)), "");
  add(from_models("iiwa14", false, {{"iiwa_link_7", {0, 0, 0.1}, 3}}), "_point");
  add(from_models("solo12", true, hold({"FL_FOOT", "FR_FOOT"}, 3)), "_two_feet");
  std::vector<ContactSpec> held = hold(feet, 6);
  add(from_models("atlas_shadow_hands", true, held), "_feet");
  const std::vector<std::string> tips = fingertips();
  for (std::size_t i = 0; i < 5; ++i) held.push_back({tips[i], {0, 0, 0}, 3});
  add(from_models("atlas_shadow_hands", true, held), "_one_hand");
  add(spherical_chain(7), "");
  add(spherical_chain(14), "");
  return robots;
}

Robot robot_named(const std::string& name) {
  static const std::vector<Robot> robots = all_robots();
  for (const Robot& robot : robots)
    if (robot.name == name) return robot;
  throw std::runtime_error("no robot '" + name + "'");
}

}  // namespace bench
