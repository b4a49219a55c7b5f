// Counts of operations, and algorithms as C functions.
#include "tenonx/trace.hpp"

#include <cstring>

#include "support/arguments.hpp"
#include "support/descriptor.hpp"
#include "support/guard.hpp"
#include "support/object.hpp"
#include "tenonx.h"

using namespace tenon::capi;
using tenon::Error;
using tenon::Status;

namespace {

constexpr tenon::TraceOptions core_trace_defaults{};
constexpr tenonx_trace_options trace_defaults = {
    sizeof(tenonx_trace_options), core_trace_defaults.iterations, 0, nullptr, 1, 0, 0, 0};

const tenon::TraceableAlgorithm* traceable(int32_t index) {
  const auto& all = tenon::traceable_algorithms();
  return index >= 0 && static_cast<std::size_t>(index) < all.size() ? &all[static_cast<std::size_t>(index)]
                                                                    : nullptr;
}

// What both calls work on, checked.
struct Task {
  Task(const tenon_model* model_, const tenon_constraints* constraints_, const char* algorithm_,
       const tenonx_trace_options* given) {
    need(model_, "model");
    algorithm = need_name(algorithm_, "algorithm");
    if (constraints_ != nullptr && !constraints_->core)
      throw Error(Status::invalid_argument,
                  "the constraint set is not finished; call tenon_constraints_finish before it is recorded");
    model = model_->core.get();
    constraints = constraints_ ? constraints_->core.get() : nullptr;
    const tenonx_trace_options o = completed(given, trace_defaults, "tenonx_trace_options");
    options = {o.iterations, o.mu != 0 ? o.mu : core_trace_defaults.mu};
    const auto flag = [](int32_t value, const char* field) {
      if (value != 0 && value != 1)
        throw Error(Status::invalid_argument, std::string("tenonx_trace_options.") + field + " is " +
                                                  std::to_string(value) + "; give 0 or 1");
      return value == 1;
    };
    const bool derivatives = flag(o.derivatives, "derivatives"), hessian = flag(o.hessian, "hessian");
    function = {o.function_name ? o.function_name : "", std::string("Tenon ") + tenon_version_string(),
                o.lanes, derivatives, hessian};
  }
  const tenon::Model* model;
  const tenon::ConstraintSet* constraints;
  std::string algorithm;
  tenon::TraceOptions options;
  tenon::GeneratedFunction function;
};

}  // namespace

int32_t tenonx_traceable_count(void) {
  return static_cast<int32_t>(tenon::traceable_algorithms().size());
}

const char* tenonx_traceable_name(int32_t algorithm) {
  const auto* found = traceable(algorithm);
  return found ? found->name : "unknown";
}

tenon_status tenonx_traceable_from_name(const char* name, int32_t* algorithm) {
  if (name == nullptr || algorithm == nullptr) return TENON_INVALID_ARGUMENT;
  for (int32_t i = 0; i < tenonx_traceable_count(); ++i) {
    if (std::strcmp(traceable(i)->name, name) != 0) continue;
    *algorithm = i;
    return TENON_OK;
  }
  return TENON_NOT_FOUND;
}

const char* tenonx_traceable_summary(int32_t algorithm) {
  const auto* found = traceable(algorithm);
  return found ? found->summary : "";
}

int32_t tenonx_traceable_traits(int32_t algorithm) {
  const auto* found = traceable(algorithm);
  if (!found) return TENON_OUT_OF_RANGE;
  return (found->constrained ? TENONX_TRAIT_CONSTRAINED : 0) |
         (found->fixed_path ? TENONX_TRAIT_FIXED_PATH : 0) | (found->loops ? TENONX_TRAIT_LOOPS : 0) |
         (found->for_loops ? TENONX_TRAIT_FOR_LOOPS : 0);
}

tenon_status tenonx_trace_options_init(tenonx_trace_options* options, size_t size) {
  return init(options, size, trace_defaults);
}

tenon_status tenonx_operation_counts_init(tenonx_operation_counts* counts, size_t size) {
  return init(counts, size, tenonx_operation_counts{});
}

tenon_status tenonx_count_operations(const tenon_model* model, const tenon_constraints* constraints,
                                     const char* algorithm, const tenonx_trace_options* options,
                                     tenonx_operation_counts* counts, char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    need(counts, "counts");
    const Task task(model, constraints, algorithm, options);
    const tenon::OperationCounts c =
        tenon::count_operations(*task.model, task.constraints, task.algorithm, task.options);
    const auto number = [](std::size_t count) { return static_cast<int64_t>(count); };
    const tenonx_operation_counts all = {0,
                                         0,
                                         number(c.additions),
                                         number(c.multiplications),
                                         number(c.divisions),
                                         number(c.square_roots),
                                         number(c.sines),
                                         number(c.cosines),
                                         number(c.arctangents),
                                         number(c.total())};
    const Status status = put(counts, all);
    if (status != Status::ok)
      throw Error(status, std::string("tenonx_operation_counts: ") + descriptor_fault(status));
  });
}

tenon_status tenonx_generate_c(const tenon_model* model, const tenon_constraints* constraints,
                               const char* algorithm, const tenonx_trace_options* options, char* text,
                               size_t text_size, size_t* needed, char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    const Task task(model, constraints, algorithm, options);
    const std::string code =
        tenon::generate_c(*task.model, task.constraints, task.algorithm, task.options, task.function);
    if (needed != nullptr) *needed = code.size() + 1;
    write_message(text, text_size, code.c_str());
  });
}
