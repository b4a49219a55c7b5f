#include "support/call.hpp"

#include <cstdarg>
#include <cstdio>

#include "mechanism/utf8.hpp"
#include "scalar/classic_text.hpp"
#include "scalar/out_of_range.hpp"
#include "support/arguments.hpp"
#include "support/solve_options.hpp"
#include "tenon/loops.hpp"

namespace tenon::capi {

Call::Call(Workspace* core, CallMessage* message, const char* function) noexcept
    : core_(core), message_(message), function_(function) {
  if (core == nullptr) status_ = Status::invalid_argument;
}

void Call::fail(Status status, const char* format, ...) noexcept {
  if (core_ == nullptr || !good()) return;
  status_ = status;
  message_->failed_before_core = true;
  const int head = std::snprintf(message_->text, sizeof message_->text, "%s: ", function_);
  const auto used = static_cast<std::size_t>(head);
  std::va_list arguments;
  va_start(arguments, format);
  char* text = message_->text + used;
  const std::size_t space = sizeof message_->text - used;
  drop_cut_character(text, space, print_classic(text, space, format, arguments));
  va_end(arguments);
}

std::size_t Call::rows() const noexcept {
  const auto* set = core_ ? core_->constraints() : nullptr;
  return set ? static_cast<std::size_t>(set->row_count()) : 0;
}

std::size_t Call::constraints() const noexcept {
  const auto* set = core_ ? core_->constraints() : nullptr;
  return set ? static_cast<std::size_t>(set->constraint_count()) : 0;
}

void Call::fail_needed(const Array& given, std::size_t expected) noexcept {
  if (given.values == nullptr && expected > 0)
    fail(Status::invalid_argument, "%s is NULL; give %zu numbers", given.name, expected);
  optional(given, expected);
}

void Call::fail_count(const Array& given, std::size_t expected) noexcept {
  fail(Status::wrong_size, "%s has %zu numbers; this model and constraint set need %zu", given.name,
       given.count, expected);
}

void Call::needed_struct(const char* name, const void* given) noexcept {
  if (given == nullptr) fail(Status::invalid_argument, "%s is NULL; give a struct", name);
}

std::size_t Call::position_count() const noexcept {
  return core_ ? static_cast<std::size_t>(tenon::position_count(*core_)) : 0;
}

std::size_t Call::velocity_count() const noexcept {
  return core_ ? static_cast<std::size_t>(tenon::velocity_count(*core_)) : 0;
}

// A count that is right for the coordinates that are not set deserves to be told so.
void Call::fail_coordinates(const Array& given, std::size_t expected, bool positions) noexcept {
  if (!good()) return;
  if (given.values == nullptr) return fail_needed(given, expected);
  const std::size_t count = given.count;
  const auto& model = core_->model();
  const std::size_t spanning = positions ? nq() : nv();
  const std::size_t fewer = positions ? model.loops.independent_q.size() : static_cast<std::size_t>(model.ny);
  if (spanning == fewer || (count != spanning && count != fewer)) return fail_needed(given, expected);
  fail(Status::wrong_size,
       "%s has %zu numbers, those of %s coordinates, but the workspace is set to %s ones, of which there are "
       "%zu; give these or call tenon_workspace_set_coordinates",
       given.name, count, count == spanning ? "spanning" : "independent",
       count == spanning ? "independent" : "spanning", expected);
}

void Call::needed_matrix(Array given, std::size_t rows, std::size_t columns, std::int32_t ld) noexcept {
  if (given.values == nullptr && rows * columns > 0)
    fail(Status::invalid_argument, "%s is NULL; give a matrix of %zu x %zu", given.name, rows, columns);
  optional_matrix(given, rows, columns, ld);
}

void Call::optional_matrix(Array given, std::size_t rows, std::size_t columns, std::int32_t ld,
                           bool row_major) noexcept {
  if (given.values == nullptr || rows * columns == 0) return;
  const std::size_t in_line = row_major ? columns : rows, lines = row_major ? rows : columns;
  if (ld < 0 || static_cast<std::size_t>(ld) < in_line) {
    fail(Status::wrong_size, "%s: the leading dimension is %d; a %smatrix of %zu %s needs at least that many",
         given.name, static_cast<int>(ld), row_major ? "row-major " : "", in_line,
         row_major ? "columns" : "rows");
    return;
  }
  const std::size_t least = static_cast<std::size_t>(ld) * (lines - 1) + in_line;
  if (given.count < least)
    fail(Status::wrong_size, "%s has %zu numbers; %zu x %zu%s with leading dimension %d needs %zu",
         given.name, given.count, rows, columns, row_major ? ", row-major," : "", static_cast<int>(ld),
         least);
}

void Call::index(const char* name, std::int32_t value, std::size_t count, const char* of_what) noexcept {
  if (value < 0 || static_cast<std::size_t>(value) >= count)
    fail(Status::out_of_range, "%s", OutOfRange(name, value, count, of_what).text);
}

void Call::chosen_links(const std::int32_t* links, std::size_t link_count) noexcept {
  if (links == nullptr && link_count > 0)
    fail(Status::invalid_argument, "links is NULL; give %zu indices of links", link_count);
  if (link_count > this->links())
    fail(Status::wrong_size, "link_count is %zu, but the model has %zu links", link_count, this->links());
  for (std::size_t i = 0; good() && i < link_count; ++i) index("links", links[i], this->links(), "links");
}

void Call::one_of(const Kind& kind, const char* name, std::int32_t value) noexcept {
  if (!kind.find(value))
    fail(Status::invalid_argument, "%s is %d, which is none of %s", name, static_cast<int>(value),
         kind.constants);
}

void Call::finite(const char* name, const double* values, std::size_t count) noexcept {
  if (good() && values != nullptr && !all_finite(values, count))
    fail(Status::not_finite, "%s holds NaN or infinity; give finite numbers", name);
}

void Call::one_or_rows(Array given) noexcept {
  if (given.values != nullptr && given.count != 1 && given.count != rows())
    fail(Status::wrong_size, "%s has %zu numbers; give 1 for all rows or %zu, one for each", given.name,
         given.count, rows());
}

void Call::anchor(std::int32_t constraint, const double* frame, std::size_t frame_count) noexcept {
  index("constraint", constraint, constraints(), "constraints");
  if (good() && core_->constraints()->specs()[static_cast<std::size_t>(constraint)].closure)
    fail(Status::invalid_argument,
         "the constraint is a closure and has no anchor; it is held by its second link");
  unit_pose(frame, frame_count);
}

void Call::unit_pose(const double* frame, std::size_t frame_count) noexcept {
  needed({"pose", frame, frame_count}, pose_count);
  finite("pose", frame, pose_count);
  if (good() && !is_unit_quaternion(frame + 3))
    fail(Status::not_normalized,
         "numbers 3 to 6 of pose are the quaternion x y z w, and its norm is off 1 by more than 1e-6; "
         "divide it "
         "by its norm");
}

SolveOptions Call::options(const tenon_solve_options* given, bool has_lambda) noexcept {
  if (given == nullptr) return core_defaults;
  const tenon_solve_options o = over(given, default_solve_options, "tenon_solve_options");
  one_of(kinds::method, "tenon_solve_options: method", o.method);
  if (o.max_iterations < 0)
    fail(Status::invalid_argument, "tenon_solve_options: max_iterations is %d; give 0 for no limit, or more",
         static_cast<int>(o.max_iterations));
  if ((o.warm_start != 0 && o.warm_start != 1) || (o.accelerate != 0 && o.accelerate != 1))
    fail(Status::invalid_argument, "tenon_solve_options: warm_start and accelerate are 0 or 1");
  one_of(kinds::split, "tenon_solve_options: split_base", o.split_base);
  const double numbers[] = {o.absolute_tolerance, o.relative_tolerance, o.mu, o.tikhonov};
  if (!all_finite(numbers, 4)) fail(Status::not_finite, "tenon_solve_options holds NaN or infinity");
  if (!(o.absolute_tolerance > 0) || !(o.relative_tolerance >= 0) || !(o.mu >= 0) || !(o.tikhonov >= 0))
    fail(Status::invalid_argument,
         "tenon_solve_options: absolute_tolerance %g must be above 0, relative_tolerance %g, mu %g and "
         "tikhonov %g not below 0",
         o.absolute_tolerance, o.relative_tolerance, o.mu, o.tikhonov);
  if (o.warm_start == 1 && !has_lambda)
    fail(Status::invalid_argument, "warm_start is 1, but lambda, where it would start, is NULL");
  SolveOptions core;
  core.method = static_cast<Method>(o.method);
  core.absolute_tolerance = o.absolute_tolerance;
  core.relative_tolerance = o.relative_tolerance;
  core.max_iterations = o.max_iterations;
  core.mu = o.mu;
  core.warm_start = o.warm_start == 1;
  core.accelerate = o.accelerate == 1;
  core.tikhonov = o.tikhonov;
  core.split_base = static_cast<SplitBase>(o.split_base);
  return core;
}

}  // namespace tenon::capi
