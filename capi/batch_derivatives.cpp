// First and second derivatives of dynamics in many states.
#include "support/batch_derivative_arguments.hpp"
#include "support/rollout_arguments.hpp"

using namespace tenon::capi;
using tenon::DerivativeForm;

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

tenon_status tenon_batch_kinematics_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const int32_t* links,
    size_t link_count, int32_t axes, const tenon_batch_array* q, const tenon_batch_array* v,
    const tenon_batch_array* pose_gradients, const tenon_batch_array* velocity_gradients,
    const tenon_batch_array* poses, const tenon_batch_array* velocities, const tenon_batch_array* gradient_q,
    const tenon_batch_array* gradient_v, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::kinematics_derivatives, DerivativeForm::vjp, options, states,
                        status, status_count, __func__);
  const Arguments::Motion by = {pose_gradients, velocity_gradients, nullptr};
  c.links_in_motion(links, link_count, axes, q, v, nullptr, {poses, velocities, nullptr}, by);
  c.gradients_by_links(by, gradient_q, gradient_v, nullptr);
  return c.compute();
}

tenon_status tenon_batch_kinematics_jvp(tenon_batch* batch, const tenon_derivative_options* options,
                                        size_t states, const int32_t* links, size_t link_count, int32_t axes,
                                        const tenon_batch_array* q, const tenon_batch_array* v,
                                        const tenon_batch_array* dq, const tenon_batch_array* dv,
                                        const tenon_batch_array* poses, const tenon_batch_array* velocities,
                                        const tenon_batch_array* dposes, const tenon_batch_array* dvelocities,
                                        int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::kinematics_derivatives, DerivativeForm::jvp, options, states,
                        status, status_count, __func__);
  const Arguments::Motion of = {dposes, dvelocities, nullptr};
  c.links_in_motion(links, link_count, axes, q, v, nullptr, {poses, velocities, nullptr}, of);
  c.change(dq, dv, "da", nullptr);
  c.changes_of_links(of);
  return c.compute();
}

tenon_status tenon_batch_link_motion_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const int32_t* links,
    size_t link_count, int32_t axes, const tenon_batch_array* q, const tenon_batch_array* v,
    const tenon_batch_array* a, const tenon_batch_array* pose_gradients,
    const tenon_batch_array* velocity_gradients, const tenon_batch_array* acceleration_gradients,
    const tenon_batch_array* poses, const tenon_batch_array* velocities,
    const tenon_batch_array* accelerations, const tenon_batch_array* gradient_q,
    const tenon_batch_array* gradient_v, const tenon_batch_array* gradient_a, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::kinematics_derivatives, DerivativeForm::vjp, options, states,
                        status, status_count, __func__);
  const Arguments::Motion by = {pose_gradients, velocity_gradients, acceleration_gradients};
  c.links_in_motion(links, link_count, axes, q, v, a, {poses, velocities, accelerations}, by);
  c.gradients_by_links(by, gradient_q, gradient_v, gradient_a);
  return c.compute();
}

tenon_status tenon_batch_link_motion_jvp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const int32_t* links,
    size_t link_count, int32_t axes, const tenon_batch_array* q, const tenon_batch_array* v,
    const tenon_batch_array* a, const tenon_batch_array* dq, const tenon_batch_array* dv,
    const tenon_batch_array* da, const tenon_batch_array* poses, const tenon_batch_array* velocities,
    const tenon_batch_array* accelerations, const tenon_batch_array* dposes,
    const tenon_batch_array* dvelocities, const tenon_batch_array* daccelerations, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::kinematics_derivatives, DerivativeForm::jvp, options, states,
                        status, status_count, __func__);
  const Arguments::Motion of = {dposes, dvelocities, daccelerations};
  c.links_in_motion(links, link_count, axes, q, v, a, {poses, velocities, accelerations}, of);
  c.change(dq, dv, "da", da);
  c.changes_of_links(of);
  return c.compute();
}

tenon_status tenon_batch_centroidal_vjp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* center_gradients,
    const tenon_batch_array* center_velocity_gradients, const tenon_batch_array* momentum_gradients,
    const tenon_batch_array* kinetic_gradients, const tenon_batch_array* potential_gradients,
    const tenon_batch_array* centers, const tenon_batch_array* center_velocities,
    const tenon_batch_array* momenta, const tenon_batch_array* kinetic, const tenon_batch_array* potential,
    const tenon_batch_array* gradient_q, const tenon_batch_array* gradient_v, int32_t* status,
    size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::centroidal_derivatives, DerivativeForm::vjp, options, states,
                        status, status_count, __func__);
  const Arguments::Whole gradients = {{center_gradients, center_velocity_gradients, momentum_gradients,
                                       kinetic_gradients, potential_gradients}};
  c.whole_robots(q, v, {{centers, center_velocities, momenta, kinetic, potential}}, gradients);
  c.gradients_by_whole_robots(gradients);
  c.call.out[1] = c.gradient_by(GIVEN(gradient_q));
  c.call.out[2] = c.gradient_by(GIVEN(gradient_v));
  return c.compute();
}

