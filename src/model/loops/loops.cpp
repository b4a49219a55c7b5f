#include "model/loops/loops.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <set>

#include "model/body_poses.hpp"
#include "scalar/counted.hpp"
#include "scalar/index.hpp"

namespace tenon {

namespace {

using Bodies = std::set<std::int32_t>;

// Takes in the outermost of the parents until only one is left.
void close_upward(const std::vector<std::int32_t>& parent, Bodies& bodies) {
  Bodies parents;  // outside of the set
  const auto add_parent_of = [&](std::int32_t body) {
    const std::int32_t p = parent[index(body)];
    if (bodies.count(p) == 0) parents.insert(p);
  };
  for (const std::int32_t body : bodies) add_parent_of(body);
  while (parents.size() > 1) {
    const std::int32_t outermost = *parents.rbegin();
    parents.erase(outermost);
    bodies.insert(outermost);
    add_parent_of(outermost);
  }
}

// Joins lists that share a body. Done first because form_clusters would join a chain of couplings link by
// link, in quadratic time.
std::vector<Bodies> join_lists(std::size_t count, const std::vector<std::vector<std::int32_t>>& tied) {
  std::vector<std::int32_t> leader(count);
  for (std::size_t i = 0; i < count; ++i) leader[i] = static_cast<std::int32_t>(i);
  const auto find = [&](std::int32_t body) {
    while (leader[index(body)] != body) {
      std::int32_t& next = leader[index(body)];
      next = leader[index(next)];
      body = next;
    }
    return body;
  };
  for (const std::vector<std::int32_t>& bodies : tied)
    for (const std::int32_t body : bodies) leader[index(find(body))] = find(bodies.front());
  std::vector<Bodies> joined;
  std::vector<std::int32_t> place(count, -1);
  for (const std::vector<std::int32_t>& bodies : tied) {
    if (bodies.empty()) continue;
    std::int32_t& at = place[index(find(bodies.front()))];
    if (at < 0) {
      at = count_of(joined);
      joined.emplace_back();
    }
    joined[index(at)].insert(bodies.begin(), bodies.end());
  }
  return joined;
}

// Bodies of each cluster, parents first. Among siblings, those without children outside the cluster come
// first, so that the subtree of the last body follows it at once, as in depth-first order.
std::vector<std::vector<std::int32_t>> members_of(const std::vector<std::int32_t>& parent,
                                                  const std::vector<std::int32_t>& cluster) {
  const std::size_t count = parent.size();
  const auto at = [](const auto& list, std::int32_t i) { return list[index(i)]; };
  std::vector<char> carries(count, 0);
  for (std::size_t i = count; i-- > 0;)
    if (parent[i] >= 0 && (cluster[i] != at(cluster, parent[i]) || carries[i])) carries[index(parent[i])] = 1;
  std::vector<std::vector<std::int32_t>> inside(count), members;
  std::vector<std::int32_t> open;
  for (std::size_t i = count; i-- > 0;) {
    if (cluster[i] < 0) continue;
    members.resize(std::max(members.size(), index(cluster[i]) + 1));
    const bool base = parent[i] < 0 || at(cluster, parent[i]) != cluster[i];
    (base ? open : inside[index(parent[i])]).push_back(static_cast<std::int32_t>(i));
  }
  // Both lists are reversed, because a stack is read from the end.
  const auto earlier = [&](std::int32_t a, std::int32_t b) { return at(carries, a) > at(carries, b); };
  std::stable_sort(open.begin(), open.end(), earlier);
  while (!open.empty()) {
    const std::int32_t body = open.back();
    open.pop_back();
    members[index(at(cluster, body))].push_back(body);
    std::vector<std::int32_t>& below = inside[index(body)];
    std::stable_sort(below.begin(), below.end(), earlier);
    open.insert(open.end(), below.begin(), below.end());
  }
  return members;
}

class LoopCompiler {
 public:
  LoopCompiler(const Mechanism& mechanism, const Description& description, const std::vector<int>& joint_node,
               Model& model)
      : mechanism_(mechanism), description_(description), joint_node_(joint_node), model_(model) {}

  void run() {
    const std::vector<std::vector<std::int32_t>> tied = tied_bodies(description_, joint_node_);
    model_.loops.node_cluster = form_clusters(parents_of(model_.nodes), tied);
    add_clusters();
    add_constraints(tied);
  }

 private:
  void add_clusters() {
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
      const std::int32_t number = model_.loops.node_cluster[i];
      if (number < 0) continue;
      const NodeData& node = model_.nodes[i];
      if (index(number) == model_.loops.clusters.size()) {
        ClusterData c{};
        c.kind = cluster_general;
        c.parent = node.parent;
        c.node_begin = static_cast<std::int32_t>(i);
        c.q_begin = node.q_index;
        c.v_begin = node.v_index;
        model_.loops.clusters.push_back(c);
      }
      ClusterData& c = model_.loops.clusters[index(number)];
      ++c.node_count;
      c.q_count += model_.joints[i].nq;
      c.v_count += model_.joints[i].nv;
    }
  }

