#include "plan/memory/pv_early_memory.hpp"

#include <algorithm>
#include <cmath>

#include "scalar/index.hpp"
#include "scalar/recorded.hpp"

namespace tenon {
namespace {

// Compliance relative to the row's Delassus diagonal from which a row is a spring on its own link: a stiffer
// spring would exceed the link's inertia by far.
constexpr double soft_enough = 1e-2;

}  // namespace

template <class T>
PvEarlyMemory<T>::PvEarlyMemory(const ModelData& m, const ConstraintData* constraints) {
  if (!constraints || constraints->row_count == 0) return;
  const ConstraintData& c = *constraints;
  find_nodes(m, c);
  // A plan for rows without compliance has the most joins and squeezes.
  const std::size_t rows = index(c.row_count);
  compliance_.assign(rows, T(0));
  for (std::vector<std::int32_t>* x : {&hard_rows_, &soft_rows_}) x->reserve(rows);
  sort_rows(c, std::vector<double>(rows, 0).data());
  plan_joins();
  sets_.resize(nodes_.size());
  passed_.resize(nodes_.size());
  lambda_out_.assign(early_max * nodes_.size(), T(0));
  joined_.resize(joins_.size());
  columns_.resize(index(m.nv));
  squeezes_.resize(index(squeeze_count_));
  data.node_count = count_of(nodes_);
  data.world_rows = c.node_row_first[0];
  data.nodes = nodes_.data();
  data.joins = joins_.data();
  data.hard_rows = hard_rows_.data();
  data.soft_rows = soft_rows_.data();
  data.compliance = compliance_.data();
  data.sets = sets_.data();
  data.passed = passed_.data();
  data.joined = joined_.data();
  data.columns = columns_.data();
  data.squeezes = squeezes_.data();
  data.lambda_out = lambda_out_.data();
  // To unit Delassus diagonal, which keeps rounding errors small.
  row_scale_.resize(rows);
  std::copy_n(c.per_root_scale, rows, row_scale_.begin());
  data.row_scale = row_scale_.data();
  update_rows(c);
}

template <class T>
void PvEarlyMemory<T>::update_rows(const ConstraintData& c) {
  if (c.row_count == 0) return;
  std::copy_n(c.compliance, c.row_count, compliance_.begin());
  sort_rows(c, c.compliance);
  plan_joins();
}

template <class T>
void PvEarlyMemory<T>::find_nodes(const ModelData& m, const ConstraintData& c) {
  std::vector<std::int32_t> place(index(m.node_count), -1);
  for (std::int32_t s = c.support_count - 1; s >= 0; --s) {
    place[index(c.support[s])] = count_of(nodes_);
    nodes_.push_back({c.support[s], -1, 0, 0, -1, 0, 0, -1});
  }
  for (EarlyNode& e : nodes_) {
    const std::int32_t parent = m.nodes[e.node].parent;
    e.parent = parent < 0 ? -1 : place[index(parent)];
  }
  most_.resize(nodes_.size());
}

template <class T>
void PvEarlyMemory<T>::sort_rows(const ConstraintData& c, const double* compliance) {
  for (std::vector<std::int32_t>* x : {&hard_rows_, &soft_rows_, &hard_begin_}) x->clear();
  for (EarlyNode& e : nodes_) {
    hard_begin_.push_back(count_of(hard_rows_));
    e.soft_begin = count_of(soft_rows_);
    for (std::int32_t r = c.node_row_first[e.node]; r < c.node_row_first[e.node + 1]; ++r) {
      const bool soft = compliance[r] >= soft_enough * c.scale[r];
      (soft ? soft_rows_ : hard_rows_).push_back(r);
    }
    e.soft_end = count_of(soft_rows_);
  }
  hard_begin_.push_back(count_of(hard_rows_));
}

// Children first, in the order of the sweep, then the rows on the node itself, six at a time. A squeeze is
// planned wherever more than six rows would meet if no joint carried any.
template <class T>
void PvEarlyMemory<T>::plan_joins() {
  joins_.clear();
  squeeze_count_ = 0;
  std::fill(most_.begin(), most_.end(), 0);
  for (std::size_t p = 0; p < nodes_.size(); ++p) {
    EarlyNode& e = nodes_[p];
    e.join_begin = count_of(joins_);
    std::int32_t& rows = most_[p];
    const auto add = [&](std::int32_t child, std::int32_t begin, std::int32_t count) {
      const bool squeeze = rows + count > early_max;
      joins_.push_back({child, begin, child < 0 ? count : 0, squeeze ? squeeze_count_++ : -1});
      rows = std::min(rows + count, early_max);
    };
    for (std::size_t child = 0; child < p; ++child) {
      if (nodes_[child].parent != static_cast<std::int32_t>(p)) continue;
      nodes_[child].up_join = count_of(joins_);
      add(static_cast<std::int32_t>(child), 0, most_[child]);
    }
    for (std::int32_t r = hard_begin_[p]; r < hard_begin_[p + 1]; r += early_max)
      add(-1, r, std::min(early_max, hard_begin_[p + 1] - r));
    e.join_end = count_of(joins_);
    if (e.parent < 0) e.root_squeeze = squeeze_count_++;
  }
}

template <class T>
std::size_t PvEarlyMemory<T>::bytes() const {
  return bytes_of(nodes_, joins_, hard_rows_, soft_rows_, hard_begin_, row_scale_, compliance_, lambda_out_,
                  sets_, passed_, joined_, columns_, squeezes_, most_);
}

template class PvEarlyMemory<double>;
template class PvEarlyMemory<trace::Recorded>;

}  // namespace tenon
