/* clang-format off */
/* tenon/delassus.h, a part of tenon.h, which is the manual. The Delassus matrix, its damped inverse, and operational
 * space. */
#ifndef TENON_DELASSUS_H
#define TENON_DELASSUS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Delassus matrix and operational space ---------------------------------------------------------------------- */

/* Methods of tenon_delassus. [OSIMR] */
#define TENON_DELASSUS_METHOD_AUTOMATIC 0 /* chosen for the model and the constraint set */
#define TENON_DELASSUS_METHOD_DENSE 1     /* from M and J by Cholesky, the reference. O(n^3 + m^2 n) */
#define TENON_DELASSUS_METHOD_LTL_OSIM 2  /* O(n d^2 + m^2 d + m d^2). [OSIMR] II-A */
#define TENON_DELASSUS_METHOD_KJR 3       /* O(n + m^2 d). [OSIMR] table I */
#define TENON_DELASSUS_METHOD_EFPA 4      /* O(n + m d + m^2). [OSIMR] Alg. 2 */
#define TENON_DELASSUS_METHOD_PV_OSIM 5   /* O(n + m^2 d). [OSIMR] Alg. 1 */
#define TENON_DELASSUS_METHOD_PV_OSIMR 6  /* O(n + m^2). [OSIMR] Alg. 3 */

/* Methods of tenon_delassus_inverse and tenon_delassus_factor. */
#define TENON_DAMPED_METHOD_AUTOMATIC 0    /* chosen for the model and the constraint set */
#define TENON_DAMPED_METHOD_DENSE 1        /* Delassus method DENSE, then Cholesky, the reference */
#define TENON_DAMPED_METHOD_LTL_INVERSE 2  /* Delassus method LTL_OSIM and its inverse, + O(m^3). [CABA] table III */
#define TENON_DAMPED_METHOD_LTL_CHOLESKY 3 /* the same and its factor, + O(m^3) */
#define TENON_DAMPED_METHOD_PV_OSIMR 4     /* Delassus method PV_OSIMR and Cholesky factor, + O(m^3) */
#define TENON_DAMPED_METHOD_PV_OSIMF 5     /* branches of the root apart, + O(sum m_b^3). [CABA] VI, VIII-C */
#define TENON_DAMPED_METHOD_CABA_OSIM 6    /* O(n + m^2). [CABA] Alg. 5 */
#define TENON_DAMPED_METHOD_CABA_OSIMF 7   /* the same, not formed: O(n + m). [CABA] VI-B */

/* With embedded loops, v = G ydot, M^-1 stands for G (G^T M G)^-1 G^T in this section: what forces do to a mechanism
 * that keeps its loops closed at q (bring q there by tenon_close_loops first). Every call that takes q may then return
 * TENON_SINGULAR_CONFIGURATION as well. Wensing et al. ([LOOPS1] VIII) have the method. */

/* How the Delassus matrix is formed. */
typedef struct tenon_delassus_options {
  uint32_t struct_size;
  int32_t method;  /* TENON_DELASSUS_METHOD_*; default TENON_DELASSUS_METHOD_AUTOMATIC */
} tenon_delassus_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_delassus_options_init(tenon_delassus_options *options, size_t size);

/* The Delassus matrix A = J M^-1 J^T of the constraint rows, the inverse of the operational-space inertia Lambda. Row
 * and column r are the constraints' row r. Symmetric to the last bit; rows on the world are zero; compliance is not
 * part of it.
 * options: NULL for the defaults. q: nq. A: m x m, column-major, leading dimension lda >= m, both triangles, written.
 * Units: of row i's velocity over row j's impulse. Allocates: at the first call. Status: as tenon_inverse_dynamics,
 * TENON_NOT_POSITIVE_DEFINITE, TENON_SINGULAR_CONFIGURATION, TENON_UNSUPPORTED (a method that this version lacks, or
 * rows between two moving links by any but TENON_DELASSUS_METHOD_AUTOMATIC, _LTL_OSIM, which it takes, and _DENSE).
 * Cost: of the method, see TENON_DELASSUS_METHOD_*. */
TENON_API tenon_status tenon_delassus(tenon_workspace *workspace, const tenon_delassus_options *options,
                                      const double *q, size_t q_count, double *A, size_t A_count, int32_t lda);

/* How the damped inverse of the Delassus matrix is formed. */
typedef struct tenon_damped_options {
  uint32_t struct_size;
  int32_t method;        /* TENON_DAMPED_METHOD_*; default TENON_DAMPED_METHOD_AUTOMATIC */
  double mu;             /* of every row; 0: Tenon's choice, scaled to the robot. Default 0 */
  const double *row_mu;  /* instead, for each row a number as mu; NULL: mu. Default NULL */
  size_t row_mu_count;   /* m */
} tenon_damped_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_damped_options_init(tenon_damped_options *options, size_t size);

