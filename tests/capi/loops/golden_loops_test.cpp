// The numbers of independent programs for robots with kinematic loops (tests/golden/data/README.md) through
// tenon.h, by every treatment of loops and every method, in spanning and in independent coordinates.
#include "golden_file.hpp"

using namespace tenon_test;

namespace {

struct Kind {
  int32_t positions, velocities;
};
constexpr Kind kinds[] = {{TENON_COORDINATES_SPANNING, TENON_COORDINATES_SPANNING},
                          {TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT},
                          {TENON_COORDINATES_INDEPENDENT, TENON_COORDINATES_INDEPENDENT}};

// A file, and one of its states in the coordinates that are asked for.
class GoldenLoops : public ::testing::TestWithParam<std::string>, protected GoldenFile {
 protected:
  GoldenLoops() : GoldenFile(GetParam()), independent(static_cast<size_t>(tenon_model_ny(model.get()))) {
    EXPECT_EQ(tenon_model_independent_v(model.get(), independent.data(), independent.size()), TENON_OK);
  }

  Workspace workspace_in(const Kind& kind, const Constraints& set, const Vector& q) const {
    Workspace w = workspace(model, set);
    EXPECT_EQ(tenon_workspace_set_coordinates(w.get(), kind.positions, kind.velocities), TENON_OK)
        << tenon_workspace_message(w.get());
    EXPECT_EQ(tenon_workspace_set_guess(w.get(), q.data(), q.size()), TENON_OK)
        << tenon_workspace_message(w.get());
    return w;
  }

  // A configuration, a velocity or acceleration, and forces in the coordinates of a workspace.
  static Vector positions(const Kind& kind, tenon_workspace* w, const Vector& q) {
    if (kind.positions == TENON_COORDINATES_SPANNING) return q;
    Vector y(static_cast<size_t>(tenon_workspace_position_count(w)));
    EXPECT_EQ(tenon_independent_position(w, q.data(), q.size(), y.data(), y.size()), TENON_OK);
    return y;
  }
  Vector motion(const Kind& kind, const Vector& v) const {
    if (kind.velocities == TENON_COORDINATES_SPANNING) return v;
    Vector y;
    for (const int32_t k : independent) y.push_back(v[static_cast<size_t>(k)]);
    return y;
  }
  static Vector forces(const Kind& kind, tenon_workspace* w, const Vector& q, const Vector& tau) {
    if (kind.velocities == TENON_COORDINATES_SPANNING) return tau;
    Vector y(static_cast<size_t>(tenon_workspace_velocity_count(w)));
    EXPECT_EQ(tenon_independent_force(w, q.data(), q.size(), tau.data(), tau.size(), y.data(), y.size()),
              TENON_OK);
    return y;
  }

  std::vector<int32_t> independent;
};

TEST_P(GoldenLoops, EveryTreatmentInBothCoordinates) {
  for (const Json& state : cases) {
    const Vector q = configuration(state), v = velocity(state.at("v")), tau = velocity(state.at("tau")),
                 qdd = velocity(state.at("loop").at("qdd"));
    for (const Kind& kind : kinds) {
      Workspace w = workspace_in(kind, nullptr, q);
      const Vector p = positions(kind, w.get(), q), rate = motion(kind, v),
                   force = forces(kind, w.get(), q, tau), expected = motion(kind, qdd);
      Vector x(rate.size());
      const size_t n = x.size();
      ASSERT_EQ(tenon_forward_dynamics(w.get(), p.data(), p.size(), rate.data(), n, force.data(), n, nullptr,
                                       0, x.data(), n),
                TENON_OK)
          << tenon_workspace_message(w.get());
      EXPECT_LE(relative_error(x, expected), tolerance);
#ifdef TENON_EXPERIMENTAL
      for (int32_t method = TENONX_LOOP_METHOD_AUTOMATIC; method <= TENONX_LOOP_METHOD_MULTIPLIERS;
           ++method) {
        SCOPED_TRACE(method);
        ASSERT_EQ(tenonx_loop_forward_dynamics(w.get(), method, p.data(), p.size(), rate.data(), n,
                                               force.data(), n, nullptr, 0, x.data(), n),
                  TENON_OK)
            << tenon_workspace_message(w.get());
        EXPECT_LE(relative_error(x, expected), tolerance);
      }
#endif
      if (kind.velocities == TENON_COORDINATES_SPANNING) continue;
      // ID(FD(tau)) = tau.
      ASSERT_EQ(tenon_inverse_dynamics(w.get(), p.data(), p.size(), rate.data(), n, expected.data(), n,
                                       nullptr, 0, x.data(), n),
                TENON_OK);
      for (size_t i = 0; i < n; ++i) x[i] -= force[i];
      EXPECT_LE(norm(x), 10 * tolerance * (norm(force) + norm(expected)));
    }
  }
}

TEST_P(GoldenLoops, ContactsByEveryMethodInBothCoordinates) {
  if (file.at("contacts").empty()) return;
  const Constraints set = contacts();
  int solved[16] = {};
  for (const Json& state : cases) {
    if (!state.contains("loop_and_contact")) continue;
    const Json& answer = state.at("loop_and_contact");
    const double allowed = tolerance * std::max(1.0, 1e-6 / answer.at("min_kept_over_max").get<double>());
    const Vector q = configuration(state), v = velocity(state.at("v")), tau = velocity(state.at("tau")),
                 qdd = velocity(answer.at("qdd"));
    for (const Kind& kind : kinds) {
      Workspace w = workspace_in(kind, set, q);
      const Vector p = positions(kind, w.get(), q), rate = motion(kind, v),
                   force = forces(kind, w.get(), q, tau);
      Vector x(rate.size());
      const size_t n = x.size();
      for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
        SCOPED_TRACE(tenon_constant_name(TENON_CONSTANT_METHOD, method));
        tenon_solve_options options;
        ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
        options.method = method;
        const tenon_status status =
            tenon_constrained_dynamics(w.get(), &options, p.data(), p.size(), rate.data(), n, force.data(), n,
                                       nullptr, 0, nullptr, 0, x.data(), n, nullptr, 0);
        if (status == TENON_UNSUPPORTED) continue;
        EXPECT_EQ(status, TENON_OK) << tenon_workspace_message(w.get());
        // Sweeps over stiff springs round more where contacts are nearly redundant.
        EXPECT_LE(relative_error(x, motion(kind, qdd)), allowed * (method == TENON_METHOD_PV_SOFT ? 10 : 1));
        ++solved[method];
      }
    }
  }
  for (const int32_t method : {TENON_METHOD_AUTOMATIC, TENON_METHOD_DENSE, TENON_METHOD_CONSTRAINED_ABA,
                               TENON_METHOD_PV, TENON_METHOD_PROX_PV, TENON_METHOD_PV_SOFT})
    EXPECT_GE(solved[method], 3) << tenon_constant_name(TENON_CONSTANT_METHOD, method);
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenLoops,
                         ::testing::ValuesIn(tenon_golden::names(tenon_golden::Robots::with_loops)),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
