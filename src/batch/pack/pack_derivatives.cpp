#include "batch/pack/pack_derivatives.hpp"

#include <algorithm>

#include "batch/pack/drawn_states.hpp"
#include "batch/pack/lane_arithmetic.hpp"
#include "batch/pack/pack_impacts.hpp"
#include "batch/pack/pack_kinematics.hpp"
#include "calls/derivatives/step_tangents.hpp"
#include "data/rank.hpp"
#include "kernels/joint/integrate_derivatives.hpp"
#include "model/row_order.hpp"
#include "spatial/small_ldl.hpp"
#include "state/projection.hpp"

namespace tenon {

template <class N, int W>
void PackDerivatives<N, W>::find_dependence(const ModelData& m, const ConstraintData& c,
                                            const RowSettingsOf<Pack>& settings,
                                            PackedDelassus<Pack> delassus, WorkspaceData<Pack>& w) {
  const std::size_t rows = index(c.row_count);
  std::vector<Pack> x(nv_ * rows), inverse(nv_), zeros(nv_), A(rows * rows);
  delassus.settings = settings;
  delassus.x = x.data(), delassus.inverse = inverse.data(), delassus.zeros = zeros.data();
  DrawnStates<N, W> states(m);
  const Pack* const q = states.draw().q;
  Pack largest;  // of loops, which are open there
  if (m.varying_clusters > 0) dynamics_.loops_of_states(m, q, nullptr, largest, w);
  if (!dynamics_.delassus_of_states(m, c, q, delassus, A.data(), w)) return;
  rows_depend_ = true;
  std::vector<double> one(rows * rows);
  for (int l = 0; rows_depend_ && l < W; ++l) {
    for (std::size_t e = 0; e < one.size(); ++e) one[e] = static_cast<double>(A[e][l]);
    for (std::size_t r = 0; r < rows; ++r) one[r * (rows + 1)] += c.compliance[r];
    bool independent = true;
    factor_ldl(c.row_count, c.row_count, one.data(), [&](int r, double& pivot) {
      if (pivot > least_pivot_of_rows<N> * c.scale[r]) return;
      independent = false;
      pivot = c.scale[r];
    });
    rows_depend_ = !independent;
  }
}

template <class N, int W>
void PackDerivatives<N, W>::prepare(const BatchCall& call, const ConstraintData* c,
                                    const PackedDelassus<Pack>& delassus,
                                    IndependentNumbers<N, W>* independent) {
  c_ = c, independent_ = independent;
  const ModelData& m = single_.model->data();
  const bool forward = !call.of_inverse_dynamics() && !call.of_kinematics();
  has_loops_ = (independent_ || forward) && m.varying_clusters > 0;
  closes_ = call.of_matrices() && (independent_ || (forward && m.cluster_count > 0));
  memory_.prepare(call, c, has_loops_, closes_, independent_ != nullptr);
  const bool alone = call.of_inverse_dynamics() || call.function == BatchFunction::forward_derivatives;
  gives_lines_ = call.of_matrices() && alone && !call.derivatives.accumulate && !independent_ && !closes_ &&
                 memory_.lines.take_layout(call);
  whole_ = false;  // a state of an earlier call may have left that it was
  rows_.delassus = delassus;
}

template <class N, int W>
void PackDerivatives<N, W>::fill_lines(const ModelData& m, int first, int end, const WorkspaceData<Pack>& w,
                                       const Pack* (&by)[3]) {
  const PackedLines<Pack>& x = memory_.lines;
  const Pack* const none = nullptr;
  const PackedProduct<Pack> to = {none, none, none, x.wanted(0), x.wanted(1), x.wanted(2)};
  std::copy_n(x.room, 3, by);
  if (x.of_inverse) return kernels_.rnea_lines_of_states(m, first, end, x.order, to, data_, w);
  kernels_.forward_columns_of_states(m, first, end, x.order, to, data_, w);
  by[2] = data_.inverse + static_cast<std::ptrdiff_t>(first) * m.nv;
}

template <class N, int W>
void PackDerivatives<N, W>::find_zeros(int first, int count, char* zeros) const {
  const int nv = static_cast<int>(nv_);
  std::fill_n(zeros, count * nv / W, char{0});
  for (int line = 0; line < count; ++line)
    for (int r = data_.gaps_begin[first + line]; r < data_.gaps_begin[first + line + 1]; ++r) {
      const int begin = (line * nv + data_.gaps[r].first + W - 1) / W,
                end = (line * nv + data_.gaps[r].end) / W;
      for (int block = begin; block < end; ++block) zeros[block] = 1;
    }
}

template <class N, int W>
void PackDerivatives<N, W>::add_velocity_changes(const ModelData& m, const In& in, bool moves, Numbers& n,
                                                 WorkspaceData<Pack>& w) {
  if (!independent_ || !has_loops_) return;
  kernels_.place_velocity_rows_of_states(m, in, moves, loops_, w);
  kernels_.add_velocity_changes_of_states(m, in, n.along_q.data(), n.along_v.data(), loops_, data_, w);
}

template <class N, int W>
void PackDerivatives<N, W>::multiply(const BatchCall& call, const ModelData& m, const In& in,
                                     const PackedProduct<Pack>& given, Pack* tau, Numbers& n,
                                     WorkspaceData<Pack>& w) {
  const bool damped = call.robots && call.robots->own_friction && !call.of_impacts();
  const Pack* const damping = damped ? n.damping.data() : nullptr;
  const bool forward =
      call.derivatives.form == DerivativeForm::jvp || call.derivatives.form == DerivativeForm::matrices;
  const PackedActing<Pack> acting = this->acting();
  In at = in;
  if (c_) at.wrenches = rows_.wrench;
  PackedProduct<Pack> p = given;
  // After forward dynamics; where loops turn, steps and impacts have looked at other states since then.
  p.placed =
      !call.of_inverse_dynamics() && (m.varying_clusters == 0 || !(call.of_steps() || call.of_impacts()));
  p.moved = p.accelerated = p.placed && !forward && !c_;  // rows are solved in several steps
  if (c_ || has_loops_)
    (forward ? kernels_.constrained_jvp_of_states : kernels_.constrained_vjp_of_states)(m, at, p, tau, acting,
                                                                                        data_, w);
  else
    (forward ? kernels_.rnea_jvp_of_states : kernels_.rnea_vjp_of_states)(m, at, p, tau, data_, w);
  if (!damping) return;
  if (!forward)
    combine(p.by_v, 1, damping, p.x, nv_, p.by_v);
  else if (p.v)
    combine(p.by_q, 1, damping, p.v, nv_, p.by_q);
}

template <class N, int W>
void PackDerivatives<N, W>::add_by_parameters(const BatchCall& call, const In& in, const Pack* y, Numbers& n,
                                              WorkspaceData<Pack>& w) {
  const BatchCall::Differentiation& how = call.derivatives;
  const auto list = [&](ByParameter kind) {
    return how.by(kind).data ? n.by_parameters[static_cast<std::size_t>(kind)].data() : nullptr;
  };
  if (Pack* const by = list(ByParameter::inertia))
    kernels_.add_parameter_products_of_states(single_.parameters->data, by, data_, w);
  if (Pack* const by = list(ByParameter::armature)) combine(by, 1, y, in.qdd, nv_, by);
  if (Pack* const by = list(ByParameter::damping)) combine(by, 1, y, in.v, nv_, by);
  Pack* const by_friction = list(ByParameter::friction);
  for (std::size_t i = 0; by_friction && i < nv_; ++i)
    for (int l = 0; l < W; ++l)
      by_friction[i][l] += y[i][l] * static_cast<N>((in.v[i][l] > 0) - (in.v[i][l] < 0));
}

template <class N, int W>
void PackDerivatives<N, W>::differentiate(const BatchCall& call, const ModelData& m, const In& in,
                                          const Pack* x, Pack* tau, Numbers& n, WorkspaceData<Pack>& w) {
  const BatchCall::Differentiation& how = call.derivatives;
  const auto given = [&](const BatchArray& a, const std::vector<Pack>& list) {
    return independent_ || a.data ? list.data() : nullptr;
  };
  const Pack *const along_q = given(how.along_q, n.along_q), *const along_v = given(how.along_v, n.along_v);
  PackedProduct<Pack> p = {along_q, along_v, x, n.by_q.data(), n.by_v.data(), n.by_x.data()};
  const bool inverse = call.of_inverse_dynamics();  // else M y is not wanted, and M is a factor alone
  if (how.form != DerivativeForm::matrices) {
    if (!inverse) p.by_x = nullptr;
    multiply(call, m, in, p, tau, n, w);
    if (how.form == DerivativeForm::parameter_vjp) add_by_parameters(call, in, x, n, w);
    return;
  }
  Pack** const lists[3] = {&p.by_q, &p.by_v, &p.by_x};
  for (int i = 0; i < 3; ++i)
    if (!takes_matrix(call, i) || (i == 2 && !inverse)) *lists[i] = nullptr;
  In at = in;
  if (c_) {
    at.wrenches = rows_.wrench;
    kernels_.row_derivatives_of_states(m, *c_, at, p, tau, rows_, data_, w);
  } else if (lines()) {
    kernels_.derivative_forces_of_states(m, at, tau, data_, w);
  } else {
    kernels_.rnea_derivatives_of_states(m, !inverse, at, p, tau, data_, w);
  }
}

template <class N, int W>
void PackDerivatives<N, W>::inverse(const BatchCall& call, const ModelData& m, const In& in, Numbers& n,
                                    WorkspaceData<Pack>& w) {
  const Pack* const x = call.derivatives.along_x.data ? n.along_x.data() : nullptr;
  In at = in;
  at.tau = nullptr;
  if (has_loops_ && call.robots && call.robots->own_friction) {  // loops hold that of dependent joints too
    std::fill_n(n.applied.data(), nv_, Pack(0));
    dynamics_.apply_friction(n.applied.data(), -1, n.damping.data(), n.dry.data(), n.v.data(), m.nv,
                             n.applied.data());
    at.tau = n.applied.data();
  }
  loops_.gradient = nullptr;
  if (call.derivatives.form == DerivativeForm::jvp) add_velocity_changes(m, at, false, n, w);
  if (closes_)
    differentiate_with_loops(call, m, at, n, w);
  else
    differentiate(call, m, at, x, n.out.data(), n, w);
  if (call.robots && call.robots->own_friction)
    dynamics_.apply_friction(n.out.data(), 1, n.damping.data(), n.dry.data(), n.v.data(), m.nv, n.out.data());
}

template <class N, int W>
bool PackDerivatives<N, W>::accelerate(const BatchCall& call, const ModelData& m, In& in, Pack* qdd,
                                       Pack* solved, Numbers& n, WorkspaceData<Pack>& w) {
  if (call.robots && call.robots->own_friction) {
    dynamics_.apply_friction(n.tau.data(), -1, n.damping.data(), n.dry.data(), in.v, m.nv, n.applied.data());
    in.tau = n.applied.data();
  }
  in.qdd = qdd;
  place_loops(m, in, w);
  if (c_) return kernels_.row_dynamics_of_states(m, *c_, in, qdd, rows_, data_, w);
  return solved ? kernels_.aba_and_solve_of_states(m, in, qdd, solved, data_, w)
                : dynamics_.aba_of_states(m, in, qdd, w);
}

template <class N, int W>
void PackDerivatives<N, W>::solve(const ModelData& m, Pack* x, WorkspaceData<Pack>& w) {
  if (c_)
    kernels_.solve_rows_of_states(m, *c_, x, rows_, data_, w);
  else
    kernels_.solve_by_inertias(m, x, data_, w);
}

template <class N, int W>
bool PackDerivatives<N, W>::forward(const BatchCall& call, const ModelData& m, const In& given, Numbers& n,
                                    WorkspaceData<Pack>& w) {
  In in = given;
  const Pack* const none = nullptr;
  const BatchCall::Differentiation& how = call.derivatives;
  const bool backward = how.form == DerivativeForm::vjp || how.form == DerivativeForm::parameter_vjp;
  Pack* const y = data_.x;
  if (backward) {
    // Gradients are minus the products: all of these are linear in the gradient that is given, whose sign is turned first.
    if (how.along_x.data)
      kernels_.negate(n.along_x.data(), m.nv, y);
    else
      std::fill_n(y, nv_, Pack(0));
    loops_.gradient = none;
    if (has_loops_ && how.along_x.data) {
      std::copy_n(y, nv_, n.by_x.data());
      loops_.gradient = n.by_x.data();
    }
  }
  if (!accelerate(call, m, in, n.out.data(), backward ? y : nullptr, n, w)) return false;
  const Pack* const along_rows = how.along_rows.data ? n.along_rows.data() : none;
  if (c_) rows_to_user(c_, rows_.lambda, n.second.data());
  switch (how.form) {
    case DerivativeForm::vjp:
    case DerivativeForm::parameter_vjp: {
      if (c_) {
        rows_from_user(c_, along_rows, rows_.b);
        kernels_.solve_rows_of_states(m, *c_, y, rows_, data_, w);
      }
      differentiate(call, m, in, y, memory_.torques.data(), n, w);
      kernels_.negate(y, m.nv, n.by_x.data());
      if (c_) rows_to_user(c_, rows_.b, n.by_rows.data());
      return true;
    }
    case DerivativeForm::jvp:
      add_velocity_changes(m, in, true, n, w);
      change_motion(
          call, m, in,
          {independent_ || how.along_q.data ? n.along_q.data() : none,
           independent_ || how.along_v.data ? n.along_v.data() : none, none, n.by_q.data(), nullptr, nullptr},
          how.along_x.data ? n.along_x.data() : none, along_rows, n, w);
      if (c_) rows_to_user(c_, rows_.b, n.by_rows.data());
      return true;
    case DerivativeForm::matrices:
    case DerivativeForm::regressor:  // of inverse dynamics, and state by state
      break;
  }
  if (closes_) return differentiate_with_loops(call, m, in, n, w);
  differentiate(call, m, in, none, memory_.torques.data(), n, w);
  if (lines()) return kernels_.inverse_mass_of_states(m, data_, w);
  const PackedProduct<Pack> to = matrices_of(call, n);
  if (!c_) return kernels_.forward_derivatives_of_states(to, data_);
  return kernels_.constrained_derivatives_of_states(*c_, to, row_matrices_of(call, n), rows_, data_);
}

template <class N, int W>
PackedProduct<Pack<N, W>> PackDerivatives<N, W>::matrices_of(const BatchCall& call, Numbers& n) {
  const auto list = [&](int i, std::vector<Pack>& by) { return takes_matrix(call, i) ? by.data() : nullptr; };
  return {nullptr, nullptr, nullptr, list(0, n.by_q), list(1, n.by_v), list(2, n.by_x)};
}
template <class N, int W>
PackedRowMatrices<Pack<N, W>> PackDerivatives<N, W>::row_matrices_of(const BatchCall& call, Numbers& n) {
  const auto list = [&](int which, std::vector<Pack>& by) {
    return call.out[which].data ? by.data() : nullptr;
  };
  return {{list(6, n.rows_by_q), list(7, n.rows_by_v), list(8, n.rows_by_x)},
          list(5, n.by_rows),
          list(9, n.rows_by_rows)};
}

template <class N, int W>
bool PackDerivatives<N, W>::differentiate_with_loops(const BatchCall& call, const ModelData& m, In in,
                                                     Numbers& n, WorkspaceData<Pack>& w) {
  const bool inverse = call.of_inverse_dynamics();
  PackedLoopMatrices<Pack>& x = memory_.closed;
  x.independent = independent_ != nullptr, x.inverse = inverse;
  if (c_) in.wrenches = rows_.wrench;
  const PackedRowMatrices<Pack> of_rows = c_ ? row_matrices_of(call, *user_) : PackedRowMatrices<Pack>{};
  return kernels_.loop_derivatives_of_states(m, in, matrices_of(call, *user_), of_rows,
                                             inverse ? n.out.data() : memory_.torques.data(), acting(), x,
                                             data_, w);
}

template <class N, int W>
void PackDerivatives<N, W>::change_motion(const BatchCall& call, const ModelData& m, const In& in,
                                          const PackedProduct<Pack>& p, const Pack* dtau,
                                          const Pack* ddesired, Numbers& n, WorkspaceData<Pack>& w) {
  const Pack* const none = nullptr;
  multiply(call, m, in, p, memory_.torques.data(), n, w);
  combine(dtau, -1, none, p.by_q, nv_, p.by_q);
  if (c_) {
    rows_from_user(c_, ddesired, rows_.b);
    combine(static_cast<const Pack*>(rows_.b), -1, none, rows_.ds, index(c_->row_count), rows_.b);
  }
  solve(m, p.by_q, w);
  for (std::size_t k = 0; has_loops_ && k < nv_; ++k) p.by_q[k] = p.by_q[k] + loops_.h[k];
}

// What take_stages() and derivatives of steps ask of all joints and of dynamics.
template <class N, int W>
struct PackDerivatives<N, W>::Stages {
  PackDerivatives& d;
  const BatchCall& call;
  const ModelData& m;
  const In& given;
  Numbers& n;
  WorkspaceData<Pack>& w;
  const StepRule& rule;
  const StepArrays<Pack>& x;
  const Pack* dtau;  // of jvp; null: zero
  StepPath<Pack> path;
  StepChanges<Pack> change;
  Pack *qdd, *by_q, *by_v, *held;  // held: minus the gradient by accelerations

