// Chooses the compiled kernels that a workspace runs.
#pragma once

#include "kernels/kernel_table.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// The table of an instruction set; null if this machine or this build does not support it.
const KernelTable<double>* kernels_of(Instructions instructions);

}  // namespace tenon
