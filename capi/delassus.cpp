// The Delassus matrix, its damped inverse, operational space.
#include "tenon/delassus.hpp"

#include "support/call.hpp"
#include "support/delassus_options.hpp"

using namespace tenon::capi;
using tenon::DelassusMethod;
using tenon::Status;

tenon_status tenon_delassus_options_init(tenon_delassus_options* options, size_t size) {
  return init(options, size, default_delassus_options);
}
tenon_status tenon_damped_options_init(tenon_damped_options* options, size_t size) {
  return init(options, size, default_damped_options);
}

tenon_status tenon_delassus(tenon_workspace* workspace, const tenon_delassus_options* options,
                            const double* q, size_t q_count, double* A, size_t A_count, int32_t lda) {
  Call call(workspace, __func__);
  const DelassusMethod method = checked(call, options);
  call.positions(ARRAY(q));
  call.needed_matrix(ARRAY(A), call.rows(), call.rows(), lda);
  return call.run([&] { return tenon::delassus_matrix(workspace->core, method, q, A, lda); });
}

tenon_status tenon_delassus_inverse(tenon_workspace* workspace, const tenon_damped_options* options,
                                    const double* q, size_t q_count, double* inverse, size_t inverse_count,
                                    int32_t ld) {
  Call call(workspace, __func__);
  const Damped damped = checked(call, options);
  call.positions(ARRAY(q));
  call.needed_matrix(ARRAY(inverse), call.rows(), call.rows(), ld);
  return call.run([&] {
    return tenon::damped_delassus_inverse(workspace->core, damped.method, q, damped.damping, inverse, ld);
  });
}

tenon_status tenon_delassus_factor(tenon_workspace* workspace, const tenon_damped_options* options,
                                   const double* q, size_t q_count) {
  Call call(workspace, __func__);
  const Damped damped = checked(call, options);
  call.positions(ARRAY(q));
  return call.run(
      [&] { return tenon::factor_damped_delassus(workspace->core, damped.method, q, damped.damping); });
}

// B and X of a product with `columns` columns of `rows` numbers.
static void check_product(Call& call, int32_t columns, std::size_t rows, const double* B, size_t B_count,
                          int32_t ldb, const double* X, size_t X_count, int32_t ldx) {
  if (columns < 0) call.fail(Status::wrong_size, "columns is %d; give 0 or more", static_cast<int>(columns));
  const std::size_t count = columns < 0 ? 0 : static_cast<std::size_t>(columns);
  call.needed_matrix(ARRAY(B), rows, count, ldb);
  call.needed_matrix(ARRAY(X), rows, count, ldx);
}

tenon_status tenon_delassus_solve(tenon_workspace* workspace, int32_t columns, const double* B,
                                  size_t B_count, int32_t ldb, double* X, size_t X_count, int32_t ldx) {
  Call call(workspace, __func__);
  check_product(call, columns, call.rows(), B, B_count, ldb, X, X_count, ldx);
  return call.run(
      [&] { return tenon::apply_damped_delassus_inverse(workspace->core, B, ldb, columns, X, ldx); });
}

tenon_status tenon_operational_space(tenon_workspace* workspace, const double* q, size_t q_count,
                                     double* Lambda, size_t Lambda_count, int32_t ldl, double* J_bar,
                                     size_t J_bar_count, int32_t ldj, double* N, size_t N_count, int32_t ldn,
                                     int32_t* rank) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  call.optional_matrix(ARRAY(Lambda), call.rows(), call.rows(), ldl);
  call.optional_matrix(ARRAY(J_bar), call.velocity_count(), call.rows(), ldj);
  call.optional_matrix(ARRAY(N), call.velocity_count(), call.velocity_count(), ldn);
  return call.run([&] {
    const tenon::OperationalSpace out = {Lambda, ldl, J_bar, ldj, N, ldn};
    return tenon::operational_space(workspace->core, q, out, rank);
  });
}

tenon_status tenon_mass_matrix_inverse_times(tenon_workspace* workspace, const double* q, size_t q_count,
                                             int32_t columns, const double* B, size_t B_count, int32_t ldb,
                                             double* X, size_t X_count, int32_t ldx) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  check_product(call, columns, call.velocity_count(), B, B_count, ldb, X, X_count, ldx);
  return call.run([&] { return tenon::inverse_mass_times(workspace->core, q, B, ldb, columns, X, ldx); });
}
