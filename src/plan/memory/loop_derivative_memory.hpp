// Memory of derivatives on models with embedded loops, beside that of trees (kernel_memory.hpp).
#pragma once

#include "data/constraint_data.hpp"
#include "data/workspace_data.hpp"
#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "plan/memory_block.hpp"

namespace tenon {

struct LoopDerivativeMemory : Memory, LoopDerivativeData<double> {
  // independent: of the tree of independent coordinates.
  LoopDerivativeMemory(const ModelData& m, const PathTables& independent);

  DerivativeData<double> columns{};  // of solves in independent coordinates
  double* numbers[4];                // whole packs of coordinates
  double* h;                         // whole packs of coordinates, of whole eights of columns
  LoopMatrixData<double> matrices{};
};

}  // namespace tenon
