#include "plan/branches/branch_lanes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "model/body_poses.hpp"
#include "plan/arena.hpp"

namespace tenon {

namespace {

// Screws are too rare for code on limbs (kernels/joint/joint.hpp).
bool on_limbs(const NodeData& n) {
  return joint_subspace(n.kind).count == 1 && n.kind != joint_screw;
}

// The fields of a workspace that aba, rnea and their clusters and rotors need, on the trunk and on limbs.
struct FieldCounts {
  std::size_t nodes, dofs, angles, transforms, inertias, rotors, rotor_angles, loop_dofs, G;
};
template <class T>
std::vector<Field<T>> body_fields(WorkspaceData<T>& w, const FieldCounts& c) {
  return {{&w.angle, c.angles},
          {&w.cos_q, c.angles},
          {&w.sin_q, c.angles},
          {&w.X, 12 * c.transforms},
          {&w.v, 6 * (c.nodes + 1), 6},
          {&w.a, 6 * (c.nodes + 1), 6},
          {&w.f, 6 * c.nodes},
          {&w.IA, 21 * c.inertias},
          {&w.pA, 6 * c.nodes},
          {&w.U, 6 * c.dofs},
          {&w.D, 6 * c.dofs},
          {&w.u, c.dofs},
          {&w.wrench, 6 * c.nodes},
          {&w.rotor_rate, c.rotors},
          {&w.rotor_angle, c.rotor_angles},
          {&w.rotor_cos, c.rotor_angles},
          {&w.rotor_sin, c.rotor_angles},
          {&w.wobble, c.rotors > 0 ? 6 * c.nodes : 0},
          {&w.rotor_work, c.loop_dofs},
          {&w.drive_bias, c.loop_dofs},
          {&w.yddot, c.loop_dofs},
          {&w.cluster_F, 6 * c.G},
          {&w.cluster_D, c.G}};
}
}  // namespace

BranchLanes::BranchLanes(const ModelData& m, const BranchKernels<branch_width>* kernels)
    : m_(m), kernels_(kernels), places_(index(m.node_count)) {}

std::unique_ptr<BranchLanes> BranchLanes::make(const ModelData& m, const ConstraintData* c,
                                               const WorkspaceData<double>* w, const double* gravity,
                                               const KernelTable<double>& trunk_kernels,
                                               const BranchKernels<branch_width>* kernels, bool always) {
  if (!kernels) return nullptr;
  std::unique_ptr<BranchLanes> lanes_of_tree(new BranchLanes(m, kernels));
  lanes_of_tree->find_limbs();
  lanes_of_tree->share_limbs();
  lanes_of_tree->gain_ = gain_of_limbs(m, lanes_of_tree->trunk_, lanes_of_tree->limb_bundles());
  if (lanes_of_tree->memory_.empty() || !(always || limbs_pay(lanes_of_tree->gain_))) return nullptr;
  lanes_of_tree->data_.kernels = &trunk_kernels;
  lanes_of_tree->data_.trunk.w.gravity = gravity;
  if (w) {
    Branches<N>& data = lanes_of_tree->data_;
    data.rotor_rate = w->rotor_rate, data.rotor_angle = w->rotor_angle, data.G = w->G, data.g = w->g;
    data.trunk.w.G = w->G, data.trunk.w.g = w->g;
  }
  lanes_of_tree->build(c);
  const bool joints_alone = lanes_of_tree->joints_alone();
  lanes_of_tree->takes_inertias_ =
      joints_alone && (always || copied_inertias_pay(lanes_of_tree->limb_bundles()));
  lanes_of_tree->takes_osimr_ =
      lanes_of_tree->carries_all_rows() && (always || limbs_pay_in_osimr(lanes_of_tree->limb_bundles()));
  lanes_of_tree->takes_inverse_products_ =
      joints_alone && (always || limbs_pay_in_products(lanes_of_tree->gain_));
  lanes_of_tree->takes_row_products_ = lanes_of_tree->takes_inverse_products_ &&
                                       lanes_of_tree->takes_osimr_ && lanes_of_tree->limbs_move_all_rows();
  if (w && joints_alone && lanes_of_tree->is_star()) {
    const std::vector<LimbBundle> bundles = lanes_of_tree->limb_bundles();
    lanes_of_tree->find_coordinates();
    lanes_of_tree->takes_matrices_ = always || limbs_pay_in_matrices(bundles);
    lanes_of_tree->takes_row_matrices_ =
        lanes_of_tree->takes_matrices_ && lanes_of_tree->takes_rows_ && lanes_of_tree->limbs_move_all_rows();
    lanes_of_tree->takes_mass_ = always || limbs_pay(mass_gain_of_limbs(m, bundles));
    if (lanes_of_tree->takes_mass_) lanes_of_tree->build_mass();
  }
  return lanes_of_tree;
}

// More rows than joints on a limb depend on each other for sure, and then there is no answer.
bool BranchLanes::limbs_move_all_rows() const {
  return data_.trunk.rows.row_count == 0 &&
         std::all_of(bundles_.begin(), bundles_.end(), [](const Bundle<N>& limbs) {
           return limbs.rows.row_count < limbs.model.node_count && limbs.rows.row_count <= most_rows_at_once;
         });
}

// Between the bodies of a limb there may be numbers of other bodies: those of a cluster in a tree without loops.
std::int32_t BranchLanes::place_in(const std::vector<std::int32_t>& limb, std::int32_t body) const {
  const auto place = std::lower_bound(limb.begin(), limb.end(), body);
  if (place != limb.end() && *place == body) return static_cast<std::int32_t>(place - limb.begin()) + 1;
  return body == m_.nodes[limb[0]].parent ? 0 : -1;
}

void BranchLanes::find_limbs() {
  const std::int32_t count = m_.node_count;
  const auto first_of = [&](std::int32_t i) {
    const ClusterData* c = cluster_of(i);
    return c ? c->node_begin : i;
  };
  const auto parent_of = [&](std::int32_t i) {
    const ClusterData* c = cluster_of(i);
    return c ? c->parent : m_.nodes[i].parent;
  };
  // Of the first body for its whole cluster.
  std::vector<int> children(index(count), 0);
  std::vector<char> in_trunk(index(count), 0);
  for (std::int32_t i = count; i-- > 0;) {
    const std::int32_t first = first_of(i), parent = parent_of(i);
    if (!on_limbs(m_.nodes[i])) in_trunk[index(first)] = 1;
    if (parent < 0 || i != first) continue;
    ++children[index(first_of(parent))];
    if (in_trunk[index(first)]) in_trunk[index(first_of(parent))] = 1;
  }
  std::vector<std::size_t> limb_of(index(count));
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t first = first_of(i), parent = parent_of(i), above = parent < 0 ? -1 : first_of(parent);
    const bool starts = above < 0 || children[index(above)] > 1 || in_trunk[index(above)];
    limb_of[index(i)] = i != first ? limb_of[index(first)] : starts ? limbs_.size() : limb_of[index(parent)];
    if (i == first && starts) {
      limbs_.push_back({{}, {}, {}, parent, {}, in_trunk[index(i)] != 0});
      if (parent < 0)
        ready_.push_back(limb_of[index(i)]);
      else
        limbs_[limb_of[index(parent)]].above.push_back(limb_of[index(i)]);
    }
    Limb& limb = limbs_[limb_of[index(i)]];
    limb.bodies.push_back(i);
    limb.shape.insert(limb.shape.end(), {m_.nodes[i].kind, place_in(limb.bodies, m_.nodes[i].parent)});
    if (i != first || !cluster_of(i)) continue;
    const std::vector<std::int32_t> shape = cluster_shape(*cluster_of(i));
    limb.shape.insert(limb.shape.end(), shape.begin(), shape.end());
  }
  find_rotors(limb_of);
}

