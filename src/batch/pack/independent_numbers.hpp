// States of packs in independent velocities, and products with their derivatives, in the coordinates of the tree and back, as
// state/coordinates.hpp and calls/derivatives/ map those of one state: v = G ydot, qdd = G yddot + g, and G^T of forces.
// Positions are spanning ones.
#pragma once

#include "batch/pack/pack_numbers.hpp"
#include "kernels/cluster/explicit_form.hpp"
#include "kernels/pack/pack_table.hpp"
#include "state/projection.hpp"
#include "tenon/loops.hpp"

namespace tenon {

template <class N, int W>
class IndependentNumbers {
 public:
  using Pack = tenon::Pack<N, W>;
  using Numbers = PackNumbers<N, W>;
  using List = std::vector<Pack>;

  IndependentNumbers(const WorkspaceImpl& w, const PackKernels<N, W>& kernels)
      : m_(w.model->data()), kernels_(kernels), tree_(w), room_(index(m_.nv)) {
    tree_.make_room(index(m_.nv), index(m_.nv));
  }

  Numbers& tree() { return tree_; }
  // Begins a call: results of other states next to dead centres are forgotten.
  void start() { largest_ = Pack(0), gap_ = Pack(0); }
  // Leaves the lanes that are not next to a dead centre, and whose loops close at the end of a step.
  void keep_ordinary(LaneMask<W>& lanes) const {
    for (int l = 0; l < W; ++l)
      lanes.lane[l] = lanes.lane[l] && static_cast<double>(largest_[l]) <= ordinary_G &&
                      static_cast<double>(gap_[l]) < loop_tolerance;
  }

  // v, and forces on independent coordinates, in place. G is that of q then.
  void expand_state(Numbers& n, WorkspaceData<Pack>& w) {
    place_loops(n.q.data(), nullptr, w);
    std::copy_n(n.v.data(), m_.ny, room_.data());
    times_explicit(m_, w.G, room_.data(), static_cast<const Pack*>(nullptr), n.v.data());
    std::copy_n(n.tau.data(), m_.ny, room_.data());
    scatter(room_, n.tau);
  }
  // The end of a step.
  void compress_state(Numbers& n, WorkspaceData<Pack>& w) {
    close(n.q.data(), w);
    pick(n.v, room_);
    std::copy_n(room_.data(), m_.ny, n.v.data());
  }

  // Dynamics at a state: what they are of, in place, and n.out back.
  void expand(const BatchCall& call, Numbers& n, WorkspaceData<Pack>& w) {
    expand_state(n, w);
    if (!call.of_inverse_dynamics()) return;
    place_loops(n.q.data(), n.v.data(), w);
    std::copy_n(n.qdd.data(), m_.ny, room_.data());
    const Pack* const g = m_.varying_clusters > 0 ? w.g : nullptr;
    times_explicit(m_, w.G, room_.data(), g, n.qdd.data());
  }
  void compress(const BatchCall& call, Numbers& n, const WorkspaceData<Pack>& w) {
    give(n.out.data(), call.of_inverse_dynamics(), room_.data(), w);
    std::copy_n(room_.data(), m_.ny, n.out.data());
  }

