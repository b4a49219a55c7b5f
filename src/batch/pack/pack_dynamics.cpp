#include "batch/pack/pack_dynamics.hpp"

#include <algorithm>
#include <utility>

#include "batch/pack/drawn_states.hpp"
#include "batch/pack/pack_impacts.hpp"
#include "batch/pack/rows_of_packs.hpp"
#include "calls/delassus.hpp"
#include "model/row_order.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/dispatch.hpp"
#include "scalar/index.hpp"
#include "solve/proximal.hpp"
#include "state/folded_rotors.hpp"
#include "state/projection.hpp"

namespace tenon {

namespace {

// Functions of motion, and rollouts that are differentiated, which go forward too: on the folded model where there is one.
bool folds(const BatchCall& call) {
  if (call.rolls()) return true;
  switch (call.function) {
    case BatchFunction::inverse_dynamics:
    case BatchFunction::mass_matrix:
    case BatchFunction::mass_matrix_lower:
    case BatchFunction::mass_matrix_factor:
    case BatchFunction::kinematics:
    case BatchFunction::kinematics_derivatives:
    case BatchFunction::centroidal:
    case BatchFunction::centroidal_derivatives:
    case BatchFunction::inverse_derivatives:
    case BatchFunction::forward_derivatives:  // of trees
    case BatchFunction::step_derivatives:
    case BatchFunction::constrained_derivatives:
    case BatchFunction::impact_derivatives:
      return false;
    default:
      return true;
  }
}

}  // namespace

template <class N, int W>
PackDynamics<N, W>::PackDynamics(WorkspaceImpl& w, const PackKernels<N, W>& kernels)
    : kernels_(kernels),
      whole_(w),
      step_check_(kernels, whole_.m, whole_.arena.data),
      derivatives_(w, whole_.m, kernels, *pack_derivative_kernels_of<N, W>(w.made_with.instructions),
                   step_check_),
      spare_(w),
      usual_bodies_(whole_.arena.data.body_inertia),
      usual_armature_(whole_.arena.data.armature),
      armed_(index(w.model->nv), 1.0) {
  if (w.folded) {
    folded_ = std::make_unique<Sweep>(w.folded->workspace.impl());
    folded_q_.resize(w.folded->q.size());
    folded_v_.resize(w.folded->v.size()), folded_tau_.resize(w.folded->v.size());
    unfolded_.resize(index(w.model->nv));
  }
  const Sweep& s = swept();
  const std::size_t rows = index(w.rows());
  for (std::vector<Pack>* x : {&f_, &step_}) x->resize(rows);
  inv_mu_.resize(rows), damping_.resize(rows), damping_of_call_.resize(rows), damping_of_user_.resize(rows);
  rows_.inv_mu = inv_mu_.data();
  rows_.absolute = RowSchedule<N>::absolute;
  rows_.f = f_.data(), rows_.step = step_.data();
  if (rows == 0) return;
  const ConstraintData& c = *s.w.cd();
  at_rest_.resize(index(w.model->nv)), no_gains_.resize(2 * index(c.item_count));
  for (int i = 0; i < c.item_count; ++i)
    poses_without_gains_ = std::max(poses_without_gains_, needed_poses(c.items[i], 0));
  same_rows_ = std::equal(c.user_row, c.user_row + rows, w.cd()->user_row);
  if (packs_take_rows_of(whole_.m, *w.cd()))
    derivatives_.find_dependence(whole_.m, *w.cd(), settings_of_set(whole_), whole_.row_tables(),
                                 whole_.arena.data);
  if (!packs_may_try_early(s.m, c)) return;
  early_ = std::make_unique<PvEarlyMemory<Pack>>(s.m, &c);
  if (!early_pays()) early_.reset();
}

// Of the constraint set, before any call.
template <class N, int W>
RowSettingsOf<Pack<N, W>> PackDynamics<N, W>::settings_of_set(Sweep& s) {
  for (int e = 0; e < 3; ++e) s.gravity[e] = Pack(s.w.settings->gravity[e]);
  const ConstraintData& c = *s.w.cd();
  spare_.frames = std::vector<Pack>(c.frames, c.frames + 12 * c.item_count);
  spare_.weights = std::vector<Pack>(c.weight, c.weight + c.row_count);
  spare_.compliance = std::vector<Pack>(c.compliance, c.compliance + c.row_count);
  rows_from_user(s.w.cd(), static_cast<const Pack*>(nullptr), s.arena.data.desired);
  return Settings::of_rows(poses_without_gains_, false, spare_);
}

// With clusters, whose penalties are smaller, constrained_aba always has to refine its answers.
template <class N, int W>
bool PackDynamics<N, W>::early_pays() {
  Sweep& s = swept();
  if (s.m.cluster_count > 0) return true;
  rows_.settings = settings_of_set(s);
  DrawnStates<N, W> states(s.m);
  constexpr int packs = 64 / W;
  int evaluations = 0;
  std::ptrdiff_t answers = 0;
  for (int pack = 0; pack < packs; ++pack) {
    const In in = states.draw();
    Mask all{}, early{}, done{};
    std::fill_n(all.lane, W, true);
    SolveReport reports[W], unanswered;
    unanswered.iterations = 1 + RowSchedule<N>::refinements;
    if (!solve_early(in, spare_, all, early, reports)) return false;
    answers += std::count(early.lane, early.lane + W, true);
    std::fill_n(reports, W, unanswered);
    if (!iterate(in, spare_, all, done, reports)) return false;
    int most = 0;
    for (const SolveReport& report : reports) most = std::max(most, report.iterations);
    evaluations += most;
  }
  const double share = static_cast<double>(answers) / (packs * W);
  early_in_rollouts_ = early_pays_in_rollouts(share);
  return early_pays_on_packs(share, static_cast<double>(evaluations) / packs, std::is_same_v<N, double>);
}

template <class N, int W>
void PackDynamics<N, W>::prepare(const BatchCall& call, std::size_t inputs, std::size_t results,
                                 const std::size_t (&parameters)[parameter_kinds]) {
  const bool matrix = call.function == BatchFunction::delassus,
             damped = call.function == BatchFunction::damped_product;
  const std::size_t rows = index(whole_.w.rows());
  const bool with_rows = call.differentiates() && PackDerivatives<N, W>::has_rows(call, rows);
  if (call.robots) spare_.make_room(*call.robots);
  if (matrix || damped) delassus_ = swept().delassus();
  const bool independent = whole_.w.coordinates.independent_v;
  if (independent && !independent_numbers_)
    independent_numbers_ = std::make_unique<IndependentNumbers<N, W>>(whole_.w, kernels_);
  independent_ = independent ? independent_numbers_.get() : nullptr;
  if (call.differentiates()) {
    derivatives_.prepare(call, with_rows ? whole_.w.cd() : nullptr,
                         with_rows ? whole_.delassus() : PackedDelassus<Pack>{}, independent_);
    spare_.make_room(results, index(whole_.m.nv)), spare_.make_room(call, parameters);
    if (with_rows && call.of_matrices()) spare_.make_room_for_rows();
  }
  if (!matrix && !damped) return;
  grow(A_, rows * rows);
  if (damped) grow(right_, inputs);
  spare_.make_room(call, inputs, results);
}

template <class N, int W>
std::size_t PackDynamics<N, W>::bytes() const {
  return (folded_ ? sizeof(Sweep) + folded_->bytes() : 0) + (early_ ? early_->bytes() : 0) +
         bytes_of(whole_, step_check_, derivatives_, independent_numbers_, spare_, folded_q_, folded_v_,
                  folded_tau_, unfolded_, f_, step_, at_rest_, no_gains_, A_, right_, inv_mu_, damping_,
                  damping_of_user_, armed_);
}

template <class N, int W>
bool PackDynamics<N, W>::can(const BatchCall& call) {
  for (Sweep* s : {&whole_, folded_.get()})
    if (s) s->w.follow_settings();
  const WorkspaceImpl& w = whole_.w;
  if (w.row_loops || whole_.m.node_count == 0) return false;
  if (w.coordinates.independent_q) return false;
  if (w.coordinates.independent_v && !packs_take_independent(call, whole_.m)) return false;
  if (!packs_take(call, swept().m, w.cd(), std::is_same_v<N, double>)) return false;
  const bool of_rows = call.differentiates() && PackDerivatives<N, W>::has_rows(call, index(w.rows()));
  if (of_rows && (derivatives_.rows_depend() || !same_rows_)) return false;
  return !(folded_ && call.robots && call.robots->own_bodies && folds(call));
}

template <class N, int W>
void PackDynamics<N, W>::start(const BatchCall& call) {
  const WorkspaceImpl& w = whole_.w;
  for (Sweep* s : {&whole_, folded_.get()})
    for (int e = 0; s && e < 3; ++e) s->gravity[e] = Pack(w.settings->gravity[e]);
  keeps_reports_ = call.reports != nullptr;
  if (call.function != BatchFunction::damped_product) return;
  proximal_damping(w, call.damping, damping_of_call_.data());
  rows_to_user(w.cd(), damping_of_call_.data(), damping_of_user_.data());
  rows_from_user(swept().w.cd(), damping_of_user_.data(), damping_of_call_.data());
}

template <class N, int W>
bool PackDynamics<N, W>::on_folded_rotor(const BatchCall& call, const double* wrench) const {
  return folded_ && folds(call) && act_on_rotor(whole_.w.folded->folding, wrench);
}

template <class N, int W>
void PackDynamics<N, W>::place_robots(const BatchCall& call, const Numbers& n) {
  const BatchRobots* const robots = call.robots;
  const bool own = robots && robots->own_bodies;
  WorkspaceData<Pack>& d = whole_.arena.data;
  d.body_inertia = own ? const_cast<Pack*>(n.bodies.data()) : usual_bodies_;
  d.armature = own ? const_cast<Pack*>(n.armature.data()) : usual_armature_;
  whole_.m.armature = own ? armed_.data() : whole_.w.model->armature.data();
  for (Sweep* s : {&whole_, folded_.get()})
    if (s) s->arena.data.gravity = robots && robots->own_gravity ? n.gravity.data() : s->gravity;
}

// ---- folded rotors and loops

template <class N, int W>
Inputs<Pack<N, W>> PackDynamics<N, W>::fold(const In& in) {
  const Model::Folding& folding = whole_.w.folded->folding;
  WorkspaceData<Pack>& d = folded_->arena.data;
  return fold_inputs(folding, whole_.w.folded->map, in, folded_q_.data(), folded_v_.data(),
                     folded_tau_.data(), d);
}

// numbers.out := qdd of the swept model in these lanes, and of its folded rotors.
template <class N, int W>
void PackDynamics<N, W>::map_out_motion(const Pack* qdd, const Mask& lanes, Numbers& n) {
  const Pack* motion = qdd;
  if (folded_) {
    unfold_accelerations(whole_.w.folded->folding, whole_.w.folded->map, qdd, unfolded_.data());
    motion = unfolded_.data();
  }
  if (lanes.all()) {
    std::copy_n(motion, whole_.m.nv, n.out.data());
    return;
  }
  for (int k = 0; k < whole_.m.nv; ++k)
    for (int l = 0; l < W; ++l)
      if (lanes.lane[l]) n.out[index(k)][l] = motion[k][l];
}

template <class N, int W>
void PackDynamics<N, W>::close_clusters(const In& in, double steepest, Mask& lanes) {
  Sweep& s = swept();
  if (s.m.varying_clusters == 0) return;
  Pack largest;
  if (!step_check_.take_loops(largest)) kernels_.loops_of_states(s.m, in.q, in.v, largest, s.arena.data);
  for (int l = 0; l < W; ++l) lanes.lane[l] = lanes.lane[l] && static_cast<double>(largest[l]) <= steepest;
}

// ---- functions

template <class N, int W>
bool PackDynamics<N, W>::fill_delassus(const BatchCall& call, const In& in, Numbers& n) {
  Sweep& s = swept();
  const ConstraintData& c = *s.w.cd();
  const int rows = c.row_count;
  delassus_.settings = settings_of(call, n);
  if (!kernels_.delassus_of_states(s.m, c, in.q, delassus_, A_.data(), s.arena.data)) return false;
  if (call.function == BatchFunction::delassus) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j <= i; ++j) {
        const std::size_t a = index(c.user_row[i]), b = index(c.user_row[j]), ld = index(rows);
        n.out[a * ld + b] = n.out[b * ld + a] = A_[index(i) * ld + index(j)];
      }
    return true;
  }
  const auto column = [&](std::vector<Pack>& x, int j) { return x.data() + std::ptrdiff_t{j} * rows; };
  for (int j = 0; j < call.columns; ++j) rows_from_user(&c, column(n.B, j), column(right_, j));
  if (!kernels_.solve_damped(rows, damping_.data(), A_.data(), right_.data(), call.columns)) return false;
  for (int j = 0; j < call.columns; ++j) rows_to_user(&c, column(right_, j), column(n.out, j));
  return true;
}

