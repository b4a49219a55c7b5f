// For a model with loops that are closed by rows (Model::row_loops), a workspace owns two more, with its settings:
// one with the rows of the loops but without the user's rows, for forward dynamics, and one of the closing form,
// the same mechanism with all loops embedded, which closes configurations.
#pragma once

#include <memory>
#include <vector>

#include "state/workspace_impl.hpp"
#include "tenon/loops.hpp"

namespace tenon {

struct RowLoops {
  RowLoops(const WorkspaceImpl& whole, const WorkspaceOptions& options);

  // Copy positions and velocities (null: none) to the closing form and back.
  void map_in(const double* q_, const double* v_);
  void map_out(double* q_, double* v_) const;
  // The guess of the closing form, a configuration with all loops closed.
  void map_out_guess(double* q_);
  std::size_t bytes() const;
  int row_count() const { return row_count_; }  // of the loops, behind those of the user

  const Model::Closing& form;
  std::unique_ptr<Workspace> alone;  // null where the workspace itself holds no other rows
  Workspace closing;
  std::vector<double> q, v, tau, qdd, end_q, end_v;

 private:
  int row_count_;
};

}  // namespace tenon
