// The Delassus matrix and its damped inverse (Lambda^-1 + E)^-1, E = R + 1 / mu, for recorders. The inverse
// is recorded in two forms: as a matrix, or factored and applied to one vector.
#include <algorithm>

#include "calls/delassus.hpp"
#include "kernels/delassus/symmetric_to_user.hpp"
#include "spatial/lanes.hpp"
#include "tenonx/recording.hpp"

namespace tenon::trace {
namespace {

using arrays::q;

constexpr Array b = {"b", "a vector of the rows", Size::rows};
constexpr Array delassus = {"delassus", "J M^-1 J^T, column-major, both triangles", Size::rows_by_rows};
constexpr Array inverse = {"inverse", "(J M^-1 J^T + R + 1/mu)^-1, column-major, both triangles",
                           Size::rows_by_rows};
constexpr Array x = {"x", "(J M^-1 J^T + R + 1/mu)^-1 b", Size::rows};

// Fills WorkspaceData::delassus.
template <DelassusMethod method>
void fill(Subject& s, const Recorded* q_in) {
  if constexpr (method == DelassusMethod::ltl_osim) {
    s.kernels.ltl_osim(s.m(), s.c(), q_in, s.w);
  } else {
    s.kernels.sweep_inertias(s.m(), q_in, s.w);
    delassus_of_inertias<method>(s.kernels, s.m(), s.c(), s.pv.data, s.delassus, s.w);
  }
}

template <DelassusMethod method>
void run_matrix(Subject& s, In in, Out out) {
  fill<method>(s, in[0]);
  s.kernels.symmetric_to_user(s.c(), s.delassus.in_order, s.w.delassus, out[0], s.rows());
}

// ---- its damped inverse

// E of the rows, rounded up to whole packs.
Numbers damping(const Subject& s) {
  Numbers E(proximal_terms(s));
  for (int r = 0; r < s.rows(); ++r) E[r] = E[r] + s.c().compliance[r];
  E.resize(static_cast<std::size_t>(whole_packs(s.rows())), Recorded(0));
  return E;
}

// Returns b in the kernels' order of rows.
Numbers take_b(const Subject& s, const Recorded* given) {
  Numbers rows(whole_packs(s.rows()));
  rows_from_user(&s.c(), given, rows.data());
  return rows;
}

// L D L^T of Lambda^-1 + E.
struct DenseFactor {
  DenseFactor(Subject& s)
      : stride(whole_packs(s.rows())), F(stride * stride), inv_d(stride), scratch(4 * stride) {
    s.kernels.factor_dense(s.w.delassus, damping(s).data(), s.rows(), stride, F.data(), inv_d.data(),
                           scratch.data());
  }
  int stride;
  Numbers F, inv_d, scratch;
};

template <DelassusMethod method>
void run_inverse(Subject& s, In in, Out out) {
  fill<method>(s, in[0]);
  const int stride = whole_packs(s.rows());
  Numbers X(stride * stride), scratch(stride * (stride + 8));
  s.kernels.invert_dense(s.w.delassus, damping(s).data(), s.rows(), stride, X.data(), scratch.data());
  s.kernels.symmetric_to_user(s.c(), s.delassus.in_order, X.data(), out[0], s.rows());
}

template <DelassusMethod method>
void run_cholesky(Subject& s, In in, Out out) {
  fill<method>(s, in[0]);
  const DenseFactor f(s);
  Numbers rows = take_b(s, in[1]);
  s.kernels.solve_dense(f.F.data(), f.inv_d.data(), f.stride, rows.data());
  rows_to_user(&s.c(), rows.data(), out[0]);
}

void run_pv_osimf(Subject& s, In in, Out out) {
  const Numbers E = damping(s), given = take_b(s, in[1]);
  s.kernels.sweep_inertias(s.m(), in[0], s.w);
  s.kernels.pv_osimf_factor(s.m(), s.c(), E.data(), false, s.pv.data, s.osimf.data, s.w);
  Numbers rows(whole_packs(s.rows()));
  s.kernels.pv_osimf_apply(given.data(), E.data(), rows.data(), s.osimf.data);
  rows_to_user(&s.c(), rows.data(), out[0]);
}

void run_pv_osimf_inverse(Subject& s, In in, Out out) {
  const Numbers E = damping(s);
  s.kernels.sweep_inertias(s.m(), in[0], s.w);
  s.kernels.pv_osimf_factor(s.m(), s.c(), E.data(), true, s.pv.data, s.osimf.data, s.w);
  s.kernels.pv_osimf_form(E.data(), s.caba.data.matrix, s.osimf.data);
  upper_to_user(s.c(), s.caba.data.matrix, s.caba.data.stride, out[0], s.rows());
}

void factor_caba(Subject& s, const Recorded* q_in) {
  const Numbers E = damping(s);
  std::copy_n(E.begin(), s.rows(), s.caba.data.damping);
  s.kernels.caba_osim_factor(s.m(), s.c(), q_in, s.caba.data, s.w);
}

void run_caba_osim(Subject& s, In in, Out out) {
  factor_caba(s, in[0]);
  s.kernels.caba_osim_form(s.caba.data);
  upper_to_user(s.c(), s.caba.data.matrix, s.caba.data.stride, out[0], s.rows());
}

void run_caba_osimf(Subject& s, In in, Out out) {
  factor_caba(s, in[0]);
  const Numbers given = take_b(s, in[1]);
  Numbers rows(whole_packs(s.rows()));
  s.kernels.caba_osimf_apply(given.data(), rows.data(), s.caba.data);
  rows_to_user(&s.c(), rows.data(), out[0]);
}

}  // namespace

std::array<Algorithm, delassus_algorithm_count> delassus_algorithms() {
  const auto matrix = [](const char* name, const char* summary, auto run) {
    return Algorithm{{name, summary, true, true}, {q}, {delassus}, run};
  };
  const auto formed = [](const char* name, const char* summary, bool fixed_path, auto run) {
    return Algorithm{{name, summary, true, fixed_path}, {q}, {inverse}, run};
  };
  const auto applied = [](const char* name, const char* summary, bool fixed_path, auto run) {
    return Algorithm{{name, summary, true, fixed_path}, {q, b}, {x}, run};
  };
  return {{
      matrix("ltl_osim", "Delassus matrix by the sparse factor of M ([OSIMR] II-A)",
             run_matrix<DelassusMethod::ltl_osim>),
      matrix("kjr", "Delassus matrix in three sweeps (Kreutz-Delgado, Jain, Rodriguez)",
             run_matrix<DelassusMethod::kjr>),
      matrix("efpa", "Delassus matrix by extended force propagators ([OSIMR] Alg. 2)",
             run_matrix<DelassusMethod::efpa>),
      matrix("pv_osim", "Delassus matrix in one sweep ([OSIMR] Alg. 1)", run_matrix<DelassusMethod::pv_osim>),
      matrix("pv_osimr", "Delassus matrix from branch to branch ([OSIMR] Alg. 3)",
             run_matrix<DelassusMethod::pv_osimr>),
      formed("ltl_inverse", "damped inverse from ltl_osim", true, run_inverse<DelassusMethod::ltl_osim>),
      formed("pv_osimr_inverse", "damped inverse from pv_osimr", true, run_inverse<DelassusMethod::pv_osimr>),
      formed("pv_osimf_inverse", "damped inverse, branches of the base apart ([CABA] VI-B)", true,
             run_pv_osimf_inverse),
      formed("caba_osim", "damped inverse without the matrix ([CABA] Alg. 5)", false, run_caba_osim),
      applied("ltl_cholesky", "damped inverse times b by ltl_osim and Cholesky", true,
              run_cholesky<DelassusMethod::ltl_osim>),
      applied("pv_osimr_cholesky", "damped inverse times b by pv_osimr and Cholesky", true,
              run_cholesky<DelassusMethod::pv_osimr>),
      applied("pv_osimf", "damped inverse times b, branches of the base apart ([CABA] VI-B)", true,
              run_pv_osimf),
      applied("caba_osimf", "damped inverse times b, never formed ([CABA] VI-B)", false, run_caba_osimf),
  }};
}

}  // namespace tenon::trace
