// The inputs and results of W states in a pack, and sets of its lanes.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "batch/batch_robots.hpp"
#include "batch/lanes.hpp"
#include "batch/worker.hpp"
#include "kernels/pack/pack_table.hpp"
#include "scalar/index.hpp"
#include "spatial/pack.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

template <int W>
struct LaneMask {
  bool lane[W];

  // The first lane of the set, W if it is empty.
  int first() const { return static_cast<int>(std::find(lane, lane + W, true) - lane); }
  bool all() const { return std::find(lane, lane + W, false) == lane + W; }
};

template <class N, int W>
struct PackNumbers {
  using Pack = tenon::Pack<N, W>;
  using List = std::vector<Pack> PackNumbers::*;

  explicit PackNumbers(const WorkspaceImpl& w) {
    const std::size_t nv = index(w.model->nv), rows = index(w.rows());
    q.resize(index(w.model->nq)), v.resize(nv), tau.resize(nv), qdd.resize(nv);
    wrench.resize(6 * index(w.model->body_count())), desired.resize(rows), second.resize(rows);
    const std::size_t items = rows > 0 ? index(w.cd()->item_count) : 0;
    anchors.resize(12 * items), gains.resize(2 * items), active.resize(rows, Pack(1));
    frames.resize(12 * items), weights.resize(rows), compliance.resize(rows);
    out.resize(std::max(nv, rows));
  }
  // Inputs of lane `to` := those of lane `from` of others.
  void take_lane(const PackNumbers& others, int from, int to) {
    static constexpr List inputs[] = {
        &PackNumbers::q,          &PackNumbers::v,         &PackNumbers::tau,      &PackNumbers::qdd,
        &PackNumbers::B,          &PackNumbers::wrench,    &PackNumbers::desired,  &PackNumbers::anchors,
        &PackNumbers::gains,      &PackNumbers::active,    &PackNumbers::frames,   &PackNumbers::weights,
        &PackNumbers::compliance, &PackNumbers::bodies,    &PackNumbers::armature, &PackNumbers::damping,
        &PackNumbers::dry,        &PackNumbers::gravity,   &PackNumbers::along_q,  &PackNumbers::along_v,
        &PackNumbers::along_x,    &PackNumbers::along_rows};
    take_lists(others, from, to, std::begin(inputs), std::end(inputs));
  }
  void take_results(const PackNumbers& others, int from, int to) {
    static constexpr List results[] = {
        &PackNumbers::out,       &PackNumbers::second,      &PackNumbers::by_q,      &PackNumbers::by_v,
        &PackNumbers::by_x,      &PackNumbers::by_rows,     &PackNumbers::rows_by_q, &PackNumbers::rows_by_v,
        &PackNumbers::rows_by_x, &PackNumbers::rows_by_rows};
    take_lists(others, from, to, std::begin(results), std::end(results));
    for (std::size_t i = 0; i < parameter_kinds; ++i)
      take_list(others.by_parameters[i], from, to, by_parameters[i]);
  }
  // For matrices; grows at the first call that needs more.
  void make_room(const BatchCall& call, std::size_t inputs, std::size_t results) {
    grow(list_of_x(call), inputs);
    grow(out, results);
  }
  // Of derivatives, `results` numbers each, from `along` numbers.
  void make_room(std::size_t results, std::size_t along) {
    for (std::vector<Pack>* x : {&along_q, &along_v, &along_x}) grow(*x, along);
    for (std::vector<Pack>* x : {&by_q, &by_v, &by_x}) grow(*x, results);
    for (std::vector<Pack>* x : {&along_rows, &by_rows}) grow(*x, desired.size());
    grow(out, q.size()), grow(second, v.size());  // the end of a step
  }
  // Of matrices with rows.
  void make_room_for_rows() {
    const std::size_t rows = desired.size();
    for (std::vector<Pack>* x : {&by_rows, &rows_by_q, &rows_by_v, &rows_by_x}) grow(*x, rows * v.size());
    grow(rows_by_rows, rows * rows);
  }
  // Of derivatives by the parameters that the call asks for, so many of each kind.
  void make_room(const BatchCall& call, const std::size_t (&counts)[parameter_kinds]) {
    for (std::size_t i = 0; i < parameter_kinds; ++i)
      if (call.derivatives.by_parameters[i].data) grow(by_parameters[i], counts[i]);
  }
  void make_room(const BatchRobots& robots) {
    if (robots.own_bodies) grow(bodies, robots.bodies.count), grow(armature, robots.armature.count);
    if (robots.own_gravity) grow(gravity, 3);
    if (!robots.own_friction) return;
    for (std::vector<Pack>* x : {&damping, &dry, &applied}) grow(*x, robots.damping.count);
  }
  // Where the numbers of BatchCall::x go.
  std::vector<Pack>& list_of_x(const BatchCall& call) {
    if (call.of_inverse_dynamics() || call.of_kinematics()) return qdd;
    return call.function == BatchFunction::damped_product ? B : tau;
  }
  // Where the call has none, wrenches and desired accelerations are null.
  Inputs<Pack> inputs(const BatchCall& call) const {
    return {q.data(),
            v.data(),
            tau.data(),
            call.wrenches.data ? wrench.data() : nullptr,
            call.desired.data ? desired.data() : nullptr,
            qdd.data()};
  }
  std::size_t bytes() const {
    return bytes_of(q, v, tau, qdd, B, wrench, desired, anchors, gains, active, frames, weights, compliance,
                    out, second, bodies, armature, damping, dry, gravity, applied, along_q, along_v, along_x,
                    along_rows, by_q, by_v, by_x, by_rows, rows_by_q, rows_by_v, rows_by_x, rows_by_rows,
                    by_parameters[0], by_parameters[1], by_parameters[2], by_parameters[3], by_parameters[4],
                    by_parameters[5]);
  }

