// Which of the compiled kernels a workspace runs.
#pragma once

#include "kernels/kernel_table.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// The table of an instruction set; null where the machine, or this build, does not have it.
const KernelTable<double>* kernels_of(Instructions instructions);

}  // namespace tenon
