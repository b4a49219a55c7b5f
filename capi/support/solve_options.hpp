// The defaults of tenon_solve_options: those of the core.
#pragma once

#include "tenon.h"
#include "tenon/workspace.hpp"

namespace tenon::capi {

inline constexpr SolveOptions core_defaults{};
inline constexpr tenon_solve_options default_solve_options = {
    sizeof(tenon_solve_options),
    static_cast<std::int32_t>(core_defaults.method),
    core_defaults.max_iterations,
    core_defaults.warm_start,
    core_defaults.accelerate,
    static_cast<std::int32_t>(core_defaults.split_base),
    core_defaults.absolute_tolerance,
    core_defaults.relative_tolerance,
    core_defaults.mu,
    core_defaults.tikhonov};

}  // namespace tenon::capi
