// The constants of tenon.h by kind, each with its name: one table gives their functions (constants.cpp) and the checks
// of arguments.
#pragma once

#include <cstdint>
#include <string>

namespace tenon::capi {

struct Constant {
  std::int32_t value;
  const char* name;
};

struct Kind {
  const char* constants;  // as messages name them, "TENON_METHOD_*"
  const Constant* first;
  std::int32_t count;

  const Constant* find(std::int32_t value) const noexcept;
  const Constant* find(const char* name) const noexcept;
};

namespace kinds {
extern const Kind status, method, delassus_method, damped_method, split, joint_type, base, axes, coordinates,
    loop_treatment, loop_moves, loop_kind, convention, direction, log_level, instruction_set, precision,
    integrator, loop_method;
}

// Throws Error for a value that is none of the kind.
void need_one_of(const Kind& kind, std::int32_t value, const char* name);

}  // namespace tenon::capi