  // The inputs of products in the coordinates of the tree; leave() gives their results back.
  Numbers& enter(const BatchCall& call, Numbers& user, WorkspaceData<Pack>& w) {
    const BatchCall::Differentiation& how = call.derivatives;
    const bool jvp = how.form == DerivativeForm::jvp,
               of_motion = call.of_inverse_dynamics() || call.of_kinematics();
    swap_others(call, user);
    std::copy(user.q.begin(), user.q.end(), tree_.q.begin());
    place_loops(user.q.data(), nullptr, w);
    const Pack* const none = nullptr;
    times_explicit(m_, w.G, user.v.data(), none, tree_.v.data());
    if (call.of_inverse_dynamics() || call.accelerates()) {
      place_loops(user.q.data(), tree_.v.data(), w);
      times_explicit(m_, w.G, user.qdd.data(), m_.varying_clusters > 0 ? w.g : none, tree_.qdd.data());
    } else if (!of_motion) {
      scatter(user.tau, tree_.tau);
    }
    if (call.of_kinematics() && !jvp) return tree_;  // its gradients are those of links or whole robots
    const auto place = [&](bool given, const List& from, bool is_motion, List& to) {
      if (!given)
        std::fill(to.begin(), to.end(), Pack(0));
      else if (is_motion)
        times_explicit(m_, w.G, from.data(), none, to.data());
      else
        scatter(from, to);
    };
    place(call.rolls() || how.along_q.data, user.along_q, jvp, tree_.along_q);
    place(call.rolls() || how.along_v.data, user.along_v, jvp, tree_.along_v);
    place(how.along_x.data != nullptr, user.along_x, of_motion, tree_.along_x);
    return tree_;
  }
  // G is that of the beginning. to_velocities(by_q, by_v): adds to by_q what velocities that keep loops closed change.
  template <class ToVelocities>
  void leave(const BatchCall& call, Numbers& user, WorkspaceData<Pack>& w,
             const ToVelocities& to_velocities) {
    const bool inverse = call.of_inverse_dynamics(), step = call.of_steps();
    const auto project = [&](const List& from, List& to) {
      times_explicit_transposed(m_, w.G, from.data(), to.data());
    };
    const auto give_force = [&](const List& from, List& to) { inverse ? project(from, to) : pick(from, to); };
    swap_others(call, user);
    if (call.of_kinematics()) {
      if (!call.differentiates() || call.forward_mode())
        return;  // results are those of links or whole robots
      to_velocities(tree_.by_q.data(), tree_.by_v.data());
      project(tree_.by_q, user.by_q), project(tree_.by_v, user.by_v);
      return project(tree_.by_x, user.by_x);
    }
    if (call.of_matrices()) return give_force(tree_.out, user.out);
    if (call.derivatives.form == DerivativeForm::jvp) {
      give_force(tree_.by_q, user.by_q);
      if (step) pick(tree_.by_v, user.by_v);
    } else {
      to_velocities(tree_.by_q.data(), tree_.by_v.data());
      project(tree_.by_q, user.by_q), project(tree_.by_v, user.by_v);
      give_force(tree_.by_x, user.by_x);
    }
    if (!step) return give_force(tree_.out, user.out);
    pick(tree_.second, user.second);
    close(tree_.out.data(), w);
    std::copy_n(tree_.out.begin(), m_.nq, user.out.begin());
  }
  // A result of forces or of motions in the tree.
  void give(const Pack* from, bool forces, Pack* to, const WorkspaceData<Pack>& w) const {
    if (forces) return times_explicit_transposed(m_, w.G, from, to);
    for (int j = 0; j < m_.ny; ++j) to[j] = from[m_.independent[j]];
  }
  // Of motions of joints.
  void pick(const List& from, List& to) const {
    for (int j = 0; j < m_.ny; ++j) to[index(j)] = from[index(m_.independent[j])];
  }
  std::size_t bytes() const { return bytes_of(tree_, room_); }

 private:
  // What is the same in both coordinates.
  void swap_others(const BatchCall& call, Numbers& user) {
    static constexpr List Numbers::*lists[] = {&Numbers::wrench, &Numbers::desired,  &Numbers::along_rows,
                                               &Numbers::bodies, &Numbers::armature, &Numbers::damping,
                                               &Numbers::dry,    &Numbers::gravity,  &Numbers::applied};
    for (List Numbers::*list : lists) (user.*list).swap(tree_.*list);
    if (!call.of_steps()) user.second.swap(tree_.second);
    if (!call.of_matrices()) user.by_rows.swap(tree_.by_rows);
  }
  void place_loops(const Pack* q, const Pack* v, WorkspaceData<Pack>& w) {
    if (m_.varying_clusters == 0) return;
    Pack largest;
    kernels_.loops_of_states(m_, q, v, largest, w);
    keep_larger(largest, largest_);
  }
  void close(Pack* q, WorkspaceData<Pack>& w) {
    if (m_.varying_clusters == 0) return;
    Pack largest, gap;
    kernels_.close_loops_of_states(m_, q, largest, gap, w);
    keep_larger(largest, largest_), keep_larger(gap, gap_);
  }
  // No number counts as large.
  static void keep_larger(const Pack& x, Pack& to) {
    for (int l = 0; l < W; ++l)
      if (!(x[l] <= to[l])) to[l] = x[l];
  }
  void scatter(const List& from, List& to) const {
    std::fill(to.begin(), to.end(), Pack(0));
    for (int j = 0; j < m_.ny; ++j) to[index(m_.independent[j])] = from[index(j)];
  }

  const ModelData& m_;
  const PackKernels<N, W>& kernels_;
  Numbers tree_;
  List room_;
  Pack largest_{}, gap_{};  // of this call: the largest entry of G, and loop that stays open
};

}  // namespace tenon
