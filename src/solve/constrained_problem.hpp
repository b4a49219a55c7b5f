// The input and output of every method of constrained dynamics.
#pragma once

#include <optional>

#include "state/workspace_impl.hpp"

namespace tenon {

struct ConstrainedProblem {
  WorkspaceImpl& w;
  const SolveOptions& options;
  const Inputs<double>&
      in;          // in coordinates of sweeps; WorkspaceData::desired has the rows' in the kernels' order
  double* lambda;  // rows in the kernels' order: start and result
  // Of methods in joint space: where the factor of M by chains goes (kernels/delassus/chain_rows.hpp); null: by paths.
  DerivativeData<double>* chains = nullptr;
};

// What a method returns: nothing where it stalled, and another must solve the problem (calls/constrained.cpp).
using Outcome = std::optional<Status>;
inline constexpr Outcome stalled;

}  // namespace tenon
