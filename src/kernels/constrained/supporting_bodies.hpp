// Supporting bodies: those that rows act on, and their ancestors. The inward sweep of constrained_aba keeps
// apart what rows do not change: the base of a supporting body is its own inertia and bias force, with the articulated
// ones of all children that support no rows. So the motion that it finds can be judged from the bases, whatever rows
// added to the articulated inertias.
#pragma once

#include "kernels/tree/articulated_body.hpp"
#include "spatial/ordered.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- the inward sweep

// As sweep_inwards, pass(i, h, inside, supports), with these flags of the nodes, but what supporting children add goes
// through IA and pS: IB and pA keep the base. IB is its inertia where some child supports no rows; elsewhere it is the
// inertia of the body.
template <bool loops, class T, class Model, class Pass>
TENON_INLINE bool sweep_supports_inwards(const Model& m, const std::int32_t* node_flags, WorkspaceData<T>& w,
                                         const Pass& pass) {
  return visit_inwards<loops, T>(m, [&](int i, ParentShare<T>& h, auto inside) TENON_INLINE_LAMBDA {
    const auto& n = m.nodes[i];
    const std::int32_t flags = node_flags[i];
    const RigidInertia<T> body = load_body<loops>(m, i, w);
    if (flags & node_carries) {
      assign(h.IA, h.IA + body);
      assign(h.pA, h.pA + load_force<T>(w.pA + 6 * i));
    } else {
      assign(h.IA, articulated(body));
      assign(h.pA, load_force<T>(w.pA + 6 * i));
    }
    if (flags & (node_has_base | node_collects)) {
      if (flags & node_has_base) {
        const ArticulatedInertia<T> of_children = load_articulated(w.IB + 21 * i);
        store(w.IB + 21 * i, of_children + body);
        assign(h.IA, h.IA + of_children);
      }
      if (flags & node_collects) {
        assign(h.IA, h.IA + load_articulated(w.IA + 21 * i));
        if (flags & node_supports) h.pA = h.pA + load_force<T>(w.pS + 6 * i);
      }
    }
    const bool positive = pass(i, h, inside, (flags & node_supports) != 0);
    if (n.parent < 0 || !(flags & node_adds_to_memory)) return positive;
    const bool first = flags & node_first_to_store;
    T *IA = w.IA, *pA = w.pA;
    if (flags & node_supports) {
      pA = w.pS;
      if (first) store(pA + 6 * n.parent, Force<T>{});
    } else if (node_flags[n.parent] & node_supports) {
      IA = w.IB;
    }
    add_to_memory(h, first, IA + 21 * n.parent, pA + 6 * n.parent);
    return positive;
  });
}

// ---- the residual of a motion

// What is left of the equations of motion, M qdd + c = tau + J^T lambda, with the accelerations of the last outward sweep.
//
// The residual of a joint's equation tells what the rows' residuals do not: an error that no row sees. Relative to the terms
// of the equation it is the error of the joint's motion. A joint that rests may have no terms but rounding errors: what
// moves it by this (rad/s^2, m/s^2) without rows counts as a term: penalties may make its inertia 1e8 times as large.
inline constexpr double at_rest = 1e-5;

// The force that body i lacks: with its base, and with its rows and what is in w.f, that of supporting children.
template <class T>
struct ForceResidual {
  Force<T> of_body, sum;
};
template <bool loops, class T, class Model, class Rows>
TENON_INLINE ForceResidual<T> force_residual(const Model& m, const Rows& c, int i, const T* row_lambda,
                                             const WorkspaceData<T>& w) {
  const Motion<T> a = load_motion<T>(w.a + 6 * i);
  const Force<T> pA = load_force<T>(w.pA + 6 * i);
  ForceResidual<T> x;
  if (w.support_flags[i] & node_has_base)
    x.of_body = load_articulated(w.IB + 21 * i) * a + pA;
  else
    x.of_body = load_body<loops>(m, i, w) * a + pA;
  x.sum = x.of_body + load_force<T>(w.f + 6 * i);
  for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r)
    x.sum = x.sum - scaled(row_lambda[r], load_force<T>(w.K + 6 * r));
  return x;
}

// The largest share of a residual in the terms of its equation, over the joints that a sweep visits. Nothing is measured
// for numbers without order.
template <class T, bool loops>
class MotionError {
 public:
  // The residual of coordinate d of the joint of body i, with column S. tau and qdd have the user's sign, the result
  // that of the joint.
  template <class J, class Model, class Rows, class Column>
  TENON_INLINE T of_joint(const Model& m, const Rows& c, int i, int d, const Column& S,
                          const ForceResidual<T>& f, const T* tau, const T* qdd, WorkspaceData<T>& w) {
    const auto& n = m.nodes[i];
    const int k = n.v_index + d;
    const T sign = J::one_dof ? T(n.sign) : T(1);
    T applied = tau[k] - load_armature(m, k, w) * qdd[k];
    if (loops && m.rotor_count > 0) applied = applied + w.rotor_work[k];
    const T passed = dot(S, f.sum), residual = sign * applied - passed;
    if constexpr (is_ordered<T>) {
      const T own = dot(S, f.of_body);
      const T terms = magnitude_of(applied) + magnitude_of(own) + magnitude_of(passed - own) +
                      T(at_rest) * T(c.joint_inertia[k]);
      if (loops && cluster_of(m, i)) {
        w.joint_residual[k] = sign * residual;
        w.joint_terms[k] = terms;
      } else {
        largest_ = larger(largest_, magnitude_of(residual) / terms);
      }
    }
    return residual;
  }
  // After the joints of a cluster: in its independent coordinates.
  TENON_INLINE void of_cluster(const ClusterData& c, WorkspaceData<T>& w) {
    if constexpr (is_ordered<T>) {
      for (int y = 0; y < c.y_count; ++y) {
        T residual(0), terms(0);
        for (int k = 0; k < c.v_count; ++k) {
          const T G = w.G[c.G_begin + y * c.v_count + k];
          residual = residual + G * w.joint_residual[c.v_begin + k];
          terms = terms + magnitude_of(G) * w.joint_terms[c.v_begin + k];
        }
        largest_ = larger(largest_, magnitude_of(residual) / terms);
      }
    }
  }
  TENON_INLINE const T& largest() const { return largest_; }

 private:
  T largest_ = T(0);
};

TENON_ISA_END
}  // namespace tenon
