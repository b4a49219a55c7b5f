// Impacts of many states through the C API, and their derivatives: against single calls, against central differences of whole
// calls; states that fail, rows that contradict each other, arrays and settings. tests/batch has random robots, with loops too.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../support.hpp"

using namespace tenon_test;

namespace {

constexpr std::size_t states = 19;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Go1 on its feet; twice: a foot is held by two constraints, whose rows depend on each other.
Constraints feet_of(const Model& model, bool twice = false, double frequency = 20) {
  Constraints set = constraints(model);
  const auto options = options_of(tenon_constraint_options_init, [&](auto& o) { o.frequency = frequency; });
  std::vector<const char*> names = {"FL_foot", "FR_foot", "RL_foot", "RR_foot"};
  if (twice) names.push_back("FL_foot");
  for (const char* name : names)
    EXPECT_EQ(
        tenon_constraints_add_point(set.get(), link(model, name), nullptr, 0, options, nullptr, nullptr, 0),
        TENON_OK);
  EXPECT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);
  return set;
}

template <class N>
struct Hits {
  using Numbers = std::vector<N>;

  explicit Hits(bool twice = false, int32_t threads = 1)
      : set(feet_of(model, twice)),
        w(workspace(model, set)),
        b(batch(model, set, threads,
                sizeof(N) == sizeof(float) ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE)) {
    nq = static_cast<std::size_t>(tenon_model_nq(model.get()));
    nv = static_cast<std::size_t>(tenon_model_nv(model.get()));
    m = static_cast<std::size_t>(tenon_batch_row_count(b.get()));
    std::vector<double> at(nq);
    for (std::size_t s = 0; s < states; ++s) {
      EXPECT_EQ(tenon_random(w.get(), s + 1, at.data(), nq), TENON_OK);
      q.insert(q.end(), at.begin(), at.end());
    }
    v = wave(nv, 0.3), dq = wave(nv, 1.1), dv = wave(nv, 2.3), gradient = wave(nv, 0.7),
    of_impulse = wave(m, 1.9);
    restitution = wave(m, 2.9);
    for (N& e : restitution) e = std::abs(e);
    after = Numbers(states * nv, N(-77)), impulse = Numbers(states * m, N(-77));
    by_q = by_v = after;
  }
  static Numbers wave(std::size_t count, double phase) {
    Numbers x(states * count);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<N>(std::sin(phase + 1.7 * static_cast<double>(i)));
    return x;
  }
  static std::vector<double> part(const Numbers& x, std::size_t s) {
    const std::size_t n = x.size() / states;
    return std::vector<double>(x.begin() + static_cast<ptrdiff_t>(s * n),
                               x.begin() + static_cast<ptrdiff_t>((s + 1) * n));
  }
  tenon_status hit(int32_t* status = nullptr) {
    const auto e = rows_of(restitution, m), qs = rows_of(q, nq), vs = rows_of(v, nv), to = rows_of(after, nv),
               i = rows_of(impulse, m);
    return tenon_batch_impact(b.get(), states, &e, &qs, &vs, &to, &i, status, states);
  }
  tenon_status vjp(int32_t* status = nullptr) {
    const auto e = rows_of(restitution, m), qs = rows_of(q, nq), vs = rows_of(v, nv),
               g = rows_of(gradient, nv), g_i = rows_of(of_impulse, m), to = rows_of(after, nv),
               i = rows_of(impulse, m), g_q = rows_of(by_q, nv), g_v = rows_of(by_v, nv);
    return tenon_batch_impact_vjp(b.get(), nullptr, states, &e, &qs, &vs, &g, &g_i, &to, &i, &g_q, &g_v,
                                  status, states);
  }
  const char* message() const { return tenon_batch_message(b.get()); }

  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set;
  Workspace w;
  Batch b;
  std::size_t nq, nv, m;
  Numbers q, v, dq, dv, gradient, of_impulse, restitution, after, impulse, by_q, by_v;
};

void expect_close(const std::vector<double>& found, const std::vector<double>& expected, double share) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE(largest_difference(found, expected), share * (1 + largest(expected)));
}

