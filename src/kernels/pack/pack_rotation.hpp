// Rotation errors of packs.
#pragma once

#include "kernels/joint/rotation_error.hpp"
#include "kernels/pack/single_lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// They have several formulas, so they are computed lane by lane.
template <class N, int W>
inline Vec3<Pack<N, W>> rotation_vector(const Mat3<Pack<N, W>>& R) {
  Vec3<Pack<N, W>> v;
  for (int i = 0; i < W; ++i) set_lane(rotation_vector(lane_of(R, i)), i, v);
  return v;
}
template <class N, int W>
inline Vec3<Pack<N, W>> swing(const Vec3<Pack<N, W>>& a, const Vec3<Pack<N, W>>& b,
                              const Vec3<Pack<N, W>>& across) {
  Vec3<Pack<N, W>> v;
  for (int i = 0; i < W; ++i) set_lane(swing(lane_of(a, i), lane_of(b, i), lane_of(across, i)), i, v);
  return v;
}

TENON_ISA_END
}  // namespace tenon
