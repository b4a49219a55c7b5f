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
  double* h;  // whole packs of coordinates, of whole eights of columns; room for a matrix
  // Where the G of loops varies, row-major matrices of loop rows: ds/dq, ds/dv, d(K v)/dq; and of coordinates: how they move
  // along with q, and with q and v, to keep loops closed.
  double *s_q = nullptr, *s_v = nullptr, *velocity_q = nullptr;
  double *turned = nullptr, *h_q = nullptr, *h_v = nullptr;
};

}  // namespace tenon
