#include "state/own_inertias.hpp"

#include <algorithm>

#include "model/compile.hpp"
#include "state/check.hpp"
#include "state/closing_form.hpp"
#include "state/folded_rotors.hpp"

namespace tenon {

namespace {

bool same_inertia(const NodeData& a, const NodeData& b) {
  return a.mass == b.mass && std::equal(a.h, a.h + 3, b.h) && std::equal(a.I, a.I + 6, b.I);
}

// Those of links, each with what it carries.
void lump(const Settings& settings, const std::vector<Model::Link>& links, bool loads,
          std::vector<NodeData>& nodes) {
  for (NodeData& node : nodes) set_inertia(node, {});
  const auto add = [&](const Model::Link& link, const LinkInertia& x) {
    add_inertia(link, x.mass, x.center_of_mass, x.inertia, nodes);
  };
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].body < 0) continue;
    if (!links[i].is_frame) add(links[i], settings.links[i]);
    const LinkInertia& load = settings.payloads[i];
    const auto zero = [](double x) { return x == 0; };
    const bool none = load.mass == 0 && std::all_of(load.inertia.begin(), load.inertia.end(), zero);
    if (loads && !none) add(links[i], load);
  }
}

void make_folded(FoldedWorkspace& f) {
  make_own_inertias(f.workspace.impl());
  if (f.spanning_nodes.empty()) f.spanning_nodes = f.folding.spanning_nodes;
  f.spanning.nodes = f.spanning_nodes.data();
}

void take_folded(WorkspaceImpl& w) {
  FoldedWorkspace& f = *w.folded;
  const Model::Folding& folding = f.folding;
  w.folds = w.own_armature == w.model->armature &&
            std::all_of(folding.rotor_node.begin(), folding.rotor_node.end(), [&](std::int32_t i) {
              return same_inertia(w.own_nodes[index(i)], w.model->nodes[index(i)]);
            });
  if (!w.folds) return;
  WorkspaceImpl& inner = f.workspace.impl();
  fold_inertias(folding, w.own_nodes, inner.own_nodes);
  for (std::size_t i = 0; i < f.spanning_nodes.size(); ++i)
    set_inertia(f.spanning_nodes[i], body_inertia(inner.own_nodes[i]));
  place_own_inertias(inner);
  if (inner.tree_branches) inner.tree_branches->take_inertias(f.spanning);
}

// place: of its velocity coordinates among those of the settings; null: the same.
void take(WorkspaceImpl& w, const std::int32_t* place) {
  lump(*w.settings, w.model->links, true, w.own_nodes);
  const std::vector<double>& armature = w.settings->armature;
  for (std::size_t k = 0; !armature.empty() && k < w.own_armature.size(); ++k)
    w.own_armature[k] = armature[place ? index(place[k]) : k];
  place_own_inertias(w);
  if (w.folded) take_folded(w);
  if (!w.row_loops) return;
  if (w.row_loops->alone) take(w.row_loops->alone->impl(), place);
  take(w.row_loops->closing.impl(), w.row_loops->form.v.data());
}

}  // namespace

bool numbers_are_moderate(const ModelData& m) {
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (!all_moderate(n.p, 3) || !all_moderate(n.h, 3) || !all_moderate(n.I, 6) || !all_moderate(&n.mass, 1))
      return false;
  }
  return all_moderate(m.armature, m.nv);
}

void make_own_inertias(WorkspaceImpl& w) {
  if (w.own_nodes.empty()) w.own_nodes = w.model->nodes;
  if (w.own_armature.empty()) w.own_armature = w.model->armature;
  w.split.data.nodes = w.own_nodes.data(), w.split.data.armature = w.own_armature.data();
  if (w.folded) make_folded(*w.folded);
  if (!w.row_loops) return;
  if (w.row_loops->alone) make_own_inertias(w.row_loops->alone->impl());
  make_own_inertias(w.row_loops->closing.impl());
}

void place_own_inertias(WorkspaceImpl& w) {
  w.moderate = numbers_are_moderate(w.md());
  w.arena.place_inertias(w.md());
  if (w.branches) w.branches->take_inertias(w.md());
  if (w.tree_branches && w.md().rotor_count == 0) w.tree_branches->take_inertias(w.md());
}

void take_own_inertias(WorkspaceImpl& w) {
  take(w, nullptr);
}

std::vector<NodeData> nodes_without_loads(const WorkspaceImpl& w) {
  std::vector<NodeData> nodes = w.own_nodes;
  lump(*w.settings, w.model->links, false, nodes);
  return nodes;
}

}  // namespace tenon
