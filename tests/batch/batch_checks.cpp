#include "batch/batch_checks.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <memory>

#include "tenon/delassus.hpp"

namespace tenon::testing {

namespace {

// What a workspace gives for each state.
void solve_singly(const BatchCall& batch, States<double>& s) {
  std::unique_ptr<Workspace> workspace = std::make_unique<Workspace>(s.model, s.set);
  const std::size_t nq = s.q.size() / s.count, nv = s.v.size() / s.count;
  const std::size_t rows = s.desired.size() / s.count, wrenches = s.wrenches.size() / s.count;
  BatchCall call = s.call(batch.function);
  for (std::size_t i = 0; i < s.count; ++i) {
    const double *q = s.q.data() + i * nq, *v = nv ? s.v.data() + i * nv : nullptr,
                 *x = nv ? s.x.data() + i * nv : nullptr;
    if (!s.models.empty() || !s.specs.empty()) workspace = s.workspace(i);
    Workspace& w = *workspace;
    std::vector<double> applied(x, x + nv);
    const bool inverse = batch.function == BatchFunction::inverse_dynamics;
    for (std::size_t k = 0; k < nv && !inverse; ++k) applied[k] -= s.friction_of(i, k, v[k]);
    x = applied.data();
    const double* f = s.wrenches.data() + i * wrenches;
    const std::size_t n = s.numbers(batch.function, 0);
    s.give_rows(w, i);
    double* out = s.out.data() + i * n;
    switch (batch.function) {
      case BatchFunction::forward_dynamics:
        s.status[i] = static_cast<std::int32_t>(forward_dynamics(w, {q, v, x, f}, out));
        break;
      case BatchFunction::inverse_dynamics:
        s.status[i] = static_cast<std::int32_t>(inverse_dynamics(w, {q, v, nullptr, f, nullptr, x}, out));
        for (std::size_t k = 0; k < nv; ++k) out[k] += s.friction_of(i, k, v[k]);
        break;
      case BatchFunction::mass_matrix:
        s.status[i] = static_cast<std::int32_t>(mass_matrix(w, q, out, static_cast<int>(nv)));
        break;
      case BatchFunction::mass_matrix_lower:
      case BatchFunction::mass_matrix_factor: {
        std::vector<double> room(nv * nv);
        const bool factor = batch.function == BatchFunction::mass_matrix_factor;
        s.status[i] = static_cast<std::int32_t>(mass_matrix_triangle(w, q, factor, room.data()));
        std::copy_n(room.begin(), n, out);
        break;
      }
      case BatchFunction::kinematics:
        s.status[i] = static_cast<std::int32_t>(kinematics(w, q, v, nullptr));
        for (std::size_t k = 0; k < s.links.size(); ++k) {
          const int link = s.links[k];
          ASSERT_EQ(link_pose(w, link, out + 7 * k, out + 7 * k + 3, nullptr), Status::ok);
          ASSERT_EQ(link_velocity(w, link, RowAxes::world,
                                  s.second.data() + i * s.numbers(batch.function, 1) + 6 * k),
                    Status::ok);
          if (nv > 0) {
            ASSERT_EQ(link_jacobian(w, link, RowAxes::world,
                                    s.third.data() + i * s.numbers(batch.function, 2) + 6 * nv * k, 6),
                      Status::ok);
          }
        }
        break;
      case BatchFunction::delassus:
        s.status[i] = static_cast<std::int32_t>(
            delassus_matrix(w, DelassusMethod::automatic, q, out, static_cast<int>(rows)));
        break;
      case BatchFunction::damped_product: {
        const int m = static_cast<int>(rows);
        s.status[i] = static_cast<std::int32_t>(
            factor_damped_delassus(w, DampedInverseMethod::automatic, q, call.damping));
        ASSERT_EQ(apply_damped_delassus_inverse(w, s.right.data() + i * n, m, product_columns, out, m),
                  Status::ok);
        break;
      }
      case BatchFunction::impact:
        std::copy_n(v, nv, out);
        s.status[i] = static_cast<std::int32_t>(impact(w, rows ? s.restitution.data() + i * rows : nullptr,
                                                       static_cast<int>(rows), q, out,
                                                       rows ? s.second.data() + i * rows : nullptr));
        break;
      default: {
        SolveOptions options = call.solve;
        options.method = Method::constrained_aba;
        s.status[i] = static_cast<std::int32_t>(
            constrained_dynamics(w, options, {q, v, x, f, rows ? s.desired.data() + i * rows : nullptr}, out,
                                 s.second.data() + i * rows));
      }
    }
  }
}

template <class N>
States<double> as_double(const States<N>& s) {
  States<double> d(s.model, s.set, s.count, 1);
  const auto copy = [](const std::vector<N>& from, std::vector<double>& to) {
    to.assign(from.begin(), from.end());
  };
  copy(s.q, d.q), copy(s.v, d.v), copy(s.x, d.x), copy(s.wrenches, d.wrenches), copy(s.desired, d.desired);
  copy(s.right, d.right), copy(s.restitution, d.restitution);
  copy(s.anchors, d.anchors), copy(s.frequencies, d.frequencies), copy(s.ratios, d.ratios),
      copy(s.active, d.active);
  copy(s.damping, d.damping), copy(s.friction, d.friction);
  d.models = s.models, d.specs = s.specs, d.mu = s.mu;
  return d;
}

// How far rounding takes two factors L of M = L^T L apart, each of the M that its own way gives, relative to the largest:
// kappa(M) u and no more than a few times that (Sun 1991: |dL| / |L| <= kappa(M) |dM| / (sqrt(2) |M|)). lower: L by rows.
template <class N>
double rounding_of_factor(const double* lower, std::size_t nv) {
  const auto n = static_cast<Eigen::Index>(nv);
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) L(i, j) = *lower++;
  const Eigen::VectorXd sizes = Eigen::JacobiSVD<Eigen::MatrixXd>(L).singularValues();
  const double ratio = sizes[0] / sizes[n - 1];
  return ratio * ratio * static_cast<double>(std::numeric_limits<N>::epsilon());
}

}  // namespace

