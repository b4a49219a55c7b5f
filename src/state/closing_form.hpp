// What a workspace has beside its own rows for a model some of whose loops are closed by rows
// (Model::row_loops): the rows of the loops without the user's, for forward dynamics, and the form of the
// model with all loops embedded, which closes configurations.
#pragma once

#include <memory>
#include <vector>

#include "plan/workspace_impl.hpp"
#include "tenon/loops.hpp"

namespace tenon {

struct RowLoops {
  // set: that of the workspace.
  RowLoops(const std::shared_ptr<const Model>& model, const ConstraintSet& set,
           const WorkspaceOptions& options);

  // Positions and velocities (null: none) to the closing form and back.
  void take(const double* q_, const double* v_);
  void give(double* q_, double* v_) const;
  // The closing form's guess, of which all loops are closed.
  void give_guess(double* q_);
  std::size_t bytes() const;

  const Model::Closing& form;
  std::unique_ptr<Workspace> alone;  // null where the workspace itself holds no other rows
  Workspace closing;
  std::vector<double> q, v, tau, qdd;
};

// loop_forward_dynamics by a method other than automatic: that of the form with all loops embedded. Spanning
// coordinates, checked.
Status solve_closing_form(WorkspaceImpl& w, LoopMethod method, const double* q, const double* v,
                          const double* tau, const double* wrenches, double* qdd);

// forward_dynamics with the loops closed by their rows.
Status solve_row_loops(Workspace& workspace, const double* q, const double* v, const double* tau,
                       const double* wrenches, double* qdd);

}  // namespace tenon
