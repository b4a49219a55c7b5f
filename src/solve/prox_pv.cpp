#include "solve/prox_pv.hpp"

#include "solve/direct.hpp"
#include "solve/methods.hpp"
#include "solve/proximal.hpp"

namespace tenon {
namespace {

// Three evaluations reach 1e-12. A larger mu is no faster and loses digits to cancellation.
constexpr double scheduled_mu_of_dual = 1e6;

class DualSteps final : public ProximalMethod {
 public:
  explicit DualSteps(const ConstrainedProblem& problem) : ProximalMethod(problem, scheduled_mu_of_dual) {}

  // Solves (L + R + 1 / mu) step = b - (L + R) f, the step of [CABA] Eq. 14b. The step keeps more digits than
  // its end point, because f is not part of it.
  bool evaluate(Evaluation kind, ProximalPoint<double>& x) override {
    const WorkspaceImpl& w = p.w;
    if (kind == Evaluation::first) {
      for (int r = 0; r < rows.row_count; ++r) d_.row_damping[r] = rows.compliance[r] + x.inv_mu[r];
      w.kernels->pv_factor(w.md(), split_, rows.scale, d_);
    }
    w.kernels->pv_step(w.md(), split_, rows.compliance, x.f, x.step, d_);
    measure(kind, x);
    return true;
  }

 private:
  PvData<double>& d_ = p.w.pv->data;
  const bool split_ = splits_base(p);
};

}  // namespace

bool splits_base(const ConstrainedProblem& p) {
  const PvMemory<double>& pv = *p.w.pv;
  const SplitBase wish = p.options.split_base;
  return pv.data.split.count > 0 &&
         (wish == SplitBase::always || (wish == SplitBase::automatic && pv.data.split_pays));
}

bool reduce_pv(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->constraint_state(w.md(), *w.cd(), p.in, w.w());
  return w.kernels->pv_reduce(w.md(), splits_base(p), p.in, w.pv->data, w.w());
}

Outcome iterate_pv(const ConstrainedProblem& p) {
  DualSteps steps(p);
  const Outcome outcome = solve_proximal(steps);
  if (!outcome) return stalled;
  roll_out_pv(p, p.lambda);
  const double* free = p.w.pv->data.b;
  if (rows_hold(p, steps.rows.compliance, [&](int r) { return free[r]; })) return Status::ok;
  return outcome == Status::ok ? stalled : outcome;
}

void roll_out_pv(const ConstrainedProblem& p, const double* added) {
  WorkspaceImpl& w = p.w;
  const WorkspaceData<double>& d = w.w();
  w.kernels->pv_roll_out(w.md(), *w.cd(), p.in, added, d.qdd, w.pv->data, w.w());
  report_residual(p);
}

Outcome solve_prox_pv(const ConstrainedProblem& p) {
  return reduce_pv(p) ? iterate_pv(p) : Status::not_positive_definite;
}

}  // namespace tenon
