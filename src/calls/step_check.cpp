#include "calls/step_check.hpp"

#include <algorithm>
#include <cmath>

#include "calls/row_projection.hpp"
#include "kernels/cluster/step_limits.hpp"
#include "state/check.hpp"
#include "state/closing_form.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"

namespace tenon {
namespace {

// v^T M v / 2.
double kinetic_energy(WorkspaceImpl& w, const double* q, const double* v) {
  const Weightless weightless(w);
  double* force = result_room(w);
  Inputs<double> in = w.at_rest(q);
  in.qdd = v;
  tree_inverse_dynamics(w, in, force);
  double sum = 0;
  for (int k = 0; k < w.model->nv; ++k) sum += 0.5 * v[k] * force[k];
  return sum;
}

// At most this: forces times how far they act. Loops that are closed do no work.
Status work_of(WorkspaceImpl& w, const StepEnds& s, double& work) {
  double* bias = result_room(w);
  tree_inverse_dynamics(w, s.start, bias);
  work = 0;
  for (int k = 0; k < w.model->nv; ++k)
    work += fastest(s.start.v[k], s.end_v[k]) * (std::abs(s.start.tau[k]) + std::abs(bias[k]));
  const int rows_of_user = w.rows() - (w.row_loops ? w.row_loops->row_count() : 0);
  if (rows_of_user > 0) {
    TENON_CHECK(evaluate_row_velocities(w, s.end_q, s.end_v));
    for (int r = 0; r < w.rows(); ++r) {
      const int user = w.cd()->user_row[r];
      if (user < rows_of_user) work += std::abs(s.lambda[user] * w.w().row_velocity[r]);
    }
  }
  work *= std::abs(s.dt);
  return Status::ok;
}

// What a step does to the loops, in the coordinates of the workspace that has them embedded.
struct Opening {
  int loop = -1;               // one that opens by more than its share
  bool velocities_fit = true;  // at the beginning no velocities open a loop
  bool finite = true;
};

Opening measure_opening(WorkspaceImpl& w, const double* q, const double* v, const double* end_q,
                        const double* end_v, double dt) {
  constexpr double fits = 1e-3;
  const ModelData& m = w.md();
  double *allowed = w.loops.gaps.data(), *phi = w.w().loop_phi;
  Opening found;
  w.loops.known = {};
  found.finite = w.loops.assembly.evaluate(q, nullptr, w.w()) < INFINITY;
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    for (int r = 0; r < c.row_count; ++r) {
      const RowRates<double> rates = rates_of_row(c, r, w.w().loop_K, v, end_v);
      if (!(std::abs(rates.opened) <= fits * rates.moved)) found.velocities_fit = false;
      if (!std::isfinite(rates.moved)) found.finite = false;
      allowed[c.row_begin + r] = most_gap(phi[c.row_begin + r], rates, std::abs(dt), loop_tolerance, 1);
    }
  }
  found.finite = w.loops.assembly.evaluate(end_q, nullptr, w.w()) < INFINITY && found.finite;
  for (int l = 0; l < m.loop_constraint_count; ++l) {
    const LoopConstraintData& loop = m.loop_constraints[l];
    for (int r = loop.row_begin; r < loop.row_begin + loop.row_count; ++r)
      if (!(std::abs(phi[r]) <= allowed[r])) found.loop = l;
  }
  return found;
}

Opening opening_of(WorkspaceImpl& w, const StepEnds& s) {
  if (!w.row_loops) return measure_opening(w, s.start.q, s.start.v, s.end_q, s.end_v, s.dt);
  RowLoops& loops = *w.row_loops;
  loops.map_in(s.end_q, s.end_v);
  loops.end_q = loops.q, loops.end_v = loops.v;
  loops.map_in(s.start.q, s.start.v);
  return measure_opening(loops.closing.impl(), loops.q.data(), loops.v.data(), loops.end_q.data(),
                         loops.end_v.data(), s.dt);
}

const char* name_of_loop(const WorkspaceImpl& w, int loop) {
  const Model& model = w.row_loops ? *w.row_loops->closing.impl().model : *w.model;
  return model.loops.names[index(loop)].c_str();
}

}  // namespace

Status check_step(WorkspaceImpl& w, const StepEnds& s) {
  if (w.md().varying_clusters == 0 && !w.row_loops) return Status::ok;
  const char* const advice =
      "as happens at or next to a dead centre; take a shorter step, or move the mechanism off the dead "
      "centre";
  const Opening opening = opening_of(w, s);
  if (!opening.finite) return fail_result(w);
  if (opening.loop >= 0)
    return w.fail(Status::singular_configuration,
                  "a step of %g s from here is too long: it opens the loop '%s', %s", s.dt,
                  name_of_loop(w, opening.loop), advice);
  if (!opening.velocities_fit) return Status::ok;
  const double before = kinetic_energy(w, s.start.q, s.start.v), after = kinetic_energy(w, s.end_q, s.end_v);
  double work = 0;
  TENON_CHECK(work_of(w, s, work));
  for (const double x : {before, after, work}) TENON_CHECK(check_result(w, &x, 1));
  if (after - before <= most_gain(before, after, work, 1)) return Status::ok;
  return w.fail(
      Status::singular_configuration,
      "a step of %g s from here is too long: it gains %g J of kinetic energy, and its forces can give "
      "%g J, %s",
      s.dt, after - before, work, advice);
}

}  // namespace tenon
