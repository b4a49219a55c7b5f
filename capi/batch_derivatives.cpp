// First and second derivatives of dynamics in many states.
#include <utility>

#include "support/batch_arguments.hpp"
#include "support/derivative_options.hpp"
#include "support/rollout_arguments.hpp"

using namespace tenon::capi;
using tenon::DerivativeForm;

namespace {

// What all have.
class DerivativeArguments : public Arguments {
 public:
  DerivativeArguments(tenon_batch* batch, BatchFunction function, DerivativeForm form,
                      const tenon_derivative_options* options, size_t states, std::int32_t* status,
                      size_t status_count, const char* name) noexcept
      : Arguments(batch, function, states, status, status_count, name) {
    call.derivatives.form = form;
    const CheckedDerivativeOptions how = checked(*this, options);
    call.derivatives.accumulate = how.accumulate;
    row_major_ = how.row_major;
  }
  void state(const tenon_batch_array* q, const tenon_batch_array* v, const char* x_name,
             const tenon_batch_array* x, const tenon_batch_array* wrenches) noexcept {
    position(q);
    velocity(v);
    forces(x_name, x, wrenches);
  }
  BatchArray velocities(const char* name, const tenon_batch_array* a) noexcept {
    return optional_array(name, a, velocity_count());
  }
  void change(const tenon_batch_array* dq, const tenon_batch_array* dv, const char* name,
              const tenon_batch_array* third) noexcept {
    call.derivatives.along_q = velocities("dq", dq);
    call.derivatives.along_v = velocities("dv", dv);
    call.derivatives.along_x = velocities(name, third);
  }
  void results(const char* name, const tenon_batch_array* value, const BatchArray& by_q,
               const BatchArray& by_v, const BatchArray& by_x) noexcept {
    call.out[0] = output(name, value, velocity_count(), false);
    call.out[1] = by_q, call.out[2] = by_v, call.out[3] = by_x;
  }
  // What constrained dynamics has besides; along, out: of rows.
  void constraints(const tenon_batch_array* desired, const char* along_name, const tenon_batch_array* along,
                   const tenon_batch_array* lambda, const char* out_name,
                   const tenon_batch_array* out) noexcept {
    call.desired = optional_array("desired", desired, rows());
    call.derivatives.along_rows = optional_array(along_name, along, rows());
    call.out[4] = output("lambda", lambda, rows(), false);
    call.out[5] = output(out_name, out, rows(), false);
  }
  // Of a step.
  void end(tenon::Integrator integrator, double dt, const tenon_batch_array* next_q,
           const tenon_batch_array* next_v) noexcept {
    finite("dt", &dt, 1);
    call.integrator = integrator;
    call.dt = dt;
    call.out[0] = output("next_q", next_q, position_count(), false);
    call.out[4] = output("next_v", next_v, velocity_count(), false);
  }
  BatchArray gradient_by(const char* name, const tenon_batch_array* a) noexcept {
    return output(name, a, velocity_count(), false);
  }
  // A matrix of `rows` x `columns` numbers, to write; its columns are records, also of a row-major one, whose strides
  // change places.
  BatchArray matrix(const char* name, const tenon_batch_array* a, size_t rows, size_t columns) noexcept {
    const size_t in_line = row_major_ ? columns : rows, lines = row_major_ ? rows : columns;
    auto given = over(a, default_batch_array, name);
    BatchArray out;
    if (given.data == nullptr || given.record_stride == 0) {
      out = output(name, a, rows * columns, false);
      out.record_stride = static_cast<std::ptrdiff_t>(in_line * static_cast<size_t>(out.number_stride));
    } else {
      if (given.count != rows * columns)
        fail(Status::wrong_size, "%s has %zu numbers for each state; this model needs %zu x %zu", name,
             given.count, rows, columns);
      given.count = in_line;
      out = output(name, &given, in_line, false, lines);
    }
    if (row_major_) std::swap(out.number_stride, out.record_stride);
    return out;
  }
  BatchArray square(const char* name, const tenon_batch_array* a) noexcept {
    return matrix(name, a, velocity_count(), velocity_count());
  }
  // Of second derivatives: what they are of, then matrices or their products with a change.
  void gradient_of(const tenon_batch_array* gradient) noexcept {
    call.derivatives.gradient = needed_array("gradient", gradient, velocity_count());
  }
  void gradient_of(const tenon_batch_array* desired, const tenon_batch_array* gradient,
                   const tenon_batch_array* gradient_lambda) noexcept {
    call.desired = optional_array("desired", desired, rows());
    call.derivatives.gradient = velocities("gradient", gradient);
    call.derivatives.gradient_of_rows = optional_array("gradient_lambda", gradient_lambda, rows());
  }
  void hessian(const tenon_batch_array* qq, const tenon_batch_array* qv, const tenon_batch_array* vv,
               const char* name, const tenon_batch_array* third) noexcept {
    call.out[1] = square("hessian_qq", qq);
    call.out[2] = square("hessian_qv", qv);
    call.out[3] = square("hessian_vv", vv);
    call.out[4] = square(name, third);
  }
  void products(const tenon_batch_array* by_q, const tenon_batch_array* by_v, const char* name,
                const tenon_batch_array* by_third) noexcept {
    call.out[1] = gradient_by("product_q", by_q);
    call.out[2] = gradient_by("product_v", by_v);
    call.out[3] = gradient_by(name, by_third);
  }

