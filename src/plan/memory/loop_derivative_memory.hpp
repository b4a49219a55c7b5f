// Memory of derivatives on models with embedded loops, beside that of trees (kernel_memory.hpp).
#pragma once

#include "data/constraint_data.hpp"
#include "data/workspace_data.hpp"
#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "plan/memory_block.hpp"

namespace tenon {

struct LoopDerivativeMemory : Memory {
  // independent: of the tree of independent coordinates.
  LoopDerivativeMemory(const ModelData& m, const PathTables& independent);

  // The geometric loops as closures, numbered as loop rows; the rows of couplings belong to no item.
  ConstraintData rows{};
  RowDerivativeData<double> of_velocities{}, of_accelerations{};
  DerivativeData<double> columns{};  // of solves in independent coordinates
  double *Q, *R;                     // K_d = Q R of the clusters, in blocks as those of loop_K
  double *mu, *b, *ds;               // loop rows: forces, multipliers, changes
  double *turning, *theta;           // as in RowDerivativeData
  double* numbers[6];                // whole packs of coordinates
  double* h;                         // whole packs of coordinates, of whole eights of columns
};

}  // namespace tenon
