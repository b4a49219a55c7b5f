// Tables and memory of pv_osimf: plain arrays (see model/model_data.hpp).
#pragma once

#include <cstdint>

namespace tenon {

// Rows that are coupled with others through the root joint only.
struct PvOsimfBlock {
  std::int32_t row_begin, row_end;
  std::int32_t slot;   // first place in padded vectors; a multiple of four
  std::int32_t begin;  // first number of A, F and N; stride: rows in whole packs
};

struct PvOsimfTables {
  std::int32_t block_count, row_count, world_rows, slot_count;
  std::int32_t stride;
  std::int32_t root_columns;  // velocity coordinates of the root joint; 0: a block a tree, none apart
  const PvOsimfBlock* blocks;
};

// Row arrays and the matrix as in caba_osim_data.hpp: four unused places in front, three behind the rows.
template <class T>
struct PvOsimfData : PvOsimfTables {
  T* damping;  // slots: E
  T* A;        // blocks: dual Hessian L^A below the root joint
  T* F;        // blocks: factor of A + E
  T* N;        // blocks: scratch of the inverse
  T* inv_d;    // slots: 1 / D of the factor
  T* scaled;   // 4 slots: scratch of the factorisation
  T* x;        // slots
  T* Y;        // six arrays of slots: K S L^-T of the root joint, with D = L diag L^T
  T* Z;        // six arrays of slots: (A + E)^-1 Y
  T* C;        // 6 x 6: factor of D + Y^T Z
};

}  // namespace tenon
