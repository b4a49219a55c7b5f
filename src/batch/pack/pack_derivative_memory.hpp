// The memory of derivatives of packs (pack_derivatives.hpp), made by the first call of each kind.
#pragma once

#include <vector>

#include "kernels/pack/derivative_pack_table.hpp"
#include "plan/memory_block.hpp"
#include "state/workspace_impl.hpp"
#include "tenon/batch.hpp"

namespace tenon {

// The tables of a SolvedSpace. closed: of independent coordinates of embedded loops, else of those of the tree; independent: those
// are the user's too.
class SolvedSpaceTables {
 public:
  // c: null without rows; always the same one.
  SolvedSpace space(const ModelData& m, bool closed, bool independent, const ConstraintData* c);
  std::size_t bytes() const { return bytes_of(parent_, subtree_end_, row_of_, last_row_, first_, end_); }

 private:
  std::vector<std::int32_t> parent_, subtree_end_, row_of_, last_row_, first_, end_;
};

template <class N, int W>
class PackDerivativeMemory {
 public:
  using Pack = tenon::Pack<N, W>;

  // single: of the same model m.
  PackDerivativeMemory(WorkspaceImpl& single, const ModelData& m);
  // c: null without rows; with_loops: those that turn take part; closes: matrices of embedded loops, in independent velocities
  // or not.
  void prepare(const BatchCall& call, const ConstraintData* c, bool with_loops, bool closes,
               bool independent);
  std::size_t bytes() const;

  PackedDerivatives<Pack> data{};
  PackedRowDerivatives<Pack> rows{};
  PackedLoops<Pack> loops{};
  PackedLoopMatrices<Pack> closed{};
  std::vector<Pack> torques;                 // that forward dynamics does not give
  std::vector<Pack> path_q, path_v, path_u;  // of steps (calls/derivatives/step_tangents.hpp)
  std::vector<Pack> step[17], zeros;
  // Of impacts (pack_impacts.hpp): d, 1 + e of rows, products of one with J v, and its changes or matrix; nv or rows each.
  struct OfImpacts {
    std::vector<Pack> zeros, change, rebound, by_q, by_v, by_x, of_v;
    Pack weightless[3] = {};
  } of_impacts;

 private:
  void prepare_rows(std::size_t rows);
  void prepare_loops();
  void prepare_steps(const BatchCall& call);
  void prepare_impacts(std::size_t rows, bool matrices);
  void prepare_matrices();
  void prepare_products();
  void prepare_matrices_with_rows(std::size_t rows);
  void prepare_closed_matrices();

  WorkspaceImpl& single_;
  const std::size_t nq_, nv_, nodes_;
  Memory products_, matrices_, of_rows_, row_matrices_, of_loops_, closed_;
  std::vector<std::int32_t> related_;
  SolvedSpaceTables spaces_[3];  // of trees, and closed, of spanning and of independent coordinates
};

}  // namespace tenon
