// Each kind of bad input to a computation: its own status, a message that says what and where, nothing
// written, and the next good call on the same workspace right to the last bit.
#include <cmath>
#include <limits>

#include "support.hpp"

using namespace tenon_test;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class BadInput : public ::testing::Test {
 protected:
  Model model = load("atlas", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"l_foot", "r_foot"});
  Workspace w = workspace(model, set);
  State good{model, w.get(), 1, 12};
  State state = good;

  void SetUp() override {
    ASSERT_GE(good.constrained(w.get()), TENON_OK) << tenon_workspace_message(w.get());
  }

  // The call just made was refused for this reason, left its outputs alone, and did no harm.
  void refused(tenon_status got, tenon_status expected, const std::vector<std::string>& words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    const std::string message = tenon_workspace_message(w.get());
    for (const std::string& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << message << " / " << word;
    for (double x : state.qdd) EXPECT_EQ(x, 77.0);
    for (double x : state.lambda) EXPECT_EQ(x, 77.0);
    State again(model, w.get(), 1, 12);
    ASSERT_GE(again.constrained(w.get()), TENON_OK) << tenon_workspace_message(w.get());
    EXPECT_STREQ(tenon_workspace_message(w.get()), "");
    EXPECT_EQ(again.qdd, good.qdd);
    EXPECT_EQ(again.lambda, good.lambda);
  }

  BadInput() { state.qdd.assign(state.qdd.size(), 77.0), state.lambda.assign(12, 77.0); }
};

TEST_F(BadInput, NotFinite) {
  for (double bad : {nan, infinity, -infinity}) {
    for (std::vector<double> State::*input : {&State::q, &State::v, &State::tau}) {
      const double kept = (state.*input)[9];
      (state.*input)[9] = bad;
      refused(state.constrained(w.get()), TENON_NOT_FINITE,
              {input == &State::q   ? "q"
               : input == &State::v ? "v"
                                    : "tau"});
      refused(state.forward(w.get()), TENON_NOT_FINITE, {});
      (state.*input)[9] = kept;
    }
  }
}

TEST_F(BadInput, NotFiniteInOptionalInputs) {
  const auto links = static_cast<std::size_t>(tenon_model_link_count(model.get()));
  std::vector<double> wrenches(6 * links), desired(12);
  wrenches[7] = nan;
  refused(tenon_forward_dynamics(w.get(), state.q.data(), state.q.size(), state.v.data(), state.v.size(),
                                 state.tau.data(), state.tau.size(), wrenches.data(), wrenches.size(),
                                 state.qdd.data(), state.qdd.size()),
          TENON_NOT_FINITE, {"wrench"});
  desired[3] = infinity;
  refused(tenon_constrained_dynamics(w.get(), nullptr, state.q.data(), state.q.size(), state.v.data(),
                                     state.v.size(), state.tau.data(), state.tau.size(), nullptr, 0,
                                     desired.data(), desired.size(), state.qdd.data(), state.qdd.size(),
                                     state.lambda.data(), state.lambda.size()),
          TENON_NOT_FINITE, {"desired"});
  refused(tenon_integrate(w.get(), state.q.data(), state.q.size(), state.v.data(), state.v.size(), nan,
                          state.q.data(), state.q.size()),
          TENON_NOT_FINITE, {"dt"});
  EXPECT_EQ(state.q, good.q);
}

TEST_F(BadInput, QuaternionOffUnitNorm) {
  state.q[6] += 1e-4;
  refused(state.constrained(w.get()), TENON_NOT_NORMALIZED, {"quaternion"});
  for (std::size_t i = 3; i < 7; ++i) state.q[i] = 0;
  refused(state.constrained(w.get()), TENON_NOT_NORMALIZED, {"quaternion"});
  EXPECT_EQ(tenon_normalize(w.get(), state.q.data(), state.q.size()), TENON_NOT_NORMALIZED);
  EXPECT_EQ(state.q[3], 0);
}

TEST_F(BadInput, NormalizeMendsAQuaternion) {
  for (std::size_t i = 3; i < 7; ++i) state.q[i] *= 1.5;
  ASSERT_EQ(tenon_normalize(w.get(), state.q.data(), state.q.size()), TENON_OK);
  for (std::size_t i = 0; i < state.q.size(); ++i) EXPECT_NEAR(state.q[i], good.q[i], 1e-15);
}

