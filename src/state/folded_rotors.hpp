// Dynamics of a model with folded rotors (model/fold_rotors.hpp): a workspace of the folded model, and the
// maps of states to it and of accelerations back.
#pragma once

#include <vector>

#include "plan/workspace_impl.hpp"

namespace tenon {

// A state of the whole model in the coordinates of the folded model, whose workspace is w. Torques on rotors
// act on the joints that drive them.
template <class T>
void fold_state(const Model::Folding& folding, const T* q, const T* v, const T* tau, T* folded_q, T* folded_v,
                T* folded_tau, WorkspaceData<T>& w) {
  const ModelData& m = folding.model->data();
  for (std::size_t k = 0; k < folding.q.size(); ++k) folded_q[k] = q[folding.q[k]];
  for (std::size_t k = 0; k < folding.v.size(); ++k) folded_v[k] = v[folding.v[k]];
  for (std::size_t k = 0; k < folding.v.size(); ++k) folded_tau[k] = tau[folding.v[k]];
  for (int r = 0; r < m.rotor_count; ++r) {
    const RotorData& rotor = m.rotors[r];
    const std::int32_t coordinate = folding.rotor_v[static_cast<std::size_t>(r)];
    w.rotor_rate[r] = v[coordinate];
    if (rotor.wobbles != 0) w.rotor_angle[r] = q[folding.rotor_q[static_cast<std::size_t>(r)]];
    for (int e = rotor.drive_begin; e < rotor.drive_end; ++e) {
      T& at_drive = folded_tau[m.rotor_drives[e].v_index];
      at_drive = at_drive + T(m.rotor_drives[e].ratio) * tau[coordinate];
    }
  }
}
// Accelerations of the whole model from those of the folded model.
template <class T>
void unfold_accelerations(const Model::Folding& folding, const T* folded_qdd, T* qdd) {
  const ModelData& m = folding.model->data();
  for (std::size_t k = 0; k < folding.v.size(); ++k) qdd[folding.v[k]] = folded_qdd[k];
  for (int r = 0; r < m.rotor_count; ++r) {
    T sum(0);
    for (int e = m.rotors[r].drive_begin; e < m.rotors[r].drive_end; ++e)
      sum = sum + T(m.rotor_drives[e].ratio) * folded_qdd[m.rotor_drives[e].v_index];
    qdd[folding.rotor_v[static_cast<std::size_t>(r)]] = sum;
  }
}

struct FoldedWorkspace {
  FoldedWorkspace(const Model::Folding& folding, std::shared_ptr<const ConstraintSet> constraints,
                  const WorkspaceOptions& options);

  // Maps a state of the whole model into q, v and tau.
  void take(const double* q_, const double* v_, const double* tau_);
  // Maps qdd to accelerations of the whole model.
  void give(double* qdd_) const;
  std::size_t bytes() const;

  const Model::Folding& folding;
  Workspace workspace;
  std::vector<double> q, v, tau, qdd;
};

// The folded workspace, with the wrenches copied to it, or null where it cannot compute the answer: a wrench
// on a rotor needs the body of the rotor. The wrenches are those in WorkspaceData::wrench.
FoldedWorkspace* folded_for(WorkspaceImpl& w, bool has_wrenches);

}  // namespace tenon
