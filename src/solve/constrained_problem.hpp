// The input and output of every method of constrained dynamics.
#pragma once

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

// A method returns this if another method must solve the problem (calls/constrained.cpp). Users never see it.
inline constexpr Status stalled = static_cast<Status>(1000);

}  // namespace tenon
