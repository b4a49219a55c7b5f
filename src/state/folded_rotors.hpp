// Dynamics of a model with folded rotors (model/fold_rotors.cpp): a workspace of the folded model with the same
// settings, and the maps of states to it and of accelerations back.
#pragma once

#include <vector>

#include "data/inputs.hpp"
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
// The wrenches on the bodies of the folded model, whose workspace is w.
template <class T>
const T* fold_wrenches(const Model::Folding& folding, const T* wrenches, WorkspaceData<T>& w) {
  if (!wrenches) return nullptr;
  for (std::size_t i = 0; i < folding.node.size(); ++i)
    for (std::size_t e = 0; e < 6; ++e)
      w.wrench[6 * i + e] = wrenches[6 * folding.node[i] + static_cast<int>(e)];
  return w.wrench;
}
// Inputs of the whole model in the coordinates of the folded model, whose workspace is w.
template <class T>
Inputs<T> fold_inputs(const Model::Folding& folding, const RotorMap& map, const Inputs<T>& in, T* folded_q,
                      T* folded_v, T* folded_tau, WorkspaceData<T>& w) {
  const ModelData& m = folding.model->data();
  for (std::size_t k = 0; k < folding.q.size(); ++k) folded_q[k] = in.q[folding.q[k]];
  for (std::size_t k = 0; k < folding.v.size(); ++k) folded_v[k] = in.v[folding.v[k]];
  for (std::size_t r = 0; r < map.rotor_v.size(); ++r) w.rotor_rate[r] = in.v[map.rotor_v[r]];
  for (int r = 0; r < m.wobbling_rotors; ++r) w.rotor_angle[r] = in.q[m.rotors[r].q_index];
  fold_forces(folding, map, in.tau, folded_tau);
  return {folded_q, folded_v, folded_tau, fold_wrenches(folding, in.wrenches, w), in.desired};
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

  // Maps inputs of the whole model into q, v, tau and the wrenches of `workspace`, and returns these.
  Inputs<double> map_in(const Inputs<double>& in);
  // Maps qdd to accelerations of the whole model.
  void map_out(double* qdd_) const;
  std::size_t bytes() const;

  const Model::Folding& folding;
  RotorMap map;
  ModelData spanning;  // Model::Folding's, or with inertias of its own
  std::vector<NodeData> spanning_nodes;
  Workspace workspace;
  std::vector<double> q, v, tau, qdd;
};

// Whether a wrench on these bodies, all of the whole model, acts on a folded rotor.
bool act_on_rotor(const Model::Folding& folding, const double* wrenches);
// The folded workspace, or null where it cannot compute the answer: a wrench on a rotor needs the body of the rotor.
FoldedWorkspace* folded_for(WorkspaceImpl& w, const Inputs<double>& in);

// Inverse dynamics of the spanning tree, nv numbers each. Rotors are folded where folded_for allows it.
void tree_inverse_dynamics(WorkspaceImpl& w, const Inputs<double>& in, double* tau);

}  // namespace tenon
