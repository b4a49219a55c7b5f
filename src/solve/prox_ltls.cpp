// Method prox_ltls: kernels/constrained/prox_ltls.hpp driven by solve/proximal.hpp.
#include <algorithm>

#include "kernels/tree/joint_space.hpp"
#include "solve/methods.hpp"
#include "solve/prox_ltl.hpp"
#include "solve/proximal.hpp"
#include "state/projection.hpp"

namespace tenon {
namespace {

constexpr double scheduled_mu_of_augmented = 1e6;  // large, because the method refines

class AugmentedSteps final : public ProximalMethod {
 public:
  explicit AugmentedSteps(const ConstrainedProblem& problem)
      : ProximalMethod(problem, scheduled_mu_of_augmented) {}

  // Every evaluation after the first refines.
  bool evaluate(Evaluation kind, ProximalPoint<double>& x) override {
    const WorkspaceImpl& w = p.w;
    const JointSpace s = joint_space_of(p.w);
    if (kind == Evaluation::first) {
      const bool positive = w.independent ? w.kernels->independent_prox_ltls_factor(w.md(), rows, x.inv_mu,
                                                                                    w.independent->data, d_)
                                          : w.kernels->prox_ltls_factor(w.md(), rows, x.inv_mu, d_);
      if (!positive) return false;
    }
    measured_ = kind == Evaluation::refining;
    w.kernels->prox_ltls_step(s.tree, s.rows, x.f, moved_, measured_, x.step, s.qdd, s.w);
    moved_ = true;
    measure(kind, x);
    return true;
  }

  double motion_error() const override { return measured_ ? joint_space_of(p.w).w.motion_error : 0; }
  double seen(int r, double) const override { return d_.k[r] - d_.row_rhs[r] + d_.row_acceleration[r]; }
  void multipliers(double* lambda) const override { std::copy_n(d_.row_lambda, rows.row_count, lambda); }

 private:
  WorkspaceData<double>& d_ = p.w.w();
  bool moved_ = false;  // qdd is no longer zero
  bool measured_ = false;
};

}  // namespace

Outcome solve_prox_ltls(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.need(Method::prox_ltls);
  w.kernels->joint_space_state(w.md(), *w.cd(), p.in, w.w());
  if (w.independent)
    w.kernels->independent_prox_ltls_start(w.md(), *w.cd(), w.independent->data, w.w());
  else
    w.kernels->prox_ltls_start(w.md(), *w.cd(), w.w().qdd, w.w());
  AugmentedSteps steps(p);
  const Outcome outcome = solve_proximal(steps);
  if (w.independent) from_independent(w, w.independent->data.yddot, w.w().g, w.w().qdd);
  return outcome;
}

}  // namespace tenon
