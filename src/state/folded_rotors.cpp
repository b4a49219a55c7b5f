#include "state/folded_rotors.hpp"

#include <algorithm>

namespace tenon {

FoldedWorkspace::FoldedWorkspace(const Model::Folding& folding_,
                                 std::shared_ptr<const ConstraintSet> constraints,
                                 const WorkspaceOptions& options)
    : folding(folding_),
      workspace(folding_.model, std::move(constraints), options),
      q(folding_.q.size()),
      v(folding_.v.size()),
      tau(folding_.v.size()),
      qdd(folding_.v.size()) {}

void FoldedWorkspace::take(const double* q_, const double* v_, const double* tau_) {
  fold_state(folding, q_, v_, tau_, q.data(), v.data(), tau.data(), workspace.impl().w());
}

void FoldedWorkspace::give(double* qdd_) const {
  unfold_accelerations(folding, qdd.data(), qdd_);
}

std::size_t FoldedWorkspace::bytes() const {
  return bytes_of(workspace, q, v, tau, qdd);
}

FoldedWorkspace* folded_for(WorkspaceImpl& w, bool has_wrenches) {
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

}  // namespace tenon
