// The states of the campaign: positions, velocities, forces, desired accelerations and anchors.
#include <algorithm>
#include <cmath>

#include "support/campaign/drawing.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

constexpr double half_pi = 1.57079632679489661923;

bool linear_coordinate(JointType type, int k) {
  return type == JointType::prismatic || (type == JointType::planar && k > 0) ||
         (type == JointType::floating && k > 2);
}

void square_positions(Random& random, const Model& model, std::vector<double>& q) {
  for (const Model::Joint& joint : model.joints)
    if (joint.type == JointType::revolute || joint.type == JointType::continuous)
      q[static_cast<std::size_t>(joint.q_index)] = random.integer(-1, 2) * half_pi;
}

// q of the kind asked for, on a tree.
void draw_tree_positions(CampaignCase& c, Random& random, StateKind kind, std::vector<double>& q) {
  const Model& model = *c.robot.model;
  if (kind == StateKind::neutral || kind == StateKind::square || kind == StateKind::near_neutral) {
    neutral(model, q.data());
    if (kind == StateKind::square || (kind == StateKind::near_neutral && random.chance(0.3)))
      square_positions(random, model, q);
  }
  move_away(c, q);
}

double drawn_distance(Random& random, StateKind kind) {
  switch (kind) {
    case StateKind::neutral:
    case StateKind::square:
      return 0;
    case StateKind::near_neutral:
      return std::pow(10, -random.uniform(1, 12));
    default:
      return 0.5;
  }
}

bool draw_positions(CampaignCase& c, Random& random, StateKind kind, std::vector<double>& q) {
  const Model& model = *c.robot.model;
  const bool looped = c.closed.size() > 0;
  if (looped)
    for (int k = 0; k < model.nq; ++k) q[static_cast<std::size_t>(k)] = c.closed(k);
  else
    draw_tree_positions(c, random, kind, q);
  const double distance = drawn_distance(random, kind);
  if (distance == 0 || (!looped && kind != StateKind::near_neutral)) return true;
  // Every coordinate a little away, or one of them.
  Eigen::VectorXd step(model.nv);
  for (double& x : step) x = distance * random.uniform(-1, 1);
  if (random.chance(0.3)) {
    const int k = random.integer(0, model.nv - 1);
    const double only = step(k);
    step.setZero();
    step(k) = only;
  }
  std::vector<double> next(q.size());
  Workspace& w = *c.workspace;
  if (integrate(w, q.data(), step.data(), 1, next.data()) != Status::ok) return false;
  if (looped && has_loops(model) && close_loops(w, LoopMoves::all, next.data(), nullptr) != Status::ok)
    return false;
  q = next;
  return true;
}

bool draw_velocities(CampaignCase& c, Random& random, StateKind kind, CampaignState& s) {
  const Model& model = *c.robot.model;
  for (const Model::Joint& joint : model.joints)
    for (int k = 0; k < joint.nv; ++k)
      if (linear_coordinate(joint.type, k)) s.v[static_cast<std::size_t>(joint.v_index + k)] *= c.length;
  double scale = 1;
  if (kind == StateKind::rest || (kind != StateKind::fast && random.chance(0.3))) scale = 0;
  if (kind == StateKind::fast) scale = std::pow(10, random.uniform(1, 3));
  for (double& x : s.v) x *= scale;
  if (scale == 0) return true;
  // On the loops; where rows alone keep them, now and then not.
  Workspace& w = *c.workspace;
  const bool embedded = !model.loops.clusters.empty(), loops = embedded || !model.row_loops.empty();
  const LoopMoves moves = model.row_loops.empty() ? LoopMoves::dependent : LoopMoves::all;
  if (loops && (embedded || !random.chance(0.2)) &&
      project_velocity(w, moves, s.q.data(), s.v.data()) != Status::ok)
    return false;
  if (!c.calm) return true;
  const Status status = project_velocities(w, s.q.data(), s.v.data());
  return status == Status::ok || status == Status::infeasible;
}

