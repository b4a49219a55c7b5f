#include "calls/derivatives/solution.hpp"

#include <cmath>

#include "data/rank.hpp"
#include "kernels/cluster/explicit_form.hpp"
#include "kernels/constrained/row_forces.hpp"
#include "model/row_order.hpp"
#include "scalar/random.hpp"
#include "solve/methods.hpp"
#include "state/joint_friction.hpp"

namespace tenon {

namespace {

// Where rows depend on each other, b^T J = 0: whether the rank of J stays along a motion. It does where b^T dJ/dq u = 0
// for all b and all motions u that rows allow; taken for one b and one u that no symmetry singles out. Leaves d(b^T J u)/dq in
// numbers[0], and the sizes of its terms in numbers[1] of the memory.
void find_rank_change(Solution& s) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  const int n = w.model->nv, freedoms = s.loops.some() ? w.model->ny : n;
  s.rank_may_change =
      s.factor->rank < s.factor->rows && s.factor->rank < freedoms && s.factor->rank < most_rank(*w.cd());
  if (!s.rank_may_change) return;
  double *x = d.matrix[0], *u = d.numbers[2], *b = s.of_rows().numbers[1], *change = d.numbers[0],
         *size = d.numbers[1];
  clear_columns(s, x, d.ld);
  RandomNumbers random(1);
  for (int k = 0; k < freedoms; ++k) x[k] = random.uniform(0.5, 1.5);
  s.solve(RightSide::full, 1, 1, x, nullptr);
  s.give_motion(x, nullptr, u);
  w.kernels->combine_dependent_rows(b, w.dense->factor.data);
  w.kernels->sweep_motion(w.md(), s.in.q, u, nullptr, w.w());
  w.kernels->row_gradients(w.md(), *w.cd(), &s.of_rows().data, nullptr, false, w.w());
  double speed = 0;
  for (int k = 0; k < n; ++k) speed = std::max(speed, std::abs(u[k]));
  std::fill_n(change, n, 0.0), std::fill_n(size, n, 0.0);
  const ActingRows<double> rows = {w.cd(), w.w().Kw, w.w().side_Kw, &s.of_rows().data, s.lambda, b, nullptr};
  w.kernels->row_velocity_vjp(w.md(), rows, speed, change, size, w.w());
  if (!s.loops.vary()) return;
  // The loops hold what b leaves, K^T c = - J^T b, the last result of a product with y = 0.
  s.loops.place_velocities();
  LoopDerivativeMemory& of_loops = s.loops.memory();
  double* const* x3 = of_loops.numbers;
  w.kernels->constrained_vjp(w.md(), {{rows, {}}, 1, of_loops.turning, of_loops.theta}, s.in.wrenches,
                             w.zeros.data(), x3[0], x3[1], x3[2], d.data, w.w());
  s.loops.balance(x3[2], of_loops.b);
  w.kernels->row_velocity_vjp(w.md(), loop_rows_of_velocities(s.loops.memory()), speed, change, size, w.w());
}

// Solves with constraint rows. Leaves the forces of rows among the wrenches, but for limbs side by side.
Status solve_rows(Solution& s) {
  WorkspaceImpl& w = s.w;
  const int rows = w.rows();
  const SolveOptions options;
  s.chains = s.takes_chains() ? &s.d().data : nullptr;
  const ConstrainedProblem problem = {w, options, s.in, w.lambda.data(), s.chains};
  s.limbs = s.products_alone ? limbs_of_row_products(w) : nullptr;
  if (s.limbs && !solve_on_limbs(*s.limbs, problem)) s.limbs = nullptr;
  s.star = s.matrices_alone ? star_of_row_matrices(w) : nullptr;
  if (s.star && !solve_on_star(*s.star, problem)) s.star = nullptr;
  const Outcome outcome = s.limbs || s.star ? Status::ok : solve_for_derivatives(problem);
  if (outcome == Status::not_positive_definite) return fail_mass_matrix(w, s.in.q);
  TENON_CHECK(check_result(w, w.w().qdd, w.model->nv));
  TENON_CHECK(check_result(w, w.lambda.data(), rows));
  if (outcome == Status::infeasible)
    return w.fail(Status::unsupported,
                  "there are no derivatives where constraint rows contradict each other, here by %g %s; "
                  "leave rows out, "
                  "or take differences",
                  w.report.primal_residual, s.unit);
  double* lambda = s.of_rows().numbers[0];
  for (int r = 0; r < rows; ++r) lambda[r] = w.cd()->active[r] != 0 ? w.lambda[index(r)] : 0;
  s.lambda = lambda;
  s.factor = &w.dense->factor.data;
  if (s.limbs || s.star) return Status::ok;
  w.kernels->span_weighted_range(*w.cd(), w.dense->factor.data);
  add_row_forces(*w.cd(), lambda, w.w().wrench, w.w());
  return Status::ok;
}

// Solves without, and factors the mass matrix, G^T M G of a model with embedded loops.
Status solve_alone(Solution& s) {
  WorkspaceImpl& w = s.w;
  TENON_CHECK(solve_free(w, s.in, w.w().qdd));
  TENON_CHECK(check_result(w, w.w().qdd, w.model->nv));
  if (!s.loops.some()) {
    w.need(of_joint_space);
    w.kernels->crba_rows(w.md(), s.in.q, w.w().H_L, w.w());
    const bool positive = w.kernels->ltl_factor(w.md(), w.w().H_L, w.w().H_inv_d, w.w());
    return positive ? Status::ok : fail_mass_matrix(w, s.in.q);
  }
  TENON_CHECK(update_loops(w, s.in.q, s.in.v, s.split()));
  IndependentSpaceData<double>& x = w.independent->data;
  w.kernels->independent_mass_rows(w.md(), s.in.q, x.w.H_L, x, w.w());
  return w.kernels->ltl_factor(x.tree, x.w.H_L, x.w.H_inv_d, x.w) ? Status::ok : fail_mass_matrix(w, s.in.q);
}

// The forces of loops, as what is left of the equations without them. After the sweep at the solution.
void place_loops(Solution& s) {
  WorkspaceImpl& w = s.w;
  if (!s.loops.some()) return;
  double* rest = s.loops.memory().numbers[0];
  w.kernels->rnea(w.md(), {s.in.q, s.in.v, nullptr, s.in.wrenches, nullptr, s.in.qdd}, rest, w.w());
  for (int k = 0; k < w.model->nv; ++k) rest[k] -= s.in.tau[k];
  w.kernels->sweep_motion(w.md(), s.in.q, s.in.v, s.in.qdd, w.w());
  s.loops.place(rest);
}

// The motion of bodies at the solution. A solve with rows leaves that without accelerations, unless find_rank_change or loops
// have placed another one since.
bool places_motion_anew(const Solution& s) {
  return !s.with_rows || s.rank_may_change || s.loops.some();
}
void place_motion(Solution& s) {
  WorkspaceImpl& w = s.w;
  if (places_motion_anew(s))
    w.kernels->sweep_motion(w.md(), s.in.q, s.in.v, s.in.qdd, w.w());
  else
    w.kernels->add_accelerations(w.md(), s.in.qdd, s.d().data, w.w());
}

// motion: in the coordinates of the tree; null: along any coordinate.
Status check_rank_of(const Solution& s, const double* motion) {
  if (!s.rank_may_change) return Status::ok;
  const double *change = s.d().numbers[0], *size = s.d().numbers[1];
  int n = s.w.model->nv;
  if (!motion && s.loops.some()) {
    double *of_y = s.loops.memory().numbers[0], *size_of_y = s.loops.memory().numbers[1];
    n = s.w.model->ny;
    for (int j = 0; j < n; ++j) {
      of_y[j] = size_of_y[j] = 0;
      for_column(s.w.md(), s.w.arena.data.G, j,
                 [&](int k, double G) { of_y[j] += G * change[k], size_of_y[j] += std::abs(G) * size[k]; });
    }
    change = of_y, size = size_of_y;
  }
  double along = 0, largest = 0, terms = 0;
  for (int k = 0; k < n; ++k) {
    const double step = motion ? motion[k] : 1;
    along += change[k] * step, terms += size[k] * std::abs(step);
    largest = std::max(largest, std::abs(change[k] * step));
  }
  if (!((motion ? std::abs(along) : largest) > rank_change * terms)) return Status::ok;
  return s.w.fail(
      Status::singular_configuration,
      "%d constraint rows depend on the other %d here and become independent where q moves%s: there is no "
      "derivative by q; take another configuration, or leave rows out",
      s.factor->rows - s.factor->rank, s.factor->rank, motion ? " along dq" : "");
}

}  // namespace

