// Products of packs with the derivatives of the equations of motion with constraint rows, with embedded loops, or with both, as
// of one state (calls/derivatives/constrained.cpp, embedded_loops.hpp, of which here are the names): their rows are among the
// forces and motions of product_pack.hpp. What one state finds of loops by a second product, packs find by a sweep over forces:
//
//   vjp:  b of K^T b = M y - J^T b_rows - w on dependent coordinates, before forces are summed, from the sums of I Y
//   jvp:  h of K h = - ds, added to the motions of bodies, I Y_h to the forces that move them, and J h to the change of rows
//
// and mu likewise of K^T mu = ID - tau - J^T lambda. O(n + m), and O(rows d^2) a cluster.
#pragma once

#include "kernels/derivatives/row_products.hpp"
#include "kernels/pack/loop_derivative_pack.hpp"
#include "kernels/pack/row_derivative_pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// What both products begin with. row_by_row: constraint rows are wanted so, for changes of each.
template <class T, bool row_by_row>
struct ActingInProduct {
  static constexpr bool any = true;
  using Data = PackedDerivatives<T>;

  ActingInProduct(const ModelData& m_, const Inputs<T>& in_, const PackedProduct<T>& x_,
                  const PackedActing<T>& acting, Data& d_, WorkspaceData<T>& w_)
      : m(m_),
        in(in_),
        x(x_),
        rows(acting.rows),
        loops(takes_loops<T> ? acting.loops : nullptr),
        d(d_),
        w(w_) {
    if (rows) {
      const RowDerivativeData<T>& of = rows->data;
      constraints = {*acting.c, rows->delassus.settings};
      all.of[all.count++] = {&constraints, rows->Kw, nullptr, row_by_row ? &of : nullptr,
                             rows->lambda, rows->b,  rows->ds};
      all.turning = of.turning, all.theta = of.theta;
    }
    if (loops) {
      const RowDerivativeData<T>& of = loops->of_velocities;
      closures = {*loops->rows, loops->settings};
      all.of[all.count++] = {&closures, of.N,     of.side_N, &loops->of_accelerations,
                             loops->mu, loops->b, loops->ds};
      all.turning = loops->turning, all.theta = loops->theta;
    }
  }
  ActingInProduct(const ActingInProduct&) = delete;

  const ActingRows<T>& of_loops() const { return all.of[all.count - 1]; }
  // forces := those of loops with K^T forces = force - given on dependent coordinates.
  void balance(const T* force, const T* a, const T* given, T* forces) const {
    project_subtrees(m, force, a, loops->sum, loops->rest, w);
    for (int k = 0; given && k < m.nv; ++k) loops->rest[k] = loops->rest[k] - given[k];
    hold_by_loops(m, loops->rest, forces, *loops);
  }
  // Gradients of rows, with the motion at the solution; and the forces that loops have there, taken off those that move
  // bodies, of which those of other rows are a part.
  void place() const {
    if (row_by_row && rows)
      row_gradients(m, constraints, static_cast<RowDerivativeData<T>*>(nullptr), &rows->data, false, w);
    if constexpr (takes_loops<T>) {
      if (!loops) return;
      row_gradients(m, closures, &loops->of_velocities, &loops->of_accelerations, false, w);
      factor_dependent(m, static_cast<const T*>(w.loop_K), loops->factor);
      balance(w.f, in.qdd, in.tau, loops->mu);
      for_row_sides(of_loops(), [&](int r, const RowSide& side, const Force<T>& K, const Force<T>&,
                                    const Force<T>&) { subtract_force(w.f, side.body, loops->mu[r] * K); });
    }
  }

  const ModelData& m;
  const Inputs<T>& in;
  const PackedProduct<T>& x;
  PackedRowDerivatives<T>* const rows;
  PackedLoops<T>* const loops;
  Data& d;
  WorkspaceData<T>& w;
  RowsOfStates<T> constraints{}, closures{};
  ProductRows<T> all{};
};

template <class T>
struct ActingInVjp : ActingInProduct<T, false> {
  using ActingInProduct<T, false>::ActingInProduct;

  void operator()() const {
    this->place();
    const RowsOfVjp<T, PackedDerivatives<T>> product{this->m, this->all, this->d, this->w};
    product.clear();
    if (this->rows) product.add(this->all.of[0]);
    if constexpr (takes_loops<T>) {
      if (!this->loops) return;
      this->balance(this->d.force, this->x.x, this->loops->gradient, this->loops->b);
      product.add(this->of_loops());
    }
  }
};

template <class T>
struct ActingInJvp : ActingInProduct<T, true> {
  using Product = ActingInProduct<T, true>;
  using Product::m, Product::w, Product::d, Product::all, Product::loops;
  using Product::Product;

  void operator()() const {
    this->place();
    if (this->x.q)
      place_motion_for(m, this->x.q, all.theta, w);
    else
      for (int e = -6; e < 6 * m.node_count; ++e) all.theta[e] = T(0);
    RowsOfJvp<T, PackedDerivatives<T>>{m, all, d, w}();
    if constexpr (takes_loops<T>)
      if (loops) add_motion_of_loops();
  }
  void add_motion_of_loops() const {
    close_by_dependent(m, loops->factor, static_cast<const T*>(loops->ds), loops->h);
    place_motion_for(m, loops->h, all.theta, w);
    for (int i = 0; i < m.node_count; ++i) {
      T* const to = d.force + 6 * i;
      const Force<T> f = load_rigid(m, i, w) * load_motion<T>(all.theta + 6 * i);
      store(to, load_force<T>(to) + f);
    }
    if (!this->rows) return;
    for_row_sides(all.of[0],
                  [&](int r, const RowSide& side, const Force<T>& K, const Force<T>&, const Force<T>&) {
                    all.of[0].ds[r] = all.of[0].ds[r] + dot(load_motion<T>(all.theta + 6 * side.body), K);
                  });
  }
};

template <class T>
void constrained_vjp_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x, T* tau,
                               const PackedActing<T>& acting, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  const ActingInVjp<T> rows(m, in, x, acting, d, w);
  rnea_vjp_of_states_with(m, in, x, tau, rows.all.turning, d, w, rows);
}

template <class T>
void constrained_jvp_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x, T* tau,
                               const PackedActing<T>& acting, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  const ActingInJvp<T> rows(m, in, x, acting, d, w);
  rnea_jvp_of_states_with(m, in, x, tau, d, w, rows);
  for (int k = 0; rows.loops && k < m.nv; ++k)
    x.by_q[k] = x.by_q[k] + load_armature(m, k, w) * rows.loops->h[k];
}

TENON_ISA_END
}  // namespace tenon
