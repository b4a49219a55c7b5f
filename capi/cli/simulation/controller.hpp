// Joint torques that hold or move a posture against gravity, with contacts.
#pragma once

#include "client.hpp"
#include "simulation/contacts.hpp"

namespace client {

// Every coordinate, those of a floating base too, is asked to follow its target like a spring of one
// frequency, whatever it carries (computed torque). First the accelerations asked for are brought to the
// nearest ones that the contacts of `plan` allow (Gauss's principle, which is what constrained dynamics
// computes), joints beyond the contacts left as they were asked; then inverse dynamics gives the torques. One
// frequency for all keeps this stable: in the metric of the mass matrix the springs are then symmetric. A
// floating base has no motor: the contacts of the robot carry it, welds where there are any, else points, and
// of all ways to share the load it is the one of least squared force.
class Hold {
 public:
  struct Held {
    tenon_workspace* workspace;
    const ContactSet& contacts;
  };
  // robot: as it is simulated. plan: of the same model, with the contacts that the motion should respect; may
  // be the same. q: the posture. spring: rad/s and damping ratio.
  Hold(const tenon_model* model, const Held& robot, const Held& plan, const Vector& q,
       const Stabilisation& spring);

  // The target of a velocity coordinate: the posture moved by offset, with a rate and an acceleration.
  void set_target(std::size_t coordinate, double offset, double rate, double acceleration);
  // Adds the torques at (q, v) to tau.
  void add(const Vector& q, const Vector& v, Vector& tau);

 private:
  void ask_accelerations(const Vector& q, const Vector& v);
  void inverse_dynamics(const Vector& q, const Vector& v);
  void lean_on_contacts(const Vector& q, const Vector& v);

  tenon_workspace* workspace_;
  tenon_workspace* plan_;
  std::size_t nv_, rows_;
  Stabilisation spring_;
  Vector rest_, offset_, rate_, acceleration_;
  std::vector<char> beyond_;           // coordinates that move no link with a contact of the plan
  std::vector<std::size_t> base_;      // velocity coordinates without a motor
  std::vector<std::size_t> carrying_;  // rows that carry them
  Vector away_, asked_, a_, torque_, J_;
};

}  // namespace client
