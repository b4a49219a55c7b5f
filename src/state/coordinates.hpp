// The coordinates in which a workspace takes and returns states (Workspace::set_coordinates), and the maps
// between them and those of the spanning tree, in which everything is computed:
//
//   q from y by closing the loops, v = G ydot, qdd = G yddot + g, tau_y = G^T tau    ([LOOPS1] II-B)
//
// The mass matrix becomes H = G^T M G, Jacobians become J G. Every dynamics call starts with take_ functions
// and ends with give_ functions; each costs one branch where there is nothing to map.
#pragma once

#include "data/inputs.hpp"
#include "spatial/spatial.hpp"
#include "state/check.hpp"
#include "state/projection.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

Status check_independent_positions(WorkspaceImpl& w, const char* what, const double* y);
// Independent positions -> q. Checks that they are finite and that quaternions have unit norm; closes the loops,
// starting at the guess. what: their name in messages.
Status map_independent_positions(WorkspaceImpl& w, const char* what, const double* y, double* q);
// The same for velocities, accelerations and forces at q; G stays in the arena. v null: at rest.
// Accelerations null: yddot = 0, so that qdd = g.
Status map_velocities(WorkspaceImpl& w, const double* q, const char* what, const double* user, double* v);
Status map_accelerations(WorkspaceImpl& w, const double* q, const double* v, const char* what,
                         const double* user, double* a);
Status map_forces(WorkspaceImpl& w, const char* what, const double* user, double* tau);

// Starts a call: no message, no known state, the user's independent coordinates in all clusters.
inline WorkspaceImpl& begin(Workspace& workspace) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  w.loops.known = {};
  if (w.split.any_changed) restore_split(w);
  w.follow_settings();
  return w;
}

// Check an input and replace it by the same values in coordinates of the spanning tree. Each input of a call
// passes one of these once. what: its name in messages.
inline Status map_in_positions(WorkspaceImpl& w, const double*& q) {
  if (w.coordinates.independent_q) {
    TENON_CHECK(map_independent_positions(w, "q", q, w.coordinates.q.data()));
    q = w.coordinates.q.data();
  } else {
    TENON_CHECK(check_configuration(w, "q", q));
  }
  w.loops.known.q = q;
  return Status::ok;
}
inline Status map_in_velocities(WorkspaceImpl& w, const double* q, const double*& v, const char* what = "v") {
  if (!w.coordinates.independent_v) {
    TENON_CHECK(check_finite(w, what, v, w.model->nv));
  } else if (v || w.model->ny == 0) {  // a mechanism that cannot move has no velocities to point at
    TENON_CHECK(map_velocities(w, q, what, v, w.coordinates.v.data()));
    v = w.coordinates.v.data();
  }
  w.loops.known.v = v;
  return Status::ok;
}
inline Status map_in_state(WorkspaceImpl& w, const double*& q, const double*& v) {
  TENON_CHECK(map_in_positions(w, q));
  return map_in_velocities(w, q, v);
}
inline Status map_in_accelerations(WorkspaceImpl& w, const double* q, const double* v, const double*& a,
                                   const char* what = "a") {
  if (!w.coordinates.independent_v) return check_finite(w, what, a, w.model->nv);
  TENON_CHECK(map_accelerations(w, q, v, what, a, w.coordinates.a.data()));
  a = w.coordinates.a.data();
  return Status::ok;
}
inline Status map_in_forces(WorkspaceImpl& w, const double*& tau, const char* what = "tau") {
  if (!w.coordinates.independent_v) return check_finite(w, what, tau, w.model->nv);
  TENON_CHECK(map_forces(w, what, tau, w.coordinates.tau.data()));
  tau = w.coordinates.tau.data();
  return Status::ok;
}

