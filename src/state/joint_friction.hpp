// The friction of the joints of a robot (kernels/joint/joint_torques.hpp) among forces.
#pragma once

#include "kernels/joint/joint_torques.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

// The inputs of forward dynamics with the friction of joints among the forces on these.
inline Inputs<double> with_friction(const WorkspaceImpl& w, Inputs<double> in) {
  const Settings::JointFriction& f = w.settings->friction;
  if (!f.room) return in;
  for (int k = 0; k < w.model->nv; ++k)
    f.room[k] = in.tau[k] - friction_force(f.damping[k], f.dry[k], in.v[k]);
  in.tau = f.room;
  return in;
}

// Adds friction at v to the forces of inverse dynamics.
inline void add_friction(const WorkspaceImpl& w, const double* v, double* force) {
  const Settings::JointFriction& f = w.settings->friction;
  for (int k = 0; f.room && k < w.model->nv; ++k) force[k] += friction_force(f.damping[k], f.dry[k], v[k]);
}

}  // namespace tenon
