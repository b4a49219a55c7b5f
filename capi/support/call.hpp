// One call on a workspace: its arguments are checked one after the other, then the core runs. Nothing here
// allocates or throws. The first fault is kept as status and as a sentence in the workspace, and the core is
// not called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/constants.hpp"
#include "support/guard.hpp"
#include "support/object.hpp"

namespace tenon::capi {

class Call {
 public:
  // function: its name in tenon.h, the first word of every message.
  Call(tenon_workspace* workspace, const char* function) noexcept;

  // Sizes of the workspace; 0 for NULL, which has failed already.
  std::size_t nq() const noexcept {
    return workspace_ ? static_cast<std::size_t>(workspace_->core.model().nq) : 0;
  }
  std::size_t nv() const noexcept {
    return workspace_ ? static_cast<std::size_t>(workspace_->core.model().nv) : 0;
  }
  std::size_t ny() const noexcept {
    return workspace_ ? static_cast<std::size_t>(workspace_->core.model().ny) : 0;
  }
  std::size_t links() const noexcept { return workspace_ ? workspace_->core.model().links.size() : 0; }
  std::size_t rows() const noexcept;
  std::size_t constraints() const noexcept;

  // A vector of exactly `expected` numbers. needed: may not be NULL (unless it is empty).
  void needed(const char* name, const double* values, std::size_t count, std::size_t expected) noexcept;
  void optional(const char* name, const double* values, std::size_t count, std::size_t expected) noexcept;
  // The same in the coordinates that the workspace is set to.
  std::size_t position_count() const noexcept;
  std::size_t velocity_count() const noexcept;
  void positions(const char* name, const double* values, std::size_t count) noexcept;
  void velocities(const char* name, const double* values, std::size_t count) noexcept;
  void optional_velocities(const char* name, const double* values, std::size_t count) noexcept;
  // A column-major matrix.
  void needed_matrix(const char* name, const double* values, std::size_t count, std::size_t rows,
                     std::size_t columns, std::int32_t ld) noexcept;
  void optional_matrix(const char* name, const double* values, std::size_t count, std::size_t rows,
                       std::size_t columns, std::int32_t ld) noexcept;
  void index(const char* name, std::int32_t value, std::size_t count, const char* of_what) noexcept;
  void one_of(const Kind& kind, const char* name, std::int32_t value) noexcept;
  void finite(const char* name, const double* values, std::size_t count) noexcept;
  // None, one for all rows, or one for each.
  void one_or_rows(const char* name, const double* values, std::size_t count) noexcept;
  // The options over their defaults; method and switches in range.
  SolveOptions options(const tenon_solve_options* given, bool has_lambda) noexcept;

  void fail(Status status, const char* format, ...) noexcept __attribute__((format(printf, 3, 4)));
  bool good() const noexcept { return status_ == Status::ok; }

  // The core's status if the arguments were good, else that of the first fault. body returns Status.
  template <class Body>
  tenon_status run(Body&& body) noexcept {
    if (!good()) return code(status_);
    workspace_->failed_before_core = false;
    return stop_exceptions(body, [&](const char* text) { fail(Status::internal_error, "%s", text); });
  }
  // The same for what cannot fail any more, and which the core therefore gives no message for.
  template <class Body>
  tenon_status run_glue(Body&& body) noexcept {
    return run([&] {
      body();
      workspace_->failed_before_core = true;
      workspace_->message[0] = '\0';
      return Status::ok;
    });
  }

 private:
  void fail_coordinates(const char* name, std::size_t count, std::size_t expected, bool positions) noexcept;

  tenon_workspace* workspace_;
  const char* function_;
  Status status_ = Status::ok;
};

}  // namespace tenon::capi
