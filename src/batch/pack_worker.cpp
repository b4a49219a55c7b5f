#include "batch/pack_worker.hpp"

#include <algorithm>
#include <cmath>

#include "plan/dispatch.hpp"
#include "scalar/index.hpp"
#include "state/link_frames.hpp"

namespace tenon {

namespace {

// The proximal terms and tolerances of constrained_aba on packs (solve/proximal.hpp has those of single
// states; in double they are the same, so that the results are). Single precision has seven digits, of which
// a mu of 1e3 takes three; each refining evaluation then removes all but a thirtieth of the residual.
template <class N>
struct RowSchedule;
template <>
struct RowSchedule<double> {
  static constexpr double mu = 3e7, well = 2e-13, enough = 1e-11, absolute = 2e-14;
  static constexpr int refinements = 4;
};
template <>
struct RowSchedule<float> {
  static constexpr double mu = 1e3, well = 2e-6, enough = 2e-5, absolute = 1e-6;
  static constexpr int refinements = 8;
};
// Rows that need larger forces than these, compared with those of the first evaluation, are hardly moved by
// the robot; a single call decides about them (Driver::strained in solve/proximal.cpp).
constexpr double most_growth = 300, least_leverage = 1e-3;
constexpr double unit_norm_tolerance = 1e-6;

bool default_solve(const SolveOptions& o) {
  const bool method = o.method == Method::automatic || o.method == Method::constrained_aba;
  return method && o.mu == 0 && o.tikhonov == 0 && o.accelerate && !o.warm_start && o.max_iterations == 0 &&
         o.absolute_tolerance >= 1e-12 && o.relative_tolerance >= 1e-11;
}

}  // namespace

bool packs_can(const BatchCall& call, Workspace& workspace) {
  const WorkspaceImpl& w = workspace.impl();
  const ModelData& m = w.md();
  if (m.cluster_count > 0 || m.rotor_count > 0 || w.row_loops || m.node_count == 0) return false;
  const bool free = !w.constraints || w.rows() == 0;
  const bool rows = free || (w.cd()->inter_body_count == 0 && !(w.cd()->least_leverage < least_leverage));
  switch (call.function) {
    case BatchFunction::forward_dynamics:
    case BatchFunction::inverse_dynamics:
    case BatchFunction::mass_matrix:
    case BatchFunction::kinematics:
      return true;
    case BatchFunction::constrained_dynamics:
    case BatchFunction::rollout:
      return free || (rows && default_solve(call.solve));
    default:
      return false;
  }
}

template <class N, int W>
PackWorker<N, W>::PackWorker(std::shared_ptr<const Model> model,
                             std::shared_ptr<const ConstraintSet> constraints,
                             const WorkspaceOptions& options, const PackKernels<N, W>& kernels)
    : SingleWorker<N>(std::move(model), std::move(constraints), options, W),
      kernels_(kernels),
      arena_(m(), w().cd(), w().tables.entry_count(), false) {
  const std::size_t nq = index(w().model->nq), nv = index(w().model->nv), rows = index(w().rows());
  const std::size_t wrench = 6 * index(m().node_count);
  w().tables.bind(arena_.data);
  arena_.data.anchors = w().anchors.data();
  for (Numbers* n : {&numbers_, &spare_}) {
    n->q.resize(nq), n->v.resize(nv), n->x.resize(nv), n->wrench.resize(wrench), n->desired.resize(rows);
    n->out.resize(nv * nv), n->second.resize(rows);
  }
  for (std::vector<Pack>* x : {&start_v_, &u_, &sum_u_, &sum_a_}) x->resize(nv);
  start_q_.resize(nq);
  jacobian_.resize(6 * nv);
  for (std::vector<Pack>* x : {&f_, &step_, &unit_}) x->resize(rows);
  inv_mu_.resize(rows);
  wrench_room_.resize(6 * w().model->links.size());
  for (std::size_t r = 0; r < rows; ++r) root_scale_.push_back(std::sqrt(w().cd()->scale[r]));
  rows_.inv_mu = inv_mu_.data(), rows_.root_scale = root_scale_.data();
  rows_.absolute = RowSchedule<N>::absolute;
  rows_.f = f_.data(), rows_.step = step_.data(), rows_.unit = unit_.data();
}

template <class N, int W>
std::size_t PackWorker<N, W>::bytes() const {
  return SingleWorker<N>::bytes() + bytes_of(arena_, numbers_, spare_, start_q_, start_v_, u_, sum_u_, sum_a_,
                                             f_, step_, unit_, jacobian_, inv_mu_, root_scale_, wrench_room_);
}

// ---- lanes

template <class N, int W>
bool PackWorker<N, W>::gather(const BatchArray& a, std::size_t state, int count, int lane,
                              std::vector<Pack>& to, std::size_t record) {
  if (!a.data) return true;
  const N* from = place(a, state, record);
  N zero = 0;
  for (int i = 0; i < count; ++i) {
    const N x = from[i * a.number_stride];
    to[index(i)][lane] = x;
    zero += x * 0;  // NaN where x is not finite
  }
  return zero == 0;
}

template <class N, int W>
bool PackWorker<N, W>::gather_wrenches(const BatchCall& call, std::size_t state, int lane) {
  if (!call.wrenches.data) return true;
  const N* from = place(call.wrenches, state);
  for (std::size_t i = 0; i < wrench_room_.size(); ++i)
    wrench_room_[i] = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * call.wrenches.number_stride]);
  if (load_wrenches(w(), wrench_room_.data()) != Status::ok) return false;
  for (std::size_t i = 0; i < numbers_.wrench.size(); ++i)
    numbers_.wrench[i][lane] = static_cast<N>(w().w().wrench[i]);
  return true;
}