tenon_status tenon_batch_centroidal_jvp(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states, const tenon_batch_array* q,
    const tenon_batch_array* v, const tenon_batch_array* dq, const tenon_batch_array* dv,
    const tenon_batch_array* centers, const tenon_batch_array* center_velocities,
    const tenon_batch_array* momenta, const tenon_batch_array* kinetic, const tenon_batch_array* potential,
    const tenon_batch_array* dcenters, const tenon_batch_array* dcenter_velocities,
    const tenon_batch_array* dmomenta, const tenon_batch_array* dkinetic, const tenon_batch_array* dpotential,
    int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::centroidal_derivatives, DerivativeForm::jvp, options, states,
                        status, status_count, __func__);
  const Arguments::Whole changes = {{dcenters, dcenter_velocities, dmomenta, dkinetic, dpotential}};
  static constexpr const char* names[] = {"dcenters", "dcenter_velocities", "dmomenta", "dkinetic",
                                          "dpotential"};
  c.whole_robots(q, v, {{centers, center_velocities, momenta, kinetic, potential}}, changes);
  c.call.derivatives.along_q = c.velocities(GIVEN(dq));
  c.call.derivatives.along_v = c.velocities(GIVEN(dv));
  for (int i = 0; i < tenon::centroidal_parts; ++i)
    c.call.centroidal.changes[i] = c.output(names[i], changes.of[i], c.part_size(i), false);
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

tenon_status tenon_batch_impact_derivatives(
    tenon_batch* batch, const tenon_derivative_options* options, size_t states,
    const tenon_batch_array* restitution, const tenon_batch_array* q, const tenon_batch_array* v,
    const tenon_batch_array* v_after, const tenon_batch_array* impulse, const tenon_batch_array* dv_dq,
    const tenon_batch_array* dv_dv, const tenon_batch_array* dimpulse_dq,
    const tenon_batch_array* dimpulse_dv, int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::impact_derivatives, DerivativeForm::matrices, options, states,
                        status, status_count, __func__);
  c.impact(restitution, q, v, v_after, impulse);
  c.call.out[1] = c.square(GIVEN(dv_dq));
  c.call.out[2] = c.square(GIVEN(dv_dv));
  c.call.out[6] = c.matrix(GIVEN(dimpulse_dq), c.rows(), c.velocity_count());
  c.call.out[7] = c.matrix(GIVEN(dimpulse_dv), c.rows(), c.velocity_count());
  return c.compute();
}

tenon_status tenon_batch_impact_vjp(tenon_batch* batch, const tenon_derivative_options* options,
                                    size_t states, const tenon_batch_array* restitution,
                                    const tenon_batch_array* q, const tenon_batch_array* v,
                                    const tenon_batch_array* gradient,
                                    const tenon_batch_array* gradient_impulse,
                                    const tenon_batch_array* v_after, const tenon_batch_array* impulse,
                                    const tenon_batch_array* gradient_q, const tenon_batch_array* gradient_v,
                                    int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::impact_derivatives, DerivativeForm::vjp, options, states,
                        status, status_count, __func__);
  c.impact(restitution, q, v, v_after, impulse);
  c.call.derivatives.along_x = c.velocities(GIVEN(gradient));
  c.call.derivatives.along_rows = c.optional_array(GIVEN(gradient_impulse), c.rows());
  c.call.out[1] = c.gradient_by(GIVEN(gradient_q));
  c.call.out[2] = c.gradient_by(GIVEN(gradient_v));
  return c.compute();
}

tenon_status tenon_batch_impact_jvp(tenon_batch* batch, const tenon_derivative_options* options,
                                    size_t states, const tenon_batch_array* restitution,
                                    const tenon_batch_array* q, const tenon_batch_array* v,
                                    const tenon_batch_array* dq, const tenon_batch_array* dv,
                                    const tenon_batch_array* v_after, const tenon_batch_array* impulse,
                                    const tenon_batch_array* dv_after, const tenon_batch_array* dimpulse,
                                    int32_t* status, size_t status_count) {
  DerivativeArguments c(batch, BatchFunction::impact_derivatives, DerivativeForm::jvp, options, states,
                        status, status_count, __func__);
  c.impact(restitution, q, v, v_after, impulse);
  c.call.derivatives.along_q = c.velocities(GIVEN(dq));
  c.call.derivatives.along_v = c.velocities(GIVEN(dv));
  c.call.out[1] = c.gradient_by(GIVEN(dv_after));
  c.call.out[5] = c.output(GIVEN(dimpulse), c.rows(), false);
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
  c.gradients(record_gradient_q, record_gradient_v, gradient_q, gradient_v, gradient_tau);
  c.what_options_have();
  return c.compute();
}
