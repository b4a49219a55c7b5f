// One joint of the articulated-body method (equations in articulated_body.hpp): eliminated in the inward
// sweep, solved in the outward sweep.
#pragma once

#include "kernels/joint/joint.hpp"
#include "spatial/small_ldl.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct ParentShare {
  ArticulatedInertia<T> IA;
  Force<T> pA;
};

// a - x y^T for y = s x, so that the product is symmetric.
template <class T>
TENON_INLINE void subtract_outer(ArticulatedInertia<T>& a, const Force<T>& x, const Force<T>& y) {
  a.I.xx = a.I.xx - x.n.x * y.n.x, a.I.xy = a.I.xy - x.n.x * y.n.y, a.I.xz = a.I.xz - x.n.x * y.n.z;
  a.I.yy = a.I.yy - x.n.y * y.n.y, a.I.yz = a.I.yz - x.n.y * y.n.z, a.I.zz = a.I.zz - x.n.z * y.n.z;
  a.H.xx = a.H.xx - x.n.x * y.f.x, a.H.xy = a.H.xy - x.n.x * y.f.y, a.H.xz = a.H.xz - x.n.x * y.f.z;
  a.H.yx = a.H.yx - x.n.y * y.f.x, a.H.yy = a.H.yy - x.n.y * y.f.y, a.H.yz = a.H.yz - x.n.y * y.f.z;
  a.H.zx = a.H.zx - x.n.z * y.f.x, a.H.zy = a.H.zy - x.n.z * y.f.y, a.H.zz = a.H.zz - x.n.z * y.f.z;
  a.M.xx = a.M.xx - x.f.x * y.f.x, a.M.xy = a.M.xy - x.f.x * y.f.y, a.M.xz = a.M.xz - x.f.x * y.f.z;
  a.M.yy = a.M.yy - x.f.y * y.f.y, a.M.yz = a.M.yz - x.f.y * y.f.z, a.M.zz = a.M.zz - x.f.z * y.f.z;
}
template <class T>
TENON_INLINE Force<T> scaled(const T& s, const Force<T>& f) {
  return {s * f.n, s * f.f};
}
template <class T>
TENON_INLINE T dot(const Force<T>& f, const Motion<T>& m) {
  return dot(m, f);
}

// Eliminates the joint of node i: stores U and D, and turns IA into the share of the parent, still in body
// coordinates. With forces, does the same for u and pA; without, does not read c, tau and pA. Returns false
// if D is not positive definite. loops: the model may have folded rotors.
template <class J, bool armature, bool loops, bool forces, class T, class Model>
TENON_INLINE bool eliminate_joint(const Model& m, int i, const Motion<T>& c, const T* tau, ParentShare<T>& h,
                                  WorkspaceData<T>& w) {
  const auto& n = m.nodes[i];
  T* U = w.U + 6 * n.v_index;
  T* D = w.D + 6 * n.v_index;
  T* u = w.u + n.v_index;
  if constexpr (J::one_dof) {
    const auto S = J::template column<0, T>(n);
    Force<T> Ui = h.IA * S;
    const T d = armature ? dot(S, Ui) + load_armature(m, n.v_index, w) : dot(S, Ui);
    if constexpr (loops && armature && S.turns) {
      if (m.rotor_count > 0) at<S.axis>(Ui) = at<S.axis>(Ui) + T(m.spin[n.v_index]);
    }
    const T d_inv = T(1) / d;
    if constexpr (forces) {
      T force = tau[n.v_index];
      if constexpr (loops && armature) {
        if (m.rotor_count > 0) force = force - w.drive_bias[n.v_index];
      }
      u[0] = T(n.sign) * force - dot(S, h.pA);
    }
    store(U, Ui);
    D[0] = d_inv;
    subtract_outer(h.IA, Ui, scaled(d_inv, Ui));
    if constexpr (!armature) clear(h.IA, S);
    if constexpr (forces) h.pA = h.pA + h.IA * c + scaled(d_inv * u[0], Ui);
    return d > T(0);
  } else {
    constexpr int N = J::nv;
    T d[N][N];
    Force<T> Ui[N];
    bool no_armature = true;
    for_each_column<J, T>(n, [&](auto r, auto S) {
      Ui[r.value] = h.IA * S;
      store(U + 6 * r.value, Ui[r.value]);
      if constexpr (forces) u[r.value] = tau[n.v_index + r.value] - dot(S, h.pA);
      for_each_column<J, T>(n, [&](auto s, auto other) { d[r.value][s.value] = dot(other, Ui[r.value]); });
      d[r.value][r.value] = d[r.value][r.value] + load_armature(m, n.v_index + r.value, w);
      no_armature = no_armature && m.armature[n.v_index + r.value] == 0;
    });
    const bool positive = factor_ldl<N>(d);
    for (int r = 0; r < N; ++r)
      for (int s = 0; s <= r; ++s) D[6 * r + s] = d[r][s];
    if (n.parent < 0) return positive;
    if (N == 6 && no_armature) {
      // A free body propagates no inertia: Ia = 0 exactly, and its pA is the joint force.
      h.IA = {};
      if constexpr (forces) h.pA = load_force<T>(tau + n.v_index);
      return positive;
    }
    // W = U D^-1, row by row: W_row = D^-1 U_row.
    T y[6][N];
    for (int r = 0; r < N; ++r) {
      T col[6];
      store(col, Ui[r]);
      for (int e = 0; e < 6; ++e) y[e][r] = col[e];
    }
    for (int e = 0; e < 6; ++e) solve_ldl<N>(d, y[e]);
    for (int r = 0; r < N; ++r) {
      const T col[6] = {y[0][r], y[1][r], y[2][r], y[3][r], y[4][r], y[5][r]};
      subtract_outer(h.IA, Ui[r], load_force<T>(col));
    }
    if constexpr (forces) {
      T x[N];
      for (int r = 0; r < N; ++r) x[r] = u[r];
      solve_ldl<N>(d, x);
      h.pA = h.pA + h.IA * c;
      for (int r = 0; r < N; ++r) h.pA = h.pA + scaled(x[r], Ui[r]);
    }
    return positive;
  }
}