template <class N, int W>
bool PackWorker<N, W>::unit_quaternions(int lane) {
  for (const WorkspaceImpl::Quaternion& quaternion : w().quaternions) {
    double square = 0;
    for (int e = 0; e < 4; ++e) {
      const double x = static_cast<double>(numbers_.q[index(quaternion.q_index + e)][lane]);
      square += x * x;
    }
    if (!(std::abs(std::sqrt(square) - 1) <= unit_norm_tolerance)) return false;
  }
  return true;
}

template <class N, int W>
bool PackWorker<N, W>::gather_state(const BatchCall& call, const BatchSizes& n, std::size_t state, int lane) {
  return gather(call.q, state, n.q, lane, numbers_.q) && gather(call.v, state, n.v, lane, numbers_.v) &&
         (call.function == BatchFunction::rollout || gather(call.x, state, n.x, lane, numbers_.x)) &&
         gather(call.desired, state, n.rows, lane, numbers_.desired) && gather_wrenches(call, state, lane) &&
         unit_quaternions(lane);
}

template <class N, int W>
void PackWorker<N, W>::scatter(const Pack* from, int count, const BatchArray& a, std::size_t first,
                               const Mask& mask, std::size_t record) const {
  if (!a.data) return;
  // In blocks, so that each cache line is visited once.
  constexpr int block = 8;
  for (int begin = 0; begin < count; begin += block) {
    const int end = std::min(begin + block, count);
    for (int l = 0; l < W; ++l) {
      if (!mask.lane[l]) continue;
      N* to = place(a, first + index(l), record);
      for (int i = begin; i < end; ++i) to[i * a.number_stride] = from[i][l];
    }
  }
}

template <class N, int W>
void PackWorker<N, W>::keep_finite(const Pack* x, std::size_t count, Mask& mask) {
  Pack zero(0);
  for (std::size_t i = 0; i < count; ++i)
    for (int l = 0; l < W; ++l) zero[l] += x[i][l] * 0;
  for (int l = 0; l < W; ++l) mask.lane[l] = mask.lane[l] && zero[l] == 0;
}

template <class N, int W>
void PackWorker<N, W>::copy_lane(const Numbers& a, int from, Numbers& b, int to) {
  for (const auto list : {&Numbers::q, &Numbers::v, &Numbers::x, &Numbers::wrench, &Numbers::desired})
    for (std::size_t i = 0; i < (a.*list).size(); ++i) (b.*list)[i][to] = (a.*list)[i][from];
}

template <class N, int W>
bool PackWorker<N, W>::fill_others(const Mask& mask) {
  const int good = static_cast<int>(std::find(mask.lane, mask.lane + W, true) - mask.lane);
  if (good == W) return false;
  for (int l = 0; l < W; ++l)
    if (!mask.lane[l]) copy_lane(numbers_, good, numbers_, l);
  return true;
}

// ---- functions