// Functions that accelerations of the swept model belong to.
template <class N, int W>
bool PackDynamics<N, W>::move(const BatchCall& call, Method method, Numbers& n, const Mask& wanted,
                              Mask& done, SolveReport* reports) {
  Sweep& s = swept();
  const bool matrix =
      call.function == BatchFunction::delassus || call.function == BatchFunction::damped_product;
  if (matrix) std::fill(n.v.begin(), n.v.end(), Pack(0));
  In whole = n.inputs(call);
  const bool hits = call.function == BatchFunction::impact;
  if (hits) whole = {n.q.data(), n.v.data(), at_rest_.data()};
  if (!matrix && !hits && call.robots && call.robots->own_friction) {
    kernels_.apply_friction(n.tau.data(), -1, n.damping.data(), n.dry.data(), n.v.data(),
                            static_cast<int>(n.applied.size()), n.applied.data());
    whole.tau = n.applied.data();
  }
  const In in = folded_ ? fold(whole) : whole;
  if (hits) return hit(call, method, in, n, wanted, done, reports);
  Mask lanes = wanted;
  close_clusters(in, call.function == BatchFunction::rollout ? ordinary_G : steepest_G, lanes);
  if (!matrix && call.function != BatchFunction::forward_dynamics && s.w.rows() > 0) {
    rows_from_user(s.w.cd(), in.desired, s.arena.data.desired);
    rows_.settings = settings_of(call, n);
    return solve_rows(method, in, n, lanes, done, reports);
  }
  if (call.function == BatchFunction::damped_product) leave_undamped(n, lanes);
  if (lanes.first() == W) return true;
  Pack* const qdd = s.arena.data.qdd;
  if (matrix ? !fill_delassus(call, in, n) : !step_check_.take_aba()(s.m, in, qdd, s.arena.data))
    return false;
  if (!matrix) map_out_motion(qdd, lanes, n);
  done = lanes;
  return true;
}

