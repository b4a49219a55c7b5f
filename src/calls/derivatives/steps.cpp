// Products with first derivatives of a step in time (step_tangents.hpp), with constraint rows too. A step with rows, loops
// closed by rows among them, is no more than its stages: it checks what becomes of loops (calls/step_check.hpp), and moves
// nothing for it. Embedded loops it closes at its end, which moves dependent coordinates only; so there are derivatives in
// independent velocities. These are mapped to the tree at the beginning, as the step itself does it.
#include <algorithm>

#include "calls/derivatives/accelerations.hpp"
#include "calls/derivatives/step_tangents.hpp"
#include "calls/step_check.hpp"
#include "kernels/joint/integrate_derivatives.hpp"
#include "model/row_order.hpp"
#include "scalar/index.hpp"
#include "state/coordinates.hpp"
#include "state/joint_friction.hpp"

namespace tenon {

static Status check_loops_of_step(WorkspaceImpl& w) {
  const EmbeddedLoops loops(w);
  if (!loops.some()) return Status::ok;
  if (!w.coordinates.independent_v)
    return w.fail(
        Status::unsupported,
        "there are no derivatives of a step of a model with embedded loops, '%s' the first, in spanning "
        "velocities, which open the loops a little; set independent ones, or close loops by rows",
        w.model->loops.names.front().c_str());
  const int split = w.coordinates.split_joint;
  if (split >= 0)
    return w.fail(Status::unsupported,
                  "there are no derivatives of a step where loops leave some coordinates of a joint free and "
                  "not others, here of '%s'; close the loops by rows",
                  w.model->joints[index(split)].name.c_str());
  return loops.check();
}
Status check_differentiable_step(Workspace& workspace) {
  return check_loops_of_step(begin(workspace));
}

namespace {

// A step from a checked state, in the coordinates of the tree, and what derivatives need of it.
struct DerivedStep {
  DerivedStep(WorkspaceImpl& w_, Integrator integrator, double dt_, bool wants_bodies)
      : w(w_),
        rule(rule_of(integrator)),
        dt(dt_),
        s(w_, w_.rows() > 0),
        tree(w_, wants_bodies),
        d(*w_.step_derivatives) {
    double* next = w.step.data();
    x.q = next, next += w.model->nq;
    for (double** to : {&x.v, &x.u, &x.rate, &x.sum_u, &x.sum_a, &qdd}) *to = next, next += nv();
    s.of_stage = s.one_by_one = true, s.products_alone = !wants_bodies;
  }
  int nv() const { return w.model->nv; }
  // Of the user's velocities.
  int n() const { return w.coordinates.independent_v ? w.model->ny : nv(); }

  Status start(Workspace& workspace, Integrator integrator, const Inputs<double>& user_) {
    user = user_;
    TENON_CHECK(check_finite(w, "dt", &dt, 1));
    TENON_CHECK(check_loops_of_step(w));
    if (w.row_loops || s.loops.some()) TENON_CHECK(check_whole_step(workspace, integrator, dt, user));
    TENON_CHECK(map_in_forward(w, user, in));
    x.start_q = in.q, x.start_v = in.v;
    return Status::ok;
  }
  // Leaves the motion of a stage in the workspace, and with `products` what these need there.
  Status solve(int stage, const double* q, const double* v, bool products) {
    s.in = in;
    s.in.q = q, s.in.v = v;
    s.at_users_state = stage == 0;
    s.in.wrenches = user.wrenches;
    TENON_CHECK(take_wrenches(w, s.in.wrenches));  // the stage before has added those of rows
    s.in = with_friction(w, s.in);
    if (!by_rows_or_loops()) {
      *w.derivatives;
      return solve_forward(tree, s.in, products);
    }
    if (s.with_rows) rows_from_user(w.cd(), static_cast<const double*>(nullptr), w.w().desired);
    return products ? solve_given(s) : solve_motion(s);
  }
  // The same of the stage that arrays have, with the messages of a step.
  Status solve_present(int stage, bool products) {
    if (stage > 0 && !is_finite()) return fail_step(w, dt);
    const bool first = stage == 0;
    const Status solved = solve(stage, first ? in.q : x.q, first ? in.v : x.v, products);
    if (!first && solved == Status::not_finite) return fail_step(w, dt);
    std::copy_n(w.w().qdd, nv(), qdd);
    return solved;
  }
  bool by_rows_or_loops() const { return s.with_rows || s.loops.some(); }
  bool is_finite() const { return all_finite(x.q, w.model->nq) && all_finite(x.v, nv()); }
  // Takes the step by its stages.
  template <class Stages>
  Status take(const Stages& stages) {
    if (!take_stages(stages, rule, w.model->nq, nv(), dt, x)) return status;
    return is_finite() ? Status::ok : fail_step(w, dt);
  }

