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
      workspace(std::make_unique<WorkspaceImpl>(folding.model,
                                                whole.constraints ? whole.constraints->folded() : nullptr,
                                                options, whole.settings, 0, 0)),
      q(folding.q.size()),
      v(folding.v.size()),
      tau(folding.v.size()),
      qdd(folding.v.size()) {
  workspace.impl().make_tree_branches(folding.spanning, options);
}

void FoldedWorkspace::take(const double* q_, const double* v_, const double* tau_) {
  fold_state(folding, map, q_, v_, tau_, q.data(), v.data(), tau.data(), workspace.impl().w());
}

void FoldedWorkspace::give(double* qdd_) const {
  unfold_accelerations(folding, map, qdd.data(), qdd_);
}

std::size_t FoldedWorkspace::bytes() const {
  return bytes_of(workspace, map, q, v, tau, qdd);
}

FoldedWorkspace* folded_for(WorkspaceImpl& w, bool has_wrenches) {
  if (w.folded) w.folded->workspace.impl().follow_settings();
  if (!w.folded || !has_wrenches) return w.folded.get();
  const Model::Folding& folding = w.folded->folding;
  for (const std::int32_t i : folding.rotor_node) {
    const double* f = w.w().wrench + 6 * i;
    if (std::any_of(f, f + 6, [](double x) { return x != 0; })) return nullptr;
  }
  double* wrench = w.folded->workspace.impl().w().wrench;
  for (std::size_t i = 0; i < folding.node.size(); ++i)
    std::copy_n(w.w().wrench + 6 * folding.node[i], 6, wrench + 6 * i);
  return w.folded.get();
}

void tree_inverse_dynamics(WorkspaceImpl& w, const double* q, const double* v, const double* qdd,
                           bool has_wrenches, double* tau) {
  FoldedWorkspace* f = folded_for(w, has_wrenches);
  WorkspaceImpl& swept = f ? f->workspace.impl() : w;
  BranchLanes* lanes = swept.tree_branches ? swept.tree_branches.get() : f ? nullptr : w.branches.get();
  if (lanes)
    lanes->rnea(q, v, qdd, has_wrenches ? swept.w().wrench : nullptr, tau);
  else
    w.kernels->rnea(f ? f->folding.spanning : w.md(), q, v, qdd, has_wrenches, tau, swept.w());
}

}  // namespace tenon
