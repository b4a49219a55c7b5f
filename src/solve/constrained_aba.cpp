#include "solve/constrained_aba.hpp"

#include <algorithm>
#include <cmath>
#include "solve/proximal.hpp"

namespace tenon {

namespace {

// It refines, so mu can be large. A cluster eliminates coordinates that rows hold together with free ones,
// which would lose digits at the larger mu.
constexpr double scheduled_mu = 3e7, scheduled_mu_of_clusters = 3e6;
// Smallest ratio of a pivot to its diagonal in the joint-space inertia of a cluster, penalties included.
// Below refine_again, penalties cost the inertia more digits than one refinement regains; below least_pivot,
// more than two regain.
constexpr double refine_again = 1e-6, least_pivot = 1e-11;

// Below this (ConstraintData::least_leverage) penalties are so much larger than inertias that their rounding
// errors move joints that the row does not, which no residual shows.
constexpr double least_leverage = 1e-3;

struct Sweeps {
  const ConstrainedProblem& p;
  const double* inv_mu = nullptr;
  bool bias_forces_ready = true;  // pA holds the bias forces of constraint_state
  bool factored = false;          // for the current mu
  bool positive = true;
  const double* unreachable = nullptr;  // the part that was removed from the right-hand sides, if any

  void leave_unreachable() const {
    for (int r = 0; unreachable && r < p.w.rows(); ++r) p.w.w().k[r] -= unreachable[r];
  }

  static void give_up(void* self, const double* unreachable) {
    Sweeps& s = *static_cast<Sweeps*>(self);
    s.unreachable = unreachable;
    s.leave_unreachable();
  }

  static void prepare(void* self, const double* inv_mu) {
    Sweeps& s = *static_cast<Sweeps*>(self);
    s.inv_mu = inv_mu;
    s.factored = false;
    const ConstraintData& c = *s.p.w.cd();
    for (int r = 0; r < c.row_count; ++r) s.p.w.w().mu_row[r] = 1 / (c.compliance[r] + inv_mu[r]);
  }

  // The first evaluation for a mu makes the three sweeps of [CABA] Alg. 1, later ones the two of Alg. 2.
  static bool evaluate(void* self, const double* f, bool refine, double* step) {
    Sweeps& s = *static_cast<Sweeps*>(self);
    WorkspaceImpl& w = s.p.w;
    WorkspaceData<double>& d = w.w();
    const ConstraintData& c = *w.cd();
    for (int r = 0; r < c.row_count; ++r) {
      const double force = d.mu_row[r] * (d.k[r] + s.inv_mu[r] * f[r]);
      step[r] = force - d.row_force[r];  // read by iterate before it is overwritten
      d.row_force[r] = force;
    }
    if (s.factored) {
      w.kernels->constrained_aba_iterate(w.md(), c, step, refine, s.p.tau, d.qdd, d);
    } else {
      if (!s.bias_forces_ready) {
        w.kernels->constraint_state(w.md(), c, s.p.q, s.p.v, s.p.wrenches != nullptr, d);
        s.leave_unreachable();
      }
      s.bias_forces_ready = false;
      s.positive = w.kernels->constrained_aba_start(w.md(), c, s.p.v, s.p.tau, d.qdd, d);
      s.factored = true;
    }
    for (int r = 0; r < c.row_count; ++r) step[r] = d.mu_row[r] * (d.k[r] - d.Ka[r] - c.compliance[r] * f[r]);
    return s.positive;
  }

  static void multipliers(void* self, double* lambda) {
    WorkspaceImpl& w = static_cast<Sweeps*>(self)->p.w;
    std::copy_n(w.w().row_lambda, w.rows(), lambda);
  }

  static void accelerations(void* self, double* a) {
    const WorkspaceImpl& w = static_cast<Sweeps*>(self)->p.w;
    for (int r = 0; r < w.rows(); ++r)
      a[r] = std::max(std::abs(w.arena.data.k[r]), std::abs(w.arena.data.Ka[r]));
  }
};

// The smallest ratio of a pivot to its diagonal in all clusters: how much of the inertia rounding of the
// penalties has left. One matrix of a cluster holds both coordinates that rows hold and free ones.
double smallest_pivot(const WorkspaceImpl& w) {
  const ModelData& m = w.md();
  double smallest = 1;
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    const double* D = w.arena.data.cluster_D + c.G_begin;
    for (int y = 1; y < c.y_count; ++y) {
      const double pivot = 1 / D[y * c.y_count + y];
      double diagonal = pivot;
      for (int z = 0; z < y; ++z)
        diagonal += D[y * c.y_count + z] * D[y * c.y_count + z] / D[z * c.y_count + z];
      smallest = std::min(smallest, pivot / diagonal);
    }
  }
  return smallest;
}

}  // namespace

Status solve_constrained_aba(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  if (w.cd()->least_leverage < least_leverage) return stalled;
  w.kernels->constraint_state(w.md(), *w.cd(), p.q, p.v, p.wrenches != nullptr, w.w());
  Sweeps sweeps{p};
  const bool iterates = p.options.max_iterations != 1;
  const ProximalMethod method = {
      &sweeps,
      Sweeps::prepare,
      Sweeps::evaluate,
      Sweeps::accelerations,
      Sweeps::multipliers,
      Sweeps::give_up,
      iterates && w.md().cluster_count > 0 ? scheduled_mu_of_clusters : scheduled_mu};
  const Status status = solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
  const double pivot = smallest_pivot(w);
  if (status == stalled || !(pivot > least_pivot)) return stalled;
  if (pivot < refine_again) {
    w.kernels->constrained_aba_iterate(w.md(), *w.cd(), w.zeros.data(), true, p.tau, w.w().qdd, w.w());
    Sweeps::multipliers(&sweeps, p.lambda);
  }
  w.kernels->constrained_aba_finish(w.md(), *w.cd(), p.v, w.w().qdd, w.w());
  return status;
}

}  // namespace tenon