// Values, products and matrices of each state.
template <class N>
void expect_single_calls(double share) {
  Hits<N> x;
  const std::size_t n = x.nv, m = x.m;
  std::vector<N> forward(states * n), rate(states * m), D_q(states * n * n), D_v(D_q), I_q(states * m * n),
      I_v(I_q);
  const auto e = rows_of(x.restitution, m), qs = rows_of(x.q, x.nq), vs = rows_of(x.v, n),
             dqs = rows_of(x.dq, n), dvs = rows_of(x.dv, n), to = rows_of(forward, n), dto = rows_of(rate, m),
             D_qs = rows_of(D_q, n * n), D_vs = rows_of(D_v, n * n), I_qs = rows_of(I_q, m * n),
             I_vs = rows_of(I_v, m * n);
  ASSERT_EQ(x.hit(), TENON_OK) << x.message();
  const std::vector<N> after = x.after, impulse = x.impulse;
  ASSERT_EQ(x.vjp(), TENON_OK) << x.message();
  ASSERT_EQ(tenon_batch_impact_jvp(x.b.get(), nullptr, states, &e, &qs, &vs, &dqs, &dvs, nullptr, nullptr,
                                   &to, &dto, nullptr, 0),
            TENON_OK)
      << x.message();
  ASSERT_EQ(tenon_batch_impact_derivatives(x.b.get(), nullptr, states, &e, &qs, &vs, nullptr, nullptr, &D_qs,
                                           &D_vs, &I_qs, &I_vs, nullptr, 0),
            TENON_OK)
      << x.message();
  for (std::size_t s = 0; s < states; ++s) {
    SCOPED_TRACE(s);
    const auto part = [&](const std::vector<N>& list) { return Hits<N>::part(list, s); };
    const std::vector<double> q = part(x.q), v = part(x.v), r = part(x.restitution), g = part(x.gradient),
                              g_i = part(x.of_impulse), dq = part(x.dq), dv = part(x.dv);
    std::vector<double> v_after = v, forces(m), g_q(n), g_v(n), change(n), dforces(m), A(n * n), B(n * n),
                        C(m * n), D(m * n);
    tenon_workspace* w = x.w.get();
    const auto ld = static_cast<int32_t>(n), ldi = static_cast<int32_t>(m);
    ASSERT_EQ(tenon_impact(w, r.data(), m, q.data(), x.nq, v_after.data(), n, forces.data(), m), TENON_OK);
    ASSERT_EQ(tenon_impact_vjp(w, nullptr, r.data(), m, q.data(), x.nq, v.data(), n, g.data(), n, g_i.data(),
                               m, nullptr, 0, nullptr, 0, g_q.data(), n, g_v.data(), n),
              TENON_OK);
    ASSERT_EQ(tenon_impact_jvp(w, nullptr, r.data(), m, q.data(), x.nq, v.data(), n, dq.data(), n, dv.data(),
                               n, nullptr, 0, nullptr, 0, change.data(), n, dforces.data(), m),
              TENON_OK);
    ASSERT_EQ(tenon_impact_derivatives(w, nullptr, r.data(), m, q.data(), x.nq, v.data(), n, nullptr, 0,
                                       nullptr, 0, A.data(), n * n, ld, B.data(), n * n, ld, C.data(), m * n,
                                       ldi, D.data(), m * n, ldi),
              TENON_OK);
    expect_close(part(after), v_after, share), expect_close(part(impulse), forces, share);
    expect_close(part(x.after), v_after, share), expect_close(part(x.impulse), forces, share);
    expect_close(part(x.by_q), g_q, share), expect_close(part(x.by_v), g_v, share);
    expect_close(part(forward), change, share), expect_close(part(rate), dforces, share);
    expect_close(part(D_q), A, share), expect_close(part(D_v), B, share);
    expect_close(part(I_q), C, 10 * share), expect_close(part(I_v), D, 10 * share);
  }
}
TEST(BatchImpact, IsThatOfSingleCalls) {
  expect_single_calls<double>(1e-10);
}
TEST(BatchImpact, IsThatOfSingleCallsInFloats) {
  expect_single_calls<float>(1e-2);
}

