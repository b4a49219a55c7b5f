#include "batch/rollout/pack_rollout.hpp"

#include "calls/step_stages.hpp"

namespace tenon {

namespace {

// The stages of a step of a pack (calls/step_stages.hpp).
template <class N, int W>
struct Stages {
  using Pack = tenon::Pack<N, W>;
  const BatchCall& call;
  PackDynamics<N, W>& dynamics;
  const PackKernels<N, W>& kernels;
  const ModelData& m;
  PackNumbers<N, W>& n;
  LaneMask<W>& good;
  std::vector<Pack>&first_qdd, &first_lambda;

  // Leaves the lanes of `good` that have accelerations.
  const Pack* accelerate(int stage) const {
    LaneMask<W> done;
    SolveReport reports[W];
    dynamics.solve(call, dynamics.method_of_steps(call), n, good, done, reports);
    keep_finite<N>(kernels, n.out.data(), m.nv, done);
    good = done;
    if (stage == 0 && call.out[2].data) dynamics.give_motion(n.out, first_qdd);
    if (stage == 0 && call.out[3].data)
      std::copy_n(n.second.begin(), first_lambda.size(), first_lambda.begin());
    return n.out.data();
  }
  void add_brackets(const Pack* u, double h, Pack* v) const { kernels.add_brackets(m, u, h, v); }
  void integrate(const Pack* v, double h, Pack* q) const { kernels.integrate_joints(m, v, h, q); }
};

}  // namespace

template <class N, int W>
PackRollout<N, W>::PackRollout(const WorkspaceImpl& w, const PackKernels<N, W>& kernels)
    : m_(w.model->data()), kernels_(kernels), start_q_(index(m_.nq)), lambda_(index(w.rows())) {
  for (std::vector<Pack>* x : {&start_v_, &u_, &rate_, &sum_u_, &sum_a_, &qdd_}) x->resize(index(m_.nv));
}

template <class N, int W>
void PackRollout<N, W>::step(const BatchCall& call, PackDynamics<N, W>& dynamics, PackNumbers<N, W>& n,
                             StepCheck check, Mask& good) {
  const Stages<N, W> stages{call, dynamics, kernels_, m_, n, good, qdd_, lambda_};
  dynamics.enter_step(call, n, check, good.all(), start_q_.data(), start_v_.data());
  take_stages<Pack>(stages, rule_of(call.integrator), static_cast<int>(start_q_.size()), m_.nv, call.dt,
                    {start_q_.data(), start_v_.data(), n.q.data(), n.v.data(), u_.data(), rate_.data(),
                     sum_u_.data(), sum_a_.data()});
  dynamics.leave_step(call, n, check, good);
}

TENON_FOR_ALL_PACKS(template class PackRollout)

}  // namespace tenon
