// Arguments of batches at their borders: no states, no coordinates, strides that lead nowhere; and settings of
// constraints for each state.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "support.hpp"

using namespace tenon_test;

namespace {

constexpr auto farthest = std::numeric_limits<ptrdiff_t>::max();

struct BatchArguments : ::testing::Test {
  void fails(tenon_status status, tenon_status expected, const char* words) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::strstr(tenon_batch_message(b.get()), words), nullptr) << tenon_batch_message(b.get());
  }
  void works(tenon_status status) {
    EXPECT_EQ(status, TENON_OK);
    EXPECT_STREQ(tenon_batch_message(b.get()), "");
  }
  // Leaves the message of a call that failed.
  void fail_once() {
    std::vector<double> q(7, std::nan("")), v(7), qdd(7);
    const auto qs = rows_of(q, 7), vs = rows_of(v, 7), out = rows_of(qdd, 7);
    fails(tenon_batch_forward_dynamics(b.get(), 1, &qs, &vs, &vs, nullptr, &out, nullptr), TENON_NOT_FINITE,
          "state 0: q[0] is NaN");
  }

  Model model = load("iiwa14");
  Constraints set = welds(model, {"iiwa_link_7"});
  Batch b = batch(model, set);
};

TEST_F(BatchArguments, NoStatesAreNoWork) {
  double x = 77;
  const tenon_batch_array empty{nullptr, 7, 1, 0, 0}, some{&x, 7, 0, 0, 0}, rows{nullptr, 6, 1, 0, 0};
  const int32_t link = 3;
  int32_t status = 77;
  for (const tenon_batch_array* a : {static_cast<const tenon_batch_array*>(nullptr), &empty, &some}) {
    fail_once();
    works(tenon_batch_forward_dynamics(b.get(), 0, a, a, a, nullptr, a, &status));
    works(tenon_batch_inverse_dynamics(b.get(), 0, a, a, a, nullptr, a, &status));
    works(tenon_batch_constrained_dynamics(b.get(), nullptr, 0, a, a, a, nullptr, &rows, a, &rows, &status,
                                           &status));
    works(tenon_batch_rollout(b.get(), options_of(tenon_rollout_options_init, [](auto& o) { o.steps = 5; }),
                              0, a, a, a, nullptr, a, a, &status));
    works(tenon_batch_anchor_here(b.get(), 0, a, &status));
    const tenon_batch_array* matrix = nullptr;
    works(tenon_batch_mass_matrix(b.get(), 0, a, matrix, &status));
    works(tenon_batch_mass_matrix_lower(b.get(), 0, a, matrix, &status));
    works(tenon_batch_mass_matrix_factor(b.get(), 0, a, matrix, &status));
    works(tenon_batch_delassus(b.get(), nullptr, 0, a, matrix, &status));
    works(tenon_batch_delassus_product(b.get(), nullptr, 0, 2, a, matrix, matrix, &status));
    works(tenon_batch_kinematics(b.get(), 0, &link, 1, TENON_AXES_WORLD, a, a, matrix, matrix, matrix,
                                 &status));
    works(tenon_batch_set_anchors(b.get(), 0, matrix));
    works(tenon_batch_anchors(b.get(), 0, matrix));
    works(tenon_batch_set_active(b.get(), 0, matrix));
    works(tenon_batch_set_gains(b.get(), 0, matrix, matrix));
    works(tenon_batch_set_parameters(b.get(), 0, nullptr));
    works(tenon_batch_set_parameters(b.get(), 0, options_of(tenon_batch_parameters_init, [&](auto& o) {
                                       o.masses = o.gravity = matrix;
                                     })));
  }
  EXPECT_EQ(x, 77);
  EXPECT_EQ(status, 77);
}

