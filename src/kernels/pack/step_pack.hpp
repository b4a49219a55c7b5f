// What packs measure at both ends of a step in time, to leave to single calls each step that these might refuse
// (kernels/cluster/step_limits.hpp, calls/step_check.cpp). With embedded loops that turn, in the coordinates of the tree.
#pragma once

#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/cluster/step_limits.hpp"
#include "kernels/pack/pack_table.hpp"
#include "kernels/tree/articulated_body.hpp"

namespace tenon {
TENON_ISA_BEGIN

// phi and K of loops that turn, at rest, and the angles of joints. G and g stay.
template <class T>
void gaps_of_states(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) {
    joint_angles(m, q, w);
    for (int i = 0; i < m.cluster_count; ++i)
      if (m.clusters[i].constant_G == 0)
        evaluate_cluster(m, m.clusters[i], q, static_cast<const T*>(nullptr), {true, false}, w);
  }
}

// energy := v^T M v / 2, power := v^T c(q, v) without wrenches, in one sweep outward: the sums over bodies of V . I V / 2 and
// V . I a, a at qdd = 0. After gaps_of_states or loops_of_states at q. Leaves in w what aba_of_measured begins with.
template <class T>
void measure_motion(const ModelData& m, const T* q, const T* v, T& energy, T& power, WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) {
    T twice(0), sum(0);
    set_world_motion(w);
    for (int i = 0; i < m.node_count; ++i) {
      const NodeData& n = m.nodes[i];
      with_joint(n, [&](auto joint) {
        using J = decltype(joint);
        J::update(n, i, q, w);
        const auto X = J::load(n, i, w);
        T rate[J::nv];
        load_rate<J>(n, v, rate);
        Motion<T> vi = motion_to_child(X, load_motion<T>(w.v + 6 * n.parent));
        add_motion<J>(n, vi, rate);
        const Motion<T> a = motion_to_child(X, load_motion<T>(w.a + 6 * n.parent)) +
                            velocity_product_acceleration<J>(n, vi, rate);
        store(w.v + 6 * i, vi);
        store(w.a + 6 * i, a);
        const Force<T> momentum = load_rigid(m, i, w) * vi;
        store(w.pA + 6 * i, cross_force(vi, momentum));
        twice = twice + dot(vi, momentum);
        sum = sum + dot(a, momentum);
      });
    }
    for (int k = 0; k < m.nv; ++k) twice = twice + load_armature(m, k, w) * v[k] * v[k];
    energy = T(0.5) * twice, power = sum;
  }
}

// Without bias forces their work is at least that of their power at the beginning, as no coordinate is slower than there.
template <class T>
void find_long_steps(const ModelData& m, const StepOfStates<T>& s, T& opens, T& excess, WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) {
    const double length = s.dt < 0 ? -s.dt : s.dt;
    opens = T(0);
    for (int i = 0; i < m.cluster_count; ++i) {
      const ClusterData& c = m.clusters[i];
      for (int r = 0; c.constant_G == 0 && r < c.row_count; ++r) {
        const RowRates<T> rates = rates_of_row(c, r, s.K, s.v, s.end_v);
        const T most = most_gap(s.phi[c.row_begin + r], rates, length, s.closed, s.share);
        // What is not a number is not below.
        opens = select(lanes_above(most, magnitude_of(w.loop_phi[c.row_begin + r])), opens, T(1));
      }
    }
    T work = s.bias ? T(0) : magnitude_of(s.power);
    for (int k = 0; k < m.nv; ++k) {
      const T force = s.bias ? magnitude_of(s.tau[k]) + magnitude_of(s.bias[k]) : magnitude_of(s.tau[k]);
      work = work + fastest(s.v[k], s.end_v[k]) * force;
    }
    excess = s.after - s.before - most_gain(s.before, s.after, T(length) * work, s.share);
  }
}

TENON_ISA_END
}  // namespace tenon