// Products and matrices: of one weighted sum of all results, and of the results.
TEST(BatchImpact, DerivativesAreDifferencesOfWholeCalls) {
  Hits<double> x;
  const std::size_t n = x.nv, m = x.m;
  std::vector<double> forward(states * n), rate(states * m), D_q(states * n * n), D_v(D_q),
      I_q(states * m * n), I_v(I_q);
  const auto e = rows_of(x.restitution, m), qs = rows_of(x.q, x.nq), vs = rows_of(x.v, n),
             dqs = rows_of(x.dq, n), dvs = rows_of(x.dv, n), to = rows_of(forward, n), dto = rows_of(rate, m);
  // Row by row: entry (i, k) of a state at [i n + k].
  const auto by_rows = options_of(tenon_derivative_options_init, [](auto& o) { o.row_major = 1; });
  const auto D_qs = rows_of(D_q, n * n), D_vs = rows_of(D_v, n * n), I_qs = rows_of(I_q, m * n),
             I_vs = rows_of(I_v, m * n);
  ASSERT_EQ(x.vjp(), TENON_OK) << x.message();
  ASSERT_EQ(tenon_batch_impact_jvp(x.b.get(), nullptr, states, &e, &qs, &vs, &dqs, &dvs, nullptr, nullptr,
                                   &to, &dto, nullptr, 0),
            TENON_OK)
      << x.message();
  ASSERT_EQ(tenon_batch_impact_derivatives(x.b.get(), by_rows, states, &e, &qs, &vs, nullptr, nullptr, &D_qs,
                                           &D_vs, &I_qs, &I_vs, nullptr, 0),
            TENON_OK)
      << x.message();
  constexpr double h = 1e-6;
  const auto moved = [&](double t, std::vector<double>& after, std::vector<double>& impulse) {
    Hits<double> there;
    for (std::size_t s = 0; s < states; ++s)
      EXPECT_EQ(
          tenon_integrate(x.w.get(), &x.q[s * x.nq], x.nq, &x.dq[s * n], n, t, &there.q[s * x.nq], x.nq),
          TENON_OK);
    for (std::size_t i = 0; i < x.v.size(); ++i) there.v[i] = x.v[i] + t * x.dv[i];
    EXPECT_EQ(there.hit(), TENON_OK) << there.message();
    after = there.after, impulse = there.impulse;
  };
  std::vector<double> after[2], impulse[2];
  moved(h, after[0], impulse[0]), moved(-h, after[1], impulse[1]);
  for (std::size_t s = 0; s < states; ++s) {
    SCOPED_TRACE(s);
    double along = 0, by = 0, size = 0;
    const auto check = [&](std::size_t count, const std::vector<double>* values,
                           const std::vector<double>& product, const std::vector<double>& of_q,
                           const std::vector<double>& of_v, const std::vector<double>& weights) {
      for (std::size_t i = s * count; i < (s + 1) * count; ++i) {
        const double slope = (values[0][i] - values[1][i]) / (2 * h);
        double matrix = 0, terms = 1;
        for (std::size_t k = 0; k < n; ++k)
          for (const double x_ : {of_q[i * n + k] * x.dq[s * n + k], of_v[i * n + k] * x.dv[s * n + k]})
            matrix += x_, terms += std::abs(x_);
        EXPECT_LE(std::abs(product[i] - slope), 2e-7 * terms);
        EXPECT_LE(std::abs(product[i] - matrix), 1e-11 * terms);
        along += weights[i] * product[i], size += std::abs(weights[i] * product[i]);
      }
    };
    check(n, after, forward, D_q, D_v, x.gradient), check(m, impulse, rate, I_q, I_v, x.of_impulse);
    for (std::size_t k = s * n; k < (s + 1) * n; ++k)
      for (const double x_ : {x.by_q[k] * x.dq[k], x.by_v[k] * x.dv[k]}) by += x_, size += std::abs(x_);
    EXPECT_LE(std::abs(along - by), 1e-11 * size);
  }
}

