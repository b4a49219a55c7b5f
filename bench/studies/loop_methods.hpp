// The ways to compute the dynamics of a robot with loops that [LOOPS1] II compares: each on the same states,
// checked against the others, timed in turn.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peer/generalized_rbda/loops_peer.hpp"
#include "studies/loop_robots.hpp"
#include "tenon/workspace.hpp"

namespace bench {

// Microseconds a call: the least of several passes over all states. Not a number where the library (or the
// robot) has no such method.
struct TaskTimes {
  double cluster, projection, multipliers, rows, approximate;  // rows: prox_ltl, forward dynamics only
  std::vector<double> peers;                                   // in the order of add_peer
};

// A state on the loops of a model, and an acceleration of its independent coordinates.
struct ClosedState {
  std::vector<double> q, v, tau, yddot;
};
// States of w's model around the closed configuration that it knows. Throws std::runtime_error where it cannot
// be closed often enough.
std::vector<ClosedState> closed_states(tenon::Workspace& w, int count);

class LoopMethods {
 public:
  // end_effectors: how many of the robot's, 6 rows each, the inverse OSIM is for.
  explicit LoopMethods(const LoopRobot& robot, int end_effectors = 1);
  // Throws std::runtime_error where exact methods differ, by 1e-8 (multipliers and rows, which square
  // condition numbers or stop at a tolerance: 1e-6).
  TaskTimes time(Task task);

  // The links of the exact model, as a peer wants them.
  std::vector<PeerLink> peer_links() const;
  // Times the peer too, on the same states.
  void add_peer(std::unique_ptr<LoopsPeer> peer);
  // The largest difference of its results, relative to ours; of the inverse OSIM that of its eigenvalues, because the
  // axes of its rows are others. Not a number where they are not comparable.
  double peer_difference(Task task, std::size_t peer);

 private:
  using State = ClosedState;
  // A model with states on its loops.
  struct Subject {
    Subject(std::shared_ptr<const tenon::Model> model, const std::vector<std::string>& ends);
    // The spanning tree of another one, loops by rows, and its states.
    Subject(const LoopRobot& robot, const Subject& exact);
    std::shared_ptr<const tenon::Model> model;
    tenon::Workspace w;
    std::vector<State> states;
  };
  using Call = std::function<bool(const State&)>;  // false: the library has no such method
  struct Method {
    Call call;
    Subject* subject;
    double* time;
    double accuracy;  // relative, against the cluster method; 0 where it is none of the exact ones
  };

  void forward(std::vector<Method>& methods, TaskTimes& times);
  void inverse(std::vector<Method>& methods, TaskTimes& times);
  void osim(std::vector<Method>& methods, TaskTimes& times);
  // Throws where exact methods differ.
  void compare(const std::vector<Method>& methods);
  bool solve_multipliers(const State& s);
  bool solve_rows(const State& s);
  bool project_inverse(const State& s);
  bool project_osim(const State& s);

  Subject exact_;
  std::unique_ptr<Subject> open_, approximate_;  // null where the robot has none
  std::vector<std::unique_ptr<LoopsPeer>> peers_;
  std::vector<int> open_v_;  // per velocity coordinate of the open tree, that of the exact model
  Eigen::VectorXd out_, c_, k_, qdd_;
  Eigen::MatrixXd M_, K_, G_, J_, osim_;
};

}  // namespace bench
