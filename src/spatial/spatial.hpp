// Spatial algebra, generic in the scalar T (double, float, a pack of states, a recorder of operations).
//
// Conventions (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 2): motion vectors [angular; linear
// at the frame origin], force vectors [moment about the origin; force]. A transform X_parent_child holds the
// rotation R from child to parent coordinates and the position p of the child origin in the parent. All types
// are plain values; nothing here allocates or branches on values. Rotations have three types, so that a sweep
// does not pay for what the compiled model knows: RotIdentity, RotAxis<K> (about a coordinate axis: 6 flops
// for a vector instead of 15), Rot3 (general).
#pragma once

#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct Vec3 {
  T x, y, z;
};

template <class T>
TENON_SMALL Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
TENON_SMALL Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
TENON_SMALL Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
TENON_SMALL Vec3<T> operator*(const T& s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
TENON_SMALL T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
TENON_SMALL Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// 3x3, row by row.
template <class T>
struct Mat3 {
  T xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

template <class T>
TENON_SMALL Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
          a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
template <class T>
TENON_SMALL Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& v) {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.yx * v.x + a.yy * v.y + a.yz * v.z,
          a.zx * v.x + a.zy * v.y + a.zz * v.z};
}
template <class T>
TENON_SMALL Vec3<T> transpose_times(const Mat3<T>& a, const Vec3<T>& v) {
  return {a.xx * v.x + a.yx * v.y + a.zx * v.z, a.xy * v.x + a.yy * v.y + a.zy * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}
template <class T>
TENON_SMALL Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
          a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
          a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
          a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
          a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
}
template <class T>
TENON_SMALL Mat3<T> transpose(const Mat3<T>& a) {
  return {a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz};
}

// Symmetric 3x3.
template <class T>
struct Sym3 {
  T xx, xy, xz, yy, yz, zz;
};

