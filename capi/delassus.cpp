// The Delassus matrix, its damped inverse, operational space.
#include "tenon/delassus.hpp"

#include "support/call.hpp"

using namespace tenon::capi;
using tenon::DampedInverseMethod;
using tenon::DelassusMethod;
using tenon::Status;

tenon_status tenon_delassus(tenon_workspace* workspace, int32_t method, const double* q, size_t q_count,
                            double* A, size_t A_count, int32_t lda) {
  Call call(workspace, __func__);
  call.one_of(kinds::delassus_method, "method", method);
  call.positions("q", q, q_count);
  call.needed_matrix("A", A, A_count, call.rows(), call.rows(), lda);
  return call.run([&] {
    return tenon::delassus_matrix(workspace->core, static_cast<DelassusMethod>(method), q, A, lda);
  });
}

// None, one for all rows, or one for each.
static tenon::Damping damping_of(Call& call, const double* mu, size_t mu_count) {
  if (mu == nullptr) return {};
  call.one_or_rows("mu", mu, mu_count);
  tenon::Damping damping;
  if (mu_count == 1) {
    damping.mu = *mu;
    if (*mu == 0) call.fail(Status::invalid_argument, "mu is 0; give a number above zero, or NULL");
  } else {
    damping.mu_of_row = mu;
  }
  return damping;
}

tenon_status tenon_delassus_inverse(tenon_workspace* workspace, int32_t method, const double* q,
                                    size_t q_count, const double* mu, size_t mu_count, double* inverse,
                                    size_t inverse_count, int32_t ld) {
  Call call(workspace, __func__);
  call.one_of(kinds::damped_method, "method", method);
  call.positions("q", q, q_count);
  const tenon::Damping damping = damping_of(call, mu, mu_count);
  call.needed_matrix("inverse", inverse, inverse_count, call.rows(), call.rows(), ld);
  return call.run([&] {
    return tenon::damped_delassus_inverse(workspace->core, static_cast<DampedInverseMethod>(method), q,
                                          damping, inverse, ld);
  });
}

tenon_status tenon_delassus_factor(tenon_workspace* workspace, int32_t method, const double* q,
                                   size_t q_count, const double* mu, size_t mu_count) {
  Call call(workspace, __func__);
  call.one_of(kinds::damped_method, "method", method);
  call.positions("q", q, q_count);
  const tenon::Damping damping = damping_of(call, mu, mu_count);
  return call.run([&] {
    return tenon::factor_damped_delassus(workspace->core, static_cast<DampedInverseMethod>(method), q,
                                         damping);
  });
}

// B and X of a product with `columns` columns of `rows` numbers.
static void check_product(Call& call, int32_t columns, std::size_t rows, const double* B, size_t B_count,
                          int32_t ldb, const double* X, size_t X_count, int32_t ldx) {
  if (columns < 0) call.fail(Status::wrong_size, "columns is %d; give 0 or more", static_cast<int>(columns));
  const std::size_t count = columns < 0 ? 0 : static_cast<std::size_t>(columns);
  call.needed_matrix("B", B, B_count, rows, count, ldb);
  call.needed_matrix("X", X, X_count, rows, count, ldx);
}

tenon_status tenon_delassus_apply(tenon_workspace* workspace, int32_t columns, const double* B,
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
  call.positions("q", q, q_count);
  call.optional_matrix("Lambda", Lambda, Lambda_count, call.rows(), call.rows(), ldl);
  call.optional_matrix("J_bar", J_bar, J_bar_count, call.velocity_count(), call.rows(), ldj);
  call.optional_matrix("N", N, N_count, call.velocity_count(), call.velocity_count(), ldn);
  return call.run([&] {
    const tenon::OperationalSpace out = {Lambda, ldl, J_bar, ldj, N, ldn};
    return tenon::operational_space(workspace->core, q, out, rank);
  });
}

tenon_status tenon_inverse_mass_times(tenon_workspace* workspace, const double* q, size_t q_count,
                                      int32_t columns, const double* B, size_t B_count, int32_t ldb,
                                      double* X, size_t X_count, int32_t ldx) {
  Call call(workspace, __func__);
  call.positions("q", q, q_count);
  check_product(call, columns, call.velocity_count(), B, B_count, ldb, X, X_count, ldx);
  return call.run([&] { return tenon::inverse_mass_times(workspace->core, q, B, ldb, columns, X, ldx); });
}
