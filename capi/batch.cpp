// Batches: many states in one call.
#include "tenon/batch.hpp"

#include <cstdint>

#include "support/arguments.hpp"
#include "support/batch_arguments.hpp"
#include "support/delassus_options.hpp"
#include "support/rollout_arguments.hpp"
#include "support/solve_report.hpp"

using namespace tenon::capi;
using tenon::BatchArray;
using tenon::BatchCall;
using tenon::BatchFunction;
using tenon::Error;
using tenon::Status;

constexpr tenon_batch_options default_batch_options = {sizeof(tenon_batch_options), TENON_PRECISION_DOUBLE,
                                                       TENON_INSTRUCTION_SET_AUTOMATIC, 1, 0};
constexpr std::int32_t most_threads = 1024;

tenon_status tenon_batch_options_init(tenon_batch_options* options, size_t size) {
  return init(options, size, default_batch_options);
}
tenon_status tenon_batch_array_init(tenon_batch_array* array, size_t size) {
  return init(array, size, default_batch_array);
}
tenon_status tenon_rollout_options_init(tenon_rollout_options* options, size_t size) {
  return init(options, size, default_rollout_options);
}

static tenon::BatchOptions checked_batch(const tenon_batch_options* options) {
  const auto o = completed(options, default_batch_options, "tenon_batch_options");
  need_one_of(kinds::precision, o.precision, "tenon_batch_options: precision");
  need_one_of(kinds::instruction_set, o.instruction_set, "tenon_batch_options: instruction_set");
  if (o.threads < 1 || o.threads > most_threads)
    throw Error(Status::invalid_argument,
                "tenon_batch_options: threads is " + std::to_string(o.threads) + "; give 1 to 1024");
  if (o.reports != 0 && o.reports != 1)
    throw Error(Status::invalid_argument, "tenon_batch_options: reports is " + std::to_string(o.reports) +
                                              "; give 1 to keep them, or 0");
  return {o.precision == TENON_PRECISION_SINGLE, static_cast<tenon::Instructions>(o.instruction_set),
          o.threads, o.reports == 1};
}

tenon_status tenon_batch_create(const tenon_model* model, const tenon_constraints* constraints,
                                const tenon_batch_options* options, tenon_batch** batch, char* message,
                                size_t message_size) {
  if (batch != nullptr) *batch = nullptr;
  return guard(message, message_size, [&] {
    need(batch, "batch");
    need(model, "model");
    if (constraints != nullptr && !constraints->core)
      throw Error(Status::invalid_argument,
                  "the constraint set is not finished; call tenon_constraints_finish before a batch is made");
    *batch = new tenon_batch(model->core, constraints ? constraints->core : nullptr, checked_batch(options));
  });
}

tenon_status tenon_batch_clone(const tenon_batch* batch, tenon_batch** clone, char* message,
                               size_t message_size) {
  if (clone != nullptr) *clone = nullptr;
  return guard(message, message_size, [&] {
    need(batch, "batch");
    need(clone, "clone");
    *clone = new tenon_batch(*batch);
  });
}

void tenon_batch_destroy(tenon_batch* batch) {
  delete batch;
}

const char* tenon_batch_message(const tenon_batch* batch) {
  if (batch == nullptr) return "the batch is NULL";
  return batch->message.failed_before_core ? batch->message.text : batch->core.message();
}

size_t tenon_batch_size_bytes(const tenon_batch* batch) {
  return batch ? sizeof *batch + batch->core.bytes() : 0;
}
int32_t tenon_batch_width(const tenon_batch* batch) {
  return batch ? batch->core.width() : TENON_INVALID_ARGUMENT;
}
int32_t tenon_batch_instruction_set(const tenon_batch* batch) {
  return batch ? static_cast<int32_t>(batch->core.instructions()) : TENON_INVALID_ARGUMENT;
}

// Forward and inverse dynamics: x and out are the one's input and the other's output.
static tenon_status dynamics(Arguments&& a, const tenon_batch_array* q, const tenon_batch_array* v,
                             const char* x_name, const tenon_batch_array* x,
                             const tenon_batch_array* wrenches, const char* out_name,
                             const tenon_batch_array* out) noexcept {
  a.position(q);
  a.velocity(v);
  a.forces(x_name, x, wrenches);
  a.call.out[0] = a.output(out_name, out, a.velocity_count(), true);
  return a.compute();
}

tenon_status tenon_batch_forward_dynamics(tenon_batch* batch, size_t states, const tenon_batch_array* q,
                                          const tenon_batch_array* v, const tenon_batch_array* tau,
                                          const tenon_batch_array* wrenches, const tenon_batch_array* qdd,
                                          int32_t* status, size_t status_count) {
  return dynamics({batch, BatchFunction::forward_dynamics, states, status, status_count, __func__}, q, v,
                  "tau", tau, wrenches, "qdd", qdd);
}

