// The dynamics calls of the C++ core. Arrays are plain pointers whose sizes follow from the model (nq, nv,
// rows): callers (the C ABI) have checked counts; values (finite, unit quaternions) are checked here.
// Coordinates are those of the spanning tree, or independent ones, as set_coordinates (loops.hpp) says.
// Negative status: nothing was written and workspace.message() says why.
//
// Wrenches of external forces: 6 numbers a link, [moment about the link origin; force], link axes, for all
// model.links in order; null for none. Matrices are column-major with leading dimension ld.
#pragma once

#include <cstdint>

#include "tenon/inputs.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// Computes poses; with v velocities too, with a accelerations too (v, a may be null). The queries below read
// them.
Status kinematics(Workspace& w, const double* q, const double* v, const double* a);
// Queries after kinematics(). Status::invalid_argument where it did not compute what they need.
Status link_pose(Workspace& w, int link, double* position3, double* quaternion_xyzw,
                 double* rotation9_col_major);
Status link_velocity(Workspace& w, int link, RowAxes axes, double* out6);
Status link_acceleration(Workspace& w, int link, RowAxes axes, double* out6);   // [angular; classical linear]
Status link_jacobian(Workspace& w, int link, RowAxes axes, double* J, int ld);  // 6 x nv
// Of a point in link axes (null: the link's origin): rows [angular; linear velocity of the point].
Status point_jacobian(Workspace& w, int link, const double* point3, RowAxes axes, double* J, int ld);
// Accelerations at qdd = 0, without gravity, of a point and of the origin of a link: [angular; classical
// linear].
Status point_bias_acceleration(Workspace& w, int link, const double* point3, RowAxes axes, double* out6);
Status link_bias_acceleration(Workspace& w, int link, RowAxes axes, double* out6);
Status center_of_mass(Workspace& w, double* position3, double* velocity3, double* jacobian_3xnv, int ld);
Status centroidal_momentum(Workspace& w, double* out6);  // [about the centre of mass; linear], world axes
// A (6 x nv) with momentum = A v, and Adot v.
Status centroidal_momentum_matrix(Workspace& w, double* A, int ld);
Status centroidal_momentum_bias(Workspace& w, double* out6);
Status energy(Workspace& w, double* kinetic, double* potential);

// From in.q, v, qdd and wrenches.
Status inverse_dynamics(Workspace& w, const Inputs<double>& in, double* tau);
Status bias_force(Workspace& w, const double* q, const double* v, const double* wrenches, double* c);
Status gravity_force(Workspace& w, const double* q, double* g);  // bias_force at rest, without wrenches
// C with C v = bias_force - gravity_force and dM/dt = C + C^T: Christoffel symbols times v.
Status coriolis_matrix(Workspace& w, const double* q, const double* v, double* C, int ld);
Status mass_matrix(Workspace& w, const double* q, double* M, int ld);
// Its lower triangle row by row, or that of L with M = L^T L, then the rest of nv x nv numbers of memory.
Status mass_matrix_triangle(Workspace& w, const double* q, bool factor, double* M);
// M = L^T L, as sparse as the tree; kept in the workspace for the next two calls. With embedded loops G^T M G
// is factored, and M^-1 stands for G (G^T M G)^-1 G^T.
Status factor_mass_matrix(Workspace& w, const double* q);
Status solve_mass_matrix(Workspace& w, const double* B, int ldb, int count, double* X,
                         int ldx);  // X = M^-1 B
Status multiply_mass_matrix(Workspace& w, const double* B, int ldb, int count, double* X,
                            int ldx);  // X = M B
// From in.q, v, tau and wrenches.
Status forward_dynamics(Workspace& w, const Inputs<double>& in, double* qdd);

// With in.desired too. lambda: rows; read when options.warm_start, written when not null.
Status constrained_dynamics(Workspace& w, const SolveOptions& options, const Inputs<double>& in, double* qdd,
                            double* lambda);
// Constraint rows of the workspace's set: J (rows x nv), the right-hand side of J qdd = rhs (with desired
// accelerations and stabilisation), position error and velocity of each row. Any output may be null.
Status constraint_rows(Workspace& w, const double* q, const double* v, const double* desired, double* J,
                       int ld, double* rhs, double* position_error, double* row_velocity);
