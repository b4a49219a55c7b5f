// The mass matrix of BranchLanes: where the coordinates of limbs are.
#include <algorithm>

#include "plan/branches/branch_lanes.hpp"
#include "scalar/index.hpp"

namespace tenon {

// A trunk of one floating body, or none, and limbs that carry no others.
bool BranchLanes::is_star() const {
  if (trunk_.size() > 1 || (trunk_.size() == 1 && m_.nodes[trunk_[0]].kind != joint_floating)) return false;
  const std::int32_t parent = trunk_.empty() ? -1 : trunk_[0];
  return std::all_of(memory_.begin(), memory_.end(), [&](const BundleMemory& bundle) {
    return std::all_of(bundle.limbs.begin(), bundle.limbs.end(),
                       [&](const auto& limb) { return m_.nodes[limb[0]].parent == parent; });
  });
}

void BranchLanes::build_mass() {
  limb_coordinates_.resize(memory_.size());
  std::vector<bool> written(index(m_.nv), false);
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    BundleMemory& memory = memory_[k];
    WorkspaceData<N>& w = bundles_[k].w;
    const std::size_t n = memory.nodes.size();
    memory.cut<N>({{&w.Ic, 12 * n}, {&w.S_root, 6 * (n + 3)}, {&w.F_root, 6 * (n + 3)}, {&w.H, n * (n + 3)}});
    find_coordinates(k, written);
  }
}

// written: the coordinates of the limbs before, then those of these too.
void BranchLanes::find_coordinates(std::size_t k, std::vector<bool>& written) {
  const std::vector<std::vector<std::int32_t>>& limbs = memory_[k].limbs;
  LimbCoordinates<branch_width>& c = limb_coordinates_[k];
  c.body_count = count_of(limbs[0]);
  std::fill_n(c.whole_places, limbs.size(), 4);
  // In the order of store_root_rows (kernels/branches/crba_branches.hpp).
  const std::int32_t last = (c.body_count - 1) / 4 * 4, own = c.body_count - last;
  for (std::int32_t i = last; i >= 0; i -= 4)
    for (std::size_t l = 0; l < limbs.size(); ++l) {
      c.first[l] = m_.nodes[limbs[l][0]].v_index;
      const std::int32_t begin = c.first[l] + i;
      std::fill_n(written.begin() + begin, i < last ? 4 : own, true);
      if (i < last) continue;
      const bool fits = begin + 4 <= m_.nv;
      c.block_places[l] = c.root_places[l] = fits ? 4 : own;
      for (std::int32_t place = begin + own; fits && place < begin + 4; ++place)
        if (written[index(place)]) c.root_places[l] = own;
    }
}

}  // namespace tenon
