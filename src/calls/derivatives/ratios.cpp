// A coupling's row is phi = sum of c q - offset = 0 with K v = 0 and K qdd = 0, where an entry c is 1 or the negative of a ratio.
// Where c of row r and coordinate k changes, y and ydot stay, and dependent coordinates move by what closes loops,
//
//   K dq = - e_r q_k,   K dv = - e_r v_k - (dK) v,   K dqdd = - e_r qdd_k - ...,   dr = - e_k mu_r
//
// with the forces mu of the row. In terms of multipliers (embedded_loops.hpp): K^T b_v = g_v and K^T b_q = g_q + what dK v adds,
// on dependent coordinates, and b of the products for accelerations.
#include "calls/derivatives/ratios.hpp"

#include <algorithm>

namespace tenon {

void place_ratio_gradients(WorkspaceImpl& w, const EmbeddedLoops& loops, const Inputs<double>& in,
                           const double* y, double sign, double* g_q, const double* g_v) {
  const ModelData& m = w.md();
  const Model::Loops& of = w.model->loops;
  const LoopDerivativeMemory& d = loops.memory();
  double* to = w.parameters->by_ratios;
  std::fill_n(to, of.ratio_count, 0.0);
  // Less by_entry(entry), the derivative by a coefficient.
  const auto subtract = [&](const auto& by_entry) {
    for (std::size_t e = 0; e < of.entry_ratio.size(); ++e)
      if (of.entry_ratio[e] >= 0) to[of.entry_ratio[e]] -= by_entry(m.coupling_entries[e]);
  };
  subtract([&](const CouplingEntry& c) {
    return sign * (y[c.v_index] * d.mu[c.row] + d.b[c.row] * in.qdd[c.v_index]);
  });
  loops.balance(g_v, d.b);
  subtract([&](const CouplingEntry& c) { return d.b[c.row] * in.v[c.v_index]; });
  for (int r = 0; r < m.loop_row_count; ++r) d.b[r] = -d.b[r];
  w.kernels->row_velocity_vjp(m, loop_rows_of_velocities(d), 0.0, g_q, nullptr, w.w());
  loops.balance(g_q, d.b);
  subtract([&](const CouplingEntry& c) { return d.b[c.row] * in.q[c.q_index]; });
}

}  // namespace tenon