void BranchLanes::add_to_trunk(std::size_t limb) {
  trunk_.insert(trunk_.end(), limbs_[limb].bodies.begin(), limbs_[limb].bodies.end());
  ready_.insert(ready_.end(), limbs_[limb].above.begin(), limbs_[limb].above.end());
}

void BranchLanes::add_bundle(const std::vector<std::size_t>& limbs) {
  BundleMemory bundle;
  for (std::size_t lane = 0; lane < limbs.size(); ++lane) {
    const Limb& limb = limbs_[limbs[lane]];
    for (std::size_t i = 0; i < limb.bodies.size(); ++i)
      places_[index(limb.bodies[i])] = {static_cast<std::int32_t>(memory_.size()),
                                        static_cast<std::int32_t>(i + 1), static_cast<std::int32_t>(lane)};
    bundle.limbs.push_back(limb.bodies);
    bundle.limb_rotors.push_back(limb.rotors);
    ready_.insert(ready_.end(), limb.above.begin(), limb.above.end());
  }
  memory_.push_back(std::move(bundle));
}

// Limbs whose parents have a place and that have a partner wait until all others of these are in the trunk:
// their limbs may be partners too.
void BranchLanes::share_limbs() {
  while (!ready_.empty()) {
    std::map<std::vector<std::int32_t>, std::vector<std::size_t>> alike;
    std::vector<std::size_t> to_trunk;
    for (const std::size_t limb : ready_) {
      if (limbs_[limb].in_trunk)
        to_trunk.push_back(limb);
      else
        alike[limbs_[limb].shape].push_back(limb);
    }
    std::vector<std::vector<std::size_t>> groups;
    for (const auto& [shape, limbs] : alike)
      for (std::size_t first = 0; first < limbs.size(); first += lanes) {
        const std::size_t end = std::min(limbs.size(), first + lanes);
        const std::int32_t parent = limbs_[limbs[first]].parent;
        if (end == first + 1 && (parent < 0 || places_[index(parent)].bundle < 0))
          to_trunk.push_back(limbs[first]);
        else
          groups.emplace_back(limbs.begin() + static_cast<std::ptrdiff_t>(first),
                              limbs.begin() + static_cast<std::ptrdiff_t>(end));
      }
    if (!to_trunk.empty()) {
      const auto leaves = [&](std::size_t limb) {
        return std::find(to_trunk.begin(), to_trunk.end(), limb) != to_trunk.end();
      };
      ready_.erase(std::remove_if(ready_.begin(), ready_.end(), leaves), ready_.end());
      for (const std::size_t limb : to_trunk) add_to_trunk(limb);
      continue;
    }
    ready_.clear();
    for (const std::vector<std::size_t>& group : groups) add_bundle(group);
  }
  std::sort(trunk_.begin(), trunk_.end());
}

