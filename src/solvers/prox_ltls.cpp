#include "solvers/prox_ltls.hpp"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

constexpr double scheduled_mu = 1e6;  // it refines
// J^T in world axes cancels what is large and does not act, mu times the contradiction, to fewer digits than
// K^T in body axes.
constexpr double least_squares_mu = 1e3;

struct AugmentedSteps {
  const ConstrainedProblem& p;
  bool positive = true;
  bool moved = false;  // qdd is not zero any more

  static void prepare(void* self, const double* inv_mu) {
    AugmentedSteps& s = *static_cast<AugmentedSteps*>(self);
    WorkspaceImpl& w = s.p.w;
    s.positive = w.kernels->prox_ltls_factor(w.md(), *w.cd(), inv_mu, w.w());
  }

  // Every evaluation after the first refines.
  static bool evaluate(void* self, const double* f, bool, double* step) {
    AugmentedSteps& s = *static_cast<AugmentedSteps*>(self);
    WorkspaceImpl& w = s.p.w;
    w.kernels->prox_ltls_step(w.md(), *w.cd(), f, s.moved, step, w.w().qdd, w.w());
    s.moved = true;
    return s.positive;
  }

  static void multipliers(void* self, double* lambda) {
    WorkspaceImpl& w = static_cast<AugmentedSteps*>(self)->p.w;
    std::copy_n(w.w().row_lambda, w.rows(), lambda);
  }

  static double scale(void* self) {
    WorkspaceImpl& w = static_cast<AugmentedSteps*>(self)->p.w;
    const WorkspaceData<double>& d = w.w();
    double largest = 0;
    for (int r = 0; r < w.rows(); ++r)
      largest =
          std::max({largest, std::abs(d.k[r]), std::abs(d.k[r] - d.row_rhs[r] + d.row_acceleration[r])});
    return largest;
  }
};

}  // namespace

Status solve_prox_ltls(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->prox_ltls_start(w.md(), *w.cd(), p.q, p.v, p.tau, p.wrenches != nullptr, w.w().qdd, w.w());
  AugmentedSteps steps{p};
  const ProximalMethod method = {&steps,
                                 AugmentedSteps::prepare,
                                 AugmentedSteps::evaluate,
                                 AugmentedSteps::scale,
                                 AugmentedSteps::multipliers,
                                 nullptr,
                                 scheduled_mu,
                                 least_squares_mu};
  return solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
}

}  // namespace tenon
