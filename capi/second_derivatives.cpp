// Second derivatives of dynamics, contracted with a gradient.
#include "support/call.hpp"
#include "support/derivative_options.hpp"
#include "tenon/derivatives.hpp"

using namespace tenon::capi;
using tenon::ConstrainedChange;
using tenon::ConstrainedGradient;
using tenon::DerivativeOptions;
using tenon::Derivatives;
using tenon::Hessian;
using tenon::Inputs;
using tenon::StateChange;

// By q, v, and accelerations or forces.
static void optional_change(Call& call, const Array& by_q, const Array& by_v, const Array& third) noexcept {
  for (const Array& x : {by_q, by_v, third}) call.optional_velocities(x);
}

tenon_status tenon_inverse_dynamics_hessian(tenon_workspace* workspace,
                                            const tenon_derivative_options* options, const double* q,
                                            size_t q_count, const double* v, size_t v_count, const double* a,
                                            size_t a_count, const double* wrenches, size_t wrenches_count,
                                            const double* gradient, size_t gradient_count, double* hessian_qq,
                                            size_t hessian_qq_count, int32_t ldqq, double* hessian_qv,
                                            size_t hessian_qv_count, int32_t ldqv, double* hessian_vv,
                                            size_t hessian_vv_count, int32_t ldvv, double* hessian_qa,
                                            size_t hessian_qa_count, int32_t ldqa) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(a), ARRAY(wrenches));
  const CheckedDerivativeOptions how = checked(call, options);
  call.velocities(ARRAY(gradient));
  optional_square(call, how, ARRAY(hessian_qq), ldqq);
  optional_square(call, how, ARRAY(hessian_qv), ldqv);
  optional_square(call, how, ARRAY(hessian_vv), ldvv);
  optional_square(call, how, ARRAY(hessian_qa), ldqa);
  return call.run(tenon::inverse_dynamics_hessian, how, Inputs<double>{q, v, nullptr, wrenches, nullptr, a},
                  gradient,
                  Hessian{how.matrix(hessian_qq, ldqq),
                          how.matrix(hessian_qv, ldqv),
                          how.matrix(hessian_vv, ldvv),
                          how.matrix(hessian_qa, ldqa),
                          {}});
}

tenon_status tenon_forward_dynamics_hessian(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* gradient, size_t gradient_count, double* hessian_qq,
    size_t hessian_qq_count, int32_t ldqq, double* hessian_qv, size_t hessian_qv_count, int32_t ldqv,
    double* hessian_vv, size_t hessian_vv_count, int32_t ldvv, double* hessian_qtau,
    size_t hessian_qtau_count, int32_t ldqtau) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches));
  const CheckedDerivativeOptions how = checked(call, options);
  call.velocities(ARRAY(gradient));
  optional_square(call, how, ARRAY(hessian_qq), ldqq);
  optional_square(call, how, ARRAY(hessian_qv), ldqv);
  optional_square(call, how, ARRAY(hessian_vv), ldvv);
  optional_square(call, how, ARRAY(hessian_qtau), ldqtau);
  return call.run(tenon::forward_dynamics_hessian, how, Inputs<double>{q, v, tau, wrenches}, gradient,
                  Hessian{how.matrix(hessian_qq, ldqq),
                          how.matrix(hessian_qv, ldqv),
                          how.matrix(hessian_vv, ldvv),
                          how.matrix(hessian_qtau, ldqtau),
                          {}});
}

tenon_status tenon_constrained_dynamics_hessian(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, const double* gradient,
    size_t gradient_count, const double* gradient_lambda, size_t gradient_lambda_count, double* hessian_qq,
    size_t hessian_qq_count, int32_t ldqq, double* hessian_qv, size_t hessian_qv_count, int32_t ldqv,
    double* hessian_vv, size_t hessian_vv_count, int32_t ldvv, double* hessian_qtau,
    size_t hessian_qtau_count, int32_t ldqtau, double* hessian_qdesired, size_t hessian_qdesired_count,
    int32_t ldqdesired) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const CheckedDerivativeOptions how = checked(call, options);
  call.optional_velocities(ARRAY(gradient));
  call.optional_rows(ARRAY(gradient_lambda));
  optional_square(call, how, ARRAY(hessian_qq), ldqq);
  optional_square(call, how, ARRAY(hessian_qv), ldqv);
  optional_square(call, how, ARRAY(hessian_vv), ldvv);
  optional_square(call, how, ARRAY(hessian_qtau), ldqtau);
  call.optional_matrix(ARRAY(hessian_qdesired), call.velocity_count(), call.rows(), ldqdesired,
                       how.row_major);
  return call.run(
      tenon::constrained_dynamics_hessian, how, Inputs<double>{q, v, tau, wrenches, desired}, gradient,
      gradient_lambda,
      Hessian{how.matrix(hessian_qq, ldqq), how.matrix(hessian_qv, ldqv), how.matrix(hessian_vv, ldvv),
              how.matrix(hessian_qtau, ldqtau), how.matrix(hessian_qdesired, ldqdesired)});
}

