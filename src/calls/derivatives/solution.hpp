// What first derivatives of dynamics with constraint rows, with embedded loops, or with both are taken at, and those by
// parameters of trees too: the solution, its factors, and solves of the linearised equations with them (constrained.cpp).
#pragma once

#include <algorithm>

#include "calls/derivatives/embedded_loops.hpp"
#include "calls/derivatives/outputs.hpp"
#include "model/row_order.hpp"
#include "solve/limbs.hpp"
#include "solve/prox_ltl.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"

namespace tenon {

// The solution, and in the workspace the motion there and, row by row, the gradients of rows.
struct Solution {
  explicit Solution(WorkspaceImpl& w_, bool with_rows_) : w(w_), with_rows(with_rows_), loops(w_) {}

  WorkspaceImpl& w;
  bool with_rows;
  EmbeddedLoops loops;
  Inputs<double> in;
  const double* lambda = nullptr;   // kernels' order, whole packs
  RowFactorData* factor = nullptr;  // of the rows
  bool has_basis = false;           // of the rows, for solves of many columns
  bool rank_may_change = false;
  // Whether derivatives by the state are wanted, which need the forces of loops and how rows turn. Those by parameters do
  // not, so functions of the user may close loops.
  bool by_state = true;
  // Whether how each row changes is wanted: gradients need sums over rows alone, which products make.
  bool row_by_row = true;
  // Whether products by the state alone are wanted: they may go by limbs side by side, which then are not null, and
  // nothing below is there but the solution.
  bool products_alone = false;
  BranchLanes* limbs = nullptr;
  // The same of matrices of stars, in column-major order.
  bool matrices_alone = false;
  BranchLanes* star = nullptr;
  // Whether one right-hand side after the other is solved, each RightSide::full.
  bool one_by_one = false;
  // Where the mass matrix has the factor of chains and not that of paths, with rows: it.
  DerivativeData<double>* chains = nullptr;
  // Of a stage of a step in time: changes and gradients are in the coordinates of the tree, whatever users take, and the
  // state is that of users or one that leaves loops a little open.
  bool of_stage = false, at_users_state = true;
  const char* unit = "m/s^2 or rad/s^2";  // of residuals

  DerivativeMemory& d() const { return made(w.derivatives, d_); }
  RowDerivativeMemory& of_rows() const { return made(w.row_derivatives, of_rows_); }
  DerivativeProducts products() const {
    return {w, loops, loops.some(), in.wrenches, with_rows ? lambda : nullptr};
  }
  // Whether changes and gradients are in independent coordinates.
  bool independent() const { return w.coordinates.independent_v && !of_stage; }
  int n() const { return independent() ? w.model->ny : w.model->nv; }  // of these
  int m() const { return with_rows ? w.rows() : 0; }
  // Derivatives by independent coordinates are by those of the user.
  SplitFor split() const {
    return w.coordinates.independent_v && at_users_state ? SplitFor::users : SplitFor::any;
  }

  // Rows that are not active have no force, whatever their compliance.
  void leave_rows_out(double* y) const {
    for (int r = 0; r < m(); ++r)
      if (w.cd()->active[r] == 0) y[r] = 0;
  }

  // What derivatives of r by the state are: rows between two bodies, and loops, connect limbs.
  RightSide by_state_of_tree() const {
    return loops.some() || w.cd()->inter_body_count > 0 ? RightSide::full : RightSide::tree;
  }

  // Where results of rows go.
  DerivativeBlock block_of_rows(const double* x, int columns, const char* name, const DerivativeOut& to,
                                MatrixOrder order = MatrixOrder::columns) const {
    if (!with_rows) return {x, 0, columns, 0, name, {}};
    const int ld = order == MatrixOrder::rows ? d().ld : of_rows().stride;
    return {x, m(), columns, ld, name, to, w.cd()->user_row, nullptr, order};
  }

