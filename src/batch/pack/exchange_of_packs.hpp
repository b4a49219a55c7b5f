// What packs take from the arrays of a call and give to them: members of PackWorker, for pack_worker.cpp alone. Which lists
// these are is found once a call, because for small robots that costs as much as their dynamics.
#pragma once

#include <algorithm>
#include <utility>

#include "batch/pack/pack_worker.hpp"
#include "scalar/index.hpp"

namespace tenon {

template <class Io, class N, int W>
void PackWorker<Io, N, W>::gather(const BatchArray& a, const InLanes& states, std::size_t count, Pack* to,
                                  Beyond& beyond, std::size_t record) {
  if (!a.data) return;
  if (a.number_stride == 1) {
    const List list = list_of(a, count, to, record);
    return kernels_.template exchange_of<Io>().gather_states(&list, 1, states.state, &beyond.bits);
  }
  for (int l = 0; l < W; ++l) {
    const Io* const from = place(a, states.state[l], record);
    for (std::size_t i = 0; i < count; ++i)
      to[i][l] = static_cast<N>(from[static_cast<std::ptrdiff_t>(i) * a.number_stride]);
  }
  find_beyond(kernels_, to, count, beyond);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::list_inputs(const BatchCall& call) {
  const BatchSizes& n = this->sizes_;
  given_.clear(), given_apart_.clear();
  const auto take = [&](const BatchArray& a, std::size_t count, std::vector<Pack>& to) {
    if (!a.data) return;
    if (a.number_stride == 1)
      given_.push_back(list_of(a, count, to.data()));
    else
      given_apart_.push_back({a, count, to.data()});
  };
  take(call.q, n.q, numbers_.q), take(call.v, n.v, numbers_.v);
  take(call.of_impacts() ? call.restitution : call.desired, n.rows, numbers_.desired);
  if (call.rolls()) return;  // step by step
  take(call.x, n.x, numbers_.list_of_x(call));
  take(call.derivatives.along_q, n.along, numbers_.along_q);
  take(call.derivatives.along_v, n.along, numbers_.along_v);
  take(call.derivatives.along_x, n.along, numbers_.along_x);
  take(call.derivatives.along_rows, n.rows, numbers_.along_rows);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::scatter(const Pack* from, std::size_t count, const BatchArray& a,
                                   const InLanes& states, const Mask& mask, std::size_t record) const {
  if (!a.data) return;
  if (a.number_stride == 1 && mask.all()) {
    const List list = written_list(a, count, from, record);
    return kernels_.template exchange_of<Io>().scatter_states(&list, 1, states.state);
  }
  // In blocks, so that each cache line is visited once.
  constexpr std::size_t block = 8;
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t end = std::min(begin + block, count);
    for (int l = 0; l < W; ++l) {
      if (!mask.lane[l]) continue;
      Io* to = place(a, states.state[l], record);
      for (std::size_t i = begin; i < end; ++i)
        to[static_cast<std::ptrdiff_t>(i) * a.number_stride] = static_cast<Io>(from[i][l]);
    }
  }
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::add_result(std::vector<Pack>& numbers, const BatchArray& array, std::size_t count,
                                      std::size_t records, bool adds, std::size_t at) {
  if (count * records == 0) return;
  const auto length = static_cast<std::ptrdiff_t>(count);
  Result x = {numbers.data() + at, array, count, records, false, adds};
  checked_.push_back(checked_list<Io>(x.packs, count * records));
  if (!array.data) return;
  x.rows = records > 1 && records == count && array.number_stride == length && array.record_stride == 1;
  if (x.rows) x.array.number_stride = 1;
  if (x.rows || records == 1 || array.record_stride == length * array.number_stride)  // columns likewise
    x.count = records * count, x.records = 1;
  if (x.rows || adds) changed_.push_back(x);
  if (x.records == 1 && x.array.number_stride == 1)
    written_.push_back(written_list(x.array, x.count, x.packs));
  else
    apart_.push_back(x);
  results_.push_back(x);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::list_results(const BatchCall& call) {
  const BatchSizes& n = this->sizes_;
  PackNumbers<N, W>& x = numbers_;
  for (auto* list : {&results_, &changed_, &apart_}) list->clear();
  for (auto* list : {&checked_, &written_}) list->clear();
  values_ = all_ = {};
  if (call.rolls()) return;  // record by record
  const bool derived = call.differentiates();
  if (!call.of_kinematics()) {
    const std::size_t second = derived ? 4 : 1;
    add_result(x.out, call.out[0], n.out[0], 1, false);
    add_result(x.second, call.out[second], n.out[second], 1, false);
  }
  values_ = all_ = listed();
  if (!derived) return;
  const auto add = [&](std::vector<Pack>& numbers, const BatchArray& array, std::size_t count,
                       std::size_t records, std::size_t at = 0) {
    if (array.data) add_result(numbers, array, count, records, call.derivatives.accumulate, at);
  };
  std::vector<Pack>* const lists[] = {&x.by_q, &x.by_v, &x.by_x};
  for (std::size_t i = 0; i < 3; ++i) add(*lists[i], call.out[1 + i], n.by, n.columns);
  for (int i = 0; call.of_whole_robots() && i < centroidal_parts; ++i)
    add(x.by_q, call.centroidal.changes[i], index(centroidal_size[i]), 1, index(centroidal_at[i]));
  if (call.of_matrices()) {
    add(x.by_rows, call.out[5], n.v, n.rows);
    std::vector<Pack>* const of_rows[] = {&x.rows_by_q, &x.rows_by_v, &x.rows_by_x};
    for (std::size_t i = 0; i < 3; ++i) add(*of_rows[i], call.out[6 + i], n.rows, n.v);
    add(x.rows_by_rows, call.out[9], n.rows, n.rows);
  } else {
    add(x.by_rows, call.out[5], n.out[5], 1);
  }
  for (std::size_t i = 0; call.derivatives.form == DerivativeForm::parameter_vjp && i < parameter_kinds; ++i)
    add(x.by_parameters[i], call.derivatives.by_parameters[i], n.parameters[i], 1);
  all_ = listed();
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::change_result(const Result& x, const InLanes& states, Beyond& beyond) {
  const std::size_t numbers = x.count * x.records;
  if (x.rows) {
    std::size_t n = 1;
    while (n * n < numbers) ++n;
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = 0; r < c; ++r) std::swap(x.packs[c * n + r], x.packs[r * n + c]);
  }
  for (std::size_t r = 0; x.adds && r < x.records; ++r) {
    gather(x.array, states, x.count, held_.data(), beyond, r);
    const N* const held = lane_of(held_, 0);
    N* const sum = reinterpret_cast<N*>(x.packs + r * x.count);
    for (std::size_t e = 0; e < x.count * W; ++e) sum[e] += held[e];
  }
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::give_results(const BatchCall& call, const InLanes& states, Mask& good) {
  const auto& exchange = kernels_.template exchange_of<Io>();
  const PackedLines<Pack>* const lines =
      call.differentiates() ? dynamics_.derivatives().lines() : nullptr;  // else those of an earlier call
  const Listed& n = lines ? values_ : all_;
  Beyond beyond;
  for (std::size_t i = 0; i < n.changed; ++i) change_result(changed_[i], states, beyond);
  exchange.find_beyond(checked_.data(), n.checked, std::numeric_limits<Io>::max(), &beyond.bits);
  beyond.leave_others(good);
  if (lines) finish_lines(call, *lines, states, good);
  const bool all = good.all();
  if (all) exchange.scatter_states(written_.data(), n.written, states.state);
  const Result* const first = all ? apart_.data() : results_.data();
  for (const Result* x = first; x != first + (all ? n.apart : n.results); ++x)
    for (std::size_t r = 0; r < x->records; ++r)
      scatter(x->packs + r * x->count, x->count, x->array, states, good, r);
}

}  // namespace tenon
