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
          {&w.K, 6 * rows},
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

}  // namespace

// The items of the limbs of a bundle, one after another on each body. False where limbs have different ones.
bool BranchLanes::find_limb_items(const ConstraintData& c, BundleMemory& memory) {
  std::map<std::pair<std::size_t, int>, ItemOfLanes> found;  // by node and number on the node
  for (std::size_t l = 0; l < memory.limbs.size(); ++l)
    for (std::size_t i = 0; i < memory.limbs[l].size(); ++i) {
      int number = 0;
      for (std::int32_t item = 0; item < c.item_count; ++item) {
        const ConstraintItem& one = c.items[item];
        if (one.node != memory.limbs[l][i]) continue;
        if (one.custom >= 0 || one.closure != 0) return false;
        ItemOfLanes none;
        none.fill(-1);
        found.try_emplace({i + 1, number++}, none).first->second[l] = item;
        memory.depth = std::max(memory.depth, i + 1);
      }
    }
  memory.node_row_first.assign(memory.limbs[0].size() + 2, 0);
  std::int32_t row = 0;
  for (const auto& [place, items] : found) {
    const std::int32_t first = *std::max_element(items.begin(), items.end());
    const ConstraintItem& one = c.items[first];
    for (const std::int32_t item : items)
      if (item >= 0 && (c.items[item].rows != one.rows || c.items[item].world_axes != one.world_axes))
        return false;
    memory.items_of.push_back(items);
    LaneItem<N> in_lanes{};
    in_lanes.node = static_cast<std::int32_t>(place.first);
    in_lanes.row_begin = row, in_lanes.row_count = one.row_count, in_lanes.rows = one.rows;
    in_lanes.world_axes = one.world_axes, in_lanes.custom = in_lanes.side_row = -1;
    for (std::size_t l = 0; l < lanes; ++l) {
      const ConstraintItem& own = c.items[items[l] < 0 ? first : items[l]];
      for (int e = 0; e < 9; ++e) in_lanes.R[e][static_cast<int>(l)] = own.R[e];
      for (int e = 0; e < 3; ++e) in_lanes.p[e][static_cast<int>(l)] = own.p[e];
    }
    memory.items.push_back(in_lanes);
    for (int r = 0; r < one.row_count; ++r, ++row)
      for (std::size_t l = 0; l < lanes; ++l)
        memory.row_of.push_back(items[l] < 0 ? -1 : c.items[items[l]].row_begin + r);
    std::fill(memory.node_row_first.begin() + static_cast<std::ptrdiff_t>(place.first) + 1,
              memory.node_row_first.end(), row);
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
  for (BundleMemory& memory : memory_)
    if (!find_limb_items(c, memory)) return false;
  for (std::int32_t i = 0; i < c.item_count; ++i) {
    const std::int32_t node = c.items[i].node;
    if (c.items[i].closure != 0) return false;
    if (node < 0 || places_[index(node)].bundle < 0) trunk_items_of_.push_back(i);
  }
  supports_.assign(index(m_.node_count), 0);
  for (std::int32_t s = 0; s < c.support_count; ++s) supports_[index(c.support[s])] = 1;
  mark_supports();
  return true;
}

void BranchLanes::build_trunk_rows(const ConstraintData& c) {
  data_.rows = c;
  std::vector<std::int32_t> row_first(trunk_.size() + 1, 0), support;
  for (const std::int32_t item : trunk_items_of_) {
    ConstraintItem own = c.items[item];
    own.node = own.node < 0 ? -1 : places_[index(own.node)].node;
    own.row_begin = count_of(trunk_row_of_);
    for (int r = 0; r < own.row_count; ++r) trunk_row_of_.push_back(c.items[item].row_begin + r);
    std::fill(row_first.begin() + own.node + 1, row_first.end(), count_of(trunk_row_of_));
    trunk_items_.push_back(own);
  }
  std::vector<bool> supporting;
  for (std::size_t i = 0; i < trunk_.size(); ++i) {
    supporting.push_back(supports(trunk_[i]));
    if (supporting[i]) support.push_back(static_cast<std::int32_t>(i));
  }
  trunk_support_flags_ = sweep_flags(data_.trunk, supporting);
  trunk_active_.assign(trunk_row_of_.size(), 1);
  trunk_anchors_.assign(12 * trunk_items_.size(), 0);
  for (std::vector<double>* of_rows : {&trunk_scale_, &trunk_compliance_, &trunk_weight_})
    of_rows->resize(trunk_row_of_.size());
  ConstraintData& rows = data_.rows;
  rows.item_count = count_of(trunk_items_), rows.items = trunk_items_.data();
  rows.row_count = count_of(trunk_row_of_), rows.active = trunk_active_.data();
  rows.scale = trunk_scale_.data(), rows.compliance = trunk_compliance_.data();
  rows.weight = trunk_weight_.data();
  keep(std::move(support), rows.support, rows.support_count);
  rows.node_row_first = keep(std::move(row_first));
  data_.row_of = trunk_row_of_.data();
  WorkspaceData<double>& w = data_.w;
  w.support_flags = trunk_support_flags_.data();
  w.anchors = trunk_anchors_.data();
  const std::size_t nv = index(m_.nv);
  cut(row_fields(w, trunk_.size(), nv, data_.trunk.cluster_count > 0 ? nv : 0, trunk_row_of_.size()));
}

void BranchLanes::build_limb_rows(const ConstraintData& c, std::size_t k) {
  BundleMemory& memory = memory_[k];
  Bundle<N>& bundle = bundles_[k];
  WorkspaceData<N>& w = bundle.w;
  const std::size_t n = memory.nodes.size(), r = memory.row_of.size() / lanes;
  std::vector<bool> supporting(n, false);
  std::vector<std::int32_t> support;
  for (std::size_t i = 0; memory.depth > 0 && i <= memory.depth; ++i) {
    supporting[i] = true;
    if (i > 0) support.push_back(static_cast<std::int32_t>(i));
  }
  memory.support_flags = flags_of(memory, supporting);
  memory.active.assign(r, N(0));
  memory.anchors.assign(12 * memory.items.size(), N(0));
  for (std::vector<N>* of_rows : {&memory.scale, &memory.compliance, &memory.weight})
    of_rows->assign(r, N(1));
  bundle.rows = {count_of(memory.items),
                 static_cast<std::int32_t>(r),
                 c.poses,
                 memory.items.data(),
                 nullptr,
                 memory.active.data(),
                 memory.anchors.data(),
                 memory.scale.data(),
                 memory.compliance.data(),
                 memory.weight.data(),
                 count_of(support),
                 memory.keep(support),
                 memory.node_row_first.data(),
                 memory.row_of.data()};
  w.support_flags = memory.support_flags.data();
  memory.cut(row_fields(w, n, n, memory.clusters.empty() ? 0 : n, r));
}

void BranchLanes::update_rows(const ConstraintData& c) {
  if (!takes_rows_) return;
  data_.rows.poses = c.poses;
  for (std::size_t i = 0; i < trunk_items_.size(); ++i) {
    const ConstraintItem& item = c.items[trunk_items_of_[i]];
    trunk_items_[i].frequency = item.frequency, trunk_items_[i].damping_ratio = item.damping_ratio;
  }
  for (std::size_t r = 0; r < trunk_active_.size(); ++r) {
    const std::int32_t row = trunk_row_of_[r];
    trunk_active_[r] = c.active[row], trunk_scale_[r] = c.scale[row];
    trunk_compliance_[r] = c.compliance[row], trunk_weight_[r] = c.weight[row];
  }
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    BundleMemory& memory = memory_[k];
    bundles_[k].rows.poses = c.poses;
    for (std::size_t i = 0; i < memory.items.size(); ++i)
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::int32_t item = memory.items_of[i][l];
        memory.items[i].frequency.x[l] = item < 0 ? 0 : c.items[item].frequency;
        memory.items[i].damping_ratio.x[l] = item < 0 ? 0 : c.items[item].damping_ratio;
      }
    for (std::size_t r = 0; r < memory.row_of.size(); ++r) {
      const std::int32_t row = memory.row_of[r];
      memory.active[r / lanes].x[r % lanes] = row >= 0 && c.active[row] != 0;
      if (row < 0) continue;
      memory.scale[r / lanes].x[r % lanes] = c.scale[row];
      memory.compliance[r / lanes].x[r % lanes] = c.compliance[row];
      memory.weight[r / lanes].x[r % lanes] = c.weight[row];
    }
  }
}

