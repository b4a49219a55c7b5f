// Method ltl ([CABA] Eq. 11; Featherstone, Exploiting sparsity in operational-space dynamics, 2010): the sparse factor of
// M, the Delassus matrix by it, and one dense solve (solve/direct.hpp). With z as in kernels/constrained/prox_ltl.hpp,
//
//   M = L^T D L,   (J M^-1 J^T + R) lambda = rhs - Z z,   qdd = L^-1 D^-1/2 (z + Z^T lambda)
//
// It is to prox_ltl what pv is to prox_pv: where the solve has no answer, the proximal steps of prox_ltl continue with
// the same matrix, and report.method is then prox_ltl. O(n d^2 + m^2 d + m d^2 + m^3).
#include "solve/direct.hpp"
#include "solve/methods.hpp"
#include "solve/prox_ltl.hpp"

namespace tenon {
namespace {

class Factored final : public DirectMethod {
 public:
  explicit Factored(const ConstrainedProblem& problem) : DirectMethod(problem, problem.w.w().damping) {}

  double factor() override { return factor_delassus(p.w, E); }
  void find_step(double* step) override {
    p.w.kernels->prox_ltl_step(c_, started_ ? p.lambda : nullptr, step, d_);
    started_ = true;
  }
  void move(const double*) override {
    finish_prox_ltl(p);
    for (int r = 0; r < c_.row_count; ++r) d_.Ka[r] = d_.k[r] - d_.row_step[r] - d_.row_soft[r];
    report_residual(p);
  }
  double free(int r) const override { return d_.row_rhs[r] - d_.row_free[r]; }

 private:
  WorkspaceData<double>& d_ = p.w.w();
  const ConstraintData& c_ = *p.w.cd();
  bool started_ = false;  // before, p.lambda is zero
};

}  // namespace

Outcome solve_ltl(const ConstrainedProblem& p) {
  p.w.need(Method::ltl);
  if (!start_prox_ltl(p)) return Status::not_positive_definite;
  Factored factored(p);
  if (solve_direct(factored)) return Status::ok;
  p.w.report = SolveReport{};
  p.w.report.method = Method::prox_ltl;
  return iterate_prox_ltl(p);
}

bool solve_by_delassus(const ConstrainedProblem& p, double least_pivot) {
  const JointSpace s = joint_space_of(p);
  p.w.kernels->prox_ltl_gram(s.tree, s.rows, s.w);
  Factored factored(p);
  return solve_direct(factored, least_pivot);
}

}  // namespace tenon