 private:
  bool row_major_ = false;
};

}  // namespace

#define GIVEN(array) #array, array

tenon_status tenon_batch_inverse_dynamics_derivatives(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* a, const tenon_batch_array* wrenches,
    const tenon_batch_array* tau, const tenon_batch_array* dtau_dq, const tenon_batch_array* dtau_dv,
    const tenon_batch_array* dtau_da, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::inverse_derivatives, DerivativeForm::matrices, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(a), wrenches);
  c.results(GIVEN(tau), c.square(GIVEN(dtau_dq)), c.square(GIVEN(dtau_dv)), c.square(GIVEN(dtau_da)));
  return c.compute();
}

tenon_status tenon_batch_inverse_dynamics_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* a, const tenon_batch_array* wrenches,
    const tenon_batch_array* gradient, const tenon_batch_array* tau, const tenon_batch_array* gradient_q,
    const tenon_batch_array* gradient_v, const tenon_batch_array* gradient_a, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::inverse_derivatives, DerivativeForm::vjp, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(a), wrenches);
  c.call.derivatives.along_x = c.needed_array(GIVEN(gradient), c.velocity_count());
  c.results(GIVEN(tau), c.gradient_by(GIVEN(gradient_q)), c.gradient_by(GIVEN(gradient_v)),
            c.gradient_by(GIVEN(gradient_a)));
  return c.compute();
}

tenon_status tenon_batch_inverse_dynamics_jvp(tenon_batch* batch, const tenon_derivative_options* options,
                                              size_t states, const tenon_batch_array* q,
                                              const tenon_batch_array* v, const tenon_batch_array* a,
                                              const tenon_batch_array* wrenches, const tenon_batch_array* dq,
                                              const tenon_batch_array* dv, const tenon_batch_array* da,
                                              const tenon_batch_array* tau, const tenon_batch_array* dtau,
                                              int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::inverse_derivatives, DerivativeForm::jvp, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(a), wrenches);
  c.change(dq, dv, GIVEN(da));
  c.results(GIVEN(tau), c.output(GIVEN(dtau), c.velocity_count(), true), {}, {});
  return c.compute();
}

tenon_status tenon_batch_forward_dynamics_derivatives(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* qdd, const tenon_batch_array* dqdd_dq, const tenon_batch_array* dqdd_dv,
    const tenon_batch_array* dqdd_dtau, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::forward_derivatives, DerivativeForm::matrices, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.results(GIVEN(qdd), c.square(GIVEN(dqdd_dq)), c.square(GIVEN(dqdd_dv)), c.square(GIVEN(dqdd_dtau)));
  return c.compute();
}

tenon_status tenon_batch_forward_dynamics_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* gradient, const tenon_batch_array* qdd, const tenon_batch_array* gradient_q,
    const tenon_batch_array* gradient_v, const tenon_batch_array* gradient_tau, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::forward_derivatives, DerivativeForm::vjp, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.call.derivatives.along_x = c.needed_array(GIVEN(gradient), c.velocity_count());
  c.results(GIVEN(qdd), c.gradient_by(GIVEN(gradient_q)), c.gradient_by(GIVEN(gradient_v)),
            c.gradient_by(GIVEN(gradient_tau)));
  return c.compute();
}

