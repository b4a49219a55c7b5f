// Numbers of W states side by side, as all code but kernels sees them: plain memory. In kernels they are a
// Pack<N, W> (pack.hpp), which has the same size and alignment.
#pragma once

namespace tenon {

template <class N, int W>
struct alignas(sizeof(N) * W) Slots {
  using Number = N;
  static constexpr int width = W;
  N x[W];

  Slots() = default;
  explicit Slots(double s) {
    for (N& e : x) e = static_cast<N>(s);
  }
  N& operator[](int lane) { return x[lane]; }
  const N& operator[](int lane) const { return x[lane]; }
};

}  // namespace tenon