// False: a lane cannot be computed, and it is not known which.
template <class N, int W>
bool PackDynamics<N, W>::compute(const BatchCall& call, Method method, Numbers& n, const Mask& wanted,
                                 Mask& done, SolveReport* reports) {
  WorkspaceData<Pack>& d = whole_.arena.data;
  const std::size_t nv = index(whole_.m.nv), had = std::exchange(mass_numbers_, 0);
  place_robots(call, n);
  const bool whole = call.function == BatchFunction::mass_matrix;
  switch (call.function) {
    case BatchFunction::inverse_dynamics:
      kernels_.rnea(whole_.m, n.inputs(call), n.out.data(), d);
      if (call.robots && call.robots->own_friction)
        kernels_.apply_friction(n.out.data(), 1, n.damping.data(), n.dry.data(), n.v.data(), whole_.m.nv,
                                n.out.data());
      break;
    case BatchFunction::mass_matrix:
    case BatchFunction::mass_matrix_lower:
    case BatchFunction::mass_matrix_factor:
      mass_numbers_ = whole ? nv * nv : nv * (nv + 1) / 2;
      if (mass_numbers_ != had) std::fill(n.out.begin(), n.out.end(), Pack(0));
      kernels_.crba_of_states(whole_.m, n.q.data(), whole, n.out.data(), d);
      // States without a factor get no numbers here, and so are left to single calls.
      if (call.function == BatchFunction::mass_matrix_factor)
        kernels_.factor_along_tree(whole_.m.nv, whole_.m.v_parent, n.out.data());
      break;
    case BatchFunction::inverse_derivatives:
    case BatchFunction::forward_derivatives:
    case BatchFunction::step_derivatives:
    case BatchFunction::constrained_derivatives:
    case BatchFunction::impact_derivatives:
    case BatchFunction::rollout_derivatives:  // one step of the way back
      done = wanted;
      return derivatives_.compute(call, whole_.m, settings_of(call, n), n, d, done);
    default:
      return move(call, method, n, wanted, done, reports);
  }
  done = wanted;
  return true;
}

