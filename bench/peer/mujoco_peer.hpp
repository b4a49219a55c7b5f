// MuJoCo behind a plain interface: mj_forward of a robot with the contacts as equality constraints. States are given in
// Tenon's coordinates and converted before anything is timed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peer/peer.hpp"

namespace bench {

class MujocoPeer {
 public:
  // Throws std::runtime_error where MuJoCo cannot take the robot.
  MujocoPeer(const std::string& urdf, bool floating_base, const std::vector<JointCoordinates>& joints,
             const std::vector<ContactSpec>& contacts);
  ~MujocoPeer();

  void add_state(const double* q, const double* v, const double* tau);
  // mj_forward, at the world's anchors where the state has its contacts.
  void run(int state);
  // Equality rows on (as after construction) or off.
  void hold(bool rows);
  // The acceleration of the last run(), in Tenon's coordinates.
  void result(int state, double* qdd) const;
  int rows() const;        // equality rows of the last run()
  int iterations() const;  // of its solver

  static std::string description();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bench
