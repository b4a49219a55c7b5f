// First derivatives of dynamics, as matrices and as products: the functions of include/tenon/derivatives.h. A derivative
// by q is by the tangent vector along which integrate() moves q, in independent coordinates by one of these.
// Status::unsupported: inverse and forward dynamics with loops closed by rows, steps with embedded loops in spanning
// velocities, second derivatives with embedded loops, and loops by functions of the user.
#pragma once

#include <cstdint>

#include "tenon/dynamics.hpp"

namespace tenon {

// As tenon_derivative_options.
struct DerivativeOptions {
  bool accumulate = false;  // add to what the outputs of derivatives hold
};

// A matrix to be written, nv x nv, or a vector of nv numbers, of which ld has no meaning. values null: not wanted.
struct DerivativeOut {
  double* values = nullptr;
  int ld = 0;              // from column to column, or from row to row
  bool row_major = false;  // not of vectors
};
// By q, by v, and by accelerations (inverse dynamics) or forces on the joints (forward dynamics).
struct Derivatives {
  DerivativeOut by_q, by_v, by_third;
};
// A change of q, v and of a or tau; null: zero.
struct StateChange {
  const double *q, *v, *third;
};

// Status::unsupported where loops of the model leave no derivatives: of inverse and forward dynamics, of steps, by parameters,
// and second ones of all.
Status check_differentiable(Workspace& w);
Status check_differentiable_step(Workspace& w);
Status check_forward_parameters(Workspace& w);  // gradients of forward dynamics by parameters
Status check_twice_differentiable(Workspace& w, bool of_inverse);  // of inverse dynamics, or of others

// in, tau: as inverse_dynamics; tau null: not wanted. in.qdd is needed.
Status inverse_dynamics_derivatives(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                                    double* tau, const Derivatives& out);
// gradient^T times these; and these times a change.
Status inverse_dynamics_vjp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                            const double* gradient, double* tau, const Derivatives& out);
Status inverse_dynamics_jvp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                            const StateChange& change, double* tau, double* dtau);

// in, qdd: as forward_dynamics; qdd null: not wanted.
Status forward_dynamics_derivatives(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                                    double* qdd, const Derivatives& out);
Status forward_dynamics_vjp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                            const double* gradient, double* qdd, const Derivatives& out);
Status forward_dynamics_jvp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                            const StateChange& change, double* qdd, double* dqdd);

// Second derivatives of one number, nv x nv, q_desired nv x rows: by q twice, number i by q_i and v_k, by v twice, by q_i and
// the accelerations or forces on the joints k, by q_i and the desired acceleration k. null: not wanted.
struct Hessian {
  DerivativeOut qq, qv, vv, qx, q_desired;
};
// Of gradient^T tau, gradient^T qdd, and of gradient^T qdd + gradient_lambda^T lambda with rows (gradients null: zero).
// Status::unsupported with embedded loops, and for dependent rows with gradient_lambda.
Status inverse_dynamics_hessian(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                                const double* gradient, const Hessian& out);
Status forward_dynamics_hessian(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                                const double* gradient, const Hessian& out);
Status constrained_dynamics_hessian(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                                    const double* gradient, const double* gradient_lambda,
                                    const Hessian& out);

// These times a change, without a matrix. Of forward dynamics change.third is of the forces, and out.by_third by these.
Status inverse_dynamics_hvp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                            const double* gradient, const StateChange& change, const Derivatives& out);
Status forward_dynamics_hvp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                            const double* gradient, const StateChange& change, const Derivatives& out);

// Of a number by the parameters of links, armatures, damping and dry friction of joints, of spanning coordinates always,
// wrenches on links, 6 each, gravity, 3, and ratios of couplings and gears (Model::Loops); null: not wanted.
// With the ratios dependent coordinates and velocities change as loops ask for, the independent ones stay. Status::unsupported
// where functions of the user close loops.
struct ParameterGradient {
  double *by_inertia = nullptr, *by_armature = nullptr, *by_damping = nullptr, *by_friction = nullptr;
  double *by_wrenches = nullptr, *by_gravity = nullptr, *by_ratios = nullptr;
  // Whether any is wanted that steps have, which is all but ratios.
  bool some() const {
    return by_inertia || by_armature || by_damping || by_friction || by_wrenches || by_gravity;
  }
};

// Of step_in_time, with embedded loops in independent velocities, by the state at its beginning and the forces on the joints;
// tangents of the end are those at the end. in: as forward_dynamics.
struct StepEnd {
  double *q, *v;  // null: not wanted
};
// gradient_q, gradient_v: of a number, by the end; null: zero. sums: those by parameters, from all stages, are added, whatever
// the options; where the call fails they may have changed.
Status step_vjp(Workspace& w, Integrator integrator, const DerivativeOptions& options, double dt,
                const Inputs<double>& in, const double* gradient_q, const double* gradient_v,
                const StepEnd& end, const Derivatives& out, const ParameterGradient& sums = {});
// by_q, by_v of out: the change of the end.
Status step_jvp(Workspace& w, Integrator integrator, const DerivativeOptions& options, double dt,
                const Inputs<double>& in, const StateChange& change, const StepEnd& end,
                const Derivatives& out);

// ---- by inertial parameters, which include/tenon/parameters.h has: ten numbers a link, m, m c, I about its origin