// Settings of the workspace's constraints, changed without allocation. The rows of an inactive constraint are
// zero, and so are their multipliers. Loops that are closed by rows are always active. Weights and
// compliance: one number for each row in the user's order; null: the defaults, 1 and 0.
struct ConstraintSettings {
  bool active = true;
  double frequency = 0, damping_ratio = 1;
};
Status set_constraint_active(Workspace& w, int constraint, bool active);
Status set_constraint_gains(Workspace& w, int constraint, double frequency, double damping_ratio);
Status set_constraint_weights(Workspace& w, int constraint, const double* weights);
Status set_constraint_compliance(Workspace& w, int constraint, const double* compliance);
// Reads the current settings. weights and compliance are outputs and may be null.
Status constraint_settings(Workspace& w, int constraint, ConstraintSettings& settings, double* weights,
                           double* compliance);
// Anchors of all constraints := poses of their frames at q.
Status anchor_here(Workspace& w, const double* q);
// Moves q until closures are closed and stabilised constraints are at their anchors, to `tolerance` (m, rad);
// other rows do not move to first order. Embedded loops stay closed. The report has the number of steps and
// the largest error left. max_iterations, or infeasible where no q nearby has a smaller error: q is then the
// best one found.
Status project_positions(Workspace& w, double tolerance, int max_iterations, double* q);
// v := the nearest velocity, in the metric of the mass matrix, with J v = 0. infeasible: J v is as small as
// can be.
Status project_velocities(Workspace& w, const double* q, double* v);

// v after an impact on the rows: M (v+ - v) = J^T impulse, J v+ = - restitution J v; restitution 0 is the
// projection. restitution: `count` numbers, one for all rows or one a row; null: 0. impulse (rows) may be
// null.
Status impact(Workspace& w, const double* restitution, int count, const double* q, double* v,
              double* impulse);
// tau = inverse_dynamics - J^T lambda. lambda: rows, or null for zero.
Status constrained_inverse_dynamics(Workspace& w, const double* q, const double* v, const double* a,
                                    const double* wrenches, const double* lambda, double* tau);
// lambda (rows; may be null) and tau with inverse_dynamics = tau + J^T lambda and tau = 0 at coordinates
// without a motor. actuated: 1 or 0 for each velocity coordinate; null: all have motors but those of a
// floating base. lambda has the least sum of lambda^2 / weight. infeasible: the equation holds as nearly as
// possible. unsupported: compliance, and loops in spanning coordinates.
Status underactuated_inverse_dynamics(Workspace& w, const std::int32_t* actuated, const double* q,
                                      const double* v, const double* a, const double* wrenches,
                                      double* lambda, double* tau);

// Configuration space. next may alias q.
Status integrate(Workspace& w, const double* q, const double* v, double dt, double* next);
Status difference(Workspace& w, const double* q0, const double* q1, double* v);  // integrate(q0, v, 1) = q1
void neutral(const Model& model, double* q);
void random_configuration(const Model& model, std::uint64_t seed,
                          double* q);  // within limits; where they are infinite, +-pi or +-1
// In the coordinates of the workspace. The loops can be closed at random independent positions.
void neutral(Workspace& w, double* q);
void random_configuration(Workspace& w, std::uint64_t seed, double* q);
Status normalize(Workspace& w, double* q);

// One step of the constrained system: semi-implicit Euler (v += dt qdd(q, v); q = integrate(q, v, dt)), and
// Runge-Kutta of order four for every joint (Munthe-Kaas 1999). Updates q and v; writes qdd and lambda of the
// first stage when not null.
Status step_semi_implicit_euler(Workspace& w, const SolveOptions& options, double dt, double* q, double* v,
                                const double* tau, const double* wrenches, double* qdd, double* lambda);
Status step_runge_kutta_4(Workspace& w, const SolveOptions& options, double dt, double* q, double* v,
                          const double* tau, const double* wrenches, double* qdd, double* lambda);

}  // namespace tenon
