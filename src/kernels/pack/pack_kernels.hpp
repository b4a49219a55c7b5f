// Compiles PackKernels (pack_table.hpp) for packs of TENON_PACK_BYTES, the width of the registers of the
// instruction set. One translation unit for each precision.
#pragma once

#include "kernels/joint/sincos.hpp"
#include "kernels/pack/constrained_pack.hpp"
#include "kernels/pack/crba_pack.hpp"
#include "kernels/pack/delassus_pack.hpp"
#include "kernels/pack/exchange_pack.hpp"
#include "kernels/pack/loops_pack.hpp"
#include "kernels/pack/pack_loops.hpp"
#include "kernels/tree/kinematics.hpp"
#include "kernels/tree/rnea.hpp"
#include "model/joint_motion.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
void frame_motion(const ModelData& m, int node, const double* R_in_body, const double* p_in_body,
                  bool world_axes, T* R, T* p, T* V, T* J, const WorkspaceData<T>& w) {
  const Mat3<T> body_link = load_mat3<T>(R_in_body), R0 = load_mat3<T>(w.R0 + 9 * node);
  const Vec3<T> in_body = load_vec3<T>(p_in_body);
  const Mat3<T> world = R0 * body_link;
  store(R, world);
  store(p, load_vec3<T>(w.p0 + 3 * node) + R0 * in_body);
  const T o(0), e(1);
  if (V) {
    const Motion<T> v = load_motion<T>(w.v0 + 6 * node);
    const Vec3<T> linear = v.v + cross(v.w, in_body);
    const auto turned = [&](const Vec3<T>& x) { return world_axes ? R0 * x : transpose_times(body_link, x); };
    store(V, Motion<T>{turned(v.w), turned(linear)});
  }
  if (!J) return;
  T axes[9];
  store(axes, world_axes ? Mat3<T>{e, o, o, o, e, o, o, o, e} : world);
  frame_jacobian(m, node, p, axes, J, 6, w);
}

template <class N, int W>
struct PackKernelsOf {
  using S = Slots<N, W>;
  using P = Pack<N, W>;
  static_assert(sizeof(S) == sizeof(P) && alignof(S) == alignof(P));

  static const P* pack(const S* x) { return reinterpret_cast<const P*>(x); }
  static P* pack(S* x) { return reinterpret_cast<P*>(x); }
  static WorkspaceData<P>& pack(WorkspaceData<S>& w) { return reinterpret_cast<WorkspaceData<P>&>(w); }
  static const WorkspaceData<P>& pack(const WorkspaceData<S>& w) {
    return reinterpret_cast<const WorkspaceData<P>&>(w);
  }
  static PackedRows<P>& pack(PackedRows<S>& p) { return reinterpret_cast<PackedRows<P>&>(p); }
  static PackedDelassus<P>& pack(PackedDelassus<S>& p) { return reinterpret_cast<PackedDelassus<P>&>(p); }

  static void loops(const ModelData& m, const S* q, const S* v, S& largest, WorkspaceData<S>& w) {
    if constexpr (takes_loops<P>)
      *pack(&largest) = cluster_constraints_of_states(m, pack(q), pack(v), pack(w));
  }

  template <class Io>
  static constexpr PackExchange<Io, S> exchange() {
    return {[](const Io* const* from, std::ptrdiff_t count, std::ptrdiff_t ahead, S* to) {
              gather_states<W>(from, 0, count, ahead, pack(to));
            },
            [](const S* from, std::ptrdiff_t count, std::ptrdiff_t ahead, Io* const* to) {
              scatter_states<W>(pack(from), 0, count, ahead, to);
            },
            [](const S* x, std::ptrdiff_t count, Io largest, bool* within) {
              find_within<Io>(pack(x), count, largest, within);
            }};
  }

  static constexpr PackKernels<N, W> table() {
    using M = const ModelData&;
    using C = const ConstraintData&;
    return {[](M m, const S* q, const S* v, const S* tau, bool wrenches, S* qdd, WorkspaceData<S>& w) {
              return aba_of_states(m, pack(q), pack(v), pack(tau), wrenches, pack(qdd), pack(w));
            },
            [](M m, const S* q, const S* v, const S* a, bool wrenches, S* tau, WorkspaceData<S>& w) {
              rnea(m, pack(q), pack(v), pack(a), wrenches, pack(tau), pack(w));
            },
            [](M m, const S* q, S* H, int ld, WorkspaceData<S>& w) {
              crba_of_states(m, pack(q), pack(H), ld, pack(w));
            },
            [](M m, const S* q, const S* v, WorkspaceData<S>& w) {
              const P* none = nullptr;
              kinematics(m, pack(q), pack(v), none, pack(w));
            },
            [](M m, int node, const double* R_in_body, const double* p_in_body, bool world_axes, S* R, S* p,
               S* V, S* J, const WorkspaceData<S>& w) {
              frame_motion(m, node, R_in_body, p_in_body, world_axes, pack(R), pack(p), pack(V), pack(J),
                           pack(w));
            },
            [](M m, const S* v, double dt, S* q) { integrate_joints(m, pack(v), dt, pack(q)); },
            [](M m, const S* u, double h, S* v) { add_brackets(m, pack(u), h, pack(v)); },
            [](M m, C c, const S* q, const S* v, const S* tau, bool wrenches, S* qdd, PackedRows<S>& rows,
               WorkspaceData<S>& w) {
              return constrained_start(m, c, pack(q), pack(v), pack(tau), wrenches, pack(qdd), pack(rows),
                                       pack(w));
            },
            [](M m, C c, const S* tau, S* qdd, PackedRows<S>& rows, WorkspaceData<S>& w) {
              constrained_refine(m, c, pack(tau), pack(qdd), pack(rows), pack(w));
            },
            [](M m, C c, const S* v, S* qdd, WorkspaceData<S>& w) {
              constrained_aba_finish(m, c, pack(v), pack(qdd), pack(w));
            },
            [](M m, C c, const S* q, PackedDelassus<S>& d, S* A, WorkspaceData<S>& w) {
              return delassus_of_states(m, c, pack(q), pack(d), pack(A), pack(w));
            },
            [](int rows, const double* damping, S* A, S* X, int columns) {
              return solve_damped(rows, damping, pack(A), pack(X), columns);
            },
            takes_loops<P> ? loops : nullptr,
            exchange<N>(),
            exchange<float>()};
  }
};

template <class N>
const PackKernels<N, TENON_PACK_BYTES / static_cast<int>(sizeof(N))>& pack_kernels() {
  static constexpr auto table = PackKernelsOf<N, TENON_PACK_BYTES / static_cast<int>(sizeof(N))>::table();
  return table;
}

TENON_ISA_END
}  // namespace tenon
