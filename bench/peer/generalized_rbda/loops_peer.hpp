// generalized_rbda behind a plain interface: a shared library that shows one entry, tenon_bench_loops_peer, which
// loop_study loads where it was built. States are given in Tenon's coordinates and converted before anything is timed.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace bench {

enum class Task { inverse_dynamics, forward_dynamics, inverse_osim };
inline constexpr int task_count = 3;

// A moving link of the Tenon model and the coordinates of the joint that carries it: one, or those of a floating base.
struct PeerLink {
  std::string name;
  int q_index = 0, v_index = 0, nv = 1;
};

class LoopsPeer {
 public:
  virtual ~LoopsPeer() = default;
  // Of all joints, with closed loops; a: the acceleration that inverse dynamics is for.
  virtual void add_state(const double* q, const double* v, const double* tau, const double* a) = 0;
  virtual void run(Task task, int state) = 0;
  // Of the last run: the accelerations of all joints; forces f of all joints, of which G^T f are the independent
  // ones; the inverse operational-space inertia of the end, 6 x 6.
  virtual void result(Task task, double* out) const = 0;
  // False where its model has an end effector of its own, at another point, or loops of which our states are not
  // closed, so that it took others.
  virtual bool comparable(Task task) const = 0;
};

// How its model of a robot comes to be.
enum class LoopsPeerModel {
  classes,  // its class of this robot, or its specialised cluster joints
  urdf,     // its reader of URDF+, which makes generic cluster joints
};

struct LoopsPeerBuild {
  std::string compiler;     // "g++"
  std::string description;  // "generalized_rbda 45fa7c4, Eigen 3.4.1, CasADi 3.8.2, GNU 12.2.0 -O3 ..."
  // Null where it has no such robot. urdf: of chains, the text of the model. Throws std::runtime_error where its model
  // has other links.
  std::unique_ptr<LoopsPeer> (*make)(LoopsPeerModel model, const std::string& robot, const std::string& urdf,
                                     const std::vector<PeerLink>& links, const std::string& end);
};

}  // namespace bench
