// Method pv ([CABA] II-F): the sweeps of kernels/constrained/pv.hpp around one dense solve of (L + R) lambda
// = b (solve/direct.hpp).
//
// Where that has no answer, the proximal loop of prox_pv continues with the same L and finds the motion (by
// least squares if rows are contradictory); report.method is then prox_pv. The Tikhonov option adds
// compliance to every row: the problem can then always be solved, never exactly; the residual is reported.
#include "solve/direct.hpp"
#include "solve/methods.hpp"
#include "solve/prox_pv.hpp"

namespace tenon {
namespace {

class Reduced final : public DirectMethod {
 public:
  explicit Reduced(const ConstrainedProblem& problem)
      : DirectMethod(problem, problem.w.pv->data.row_damping) {}

  double factor() override { return p.w.kernels->pv_factor(p.w.md(), split_, p.w.cd()->scale, d_); }
  void find_step(double* step) override { p.w.kernels->pv_step(p.w.md(), split_, E, p.lambda, step, d_); }
  void move(const double* step) override { roll_out_pv(p, step); }
  double free(int r) const override { return d_.b[r]; }

 private:
  PvData<double>& d_ = p.w.pv->data;
  const bool split_ = splits_base(p);
};

}  // namespace

Outcome solve_pv(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  if (!reduce_pv(p)) return Status::not_positive_definite;
  Reduced reduced(p);
  if (solve_direct(reduced)) return Status::ok;
  if (reduced.moved) {  // undo all steps
    for (int r = 0; r < w.rows(); ++r) w.row_scratch[index(r)] = -p.lambda[r];
    roll_out_pv(p, w.row_scratch.data());
  }
  w.report = SolveReport{};
  w.report.method = Method::prox_pv;
  return iterate_pv(p);
}

}  // namespace tenon
