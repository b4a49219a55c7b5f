#include "calls/derivatives/embedded_loops.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/tree/joint_space.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"

namespace tenon {

// Calls each(c, Q, R) for the clusters that take part.
template <class Each>
void EmbeddedLoops::for_varying(const Each& each) const {
  const ModelData& m = w_.md();
  const LoopDerivativeMemory& d = memory();
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    if (constant_ || !c.constant_G) each(c, d.Q + c.K_begin, d.R + c.K_begin);
  }
}

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

// By the modified Gram-Schmidt process, each column twice: dependent coordinates are chosen so that K_d has full rank.
void EmbeddedLoops::factor() {
  const ModelData& m = w_.md();
  for_varying([&](const ClusterData& c, double* Q, double* R) {
    const int rows = c.row_count, d = c.d_count;
    std::fill_n(R, std::ptrdiff_t{d} * d, 0.0);
    for (int j = 0; j < d; ++j) {
      const int k = m.dependent[c.d_begin + j] - c.v_begin;
      double *column = Q + std::ptrdiff_t{j} * rows, square = 0;
      std::copy_n(w_.w().loop_K + c.K_begin + std::ptrdiff_t{k} * rows, rows, column);
      for (int i = 0; i < 2 * j; ++i) {
        const double* other = Q + std::ptrdiff_t{i % j} * rows;
        double share = 0;
        for (int r = 0; r < rows; ++r) share += other[r] * column[r];
        for (int r = 0; r < rows; ++r) column[r] -= share * other[r];
        R[std::ptrdiff_t{j} * d + i % j] += share;
      }
      for (int r = 0; r < rows; ++r) square += column[r] * column[r];
      R[std::ptrdiff_t{j} * d + j] = std::sqrt(square);
      for (int r = 0; r < rows; ++r) column[r] /= std::sqrt(square);
    }
  });
}

// K of the workspace has the opposite sign of K of closures.
void EmbeddedLoops::close(const double* ds, double* x) const {
  const ModelData& m = w_.md();
  std::fill_n(x, m.nv, 0.0);
  for_varying([&](const ClusterData& c, const double* Q, const double* R) {
    const int rows = c.row_count, d = c.d_count;
    const auto at = [&](int j) -> double& { return x[m.dependent[c.d_begin + j]]; };
    for (int j = d - 1; j >= 0; --j) {
      double sum = 0;
      for (int r = 0; r < rows; ++r) sum += Q[std::ptrdiff_t{j} * rows + r] * ds[c.row_begin + r];
      for (int i = j + 1; i < d; ++i) sum -= R[std::ptrdiff_t{i} * d + j] * at(i);
      at(j) = sum / R[std::ptrdiff_t{j} * d + j];
    }
  });
}

void EmbeddedLoops::balance(const double* x, double* b) const {
  const ModelData& m = w_.md();
  std::fill_n(b, m.loop_row_count, 0.0);
  double* z = memory().numbers[5];
  for_varying([&](const ClusterData& c, const double* Q, const double* R) {
    const int rows = c.row_count, d = c.d_count;
    for (int j = 0; j < d; ++j) {
      double sum = x[m.dependent[c.d_begin + j]];
      for (int i = 0; i < j; ++i) sum -= R[std::ptrdiff_t{j} * d + i] * z[i];
      z[j] = sum / R[std::ptrdiff_t{j} * d + j];
      for (int r = 0; r < rows; ++r) b[c.row_begin + r] -= Q[std::ptrdiff_t{j} * rows + r] * z[j];
    }
  });
}

void EmbeddedLoops::place_velocities() {
  if (!vary()) return;
  w_.kernels->row_gradients(w_.md(), memory().rows, true, memory().of_velocities, w_.w());
  factor();
}

