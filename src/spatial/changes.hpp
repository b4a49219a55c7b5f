// Numbers with exact derivatives along several directions at a time (forward mode): the T of kernels whose results are
// differentiated once more. A value x and changes d with d_i d_j = 0: seven, which with the value fill whole registers, or one.
// Comparisons are of values, so branches are those of a plain number.
#pragma once

#include <cmath>

#include "spatial/isa.hpp"

namespace tenon {

// D: 1 or 7.
template <int D>
struct alignas(8 * (D + 1)) ChangesAlong {
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

TENON_ISA_BEGIN

// The changes alone, beside another value.
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
template <int D>
TENON_INLINE ChangesAlong<D> operator*(const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  return ChangesAlong<D>(b.n * a.value() + with_value(a, 0).n * b.value());
}
template <int D>
TENON_INLINE ChangesAlong<D> operator/(const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  const double inverse = 1 / b.value();
  return scaled(ChangesAlong<D>(a.n - with_value(b, 0).n * (a.value() * inverse)), inverse);
}
template <int D>
TENON_INLINE bool operator>(const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  return a.value() > b.value();
}
template <int D>
TENON_INLINE bool operator<(const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  return a.value() < b.value();
}
template <int D>
TENON_INLINE bool operator>=(const ChangesAlong<D>& a, const ChangesAlong<D>& b) {
  return a.value() >= b.value();
}

// f(a), with its derivative there.
template <int D>
TENON_INLINE ChangesAlong<D> applied(const ChangesAlong<D>& a, double f, double derivative) {
  return with_value(scaled(a, derivative), f);
}
template <int D>
TENON_INLINE ChangesAlong<D> sqrt(const ChangesAlong<D>& a) {
  const double root = std::sqrt(a.value());
  return applied(a, root, 0.5 / root);
}
template <int D>
TENON_INLINE ChangesAlong<D> square_root(const ChangesAlong<D>& a) {
  return sqrt(a);
}
template <int D>
TENON_INLINE ChangesAlong<D> tan(const ChangesAlong<D>& a) {
  const double t = std::tan(a.value());
  return applied(a, t, 1 + t * t);
}
template <int D>
TENON_INLINE ChangesAlong<D> atan2(const ChangesAlong<D>& y, const ChangesAlong<D>& x) {
  const double a = x.value(), b = y.value(), square = a * a + b * b;
  return with_value(ChangesAlong<D>(y.n * (a / square) - x.n * (b / square)), std::atan2(b, a));
}
template <int D>
TENON_INLINE ChangesAlong<D> sin(const ChangesAlong<D>& a) {
  return applied(a, std::sin(a.value()), std::cos(a.value()));
}
template <int D>
TENON_INLINE ChangesAlong<D> cos(const ChangesAlong<D>& a) {
  return applied(a, std::cos(a.value()), -std::sin(a.value()));
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