std::vector<LimbBundle> BranchLanes::limb_bundles() const {
  std::vector<LimbBundle> bundles;
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    const BundleMemory& b = memory_[k];
    bundles.push_back({b.limbs[0], b.limbs.size(), b.limb_rotors[0].size()});
    if (takes_rows_) count_rows(bundles_[k], bundles.back());
  }
  return bundles;
}

void BranchLanes::build(const ConstraintData* c) {
  for (std::vector<char>* list : {&collects_, &collects_with_rows_, &base_collects_})
    list->assign(index(m_.node_count), 0);
  bundles_.resize(memory_.size());
  build_trunk();
  for (const BundleMemory& memory : memory_)
    for (const std::vector<std::int32_t>& limb : memory.limbs) {
      const std::int32_t parent = m_.nodes[limb[0]].parent;
      if (parent < 0 || places_[index(parent)].bundle < 0) continue;
      std::size_t& end = memory_[index(places_[index(parent)].bundle)].collecting_end;
      end = std::max(end, index(places_[index(parent)].node) + 1);
    }
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    build_bundle(k);
    build_limb_clusters(k);
    build_limb_rotors(k);
  }
  takes_rows_ = c && find_rows(*c);
  if (takes_rows_) build_all_rows(*c);
  for (std::size_t k = memory_.size(); k-- > 0;) connect(k);
  for (std::size_t k = 0; k < memory_.size(); ++k)
    memory_[k].keep(std::move(memory_[k].collecting), bundles_[k].collecting, bundles_[k].collecting_count);
  data_.bundle_count = count_of(bundles_);
  data_.bundles = bundles_.data();
  if (takes_rows_) build_early(*c);
  takes_early_ = limbs_try_early(early_chance_);
}

void BranchLanes::build_trunk() {
  PartMemory<double>& memory = trunk_memory_;
  ModelData& m = data_.trunk.model;
  m = m_;
  for (const std::int32_t body : trunk_) {
    const std::int32_t node = count_of(memory.nodes), parent = m_.nodes[body].parent;
    places_[index(body)].node = node;
    memory.nodes.push_back(m_.nodes[body]);
    memory.nodes.back().parent = parent < 0 ? -1 : places_[index(parent)].node;
  }
  m.nodes = memory.nodes.data();
  m.node_count = count_of(memory.nodes);
  data_.trunk.body_of = trunk_.data();
  build_trunk_rotors();
  build_trunk_clusters();
  memory.flags = sweep_flags(m, {});
  WorkspaceData<double>& w = data_.trunk.w;
  w.node_flags = memory.flags.data();
  const auto whole_lines = [](std::size_t count) { return (count + 15) / 16 * 16; };
  const std::size_t n = trunk_.size(), nv = index(m_.nv), rotors = index(m.rotor_count);
  const bool clusters = m.cluster_count > 0;
  const std::size_t loop_nv = rotors > 0 || clusters ? nv : 0, G_size = clusters ? index(m_.G_size) : 0;
  memory.cut(body_fields(w, {n, nv, whole_lines(n), n, n, rotors, whole_lines(rotors), loop_nv, G_size}));
}

