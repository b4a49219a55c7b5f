// The mass matrix of BranchLanes: the trunk with coordinates of its own, and where those of limbs are.
#include <algorithm>

#include "plan/arena.hpp"
#include "plan/branches/branch_lanes.hpp"
#include "scalar/index.hpp"

namespace tenon {

namespace {

// Costs of S and F relative to a body of the scalar sweeps, which take four bodies at a time: a bundle's body; what
// goes between a bundle and its parents; a body of the trunk; the trunk.
constexpr double bundle_body = 1.0, bundle_ends = 1, body_in_trunk = 1.2, trunk_ends = 1;

// Runs of consecutive coordinates.
std::vector<TrunkCoordinates> consecutive(const std::vector<std::int32_t>& coordinates) {
  std::vector<TrunkCoordinates> runs;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    if (k == 0 || coordinates[k] != coordinates[k - 1] + 1)
      runs.push_back({static_cast<std::int32_t>(k), coordinates[k], 0});
    ++runs.back().count;
  }
  return runs;
}

}  // namespace

void BranchLanes::build_mass() {
  build_trunk_mass();
  limb_mass_.resize(memory_.size());
  limb_coordinates_.resize(memory_.size());
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    const std::size_t n = memory_[k].nodes.size();
    WorkspaceData<N>& w = bundles_[k].w;
    limb_mass_[k].block = std::make_unique<MemoryBlock<N>>();
    limb_mass_[k].block->cut({{&w.pose, 16 * n},
                              {&w.Ic, 12 * n},
                              {&w.S_root, 6 * (n + 3)},
                              {&w.F_root, 6 * (n + 3)},
                              {&w.H, n * (n + 3)}},
                             N(0));
  }
  std::vector<bool> written(index(m_.nv), false);
  for (const std::int32_t k : trunk_mass_.coordinates) written[index(k)] = true;
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    find_poses_of_parents(k);
    find_coordinates(k, written);
  }
  mass_.run_count = count_of(trunk_mass_.runs), mass_.runs = trunk_mass_.runs.data();
  mass_.carrier_count = count_of(trunk_mass_.carriers), mass_.carriers = trunk_mass_.carriers.data();
  mass_.limbs = limb_coordinates_.data();
  mass_.model = &m_;
  const bool floating = trunk_.size() == 1 && m_.nodes[trunk_[0]].kind == joint_floating;
  const bool from_trunk = std::none_of(memory_.begin(), memory_.end(), [&](const BundleMemory& memory) {
    return std::any_of(memory.limbs.begin(), memory.limbs.end(),
                       [&](const auto& limb) { return m_.nodes[limb[0]].parent < 0; });
  });
  mass_.is_star = (trunk_.empty() || (floating && from_trunk)) &&
                  std::none_of(limb_coordinates_.begin(), limb_coordinates_.end(),
                               [](const LimbCoordinates<branch_width>& c) { return c.carries != 0; });
  find_runs();
}

void BranchLanes::build_trunk_mass() {
  TrunkMass& trunk = trunk_mass_;
  for (std::int32_t k = 0; k < m_.nv; ++k) {
    const Place place = places_[index(m_.v_node[k])];
    if (place.bundle >= 0) continue;
    trunk.coordinates.push_back(k);
    trunk.v_node.push_back(place.node);
    trunk.v_sign.push_back(m_.v_sign[k]);
  }
  trunk.nodes = trunk_nodes_;
  for (std::size_t k = trunk.v_node.size(); k-- > 0;)
    trunk.nodes[index(trunk.v_node[k])].v_index = static_cast<std::int32_t>(k);
  mass_.trunk = data_.trunk;
  mass_.trunk.nodes = trunk.nodes.data();
  mass_.trunk.nv = count_of(trunk.coordinates);
  mass_.trunk.v_node = trunk.v_node.data();
  mass_.trunk.v_sign = trunk.v_sign.data();
  trunk.axis_place = axis_places(mass_.trunk);
  trunk.runs = consecutive(trunk.coordinates);

  WorkspaceData<double>& w = mass_.w;
  w = data_.w;  // angles and transforms
  const std::size_t node_packs = index(whole_packs(count_of(trunk_))) + 1;
  const std::size_t dof_lanes = index(whole_packs(mass_.trunk.nv + 3));
  trunk.block.cut({{&w.pose, 16 * node_packs, 16},
                   {&w.body_inertia, 10 * node_packs},
                   {&w.angular_sign, dof_lanes},
                   {&w.linear_sign, dof_lanes},
                   {&w.S_root, 6 * dof_lanes},
                   {&w.Ic, 12 * node_packs, 12},
                   {&w.F_root, 6 * dof_lanes}});
  w.axis_place = trunk.axis_place.data();
  place_root_frame_constants(mass_.trunk, w);
  for (const int e : {0, 5, 10}) w.pose[e] = 1;  // of a floating root, always

  std::vector<bool> carries(trunk_.size(), false);
  for (const BundleMemory& memory : memory_)
    for (const std::vector<std::int32_t>& limb : memory.limbs) {
      const std::int32_t body = m_.nodes[limb[0]].parent;
      if (body >= 0 && places_[index(body)].bundle < 0) carries[index(places_[index(body)].node)] = true;
    }
  for (std::size_t i = 0; i < carries.size(); ++i) {
    if (!carries[i]) continue;
    LimbCarrier carrier{static_cast<std::int32_t>(i), {}};
    for (std::size_t e = 0; e < 10; ++e) carrier.inertia[e] = w.body_inertia[i / 4 * 40 + i % 4 + 4 * e];
    trunk.carriers.push_back(carrier);
  }
}

