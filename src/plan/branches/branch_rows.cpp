// The rows of BranchLanes: those of the trunk as for any tree, those of limbs as rows of their bundles.
#include <algorithm>
#include <map>

#include "model/body_poses.hpp"
#include "plan/arena.hpp"
#include "plan/branches/branch_lanes.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"

namespace tenon {

namespace {

// The fields of a workspace that sweeps with rows need besides those of aba.
template <class T>
std::vector<Field<T>> row_fields(WorkspaceData<T>& w, std::size_t nodes, std::size_t dofs,
                                 std::size_t loop_dofs, std::size_t rows) {
  return {{&w.IB, 21 * nodes},
          {&w.pS, 6 * nodes},
          {&w.delta_pA, 6 * nodes},
          {&w.delta_a, 6 * (nodes + 1), 6},
          {&w.delta_u, dofs},
          {&w.joint_residual, loop_dofs},
          {&w.joint_terms, loop_dofs},
          {&w.gs, 3 * (nodes + 1), 3},
          {&w.Rs, 9 * (nodes + 1), 9},
          {&w.ps, 3 * (nodes + 1), 3},
          {&w.K, 6 * (rows + 3)},  // rows are read in fours
          {&w.k, rows},
          {&w.row_gamma, rows},
          {&w.row_error, rows},
          {&w.row_velocity, rows},
          {&w.desired, rows},
          {&w.Ka, rows},
          {&w.mu_row, rows},
          {&w.row_force, rows},
          {&w.row_lambda, rows},
          {&w.row_step, rows}};
}

// Of items, one that is there.
template <class Items>
std::int32_t largest_of(const Items& items) {
  return *std::max_element(items.begin(), items.end());
}

}  // namespace

// The items of the limbs of a bundle, one after another on each body. False where limbs have different ones.
bool BranchLanes::find_limb_items(const ConstraintData& c, BundleMemory& memory) {
  std::map<std::pair<std::size_t, int>, std::array<std::int32_t, lanes>> found;  // by node and number on it
  for (std::size_t l = 0; l < memory.limbs.size(); ++l)
    for (std::size_t i = 0; i < memory.limbs[l].size(); ++i) {
      int number = 0;
      for (std::int32_t item = 0; item < c.item_count; ++item) {
        const ConstraintItem& one = c.items[item];
        if (one.node != memory.limbs[l][i]) continue;
        if (one.custom >= 0) return false;
        std::array<std::int32_t, lanes> none;
        none.fill(-1);
        found.try_emplace({i + 1, number++}, none).first->second[l] = item;
        memory.depth = std::max(memory.depth, i + 1);
      }
    }
  for (const auto& [place, items] : found) {
    const ConstraintItem& one = c.items[largest_of(items)];
    for (const std::int32_t item : items)
      if (item >= 0 && (c.items[item].rows != one.rows || c.items[item].world_axes != one.world_axes))
        return false;
    memory.items_of.push_back(items);
  }
  return true;
}

// A body of a bundle supports rows if the body of any of its limbs does, a cluster if one of its bodies does.
void BranchLanes::mark_supports() {
  const auto mark_path = [&](std::int32_t body) {
    while (body >= 0) {
      const ClusterData* c = cluster_of(body);
      supports_[index(body)] = 1;
      for (std::int32_t i = 0; c && i < c->node_count; ++i) supports_[index(c->node_begin + i)] = 1;
      body = c ? c->parent : m_.nodes[body].parent;
    }
  };
  for (std::size_t k = memory_.size(); k-- > 0;) {
    BundleMemory& memory = memory_[k];
    for (const std::vector<std::int32_t>& limb : memory.limbs)
      for (std::size_t i = 0; i < limb.size(); ++i)
        if (supports(limb[i])) memory.depth = std::max(memory.depth, i + 1);
    if (memory.depth == 0) continue;
    const std::int32_t cluster = memory.node_cluster[memory.depth];
    if (cluster >= 0) {
      const ClusterData& c = memory.clusters[index(cluster)];
      memory.depth = index(c.node_begin + c.node_count - 1);
    }
    for (const std::vector<std::int32_t>& limb : memory.limbs) mark_path(limb[memory.depth - 1]);
  }
}

bool BranchLanes::find_rows(const ConstraintData& c) {
  if (c.row_count == 0 || c.inter_body_count > 0) return false;
  for (std::int32_t i = 0; i < c.item_count; ++i) {
    const std::int32_t node = c.items[i].node;
    if (c.items[i].closure != 0) return false;
    if (node < 0 || places_[index(node)].bundle < 0) trunk_memory_.items_of.push_back({i});
  }
  for (BundleMemory& memory : memory_)
    if (!find_limb_items(c, memory)) return false;
  supports_.assign(index(m_.node_count), 0);
  for (std::int32_t s = 0; s < c.support_count; ++s) supports_[index(c.support[s])] = 1;
  mark_supports();
  return true;
}

// supporting: of each node.
template <class T>
void BranchLanes::build_rows(const ConstraintData& c, const std::vector<bool>& supporting,
                             PartMemory<T>& memory, TreePart<T>& part) {
  std::vector<ConstraintItem> items;
  std::vector<std::int32_t> row_of, row_first(supporting.size() + 1, 0), support;
  std::int32_t row = 0;
  for (const auto& numbers : memory.items_of) {
    const std::int32_t first = largest_of(numbers);
    const ConstraintItem& one = c.items[first];
    ConstraintItem item{};
    item.node = one.node < 0 ? -1 : places_[index(one.node)].node;
    item.row_begin = row, item.row_count = one.row_count, item.rows = one.rows;
    item.world_axes = one.world_axes, item.custom = one.custom, item.side_row = -1;
    items.push_back(item);
    for (int r = 0; r < one.row_count; ++r, ++row)
      for (const std::int32_t number : numbers)
        row_of.push_back(number < 0 ? -1 : c.items[number].row_begin + r);
    std::fill(row_first.begin() + item.node + 1, row_first.end(), row);
  }
  for (std::int32_t i = ModelDataOf<T>::first_body; i < part.model.node_count; ++i)
    if (supporting[index(i)]) support.push_back(i);
  ConstraintDataOf<T>& rows = part.rows;
  if constexpr (!is_pack<T>) rows.custom = c.custom;
  const std::size_t count = index(row);
  memory.template cut<T>({{&memory.anchors, 12 * items.size()},
                          {&memory.gains, 2 * items.size()},
                          {&memory.frames, 12 * items.size()},
                          {&memory.active, count},
                          {&memory.scale, count},
                          {&memory.compliance, count},
                          {&memory.weight, count}},
                         T(1));
  rows.anchors = memory.anchors, rows.gains = memory.gains, rows.active = memory.active;
  rows.frames = memory.frames;
  rows.scale = memory.scale, rows.compliance = memory.compliance, rows.weight = memory.weight;
  rows.row_count = row;
  rows.item_count = count_of(items);
  rows.items = memory.keep(std::move(items));
  memory.keep(std::move(support), rows.support, rows.support_count);
  rows.node_row_first = memory.keep(std::move(row_first));
  part.row_of = memory.keep(std::move(row_of));
  part.w.support_flags = memory.support_flags.data();
  const ModelDataOf<T>& m = part.model;
  memory.cut(
      row_fields(part.w, index(m.node_count), index(m.nv), m.cluster_count > 0 ? index(m.nv) : 0, count));
}

void BranchLanes::build_all_rows(const ConstraintData& c) {
  std::vector<bool> supporting;
  for (const std::int32_t body : trunk_) supporting.push_back(supports(body));
  trunk_memory_.support_flags = sweep_flags(data_.trunk.model, supporting);
  build_rows(c, supporting, trunk_memory_, data_.trunk);
  data_.trunk.rows.joint_inertia = c.joint_inertia;
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    BundleMemory& memory = memory_[k];
    supporting.assign(memory.nodes.size(), false);
    if (memory.depth > 0) std::fill_n(supporting.begin(), memory.depth + 1, true);
    memory.support_flags = flags_of(bundles_[k].model, supporting);
    build_rows(c, supporting, memory, bundles_[k]);
    std::vector<N> inertia(index(bundles_[k].model.nv), N(1));
    for (std::size_t place = 0; place < lanes * inertia.size(); ++place)
      if (const std::int32_t v = bundles_[k].v_of[place]; v >= 0)
        set_lane(inertia[place / lanes], static_cast<int>(place % lanes), c.joint_inertia[v]);
    bundles_[k].rows.joint_inertia = memory.keep(std::move(inertia));
  }
  update_rows(c);
}

