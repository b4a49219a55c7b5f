// The input and output of every method of constrained dynamics.
#pragma once

#include <optional>

#include "state/workspace_impl.hpp"

namespace tenon {

// The state of one solve, checked and loaded.
struct ConstrainedProblem {
  WorkspaceImpl& w;
  const SolveOptions& options;
  const double *q, *v, *tau, *wrenches;
  const double* desired;  // in the user's order of rows, or null; WorkspaceData::desired has the kernels'
  double* lambda;         // rows in the kernels' order: start and result
};

// What a method returns: nothing where it stalled, and another must solve the problem (calls/constrained.cpp).
using Outcome = std::optional<Status>;
inline constexpr Outcome stalled;

}  // namespace tenon