tenon_status tenon_batch_inverse_dynamics(tenon_batch* batch, size_t states, const tenon_batch_array* q,
                                          const tenon_batch_array* v, const tenon_batch_array* a,
                                          const tenon_batch_array* wrenches, const tenon_batch_array* tau,
                                          int32_t* status, size_t status_count) {
  return dynamics({batch, BatchFunction::inverse_dynamics, states, status, status_count, __func__}, q, v, "a",
                  a, wrenches, "tau", tau);
}

// A function that gives so many numbers of a matrix at q.
static tenon_status matrix(Arguments& a, const tenon_batch_array* q, const char* name,
                           const tenon_batch_array* out, size_t numbers) noexcept {
  a.position(q);
  a.call.out[0] = a.output(name, out, numbers, true);
  return a.compute();
}

tenon_status tenon_batch_mass_matrix(tenon_batch* batch, size_t states, const tenon_batch_array* q,
                                     const tenon_batch_array* M, int32_t* status, size_t status_count) {
  Arguments a(batch, BatchFunction::mass_matrix, states, status, status_count, __func__);
  return matrix(a, q, "M", M, a.velocity_count() * a.velocity_count());
}

tenon_status tenon_batch_mass_matrix_lower(tenon_batch* batch, size_t states, const tenon_batch_array* q,
                                           const tenon_batch_array* M, int32_t* status, size_t status_count) {
  Arguments a(batch, BatchFunction::mass_matrix_lower, states, status, status_count, __func__);
  return matrix(a, q, "M", M, a.velocity_count() * (a.velocity_count() + 1) / 2);
}

tenon_status tenon_batch_mass_matrix_factor(tenon_batch* batch, size_t states, const tenon_batch_array* q,
                                            const tenon_batch_array* L, int32_t* status,
                                            size_t status_count) {
  Arguments a(batch, BatchFunction::mass_matrix_factor, states, status, status_count, __func__);
  return matrix(a, q, "L", L, a.velocity_count() * (a.velocity_count() + 1) / 2);
}

// Of links.
static tenon_status kinematics(Arguments&& c, const int32_t* links, size_t link_count, int32_t axes,
                               const tenon_batch_array* q, const tenon_batch_array* v,
                               const tenon_batch_array* a, const Arguments::Motion& out,
                               const tenon_batch_array* jacobians) noexcept {
  c.links_in_motion(links, link_count, axes, q, v, a, out, {});
  c.call.out[2] = c.output("jacobians", jacobians, 6 * c.velocity_count() * link_count, false);
  return c.compute();
}

tenon_status tenon_batch_kinematics(tenon_batch* batch, size_t states, const int32_t* links,
                                    size_t link_count, int32_t axes, const tenon_batch_array* q,
                                    const tenon_batch_array* v, const tenon_batch_array* poses,
                                    const tenon_batch_array* velocities, const tenon_batch_array* jacobians,
                                    int32_t* status, size_t status_count) {
  return kinematics({batch, BatchFunction::kinematics, states, status, status_count, __func__}, links,
                    link_count, axes, q, v, nullptr, {poses, velocities, nullptr}, jacobians);
}

tenon_status tenon_batch_link_motion(tenon_batch* batch, size_t states, const int32_t* links,
                                     size_t link_count, int32_t axes, const tenon_batch_array* q,
                                     const tenon_batch_array* v, const tenon_batch_array* a,
                                     const tenon_batch_array* poses, const tenon_batch_array* velocities,
                                     const tenon_batch_array* accelerations,
                                     const tenon_batch_array* jacobians, int32_t* status,
                                     size_t status_count) {
  return kinematics({batch, BatchFunction::kinematics, states, status, status_count, __func__}, links,
                    link_count, axes, q, v, a, {poses, velocities, accelerations}, jacobians);
}

tenon_status tenon_batch_centroidal(tenon_batch* batch, size_t states, const tenon_batch_array* q,
                                    const tenon_batch_array* v, const tenon_batch_array* centers,
                                    const tenon_batch_array* center_velocities,
                                    const tenon_batch_array* momenta, const tenon_batch_array* kinetic,
                                    const tenon_batch_array* potential, int32_t* status,
                                    size_t status_count) {
  Arguments a(batch, BatchFunction::centroidal, states, status, status_count, __func__);
  a.whole_robots(q, v, {{centers, center_velocities, momenta, kinetic, potential}});
  return a.compute();
}

