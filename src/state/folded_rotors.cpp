#include "state/folded_rotors.hpp"

#include <algorithm>

namespace tenon {

RotorMap::RotorMap(const Model::Folding& folding) {
  const ModelData& m = folding.model->data();
  for (int r = 0; r < m.rotor_count; ++r) {
    const RotorData& rotor = m.rotors[r];
    rotor_v.push_back(rotor.v_index);
    for (int e = rotor.drive_begin; e < rotor.drive_end; ++e)
      terms.push_back({rotor.v_index, m.rotor_drives[e].v_index, m.rotor_drives[e].ratio});
  }
}

FoldedWorkspace::FoldedWorkspace(const WorkspaceImpl& whole, const WorkspaceOptions& options)
    : folding(*whole.model->folding),
      map(folding),
      spanning(folding.spanning),
      workspace(std::make_unique<WorkspaceImpl>(folding.model,
                                                whole.constraints ? whole.constraints->folded() : nullptr,
                                                options, whole.settings, 0, 0)),
      q(folding.q.size()),
      v(folding.v.size()),
      tau(folding.v.size()),
      qdd(folding.v.size()) {
  workspace.impl().make_tree_branches(folding.spanning, options);
}

Inputs<double> FoldedWorkspace::map_in(const Inputs<double>& in) {
  return fold_inputs(folding, map, in, q.data(), v.data(), tau.data(), workspace.impl().w());
}

void FoldedWorkspace::map_out(double* qdd_) const {
  unfold_accelerations(folding, map, qdd.data(), qdd_);
}

std::size_t FoldedWorkspace::bytes() const {
  return bytes_of(workspace, map, spanning_nodes, q, v, tau, qdd);
}

bool act_on_rotor(const Model::Folding& folding, const double* wrenches) {
  const auto acts = [wrenches](std::int32_t i) {
    return std::any_of(wrenches + 6 * i, wrenches + 6 * (i + 1), [](double x) { return x != 0; });
  };
  return std::any_of(folding.rotor_node.begin(), folding.rotor_node.end(), acts);
}

FoldedWorkspace* folded_for(WorkspaceImpl& w, const Inputs<double>& in) {
  if (!w.folded || !w.folds) return nullptr;
  w.folded->workspace.impl().follow_settings();
  return in.wrenches && act_on_rotor(w.folded->folding, in.wrenches) ? nullptr : w.folded.get();
}

void tree_inverse_dynamics(WorkspaceImpl& w, const Inputs<double>& whole, double* tau) {
  FoldedWorkspace* f = folded_for(w, whole);
  WorkspaceImpl& swept = f ? f->workspace.impl() : w;
  BranchLanes* lanes = swept.tree_branches ? swept.tree_branches.get() : f ? nullptr : w.branches.get();
  Inputs<double> in = whole;  // with all joints
  if (f) in.wrenches = fold_wrenches(f->folding, whole.wrenches, swept.w());
  if (lanes)
    lanes->rnea(in, tau);
  else
    w.kernels->rnea(f ? f->spanning : w.md(), in, tau, swept.w());
}

}  // namespace tenon
