// Derivatives of motion, of the centre of mass, momentum, energy and the gravity force
// (kernels/derivatives/kinematics_derivatives.hpp). In independent coordinates y, with q moved by G dy, v = G ydot and
// qdd = G yddot + g, a function f of q, v and qdd changes by
//
//   df/dy = f_q G + f_v dv/dy + f_a dqdd/dy,   df/dydot = f_v G + f_a dg/dydot,   df/dyddot = f_a G
//
// (independent_state.hpp), and where G is constant by f_q G, f_v G and f_a G.
#include <algorithm>

#include "calls/derivatives/independent_state.hpp"
#include "calls/derivatives/outputs.hpp"
#include "calls/kinematics.hpp"
#include "state/coordinates.hpp"
#include "tenon/kinematics_derivatives.hpp"

namespace tenon {

namespace {

// Starts a query of derivatives after kinematics() with what `order` says.
Status begin_query(WorkspaceImpl& w, int link, int order) {
  TENON_CHECK(check_link(w, link, order));
  return map_varies(w) && order > 0 ? find_state_changes(w, order > 1) : Status::ok;
}

double* wanted(bool is, double* x) {
  return is ? x : nullptr;
}

// Derivatives of `rows` numbers by q, v and qdd of the tree, nv columns without gaps; null: zero.
struct Parts {
  int rows;
  double *q, *v, *a;
};

// to += x (rows x nv) times y (nv x ny).
void add_product(const WorkspaceImpl& w, int rows, const double* x, const double* y, double* to) {
  const int nv = w.model->nv;
  for (int j = 0; x && j < w.model->ny; ++j)
    for (int k = 0; k < nv; ++k) {
      const double factor = y[std::ptrdiff_t{j} * nv + k];
      for (int e = 0; factor != 0 && e < rows; ++e)
        to[std::ptrdiff_t{j} * rows + e] += x[std::ptrdiff_t{k} * rows + e] * factor;
    }
}
// x G, in `room`, or x itself.
DerivativeBlock times_map(WorkspaceImpl& w, int rows, double* x, double* room, const char* name,
                          const DerivativeOut& out) {
  if (!w.coordinates.independent_v || !out.values) return {x, rows, w.model->nv, rows, name, out};
  times_G(w, w.coordinates.G.data(), x, rows, rows, room, rows);
  return {room, rows, w.model->ny, rows, name, out};
}
// The same in the coordinates of the user, by positions, velocities and accelerations. i: which room.
DerivativeBlock by_positions(WorkspaceImpl& w, const Parts& f, int i, const char* name,
                             const DerivativeOut& out) {
  const KinematicsDerivativeMemory& d = *w.kinematics_derivatives;
  if (out.values && map_varies(w)) {
    const DerivativeBlock block = times_map(w, f.rows, f.q, d.result[i], name, out);
    add_product(w, f.rows, f.v, d.velocity_q, d.result[i]);
    add_product(w, f.rows, f.a, d.acceleration_q, d.result[i]);
    return block;
  }
  return times_map(w, f.rows, f.q, d.result[i], name, out);
}
DerivativeBlock by_velocities(WorkspaceImpl& w, const Parts& f, int i, const char* name,
                              const DerivativeOut& out) {
  const KinematicsDerivativeMemory& d = *w.kinematics_derivatives;
  const DerivativeBlock block = times_map(w, f.rows, f.v, d.result[i], name, out);
  if (out.values && map_varies(w)) add_product(w, f.rows, f.a, d.acceleration_v, d.result[i]);
  return block;
}
DerivativeBlock by_accelerations(WorkspaceImpl& w, const Parts& f, int i, const char* name,
                                 const DerivativeOut& out) {
  return times_map(w, f.rows, f.a, w.kinematics_derivatives->result[i], name, out);
}

// Where a point of a link is, and the axes that its motion is given along.
struct PlacedPoint {
  int body;
  double p[3], E[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
};
PlacedPoint place(WorkspaceImpl& w, int link, const double* point, RowAxes axes) {
  const LinkFrame f = link_frame(w, link);
  PlacedPoint at;
  at.body = f.body;
  store(at.p, point ? f.p + f.R * load_vec3<double>(point) : f.p);
  if (axes == RowAxes::link) store(at.E, f.R);
  return at;
}

}  // namespace

Status point_velocity_derivatives(Workspace& workspace, const DerivativeOptions& options, int link,
                                  const double* point, RowAxes axes, const DerivativeOut& by_q,
                                  const DerivativeOut& by_v) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_finite(w, "point", point, 3));
  TENON_CHECK(begin_query(w, link, 1));
  double* const(&x)[4] = w.kinematics_derivatives->matrix;
  const PlacedPoint at = place(w, link, point, axes);
  if (by_q.values)
    w.kernels->point_derivatives(w.md(), at.body, at.p, at.E, axes == RowAxes::link, {x[0], nullptr, nullptr},
                                 w.w());
  if (by_v.values || (by_q.values && map_varies(w)))
    w.kernels->frame_jacobian(w.md(), at.body, at.p, at.E, x[1], 6, w.w());
  const Parts f = {6, x[0], x[1], nullptr};
  return give_derivatives(
      w, options.accumulate, {},
      {by_positions(w, f, 0, "dvelocity_dq", by_q), by_velocities(w, f, 1, "dvelocity_dv", by_v)});
}

