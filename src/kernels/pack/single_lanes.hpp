// Single lanes of spatial quantities on packs, in double precision, for what has several formulas.
#pragma once

#include "spatial/pack.hpp"
#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class N, int W>
TENON_INLINE Vec3<double> lane_of(const Vec3<Pack<N, W>>& v, int i) {
  return {v.x.x[i], v.y.x[i], v.z.x[i]};
}
template <class N, int W>
TENON_INLINE Mat3<double> lane_of(const Mat3<Pack<N, W>>& R, int i) {
  return {R.xx.x[i], R.xy.x[i], R.xz.x[i], R.yx.x[i], R.yy.x[i], R.yz.x[i], R.zx.x[i], R.zy.x[i], R.zz.x[i]};
}
template <class N, int W>
TENON_INLINE Motion<double> lane_of(const Motion<Pack<N, W>>& m, int i) {
  return {lane_of(m.w, i), lane_of(m.v, i)};
}
template <class N, int W>
TENON_INLINE void set_lane(const Vec3<double>& from, int i, Vec3<Pack<N, W>>& v) {
  v.x.x[i] = static_cast<N>(from.x), v.y.x[i] = static_cast<N>(from.y), v.z.x[i] = static_cast<N>(from.z);
}

template <class N, int W>
TENON_INLINE void set_lane(const Mat3<double>& from, int i, Mat3<Pack<N, W>>& R) {
  R.xx.x[i] = static_cast<N>(from.xx), R.xy.x[i] = static_cast<N>(from.xy),
  R.xz.x[i] = static_cast<N>(from.xz);
  R.yx.x[i] = static_cast<N>(from.yx), R.yy.x[i] = static_cast<N>(from.yy),
  R.yz.x[i] = static_cast<N>(from.yz);
  R.zx.x[i] = static_cast<N>(from.zx), R.zy.x[i] = static_cast<N>(from.zy),
  R.zz.x[i] = static_cast<N>(from.zz);
}

TENON_ISA_END
}  // namespace tenon