TEST_F(BadInput, WrongCount) {
  const std::size_t nq = state.q.size(), nv = state.v.size();
  const auto solve = [&](std::size_t q, std::size_t v, std::size_t tau, std::size_t qdd, std::size_t lambda) {
    return tenon_constrained_dynamics(w.get(), nullptr, state.q.data(), q, state.v.data(), v,
                                      state.tau.data(), tau, nullptr, 0, nullptr, 0, state.qdd.data(), qdd,
                                      state.lambda.data(), lambda);
  };
  refused(solve(nq - 1, nv, nv, nv, 12), TENON_WRONG_SIZE, {"q", "36", "37"});
  refused(solve(nq, nv + 1, nv, nv, 12), TENON_WRONG_SIZE, {"v", "37", "36"});
  refused(solve(nq, nv, 0, nv, 12), TENON_WRONG_SIZE, {"tau", " 0 "});
  refused(solve(nq, nv, nv, nv - 1, 12), TENON_WRONG_SIZE, {"qdd"});
  refused(solve(nq, nv, nv, nv, 6), TENON_WRONG_SIZE, {"lambda", "12"});
}

TEST_F(BadInput, WrongMatrixSize) {
  const std::size_t nv = state.v.size();
  std::vector<double> M(nv * nv, 77.0);
  const auto mass = [&](std::size_t count, int32_t ld) {
    return tenon_mass_matrix(w.get(), state.q.data(), state.q.size(), M.data(), count, ld);
  };
  refused(mass(nv * nv - 1, 36), TENON_WRONG_SIZE, {"M", "1296"});
  refused(mass(nv * nv, 35), TENON_WRONG_SIZE, {"leading dimension", "35"});
  refused(mass(nv * nv, -1), TENON_WRONG_SIZE, {"leading dimension"});
  EXPECT_EQ(M, std::vector<double>(nv * nv, 77.0));
  EXPECT_EQ(mass(nv * nv, 36), TENON_OK);
}

// The functions of momentum, points and impacts refuse what their neighbours do.
TEST_F(BadInput, OfMomentumPointsAndImpacts) {
  const std::size_t nq = state.q.size(), nv = state.v.size();
  tenon_workspace* w_ = w.get();
  std::vector<double> C(nv * nv, 77.0), J(6 * nv, 77.0), impulse(12, 77.0);
  double six[6] = {77, 77, 77, 77, 77, 77}, point[3] = {0, 0, 0}, e[13] = {};
  const auto coriolis = [&](std::size_t v_count, std::size_t count, int32_t ld) {
    return tenon_coriolis_matrix(w_, state.q.data(), nq, state.v.data(), v_count, C.data(), count, ld);
  };
  refused(tenon_gravity_force(w_, state.q.data(), nq - 1, state.qdd.data(), nv), TENON_WRONG_SIZE, {"q"});
  refused(tenon_gravity_force(w_, state.q.data(), nq, nullptr, nv), TENON_INVALID_ARGUMENT, {"g is NULL"});
  refused(coriolis(nv + 1, C.size(), 36), TENON_WRONG_SIZE, {"v"});
  refused(coriolis(nv, C.size(), 35), TENON_WRONG_SIZE, {"C", "leading dimension"});
  state.v[7] = nan;
  refused(coriolis(nv, C.size(), 36), TENON_NOT_FINITE, {"v[7]"});
  state.v = good.v;
  const auto inverse = [&](std::size_t lambda_count) {
    return tenon_constrained_inverse_dynamics(w_, state.q.data(), nq, state.v.data(), nv, state.tau.data(),
                                              nv, nullptr, 0, impulse.data(), lambda_count, state.qdd.data(),
                                              nv);
  };
  refused(inverse(11), TENON_WRONG_SIZE, {"lambda", "12"});
  impulse[4] = infinity;
  refused(inverse(12), TENON_NOT_FINITE, {"lambda[4]"});
  impulse[4] = 77;
  std::vector<int32_t> motors(nv, 1);
  const auto underactuated = [&](std::size_t motor_count, std::size_t lambda_count) {
    return tenon_underactuated_inverse_dynamics(w_, motors.data(), motor_count, state.q.data(), nq,
                                                state.v.data(), nv, state.tau.data(), nv, nullptr, 0,
                                                impulse.data(), lambda_count, state.qdd.data(), nv);
  };
  refused(underactuated(nv - 1, 12), TENON_WRONG_SIZE, {"actuated", "36"});
  refused(underactuated(nv, 6), TENON_WRONG_SIZE, {"lambda"});
  motors[3] = -1;
  refused(underactuated(nv, 12), TENON_INVALID_ARGUMENT, {"actuated[3]"});
  const auto impact = [&](std::size_t e_count, std::size_t count) {
    return tenon_impact(w_, e, e_count, state.q.data(), nq, state.v.data(), nv, impulse.data(), count);
  };
  refused(impact(13, 12), TENON_WRONG_SIZE, {"restitution", "12"});
  refused(impact(12, 6), TENON_WRONG_SIZE, {"impulse", "12"});
  e[0] = 2;
  refused(impact(1, 12), TENON_INVALID_ARGUMENT, {"restitution[0]"});
  e[0] = nan;
  refused(impact(1, 12), TENON_NOT_FINITE, {"restitution"});
  EXPECT_EQ(state.v, good.v);
  EXPECT_EQ(impulse, std::vector<double>(12, 77.0));
  EXPECT_EQ(C, std::vector<double>(nv * nv, 77.0));

  ASSERT_EQ(tenon_kinematics(w_, state.q.data(), nq, nullptr, 0, nullptr, 0), TENON_OK);
  const int32_t links = tenon_model_link_count(model.get());
  const auto jacobian = [&](int32_t link, std::size_t count, int32_t axes) {
    return tenon_point_jacobian(w_, link, point, count, axes, J.data(), J.size(), 6);
  };
  refused(jacobian(links, 3, 0), TENON_OUT_OF_RANGE, {"link"});
  refused(jacobian(0, 2, 0), TENON_WRONG_SIZE, {"point"});
  refused(jacobian(0, 3, 7), TENON_INVALID_ARGUMENT, {"axes"});
  point[1] = nan;
  refused(jacobian(0, 3, 0), TENON_NOT_FINITE, {"point[1]"});
  refused(tenon_point_bias_acceleration(w_, 0, nullptr, 0, 0, six, 6), TENON_INVALID_ARGUMENT,
          {"velocities"});
  refused(tenon_link_bias_acceleration(w_, 0, 0, six, 6), TENON_INVALID_ARGUMENT, {"velocities"});
  refused(tenon_centroidal_momentum_bias(w_, six, 6), TENON_INVALID_ARGUMENT, {"velocities"});
  refused(tenon_centroidal_momentum_bias(w_, six, 5), TENON_WRONG_SIZE, {"bias"});
  refused(tenon_centroidal_momentum_matrix(w_, J.data(), J.size(), 5), TENON_WRONG_SIZE, {"A"});
  for (const double x : six) EXPECT_EQ(x, 77.0);
  EXPECT_EQ(J, std::vector<double>(6 * nv, 77.0));
  EXPECT_EQ(tenon_gravity_force(nullptr, state.q.data(), nq, state.qdd.data(), nv), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_impact(nullptr, nullptr, 0, state.q.data(), nq, state.v.data(), nv, nullptr, 0),
            TENON_INVALID_ARGUMENT);
}