  // The tangent of the user in the tree, null: zero.
  const double* from_user(const double* tangent, double* room) const {
    if (!w.coordinates.independent_v) return or_zero(w, tangent);
    scatter_independent(w, or_zero(w, tangent), room);
    return room;
  }
  // Motions of the tree, or forces of which users give those on independent coordinates, become the user's.
  void to_user(double* motion) const {
    if (!w.coordinates.independent_v) return;
    copy_motion(w, motion, qdd);
    std::copy_n(qdd, n(), motion);
  }
  // After the step and all that is taken of it.
  Status give(bool accumulate, const StepEnd& end, std::initializer_list<DerivativeBlock> blocks) const {
    SolutionBlock q = {x.q, w.model->nq, end.q}, v = {x.v, nv(), end.v};
    if (w.coordinates.independent_v) {
      bool at_dead_centre = false;
      TENON_CHECK(close_step(w, x.q, x.v, at_dead_centre));
      if (at_dead_centre)
        return w.fail(
            Status::singular_configuration,
            "the step ends next to a dead centre, where all joints move to close the loops: there are "
            "no derivatives; take another step");
      copy_motion(w, x.v, qdd);
      v = {qdd, n(), end.v};
    }
    if (w.coordinates.independent_q) {
      copy_positions(w, x.q, d.end_q);
      q = {d.end_q, static_cast<int>(w.model->loops.independent_q.size()), end.q};
    }
    return give_derivatives(w, accumulate, {q, v}, blocks);
  }

  WorkspaceImpl& w;
  const StepRule& rule;
  double dt;
  Inputs<double> user, in;  // in: in the coordinates of the tree
  Solution s;
  TreeSweeps tree;  // without rows and loops
  StepDerivativeMemory& d;
  StepArrays<double> x{};
  double* qdd;
  Status status = Status::ok;  // of the stage that ended the step, or the way back
};

bool failed(Status status) {
  return static_cast<std::int32_t>(status) < 0;
}

// What take_stages() and derivatives ask of all joints.
struct Stages {
  DerivedStep& step;

  const ModelData& m() const { return step.w.md(); }
  void add_brackets(const double* u, double h, double* v) const { tenon::add_brackets(m(), u, h, v); }
  void integrate(const double* v, double h, double* q) const { integrate_joints(m(), v, h, q); }
  void move_tangents(const double* u, const double* y, bool transposed, double* moved, double* by_u) const {
    tenon::move_tangents(m(), u, y, transposed, moved, by_u);
  }
};

// Forward by accelerations alone, products at the last stage excepted, which is the first of the way back.
struct StagesBackward : Stages {
  StagesBackward(DerivedStep& s, bool wants_q_, const ParameterGradient& sums_)
      : Stages{s}, wants_q(wants_q_), sums(sums_), path{s.d.q, s.d.v, s.d.u} {
    if (sums.some()) clear_parameter_sums(s.w);
  }

  bool is_last(int stage) const { return stage + 1 == step.rule.stages; }
  const double* accelerate(int stage) const {
    if (step.rule.stages > 1) path.keep(stage, step.w.model->nq, step.nv(), step.x);
    step.status = step.solve_present(stage, is_last(stage));
    return failed(step.status) ? nullptr : step.qdd;
  }
  bool gradients(int stage, const double* by_a, StageGradients<double>& by) const {
    step.status = find(stage, by_a, by);
    return !failed(step.status);
  }
  void bracket_gradients(const double* u, const double* v, const double* gradient, double* by_u,
                         double* by_v) const {
    tenon::bracket_gradients(m(), u, v, gradient, by_u, by_v);
  }

  bool wants_q;
  const ParameterGradient& sums;
  StepPath<double> path;

 private:
  Status find(int stage, const double* by_a, StageGradients<double>& by) const {
    WorkspaceImpl& w = step.w;
    const bool first = stage == 0;
    const double *const q = first ? step.in.q : path.q + std::ptrdiff_t{stage} * w.model->nq,
                        *const v = first ? step.in.v : path.v + std::ptrdiff_t{stage} * step.nv();
    if (!is_last(stage)) TENON_CHECK(step.solve(stage, q, v, true));
    if (step.s.with_rows && (!first || wants_q)) TENON_CHECK(check_rank(step.s));
    Inputs<double> in = step.s.in;  // whose arrays hold the end by now
    in.q = q, in.v = v;
    step.s.in = in;
    const ProductGradients found = step.by_rows_or_loops() ? solution_gradients(step.s, by_a, nullptr)
                                                           : tree_gradients(step.tree, in, by_a);
    by = {found.q, found.v, found.tau};
    if (sums.some()) add_sums(in, found.tau);
    return Status::ok;
  }
  void add_sums(const Inputs<double>& in, const double* by_tau) const {
    WorkspaceImpl& w = step.w;
    add_parameter_products(w, in, by_tau, -1, sums);
    // What follows is at the motion of the stage.
    if (sums.by_wrenches || sums.by_gravity) w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
  }
};

// With the change of each stage beside it.
struct StagesForward : Stages {
  StagesForward(DerivedStep& s, const StateChange& user_) : Stages{s}, user(user_) {
    double* const* x = s.d.numbers;
    start = {x[0], x[1], x[2]};
    c = {x[0], x[1], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11]};
  }
  const double* accelerate(int stage) const {
    step.status = move(stage);
    return failed(step.status) ? nullptr : step.qdd;
  }
  void bracket_changes(const double* u, const double* v, const double* du, const double* dv,
                       double* out) const {
    tenon::bracket_changes(m(), u, v, du, dv, out);
  }