tenon_status tenon_batch_forward_dynamics_jvp(tenon_batch* batch, const tenon_derivative_options* options,
                                              size_t states, const tenon_batch_array* q,
                                              const tenon_batch_array* v, const tenon_batch_array* tau,
                                              const tenon_batch_array* wrenches, const tenon_batch_array* dq,
                                              const tenon_batch_array* dv, const tenon_batch_array* dtau,
                                              const tenon_batch_array* qdd, const tenon_batch_array* dqdd,
                                              int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::forward_derivatives, DerivativeForm::jvp, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.change(dq, dv, GIVEN(dtau));
  c.results(GIVEN(qdd), c.output(GIVEN(dqdd), c.velocity_count(), true), {}, {});
  return c.compute();
}

tenon_status tenon_batch_constrained_dynamics_derivatives(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* desired, const tenon_batch_array* qdd, const tenon_batch_array* lambda,
    const tenon_batch_array* dqdd_dq, const tenon_batch_array* dqdd_dv, const tenon_batch_array* dqdd_dtau,
    const tenon_batch_array* dqdd_ddesired, const tenon_batch_array* dlambda_dq,
    const tenon_batch_array* dlambda_dv, const tenon_batch_array* dlambda_dtau,
    const tenon_batch_array* dlambda_ddesired, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::constrained_derivatives, DerivativeForm::matrices, options,
                        states, status, status_count, __func__);
  const size_t nv = c.velocity_count(), m = c.rows();
  c.state(q, v, GIVEN(tau), wrenches);
  c.call.desired = c.optional_array(GIVEN(desired), m);
  c.results(GIVEN(qdd), c.square(GIVEN(dqdd_dq)), c.square(GIVEN(dqdd_dv)), c.square(GIVEN(dqdd_dtau)));
  c.call.out[4] = c.output(GIVEN(lambda), m, false);
  c.call.out[5] = c.matrix(GIVEN(dqdd_ddesired), nv, m);
  c.call.out[6] = c.matrix(GIVEN(dlambda_dq), m, nv);
  c.call.out[7] = c.matrix(GIVEN(dlambda_dv), m, nv);
  c.call.out[8] = c.matrix(GIVEN(dlambda_dtau), m, nv);
  c.call.out[9] = c.matrix(GIVEN(dlambda_ddesired), m, m);
  return c.compute();
}

tenon_status tenon_batch_constrained_dynamics_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* desired, const tenon_batch_array* gradient,
    const tenon_batch_array* gradient_lambda, const tenon_batch_array* qdd, const tenon_batch_array* lambda,
    const tenon_batch_array* gradient_q, const tenon_batch_array* gradient_v,
    const tenon_batch_array* gradient_tau, const tenon_batch_array* gradient_desired, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::constrained_derivatives, DerivativeForm::vjp, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.constraints(desired, GIVEN(gradient_lambda), lambda, GIVEN(gradient_desired));
  c.call.derivatives.along_x = c.velocities(GIVEN(gradient));
  c.results(GIVEN(qdd), c.gradient_by(GIVEN(gradient_q)), c.gradient_by(GIVEN(gradient_v)),
            c.gradient_by(GIVEN(gradient_tau)));
  return c.compute();
}

tenon_status tenon_batch_constrained_dynamics_jvp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* desired, const tenon_batch_array* dq, const tenon_batch_array* dv,
    const tenon_batch_array* dtau, const tenon_batch_array* ddesired, const tenon_batch_array* qdd,
    const tenon_batch_array* lambda, const tenon_batch_array* dqdd, const tenon_batch_array* dlambda,
    int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::constrained_derivatives, DerivativeForm::jvp, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.constraints(desired, GIVEN(ddesired), lambda, GIVEN(dlambda));
  c.change(dq, dv, GIVEN(dtau));
  c.results(GIVEN(qdd), c.gradient_by(GIVEN(dqdd)), {}, {});
  return c.compute();
}

