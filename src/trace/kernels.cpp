// The kernels compiled for recorders, in a namespace of their own like those of an instruction set
// (src/CMakeLists.txt). Packs are four recorders, one after the other.
#include "trace/kernels.hpp"

#include "spatial/lanes.hpp"

namespace tenon {
namespace trace {

struct FourRecorded {
  Recorded x[4];
  const Recorded& operator[](int i) const { return x[i]; }
};
inline FourRecorded operator+(const FourRecorded& a, const FourRecorded& b) {
  return {{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2], a.x[3] + b.x[3]}};
}
inline FourRecorded operator-(const FourRecorded& a, const FourRecorded& b) {
  return {{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2], a.x[3] - b.x[3]}};
}
inline FourRecorded operator-(const FourRecorded& a) {
  return {{-a.x[0], -a.x[1], -a.x[2], -a.x[3]}};
}
inline FourRecorded operator*(const FourRecorded& a, const FourRecorded& b) {
  return {{a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2], a.x[3] * b.x[3]}};
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

#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/constrained/constrained_kernels.hpp"
#include "kernels/constrained/joint_space_kernels.hpp"
#include "kernels/constrained/pv_kernels.hpp"
#include "kernels/delassus/damped_inverse_kernels.hpp"
#include "kernels/delassus/delassus_kernels.hpp"
#include "kernels/tree/tree_kernels.hpp"

namespace tenon::trace {
namespace {

using T = Recorded;

LoopKernels<T> loop_kernels() {
  LoopKernels<T> t{};
  t.loop_constraints = loop_constraints<T>;
  t.cluster_constraints = [](const ModelData& m, const T* q, const T* v, WorkspaceData<T>& w) {
    joint_angles(m, q, w);
    return cluster_constraints(m, q, v, w);
  };
  return t;
}

}  // namespace

const KernelTable<Recorded>& recorded_kernels() {
  static const KernelTable<Recorded> table = {tree_kernels<T>(),
                                              constrained_kernels<T>(),
                                              pv_kernels<T>(),
                                              joint_space_kernels<T>(),
                                              IndependentSpaceKernels<T>{},
                                              loop_kernels(),
                                              delassus_kernels<T>(),
                                              damped_inverse_kernels<T>(),
                                              MomentumKernels<T>{},
                                              {"recorder"}};
  return table;
}

}  // namespace tenon::trace
