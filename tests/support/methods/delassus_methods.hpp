// The methods for the Delassus matrix and for its damped inverse (tenon/methods.hpp) and automatic, by name.
#pragma once

#include "tenon/delassus.hpp"

namespace tenon::testing {

struct NamedDelassus {
  DelassusMethod method;
  const char* name;
};
inline constexpr NamedDelassus delassus_methods[] = {
#define NAMED(constant, name, ...) \
  , {                              \
    DelassusMethod::name, #name    \
  }
    {DelassusMethod::automatic, "automatic"} TENON_DELASSUS_METHODS(NAMED)
#undef NAMED
};

struct NamedInverse {
  DampedInverseMethod method;
  const char* name;
};
inline constexpr NamedInverse damped_inverse_methods[] = {
#define NAMED(constant, name, ...)   \
  , {                                \
    DampedInverseMethod::name, #name \
  }
    {DampedInverseMethod::automatic, "automatic"} TENON_DAMPED_INVERSE_METHODS(NAMED)
#undef NAMED
};

}  // namespace tenon::testing
