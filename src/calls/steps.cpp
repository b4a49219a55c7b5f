// Time steps. The user's state is mapped to the spanning tree's coordinates once; all stages are computed
// there, and the end is mapped back. So a step can pass a dead centre of independent coordinates, where their
// velocities do not determine the motion of the other joints.
#include <algorithm>

#include "calls/constrained.hpp"
#include "calls/step_check.hpp"
#include "calls/step_stages.hpp"
#include "kernels/joint/integrate.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

// The user's input, mapped to the spanning tree's coordinates, and memory for the stages.
struct Step {
  explicit Step(WorkspaceImpl& w) {
    const std::size_t nq = index(w.model->nq), nv = index(w.model->nv);
    double* next = w.step.data();
    end_q = next, next += nq;
    for (double** x : {&end_v, &rate, &u, &sum_u, &sum_a, &first_a}) *x = next, next += nv;
    lambda = w.step_lambda.data();
  }
  Inputs<double> in;
  double *end_q, *end_v;  // and of the stages before
  double *rate, *u, *sum_u, *sum_a, *first_a;
  double* lambda;  // of the first stage, in the user's order
};

Status take_step(WorkspaceImpl& w, const SolveOptions& options, double dt, const Inputs<double>& user,
                 const double* lambda, Step& s) {
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  TENON_CHECK(check_options(w, options));
  TENON_CHECK(map_in_forward(w, user, s.in));
  return options.warm_start ? check_finite(w, "lambda", lambda, w.rows()) : Status::ok;
}

// Leaves the accelerations in w.w().qdd. The first stage keeps its multipliers and may start from given ones.
Status solve_stage(WorkspaceImpl& w, const SolveOptions& options, const Step& s, const double* q,
                   const double* v, const double* lambda, bool first) {
  Inputs<double> in = s.in;
  in.q = q, in.v = v;
  const Status status = constrained_motion(w, options, in, first && options.warm_start ? lambda : nullptr);
  if (static_cast<std::int32_t>(status) < 0 || !first) return status;
  std::copy_n(w.w().qdd, w.model->nv, s.first_a);
  std::copy_n(w.user_lambda.data(), w.rows(), s.lambda);
  return status;
}

bool end_is_finite(const WorkspaceImpl& w, const Step& s) {
  return all_finite(s.end_q, w.model->nq) && all_finite(s.end_v, w.model->nv);
}

Status check_end(WorkspaceImpl& w, double dt, const Step& s) {
  if (!end_is_finite(w, s)) return fail_step(w, dt);
  return check_step(w, {dt, s.in, s.lambda, s.end_q, s.end_v});
}

// Copies the new state and results to the user, after check_end.
Status give_end(WorkspaceImpl& w, const Step& s, double* q, double* v, double* qdd, double* lambda) {
  bool at_dead_centre = false;
  if (w.coordinates.independent_v) TENON_CHECK(close_step(w, s.end_q, s.end_v, at_dead_centre));
  copy_positions(w, s.end_q, q);
  copy_motion(w, s.end_v, v);
  if (qdd) copy_motion(w, s.first_a, qdd);
  if (lambda) std::copy_n(s.lambda, w.rows(), lambda);
  return Status::ok;
}

// The stages of a step (calls/step_stages.hpp).
struct Stages {
  WorkspaceImpl& w;
  const SolveOptions& options;
  const Step& s;
  double dt;
  const double* lambda;
  Status& worst;  // of all stages, or of the one that ends the step

  const double* accelerate(int stage) const {
    const bool first = stage == 0;
    if (!first && !end_is_finite(w, s)) return stop(fail_step(w, dt));
    const Status status =
        solve_stage(w, options, s, first ? s.in.q : s.end_q, first ? s.in.v : s.end_v, lambda, first);
    if (!first && status == Status::not_finite) return stop(fail_step(w, dt));
    if (static_cast<std::int32_t>(status) < 0) return stop(status);
    worst = std::max(worst, status);
    return w.w().qdd;
  }
  void add_brackets(const double* u, double h, double* v) const { tenon::add_brackets(w.md(), u, h, v); }
  void integrate(const double* v, double h, double* q) const { integrate_joints(w.md(), v, h, q); }

 private:
  const double* stop(Status status) const {
    worst = status;
    return nullptr;
  }
};

// The whole step, but what the user gets of it.
Status take_whole_step(WorkspaceImpl& w, Integrator integrator, const SolveOptions& options, double dt,
                       const Inputs<double>& user, const double* lambda, Step& s) {
  TENON_CHECK(take_step(w, options, dt, user, lambda, s));
  Status status = Status::ok;
  const Stages stages{w, options, s, dt, lambda, status};
  const StepArrays<double> arrays = {s.in.q, s.in.v, s.end_q, s.end_v, s.u, s.rate, s.sum_u, s.sum_a};
  if (!take_stages(stages, rule_of(integrator), w.model->nq, w.model->nv, dt, arrays)) return status;
  TENON_CHECK(check_end(w, dt, s));
  return status;
}

}  // namespace

Status fail_step(WorkspaceImpl& w, double dt) {
  return w.fail(
      Status::not_finite,
      "the state after a step of %g s is not finite; the accelerations are too large for this step, take a "
      "shorter one",
      dt);
}

Status step_in_time(Workspace& workspace, Integrator integrator, const SolveOptions& options, double dt,
                    double* q, double* v, const double* tau, const double* wrenches, double* qdd,
                    double* lambda) {
  WorkspaceImpl& w = begin(workspace);
  Step s(w);
  const Status status = take_whole_step(w, integrator, options, dt, {q, v, tau, wrenches}, lambda, s);
  if (static_cast<std::int32_t>(status) < 0) return status;
  TENON_CHECK(give_end(w, s, q, v, qdd, lambda));
  return status;
}

Status close_step(WorkspaceImpl& w, double* q, double* v, bool& at_dead_centre) {
  TENON_CHECK(update_loops(w, q, nullptr, SplitFor::any));
  at_dead_centre = w.split.any_changed;
  if (!at_dead_centre) return close_dependent(w, q);
  if (!(w.loops.assembly.close(q, Assembly::Moves::all, w.w()) < loop_tolerance))
    return close_dependent(w, q);
  TENON_CHECK(update_loops(w, q, nullptr, SplitFor::any));
  double* y = w.loops.independent.data();
  for (int j = 0; j < w.model->ny; ++j) y[j] = v[w.md().independent[j]];
  from_independent(w, y, nullptr, v);
  return Status::ok;
}

Status check_whole_step(Workspace& workspace, Integrator integrator, double dt, const Inputs<double>& in) {
  WorkspaceImpl& w = begin(workspace);
  Step s(w);
  const Status status = take_whole_step(w, integrator, {}, dt, in, nullptr, s);
  return static_cast<std::int32_t>(status) < 0 ? status : Status::ok;
}

}  // namespace tenon
