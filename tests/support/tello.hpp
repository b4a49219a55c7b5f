// The Tello humanoid with its differentials (capi/examples/c/tello.h has equations and sources), whose
// functions take any scalar.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tenon/model.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {

inline constexpr double tello_ratio = 6;

// On rotor 1, rotor 2, gimbal, thigh: two rods of constant length.
template <class T>
void tello_hip(const T* q, const T* v, T* phi, T* K, T* Kdot_v) {
  using std::cos;
  using std::sin;
  const T s1 = sin(q[2]), c1 = cos(q[2]), s2 = sin(q[3]), c2 = cos(q[3]);
  for (int i = 0; i < 2; ++i) {
    const double side = i == 0 ? 1 : -1;
    const T a(57.0 / 2500), b(8.0 / 625), c(side * 7.0 / 625), e(49.0 / 5000), f(side * 399.0 / 20000);
    const T inverse(1 / tello_ratio), y = inverse * q[i], dy = inverse * v[i], d1 = v[2], d2 = v[3];
    const T sy = sin(y), cy = cos(y);
    // Products that appear more than once.
    const T rod = a * c1 + b * c1 * sy - c * s1;  // of s2, subtracted
    phi[i] = a * sy - e * c1 - f * s1 - b * cy * c2 - c * sy * s1 - rod * s2 + T(3021.0 / 160000);
    K[i] = inverse * (a * cy + b * sy * c2 - c * cy * s1 - b * c1 * cy * s2);
    K[2 + i] = T(0);
    const T turned = a * s1 + c * c1 + b * s1 * sy;  // -d rod / d gimbal
    K[4 + i] = e * s1 - f * c1 - c * sy * c1 + turned * s2;
    K[6 + i] = b * cy * s2 - rod * c2;
    const T yy = b * c1 * sy * s2 + b * cy * c2 + c * sy * s1 - a * sy;
    const T y1 = b * s1 * cy * s2 - c * cy * c1, y2 = -(b * sy * s2 + b * c1 * cy * c2);
    const T l11 = e * c1 + f * s1 + c * sy * s1 + rod * s2, l12 = turned * c2, l22 = b * cy * c2 + rod * s2;
    Kdot_v[i] =
        dy * (yy * dy + T(2) * (y1 * d1 + y2 * d2)) + d1 * (l11 * d1 + T(2) * (l12 * d2)) + l22 * d2 * d2;
  }
  K[3] = K[1];  // of rod 2 by rotor 2
  K[1] = T(0);
}

// On rotor 1, rotor 2, shin, foot.
template <class T>
void tello_knee_ankle(const T* q, const T* v, T* phi, T* K, T* Kdot_v) {
  using std::cos;
  using std::sin;
  const double p = 3.1415;
  const T half(0.5 / tello_ratio), d = half * (q[0] - q[1]), l2 = q[3];
  const T A(21.0 / 6250), B(13.0 / 625), C(7.0 / 2500), D(91.0 / 5000), E(147.0 / 50000);
  const T a = d + T(1979 * p / 4500), b = d + T(493 * p / 1500), c = d + l2 + T(231 * p / 500);
  const T e = l2 + T(2 * p / 15), f = l2 + T(p / 45);
  const T Aca = A * cos(a), Bcb = B * cos(b), Csc = C * sin(c), Dse = D * sin(e), Esf = E * sin(f);
  phi[0] = Aca - Bcb - Csc + Dse - Esf + T(163349.0 / 6250000 - 273.0 / 12500 * std::cos(p / 9));
  phi[1] = q[2] - half * (q[0] + q[1]);
  const T Ccc = C * cos(c), by_d = B * sin(b) - A * sin(a) - Ccc, by_l2 = D * cos(e) - Ccc - E * cos(f);
  K[0] = half * by_d, K[1] = -half, K[2] = -(half * by_d), K[3] = -half;
  K[4] = T(0), K[5] = T(1), K[6] = by_l2, K[7] = T(0);
  const T dd = half * (v[0] - v[1]), sum = dd + v[3];
  Kdot_v[0] = (Bcb - Aca) * dd * dd + Csc * sum * sum + (Esf - Dse) * v[3] * v[3];
  Kdot_v[1] = T(0);
}

inline Mechanism tello() {
  Mechanism m = load_urdf(std::string(TENON_MODELS_DIR) + "/tello.urdf");
  for (const std::string side : {"left", "right"}) {
    const auto add = [&](const char* name, const std::vector<std::string>& joints, auto function) {
      MechanismImplicit differential;
      differential.name = side + name;
      for (const std::string& joint : joints) differential.joints.push_back(side + joint);
      differential.rows = 2;
      differential.evaluate = function;
      m.implicits.push_back(differential);
    };
    add("-hip-differential",
        {"-hip-clamp-to-hip-rotor-1", "-hip-clamp-to-hip-rotor-2", "-hip-clamp-to-gimbal",
         "-gimbal-to-thigh"},
        tello_hip<double>);
    add("-knee-ankle-differential",
        {"-thigh-to-knee-ankle-rotor-1", "-thigh-to-knee-ankle-rotor-2", "-thigh-to-shin", "-shin-to-foot"},
        tello_knee_ankle<double>);
  }
  return m;
}

}  // namespace tenon::testing
