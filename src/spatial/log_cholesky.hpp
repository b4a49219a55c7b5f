// The log-Cholesky chart of inertial parameters, calls/derivatives/log_cholesky.cpp, for any number.
#pragma once

#include <cmath>

namespace tenon {

// pi: m, h, xx xy xz yy yz zz of I about the origin.
template <class T>
void log_cholesky_inertia(const T* theta, T* pi) {
  using std::exp;
  const T s12 = theta[4], s23 = theta[5], s13 = theta[6], *t = theta + 7;
  const T scale = exp(T(2) * theta[0]), a = exp(theta[1]), b = exp(theta[2]), c = exp(theta[3]);
  const T xx = a * a + s12 * s12 + s13 * s13 + t[0] * t[0], yy = b * b + s23 * s23 + t[1] * t[1],
          zz = c * c + t[2] * t[2];
  pi[0] = scale;
  for (int i = 0; i < 3; ++i) pi[1 + i] = scale * t[i];
  pi[4] = scale * (yy + zz), pi[7] = scale * (xx + zz), pi[9] = scale * (xx + yy);
  pi[5] = -(scale * (s12 * b + s13 * s23 + t[0] * t[1]));
  pi[6] = -(scale * (s13 * c + t[0] * t[2]));
  pi[8] = -(scale * (s23 * c + t[1] * t[2]));
}

// dpi/dtheta, 10 x 10, column-major.
template <class T>
void log_cholesky_jacobian(const T* theta, T* J) {
  using std::exp;
  const T s12 = theta[4], s23 = theta[5], s13 = theta[6], *t = theta + 7, two(2);
  const T scale = exp(two * theta[0]), a = exp(theta[1]), b = exp(theta[2]), c = exp(theta[3]);
  for (int e = 0; e < 100; ++e) J[e] = T(0);
  log_cholesky_inertia(theta, J);
  for (int e = 0; e < 10; ++e) J[e] = two * J[e];
  // Changes of Sigma, by which I = tr(Sigma) - Sigma changes.
  const auto put = [&](int k, T xx, T xy, T xz, T yy, T yz, T zz) {
    T* to = J + 10 * k + 4;
    to[0] = scale * (yy + zz), to[3] = scale * (xx + zz), to[5] = scale * (xx + yy);
    to[1] = -(scale * xy), to[2] = -(scale * xz), to[4] = -(scale * yz);
  };
  const T o(0);
  put(1, two * a * a, o, o, o, o, o);
  put(2, o, s12 * b, o, two * b * b, o, o);
  put(3, o, o, s13 * c, o, s23 * c, two * c * c);
  put(4, two * s12, b, o, o, o, o);
  put(5, o, s13, o, two * s23, c, o);
  put(6, two * s13, s23, c, o, o, o);
  put(7, two * t[0], t[1], t[2], o, o, o);
  put(8, o, t[0], o, two * t[1], t[2], o);
  put(9, o, o, t[0], o, t[1], two * t[2]);
  for (int i = 0; i < 3; ++i) J[10 * (7 + i) + 1 + i] = scale;
}

// The inverse of the first; false where J is not positive definite.
template <class T>
bool inertia_log_cholesky(const T* pi, T* theta) {
  using std::log;
  using std::sqrt;
  const T m = pi[0], half(0.5);
  if (!(m > T(0))) return false;
  // Sigma / m less t t^T, whose factor the upper left of e^-alpha U is.
  T* t = theta + 7;
  for (int i = 0; i < 3; ++i) t[i] = pi[1 + i] / m;
  const T trace = half * (pi[4] + pi[7] + pi[9]);
  const T xx = (trace - pi[4]) / m - t[0] * t[0], yy = (trace - pi[7]) / m - t[1] * t[1],
          zz = (trace - pi[9]) / m - t[2] * t[2];
  const T xy = -pi[5] / m - t[0] * t[1], xz = -pi[6] / m - t[0] * t[2], yz = -pi[8] / m - t[1] * t[2];
  if (!(zz > T(0))) return false;
  const T c = sqrt(zz), s13 = xz / c, s23 = yz / c;
  const T b2 = yy - s23 * s23;
  if (!(b2 > T(0))) return false;
  const T b = sqrt(b2), s12 = (xy - s13 * s23) / b;
  const T a2 = xx - s12 * s12 - s13 * s13;
  if (!(a2 > T(0))) return false;
  theta[0] = half * log(m), theta[1] = half * log(a2), theta[2] = log(b), theta[3] = log(c);
  theta[4] = s12, theta[5] = s23, theta[6] = s13;
  return true;
}

}  // namespace tenon
