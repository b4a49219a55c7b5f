// Seeded problems of constrained dynamics for the campaign (campaign.hpp): a robot of some kind with contacts
// of some kind, and states, desired accelerations and forces to solve it at. Everything follows from the
// number of the case alone.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "support/loop_scene.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {

enum class RobotKind {
  tree_fixed,
  tree_floating,
  aligned,         // parallel or perpendicular axes without twists: outstretched at q = 0, symmetric
  scaled,          // a tree with all lengths, all masses or both times 1e-3 or 1e3
  far,             // a floating tree 1e2 to 1e6 m away from the origin
  geared,          // rotors on the hinges
  loops_embedded,  // random loops, gears and couplings
  loops_half,      // some of the loops by rows
  loops_rows,      // all of them
  linkage,         // planar linkages of models/, embedded or by rows
  model_fixed,     // robots of models/
  model_floating,
};
enum class ContactKind {
  points,
  welds,
  mixed,          // points, welds, some of six rows, custom rows
  agreeing,       // some given twice with the same desired values, along the same or other axes
  contradicting,  // some given twice with other desired values
  soft,           // compliance on some rows
  soft_rigid,     // soft and rigid rows that depend on each other; compliance of very different sizes
  closures,       // between two links, with or without contacts
  still,     // rows on what hardly moves: points on the axes above, directions out of the plane, the base
  overfull,  // more rows than the robot has coordinates
};
enum class StateKind {
  random,
  neutral,       // all positions zero; linkages as they are assembled
  rest,          // velocity zero
  fast,          // velocities of hundreds of rad/s
  square,        // positions at multiples of a quarter turn
  near_neutral,  // neutral or square, and 1e-1 to 1e-12 beside it
};
inline constexpr int robot_kinds = 12, contact_kinds = 10, state_kinds = 6;
const char* name_of(RobotKind kind);
const char* name_of(ContactKind kind);
const char* name_of(StateKind kind);

// Mechanisms of models/, read once, and their models, compiled once. For any number of threads.
class RobotLibrary {
 public:
  // folder: where the URDF files are.
  explicit RobotLibrary(const std::string& folder);
  Robot robot(const std::string& file, bool floating, LoopTreatment treatment);

 private:
  std::map<std::string, Mechanism> mechanisms_;
  std::map<std::tuple<std::string, bool, LoopTreatment>, Robot> robots_;
  std::mutex mutex_;
};

struct CampaignState {
  StateKind kind = StateKind::random;
  std::vector<double> q, v, tau, wrenches, desired;
  Vector3 gravity = {0, 0, -9.81};
  std::vector<Pose> anchors;
};

struct CampaignCase {
  std::uint64_t seed = 0;
  RobotKind robot_kind = RobotKind::tree_fixed;
  ContactKind contact_kind = ContactKind::points;
  std::string title;  // the robot, for reports
  Robot robot;
  double length = 1, mass = 1;  // typical of its links, m and kg, times what it was scaled by
  Vector3 away = {0, 0, 0};     // of the base from the origin
  // Every other case: no stabilisation, no desired accelerations, velocities that the rows allow, so that
  // dependent rows agree.
  bool calm = false;
  // Of random loops: the whole mechanism, from which the answer can be had without embedding anything.
  std::unique_ptr<LoopScene> whole;
  Eigen::VectorXd closed;  // a configuration with closed loops; empty for trees
  std::vector<ConstraintSpec> specs;
  // Per constraint: which earlier one it repeats, or -1; and whether its desired values are the same.
  std::vector<int> twin;
  bool twins_agree = true;
  std::size_t contacts = 0;  // specs before the closures that keep loops of the mechanism
  std::shared_ptr<const ConstraintSet> set;
  std::unique_ptr<Workspace> workspace;
};

// The kinds of a case without the case.
void kinds_of_case(std::uint64_t seed, RobotKind& robot, ContactKind& contacts);
// Throws Error where the mechanism that was drawn cannot be built.
std::unique_ptr<CampaignCase> draw_case(std::uint64_t seed, RobotLibrary& library);
// State number `index` of the case. False where its loops could not be closed.
bool draw_state(CampaignCase& c, int index, CampaignState& state);
StateKind state_kind_of(std::uint64_t seed, int index);

}  // namespace tenon::testing