/* The damped inverse (A + R + 1 / mu)^-1 of the Delassus matrix, R the compliance of the rows, as proximal solvers and
 * regularised operational-space control use it; rows that depend on each other are an ordinary case. [CABA] VI. A large
 * mu comes close to the inverse where there is one; where rows depend on each other the result grows with mu. (A + R +
 * 1 / mu) times it is the identity to (rounding) * mu * (diagonal of A): ten times the mu, a digit less. Tenon's
 * choice, 1e5 over the typical diagonal of A for each row, keeps eight digits and more, unless the mass matrix itself
 * is so badly conditioned that fewer are right. TENON_DAMPED_METHOD_CABA_OSIM and _OSIMF leave configurations in which
 * rows on different links depend on each other to TENON_DAMPED_METHOD_PV_OSIMR, because they would lose the square of
 * that factor; and to it constraints on several bodies of one cluster of embedded loops, or on what hangs on several of
 * them. They and TENON_DAMPED_METHOD_PV_OSIMF leave to it any mu above 1e10 over the typical diagonal of A too.
 * options: NULL for the defaults. q: nq. inverse: m x m, column-major, leading dimension ld >= m, both triangles,
 * written. Allocates: at the first call. Status: as tenon_delassus; TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE and
 * TENON_NOT_FINITE also for mu. Rows between two moving links by TENON_DAMPED_METHOD_AUTOMATIC, _LTL_CHOLESKY, which it
 * takes, _LTL_INVERSE and _DENSE. Cost: of the method, see TENON_DAMPED_METHOD_*. */
TENON_API tenon_status tenon_delassus_inverse(tenon_workspace *workspace, const tenon_damped_options *options,
                                              const double *q, size_t q_count, double *inverse, size_t inverse_count,
                                              int32_t ld);

/* The same in two steps for those who need products only: prepares the damped inverse and keeps it until the next call
 * of this function or of tenon_delassus_inverse. options: NULL for the defaults. q: nq. Allocates: at the first call.
 * Status: as tenon_delassus_inverse. Cost: of the method. */
TENON_API tenon_status tenon_delassus_factor(tenon_workspace *workspace, const tenon_damped_options *options,
                                             const double *q, size_t q_count);
/* The second step, X = (A + R + 1 / mu)^-1 B.
 * B: m x columns, leading dimension ldb >= m. X: m x columns, leading dimension ldx >= m, written. X may be B itself,
 * with the same leading dimension. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: nothing prepared), TENON_WRONG_SIZE,
 * TENON_NOT_FINITE. Cost: O(m^2) a column, with TENON_DAMPED_METHOD_CABA_OSIMF O(m). */
TENON_API tenon_status tenon_delassus_solve(tenon_workspace *workspace, int32_t columns, const double *B,
                                            size_t B_count, int32_t ldb, double *X, size_t X_count, int32_t ldx);

/* What operational-space control takes (Khatib, 1987), all at once:
 *
 *     Lambda = (J M^-1 J^T)^-1       m x m    operational-space inertia
 *     J_bar  = M^-1 J^T Lambda       nv x m   dynamically consistent inverse of J
 *     N      = 1 - J_bar J           nv x nv  accelerations (and velocities) that the rows do not see: J N = 0
 *
 * Where rows depend on each other, or are on the world, Lambda is the pseudo-inverse and TENON_RANK_DEFICIENT says so;
 * J J_bar J = J, J_bar J J_bar = J_bar and J N = 0 hold all the same. Embedded loops in spanning coordinates: M^-1
 * stands for G (G^T M G)^-1 G^T, and N = (1 - J_bar J) G E, where E picks the independent coordinates of all (G E alone
 * without rows): J N = 0, N N = N, and J J_bar J = J on motions that keep the loops closed.
 * q: nq. Lambda: m x m, leading dimension ldl >= m, written; or NULL. J_bar: nv x m, leading dimension ldj >= nv,
 * written; or NULL. N: nv x nv, leading dimension ldn >= nv, written; or NULL. All are column-major. *rank: of the
 * rows; may be NULL. Allocates: at the first call. Status: TENON_OK, TENON_RANK_DEFICIENT, or as tenon_delassus;
 * TENON_UNSUPPORTED for rows between two moving links. Cost: O(m n + m^3), and O(m^2 n) for J_bar, O(m n^2) for N. */
TENON_API tenon_status tenon_operational_space(
    tenon_workspace *workspace, const double *q, size_t q_count, double *Lambda, size_t Lambda_count, int32_t ldl,
    double *J_bar, size_t J_bar_count, int32_t ldj, double *N, size_t N_count, int32_t ldn, int32_t *rank);

/* X = M(q)^-1 B without forming or factoring M, by the articulated-body recursion ([RBDA] table 7.1): cheaper than
 * tenon_mass_matrix_factor and tenon_mass_matrix_solve for few columns.
 * q: nq. B: nv x columns, leading dimension ldb >= nv. X: nv x columns, leading dimension ldx >= nv, written. X may be
 * B itself, with the same leading dimension. Allocates: at the first call. Status: as tenon_inverse_dynamics, and
 * TENON_NOT_POSITIVE_DEFINITE, TENON_SINGULAR_CONFIGURATION. Cost: O(n) a column. */
TENON_API tenon_status tenon_mass_matrix_inverse_times(tenon_workspace *workspace, const double *q, size_t q_count,
                                                int32_t columns, const double *B, size_t B_count, int32_t ldb,
                                                double *X, size_t X_count, int32_t ldx);

#ifdef __cplusplus
}
#endif

#endif /* TENON_DELASSUS_H */