// A state that fails is not written, and its neighbours have the digits that they have without it, on any threads.
TEST(BatchImpact, StatesFailAlone) {
  Hits<double> good, bad, threaded(false, 2);
  ASSERT_EQ(good.vjp(), TENON_OK);
  for (Hits<double>* x : {&bad, &threaded}) {
    x->q[2 * x->nq + 7] = nan, x->v[5 * x->nv] = nan, x->restitution[9 * x->m + 3] = 1.25;
    x->q[11 * x->nq + 6] += 0.1, x->v[13 * x->nv + 4] = 1e308;
    x->restitution[14 * x->m] = -0.5;
  }
  const std::vector<std::pair<std::size_t, int32_t>> failed = {
      {2, TENON_NOT_FINITE},      {5, TENON_NOT_FINITE},  {9, TENON_INVALID_ARGUMENT},
      {11, TENON_NOT_NORMALIZED}, {13, TENON_NOT_FINITE}, {14, TENON_INVALID_ARGUMENT}};
  const auto check = [&](Hits<double>& x, const int32_t* status, bool products) {
    for (std::size_t s = 0; s < states; ++s) {
      const auto one =
          std::find_if(failed.begin(), failed.end(), [&](const auto& f) { return f.first == s; });
      const bool fails = one != failed.end();
      EXPECT_EQ(status[s], fails ? one->second : TENON_OK) << s;
      const auto compare = [&](const std::vector<double>& found, const std::vector<double>& expected) {
        const std::size_t n = found.size() / states;
        for (std::size_t i = s * n; i < (s + 1) * n; ++i)
          EXPECT_EQ(found[i], fails ? -77.0 : expected[i]) << s;
      };
      if (products) {
        compare(x.after, good.after), compare(x.impulse, good.impulse);
        compare(x.by_q, good.by_q), compare(x.by_v, good.by_v);
      } else if (fails) {
        compare(x.after, good.after), compare(x.impulse, good.impulse);
      }
    }
  };
  for (Hits<double>* x : {&bad, &threaded}) {
    int32_t status[states];
    EXPECT_EQ(x->vjp(status), TENON_NOT_FINITE);
    EXPECT_EQ(std::string(x->message()).find("state 2: q["), 0U) << x->message();
    check(*x, status, true);
    std::fill(x->after.begin(), x->after.end(), -77.0),
        std::fill(x->impulse.begin(), x->impulse.end(), -77.0);
    EXPECT_EQ(x->hit(status), TENON_NOT_FINITE);
    check(*x, status, false);
  }
  EXPECT_EQ(bad.after, threaded.after);
  EXPECT_EQ(bad.impulse, threaded.impulse);
}

// Rows that depend on each other: with one rebound for all they are taken, with different ones they contradict each other.
TEST(BatchImpact, RowsThatContradictEachOtherAreToldInStatus) {
  Hits<double> x(true);
  std::fill(x.restitution.begin(), x.restitution.end(), 0.25);
  int32_t status[states];
  ASSERT_EQ(x.hit(status), TENON_OK) << x.message();
  EXPECT_EQ(std::count(status, status + states, TENON_OK), static_cast<ptrdiff_t>(states));
  ASSERT_EQ(x.vjp(status), TENON_OK) << x.message();
  for (std::size_t r = 12; r < 15; ++r) x.restitution[4 * x.m + r] = 0.75;
  ASSERT_EQ(x.hit(status), TENON_OK) << x.message();
  for (std::size_t s = 0; s < states; ++s) {
    EXPECT_EQ(status[s], s == 4 ? TENON_INFEASIBLE : TENON_OK);
    std::vector<double> v = Hits<double>::part(x.v, s), forces(x.m);
    const std::vector<double> q = Hits<double>::part(x.q, s), e = Hits<double>::part(x.restitution, s);
    EXPECT_EQ(tenon_impact(x.w.get(), e.data(), x.m, q.data(), x.nq, v.data(), x.nv, forces.data(), x.m),
              status[s]);
    expect_close(Hits<double>::part(x.after, s), v, 1e-9);
  }
  const std::vector<double> before = x.by_q;
  EXPECT_EQ(x.vjp(status), TENON_UNSUPPORTED);
  for (std::size_t s = 0; s < states; ++s) EXPECT_EQ(status[s], s == 4 ? TENON_UNSUPPORTED : TENON_OK);
  EXPECT_EQ(x.by_q, before);
}

