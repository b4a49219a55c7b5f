// Forces on the joints as linear functions of the inertial parameters of links, tau = Y(q, v, a) pi. Of a link with mass
// m, first moment h = m c and rotational inertia I about the origin of its frame, in link axes,
//
//   f = m A + alpha x h + w x (w x h),   n = I alpha + w x I w + h x A
//
// is the force that moves it, and its moment about that origin, with w and alpha of the body and A = a + alpha x p + w x
// (v + w x p) the acceleration of the origin less gravity. The forces for each parameter 1 and the others 0 are placed in
// the root frame (joint/root_frame_poses.hpp), four links in lanes. Entries of Y are their products with columns of S, four
// coordinates in lanes; those of links fixed to one body with the same axes follow from those of one. Y takes O(links d) and
// the zeros. A product w^T Y takes O(n) and no unit forces (parameter_product.hpp).
#pragma once

#include <algorithm>

#include "kernels/derivatives/parameter_data.hpp"
#include "kernels/derivatives/parameter_product.hpp"
#include "kernels/derivatives/rnea_products.hpp"
#include "spatial/hints.hpp"

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
  for (int i = 0; i < d.own_axes; i += 4) {
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

// Calls store(c, x) with the products of a motion, four of them in lanes, with unit force c of a link.
template <class T, class Store>
TENON_INLINE void unit_products(const Motion<Lanes<T>>& S, const T* unit, const Store& store) {
  const auto at = [&](int e) { return Lanes<T>(unit[4 * e]); };
  unroll<4>([&](auto c) {
    constexpr int f = 6 * c;
    store(c, S.w.x * at(f) + S.w.y * at(f + 1) + S.w.z * at(f + 2) + S.v.x * at(f + 3) + S.v.y * at(f + 4) +
                 S.v.z * at(f + 5));
  });
  unroll<6>([&](auto c) {
    constexpr int n = unit_of_inertia + 3 * c;
    store(4 + c, S.w.x * at(n) + S.w.y * at(n + 1) + S.w.z * at(n + 2));
  });
}

// Lines of numbers, `step` bytes from one to the next: so compilers fold most steps into addresses. Were these not hidden in
// `from`, they would take all of them out of loops and keep them on the stack.
template <class T>
struct Lines {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  TENON_INLINE Lines(T* first, std::ptrdiff_t distance)
      : base(reinterpret_cast<Byte*>(first)), step(distance * std::ptrdiff_t{sizeof(T)}) {}
  TENON_INLINE T* operator[](int c) const { return reinterpret_cast<T*>(base + c * step); }
  TENON_INLINE Lines from(int place) const {
    Lines x = *this;
    x.base += place * std::ptrdiff_t{sizeof(T)};
    hide_address(x.base, x.step);
    return x;
  }
  // Other lines with the same step.
  TENON_INLINE Lines moved(std::ptrdiff_t bytes) const {
    Lines x = *this;
    x.base += bytes;
    return x;
  }

  Byte* base;
  std::ptrdiff_t step;
};

// Calls place(k, n) for n rows from k on, until all from first to end - 1 are placed: four at a time where there are as many,
// the last four again with some of those before.
template <class Place>
TENON_INLINE void for_packs_of_rows(int first, int end, const Place& place) {
  if (end - first < 4) {
    if (end > first) with_size<3>(end - first, [&](auto n) TENON_INLINE_LAMBDA { place(first, n); });
    return;
  }
  for (int k = first;; k = std::min(k + 4, end - 4)) {
    place(k, std::integral_constant<int, 4>{});
    if (k + 4 >= end) return;
  }
}

// Rows of a link, none of a floating root.
template <class T>
TENON_INLINE void store_products(const Lines<const T>& S, int first, int end, const T* unit,
                                 const Lines<T>& columns) {
  for_packs_of_rows(first, end, [&](int k, auto rows) TENON_INLINE_LAMBDA {
    const Lines<const T> s = S.from(k);
    const Lines<T> to = columns.from(k);
    const auto load = [&](int e) { return Lanes<T>::load(s[e]); };
    unit_products({{load(0), load(1), load(2)}, {load(3), load(4), load(5)}}, unit,
                  [&](int c, const Lanes<T>& x) TENON_INLINE_LAMBDA { store_first(x, rows, to[c]); });
  });
}

// Rows of a link from those of one on the same body with the same axes, in the frame of which its origin is d. For that one
// its parameters are m, h + m d and I + 2 (d . h) 1 - d h^T - h d^T + m (d . d 1 - d d^T). shift: d, 2 d, d / 2.
template <class T>
TENON_INLINE void store_shifted(const Lines<T>& of_other, int first, int end, const T* shift,
                                const Lines<T>& columns) {
  using L = Lanes<T>;
  for_packs_of_rows(first, end, [&](int k, auto rows) TENON_INLINE_LAMBDA {
    const Lines<T> from = of_other.from(k), to = from.moved(columns.base - of_other.base);
    const auto load = [&](int c) { return L::load(from[c]); };
    const auto store = [&](int c, const L& x) { store_first(x, rows, to[c]); };
    const auto d = [&](int e) { return L(shift[e]); };
    const L hx = load(1), hy = load(2), hz = load(3), xx = load(4), xy = load(5), xz = load(6), yy = load(7),
            yz = load(8), zz = load(9);
    const L x = hx + d(3) * (yy + zz) - d(1) * xy - d(2) * xz,
            y = hy + d(4) * (xx + zz) - d(0) * xy - d(2) * yz,
            z = hz + d(5) * (xx + yy) - d(0) * xz - d(1) * yz;
    store(0, load(0) + d(6) * (hx + x) + d(7) * (hy + y) + d(8) * (hz + z));
    store(1, x), store(2, y), store(3, z);
    store(4, xx), store(5, xy), store(6, xz), store(7, yy), store(8, yz), store(9, zz);
  });
}

// Rows of a floating root, where S is the identity: the unit forces of four links.
template <class T>
TENON_INLINE void store_root_rows(const T* unit, const Lines<T> (&columns)[4]) {
  using L = Lanes<T>;
  const L zero(T(0));
  const auto store = [&](int c, const L& a, const L& b, const L& d, const L& e, const L& f, const L& g) {
    L first[4] = {a, b, d, e}, last[4] = {f, g, zero, zero};
    scatter_packs(first, [&](int l, const L& x) { x.store(columns[l][c]); });
    scatter_packs(last, [&](int l, const L& x) { columns[l][c][4] = x.x[0], columns[l][c][5] = x.x[1]; });
  };
  const auto at = [&](int e) { return L::load(unit + 4 * e); };
  for (int c = 0; c < 4; ++c)
    store(c, at(6 * c), at(6 * c + 1), at(6 * c + 2), at(6 * c + 3), at(6 * c + 4), at(6 * c + 5));
  for (int c = 0; c < 6; ++c) {
    const int n = unit_of_inertia + 3 * c;
    store(4 + c, at(n), at(n + 1), at(n + 2), zero, zero, zero);
  }
}

// The same of one link.
template <class T>
TENON_NOINLINE void store_root_rows(const T* unit, const Lines<T>& columns) {
  for (int c = 0; c < 10; ++c)
    for (int e = 0; e < 6; ++e) {
      const int moment = c < 4 ? 6 * c : unit_of_inertia + 3 * (c - 4);
      columns[c][e] = c < 4 || e < 3 ? unit[4 * (moment + e)] : T(0);
    }
}

// The columns of link i of d in Y.
template <class T>
TENON_INLINE Lines<T> columns_of_link(const ParameterData<T>& d, int i, T* Y, std::int64_t ld) {
  return {Y + 10 * d.link[i] * ld, static_cast<std::ptrdiff_t>(ld)};
}

// Zeros where a coordinate does not move a link.
template <class T>
void clear_other_rows(const ModelData& m, const ParameterData<T>& d, T* Y, std::int64_t ld) {
  const Lanes<T> zero(T(0));
  for (int i = 0; i < d.count; ++i) {
    const Lines<T> columns = columns_of_link(d, i, Y, ld);
    const auto clear = [&](int k, auto rows) TENON_INLINE_LAMBDA {
      const Lines<T> to = columns.from(k);
      unroll<10>([&](auto c) TENON_INLINE_LAMBDA { store_first(zero, rows, to[c]); });
    };
    int row = 0;
    for (int r = d.ranges_begin[i]; r < d.ranges_begin[i + 1]; row = d.ranges[r++].end)
      for_packs_of_rows(row, d.ranges[r].first, clear);
    for_packs_of_rows(row, m.nv, clear);
  }
}

// Asks for the lines of the cache that link i has in Y.
template <class T>
TENON_NOINLINE void fetch_columns(const ParameterData<T>& d, int i, T* Y, std::int64_t ld) {
  const Lines<T> columns = columns_of_link(d, i, Y, ld);
  const auto fetch = [&](int row) TENON_INLINE_LAMBDA {
    const Lines<T> x = columns.from(row);
    unroll<10>([&](auto c) TENON_INLINE_LAMBDA { fetch_to_write(x[c]); });
  };
  for (int r = d.ranges_begin[i]; r < d.ranges_begin[i + 1]; ++r) {
    for (int k = d.ranges[r].first; k < d.ranges[r].end; k += 8) fetch(k);
    fetch(d.ranges[r].end - 1);
  }
}

// Links with the axes of others, from the rows of these: not before most of these have left the buffer of stores, which holds
// up loads that are not of one store.
template <class T>
void store_shifted_links(const ParameterData<T>& d, bool far, T* Y, std::int64_t ld) {
  for (int i = 0; i < d.own_axes; ++i) {
    const Lines<T> columns = columns_of_link(d, i, Y, ld);
    for (int j = d.shifted_begin[i]; j < d.shifted_begin[i + 1]; ++j) {
      if (far && j + 2 < d.count) fetch_columns(d, j + 2, Y, ld);
      for (int r = d.ranges_begin[i]; r < d.ranges_begin[i + 1]; ++r)
        store_shifted(columns, d.ranges[r].first, d.ranges[r].end, d.shift + 9 * j,
                      columns_of_link(d, j, Y, ld));
    }
  }
}

// After sweep_motion and unit_forces. Y: nv x 10 a link of the model, column-major with leading dimension ld, columns of
// the links of d alone; zeros: where a coordinate does not move the link too.
template <class T>
void torque_regressor(const ModelData& m, const ParameterData<T>& d, bool zeros, T* Y, int ld,
                      const WorkspaceData<T>& w) {
  if (zeros) clear_other_rows<T>(m, d, Y, ld);
  const int root = dofs_of_floating_root(m), count = d.own_axes;
  const Lines<const T> S(w.S_root, dof_stride(m));
  const std::int32_t* const begin = d.ranges_begin;
  const CoordinateRange* const ranges = d.ranges;
  // A large Y is not in the nearest cache: its lines are asked for before they are written.
  const bool far = std::int64_t{10} * d.count * ld * std::int64_t{sizeof(T)} > 32768;
  for (int i = 0; i < count; ++i) {
    const T* const unit = d.unit + ParameterData<T>::unit_size * (i / 4 * 4) + i % 4;
    const Lines<T> columns = columns_of_link<T>(d, i, Y, ld);
    if (far && i + 4 < count) fetch_columns<T>(d, i + 4, Y, ld);
    if (root > 0 && d.by_first_body && i % 4 == 0) {
      const auto after = [&](int l) {
        return columns.moved(columns_of_link<T>(d, i + l, Y, ld).base - columns.base);
      };
      store_root_rows(unit, {columns, after(1), after(2), after(3)});
    } else if (root > 0 && !d.by_first_body && ranges[begin[i]].first < root) {
      store_root_rows(unit, columns);
    }
    for (int r = begin[i]; r < begin[i + 1]; ++r)
      store_products(S, std::max(ranges[r].first, root), ranges[r].end, unit, columns);
  }
  if (count < d.count) store_shifted_links<T>(d, far, Y, ld);
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
