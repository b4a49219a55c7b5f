// How a solve went, as tenon.h tells it.
#pragma once

#include "support/descriptor.hpp"
#include "tenon.h"
#include "tenon/workspace.hpp"

namespace tenon::capi {

inline tenon_solve_report report_of(const SolveReport& solve) noexcept {
  tenon_solve_report known{};
  known.iterations = solve.iterations;
  known.rank = solve.rank;
  known.method = static_cast<std::int32_t>(solve.method);
  known.primal_residual = solve.primal_residual;
  known.dual_residual = solve.dual_residual;
  known.mu = solve.mu;
  return known;
}

}  // namespace tenon::capi