// Checks that link wrenches are finite and sums them into body wrenches (WorkspaceData::wrench). Null: does
// nothing.
Status load_wrenches(WorkspaceImpl& w, const double* wrenches);
inline Status take_wrenches(WorkspaceImpl& w, const double*& wrenches) {
  TENON_CHECK(load_wrenches(w, wrenches));
  if (wrenches) wrenches = w.w().wrench;
  return Status::ok;
}
// in := the inputs of forward dynamics, and of inverse dynamics. Desired accelerations keep the user's order.
inline Status map_in_forward(WorkspaceImpl& w, const Inputs<double>& user, Inputs<double>& in) {
  in.q = user.q, in.v = user.v, in.tau = user.tau, in.wrenches = user.wrenches, in.desired = user.desired;
  TENON_CHECK(map_in_state(w, in.q, in.v));
  TENON_CHECK(map_in_forces(w, in.tau));
  TENON_CHECK(check_finite(w, "desired", in.desired, w.rows()));
  return take_wrenches(w, in.wrenches);
}
inline Status map_in_inverse(WorkspaceImpl& w, const Inputs<double>& user, Inputs<double>& in) {
  in.q = user.q, in.v = user.v, in.wrenches = user.wrenches, in.qdd = user.qdd;
  TENON_CHECK(map_in_state(w, in.q, in.v));
  TENON_CHECK(map_in_accelerations(w, in.q, in.v, in.qdd));
  return take_wrenches(w, in.wrenches);
}

// Where to write a result of nv numbers, and the functions that check it and copy it to the user (null: not
// wanted).
inline double* result_room(WorkspaceImpl& w) {
  return w.coordinates.result.data();
}
[[nodiscard]] Status map_out_motion(WorkspaceImpl& w, const double* x, double* user);
[[nodiscard]] Status map_out_forces(WorkspaceImpl& w, const double* tau,
                                    double* user);  // by the G in the arena
[[nodiscard]] Status map_out_positions(WorkspaceImpl& w, const double* q, double* user);
// The same without a check.
void copy_motion(const WorkspaceImpl& w, const double* x, double* user);
void copy_positions(const WorkspaceImpl& w, const double* q, double* user);

// out := J G with the blocks of G given; J is rows x nv.
void times_G(const WorkspaceImpl& w, const double* G, const double* J, int ldJ, int rows, double* out,
             int ld);

// Maps between link frames, which users see, and body frames, in which kernels compute. Frame of a link from the poses of
// the last kinematics().
struct LinkFrame {
  int body;                // -1: the world
  Mat3<double> R;          // world <- link
  Vec3<double> p;          // world position of the link origin
  Mat3<double> body_link;  // body <- link
  Vec3<double> in_body;    // link origin, body frame
  // x from body axes to the axes of the link or of the world.
  Vec3<double> turn(RowAxes axes, const Vec3<double>& x) const {
    const Vec3<double> in_link = transpose_times(body_link, x);
    return axes == RowAxes::link ? in_link : R * in_link;
  }
};
LinkFrame link_frame(WorkspaceImpl& w, int link);

// The quaternion x y z w of a rotation, w >= 0.
void quaternion_of_rotation(const Mat3<double>& R, double* q);

// Status::not_finite; the message names the constraint whose function wrote NaN or infinity.
Status fail_of_callback(WorkspaceImpl& w, int loop);
// After evaluate or close found an infinite gap: the same, or a message that the positions are too large.
Status fail_of_gap(WorkspaceImpl& w);
// After update_loops, where the mass matrix could not be factored. Status::singular_configuration next to a
// dead centre, where rounding errors make G^T M G indefinite.
Status fail_not_positive_definite(WorkspaceImpl& w);

// Moves dependent coordinates of q until its loops are closed. Status::open_loop, which names the loop, where
// this fails.
Status close_dependent(WorkspaceImpl& w, double* q);
// The constraint whose loop had the largest gap when the loops were last evaluated.
int worst_loop(const WorkspaceImpl& w);
// q: independent positions from y, all others from the guess. v: independent velocities from y, all others
// zero.
void scatter_positions(const WorkspaceImpl& w, const double* y, double* q);
void scatter_independent(const WorkspaceImpl& w, const double* y, double* v);
// The guess of another workspace of the same model.
void copy_guess(const WorkspaceImpl& from, WorkspaceImpl& to);
// Interpolated quaternions do not have unit length.
void normalize_quaternions(const WorkspaceImpl& w, double* q);

}  // namespace tenon
