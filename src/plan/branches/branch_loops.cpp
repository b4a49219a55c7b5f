#include <algorithm>
#include <tuple>

#include "plan/branches/branch_lanes.hpp"
#include "plan/cluster_pivot.hpp"
#include "scalar/index.hpp"

namespace tenon {

// The clusters of BranchLanes (kernels/cluster/cluster.hpp): on the trunk as in the model, with the numbers of its
// bodies; on limbs with places of their own, one of a bundle for one of each limb.

const ClusterData* BranchLanes::cluster_of(std::int32_t body) const {
  if (m_.cluster_count == 0 || m_.node_cluster[body] < 0) return nullptr;
  return m_.clusters + m_.node_cluster[body];
}

// Which coordinates are independent, and how G is stored.
std::vector<std::int32_t> BranchLanes::cluster_shape(const ClusterData& c) const {
  std::vector<std::int32_t> shape = {-2, c.node_count, c.y_count, c.v_count, c.constant_G};
  for (std::int32_t k = c.v_begin; k < c.v_begin + c.v_count; ++k)
    shape.push_back(m_.y_index[k] < 0 ? -1 : m_.y_index[k] - c.y_begin);
  for (std::int32_t i = c.node_begin; i < c.node_begin + c.node_count; ++i)
    shape.push_back(m_.nodes[i].v_index - c.v_begin);
  return shape;
}

void BranchLanes::build_trunk_clusters() {
  std::vector<ClusterData> clusters;
  std::vector<std::int32_t> node_cluster(trunk_.size(), -1);
  for (std::size_t i = 0; i < trunk_.size(); ++i) {
    const ClusterData* c = cluster_of(trunk_[i]);
    if (!c) continue;
    if (c->node_begin == trunk_[i]) {
      ClusterData own = *c;
      own.node_begin = static_cast<std::int32_t>(i);
      if (own.parent >= 0) own.parent = places_[index(own.parent)].node;
      clusters.push_back(own);
    }
    node_cluster[i] = count_of(clusters) - 1;
  }
  trunk_memory_.keep(std::move(clusters), data_.trunk.model.clusters, data_.trunk.model.cluster_count);
  data_.trunk.model.node_cluster = trunk_memory_.keep(std::move(node_cluster));
}

// Nodes and coordinates of a bundle have the same numbers, so that those of a cluster are in the order of its
// bodies, as they are in the model: joints of limbs have one degree of freedom.
void BranchLanes::find_limb_clusters(std::size_t k) {
  BundleMemory& memory = memory_[k];
  const std::vector<std::int32_t>& bodies = memory.limbs[0];
  std::vector<std::int32_t> v_node, y_index(bodies.size() + 1, -1);
  memory.node_cluster.assign(bodies.size() + 1, -1);
  std::int32_t y_begin = 0, G_begin = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const ClusterData* c = cluster_of(bodies[i]);
    v_node.push_back(static_cast<std::int32_t>(i));
    if (!c) continue;
    const std::int32_t node = static_cast<std::int32_t>(i) + 1;
    if (c->node_begin == bodies[i]) {
      if (!memory.clusters.empty()) y_begin += memory.clusters.back().y_count;
      ClusterData own{};
      own.parent = place_in(bodies, c->parent);
      own.node_begin = own.q_begin = own.v_begin = node;
      own.node_count = own.q_count = own.v_count = c->node_count;
      own.y_begin = y_begin, own.y_count = c->y_count;
      own.G_begin = G_begin, own.constant_G = c->constant_G;
      memory.clusters.push_back(own);
      G_begin += own.v_count * own.y_count;
    }
    memory.node_cluster[index(node)] = count_of(memory.clusters) - 1;
    const std::int32_t y = m_.y_index[m_.nodes[bodies[i]].v_index];
    y_index[index(node)] = y < 0 ? -1 : y_begin + y - c->y_begin;
  }
  v_node.push_back(count_of(bodies));
  memory.G_size = index(G_begin);
  bundles_[k].model.node_cluster = memory.node_cluster.data();
  bundles_[k].model.v_node = memory.keep(std::move(v_node));
  bundles_[k].model.y_index = memory.keep(std::move(y_index));
}

