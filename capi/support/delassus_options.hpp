// The options of the Delassus matrix and of its damped inverse: defaults and checks.
#pragma once

#include "support/call.hpp"
#include "tenon/delassus.hpp"

namespace tenon::capi {

inline constexpr tenon_delassus_options default_delassus_options = {sizeof(tenon_delassus_options),
                                                                    TENON_DELASSUS_METHOD_AUTOMATIC};
inline constexpr tenon_damped_options default_damped_options = {sizeof(tenon_damped_options),
                                                                TENON_DAMPED_METHOD_AUTOMATIC, 0, nullptr, 0};

struct Damped {
  DampedInverseMethod method;
  Damping damping;
};

inline DelassusMethod checked(Call& call, const tenon_delassus_options* options) noexcept {
  const auto o = call.over(options, default_delassus_options, "tenon_delassus_options");
  call.one_of(kinds::delassus_method, "tenon_delassus_options: method", o.method);
  return static_cast<DelassusMethod>(o.method);
}
inline Damped checked(Call& call, const tenon_damped_options* options) noexcept {
  const auto o = call.over(options, default_damped_options, "tenon_damped_options");
  call.one_of(kinds::damped_method, "tenon_damped_options: method", o.method);
  call.optional({"tenon_damped_options: row_mu", o.row_mu, o.row_mu_count}, call.rows());
  return {static_cast<DampedInverseMethod>(o.method), {o.mu, o.row_mu}};
}

}  // namespace tenon::capi
