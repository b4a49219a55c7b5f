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

// Columns or rows of matrices by q, v and x that leave at once, and where they are filled: as many as stay in the nearest cache with
// what they are made of.
template <class T>
struct PackedLines {
  MatrixOrder order;
  int most_lines, most_columns;  // of inverse dynamics, of forward dynamics
  T* room[3];
  bool is_wanted[3];  // of this call, as the order
  bool of_inverse;    // of this call: of inverse dynamics, else of forward dynamics

  int at_once() const { return of_inverse ? most_lines : most_columns; }
  // Of which matrix, in rows, columns are computed. M^-1 is symmetric.
  bool are_across(int i) const { return !of_inverse && order == MatrixOrder::rows && i < 2; }
  T* wanted(int i) const { return is_wanted[i] ? room[i] : nullptr; }
  // Between numbers of lines of the user's, one after the other; and between lines.
  std::ptrdiff_t stride(const BatchArray& out) const {
    return order == MatrixOrder::columns ? out.record_stride : out.number_stride;
  }
  // False: the numbers of neither columns nor rows are side by side, of all matrices that the call wants.
  bool take_layout(const BatchCall& call) {
    bool columns = true, rows = true;
    for (int i = 0; i < 3; ++i) {
      const BatchArray& out = call.out[1 + i];
      is_wanted[i] = out.data != nullptr;
      columns = columns && (!out.data || out.number_stride == 1);
      rows = rows && (!out.data || out.record_stride == 1);
    }
    of_inverse = call.of_inverse_dynamics();
    order = columns ? MatrixOrder::columns : MatrixOrder::rows;
    return columns || rows;
  }
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
  PackedLines<Pack> lines{};
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
  void prepare_lines();
  void prepare_matrices();
  void prepare_products();
  void prepare_matrices_with_rows(std::size_t rows);
  void prepare_closed_matrices();

  WorkspaceImpl& single_;
  const std::size_t nq_, nv_, nodes_;
  Memory products_, lines_, matrices_, of_rows_, row_matrices_, of_loops_, closed_;
  std::vector<std::int32_t> related_;
  SolvedSpaceTables spaces_[3];  // of trees, and closed, of spanning and of independent coordinates
};

}  // namespace tenon
