#include "calls/derivatives/embedded_loops.hpp"

#include <algorithm>

#include "kernels/cluster/explicit_form.hpp"
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

void EmbeddedLoops::project(double* X, int columns, int ld) const {
  explicit_transposed_times(w_.md(), w_.arena.data.G, X, columns, ld, memory().h);
  std::copy_n(memory().h, std::ptrdiff_t{w_.md().ny} * ld, X);
}
void EmbeddedLoops::project_columns(double* X, int rows, int ld) const {
  const int most = w_.md().nv;  // that there is room for
  for (int first = 0; first < rows; first += most, X += std::ptrdiff_t{most} * ld) {
    const int count = std::min(most, rows - first);
    times_explicit_rows(w_.md(), w_.arena.data.G, X, count, ld, memory().h);
    std::copy_n(memory().h, std::ptrdiff_t{count} * ld, X);
  }
}
void EmbeddedLoops::give_rows(double* X, int columns, int ld) const {
  explicit_times(w_.md(), w_.arena.data.G, X, columns, ld, memory().h);
  std::copy_n(memory().h, std::ptrdiff_t{w_.md().nv} * ld, X);
}

void EmbeddedLoops::close_columns(const double* S, int columns, int ld, double* H) const {
  const ModelData& m = w_.md();
  LoopDerivativeMemory& d = memory();
  for (int k = 0; k < m.nv; ++k) std::fill_n(H + std::ptrdiff_t{k} * ld, columns, 0.0);
  for (int j = 0; j < columns; ++j) {
    for (int r = 0; r < m.loop_row_count; ++r) d.ds[r] = S[std::ptrdiff_t{r} * ld + j];
    close(d.ds, d.rest);
    for_dependent([&](int k) { H[std::ptrdiff_t{k} * ld + j] = d.rest[k]; });
  }
}
void EmbeddedLoops::add_products(const double* A, int rows, const double* B, int columns, int ld,
                                 double* C) const {
  for (int r = 0; r < rows; ++r, A += ld, C += ld)
    for_dependent([&](int k) {
      const double* const row = B + std::ptrdiff_t{k} * ld;
      if (A[k] == 0) return;
      for (int j = 0; j < columns; ++j) C[j] += A[k] * row[j];
    });
}

// Where q moves along dq = G dy, velocities turn by D dq, and qdd changes by h with K h = - (ds/dq dq + ds/dv dv).
void EmbeddedLoops::close_matrices(const TreeMatrices& x, bool independent) const {
  const ModelData& m = w_.md();
  LoopDerivativeMemory& d = memory();
  const int nv = m.nv, n = independent ? m.ny : nv, ld = x.ld, loop_rows = m.loop_row_count;
  struct Pair {
    double *by_q, *by_v;
    int rows;
    const double* by_a;
  };
  const Pair of_motion = {x.by_q, x.by_v, nv, x.M}, of_rows = {x.rows_q, x.rows_v, x.rows, x.J},
             of_loops = {vary() ? d.s_q : nullptr, d.s_v, loop_rows, nullptr};
  if (vary()) {
    w_.kernels->loop_row_matrices(m, d, x.by_q, d.s_q, d.s_v, d.velocity_q, ld, w_.derivatives->data, w_.w());
    if (independent) {
      project_columns(d.velocity_q, loop_rows, ld);
      close_columns(d.velocity_q, n, ld, d.turned);
    }
  }
  for (const Pair& p : {of_motion, of_rows, of_loops}) {
    if (!p.by_q || !independent) continue;
    project_columns(p.by_q, p.rows, ld);
    if (vary()) add_products(p.by_v, p.rows, d.turned, n, ld, p.by_q);
    project_columns(p.by_v, p.rows, ld);
  }
  if (vary()) {
    close_columns(d.s_q, n, ld, d.h_q), close_columns(d.s_v, n, ld, d.h_v);
    for (const Pair& p : {of_motion, of_rows}) {
      if (!p.by_q) continue;
      add_products(p.by_a, p.rows, d.h_q, n, ld, p.by_q), add_products(p.by_a, p.rows, d.h_v, n, ld, p.by_v);
    }
  }
  project(x.by_q, n, ld), project(x.by_v, n, ld);
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
                            of_accelerations ? &d.of_accelerations : nullptr, w_.w());
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
    all.of[all.count++] = {w.cd(), w.w().Kw, w.w().side_Kw, &d, lambda, b, ds};
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
