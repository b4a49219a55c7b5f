#include "solvers/prox_ltl.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/projection.hpp"

namespace tenon {
namespace {

struct DualSteps {
  const ConstrainedProblem& p;
  const double* inv_mu = nullptr;
  const double* step = nullptr;  // of the last evaluation

  static void prepare(void* self, const double* inv_mu) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    s.inv_mu = inv_mu;
    s.p.w.kernels->prox_ltl_factor(*s.p.w.cd(), inv_mu, s.p.w.w());
  }

  static bool evaluate(void* self, const double* f, bool, double* step) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    s.step = step;
    s.p.w.kernels->prox_ltl_step(*s.p.w.cd(), f, step, s.p.w.w());
    return true;
  }

  // rhs := what forces can reach of it.
  static const double* settle(void* self) {
    WorkspaceImpl& w = static_cast<DualSteps*>(self)->p.w;
    WorkspaceData<double>& d = w.w();
    const int rows = w.rows(), stride = whole_packs(rows);
    double* A = w.pv.unreachable.A();
    for (int r = 0; r < rows; ++r) {
      std::copy_n(d.delassus + r * stride, rows, A + r * rows);
      A[r * rows + r] += w.cd()->compliance[r];
      d.row_step[r] = d.row_rhs[r] - d.row_free[r];
    }
    const double* rho = w.pv.unreachable.solve(*w.cd(), d.row_step);
    for (int r = 0; r < rows; ++r) d.row_rhs[r] -= rho[r];
    return rho;
  }

  static double scale(void* self) {
    const DualSteps& s = *static_cast<DualSteps*>(self);
    const double* k = s.p.w.arena.data.k;
    double largest = 0;
    for (int r = 0; r < s.p.w.rows(); ++r)
      largest = std::max({largest, std::abs(k[r]), std::abs(k[r] - s.inv_mu[r] * s.step[r])});
    return largest;
  }
};

bool start(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  const bool has_wrenches = p.wrenches != nullptr;
  if (w.independent)
    return w.kernels->independent_prox_ltl_start(w.md(), *w.cd(), p.q, p.v, p.tau, has_wrenches,
                                                 w.independent->data, w.w());
  return w.kernels->prox_ltl_start(w.md(), *w.cd(), p.q, p.v, p.tau, has_wrenches, w.w());
}

void finish(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  if (!w.independent) return w.kernels->prox_ltl_finish(w.md(), *w.cd(), p.lambda, w.w().qdd, w.w());
  IndependentSpaceData<double>& d = w.independent->data;
  w.kernels->prox_ltl_finish(d.tree, d.rows, p.lambda, d.yddot, d.w);
  from_independent(w, d.yddot, w.w().g, w.w().qdd);
}

}  // namespace

Status solve_prox_ltl(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  if (!start(p)) return Status::not_positive_definite;
  DualSteps steps{p};
  const ProximalMethod method = {&steps,  DualSteps::prepare, DualSteps::evaluate, DualSteps::scale,
                                 nullptr, DualSteps::settle};
  const Status status = solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
  finish(p);
  return status;
}

}  // namespace tenon