  std::vector<Pack> q, v, tau, qdd, wrench, desired, out, second;  // desired: of impacts restitution
  std::vector<Pack> B;                                             // right-hand sides, of damped products
  std::vector<Pack> anchors, gains, active, frames, weights,
      compliance;  // of the set that is swept (RowSettingsOf)
  std::vector<Pack> bodies, armature, damping, dry,
      gravity;                // of robots of their own (BatchRobots); else empty
  std::vector<Pack> applied;  // tau less the friction of joints
  std::vector<Pack> along_q, along_v, along_x, along_rows, by_q, by_v, by_x, by_rows;  // of derivatives
  std::vector<Pack> rows_by_q, rows_by_v, rows_by_x, rows_by_rows;  // matrices of multipliers
  std::vector<Pack> by_parameters[parameter_kinds];                 // by loads: of whole robots alone

 private:
  // One list is longer after a call that had no memory to let the other grow; what a call uses is in both.
  TENON_NOINLINE void take_lists(const PackNumbers& others, int from, int to, const List* first,
                                 const List* end) {
    for (; first != end; ++first) take_list(others.**first, from, to, this->**first);
  }
  static void take_list(const std::vector<Pack>& x, int from, int to, std::vector<Pack>& y) {
    copy_lane(lane_of(x, from), std::min(x.size(), y.size()), lane_of(y, to), W);
  }
};

// Lanes in which some number is none, as kernels find them (kernels/pack/pack_table.hpp).
template <class Io, int W>
struct LanesBeyond {
  Pack<Io, W> bits = Pack<Io, W>(0);

  void leave_others(LaneMask<W>& mask) const {
    typename Pack<Io, W>::Integer of_lane[W];
    std::memcpy(of_lane, &bits, sizeof of_lane);
    for (int l = 0; l < W; ++l) mask.lane[l] = mask.lane[l] && of_lane[l] == 0;
  }
};

// Numbers in packs alone, which kernels look at.
template <class Io, class N, int W>
StateList<Io, Pack<N, W>> checked_list(const Pack<N, W>* x, std::size_t count) {
  return {nullptr, 0, static_cast<std::ptrdiff_t>(count), const_cast<Pack<N, W>*>(x), 0};
}
// Adds the lanes in which some number is not finite, as numbers of type Io, or beyond `largest`.
template <class Io, class N, int W>
void find_beyond(const PackKernels<N, W>& kernels, const Pack<N, W>* x, std::size_t count,
                 LanesBeyond<Io, W>& beyond, Io largest = std::numeric_limits<Io>::max()) {
  const auto list = checked_list<Io>(x, count);
  kernels.template exchange_of<Io>().find_beyond(&list, 1, largest, &beyond.bits);
}
// Leaves the other lanes of the mask.
template <class Io, class N, int W>
void keep_finite(const PackKernels<N, W>& kernels, const Pack<N, W>* x, std::size_t count, LaneMask<W>& mask,
                 Io largest = std::numeric_limits<Io>::max()) {
  LanesBeyond<Io, W> beyond;
  find_beyond(kernels, x, count, beyond, largest);
  beyond.leave_others(mask);
}

}  // namespace tenon

// Instantiates a template, `template class Name`, for the packs that this build has kernels for.
#if defined(TENON_DISPATCH_X86)
#define TENON_FOR_ALL_PACKS(name) \
  name<double, 8>;                \
  name<double, 4>;                \
  name<float, 16>;                \
  name<float, 8>;
#elif defined(TENON_BASELINE_PACKS)
#define TENON_FOR_ALL_PACKS(name) \
  name<double, 2>;                \
  name<float, 4>;
#else
#define TENON_FOR_ALL_PACKS(name)
#endif