TEST_F(BatchArguments, GoodCallsLeaveNoOldMessage) {
  const double gravity[3] = {0, 0, -1}, pose[7] = {0, 0, 0, 0, 0, 0, 1};
  std::vector<double> poses(7), numbers(1, 1.0), q(7, 0.1);
  poses[6] = 1;
  const auto p = rows_of(poses, 7), n = rows_of(numbers, 1), qs = rows_of(q, 7);
  fail_once(), works(tenon_batch_set_gravity(b.get(), gravity, 3));
  fail_once(),
      works(tenon_batch_set_coordinates(b.get(), TENON_COORDINATES_SPANNING, TENON_COORDINATES_SPANNING));
  fail_once(), works(tenon_batch_set_anchor(b.get(), 0, pose, 7));
  fail_once(), works(tenon_batch_set_anchors(b.get(), 1, &p));
  fail_once(), works(tenon_batch_anchors(b.get(), 1, &p));
  fail_once(), works(tenon_batch_set_active(b.get(), 1, &n));
  fail_once(), works(tenon_batch_set_gains(b.get(), 1, &n, &n));
  fail_once(), works(tenon_batch_anchor_here(b.get(), 1, &qs, nullptr));
}

TEST_F(BatchArguments, StridesThatLeadNowhere) {
  std::vector<double> q(70, 0.1), v(70), out(700, -77);
  auto qs = rows_of(q, 7), vs = rows_of(v, 7), to = rows_of(out, 7);
  const auto roll = [&](std::size_t steps) {
    return tenon_batch_rollout(b.get(),
                               options_of(tenon_rollout_options_init, [&](auto& o) { o.steps = steps; }), 2,
                               &qs, &vs, &vs, nullptr, &to, nullptr, nullptr);
  };
  fails(roll(10), TENON_INVALID_ARGUMENT, "q_out: with a stride of 0");
  to.record_stride = 14;
  works(roll(10));
  fails(roll(std::numeric_limits<std::size_t>::max()), TENON_INVALID_ARGUMENT,
        "q_out reaches over more bytes");
  to.record_stride = 0;
  works(roll(1));
  const auto forward = [&](std::size_t states) {
    return tenon_batch_forward_dynamics(b.get(), states, &qs, &vs, &vs, nullptr, &to, nullptr);
  };
  qs.state_stride = 0, vs.state_stride = 0;
  fails(forward(std::size_t{1} << 62), TENON_INVALID_ARGUMENT, "qdd reaches over more bytes");
  for (const ptrdiff_t stride : {farthest, -farthest - 1, farthest / 8}) {
    to.state_stride = stride;
    fails(forward(10), TENON_INVALID_ARGUMENT, "qdd reaches over more bytes");
    to.state_stride = 7;
    qs.number_stride = stride;
    fails(forward(10), TENON_INVALID_ARGUMENT, "q reaches over more bytes");
    qs.number_stride = 1;
  }
  works(forward(10));
}

TEST_F(BatchArguments, ParametersHaveTheirSizes) {
  const std::size_t links = static_cast<std::size_t>(tenon_model_link_count(model.get()));
  std::vector<double> numbers(7 * links * 4, 1.0);
  const auto set_to = [&](std::size_t count, ptrdiff_t stride,
                          const tenon_batch_array* tenon_batch_parameters::*field) {
    const tenon_batch_array a = {numbers.data(), count, 1, stride, 0};
    return tenon_batch_set_parameters(
        b.get(), 3, options_of(tenon_batch_parameters_init, [&](auto& o) { o.*field = &a; }));
  };
  struct Part {
    const tenon_batch_array* tenon_batch_parameters::*field;
    std::size_t count;
    const char* name;
  };
  using P = tenon_batch_parameters;
  for (const Part& part :
       {Part{&P::masses, links, "masses"}, Part{&P::centers_of_mass, 3 * links, "centers_of_mass"},
        Part{&P::inertias, 6 * links, "inertias"}, Part{&P::armatures, 7, "armatures"},
        Part{&P::damping, 7, "damping"}, Part{&P::friction, 7, "friction"}, Part{&P::gravity, 3, "gravity"},
        Part{&P::weights, 6, "weights"}, Part{&P::compliance, 6, "compliance"},
        Part{&P::frames, 7, "frames"}}) {
    const std::string counts =
        std::string(part.name) + " has " + std::to_string(part.count + 1) + " numbers for each state";
    fails(set_to(part.count + 1, 0, part.field), TENON_WRONG_SIZE, counts.c_str());
    const std::string reach = std::string(part.name) + " reaches over more bytes";
    fails(set_to(part.count, farthest, part.field), TENON_INVALID_ARGUMENT, reach.c_str());
  }
  works(set_to(links, 0, &P::masses));
  tenon_batch_parameters wrong;
  ASSERT_EQ(tenon_batch_parameters_init(&wrong, sizeof wrong), TENON_OK);
  wrong.reserved = 1;
  fails(tenon_batch_set_parameters(b.get(), 1, &wrong), TENON_UNSUPPORTED, "'reserved' is not 0");
  // Of an older version, which ended with the masses.
  wrong.reserved = 0, wrong.struct_size = 16;
  wrong.gravity = reinterpret_cast<const tenon_batch_array*>(&wrong);  // not read
  works(tenon_batch_set_parameters(b.get(), 1, &wrong));
}

