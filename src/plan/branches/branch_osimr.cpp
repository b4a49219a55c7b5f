// The rows of BranchLanes for the Delassus matrix (kernels/branches/osimr_branches.hpp): which limbs carry theirs to the
// trunk side by side, and where they arrive.
#include <algorithm>

#include "plan/branches/branch_lanes.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

// The rows of the limb in a lane.
template <class Part>
std::int32_t rows_of_limb(const Part& bundle, int lane) {
  std::int32_t count = 0;
  for (std::int32_t r = 0; r < bundle.rows.row_count; ++r)
    count += bundle.row_of[branch_width * r + lane] >= 0;
  return count;
}

// The last node with rows.
template <class Part>
std::int32_t depth_of_rows(const Part& bundle) {
  std::int32_t depth = bundle.model.node_count - 1;
  while (bundle.rows.node_row_first[depth] == bundle.rows.row_count) --depth;
  return depth;
}

}  // namespace

void BranchLanes::count_rows(const Bundle<N>& bundle, LimbBundle& to) {
  to.rows = bundle.rows.row_count;
  if (to.rows == 0) return;
  to.bodies_with_rows = depth_of_rows(bundle);
  for (int l = 0; l < branch_width; ++l) to.limbs_with_rows += rows_of_limb(bundle, l) > 0;
}

bool BranchLanes::carries_rows_of(const BundleMemory& memory, const Bundle<N>& bundle) const {
  if (bundle.rows.row_count == 0) return true;
  if (bundle.rows.row_count > most_rows_at_once) return false;
  for (std::size_t l = 0; l < memory.limbs.size(); ++l) {
    const std::int32_t parent = m_.nodes[memory.limbs[l][0]].parent;
    if (parent >= 0 && places_[index(parent)].bundle >= 0) return false;
    const int lane = static_cast<int>(l);
    for (std::int32_t r = 0; r < rows_of_limb(bundle, lane); ++r)
      if (bundle.row_of[lane] < 0 || bundle.row_of[branch_width * r + lane] != bundle.row_of[lane] + r)
        return false;  // none in the first place, or not side by side
  }
  return true;
}

bool BranchLanes::carries_all_rows() const {
  if (!takes_rows_ || !joints_alone()) return false;
  for (std::size_t k = 0; k < memory_.size(); ++k)
    if (!carries_rows_of(memory_[k], bundles_[k])) return false;
  return true;
}

// written: rows of the set that are propagated before.
void BranchLanes::place_rows_of(BundleMemory& memory, Bundle<N>& bundle, std::vector<bool>& written) {
  LimbRows<N>& own = bundle.osimr;
  const ConstraintDataOf<N>& c = bundle.rows;
  own.depth = depth_of_rows(bundle);
  for (int l = 0; l < branch_width; ++l) {
    const std::int32_t count = rows_of_limb(bundle, l), begin = count > 0 ? bundle.row_of[l] : 0;
    own.begin[l] = begin;
    std::fill_n(written.begin() + begin, count, true);
    // K has room behind the last row, the matrix has none.
    const std::int32_t last = count_of(written), end = begin + whole_packs(count);
    const auto behind = written.begin() + begin + count;
    const bool fits = std::find(behind, written.begin() + std::min(end, last), true) ==
                      written.begin() + std::min(end, last);
    const auto places = [&](bool whole, std::int32_t group) {
      return std::clamp((whole ? end - begin : count) - 4 * group, 0, 4);
    };
    for (std::int32_t group = 0; group < 2; ++group) {
      own.row_places[group][l] = places(fits, group);
      for (std::int32_t j = 0; j < most_rows_at_once; ++j)
        own.block_places[j][group][l] = j < count ? places(fits && end <= last, group) : 0;
    }
  }
  const std::size_t rows = index(room_for_rows(c.row_count)), nodes = index(own.depth);
  memory.cut<N>({{&own.K, 6 * index(c.row_count)},
                 {&own.W, rows * nodes},
                 {&own.W_d, rows * nodes},
                 {&own.block, 8 * rows}});
}

void BranchLanes::make_osimr(const ConstraintData& c) {
  if (!takes_osimr_ || osimr_) return;
  std::vector<std::int32_t> node_of;
  for (const Place& place : places_) node_of.push_back(place.bundle < 0 ? place.node : -1);
  const OsimrTrunk trunk = {node_of.data(), data_.trunk.rows.node_row_first};
  auto memory = std::make_unique<OsimrMemory<double>>(m_, c, &trunk);
  std::vector<bool> written(index(c.row_count), false);
  for (std::int32_t e = 0; e < memory->data.end_count; ++e) {
    const OsimrEnd& end = memory->data.ends[e];
    std::fill(written.begin() + end.row_begin, written.begin() + end.row_end, true);
  }
  for (std::size_t k = 0; k < memory_.size(); ++k)
    if (bundles_[k].rows.row_count > 0) place_rows_of(memory_[k], bundles_[k], written);
  osimr_ = std::move(memory);
}

}  // namespace tenon
