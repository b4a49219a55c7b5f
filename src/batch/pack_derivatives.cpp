#include "batch/pack_derivatives.hpp"

#include <algorithm>

#include "calls/runge_kutta.hpp"
#include "kernels/joint/integrate_derivatives.hpp"

namespace tenon {

namespace {

// y := a + sign b c in all lanes; b null: one.
template <class N, int W>
void combine(const Pack<N, W>* a, int sign, const Pack<N, W>* b, const Pack<N, W>* c, std::size_t count,
             Pack<N, W>* y) {
  for (std::size_t i = 0; i < count; ++i)
    for (int l = 0; l < W; ++l)
      y[i][l] = (a ? a[i][l] : N(0)) + static_cast<N>(sign) * (b ? b[i][l] * c[i][l] : c[i][l]);
}

// move_tangents (kernels/joint/integrate_derivatives.hpp), which has several formulas, lane by lane; x null: zero.
template <class N, int W>
void move_lanes(const ModelData& m, const Pack<N, W>* u, const Pack<N, W>* x, bool transposed,
                Pack<N, W>* moved, Pack<N, W>* by_u) {
  for (int k = 0; k < m.nv; ++k) moved[k] = by_u[k] = x ? x[k] : Pack<N, W>(0);
  for (int i = 0; x && i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (n.kind < joint_spherical) continue;
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv, count = end - n.v_index;
    for (int l = 0; l < W; ++l) {
      double of_u[6], of_x[6], to[6], to_u[6];
      for (int e = 0; e < count; ++e) {
        of_u[e] = static_cast<double>(u[n.v_index + e][l]);
        of_x[e] = static_cast<double>(x[n.v_index + e][l]);
      }
      move_tangent(n.kind, of_u, of_x, transposed, to, to_u);
      for (int e = 0; e < count; ++e) {
        moved[n.v_index + e][l] = static_cast<N>(to[e]);
        by_u[n.v_index + e][l] = static_cast<N>(to_u[e]);
      }
    }
  }
}

}  // namespace

template <class N, int W>
void PackDerivatives<N, W>::prepare(const BatchCall& call) {
  grow(torques_, nv_);
  if (call.of_steps())
    for (std::vector<Pack>* x : {&qdd_, &u_, &moved_, &by_u_, &zeros_}) grow(*x, nv_);
  data_.subtree_end = subtree_end_.data();
  const bool matrices = call.derivatives.form == DerivativeForm::matrices;
  if (!(matrices ? matrices_ : products_).is_empty()) return;
  if (matrices) {
    std::vector<Field<Pack>> fields = {{&data_.B, 12 * nodes_}, {&data_.M, nv_ * (nv_ + 1) / 2}};
    for (Pack** field : {&data_.psi_dot, &data_.psi_ddot, &data_.S_rate}) fields.push_back({field, 6 * nv_});
    matrices_.cut(fields);
    return;
  }
  std::vector<Field<Pack>> fields = {
      {&data_.x, nv_}, {&data_.moment, 3 * nodes_}, {&data_.force, 6 * nodes_}};
  for (Pack** field : {&data_.moved, &data_.dv_body, &data_.da_body})
    fields.push_back({field, 6 * (nodes_ + 1), 6});
  products_.cut(fields);
}

template <class N, int W>
void PackDerivatives<N, W>::differentiate(const BatchCall& call, const ModelData& m, const In& in,
                                          const Pack* x, Pack* tau, Numbers& n, WorkspaceData<Pack>& w) {
  const BatchCall::Differentiation& how = call.derivatives;
  const auto given = [](const BatchArray& a, const std::vector<Pack>& list) {
    return a.data ? list.data() : nullptr;
  };
  const Pack* const dv = given(how.along_v, n.along_v);
  PackedProduct<Pack> p = {given(how.along_q, n.along_q), dv, x, n.by_q.data(), n.by_v.data(), n.by_x.data()};
  const Pack* const damping = call.robots && call.robots->own_friction ? n.damping.data() : nullptr;
  bool had_zeros[3];
  std::copy_n(n.has_zeros, 3, had_zeros), std::fill_n(n.has_zeros, 3, false);
  switch (how.form) {
    case DerivativeForm::vjp:
      kernels_.rnea_vjp_of_states(m, in, p, tau, data_, w);
      if (damping) combine(p.by_v, 1, damping, x, nv_, p.by_v);
      return;
    case DerivativeForm::jvp:
      kernels_.rnea_jvp_of_states(m, in, p, tau, data_, w);
      if (damping && dv) combine(p.by_q, 1, damping, dv, nv_, p.by_q);
      return;
    case DerivativeForm::matrices:
      break;
  }
  Pack** const lists[3] = {&p.by_q, &p.by_v, &p.by_x};
  for (int i = 0; i < 3; ++i) {
    if (!call.out[i + 1].data)
      *lists[i] = nullptr;
    else if (!had_zeros[i])
      std::fill_n(*lists[i], nv_ * nv_, Pack(0));
    n.has_zeros[i] = had_zeros[i] || call.out[i + 1].data;
  }
  kernels_.rnea_derivatives_of_states(m, in, p, tau, data_, w);
  for (std::size_t k = 0; damping && p.by_v && k < nv_; ++k) {
    Pack* const diagonal = p.by_v + k * (nv_ + 1);
    combine(diagonal, 1, static_cast<const Pack*>(nullptr), damping + k, 1, diagonal);
  }
}

template <class N, int W>
void PackDerivatives<N, W>::inverse(const BatchCall& call, const ModelData& m, const In& in, Numbers& n,
                                    WorkspaceData<Pack>& w) {
  const Pack* const x = call.derivatives.along_x.data ? n.along_x.data() : nullptr;
  differentiate(call, m, in, x, n.out.data(), n, w);
  if (call.robots && call.robots->own_friction)
    dynamics_.apply_friction(n.out.data(), 1, n.damping.data(), n.dry.data(), n.v.data(), m.nv, n.out.data());
}

template <class N, int W>
bool PackDerivatives<N, W>::accelerate(const BatchCall& call, const ModelData& m, In& in, Pack* qdd,
                                       Numbers& n, WorkspaceData<Pack>& w) {
  if (call.robots && call.robots->own_friction) {
    dynamics_.apply_friction(n.tau.data(), -1, n.damping.data(), n.dry.data(), n.v.data(), m.nv,
                             n.applied.data());
    in.tau = n.applied.data();
  }
  in.qdd = qdd;
  return dynamics_.aba_of_states(m, in, qdd, w);
}

template <class N, int W>
bool PackDerivatives<N, W>::forward(const BatchCall& call, const ModelData& m, In in, Numbers& n,
                                    WorkspaceData<Pack>& w) {
  const Pack* const none = nullptr;
  if (!accelerate(call, m, in, n.out.data(), n, w)) return false;
  switch (call.derivatives.form) {
    case DerivativeForm::vjp:
      std::copy_n(n.along_x.data(), nv_, data_.x);
      kernels_.solve_by_inertias(m, data_.x, data_, w);
      differentiate(call, m, in, data_.x, torques_.data(), n, w);
      for (std::vector<Pack>* by : {&n.by_q, &n.by_v}) combine(none, -1, none, by->data(), nv_, by->data());
      std::copy_n(data_.x, nv_, n.by_x.data());
      return true;
    case DerivativeForm::jvp:
      differentiate(call, m, in, none, torques_.data(), n, w);
      combine(call.derivatives.along_x.data ? n.along_x.data() : none, -1, none, n.by_q.data(), nv_,
              n.by_q.data());
      kernels_.solve_by_inertias(m, n.by_q.data(), data_, w);
      return true;
    case DerivativeForm::matrices:
      break;
  }
  differentiate(call, m, in, none, torques_.data(), n, w);
  const auto wanted = [&](int which, std::vector<Pack>& by) {
    return call.out[which].data ? by.data() : nullptr;
  };
  std::fill_n(n.has_zeros, 3, false);
  return kernels_.forward_derivatives_of_states(
      m, {none, none, none, wanted(1, n.by_q), wanted(2, n.by_v), wanted(3, n.by_x)}, data_);
}

template <class N, int W>
bool PackDerivatives<N, W>::step(const BatchCall& call, const ModelData& m, In in, Numbers& n,
                                 WorkspaceData<Pack>& w) {
  const Pack* const none = nullptr;
  if (!accelerate(call, m, in, qdd_.data(), n, w)) return false;
  const bool rolls = call.rolls();  // then gradients come from the step after, and its end is known
  const auto given = [&](const BatchArray& a, const std::vector<Pack>& list) {
    return rolls || a.data ? list.data() : none;
  };
  const BatchCall::Differentiation& how = call.derivatives;
  const Pack *const along_q = given(how.along_q, n.along_q), *const along_v = given(how.along_v, n.along_v);
  Pack *const next_v = n.second.data(), *const by_u = by_u_.data(), *const x = data_.x;
  add_scaled(n.v.data(), call.dt, qdd_.data(), m.nv, next_v);
  if (!rolls) {
    std::copy_n(n.q.data(), n.q.size(), n.out.data());
    dynamics_.integrate_joints(m, next_v, call.dt, n.out.data());
  }
  add_scaled(zeros_.data(), call.dt, next_v, m.nv, u_.data());
  if (how.form == DerivativeForm::vjp) {
    move_lanes(m, u_.data(), along_q, true, moved_.data(), by_u);
    add_scaled(zeros_.data(), call.dt, by_u, m.nv, by_u);
    if (along_v) combine(by_u, 1, none, along_v, nv_, by_u);  // now the gradient by the velocity at the end
    add_scaled(zeros_.data(), call.dt, by_u, m.nv, x);
    kernels_.solve_by_inertias(m, x, data_, w);
    differentiate(call, m, in, x, torques_.data(), n, w);
    combine(moved_.data(), -1, none, n.by_q.data(), nv_, n.by_q.data());
    combine(by_u, -1, none, n.by_v.data(), nv_, n.by_v.data());
    std::copy_n(x, nv_, n.by_x.data());
    return true;
  }
  differentiate(call, m, in, none, torques_.data(), n, w);
  combine(given(how.along_x, n.along_x), -1, none, n.by_q.data(), nv_, x);
  kernels_.solve_by_inertias(m, x, data_, w);
  add_scaled(along_v ? along_v : zeros_.data(), call.dt, x, m.nv, n.by_v.data());
  move_lanes(m, u_.data(), n.by_v.data(), false, moved_.data(), by_u);
  add_scaled(zeros_.data(), call.dt, by_u, m.nv, n.by_q.data());
  move_lanes(m, u_.data(), along_q, false, moved_.data(), by_u);
  combine(moved_.data(), 1, none, n.by_q.data(), nv_, n.by_q.data());
  return true;
}

template <class N, int W>
bool PackDerivatives<N, W>::compute(const BatchCall& call, const ModelData& m, Numbers& n,
                                    WorkspaceData<Pack>& w) {
  if (call.of_steps()) return step(call, m, n.inputs(call), n, w);
  if (!call.of_inverse_dynamics()) return forward(call, m, n.inputs(call), n, w);
  inverse(call, m, n.inputs(call), n, w);
  return true;
}

TENON_FOR_ALL_PACKS(template class PackDerivatives)

}  // namespace tenon
