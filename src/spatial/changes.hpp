// Numbers with exact derivatives along several directions at a time (forward mode): the T of kernels whose results are
// differentiated once more. A value x and changes d with d_i d_j = 0: seven, which with the value fill whole registers, or one.
// Both may be numbers with changes themselves. Comparisons are of values, so branches are those of a plain number.
#pragma once

#include <cmath>
#include <type_traits>

#include "spatial/lanes.hpp"

namespace tenon {

// D: 1 or 7.
template <int D>
struct alignas(8 * (D + 1)) ChangesAlong {
  using Value = double;
  static constexpr int directions = D;
#if defined(__GNUC__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
  typedef double Numbers __attribute__((vector_size(8 * (D + 1)), may_alias));
  Numbers n;  // x, then d
  TENON_INLINE double& operator[](int i) {
    return reinterpret_cast<double*>(&n)[i];
  }
  TENON_INLINE const double& operator[](int i) const {
    return reinterpret_cast<const double*>(&n)[i];
  }
#else
  struct Numbers {
    double x[D + 1];
    friend Numbers operator+(const Numbers& a, const Numbers& b) {
      return each([&](int i) { return a.x[i] + b.x[i]; });
    }
    friend Numbers operator-(const Numbers& a, const Numbers& b) {
      return each([&](int i) { return a.x[i] - b.x[i]; });
    }
    friend Numbers operator-(const Numbers& a) {
      return each([&](int i) { return -a.x[i]; });
    }
    friend Numbers operator*(const Numbers& a, double s) {
      return each([&](int i) { return a.x[i] * s; });
    }
    template <class Each>
    static Numbers each(const Each& number) {
      Numbers r;
      for (int i = 0; i <= D; ++i) r.x[i] = number(i);
      return r;
    }
  };
  Numbers n;
  double& operator[](int i) {
    return n.x[i];
  }
  const double& operator[](int i) const {
    return n.x[i];
  }
#endif

  ChangesAlong() = default;
  TENON_INLINE explicit ChangesAlong(double x) : n{x} {}
  TENON_INLINE explicit ChangesAlong(const Numbers& numbers) : n(numbers) {}
  TENON_INLINE double value() const {
    return (*this)[0];
  }
  TENON_INLINE double& change(int direction) {
    return (*this)[1 + direction];
  }
  TENON_INLINE double change(int direction) const {
    return (*this)[1 + direction];
  }
};

using Changes = ChangesAlong<7>;
using OneChange = ChangesAlong<1>;

// The same of numbers T with changes of their own.
template <class T, int D>
struct ChangesOf {
  using Value = T;
  T x, d[D];

