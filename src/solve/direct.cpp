#include "solve/direct.hpp"

#include <algorithm>

#include "spatial/lanes.hpp"

namespace tenon {

namespace {

constexpr int most_refinements = 3;

}  // namespace

bool solve_direct(DirectMethod& method, double least_pivot) {
  const ConstrainedProblem& p = method.p;
  WorkspaceImpl& w = p.w;
  const ConstraintData& c = *w.cd();
  // A row that is switched off is zero; its multiplier is too, for any damping.
  for (int r = 0; r < c.row_count; ++r)
    method.E[r] = c.active[r] ? c.compliance[r] + p.options.tikhonov : c.scale[r];
  if (!(method.factor() > least_pivot)) return false;

  double* step = w.row_scratch.data();
  std::fill_n(p.lambda, c.row_count, 0.0);
  method.moved = true;
  for (int pass = 0; pass <= most_refinements; ++pass) {
    method.find_step(step);
    for (int r = 0; r < c.row_count; ++r) p.lambda[r] += step[r];
    method.move(step);
    if (!rows_hold(p, method.E, [&](int r) { return method.free(r); })) continue;
    w.report.iterations = 1;
    if (p.options.tikhonov == 0)
      w.report.rank = static_cast<int>(std::count(c.active, c.active + c.row_count, 1));
    return true;
  }
  return false;
}

double factor_delassus(WorkspaceImpl& w, double* E) {
  WorkspaceData<double>& d = w.w();
  const ConstraintData& c = *w.cd();
  const int rows = c.row_count, stride = whole_packs(rows);
  std::fill(E + rows, E + stride, 0.0);
  for (int r = 0; r < rows; ++r)
    if (!(d.delassus[r * (stride + 1)] + E[r] > unmoved_diagonal * c.scale[r])) return 0;
  return w.kernels->factor_dense(d.delassus, E, rows, stride, d.dual_factor, d.dual_inv_d, d.dual_scaled);
}

void report_residual(const ConstrainedProblem& p) {
  double largest = 0;
  for (int r = 0; r < p.w.rows(); ++r)
    largest = std::max(largest, std::abs(row_residual(*p.w.cd(), r, p.lambda, p.w.w())));
  p.w.report.primal_residual = largest;
}

}  // namespace tenon
