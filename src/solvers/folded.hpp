// Dynamics of a model with folded rotors (model/fold_rotors.hpp): a workspace of the folded form, and the way
// of states there and of accelerations back.
#pragma once

#include <vector>

#include "solvers/workspace_impl.hpp"

namespace tenon {

struct FoldedWorkspace {
  FoldedWorkspace(const Model::Folding& folding, std::shared_ptr<const ConstraintSet> constraints);

  // Inputs of the whole model brought to the folded one. Torques on rotors act on what drives them.
  void take(const double* q_, const double* v_, const double* tau_);
  // Accelerations of the whole model from qdd.
  void give(double* qdd_) const;
  std::size_t bytes() const;

  const Model::Folding& folding;
  Workspace workspace;
  std::vector<double> q, v, tau, qdd;
};

// The folded workspace where it can compute the answer, else null: wrenches, as loaded, on a rotor need the
// rotor. Brings the wrenches there.
FoldedWorkspace* folded_for(WorkspaceImpl& w, bool has_wrenches);

}  // namespace tenon
