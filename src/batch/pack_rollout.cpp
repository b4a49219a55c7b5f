#include "batch/pack_rollout.hpp"

namespace tenon {

namespace {

// out := a + s b, for `count` numbers of each lane.
template <class N, int W>
void add_scaled(const std::vector<Slots<N, W>>& a, double s, const std::vector<Slots<N, W>>& b, int count,
                std::vector<Slots<N, W>>& out) {
  const N scale = static_cast<N>(s);
  for (std::size_t i = 0; i < index(count); ++i)
    for (int l = 0; l < W; ++l) out[i][l] = a[i][l] + scale * b[i][l];
}

// numbers.out := accelerations; leaves the lanes of `good` that have them.
template <class N, int W>
void accelerate(const BatchCall& call, PackDynamics<N, W>& dynamics, const PackKernels<N, W>& kernels,
                PackNumbers<N, W>& n, int nv, LaneMask<W>& good) {
  LaneMask<W> done;
  int iterations[W];
  dynamics.solve(call, n, good, done, iterations);
  keep_finite<N>(kernels, n.out.data(), nv, done);
  good = done;
}

}  // namespace

template <class N, int W>
PackRollout<N, W>::PackRollout(const Model& model, const PackKernels<N, W>& kernels)
    : m_(model.data()), kernels_(kernels), start_q_(index(model.nq)) {
  for (std::vector<Pack>* x : {&start_v_, &u_, &rate_, &sum_u_, &sum_a_}) x->resize(index(model.nv));
}

template <class N, int W>
void PackRollout<N, W>::step(const BatchCall& call, PackDynamics<N, W>& dynamics, PackNumbers<N, W>& n,
                             Mask& good) {
  if (call.runge_kutta) return step_runge_kutta(call, dynamics, n, good);
  accelerate(call, dynamics, kernels_, n, m_.nv, good);
  add_scaled(n.v, call.dt, n.out, m_.nv, n.v);
  kernels_.integrate(m_, n.v.data(), call.dt, n.q.data());
}

template <class N, int W>
void PackRollout<N, W>::step_runge_kutta(const BatchCall& call, PackDynamics<N, W>& dynamics,
                                         PackNumbers<N, W>& n, Mask& good) {
  constexpr double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, place_of[5] = {0, 0.5, 0.5, 1, 0};
  const int nv = m_.nv;
  start_q_ = n.q, start_v_ = n.v;
  for (std::vector<Pack>* x : {&u_, &sum_u_, &sum_a_}) std::fill(x->begin(), x->end(), Pack(0));
  for (int stage = 0; stage < 4; ++stage) {
    accelerate(call, dynamics, kernels_, n, nv, good);
    // u' from the velocity of this stage.
    rate_ = n.v;
    kernels_.add_brackets(m_, u_.data(), place_of[stage] * call.dt, rate_.data());
    u_ = rate_;
    add_scaled(sum_u_, weight[stage], u_, nv, sum_u_);
    add_scaled(sum_a_, weight[stage], n.out, nv, sum_a_);
    if (stage == 3) break;
    add_scaled(start_v_, place_of[stage + 1] * call.dt, n.out, nv, n.v);
    n.q = start_q_;
    kernels_.integrate(m_, u_.data(), place_of[stage + 1] * call.dt, n.q.data());
  }
  add_scaled(start_v_, call.dt, sum_a_, nv, n.v);
  n.q = start_q_;
  kernels_.integrate(m_, sum_u_.data(), call.dt, n.q.data());
}

TENON_FOR_ALL_PACKS(template class PackRollout)

}  // namespace tenon