// A limb without an item has one that is not active, where that of another limb is.
template <class T>
void BranchLanes::take_settings(const ConstraintData& c, PartMemory<T>& memory, TreePart<T>& part) {
  constexpr int W = lanes_in<T>;
  part.rows.poses = c.poses;
  part.rows.some_inactive = false;
  for (std::size_t i = 0; i < memory.items_of.size(); ++i)
    for (int l = 0; l < W; ++l) {
      const std::int32_t item = memory.items_of[i][index(l)];
      const std::int32_t own = item < 0 ? largest_of(memory.items_of[i]) : item;
      const double *frame = c.frames + 12 * own, *anchor = c.anchors + 12 * own;
      for (std::size_t e = 0; e < 12; ++e) {
        set_lane(memory.frames[12 * i + e], l, frame[e]);
        set_lane(memory.anchors[12 * i + e], l, anchor[e]);
      }
      for (std::size_t e = 0; e < 2; ++e)
        set_lane(memory.gains[2 * i + e], l, item < 0 ? 0 : c.gains[2 * index(item) + e]);
    }
  for (std::int32_t r = 0; r < part.rows.row_count; ++r)
    for (int l = 0; l < W; ++l) {
      const std::int32_t row = part.row_of[W * r + l];
      const double active = row < 0 ? 0 : c.active[row];
      set_lane(memory.active[r], l, active);
      part.rows.some_inactive = part.rows.some_inactive || active == 0;
      if (row < 0) continue;
      set_lane(memory.scale[r], l, c.scale[row]);
      set_lane(memory.compliance[r], l, c.compliance[row]);
      set_lane(memory.weight[r], l, c.weight[row]);
    }
}

