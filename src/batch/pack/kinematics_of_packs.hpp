// Kinematics of packs, of links and of whole robots: members of PackWorker, for pack_worker.cpp alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "batch/pack/pack_worker.hpp"
#include "scalar/index.hpp"
#include "state/coordinates.hpp"

namespace tenon {

// Where a product of two numbers, or with accelerations of three, could leave the range, lanes are left to single calls: a
// state is written whole or not at all.
template <class Io>
Io largest_motion(const BatchCall& call) {
  const Io most = std::numeric_limits<Io>::max();
  return (call.accelerates() ? std::cbrt(most) : std::sqrt(most)) / 16;
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::keep_placed(const BatchCall& call, Mask& good) {
  const WorkspaceData<Pack>& d = dynamics_.arena();
  const std::size_t nodes = index(m().node_count);
  keep_finite<Io>(kernels_, d.R0, 9 * nodes, good);
  const Io largest = largest_motion<Io>(call);
  keep_finite<Io>(kernels_, d.p0, 3 * nodes, good, largest);
  if (call.v.data) keep_finite<Io>(kernels_, d.v0, 6 * nodes, good, largest);
  if (call.accelerates()) keep_finite<Io>(kernels_, d.a0, 6 * nodes, good, largest);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::run_kinematics(const BatchCall& call, const InLanes& states, Mask& good) {
  const WorkspaceData<Pack>& d = dynamics_.arena();
  const bool derived = call.differentiates();
  dynamics_.place_bodies(call, numbers_);
  const auto in_range = [&](int link) {
    const Vector3& offset = w().model->links[index(link)].in_body.translation;
    return std::all_of(offset.begin(), offset.end(),
                       [&](double x) { return std::abs(x) <= largest_motion<Io>(call); });
  };
  if (!std::all_of(call.links, call.links + call.link_count, in_range)) good = {};
  keep_placed(call, good);
  if (derived) {
    dynamics_.differentiate_kinematics(call, nullptr, numbers_, good);
    give_results(call, states, good);
  } else {
    dynamics_.leave_bodies(call, numbers_, good);
  }
  const BatchArray &velocities = call.out[derived ? 4 : 1], jacobians = derived ? BatchArray{} : call.out[2],
                   &accelerations = call.out[derived ? 5 : 3];
  const std::ptrdiff_t columns = 6 * std::ptrdiff_t{m().nv};  // of a Jacobian, all six numbers
  const auto part = [&](BatchArray a, std::ptrdiff_t numbers) {
    if (a.data) a.data = static_cast<Io*>(a.data) + numbers * a.number_stride;
    return a;
  };
  if (!call.out[0].data && !velocities.data && !jacobians.data && !accelerations.data) return;
  for (int k = 0; k < call.link_count; ++k) {
    const Model::Link& link = w().model->links[index(call.links[k])];
    Pack R[9], p[3], V[6], A[6];
    Pack* J = jacobians.data ? jacobian_.data() : nullptr;
    kernels_.frame_motion(m(), link.body, link.in_body.rotation.data(), link.in_body.translation.data(),
                          call.axes == RowAxes::world, R, p, velocities.data ? V : nullptr,
                          accelerations.data ? A : nullptr, J, d);
    const BatchArray poses = part(call.out[0], 7 * std::ptrdiff_t{k});
    for (int l = 0; poses.data && l < W; ++l) {
      if (!good.lane[l]) continue;
      double numbers[9], pose[7];
      for (int e = 0; e < 9; ++e) numbers[e] = static_cast<double>(R[e][l]);
      for (int e = 0; e < 3; ++e) pose[e] = static_cast<double>(p[e][l]);
      quaternion_of_rotation(load_mat3<double>(numbers), pose + 3);
      Io* to = place(poses, states.state[l]);
      for (int e = 0; e < 7; ++e) to[e * poses.number_stride] = static_cast<Io>(pose[e]);
    }
    scatter(V, 6, part(velocities, 6 * std::ptrdiff_t{k}), states, good);
    scatter(A, 6, part(accelerations, 6 * std::ptrdiff_t{k}), states, good);
    scatter(jacobian_.data(), index(columns), part(jacobians, columns * k), states, good);
  }
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::gather_centroidal(const BatchCall& call, const InLanes& states, Mask& good) {
  std::fill_n(numbers_.along_q.data(), centroidal_count, Pack(0));
  for (int i = 0; i < centroidal_parts; ++i)
    gather(call.centroidal.gradients[i], states, index(centroidal_size[i]),
           numbers_.along_q.data() + centroidal_at[i], good);
}

template <class Io, class N, int W>
void PackWorker<Io, N, W>::run_centroidal(const BatchCall& call, const InLanes& states, Mask& good) {
  Pack state[centroidal_room];
  const Pack* const v = dynamics_.place_bodies(call, numbers_);
  keep_placed(call, good);
  kernels_.centroidal_state(m(), v, call.centroidal.have_center(), state, dynamics_.arena());
  const auto for_values = [&](const auto& each) {
    for (int i = 0; i < centroidal_parts; ++i)
      if (call.centroidal.values[i].data)
        each(state + centroidal_at[i], index(centroidal_size[i]), call.centroidal.values[i]);
  };
  for_values([&](const Pack* part, std::size_t count, const BatchArray&) {
    keep_finite<Io>(kernels_, part, count, good);
  });
  if (call.differentiates()) {
    dynamics_.differentiate_kinematics(call, state, numbers_, good);
    give_results(call, states, good);
  } else {
    dynamics_.leave_bodies(call, numbers_, good);
  }
  for_values([&](const Pack* part, std::size_t count, const BatchArray& to) {
    scatter(part, count, to, states, good);
  });
}

}  // namespace tenon
