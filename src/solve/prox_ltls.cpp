#include "solve/prox_ltls.hpp"

#include <algorithm>
#include <cmath>

#include "solve/proximal.hpp"
#include "state/projection.hpp"

namespace tenon {
namespace {

constexpr double scheduled_mu = 1e6;  // it refines
// J^T in world axes cancels large forces that do not act (mu times the contradiction) to fewer digits than
// K^T in body axes.
constexpr double least_squares_mu = 1e3;

struct AugmentedSteps {
  const ConstrainedProblem& p;
  bool positive = true;
  bool moved = false;  // qdd is not zero any more

  static void prepare(void* self, const double* inv_mu) {
    AugmentedSteps& s = *static_cast<AugmentedSteps*>(self);
    WorkspaceImpl& w = s.p.w;
    s.positive = w.independent ? w.kernels->independent_prox_ltls_factor(w.md(), *w.cd(), inv_mu,
                                                                         w.independent->data, w.w())
                               : w.kernels->prox_ltls_factor(w.md(), *w.cd(), inv_mu, w.w());
  }

  // Every evaluation after the first refines.
  static bool evaluate(void* self, const double* f, bool, double* step) {
    AugmentedSteps& s = *static_cast<AugmentedSteps*>(self);
    WorkspaceImpl& w = s.p.w;
    if (w.independent) {
      IndependentSpaceData<double>& d = w.independent->data;
      w.kernels->prox_ltls_step(d.tree, d.rows, f, s.moved, step, d.yddot, d.w);
    } else {
      w.kernels->prox_ltls_step(w.md(), *w.cd(), f, s.moved, step, w.w().qdd, w.w());
    }
    s.moved = true;
    return s.positive;
  }

  static void multipliers(void* self, double* lambda) {
    WorkspaceImpl& w = static_cast<AugmentedSteps*>(self)->p.w;
    std::copy_n(w.w().row_lambda, w.rows(), lambda);
  }

  static void accelerations(void* self, double* a) {
    WorkspaceImpl& w = static_cast<AugmentedSteps*>(self)->p.w;
    const WorkspaceData<double>& d = w.w();
    for (int r = 0; r < w.rows(); ++r)
      a[r] = std::max(std::abs(d.k[r]), std::abs(d.k[r] - d.row_rhs[r] + d.row_acceleration[r]));
  }

  static void give_up(void* self, const double* unreachable) {
    WorkspaceImpl& w = static_cast<AugmentedSteps*>(self)->p.w;
    for (int r = 0; r < w.rows(); ++r) w.w().row_rhs[r] -= unreachable[r];
  }
};

}  // namespace

Status solve_prox_ltls(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  const bool has_wrenches = p.wrenches != nullptr;
  w.need(Method::prox_ltls);
  if (w.independent)
    w.kernels->independent_prox_ltls_start(w.md(), *w.cd(), p.q, p.v, p.tau, has_wrenches,
                                           w.independent->data, w.w());
  else
    w.kernels->prox_ltls_start(w.md(), *w.cd(), p.q, p.v, p.tau, has_wrenches, w.w().qdd, w.w());
  AugmentedSteps steps{p};
  const ProximalMethod method = {&steps,
                                 AugmentedSteps::prepare,
                                 AugmentedSteps::evaluate,
                                 AugmentedSteps::accelerations,
                                 AugmentedSteps::multipliers,
                                 AugmentedSteps::give_up,
                                 scheduled_mu,
                                 least_squares_mu};
  const Status status = solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
  if (w.independent) from_independent(w, w.independent->data.yddot, w.w().g, w.w().qdd);
  return status;
}

}  // namespace tenon