template <class N>
void expect_as_single(States<N> s, Instructions here, BatchFunction function, double tolerance) {
  Batch batch(s.model, s.set, batch_options(sizeof(N) == sizeof(float), here));
  s.give_rows(batch);
  const BatchCall call = s.call(function);
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
  States<double> single = as_double(s);
  solve_singly(call, single);
  std::vector<double>* expected[3] = {&single.out, &single.second, &single.third};
  std::vector<N>* found[3] = {&s.out, &s.second, &s.third};
  for (std::size_t i = 0; i < s.count; ++i) {
    EXPECT_EQ(s.status[i], single.status[i]) << "state " << i;
    for (int which = 0; which < 3; ++which) {
      const std::size_t n = s.numbers(function, which);
      // Multipliers of rows that depend on each other are not unique, and of rows that contradict each other no
      // method has all digits.
      const bool rows = call.solves_rows();
      if (n == 0 || (rows && (which == 1 || s.status[i] != 0))) continue;
      const std::vector<double> one(found[which]->begin() + static_cast<std::ptrdiff_t>(i * n),
                                    found[which]->begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
      double most = tolerance;
      if (function == BatchFunction::mass_matrix_factor)
        most = larger(most, rounding_of_factor<N>(expected[which]->data() + i * n, s.v.size() / s.count));
      EXPECT_LE(difference(one.data(), expected[which]->data() + i * n, n), most)
          << "state " << i << " output " << which << " function " << static_cast<int>(function);
    }
  }
}

template <class N>
void expect_same_digits(States<N> s, Instructions here, BatchFunction function, std::size_t fewest) {
  const std::size_t most = s.count;
  Batch batch(s.model, s.set, batch_options(sizeof(N) == sizeof(float), here)),
      threaded(s.model, s.set, batch_options(sizeof(N) == sizeof(float), here, 2));
  // One bad state among them, whose neighbours must not notice.
  s.q[3 * (s.q.size() / most)] = std::numeric_limits<N>::quiet_NaN();
  BatchCall call = s.call(function);
  s.give_rows(batch), s.give_rows(threaded);
  EXPECT_EQ(batch.run(call), Status::not_finite);
  const std::vector<N> expected = s.out, expected_second = s.second;
  const std::vector<std::int32_t> status = s.status;
  const std::size_t n = s.numbers(function, 0), second = s.numbers(function, 1);
  ASSERT_EQ(threaded.run(call = s.call(function)), Status::not_finite);
  EXPECT_EQ(s.out, expected);
  EXPECT_EQ(s.second, expected_second);
  for (std::size_t count = fewest; count <= most; ++count) {
    // States count - 1, ..., 0 of those above.
    std::vector<N> out(n * count, static_cast<N>(-77)), lambda(second * count, static_cast<N>(-77));
    call = s.call(function);
    call.states = count;
    for (BatchArray* a : {&call.q, &call.v, &call.x, &call.wrenches, &call.desired, &call.restitution}) {
      if (!a->data) continue;
      a->data = static_cast<N*>(a->data) + static_cast<std::ptrdiff_t>(count - 1) * a->state_stride;
      a->state_stride = -a->state_stride;
    }
    call.out[0] = array_of(out, n);
    if (second > 0) call.out[1] = array_of(lambda, second);
    Batch& other = count % 2 == 0 ? batch : threaded;
    s.give_rows(other, count, true);
    other.run(call);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t was = count - 1 - i;
      EXPECT_EQ(s.status[i], status[was]);
      for (std::size_t k = 0; k < n; ++k)
        ASSERT_EQ(out[i * n + k], expected[was * n + k]) << count << ' ' << i;
      for (std::size_t k = 0; k < second; ++k)
        ASSERT_EQ(lambda[i * second + k], expected_second[was * second + k]) << count << ' ' << i;
    }
  }
}

#define TENON_CHECKS_OF(N)                                                        \
  template void expect_as_single(States<N>, Instructions, BatchFunction, double); \
  template void expect_same_digits(States<N>, Instructions, BatchFunction, std::size_t)
TENON_CHECKS_OF(double);
TENON_CHECKS_OF(float);

}  // namespace tenon::testing