template <class N, int W>
bool PackWorker<N, W>::solve_rows(const BatchCall& call, Numbers& n, const Mask& wanted, Mask& done,
                                  int* iterations) {
  using Schedule = RowSchedule<N>;
  const ConstraintData& c = *w().cd();
  WorkspaceData<Pack>& d = arena_.data;
  for (int r = 0; r < c.row_count; ++r) {
    const double inv = c.scale[r] / Schedule::mu;
    inv_mu_[index(r)] = c.compliance[r] >= inv ? 0 : inv;
    d.desired[r] = call.desired.data ? n.desired[index(c.user_row[r])] : Pack(0);
  }
  const bool wrenches = call.wrenches.data != nullptr;
  if (!kernels_.constrained_start(m(), c, n.q.data(), n.v.data(), n.x.data(), wrenches, d.qdd, rows_, d))
    return false;
  for (int k = 1; k <= Schedule::refinements; ++k) {
    kernels_.constrained_refine(m(), c, n.x.data(), d.qdd, rows_, d);
    const double limit = k == Schedule::refinements ? Schedule::enough : Schedule::well;
    Mask now{};
    bool any = false, all = true;
    for (int l = 0; l < W; ++l) {
      if (!wanted.lane[l] || done.lane[l]) continue;
      const bool strained =
          !(static_cast<double>(rows_.force[l]) <= most_growth * static_cast<double>(rows_.first_force[l]));
      now.lane[l] = static_cast<double>(rows_.primal[l]) <= limit && !strained;
      any = any || now.lane[l];
      all = all && now.lane[l];
    }
    if (any) {
      kernels_.constrained_finish(m(), c, n.v.data(), d.qdd, d);
      for (int l = 0; l < W; ++l) {
        if (!now.lane[l]) continue;
        for (int i = 0; i < m().nv; ++i) n.out[index(i)][l] = d.qdd[i][l];
        for (int r = 0; r < c.row_count; ++r) n.second[index(c.user_row[r])][l] = d.row_lambda[r][l];
        done.lane[l] = true;
        iterations[l] = 1 + k;
      }
    }
    if (all) break;
  }
  return true;
}

template <class N, int W>
bool PackWorker<N, W>::compute(const BatchCall& call, Numbers& n, const Mask& wanted, Mask& done,
                               int* iterations) {
  WorkspaceData<Pack>& d = arena_.data;
  const bool wrenches = call.wrenches.data != nullptr;
  if (wrenches) std::copy(n.wrench.begin(), n.wrench.end(), d.wrench);
  bool good = true;
  if (call.function != BatchFunction::mass_matrix) holds_mass_matrix_ = false;
  switch (call.function) {
    case BatchFunction::inverse_dynamics:
      kernels_.rnea(m(), n.q.data(), n.v.data(), n.x.data(), wrenches, n.out.data(), d);
      break;
    case BatchFunction::mass_matrix:
      if (!holds_mass_matrix_) std::fill(n.out.begin(), n.out.end(), Pack(0));
      holds_mass_matrix_ = true;
      kernels_.crba(m(), n.q.data(), n.out.data(), m().nv, d);
      break;
    default:
      if (call.function != BatchFunction::forward_dynamics && w().rows() > 0)
        return solve_rows(call, n, wanted, done, iterations);
      good = kernels_.aba(m(), n.q.data(), n.v.data(), n.x.data(), wrenches, n.out.data(), d);
  }
  if (good) done = wanted;
  return good;
}

template <class N, int W>
void PackWorker<N, W>::solve(const BatchCall& call, const Mask& wanted, Mask& done, int* iterations) {
  for (int l = 0; l < W; ++l) done.lane[l] = false, iterations[l] = 0;
  if (compute(call, numbers_, wanted, done, iterations)) return;
  // Some lane has no answer. Each is computed with copies of itself in all lanes, which gives the same digits.
  for (int l = 0; l < W; ++l) {
    if (!wanted.lane[l]) continue;
    for (int to = 0; to < W; ++to) copy_lane(numbers_, l, spare_, to);
    Mask one{}, answered{};
    int count[W] = {};
    one.lane[0] = true;
    done.lane[l] = compute(call, spare_, one, answered, count) && answered.lane[0];
    iterations[l] = count[0];
    for (std::size_t i = 0; i < spare_.out.size(); ++i) numbers_.out[i][l] = spare_.out[i][0];
    for (std::size_t i = 0; i < spare_.second.size(); ++i) numbers_.second[i][l] = spare_.second[i][0];
  }
}

