// Gradients by the ratios of couplings and gears.
#pragma once

#include "calls/derivatives/embedded_loops.hpp"

namespace tenon {

// ParameterMemory::by_ratios := the gradient of a number by the ratios, at the solution `in`, with products of y and the
// multipliers that DerivativeProducts::vjp has left, sign times those of inverse dynamics. g_q, g_v: its gradients by q and v in
// the coordinates of the tree, damping among them; g_q is added to. loops: with take_constant().
void place_ratio_gradients(WorkspaceImpl& w, const EmbeddedLoops& loops, const Inputs<double>& in,
                           const double* y, double sign, double* g_q, const double* g_v);

}  // namespace tenon
