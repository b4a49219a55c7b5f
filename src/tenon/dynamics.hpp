// The dynamics calls of the C++ core: the functions tenon_... of include/tenon.h, under their names, but
// bias_force is tenon_bias, random_configuration tenon_random, mass_matrix_triangle of
// tenon_batch_mass_matrix_lower and _factor, and set_constraint_... are tenon_workspace_set_... Arrays are plain
// pointers whose sizes follow from the model (nq, nv, rows): the C ABI has checked counts; values (finite, unit
// quaternions) are checked here. Negative status: nothing was written and workspace.message() says why.
//
// wrenches: null for none. Matrices are column-major with leading dimension ld.
#pragma once

#include <cstdint>

#include "data/centroidal_numbers.hpp"
#include "data/inputs.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// v, a may be null. The queries below read what it computes; invalid_argument where it did not compute what they need.
Status kinematics(Workspace& w, const double* q, const double* v, const double* a);
Status link_pose(Workspace& w, int link, double* position3, double* quaternion_xyzw,
                 double* rotation9_col_major);
Status link_velocity(Workspace& w, int link, RowAxes axes, double* out6);
Status link_acceleration(Workspace& w, int link, RowAxes axes, double* out6);
Status link_jacobian(Workspace& w, int link, RowAxes axes, double* J, int ld);
// point3 null: the link's origin.
Status point_jacobian(Workspace& w, int link, const double* point3, RowAxes axes, double* J, int ld);
Status point_bias_acceleration(Workspace& w, int link, const double* point3, RowAxes axes, double* out6);
Status link_bias_acceleration(Workspace& w, int link, RowAxes axes, double* out6);
Status center_of_mass(Workspace& w, double* position3, double* velocity3, double* jacobian_3xnv, int ld);
Status centroidal_momentum(Workspace& w, double* out6);
Status centroidal_momentum_matrix(Workspace& w, double* A, int ld);
Status centroidal_momentum_bias(Workspace& w, double* out6);
Status energy(Workspace& w, double* kinetic, double* potential);
// All of these without matrices: the parts that are asked for, of centroidal_count numbers (data/centroidal_numbers.hpp).
Status centroidal_state(Workspace& w, const CentroidalParts& parts, double* numbers);

// From in.q, v, qdd and wrenches.
Status inverse_dynamics(Workspace& w, const Inputs<double>& in, double* tau);
Status bias_force(Workspace& w, const double* q, const double* v, const double* wrenches, double* c);
Status gravity_force(Workspace& w, const double* q, double* g);
Status coriolis_matrix(Workspace& w, const double* q, const double* v, double* C, int ld);
Status mass_matrix(Workspace& w, const double* q, double* M, int ld);
// Its lower triangle row by row, or that of L with M = L^T L, then the rest of nv x nv numbers of memory.
Status mass_matrix_triangle(Workspace& w, const double* q, bool factor, double* M);
// M = L^T L, as sparse as the tree; kept in the workspace for the next two calls.
Status factor_mass_matrix(Workspace& w, const double* q);
Status solve_mass_matrix(Workspace& w, const double* B, int ldb, int count, double* X, int ldx);
Status multiply_mass_matrix(Workspace& w, const double* B, int ldb, int count, double* X, int ldx);
// From in.q, v, tau and wrenches.
Status forward_dynamics(Workspace& w, const Inputs<double>& in, double* qdd);

// With in.desired too. lambda: rows; read when options.warm_start, written when not null.
Status constrained_dynamics(Workspace& w, const SolveOptions& options, const Inputs<double>& in, double* qdd,
                            double* lambda);
// Any output may be null.
Status constraint_rows(Workspace& w, const double* q, const double* v, const double* desired, double* J,
                       int ld, double* rhs, double* position_error, double* row_velocity);