tenon_status tenon_batch_constrained_dynamics(tenon_batch* batch, const tenon_solve_options* options,
                                              size_t states, const tenon_batch_array* q,
                                              const tenon_batch_array* v, const tenon_batch_array* tau,
                                              const tenon_batch_array* wrenches,
                                              const tenon_batch_array* desired, const tenon_batch_array* qdd,
                                              const tenon_batch_array* lambda, int32_t* iterations,
                                              size_t iterations_count, int32_t* status, size_t status_count) {
  Arguments a(batch, BatchFunction::constrained_dynamics, states, status, status_count, __func__);
  a.call.solve = a.options(options, has_data(lambda) || a.rows() == 0);
  a.position(q);
  a.velocity(v);
  a.forces("tau", tau, wrenches);
  a.call.desired = a.optional_array("desired", desired, a.rows());
  a.call.out[0] = a.output("qdd", qdd, a.velocity_count(), true);
  a.call.out[1] = a.output("lambda", lambda, a.rows(), false);
  a.call.iterations = a.integers("iterations", iterations, iterations_count);
  return a.compute();
}

tenon_status tenon_batch_impact(tenon_batch* batch, size_t states, const tenon_batch_array* restitution,
                                const tenon_batch_array* q, const tenon_batch_array* v,
                                const tenon_batch_array* v_after, const tenon_batch_array* impulse,
                                int32_t* status, size_t status_count) {
  Arguments a(batch, BatchFunction::impact, states, status, status_count, __func__);
  a.hit(restitution, q, v);
  a.call.out[0] = a.output("v_after", v_after, a.velocity_count(), true);
  a.call.out[1] = a.output("impulse", impulse, a.rows(), false);
  return a.compute();
}

tenon_status tenon_batch_report(const tenon_batch* batch, size_t state, tenon_solve_report* report) {
  Arguments a(batch, __func__);
  a.needed_information("report", report);
  if (batch != nullptr && a.good()) {
    const size_t states = batch->core.reports().size();
    if (!batch->core.keeps_reports())
      a.fail(Status::invalid_argument,
             "this batch keeps no reports; make it with tenon_batch_options.reports 1");
    else if (state >= states)
      a.fail(Status::out_of_range, "state is %zu; the last call had %zu states", state, states);
  }
  return a.run_glue([&] { put(report, report_of(batch->core.reports()[state])); });
}

tenon_status tenon_batch_delassus(tenon_batch* batch, const tenon_delassus_options* options, size_t states,
                                  const tenon_batch_array* q, const tenon_batch_array* A, int32_t* status,
                                  size_t status_count) {
  Arguments a(batch, BatchFunction::delassus, states, status, status_count, __func__);
  a.call.delassus_method = checked(a, options);
  return matrix(a, q, "A", A, a.rows() * a.rows());
}

tenon_status tenon_batch_delassus_inverse_times(tenon_batch* batch, const tenon_damped_options* options,
                                                size_t states, int32_t columns, const tenon_batch_array* q,
                                                const tenon_batch_array* B, const tenon_batch_array* X,
                                                int32_t* status, size_t status_count) {
  Arguments a(batch, BatchFunction::damped_product, states, status, status_count, __func__);
  const Damped damped = checked(a, options);
  if (columns < 0) a.fail(Status::wrong_size, "columns is %d; give 0 or more", static_cast<int>(columns));
  const size_t numbers = a.rows() * static_cast<size_t>(columns < 0 ? 0 : columns);
  if (columns > 0 && numbers / static_cast<size_t>(columns) != a.rows())
    a.fail(Status::wrong_size, "columns is %d, of which there is no room for %zu rows",
           static_cast<int>(columns), a.rows());
  a.call.damped_method = damped.method;
  a.call.damping = damped.damping;
  a.call.columns = columns;
  a.position(q);
  a.call.x = a.needed_array("B", B, numbers);
  a.call.out[0] = a.output("X", X, numbers, true);
  return a.compute();
}

tenon_status tenon_batch_rollout(tenon_batch* batch, const tenon_rollout_options* options, size_t states,
                                 const tenon_batch_array* q, const tenon_batch_array* v,
                                 const tenon_batch_array* tau, const tenon_batch_array* wrenches,
                                 const tenon_batch_array* q_out, const tenon_batch_array* v_out,
                                 int32_t* status, size_t status_count) {
  RolloutArguments a(batch, BatchFunction::rollout, options, states, status, status_count, __func__);
  a.inputs(q, v, tau, wrenches);
  a.call.out[0] = a.output("q_out", q_out, a.position_count(), false, a.call.records());
  a.call.out[1] = a.output("v_out", v_out, a.velocity_count(), false, a.call.records());
  a.what_options_have();
  return a.compute();
}
