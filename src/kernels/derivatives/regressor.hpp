// Forces on the joints as linear functions of the inertial parameters of links, tau = Y(q, v, a) pi. Of a link with mass
// m, first moment h = m c and rotational inertia I about the origin of its frame, in link axes,
//
//   f = m A + alpha x h + w x (w x h),   n = I alpha + w x I w + h x A
//
// is the force that moves it, and its moment about that origin, with w and alpha of the body and A = a + alpha x p + w x
// (v + w x p) the acceleration of the origin less gravity. The forces for each parameter 1 and the others 0 are placed in
// the root frame (joint/root_frame_poses.hpp), four links in lanes. Entries of Y are their products with columns of S, four
// coordinates in lanes. Y takes O(links d) and the zeros. A product w^T Y takes O(n) and no unit forces
// (parameter_product.hpp).
#pragma once

#include "kernels/derivatives/parameter_data.hpp"
#include "kernels/derivatives/parameter_product.hpp"
#include "kernels/derivatives/rnea_products.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Unit forces of a link: [n; f] of m, the same of h along three axes, n of I xx xy xz yy yz zz.
constexpr int unit_of_moment = 6, unit_of_inertia = 24;

// Four links in lanes: the axes of their frames and their origins, in root frames, and the motion of their bodies there.
template <class T>
struct PlacedLinks {
  using L = Lanes<T>;
  TENON_INLINE PlacedLinks(const ParameterData<T>& d, int first, const WorkspaceData<T>& w) {
    const std::int32_t* body = d.body + first;
    const PackedPose<T> X[4] = {load_pose(w, body[0]), load_pose(w, body[1]), load_pose(w, body[2]),
                                load_pose(w, body[3])};
    const Vec3<L> x = gather([&](int l) { return X[l].x; }), y = gather([&](int l) { return X[l].y; }),
                  z = gather([&](int l) { return X[l].z; });
    const auto own = [&](int e) { return L::load(d.in_body + 12 * first + 4 * e); };
    const auto placed = [&](const L& i, const L& j, const L& k) { return i * x + j * y + k * z; };
    unroll<3>([&](auto c) { axis[c] = placed(own(c), own(3 + c), own(6 + c)); });
    p = gather([&](int l) { return X[l].p; }) + placed(own(9), own(10), own(11));
    v = motions(w.vw, body), a = motions(w.aw, body);
  }
  TENON_INLINE static Motion<L> motions(const T* field, const std::int32_t* body) {
    return gather_packed([&](int l) { return load_packed(field, body[l]); });
  }
  // A motion in the axes of the links, at their origins.
  TENON_INLINE Motion<L> of_links(const Motion<L>& x) const {
    const Vec3<L> there = x.v + cross(x.w, p);
    return {{dot(axis[0], x.w), dot(axis[1], x.w), dot(axis[2], x.w)},
            {dot(axis[0], there), dot(axis[1], there), dot(axis[2], there)}};
  }

  Vec3<L> axis[3], p;
  Motion<L> v, a;
};

// After sweep_motion.
template <class T>
void unit_forces(const ParameterData<T>& d, const WorkspaceData<T>& w) {
  using L = Lanes<T>;
  for (int i = 0; i < d.count; i += 4) {
    const PlacedLinks<T> links(d, i, w);
    const Vec3<L>& p = links.p;
    const Motion<L>&v = links.v, &a = links.a;
    const Vec3<L> A = a.v + cross(a.w, p) + cross(v.w, v.v + cross(v.w, p));
    T* const to = d.unit + ParameterData<T>::unit_size * i;
    const auto store = [&](int e, const Vec3<L>& force) {
      force.x.store(to + 4 * e), force.y.store(to + 4 * e + 4), force.z.store(to + 4 * e + 8);
    };
    store(0, cross(p, A)), store(3, A);
    Vec3<L> turned[3];
    L by_alpha[3], by_w[3];
    unroll<3>([&](auto c) {
      const Vec3<L>& e = links.axis[c];
      turned[c] = cross(v.w, e), by_alpha[c] = dot(a.w, e), by_w[c] = dot(v.w, e);
      const Vec3<L> f = cross(a.w, e) + cross(v.w, turned[c]);
      store(unit_of_moment + 6 * c, cross(p, f) + cross(e, A)), store(unit_of_moment + 6 * c + 3, f);
    });
    int place = unit_of_inertia;
    for (int r = 0; r < 3; ++r)
      for (int c = r; c < 3; ++c, place += 3) {
        const Vec3<L> n = by_alpha[c] * links.axis[r] + by_w[c] * turned[r];
        store(place, r == c ? n : n + (by_alpha[r] * links.axis[c] + by_w[r] * turned[c]));
      }
  }
}