// A limb on the world is a tree of its own, whose root frame has its origin at the first body: so that is where
// the world's pose puts it.
void BranchLanes::find_poses_of_parents(std::size_t k) {
  const BundleMemory& memory = memory_[k];
  LimbMass& own = limb_mass_[k];
  own.parents = memory.parents;
  for (std::size_t l = 0; l < lanes; ++l) {
    const NodeData& first = m_.nodes[memory.limbs[l < memory.limbs.size() ? l : 0][0]];
    LimbParent& parent = own.parents[l];
    if (first.parent < 0) {
      std::array<double, 16>& pose = own.of_world[l];
      pose = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -first.p[0], -first.p[1], -first.p[2], 0};
      parent.pose = pose.data(), parent.stride = 1;
      continue;
    }
    const Place place = places_[index(first.parent)];
    if (place.bundle >= 0) limb_coordinates_[index(place.bundle)].carries = 1;
    parent.pose =
        place.bundle < 0
            ? mass_.w.pose + 16 * place.node
            : reinterpret_cast<double*>(bundles_[index(place.bundle)].w.pose + 16 * place.node) + place.lane;
  }
  LimbCoordinates<branch_width>& c = limb_coordinates_[k];
  c.parents = own.parents.data();
  c.one_parent = std::all_of(own.parents.begin(), own.parents.end(),
                             [&](const LimbParent& p) { return p.pose == own.parents[0].pose; });
}

// written: the coordinates that the trunk and the bundles before have, then those of this one too.
void BranchLanes::find_coordinates(std::size_t k, std::vector<bool>& written) {
  const std::vector<std::vector<std::int32_t>>& limbs = memory_[k].limbs;
  LimbCoordinates<branch_width>& c = limb_coordinates_[k];
  c.limb_count = count_of(limbs), c.body_count = count_of(limbs[0]);
  for (std::size_t l = 0; l < limbs.size(); ++l) c.first[l] = m_.nodes[limbs[l][0]].v_index;
  // In the order of scatter_columns (kernels/branches/crba_branches.hpp).
  const std::int32_t last = (c.body_count - 1) / 4 * 4, own = c.body_count - last;
  for (std::int32_t i = last; i >= 0; i -= 4)
    for (std::size_t l = 0; l < limbs.size(); ++l) {
      const std::int32_t begin = c.first[l] + i;
      std::fill_n(written.begin() + begin, i < last ? 4 : own, true);
      if (i < last) continue;
      c.F_places[l] = c.M_places[l] = c.root_places[l] = 4;
      for (std::int32_t place = begin + own; place < begin + 4; ++place) {
        if (place >= m_.nv)
          c.M_places[l] = c.root_places[l] = own;
        else if (written[index(place)])
          c.F_places[l] = c.root_places[l] = own;
      }
    }
}

// A limb that carries nothing is a run, or the end of one, and gets no subtree here. After find_coordinates.
void BranchLanes::find_runs() {
  std::vector<bool> in_lanes(index(m_.nv), false);
  for (const LimbCoordinates<branch_width>& c : limb_coordinates_)
    for (std::int32_t l = 0; l < c.limb_count; ++l)
      if (!c.carries) in_lanes[index(c.first[l])] = true;
  for (DofRun run : runs_of_dofs(m_)) {
    const auto limb = std::find(in_lanes.begin() + run.first, in_lanes.begin() + run.end, true);
    const auto first = static_cast<std::int32_t>(limb - in_lanes.begin());
    DofRun above = run;
    above.end = run.first = first;
    if (above.end > above.first) runs_.push_back(above);
    run.subtree_end = run.first;
    if (run.end > run.first) runs_.push_back(run);
  }
  mass_.model_runs = runs_.data(), mass_.model_run_count = count_of(runs_);
}

double BranchLanes::mass_gain() const {
  double shared = body_in_trunk * static_cast<double>(trunk_.size()) + trunk_ends;
  for (const BundleMemory& b : memory_)
    shared += bundle_ends + bundle_body * static_cast<double>(b.limbs[0].size());
  return static_cast<double>(m_.node_count) / shared;
}

}  // namespace tenon