// ---- products with a change

tenon_status tenon_inverse_dynamics_hvp(tenon_workspace* workspace, const tenon_derivative_options* options,
                                        const double* q, size_t q_count, const double* v, size_t v_count,
                                        const double* a, size_t a_count, const double* wrenches,
                                        size_t wrenches_count, const double* gradient, size_t gradient_count,
                                        const double* dq, size_t dq_count, const double* dv, size_t dv_count,
                                        const double* da, size_t da_count, double* product_q,
                                        size_t product_q_count, double* product_v, size_t product_v_count,
                                        double* product_a, size_t product_a_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(a), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.velocities(ARRAY(gradient));
  optional_change(call, ARRAY(dq), ARRAY(dv), ARRAY(da));
  optional_change(call, ARRAY(product_q), ARRAY(product_v), ARRAY(product_a));
  return call.run(tenon::inverse_dynamics_hvp, checked_options,
                  Inputs<double>{q, v, nullptr, wrenches, nullptr, a}, gradient, StateChange{dq, dv, da},
                  Derivatives{{product_q}, {product_v}, {product_a}});
}

tenon_status tenon_forward_dynamics_hvp(tenon_workspace* workspace, const tenon_derivative_options* options,
                                        const double* q, size_t q_count, const double* v, size_t v_count,
                                        const double* tau, size_t tau_count, const double* wrenches,
                                        size_t wrenches_count, const double* gradient, size_t gradient_count,
                                        const double* dq, size_t dq_count, const double* dv, size_t dv_count,
                                        const double* dtau, size_t dtau_count, double* product_q,
                                        size_t product_q_count, double* product_v, size_t product_v_count,
                                        double* product_tau, size_t product_tau_count) {
  Call call = derivative_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches));
  const DerivativeOptions checked_options = checked(call, options);
  call.velocities(ARRAY(gradient));
  optional_change(call, ARRAY(dq), ARRAY(dv), ARRAY(dtau));
  optional_change(call, ARRAY(product_q), ARRAY(product_v), ARRAY(product_tau));
  return call.run(tenon::forward_dynamics_hvp, checked_options, Inputs<double>{q, v, tau, wrenches}, gradient,
                  StateChange{dq, dv, dtau}, Derivatives{{product_q}, {product_v}, {product_tau}});
}

tenon_status tenon_constrained_dynamics_hvp(
    tenon_workspace* workspace, const tenon_derivative_options* options, const double* q, size_t q_count,
    const double* v, size_t v_count, const double* tau, size_t tau_count, const double* wrenches,
    size_t wrenches_count, const double* desired, size_t desired_count, const double* gradient,
    size_t gradient_count, const double* gradient_lambda, size_t gradient_lambda_count, const double* dq,
    size_t dq_count, const double* dv, size_t dv_count, const double* dtau, size_t dtau_count,
    const double* ddesired, size_t ddesired_count, double* product_q, size_t product_q_count,
    double* product_v, size_t product_v_count, double* product_tau, size_t product_tau_count,
    double* product_desired, size_t product_desired_count) {
  Call call =
      constrained_call(workspace, __func__, ARRAY(q), ARRAY(v), ARRAY(tau), ARRAY(wrenches), ARRAY(desired));
  const DerivativeOptions checked_options = checked(call, options);
  call.optional_velocities(ARRAY(gradient));
  call.optional_rows(ARRAY(gradient_lambda));
  optional_change(call, ARRAY(dq), ARRAY(dv), ARRAY(dtau));
  call.optional_rows(ARRAY(ddesired));
  optional_change(call, ARRAY(product_q), ARRAY(product_v), ARRAY(product_tau));
  call.optional_rows(ARRAY(product_desired));
  return call.run(tenon::constrained_dynamics_hvp, checked_options,
                  Inputs<double>{q, v, tau, wrenches, desired}, gradient, gradient_lambda,
                  ConstrainedChange{{dq, dv, dtau}, ddesired},
                  ConstrainedGradient{{{product_q}, {product_v}, {product_tau}}, {product_desired}});
}