template <class T>
TENON_SMALL Sym3<T> operator+(const Sym3<T>& a, const Sym3<T>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class T>
TENON_SMALL Vec3<T> operator*(const Sym3<T>& a, const Vec3<T>& v) {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}

// Motion vector: velocity or acceleration of a body. Force vector: wrench on a body.
template <class T>
struct Motion {
  Vec3<T> w, v;
};
template <class T>
struct Force {
  Vec3<T> n, f;
};

template <class T>
TENON_SMALL Motion<T> operator+(const Motion<T>& a, const Motion<T>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class T>
TENON_SMALL Motion<T> operator-(const Motion<T>& a, const Motion<T>& b) {
  return {a.w - b.w, a.v - b.v};
}
template <class T>
TENON_SMALL Force<T> operator+(const Force<T>& a, const Force<T>& b) {
  return {a.n + b.n, a.f + b.f};
}
template <class T>
TENON_SMALL Force<T> operator-(const Force<T>& a, const Force<T>& b) {
  return {a.n - b.n, a.f - b.f};
}
template <class T>
TENON_SMALL T dot(const Motion<T>& m, const Force<T>& f) {
  return dot(m.w, f.n) + dot(m.v, f.f);
}
// v x m (motion cross motion) and v x* f (motion cross force).
template <class T>
TENON_SMALL Motion<T> cross(const Motion<T>& v, const Motion<T>& m) {
  return {cross(v.w, m.w), cross(v.w, m.v) + cross(v.v, m.w)};
}
template <class T>
TENON_SMALL Force<T> cross_force(const Motion<T>& v, const Force<T>& f) {
  return {cross(v.w, f.n) + cross(v.v, f.f), cross(v.w, f.f)};
}

// ---- element access by compile-time index: 0..2 angular / moment, 3..5 linear / force

template <int I, class T>
TENON_SMALL T& at(Vec3<T>& a) {
  using V = Vec3<T>;
  constexpr T V::*members[] = {&V::x, &V::y, &V::z};
  return a.*members[I];
}
template <int I, class T>
TENON_SMALL T& at(Motion<T>& a) {
  return at<I % 3>(I < 3 ? a.w : a.v);
}
template <int I, class T>
TENON_SMALL T& at(Force<T>& a) {
  return at<I % 3>(I < 3 ? a.n : a.f);
}
template <int I, int J, class T>
TENON_SMALL T& at(Sym3<T>& a) {
  using S = Sym3<T>;
  constexpr T S::*members[3][3] = {
      {&S::xx, &S::xy, &S::xz}, {&S::xy, &S::yy, &S::yz}, {&S::xz, &S::yz, &S::zz}};
  return a.*members[I][J];
}
template <int I, int J, class T>
TENON_SMALL T& at(Mat3<T>& a) {
  using M = Mat3<T>;
  constexpr T M::*members[3][3] = {
      {&M::xx, &M::xy, &M::xz}, {&M::yx, &M::yy, &M::yz}, {&M::zx, &M::zy, &M::zz}};
  return a.*members[I][J];
}
// The same for constant vectors and matrices.
template <int... indices, class V>
TENON_SMALL const auto& at(const V& a) {
  return at<indices...>(const_cast<V&>(a));
}

// ---- rotations

struct RotIdentity {};

// About coordinate axis K: coordinates I, J are the other two, in right-handed order.
template <int K, class T>
struct RotAxis {
  static constexpr int I = (K + 1) % 3, J = (K + 2) % 3;
  T c, s;
};

template <class T>
struct Rot3 {
  Mat3<T> R;
};

// rotate: child coordinates -> parent coordinates (R v). unrotate: parent -> child (R^T v).
template <class T>
TENON_SMALL Vec3<T> rotate(RotIdentity, const Vec3<T>& v) {
  return v;
}
template <class T>
TENON_SMALL Vec3<T> unrotate(RotIdentity, const Vec3<T>& v) {
  return v;
}
template <int K, class T>
TENON_SMALL Vec3<T> rotate(const RotAxis<K, T>& r, const Vec3<T>& v) {
  constexpr int I = RotAxis<K, T>::I, J = RotAxis<K, T>::J;
  Vec3<T> o;
  at<K>(o) = at<K>(v);
  at<I>(o) = r.c * at<I>(v) - r.s * at<J>(v);
  at<J>(o) = r.s * at<I>(v) + r.c * at<J>(v);
  return o;
}
template <int K, class T>
TENON_SMALL Vec3<T> unrotate(const RotAxis<K, T>& r, const Vec3<T>& v) {
  return rotate(RotAxis<K, T>{r.c, -r.s}, v);
}
template <class T>
TENON_SMALL Vec3<T> rotate(const Rot3<T>& r, const Vec3<T>& v) {
  return r.R * v;
}
template <class T>
TENON_SMALL Vec3<T> unrotate(const Rot3<T>& r, const Vec3<T>& v) {
  return transpose_times(r.R, v);
}

// A R for a general A: the rotation of a grandchild.
template <class T>
TENON_SMALL Mat3<T> compose(const Mat3<T>& A, RotIdentity) {
  return A;
}
template <class T>
TENON_SMALL Mat3<T> compose(const Mat3<T>& A, const Rot3<T>& r) {
  return A * r.R;
}
template <int K, class T>
TENON_SMALL Mat3<T> compose(const Mat3<T>& A, const RotAxis<K, T>& r) {
  constexpr int I = RotAxis<K, T>::I, J = RotAxis<K, T>::J;
  Mat3<T> o;
  at<0, K>(o) = at<0, K>(A), at<1, K>(o) = at<1, K>(A), at<2, K>(o) = at<2, K>(A);
  at<0, I>(o) = r.c * at<0, I>(A) + r.s * at<0, J>(A), at<0, J>(o) = r.c * at<0, J>(A) - r.s * at<0, I>(A);
  at<1, I>(o) = r.c * at<1, I>(A) + r.s * at<1, J>(A), at<1, J>(o) = r.c * at<1, J>(A) - r.s * at<1, I>(A);
  at<2, I>(o) = r.c * at<2, I>(A) + r.s * at<2, J>(A), at<2, J>(o) = r.c * at<2, J>(A) - r.s * at<2, I>(A);
  return o;
}

// R A R^T for symmetric and for full A.
template <class Matrix>
TENON_SMALL Matrix congruence(RotIdentity, const Matrix& a) {
  return a;
}
template <int K, class T>
TENON_SMALL Sym3<T> congruence(const RotAxis<K, T>& r, const Sym3<T>& a) {
  constexpr int I = RotAxis<K, T>::I, J = RotAxis<K, T>::J;
  const T &c = r.c, &s = r.s;
  // [ii ij; ij jj] turned by the double angle: with d = s (ii - jj) + 2 c ij computed once, three products
  // fewer than the plain form.
  const T d = s * (at<I, I>(a) - at<J, J>(a)) + (c + c) * at<I, J>(a);
  const T sd = s * d;
  Sym3<T> o;
  at<K, K>(o) = at<K, K>(a);
  at<I, I>(o) = at<I, I>(a) - sd;
  at<J, J>(o) = at<J, J>(a) + sd;
  at<I, J>(o) = c * d - at<I, J>(a);
  at<I, K>(o) = c * at<I, K>(a) - s * at<J, K>(a);
  at<J, K>(o) = s * at<I, K>(a) + c * at<J, K>(a);
  return o;
}
template <int K, class T>
TENON_SMALL Mat3<T> congruence(const RotAxis<K, T>& r, const Mat3<T>& a) {
  constexpr int I = RotAxis<K, T>::I, J = RotAxis<K, T>::J;
  const T &c = r.c, &s = r.s;
  Mat3<T> o;
  at<K, K>(o) = at<K, K>(a);
  at<I, K>(o) = c * at<I, K>(a) - s * at<J, K>(a);
  at<J, K>(o) = s * at<I, K>(a) + c * at<J, K>(a);
  at<K, I>(o) = c * at<K, I>(a) - s * at<K, J>(a);
  at<K, J>(o) = s * at<K, I>(a) + c * at<K, J>(a);
  const T ii = c * at<I, I>(a) - s * at<J, I>(a), ij = c * at<I, J>(a) - s * at<J, J>(a);
  const T ji = s * at<I, I>(a) + c * at<J, I>(a), jj = s * at<I, J>(a) + c * at<J, J>(a);
  at<I, I>(o) = c * ii - s * ij;
  at<I, J>(o) = s * ii + c * ij;
  at<J, I>(o) = c * ji - s * jj;
  at<J, J>(o) = s * ji + c * jj;
  return o;
}
template <class T>
TENON_SMALL Mat3<T> congruence(const Rot3<T>& r, const Mat3<T>& a) {
  return (r.R * a) * transpose(r.R);
}
template <class T>
TENON_SMALL Sym3<T> congruence(const Rot3<T>& r, const Sym3<T>& a) {
  const Mat3<T>& R = r.R;
  const Vec3<T> x = a * Vec3<T>{R.xx, R.xy, R.xz};
  const Vec3<T> y = a * Vec3<T>{R.yx, R.yy, R.yz};
  const Vec3<T> z = a * Vec3<T>{R.zx, R.zy, R.zz};
  return {R.xx * x.x + R.xy * x.y + R.xz * x.z, R.yx * x.x + R.yy * x.y + R.yz * x.z,
          R.zx * x.x + R.zy * x.y + R.zz * x.z, R.yx * y.x + R.yy * y.y + R.yz * y.z,
          R.zx * y.x + R.zy * y.y + R.zz * y.z, R.zx * z.x + R.zy * z.y + R.zz * z.z};
}

// ---- transforms

// X_parent_child.
template <class Rot, class T>
struct Transform {
  Rot R;
  Vec3<T> p;
};

// The transform of a grandchild.
template <class Rot, class T>
TENON_SMALL Transform<Rot3<T>, T> compose(const Transform<Rot3<T>, T>& A, const Transform<Rot, T>& X) {
  return {{compose(A.R.R, X.R)}, A.p + A.R.R * X.p};
}

// Motion from parent to child coordinates (Featherstone Eq. 2.24).
template <class Rot, class T>
TENON_SMALL Motion<T> motion_to_child(const Transform<Rot, T>& X, const Motion<T>& m) {
  return {unrotate(X.R, m.w), unrotate(X.R, m.v + cross(m.w, X.p))};
}
template <class Rot, class T>
TENON_SMALL Motion<T> motion_to_parent(const Transform<Rot, T>& X, const Motion<T>& m) {
  const Vec3<T> w = rotate(X.R, m.w);
  return {w, rotate(X.R, m.v) - cross(w, X.p)};
}
// Force on the child in parent coordinates (Featherstone Eq. 2.25).
template <class Rot, class T>
TENON_SMALL Force<T> force_to_parent(const Transform<Rot, T>& X, const Force<T>& f) {
  const Vec3<T> g = rotate(X.R, f.f);
  return {rotate(X.R, f.n) + cross(X.p, g), g};
}
template <class Rot, class T>
TENON_SMALL Force<T> force_to_child(const Transform<Rot, T>& X, const Force<T>& f) {
  return {unrotate(X.R, f.n - cross(X.p, f.f)), unrotate(X.R, f.f)};
}

// ---- inertias

// Rigid body: mass m, first moment h = m c, rotational inertia I about the frame origin (not about c).
template <class T>
struct RigidInertia {
  T m;
  Vec3<T> h;
  Sym3<T> I;
};

template <class T>
TENON_SMALL RigidInertia<T> operator+(const RigidInertia<T>& a, const RigidInertia<T>& b) {
  return {a.m + b.m, a.h + b.h, a.I + b.I};
}
// I v = [I w + h x v; m v - h x w].
template <class T>
TENON_SMALL Force<T> operator*(const RigidInertia<T>& a, const Motion<T>& v) {
  return {a.I * v.w + cross(a.h, v.v), a.m * v.v - cross(a.h, v.w)};
}
// v x* (I v), the velocity-product force of a rigid body. With n = I w + h x v and f = m v + w x h, the
// moment is w x n + v x f and the force w x f.
template <class T>
TENON_SMALL Force<T> velocity_product(const RigidInertia<T>& a, const Motion<T>& v) {
  return cross_force(v, a * v);
}
// Child inertia in parent coordinates. With h' = R h and I' = R I R^T about the child origin:
// I_parent = I' - p x (h' x) - (h' + m p) x (p x), each product symmetrised (Featherstone Eq. 2.66).
template <class Rot, class T>
TENON_SMALL RigidInertia<T> inertia_to_parent(const Transform<Rot, T>& X, const RigidInertia<T>& a) {
  const Vec3<T> hr = rotate(X.R, a.h);
  const Vec3<T>& p = X.p;
  const Vec3<T> h = hr + a.m * p;
  const Sym3<T> I = congruence(X.R, a.I);
  // -(p x)(hr x) - (h x)(p x) = [p.hr + p.h] 1 - hr p^T - p h^T, which is symmetric: h - hr is parallel to p.
  const T px = p.x * (h.x + hr.x), py = p.y * (h.y + hr.y), pz = p.z * (h.z + hr.z);
  return {a.m,
          h,
          {I.xx + (py + pz), I.xy - (hr.x * p.y + p.x * h.y), I.xz - (hr.x * p.z + p.x * h.z),
           I.yy + (px + pz), I.yz - (hr.y * p.z + p.y * h.z), I.zz + (px + py)}};
}

// Articulated inertia, symmetric 6x6 in 21 numbers: [I H; H^T M], I and M symmetric.
template <class T>
struct ArticulatedInertia {
  Sym3<T> I;
  Mat3<T> H;
  Sym3<T> M;
};

template <int I, int J, class T>
TENON_SMALL T& at(ArticulatedInertia<T>& a) {
  constexpr int i = I < J ? I : J, j = I < J ? J : I;
  if constexpr (j < 3)
    return at<i, j>(a.I);
  else if constexpr (i < 3)
    return at<i, j - 3>(a.H);
  else
    return at<i - 3, j - 3>(a.M);
}

template <class T>
TENON_SMALL ArticulatedInertia<T> operator+(const ArticulatedInertia<T>& a, const ArticulatedInertia<T>& b) {
  return {a.I + b.I, a.H + b.H, a.M + b.M};
}
// Adds [I, h x; -h x, m 1] to an articulated inertia.
template <class T>
TENON_SMALL ArticulatedInertia<T> operator+(const ArticulatedInertia<T>& a, const RigidInertia<T>& b) {
  return {a.I + b.I,
          {a.H.xx, a.H.xy - b.h.z, a.H.xz + b.h.y, a.H.yx + b.h.z, a.H.yy, a.H.yz - b.h.x, a.H.zx - b.h.y,
           a.H.zy + b.h.x, a.H.zz},
          {a.M.xx + b.m, a.M.xy, a.M.xz, a.M.yy + b.m, a.M.yz, a.M.zz + b.m}};
}
template <class T>
TENON_SMALL ArticulatedInertia<T> articulated(const RigidInertia<T>& b) {
  const T o(0);
  return {b.I, {o, -b.h.z, b.h.y, b.h.z, o, -b.h.x, -b.h.y, b.h.x, o}, {b.m, o, o, b.m, o, b.m}};
}
template <class T>
TENON_SMALL Force<T> operator*(const ArticulatedInertia<T>& a, const Motion<T>& v) {
  return {a.I * v.w + a.H * v.v, transpose_times(a.H, v.w) + a.M * v.v};
}
// Column J of the 6x6 matrix.
template <int J, class T>
TENON_SMALL Force<T> column(const ArticulatedInertia<T>& a) {
  return {{at<0, J>(a), at<1, J>(a), at<2, J>(a)}, {at<3, J>(a), at<4, J>(a), at<5, J>(a)}};
}
// Child inertia in parent coordinates: rotate the three blocks, then shift the origin by p. With P = p x:
// H' = H + P M, I' = I + P H'^T - H P.
template <class Rot, class T>
TENON_SMALL ArticulatedInertia<T> inertia_to_parent(const Transform<Rot, T>& X,
                                                    const ArticulatedInertia<T>& a) {
  const Sym3<T> M = congruence(X.R, a.M);
  const Mat3<T> H = congruence(X.R, a.H);
  const Sym3<T> I = congruence(X.R, a.I);
  const Vec3<T>& p = X.p;
  const Mat3<T> G = {
      H.xx + (p.y * M.xz - p.z * M.xy), H.xy + (p.y * M.yz - p.z * M.yy), H.xz + (p.y * M.zz - p.z * M.yz),
      H.yx + (p.z * M.xx - p.x * M.xz), H.yy + (p.z * M.xy - p.x * M.yz), H.yz + (p.z * M.xz - p.x * M.zz),
      H.zx + (p.x * M.xy - p.y * M.xx), H.zy + (p.x * M.yy - p.y * M.xy), H.zz + (p.x * M.yz - p.y * M.xz)};
  // (P G^T)_ij = (p x row_j(G))_i ; (H P)_ij = (row_i(H) x p)_j, so -H P adds (p x row_i(H))_j.
  const Sym3<T> J = {I.xx + (p.y * G.xz - p.z * G.xy) + (p.y * H.xz - p.z * H.xy),
                     I.xy + (p.y * G.yz - p.z * G.yy) + (p.z * H.xx - p.x * H.xz),
                     I.xz + (p.y * G.zz - p.z * G.zy) + (p.x * H.xy - p.y * H.xx),
                     I.yy + (p.z * G.yx - p.x * G.yz) + (p.z * H.yx - p.x * H.yz),
                     I.yz + (p.z * G.zx - p.x * G.zz) + (p.x * H.yy - p.y * H.yx),
                     I.zz + (p.x * G.zy - p.y * G.zx) + (p.x * H.zy - p.y * H.zx)};
  return {J, G, M};
}

// ---- loads and stores

// Model constants are doubles whatever T is; state lives in arrays of T.
template <class T, class S>
TENON_SMALL Vec3<T> load_vec3(const S* a) {
  return {T(a[0]), T(a[1]), T(a[2])};
}
template <class T, class S>
TENON_SMALL Mat3<T> load_mat3(const S* a) {
  return {T(a[0]), T(a[1]), T(a[2]), T(a[3]), T(a[4]), T(a[5]), T(a[6]), T(a[7]), T(a[8])};
}
template <class T, class S>
TENON_SMALL Motion<T> load_motion(const S* a) {
  return {load_vec3<T>(a), load_vec3<T>(a + 3)};
}
template <class T, class S>
TENON_SMALL Force<T> load_force(const S* a) {
  return {load_vec3<T>(a), load_vec3<T>(a + 3)};
}
template <class T, class S>
TENON_SMALL RigidInertia<T> load_inertia(const S* a) {
  return {T(a[0]), load_vec3<T>(a + 1), {T(a[4]), T(a[5]), T(a[6]), T(a[7]), T(a[8]), T(a[9])}};
}
template <class T>
TENON_SMALL void store(T* a, const Vec3<T>& v) {
  a[0] = v.x, a[1] = v.y, a[2] = v.z;
}
template <class T>
TENON_SMALL void store(T* a, const Mat3<T>& m) {
  a[0] = m.xx, a[1] = m.xy, a[2] = m.xz, a[3] = m.yx, a[4] = m.yy, a[5] = m.yz, a[6] = m.zx, a[7] = m.zy,
  a[8] = m.zz;
}
template <class T>
TENON_SMALL void store(T* a, const RigidInertia<T>& I) {
  a[0] = I.m, a[4] = I.I.xx, a[5] = I.I.xy, a[6] = I.I.xz, a[7] = I.I.yy, a[8] = I.I.yz, a[9] = I.I.zz;
  store(a + 1, I.h);
}
template <class T>
TENON_SMALL void store(T* a, const Motion<T>& m) {
  store(a, m.w), store(a + 3, m.v);
}
template <class T>
TENON_SMALL void store(T* a, const Force<T>& m) {
  store(a, m.n), store(a + 3, m.f);
}

TENON_ISA_END
}  // namespace tenon
