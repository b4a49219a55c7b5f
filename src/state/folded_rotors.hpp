// Dynamics of a model with folded rotors (model/fold_rotors.hpp): a workspace of the folded model with the same
// settings, and the maps of states to it and of accelerations back.
#pragma once

#include <vector>

#include "state/workspace_impl.hpp"

namespace tenon {

// How folded rotors follow the joints that drive them, in contiguous memory: rotors are far apart in theirs.
struct RotorMap {
  explicit RotorMap(const Model::Folding& folding);
  std::size_t bytes() const { return bytes_of(rotor_v, terms); }

  struct Term {
    std::int32_t rotor, drive;  // velocity coordinates of the whole and of the folded model
    double ratio;
  };
  std::vector<std::int32_t> rotor_v;
  std::vector<Term> terms;
};

// Forces on the joints of the folded model from those on all joints: torques on rotors act on the joints that
// drive them.
template <class T>
void fold_forces(const Model::Folding& folding, const RotorMap& map, const T* tau, T* folded_tau) {
  for (std::size_t k = 0; k < folding.v.size(); ++k) folded_tau[k] = tau[folding.v[k]];
  for (const RotorMap::Term& t : map.terms)
    folded_tau[t.drive] = folded_tau[t.drive] + T(t.ratio) * tau[t.rotor];
}
// A state of the whole model in the coordinates of the folded model, whose workspace is w.
template <class T>
void fold_state(const Model::Folding& folding, const RotorMap& map, const T* q, const T* v, const T* tau,
                T* folded_q, T* folded_v, T* folded_tau, WorkspaceData<T>& w) {
  const ModelData& m = folding.model->data();
  for (std::size_t k = 0; k < folding.q.size(); ++k) folded_q[k] = q[folding.q[k]];
  for (std::size_t k = 0; k < folding.v.size(); ++k) folded_v[k] = v[folding.v[k]];
  for (std::size_t r = 0; r < map.rotor_v.size(); ++r) w.rotor_rate[r] = v[map.rotor_v[r]];
  for (int r = 0; r < m.wobbling_rotors; ++r) w.rotor_angle[r] = q[m.rotors[r].q_index];
  fold_forces(folding, map, tau, folded_tau);
}
// Accelerations of the whole model from those of the folded model.
template <class T>
void unfold_accelerations(const Model::Folding& folding, const RotorMap& map, const T* folded_qdd, T* qdd) {
  for (std::size_t k = 0; k < folding.v.size(); ++k) qdd[folding.v[k]] = folded_qdd[k];
  for (const std::int32_t k : map.rotor_v) qdd[k] = T(0);
  for (const RotorMap::Term& t : map.terms) qdd[t.rotor] = qdd[t.rotor] + T(t.ratio) * folded_qdd[t.drive];
}

struct FoldedWorkspace {
  FoldedWorkspace(const WorkspaceImpl& whole, const WorkspaceOptions& options);

  // Maps a state of the whole model into q, v and tau.
  void take(const double* q_, const double* v_, const double* tau_);
  // Maps qdd to accelerations of the whole model.
  void give(double* qdd_) const;
  std::size_t bytes() const;

  const Model::Folding& folding;
  RotorMap map;
  Workspace workspace;
  std::vector<double> q, v, tau, qdd;
};

// The folded workspace, with the wrenches copied to it, or null where it cannot compute the answer: a wrench
// on a rotor needs the body of the rotor. The wrenches are those in WorkspaceData::wrench.
FoldedWorkspace* folded_for(WorkspaceImpl& w, bool has_wrenches);

// Inverse dynamics of the spanning tree, nv numbers each; qdd null: zero. Rotors are folded where folded_for
// allows it.
void tree_inverse_dynamics(WorkspaceImpl& w, const double* q, const double* v, const double* qdd,
                           bool has_wrenches, double* tau);

}  // namespace tenon
