// Matrices of first derivatives of dynamics with constraint rows on branch lanes, for stars whose rows are all on limbs: those of
// the equations (kernels/derivatives/row_derivatives.hpp, with the forces of rows among the wrenches), solved as those of
// forward dynamics (star_solution.hpp). A limb's rows of J see its own joints and the root alone. With what limbs do as they
// follow the root, and with X_0 and Z_0 of forces that are given,
//
//   J' = J_root + J_limb E,   X_0 = [S^-1; E S^-1],   Z_0 = M^-1 J^T = X_0 J'^T - [0; W],
//   A = J M^-1 J^T + R = J' S^-1 J'^T - sum J_limb W + R,
//
// and rows that answer make of them, with the factor A = C D C^T and V = Z_0 C^-T, in rows of y I C^-T,
//
//   Z = V D^-1 C^-1,   X = X_0 - V D^-1 V_root^T.
//
// V and D, not A^-1, give X: what rows nearly depend on each other leaves of its digits is then what A's root takes. Cost O(n d),
// O(n^2 + n m), and O((n + m) m^2).
#pragma once

#include "kernels/branches/forward_derivative_branches.hpp"
#include "kernels/branches/product_branches.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Calls each(node, row) for the rows of a bundle.
template <class P, class Each>
TENON_INLINE void for_rows_of_limbs(const Bundle<P>& limbs, const Each& each) {
  for (int i = 1; i < limbs.model.node_count; ++i)
    for (int r = limbs.rows.node_row_first[i]; r < limbs.rows.node_row_first[i + 1]; ++r) each(i, r);
}
// Calls each(node) for the nodes with rows.
template <class P, class Each>
TENON_INLINE void for_nodes_with_rows(const Bundle<P>& limbs, const Each& each) {
  for (int i = 1; i < limbs.model.node_count; ++i)
    if (limbs.rows.node_row_first[i] < limbs.rows.node_row_first[i + 1]) each(i);
}
// Calls each(row, lane) for the rows of limbs in a row of the bundle.
template <class P, class Each>
TENON_INLINE void for_lanes_of_row(const Bundle<P>& limbs, int r, const Each& each) {
  for (int l = 0; l < P::width; ++l)
    if (const std::int32_t row = limbs.row_of[P::width * r + l]; row >= 0) each(row, l);
}

// ---- without forces of rows

// K in the frame of the root, J, W and J' of a bundle, and what the matrix A has of its joints. stride: of A.
template <int rows, class P, class Count>
inline void place_limb_jacobian(Bundle<P>& limbs, Count n, const StarResponses& star, double* A, int stride) {
  LimbMatrices<P>& x = *limbs.matrices;
  const int count = limbs.rows.row_count;
  for_rows_of_limbs(limbs, [&](int i, int r) {
    const Force<P> K = force_to_parent(pose_in_root_frame(i, x.w), load_force<P>(limbs.w.K + 6 * r));
    store(x.K + 6 * r, K);
    for (int j = 0; j < i; ++j) {
      x.J[rows * j + r] = dot(load_motion<P>(x.w.U + 6 * (j + 1)), K);
      x.W[rows * j + r] = P(0) - x.J[rows * j + r];
    }
    for (int j = i; j < n; ++j) x.W[rows * j + r] = P(0);
  });
  solve_limbs<rows>(x.factor, n, x.W, rows, 1);
  for (int r = 0; r < count; ++r) {
    P sum[6];
    unroll<6>([&](auto e) { sum[e] = x.K[6 * r + e]; });
    for (int j = 0; j < n; ++j) {
      const P s = x.J[rows * j + r];
      unroll<6>([&](auto e) { sum[e] = sum[e] + s * x.E[6 * (j + 1) + e]; });
    }
    unroll<6>([&](auto e) { x.root_J[6 * r + e] = sum[e]; });
    for_lanes_of_row(limbs, r, [&](int row, int l) {
      for (int e = 0; e < 6; ++e) star.root_J[e * star.row_ld + row] = lane_of(sum[e], l);
    });
    for (int s = 0; s <= r; ++s) {
      P a(0);
      for (int j = 0; j < n; ++j) a = a - x.J[rows * j + r] * x.W[rows * j + s];
      for (int l = 0; l < P::width; ++l) {
        const std::int32_t one = limbs.row_of[P::width * r + l], other = limbs.row_of[P::width * s + l];
        if (one >= 0 && other >= 0) A[other * stride + one] = A[one * stride + other] = lane_of(a, l);
      }
    }
  }
}
// Z_0 of the root's part, and A's. of_root: X_0.
inline void respond_to_root(const StarResponses& star, double* A) {
  using L = Wide<double>;
  const int stride = star.row_ld;
  // J' S^-1, whose columns are those of forces on the root.
  for (int r = 0; r < stride; r += 4)
    for (int c = 0; c < 6; ++c) {
      Lanes<double> J[6];
      unroll<6>([&](auto e) { J[e] = Lanes<double>::load(star.root_J + e * stride + r); });
      dot_six([&](int e) { return Lanes<double>(star.of_root[c * star.ld + e]); }, J)
          .store(star.root_forces + c * stride + r);
    }
  for (int s = 0; s < star.rows; ++s) {
    const auto of_row = [&](int e) { return star.root_J[e * stride + s]; };
    for (int r = 0; r < stride; r += 4) {
      Lanes<double> F[6];
      unroll<6>([&](auto e) { F[e] = Lanes<double>::load(star.root_forces + e * stride + r); });
      double* const at = A + s * stride + r;
      (Lanes<double>::load(at) + dot_six([&](int e) { return Lanes<double>(of_row(e)); }, F)).store(at);
    }
    for (std::int64_t k = 0; k < star.ld; k += L::count) {
      L X[6];
      unroll<6>([&](auto e) { X[e] = L::load(star.of_root + e * star.ld + k); });
      dot_six([&](int e) { return L(of_row(e)); }, X).store(star.of_rows + s * star.ld + k);
    }
  }
}
// Z_0 of the limbs' own part, - W.
template <int rows, class P>
inline void add_own_responses(const Bundle<P>& limbs, const LimbCoordinates<P::width>& c,
                              const StarResponses& star) {
  const LimbMatrices<P>& x = *limbs.matrices;
  for (int r = 0; r < limbs.rows.row_count; ++r)
    for_lanes_of_row(limbs, r, [&](int row, int l) {
      double* const to = star.of_rows + row * star.ld + c.first[l];
      for (int j = 0; j < c.body_count; ++j) to[j] -= lane_of(x.W[rows * j + r], l);
    });
}

