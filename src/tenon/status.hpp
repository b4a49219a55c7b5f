// Status codes shared by the C++ core and the C ABI, and the one exception type of the core.
//
// The numbers are part of the ABI: include/tenon.h says what they mean (a static_assert in capi/ keeps the two lists
// equal).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tenon {

enum class Status : std::int32_t {
  ok = 0,
  max_iterations = 1,
  infeasible = 2,
  rank_deficient = 3,
  invalid_argument = -1,
  wrong_size = -2,
  not_finite = -3,
  out_of_range = -4,
  not_normalized = -5,
  parse_error = -10,
  file_error = -11,
  invalid_model = -12,
  invalid_inertia = -13,
  not_found = -14,
  not_positive_definite = -20,
  singular_configuration = -21,
  open_loop = -22,
  unsupported = -30,
  out_of_memory = -40,
  internal_error = -50,
};

// Static text, never null: "ok", "max_iterations", ...
const char* status_name(Status status) noexcept;

// Thrown by construction and parsing, never by a dynamics call. The message says what, where and how to mend
// it.
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  Status status() const noexcept { return status_; }

 private:
  Status status_;
};

}  // namespace tenon
