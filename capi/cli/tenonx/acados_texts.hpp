// The C texts of acados.cpp. @ stands for the name of the function, and $ for what differs between algorithms.
#pragma once

namespace client::acados_texts {

constexpr const char* includes =
    "\n#include \"blasfeo_d_aux.h\"\n#include \"acados/utils/external_function_generic.h\"\n";

constexpr const char* basics = R"(
/* By a name that no argument below has. */
static void (*const @_dynamics)($) = @;

/* Which number of u is the force along each velocity coordinate; -1: none. */
static const int @_motor[] = {$};

/* The numbers of a blasfeo_dvec_args. */
static double *@_numbers(void *argument) {
  const struct blasfeo_dvec_args *x = (const struct blasfeo_dvec_args *)argument;
  return &BLASFEO_DVECEL(x->x, x->xi);
}

static void @_forces(const double *u, double *tau) {
  int i;
  for (i = 0; i < @_nv; ++i) tau[i] = @_motor[i] < 0 ? 0.0 : u[@_motor[i]];
}

/* Adds scale times a sparse matrix, or its transpose, to A from row ai and column aj on. to: where its columns go, -1:
 * nowhere; 0: all in their order. */
static void @_add(const casadi_int *sparsity, const double *entries, double scale, int transposed, const int *to,
                  struct blasfeo_dmat *A, int ai, int aj) {
  const casadi_int columns = sparsity[1], *first = sparsity + 2, *row = first + columns + 1;
  casadi_int j, k;
  for (j = 0; j < columns; ++j) {
    const int column = to ? to[j] : (int)j;
    if (column < 0) continue;
    for (k = first[j]; k < first[j + 1]; ++k) {
      const int r = ai + (transposed ? column : (int)row[k]), c = aj + (transposed ? (int)row[k] : column);
      BLASFEO_DMATEL(A, r, c) += scale * entries[k];
    }
  }
}

)";

constexpr const char* of_forward_dynamics =
    R"(static void @_residual(const double *x, const double *xdot, const double *u, double *f) {
  double tau[@_nv]$;
  int i;
  @_forces(u, tau);
  @_rate(x, x + @_nq, f);
  @_dynamics(x, x + @_nq, tau, $);
  for (i = 0; i < @_nx; ++i) f[i] = xdot[i] - f[i];
}

static void @_derivatives(const double *x, const double *xdot, const double *u, struct blasfeo_dmat *by_x,
                          struct blasfeo_dmat *by_xdot, struct blasfeo_dmat *by_u) {
  double tau[@_nv], $;
  int i;
  (void)xdot;
  @_forces(u, tau);
  @_rate_derivatives(x, by_x);
  @_jac(x, x + @_nq, tau, $);
  @_add(@_jac_sparsity(0), $, -1.0, 0, 0, by_x, @_nq, 0);
  @_add(@_jac_sparsity(1), $, -1.0, 0, 0, by_x, @_nq, @_nq);
  blasfeo_dgese(@_nx, @_nx, 0.0, by_xdot, 0, 0);
  for (i = 0; i < @_nx; ++i) BLASFEO_DMATEL(by_xdot, i, i) = 1.0;
  if (!by_u) return;
  blasfeo_dgese(@_nx, @_nu, 0.0, by_u, 0, 0);
  @_add(@_jac_sparsity(2), $, -1.0, 0, @_motor, by_u, @_nq, 0);
}
)";

constexpr const char* of_inverse_dynamics =
    R"(static void @_residual(const double *x, const double *xdot, const double *u, double *f) {
  double tau[@_nv];
  int i;
  @_forces(u, tau);
  @_rate(x, x + @_nq, f);
  for (i = 0; i < @_nq; ++i) f[i] = xdot[i] - f[i];
  @_dynamics(x, x + @_nq, xdot + @_nq, f + @_nq);
  for (i = 0; i < @_nv; ++i) f[@_nq + i] -= tau[i];
}

static void @_derivatives(const double *x, const double *xdot, const double *u, struct blasfeo_dmat *by_x,
                          struct blasfeo_dmat *by_xdot, struct blasfeo_dmat *by_u) {
  double $;
  int i;
  (void)u;
  @_rate_derivatives(x, by_x);
  @_jac(x, x + @_nq, xdot + @_nq, $);
  @_add(@_jac_sparsity(0), $, 1.0, 0, 0, by_x, @_nq, 0);
  @_add(@_jac_sparsity(1), $, 1.0, 0, 0, by_x, @_nq, @_nq);
  blasfeo_dgese(@_nx, @_nx, 0.0, by_xdot, 0, 0);
  for (i = 0; i < @_nq; ++i) BLASFEO_DMATEL(by_xdot, i, i) = 1.0;
  @_add(@_jac_sparsity(2), $, 1.0, 0, 0, by_xdot, @_nq, @_nq);
  if (!by_u) return;
  blasfeo_dgese(@_nx, @_nu, 0.0, by_u, 0, 0);
  for (i = 0; i < @_nv; ++i)
    if (@_motor[i] >= 0) BLASFEO_DMATEL(by_u, @_nq + i, @_motor[i]) = -1.0;
}
)";