Status point_acceleration_derivatives(Workspace& workspace, const DerivativeOptions& options, int link,
                                      const double* point, RowAxes axes, const Derivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_finite(w, "point", point, 3));
  TENON_CHECK(begin_query(w, link, 2));
  double* const(&x)[4] = w.kinematics_derivatives->matrix;
  const PlacedPoint at = place(w, link, point, axes);
  const bool by_q = out.by_q.values, by_v = out.by_v.values || (by_q && map_varies(w)),
             by_a = out.by_third.values || (by_v && map_varies(w));
  w.kernels->point_derivatives(w.md(), at.body, at.p, at.E, axes == RowAxes::link,
                               {nullptr, wanted(by_q, x[0]), wanted(by_v, x[1])}, w.w());
  if (by_a) w.kernels->frame_jacobian(w.md(), at.body, at.p, at.E, x[2], 6, w.w());
  const Parts f = {6, x[0], x[1], x[2]};
  return give_derivatives(w, options.accumulate, {},
                          {by_positions(w, f, 0, "dacceleration_dq", out.by_q),
                           by_velocities(w, f, 1, "dacceleration_dv", out.by_v),
                           by_accelerations(w, f, 2, "dacceleration_da", out.by_third)});
}

Status center_of_mass_derivatives(Workspace& workspace, const DerivativeOptions& options,
                                  double* acceleration, const CenterOfMassDerivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  const bool by_v = out.acceleration_v.values || (out.acceleration_q.values && map_varies(w)),
             rates = acceleration || out.acceleration_q.values || by_v;
  TENON_CHECK(begin_query(w, 0, rates ? 2 : 1));
  double mass, com[3], rate[6];
  TENON_CHECK(find_center_of_mass(w, mass, com));
  const KinematicsDerivativeMemory& d = *w.kinematics_derivatives;
  double* const(&x)[4] = d.matrix;  // of the velocity by q, of the acceleration by q and v, and J
  const bool is_wanted[4] = {out.velocity_q.values != nullptr, out.acceleration_q.values != nullptr, by_v,
                             map_varies(w)};
  w.kernels->centroidal_derivatives(
      w.md(), com,
      {wanted(is_wanted[0], x[0]), wanted(is_wanted[3], x[3]), wanted(is_wanted[1], x[1]),
       wanted(is_wanted[2], x[2]), wanted(rates, rate)},
      d.data, w.w());
  // The linear part of the momentum is mass times the velocity.
  for (int i = 0; i < 4; ++i)
    for (int k = 0; is_wanted[i] && k < w.model->nv; ++k)
      for (int e = 0; e < 3; ++e) x[i][3 * k + e] = x[i][6 * k + 3 + e] / mass;
  for (int e = 0; rates && e < 3; ++e) rate[e] = rate[3 + e] / mass;
  const Parts velocity = {3, x[0], x[3], nullptr}, faster = {3, x[1], x[2], x[3]};
  return give_derivatives(w, options.accumulate, {{rate, 3, acceleration}},
                          {by_positions(w, velocity, 0, "dvelocity_dq", out.velocity_q),
                           by_positions(w, faster, 1, "dacceleration_dq", out.acceleration_q),
                           by_velocities(w, faster, 2, "dacceleration_dv", out.acceleration_v)});
}

