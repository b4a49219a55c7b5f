// Sines and cosines of packs, and of contiguous angles. Every lane is computed by the same operations whatever the others
// hold.
//
// The angle minus the nearest multiple k of pi / 2, which is given in three parts so that k times a part is
// exact (W. Cody and W. Waite, Software Manual for the Elementary Functions, 1980), then polynomials on
// [-pi / 4, pi / 4]: those of Sun's fdlibm (k_sin.c, k_cos.c) in double, of S. Moshier's Cephes library in
// single precision; errors below one unit in the last place or two. Angles beyond the range of the parts are
// left to the standard library, lane by lane: it reduces by as many digits of pi as the angle needs.
#pragma once

#include <cmath>

#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// In its own translation unit: kernels that compute the sines of all joints of one state call it.
// count is rounded up to whole packs of 4; the arrays must have room.
void sin_cos(const double* angle, double* sine, double* cosine, int count);

#ifdef TENON_PACKS

template <class N>
struct AngleParts;
template <>
struct AngleParts<double> {
  static constexpr double part[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                                     2.02226624879595063154e-21};
  static constexpr double largest = 1e6;
  static constexpr double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  template <class T>
  TENON_INLINE static T sine(const T& r, const T& z) {
    const T p = T(-1.98412698298579493134e-04) +
                z * (T(2.75573137070700676789e-06) +
                     z * (T(-2.50507602534068634195e-08) + z * T(1.58969099521155010221e-10)));
    return r + r * z * (T(-1.66666666666666324348e-01) + z * (T(8.33333333332248946124e-03) + z * p));
  }
  template <class T>
  TENON_INLINE static T cosine(const T& z) {
    const T p = T(2.48015872894767294178e-05) +
                z * (T(-2.75573143513906633035e-07) +
                     z * (T(2.08757232129817482790e-09) + z * T(-1.13596475577881948265e-11)));
    const T q = T(4.16666666666666019037e-02) + z * (T(-1.38888888888741095749e-03) + z * p);
    return T(1) - (T(0.5) * z - z * z * q);
  }
};
template <>
struct AngleParts<float> {
  static constexpr double part[3] = {1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8};
  static constexpr double largest = 4000;
  static constexpr double round = 12582912.0;  // 1.5 * 2^23
  template <class T>
  TENON_INLINE static T sine(const T& r, const T& z) {
    return r + r * z * (T(-1.6666654611e-1) + z * (T(8.3321608736e-3) + z * T(-1.9515295891e-4)));
  }
  template <class T>
  TENON_INLINE static T cosine(const T& z) {
    const T q = T(4.166664568298827e-2) + z * (T(-1.388731625493765e-3) + z * T(2.443315711809948e-5));
    return T(1) - (T(0.5) * z - z * z * q);
  }
};

template <class N, int W>
TENON_INLINE void sin_cos(const Pack<N, W>& angle, Pack<N, W>& sine, Pack<N, W>& cosine) {
  using T = Pack<N, W>;
  using Bits = typename T::Bits;
  using A = AngleParts<N>;
  const T rounded = angle * T(0.63661977236758134308) + T(A::round);
  const T k = rounded - T(A::round);
  const T r = ((angle - k * T(A::part[0])) - k * T(A::part[1])) - k * T(A::part[2]);
  const T z = r * r;
  const T s = A::sine(r, z), c = A::cosine(z);
  // The last bits of `rounded` are k: of the quadrant, bit 0 exchanges sine and cosine, bit 1 is the sign.
  const Bits quadrant = rounded.bits();
  const Bits odd = -(quadrant & 1);
  constexpr int to_sign = 8 * static_cast<int>(sizeof(N)) - 2;
  const Bits sine_sign = (quadrant & 2) << to_sign, cosine_sign = ((quadrant + 1) & 2) << to_sign;
  sine = T::of_bits(select<N, W>(odd, c, s).bits() ^ sine_sign);
  cosine = T::of_bits(select<N, W>(odd, s, c).bits() ^ cosine_sign);
  if (T(A::largest) > magnitude_of(angle)) return;
  for (int i = 0; i < W; ++i) {
    const N x = angle.x[i];
    if (x > static_cast<N>(A::largest) || x < static_cast<N>(-A::largest))
      sine.x[i] = std::sin(x), cosine.x[i] = std::cos(x);
  }
}

// Found by joint_angles (kernels/joint/angles.hpp).
template <class N, int W>
inline void sin_cos(const Pack<N, W>* angle, Pack<N, W>* sine, Pack<N, W>* cosine, int count) {
  for (int i = 0; i < count; ++i) sin_cos(angle[i], sine[i], cosine[i]);
}

#endif  // TENON_PACKS

TENON_ISA_END
}  // namespace tenon
