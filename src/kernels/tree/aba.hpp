// Articulated-body algorithm: qdd from (q, v, tau) in O(n) (Featherstone, RBDA Table 7.1; Vereshchagin 1974).
// Three sweeps, all in articulated_body.hpp: velocities out, articulated inertias in, accelerations out.
#pragma once

#include "kernels/tree/articulated_body.hpp"

namespace tenon {
TENON_ISA_BEGIN

// With clusters of variable G, call it after cluster_constraints at the same q, which computes the sines and
// cosines. Returns false when the mass matrix is not positive definite; qdd is then meaningless.
template <class T>
bool aba(const ModelData& m, const Inputs<T>& in, T* qdd, WorkspaceData<T>& w) {
  sweep_velocities(m, in, m.varying_clusters > 0, w);
  if (!sweep_articulated_inertia(m, in, w)) return false;
  sweep_accelerations(m, in, qdd, w);
  return true;
}

TENON_ISA_END
}  // namespace tenon
