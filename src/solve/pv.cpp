// Method pv ([CABA] II-F): the sweeps of kernels/constrained/pv.hpp around one dense solve of (L + R) lambda
// = b.
//
// The method itself needs independent rows. If a pivot of L + R is tiny relative to its diagonal element,
// rows are redundant. The proximal loop of prox_pv then continues with the same L and finds the motion (by
// least squares if rows are contradictory); report.method is then prox_pv. The Tikhonov option adds
// compliance to every row: the problem can then always be solved, never exactly; the residual is reported.
#include <algorithm>
#include <cmath>

#include "model/rank.hpp"
#include "solve/methods.hpp"
#include "solve/prox_pv.hpp"

namespace tenon {
namespace {

constexpr int most_refinements = 3;

// (L + R + tikhonov) lambda = b, refined until the rows hold. False if they do not.
bool solve_rows(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  PvData<double>& d = w.pv->data;
  const int rows = w.rows();
  const bool split = splits_base(p);
  const ConstraintData& c = *w.cd();
  // A row that is switched off is zero; its multiplier is too, for any damping.
  for (int r = 0; r < rows; ++r)
    d.row_damping[r] = c.active[r] ? c.compliance[r] + p.options.tikhonov : c.scale[r];
  if (!(w.kernels->pv_factor(w.md(), split, c.scale, d) > sure_pivot)) return false;

  double* step = w.row_scratch.data();
  std::fill_n(p.lambda, rows, 0.0);
  for (int pass = 0; pass <= most_refinements; ++pass) {
    w.kernels->pv_step(w.md(), split, d.row_damping, p.lambda, step, d);
    for (int r = 0; r < rows; ++r) p.lambda[r] += step[r];
    roll_out_pv(p, step);
    if (rows_hold(p, d.row_damping)) return true;
  }
  for (int r = 0; r < rows; ++r) step[r] = -p.lambda[r];
  roll_out_pv(p, step);  // undo all steps
  return false;
}

}  // namespace

Outcome solve_pv(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  if (!reduce_pv(p)) return Status::not_positive_definite;
  if (!solve_rows(p)) {
    w.report = SolveReport{};
    w.report.method = Method::prox_pv;
    return iterate_pv(p);
  }
  w.report.iterations = 1;
  if (p.options.tikhonov == 0)
    w.report.rank = static_cast<int>(std::count(w.cd()->active, w.cd()->active + w.rows(), 1));
  return Status::ok;
}

}  // namespace tenon
