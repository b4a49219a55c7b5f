// The rows of a proximal iteration (solve/proximal.hpp), and those of constrained_aba between its sweeps: penalties
// mu_row = 1 / (R + 1 / mu), R the compliance, and the step r(f) of an evaluation at the centre f. One text for one state,
// packs of states and recorders.
#pragma once

#include <type_traits>

#include "kernels/constrained/row_residual.hpp"
#include "spatial/pack.hpp"

namespace tenon {

// f, and what its evaluation finds. Arrays: rows. The size of a force: in units in which those of all rows have the same
// effect.
template <class T>
struct ProximalPoint {
  // Packs of states have one in each lane.
  using Term = std::conditional_t<is_pack<T>, T, double>;
  Term* inv_mu = nullptr;  // 1 / mu; 0 for rows with compliance that are exact without a multiplier
  double absolute = 0;     // subtracted from each residual before it is measured
  T *f = nullptr, *step = nullptr;
  RowUnits<T> units;  // of the accelerations of the first evaluation for these 1 / mu
  T primal = T(0);    // the largest residual, in its unit
  T residual = T(0);  // the largest one
  T force = T(0);     // the largest of the forces f + step
};

TENON_ISA_BEGIN

// 1 / mu of a row with this compliance: none where the row is softer than that.
template <class Term>
TENON_INLINE Term proximal_term_beside(const Term& compliance, const Term& inv_mu) {
  return select(lanes_above(inv_mu, compliance), inv_mu, Term(0));
}

// After an evaluation, step = r(f). Rows with 1 / mu = 0 are known at once, and are not iterated.
template <class T>
inline void measure_step(const RowTables<double>& c, ProximalPoint<T>& x) {
  x.primal = x.residual = x.force = T(0);
  for (int r = 0; r < c.row_count; ++r) {
    if constexpr (is_ordered<T>)
      x.force = larger(magnitude_of(x.f[r] + x.step[r]) * T(c.root_scale[r]), x.force);
    if constexpr (is_pack<T>) {
      const T iterated = select(lanes_above(x.inv_mu[r], T(0)), x.step[r], T(0));
      x.f[r] = x.f[r] + (x.step[r] - iterated);
      x.step[r] = iterated;
    } else if (x.inv_mu[r] == 0) {
      x.f[r] = x.f[r] + x.step[r];
      x.step[r] = T(0);
    }
    if constexpr (is_ordered<T>) {
      const T residual = x.step[r] * T(x.inv_mu[r]);
      x.residual = larger(magnitude_of(residual), x.residual);
      x.primal = larger(size_in_unit(x.units, c, r, residual, T(x.absolute)), x.primal);
    }
  }
}

// An evaluation by constrained_aba. sweep(change): the sweeps for WorkspaceData::row_force, which has changed by `change`.
// first: of these 1 / mu. False where the sweep fails.
template <bool first, class T, class Rows, class Sweep>
TENON_INLINE bool evaluate_by_sweep(const Rows& c, ProximalPoint<T>& x, WorkspaceData<T>& w,
                                    const Sweep& sweep) {
  for (int r = 0; r < c.row_count; ++r) {
    if (first) w.mu_row[r] = T(typename ProximalPoint<T>::Term(1) / (c.compliance[r] + x.inv_mu[r]));
    const T force = w.mu_row[r] * (w.k[r] + T(x.inv_mu[r]) * x.f[r]);
    if (!first) x.step[r] = force - w.row_force[r];
    w.row_force[r] = force;
  }
  if (!sweep(x.step)) return false;
  for (int r = 0; r < c.row_count; ++r)
    x.step[r] = w.mu_row[r] * (w.k[r] - w.Ka[r] - T(c.compliance[r]) * x.f[r]);
  if constexpr (first && is_ordered<T>) x.units = row_units(c, w);
  measure_step(c, x);
  return true;
}

TENON_ISA_END
}  // namespace tenon
