#include "studies/loop_robots.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>

#include "support/problem.hpp"
#include "tello.h"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace bench {
namespace {

using tenon::Mechanism;
using tenon::Model;

bool is_rotor(const std::string& link) {
  return link.find("rotor") != std::string::npos;
}

void check(tenon::Status status, const tenon::Workspace& w) {
  if (status != tenon::Status::ok) throw std::runtime_error(w.message());
}

// diag(G_r^T M_rr G_r): the rotors' inertia seen at the other joints, G_r from the rows of the loops at a
// closed configuration, K_r q_r + K_o q_o = 0.
std::map<std::string, double> reflected_inertia(const Model& model) {
  tenon::Workspace w(std::shared_ptr<const Model>(&model, [](const Model*) {}));
  const int rows = model.data().loop_row_count;
  Eigen::MatrixXd K(rows, model.nv), M(model.nv, model.nv);
  const double* q = model.loops.closed.data();
  check(tenon::loop_jacobian(w, q, nullptr, K.data(), rows, nullptr, nullptr), w);
  check(tenon::mass_matrix(w, q, M.data(), model.nv), w);
  std::vector<int> rotors, others;
  const auto joint_of = [&](int k) -> const tenon::Model::Joint& {
    return model.joints[static_cast<std::size_t>(model.v_node[static_cast<std::size_t>(k)])];
  };
  for (int k = 0; k < model.nv; ++k) {
    const int link = joint_of(k).child_link;
    const bool rotor = link >= 0 && is_rotor(model.links[static_cast<std::size_t>(link)].name);
    (rotor ? rotors : others).push_back(k);
  }
  std::map<std::string, double> armature;
  if (rotors.empty()) return armature;
  const Eigen::MatrixXd G =
      -K(Eigen::all, rotors).completeOrthogonalDecomposition().solve(K(Eigen::all, others));
  for (int j = 0; j < G.cols(); ++j)
    for (int r = 0; r < G.rows(); ++r) {
      const int k = rotors[static_cast<std::size_t>(r)];
      armature[joint_of(others[static_cast<std::size_t>(j)]).name] += G(r, j) * G(r, j) * M(k, k);
    }
  return armature;
}

// Loops that tie links alone stay.
Mechanism without_rotors(Mechanism mechanism, const std::map<std::string, double>& armature) {
  for (tenon::MechanismJoint& joint : mechanism.joints) {
    if (is_rotor(joint.child)) joint.type = tenon::JointType::fixed;
    const auto found = armature.find(joint.name);
    if (found != armature.end()) joint.armature += found->second;
  }
  const auto drop = [](auto& list, const auto& ties_rotor) {
    list.erase(std::remove_if(list.begin(), list.end(), ties_rotor), list.end());
  };
  drop(mechanism.gears, [](const auto& g) { return is_rotor(g.predecessor) || is_rotor(g.successor); });
  drop(mechanism.implicits, [](const auto&) { return true; });
  return mechanism;
}

// Linear rows across the axis of a revolute loop, all three where it is oblique.
std::uint32_t rows_across(const tenon::Vector3& axis) {
  for (int k = 0; k < 3; ++k)
    if (std::abs(axis[static_cast<std::size_t>(k)]) == 1) return tenon::rows_linear & ~(8u << k);
  return tenon::rows_linear;
}

void add_closures(const Mechanism& mechanism, bool floating, LoopRobot& robot) {
  if (!mechanism.gears.empty() || !mechanism.couplings.empty() || !mechanism.implicits.empty()) return;
  for (const tenon::MechanismLoop& loop : mechanism.loops)
    if (loop.type != tenon::JointType::revolute) return;
  robot.open = compile(mechanism, floating, tenon::LoopTreatment::open);
  for (const tenon::MechanismLoop& loop : mechanism.loops)
    robot.closures.push_back(tenon::closure_constraint(
        robot.open->find_link(loop.predecessor), loop.predecessor_frame,
        robot.open->find_link(loop.successor), loop.successor_frame, rows_across(loop.axis)));
}

// The same four constraints that tello_add_differentials gives to a builder.
void add_differentials(Mechanism& mechanism) {
  for (const std::string side : {"left", "right"}) {
    const auto add = [&](const char* name, const std::vector<std::string>& joints, auto differential) {
      tenon::MechanismImplicit implicit;
      implicit.name = side + name;
      implicit.joints = joints;
      implicit.rows = 2;
      implicit.evaluate = [differential](const double* q, const double* v, double* phi, double* K,
                                         double* Kdot_v) {
        differential(nullptr, 4, 4, 2, q, v, phi, K, Kdot_v);
      };
      mechanism.implicits.push_back(implicit);
    };
    add("-hip-differential",
        {side + "-hip-clamp-to-hip-rotor-1", side + "-hip-clamp-to-hip-rotor-2",
         side + "-hip-clamp-to-gimbal", side + "-gimbal-to-thigh"},
        tello_hip);
    add("-knee-ankle-differential",
        {side + "-thigh-to-knee-ankle-rotor-1", side + "-thigh-to-knee-ankle-rotor-2",
         side + "-thigh-to-shin", side + "-shin-to-foot"},
        tello_knee_ankle);
  }
}

}  // namespace

LoopRobot make_loop_robot(const Mechanism& mechanism, bool floating, std::vector<std::string> ends) {
  LoopRobot robot;
  robot.name = mechanism.name;
  robot.exact = compile(mechanism, floating);
  robot.ends = std::move(ends);
  add_closures(mechanism, floating, robot);
  const auto armature = reflected_inertia(*robot.exact);
  if (!armature.empty()) robot.approximate = compile(without_rotors(mechanism, armature), floating);
  return robot;
}

LoopRobot loop_robot(const std::string& name) {
  static const std::map<std::string, std::vector<std::string>> feet = {
      {"mini_cheetah", {"FL_knee_link", "FR_knee_link", "HL_knee_link", "HR_knee_link"}},
      {"mit_humanoid", {"left_ankle_link", "right_ankle_link"}},
      {"tello", {"left-foot", "right-foot"}},
      {"jvrc1", {"left-ankle-pitch", "right-ankle-pitch"}},
      {"four_bar", {"link3"}},
      {"six_bar", {"link5"}},
      {"mit_humanoid_leg", {"ankle_link"}}};
  static const std::set<std::string> floating = {"mini_cheetah", "mit_humanoid", "tello", "jvrc1", "cassie"};
  Mechanism mechanism = tenon::load_urdf(std::string(TENON_BENCH_MODELS) + "/" + name + ".urdf");
  if (name == "tello") add_differentials(mechanism);
  const auto ends = feet.find(name);
  return make_loop_robot(mechanism, floating.count(name) > 0,
                         ends == feet.end() ? std::vector<std::string>() : ends->second);
}

LoopRobot chain_robot(client::CellKind kind, int count, int branches) {
  return make_loop_robot(tenon::parse_urdf(client::generate_chain(kind, count, branches)), false,
                         {(branches > 1 ? "b1_link_" : "link_") + std::to_string(count)});
}

LoopRobot tied_branches_robot(client::TieKind kind, int depth, int at) {
  return make_loop_robot(tenon::parse_urdf(client::generate_tied_branches(kind, depth, at)), false,
                         {"link_2_" + std::to_string(depth)});
}

}  // namespace bench