template <class N, int W>
void PackDynamics<N, W>::solve(const BatchCall& call, Method method, Numbers& n, const Mask& wanted,
                               Mask& done, SolveReport* reports) {
  // Steps and derivatives map states themselves.
  if (!independent_ || call.rolls() || call.differentiates())
    return solve_on_tree(call, method, n, wanted, done, reports);
  independent_->start();
  independent_->expand(call, n, whole_.arena.data);
  solve_on_tree(call, method, n, wanted, done, reports);
  independent_->compress(call, n, whole_.arena.data);
  independent_->keep_ordinary(done);
}

template <class N, int W>
void PackDynamics<N, W>::solve_on_tree(const BatchCall& call, Method method, Numbers& n, const Mask& wanted,
                                       Mask& done, SolveReport* reports) {
  for (int l = 0; l < W; ++l) done.lane[l] = false, reports[l] = {};
  derivatives_.give_whole(false);
  if (compute(call, method, n, wanted, done, reports)) return;
  // Some lane has no answer. Each is computed with copies of itself in all lanes, which gives the same digits.
  derivatives_.give_whole(true);
  for (int l = 0; l < W; ++l) {
    if (!wanted.lane[l]) continue;
    for (int to = 0; to < W; ++to) spare_.take_lane(n, l, to);
    Mask one{}, answered{};
    SolveReport report[W];
    one.lane[0] = true;
    done.lane[l] = compute(call, method, spare_, one, answered, report) && answered.lane[0];
    reports[l] = report[0];
    n.take_results(spare_, 0, l);
  }
}

TENON_FOR_ALL_PACKS(template class PackDynamics)

}  // namespace tenon
