// Derivatives of dynamics with constraint rows, with embedded loops, or with both: what the functions of forward and of
// constrained dynamics call where the model is no plain tree.
#pragma once

#include "state/workspace_impl.hpp"
#include "tenon/derivatives.hpp"

namespace tenon {

// As the functions of constrained dynamics (tenon/derivatives.hpp). with_rows: with those of the workspace. After begin().
Status derivatives_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                              const Inputs<double>& in, double* qdd, double* lambda,
                              const ConstrainedDerivatives& out);
Status vjp_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                      const Inputs<double>& in, const double* gradient, const double* gradient_lambda,
                      double* qdd, double* lambda, const ConstrainedGradient& out);
Status jvp_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                      const Inputs<double>& in, const ConstrainedChange& change, double* qdd, double* lambda,
                      double* dqdd, double* dlambda);
Status parameter_vjp_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                                const Inputs<double>& in, const double* gradient,
                                const double* gradient_lambda, double* qdd, double* lambda,
                                const ParameterGradient& out);

// As those of inverse dynamics, of a model with embedded loops.
Status inverse_derivatives_with_loops(WorkspaceImpl& w, const DerivativeOptions& options,
                                      const Inputs<double>& in, double* tau, const Derivatives& out);
Status inverse_vjp_with_loops(WorkspaceImpl& w, const DerivativeOptions& options, const Inputs<double>& in,
                              const double* gradient, double* tau, const Derivatives& out);
// In independent coordinates, by the ratios of couplings too.
Status inverse_parameter_vjp_with_loops(WorkspaceImpl& w, const DerivativeOptions& options,
                                        const Inputs<double>& in, const double* gradient, double* tau,
                                        const ParameterGradient& out);
Status inverse_jvp_with_loops(WorkspaceImpl& w, const DerivativeOptions& options, const Inputs<double>& in,
                              const StateChange& change, double* tau, double* dtau);

}  // namespace tenon