TEST_F(BatchArguments, ResultsAndTargetsOfRolloutsHaveTheirSizes) {
  std::vector<double> q(21, 0.1), v(21), to(3 * 4 * 8, -77);
  const auto qs = rows_of(q, 7), vs = rows_of(v, 7);
  using R = tenon_rollout_options;
  const auto roll = [&](std::size_t count, ptrdiff_t state, ptrdiff_t record,
                        const tenon_batch_array* R::*field) {
    const tenon_batch_array a = {to.data(), count, 1, state, record};
    return tenon_batch_rollout(b.get(),
                               options_of(tenon_rollout_options_init,
                                          [&](auto& o) {
                                            o.steps = 4, o.*field = &a;
                                            if (field == &R::stiffness) o.q_target = &qs;
                                          }),
                               3, &qs, &vs, &vs, nullptr, nullptr, nullptr, nullptr);
  };
  struct Part {
    const tenon_batch_array* R::*field;
    std::size_t count;
    const char* name;
    bool written;
  };
  for (const Part& part :
       {Part{&R::qdd_out, 7, "qdd_out", true}, Part{&R::lambda_out, 6, "lambda_out", true},
        Part{&R::stiffness, 7, "stiffness", false}, Part{&R::damping, 7, "damping", false},
        Part{&R::q_target, 7, "q_target", false}, Part{&R::v_target, 7, "v_target", false}}) {
    const ptrdiff_t one = static_cast<ptrdiff_t>(part.count);
    const std::string name = std::string("tenon_rollout_options: ") + part.name;
    fails(roll(part.count + 1, 4 * one, one, part.field), TENON_WRONG_SIZE, (name + " has").c_str());
    fails(roll(part.count, farthest, one, part.field), TENON_INVALID_ARGUMENT,
          (name + " reaches over").c_str());
    if (part.written)
      fails(roll(part.count, 4 * one, 0, part.field), TENON_INVALID_ARGUMENT,
            (name + ": with a stride of 0").c_str());
    works(roll(part.count, 4 * one, one, part.field));
    if (part.written) {
      EXPECT_NE(to[3 * 4 * part.count - 1], -77);
    }
  }
}

TEST_F(BatchArguments, TrianglesHaveTheirSize) {
  std::vector<double> q(7, 0.1), out(49, -77);
  const auto qs = rows_of(q, 7), whole = rows_of(out, 49), triangle = rows_of(out, 28);
  const char* what = "49 numbers for each state; this model and constraint set need 28";
  fails(tenon_batch_mass_matrix_lower(b.get(), 1, &qs, &whole, nullptr), TENON_WRONG_SIZE, what);
  fails(tenon_batch_mass_matrix_factor(b.get(), 1, &qs, &whole, nullptr), TENON_WRONG_SIZE, what);
  fails(tenon_batch_mass_matrix_lower(b.get(), 1, &qs, nullptr, nullptr), TENON_INVALID_ARGUMENT,
        "M is NULL");
  fails(tenon_batch_mass_matrix_factor(b.get(), 1, &qs, nullptr, nullptr), TENON_INVALID_ARGUMENT,
        "L is NULL");
  works(tenon_batch_mass_matrix_factor(b.get(), 1, &qs, &triangle, nullptr));
  EXPECT_EQ(out[28], -77);
}

