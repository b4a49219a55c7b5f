// The product of a motion of a link with the forces that it needs for each inertial parameter 1 and the others 0
// (regressor.hpp has these forces, and what m, h and I are): the gradient of tau by parameters where the motion is that of
// the link for the gradient as joint rates. With everything in axes of the link at its origin, v = [w; v], a = [alpha; a]
// less gravity, Y = [r; y], A = a + w x v and u = r x w,
//
//   by m: y . A,   by h: y x alpha + (y x w) x w + A x r,   by I: r alpha^T + u w^T, its off-diagonal pairs summed.
//
// One text for four links in lanes and for a link of several states (kernels/pack/product_pack.hpp).
#pragma once

#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE void multiply_with_unit_forces(const Motion<T>& v, const Motion<T>& a, const Motion<T>& Y,
                                            T (&x)[10]) {
  const Vec3<T>&w = v.w, &alpha = a.w, &r = Y.w;
  const Vec3<T> A = a.v + cross(w, v.v), u = cross(r, w);
  const Vec3<T> by_h = cross(Y.v, alpha) + cross(cross(Y.v, w), w) + cross(A, r);
  x[0] = dot(Y.v, A);
  x[1] = by_h.x, x[2] = by_h.y, x[3] = by_h.z;
  x[4] = r.x * alpha.x + u.x * w.x;
  x[5] = r.x * alpha.y + r.y * alpha.x + (u.x * w.y + u.y * w.x);
  x[6] = r.x * alpha.z + r.z * alpha.x + (u.x * w.z + u.z * w.x);
  x[7] = r.y * alpha.y + u.y * w.y;
  x[8] = r.y * alpha.z + r.z * alpha.y + (u.y * w.z + u.z * w.y);
  x[9] = r.z * alpha.z + u.z * w.z;
}

TENON_ISA_END
}  // namespace tenon