tenon_status tenon_batch_inverse_dynamics_hessian(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* a, const tenon_batch_array* wrenches,
    const tenon_batch_array* gradient, const tenon_batch_array* hessian_qq,
    const tenon_batch_array* hessian_qv, const tenon_batch_array* hessian_vv,
    const tenon_batch_array* hessian_qa, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::inverse_hessian, DerivativeForm::matrices, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(a), wrenches);
  c.gradient_of(gradient);
  c.hessian(hessian_qq, hessian_qv, hessian_vv, GIVEN(hessian_qa));
  return c.compute();
}

tenon_status tenon_batch_forward_dynamics_hessian(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* gradient, const tenon_batch_array* hessian_qq,
    const tenon_batch_array* hessian_qv, const tenon_batch_array* hessian_vv,
    const tenon_batch_array* hessian_qtau, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::forward_hessian, DerivativeForm::matrices, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.gradient_of(gradient);
  c.hessian(hessian_qq, hessian_qv, hessian_vv, GIVEN(hessian_qtau));
  return c.compute();
}

tenon_status tenon_batch_constrained_dynamics_hessian(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* desired, const tenon_batch_array* gradient,
    const tenon_batch_array* gradient_lambda, const tenon_batch_array* hessian_qq,
    const tenon_batch_array* hessian_qv, const tenon_batch_array* hessian_vv,
    const tenon_batch_array* hessian_qtau, const tenon_batch_array* hessian_qdesired, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::constrained_hessian, DerivativeForm::matrices, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.gradient_of(desired, gradient, gradient_lambda);
  c.hessian(hessian_qq, hessian_qv, hessian_vv, GIVEN(hessian_qtau));
  c.call.out[5] = c.matrix(GIVEN(hessian_qdesired), c.velocity_count(), c.rows());
  return c.compute();
}

tenon_status tenon_batch_inverse_dynamics_hvp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* a, const tenon_batch_array* wrenches,
    const tenon_batch_array* gradient, const tenon_batch_array* dq, const tenon_batch_array* dv,
    const tenon_batch_array* da, const tenon_batch_array* product_q, const tenon_batch_array* product_v,
    const tenon_batch_array* product_a, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::inverse_hessian, DerivativeForm::jvp, options, states, status,
                        status_count, __func__);
  c.state(q, v, GIVEN(a), wrenches);
  c.gradient_of(gradient);
  c.change(dq, dv, GIVEN(da));
  c.products(product_q, product_v, GIVEN(product_a));
  return c.compute();
}

tenon_status tenon_batch_forward_dynamics_hvp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* gradient, const tenon_batch_array* dq, const tenon_batch_array* dv,
    const tenon_batch_array* dtau, const tenon_batch_array* product_q, const tenon_batch_array* product_v,
    const tenon_batch_array* product_tau, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::forward_hessian, DerivativeForm::jvp, options, states, status,
                        status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.gradient_of(gradient);
  c.change(dq, dv, GIVEN(dtau));
  c.products(product_q, product_v, GIVEN(product_tau));
  return c.compute();
}

tenon_status tenon_batch_constrained_dynamics_hvp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* tau, const tenon_batch_array* wrenches,
    const tenon_batch_array* desired, const tenon_batch_array* gradient,
    const tenon_batch_array* gradient_lambda, const tenon_batch_array* dq, const tenon_batch_array* dv,
    const tenon_batch_array* dtau, const tenon_batch_array* ddesired, const tenon_batch_array* product_q,
    const tenon_batch_array* product_v, const tenon_batch_array* product_tau,
    const tenon_batch_array* product_desired, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::constrained_hessian, DerivativeForm::jvp, options, states,
                        status, status_count, __func__);
  c.state(q, v, GIVEN(tau), wrenches);
  c.gradient_of(desired, gradient, gradient_lambda);
  c.change(dq, dv, GIVEN(dtau));
  c.call.derivatives.along_rows = c.optional_array(GIVEN(ddesired), c.rows());
  c.products(product_q, product_v, GIVEN(product_tau));
  c.call.out[5] = c.output(GIVEN(product_desired), c.rows(), false);
  return c.compute();
}