  StateChange user;
  struct {
    double *q, *v, *tau;
  } start;  // in the coordinates of the tree
  StepChanges<double> c;

 private:
  Status move(int stage) const {
    TENON_CHECK(step.solve_present(stage, true));
    if (stage == 0) place_start();
    begin_change(*this, step.rule, stage, step.dt, step.nv(), step.x, c);
    // Where nothing moves q, it does not matter whether the rank of rows would change.
    const StateChange change = {stage == 0 && !user.q ? nullptr : c.q, c.v, start.tau};
    ProductChange of{};
    if (step.by_rows_or_loops())
      TENON_CHECK(solution_change(step.s, {change, nullptr}, of));
    else
      of = tree_change(step.tree, step.s.in, change);
    end_change(*this, step.rule, stage, step.dt, step.nv(), step.x, of.qdd, c);
    return Status::ok;
  }
  // After the first solve, by which velocities of the tree change with independent positions.
  void place_start() const {
    const DerivativeProducts::Change in_tree = step.s.products().spanning(
        step.s.in.v, {user.q, user.v, user.third}, false, start.q, start.v, start.tau);
    const auto place = [&](const double* from, double* to) {
      if (from != to) std::copy_n(or_zero(step.w, from), step.nv(), to);
    };
    place(in_tree.q, start.q), place(in_tree.v, start.v), place(in_tree.third, start.tau);
  }
};

}  // namespace

Status step_vjp(Workspace& workspace, Integrator integrator, const DerivativeOptions& options, double dt,
                const Inputs<double>& user, const double* gradient_q, const double* gradient_v,
                const StepEnd& end, const Derivatives& out, const ParameterGradient& sums) {
  WorkspaceImpl& w = begin(workspace);
  DerivedStep step(w, integrator, dt, sums.some());
  step.s.row_by_row = false;
  TENON_CHECK(step.start(workspace, integrator, user));
  const int n = step.n();
  TENON_CHECK(check_finite(w, "gradient_next_q", gradient_q, n));
  TENON_CHECK(check_finite(w, "gradient_next_v", gradient_v, n));
  const StagesBackward stages(step, out.by_q.values != nullptr, sums);
  TENON_CHECK(step.take(stages));
  double* const* x = step.d.numbers;
  const StepGradients<double> g = {step.from_user(gradient_q, x[0]),
                                   step.from_user(gradient_v, x[1]),
                                   x[2],
                                   x[3],
                                   x[4],
                                   x[5],
                                   x[6],
                                   x[7],
                                   x[8],
                                   x[9],
                                   x[10],
                                   x[11],
                                   x[12],
                                   x[13]};
  if (!pull_back(stages, step.rule, dt, step.nv(), step.x, stages.path, g)) return step.status;
  step.s.products().to_user(g.q, g.v);
  step.to_user(g.tau);
  if (sums.some()) TENON_CHECK(give_parameter_sums(w, true, {}, sums));
  return step.give(options.accumulate, end,
                   {{g.q, n, 1, n, "gradient_q", out.by_q},
                    {g.v, n, 1, n, "gradient_v", out.by_v},
                    {g.tau, n, 1, n, "gradient_tau", out.by_third}});
}

Status step_jvp(Workspace& workspace, Integrator integrator, const DerivativeOptions& options, double dt,
                const Inputs<double>& user, const StateChange& change, const StepEnd& end,
                const Derivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  DerivedStep step(w, integrator, dt, false);
  TENON_CHECK(step.start(workspace, integrator, user));
  const int n = step.n();
  TENON_CHECK(check_finite(w, "dq", change.q, n));
  TENON_CHECK(check_finite(w, "dv", change.v, n));
  TENON_CHECK(check_finite(w, "dtau", change.third, n));
  const StagesForward stages(step, change);
  TENON_CHECK(step.take(stages));
  finish_change(stages, step.rule, dt, step.nv(), step.x, stages.c);
  step.to_user(stages.c.q), step.to_user(stages.c.v);
  return step.give(options.accumulate, end,
                   {{stages.c.q, n, 1, n, "dnext_q", out.by_q}, {stages.c.v, n, 1, n, "dnext_v", out.by_v}});
}

}  // namespace tenon
