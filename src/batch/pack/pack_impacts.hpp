// Impacts of packs and their derivatives: members of PackDynamics and PackDerivatives, for their sources alone. An impact is
// constrained dynamics of the robot at rest without gravity, with d = v+ - v in place of accelerations
// (calls/derivatives/impact.cpp),
//
//   r = M d - J^T Lambda = 0,   s = J d + R Lambda + (1 + e) J v = 0,
//
// so its kernels are those of constrained dynamics. Rows of the robot at rest are J qdd: at qdd = d the products with their
// derivatives are those of J d, at qdd = v those of J v, of which each row counts 1 + e times. Embedded loops hold d, not v,
// which is given; in independent velocities v = G ydot moves with q.
#pragma once

#include <utility>

#include "batch/pack/lane_arithmetic.hpp"
#include "batch/pack/pack_dynamics.hpp"
#include "model/row_order.hpp"
#include "state/projection.hpp"

namespace tenon {

// desired := what rows are asked for (calls/row_projection.hpp: Restitution), restitutions being in the user's order (null: none).
// rebound(r, x): takes 1 + e of row r.
template <class Pack, class Rebound>
void place_row_changes(const ConstraintData& c, const Pack* restitution, WorkspaceData<Pack>& w,
                       const Rebound& rebound) {
  for (int r = 0; r < c.row_count; ++r) {
    const Pack x = restitution ? Pack(1) + restitution[c.user_row[r]] : Pack(1);
    rebound(r, x);
    w.desired[r] = -x * w.row_velocity[r];
  }
}

template <class N, int W>
bool PackDynamics<N, W>::hit(const BatchCall& call, Method method, const In& in, Numbers& n,
                             const Mask& wanted, Mask& done, SolveReport* reports) {
  Sweep& s = swept();
  const ConstraintData& c = *s.w.cd();
  WorkspaceData<Pack>& d = s.arena.data;
  const In at_rest = {in.q, at_rest_.data(), at_rest_.data()};
  Mask lanes = wanted;
  close_clusters(at_rest, steepest_G, lanes);
  d.gravity = weightless_;
  rows_.settings = settings_of(call, n);
  kernels_.evaluate_rows_of_states(s.m, c, rows_.settings, in, d);
  place_row_changes<Pack>(c, call.restitution.data ? n.desired.data() : nullptr, d, [](int, const Pack&) {});
  if (!solve_rows(method, at_rest, n, lanes, done, reports)) return false;
  for (std::size_t k = 0; k < n.v.size(); ++k) n.out[k] = n.out[k] + n.v[k];
  return true;
}

template <class N, int W>
bool PackDerivatives<N, W>::impact(const BatchCall& call, const ModelData& m, const In& in, Numbers& n,
                                   WorkspaceData<Pack>& w) {
  typename PackDerivativeMemory<N, W>::OfImpacts& x = memory_.of_impacts;
  Pack *const d = x.change.data(), *const rebound = x.rebound.data();
  w.gravity = x.weightless;
  dynamics_.evaluate_rows_of_states(m, *c_, rows_.delassus.settings, in, w);
  place_row_changes<Pack>(*c_, call.restitution.data ? n.desired.data() : nullptr, w,
                          [&](int r, const Pack& rebounds) { rebound[r] = rebounds; });
  In at_d = {in.q, x.zeros.data(), x.zeros.data()};
  place_loops(m, at_d, w);
  if (!kernels_.row_dynamics_of_states(m, *c_, at_d, d, rows_, data_, w)) return false;
  In at_v = at_d;
  at_d.qdd = d, at_v.qdd = in.v;
  for (std::size_t k = 0; k < nv_; ++k) n.out[k] = in.v[k] + d[k];
  rows_to_user(c_, rows_.lambda, n.second.data());
  if (call.of_matrices()) return impact_matrices(call, m, at_d, at_v, n, w);  // without embedded loops
  if (call.derivatives.form == DerivativeForm::jvp) {
    add_velocity_changes(m, in, false, n, w);
    impact_jvp(call, m, at_d, at_v, n, w);
  } else {
    impact_vjp(call, m, at_d, at_v, n, w);
    if (independent_ && has_loops_) kernels_.place_velocity_rows_of_states(m, in, false, loops_, w);
  }
  return true;
}

template <class N, int W>
void PackDerivatives<N, W>::multiply_rows_alone(const BatchCall& call, const ModelData& m, const In& at_v,
                                                const PackedProduct<Pack>& p, Numbers& n,
                                                WorkspaceData<Pack>& w) {
  const bool loops = std::exchange(has_loops_, false);
  multiply(call, m, at_v, p, memory_.torques.data(), n, w);
  has_loops_ = loops;
}

template <class N, int W>
void PackDerivatives<N, W>::impact_vjp(const BatchCall& call, const ModelData& m, const In& at_d,
                                       const In& at_v, Numbers& n, WorkspaceData<Pack>& w) {
  const Pack* const none = nullptr;
  const BatchCall::Differentiation& how = call.derivatives;
  typename PackDerivativeMemory<N, W>::OfImpacts& x = memory_.of_impacts;
  const std::size_t rows = index(c_->row_count);
  Pack *const b = rows_.b, *const by_q = n.by_q.data(), *const by_v = n.by_v.data();
  const Pack* const gradient = how.along_x.data ? n.along_x.data() : x.zeros.data();
  std::copy_n(gradient, nv_, data_.x);
  rows_from_user(c_, how.along_rows.data ? n.along_rows.data() : none, b);
  kernels_.negate(b, c_->row_count, b);
  loops_.gradient = how.along_x.data ? gradient : none;
  solve(m, data_.x, w);
  Pack *const of_q = x.by_q.data(), *const of_v = x.by_v.data(), *const of_x = x.by_x.data();
  multiply(call, m, at_d, {none, none, data_.x, by_q, of_v, of_x}, memory_.torques.data(), n, w);
  for (std::size_t r = 0; r < rows; ++r) b[r] = x.rebound[r] * b[r];
  multiply_rows_alone(call, m, at_v, {none, none, x.zeros.data(), of_q, of_v, of_x}, n, w);
  for (std::size_t k = 0; k < nv_; ++k) by_q[k] = -by_q[k] - of_q[k], by_v[k] = gradient[k] - of_x[k];
}

template <class N, int W>
void PackDerivatives<N, W>::impact_jvp(const BatchCall& call, const ModelData& m, const In& at_d,
                                       const In& at_v, Numbers& n, WorkspaceData<Pack>& w) {
  const Pack* const none = nullptr;
  const BatchCall::Differentiation& how = call.derivatives;
  typename PackDerivativeMemory<N, W>::OfImpacts& x = memory_.of_impacts;
  const std::size_t rows = index(c_->row_count);
  const Pack *const dq = independent_ || how.along_q.data ? n.along_q.data() : none,
                    *const dv = independent_ || how.along_v.data ? n.along_v.data() : none;
  Pack* const change = n.by_q.data();
  multiply_rows_alone(call, m, at_v, {dq, none, dv, change, nullptr, nullptr}, n, w);
  for (std::size_t r = 0; r < rows; ++r) x.of_v[r] = x.rebound[r] * rows_.ds[r];
  multiply(call, m, at_d, {dq, none, none, change, nullptr, nullptr}, memory_.torques.data(), n, w);
  kernels_.negate(change, m.nv, change);
  for (std::size_t r = 0; r < rows; ++r) rows_.b[r] = -rows_.ds[r] - x.of_v[r];
  solve(m, change, w);
  for (std::size_t k = 0; has_loops_ && k < nv_; ++k) change[k] = change[k] + loops_.h[k];
  for (std::size_t k = 0; dv && k < nv_; ++k) change[k] = change[k] + dv[k];
  rows_to_user(c_, rows_.b, n.by_rows.data());
}

template <class N, int W>
bool PackDerivatives<N, W>::impact_matrices(const BatchCall& call, const ModelData& m, In at_d, In at_v,
                                            Numbers& n, WorkspaceData<Pack>& w) {
  const Pack* const none = nullptr;
  typename PackDerivativeMemory<N, W>::OfImpacts& x = memory_.of_impacts;
  const std::size_t rows = index(c_->row_count);
  const auto wanted = [&](int which, std::vector<Pack>& by) {
    return call.out[which].data ? by.data() : nullptr;
  };
  Pack *const by_q = takes_matrix(call, 0) ? n.by_q.data() : nullptr, *const by_v = takes_matrix(call, 1)
                                                                                        ? n.by_v.data()
                                                                                        : nullptr;
  at_d.wrenches = at_v.wrenches = rows_.wrench;
  const auto place = [&](const In& at) {
    kernels_.row_derivatives_of_states(m, *c_, at, {none, none, none, by_q, nullptr, nullptr},
                                       memory_.torques.data(), rows_, data_, w);
  };
  const auto for_entries = [&](const auto& each) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t k = 0; k < nv_; ++k) each(r * nv_ + k, x.rebound[r]);
  };
  if (by_q) {
    place(at_v);
    for_entries([&](std::size_t at, const Pack& rebound) { x.of_v[at] = rebound * rows_.by_q[at]; });
  }
  place(at_d);
  for_entries([&](std::size_t at, const Pack& rebound) {
    if (by_q) rows_.by_q[at] = rows_.by_q[at] + x.of_v[at];
    rows_.by_v[at] = rebound * rows_.J[at];
  });
  if (by_v) std::fill_n(by_v, nv_ * nv_, Pack(0));
  const PackedRowMatrices<Pack> of_rows = {
      {wanted(6, n.rows_by_q), wanted(7, n.rows_by_v), nullptr}, nullptr, nullptr};
  if (!kernels_.constrained_derivatives_of_states(*c_, {none, none, none, by_q, by_v, nullptr}, of_rows,
                                                  rows_, data_))
    return false;
  for (std::size_t k = 0; by_v && k < nv_; ++k) by_v[k * (nv_ + 1)] = by_v[k * (nv_ + 1)] + Pack(1);
  return true;
}

}  // namespace tenon
