#include "batch/pack_derivatives.hpp"

#include <algorithm>

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

}  // namespace

template <class N, int W>
void PackDerivatives<N, W>::prepare(const BatchCall& call) {
  grow(torques_, nv_);
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
    add_friction(lane_of(n.out, 0), 1, lane_of(n.damping, 0), lane_of(n.dry, 0), lane_of(n.v, 0), nv_ * W,
                 lane_of(n.out, 0));
}

template <class N, int W>
bool PackDerivatives<N, W>::forward(const BatchCall& call, const ModelData& m, In in, Numbers& n,
                                    WorkspaceData<Pack>& w) {
  const Pack* const none = nullptr;
  if (call.robots && call.robots->own_friction) {
    add_friction(lane_of(n.tau, 0), -1, lane_of(n.damping, 0), lane_of(n.dry, 0), lane_of(n.v, 0), nv_ * W,
                 lane_of(n.applied, 0));
    in.tau = n.applied.data();
  }
  if (!dynamics_.aba_of_states(m, in, n.out.data(), w)) return false;
  in.qdd = n.out.data();
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
bool PackDerivatives<N, W>::compute(const BatchCall& call, const ModelData& m, Numbers& n,
                                    WorkspaceData<Pack>& w) {
  if (!call.of_inverse_dynamics()) return forward(call, m, n.inputs(call), n, w);
  inverse(call, m, n.inputs(call), n, w);
  return true;
}

TENON_FOR_ALL_PACKS(template class PackDerivatives)

}  // namespace tenon
