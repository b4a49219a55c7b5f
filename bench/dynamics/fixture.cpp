#include "dynamics/fixture.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#ifdef TENON_BENCH_MUJOCO
#include "peer/mujoco_peer.hpp"
#else
class bench::MujocoPeer {};
#endif

namespace bench {
namespace {

double largest(const std::vector<double>& x) {
  double result = 0;
  for (const double value : x) result = std::max(result, std::abs(value));
  return result;
}

}  // namespace

double relative_difference(const std::vector<double>& x, const std::vector<double>& reference) {
  double difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return INFINITY;
    difference = std::max(difference, std::abs(x[i] - reference[i]));
  }
  return difference / largest(reference);
}

namespace {

// The matrix of a state, computed when it is first asked for.
template <typename Compute>
const std::vector<double>& kept(std::vector<std::vector<double>>& matrices, int state, Compute&& compute) {
  const auto index = static_cast<std::size_t>(state);
  if (matrices.size() <= index) matrices.resize(index + 1);
  if (matrices[index].empty()) matrices[index] = compute();
  return matrices[index];
}

// Solves A x = b in place, A symmetric positive semidefinite, n x n; x is 0 for rows that depend on earlier
// ones. No library: one whose templates the peer also uses would be merged with the peer's copies by the
// linker.
void solve_semidefinite(std::vector<double>& A, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    const double negligible = 1e-12 * A[j * n + j];
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < n; ++i) A[i * n + j] -= A[i * n + k] * A[j * n + k];
    }
    const double pivot = A[j * n + j] > negligible ? std::sqrt(A[j * n + j]) : INFINITY;
    A[j * n + j] = pivot;
    for (std::size_t i = j + 1; i < n; ++i) A[i * n + j] /= pivot;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= A[k * n + i] * b[k];
    b[i] /= A[i * n + i];
  }
}

}  // namespace

tenon_solve_options default_options(int32_t method) {
  tenon_solve_options options;
  tenon_solve_options_init(&options, sizeof options);
  options.method = method;
  return options;
}

tenon_solve_options fixed_iterations(int32_t method, int32_t count) {
  tenon_solve_options options = default_options(method);
  options.max_iterations = count;
  options.accelerate = 0;
  options.mu = 1e6;
  options.absolute_tolerance = 1e-300;
  options.relative_tolerance = 0;
  return options;
}

Fixture::Fixture(const Robot& robot, int state_count) : name_(robot.name) {
  make_model(robot);
  make_constraints(robot);
  char message[512] = "";
  check(tenon_workspace_create(model_, constraints_, nullptr, &workspace_, message, sizeof message), message);
  out_.resize(nv_);
  matrix_.resize(nv_ * nv_);
  lambda_.resize(rows_);
  inverse_.assign(rows_ * rows_, 0.0);
  ones_.assign(rows_, 1.0);
  ones_of_nv_.assign(nv_, 1.0);
  derivatives_.assign(3 * nv_ * (nv_ + rows_), 0.0);
  regressor_.assign(nv_ * 10 * static_cast<std::size_t>(tenon_model_link_count(model_)), 0.0);
  delassus_.resize(rows_ * rows_);
  make_states(state_count);
  make_reference();
  make_peers(robot);
  make_mujoco(robot);
}

Fixture::~Fixture() {
  tenon_workspace_destroy(workspace_);
  tenon_constraints_destroy(constraints_);
  tenon_model_destroy(model_);
}

void Fixture::check(tenon_status status, const char* message) const {
  if (status >= 0) return;
  throw std::runtime_error(name_ + ": " + tenon_status_string(status) + ": " + message);
}

void Fixture::make_model(const Robot& robot) {
  char message[512] = "";
  tenon_model_options options;
  tenon_model_options_init(&options, sizeof options);
  options.base = robot.floating_base ? TENON_BASE_FLOATING : TENON_BASE_FIXED;
  check(tenon_model_parse_urdf(robot.urdf.data(), robot.urdf.size(), &options, &model_, message,
                               sizeof message),
        message);
  nq_ = static_cast<std::size_t>(tenon_model_nq(model_));
  nv_ = static_cast<std::size_t>(tenon_model_nv(model_));
}

