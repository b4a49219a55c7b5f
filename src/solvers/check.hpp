// Value checks at the door of every dynamics call: finite numbers, unit quaternions. Messages say what, where
// and how to mend it. On the hot path: nothing allocates.
#pragma once

#include <cstdint>
#include <cstring>

#include "solvers/workspace_impl.hpp"

// Returns from the calling function unless the expression is Status::ok.
#define TENON_CHECK(expression)                                      \
  do {                                                               \
    if (const Status s_ = (expression); s_ != Status::ok) return s_; \
  } while (false)

namespace tenon {

// Bit pattern test, so that the compiler can use packs and -ffast-math could not remove it.
inline bool all_finite(const double* x, int n) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000u;
  std::uint64_t bad = 0;
  for (int i = 0; i < n; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    bad |= static_cast<std::uint64_t>((bits & exponent) == exponent);
  }
  return bad == 0;
}

Status check_finite(WorkspaceImpl& w, const char* what, const double* x, int n);  // null passes
Status check_configuration(WorkspaceImpl& w, const char* what,
                           const double* q);  // finite, quaternions of unit norm
// For what takes no rows between two moving links. who: what it is; instead: what does.
Status check_no_bridges(WorkspaceImpl& w, const char* who, const char* instead);

}  // namespace tenon