void draw_desired(const CampaignCase& c, Random& random, CampaignState& s) {
  s.desired.assign(static_cast<std::size_t>(c.set->row_count()), 0);
  const double kind = random.uniform(0, 1);
  const double reach = kind < 0.2 || c.calm ? 0 : kind < 0.9 ? 5 : 1e3;
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    const int first = c.set->first_row(static_cast<int>(i)), count = row_count(c.specs[i]);
    const int twin = i < c.twin.size() ? c.twin[i] : -1;
    for (int r = 0; r < count; ++r) {
      double& x = s.desired[static_cast<std::size_t>(first + r)];
      x = random.uniform(-reach, reach);
      if (twin >= 0 && c.twins_agree) x = s.desired[static_cast<std::size_t>(c.set->first_row(twin) + r)];
      if (twin >= 0 && !c.twins_agree && reach == 0 && random.chance(0.7)) x = random.uniform(-2, 2);
    }
  }
}

// Where the frames are, and a little off.
void draw_anchors(CampaignCase& c, Random& random, CampaignState& s) {
  Workspace& w = *c.workspace;
  s.anchors.assign(c.set->specs().size(), Pose{});
  if (anchor_here(w, s.q.data()) != Status::ok) return;
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    Pose off;
    off.rotation =
        rotation_from_rpy(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
    off.translation = random.vector(0.1 * c.length);
    const int twin = i < c.twin.size() ? c.twin[i] : -1;
    s.anchors[i] = twin >= 0 && c.twins_agree ? s.anchors[static_cast<std::size_t>(twin)]
                                              : w.anchor(static_cast<int>(i)) * off;
  }
}

void draw_forces(const CampaignCase& c, Random& random, CampaignState& s) {
  const Model& model = *c.robot.model;
  const double force = c.mass * 20, moment = force * c.length;
  for (const Model::Joint& joint : model.joints)
    for (int k = 0; k < joint.nv; ++k)
      s.tau[static_cast<std::size_t>(joint.v_index + k)] *=
          (linear_coordinate(joint.type, k) ? force : moment) / 20;
  for (std::size_t k = 0; k < s.wrenches.size(); ++k) s.wrenches[k] *= (k % 6 < 3 ? moment : force) / 20;
  if (random.chance(0.2)) std::fill(s.tau.begin(), s.tau.end(), 0);
  if (random.chance(0.5)) s.wrenches.clear();
  const double kind = random.uniform(0, 1);
  if (kind < 0.15) s.gravity = random.vector(10);
  if (kind > 0.95) s.gravity = {0, 0, 0};
}

}  // namespace

void move_away(const CampaignCase& c, std::vector<double>& q) {
  const Model& model = *c.robot.model;
  for (const Model::Joint& joint : model.joints) {
    double* x = q.data() + joint.q_index;
    const int positions = joint.type == JointType::floating    ? 3
                          : joint.type == JointType::planar    ? 2
                          : joint.type == JointType::prismatic ? 1
                                                               : 0;
    for (int k = 0; k < positions; ++k) x[k] *= c.length;
  }
  if (c.robot_kind == RobotKind::far)
    for (std::size_t k = 0; k < 3; ++k) q[k] += c.away[k];
}

StateKind state_kind_of(std::uint64_t seed, int index) {
  Random random = stream(seed, 8 + static_cast<std::uint64_t>(index));
  return static_cast<StateKind>(random.integer(0, state_kinds - 1));
}

bool draw_state(CampaignCase& c, int index, CampaignState& s) {
  Random random = stream(c.seed, 8 + static_cast<std::uint64_t>(index));
  s.kind = static_cast<StateKind>(random.integer(0, state_kinds - 1));
  State drawn = random_state(random, *c.robot.model);
  s.q = drawn.q, s.v = drawn.v, s.tau = drawn.tau, s.wrenches = drawn.wrenches;
  s.gravity = {0, 0, -9.81};
  Random rest(random.bits()), speed(random.bits());
  if (!draw_positions(c, rest, s.kind, s.q) || !draw_velocities(c, speed, s.kind, s)) return false;
  draw_forces(c, random, s);
  draw_desired(c, random, s);
  draw_anchors(c, random, s);
  return true;
}

}  // namespace tenon::testing
