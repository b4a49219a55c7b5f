// Compiles a group of kernels (kernels/kernel_table.hpp). <group>_kernels.cpp of its folder does so once
// for each instruction set, and once for recorders (src/CMakeLists.txt).
#pragma once

#include "kernels/kernel_table.hpp"

#ifdef TENON_FOR_RECORDERS
#include "scalar/recorded.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace trace {

// Four recorders in place of a vector of four numbers.
struct FourRecorded {
  Recorded x[4];
  const Recorded& operator[](int i) const { return x[i]; }
};
template <class F>
FourRecorded each_of_four(const F& f) {
  return {{f(0), f(1), f(2), f(3)}};
}
inline FourRecorded operator+(const FourRecorded& a, const FourRecorded& b) {
  return each_of_four([&](int i) { return a[i] + b[i]; });
}
inline FourRecorded operator-(const FourRecorded& a, const FourRecorded& b) {
  return each_of_four([&](int i) { return a[i] - b[i]; });
}
inline FourRecorded operator-(const FourRecorded& a) {
  return each_of_four([&](int i) { return -a[i]; });
}
inline FourRecorded operator*(const FourRecorded& a, const FourRecorded& b) {
  return each_of_four([&](int i) { return a[i] * b[i]; });
}

}  // namespace trace

template <>
struct FourOf<trace::Recorded> {
  using type = trace::FourRecorded;
  template <int i, int j, int k, int l>
  static void shuffle(const type& a, const type& b, type& out) {
    const auto lane = [&](int n) { return n < 4 ? a[n] : b[n - 4]; };
    out = {{lane(i), lane(j), lane(k), lane(l)}};
  }
};

}  // namespace tenon

#define TENON_SCALAR trace::Recorded
#else
#define TENON_SCALAR double
#endif

// Defines the function that returns the group. Arguments: its kernels in the order of the struct.
#define TENON_KERNEL_GROUP(Group, function, ...)                \
  namespace tenon {                                             \
  TENON_ISA_BEGIN                                               \
  template <class T>                                            \
  const Group<T>& function() {                                  \
    static constexpr Group<T> table = {__VA_ARGS__};            \
    return table;                                               \
  }                                                             \
  template const Group<TENON_SCALAR>& function<TENON_SCALAR>(); \
  TENON_ISA_END                                                 \
  }
