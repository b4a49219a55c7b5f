#include "calls/derivatives/embedded_loops.hpp"

#include <algorithm>

#include "state/coordinates.hpp"
#include "state/projection.hpp"

namespace tenon {

Status EmbeddedLoops::check() const {
  const ModelData& m = w_.md();
  for (int l = 0; l < m.loop_constraint_count; ++l)
    if (m.loop_constraints[l].kind == loop_callback)
      return w_.fail(
          Status::unsupported,
          "there are no derivatives of a model with the implicit constraint '%s', whose function gives "
          "none; take differences of the dynamics",
          w_.model->loops.names[index(l)].c_str());
  return Status::ok;
}

void EmbeddedLoops::close_matrices(const TreeMatrices<double>& x, bool independent) const {
  w_.kernels->close_matrices(w_.md(), x, independent, memory(), memory().matrices, w_.derivatives->data,
                             w_.w());
}
void EmbeddedLoops::project_rows(double* X, int columns, int ld) const {
  w_.kernels->project_rows(w_.md(), w_.w().G, X, columns, ld, memory().h);
}
void EmbeddedLoops::project_columns(double* X, int rows, int ld) const {
  w_.kernels->project_columns(w_.md(), w_.w().G, X, rows, ld, memory().h);
}
void EmbeddedLoops::give_rows(double* X, int columns, int ld) const {
  w_.kernels->give_rows(w_.md(), w_.w().G, X, columns, ld, memory().h);
}

void EmbeddedLoops::close(const double* ds, double* x) const {
  close_loops(w_.md(), which_, ds, x, memory());
}
void EmbeddedLoops::balance(const double* x, double* b) const {
  balance_loops(w_.md(), which_, x, b, memory());
}

void EmbeddedLoops::place_rows(bool of_accelerations) {
  LoopDerivativeMemory& d = memory();
  w_.kernels->row_gradients(w_.md(), d.rows, &d.of_velocities,
                            of_accelerations ? &d.of_accelerations : nullptr, false, w_.w());
  factor_loop_rows(w_.md(), which_, d, w_.w());
}

void EmbeddedLoops::place_velocities() {
  if (vary()) place_rows(false);
}

void EmbeddedLoops::place(const double* rest) {
  if (!vary()) return;
  LoopDerivativeMemory& d = memory();
  place_rows(true);
  if (!rest) {
    std::fill_n(d.mu, w_.md().loop_row_count, 0.0);
    return;
  }
  balance(rest, d.mu);
  add_loop_forces(d, w_.w().wrench, w_.w());
}

ProductRows<double> DerivativeProducts::rows(const double* b, double* ds) const {
  ProductRows<double> all{};
  if (lambda) {
    const RowDerivativeData<double>& d = w.row_derivatives->data;
    all.of[all.count++] = {w.cd(), w.w().Kw, w.w().side_Kw, ds ? &d : nullptr, lambda, b, ds};
    all.turning = d.turning, all.theta = d.theta;
  }
  if (loops.some()) {
    if (with_loops && loops.vary()) all.of[all.count++] = loop_rows(loops.memory());
    all.turning = loops.memory().turning, all.theta = loops.memory().theta;
  }
  return all;
}

void DerivativeProducts::vjp(const double* y, const double* b, const double* gradient, double* g_q,
                             double* g_v, double* g_a) const {
  const ProductRows<double> all = rows(b, nullptr);
  if (with_loops && loops.vary())
    w.kernels->held_vjp(w.md(), all, loops.which(), wrenches, y, gradient, g_q, g_v, g_a, loops.memory(),
                        w.derivatives->data, w.w());
  else
    w.kernels->constrained_vjp(w.md(), all, wrenches, y, g_q, g_v, g_a, w.derivatives->data, w.w());
}

void DerivativeProducts::jvp(const double* v, const double* dq, const double* dv, const double* da,
                             double* dr, double* ds, double* h) const {
  const ProductRows<double> all = rows(nullptr, ds);
  const auto sweep = [&](const double* change) {
    w.kernels->constrained_jvp(w.md(), all, v, wrenches, dq, dv, change, dr, w.derivatives->data, w.w());
  };
  if (h) std::fill_n(h, w.md().nv, 0.0);
  if (!with_loops || !loops.vary()) return sweep(da);
  sweep(da);
  loops.close(loops.memory().ds, h);
  double* change = loops.memory().rest;
  for (int k = 0; k < w.md().nv; ++k) change[k] = h[k] + (da ? da[k] : 0);
  sweep(change);
}

DerivativeProducts::Change DerivativeProducts::spanning(const double* v, const Change& user,
                                                        bool third_is_motion, double* room_q, double* room_v,
                                                        double* room_third) const {
  if (!w.coordinates.independent_v) return user;
  Change x{};
  if (user.q) from_independent(w, user.q, nullptr, room_q), x.q = room_q;
  if (user.v) from_independent(w, user.v, nullptr, room_v), x.v = room_v;
  if (user.third) {
    if (third_is_motion)
      from_independent(w, user.third, nullptr, room_third);
    else
      scatter_independent(w, user.third, room_third);
    x.third = room_third;
  }
  if (!user.q || !loops.vary()) return x;
  const LoopDerivativeMemory& d = loops.memory();
  const ProductRows<double> of_loops = {{loop_rows_of_velocities(d), {}}, 1, d.turning, d.theta};
  w.kernels->row_velocity_jvp(w.md(), of_loops, v, x.q, w.derivatives->data, w.w());
  double* turned = d.rest;
  loops.close(d.ds, turned);
  for (int k = 0; k < w.md().nv; ++k) room_v[k] = turned[k] + (x.v ? x.v[k] : 0);
  x.v = room_v;
  return x;
}

void DerivativeProducts::to_user(double* g_q, double* g_v) const {
  if (!w.coordinates.independent_v) return;
  double* sum = loops.memory().rest;
  if (loops.vary()) w.kernels->hold_velocities(w.md(), loops.which(), g_v, g_q, loops.memory(), w.w());
  for (double* g : {g_q, g_v}) {
    to_independent_force(w, g, sum);
    std::copy_n(sum, w.model->ny, g);
  }
}

}  // namespace tenon
