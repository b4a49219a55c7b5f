// Configuration space: integration along a velocity, the velocity between two configurations, neutral and
// random configurations. Spherical and floating joints move on SO(3) and SE(3) by the
// exponential of their velocity in child axes, planar joints on SE(2).
#include <algorithm>

#include "kernels/joint/integrate.hpp"
#include "model/body_poses.hpp"
#include "spatial/spatial.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

// Independent positions move without the loops: nothing has to be closed.
Status integrate_independent(WorkspaceImpl& w, const double* y, const double* v, double dt, double* next) {
  const int count = w.coordinates.independent_v ? w.model->ny : w.model->nv;
  TENON_CHECK(check_independent_positions(w, "q", y));
  TENON_CHECK(check_finite(w, "v", v, count));
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  double *q = w.coordinates.q.data(), *rate = w.coordinates.v.data();
  scatter_positions(w, y, q);
  if (w.coordinates.independent_v)
    scatter_independent(w, v, rate);
  else
    std::copy_n(v, count, rate);
  integrate_joints(w.md(), rate, dt, q);
  return map_out_positions(w, q, next);
}

// Dependent joints move with G at the start; the loops are closed at the end.
Status integrate_and_close(WorkspaceImpl& w, const double* q, const double* v, double dt, double* next) {
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(map_in_velocities(w, q, v));
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  double* moved = w.coordinates.q.data();
  std::copy_n(q, w.model->nq, moved);
  integrate_joints(w.md(), v, dt, moved);
  if (!all_finite(moved, w.model->nq))
    return w.fail(Status::not_finite, "the configuration after %g s is not finite; move for a shorter time",
                  dt);
  TENON_CHECK(close_dependent(w, moved));
  return map_out_positions(w, moved, next);
}

}  // namespace

Status integrate(Workspace& workspace, const double* q, const double* v, double dt, double* next) {
  WorkspaceImpl& w = begin(workspace);
  if (w.coordinates.independent_q) return integrate_independent(w, q, v, dt, next);
  if (w.coordinates.independent_v) return integrate_and_close(w, q, v, dt, next);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  double* moved = w.stage.data();
  std::copy_n(q, w.model->nq, moved);
  integrate_joints(w.md(), v, dt, moved);
  return map_out_positions(w, moved, next);
}

// Maps two configurations of independent positions; loops are closed only where dependent velocities are
// wanted.
static Status map_in_both(WorkspaceImpl& w, const double*& q0, const double*& q1) {
  double* places[2] = {w.coordinates.q.data(), w.loops.best.data()};
  const double* given[2] = {q0, q1};
  for (int i = 0; i < 2; ++i) {
    const char* name = i == 0 ? "q0" : "q1";
    TENON_CHECK(check_independent_positions(w, name, given[i]));
    if (w.coordinates.independent_v)
      scatter_positions(w, given[i], places[i]);
    else
      TENON_CHECK(map_independent_positions(w, name, given[i], places[i]));
  }
  q0 = places[0], q1 = places[1];
  return Status::ok;
}

Status difference(Workspace& workspace, const double* q0, const double* q1, double* v) {
  WorkspaceImpl& w = begin(workspace);
  if (w.coordinates.independent_q) TENON_CHECK(map_in_both(w, q0, q1));
  TENON_CHECK(check_configuration(w, "q0", q0));
  TENON_CHECK(check_configuration(w, "q1", q1));
  double* rate = result_room(w);
  for (const NodeData& n : w.model->nodes)
    joint_difference(n.kind, q0 + n.q_index, q1 + n.q_index, rate + n.v_index);
  return map_out_motion(w, rate, v);
}

Status normalize(Workspace& workspace, double* q) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_finite(w, "q", q, position_count(workspace)));
  double* unit = w.stage.data();
  if (w.coordinates.independent_q)
    scatter_positions(w, q, unit);
  else
    std::copy_n(q, w.model->nq, unit);
  for (const WorkspaceImpl::Quaternion& place : w.quaternions)
    if (!scale_to_unit(unit + place.q_index))
      return w.fail(Status::not_normalized,
                    "the quaternion of joint '%s' is zero and has no direction to keep",
                    w.model->joints[index(place.joint)].name.c_str());
  return map_out_positions(w, unit, q);
}

}  // namespace tenon