std::int32_t BranchLanes::body_in(const BundleMemory& memory, std::size_t node, int lane) {
  return memory.limbs[index(lane) < memory.limbs.size() ? index(lane) : 0][node - 1];
}

void BranchLanes::set_inertia(const ModelData& m, const NodeData& body, int lane, NodeDataOf<N>& node,
                              N& armature) {
  set_lane(node.mass, lane, body.mass);
  set_lanes(node.h, lane, body.h);
  set_lanes(node.I, lane, body.I);
  set_lane(armature, lane, m.armature[body.v_index]);
}

void BranchLanes::take_inertias(const ModelData& m) {
  for (std::size_t i = 0; i < trunk_.size(); ++i) {
    const NodeData& from = m.nodes[trunk_[i]];
    NodeData& to = trunk_memory_.nodes[i];
    to.mass = from.mass;
    std::copy_n(from.h, 3, to.h), std::copy_n(from.I, 6, to.I);
  }
  data_.trunk.model.armature = m.armature;
  for (BundleMemory& memory : memory_)
    for (std::size_t i = 1; i < memory.nodes.size(); ++i)
      for (int l = 0; l < branch_width; ++l)
        set_inertia(m, m.nodes[body_in(memory, i, l)], l, memory.nodes[i], memory.armature[i]);
}

void BranchLanes::build_bundle(std::size_t k) {
  BundleMemory& memory = memory_[k];
  Bundle<N>& bundle = bundles_[k];
  const std::size_t n = memory.limbs[0].size() + 1;
  memory.nodes.resize(n);
  memory.nodes[0].parent = -1;
  std::vector<N> armature(n, N(0)), spin = armature;
  std::vector<std::int32_t> q_of(lanes * n), v_of = q_of, body_of = q_of, result_of = q_of;
  for (std::size_t i = 1; i < n; ++i) {
    NodeDataOf<N>& node = memory.nodes[i];
    node.parent = place_in(memory.limbs[0], m_.nodes[memory.limbs[0][i - 1]].parent);
    node.q_index = node.v_index = static_cast<std::int32_t>(i);
    for (int l = 0; l < branch_width; ++l) {
      const bool empty = index(l) >= memory.limbs.size();
      const std::int32_t body = body_in(memory, i, l);
      const std::size_t place = lanes * i + index(l);
      const NodeData& one = m_.nodes[body];
      node.kind = one.kind;
      set_lane(node.sign, l, one.sign);
      set_lanes(node.p, l, one.p);
      set_lanes(node.R, l, one.R);
      set_inertia(m_, one, l, node, armature[i]);
      if (m_.spin) set_lane(spin[i], l, m_.spin[one.v_index]);
      q_of[place] = one.q_index;
      v_of[place] = one.v_index;
      body_of[place] = body;
      result_of[place] = empty ? -1 : one.v_index;
    }
  }
  ModelDataOf<N>& m = bundle.model;
  m.node_count = m.nv = static_cast<std::int32_t>(n);
  m.nodes = memory.nodes.data();
  find_limb_clusters(k);
  memory.flags = flags_of(m, {});
  for (std::size_t i = 1; i < n; ++i)
    if (memory.flags[i] & node_collects) memory.collecting_end = std::max(memory.collecting_end, i + 1);
  WorkspaceData<N>& w = bundle.w;
  const std::size_t rotors = memory.limb_rotors[0].size(), G_size = memory.G_size;
  const std::size_t loop_n = rotors > 0 || !memory.clusters.empty() ? n : 0;
  const bool stores_transforms = std::any_of(memory.nodes.begin() + 1, memory.nodes.end(),
                                             [](const auto& node) { return node.kind > joint_revolute_z; });
  const std::size_t transforms = stores_transforms ? n : 0, inertias = memory.collecting_end;
  std::vector<Field<N>> fields =
      body_fields(w, {n, n, n, transforms, inertias, rotors, rotors, loop_n, G_size});
  for (N** of_joints : {&bundle.q, &bundle.v, &bundle.tau, &bundle.qdd}) fields.push_back({of_joints, n});
  fields.insert(fields.end(), {{&w.g, loop_n}, {&w.G, G_size}});
  memory.cut(fields);
  w.node_flags = memory.flags.data();
  w.gravity = memory.keep(std::vector<N>(3, N(0)));  // limbs have it from their parents
  m.armature = memory.armature = memory.keep(std::move(armature));
  m.spin = memory.keep(std::move(spin));
  bundle.q_of = memory.keep(std::move(q_of));
  bundle.v_of = memory.keep(std::move(v_of));
  bundle.body_of = memory.keep(std::move(body_of));
  bundle.result_of = memory.keep(std::move(result_of));
}

