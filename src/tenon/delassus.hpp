// The Delassus matrix J M^-1 J^T (inverse operational-space inertia, Lambda^-1) of the constraint rows of a workspace,
// its damped inverse (Lambda^-1 + E)^-1 with a positive diagonal E, and products with M^-1: tenon_delassus,
// tenon_delassus_inverse, _factor, _apply, tenon_mass_matrix_inverse_times. Rows and columns are in the user's order,
// column-major with a leading dimension, both triangles, exactly symmetric.
//
// With embedded loops, methods that sweep over articulated inertias cross clusters (kernels/cluster/cluster_rows.hpp)
// and leave out rotors that fold into their carriers; ltl_osim and dense work in independent coordinates.
// The methods: tenon/methods.hpp.
#pragma once

#include "tenon/workspace.hpp"

namespace tenon {

Status delassus_matrix(Workspace& w, DelassusMethod method, const double* q, double* out, int ld);

// What is added to the diagonal before inverting: E = R + 1 / mu for each row, R the compliance of the row. What mu costs:
// tenon_delassus_inverse. The default is the largest mu at which all methods keep eight digits in random scenes of every
// kind (bench/studies/damped_inverse_error). `automatic` takes pv_osimr at once in the usual case in which caba_osim and
// caba_osimf turn to it: a link has more rows than there are joints between it and the next link further inward that has
// constraints on more than one side.
struct Damping {
  Damping() = default;
  Damping(double mu_, const double* mu_of_row_ = nullptr) : mu(mu_), mu_of_row(mu_of_row_) {}

  double mu = 0;  // of every row; 0: default_relative_mu divided by the row's typical Delassus diagonal
  const double* mu_of_row = nullptr;  // replaces mu: one for each row, in the user's order; 0 as above
};
inline constexpr double default_relative_mu = 1e5;

Status damped_delassus_inverse(Workspace& w, DampedInverseMethod method, const double* q,
                               const Damping& damping, double* out, int ld);
// Keeps in the workspace what apply_damped_delassus_inverse needs.
Status factor_damped_delassus(Workspace& w, DampedInverseMethod method, const double* q,
                              const Damping& damping);
// After factor_damped_delassus.
Status apply_damped_delassus_inverse(Workspace& w, const double* B, int ldb, int count, double* X, int ldx);

// Without forming or factoring M: O(n) each.
Status inverse_mass_times(Workspace& w, const double* q, const double* B, int ldb, int count, double* X,
                          int ldx);

// tenon_operational_space; null: not wanted.
struct OperationalSpace {
  double* Lambda = nullptr;
  int ld_Lambda = 0;
  double* J_bar = nullptr;
  int ld_J_bar = 0;
  double* N = nullptr;
  int ld_N = 0;
};
// rank: that of the rows, may be null.
Status operational_space(Workspace& w, const double* q, const OperationalSpace& out, int* rank = nullptr);

}  // namespace tenon
