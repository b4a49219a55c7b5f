// Embedded loops in derivatives, and products of derivatives with them.
//
// To derivatives a loop is a closure (kernels/constrained/closure_rows.hpp) with rows s = K qdd + gamma = 0, K v = 0, and
// forces K^T mu, here along one path of the tree and back along the other. At the solution
//
//   r = ID(q, v, qdd) - tau - J^T lambda - K^T mu = 0
//
// gives mu. Motions that keep loops closed are dq = G dy, dv = G dydot + D dq and dqdd = G dyddot + h; where q moves, rows
// change by ds at the old qdd and by dK v, so K h = - ds and K D dq = - dK v. Of many such h and D those are taken that move
// dependent coordinates alone. In a product with y = G x, multipliers b of the rows with K^T b = M y - J^T (those of rows) - w
// on dependent coordinates take the place of h. Couplings have constant rows: they act by G alone.
#pragma once

#include "kernels/derivatives/loop_products.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

class EmbeddedLoops {
 public:
  explicit EmbeddedLoops(WorkspaceImpl& w) : w_(w) {}

  bool some() const { return w_.md().cluster_count > 0; }
  bool vary() const { return w_.md().varying_clusters > 0 || (which_ == LoopRows::all && some()); }
  // The rows of couplings take part where G is constant too, as if it varied.
  void take_constant() { which_ = LoopRows::all; }
  LoopRows which() const { return which_; }
  LoopDerivativeMemory& memory() const { return *w_.loop_derivatives; }

  // unsupported: a function of the user closes a loop.
  Status check() const;
  // Rates of the rows at the velocities of the last sweep_motion, and the factor of K. After update_loops.
  void place_velocities();
  // The same at a solution, after sweep_motion there: rows with their derivatives, and the forces mu on bodies, added to
  // WorkspaceData::wrench. rest: ID - tau - J^T lambda; null: what is differentiated has no forces of loops, mu = 0.
  void place(const double* rest);

  // Of matrices (kernels/derivatives/loop_products.hpp). After place().
  void close_matrices(const TreeMatrices<double>& x, bool independent) const;
  void project_rows(double* X, int columns, int ld) const;
  void project_columns(double* X, int rows, int ld) const;
  void give_rows(double* X, int columns, int ld) const;

  // x := the motion of dependent coordinates with K x = - ds. x: nv.
  void close(const double* ds, double* x) const;
  // b := forces with K^T b = x on dependent coordinates. x: nv.
  void balance(const double* x, double* b) const;

 private:
  void place_rows(bool of_accelerations);

  WorkspaceImpl& w_;
  LoopRows which_ = LoopRows::varying;
};

// What products of derivatives are taken of, after the sweep at a solution.
struct DerivativeProducts {
  WorkspaceImpl& w;
  const EmbeddedLoops& loops;
  bool with_loops;         // loops take part
  const double* wrenches;  // on bodies, those of all rows among them; null: none
  // Forces of constraint rows, kernels' order; null: these rows take no part.
  const double* lambda;

  // y^T dr/d(q, v) - b^T ds/d(q, v), and M y - J^T b into g_a (null: not wanted), all with the multipliers of loops that
  // replace h for a gradient w of qdd (null: zero).
  void vjp(const double* y, const double* b, const double* gradient, double* g_q, double* g_v,
           double* g_a) const;
  // dr and ds (rows; null without) along (dq, dv, da); da null: zero. With loops along da + h, which is written.
  void jvp(const double* v, const double* dq, const double* dv, const double* da, double* dr, double* ds,
           double* h) const;

  // Changes of states and forces in the coordinates of the user, in those of the tree; null stays null. Room: nv each.
  struct Change {
    const double *q, *v, *third;
  };
  Change spanning(const double* v, const Change& user, bool third_is_motion, double* room_q, double* room_v,
                  double* room_third) const;
  // g_q, g_v: gradients in the coordinates of the tree; become those by what users give.
  void to_user(double* g_q, double* g_v) const;

 private:
  ProductRows<double> rows(const double* b, double* ds) const;
};

}  // namespace tenon
