#include "solve/pv_soft.hpp"
#include "solve/constrained_aba.hpp"

namespace tenon {

Status solve_pv_soft(const ConstrainedProblem& p) {
  SolveOptions once = p.options;
  once.max_iterations = 1;
  once.warm_start = false;
  const Status status = solve_constrained_aba({p.w, once, p.q, p.v, p.tau, p.wrenches, p.desired, p.lambda});
  return status == Status::max_iterations ? Status::ok : status;
}

}  // namespace tenon
