// Status codes shared by the C++ core and the C ABI, and the one exception type of the core.
//
// The numbers are part of the ABI: they are fixed here, with gaps for later members, and include/tenon.h
// repeats them (a static_assert in capi/ keeps the two lists equal). Negative: nothing was written. Positive:
// outputs were written, with a caveat.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tenon {

enum class Status : std::int32_t {
  ok = 0,

  // Outputs are written, with a caveat.
  max_iterations = 1,  // the iteration limit was reached before the tolerance
  infeasible = 2,      // constraint rows contradict each other: the least-squares answer was written
  rank_deficient = 3,  // some rows are redundant: the motion is unique, the multipliers are not

  // Nothing was written.
  invalid_argument = -1,  // NULL where a value is needed, an unknown option, a bad enum value
  wrong_size = -2,        // a count or leading dimension does not fit the model
  not_finite = -3,        // NaN or infinity in an input
  out_of_range = -4,      // an index that names nothing
  not_normalized = -5,    // a quaternion off unit norm by more than 1e-6
  parse_error = -10,      // text that is not XML, or not a number where a number belongs
  file_error = -11,       // a file that cannot be read
  invalid_model = -12,    // a description that is no tree of joints: two roots, a cycle, a missing parent
  invalid_inertia = -13,  // mass or inertia that no moving body can have
  not_found = -14,        // a name that names nothing
  not_positive_definite = -20,   // the mass matrix cannot be factored
  singular_configuration = -21,  // a loop at a dead centre: independent velocities leave others open
  open_loop = -22,    // independent positions for which no configuration with closed loops was found
  unsupported = -30,  // a feature this version does not have
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
