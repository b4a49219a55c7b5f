// The rows of constrained_aba between its sweeps, for one state, packs and recorders: penalties mu_row = 1 / (R + 1 / mu),
// R the compliance, and the steps of the proximal iteration (solve/proximal.hpp) from the centre f.
#pragma once

#include "data/constraint_data.hpp"
#include "data/workspace_data.hpp"
#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
void set_penalties(const ConstraintData& c, const double* inv_mu, WorkspaceData<T>& w) {
  for (int r = 0; r < c.row_count; ++r) w.mu_row[r] = T(1 / (c.compliance[r] + inv_mu[r]));
}

// Before an evaluation: the rows' forces mu_row (k + f / mu), and change := what they differ by from those of the last.
template <class T>
void set_row_forces(const ConstraintData& c, const double* inv_mu, const T* f, T* change,
                    WorkspaceData<T>& w) {
  for (int r = 0; r < c.row_count; ++r) {
    const T force = w.mu_row[r] * (w.k[r] + T(inv_mu[r]) * f[r]);
    change[r] = force - w.row_force[r];
    w.row_force[r] = force;
  }
}

// After it: r(f) = mu_row (k - K a - R f) of one row.
template <class T>
inline T proximal_step(const ConstraintData& c, int r, const T& f, const WorkspaceData<T>& w) {
  return w.mu_row[r] * (w.k[r] - w.Ka[r] - T(c.compliance[r]) * f);
}

TENON_ISA_END
}  // namespace tenon