// Of a step by each rule.
#define TENON_BATCH_STEP_DERIVATIVES(rule)                                                              \
  tenon_status tenon_batch_step_##rule##_vjp(                                                           \
      tenon_batch* batch, const tenon_derivative_options* options, size_t states, double dt,            \
      const tenon_batch_array* q, const tenon_batch_array* v, const tenon_batch_array* tau,             \
      const tenon_batch_array* wrenches, const tenon_batch_array* gradient_next_q,                      \
      const tenon_batch_array* gradient_next_v, const tenon_batch_array* next_q,                        \
      const tenon_batch_array* next_v, const tenon_batch_array* gradient_q,                             \
      const tenon_batch_array* gradient_v, const tenon_batch_array* gradient_tau, int32_t* status,      \
      size_t status_count) {                                                                            \
    DerivativeArguments c(batch, BatchFunction::step_derivatives, DerivativeForm::vjp, options, states, \
                          status, status_count, __func__);                                              \
    c.state(q, v, GIVEN(tau), wrenches);                                                                \
    c.call.derivatives.along_q = c.velocities(GIVEN(gradient_next_q));                                  \
    c.call.derivatives.along_v = c.velocities(GIVEN(gradient_next_v));                                  \
    c.end(tenon::Integrator::rule, dt, next_q, next_v);                                                 \
    c.call.out[1] = c.gradient_by(GIVEN(gradient_q));                                                   \
    c.call.out[2] = c.gradient_by(GIVEN(gradient_v));                                                   \
    c.call.out[3] = c.gradient_by(GIVEN(gradient_tau));                                                 \
    return c.compute();                                                                                 \
  }                                                                                                     \
                                                                                                        \
  tenon_status tenon_batch_step_##rule##_jvp(                                                           \
      tenon_batch* batch, const tenon_derivative_options* options, size_t states, double dt,            \
      const tenon_batch_array* q, const tenon_batch_array* v, const tenon_batch_array* tau,             \
      const tenon_batch_array* wrenches, const tenon_batch_array* dq, const tenon_batch_array* dv,      \
      const tenon_batch_array* dtau, const tenon_batch_array* next_q, const tenon_batch_array* next_v,  \
      const tenon_batch_array* dnext_q, const tenon_batch_array* dnext_v, int32_t* status,              \
      size_t status_count) {                                                                            \
    DerivativeArguments c(batch, BatchFunction::step_derivatives, DerivativeForm::jvp, options, states, \
                          status, status_count, __func__);                                              \
    c.state(q, v, GIVEN(tau), wrenches);                                                                \
    c.change(dq, dv, GIVEN(dtau));                                                                      \
    c.end(tenon::Integrator::rule, dt, next_q, next_v);                                                 \
    c.call.out[1] = c.gradient_by(GIVEN(dnext_q));                                                      \
    c.call.out[2] = c.gradient_by(GIVEN(dnext_v));                                                      \
    return c.compute();                                                                                 \
  }

TENON_BATCH_STEP_DERIVATIVES(semi_implicit_euler)
TENON_BATCH_STEP_DERIVATIVES(runge_kutta_4)
#undef TENON_BATCH_STEP_DERIVATIVES

tenon_status tenon_batch_rollout_vjp(tenon_batch* batch, const tenon_rollout_options* options, size_t states,
                                     const tenon_batch_array* q, const tenon_batch_array* v,
                                     const tenon_batch_array* tau, const tenon_batch_array* wrenches,
                                     const tenon_batch_array* record_gradient_q,
                                     const tenon_batch_array* record_gradient_v,
                                     const tenon_batch_array* gradient_q, const tenon_batch_array* gradient_v,
                                     const tenon_batch_array* gradient_tau, int32_t* status,
                                     size_t status_count) {
  RolloutArguments c(batch, BatchFunction::rollout_derivatives, options, states, status, status_count,
                     __func__);
  c.inputs(q, v, tau, wrenches);
  const size_t nv = c.velocity_count(), records = c.call.records();
  c.call.derivatives.form = DerivativeForm::vjp;
  c.call.derivatives.along_q = c.optional_array(GIVEN(record_gradient_q), nv, records);
  c.call.derivatives.along_v = c.optional_array(GIVEN(record_gradient_v), nv, records);
  c.call.out[4] = c.output(GIVEN(gradient_q), nv, false);
  c.call.out[5] = c.output(GIVEN(gradient_v), nv, false);
  c.call.out[6] = c.output(GIVEN(gradient_tau), nv, false, c.call.steps);
  c.what_options_have();
  return c.compute();
}
