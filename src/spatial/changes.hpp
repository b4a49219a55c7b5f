// Numbers with exact derivatives along several directions at a time (forward mode): the T of kernels whose results are
// differentiated once more. A value x and seven changes d with d_i d_j = 0; the eight fill whole registers. Comparisons are
// of values, so branches are those of a plain number.
#pragma once

#include <cmath>

#include "spatial/isa.hpp"

namespace tenon {

struct alignas(64) Changes {
  static constexpr int directions = 7;
#if defined(__GNUC__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
  typedef double Numbers __attribute__((vector_size(64), may_alias));
  Numbers n;  // x, then d
  TENON_INLINE double& operator[](int i) {
    return reinterpret_cast<double*>(&n)[i];
  }
  TENON_INLINE const double& operator[](int i) const {
    return reinterpret_cast<const double*>(&n)[i];
  }
#else
  struct Numbers {
    double x[8];
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
      for (int i = 0; i < 8; ++i) r.x[i] = number(i);
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

  Changes() = default;
  TENON_INLINE explicit Changes(double x) : n{x, 0, 0, 0, 0, 0, 0, 0} {}
  TENON_INLINE explicit Changes(const Numbers& numbers) : n(numbers) {}
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

TENON_ISA_BEGIN

// The changes alone, beside another value.
TENON_INLINE Changes with_value(const Changes& a, double x) {
  Changes r = a;
  r[0] = x;
  return r;
}
TENON_INLINE Changes scaled(const Changes& a, double s) {
  return Changes(a.n * s);
}

TENON_INLINE Changes operator+(const Changes& a, const Changes& b) {
  return Changes(a.n + b.n);
}
TENON_INLINE Changes operator-(const Changes& a, const Changes& b) {
  return Changes(a.n - b.n);
}
TENON_INLINE Changes operator-(const Changes& a) {
  return Changes(-a.n);
}
TENON_INLINE Changes operator*(const Changes& a, const Changes& b) {
  return Changes(b.n * a.value() + with_value(a, 0).n * b.value());
}
TENON_INLINE Changes operator/(const Changes& a, const Changes& b) {
  const double inverse = 1 / b.value();
  return scaled(Changes(a.n - with_value(b, 0).n * (a.value() * inverse)), inverse);
}
TENON_INLINE bool operator>(const Changes& a, const Changes& b) {
  return a.value() > b.value();
}
TENON_INLINE bool operator<(const Changes& a, const Changes& b) {
  return a.value() < b.value();
}
TENON_INLINE bool operator>=(const Changes& a, const Changes& b) {
  return a.value() >= b.value();
}

// f(a), with its derivative there.
TENON_INLINE Changes applied(const Changes& a, double f, double derivative) {
  return with_value(scaled(a, derivative), f);
}
TENON_INLINE Changes sqrt(const Changes& a) {
  const double root = std::sqrt(a.value());
  return applied(a, root, 0.5 / root);
}
TENON_INLINE Changes square_root(const Changes& a) {
  return sqrt(a);
}
TENON_INLINE Changes tan(const Changes& a) {
  const double t = std::tan(a.value());
  return applied(a, t, 1 + t * t);
}
TENON_INLINE Changes atan2(const Changes& y, const Changes& x) {
  const double a = x.value(), b = y.value(), square = a * a + b * b;
  return with_value(Changes(y.n * (a / square) - x.n * (b / square)), std::atan2(b, a));
}
TENON_INLINE void sin_cos(const Changes& angle, Changes& sine, Changes& cosine) {
  const double s = std::sin(angle.value()), c = std::cos(angle.value());
  sine = applied(angle, s, c), cosine = applied(angle, c, -s);
}
// Found by joint_angles (kernels/joint/angles.hpp).
inline void sin_cos(const Changes* angle, Changes* sine, Changes* cosine, int count) {
  for (int i = 0; i < count; ++i) sin_cos(angle[i], sine[i], cosine[i]);
}

// As spatial/ordered.hpp has them for plain numbers.
TENON_INLINE Changes larger(const Changes& a, const Changes& b) {
  return a > b ? a : b;
}
TENON_INLINE Changes magnitude_of(const Changes& a) {
  return a.value() < 0 ? -a : a;
}
TENON_INLINE Changes select(bool chosen, const Changes& a, const Changes& b) {
  return chosen ? a : b;
}

TENON_ISA_END
}  // namespace tenon
