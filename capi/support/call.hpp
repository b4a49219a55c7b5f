// One call on a workspace: its arguments are checked one after the other, then the core runs. Nothing here
// allocates or throws. The first fault is kept as status and as a sentence in the workspace, and the core is
// not called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scalar/printf.hpp"
#include "support/constants.hpp"
#include "support/descriptor.hpp"
#include "support/guard.hpp"
#include "support/object.hpp"

namespace tenon::capi {

// A vector among the arguments: its name in the header, the pointer, and the count beside it.
struct Array {
  const char* name;
  const double* values;
  std::size_t count;
};
#define ARRAY(argument)                   \
  tenon::capi::Array {                    \
#argument, argument, argument##_count \
  }

class Call {
 public:
  // function: its name in tenon.h, the first word of every message. Getters have const objects, of which they change
  // the message alone.
  Call(const tenon_workspace* workspace, const char* function) noexcept
      : Call(workspace ? const_cast<Workspace*>(&workspace->core) : nullptr,
             workspace ? &workspace->message : nullptr, function) {}

  // Sizes of the workspace; 0 for NULL, which has failed already.
  std::size_t nq() const noexcept { return core_ ? static_cast<std::size_t>(core_->model().nq) : 0; }
  std::size_t nv() const noexcept { return core_ ? static_cast<std::size_t>(core_->model().nv) : 0; }
  std::size_t ny() const noexcept { return core_ ? static_cast<std::size_t>(core_->model().ny) : 0; }
  std::size_t links() const noexcept { return core_ ? core_->model().links.size() : 0; }
  std::size_t ratios() const noexcept {
    return core_ ? static_cast<std::size_t>(core_->model().loops.ratio_count) : 0;
  }
  std::size_t rows() const noexcept;
  std::size_t constraints() const noexcept;

  // A vector of exactly `expected` numbers. needed: may not be NULL (unless it is empty).
  void needed(const Array& given, std::size_t expected) noexcept {
    if (given.values == nullptr || given.count != expected) fail_needed(given, expected);
  }
  void optional(const Array& given, std::size_t expected) noexcept {
    if (given.values != nullptr && given.count != expected) fail_count(given, expected);
  }
  void needed_struct(const char* name, const void* given) noexcept;
  // A struct to be filled, which its _init function has prepared.
  template <class T>
  void needed_information(const char* name, const T* given) noexcept {
    needed_struct(name, given);
    if (given != nullptr && !plausible_size(given->struct_size))
      fail(Status::wrong_size, "%s: %s", name, descriptor_fault(Status::wrong_size));
  }
  // The same in the coordinates that the workspace is set to.
  std::size_t position_count() const noexcept;
  std::size_t velocity_count() const noexcept;
  void positions(const Array& given) noexcept {
    const std::size_t expected = position_count();
    if (given.values == nullptr || given.count != expected) fail_coordinates(given, expected, true);
  }
  void velocities(const Array& given) noexcept {
    const std::size_t expected = velocity_count();
    if (given.values == nullptr || given.count != expected) fail_coordinates(given, expected, false);
  }
  void optional_velocities(const Array& given) noexcept {
    if (given.values != nullptr) velocities(given);
  }
  void state(const Array& q, const Array& v) noexcept { positions(q), velocities(v); }
  // Integers.
  void optional(const char* name, const std::int32_t* given, std::size_t count,
                std::size_t expected) noexcept {
    if (given != nullptr && count != expected) fail_count({name, nullptr, count}, expected);
  }
  // One number a constraint row, six a link.
  void optional_rows(const Array& given) noexcept {
    if (given.values != nullptr) optional(given, rows());
  }
  void wrenches(const Array& given) noexcept {
    if (given.values != nullptr) optional(given, 6 * links());
  }
  // A matrix, column-major where it is not said to be row-major.
  void needed_matrix(Array given, std::size_t rows, std::size_t columns, std::int32_t ld) noexcept;
  void optional_matrix(Array given, std::size_t rows, std::size_t columns, std::int32_t ld,
                       bool row_major = false) noexcept;
  // Numbers of links, at most as many as there are.
  void chosen_links(const std::int32_t* links, std::size_t link_count) noexcept;
  void index(const char* name, std::int32_t value, std::size_t count, const char* of_what) noexcept;
  void one_of(const Kind& kind, const char* name, std::int32_t value) noexcept;
  void finite(const char* name, const double* values, std::size_t count) noexcept;
  // A constraint that has an anchor, and a pose for it.
  void anchor(std::int32_t constraint, const double* frame, std::size_t frame_count) noexcept;
  // An argument `pose`.
  void unit_pose(const double* frame, std::size_t frame_count) noexcept;
  // None, one for all rows, or one for each.
  void one_or_rows(Array given) noexcept;
  // Options, or the arguments of a call in a struct, over their defaults. name: of the struct.
  template <class T>
  T over(const T* given, T defaults, const char* name) noexcept {
    const Status layout = lay_over(given, &defaults);
    if (layout != Status::ok) fail(layout, "%s: %s", name, descriptor_fault(layout));
    if (reserved_of(defaults, 0) != 0) fail(Status::unsupported, "%s: the field 'reserved' is not 0", name);
    return defaults;
  }
  // The same, method and switches in range.
  SolveOptions options(const tenon_solve_options* given, bool has_lambda) noexcept;

  void fail(Status status, const char* format, ...) noexcept TENON_PRINTF(3, 4);
  bool good() const noexcept { return status_ == Status::ok; }

  // The core's status if the arguments were good, else that of the first fault. function: one of the core, of the
  // workspace and these arguments, or one of these arguments.
  template <class Function, class... Arguments>
  tenon_status run(Function&& function, const Arguments&... arguments) noexcept {
    if (!good()) return code(status_);
    message_->failed_before_core = false;
    try {
      if constexpr (std::is_invocable_v<Function&, Workspace&, const Arguments&...>)
        return code(function(*core_, arguments...));
      else
        return code(function(arguments...));
    } catch (...) {
      return caught([&](const char* text) { fail(Status::internal_error, "%s", text); });
    }
  }
  // The same for what cannot fail any more, and which the core therefore gives no message for.
  template <class Body>
  tenon_status run_glue(Body&& body) noexcept {
    return run([&](Workspace& core) {
      if constexpr (std::is_invocable_v<Body&, Workspace&>)
        body(core);
      else
        body();
      message_->failed_before_core = true;
      message_->text[0] = '\0';
      return Status::ok;
    });
  }

 protected:
  // core: NULL where the object is.
  Call(Workspace* core, CallMessage* message, const char* function) noexcept;

  Workspace* core_;

 private:
  void fail_needed(const Array& given, std::size_t expected) noexcept;
  void fail_count(const Array& given, std::size_t expected) noexcept;
  void fail_coordinates(const Array& given, std::size_t expected, bool positions) noexcept;

  CallMessage* message_;
  const char* function_;
  Status status_ = Status::ok;
};

}  // namespace tenon::capi