// tau of inverse dynamics without wrenches, armature and friction is Y times the parameters. Y: nv x 10 links, column-major
// with leading dimension ld; in independent coordinates G^T Y.
// zeros: entries of coordinates that do not move the link are written too.
Status joint_torque_regressor(Workspace& w, const Inputs<double>& in, bool zeros, double* Y, int ld);
// 10 links each; null: not wanted. After kinematics().
Status energy_regressors(Workspace& w, double* kinetic, double* potential);

Status inverse_dynamics_parameter_vjp(Workspace& w, const DerivativeOptions& options,
                                      const Inputs<double>& in, const double* gradient, double* tau,
                                      const ParameterGradient& out);
Status forward_dynamics_parameter_vjp(Workspace& w, const DerivativeOptions& options,
                                      const Inputs<double>& in, const double* gradient, double* qdd,
                                      const ParameterGradient& out);
// gradient, gradient_lambda: as constrained_dynamics_vjp.
Status constrained_dynamics_parameter_vjp(Workspace& w, const DerivativeOptions& options,
                                          const Inputs<double>& in, const double* gradient,
                                          const double* gradient_lambda, double* qdd, double* lambda,
                                          const ParameterGradient& out);

// Of a solution by the same, but for what acts, as matrices: 10 columns a link, or one a spanning coordinate.
struct ParameterDerivatives {
  DerivativeOut by_inertia, by_armature, by_damping, by_friction;
};
// in, qdd, lambda: as constrained_dynamics; qdd, lambda null: not wanted.
Status constrained_dynamics_parameter_derivatives(Workspace& w, const DerivativeOptions& options,
                                                  const Inputs<double>& in, double* qdd, double* lambda,
                                                  const ParameterDerivatives& of_qdd,
                                                  const ParameterDerivatives& of_lambda);

// By what acts on links of which some are chosen, 6 columns each, and by gravity, 3. index: count numbers of links of the
// model, at most as many as it has.
struct ChosenLinks {
  const std::int32_t* index;
  int count;
};
struct LoadDerivatives {
  DerivativeOut by_wrenches, by_gravity;
};
Status constrained_dynamics_load_derivatives(Workspace& w, const DerivativeOptions& options,
                                             const ChosenLinks& links, const Inputs<double>& in, double* qdd,
                                             double* lambda, const LoadDerivatives& of_qdd,
                                             const LoadDerivatives& of_lambda);

// Ten numbers without bounds and the parameters of a body that can exist, both ways; by_theta: 10 x 10, column-major with
// leading dimension ld; null: not wanted.
Status inertia_from_log_cholesky(Workspace& w, const double* theta, double* parameters, double* by_theta,
                                 int ld);
Status log_cholesky_from_inertia(Workspace& w, const double* parameters, double* theta);

// ---- with constraint rows

// By q, v, tau and the desired accelerations: of qdd, nv rows, and of the multipliers, a row each.
struct ConstrainedDerivatives {
  Derivatives qdd;
  DerivativeOut qdd_by_desired;
  Derivatives lambda;
  DerivativeOut lambda_by_desired;
};
struct ConstrainedChange {
  StateChange state;  // third: tau
  const double* desired;
};
struct ConstrainedGradient {
  Derivatives state;
  DerivativeOut by_desired;
};

// in, qdd, lambda: as constrained_dynamics; qdd, lambda null: not wanted.
Status constrained_dynamics_derivatives(Workspace& w, const DerivativeOptions& options,
                                        const Inputs<double>& in, double* qdd, double* lambda,
                                        const ConstrainedDerivatives& out);
// gradient of qdd and of lambda; null: zero.
Status constrained_dynamics_vjp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                                const double* gradient, const double* gradient_lambda, double* qdd,
                                double* lambda, const ConstrainedGradient& out);
// dqdd, dlambda null: not wanted.
Status constrained_dynamics_jvp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                                const ConstrainedChange& change, double* qdd, double* lambda, double* dqdd,
                                double* dlambda);

// As constrained_dynamics_hessian, times a change.
Status constrained_dynamics_hvp(Workspace& w, const DerivativeOptions& options, const Inputs<double>& in,
                                const double* gradient, const double* gradient_lambda,
                                const ConstrainedChange& change, const ConstrainedGradient& out);

// Of impact(), by q and by the velocities before; by_third has no meaning.
struct ImpactInputs {
  const double* restitution;  // null: zero
  int count;                  // of these, 1 or the number of rows
  const double *q, *v;
};
struct ImpactDerivatives {
  Derivatives after, impulse;
};
// after, impulse: what impact() writes; null: not wanted.
Status impact_derivatives(Workspace& w, const DerivativeOptions& options, const ImpactInputs& in,
                          double* after, double* impulse, const ImpactDerivatives& out);
// gradient of the velocities after and of the impulses; null: zero.
Status impact_vjp(Workspace& w, const DerivativeOptions& options, const ImpactInputs& in,
                  const double* gradient, const double* gradient_impulse, double* after, double* impulse,
                  const Derivatives& out);
// dafter, dimpulse null: not wanted.
Status impact_jvp(Workspace& w, const DerivativeOptions& options, const ImpactInputs& in, const double* dq,
                  const double* dv, double* after, double* impulse, double* dafter, double* dimpulse);

}  // namespace tenon
