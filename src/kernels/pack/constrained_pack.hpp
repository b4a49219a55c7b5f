// constrained_aba on packs: the steps of solve/proximal.hpp without acceleration, lane by lane. Each refining
// evaluation takes f := f + r(f) and removes rounding errors; the caller (batch/pack_worker.hpp) takes the
// result of a lane when its residual is small enough.
#pragma once

#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/pack/pack_table.hpp"
#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Rotation errors have several formulas, so they are computed lane by lane.
template <class N, int W>
inline Vec3<Pack<N, W>> rotation_vector(const Mat3<Pack<N, W>>& R) {
  Vec3<Pack<N, W>> v;
  for (int i = 0; i < W; ++i) {
    const Vec3<double> one = rotation_vector(Mat3<double>{
        R.xx.x[i], R.xy.x[i], R.xz.x[i], R.yx.x[i], R.yy.x[i], R.yz.x[i], R.zx.x[i], R.zy.x[i], R.zz.x[i]});
    v.x.x[i] = static_cast<N>(one.x), v.y.x[i] = static_cast<N>(one.y), v.z.x[i] = static_cast<N>(one.z);
  }
  return v;
}
template <class N, int W>
inline Vec3<Pack<N, W>> swing(const Vec3<Pack<N, W>>& a, const Vec3<Pack<N, W>>& b,
                              const Vec3<Pack<N, W>>& across) {
  const auto lane = [](const Vec3<Pack<N, W>>& u, int i) {
    return Vec3<double>{u.x.x[i], u.y.x[i], u.z.x[i]};
  };
  Vec3<Pack<N, W>> v;
  for (int i = 0; i < W; ++i) {
    const Vec3<double> one = swing(lane(a, i), lane(b, i), lane(across, i));
    v.x.x[i] = static_cast<N>(one.x), v.y.x[i] = static_cast<N>(one.y), v.z.x[i] = static_cast<N>(one.z);
  }
  return v;
}

// step := r(f), and the sizes of residuals and forces.
template <class T>
inline void measure_step(const ConstraintData& c, PackedRows<T>& p, bool first, WorkspaceData<T>& w) {
  const T o(0), absolute(p.absolute);
  if (first) {
    T largest = o, largest_by_force = o;
    for (int r = 0; r < c.row_count; ++r) {
      const T a = larger(magnitude_of(w.k[r]), magnitude_of(w.Ka[r]));
      const T unit(p.root_scale[r]);
      p.unit[r] = unit;
      largest = larger(largest, a);
      largest_by_force = larger(largest_by_force, a / unit);
    }
    for (int r = 0; r < c.row_count; ++r) {
      const T by_force = p.unit[r] * largest_by_force;
      p.unit[r] = -larger(-largest, -by_force);
    }
  }
  p.primal = p.force = o;
  for (int r = 0; r < c.row_count; ++r) {
    T step = w.mu_row[r] * (w.k[r] - w.Ka[r] - T(c.compliance[r]) * p.f[r]);
    p.force = larger(p.force, magnitude_of(p.f[r] + step) * T(p.root_scale[r]));
    if (p.inv_mu[r] == 0) {
      p.f[r] = p.f[r] + step;
      step = o;
    }
    p.step[r] = step;
    const T above = magnitude_of(step * T(p.inv_mu[r])) - absolute;
    // A unit is zero only where nothing accelerates; the residual is then zero too, or not small.
    const T size = select(lanes_above(p.unit[r], o), above / p.unit[r], above * T(1e30));
    p.primal = larger(p.primal, size);
  }
}

template <class T>
bool constrained_start(const ModelData& m, const ConstraintData& c, const T* q, const T* v, const T* tau,
                       bool has_wrenches, T* qdd, PackedRows<T>& p, WorkspaceData<T>& w) {
  constraint_state(m, c, q, v, has_wrenches, w);
  for (int r = 0; r < c.row_count; ++r) {
    w.mu_row[r] = T(1 / (c.compliance[r] + p.inv_mu[r]));
    p.f[r] = T(0);
    w.row_force[r] = w.mu_row[r] * w.k[r];
  }
  if (!constrained_aba_start(m, c, v, tau, qdd, w)) return false;
  measure_step(c, p, true, w);
  p.first_force = p.force;
  return true;
}

template <class T>
void constrained_refine(const ModelData& m, const ConstraintData& c, const T* tau, T* qdd, PackedRows<T>& p,
                        WorkspaceData<T>& w) {
  for (int r = 0; r < c.row_count; ++r) {
    p.f[r] = p.f[r] + p.step[r];
    const T force = w.mu_row[r] * (w.k[r] + T(p.inv_mu[r]) * p.f[r]);
    p.step[r] = force - w.row_force[r];
    w.row_force[r] = force;
  }
  constrained_aba_iterate(m, c, p.step, true, tau, qdd, w);
  measure_step(c, p, false, w);
}

TENON_ISA_END
}  // namespace tenon