  // X, G: right-hand sides and results (kernels/derivatives/row_basis.hpp), of motions in the coordinates of the mass
  // matrix, column-major. G: of rows, not read and not written without these. count: at most the coordinates of the tree, to
  // whole eights, and with RightSide::zero the rows.
  void solve(RightSide right, int count, double sign, double* X, double* G) {
    if (limbs) return solve_column_on_limbs(*limbs, w, X, G);
    if (with_rows && count == 1 && right == RightSide::full) {  // the basis would cost more
      solve_constrained_column(w, joint_space(), *factor, sign, X, G);
      return;
    }
    solve(right, count, sign, {{{X, G, true}, {}}, d().ld, MatrixOrder::columns});
  }
  JointSpace joint_space() const { return joint_space_of(w, chains); }
  // The basis of what rows do, once.
  void place_basis(const JointSpace& s) {
    RowDerivativeMemory& rows = of_rows();
    if (has_basis) return;
    w.kernels->place_row_basis(s.tree, s.rows, *factor, s.chains != nullptr, d().ld, rows.basis, columns(),
                               rows.data, s.w);
    has_basis = true;
  }
  // Responses with rows; only where they pay. Whether they are moderate (kernels/derivatives/row_basis.hpp).
  bool place_responses() {
    const JointSpace s = joint_space();
    place_basis(s);
    const RowDerivativeMemory& rows = of_rows();
    return w.kernels->place_responses(s.tree, *factor, s.chains != nullptr, d().ld, rows.basis,
                                      rows.responses, columns(), s.w);
  }
  // The same of many columns, of two right-hand sides side by side.
  void solve(RightSide right, int count, double sign, const RowRightSides<double>& sides) {
    if (with_rows) {
      const JointSpace s = joint_space();
      place_basis(s);
      const RowDerivativeMemory& rows = of_rows();
      w.kernels->solve_with_row_basis(s.tree, *factor, s.chains != nullptr, right, count, sign, sides,
                                      rows.basis, columns(), s.w);
      return;
    }
    const bool embeds = loops.some();
    const ModelData& tree = embeds ? w.independent->data.tree : w.md();
    const WorkspaceData<double>& of_tree = embeds ? w.independent->data.w : w.w();
    for (const RowRightSide<double>& side : sides.of)
      if (side.X)
        w.kernels->solve_mass_columns(tree, right, count, sign, side.X, sides.ld, sides.order, columns(),
                                      of_tree);
  }
  DerivativeData<double>& columns() { return loops.some() ? loops.memory().columns : d().data; }
  // Whether solves with rows take the factor of chains: where M^-1 as a matrix does not come from paths, which take 0.94 of
  // the time of iiwa14's matrices. One factor serves all.
  bool takes_chains() const {
    return !w.independent && (one_by_one || !d().data.inverse_by_paths || !of_rows().responses.columns);
  }
  // x in the coordinates of the mass matrix, of those of the tree, and the reverse with h added (null: none).
  void take_force(const double* force, double* x) const {
    if (loops.some())
      to_independent_force(w, force, x);
    else
      std::copy_n(force, w.model->nv, x);
  }
  void give_motion(const double* x, const double* h, double* motion) const {
    if (loops.some())
      from_independent(w, x, h, motion);
    else
      std::copy_n(x, w.model->nv, motion);
  }
  // Rows of motions in the coordinates of the mass matrix, d().ld apart, become those in the user's. h: rows that are added; null:
  // zero.
  void give_rows(double* X, const double* h) const {
    if (!loops.some() || independent()) return;
    const int ld = d().ld, nv = w.model->nv;
    loops.give_rows(X, n(), ld);
    for (std::ptrdiff_t e = 0; h && e < std::ptrdiff_t{nv} * ld; ++e) X[e] += h[e];
  }
  // The same of columns.
  void give_columns(int count, double* X, const double* h) const {
    if (!loops.some() || independent()) return;
    double* motion = loops.memory().numbers[0];
    for (int j = 0; j < count; ++j) {
      const std::ptrdiff_t at = std::ptrdiff_t{j} * d().ld;
      give_motion(X + at, h ? h + at : nullptr, motion);
      std::copy_n(motion, w.model->nv, X + at);
    }
  }

 private:
  template <class Memory>
  static Memory& made(const OnDemand<Memory>& memory, Memory*& at) {
    if (!at) at = &*memory;
    return *at;
  }
  mutable DerivativeMemory* d_ = nullptr;
  mutable RowDerivativeMemory* of_rows_ = nullptr;
};

// The solution as users get it. motion: accelerations, or what takes their place, in the coordinates of the tree.
struct UserSolution {
  UserSolution(const Solution& s, const double* motion, double* user_motion, double* lambda)
      : blocks{{motion, s.n(), user_motion}, {s.w.user_lambda.data(), s.m(), lambda}} {
    if (s.with_rows) rows_to_user(s.w.cd(), s.lambda, s.w.user_lambda.data());
    if (!s.independent()) return;
    double* independent = s.loops.memory().numbers[0];
    copy_motion(s.w, motion, independent);
    blocks[0].x = independent;
  }
  SolutionBlock blocks[2];
};

// The columns of a solve with one: with rows it alone, else it is the first of eight, ld apart.
inline void clear_columns(const Solution& s, double* x, int ld) {
  std::fill_n(x, std::ptrdiff_t{s.with_rows ? 1 : 8} * ld, 0.0);
}

// y and b for gradients [w; z] by motions and forces (constrained.cpp), null: zero. In numbers[2] and [3] of the memory.
struct Multipliers {
  double *x, *y;  // in the coordinates of the mass matrix, and of the tree
  double* b;      // null without rows
  double* w;      // in the coordinates of the tree
};
Multipliers find_multipliers(Solution& s, const double* gradient, const double* gradient_lambda);

// Of active rows, how many depend on the others, by the factor of a solution with rows. A factor that leaves rows out leaves out
// those that are not active too, but for those with compliance.
inline int dependent_rows(const WorkspaceImpl& w) {
  const RowFactorData& factor = w.dense->factor.data;
  int left_out = factor.rows - factor.rank;
  for (int r = 0; left_out > 0 && r < factor.rows; ++r)
    left_out -= w.cd()->active[r] == 0 && !(w.cd()->compliance[r] > 0) ? 1 : 0;
  return left_out;
}

// Solves, for s.with_rows and s.w as given. After begin().
Status solve(const Inputs<double>& user, Solution& s);
// The same for s.in and WorkspaceData::desired, in spanning coordinates, as given too; and the motion alone, s.in.qdd.
Status solve_given(Solution& s);
Status solve_motion(Solution& s);
// singular_configuration where the rank of the rows changes along any coordinate, and along dq of the user.
Status check_rank(const Solution& s);
Status check_rank_along(const Solution& s, const double* dq);

}  // namespace tenon
