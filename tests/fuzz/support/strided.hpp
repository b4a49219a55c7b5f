// Arrays of a batch: numbers of states and records with strides of any size and sign, in memory that ends where the
// last of them does.
#pragma once

#include "support/caller.hpp"

namespace tenon::fuzz {

template <class Real>
class Strided {
 public:
  static constexpr Real nothing = static_cast<Real>(-5.25e-31);

  // Of what is read, strides may be 0.
  Strided(Input& in, std::size_t count, std::size_t states, std::size_t records, bool written)
      : count_(count), states_(states), records_(records) {
    // Nested in one of six orders, with gaps.
    const std::size_t lengths[3] = {count, states, records};
    constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int(&order)[3] = orders[in.below(6)];
    std::ptrdiff_t span = 1;
    for (const int k : order) {
      strides_[k] = span + (in.once_in(4) ? in.below(5) : 0);
      span = strides_[k] * static_cast<std::ptrdiff_t>(lengths[k] > 0 ? lengths[k] : 1);
      if (in.once_in(4)) strides_[k] = -strides_[k];
      if (!written && in.once_in(8)) strides_[k] = 0;
    }
    if (records == 1 && !in.once_in(8)) strides_[2] = 0;
    std::ptrdiff_t least = 0, most = 0;
    for (int k = 0; k < 3; ++k) {
      const std::ptrdiff_t reach =
          strides_[k] * static_cast<std::ptrdiff_t>(lengths[k] > 0 ? lengths[k] - 1 : 0);
      (reach < 0 ? least : most) += reach;
    }
    size_ = count * states * records == 0 ? 0 : static_cast<std::size_t>(most - least + 1);
    memory_ = exact<Real>(size_);
    first_ = -least;
    for (std::size_t i = 0; i < size_; ++i) memory_[i] = nothing;
    tenon_batch_array_init(&array_, sizeof array_);
    array_.data = memory_.get(), array_.size = size_, array_.first = static_cast<std::size_t>(first_);
    array_.count = count;
    array_.number_stride = strides_[0], array_.state_stride = strides_[1], array_.record_stride = strides_[2];
  }

  const tenon_batch_array* array() const { return &array_; }
  tenon_batch_array& changed() { return array_; }
  std::size_t count() const { return count_; }
  std::size_t records() const { return records_; }
  std::size_t size() const { return size_; }
  Real& at(std::size_t number, std::size_t state, std::size_t record = 0) {
    return memory_[static_cast<std::size_t>(first_ + strides_[0] * static_cast<std::ptrdiff_t>(number) +
                                            strides_[1] * static_cast<std::ptrdiff_t>(state) +
                                            strides_[2] * static_cast<std::ptrdiff_t>(record))];
  }
  static bool is_nothing(Real x) {
    const Real none = nothing;
    return std::memcmp(&x, &none, sizeof x) == 0;
  }
  // Numbers that a call adds to: what stands in all of them.
  void begin_with(Real x) {
    start_ = x, added_ = true;
    for (std::size_t s = 0; s < states_; ++s)
      for (std::size_t k = 0; k < count_ * records_; ++k) at(k % count_, s, k / count_) = x;
  }
  bool added() const { return added_; }
  Real start() const { return start_; }
  bool is_start(Real x) const { return std::memcmp(&x, &start_, sizeof x) == 0; }
  // Of all memory, how many numbers are written.
  std::size_t written() const {
    std::size_t all = 0;
    for (std::size_t i = 0; i < size_; ++i) all += !is_nothing(memory_[i]);
    return all;
  }

 private:
  std::size_t count_, states_, records_, size_ = 0;
  std::ptrdiff_t strides_[3] = {}, first_ = 0;
  Real start_ = nothing;
  bool added_ = false;
  Exact<Real> memory_;
  tenon_batch_array array_ = {};
};

}  // namespace tenon::fuzz