// Settings of the workspace's constraints, changed without allocation. Loops that are closed by rows are always active.
// Weights and compliance null: the defaults.
struct ConstraintSettings {
  bool active = true;
  double frequency = 0, damping_ratio = 1;
};
Status set_constraint_active(Workspace& w, int constraint, bool active);
Status set_constraint_gains(Workspace& w, int constraint, double frequency, double damping_ratio);
// The constrained frame in its link. Not of closures and custom rows.
Status set_constraint_frame(Workspace& w, int constraint, const Pose& frame);
Status constraint_frame(Workspace& w, int constraint, Pose& frame);
Status set_constraint_weights(Workspace& w, int constraint, const double* weights);
Status set_constraint_compliance(Workspace& w, int constraint, const double* compliance);
// Reads the current settings. weights and compliance are outputs and may be null.
Status constraint_settings(Workspace& w, int constraint, ConstraintSettings& settings, double* weights,
                           double* compliance);
// All at once, in the order of the set; null: as it was. Where a number is wrong nothing changes. anchors, frames: 7
// numbers each, x y z and the quaternion x y z w; those of closures, and frames of custom rows, are not read.
struct ConstraintArrays {
  const std::int32_t* active;
  const double *frequencies, *damping_ratios, *anchors, *frames, *weights, *compliance;
};
Status set_constraints(Workspace& w, const ConstraintArrays& given);
Status anchor_here(Workspace& w, const double* q);

// Settings of the robot: the inertia of a link in place of the model's (not of an extra frame), what a link or frame
// carries besides (a mass of 0 without inertia: nothing), and numbers of all velocity coordinates (null: as it was). The
// first call allocates.
Status set_link_inertia(Workspace& w, int link, const LinkInertia& inertia);
Status set_payload(Workspace& w, int link, const LinkInertia& payload);
Status set_joint_parameters(Workspace& w, const double* armatures, const double* damping,
                            const double* friction);
// As set, or those of the model.
LinkInertia link_inertia(const Workspace& w, int link);
LinkInertia payload(const Workspace& w, int link);
void joint_parameters(const Workspace& w, double* armatures, double* damping, double* friction);
// The report has the number of steps and the largest error left.
Status project_positions(Workspace& w, double tolerance, int max_iterations, double* q);
Status project_velocities(Workspace& w, const double* q, double* v);
// restitution: `count` numbers, one for all rows or one a row; null: 0. impulse may be null.
Status impact(Workspace& w, const double* restitution, int count, const double* q, double* v,
              double* impulse);
// lambda null: zero.
Status constrained_inverse_dynamics(Workspace& w, const double* q, const double* v, const double* a,
                                    const double* wrenches, const double* lambda, double* tau);
// actuated null: all coordinates have motors but those of a floating base. lambda may be null.
Status underactuated_inverse_dynamics(Workspace& w, const std::int32_t* actuated, const double* q,
                                      const double* v, const double* a, const double* wrenches,
                                      double* lambda, double* tau);

// Configuration space. next may alias q.
Status integrate(Workspace& w, const double* q, const double* v, double dt, double* next);
Status difference(Workspace& w, const double* q0, const double* q1, double* v);  // integrate(q0, v, 1) = q1
void neutral(const Model& model, double* q);
void random_configuration(const Model& model, std::uint64_t seed, double* q);
// In the coordinates of the workspace.
void neutral(Workspace& w, double* q);
void random_configuration(Workspace& w, std::uint64_t seed, double* q);
Status normalize(Workspace& w, double* q);

// Runge-Kutta is of order four for every joint (Munthe-Kaas 1999). qdd and lambda of the first stage may be null.
enum class Integrator { semi_implicit_euler, runge_kutta_4 };
Status step_in_time(Workspace& w, Integrator integrator, const SolveOptions& options, double dt, double* q,
                    double* v, const double* tau, const double* wrenches, double* qdd, double* lambda);
inline Status step_semi_implicit_euler(Workspace& w, const SolveOptions& options, double dt, double* q,
                                       double* v, const double* tau, const double* wrenches, double* qdd,
                                       double* lambda) {
  return step_in_time(w, Integrator::semi_implicit_euler, options, dt, q, v, tau, wrenches, qdd, lambda);
}
inline Status step_runge_kutta_4(Workspace& w, const SolveOptions& options, double dt, double* q, double* v,
                                 const double* tau, const double* wrenches, double* qdd, double* lambda) {
  return step_in_time(w, Integrator::runge_kutta_4, options, dt, q, v, tau, wrenches, qdd, lambda);
}

}  // namespace tenon