TEST(BatchOf, ARobotWithoutCoordinates) {
  Model model;
  ASSERT_EQ(parse("<robot name='stone'><link name='stone'/></robot>", &model).status, TENON_OK);
  ASSERT_EQ(tenon_model_nq(model.get()), 0);
  for (const int32_t precision : {TENON_PRECISION_DOUBLE, TENON_PRECISION_SINGLE}) {
    const Batch b = batch(model, nullptr, 2, precision);
    const auto works = [&](tenon_status status) {
      EXPECT_EQ(status, TENON_OK) << tenon_batch_message(b.get());
    };
    std::vector<float> floats(7 * 19, -77);
    std::vector<double> doubles(7 * 19, -77);
    tenon_batch_array poses{floats.data(), 7, 1, 7, 0}, velocities{floats.data(), 6, 1, 6, 0};
    if (precision == TENON_PRECISION_DOUBLE) poses.data = velocities.data = doubles.data();
    const int32_t link = 0;
    int32_t status[19];
    const tenon_batch_array none{nullptr, 0, 1, 0, 0};
    for (const tenon_batch_array* a : {static_cast<const tenon_batch_array*>(nullptr), &none}) {
      std::fill_n(status, 19, 77);
      works(tenon_batch_forward_dynamics(b.get(), 19, a, a, a, nullptr, a, status));
      EXPECT_EQ(status[18], TENON_OK);
      works(tenon_batch_inverse_dynamics(b.get(), 19, a, a, a, nullptr, a, status));
      works(tenon_batch_mass_matrix(b.get(), 19, a, a, status));
      works(tenon_batch_mass_matrix_lower(b.get(), 19, a, a, status));
      works(tenon_batch_mass_matrix_factor(b.get(), 19, a, a, status));
      works(
          tenon_batch_constrained_dynamics(b.get(), nullptr, 19, a, a, a, nullptr, a, a, a, nullptr, status));
      works(tenon_batch_delassus(b.get(), nullptr, 19, a, a, status));
      works(tenon_batch_delassus_product(b.get(), nullptr, 19, 2, a, a, a, status));
      works(tenon_batch_rollout(b.get(), nullptr, 19, a, a, a, nullptr, a, a, status));
      works(tenon_batch_anchor_here(b.get(), 19, a, status));
      works(tenon_batch_kinematics(b.get(), 19, &link, 1, TENON_AXES_WORLD, a, a, nullptr, &velocities,
                                   nullptr, status));
      EXPECT_EQ(doubles[5] == 0 || floats[5] == 0, true);
      works(tenon_batch_kinematics(b.get(), 19, &link, 1, TENON_AXES_WORLD, a, a, &poses, nullptr, nullptr,
                                   status));
      EXPECT_EQ(doubles[7 * 18 + 6] == 1 || floats[7 * 18 + 6] == 1, true);
    }
  }
}

