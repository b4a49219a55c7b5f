#include "model/loops/clusters.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

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

namespace {

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

}  // namespace

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

}  // namespace tenon