constexpr const char* rate_derivatives =
    R"(static void @_rate_derivatives(const double *x, struct blasfeo_dmat *by_x) {
  double $;
  @_rate_jac(x, x + @_nq, $);
  blasfeo_dgese(@_nx, @_nx, 0.0, by_x, 0, 0);
  @_add(@_rate_jac_sparsity(0), $, -1.0, 0, 0, by_x, 0, 0);
  @_add(@_rate_jac_sparsity(1), $, -1.0, 0, 0, by_x, 0, @_nq);
}

)";

// in: x (dvec), xdot (dvec_args), u (numbers), z and what follows, which is not read.
constexpr const char* implicit = R"(
int @_impl_dae_fun(void **in, void **out, void *params);
int @_impl_dae_fun(void **in, void **out, void *params) {
  (void)params;
  @_residual(&BLASFEO_DVECEL((struct blasfeo_dvec *)in[0], 0), @_numbers(in[1]), (const double *)in[2],
             @_numbers(out[0]));
  return 0;
}

int @_impl_dae_fun_jac(void **in, void **out, void *params);
int @_impl_dae_fun_jac(void **in, void **out, void *params) {
  @_derivatives(&BLASFEO_DVECEL((struct blasfeo_dvec *)in[0], 0), @_numbers(in[1]), (const double *)in[2],
                (struct blasfeo_dmat *)out[1], (struct blasfeo_dmat *)out[2], 0);
  return @_impl_dae_fun(in, out, params);
}

int @_impl_dae_jac(void **in, void **out, void *params);
int @_impl_dae_jac(void **in, void **out, void *params) {
  (void)params;
  @_derivatives(&BLASFEO_DVECEL((struct blasfeo_dvec *)in[0], 0), @_numbers(in[1]), (const double *)in[2],
                (struct blasfeo_dmat *)out[0], (struct blasfeo_dmat *)out[1], (struct blasfeo_dmat *)out[2]);
  return 0;
}
)";

// in: x and u (dvec_args). out: x' (dvec_args) and the transposed Jacobian [by u; by x] (dmat_args).
constexpr const char* discrete = R"(
/* Seconds of a step. */
static const double @_step = $;

int @_disc_dyn_fun(void **in, void **out, void *params);
int @_disc_dyn_fun(void **in, void **out, void *params) {
  const double *x = @_numbers(in[0]);
  double *next = @_numbers(out[0]), tau[@_nv]$;
  int i;
  (void)params;
  @_forces(@_numbers(in[1]), tau);
  @_dynamics(x, x + @_nq, tau, $);
  for (i = 0; i < @_nv; ++i) next[@_nq + i] = x[@_nq + i] + @_step * next[@_nq + i];
  for (i = 0; i < @_nq; ++i) next[i] = x[i] + @_step * next[@_nq + i];
  return 0;
}

int @_disc_dyn_fun_jac(void **in, void **out, void *params);
int @_disc_dyn_fun_jac(void **in, void **out, void *params) {
  const double *x = @_numbers(in[0]), h = @_step;
  const struct blasfeo_dmat_args *result = (const struct blasfeo_dmat_args *)out[1];
  struct blasfeo_dmat *A = result->A;
  const int by_u = result->ai, by_q = by_u + @_nu, by_v = by_q + @_nq, of_q = result->aj, of_v = of_q + @_nq;
  double tau[@_nv], $;
  int i;
  @_forces(@_numbers(in[1]), tau);
  @_jac(x, x + @_nq, tau, $);
  blasfeo_dgese(@_nu + @_nx, @_nx, 0.0, A, by_u, of_q);
  for (i = 0; i < @_nq; ++i) {
    BLASFEO_DMATEL(A, by_q + i, of_q + i) = 1.0;
    BLASFEO_DMATEL(A, by_v + i, of_q + i) = h;
    BLASFEO_DMATEL(A, by_v + i, of_v + i) = 1.0;
  }
  for (i = 0; i < 2; ++i) {
    const int of = i == 0 ? of_q : of_v;
    const double scale = i == 0 ? h * h : h;
    @_add(@_jac_sparsity(0), $, scale, 1, 0, A, by_q, of);
    @_add(@_jac_sparsity(1), $, scale, 1, 0, A, by_v, of);
    @_add(@_jac_sparsity(2), $, scale, 1, @_motor, A, by_u, of);
  }
  return @_disc_dyn_fun(in, out, params);
}
)";

