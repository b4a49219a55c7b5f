// States of a batch in packs of W. Inputs are gathered into packs, a kernel computes all lanes, and the
// results of each lane are checked and scattered to the user's arrays. What packs cannot do is left to single
// calls: a state whose inputs are not accepted, whose result is not finite, next to a dead centre, or whose rows
// do not converge quickly. Lanes without such a state get copies of a good one.
//
// Constrained dynamics by two methods: packs are computed by the first, and the states that it does not answer wait
// until they fill a pack for the second.
//
// A lane is computed by the same operations wherever it stands and whatever its neighbours are, and whether it
// is left to a single call depends on it alone, so its result does too.
#pragma once

#include <vector>

#include "batch/pack/pack_dynamics.hpp"
#include "batch/rollout/pack_rollout.hpp"
#include "batch/single_worker.hpp"

namespace tenon {

// Io: the type of the user's numbers, N: of those in packs, float only where Io is. Floats of models with loops
// or folded rotors are computed as doubles.
template <class Io, class N, int W>
class PackWorker final : public SingleWorker<Io> {
 public:
  PackWorker(std::shared_ptr<const Model> model, std::shared_ptr<const ConstraintSet> constraints,
             const WorkspaceOptions& options, const PackKernels<N, W>& kernels);

  void prepare(const BatchCall& call) override;
  void run(const BatchCall& call, std::size_t first, std::size_t count) override;
  void finish(const BatchCall& call) override;
  std::size_t bytes() const override;

 private:
  using Pack = tenon::Pack<N, W>;
  using Mask = LaneMask<W>;
  using Beyond = LanesBeyond<Io, W>;
  using SingleWorker<Io>::place;

  // The states in the lanes of a pack, `count` of them; lanes behind these have the last one again.
  struct InLanes {
    template <class State>
    InLanes(int count_, const State& state_of) : count(count_) {
      for (int l = 0; l < W; ++l) state[l] = state_of(std::min(l, count - 1));
    }
    std::size_t state[W];
    int count;
  };

