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
  if (call.forward_mode()) {
    add_velocity_changes(m, in, false, tree, w);
    if (has_loops_ && call.differentiated_order() > 1) add_acceleration_changes(m, in, tree, w);
  } else if (has_loops_) {
    kernels_.place_velocity_rows_of_states(m, in, false, loops_, w);
  }
  return tree;
}

// To along_x of the tree: what the state changes of dependent accelerations.
template <class N, int W>
void PackDerivatives<N, W>::add_acceleration_changes(const ModelData& m, const In& at, Numbers& tree,
                                                     WorkspaceData<Pack>& w) {
  In in = at;
  in.tau = nullptr;
  kernels_.constrained_jvp_of_states(
      m, in,
      {tree.along_q.data(), tree.along_v.data(), tree.along_x.data(), tree.by_q.data(), nullptr, nullptr},
      memory_.torques.data(), acting(), data_, w);
  for (std::size_t k = 0; k < nv_; ++k) tree.along_x[k] = tree.along_x[k] + loops_.h[k];
}

// To by_q and by_v of the tree: what dependent accelerations, which follow the state, give for the gradient by_x.
template <class N, int W>
void PackDerivatives<N, W>::add_acceleration_gradients(const BatchCall& call, const ModelData& m,
                                                       Numbers& tree, WorkspaceData<Pack>& w) {
  In in = tree.inputs(call);
  in.tau = nullptr;
  Pack *const none = tree.along_x.data(), *const by_q = tree.along_q.data(),
              *const by_v = tree.along_v.data();
  std::fill_n(none, nv_, Pack(0));
  loops_.gradient = tree.by_x.data();
  kernels_.constrained_vjp_of_states(m, in, {nullptr, nullptr, none, by_q, by_v, tree.out.data()},
                                     memory_.torques.data(), acting(), data_, w);
  for (std::size_t k = 0; k < nv_; ++k)
    tree.by_q[k] = tree.by_q[k] - by_q[k], tree.by_v[k] = tree.by_v[k] - by_v[k];
}

template <class N, int W>
void PackDerivatives<N, W>::kinematics(const BatchCall& call, const ModelData& m, const Pack* state,
                                       Numbers& user, WorkspaceData<Pack>& w, Mask& lanes) {
  const BatchCall::Differentiation& how = call.derivatives;
  Numbers& n = independent_ ? independent_->tree() : user;
  const int order = call.differentiated_order();
  const bool turns = independent_ && has_loops_;
  const Pack *const v = n.v.data(), *const a = n.qdd.data();
  const BodyMotions<Pack> bodies = {data_.moved, order > 0 ? data_.dv_body : nullptr,
                                    order > 1 ? data_.da_body : nullptr};
  const auto for_links = [&](const auto& each) {
    for (int i = 0; i < call.link_count; ++i) {
      const Model::Link& link = single_.model->links[index(call.links[i])];
      each(PlacedLink{link.body, link.in_body.rotation.data(), link.in_body.translation.data(),
                      call.axes == RowAxes::world},
           std::ptrdiff_t{6} * i);
    }
  };
  const auto given = [](bool is, const std::vector<Pack>& list, std::ptrdiff_t at = 0) {
    return is ? list.data() + at : nullptr;
  };
  if (how.form == DerivativeForm::parameter_vjp) {
    const auto list = [&](ByParameter kind) {
      std::vector<Pack>& to = user.by_parameters[static_cast<std::size_t>(kind)];
      if (!how.by(kind).data) return static_cast<Pack*>(nullptr);
      std::fill(to.begin(), to.end(), Pack(0));
      return to.data();
    };
    const MassGradients<Pack> to = {list(ByParameter::inertia), list(ByParameter::armature),
                                    list(ByParameter::gravity)};
    kernels_.centroidal_parameter_vjp(m, single_.parameters->data, order > 0 ? v : nullptr, state,
                                      user.along_q.data(), to, w);
  } else if (call.forward_mode()) {
    const JointMotions<const Pack> along = {given(how.along_q.data, n.along_q),
                                            given((turns && order > 0) || how.along_v.data, n.along_v),
                                            given((turns && order > 1) || how.along_x.data, n.along_x)};
    if (state) {
      kernels_.centroidal_jvp(m, v, state, along, bodies, user.by_q.data(), w);
    } else {
      kernels_.kinematics_jvp(m, v, a, along, bodies, w);
      for_links([&](const PlacedLink& link, std::ptrdiff_t at) {
        const auto wanted = [&](int i, std::vector<Pack>& list) {
          return call.out[i].data ? list.data() + at : nullptr;
        };
        kernels_.link_changes(link, bodies,
                              {wanted(1, user.by_q), wanted(2, user.by_v), wanted(3, user.by_x)}, w);
      });
    }
  } else {
    const JointMotions<Pack> gradient = {n.by_q.data(), n.by_v.data(), n.by_x.data()};
    for (Pack* list : {gradient.v, gradient.a}) std::fill_n(list, nv_, Pack(0));  // of what has no part
    if (state) {
      kernels_.centroidal_vjp(m, v, state, user.along_q.data(), bodies, gradient, w);
    } else {
      for (Pack* field : {bodies.poses, bodies.velocities, bodies.accelerations})
        if (field) std::fill_n(field, 6 * m.node_count, Pack(0));
      for_links([&](const PlacedLink& link, std::ptrdiff_t at) {
        kernels_.add_link_forces(
            link,
            {given(how.along_q.data, user.along_q, at), given(how.along_v.data, user.along_v, at),
             given(how.along_x.data, user.along_x, at)},
            bodies, w);
      });
      kernels_.kinematics_vjp(m, v, a, bodies, gradient, w);
    }
    if (turns && order > 1) add_acceleration_gradients(call, m, n, w);
  }
  if (!independent_) return;
  independent_->leave(call, user, w, [&](Pack* by_q, const Pack* by_v) {
    if (turns && order > 0) kernels_.add_velocity_gradients_of_states(m, v, by_q, by_v, loops_, w);
  });
  independent_->keep_ordinary(lanes);
}

}  // namespace tenon