constexpr const char* add_second = R"(
/* Adds a sparse matrix whose rows and columns go where the lists say, -1: nowhere. */
static void @_add_second(const casadi_int *sparsity, const double *entries, const int *rows, const int *columns,
                         struct blasfeo_dmat *A, int ai, int aj) {
  const casadi_int *first = sparsity + 2, *row = first + sparsity[1] + 1;
  casadi_int j, k;
  for (j = 0; j < sparsity[1]; ++j)
    for (k = first[j]; k < first[j + 1]; ++k) {
      const int r = rows[row[k]], c = columns[j];
      if (r >= 0 && c >= 0) BLASFEO_DMATEL(A, ai + r, aj + c) += entries[k];
    }
}
)";

constexpr const char* add_hessian = R"(
/* Adds the second derivatives of weights . results, whose rows and columns stand in A where the lists say. */
static void $_add_hessian(const double *x, $const double *weights, const int *to_q, const int *to_v,
                          $struct blasfeo_dmat *A, int ai, int aj) {
  double $;
  $_adj_jac(x, x + @_nq, $, $);
$}
)";

// in: those of implicit, multipliers (dvec_args). out: the Hessian by x, xdot and u (dmat).
constexpr const char* implicit_hessian = R"(
int @_impl_dae_hess(void **in, void **out, void *params);
int @_impl_dae_hess(void **in, void **out, void *params) {
  const double *x = &BLASFEO_DVECEL((struct blasfeo_dvec *)in[0], 0), *multipliers = @_numbers(in[4]);
  struct blasfeo_dmat *A = (struct blasfeo_dmat *)out[0];
  double $weights[@_nq];
  int to_q[@_nq], to_v[@_nv], to_last[@_nv], i;
  (void)params;
  for (i = 0; i < @_nq; ++i) to_q[i] = i;
  for (i = 0; i < @_nv; ++i) to_v[i] = @_nq + i;
  for (i = 0; i < @_nv; ++i) to_last[i] = $;
  blasfeo_dgese(2 * @_nx + @_nu, 2 * @_nx + @_nu, 0.0, A, 0, 0);
$$  @_add_hessian(x, $, weights, to_q, to_v, to_last, A, 0, 0);
  return 0;
}
)";

constexpr const char* of_forces = R"(  @_forces((const double *)in[2], tau);
  for (i = 0; i < @_nv; ++i) weights[i] = -multipliers[@_nq + i];
)";

constexpr const char* of_accelerations = R"(  for (i = 0; i < @_nv; ++i) weights[i] = multipliers[@_nq + i];
)";

constexpr const char* of_rates = R"(  for (i = 0; i < @_nq; ++i) weights[i] = -multipliers[i];
  @_rate_add_hessian(x, weights, to_q, to_v, A, 0, 0);
)";

// in: those of discrete, multipliers (dvec_args). out: also the Hessian by [u; x] (dmat_args).
constexpr const char* discrete_hessian = R"(
int @_disc_dyn_fun_jac_hess(void **in, void **out, void *params);
int @_disc_dyn_fun_jac_hess(void **in, void **out, void *params) {
  const double *x = @_numbers(in[0]), *multipliers = @_numbers(in[2]), h = @_step;
  const struct blasfeo_dmat_args *result = (const struct blasfeo_dmat_args *)out[2];
  double tau[@_nv], weights[@_nv];
  int to_q[@_nq], to_v[@_nv], i;
  @_forces(@_numbers(in[1]), tau);
  for (i = 0; i < @_nv; ++i) {
    to_q[i] = @_nu + i;
    to_v[i] = @_nu + @_nq + i;
    weights[i] = h * (h * multipliers[i] + multipliers[@_nq + i]);
  }
  blasfeo_dgese(@_nu + @_nx, @_nu + @_nx, 0.0, result->A, result->ai, result->aj);
  @_add_hessian(x, tau, weights, to_q, to_v, @_motor, result->A, result->ai, result->aj);
  return @_disc_dyn_fun_jac(in, out, params);
}
)";

}  // namespace client::acados_texts
