// Options of derivatives, of one state and of many.
#pragma once

#include "support/call.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::capi {

inline constexpr tenon_derivative_options default_derivative_options = {sizeof(tenon_derivative_options), 0};

inline DerivativeOptions checked(Call& call, const tenon_derivative_options* given) noexcept {
  const tenon_derivative_options o = call.over(given, default_derivative_options, "tenon_derivative_options");
  if (o.accumulate != 0 && o.accumulate != 1)
    call.fail(Status::invalid_argument, "tenon_derivative_options: accumulate is %d; give 0 or 1",
              static_cast<int>(o.accumulate));
  return {o.accumulate != 0};
}

}  // namespace tenon::capi
