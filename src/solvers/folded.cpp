#include "solvers/folded.hpp"

#include <algorithm>

namespace tenon {

FoldedWorkspace::FoldedWorkspace(const Model::Folding& folding_,
                                 std::shared_ptr<const ConstraintSet> constraints)
    : folding(folding_),
      workspace(folding_.model, std::move(constraints)),
      q(folding_.q.size()),
      v(folding_.v.size()),
      tau(folding_.v.size()),
      qdd(folding_.v.size()) {}

void FoldedWorkspace::take(const double* q_, const double* v_, const double* tau_) {
  const Model& m = *folding.model;
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = q_[folding.q[k]];
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = v_[folding.v[k]];
  for (std::size_t k = 0; k < v.size(); ++k) tau[k] = tau_[folding.v[k]];
  double* rate = workspace.impl().w().rotor_rate;
  double* angle = workspace.impl().w().rotor_angle;
  for (std::size_t r = 0; r < m.rotors.size(); ++r) {
    const std::int32_t coordinate = folding.rotor_v[r];
    rate[r] = v_[coordinate];
    if (m.rotors[r].wobbles != 0) angle[r] = q_[folding.rotor_q[r]];
    for (std::int32_t e = m.rotors[r].drive_begin; e < m.rotors[r].drive_end; ++e) {
      const RotorDrive& drive = m.rotor_drives[static_cast<std::size_t>(e)];
      tau[static_cast<std::size_t>(drive.v_index)] += drive.ratio * tau_[coordinate];
    }
  }
}

void FoldedWorkspace::give(double* qdd_) const {
  const Model& m = *folding.model;
  for (std::size_t k = 0; k < qdd.size(); ++k) qdd_[folding.v[k]] = qdd[k];
  for (std::size_t r = 0; r < m.rotors.size(); ++r) {
    double sum = 0;
    for (std::int32_t e = m.rotors[r].drive_begin; e < m.rotors[r].drive_end; ++e) {
      const RotorDrive& drive = m.rotor_drives[static_cast<std::size_t>(e)];
      sum += drive.ratio * qdd[static_cast<std::size_t>(drive.v_index)];
    }
    qdd_[folding.rotor_v[r]] = sum;
  }
}

std::size_t FoldedWorkspace::bytes() const {
  return workspace.bytes() + (q.size() + v.size() + tau.size() + qdd.size()) * sizeof(double);
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
