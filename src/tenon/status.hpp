// Status codes shared by the C++ core and the C ABI, and the one exception type of the core.
//
// The numbers are part of the ABI: include/tenon.h says what they mean (capi/names.cpp
// proves that the two are equal).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tenon {

// Columns: the constant without TENON_; the name; the number.
// clang-format off
#define TENON_STATUSES(STATUS)                                \
  STATUS(OK,                     ok,                     0)   \
  STATUS(MAX_ITERATIONS,         max_iterations,         1)   \
  STATUS(INFEASIBLE,             infeasible,             2)   \
  STATUS(RANK_DEFICIENT,         rank_deficient,         3)   \
  STATUS(INVALID_ARGUMENT,       invalid_argument,       -1)  \
  STATUS(WRONG_SIZE,             wrong_size,             -2)  \
  STATUS(NOT_FINITE,             not_finite,             -3)  \
  STATUS(OUT_OF_RANGE,           out_of_range,           -4)  \
  STATUS(NOT_NORMALIZED,         not_normalized,         -5)  \
  STATUS(PARSE_ERROR,            parse_error,            -10) \
  STATUS(FILE_ERROR,             file_error,             -11) \
  STATUS(INVALID_MODEL,          invalid_model,          -12) \
  STATUS(INVALID_INERTIA,        invalid_inertia,        -13) \
  STATUS(NOT_FOUND,              not_found,              -14) \
  STATUS(NOT_POSITIVE_DEFINITE,  not_positive_definite,  -20) \
  STATUS(SINGULAR_CONFIGURATION, singular_configuration, -21) \
  STATUS(OPEN_LOOP,              open_loop,              -22) \
  STATUS(UNSUPPORTED,            unsupported,            -30) \
  STATUS(OUT_OF_MEMORY,          out_of_memory,          -40) \
  STATUS(INTERNAL_ERROR,         internal_error,         -50)
// clang-format on

#define TENON_NUMBER(constant, name, number) name = number,
enum class Status : std::int32_t { TENON_STATUSES(TENON_NUMBER) };
#undef TENON_NUMBER

// Static text, never null: "ok", "max_iterations", ...
constexpr const char* status_name(Status status) noexcept {
#define TENON_NAME(constant, name, number) status == Status::name ? #name:
  return TENON_STATUSES(TENON_NAME) "unknown";
#undef TENON_NAME
}

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