// The first n rows, 1 <= n <= 3, of ten columns.
template <class T>
TENON_INLINE void store_rows_of_ten(const Lanes<T> (&x)[10], int n, T* to, std::int64_t ld) {
  if (n == 1)
    for (int c = 0; c < 10; ++c) store_first(x[c], 1, to + c * ld);
  else if (n == 2)
    for (int c = 0; c < 10; ++c) store_first(x[c], 2, to + c * ld);
  else
    for (int c = 0; c < 10; ++c) store_first(x[c], 3, to + c * ld);
}
// Zeros in n rows.
template <class T>
TENON_INLINE void clear_rows_of_ten(int n, T* to, std::int64_t ld) {
  const Lanes<T> zero(T(0));
  for (; n >= 4; n -= 4, to += 4)
    for (int c = 0; c < 10; ++c) zero.store(to + c * ld);
  const Lanes<T> x[10] = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
  if (n > 0) store_rows_of_ten(x, n, to, ld);
}

// x := the products of a motion, four of them in lanes, with the ten unit forces of a link.
template <class T>
TENON_INLINE void unit_products(const Motion<Lanes<T>>& S, const T* unit, Lanes<T> (&x)[10]) {
  const auto at = [&](int e) { return Lanes<T>(unit[4 * e]); };
  for (int c = 0; c < 4; ++c) {
    const int f = 6 * c;
    x[c] = (S.w.x * at(f) + S.w.y * at(f + 1) + S.w.z * at(f + 2)) +
           (S.v.x * at(f + 3) + S.v.y * at(f + 4) + S.v.z * at(f + 5));
  }
  for (int c = 0; c < 6; ++c) {
    const int n = unit_of_inertia + 3 * c;
    x[4 + c] = S.w.x * at(n) + S.w.y * at(n + 1) + S.w.z * at(n + 2);
  }
}

// After sweep_motion and unit_forces. Y: nv x 10 a link of the model, column-major with leading dimension ld, columns of
// the links of d alone; zeros: where a coordinate does not move the link too.
template <class T>
void torque_regressor(const ModelData& m, const ParameterData<T>& d, bool zeros, T* Y, int ld,
                      const WorkspaceData<T>& w) {
  using L = Lanes<T>;
  const int stride = dof_stride(m), root = dofs_of_floating_root(m);
  const std::int64_t column = ld;
  for (int i = 0; i < d.count; ++i) {
    const T* const unit = d.unit + ParameterData<T>::unit_size * (i / 4 * 4) + i % 4;
    T* const to = Y + 10 * d.link[i] * column;
    int row = 0;
    for (int r = d.ranges_begin[i]; r < d.ranges_begin[i + 1]; ++r) {
      const CoordinateRange& range = d.ranges[r];
      if (zeros) clear_rows_of_ten(range.first - row, to + row, column);
      int k = range.first;
      if (k < root) {  // S is the identity
        for (int c = 0; c < 4; ++c)
          for (int e = 0; e < 6; ++e) to[c * column + e] = unit[4 * (6 * c + e)];
        for (int c = 0; c < 6; ++c)
          for (int e = 0; e < 6; ++e)
            to[(4 + c) * column + e] = e < 3 ? unit[4 * (unit_of_inertia + 3 * c + e)] : T(0);
        k = root;
      }
      L x[10];
      for (; k + 4 <= range.end; k += 4) {
        unit_products(load_motions(w.S_root + k, stride), unit, x);
        for (int c = 0; c < 10; ++c) x[c].store(to + c * column + k);
      }
      if (k < range.end) {
        unit_products(load_motions(w.S_root + k, stride), unit, x);
        store_rows_of_ten(x, range.end - k, to + k, column);
      }
      row = range.end;
    }
    if (zeros) clear_rows_of_ten(m.nv - row, to + row, column);
  }
}

// y^T Y into d.product. After sweep_motion; y: joint rates.
template <class T>
void parameter_products(const ModelData& m, const T* y, const ParameterData<T>& d, DerivativeData<T>& memory,
                        const WorkspaceData<T>& w) {
  using L = Lanes<T>;
  place_motion_of(m, y, memory.moved, w);
  for (int i = 0; i < d.count; i += 4) {
    const PlacedLinks<T> links(d, i, w);
    L x[10];
    multiply_with_unit_forces(links.of_links(links.v), links.of_links(links.a),
                              links.of_links(links.motions(memory.moved, d.body + i)), x);
    for (int c = 0; c < 10; ++c) x[c].store(d.product + 10 * i + 4 * c);
  }
}

TENON_ISA_END
}  // namespace tenon