void EmbeddedLoops::place(const double* rest) {
  if (!vary()) return;
  LoopDerivativeMemory& d = memory();
  place_velocities();
  w_.kernels->row_gradients(w_.md(), d.rows, false, d.of_accelerations, w_.w());
  if (!rest) {
    std::fill_n(d.mu, w_.md().loop_row_count, 0.0);
    return;
  }
  balance(rest, d.mu);
  const int stride = whole_packs(d.rows.row_count);
  for (int i = 0; i < d.rows.item_count; ++i) {
    const ConstraintItem& item = d.rows.items[i];
    const auto push = [&](int body, const Force<double>& K, double force) {
      if (body < 0) return;
      double* wrench = w_.w().wrench + 6 * body;
      store(wrench, load_force<double>(wrench) + scaled(force, force_to_child(root_pose(w_.w(), body), K)));
    };
    for (int j = 0; j < item.row_count; ++j) {
      const int r = item.row_begin + j;
      if (item.side_row < 0) {
        push(item.node, load_dof_force(d.of_velocities.N + r, stride), d.mu[r]);
        continue;
      }
      const double* sides = d.of_velocities.side_N + std::ptrdiff_t{12} * (item.side_row + j);
      push(item.first, load_force<double>(sides), d.mu[r]);
      push(item.second, load_force<double>(sides + 6), d.mu[r]);
    }
  }
}

ActingRows<double> EmbeddedLoops::rows() const {
  const LoopDerivativeMemory& d = memory();
  return {&d.rows, d.of_velocities.N, d.of_velocities.side_N, &d.of_accelerations, d.mu, d.b, d.ds};
}
ActingRows<double> EmbeddedLoops::rows_of_velocities() const {
  const LoopDerivativeMemory& d = memory();
  return {&d.rows, d.of_velocities.N, d.of_velocities.side_N, &d.of_velocities, d.mu, d.b, d.ds};
}

ProductRows<double> DerivativeProducts::rows(const double* b, double* ds) const {
  ProductRows<double> all{};
  if (lambda) {
    const RowDerivativeData<double>& d = w.row_derivatives->data;
    all.of[all.count++] = {w.cd(), w.w().Kw, w.w().side_Kw, &d, lambda, b, ds};
    all.turning = d.turning, all.theta = d.theta;
  }
  if (loops.some()) {
    if (with_loops && loops.vary()) all.of[all.count++] = loops.rows();
    all.turning = loops.memory().turning, all.theta = loops.memory().theta;
  }
  return all;
}

void DerivativeProducts::vjp(const double* y, const double* b, const double* gradient, double* g_q,
                             double* g_v, double* g_a) const {
  const ProductRows<double> all = rows(b, nullptr);
  const auto sweep = [&](double* to) {
    w.kernels->constrained_vjp(w.md(), all, wrenches, y, g_q, g_v, to, w.derivatives->data, w.w());
  };
  if (with_loops && loops.vary()) {
    LoopDerivativeMemory& d = loops.memory();
    double* rest = d.numbers[4];
    std::fill_n(d.b, w.md().loop_row_count, 0.0);
    sweep(rest);
    for (int k = 0; gradient && k < w.md().nv; ++k) rest[k] -= gradient[k];
    loops.balance(rest, d.b);
  }
  sweep(g_a);
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
  double* change = loops.memory().numbers[4];
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
  const ProductRows<double> of_loops = {{loops.rows_of_velocities(), {}}, 1, d.turning, d.theta};
  w.kernels->row_velocity_jvp(w.md(), of_loops, v, x.q, w.derivatives->data, w.w());
  double* turned = d.numbers[4];
  loops.close(d.ds, turned);
  for (int k = 0; k < w.md().nv; ++k) room_v[k] = turned[k] + (x.v ? x.v[k] : 0);
  x.v = room_v;
  return x;
}

void DerivativeProducts::to_user(double* g_q, double* g_v) const {
  if (!w.coordinates.independent_v) return;
  double* sum = loops.memory().numbers[4];
  if (loops.vary()) {
    double* e = loops.memory().b;
    loops.balance(g_v, e);
    for (int r = 0; r < w.md().loop_row_count; ++r) e[r] = -e[r];
    w.kernels->row_velocity_vjp(w.md(), loops.rows_of_velocities(), 0.0, g_q, nullptr, w.w());
  }
  for (double* g : {g_q, g_v}) {
    to_independent_force(w, g, sum);
    std::copy_n(sum, w.model->ny, g);
  }
}

}  // namespace tenon
