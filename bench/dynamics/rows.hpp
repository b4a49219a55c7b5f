// The rows of dynamics_bench, named robot/quantity/library:method, and what registers them.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/fixture.hpp"

namespace bench {

inline void label(benchmark::State& state, const Fixture& fixture, bool constrained) {
  state.counters["n"] = fixture.nv();
  state.counters["m"] = constrained ? fixture.rows() : 0;
}

// One call an iteration, on the next of the states.
template <typename Call>
void cycle(benchmark::State& state, int state_count, Call&& call) {
  int index = 0;
  for (auto _ : state) {
    call(index);
    if (++index == state_count) index = 0;
  }
}

template <typename Call>
benchmark::internal::Benchmark* register_one(const std::string& name, Call&& run) {
  return benchmark::RegisterBenchmark(name.c_str(), std::forward<Call>(run))->Unit(benchmark::kMicrosecond);
}

// A matrix over the rows: how it is computed, and its relative error against the dense method.
struct RowMatrix {
  const char* quantity;
  tenon_status (Fixture::*compute)(int state, int32_t method);
  const std::vector<double>& (Fixture::*get)() const;
  double (Fixture::*error_of)(int state, const std::vector<double>& matrix);
};
inline const RowMatrix delassus = {"delassus", &Fixture::delassus, &Fixture::delassus,
                                   &Fixture::delassus_error_of};
inline const RowMatrix damped_inverse = {"damped_inverse", &Fixture::damped_inverse, &Fixture::inverse,
                                         &Fixture::inverse_error_of};

// The worst error over the first states; run(state) gives the matrix.
template <typename Run>
double worst_error(Fixture& fixture, const RowMatrix& wanted, Run&& run) {
  double error = 0;
  for (int i = 0; i < Fixture::reference_count; ++i) {
    const std::vector<double> matrix = run(i);
    error = std::max(error, (fixture.*wanted.error_of)(i, matrix));
  }
  return error;
}

// peer_rows.cpp: Pinocchio and MuJoCo, one state a call, and Pinocchio's pools.
void register_peers(Fixture& fixture);
void describe_peers();
// batch_rows.cpp: many states a call, in doubles and floats, on one thread and on as many as the machine has.
void register_batches(Fixture& fixture);
void register_loop_batch();
// creation_rows.cpp: how long a workspace takes to make, and its memory.
void register_creation();

}  // namespace bench