std::vector<std::int32_t> BranchLanes::flags_of(const ModelDataOf<N>& limbs,
                                                const std::vector<bool>& supporting) {
  std::vector<std::int32_t> flags = sweep_flags(limbs, supporting);
  if (limbs.node_cluster[1] < 0) flags[1] |= node_adds_to_memory | node_first_to_store;
  return flags;
}

LimbParent BranchLanes::parent_at(std::int32_t body) {
  const Place place = body < 0 ? Place{-1, -1, 0} : places_[index(body)];
  const auto numbers = [&](auto* field, int count) {
    if (!field) return static_cast<double*>(nullptr);
    return reinterpret_cast<double*>(field + count * place.node) + (place.bundle < 0 ? 0 : place.lane);
  };
  const auto all = [&](auto& part, std::int32_t stride) {
    const auto& w = part.w;
    const auto& d = part.products;
    return LimbParent{numbers(w.v, 6),          numbers(w.a, 6),        numbers(w.f, 6),
                      numbers(w.IA, 21),        numbers(w.pA, 6),       numbers(w.IB, 21),
                      numbers(w.pS, 6),         numbers(w.delta_pA, 6), numbers(w.delta_a, 6),
                      numbers(w.gs, 3),         numbers(w.Rs, 9),       numbers(w.ps, 3),
                      numbers(d.moved, 6),      numbers(d.dv_body, 6),  numbers(d.da_body, 6),
                      numbers(d.force, 6),      numbers(d.moment, 3),   numbers(d.moment, 6),
                      numbers(part.turning, 6), numbers(part.theta, 6), stride};
  };
  return place.bundle < 0 ? all(data_.trunk, 1) : all(bundles_[index(place.bundle)], branch_width);
}

template <class T>
void BranchLanes::let_limbs_store(PartMemory<T>& memory, std::int32_t parent, std::int32_t mark_with_rows) {
  const auto change = [&](std::vector<std::int32_t>& flags, std::int32_t mark) {
    if (flags.empty()) return;
    flags[index(parent)] |= mark;
    const bool to_base = mark == node_has_base;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      const bool child_to_base = (flags[index(parent)] & node_supports) && !(flags[i] & node_supports);
      if (memory.nodes[i].parent == parent && child_to_base == to_base) flags[i] &= ~node_first_to_store;
    }
  };
  change(memory.flags, node_collects);
  change(memory.support_flags, mark_with_rows);
}

