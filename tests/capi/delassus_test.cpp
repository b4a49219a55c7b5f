// The Delassus matrix, its damped inverse and the operational-space products through the C API: that they fit
// each other, and what they refuse. Values are checked by the tests of the core.
#include <cmath>
#include <limits>

#include "support.hpp"

using namespace tenon_test;

namespace {

class Delassus : public ::testing::Test {
 protected:
  static constexpr std::size_t m = 12;
  Model model = load("atlas", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"l_foot", "r_foot"});
  Workspace w = workspace(model, set);
  State s{model, w.get(), 1, m};
  std::size_t nv = s.v.size();
  int32_t ldv = static_cast<int32_t>(nv);

  std::vector<double> matrix(int32_t method) {
    std::vector<double> A(m * m, 77.0);
    EXPECT_EQ(tenon_delassus(w.get(), delassus_by(method), s.q.data(), s.q.size(), A.data(), A.size(), m),
              TENON_OK)
        << tenon_workspace_message(w.get());
    return A;
  }
  void refused(tenon_status got, tenon_status expected, const std::vector<std::string>& words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    const std::string message = tenon_workspace_message(w.get());
    for (const std::string& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << message << " / " << word;
  }
};

// (rows x inner) (inner x columns)
std::vector<double> product(const std::vector<double>& A, const std::vector<double>& B, std::size_t rows,
                            std::size_t inner) {
  const std::size_t columns = B.size() / inner;
  std::vector<double> C(rows * columns);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t k = 0; k < inner; ++k)
      for (std::size_t i = 0; i < rows; ++i) C[j * rows + i] += A[k * rows + i] * B[j * inner + k];
  return C;
}
void expect_identity(const std::vector<double>& A, std::size_t n, double tolerance) {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(A[j * n + i], i == j ? 1.0 : 0.0, tolerance);
}

TEST_F(Delassus, EveryMethodGivesTheSameMatrix) {
  const std::vector<double> expected = matrix(TENON_DELASSUS_METHOD_DENSE);
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD); ++method) {
    const std::vector<double> A = matrix(method);
    for (std::size_t e = 0; e < m * m; ++e)
      EXPECT_NEAR(A[e], expected[e], 1e-10) << tenon_constant_name(TENON_CONSTANT_DELASSUS_METHOD, method);
  }
  EXPECT_STREQ(tenon_constant_name(TENON_CONSTANT_DELASSUS_METHOD, TENON_DELASSUS_METHOD_PV_OSIMR),
               "pv_osimr");
  EXPECT_STREQ(tenon_constant_name(TENON_CONSTANT_DELASSUS_METHOD, 99), "unknown");
}

TEST_F(Delassus, DampedInverseAndItsProducts) {
  const double mu = 1e3;
  std::vector<double> A = matrix(TENON_DELASSUS_METHOD_AUTOMATIC);
  for (std::size_t r = 0; r < m; ++r) A[r * (m + 1)] += 1 / mu;
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD); ++method) {
    SCOPED_TRACE(tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method));
    std::vector<double> inverse(m * m);
    const tenon_status status = tenon_delassus_inverse(w.get(), damped_by(method, mu), s.q.data(), s.q.size(),
                                                       inverse.data(), inverse.size(), m);
    if (status == TENON_UNSUPPORTED) continue;
    ASSERT_EQ(status, TENON_OK) << tenon_workspace_message(w.get());
    expect_identity(product(A, inverse, m, m), m, 1e-8);
    const std::vector<double> all(m, mu);
    ASSERT_EQ(tenon_delassus_factor(w.get(), damped_by(method, 0, all.data(), m), s.q.data(), s.q.size()),
              TENON_OK);
    std::vector<double> X = A;
    ASSERT_EQ(tenon_delassus_solve(w.get(), m, X.data(), X.size(), m, X.data(), X.size(), m), TENON_OK);
    expect_identity(X, m, 1e-8);
  }
  EXPECT_STREQ(tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, TENON_DAMPED_METHOD_CABA_OSIM), "caba_osim");
}

// Of all rows and of one row, by every method.
TEST_F(Delassus, MuOf0IsTenonsChoice) {
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD); ++method) {
    SCOPED_TRACE(tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method));
    std::vector<double> chosen(m * m), same(m * m), mixed(m * m);
    const std::vector<double> none(m, 0.0);
    std::vector<double> one = none;
    one[3] = 1e3;
    const auto fill = [&](const tenon_damped_options* options, std::vector<double>& to) {
      return tenon_delassus_inverse(w.get(), options, s.q.data(), s.q.size(), to.data(), to.size(), m);
    };
    ASSERT_EQ(fill(damped_by(method), chosen), TENON_OK);
    ASSERT_EQ(fill(damped_by(method, 0, none.data(), m), same), TENON_OK);
    ASSERT_EQ(fill(damped_by(method, 0, one.data(), m), mixed), TENON_OK);
    EXPECT_EQ(chosen, same);
    EXPECT_NE(chosen, mixed);
  }
}

TEST_F(Delassus, OperationalSpaceFitsTheMatrix) {
  std::vector<double> Lambda(m * m), J_bar(nv * m), N(nv * nv), J(m * nv);
  int32_t rank = -1;
  ASSERT_EQ(tenon_operational_space(w.get(), s.q.data(), s.q.size(), Lambda.data(), Lambda.size(), m,
                                    J_bar.data(), J_bar.size(), ldv, N.data(), N.size(), ldv, &rank),
            TENON_OK);
  EXPECT_EQ(rank, 12);
  expect_identity(product(matrix(TENON_DELASSUS_METHOD_AUTOMATIC), Lambda, m, m), m, 1e-9);
  ASSERT_EQ(tenon_constraint_rows(w.get(), s.q.data(), s.q.size(), s.v.data(), nv, nullptr, 0, J.data(),
                                  J.size(), m, nullptr, 0, nullptr, 0, nullptr, 0),
            TENON_OK);
  expect_identity(product(J, J_bar, m, nv), m, 1e-9);
  for (double x : product(J, N, m, nv)) EXPECT_NEAR(x, 0, 1e-9);
  // Every output may be left out.
  EXPECT_EQ(tenon_operational_space(w.get(), s.q.data(), s.q.size(), nullptr, 0, 0, nullptr, 0, 0, nullptr, 0,
                                    0, nullptr),
            TENON_OK);
}