  ChangesOf() = default;
  explicit ChangesOf(double value) : ChangesOf(T(value)) {}
  explicit ChangesOf(const T& value) : x(value) {
    for (T& each : d) each = T(0);
  }
  const T& value() const { return x; }
  T& change(int direction) { return d[direction]; }
  const T& change(int direction) const { return d[direction]; }
};

TENON_ISA_BEGIN
// They fill registers by themselves. Four at a time spill: a Hessian of Go1 takes 50 us one by one and 86 us by fours, in a text
// that g++ 12 compiles 1.7 times as long.
template <int D>
inline constexpr int wide_count<ChangesAlong<D>> = 1;
template <class T, int D>
inline constexpr int wide_count<ChangesOf<T, D>> = 1;
TENON_ISA_END

// Numbers T with changes along six directions at least.
template <class T>
using WithChanges = std::conditional_t<std::is_same_v<T, double>, Changes, ChangesOf<T, 6>>;

template <class N>
inline constexpr bool has_changes = false;
template <int D>
inline constexpr bool has_changes<ChangesAlong<D>> = true;
template <class T, int D>
inline constexpr bool has_changes<ChangesOf<T, D>> = true;
template <class N>
using IfChanges = std::enable_if_t<has_changes<N>, N>;

TENON_ISA_BEGIN

// Of the two kinds: the changes alone, beside another value; and the vector space.
template <int D>
TENON_INLINE ChangesAlong<D> with_value(const ChangesAlong<D>& a, double x) {
  ChangesAlong<D> r = a;
  r[0] = x;
  return r;
}
template <int D>
TENON_INLINE ChangesAlong<D> scaled(const ChangesAlong<D>& a, double s) {
  return ChangesAlong<D>(a.n * s);
}
template <int D>
TENON_INLINE ChangesAlong<D> operator+(const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  return ChangesAlong<D>(a.n + b.n);
}
template <int D>
TENON_INLINE ChangesAlong<D> operator-(const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  return ChangesAlong<D>(a.n - b.n);
}
template <int D>
TENON_INLINE ChangesAlong<D> operator-(const ChangesAlong<D>& a) {
  return ChangesAlong<D>(-a.n);
}

template <class T, int D>
inline ChangesOf<T, D> with_value(const ChangesOf<T, D>& a, const T& x) {
  ChangesOf<T, D> r = a;
  r.x = x;
  return r;
}
template <class T, int D>
inline ChangesOf<T, D> scaled(const ChangesOf<T, D>& a, const T& s) {
  ChangesOf<T, D> r;
  r.x = a.x * s;
  for (int i = 0; i < D; ++i) r.d[i] = a.d[i] * s;
  return r;
}
template <class T, int D>
inline ChangesOf<T, D> operator+(const ChangesOf<T, D>& a, const ChangesOf<T, D>& b) {
  ChangesOf<T, D> r;
  r.x = a.x + b.x;
  for (int i = 0; i < D; ++i) r.d[i] = a.d[i] + b.d[i];
  return r;
}
template <class T, int D>
inline ChangesOf<T, D> operator-(const ChangesOf<T, D>& a) {
  return scaled(a, T(-1));
}
template <class T, int D>
inline ChangesOf<T, D> operator-(const ChangesOf<T, D>& a, const ChangesOf<T, D>& b) {
  return a + -b;
}

template <class N>
TENON_INLINE IfChanges<N> operator*(const N& a, const N& b) {
  using Value = typename N::Value;
  return scaled(b, a.value()) + scaled(with_value(a, Value(0)), b.value());
}
template <class N>
TENON_INLINE IfChanges<N> operator/(const N& a, const N& b) {
  using Value = typename N::Value;
  const Value inverse = Value(1) / b.value();
  return scaled(a - scaled(with_value(b, Value(0)), a.value() * inverse), inverse);
}
template <class N, class = IfChanges<N>>
TENON_INLINE bool operator>(const N& a, const N& b) {
  return a.value() > b.value();
}
template <class N, class = IfChanges<N>>
TENON_INLINE bool operator<(const N& a, const N& b) {
  return a.value() < b.value();
}
template <class N, class = IfChanges<N>>
TENON_INLINE bool operator>=(const N& a, const N& b) {
  return a.value() >= b.value();
}

// f(a), with its derivative there.
template <class N>
TENON_INLINE IfChanges<N> applied(const N& a, const typename N::Value& f,
                                  const typename N::Value& derivative) {
  return with_value(scaled(a, derivative), f);
}
template <class N>
TENON_INLINE IfChanges<N> sqrt(const N& a) {
  using std::sqrt;
  using Value = typename N::Value;
  const Value root = sqrt(a.value());
  return applied(a, root, Value(0.5) / root);
}
template <class N>
TENON_INLINE IfChanges<N> square_root(const N& a) {
  return sqrt(a);
}
template <class N>
TENON_INLINE IfChanges<N> tan(const N& a) {
  using std::tan;
  using Value = typename N::Value;
  const Value t = tan(a.value());
  return applied(a, t, Value(1) + t * t);
}
template <class N>
TENON_INLINE IfChanges<N> atan2(const N& y, const N& x) {
  using std::atan2;
  using Value = typename N::Value;
  const Value a = x.value(), b = y.value(), square = a * a + b * b;
  return with_value(scaled(y, a / square) - scaled(x, b / square), atan2(b, a));
}
template <class N>
TENON_INLINE IfChanges<N> sin(const N& a) {
  using std::cos;
  using std::sin;
  return applied(a, sin(a.value()), cos(a.value()));
}
template <class N>
TENON_INLINE IfChanges<N> cos(const N& a) {
  using std::cos;
  using std::sin;
  return applied(a, cos(a.value()), -sin(a.value()));
}
template <int D>
TENON_INLINE void sin_cos(const ChangesAlong<D>& angle, ChangesAlong<D>& sine, ChangesAlong<D>& cosine) {
  const double s = std::sin(angle.value()), c = std::cos(angle.value());
  sine = applied(angle, s, c), cosine = applied(angle, c, -s);
}
// Found by joint_angles (kernels/joint/angles.hpp).
template <int D>
inline void sin_cos(const ChangesAlong<D>* angle, ChangesAlong<D>* sine, ChangesAlong<D>* cosine, int count) {
  for (int i = 0; i < count; ++i) sin_cos(angle[i], sine[i], cosine[i]);
}

// As spatial/ordered.hpp has them for plain numbers.
template <int D>
TENON_INLINE ChangesAlong<D> larger(const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  return a > b ? a : b;
}
template <int D>
TENON_INLINE ChangesAlong<D> magnitude_of(const ChangesAlong<D>& a) {
  return a.value() < 0 ? -a : a;
}
template <int D>
TENON_INLINE ChangesAlong<D> select(bool chosen, const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  return chosen ? a : b;
}

TENON_ISA_END
}  // namespace tenon
