// The way backward through a rollout, the same for one state and for a pack of states: which states are kept, which steps
// are taken again, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "tenon/batch.hpp"

namespace tenon {

// States at the beginnings of all records, then of the steps of one record. T: double or a pack. The memory is of bytes,
// because those of a pack and of the single states that it leaves take turns in it.
template <class T>
class KeptStates {
 public:
  // `present`: the present state, of which keep() reads and which go_to() writes.
  KeptStates(std::vector<char>& memory, std::vector<T>& present_q, std::size_t nq, std::vector<T>& present_v,
             std::size_t nv)
      : memory_(memory.data()), q_(present_q.data()), v_(present_v.data()), nq_(nq), nv_(nv) {}

  // Throws std::bad_alloc.
  static std::size_t bytes(const BatchCall& call, std::size_t nq, std::size_t nv) {
    const std::size_t records = call.records(), one = (nq + nv) * sizeof(T);
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
    if (records == 0 || nv == 0) return 0;
    if (records > most / 2 || call.every > most / 2 || records + call.every > most / one)
      throw std::bad_alloc();
    return (records + call.every) * one;
  }
  // Where a step of the way forward begins.
  void keep_before(const BatchCall& call, std::size_t step) const {
    const std::size_t records = call.records();
    if (step >= records * call.every) return;
    if (step % call.every == 0) keep(step / call.every);
    keep(records + step % call.every);
  }
  void keep(std::size_t place) const {
    if (nv_ == 0) return;
    std::memcpy(at(place), q_, nq_ * sizeof(T));
    std::memcpy(at(place) + nq_ * sizeof(T), v_, nv_ * sizeof(T));
  }
  void go_to(std::size_t place) const {
    if (nv_ == 0) return;
    std::memcpy(static_cast<void*>(q_), at(place), nq_ * sizeof(T));
    std::memcpy(static_cast<void*>(v_), at(place) + nq_ * sizeof(T), nv_ * sizeof(T));
  }

 private:
  char* at(std::size_t place) const { return memory_ + place * (nq_ + nv_) * sizeof(T); }

  char* memory_;
  T *q_, *v_;
  std::size_t nq_, nv_;
};

// After the way forward, with kept.keep_before() of each step. add(record): adds the gradient by the state of the record.
// advance(step): takes this step again. back(step): goes from gradients by the end of the step to those by its beginning,
// where the present state is. Each gives a Status, of which a negative one ends the way.
template <class T, class Add, class Advance, class Back>
Status go_back(const BatchCall& call, const KeptStates<T>& kept, const Add& add, const Advance& advance,
               const Back& back) {
  const auto failed = [](Status status) { return static_cast<std::int32_t>(status) < 0; };
  const std::size_t records = call.records(), every = call.every;
  for (std::size_t record = records; record-- > 0;) {
    if (const Status status = add(record); failed(status)) return status;
    const std::size_t first = record * every;
    const bool again = record + 1 < records;  // the steps of the last are still kept
    if (again) kept.go_to(record);
    for (std::size_t k = 0; again && k < every; ++k) {
      kept.keep(records + k);
      if (k + 1 == every) break;
      if (const Status status = advance(first + k); failed(status)) return status;
    }
    for (std::size_t k = every; k-- > 0;) {
      kept.go_to(records + k);
      if (const Status status = back(first + k); failed(status)) return status;
    }
  }
  return Status::ok;
}

// From the gradient by torques to those by the state, for a controller whose torques are
// stiffness (q_target - q) + damping (v_target - v). position_of: as JointSprings has it.
template <class T>
void add_feedback_gradients(const std::vector<std::int32_t>& position_of, const std::vector<T>& stiffness,
                            const std::vector<T>& damping, const T* by_tau, T* by_q, T* by_v) {
  const T minus(-1);
  for (std::size_t i = 0; i < position_of.size(); ++i) {
    if (position_of[i] >= 0) by_q[i] = by_q[i] + minus * (stiffness[i] * by_tau[i]);
    by_v[i] = by_v[i] + minus * (damping[i] * by_tau[i]);
  }
}

}  // namespace tenon
