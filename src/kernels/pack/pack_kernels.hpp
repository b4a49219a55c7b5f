// Compiles PackKernels (pack_table.hpp) for packs of TENON_PACK_BYTES, the width of the registers of the
// instruction set. One translation unit for each precision.
#pragma once

#include "kernels/joint/integrate.hpp"
#include "kernels/joint/sincos.hpp"
#include "kernels/pack/constrained_pack.hpp"
#include "kernels/pack/crba_pack.hpp"
#include "kernels/pack/delassus_pack.hpp"
#include "kernels/pack/exchange_pack.hpp"
#include "kernels/pack/loops_pack.hpp"
#include "kernels/pack/pack_loops.hpp"
#include "kernels/pack/step_pack.hpp"
#include "kernels/tree/kinematics.hpp"
#include "kernels/tree/rnea.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Models with loops are computed in double precision.
template <class T>
void loops_of_states(const ModelData& m, const T* q, const T* v, T& largest, WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) largest = cluster_constraints_of_states(m, q, v, w);
}

template <class T>
void close_loops_of_states(const ModelData& m, T* q, T& largest, T& gap, WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) close_clusters_of_states(m, q, largest, gap, w);
}

template <class T>
void frame_motion(const ModelData& m, int node, const double* R_in_body, const double* p_in_body,
                  bool world_axes, T* R, T* p, T* V, T* A, T* J, const WorkspaceData<T>& w) {
  const Mat3<T> body_link = load_mat3<T>(R_in_body), R0 = load_mat3<T>(w.R0 + 9 * node);
  const Vec3<T> in_body = load_vec3<T>(p_in_body);
  const Mat3<T> world = R0 * body_link;
  store(R, world);
  store(p, load_vec3<T>(w.p0 + 3 * node) + R0 * in_body);
  const T o(0), e(1);
  if (V || A) {
    const Motion<T> v = load_motion<T>(w.v0 + 6 * node);
    const Vec3<T> linear = v.v + cross(v.w, in_body);
    const auto turned = [&](const Vec3<T>& x) { return world_axes ? R0 * x : transpose_times(body_link, x); };
    if (V) store(V, Motion<T>{turned(v.w), turned(linear)});
    if (A) {
      const Motion<T> a = load_motion<T>(w.a0 + 6 * node);
      store(A, Motion<T>{turned(a.w), turned(a.v + cross(a.w, in_body) + cross(v.w, linear))});
    }
  }
  if (!J) return;
  T axes[9];
  store(axes, world_axes ? Mat3<T>{e, o, o, o, e, o, o, o, e} : world);
  frame_jacobian(m, node, p, axes, J, 6, w);
}

template <class Io, class T>
constexpr PackExchange<Io, T> pack_exchange() {
  return {TENON_PACK_EXCHANGE(TENON_KERNEL_NAME)};
}

template <class N>
const PackKernels<N, TENON_PACK_BYTES / static_cast<int>(sizeof(N))>& pack_kernels() {
  using T = Pack<N, TENON_PACK_BYTES / static_cast<int>(sizeof(N))>;
  static constexpr PackKernels<N, T::width> table = {
      TENON_PACK_KERNELS(TENON_KERNEL_NAME) pack_exchange<N, T>(), pack_exchange<float, T>()};
  return table;
}

TENON_ISA_END
}  // namespace tenon