  bool backward() const { return call.derivatives.form == DerivativeForm::vjp; }
  const Pack* accelerate(int stage) const {
    if (backward() && rule.stages > 1) path.keep(stage, m.nq, m.nv, x);
    In in = given;
    in.q = x.q, in.v = x.v;
    if (!d.accelerate(call, m, in, qdd, nullptr, n, w)) return nullptr;
    if (backward()) return qdd;
    if (stage == 0) d.add_velocity_changes(m, in, true, n, w);
    begin_change(*this, rule, stage, call.dt, m.nv, x, change);
    d.change_motion(call, m, in, {change.q, change.v, nullptr, by_q, nullptr, nullptr}, dtau, nullptr, n, w);
    end_change(*this, rule, stage, call.dt, m.nv, x, by_q, change);
    return qdd;
  }
  // Of the last stage the motion is there.
  bool gradients(int stage, const Pack* by_a, StageGradients<Pack>& by) const {
    const Pack* const none = nullptr;
    In in = given;
    if (stage > 0) {
      in.q = path.q + static_cast<std::ptrdiff_t>(stage) * m.nq;
      in.v = path.v + static_cast<std::ptrdiff_t>(stage) * m.nv;
    }
    in.qdd = qdd;
    if (call.robots && call.robots->own_friction) in.tau = n.applied.data();
    Pack* const y = d.data_.x;  // of the other sign, as in forward()
    d.kernels_.negate(by_a, m.nv, y);
    const bool again = stage + 1 < rule.stages;
    if (d.has_loops_) std::copy_n(y, d.nv_, held);
    d.loops_.gradient = held;
    if (again && !d.accelerate(call, m, in, qdd, y, n, w)) return false;
    if (d.c_) std::fill_n(d.rows_.b, d.c_->row_count, Pack(0));
    if (d.c_ || !again) d.solve(m, y, w);
    d.multiply(call, m, in, {none, none, y, by_q, by_v, nullptr}, d.memory_.torques.data(), n, w);
    if (call.derivatives.by_some_parameter()) d.add_by_parameters(call, in, y, n, w);
    d.kernels_.negate(y, m.nv, y);
    by = {by_q, by_v, y};
    return true;
  }
  void add_brackets(const Pack* u, double h, Pack* v) const { d.dynamics_.add_brackets(m, u, h, v); }
  void integrate(const Pack* v, double h, Pack* q) const { d.dynamics_.integrate_joints(m, v, h, q); }
  void move_tangents(const Pack* u, const Pack* y, bool transposed, Pack* moved, Pack* by_u) const {
    for (Pack* to : {moved, by_u}) std::copy_n(y, d.nv_, to);
    for_lanes_of_joints(m, {u, y}, {moved, by_u},
                        [&](std::int32_t kind, const double(&from)[2][6], double(&to)[2][6]) {
                          move_tangent(kind, from[0], from[1], transposed, to[0], to[1]);
                        });
  }
  void bracket_changes(const Pack* u, const Pack* v, const Pack* du, const Pack* dv, Pack* out) const {
    std::copy_n(dv, d.nv_, out);
    for_lanes_of_joints(m, {u, v, du, dv}, {out},
                        [](std::int32_t kind, const double(&from)[4][6], double(&to)[1][6]) {
                          bracket_change(kind, from[0], from[1], from[2], from[3], to[0]);
                        });
  }
  void bracket_gradients(const Pack* u, const Pack* v, const Pack* gradient, Pack* to_u, Pack* to_v) const {
    std::copy_n(gradient, d.nv_, to_v);
    std::fill_n(to_u, d.nv_, Pack(0));
    for_lanes_of_joints(m, {u, v, gradient}, {to_u, to_v},
                        [](std::int32_t kind, const double(&from)[3][6], double(&to)[2][6]) {
                          bracket_gradient(kind, from[0], from[1], from[2], to[0], to[1]);
                        });
  }
};

template <class N, int W>
bool PackDerivatives<N, W>::step(const BatchCall& call, const ModelData& m, const In& in, Numbers& n,
                                 WorkspaceData<Pack>& w) {
  const bool rolls = call.rolls();  // then gradients come from the step after
  const BatchCall::Differentiation& how = call.derivatives;
  const auto given = [&](const BatchArray& a, const std::vector<Pack>& list) {
    return rolls || independent_ || a.data ? list.data() : memory_.zeros.data();
  };
  const Pack *const along_q = given(how.along_q, n.along_q), *const along_v = given(how.along_v, n.along_v);
  const auto room = [this](std::size_t i) { return memory_.step[i].data(); };
  const StepArrays<Pack> x = {n.q.data(), n.v.data(), n.out.data(), n.second.data(),
                              room(0),    room(1),    room(2),      room(3)};
  const StepRule& rule = rule_of(call.integrator);
  const Stages stages = {*this,
                         call,
                         m,
                         in,
                         n,
                         w,
                         rule,
                         x,
                         how.along_x.data ? n.along_x.data() : nullptr,
                         {memory_.path_q.data(), memory_.path_v.data(), memory_.path_u.data()},
                         {along_q, along_v, n.by_q.data(), n.by_v.data(), room(4), room(5), room(6), room(7),
                          room(8), room(9), room(10)},
                         room(11),
                         room(12),
                         room(13),
                         room(16)};
  // The way back through a rollout takes steps that were checked on the way forward.
  if (!rolls) step_check_.start({x.start_q, x.start_v, in.tau, in.wrenches}, false, false);
  if (!take_stages(stages, rule, m.nq, m.nv, call.dt, x)) return false;
  step_check_.keep_end(x.q, x.v);
  if (how.form == DerivativeForm::jvp) {
    finish_change(stages, rule, call.dt, m.nv, x, stages.change);
    return true;
  }
  const StepGradients<Pack> g = {along_q, along_v,  n.by_q.data(), n.by_v.data(), n.by_x.data(),
                                 room(4), room(5),  room(6),       room(7),       room(8),
                                 room(9), room(10), room(14),      room(15)};
  return pull_back(stages, rule, call.dt, m.nv, x, stages.path, g);
}

template <class N, int W>
bool PackDerivatives<N, W>::compute(const BatchCall& call, const ModelData& m,
                                    const RowSettingsOf<Pack>& settings, Numbers& n, WorkspaceData<Pack>& w,
                                    Mask& lanes) {
  user_ = &n;
  const bool checked = call.of_steps() && !call.rolls();
  if (!independent_) {
    if (!compute_on_tree(call, m, settings, n, w, lanes)) return false;
    if (checked) step_check_.end_kept(call.dt, lanes);
    return true;
  }
  independent_->start();
  Numbers& tree = independent_->enter(call, n, w);
  const bool done = compute_on_tree(call, m, settings, tree, w, lanes);
  independent_->leave(call, n, w, [&](Pack* by_q, const Pack* by_v) {
    if (has_loops_) kernels_.add_velocity_gradients_of_states(m, tree.v.data(), by_q, by_v, loops_, w);
  });
  independent_->keep_ordinary(lanes);
  if (checked && done) step_check_.end_kept(call.dt, lanes);
  return done;
}

template <class N, int W>
bool PackDerivatives<N, W>::compute_on_tree(const BatchCall& call, const ModelData& m,
                                            const RowSettingsOf<Pack>& settings, Numbers& n,
                                            WorkspaceData<Pack>& w, Mask& lanes) {
  largest_ = Pack(0);
  data_.damping = call.robots && call.robots->own_friction && !call.of_impacts() ? n.damping.data() : nullptr;
  for (std::size_t i = 0; i < parameter_kinds; ++i)
    if (call.derivatives.by_parameters[i].data)
      std::fill(n.by_parameters[i].begin(), n.by_parameters[i].end(), Pack(0));
  const In in = n.inputs(call);
  if (call.of_inverse_dynamics()) {
    inverse(call, m, in, n, w);
    return true;
  }
  if (c_) {
    rows_.delassus.settings = settings, rows_.trusted = Pack(1);
    rows_from_user(c_, in.desired, w.desired);
  }
  const auto compute = call.of_steps()     ? &PackDerivatives::step
                       : call.of_impacts() ? &PackDerivatives::impact
                                           : &PackDerivatives::forward;
  if (!(this->*compute)(call, m, in, n, w)) return false;
  for (int l = 0; l < W; ++l) lanes.lane[l] = lanes.lane[l] && static_cast<double>(largest_[l]) <= ordinary_G;
  for (int l = 0; c_ && l < W; ++l) lanes.lane[l] = lanes.lane[l] && rows_.trusted[l] == N(1);
  return true;
}

TENON_FOR_ALL_PACKS(template class PackDerivatives)

}  // namespace tenon
