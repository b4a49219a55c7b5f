// Products of packs with the derivatives of kinematics, of links or of whole robots: members of PackDerivatives, for
// pack_derivatives.cpp alone. With independent velocities sweeps are in the coordinates of the tree (independent_numbers.hpp).
#pragma once

#include "batch/pack/pack_derivatives.hpp"

namespace tenon {

template <class N, int W>
PackNumbers<N, W>& PackDerivatives<N, W>::enter_kinematics(const BatchCall& call, const ModelData& m,
                                                           Numbers& n, WorkspaceData<Pack>& w) {
  if (!independent_) return n;
  independent_->start();
  Numbers& tree = independent_->enter(call, n, w);
  if (!call.v.data) return tree;
  const In in = tree.inputs(call);
  if (call.derivatives.form == DerivativeForm::jvp)
    add_velocity_changes(m, in, false, tree, w);
  else if (has_loops_)
    kernels_.place_velocity_rows_of_states(m, in, false, loops_, w);
  return tree;
}

template <class N, int W>
void PackDerivatives<N, W>::kinematics(const BatchCall& call, const ModelData& m, const Pack* state,
                                       Numbers& user, WorkspaceData<Pack>& w, Mask& lanes) {
  const BatchCall::Differentiation& how = call.derivatives;
  Numbers& n = independent_ ? independent_->tree() : user;
  std::fill_n(user.has_zeros, 3, false);
  const bool of_motion = call.differentiates_motion();
  Pack *const of_poses = data_.moved, *const of_velocities = of_motion ? data_.dv_body : nullptr;
  const auto for_links = [&](const auto& each) {
    for (int i = 0; i < call.link_count; ++i) {
      const Model::Link& link = single_.model->links[index(call.links[i])];
      each(PlacedLink{link.body, link.in_body.rotation.data(), link.in_body.translation.data(),
                      call.axes == RowAxes::world},
           std::ptrdiff_t{6} * i);
    }
  };
  const auto given = [](const BatchArray& a, const std::vector<Pack>& list, std::ptrdiff_t at = 0) {
    return a.data ? list.data() + at : nullptr;
  };
  if (call.forward_mode()) {
    const bool turns = independent_ && has_loops_ && of_motion;
    const Pack* const dq = given(how.along_q, n.along_q);
    const Pack* const dv = turns ? n.along_v.data() : given(how.along_v, n.along_v);
    if (state) {
      kernels_.centroidal_jvp(m, n.v.data(), state, dq, dv, of_poses, of_velocities, user.by_q.data(), w);
    } else {
      kernels_.kinematics_jvp(m, n.v.data(), dq, dv, of_poses, of_velocities, w);
      for_links([&](const PlacedLink& link, std::ptrdiff_t at) {
        kernels_.link_changes(link, of_poses, of_velocities, user.by_q.data() + at,
                              of_motion ? user.by_v.data() + at : nullptr, w);
      });
    }
  } else {
    std::fill_n(n.by_v.data(), nv_, Pack(0));
    if (state) {
      kernels_.centroidal_vjp(m, n.v.data(), state, user.along_q.data(), of_poses, of_velocities,
                              n.by_q.data(), n.by_v.data(), w);
    } else {
      for (Pack* field : {of_poses, of_velocities})
        if (field) std::fill_n(field, 6 * m.node_count, Pack(0));
      for_links([&](const PlacedLink& link, std::ptrdiff_t at) {
        kernels_.add_link_forces(link, given(how.along_q, user.along_q, at),
                                 given(how.along_v, user.along_v, at), of_poses, of_velocities, w);
      });
      kernels_.kinematics_vjp(m, n.v.data(), of_poses, of_velocities, n.by_q.data(), n.by_v.data(), w);
    }
  }
  if (!independent_) return;
  independent_->leave(call, user, w, [&](Pack* by_q, const Pack* by_v) {
    if (has_loops_ && of_motion)
      kernels_.add_velocity_gradients_of_states(m, n.v.data(), by_q, by_v, loops_, w);
  });
  independent_->keep_ordinary(lanes);
}

}  // namespace tenon
