// Constants by kind, each with its name: one table for names (names.cpp) and for the checks of arguments.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>

#include "tenon.h"

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
  // What the functions of tenon.h that name constants answer.
  const char* name(std::int32_t value) const noexcept;
  tenon_status value(const char* name, std::int32_t* value) const noexcept;
};

namespace kinds {
extern const Kind status, method, delassus_method, damped_method, split, joint_type, base, axes, coordinates,
    loop_treatment, loop_moves, loop_kind, convention, direction, log_level, instruction_set, precision,
    integrator;
}  // namespace kinds

// Throws Error for a value that is none of the kind.
void need_one_of(const Kind& kind, std::int32_t value, const char* name);

// Compiles only where the constant is the core's.
template <class Core>
constexpr Constant same(std::int32_t value, Core core, const char* name) {
  return value == static_cast<std::int32_t>(core) ? Constant{value, name}
                                                  : throw "a constant differs from the core's";
}

}  // namespace tenon::capi

// constants: as messages name them; the rest: the table.
#define TENON_KIND(kind, constants, ...)                                                                     \
  namespace tenon::capi {                                                                                    \
  static constexpr Constant kind##_constants[] = {__VA_ARGS__};                                              \
  const Kind kinds::kind = {constants, kind##_constants, static_cast<int32_t>(std::size(kind##_constants))}; \
  }