Status check_rank(const Solution& s) {
  return check_rank_of(s, nullptr);
}

// With embedded loops along the motion that keeps them closed, as check_rank: what spanning coordinates add to it opens loops,
// and there rows have a rank that means nothing.
Status check_rank_along(const Solution& s, const double* dq) {
  if (!s.rank_may_change || !s.loops.some()) return check_rank_of(s, dq);
  double *motion = s.d().numbers[2], *y = s.loops.memory().numbers[0];
  for (int j = 0; j < s.w.model->ny; ++j) y[j] = dq[s.independent() ? j : s.w.md().independent[j]];
  from_independent(s.w, y, nullptr, motion);
  return check_rank_of(s, motion);
}

Multipliers find_multipliers(Solution& s, const double* gradient, const double* gradient_lambda) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  const Multipliers to = {d.matrix[0], d.numbers[2], s.with_rows ? s.of_rows().of_lambda[0] : nullptr,
                          d.numbers[3]};
  clear_columns(s, to.x, d.ld);
  std::fill_n(to.w, w.model->nv, 0.0);
  if (gradient && s.independent())
    scatter_independent(w, gradient, to.w);
  else if (gradient)
    std::copy_n(gradient, w.model->nv, to.w);
  s.take_force(to.w, to.x);
  if (s.with_rows) {
    clear_columns(s, to.b, s.of_rows().stride);
    rows_from_user(w.cd(), gradient_lambda, to.b);
    for (int r = 0; r < w.rows(); ++r) to.b[r] = -to.b[r];
    s.leave_rows_out(to.b);
  }
  s.solve(RightSide::full, 1, 1, to.x, to.b);
  s.give_motion(to.x, nullptr, to.y);
  return to;
}

