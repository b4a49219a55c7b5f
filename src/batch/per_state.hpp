// Numbers that each state of a batch has of its own: given in an array, and kept.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "tenon/batch.hpp"
#include "tenon/status.hpp"

namespace tenon {

// Numbers of each state, `count` for each; where there is one state only, they are those of all.
struct PerState {
  explicit PerState(std::size_t count_) : count(count_), list(count_) {}

  const double* of(std::size_t state) const { return list.data() + (states == 1 ? 0 : state * count); }
  // The same for packs; as floats after round_to_floats().
  template <class N>
  const N* as(std::size_t state) const {
    const std::size_t first = states == 1 ? 0 : state * count;
    if constexpr (std::is_same_v<N, double>)
      return list.data() + first;
    else
      return floats.data() + first;
  }
  void round_to_floats() { floats.assign(list.begin(), list.end()); }
  // All numbers zero.
  void resize(std::size_t new_states) { list.assign(new_states * count, 0.0), states = new_states; }
  // Room for the numbers of so many states, which commit() takes.
  double* room(std::size_t new_states) {
    next.resize(new_states * count);
    list.reserve(next.size());  // it is the next room
    return next.data();
  }
  void commit() {
    list.swap(next);
    states = count == 0 ? 1 : list.size() / count;
  }

  std::size_t count, states = 1;
  std::vector<double> list, next;
  std::vector<float> floats;
};

// A call has as many states as numbers were set for, or any where one is all; else Status::wrong_size. what: their
// name.
inline Status check_states(const PerState& list, const char* what, const BatchCall& call, char* message,
                           std::size_t message_size) {
  if (list.states == 1 || list.states == call.states) return Status::ok;
  std::snprintf(message, message_size,
                "the %s of this batch are those of %zu states, but this call has %zu; set them for these, or "
                "for one state, which is then every state",
                what, list.states, call.states);
  return Status::wrong_size;
}

// The same for what is read: throws Error.
inline void need_states(const PerState& list, const char* what, std::size_t states) {
  if (list.states == 1 || list.states == states) return;
  throw Error(Status::wrong_size, std::string("the ") + what + " of this batch are those of " +
                                      std::to_string(list.states) + " states, not of " +
                                      std::to_string(states));
}

// Numbers of one state in the array of the user.
class NumbersOfState {
 public:
  NumbersOfState(const BatchArray& a, bool single_precision, std::size_t state)
      : a_(a), single_(single_precision), first_(static_cast<std::ptrdiff_t>(state) * a.state_stride) {}
  double operator[](std::size_t i) const {
    return single_ ? static_cast<double>(static_cast<const float*>(a_.data)[at(i)])
                   : static_cast<const double*>(a_.data)[at(i)];
  }
  void set(std::size_t i, double x) const {
    if (single_)
      static_cast<float*>(a_.data)[at(i)] = static_cast<float>(x);
    else
      static_cast<double*>(a_.data)[at(i)] = x;
  }

 private:
  std::ptrdiff_t at(std::size_t i) const {
    return first_ + static_cast<std::ptrdiff_t>(i) * a_.number_stride;
  }

  const BatchArray& a_;
  bool single_;
  std::ptrdiff_t first_;
};

// Writes `count` numbers of each state, where the array is given; number i is list[place(i)].
template <class Place>
void write_numbers(const PerState& list, std::size_t states, std::size_t count, const BatchArray& to,
                   bool single_precision, const Place& place) {
  for (std::size_t s = 0; to.data && s < states; ++s) {
    const NumbersOfState numbers(to, single_precision, s);
    for (std::size_t i = 0; i < count; ++i) numbers.set(i, list.of(s)[place(i)]);
  }
}
inline void write_numbers(const PerState& list, std::size_t states, const BatchArray& to,
                          bool single_precision) {
  write_numbers(list, states, list.count, to, single_precision, [](std::size_t i) { return i; });
}

}  // namespace tenon
