// How many constraint rows are swept together: four of one state in the lanes of a register, or one of each of the
// states, or limbs, of a pack.
#pragma once

#include "spatial/lanes.hpp"
#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct RowsAtOnce {
  using Number = Lanes<T>;
  static constexpr int count = 4;
  TENON_INLINE static Number load(const T* x) { return Number::load(x); }
  TENON_INLINE static void store(const Number& x, T* to) { x.store(to); }
  TENON_INLINE static void store_first(const Number& x, int n, T* to) { tenon::store_first(x, n, to); }
  TENON_INLINE static Force<Number> load_rows(const T* x, int stride) { return tenon::load_rows(x, stride); }
  TENON_INLINE static void store_rows(T* x, int stride, const Force<Number>& K) {
    tenon::store_rows(x, stride, K);
  }
  template <class X>
  TENON_INLINE static auto spread(const X& x) {
    return tenon::spread(x);
  }
};
#if defined(TENON_PACKS)
template <class N, int W>
struct RowsAtOnce<Pack<N, W>> {
  using T = Pack<N, W>;
  using Number = T;
  static constexpr int count = 1;
  TENON_INLINE static T load(const T* x) { return *x; }
  TENON_INLINE static void store(const T& x, T* to) { *to = x; }
  TENON_INLINE static void store_first(const T& x, int, T* to) { *to = x; }
  TENON_INLINE static Force<T> load_rows(const T* x, int stride) {
    return {{x[0], x[stride], x[2 * stride]}, {x[3 * stride], x[4 * stride], x[5 * stride]}};
  }
  TENON_INLINE static void store_rows(T* x, int stride, const Force<T>& K) {
    x[0] = K.n.x, x[stride] = K.n.y, x[2 * stride] = K.n.z;
    x[3 * stride] = K.f.x, x[4 * stride] = K.f.y, x[5 * stride] = K.f.z;
  }
  template <class X>
  TENON_INLINE static const X& spread(const X& x) {
    return x;
  }
};
#endif

TENON_ISA_END
}  // namespace tenon
