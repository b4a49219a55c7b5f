#include "batch/pack/exchange_of_packs.hpp"
#include "batch/pack/kinematics_of_packs.hpp"
#include "batch/pack/lines_of_packs.hpp"

#include <algorithm>
#include <cmath>

#include "plan/dispatch.hpp"
#include "scalar/index.hpp"
#include "state/check.hpp"
#include "state/coordinates.hpp"

namespace tenon {

template <class Io, class N, int W>
PackWorker<Io, N, W>::PackWorker(std::shared_ptr<const Model> model,
                                 std::shared_ptr<const ConstraintSet> constraints,
                                 const WorkspaceOptions& options, const PackKernels<N, W>& kernels)
    : SingleWorker<Io>(std::move(model), std::move(constraints), options, W),
      kernels_(kernels),
      dynamics_(w(), kernels),
      rollout_(w(), kernels),
      numbers_(w()),
      jacobian_(6 * index(w().model->nv)),
      wrench_room_(6 * w().model->links.size()) {
  waiting_.reserve(2 * W);
  constexpr std::size_t most_arguments = 8, most_results = 11 + centroidal_parts + parameter_kinds;
  given_.reserve(most_arguments), given_apart_.reserve(most_arguments);
  for (auto* list : {&checked_, &written_}) list->reserve(most_results);
  for (auto* list : {&results_, &changed_, &apart_}) list->reserve(most_results);
}

template <class Io, class N, int W>
std::size_t PackWorker<Io, N, W>::bytes() const {
  return SingleWorker<Io>::bytes() +
         bytes_of(dynamics_, rollout_, numbers_, jacobian_, wrench_room_, held_, waiting_, stiffness_,
                  damping_, q_target_, v_target_, aside_, zeros_, given_, given_apart_, checked_, results_,
                  changed_, written_, apart_) +
         bytes_of(sums_[0], sums_[1], sums_[2], sums_[3]);
}

// ---- lanes

template <class Io, class N, int W>
bool PackWorker<Io, N, W>::gather_wrenches(const BatchCall& call, std::size_t state, int lane,
                                           std::size_t record) {
  const Io* from = place(call.wrenches, state, record);
  for (std::size_t i = 0; i < wrench_room_.size(); ++i)
    wrench_room_[i] = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * call.wrenches.number_stride]);
  if (load_wrenches(w(), wrench_room_.data()) != Status::ok) return false;
  if (dynamics_.on_folded_rotor(call, w().w().wrench)) return false;
  for (std::size_t i = 0; i < numbers_.wrench.size(); ++i)
    numbers_.wrench[i][lane] = static_cast<N>(w().w().wrench[i]);
  return true;
}

template <class Io, class N, int W>
bool PackWorker<Io, N, W>::unit_quaternions(int lane) const {
  for (const WorkspaceImpl::Quaternion& quaternion : this->single.impl().quaternions) {
    double square = 0;
    for (int e = 0; e < 4; ++e) {
      const double x = static_cast<double>(numbers_.q[index(quaternion.q_index + e)][lane]);
      square += x * x;
    }
    if (!(std::abs(std::sqrt(square) - 1) <= unit_norm_tolerance)) return false;
  }
  return true;
}

template <class Io, class N, int W>
bool PackWorker<Io, N, W>::rebounds_within_range(const BatchSizes& n, int lane) const {
  const auto begin = numbers_.desired.begin(), end = begin + static_cast<std::ptrdiff_t>(n.rows);
  return std::all_of(begin, end, [&](const Pack& e) { return e[lane] >= 0 && e[lane] <= 1; });
}

template <class Io, class N, int W>
typename PackWorker<Io, N, W>::Mask PackWorker<Io, N, W>::gather_states(const BatchCall& call,
                                                                        const BatchSizes& n,
                                                                        const InLanes& states) {
  Mask good{};
  std::fill_n(good.lane, states.count, true);
  Beyond beyond;
  kernels_.template exchange_of<Io>().gather_states(given_.data(), given_.size(), states.state, &beyond.bits);
  for (const Apart& x : given_apart_) gather(x.array, states, x.count, x.packs, beyond);
  if (call.accelerates() && !call.x.data) std::fill(numbers_.qdd.begin(), numbers_.qdd.end(), Pack(0));
  if (call.function == BatchFunction::centroidal_derivatives && !call.forward_mode())
    gather_centroidal(call, states, good);
  beyond.leave_others(good);
  const auto keep = [&](const auto& accepted) {
    for (int l = 0; l < states.count; ++l) good.lane[l] = good.lane[l] && accepted(l);
  };
  if (call.wrenches.data) keep([&](int l) { return gather_wrenches(call, states.state[l], l); });
  if (!w().quaternions.empty()) keep([&](int l) { return unit_quaternions(l); });
  if (call.restitution.data) keep([&](int l) { return rebounds_within_range(n, l); });
  return good;
}

