// The folded rotors of BranchLanes (kernels/cluster/cluster.hpp): which limb they belong to, and their constants
// in lanes.
#include <algorithm>
#include <tuple>

#include "plan/branches/branch_lanes.hpp"
#include "scalar/index.hpp"

namespace tenon {

// Adds the rotors of limbs to their shapes. Rotors of the world belong to none unless a limb on the world drives
// them.
void BranchLanes::find_rotors(const std::vector<std::size_t>& limb_of) {
  const auto place_in = [&](std::size_t limb, std::int32_t body) -> std::int32_t {
    if (body == limbs_[limb].parent) return 0;
    if (body < 0 || limb_of[index(body)] != limb) return -1;
    return body - limbs_[limb].bodies[0] + 1;
  };
  for (std::int32_t r = 0; r < m_.rotor_count; ++r) {
    const RotorData& rotor = m_.rotors[r];
    std::int32_t drive = -1;  // body; -2: in several limbs
    for (std::int32_t e = rotor.drive_begin; e < rotor.drive_end; ++e) {
      const std::int32_t body = m_.v_node[m_.rotor_drives[e].v_index];
      drive = drive == -1 || (drive >= 0 && limb_of[index(drive)] == limb_of[index(body)]) ? body : -2;
    }
    if (drive >= 0) {
      const std::size_t limb = limb_of[index(drive)];
      const std::int32_t carrier = place_in(limb, rotor.carrier);
      if (carrier >= 0) {
        limbs_[limb].rotors.push_back({carrier, place_in(limb, drive), r});
        continue;
      }
    }
    if (rotor.carrier < 0) continue;
    const std::size_t limb = limb_of[index(rotor.carrier)];
    limbs_[limb].rotors.push_back({place_in(limb, rotor.carrier), -1, r});
  }
  for (Limb& limb : limbs_) {
    std::sort(limb.rotors.begin(), limb.rotors.end(), [](const LimbRotor& a, const LimbRotor& b) {
      return std::tie(a.carrier, a.drive, a.rotor) < std::tie(b.carrier, b.drive, b.rotor);
    });
    for (const LimbRotor& rotor : limb.rotors)
      limb.shape.insert(limb.shape.end(), {-1, rotor.carrier, rotor.drive});
  }
}

void BranchLanes::build_trunk_rotors() {
  std::vector<bool> on_limbs(index(m_.rotor_count), false);
  for (const BundleMemory& memory : memory_)
    for (const std::vector<LimbRotor>& rotors : memory.limb_rotors)
      for (const LimbRotor& rotor : rotors) on_limbs[index(rotor.rotor)] = true;
  trunk_v_node_.assign(index(m_.nv), -1);
  for (std::int32_t r = 0; r < m_.rotor_count; ++r) {
    if (on_limbs[index(r)]) continue;
    RotorData rotor = m_.rotors[r];
    if (rotor.carrier >= 0) rotor.carrier = places_[index(rotor.carrier)].node;
    for (std::int32_t e = rotor.drive_begin; e < rotor.drive_end; ++e) {
      const std::int32_t k = m_.rotor_drives[e].v_index;
      trunk_v_node_[index(k)] = places_[index(m_.v_node[k])].node;
    }
    trunk_rotors_.push_back(rotor);
    trunk_rotor_.push_back(r);
  }
  data_.trunk.rotor_count = count_of(trunk_rotors_);
  data_.trunk.rotors = trunk_rotors_.data();
  data_.trunk.v_node = trunk_v_node_.data();
  data_.trunk_rotor = trunk_rotor_.data();
}

void BranchLanes::build_limb_rotors(std::size_t k) {
  BundleMemory& memory = memory_[k];
  Bundle<N>& bundle = bundles_[k];
  const std::size_t count = memory.limb_rotors[0].size();
  memory.rotors.resize(count);
  for (std::size_t r = 0; r < count; ++r) {
    LaneRotor<N>& rotor = memory.rotors[r];
    rotor.carrier = memory.limb_rotors[0][r].carrier, rotor.drive = memory.limb_rotors[0][r].drive;
    for (std::size_t l = 0; l < lanes; ++l) {
      const bool empty = l >= memory.limbs.size();
      const std::int32_t number = memory.limb_rotors[empty ? 0 : l][r].rotor;
      const RotorData& one = m_.rotors[number];
      for (int e = 0; e < 3; ++e) rotor.momentum[e].x[l] = one.momentum[e];
      rotor.inertia.x[l] = one.inertia;
      rotor.ratio.x[l] = one.drive_begin < one.drive_end ? m_.rotor_drives[one.drive_begin].ratio : 0;
      memory.rotor_of.push_back(number);
      memory.rotor_v_of.push_back(one.v_index);
      memory.rotor_result_of.push_back(empty ? -1 : one.v_index);
    }
  }
  bundle.model.rotor_count = count_of(memory.rotors);
  bundle.model.rotors = memory.rotors.data();
  bundle.rotor_of = memory.rotor_of.data();
  bundle.rotor_v_of = memory.rotor_v_of.data();
  bundle.rotor_result_of = memory.rotor_result_of.data();
}

}  // namespace tenon
