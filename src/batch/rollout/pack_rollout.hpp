// Steps in time of packs of states (calls/steps.cpp has those of single states).
#pragma once

#include <vector>

#include "batch/pack/pack_dynamics.hpp"

namespace tenon {

template <class N, int W>
class PackRollout {
 public:
  using Pack = tenon::Pack<N, W>;
  using Mask = LaneMask<W>;

  PackRollout(const WorkspaceImpl& w, const PackKernels<N, W>& kernels);
  // numbers.q, v := the state after a step of call.dt; leaves the lanes of `good` that have one, of checked steps that
  // single calls surely take.
  void step(const BatchCall& call, PackDynamics<N, W>& dynamics, PackNumbers<N, W>& numbers, StepCheck check,
            Mask& good);
  // Of the first stage of the last step, where the call wants them.
  const std::vector<Pack>& qdd() const { return qdd_; }
  const std::vector<Pack>& lambda() const { return lambda_; }
  std::size_t bytes() const { return bytes_of(start_q_, start_v_, u_, rate_, sum_u_, sum_a_, qdd_, lambda_); }

 private:
  const ModelData& m_;
  const PackKernels<N, W>& kernels_;
  std::vector<Pack> start_q_, start_v_, u_, rate_, sum_u_, sum_a_, qdd_, lambda_;
};

}  // namespace tenon