template <class Io, class N, int W>
bool PackWorker<Io, N, W>::fill_others(const Mask& mask) {
  const int good = mask.first();
  if (good == W) return false;
  for (int l = 0; l < W; ++l)
    if (!mask.lane[l]) numbers_.take_lane(numbers_, good, l);
  return true;
}

// ---- functions

template <class Io, class N, int W>
void PackWorker<Io, N, W>::give_feedback(const BatchCall& call, const BatchSizes& n, const InLanes& states,
                                         Mask& good, std::size_t step) {
  const auto differs = [&](const BatchArray& a) { return step == 0 || a.record_stride != 0; };
  if (differs(call.feedback.q_target)) gather(call.feedback.q_target, states, n.q, q_target_, good, step);
  if (differs(call.feedback.v_target)) gather(call.feedback.v_target, states, n.v, v_target_, good, step);
  kernels_.apply_springs({this->position_of_.data(), stiffness_.data(), damping_.data(), q_target_.data(),
                          v_target_.data(), numbers_.q.data(), numbers_.v.data()},
                         static_cast<int>(this->position_of_.size()), numbers_.tau.data());
}

template <class Io, class N, int W>
bool PackWorker<Io, N, W>::take_step(const BatchCall& call, const BatchSizes& n, const InLanes& states,
                                     Mask& good, std::size_t step) {
  gather(call.x, states, n.x, numbers_.tau, good, step);
  for (int l = 0; call.wrenches.record_stride != 0 && l < states.count; ++l)
    good.lane[l] = good.lane[l] && gather_wrenches(call, states.state[l], l, step);
  if (call.feedback.given()) give_feedback(call, n, states, good, step);
  return fill_others(good);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::run_rollout(const BatchCall& call, const BatchSizes& n, const InLanes& states,
                                       Mask& good, const Kept* kept) {
  const std::vector<Pack>* const results[4] = {&numbers_.q, &numbers_.v, &rollout_.qdd(), &rollout_.lambda()};
  if (call.feedback.given()) {
    gather(call.feedback.stiffness, states, n.v, stiffness_, good);
    gather(call.feedback.damping, states, n.v, damping_, good);
  }
  for (std::size_t step = 0; step < call.steps; ++step) {
    if (kept) kept->keep_before(call, step);
    if (!take_step(call, n, states, good, step)) return;
    const StepCheck check = step + 1 < call.steps ? StepCheck::inner : StepCheck::last;
    rollout_.step(call, dynamics_, numbers_, check, good);
    // Results that are not wanted are not computed, but those of the state must be good in every step.
    for (std::size_t i = 0; i < 4; ++i)
      if (i < 2 || call.out[i].data) keep_finite<Io>(kernels_, results[i]->data(), n.out[i], good);
    if ((step + 1) % call.every != 0) continue;
    for (std::size_t i = 0; i < 4; ++i)
      scatter(results[i]->data(), n.out[i], call.out[i], states, good, step / call.every);
  }
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::differentiate_rollout(const BatchCall& call, const BatchSizes& n,
                                                 const InLanes& states, Mask& good) {
  BatchCall forward = call;
  forward.function = BatchFunction::rollout;
  const Kept kept(this->kept_, numbers_.q, n.q, numbers_.v, n.v);
  run_rollout(forward, n, states, good, &kept);
  // Gradients by the end of a step are along_q, along_v, those by its beginning by_q, by_v.
  PackNumbers<N, W>& x = numbers_;
  for (std::vector<Pack>* list : {&x.along_q, &x.along_v, &x.by_x}) std::fill_n(list->begin(), n.v, Pack(0));
  const auto for_parameters = [&](const auto& each) {
    for (std::size_t i = 0; i < parameter_kinds; ++i)
      if (call.derivatives.by_parameters[i].data) each(i, n.parameters[i]);
  };
  for_parameters([&](std::size_t i, std::size_t) { std::fill(sums_[i].begin(), sums_[i].end(), Pack(0)); });
  // After the last record, whose states nothing is asked of.
  for (std::size_t step = call.records() * call.every; step < call.steps; ++step)
    scatter(x.by_x.data(), n.v, call.out[6], states, good, step);
  const auto status = [&] { return good.first() < W ? Status::ok : Status::not_finite; };
  const auto add = [&](std::size_t record) {
    const auto add_one = [&](const BatchArray& a, std::vector<Pack>& to) {
      gather(a, states, n.v, held_, good, record);
      for (std::size_t i = 0; a.data && i < n.v; ++i) to[i] = to[i] + held_[i];
    };
    add_one(call.derivatives.along_q, x.along_q), add_one(call.derivatives.along_v, x.along_v);
    return status();
  };
  const auto advance = [&](std::size_t step) {
    if (take_step(call, n, states, good, step)) rollout_.step(forward, dynamics_, x, StepCheck::none, good);
    return status();
  };
  const auto back = [&](std::size_t step) {
    if (!take_step(call, n, states, good, step)) return status();
    Mask done;
    SolveReport reports[W];
    dynamics_.solve(call, call.solve.method, x, good, done, reports);
    good = done;
    if (call.feedback.given())
      add_feedback_gradients(this->position_of_, stiffness_, damping_, x.by_x.data(), x.by_q.data(),
                             x.by_v.data());
    for (const std::vector<Pack>* list : {&x.by_q, &x.by_v, &x.by_x})
      keep_finite<Io>(kernels_, list->data(), n.v, good);
    for_parameters([&](std::size_t i, std::size_t count) {
      for (std::size_t e = 0; e < count; ++e) sums_[i][e] = sums_[i][e] + x.by_parameters[i][e];
      keep_finite<Io>(kernels_, sums_[i].data(), count, good);
    });
    scatter(x.by_x.data(), n.v, call.out[6], states, good, step);
    std::copy_n(x.by_q.begin(), n.v, x.along_q.begin()), std::copy_n(x.by_v.begin(), n.v, x.along_v.begin());
    return status();
  };
  if (good.first() == W || go_back(call, kept, add, advance, back) != Status::ok) return;
  scatter(x.along_q.data(), n.v, call.out[4], states, good);
  scatter(x.along_v.data(), n.v, call.out[5], states, good);
  for_parameters([&](std::size_t i, std::size_t count) {
    scatter(sums_[i].data(), count, call.derivatives.by_parameters[i], states, good);
  });
}

// ----

template <class Io, class N, int W>
void PackWorker<Io, N, W>::prepare(const BatchCall& call) {
  SingleWorker<Io>::prepare(call);
  waiting_.clear();
  packs_take_it_ = dynamics_.can(call);
  if (!packs_take_it_) return;
  dynamics_.start(call);
  make_room(call);
  list_inputs(call), list_results(call);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::make_room(const BatchCall& call) {
  const BatchSizes& n = this->sizes_;
  if (call.function == BatchFunction::kinematics) return dynamics_.prepare(call, 0, 0, n.parameters);
  numbers_.make_room(call, n.x, n.out[0]);
  if (call.robots) numbers_.make_room(*call.robots);
  if (call.differentiates()) {
    numbers_.make_room(n.columns * n.by, std::max(n.v, n.along));
    numbers_.make_room(call, n.parameters);
    const bool of_rows = call.of_constraints() && call.of_matrices();
    if (of_rows) numbers_.make_room_for_rows();
    if (call.derivatives.accumulate || call.rolls())
      grow(held_, std::max({n.columns * n.by, n.out[5], of_rows ? n.rows * std::max(n.rows, n.v) : 0}));
    for (std::size_t i = 0; i < parameter_kinds; ++i) {
      if (!call.derivatives.by_parameters[i].data) continue;
      if (call.derivatives.accumulate) grow(held_, n.parameters[i]);
      if (call.rolls()) grow(sums_[i], n.parameters[i]);
    }
    if (call.rolls()) grow(this->kept_, Kept::bytes(call, n.q, n.v));
  }
  dynamics_.prepare(call, n.x, call.differentiates() ? n.columns * n.by : n.out[0], n.parameters);
  if (const PackedLines<Pack>* const lines = dynamics_.derivatives().lines())
    grow(aside_, index(lines->at_once()) * n.v), grow(zeros_, index(lines->at_once()) * n.v / W + 1);
  if (!call.feedback.given()) return;
  grow(q_target_, n.q);
  for (std::vector<Pack>* x : {&stiffness_, &damping_, &v_target_}) x->assign(n.v, Pack(0));
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::run(const BatchCall& call, std::size_t first, std::size_t count) {
  if (!packs_take_it_) return SingleWorker<Io>::run(call, first, count);
  const InLanes states(static_cast<int>(count), [first](int l) { return first + index(l); });
  const bool several = call.solves_rows() && dynamics_.tries_early(call);
  run_pack(call, states, several ? Method::pv_early : call.solve.method, several);
  if (waiting_.size() >= W) run_waiting(call);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::finish(const BatchCall& call) {
  if (!waiting_.empty()) run_waiting(call);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::run_waiting(const BatchCall& call) {
  const InLanes states(static_cast<int>(std::min(waiting_.size(), std::size_t{W})),
                       [this](int l) { return waiting_[index(l)]; });
  waiting_.erase(waiting_.begin(), waiting_.begin() + states.count);
  run_pack(call, states, Method::constrained_aba, false);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::run_pack(const BatchCall& call, const InLanes& states, Method method,
                                    bool may_wait) {
  const BatchSizes& n = this->sizes_;
  dynamics_.start_pack();
  const Mask good = gather_states(call, n, states);
  dynamics_.take_settings(call, states.state, numbers_);
  Mask done{};
  SolveReport reports[W];
  if (fill_others(good)) {
    done = good;
    if (call.of_whole_robots()) {
      run_centroidal(call, states, done);
    } else if (call.of_kinematics()) {
      run_kinematics(call, states, done);
    } else if (call.rolls()) {
      if (call.differentiates())
        differentiate_rollout(call, n, states, done);
      else
        run_rollout(call, n, states, done);
    } else {
      dynamics_.solve(call, method, numbers_, good, done, reports);
      give_results(call, states, done);
    }
  }
  for (int l = 0; l < states.count; ++l) {
    if (done.lane[l]) {
      this->note(call, states.state[l], Status::ok, reports[l]);
      ++this->packed;
    } else if (may_wait && good.lane[l]) {
      waiting_.push_back(states.state[l]);
    } else {
      this->run_one(call, states.state[l]);
    }
  }
}

// ----

namespace {

template <class Io, class N, int W>
std::unique_ptr<Worker> packs_of(const std::shared_ptr<const Model>& model,
                                 const std::shared_ptr<const ConstraintSet>& constraints,
                                 const WorkspaceOptions& options) {
  const PackKernels<N, W>* kernels = pack_kernels_of<N, W>(options.instructions);
  if (!kernels) return nullptr;
  return std::make_unique<PackWorker<Io, N, W>>(model, constraints, options, *kernels);
}

// units: registers of 16 bytes in a pack.
template <class Io, int units>
std::unique_ptr<Worker> packs_of(const std::shared_ptr<const Model>& model,
                                 const std::shared_ptr<const ConstraintSet>& constraints,
                                 const WorkspaceOptions& options) {
  constexpr int doubles = 2 * units, own = units * static_cast<int>(16 / sizeof(Io));
  if (model->data().cluster_count > 0) return packs_of<Io, double, doubles>(model, constraints, options);
  return packs_of<Io, Io, own>(model, constraints, options);
}

template <class Io>
std::unique_ptr<Worker> worker_of(const std::shared_ptr<const Model>& model,
                                  const std::shared_ptr<const ConstraintSet>& constraints,
                                  const WorkspaceOptions& options) {
  std::unique_ptr<Worker> worker;
#if defined(TENON_DISPATCH_X86)
  if (options.instructions == Instructions::x86_64_v4)
    worker = packs_of<Io, 4>(model, constraints, options);
  else if (options.instructions == Instructions::x86_64_v3)
    worker = packs_of<Io, 2>(model, constraints, options);
#elif defined(TENON_BASELINE_PACKS)
  worker = packs_of<Io, 1>(model, constraints, options);
#endif
  if (!worker) worker = std::make_unique<SingleWorker<Io>>(model, constraints, options);
  return worker;
}

}  // namespace

std::unique_ptr<Worker> make_worker(std::shared_ptr<const Model> model,
                                    std::shared_ptr<const ConstraintSet> constraints,
                                    const BatchOptions& options) {
  WorkspaceOptions inner;
  inner.instructions = options.instructions;
  return options.single_precision ? worker_of<float>(model, constraints, inner)
                                  : worker_of<double>(model, constraints, inner);
}

}  // namespace tenon
