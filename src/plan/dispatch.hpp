// Chooses the compiled kernels that a workspace runs.
#pragma once

#include "kernels/branches/branch_data.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/pack/derivative_pack_table.hpp"
#include "kernels/pack/pack_table.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// The instruction set meant by `automatic`: the best that this machine and this build support, or the one
// that the environment variable TENON_INSTRUCTION_SET names. Others are returned as they are. Throws
// Status::unsupported for one that is not supported here.
Instructions resolve(Instructions instructions);

// The name of the best that this machine and this build support.
const char* best_instructions();

// The table of an instruction set for one state; null if this machine or this build does not support it.
// That for x86_64_v4 is that for x86_64_v3 but for the derivatives, which alone gain from wider lanes.
const KernelTable<double>* kernels_of(Instructions instructions);

// The table for packs of W states; null if this build or this machine has none of that width.
template <class N, int W>
const PackKernels<N, W>* pack_kernels_of(Instructions instructions);
template <class N, int W>
const PackDerivativeKernels<N, W>* pack_derivative_kernels_of(Instructions instructions);

// The kernels for branch lanes; null if this build or this machine has none.
const BranchKernels<branch_width>* branch_kernels_of(Instructions instructions);

}  // namespace tenon