TEST_F(Delassus, DependentRowsAreToldAndSolved) {
  Constraints twice = welds(model, {"l_foot", "l_foot"});
  Workspace both = workspace(model, twice);
  std::vector<double> Lambda(m * m);
  int32_t rank = -1;
  EXPECT_EQ(tenon_operational_space(both.get(), s.q.data(), s.q.size(), Lambda.data(), Lambda.size(), m,
                                    nullptr, 0, 0, nullptr, 0, 0, &rank),
            TENON_RANK_DEFICIENT);
  EXPECT_EQ(rank, 6);
  // Each of two equal welds takes half of the force: Lambda of one is four quarters of theirs.
  Constraints once = welds(model, {"l_foot"});
  Workspace single = workspace(model, once);
  std::vector<double> half(36);
  ASSERT_EQ(tenon_operational_space(single.get(), s.q.data(), s.q.size(), half.data(), 36, 6, nullptr, 0, 0,
                                    nullptr, 0, 0, nullptr),
            TENON_OK);
  const double size = largest(half);
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(Lambda[j * m + i], half[j * 6 + i] / 4, 1e-8 * size);
}

TEST_F(Delassus, InverseMassUndoesTheMassMatrix) {
  std::vector<double> M(nv * nv);
  ASSERT_EQ(tenon_mass_matrix(w.get(), s.q.data(), s.q.size(), M.data(), M.size(), ldv), TENON_OK);
  ASSERT_EQ(tenon_mass_matrix_inverse_times(w.get(), s.q.data(), s.q.size(), ldv, M.data(), M.size(), ldv,
                                            M.data(), M.size(), ldv),
            TENON_OK);
  expect_identity(M, nv, 1e-9);
}

TEST_F(Delassus, RefusesBadArguments) {
  std::vector<double> A(m * m, 77.0), B(nv * 2, 1.0);
  const double *q = s.q.data(), bad = std::numeric_limits<double>::quiet_NaN();
  const std::size_t nq = s.q.size();
  refused(tenon_delassus(w.get(), delassus_by(99), q, nq, A.data(), A.size(), m), TENON_INVALID_ARGUMENT,
          {"tenon_delassus", "99", "TENON_DELASSUS_METHOD_"});
  refused(tenon_delassus(w.get(), delassus_by(0), q, nq - 1, A.data(), A.size(), m), TENON_WRONG_SIZE, {"q"});
  refused(tenon_delassus(w.get(), delassus_by(0), nullptr, nq, A.data(), A.size(), m), TENON_INVALID_ARGUMENT,
          {"q is NULL"});
  refused(tenon_delassus(w.get(), delassus_by(0), q, nq, A.data(), A.size(), m - 1), TENON_WRONG_SIZE,
          {"leading dimension"});
  refused(tenon_delassus(w.get(), delassus_by(0), q, nq, nullptr, A.size(), m), TENON_INVALID_ARGUMENT,
          {"A is NULL"});
  for (const double mu : {-1.0, bad, std::numeric_limits<double>::infinity()}) {
    const tenon_status status = mu == -1 ? TENON_INVALID_ARGUMENT : TENON_NOT_FINITE;
    refused(tenon_delassus_inverse(w.get(), damped_by(0, mu), q, nq, A.data(), A.size(), m), status, {"mu"});
    std::vector<double> rows(12, 1.0);
    rows[4] = mu;
    refused(tenon_delassus_factor(w.get(), damped_by(0, 0, rows.data(), m), q, nq), status, {"mu of row 4"});
  }
  refused(tenon_delassus_factor(w.get(), damped_by(0, 0, B.data(), 2), q, nq), TENON_WRONG_SIZE,
          {"mu", "12"});
  refused(tenon_delassus_solve(w.get(), 1, B.data(), m, m, B.data(), m, m), TENON_INVALID_ARGUMENT,
          {"factor"});
  ASSERT_EQ(tenon_delassus_factor(w.get(), damped_by(0), q, nq), TENON_OK);
  refused(tenon_delassus_solve(w.get(), -1, B.data(), m, m, B.data(), m, m), TENON_WRONG_SIZE, {"columns"});
  B[1] = bad;
  refused(tenon_delassus_solve(w.get(), 1, B.data(), m, m, A.data(), m, m), TENON_NOT_FINITE, {"B"});
  refused(tenon_mass_matrix_inverse_times(w.get(), q, nq, 1, B.data(), nv, ldv, A.data(), nv, ldv),
          TENON_NOT_FINITE, {"B[1]"});
  refused(
      tenon_operational_space(w.get(), q, nq, A.data(), A.size(), 3, nullptr, 0, 0, nullptr, 0, 0, nullptr),
      TENON_WRONG_SIZE, {"leading dimension"});
  EXPECT_EQ(A, std::vector<double>(m * m, 77.0));
  s.q[5] *= 1.1;
  refused(tenon_delassus(w.get(), delassus_by(0), q, nq, A.data(), A.size(), m), TENON_NOT_NORMALIZED,
          {"quaternion"});
}

}  // namespace
