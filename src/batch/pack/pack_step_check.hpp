// The check of steps in time of packs (calls/step_check.hpp has that of single calls, and both one definition,
// kernels/cluster/step_limits.hpp): a step whose loops open, or whose energy grows, by more than a share of what single calls
// allow is left to these, which decide. So both take the same steps. What rows of the user do counts for nothing here, which
// leaves more steps to single calls and none less. In the coordinates of the tree, of models with loops that turn; of others
// nothing is computed.
//
// Loops and velocities of bodies are evaluated at the end of a step, and not again for the dynamics of the next.
#pragma once

#include <vector>

#include "batch/pack/pack_numbers.hpp"
#include "data/inputs.hpp"
#include "kernels/pack/pack_table.hpp"

namespace tenon {

// Of a step in a rollout. none: it is taken again, after a check. inner: the next step begins where it ends.
enum class StepCheck { none, inner, last };

template <class N, int W>
class PackStepCheck {
 public:
  using Pack = tenon::Pack<N, W>;
  using Mask = LaneMask<W>;

  // Of the whole model, with the sweeps' memory.
  PackStepCheck(const PackKernels<N, W>& kernels, const ModelData& m, WorkspaceData<Pack>& w);

  // What was measured is no longer that of the present state.
  void forget() { measured_ = known_ = swept_ = false; }
  // A step begins here, under in.tau and in.wrenches; what `in` points at stays until end(). same: it is where the last step has
  // ended, in all lanes. reuses: dynamics there ask take_loops() first.
  void start(const Inputs<Pack>& in, bool same, bool reuses);
  // G and g at the beginning, once: largest as loops_of_states has it. False: they are not there.
  bool take_loops(Pack& largest) {
    swept_ = known_ && swept_;
    if (!known_) return false;
    known_ = false, largest = largest_;
    return true;
  }
  // Forward dynamics at the state that take_loops() was asked for last.
  auto take_aba() {
    const bool swept = swept_;
    swept_ = false;
    return swept ? kernels_.aba_of_measured : kernels_.aba_of_states;
  }
  // The end of the step; leaves the lanes that packs may take. goes_on: the next step begins at these numbers, and G and g in the
  // workspace are those of the end then.
  void end(double dt, const Pack* q, const Pack* v, bool goes_on, Mask& lanes);
  // The same in two parts, where the end is overwritten before what the workspace holds may be.
  void keep_end(const Pack* q, const Pack* v);
  void end_kept(double dt, Mask& lanes) {
    if (m_.varying_clusters > 0) end(dt, end_q_.data(), end_v_.data(), false, lanes);
  }
  std::size_t bytes() const { return bytes_of(K_, phi_, bias_, end_q_, end_v_, angles_); }

 private:
  // Of the limits of single calls, whose numbers differ by rounding, so that these decide all that is near them.
  static constexpr double share = 0.5;

  std::size_t room_of_angles() const { return index(m_.node_count); }
  // bias_ := bias forces at the beginning. Angles of joints in the workspace stay.
  void compute_bias();

  const PackKernels<N, W>& kernels_;
  const ModelData& m_;
  WorkspaceData<Pack>& w_;
  Inputs<Pack> start_;
  std::vector<Pack> K_, phi_, bias_, end_q_, end_v_;       // K_, phi_: at the beginning
  std::vector<Pack> angles_;                               // with sines and cosines, of bias forces
  Pack energy_{}, power_{}, largest_{};                    // where the last call was: there
  bool measured_ = false, known_ = false, swept_ = false;  // swept_: velocities of bodies are there too
};

}  // namespace tenon