// One number for all rows and states, none, results in the place of what they come from, and what is not wanted.
TEST(BatchImpact, TakesStridesOfZeroAndItsOwnInput) {
  Hits<double> x;
  std::vector<double> one(1, 0.4), moved = x.v;
  tenon_batch_array same = strided(one, x.m, 0, 0);
  const auto qs = rows_of(x.q, x.nq), vs = rows_of(x.v, x.nv), in_place = rows_of(moved, x.nv),
             to = rows_of(x.after, x.nv);
  std::fill(x.restitution.begin(), x.restitution.end(), 0.4);
  ASSERT_EQ(x.hit(), TENON_OK);
  const std::vector<double> expected = x.after;
  ASSERT_EQ(tenon_batch_impact(x.b.get(), states, &same, &qs, &in_place, &in_place, nullptr, nullptr, 0),
            TENON_OK)
      << x.message();
  EXPECT_EQ(moved, expected);
  ASSERT_EQ(tenon_batch_impact(x.b.get(), states, nullptr, &qs, &vs, &to, nullptr, nullptr, 0), TENON_OK);
  const std::vector<double> stopped = x.after;
  std::fill(x.restitution.begin(), x.restitution.end(), 0.0);
  ASSERT_EQ(x.hit(), TENON_OK);
  EXPECT_EQ(x.after, stopped);
  same.count = 1;
  EXPECT_EQ(tenon_batch_impact(x.b.get(), states, &same, &qs, &vs, &to, nullptr, nullptr, 0),
            TENON_WRONG_SIZE);
  EXPECT_NE(std::string(x.message()).find("restitution"), std::string::npos) << x.message();
  EXPECT_EQ(tenon_batch_impact(x.b.get(), states, nullptr, &qs, &vs, nullptr, nullptr, nullptr, 0),
            TENON_INVALID_ARGUMENT);
}