void BranchLanes::update_rows(const ConstraintData& c) {
  if (!takes_rows_) return;
  take_settings(c, trunk_memory_, data_.trunk);
  for (std::size_t k = 0; k < memory_.size(); ++k) take_settings(c, memory_[k], bundles_[k]);
}

void BranchLanes::build_early(const ConstraintData& c) {
  if (!early_work(data_.trunk.model, data_.trunk.rows).possible) return;
  for (const Bundle<N>& bundle : bundles_) {
    if (!early_work(bundle.model, bundle.rows).on_packs()) return;
  }
  trunk_memory_.early = std::make_unique<PvEarlyMemory<double>>(data_.trunk.model, &data_.trunk.rows, true);
  data_.trunk.early = trunk_memory_.early->data;
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    Bundle<N>& limbs = bundles_[k];
    memory_[k].early =
        std::make_unique<PvEarlyMemory<N>>(limbs.model, &limbs.rows, limbs.collecting_count > 0);
    limbs.early = memory_[k].early->data;
  }
  early_chance_ = 1;
  if (m_.cluster_count > 0) return;  // whose G is not known yet
  constexpr int samples = 16;
  std::vector<int> carried(bundles_.size() + 1);
  std::minstd_rand random;
  for (int sample = 0; sample < samples; ++sample) {
    reduce_sample(c, random);
    carried[0] += data_.trunk.early.left_over == 0;
    for (std::size_t k = 0; k < bundles_.size(); ++k)
      carried[k + 1] += bundles_[k].rows.support_count == 0 || bundles_[k].early.left_over == 0;
  }
  for (const int count : carried) early_chance_ *= static_cast<double>(count) / samples;
}

// The inward sweep of pv_early at random angles: it tells whether the rows of limbs are eliminated on the limbs. Where this
// is seldom so, as with joints of parallel axes above a foot, or with very many limbs, calls sweep twice.
void BranchLanes::reduce_sample(const ConstraintData& c, std::minstd_rand& random) {
  std::vector<double> q(index(m_.nq)), zeros(index(m_.nv));
  neutral_configuration({m_.nodes, m_.nodes + m_.node_count}, q.data());
  constexpr double pi = 3.14159265358979323846;
  for (std::int32_t i = 0; i < m_.node_count; ++i)
    if (dofs_of(m_, i) == 1) q[index(m_.nodes[i].q_index)] = pi * (2.0 * random() / random.max() - 1);
  std::vector<double> of_rows(2 * index(c.row_count));
  WorkspaceData<double> rows{};
  rows.desired = of_rows.data(), rows.k = rows.desired + c.row_count;
  const Inputs<double> at_rest = {q.data(), zeros.data(), zeros.data()};
  rows.branches = &data_;
  kernels_->row_sweeps.constraint_state(m_, c, at_rest, rows);
  PvEarlyData<double> found{};
  kernels_->early.pv_early_reduce(m_, c, at_rest, found, rows);
}

}  // namespace tenon
