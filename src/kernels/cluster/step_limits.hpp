// What a step in time from velocities v to end_v may do where a mechanism has loops: it opens no row by more than a part of
// what the joints of the row move, and it gains no more kinetic energy than forces can give. The one definition, for any
// numbers: single calls decide by it (calls/step_check.cpp); packs of states take a step that uses up no more than a share of
// what is allowed, and leave others to single calls (kernels/pack/step_pack.hpp).
#pragma once

#include "data/model_data.hpp"
#include "spatial/ordered.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A step of ordinary length gains what its forces do, to a few per cent, and opens a loop by the square of its length.
inline constexpr double most_work = 10, most_opened = 0.1;
// Rounding errors of kinetic energies.
inline constexpr double energy_rounding = 1e-9;

// How fast a coordinate moves in a step.
template <class T>
TENON_INLINE T fastest(const T& v, const T& end_v) {
  return larger(magnitude_of(v), magnitude_of(end_v));
}

// Of a row of a loop at the beginning of a step: how fast joints move it, all added up, and how fast velocities open it.
template <class T>
struct RowRates {
  T moved, opened;
};
// r: counted in the cluster. K: of all clusters (WorkspaceData::loop_K).
template <class T>
TENON_INLINE RowRates<T> rates_of_row(const ClusterData& c, int r, const T* K, const T* v, const T* end_v) {
  RowRates<T> rates = {T(0), T(0)};
  for (int k = 0; k < c.v_count; ++k) {
    const T x = K[c.K_begin + k * c.row_count + r];
    rates.moved = rates.moved + magnitude_of(x) * fastest(v[c.v_begin + k], end_v[c.v_begin + k]);
    rates.opened = rates.opened + x * v[c.v_begin + k];
  }
  return rates;
}

// The gap of a row at the end. Velocities that open a loop at the beginning may go on to. length: |dt|. closed: gaps up to this
// count as none.
template <class T>
TENON_INLINE T most_gap(const T& gap, const RowRates<T>& rates, double length, double closed, double share) {
  const T opened = T(length * most_opened) * rates.moved + T(2 * length) * magnitude_of(rates.opened);
  return magnitude_of(gap) + T(share) * (T(closed) + opened);
}

// The gain of kinetic energy. work: at most this is what forces do.
template <class T>
TENON_INLINE T most_gain(const T& before, const T& after, const T& work, double share) {
  return T(share * most_work) * work + T(share * energy_rounding) * (before + after);
}

TENON_ISA_END
}  // namespace tenon
