// The coordinates in which a workspace takes and returns states (Workspace::set_coordinates), and the way
// between them and the spanning tree's, in which everything is computed:
//
//   q from y by closing the loops, v = G ydot, qdd = G yddot + g, tau_y = G^T tau    ([LOOPS1] II-B)
//
// and with them H = G^T M G for the mass matrix and J G for Jacobians. Every dynamics call starts with take_
// and ends with give_; where nothing is to be mapped these are a branch each.
#pragma once

#include <algorithm>

#include "plan/workspace_impl.hpp"
#include "state/check.hpp"
#include "state/loop_split.hpp"

namespace tenon {

Status check_independent_positions(WorkspaceImpl& w, const char* what, const double* y);
// A configuration in the user's coordinates -> q: finite, quaternions of unit norm, loops followed from the
// guess. what: its name in messages.
Status map_positions(WorkspaceImpl& w, const char* what, const double* user, double* q);
Status map_independent_positions(WorkspaceImpl& w, const char* what, const double* y, double* q);
// The same for what else a state has, at q; G is left in the arena. v null: at rest. Accelerations null:
// those that are left when independent coordinates do not accelerate, g.
Status map_velocities(WorkspaceImpl& w, const double* q, const char* what, const double* user, double* v);
Status map_accelerations(WorkspaceImpl& w, const double* q, const double* v, const char* what,
                         const double* user, double* a);
Status map_forces(WorkspaceImpl& w, const char* what, const double* user, double* tau);

// The start of every call: no message, no state known, and the columns of G the user's.
inline WorkspaceImpl& begin(Workspace& workspace) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  w.loops.known = {};
  if (w.split.any_changed) restore_split(w);
  return w;
}

// Checked, and replaced by the same in the spanning tree's coordinates: each input of a call goes through one of
// these, once. what: its name in messages.
inline Status take_positions(WorkspaceImpl& w, const double*& q) {
  if (w.coordinates.independent_q) {
    TENON_CHECK(map_positions(w, "q", q, w.coordinates.q.data()));
    q = w.coordinates.q.data();
  } else {
    TENON_CHECK(check_configuration(w, "q", q));
  }
  w.loops.known.q = q;
  return Status::ok;
}
inline Status take_velocities(WorkspaceImpl& w, const double* q, const double*& v, const char* what = "v") {
  if (!w.coordinates.independent_v) {
    TENON_CHECK(check_finite(w, what, v, w.model->nv));
  } else if (v || w.model->ny == 0) {  // a mechanism that cannot move has no velocities to point at
    TENON_CHECK(map_velocities(w, q, what, v, w.coordinates.v.data()));
    v = w.coordinates.v.data();
  }
  w.loops.known.v = v;
  return Status::ok;
}
inline Status take_state(WorkspaceImpl& w, const double*& q, const double*& v) {
  TENON_CHECK(take_positions(w, q));
  return take_velocities(w, q, v);
}
inline Status take_accelerations(WorkspaceImpl& w, const double* q, const double* v, const double*& a,
                                 const char* what = "a") {
  if (!w.coordinates.independent_v) return check_finite(w, what, a, w.model->nv);
  TENON_CHECK(map_accelerations(w, q, v, what, a, w.coordinates.a.data()));
  a = w.coordinates.a.data();
  return Status::ok;
}
inline Status take_forces(WorkspaceImpl& w, const double*& tau, const char* what = "tau") {
  if (!w.coordinates.independent_v) return check_finite(w, what, tau, w.model->nv);
  TENON_CHECK(map_forces(w, what, tau, w.coordinates.tau.data()));
  tau = w.coordinates.tau.data();
  return Status::ok;
}

// Where to write a result of nv numbers, and how it gets from there to the user (null: not wanted), checked.
inline double* result_room(WorkspaceImpl& w) {
  return w.coordinates.result.data();
}
[[nodiscard]] Status give_motion(WorkspaceImpl& w, const double* x, double* user);
[[nodiscard]] Status give_forces(WorkspaceImpl& w, const double* tau, double* user);  // by the G in the arena
[[nodiscard]] Status give_positions(WorkspaceImpl& w, const double* q, double* user);
// The same without a check.
void copy_motion(const WorkspaceImpl& w, const double* x, double* user);
void copy_positions(const WorkspaceImpl& w, const double* q, double* user);

// out := J G with the blocks of G given; J is rows x nv.
void times_G(const WorkspaceImpl& w, const double* G, const double* J, int ldJ, int rows, double* out,
             int ld);

// Status::not_finite, with the constraint named whose function wrote NaN or infinity.
Status fail_of_callback(WorkspaceImpl& w, int loop);
// After an evaluate or a close that left an infinite gap: the same, or where the loops themselves overflow.
Status fail_of_gap(WorkspaceImpl& w);
// Where a factor of the mass matrix was not positive definite, after update_loops. Next to a dead centre,
// where G^T M G has lost its digits, that is Status::singular_configuration.
Status fail_not_positive_definite(WorkspaceImpl& w);

// Moves dependent coordinates of q until its loops are closed. Status::open_loop, with the loop named, where
// they cannot be.
Status close_dependent(WorkspaceImpl& w, double* q);
// The constraint whose loop gapes most where loops were last looked at.
int worst_loop(const WorkspaceImpl& w);
// q with y in the places of independent positions and all else as in the guess; v with y and zeros.
void scatter_positions(const WorkspaceImpl& w, const double* y, double* q);
void scatter_independent(const WorkspaceImpl& w, const double* y, double* v);

}  // namespace tenon
