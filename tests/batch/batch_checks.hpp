// What every batch must do, whatever the robot: give the numbers of single calls, and the same digits for each
// state in every company.
#pragma once

#include "batch/batch_states.hpp"

namespace tenon::testing {

// Each state against a call on a workspace: the same status, and numbers within the tolerance, relative to the
// largest of the state.
template <class N>
void expect_as_single(States<N> s, Instructions here, BatchFunction function, double tolerance);

// The same digits for every order of the states, every number of them and every number of threads. One state gets
// a NaN.
template <class N>
void expect_same_digits(States<N> s, Instructions here, BatchFunction function, std::size_t fewest = 1);

}  // namespace tenon::testing