template <class P>
bool start_constrained_derivatives_of_branches(Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                                               const Inputs<double>& in, double* qdd,
                                               WorkspaceData<double>& whole) {
  const StarResponses& star = b.star;
  const RootOfStar root = sweep_star(b, MatrixOrder::columns, in);
  double inverse[48] = {};
  if (!factor_star(b, coordinates, root, inverse)) return false;
  accelerate_star(b, in, root, inverse, qdd);
  double* const A = whole.delassus;
  clear_packs(A, star.row_ld * star.row_ld);
  // Behind the coordinates X_0 and Z_0 have no forces yet.
  for (int c = 0; c < 6; ++c)
    std::fill(star.of_root + c * star.ld + star.nv, star.of_root + (c + 1) * star.ld, 0.0);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    with_room_for_rows(limbs, true, [&](auto rows) {
      if constexpr (rows > 0) {
        with_joints_of_limb(limbs.model.node_count - 1,
                            [&](auto n) { place_limb_jacobian<rows>(limbs, n, star, A, star.row_ld); });
        const Motion<P> a = load_motion<P>(x.w.a);
        for_rows_of_limbs(limbs, [&](int i, int r) {
          P sum = dot(load_motion<P>(x.w.a + 6 * i) + a, load_force<P>(x.K + 6 * r));
          for (int j = 1; j <= i; ++j) sum = sum + x.J[rows * (j - 1) + r] * limbs.qdd[j];
          limbs.row_ds[r] = sum;
        });
        scatter_rows(limbs, limbs.row_ds, whole.Ka);
      }
    });
  }
  respond_to_root(star, A);
  for (int k = 0; k < b.bundle_count; ++k)
    with_room_for_rows(b.bundles[k], true, [&](auto rows) {
      if constexpr (rows > 0) add_own_responses<rows>(b.bundles[k], coordinates[k], star);
    });
  return true;
}

// ---- with forces of rows

