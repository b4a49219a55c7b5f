#include "batch/pack/pack_step_check.hpp"

#include <algorithm>

#include "tenon/loops.hpp"

namespace tenon {

template <class N, int W>
PackStepCheck<N, W>::PackStepCheck(const PackKernels<N, W>& kernels, const ModelData& m,
                                   WorkspaceData<Pack>& w)
    : kernels_(kernels), m_(m), w_(w) {
  if (m.varying_clusters == 0) return;
  K_.resize(index(m.loop_K_size)), phi_.resize(index(m.loop_row_count));
  end_q_.resize(index(m.nq)), angles_.resize(3 * room_of_angles());
  for (std::vector<Pack>* x : {&bias_, &end_v_}) x->resize(index(m.nv));
}

template <class N, int W>
void PackStepCheck<N, W>::start(const Inputs<Pack>& in, bool same, bool reuses) {
  if (m_.varying_clusters == 0) return;
  if (!same || !measured_) {
    kernels_.loops_of_states(m_, in.q, in.v, largest_, w_);
    kernels_.measure_motion(m_, in.q, in.v, energy_, power_, w_);
    swept_ = true;
  }
  std::copy_n(w_.loop_K, K_.size(), K_.data());
  std::copy_n(w_.loop_phi, phi_.size(), phi_.data());
  start_ = in;
  measured_ = false, known_ = reuses;
}

template <class N, int W>
void PackStepCheck<N, W>::end(double dt, const Pack* q, const Pack* v, bool goes_on, Mask& lanes) {
  if (m_.varying_clusters == 0) return;
  Pack energy, power, opens, excess;
  if (goes_on)
    kernels_.loops_of_states(m_, q, v, largest_, w_);
  else
    kernels_.gaps_of_states(m_, q, w_);
  kernels_.measure_motion(m_, q, v, energy, power, w_);
  swept_ = true;
  // Wrenches are part of bias forces, and not of that power.
  StepOfStates<Pack> step = {K_.data(), phi_.data(),    start_.v,
                             v,         start_.tau,     nullptr,
                             energy_,   energy,         start_.wrenches ? Pack(0) : power_,
                             dt,        loop_tolerance, share};
  kernels_.find_long_steps(m_, step, opens, excess, w_);
  Mask gains{};
  for (int l = 0; l < W; ++l) {
    lanes.lane[l] = lanes.lane[l] && opens[l] == 0;
    gains.lane[l] = lanes.lane[l] && !(excess[l] <= 0);
  }
  if (gains.first() < W) {
    compute_bias();
    step.bias = bias_.data();
    kernels_.find_long_steps(m_, step, opens, excess, w_);
    for (int l = 0; l < W; ++l) lanes.lane[l] = lanes.lane[l] && !(gains.lane[l] && !(excess[l] <= 0));
  }
  energy_ = energy, power_ = power;
  measured_ = goes_on;
}

template <class N, int W>
void PackStepCheck<N, W>::compute_bias() {
  Pack** const fields[] = {&w_.angle, &w_.cos_q, &w_.sin_q};
  Pack* kept[3];
  for (int i = 0; i < 3; ++i) kept[i] = *fields[i], *fields[i] = angles_.data() + i * room_of_angles();
  kernels_.rnea(m_, start_, bias_.data(), w_);
  swept_ = false;
  for (int i = 0; i < 3; ++i) *fields[i] = kept[i];
}

template <class N, int W>
void PackStepCheck<N, W>::keep_end(const Pack* q, const Pack* v) {
  if (m_.varying_clusters == 0) return;
  std::copy_n(q, end_q_.size(), end_q_.data());
  std::copy_n(v, end_v_.size(), end_v_.data());
}

TENON_FOR_ALL_PACKS(template class PackStepCheck)

}  // namespace tenon