// The parents of the limbs of bundle k. Bundles give to their parents from last to first, and before bodies of
// the trunk do. The first to give to a body of the trunk stores its numbers. In a bundle limbs give to some lanes
// only, with rows to others than without, so its sweeps begin with zeros in all lanes (`collecting`).
void BranchLanes::connect(std::size_t k) {
  BundleMemory& memory = memory_[k];
  Bundle<N>& bundle = bundles_[k];
  bundle.one_parent = 1;
  std::vector<LimbParent> parents;
  std::vector<Siblings<branch_width>> siblings;
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::int32_t body = m_.nodes[memory.limbs[l < memory.limbs.size() ? l : 0][0]].parent;
    parents.push_back(parent_at(body));
    if (parents[l].v != parents[0].v) bundle.one_parent = 0;
    if (body < 0 || l >= memory.limbs.size()) continue;
    auto alike = std::find_if(siblings.begin(), siblings.end(),
                              [&](const auto& others) { return others.parent.v == parents[l].v; });
    if (alike == siblings.end()) {
      Siblings<branch_width> own{};
      own.parent = parents[l];
      own.to_base = takes_rows_ && memory.depth == 0 && supports(body);
      const std::int32_t mark = own.to_base ? node_has_base : node_collects;
      const Place place = places_[index(body)];
      if (place.bundle < 0) {
        std::vector<char>& given = own.to_base ? base_collects_ : collects_with_rows_;
        own.stores = !std::exchange(collects_[index(body)], char{1});
        own.stores_with_rows = !std::exchange(given[index(body)], char{1});
        let_limbs_store(trunk_memory_, place.node, mark);
      } else {
        BundleMemory& inward = memory_[index(place.bundle)];
        let_limbs_store(inward, place.node, mark);
        std::vector<std::int32_t>& collecting = inward.collecting;
        if (std::find(collecting.begin(), collecting.end(), place.node) == collecting.end())
          collecting.push_back(place.node);
      }
      siblings.push_back(own);
      alike = siblings.end() - 1;
    }
    alike->lanes[alike->count++] = static_cast<std::int32_t>(l);
  }
  bundle.parents = memory.parents = memory.keep(std::move(parents));
  bundle.sibling_count = count_of(siblings);
  bundle.siblings = memory.siblings = memory.keep(std::move(siblings));
}

std::size_t BranchLanes::bytes() const {
  std::size_t sum =
      sizeof(*this) + bytes_of(trunk_memory_, limbs_, trunk_, places_, collects_, collects_with_rows_,
                               base_collects_, bundles_, limb_coordinates_, supports_, osimr_);
  for (const BundleMemory& b : memory_) sum += b.bytes();
  return sum;
}

// The mass matrix of BranchLanes: where the coordinates of limbs are.

// A trunk of one floating body, or none, and limbs that carry no others.
bool BranchLanes::is_star() const {
  if (trunk_.size() > 1 || (trunk_.size() == 1 && m_.nodes[trunk_[0]].kind != joint_floating)) return false;
  const std::int32_t parent = trunk_.empty() ? -1 : trunk_[0];
  return std::all_of(memory_.begin(), memory_.end(), [&](const BundleMemory& bundle) {
    return std::all_of(bundle.limbs.begin(), bundle.limbs.end(),
                       [&](const auto& limb) { return m_.nodes[limb[0]].parent == parent; });
  });
}

void BranchLanes::find_coordinates() {
  limb_coordinates_.resize(memory_.size());
  std::vector<bool> written(index(m_.nv), false);
  for (std::size_t k = 0; k < memory_.size(); ++k) find_coordinates(k, written);
}

void BranchLanes::build_mass() {
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    BundleMemory& memory = memory_[k];
    WorkspaceData<N>& w = bundles_[k].w;
    const std::size_t n = memory.nodes.size();
    memory.cut<N>({{&w.Ic, 12 * n}, {&w.S_root, 6 * (n + 3)}, {&w.F_root, 6 * (n + 3)}, {&w.H, n * (n + 3)}});
  }
}

// written: the coordinates of the limbs before, then those of these too.
void BranchLanes::find_coordinates(std::size_t k, std::vector<bool>& written) {
  const std::vector<std::vector<std::int32_t>>& limbs = memory_[k].limbs;
  LimbCoordinates<branch_width>& c = limb_coordinates_[k];
  c.body_count = count_of(limbs[0]);
  std::fill_n(c.whole_places, limbs.size(), 4);
  // In the order of store_root_lines (kernels/branches/crba_branches.hpp).
  const std::int32_t last = (c.body_count - 1) / 4 * 4, own = c.body_count - last;
  for (std::int32_t i = last; i >= 0; i -= 4)
    for (std::size_t l = 0; l < limbs.size(); ++l) {
      c.first[l] = m_.nodes[limbs[l][0]].v_index;
      const std::int32_t begin = c.first[l] + i;
      std::fill_n(written.begin() + begin, i < last ? 4 : own, true);
      if (i < last) continue;
      const bool fits = begin + 4 <= m_.nv;
      c.own_places[l] = own;
      c.block_places[l] = c.root_places[l] = fits ? 4 : own;
      for (std::int32_t place = begin + own; fits && place < begin + 4; ++place)
        if (written[index(place)]) c.root_places[l] = own;
    }
}

}  // namespace tenon
