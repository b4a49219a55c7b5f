// The kernels for recorders.
#pragma once

#include "kernels/kernel_table.hpp"
#include "trace/recorded.hpp"

namespace tenon::trace {

// Only those that trace/algorithms.cpp names; the others are null.
const KernelTable<Recorded>& recorded_kernels();

}  // namespace tenon::trace