// Anchors and gains have no part in an impact; constraints that are off have none, and robots of states have their own.
TEST(BatchImpact, HonoursWhatStatesHave) {
  Hits<double> x;
  ASSERT_EQ(x.vjp(), TENON_OK) << x.message();  // without anchors, which other functions need
  const std::vector<double> after = x.after, by_q = x.by_q;
  std::vector<double> poses(states * 28, 3e4), active(states * 4, 1.0), masses;
  for (std::size_t i = 3; i < poses.size(); i += 7)
    poses[i] = poses[i + 1] = poses[i + 2] = 0, poses[i + 3] = 1;
  const auto anchors = rows_of(poses, 28), on = rows_of(active, 4);
  ASSERT_EQ(tenon_batch_set_anchors(x.b.get(), states, &anchors), TENON_OK);
  ASSERT_EQ(x.vjp(), TENON_OK) << x.message();
  EXPECT_EQ(x.after, after);
  EXPECT_EQ(x.by_q, by_q);
  for (std::size_t s = 1; s < states; s += 2) active[4 * s + 2] = 0;
  ASSERT_EQ(tenon_batch_set_active(x.b.get(), states, &on), TENON_OK);
  const std::size_t links = static_cast<std::size_t>(tenon_model_link_count(x.model.get()));
  const Batch plain = batch(x.model, x.set);
  std::vector<double> usual(links);
  const auto told = rows_of(usual, links);
  ASSERT_EQ(tenon_batch_robots(plain.get(), 1, &told, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr, nullptr),
            TENON_OK);
  for (std::size_t s = 0; s < states; ++s)
    for (const double mass : usual) masses.push_back(mass * (1 + 0.02 * static_cast<double>(s)));
  const auto of_links = rows_of(masses, links);
  const auto own = options_of(tenon_batch_parameters_init, [&](auto& p) { p.masses = &of_links; });
  ASSERT_EQ(tenon_batch_set_parameters(x.b.get(), states, own), TENON_OK) << x.message();
  ASSERT_EQ(x.vjp(), TENON_OK) << x.message();
  for (std::size_t s = 0; s < states; ++s) {
    SCOPED_TRACE(s);
    tenon_workspace* w = x.w.get();
    ASSERT_EQ(tenon_workspace_set_active(w, 2, s % 2 == 0), TENON_OK);
    for (std::size_t l = 0; l < links; ++l) {
      double mass = 0, center[3], inertia[6];
      ASSERT_EQ(tenon_workspace_inertia(w, static_cast<int32_t>(l), &mass, center, 3, inertia, 6), TENON_OK);
      if (mass == 0) continue;
      ASSERT_EQ(tenon_workspace_set_inertia(w, static_cast<int32_t>(l), masses[s * links + l], center, 3,
                                            inertia, 6),
                TENON_OK)
          << tenon_workspace_message(w);
    }
    const auto part = [&](const std::vector<double>& list) { return Hits<double>::part(list, s); };
    const std::vector<double> q = part(x.q), v = part(x.v), e = part(x.restitution), g = part(x.gradient),
                              g_i = part(x.of_impulse);
    std::vector<double> after_one(x.nv), forces(x.m), g_q(x.nv), g_v(x.nv);
    ASSERT_EQ(tenon_impact_vjp(w, nullptr, e.data(), x.m, q.data(), x.nq, v.data(), x.nv, g.data(), x.nv,
                               g_i.data(), x.m, after_one.data(), x.nv, forces.data(), x.m, g_q.data(), x.nv,
                               g_v.data(), x.nv),
              TENON_OK)
        << tenon_workspace_message(w);
    expect_close(part(x.after), after_one, 1e-9), expect_close(part(x.impulse), forces, 1e-9);
    expect_close(part(x.by_q), g_q, 1e-9), expect_close(part(x.by_v), g_v, 1e-9);
  }
}

TEST(BatchImpact, WithoutConstraintsChangesNothing) {
  Hits<double> x;
  const Batch free = batch(x.model);
  const auto qs = rows_of(x.q, x.nq), vs = rows_of(x.v, x.nv), g = rows_of(x.gradient, x.nv),
             to = rows_of(x.after, x.nv), g_q = rows_of(x.by_q, x.nv), g_v = rows_of(x.by_v, x.nv);
  ASSERT_EQ(tenon_batch_impact(free.get(), states, nullptr, &qs, &vs, &to, nullptr, nullptr, 0), TENON_OK);
  EXPECT_EQ(x.after, x.v);
  ASSERT_EQ(tenon_batch_impact_vjp(free.get(), nullptr, states, nullptr, &qs, &vs, &g, nullptr, nullptr,
                                   nullptr, &g_q, &g_v, nullptr, 0),
            TENON_OK);
  EXPECT_EQ(x.by_v, x.gradient);
  EXPECT_EQ(largest(x.by_q), 0);
}

TEST(BatchImpact, ReportsTellHowRowsWereSolved) {
  Hits<double> x;
  const auto options = options_of(tenon_batch_options_init, [](auto& o) { o.reports = 1; });
  tenon_batch* made = nullptr;
  ASSERT_EQ(tenon_batch_create(x.model.get(), x.set.get(), options, &made, nullptr, 0), TENON_OK);
  x.b.reset(made);
  x.v[3 * x.nv] = nan;
  EXPECT_EQ(x.hit(), TENON_NOT_FINITE);
  for (std::size_t s = 0; s < states; ++s) {
    tenon_solve_report report;
    ASSERT_EQ(tenon_solve_report_init(&report, sizeof report), TENON_OK);
    ASSERT_EQ(tenon_batch_report(x.b.get(), s, &report), TENON_OK);
    EXPECT_EQ(report.iterations > 0, s != 3);
    EXPECT_LE(report.primal_residual, 1e-9);
  }
}

}  // namespace