// Feet of a quadruped at 20 rad/s: pulled away, they come back to where they stood in each state.
TEST(BatchOf, FeetHoldWhereEachStateHasThem) {
  const Model model = load("go1", TENON_BASE_FLOATING);
  const Constraints set = constraints(model);
  const auto held = options_of(tenon_constraint_options_init, [](auto& o) { o.frequency = 20; });
  for (const char* foot : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"})
    ASSERT_EQ(
        tenon_constraints_add_point(set.get(), link(model, foot), nullptr, 0, held, nullptr, nullptr, 0),
        TENON_OK);
  ASSERT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);
  const Workspace w = workspace(model, set);
  constexpr std::size_t states = 21, nq = 19, nv = 18;
  std::vector<double> q(states * nq), v(states * nv), tau(v), qdd(v), anchors(states * 28),
      active(states * 4, 1.0);
  std::vector<double> frequencies(states * 4, 30.0), ratios(states * 4, 0.7);
  const auto qs = rows_of(q, nq), vs = rows_of(v, nv), ts = rows_of(tau, nv), out = rows_of(qdd, nv),
             poses = rows_of(anchors, 28), on = rows_of(active, 4), omega = rows_of(frequencies, 4),
             zeta = rows_of(ratios, 4);
  for (std::size_t s = 0; s < states; ++s) {
    double* one = &q[s * nq];
    const double leg[3] = {0.1, 0.8, -1.6};
    one[0] = static_cast<double>(s), one[2] = 0.3, one[6] = 1;
    for (std::size_t k = 0; k < 12; ++k) one[7 + k] = leg[k % 3] + 0.01 * static_cast<double>((s + k) % 5);
    active[4 * s + s % 4] = s % 3 == 0 ? 0 : 1;
  }
  for (const int32_t threads : {1, 2}) {
    const Batch b = batch(model, set, threads);
    const auto works = [&](tenon_status status) {
      ASSERT_EQ(status, TENON_OK) << tenon_batch_message(b.get());
    };
    EXPECT_EQ(tenon_batch_constrained_dynamics(b.get(), nullptr, states, &qs, &vs, &ts, nullptr, nullptr,
                                               &out, nullptr, nullptr, nullptr),
              TENON_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(tenon_batch_message(b.get()), "has no anchors"), nullptr)
        << tenon_batch_message(b.get());
    works(tenon_batch_anchor_here(b.get(), states, &qs, nullptr));
    works(tenon_batch_anchors(b.get(), states, &poses));
    EXPECT_NEAR(anchors[28 * 20], anchors[0] + 20, 0.1);  // each stands where it is
    for (std::size_t s = 0; s < states; ++s) anchors[28 * s + 2] += 0.05;
    works(tenon_batch_set_anchors(b.get(), states, &poses));
    works(tenon_batch_set_active(b.get(), states, &on));
    works(tenon_batch_set_gains(b.get(), states, &omega, &zeta));
    works(tenon_batch_constrained_dynamics(b.get(), nullptr, states, &qs, &vs, &ts, nullptr, nullptr, &out,
                                           nullptr, nullptr, nullptr));
    std::vector<double> expected(nv), lambda(12);
    for (std::size_t s = 0; s < states; ++s) {
      for (int32_t c = 0; c < 4; ++c) {
        const std::size_t at = 4 * s + static_cast<std::size_t>(c);
        ASSERT_EQ(tenon_workspace_set_anchor(w.get(), c, &anchors[7 * at], 7), TENON_OK);
        ASSERT_EQ(tenon_workspace_set_active(w.get(), c, active[at] == 1), TENON_OK);
        ASSERT_EQ(tenon_workspace_set_gains(w.get(), c, frequencies[at], ratios[at]), TENON_OK);
      }
      ASSERT_GE(tenon_constrained_dynamics(w.get(), nullptr, &q[s * nq], nq, &v[s * nv], nv, &tau[s * nv], nv,
                                           nullptr, 0, nullptr, 0, expected.data(), nv, lambda.data(), 12),
                TENON_OK);
      for (std::size_t k = 0; k < nv; ++k)
        EXPECT_NEAR(qdd[s * nv + k], expected[k], 1e-8 * (1 + std::abs(expected[k]))) << s << ' ' << k;
    }
    EXPECT_EQ(
        tenon_batch_rollout(b.get(), nullptr, states - 1, &qs, &vs, &ts, nullptr, nullptr, nullptr, nullptr),
        TENON_WRONG_SIZE);
  }
}

}  // namespace
