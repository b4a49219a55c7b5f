// What gradients through rollouts by parameters are for: an arm of models/ whose last links carry more than the file says,
// with damping that the file does not know, is recovered from a recorded motion under a controller, by Gauss-Newton.
#include <cmath>

#include "support.hpp"

using namespace tenon_test;

namespace {

using List = std::vector<double>;

// x: factors of the parameters of some links, and the damping of all joints.
class Identification : public ::testing::Test {
 protected:
  Identification() {
    for (std::size_t k = 0; k < nv; ++k) q.push_back(0.3 - 0.1 * static_cast<double>(k)), v.push_back(0.0);
  }
  void give(const List& x) {
    List masses(links), centers(3 * links), inertias(6 * links),
        damping(x.begin() + static_cast<ptrdiff_t>(scaled.size()), x.end());
    for (std::size_t l = 0; l < links; ++l)
      ASSERT_EQ(tenon_workspace_inertia(w.get(), static_cast<int32_t>(l), &masses[l], &centers[3 * l], 3,
                                        &inertias[6 * l], 6),
                TENON_OK);
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      const auto l = static_cast<std::size_t>(scaled[i]);
      masses[l] *= x[i];
      for (std::size_t e = 6 * l; e < 6 * l + 6; ++e) inertias[e] *= x[i];
    }
    const auto m = rows_of(masses, links), c = rows_of(centers, 3 * links), I = rows_of(inertias, 6 * links),
               d = rows_of(damping, nv);
    ASSERT_EQ(tenon_batch_set_parameters(b.get(), 1,
                                         options_of(tenon_batch_parameters_init,
                                                    [&](auto& o) {
                                                      o.masses = &m, o.centers_of_mass = &c, o.inertias = &I,
                                                      o.damping = &d;
                                                    })),
              TENON_OK)
        << tenon_batch_message(b.get());
  }
  // The motion of the robot x under a controller that follows a sine, and the torques that it computed.
  void record(const List& x) {
    give(x);
    List now_q = q, now_v = v;
    for (std::size_t step = 0; step < steps; ++step) {
      const double t = dt * static_cast<double>(step);
      List torque(nv);
      for (std::size_t k = 0; k < nv; ++k) {
        const double target = q[k] + 0.6 * std::sin((3 + static_cast<double>(k)) * t);
        torque[k] = 60 * std::pow(0.6, k) * (target - now_q[k] - 0.05 * now_v[k]);
      }
      tau.insert(tau.end(), torque.begin(), torque.end());
      const auto qs = rows_of(now_q, nv), vs = rows_of(now_v, nv), ts = rows_of(torque, nv);
      ASSERT_EQ(tenon_batch_rollout(b.get(), how(1), 1, &qs, &vs, &ts, nullptr, &qs, &vs, nullptr, 0),
                TENON_OK)
          << tenon_batch_message(b.get());
      if ((step + 1) % every != 0) continue;
      seen.insert(seen.end(), now_q.begin(), now_q.end());
      seen.insert(seen.end(), now_v.begin(), now_v.end());
    }
  }
  InPlace<tenon_rollout_options> how(std::size_t count) {
    return options_of(tenon_rollout_options_init,
                      [&](auto& o) { o.dt = dt, o.steps = count, o.every = count == 1 ? 1 : every; });
  }
  // Misses of the recorded torques on the robot x, record by record positions and velocities, and their derivatives by x,
  // a row for each: states of a batch, each with the gradient of one miss.
  void compare(const List& x, List& misses, List& J) {
    give(x);
    const std::size_t count = seen.size(), records = steps / every;
    const auto same = [&](List& list) { return strided(list, nv, 1, 0, static_cast<ptrdiff_t>(nv)); };
    List at_q(records * nv), at_v(at_q);
    const auto qs = same(q), vs = same(v), ts = same(tau);
    const auto to_q = strided(at_q, nv, 1, static_cast<ptrdiff_t>(at_q.size()), static_cast<ptrdiff_t>(nv)),
               to_v = strided(at_v, nv, 1, static_cast<ptrdiff_t>(at_v.size()), static_cast<ptrdiff_t>(nv));
    ASSERT_EQ(tenon_batch_rollout(b.get(), how(steps), 1, &qs, &vs, &ts, nullptr, &to_q, &to_v, nullptr, 0),
              TENON_OK)
        << tenon_batch_message(b.get());
    List up_q(count * records * nv), up_v(up_q), by_inertia(count * 10 * links), by_damping(count * nv);
    misses.clear();
    for (std::size_t r = 0; r < records; ++r)
      for (std::size_t k = 0; k < 2 * nv; ++k) {
        const std::size_t miss = misses.size(), at = r * nv + k % nv;
        misses.push_back((k < nv ? at_q : at_v)[at] - seen[miss]);
        (k < nv ? up_q : up_v)[miss * records * nv + at] = 1;
      }
    const auto of_records = [&](List& list) {
      return strided(list, nv, 1, static_cast<ptrdiff_t>(records * nv), static_cast<ptrdiff_t>(nv));
    };
    const auto uq = of_records(up_q), uv = of_records(up_v), gi = rows_of(by_inertia, 10 * links),
               gd = rows_of(by_damping, nv);
    ASSERT_EQ(tenon_batch_rollout_parameter_vjp(b.get(), how(steps), count, &qs, &vs, &ts, nullptr, &uq, &uv,
                                                nullptr, nullptr, nullptr, &gi, nullptr, &gd, nullptr,
                                                nullptr, nullptr, nullptr, 0),
              TENON_OK)
        << tenon_batch_message(b.get());
    J.clear();
    for (std::size_t i = 0; i < count; ++i) {
      for (const int32_t link : scaled) {
        double mass = 0, c[3], I[6], sum = 0;
        ASSERT_EQ(tenon_workspace_inertia(w.get(), link, &mass, c, 3, I, 6), TENON_OK);
        const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2],
                     pi[10] = {mass,
                               mass * c[0],
                               mass * c[1],
                               mass * c[2],
                               I[0] + mass * (cc - c[0] * c[0]),
                               I[1] - mass * c[0] * c[1],
                               I[2] - mass * c[0] * c[2],
                               I[3] + mass * (cc - c[1] * c[1]),
                               I[4] - mass * c[1] * c[2],
                               I[5] + mass * (cc - c[2] * c[2])};
        for (std::size_t e = 0; e < 10; ++e)
          sum += by_inertia[i * 10 * links + 10 * static_cast<std::size_t>(link) + e] * pi[e];
        J.push_back(sum);
      }
      J.insert(J.end(), by_damping.begin() + static_cast<ptrdiff_t>(i * nv),
               by_damping.begin() + static_cast<ptrdiff_t>((i + 1) * nv));
    }
  }
  // x += the least squares of J step = - misses.
  static void improve(const List& misses, const List& J, List& x) {
    const std::size_t n = x.size();
    List A(n * n), g(n);
    for (std::size_t i = 0; i < misses.size(); ++i)
      for (std::size_t a = 0; a < n; ++a) {
        g[a] -= J[i * n + a] * misses[i];
        for (std::size_t c = 0; c < n; ++c) A[a * n + c] += J[i * n + a] * J[i * n + c];
      }
    for (std::size_t k = 0; k < n; ++k) {  // without pivots, as A is positive definite
      ASSERT_GT(A[k * n + k], 0);
      for (std::size_t r = k + 1; r < n; ++r) {
        const double f = A[r * n + k] / A[k * n + k];
        for (std::size_t c = k; c < n; ++c) A[r * n + c] -= f * A[k * n + c];
        g[r] -= f * g[k];
      }
    }
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t c = k + 1; c < n; ++c) g[k] -= A[k * n + c] * g[c];
      g[k] /= A[k * n + k];
    }
    for (std::size_t k = 0; k < n; ++k) x[k] += g[k];
  }

  static constexpr double dt = 2e-3;
  static constexpr std::size_t steps = 240, every = 40;
  Model model = load("iiwa14");
  Workspace w = workspace(model);
  Batch b = batch(model);
  std::size_t nv = static_cast<std::size_t>(tenon_model_nv(model.get())),
              links = static_cast<std::size_t>(tenon_model_link_count(model.get()));
  std::vector<int32_t> scaled = {link(model, "iiwa_link_4"), link(model, "iiwa_link_6")};
  List q, v, tau, seen;
};

TEST_F(Identification, RecoversMassesAndDampingFromARecordedMotion) {
  List truth = {1.35, 0.8};
  for (std::size_t k = 0; k < nv; ++k) truth.push_back(0.4 + 0.1 * static_cast<double>(k % 3));
  record(truth);
  List x(truth.size(), 0.1), misses, J;
  std::fill_n(x.begin(), scaled.size(), 1.0);
  compare(x, misses, J);
  EXPECT_GT(largest(misses), 1e-2);
  for (int iteration = 0; iteration < 8; ++iteration) {
    improve(misses, J, x);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::max(x[k], k < scaled.size() ? 0.2 : 0.0);
    compare(x, misses, J);
  }
  EXPECT_LE(largest(misses), 1e-10);
  EXPECT_LE(largest_difference(x, truth), 1e-7);
}

}  // namespace