  // Constraints are sorted by cluster; within a cluster they keep the order of the description.
  void add_constraints(const std::vector<std::vector<std::int32_t>>& tied) {
    std::vector<std::vector<std::size_t>> of_cluster(model_.loops.clusters.size());
    for (std::size_t i = 0; i < tied.size(); ++i) of_cluster[index(cluster_of(tied[i]))].push_back(i);
    std::int32_t rows = 0;
    for (std::size_t number = 0; number < model_.loops.clusters.size(); ++number) {
      ClusterData& c = model_.loops.clusters[number];
      c.row_begin = rows;
      c.constraint_begin = count_of(model_.loops.constraints);
      for (const std::size_t i : of_cluster[number]) {
        LoopConstraintData made = make(i, rows);
        made.cluster = static_cast<std::int32_t>(number);
        rows += made.row_count;
        model_.loops.offset.resize(index(rows), 0.0);
        model_.loops.constraints.push_back(made);
      }
      c.row_count = rows - c.row_begin;
      c.constraint_end = count_of(model_.loops.constraints);
      c.K_begin = model_.loops.K_size;
      model_.loops.K_size =
          counted(model_.loops.K_size + std::int64_t{c.row_count} * c.v_count, "the rows of its loops");
    }
  }

  std::int32_t cluster_of(const std::vector<std::int32_t>& bodies) const {
    return model_.loops.node_cluster[index(bodies.front())];
  }

  LoopConstraintData make(std::size_t i, std::int32_t row) {
    const std::size_t loops = description_.loops.size(), couplings = description_.couplings.size();
    LoopConstraintData made{};
    made.row_begin = row;
    made.item = made.predecessor = made.successor = made.ancestor = -1;
    model_.loops.first_ratio.push_back(i < loops || i >= loops + couplings ? -1 : model_.loops.ratio_count);
    if (i < loops) {
      make_geometric(description_.loops[i], made);
    } else if (i < loops + couplings) {
      make_coupling(description_.couplings[i - loops], made);
    } else {
      make_callback(description_.implicits[i - loops - couplings], made);
    }
    return made;
  }

  void make_geometric(const Description::Loop& loop, LoopConstraintData& made) {
    const Model::Link &p = model_.links[loop.predecessor], &s = model_.links[loop.successor];
    made.kind = loop_geometric;
    made.predecessor = p.body;
    made.successor = s.body;
    made.ancestor = common_ancestor(model_.nodes, p.body, s.body);
    made.rows = held_rows(loop.type);
    made.row_count = static_cast<std::int32_t>(std::bitset<32>(made.rows).count());
    store(p.in_body * loop.predecessor_frame, made.predecessor_R, made.predecessor_p);
    store(s.in_body * loop.successor_frame, made.successor_R, made.successor_p);
    model_.loops.names.push_back(loop.name);
  }

  void make_coupling(const Description::Coupling& coupling, LoopConstraintData& made) {
    made.kind = loop_coupling;
    made.row_count = count_of(coupling.rows);
    made.entry_begin = count_of(model_.loops.coupling_entries);
    std::int32_t row = made.row_begin;
    for (const Description::CouplingRow& terms : coupling.rows) {
      for (const auto& term : terms.terms) {
        const NodeData& node = model_.nodes[index(joint_node_[term.joint])];
        model_.loops.coupling_entries.push_back({row, node.q_index, node.v_index, term.coefficient});
        model_.loops.entry_ratio.push_back(term.ratio < 0 ? -1 : model_.loops.ratio_count + term.ratio);
      }
      model_.loops.offset.push_back(terms.offset);
      ++row;
    }
    made.entry_end = count_of(model_.loops.coupling_entries);
    model_.loops.ratio_count += coupling.ratio_count;
    model_.loops.names.push_back(coupling.name);
  }

  void make_callback(const Description::Implicit& implicit, LoopConstraintData& made) {
    const MechanismImplicit& source = mechanism_.implicits[implicit.source];
    made.kind = loop_callback;
    made.row_count = source.rows;
    made.item = count_of(model_.loops.callbacks);
    Model::LoopCallback call{source.evaluate, {}, {}};
    for (const std::size_t joint : implicit.joints) {
      const Model::Joint& moved = model_.joints[index(joint_node_[joint])];
      for (int k = 0; k < moved.nq; ++k) call.q_index.push_back(moved.q_index + k);
      for (int k = 0; k < moved.nv; ++k) call.v_index.push_back(moved.v_index + k);
    }
    const int nv = count_of(call.v_index);
    model_.loops.callback_scratch =
        std::max(model_.loops.callback_scratch, count_of(call.q_index) + nv + made.row_count * (nv + 1));
    model_.loops.callbacks.push_back(std::move(call));
    model_.loops.names.push_back(implicit.name);
  }

  const Mechanism& mechanism_;
  const Description& description_;
  const std::vector<int>& joint_node_;
  Model& model_;
};

}  // namespace