template <class N, int W>
void PackWorker<N, W>::run_kinematics(const BatchCall& call, std::size_t first, Mask& good) {
  WorkspaceData<Pack>& d = arena_.data;
  const Pack* v = call.v.data ? numbers_.v.data() : nullptr;
  kernels_.kinematics(m(), numbers_.q.data(), v, d);
  const std::size_t nodes = index(m().node_count);
  keep_finite(d.R0, 9 * nodes, good);
  keep_finite(d.p0, 3 * nodes, good);
  if (v) keep_finite(d.v0, 6 * nodes, good);
  const std::ptrdiff_t columns = 6 * std::ptrdiff_t{m().nv};
  const auto part = [&](int which, std::ptrdiff_t numbers) {
    BatchArray a = call.out[which];
    if (a.data) a.data = static_cast<N*>(a.data) + numbers * a.number_stride;
    return a;
  };
  for (int k = 0; k < call.link_count; ++k) {
    const Model::Link& link = w().model->links[index(call.links[k])];
    Pack R[9], p[3], V[6];
    Pack* J = call.out[2].data ? jacobian_.data() : nullptr;
    kernels_.frame_motion(m(), link.body, link.in_body.rotation.data(), link.in_body.translation.data(),
                          call.axes == RowAxes::world, R, p, call.out[1].data ? V : nullptr, J, d);
    for (int l = 0; l < W; ++l) {
      if (!good.lane[l]) continue;
      const std::size_t state = first + index(l);
      double numbers[9], pose[7];
      for (int e = 0; e < 9; ++e) numbers[e] = static_cast<double>(R[e][l]);
      for (int e = 0; e < 3; ++e) pose[e] = static_cast<double>(p[e][l]);
      quaternion_of_rotation(load_mat3<double>(numbers), pose + 3);
      const BatchArray poses = part(0, 7 * std::ptrdiff_t{k});
      if (poses.data) {
        N* to = place(poses, state);
        for (int e = 0; e < 7; ++e) to[e * poses.number_stride] = static_cast<N>(pose[e]);
      }
    }
    scatter(V, 6, part(1, 6 * std::ptrdiff_t{k}), first, good);
    scatter(jacobian_.data(), static_cast<int>(columns), part(2, columns * k), first, good);
  }
}

// ---- rollouts

template <class N, int W>
void PackWorker<N, W>::add_scaled(const std::vector<Pack>& a, double s, const std::vector<Pack>& b, int count,
                                  std::vector<Pack>& out) {
  const N scale = static_cast<N>(s);
  for (std::size_t i = 0; i < index(count); ++i)
    for (int l = 0; l < W; ++l) out[i][l] = a[i][l] + scale * b[i][l];
}

// numbers_.out := accelerations; leaves the lanes of `good` that have them.
template <class N, int W>
void PackWorker<N, W>::accelerate(const BatchCall& call, Mask& good) {
  Mask done;
  int iterations[W];
  solve(call, good, done, iterations);
  keep_finite(numbers_.out.data(), index(m().nv), done);
  good = done;
}

template <class N, int W>
void PackWorker<N, W>::step_euler(const BatchCall& call, Mask& good) {
  accelerate(call, good);
  add_scaled(numbers_.v, call.dt, numbers_.out, m().nv, numbers_.v);
  kernels_.integrate(m(), numbers_.v.data(), call.dt, numbers_.q.data());
}

template <class N, int W>
void PackWorker<N, W>::step_runge_kutta(const BatchCall& call, Mask& good) {
  constexpr double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, place_of[5] = {0, 0.5, 0.5, 1, 0};
  const int nv = m().nv;
  start_q_ = numbers_.q, start_v_ = numbers_.v;
  for (std::vector<Pack>* x : {&u_, &sum_u_, &sum_a_}) std::fill(x->begin(), x->end(), Pack(0));
  for (int stage = 0; stage < 4; ++stage) {
    accelerate(call, good);
    // u' from the velocity of this stage.
    std::vector<Pack>& rate = jacobian_;
    std::copy(numbers_.v.begin(), numbers_.v.end(), rate.begin());
    kernels_.add_brackets(m(), u_.data(), place_of[stage] * call.dt, rate.data());
    std::copy_n(rate.begin(), nv, u_.begin());
    add_scaled(sum_u_, weight[stage], u_, nv, sum_u_);
    add_scaled(sum_a_, weight[stage], numbers_.out, nv, sum_a_);
    if (stage == 3) break;
    add_scaled(start_v_, place_of[stage + 1] * call.dt, numbers_.out, nv, numbers_.v);
    numbers_.q = start_q_;
    kernels_.integrate(m(), u_.data(), place_of[stage + 1] * call.dt, numbers_.q.data());
  }
  add_scaled(start_v_, call.dt, sum_a_, nv, numbers_.v);
  numbers_.q = start_q_;
  kernels_.integrate(m(), sum_u_.data(), call.dt, numbers_.q.data());
}

