/* Loops in C over states, so that what is timed is called from C: Tenon's derivatives, and functions that CasADi wrote.
 * Each returns seconds of this thread a call, the least of `rounds` passes over the states. */
#include <tenon.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { inverse, forward, constrained, solution };

/* q, v, last: of all states, one behind the other. out: room for 3 matrices of n + m rows and 2 vectors. NaN where a call fails. */
double time_tenon(tenon_workspace* w, int which, int states, int rounds, const double* q, size_t nq,
                  const double* v, const double* last, size_t n, size_t m, double* out) {
  double best = 1e9;
  double* by = out + n + m;
  for (int round = 0; round < rounds; ++round) {
    const double begin = now();
    for (int i = 0; i < states; ++i) {
      const double *qi = q + (size_t)i * nq, *vi = v + (size_t)i * n, *li = last + (size_t)i * n;
      const size_t rows = which == solution ? n + m : n, count = rows * n;
      double *second = by + count, *third = by + 2 * count;
      const int32_t ld = (int32_t)rows;
      tenon_status status = TENON_INVALID_ARGUMENT;
      switch (which) {
        case inverse:
          status = tenon_inverse_dynamics_derivatives(w, NULL, qi, nq, vi, n, li, n, NULL, 0, out, n, by,
                                                      count, ld, second, count, ld, third, count, ld);
          break;
        case forward:
          status = tenon_forward_dynamics_derivatives(w, NULL, qi, nq, vi, n, li, n, NULL, 0, out, n, by,
                                                      count, ld, second, count, ld, third, count, ld);
          break;
        case constrained:
          status = tenon_constrained_dynamics_derivatives(w, NULL, qi, nq, vi, n, li, n, NULL, 0, NULL, 0,
                                                          out, n, out + n, m, by, count, ld, second, count,
                                                          ld, third, count, ld, NULL, 0, 0);
          break;
        case solution:
          status = tenon_constrained_solution_derivatives(w, NULL, qi, nq, vi, n, li, n, NULL, 0, NULL, 0,
                                                          out, n, out + n, m, by, count, ld, second, count,
                                                          ld, third, count, ld, NULL, 0, 0);
          break;
        default:
          break;
      }
      if (status < 0) return 0.0 / 0.0;
    }
    const double taken = (now() - begin) / states;
    if (taken < best) best = taken;
  }
  return best;
}

typedef int (*casadi_call)(const double** in, double** out, long long* integers, double* numbers, int memory);

/* in: pointers of all states, `inputs` of each. */
double time_casadi(casadi_call call, int states, int rounds, const double** in, int inputs, double** out,
                   long long* integers, double* numbers) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const double begin = now();
    for (int i = 0; i < states; ++i)
      if (call(in + i * inputs, out, integers, numbers, 0)) return 0.0 / 0.0;
    const double taken = (now() - begin) / states;
    if (taken < best) best = taken;
  }
  return best;
}