Status solve(const Inputs<double>& user, Solution& s) {
  WorkspaceImpl& w = s.w;
  if (!s.with_rows) TENON_CHECK(refuse_row_loops(w));
  if (s.by_state) TENON_CHECK(s.loops.check());
  TENON_CHECK(map_in_forward(w, user, s.in));
  s.in = with_friction(w, s.in);
  if (s.with_rows) rows_from_user(w.cd(), s.in.desired, w.w().desired);
  return solve_given(s);
}

Status solve_motion(Solution& s) {
  WorkspaceImpl& w = s.w;
  Inputs<double>& in = s.in;
  s.has_basis = s.rank_may_change = false;
  *w.derivatives;
  if (s.loops.some()) *w.loop_derivatives;
  if (!in.wrenches) std::fill_n(w.w().wrench, 6 * w.model->body_count(), 0.0);
  if (s.loops.some()) TENON_CHECK(update_loops(w, in.q, in.v, s.split()));
  TENON_CHECK(s.with_rows ? solve_rows(s) : solve_alone(s));
  in.qdd = w.w().qdd;
  if (!s.limbs && !s.star) in.wrenches = w.w().wrench;
  return Status::ok;
}

Status solve_given(Solution& s) {
  WorkspaceImpl& w = s.w;
  TENON_CHECK(solve_motion(s));
  if (s.limbs || s.star) return Status::ok;
  if (!s.by_state) {
    place_motion(s);
    return Status::ok;
  }
  if (s.with_rows) find_rank_change(s);
  place_loops(s);
  if (!s.loops.some()) place_motion(s);
  if (s.with_rows && s.row_by_row)
    w.kernels->row_gradients(w.md(), *w.cd(), nullptr, &s.of_rows().data, !places_motion_anew(s), w.w());
  return Status::ok;
}

}  // namespace tenon