template <class N, int W>
void PackWorker<N, W>::run_rollout(const BatchCall& call, const BatchSizes& n, std::size_t first, int count,
                                   Mask& good) {
  for (std::size_t step = 0; step < call.steps; ++step) {
    for (int l = 0; l < count; ++l)
      good.lane[l] = good.lane[l] && gather(call.x, first + index(l), n.x, l, numbers_.x, step);
    if (!fill_others(good)) return;
    if (call.runge_kutta)
      step_runge_kutta(call, good);
    else
      step_euler(call, good);
    keep_finite(numbers_.q.data(), numbers_.q.size(), good);
    keep_finite(numbers_.v.data(), numbers_.v.size(), good);
    if ((step + 1) % call.every != 0) continue;
    scatter(numbers_.q.data(), n.q, call.out[0], first, good, step / call.every);
    scatter(numbers_.v.data(), n.v, call.out[1], first, good, step / call.every);
  }
}

// ----

template <class N, int W>
void PackWorker<N, W>::run(const BatchCall& call, std::size_t first, std::size_t states) {
  if (!packs_can(call, this->single)) return SingleWorker<N>::run(call, first, states);
  const BatchSizes n(call, this->single);
  const int count = static_cast<int>(states);
  for (int e = 0; e < 3; ++e) arena_.data.gravity[e] = Pack(w().w().gravity[e]);
  Mask good{}, done{};
  int iterations[W] = {};
  for (int l = 0; l < count; ++l) good.lane[l] = gather_state(call, n, first + index(l), l);
  if (fill_others(good)) {
    done = good;
    if (call.function == BatchFunction::kinematics) {
      run_kinematics(call, first, done);
    } else if (call.function == BatchFunction::rollout) {
      run_rollout(call, n, first, count, done);
    } else {
      solve(call, good, done, iterations);
      keep_finite(numbers_.out.data(), index(n.out[0]), done);
      keep_finite(numbers_.second.data(), index(n.out[1]), done);
    }
  }
  if (call.function != BatchFunction::kinematics && call.function != BatchFunction::rollout) {
    scatter(numbers_.out.data(), n.out[0], call.out[0], first, done);
    scatter(numbers_.second.data(), n.out[1], call.out[1], first, done);
  }
  for (int l = 0; l < count; ++l) {
    const std::size_t state = first + index(l);
    if (done.lane[l])
      this->report(call, state, Status::ok, iterations[l]);
    else
      this->run_one(call, state);
  }
}

// ----

namespace {

template <class N, int W>
std::unique_ptr<Worker> packs_of(const std::shared_ptr<const Model>& model,
                                 const std::shared_ptr<const ConstraintSet>& constraints,
                                 const WorkspaceOptions& options) {
  const PackKernels<N, W>* kernels = pack_kernels_of<N, W>(options.instructions);
  if (!kernels) return nullptr;
  return std::make_unique<PackWorker<N, W>>(model, constraints, options, *kernels);
}

template <class N>
std::unique_ptr<Worker> worker_of(const std::shared_ptr<const Model>& model,
                                  const std::shared_ptr<const ConstraintSet>& constraints,
                                  const WorkspaceOptions& options) {
  std::unique_ptr<Worker> worker;
  constexpr int numbers = static_cast<int>(16 / sizeof(N));  // in 16 bytes
#if defined(TENON_DISPATCH_X86)
  if (options.instructions == Instructions::x86_64_v4)
    worker = packs_of<N, 4 * numbers>(model, constraints, options);
  else if (options.instructions == Instructions::x86_64_v3)
    worker = packs_of<N, 2 * numbers>(model, constraints, options);
#elif defined(TENON_BASELINE_PACKS)
  worker = packs_of<N, numbers>(model, constraints, options);
#endif
  static_assert(numbers >= 2);
  if (!worker) worker = std::make_unique<SingleWorker<N>>(model, constraints, options);
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
