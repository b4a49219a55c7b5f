// Options of derivatives, of one state and of many, and the inputs of their calls.
#pragma once

#include "support/call.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::capi {

inline constexpr tenon_derivative_options default_derivative_options = {sizeof(tenon_derivative_options), 0,
                                                                        0};

// What was given, and the layout of matrices.
struct CheckedDerivativeOptions : DerivativeOptions {
  bool row_major = false;
  // A matrix of the user, with its leading dimension.
  DerivativeOut matrix(double* values, std::int32_t ld) const noexcept { return {values, ld, row_major}; }
};

inline CheckedDerivativeOptions checked(Call& call, const tenon_derivative_options* given) noexcept {
  const tenon_derivative_options o = call.over(given, default_derivative_options, "tenon_derivative_options");
  const auto is_set = [&](const char* name, std::int32_t flag) {
    if (flag != 0 && flag != 1)
      call.fail(Status::invalid_argument, "tenon_derivative_options: %s is %d; give 0 or 1", name,
                static_cast<int>(flag));
    return flag != 0;
  };
  return {{is_set("accumulate", o.accumulate)}, is_set("row_major", o.row_major)};
}

// ---- of one state

// The inputs that all have: a state, the acceleration or the forces on the joints, and wrenches.
inline Call derivative_call(tenon_workspace* workspace, const char* function, Array q, Array v, Array third,
                            Array wrenches) noexcept {
  Call call(workspace, function);
  call.state(q, v);
  call.velocities(third);
  call.wrenches(wrenches);
  return call;
}
inline void optional_square(Call& call, const CheckedDerivativeOptions& options, const Array& matrix,
                            int32_t ld) noexcept {
  call.optional_matrix(matrix, call.velocity_count(), call.velocity_count(), ld, options.row_major);
}

// Of a matrix of the solution [qdd; lambda] the rows from `first` on; none where there are no more.
inline DerivativeOut rows_of_solution(const Call& call, const CheckedDerivativeOptions& options,
                                      std::size_t first, double* matrix, std::int32_t ld) noexcept {
  const bool some = call.good() && matrix != nullptr && first < call.velocity_count() + call.rows();
  const std::size_t above = options.row_major ? first * static_cast<std::size_t>(ld) : first;
  return options.matrix(some ? matrix + above : nullptr, ld);
}

// The inputs of constrained dynamics.
inline Call constrained_call(tenon_workspace* workspace, const char* function, Array q, Array v, Array tau,
                             Array wrenches, Array desired) noexcept {
  Call call = derivative_call(workspace, function, q, v, tau, wrenches);
  call.optional_rows(desired);
  return call;
}

}  // namespace tenon::capi