// Z and X, in `packs` registers of rows from k on. F, inv_d: C and 1 / D.
template <int packs>
TENON_INLINE void constrain_rows_of_star(const StarResponses& star, std::int64_t k, const double* F,
                                         const double* inv_d, bool floats) {
  using L = Wide<double>;
  const int stride = star.row_ld, count = star.rows;
  const auto at = [&](int column, int p) { return star.of_rows + column * star.ld + k + L::count * p; };
  // Column j minus those from `first` to `end` times share(i); then times `scale`.
  const auto subtract = [&](int j, int first, int end, const auto& share, double scale) TENON_INLINE_LAMBDA {
    L sum[packs];
    unroll<packs>([&](auto p) { sum[p] = L::load(at(j, p)); });
    for (int i = first; i < end; ++i) {
      const L s(share(i));
      unroll<packs>([&](auto p) { sum[p] = sum[p] - s * L::load(at(i, p)); });
    }
    const L factor(scale);
    unroll<packs>([&](auto p) { (factor * sum[p]).store(at(j, p)); });
  };
  for (int j = 1; j < count; ++j)
    subtract(
        j, 0, j, [&](int i) { return F[i * stride + j]; }, 1.0);
  for (int e = 0; floats && e < 6; ++e) {
    L sum[packs];
    double* const X = star.of_root + e * star.ld + k;
    unroll<packs>([&](auto p) { sum[p] = L::load(X + L::count * p); });
    for (int i = 0; i < count; ++i) {
      const L s(star.root_forces[e * stride + i]);
      unroll<packs>([&](auto p) { sum[p] = sum[p] - s * L::load(at(i, p)); });
    }
    unroll<packs>([&](auto p) { sum[p].store(X + L::count * p); });
  }
  for (int j = count - 1; j >= 0; --j) {
    L scaled[packs];
    unroll<packs>([&](auto p) { scaled[p] = L(inv_d[j]) * L::load(at(j, p)); });
    for (int i = j + 1; i < count; ++i) {
      const L s(F[j * stride + i]);
      unroll<packs>([&](auto p) { scaled[p] = scaled[p] - s * L::load(at(i, p)); });
    }
    unroll<packs>([&](auto p) { scaled[p].store(at(j, p)); });
  }
}
inline void constrain_star(const StarResponses& star, bool floats, const double* active,
                           const WorkspaceData<double>& whole) {
  constexpr int W = Wide<double>::count;
  const double *F = whole.dual_factor, *inv_d = whole.dual_inv_d;
  const int stride = star.row_ld, count = star.rows;
  for (int r = 0; r < count; ++r) {
    double* const column = star.of_rows + r * star.ld + star.nv;
    std::fill_n(column, star.ld - star.nv, 0.0);
    column[r] = active[r];
  }
  // D^-1 V of the root.
  for (int e = 0; floats && e < 6; ++e) {
    double* const V = star.root_forces + e * stride;
    for (int j = 1; j < count; ++j)
      for (int i = 0; i < j; ++i) V[j] -= F[i * stride + j] * V[i];
    for (int j = 0; j < count; ++j) V[j] *= inv_d[j];
  }
  std::int64_t k = 0;
  for (; k + 4 * W <= star.ld; k += 4 * W) constrain_rows_of_star<4>(star, k, F, inv_d, floats);
  for (; k + 2 * W <= star.ld; k += 2 * W) constrain_rows_of_star<2>(star, k, F, inv_d, floats);
  for (; k < star.ld; k += W) constrain_rows_of_star<1>(star, k, F, inv_d, floats);
}

// The forces of rows, taken off those of the subtrees they act on.
template <class P>
inline void subtract_row_forces(Bundle<P>& limbs) {
  LimbMatrices<P>& x = *limbs.matrices;
  for_rows_of_limbs(limbs, [&](int i, int r) {
    const Force<P> f = scaled(limbs.row_lambda[r], load_force<P>(x.K + 6 * r));
    for (int j = 1; j <= i; ++j) store(x.w.f + 6 * j, load_force<P>(x.w.f + 6 * j) - f);
  });
}

// The motion of bodies with rows at an impact, as accelerations of the robot at rest. After the blocks by q.
template <class P>
inline void move_rows(Bundle<P>& limbs, bool floats, const StarImpact& impact) {
  LimbMatrices<P>& x = *limbs.matrices;
  gather(limbs, impact.velocity, limbs.v_of, limbs.qdd);
  for (int e = 0; floats && e < 6; ++e) x.w.a[e] = P(impact.velocity[e]);
  accelerate_joints<true>(limbs);
  for_nodes_with_rows(limbs, [&](int i) {
    store(limbs.w.a + 6 * i, motion_to_child(pose_in_root_frame(i, x.w), load_motion<P>(x.w.a + 6 * i)));
  });
}

// ds/dq and ds/dv: of the limb's coordinates, and of the root's. limbs.w has the motion of bodies with rows. impact: move_rows has
// placed it; null: none.
template <int rows, class P>
inline void place_limb_row_gradients(Bundle<P>& limbs, const RootOfStar& root, const StarImpact* impact) {
  LimbMatrices<P>& x = *limbs.matrices;
  const Motion<P> v = load_motion<P>(x.w.v);
  const Vec3<P> rest = {P(root.rest.x), P(root.rest.y), P(root.rest.z)};
  for_row_gradients(
      limbs.model, limbs.rows, RowByRow{}, limbs.w,
      [&](const ConstraintItem& item, const ItemSides<P>&, int index, const RowGradient<P>& of) {
        const int i = item.node, r = item.row_begin + index;
        const Transform<Rot3<P>, P> X = pose_in_root_frame(i, x.w);
        const P active = limbs.rows.active[r];
        const Force<P> K = load_force<P>(x.K + 6 * r), turns = scaled(active, force_to_parent(X, of.P));
        const Force<P> N =
            impact ? scaled(active * P(impact->rebound), K) : scaled(active, force_to_parent(X, of.N));
        for (int j = 1; j <= i; ++j) {
          const auto load = [&](const P* field) { return load_motion<P>(field + 6 * j); };
          const DofMotions<P> of_j = {load(x.w.U), load(x.motions.psi_dot), load(x.motions.psi_ddot),
                                      load(x.motions.S_rate)};
          x.G_q[rows * (j - 1) + r] = row_by_q(of_j, K, N, turns);
          x.G_v[rows * (j - 1) + r] = row_by_v(of_j, K, N);
        }
        store(x.root_G_q + 6 * r, Force<P>{turns.n + cross(K.f, rest), turns.f});
        store(x.root_G_v + 6 * r, Force<P>{cross(K.n, v.w) + cross(K.f, v.v) + N.n, cross(K.f, v.w) + N.f});
      });
}