void BranchLanes::build_limb_clusters(std::size_t k) {
  BundleMemory& memory = memory_[k];
  Bundle<N>& bundle = bundles_[k];
  std::vector<std::int32_t> varying_G, G_of;
  std::vector<N> F(6 * memory.G_size, N(0)), D(memory.G_size, N(0)),
      U(!memory.clusters.empty() ? 6 * memory.nodes.size() : 0, N(0));
  for (const ClusterData& c : memory.clusters) {
    const std::int32_t size = c.v_count * c.y_count;
    for (std::int32_t e = 0; e < size && c.constant_G == 0; ++e) varying_G.push_back(c.G_begin + e);
    if (c.constant_G == 0) bundle.varies = 1;
    // One of each limb. Empty lanes repeat the first limb.
    std::array<const ClusterData*, lanes> one;
    for (std::size_t l = 0; l < lanes; ++l)
      one[l] = cluster_of(memory.limbs[l < memory.limbs.size() ? l : 0][index(c.node_begin) - 1]);
    for (std::int32_t e = 0; e < size; ++e)
      for (std::size_t l = 0; l < lanes; ++l) {
        bundle.w.G[c.G_begin + e].x[l] = m_.G_initial[one[l]->G_begin + e];
        if (c.constant_G == 0) G_of.push_back(one[l]->G_begin + e);
      }
    if (m_.rotor_count == 0) continue;
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto copy = [l](const double* from, std::int32_t count, N* to) {
        for (std::int32_t e = 0; e < count; ++e) to[e].x[l] = from[e];
      };
      copy(m_.cluster_F_initial + 6 * one[l]->G_begin, 6 * size, F.data() + 6 * c.G_begin);
      copy(m_.cluster_D_initial + one[l]->G_begin, size, D.data() + c.G_begin);
      copy(m_.cluster_U_initial + 6 * one[l]->v_begin, 6 * c.v_count, U.data() + 6 * c.v_begin);
    }
  }
  ModelDataOf<N>& m = bundle.model;
  m.cluster_count = count_of(memory.clusters);
  m.clusters = memory.clusters.data();
  m.cluster_F_initial = memory.keep(std::move(F));
  m.cluster_D_initial = memory.keep(std::move(D));
  m.cluster_U_initial = memory.keep(std::move(U));
  memory.keep(std::move(varying_G), bundle.varying_G, bundle.varying_count);
  bundle.G_of = memory.keep(std::move(G_of));
}

double BranchLanes::smallest_pivot() const {
  double smallest = smallest_cluster_pivot(data_.trunk.model, data_.trunk.w.cluster_D);
  for (std::size_t k = 0; k < memory_.size(); ++k)
    for (int l = 0; l < count_of(memory_[k].limbs); ++l)
      smallest = std::min(smallest, smallest_pivot_by(bundles_[k].model, [&](int e) {
                            return lane_of(bundles_[k].w.cluster_D[e], l);
                          }));
  return smallest;
}

// The folded rotors of BranchLanes (kernels/cluster/cluster.hpp): which limb they belong to, and their constants
// in lanes.

// Adds the rotors of limbs to their shapes. Rotors of the world belong to none unless a limb on the world drives
// them.
void BranchLanes::find_rotors(const std::vector<std::size_t>& limb_of) {
  for (std::int32_t r = 0; r < m_.rotor_count; ++r) {
    const RotorData& rotor = m_.rotors[r];
    std::vector<std::int32_t> drives;  // bodies
    for (std::int32_t e = rotor.drive_begin; e < rotor.drive_end; ++e)
      drives.push_back(m_.v_node[m_.rotor_drives[e].v_index]);
    if (!drives.empty()) {
      Limb& limb = limbs_[limb_of[index(drives[0])]];
      const std::int32_t carrier = place_in(limb.bodies, rotor.carrier);
      for (std::int32_t& drive : drives) drive = place_in(limb.bodies, drive);
      if (carrier >= 0 && *std::min_element(drives.begin(), drives.end()) > 0) {
        limb.rotors.push_back({r, rotor.wobbles, carrier, drives});
        continue;
      }
    }
    if (rotor.carrier < 0) continue;
    Limb& limb = limbs_[limb_of[index(rotor.carrier)]];
    limb.rotors.push_back({r, rotor.wobbles, place_in(limb.bodies, rotor.carrier), {}});
  }
  for (Limb& limb : limbs_) {
    std::sort(limb.rotors.begin(), limb.rotors.end(), [](const LimbRotor& a, const LimbRotor& b) {
      return std::tie(b.wobbles, a.carrier, a.drives, a.number) <
             std::tie(a.wobbles, b.carrier, b.drives, b.number);
    });
    for (const LimbRotor& rotor : limb.rotors) {
      limb.shape.insert(limb.shape.end(), {-1, rotor.wobbles, rotor.carrier, count_of(rotor.drives)});
      limb.shape.insert(limb.shape.end(), rotor.drives.begin(), rotor.drives.end());
    }
  }
}

