// How rotation errors of packs change (kernels/derivatives/row_gradients.hpp).
#pragma once

#include "kernels/derivatives/row_gradients.hpp"
#include "kernels/pack/single_lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// They have several formulas, so they are computed lane by lane.
template <class N, int W>
inline Vec3<Pack<N, W>> rotation_rate_transposed(const Vec3<Pack<N, W>>& phi, const Vec3<Pack<N, W>>& e,
                                                 bool backwards) {
  Vec3<Pack<N, W>> v;
  for (int i = 0; i < W; ++i)
    set_lane(rotation_rate_transposed(lane_of(phi, i), lane_of(e, i), backwards), i, v);
  return v;
}
template <class N, int W>
inline Vec3<Pack<N, W>> swing_rate_transposed(const Vec3<Pack<N, W>>& a, const Vec3<Pack<N, W>>& b,
                                              const Vec3<Pack<N, W>>& e) {
  Vec3<Pack<N, W>> v;
  for (int i = 0; i < W; ++i)
    set_lane(swing_rate_transposed(lane_of(a, i), lane_of(b, i), lane_of(e, i)), i, v);
  return v;
}

TENON_ISA_END
}  // namespace tenon
