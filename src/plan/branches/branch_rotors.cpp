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