std::vector<std::int32_t> form_clusters(const std::vector<std::int32_t>& parent,
                                        const std::vector<std::vector<std::int32_t>>& tied) {
  std::vector<Bodies> sets;
  std::vector<std::int32_t> owner(parent.size(), -1);  // an index into sets
  std::vector<Bodies> open = join_lists(parent.size(), tied);
  while (!open.empty()) {
    Bodies bodies = std::move(open.back());
    open.pop_back();
    close_upward(parent, bodies);
    Bodies met;
    for (const std::int32_t body : bodies)
      if (owner[index(body)] >= 0) met.insert(owner[index(body)]);
    if (!met.empty()) {
      // Merge with all sets it shares bodies with, then check again.
      for (const std::int32_t other : met) {
        for (const std::int32_t body : sets[index(other)]) owner[index(body)] = -1;
        bodies.merge(sets[index(other)]);
        sets[index(other)].clear();
      }
      open.push_back(std::move(bodies));
      continue;
    }
    for (const std::int32_t body : bodies) owner[index(body)] = count_of(sets);
    sets.push_back(std::move(bodies));
  }
  std::vector<std::int32_t> number(sets.size(), -1);
  std::int32_t next = 0;
  for (std::int32_t& body : owner) {
    if (body < 0) continue;
    std::int32_t& known = number[index(body)];
    if (known < 0) known = next++;
    body = known;
  }
  return owner;
}

std::vector<std::int32_t> number_by_cluster(const std::vector<std::int32_t>& parent,
                                            const std::vector<std::int32_t>& cluster) {
  const std::size_t count = parent.size();
  const std::vector<std::vector<std::int32_t>> members = members_of(parent, cluster);
  std::vector<std::vector<std::int32_t>> below(count + 1);
  for (std::size_t i = 0; i < count; ++i) below[index(parent[i] + 1)].push_back(static_cast<std::int32_t>(i));
  std::vector<std::int32_t> number(count, -1), open(below[0].rbegin(), below[0].rend());
  std::int32_t next = 0;
  while (!open.empty()) {
    const std::int32_t first = open.back();
    open.pop_back();
    if (number[index(first)] >= 0) continue;
    const std::int32_t own = cluster[index(first)];
    const std::vector<std::int32_t> unit = own < 0 ? std::vector<std::int32_t>{first} : members[index(own)];
    for (const std::int32_t body : unit) number[index(body)] = next++;
    std::vector<std::int32_t> further;
    for (const std::int32_t body : unit)
      for (const std::int32_t child : below[index(body + 1)])
        if (number[index(child)] < 0) further.push_back(child);
    std::sort(further.begin(), further.end());
    open.insert(open.end(), further.rbegin(), further.rend());
  }
  return number;
}

std::vector<std::vector<std::int32_t>> tied_bodies(const Description& description,
                                                   const std::vector<int>& joint_body) {
  std::vector<std::vector<std::int32_t>> tied;
  const auto add = [&](const std::vector<std::size_t>& joints) {
    std::vector<std::int32_t> bodies;
    for (const std::size_t joint : joints) bodies.push_back(joint_body[joint]);
    tied.push_back(std::move(bodies));
  };
  for (const Description::Loop& loop : description.loops) add(loop.joints);
  for (const Description::Coupling& coupling : description.couplings) {
    std::vector<std::size_t> joints;
    for (const Description::CouplingRow& row : coupling.rows)
      for (const auto& term : row.terms) joints.push_back(term.joint);
    add(joints);
  }
  for (const Description::Implicit& implicit : description.implicits) add(implicit.joints);
  return tied;
}

std::vector<std::int32_t> tied_bodies(const Model& model, const LoopConstraintData& c) {
  std::vector<std::int32_t> bodies;
  const auto add = [&](std::int32_t body) {
    if (std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
  };
  for (std::int32_t e = c.entry_begin; c.kind == loop_coupling && e < c.entry_end; ++e)
    add(model.v_node[index(model.loops.coupling_entries[index(e)].v_index)]);
  if (c.kind == loop_callback)
    for (const std::int32_t v : model.loops.callbacks[index(c.item)].v_index) add(model.v_node[index(v)]);
  if (c.kind == loop_geometric)
    for (std::int32_t body : {c.predecessor, c.successor})
      for (; body != c.ancestor; body = model.nodes[index(body)].parent) bodies.push_back(body);
  return bodies;
}

std::vector<char> compile_loops(const Mechanism& mechanism, const Description& description,
                                const std::vector<int>& joint_node, Model& model) {
  LoopCompiler(mechanism, description, joint_node, model).run();
  std::vector<char> dependent(index(model.nv), 0);
  for (std::size_t j = 0; j < joint_node.size(); ++j) {
    if (joint_node[j] < 0 || !description.dependent[j]) continue;
    const Model::Joint& joint = model.joints[index(joint_node[j])];
    std::fill_n(dependent.begin() + joint.v_index, joint.nv, char{1});
  }
  return dependent;
}

}  // namespace tenon