void BranchLanes::build_trunk_rotors() {
  std::vector<bool> on_limbs(index(m_.rotor_count), false);
  for (const BundleMemory& memory : memory_)
    for (const std::vector<LimbRotor>& rotors : memory.limb_rotors)
      for (const LimbRotor& rotor : rotors) on_limbs[index(rotor.number)] = true;
  std::vector<RotorData> own;
  std::vector<std::int32_t> numbers, v_node(index(m_.nv), -1);
  data_.trunk.model.wobbling_rotors = 0;
  for (std::int32_t r = 0; r < m_.rotor_count; ++r) {
    if (on_limbs[index(r)]) continue;
    RotorData rotor = m_.rotors[r];
    if (rotor.carrier >= 0) rotor.carrier = places_[index(rotor.carrier)].node;
    for (std::int32_t e = rotor.drive_begin; e < rotor.drive_end; ++e) {
      const std::int32_t k = m_.rotor_drives[e].v_index;
      v_node[index(k)] = places_[index(m_.v_node[k])].node;
    }
    data_.trunk.model.wobbling_rotors += rotor.wobbles;
    own.push_back(rotor);
    numbers.push_back(r);
  }
  trunk_memory_.keep(std::move(own), data_.trunk.model.rotors, data_.trunk.model.rotor_count);
  data_.trunk.model.v_node = trunk_memory_.keep(std::move(v_node));
  data_.trunk.rotor_of = trunk_memory_.keep(std::move(numbers));
}

void BranchLanes::build_limb_rotors(std::size_t k) {
  BundleMemory& memory = memory_[k];
  Bundle<N>& bundle = bundles_[k];
  const std::vector<LimbRotor>& shape = memory.limb_rotors[0];
  std::vector<RotorDataOf<N>> rotors(shape.size());
  std::vector<RotorDriveOf<N>> drives;
  std::vector<std::int32_t> number_of, q_of, v_of, result_of;
  std::int32_t wobbling = 0;
  for (std::size_t r = 0; r < shape.size(); ++r) {
    RotorDataOf<N>& rotor = rotors[r];
    rotor.carrier = shape[r].carrier, rotor.wobbles = shape[r].wobbles;
    wobbling += rotor.wobbles;
    rotor.drive_begin = count_of(drives);
    for (const std::int32_t drive : shape[r].drives) drives.push_back({drive, N(0)});
    rotor.drive_end = count_of(drives);
    for (int l = 0; l < branch_width; ++l) {
      const bool empty = index(l) >= memory.limbs.size();
      const std::int32_t number = memory.limb_rotors[empty ? 0 : index(l)][r].number;
      const RotorData& one = m_.rotors[number];
      set_lane(rotor.inertia, l, one.inertia);
      set_lane(rotor.a, l, one.a);
      set_lane(rotor.b, l, one.b);
      set_lanes(rotor.momentum, l, one.momentum);
      set_lanes(rotor.axis, l, one.axis);
      for (int part = 0; part < 2; ++part) set_lanes(rotor.wobble[part], l, one.wobble[part]);
      for (std::int32_t e = rotor.drive_begin; e < rotor.drive_end; ++e)
        set_lane(drives[index(e)].ratio, l, m_.rotor_drives[one.drive_begin + e - rotor.drive_begin].ratio);
      number_of.push_back(number);
      q_of.push_back(one.q_index);
      v_of.push_back(one.v_index);
      result_of.push_back(empty ? -1 : one.v_index);
    }
  }
  memory.keep(std::move(rotors), bundle.model.rotors, bundle.model.rotor_count);
  bundle.model.wobbling_rotors = wobbling;
  bundle.model.rotor_drives = memory.keep(std::move(drives));
  bundle.rotor_of = memory.keep(std::move(number_of));
  bundle.rotor_q_of = memory.keep(std::move(q_of));
  bundle.rotor_v_of = memory.keep(std::move(v_of));
  bundle.rotor_result_of = memory.keep(std::move(result_of));
}

}  // namespace tenon