void Fixture::make_constraints(const Robot& robot) {
  char message[512] = "";
  check(tenon_constraints_create(model_, &constraints_, message, sizeof message), message);
  for (const ContactSpec& contact : robot.contacts) {
    int32_t link = -1;
    check(tenon_model_find_link(model_, contact.link.c_str(), &link, message, sizeof message), message);
    const double pose[7] = {contact.point[0], contact.point[1], contact.point[2], 0, 0, 0, 1};
    const tenon_status status = contact.rows == 3
                                    ? tenon_constraints_add_point(constraints_, link, pose, 3, nullptr,
                                                                  nullptr, message, sizeof message)
                                    : tenon_constraints_add_weld(constraints_, link, pose, 7, nullptr,
                                                                 nullptr, message, sizeof message);
    check(status, message);
  }
  check(tenon_constraints_finish(constraints_, message, sizeof message), message);
  rows_ = static_cast<std::size_t>(tenon_constraints_row_count(constraints_));
}

void Fixture::make_states(int count) {
  std::mt19937_64 generator(7);
  const auto uniform = [&generator] { return std::ldexp(static_cast<double>(generator() >> 11), -52) - 1.0; };
  for (int i = 0; i < count; ++i) {
    State state{std::vector<double>(nq_), std::vector<double>(nv_), std::vector<double>(nv_),
                std::vector<double>(nv_)};
    check(tenon_random(workspace_, static_cast<uint64_t>(i) + 1, state.q.data(), nq_), message());
    for (double& value : state.v) value = uniform();
    for (double& value : state.a) value = uniform();
    project_velocity(state);
    check(tenon_inverse_dynamics(workspace_, state.q.data(), nq_, state.v.data(), nv_, state.a.data(), nv_,
                                 nullptr, 0, state.tau.data(), nv_),
          message());
    states_.push_back(std::move(state));
  }
}

void Fixture::round_to_floats(int state) {
  rounded_ = at(state);
  for (std::vector<double>* numbers : {&rounded_.q, &rounded_.v, &rounded_.tau, &rounded_.a})
    for (double& x : *numbers) x = static_cast<float>(x);
}

void Fixture::make_reference() {
  for (int i = 0; i < std::min(reference_count, state_count()); ++i) {
    check(constrained_dynamics(i, default_options(TENON_METHOD_DENSE)), message());
    reference_.push_back(out_);
  }
}

// v -= J^T (J J^T)^-1 J v, twice for the rounding.
void Fixture::project_velocity(State& state) {
  std::vector<double> J(rows_ * nv_), Jv(rows_);
  for (int pass = 0; pass < 2; ++pass) {
    check(tenon_constraint_rows(workspace_, state.q.data(), nq_, state.v.data(), nv_, nullptr, 0, J.data(),
                                J.size(), static_cast<int32_t>(rows_), nullptr, 0, nullptr, 0, Jv.data(),
                                rows_),
          message());
    std::vector<double> gram(rows_ * rows_, 0.0);
    for (std::size_t k = 0; k < nv_; ++k) {
      const double* column = J.data() + k * rows_;
      for (std::size_t i = 0; i < rows_; ++i) {
        for (std::size_t j = 0; column[i] != 0 && j < rows_; ++j)
          gram[i * rows_ + j] += column[i] * column[j];
      }
    }
    solve_semidefinite(gram, Jv);
    for (std::size_t k = 0; k < nv_; ++k) {
      for (std::size_t i = 0; i < rows_; ++i) state.v[k] -= J[k * rows_ + i] * Jv[i];
    }
  }
}

tenon_solve_report Fixture::report() const {
  tenon_solve_report report;
  tenon_solve_report_init(&report, sizeof report);
  tenon_workspace_report(workspace_, &report);
  return report;
}

const std::vector<double>& Fixture::dense_delassus(int state) {
  return kept(dense_delassus_, state, [&] {
    check(delassus(state, TENON_DELASSUS_METHOD_DENSE), message());
    return delassus_;
  });
}

const std::vector<double>& Fixture::dense_inverse(int state) {
  return kept(dense_inverse_, state, [&] {
    check(damped_inverse(state, TENON_DAMPED_METHOD_DENSE), message());
    return inverse_;
  });
}

double Fixture::delassus_error_of(int state, const std::vector<double>& matrix) {
  return relative_difference(matrix, dense_delassus(state));
}

double Fixture::inverse_error_of(int state, const std::vector<double>& matrix) {
  return relative_difference(matrix, dense_inverse(state));
}

double Fixture::error_of(int state, const std::vector<double>& qdd) const {
  return relative_difference(qdd, reference_[static_cast<std::size_t>(state)]);
}

}  // namespace bench