void BranchLanes::build_early(const ConstraintData& c) {
  if (!early_work(data_.trunk, data_.rows).possible) return;
  for (const Bundle<N>& bundle : bundles_) {
    if (!early_work(bundle.model, bundle.rows).on_packs()) return;
  }
  trunk_early_ = std::make_unique<PvEarlyMemory<double>>(data_.trunk, &data_.rows, true);
  data_.early = trunk_early_->data;
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    memory_[k].early = std::make_unique<PvEarlyMemory<N>>(bundles_[k].model, &bundles_[k].rows,
                                                          bundles_[k].collecting_count > 0);
    bundles_[k].early = memory_[k].early->data;
  }
  early_chance_ = 1;
  if (m_.cluster_count > 0) return;  // whose G is not known yet
  constexpr int samples = 16;
  std::vector<int> carried(bundles_.size() + 1);
  std::minstd_rand random;
  for (int sample = 0; sample < samples; ++sample) {
    reduce_sample(c, random);
    carried[0] += data_.early.left_over == 0;
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

void BranchLanes::take_anchors(const double* anchors) {
  for (std::size_t i = 0; i < trunk_items_.size(); ++i)
    std::copy_n(anchors + 12 * trunk_items_of_[i], 12,
                trunk_anchors_.begin() + static_cast<std::ptrdiff_t>(12 * i));
  for (BundleMemory& memory : memory_)
    for (std::size_t i = 0; i < memory.items.size(); ++i) {
      const ItemOfLanes& items = memory.items_of[i];
      const std::int32_t first = *std::max_element(items.begin(), items.end());
      for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t e = 0; e < 12; ++e)
          memory.anchors[12 * i + e].x[l] =
              anchors[12 * (items[l] < 0 ? first : items[l]) + static_cast<int>(e)];
    }
}

}  // namespace tenon