  // Constrained dynamics by this method. may_wait: states without an answer come to `waiting_`, else to single calls.
  void run_pack(const BatchCall& call, const InLanes& states, Method method, bool may_wait);
  // The first of those that wait, as many as a pack takes.
  void run_waiting(const BatchCall& call);
  // A list of `count` numbers of each state, one behind the other.
  using List = StateList<Io, Pack>;
  static List list_of(const BatchArray& a, std::size_t count, Pack* packs, std::size_t record = 0) {
    return {place(a, 0, record), a.state_stride, static_cast<std::ptrdiff_t>(count), packs,
            W * a.state_stride};
  }
  // The next pack's lines are fetched where they stay until then. Of matrices they do not: those of constrained dynamics took 1.12
  // of the time with that (talos_full_v2), of small robots the same.
  static List written_list(const BatchArray& a, std::size_t count, const Pack* packs,
                           std::size_t record = 0) {
    constexpr std::size_t most = 16384;
    List list = list_of(a, count, const_cast<Pack*>(packs), record);
    if (W * count * sizeof(Io) > most) list.ahead = 0;
    return list;
  }
  // An argument whose numbers lie apart.
  struct Apart {
    BatchArray array;
    std::size_t count;
    Pack* packs;
  };
  // A result: `records` columns of `count` numbers.
  struct Result {
    Pack* packs;
    BatchArray array;
    std::size_t count, records;
    // rows: those of a square matrix, one behind the other; packs have columns and are turned, to be copied as one list.
    bool rows;
    bool adds;  // what the array holds
  };
  // The memory that this call needs.
  void make_room(const BatchCall& call);
  // exchange_of_packs.hpp. What gather_states() and give_results() copy in this call.
  void list_inputs(const BatchCall& call);
  void list_results(const BatchCall& call);
  void add_result(std::vector<Pack>& numbers, const BatchArray& array, std::size_t count, std::size_t records,
                  bool adds, std::size_t at = 0);
  // Copies inputs into lanes of numbers_; returns the lanes in which all are accepted.
  Mask gather_states(const BatchCall& call, const BatchSizes& n, const InLanes& states);
  // The same for one array; adds the lanes whose numbers are not all finite, or leaves the lanes of `good` where they are.
  TENON_NOINLINE void gather(const BatchArray& a, const InLanes& states, std::size_t count, Pack* to,
                             Beyond& beyond, std::size_t record = 0);
  void gather(const BatchArray& a, const InLanes& states, std::size_t count, Pack* to, Mask& good,
              std::size_t record = 0) {
    Beyond beyond;
    gather(a, states, count, to, beyond, record);
    beyond.leave_others(good);
  }
  void gather(const BatchArray& a, const InLanes& states, std::size_t count, std::vector<Pack>& to,
              Mask& good, std::size_t record = 0) {
    gather(a, states, count, to.data(), good, record);
  }
  // The gradient by numbers of whole robots, in along_q; zero by those that are not given.
  void gather_centroidal(const BatchCall& call, const InLanes& states, Mask& good);
  TENON_NOINLINE bool gather_wrenches(const BatchCall& call, std::size_t state, int lane,
                                      std::size_t record = 0);
  bool unit_quaternions(int lane) const;
  bool rebounds_within_range(const BatchSizes& n, int lane) const;
  // Numbers of the lanes of the mask to the arrays of their states.
  TENON_NOINLINE void scatter(const Pack* from, std::size_t count, const BatchArray& a, const InLanes& states,
                              const Mask& mask, std::size_t record = 0) const;
  // Gives all other lanes copies of the first lane of the mask. False: there is none.
  TENON_NOINLINE bool fill_others(const Mask& mask);
  // kinematics_of_packs.hpp; leaves the lanes that have a result, all of which is written.
  void run_kinematics(const BatchCall& call, const InLanes& states, Mask& good);
  void run_centroidal(const BatchCall& call, const InLanes& states, Mask& good);
  // Leaves the lanes whose poses, and velocities and accelerations where these are there, are finite and may be multiplied.
  void keep_placed(const BatchCall& call, Mask& good);
  // What acts in a step of a rollout: torques with those of the controller, and wrenches. False: no lane has all.
  bool take_step(const BatchCall& call, const BatchSizes& n, const InLanes& states, Mask& good,
                 std::size_t step);
  // The torques of the controller, added to tau.
  void give_feedback(const BatchCall& call, const BatchSizes& n, const InLanes& states, Mask& good,
                     std::size_t step);
  // Writes the results of dynamics, and derivatives. Leaves the lanes where all are finite.
  void give_results(const BatchCall& call, const InLanes& states, Mask& good);
  TENON_NOINLINE void change_result(const Result& x, const InLanes& states, Beyond& beyond);
  // The same of matrices that leave line by line.
  void finish_lines(const BatchCall& call, const PackedLines<Pack>& lines, const InLanes& states, Mask& good);
  using Kept = KeptStates<Pack>;
  // kept: keeps the states that the way back needs; null: there is none.
  void run_rollout(const BatchCall& call, const BatchSizes& n, const InLanes& states, Mask& good,
                   const Kept* kept = nullptr);
  // Forward, then backward.
  void differentiate_rollout(const BatchCall& call, const BatchSizes& n, const InLanes& states, Mask& good);

  WorkspaceImpl& w() { return this->single.impl(); }
  const ModelData& m() { return w().model->data(); }

  const PackKernels<N, W>& kernels_;
  PackDynamics<N, W> dynamics_;
  PackRollout<N, W> rollout_;
  PackNumbers<N, W> numbers_;
  std::vector<Io> aside_;                                        // lines of lanes without a result
  std::vector<char> zeros_;                                      // as scatter_states takes them
  std::vector<Pack> jacobian_, held_;                            // held_: what is added to derivatives
  std::vector<Pack> sums_[parameter_kinds];                      // over the steps of a rollout
  std::vector<Pack> stiffness_, damping_, q_target_, v_target_;  // of rollouts with feedback
  std::vector<double> wrench_room_;
  // Of the present call.
  bool packs_take_it_ = false;      // else states go one by one
  std::vector<List> given_;         // arguments, and those
  std::vector<Apart> given_apart_;  // whose numbers lie apart
  std::vector<List> checked_;       // results, wanted or not
  std::vector<Result> results_;     // those that are wanted, and of these
  std::vector<Result> changed_;     // those that are not what packs have computed,
  std::vector<List> written_;       // and those that are one list, and
  std::vector<Result> apart_;       // the others
  // How many of them are of values, which come first, and in all: where matrices leave line by line, which may be so in one pack
  // and not in the next, these are not written.
  struct Listed {
    std::size_t checked, results, changed, written, apart;
  };
  Listed listed() const {
    return {checked_.size(), results_.size(), changed_.size(), written_.size(), apart_.size()};
  }
  Listed values_{}, all_{};
  std::vector<std::size_t> waiting_;  // fewer than two packs
};

}  // namespace tenon
