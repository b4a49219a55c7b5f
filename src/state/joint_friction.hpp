// The force of friction in joints, against their velocity: damping v + dry sign(v).
#pragma once

#include "state/workspace_impl.hpp"

namespace tenon {

template <class N>
N friction_force(N damping, N dry, N v) {
  return damping * v + (v > 0 ? dry : v < 0 ? -dry : N(0));
}

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