// What the forces of rows along axes of the world change as their bodies turn, subtracted from the blocks by q; of_root: those of
// the root, six rows of eight numbers.
template <class P>
inline void subtract_bent_forces(Bundle<P>& limbs, double* of_root) {
  LimbMatrices<P>& x = *limbs.matrices;
  const auto rows = rows_of_limbs(limbs);
  for_bent_forces(limbs.model, rows.of[0], limbs.w, [&](BentForce<P> bent) {
    const int i = bent.first;
    const Transform<Rot3<P>, P> X = pose_in_root_frame(i, x.w);
    bent.F = force_to_parent(X, bent.F), bent.x = X.R.R * bent.x + X.p;
    const auto change = [&](const Motion<P>& theta) {
      Force<P> one{}, none{};
      bent.changes(theta, one, none);
      return one;
    };
    const auto power = [&](int j, const Force<P>& f) { return dot(load_motion<P>(x.w.U + 6 * j), f); };
    for (int k = 1; k <= i; ++k) {
      const Force<P> f = change(load_motion<P>(x.w.U + 6 * k));
      store(x.F_q + 6 * k, load_force<P>(x.F_q + 6 * k) - f);
      for (int j = 1; j <= i; ++j) {
        P& at = entry_of(x.by_q, x.line, MatrixOrder::columns, j - 1, k - 1);
        at = at - power(j, f);
      }
    }
    for (int e = 0; e < 3; ++e) {
      const Force<P> f = change({{P(e == 0), P(e == 1), P(e == 2)}, Vec3<P>{}});
      for (int j = 1; j <= i; ++j) x.root_q[6 * j + e] = x.root_q[6 * j + e] - power(j, f);
      P numbers[6];
      store(numbers, f);
      for (int r = 0; r < 6; ++r) of_root[8 * r + e] -= sum_of(numbers[r]);
    }
  });
}

template <class P>
void constrained_derivatives_of_branches(Branches<P>& b, const LimbCoordinates<P::width>* coordinates,
                                         const Inputs<double>& in, const double* lambda, const double* active,
                                         const StarMatrices& to, const StarForces& forces,
                                         const StarImpact* impact, WorkspaceData<double>& whole) {
  const bool floats = b.trunk.model.node_count > 0, by_state = to.by_q || to.by_v;
  const RootOfStar root = root_of_star(b);
  constrain_star(b.star, floats, active, whole);
  double by_q[48] = {}, by_v[48] = {};
  root_blocks(root, to, by_q, by_v);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    LimbMatrices<P>& x = *limbs.matrices;
    gather(limbs, in.qdd, limbs.v_of, limbs.qdd);
    for (int e = 0; floats && e < 6; ++e) x.w.a[e] = P(in.qdd[e]);
    gather_rows(limbs, lambda, limbs.row_lambda);
    for_nodes_with_rows(limbs, [&](int i) { std::copy_n(x.w.a + 6 * i, 6, limbs.w.a + 6 * i); });
    subtract_row_forces(limbs);
    accelerate_limbs(limbs);
    for_nodes_with_rows(limbs, [&](int i) {
      const Motion<P> a = load_motion<P>(limbs.w.a + 6 * i) + load_motion<P>(x.w.a + 6 * i);
      store(limbs.w.a + 6 * i, motion_to_child(pose_in_root_frame(i, x.w), a));
    });
    finish_limb_blocks(limbs, root, to);
    with_room_for_rows(limbs, true, [&](auto rows) {
      if constexpr (rows > 0) {
        if (impact) move_rows(limbs, floats, *impact);
        if (by_state) place_limb_row_gradients<rows>(limbs, root, impact);
        if (to.by_q) subtract_bent_forces(limbs, by_q);
      }
    });
  }
  solve_star(b, coordinates, by_q, by_v, to, &forces);
}

TENON_ISA_END
}  // namespace tenon