TEST_F(BadInput, Null) {
  const std::size_t nq = state.q.size(), nv = state.v.size();
  refused(tenon_forward_dynamics(w.get(), nullptr, nq, state.v.data(), nv, state.tau.data(), nv, nullptr, 0,
                                 state.qdd.data(), nv),
          TENON_INVALID_ARGUMENT, {"tenon_forward_dynamics", "q is NULL"});
  refused(tenon_forward_dynamics(w.get(), state.q.data(), nq, state.v.data(), nv, state.tau.data(), nv,
                                 nullptr, 0, nullptr, nv),
          TENON_INVALID_ARGUMENT, {"qdd is NULL"});
  refused(tenon_link_jacobian(w.get(), 0, TENON_AXES_LINK, nullptr, 6 * nv, 6), TENON_INVALID_ARGUMENT,
          {"J is NULL"});
  EXPECT_EQ(state.forward(nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(state.constrained(nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_STRNE(tenon_workspace_message(nullptr), "");
  EXPECT_EQ(tenon_workspace_size_bytes(nullptr), 0U);
}

TEST_F(BadInput, IndexOutOfRange) {
  ASSERT_EQ(tenon_kinematics(w.get(), state.q.data(), state.q.size(), nullptr, 0, nullptr, 0), TENON_OK);
  double pose[7], six[6];
  for (int32_t index : {-1, tenon_model_link_count(model.get()), INT32_MAX, INT32_MIN}) {
    refused(tenon_link_pose(w.get(), index, pose, 7, nullptr, 0), TENON_OUT_OF_RANGE, {"link"});
    refused(tenon_link_velocity(w.get(), index, TENON_AXES_LINK, six, 6), TENON_OUT_OF_RANGE, {"link"});
  }
  for (int32_t index : {-1, 2, INT32_MAX}) {
    refused(tenon_workspace_anchor(w.get(), index, pose, 7), TENON_OUT_OF_RANGE, {"constraint", "2"});
    refused(tenon_workspace_set_anchor(w.get(), index, pose, 7), TENON_OUT_OF_RANGE, {"constraint"});
  }
}

TEST_F(BadInput, QueryBeforeKinematics) {
  Workspace fresh = workspace(model);
  double pose[7] = {77}, six[6], kinetic = 77;
  EXPECT_EQ(tenon_link_pose(fresh.get(), 0, pose, 7, nullptr, 0), TENON_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tenon_workspace_message(fresh.get())).find("kinematics"), std::string::npos);
  EXPECT_EQ(pose[0], 77);
  ASSERT_EQ(tenon_kinematics(fresh.get(), state.q.data(), state.q.size(), nullptr, 0, nullptr, 0), TENON_OK);
  EXPECT_EQ(tenon_link_pose(fresh.get(), 0, pose, 7, nullptr, 0), TENON_OK);
  EXPECT_EQ(tenon_link_velocity(fresh.get(), 0, TENON_AXES_LINK, six, 6), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_link_acceleration(fresh.get(), 0, TENON_AXES_LINK, six, 6), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_energy(fresh.get(), &kinetic, nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(kinetic, 77);
  EXPECT_EQ(
      tenon_mass_matrix_solve(fresh.get(), 1, state.v.data(), state.v.size(), 36, state.qdd.data(), 36, 36),
      TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_kinematics(fresh.get(), state.q.data(), state.q.size(), nullptr, 0, state.v.data(),
                             state.v.size()),
            TENON_INVALID_ARGUMENT);
}

TEST_F(BadInput, Options) {
  const auto with = [&](auto&& change) {
    tenon_solve_options options;
    EXPECT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
    change(options);
    return state.constrained(w.get(), &options);
  };
  refused(with([](auto& o) { o.method = 99; }), TENON_INVALID_ARGUMENT, {"method", "99"});
  refused(with([](auto& o) { o.method = -1; }), TENON_INVALID_ARGUMENT, {"method"});
  refused(with([](auto& o) { o.max_iterations = -1; }), TENON_INVALID_ARGUMENT, {"max_iterations"});
  refused(with([](auto& o) { o.warm_start = 2; }), TENON_INVALID_ARGUMENT, {"warm_start"});
  refused(with([](auto& o) { o.absolute_tolerance = 0; }), TENON_INVALID_ARGUMENT, {"absolute_tolerance"});
  refused(with([](auto& o) { o.relative_tolerance = -1; }), TENON_INVALID_ARGUMENT, {"relative_tolerance"});
  refused(with([](auto& o) { o.mu = nan; }), TENON_NOT_FINITE, {"tenon_solve_options"});
  refused(with([](auto& o) { o.tikhonov = -1; }), TENON_INVALID_ARGUMENT, {"tikhonov"});
  refused(with([](auto& o) { o.tikhonov = nan; }), TENON_NOT_FINITE, {"tenon_solve_options"});
  refused(with([](auto& o) { o.split_base = 3; }), TENON_INVALID_ARGUMENT, {"split_base"});
}

TEST_F(BadInput, WarmStartNeedsFiniteLambda) {
  tenon_solve_options options;
  ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
  options.warm_start = 1;
  EXPECT_EQ(tenon_constrained_dynamics(w.get(), &options, state.q.data(), state.q.size(), state.v.data(),
                                       state.v.size(), state.tau.data(), state.tau.size(), nullptr, 0,
                                       nullptr, 0, state.qdd.data(), state.qdd.size(), nullptr, 0),
            TENON_INVALID_ARGUMENT);
  state.lambda[5] = nan;
  EXPECT_EQ(state.constrained(w.get(), &options), TENON_NOT_FINITE);
  state.lambda[5] = 77.0;
  refused(TENON_NOT_FINITE, TENON_NOT_FINITE, {});
}

TEST_F(BadInput, EveryMethodWorksOrSaysThatItIsMissing) {
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
    SCOPED_TRACE(tenon_constant_name(TENON_CONSTANT_METHOD, method));
    tenon_solve_options options;
    ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
    options.method = method;
    State fresh(model, w.get(), 1, 12);
    const tenon_status status = fresh.constrained(w.get(), &options);
    if (status == TENON_UNSUPPORTED) {
      EXPECT_STRNE(tenon_workspace_message(w.get()), "");
      EXPECT_EQ(fresh.qdd, std::vector<double>(fresh.v.size(), 77.0));
    } else {
      EXPECT_GE(status, TENON_OK) << tenon_workspace_message(w.get());
    }
  }
}

TEST_F(BadInput, GravityAndAnchor) {
  const double bad[3] = {0, nan, 0}, off[7] = {0, 0, 0, 0, 0, 0, 1.1}, none[7] = {0, 0, 0, 0, 0, 0, nan};
  refused(tenon_workspace_set_gravity(w.get(), bad, 3), TENON_NOT_FINITE, {"gravity"});
  refused(tenon_workspace_set_gravity(w.get(), bad, 2), TENON_WRONG_SIZE, {"gravity"});
  refused(tenon_workspace_set_gravity(w.get(), nullptr, 3), TENON_INVALID_ARGUMENT, {"gravity is NULL"});
  refused(tenon_workspace_set_anchor(w.get(), 0, off, 7), TENON_NOT_NORMALIZED, {"quaternion"});
  refused(tenon_workspace_set_anchor(w.get(), 0, none, 7), TENON_NOT_FINITE, {"pose"});
}

}  // namespace
