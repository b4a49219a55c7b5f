// How the angular rows of an embedded loop change with the motion of its ends. Their axes n (kernels/cluster/loop_rows.hpp)
// are those of frame 1 only where the loop is closed; where it is a little open, as at later stages of a step in time, they
// turn with the angle between the frames. In axes of body 1, with w the angular part of V_1 - V_2 and w' its rate,
//
//   velocity  y = n . w,   acceleration  y' = n . w' + ndot . w
//
// and where the bodies move by theta (that of body 1 minus that of body 2) and w changes by dw,
//
//   dn = n_theta theta,   dndot = ndot_theta theta + ndot_w dw.
//
// These derivatives are taken by numbers with changes along six directions, of numbers that may have changes themselves.
// O(1) a loop.
#pragma once

#include "kernels/cluster/loop_rows.hpp"
#include "spatial/changes.hpp"
#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Whether there are any for this number: for packs only where they take loops (kernels/pack/loop_derivative_pack.hpp).
template <class T>
inline constexpr bool has_turn_gradients = !is_pack<T>;

// Of one row, in axes of body 1.
template <class T>
struct TurnGradient {
  Vec3<T> n;
  Vec3<T> velocity_theta;   // y by theta
  Vec3<T> theta, velocity;  // y' by theta, and by dw
  Mat3<T> n_theta;
};

// Of the angular rows that are held, in their order. R_1, R_2: the frames, in axes of body 1.
template <class T>
inline void turn_gradients(unsigned rows, const Mat3<T>& R_1, const Mat3<T>& R_2, const Vec3<T>& w,
                           const Vec3<T>& w_rate, TurnGradient<T>* out) {
  using N = WithChanges<T>;
  const N o(0.0);
  const auto plain = [](const Vec3<T>& a) { return Vec3<N>{N(a.x), N(a.y), N(a.z)}; };
  // An axis of frame 2 changes by - theta x b, as body 1 sees it.
  const auto turned = [&](const Vec3<T>& b) {
    Vec3<N> x = plain(b);
    x.y.change(0) = b.z, x.z.change(0) = -b.y;
    x.z.change(1) = b.x, x.x.change(1) = -b.z;
    x.x.change(2) = b.y, x.y.change(2) = -b.x;
    return x;
  };
  const auto matrix = [](const Vec3<N>& a, const Vec3<N>& b, const Vec3<N>& c) {
    return Mat3<N>{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z};
  };
  const Vec3<N> none{o, o, o};
  const LoopEnds<N> ends = {matrix(plain(axis_of<0>(R_1)), plain(axis_of<1>(R_1)), plain(axis_of<2>(R_1))),
                            matrix(turned(axis_of<0>(R_2)), turned(axis_of<1>(R_2)), turned(axis_of<2>(R_2))),
                            none, none};
  Vec3<N> spin = plain(-w);
  spin.x.change(3) = spin.y.change(4) = spin.z.change(5) = T(-1);
  const LoopTurn<N> turn = loop_turn(rows, ends, {{none, none}, {spin, none}});

  const auto values = [](const Vec3<N>& a) { return Vec3<T>{a.x.value(), a.y.value(), a.z.value()}; };
  const auto column = [](const Vec3<N>& a, int k) {
    return Vec3<T>{a.x.change(k), a.y.change(k), a.z.change(k)};
  };
  for (int i = 0; i < 3; ++i) {
    if (!(rows >> i & 1u)) continue;
    const Vec3<N>&n = turn.n[i], &ndot = turn.ndot[i];
    const auto along = [&](const Vec3<N>& a, int first, const Vec3<T>& x) {
      return Vec3<T>{dot(column(a, first), x), dot(column(a, first + 1), x), dot(column(a, first + 2), x)};
    };
    const Vec3<T> a = column(n, 0), b = column(n, 1), c = column(n, 2);
    *out++ = {values(n),
              along(n, 0, w),
              along(n, 0, w_rate) + along(ndot, 0, w),
              values(ndot) + along(ndot, 3, w),
              {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
  }
}

TENON_ISA_END
}  // namespace tenon
