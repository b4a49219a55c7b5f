// Numbers of W states side by side, as all code but kernels sees them: plain memory. In kernels they are a
// Pack<N, W> (pack.hpp), which has the same size and alignment. Sums and products are lane by lane, for what is done
// between sweeps.
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

  friend Slots operator+(const Slots& a, const Slots& b) {
    Slots sum;
    for (int i = 0; i < W; ++i) sum.x[i] = a.x[i] + b.x[i];
    return sum;
  }
  friend Slots operator*(const Slots& a, const Slots& b) {
    Slots product;
    for (int i = 0; i < W; ++i) product.x[i] = a.x[i] * b.x[i];
    return product;
  }
};

}  // namespace tenon
