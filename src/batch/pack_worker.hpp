// States of a batch in packs of W. Inputs are gathered into packs, a kernel computes all lanes, and the
// results of each lane are checked and scattered to the user's arrays. What packs cannot do is left to single
// calls: a state whose inputs are not accepted, whose result is not finite, or whose rows do not converge
// quickly. Lanes without such a state get copies of a good one.
//
// A lane is computed by the same operations wherever it stands and whatever its neighbours are, and whether it
// is left to a single call depends on it alone, so its result does too.
#pragma once

#include <vector>

#include "batch/single_worker.hpp"
#include "kernels/pack/pack_table.hpp"
#include "plan/arena.hpp"

namespace tenon {

// Whether packs compute this function for this workspace.
bool packs_can(const BatchCall& call, Workspace& w);

template <class N, int W>
class PackWorker final : public SingleWorker<N> {
 public:
  PackWorker(std::shared_ptr<const Model> model, std::shared_ptr<const ConstraintSet> constraints,
             const WorkspaceOptions& options, const PackKernels<N, W>& kernels);

  void run(const BatchCall& call, std::size_t first, std::size_t count) override;
  std::size_t bytes() const override;

 private:
  using Pack = Slots<N, W>;
  using SingleWorker<N>::place;
  // The numbers of W states.
  struct Numbers {
    std::vector<Pack> q, v, x, wrench, desired, out, second;
    std::size_t bytes() const { return bytes_of(q, v, x, wrench, desired, out, second); }
  };
  struct Mask {
    bool lane[W];
  };

  // Copies the inputs of a state into a lane of numbers_; false where one of them is not accepted.
  bool gather_state(const BatchCall& call, const BatchSizes& n, std::size_t state, int lane);
  bool gather(const BatchArray& a, std::size_t state, int count, int lane, std::vector<Pack>& to,
              std::size_t record = 0);
  bool gather_wrenches(const BatchCall& call, std::size_t state, int lane);
  bool unit_quaternions(int lane);
  // Numbers of the lanes of the mask to the arrays of states first, first + 1, ...
  void scatter(const Pack* from, int count, const BatchArray& a, std::size_t first, const Mask& mask,
               std::size_t record = 0) const;
  // Leaves those lanes of the mask in which all numbers are finite.
  static void keep_finite(const Pack* x, std::size_t count, Mask& mask);
  // Inputs of lane `to` of b := those of lane `from` of a.
  static void copy_lane(const Numbers& a, int from, Numbers& b, int to);
  // Gives all other lanes copies of the first lane of the mask. False: there is none.
  bool fill_others(const Mask& mask);

  // Computes the lanes of `wanted`; results are in numbers_.out and second, `done` marks the lanes that have
  // one.
  void solve(const BatchCall& call, const Mask& wanted, Mask& done, int* iterations);
  // The same for given numbers. False: a lane cannot be computed, and it is not known which.
  bool compute(const BatchCall& call, Numbers& numbers, const Mask& wanted, Mask& done, int* iterations);
  bool solve_rows(const BatchCall& call, Numbers& numbers, const Mask& wanted, Mask& done, int* iterations);
  void run_kinematics(const BatchCall& call, std::size_t first, Mask& good);
  void run_rollout(const BatchCall& call, const BatchSizes& n, std::size_t first, int count, Mask& good);
  void step_euler(const BatchCall& call, Mask& good);
  void step_runge_kutta(const BatchCall& call, Mask& good);
  void accelerate(const BatchCall& call, Mask& good);
  static void add_scaled(const std::vector<Pack>& a, double s, const std::vector<Pack>& b, int count,
                         std::vector<Pack>& out);  // out := a + s b

  WorkspaceImpl& w() { return this->single.impl(); }
  const ModelData& m() { return w().md(); }

  const PackKernels<N, W>& kernels_;
  Arena<Pack> arena_;
  Numbers numbers_, spare_;
  std::vector<Pack> start_q_, start_v_, u_, sum_u_, sum_a_;  // of a step
  std::vector<Pack> f_, step_, unit_, jacobian_;
  std::vector<double> inv_mu_, root_scale_, wrench_room_;
  bool holds_mass_matrix_ = false;  // numbers_.out has zeros between branches
  PackedRows<Pack> rows_{};
};

}  // namespace tenon