Status centroidal_momentum_derivatives(Workspace& workspace, const DerivativeOptions& options, double* rate,
                                       const CentroidalMomentumDerivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  const bool rate_v = out.rate_v.values || (out.rate_q.values && map_varies(w)),
             rates = rate || out.rate_q.values || rate_v;
  TENON_CHECK(begin_query(w, 0, rates ? 2 : 1));
  double mass, com[3], change[6];
  TENON_CHECK(find_center_of_mass(w, mass, com));
  const KinematicsDerivativeMemory& d = *w.kinematics_derivatives;
  double* const(&x)[4] = d.matrix;
  w.kernels->centroidal_derivatives(
      w.md(), com,
      {wanted(out.momentum_q.values, x[0]), wanted(out.momentum_v.values || map_varies(w), x[1]),
       wanted(out.rate_q.values, x[2]), wanted(rate_v, x[3]), wanted(rates, change)},
      d.data, w.w());
  const Parts momentum = {6, x[0], x[1], nullptr}, faster = {6, x[2], x[3], x[1]};
  return give_derivatives(w, options.accumulate, {{change, 6, rate}},
                          {by_positions(w, momentum, 0, "dmomentum_dq", out.momentum_q),
                           by_velocities(w, momentum, 1, "dmomentum_dv", out.momentum_v),
                           by_positions(w, faster, 2, "drate_dq", out.rate_q),
                           by_velocities(w, faster, 3, "drate_dv", out.rate_v)});
}

Status energy_gradients(Workspace& workspace, const DerivativeOptions& options, double* kinetic_q,
                        double* kinetic_v, double* potential_q) {
  WorkspaceImpl& w = begin(workspace);
  const bool kinetic = kinetic_q || kinetic_v;
  TENON_CHECK(begin_query(w, 0, kinetic ? 1 : 0));
  const KinematicsDerivativeMemory& d = *w.kinematics_derivatives;
  double* const(&x)[4] = d.matrix;
  w.kernels->energy_gradients(w.md(), w.kinematics_v.data(), wanted(kinetic_q, x[0]),
                              wanted(kinetic_v || (kinetic_q && map_varies(w)), x[1]),
                              wanted(potential_q, x[2]), d.data, w.w());
  const Parts moving = {1, x[0], x[1], nullptr}, still = {1, x[2], nullptr, nullptr};
  return give_derivatives(w, options.accumulate, {},
                          {by_positions(w, moving, 0, "kinetic_q", {kinetic_q, 1}),
                           by_velocities(w, moving, 1, "kinetic_v", {kinetic_v, 1}),
                           by_positions(w, still, 2, "potential_q", {potential_q, 1})});
}

void place_gravity_columns(WorkspaceImpl& w, const double* q, double* X, int ld) {
  const double* const gravity = w.w().gravity;
  for (int axis = 0; axis < 3; ++axis) {
    double unit[3] = {0, 0, 0}, *force = result_room(w);
    unit[axis] = 1;
    w.w().gravity = unit;
    w.kernels->rnea(w.md(), w.at_rest(q), force, w.w());
    w.w().gravity = gravity;
    std::copy_n(force, w.model->nv, X + std::ptrdiff_t{axis} * ld);
  }
}

Status gravity_force_derivatives(Workspace& workspace, const DerivativeOptions& options, const double* q,
                                 double* g, const DerivativeOut& by_q, const DerivativeOut& by_gravity) {
  WorkspaceImpl& w = begin(workspace);
  double* const(&columns)[4] = w.kinematics_derivatives->matrix;
  const int n = w.coordinates.independent_v ? w.model->ny : w.model->nv;
  if (by_gravity.values) {
    const double* at = q;
    TENON_CHECK(map_in_positions(w, at));
    if (w.coordinates.independent_v) TENON_CHECK(update_loops(w, at, nullptr));
    place_gravity_columns(w, at, columns[0], w.model->nv);
    for (int axis = 0; w.coordinates.independent_v && axis < 3; ++axis) {
      double *force = result_room(w), *column = columns[0] + std::ptrdiff_t{axis} * w.model->nv;
      std::copy_n(column, w.model->nv, force);
      to_independent_force(w, force, column);
    }
  }
  // Nothing is written unless all of it can be.
  const DerivativeBlock of_gravity = {columns[0], n, 3, w.model->nv, "dg_dgravity", by_gravity};
  TENON_CHECK(check_derivatives(w, options.accumulate, {of_gravity}));
  const double* zeros = w.zeros.data();
  TENON_CHECK(inverse_dynamics_derivatives(workspace, options, {q, zeros, nullptr, nullptr, nullptr, zeros},
                                           g, {by_q, {}, {}}));
  return give_derivatives(w, options.accumulate, {}, {of_gravity});
}

}  // namespace tenon