// y = D^-1 x with the factor that eliminate_joint stored.
template <class J, class T>
TENON_INLINE void solve_joint_factor(const T* D, const T* x, T* y) {
  constexpr int N = J::nv;
  if constexpr (J::one_dof) {
    y[0] = D[0] * x[0];
    return;
  }
  T d[N][N], z[N];
  for (int r = 0; r < N; ++r) {
    z[r] = x[r];
    for (int s = 0; s <= r; ++s) d[r][s] = D[6 * r + s];
  }
  solve_ldl<N>(d, z);
  for (int r = 0; r < N; ++r) y[r] = z[r];
}

// Returns a' = X a_p + c of node i.
template <class J, class T, class Node>
TENON_INLINE Motion<T> parent_acceleration(const Node& n, int i, const T* v, const WorkspaceData<T>& w) {
  T rate[J::nv];
  load_rate<J>(n, v, rate);
  return motion_to_child(J::load(n, i, w), load_motion<T>(w.a + 6 * n.parent)) +
         velocity_product_acceleration<J>(n, load_motion<T>(w.v + 6 * i), rate);
}

// The acceleration of a joint from u and a' = X a_p + c; adds S times it to a'. Writes it to qdd in the user's sign, or
// adds it there.
template <class J, bool adds = false, class T, class Node>
TENON_INLINE void solve_joint(const Node& n, Motion<T>& a, const T* u, const WorkspaceData<T>& w, T* qdd) {
  T rest[J::nv], x[J::nv];
  for (int r = 0; r < J::nv; ++r) rest[r] = u[r] - dot(a, load_force<T>(w.U + 6 * (n.v_index + r)));
  solve_joint_factor<J>(w.D + 6 * n.v_index, rest, x);
  for (int r = 0; r < J::nv; ++r) {
    const T own = J::one_dof ? T(n.sign) * x[r] : x[r];
    qdd[n.v_index + r] = adds ? qdd[n.v_index + r] + own : own;
  }
  add_motion<J>(n, a, x);
}

// to := x, number by number. In a struct that stays in memory the compiler copies by vectors of two or four
// numbers, which must wait until the single numbers are stored.
template <class T>
TENON_INLINE void assign(Sym3<T>& to, const Sym3<T>& x) {
  to.xx = x.xx, to.xy = x.xy, to.xz = x.xz, to.yy = x.yy, to.yz = x.yz, to.zz = x.zz;
}
template <class T>
TENON_INLINE void assign(ArticulatedInertia<T>& to, const ArticulatedInertia<T>& x) {
  assign(to.I, x.I);
  assign(to.M, x.M);
  to.H.xx = x.H.xx, to.H.xy = x.H.xy, to.H.xz = x.H.xz;
  to.H.yx = x.H.yx, to.H.yy = x.H.yy, to.H.yz = x.H.yz;
  to.H.zx = x.H.zx, to.H.zy = x.H.zy, to.H.zz = x.H.zz;
}
template <class T>
TENON_INLINE void assign(Force<T>& to, const Force<T>& x) {
  to.n.x = x.n.x, to.n.y = x.n.y, to.n.z = x.n.z, to.f.x = x.f.x, to.f.y = x.f.y, to.f.z = x.f.z;
}

template <class T>
TENON_INLINE ArticulatedInertia<T> load_articulated(const T* a) {
  return {
      {a[0], a[1], a[2], a[3], a[4], a[5]}, load_mat3<T>(a + 6), {a[15], a[16], a[17], a[18], a[19], a[20]}};
}
template <class T>
TENON_INLINE void store(T* a, const ArticulatedInertia<T>& m) {
  a[0] = m.I.xx, a[1] = m.I.xy, a[2] = m.I.xz, a[3] = m.I.yy, a[4] = m.I.yz, a[5] = m.I.zz;
  store(a + 6, m.H);
  a[15] = m.M.xx, a[16] = m.M.xy, a[17] = m.M.xz, a[18] = m.M.yy, a[19] = m.M.yz, a[20] = m.M.zz;
}

// Adds a share of inertia and force to the parent's in memory; first: no inertia is stored there yet.
template <bool forces = true, class T>
TENON_INLINE void add_to_memory(const ParentShare<T>& h, bool first, T* IA, T* pA) {
  if constexpr (forces) store(pA, load_force<T>(pA) + h.pA);
  store(IA, first ? h.IA : load_articulated(IA) + h.IA);
}

TENON_ISA_END
}  // namespace tenon
