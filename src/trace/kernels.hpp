// The kernels for recorders.
#pragma once

#include "kernels/kernel_table.hpp"
#include "scalar/recorded.hpp"

namespace tenon::trace {

const KernelTable<Recorded>& recorded_kernels();

}  // namespace tenon::trace
