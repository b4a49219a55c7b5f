// Arguments of batches at their borders: no states, no coordinates, strides that lead nowhere; and settings of
// constraints for each state.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

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
    fails(tenon_batch_forward_dynamics(b.get(), 1, &qs, &vs, &vs, nullptr, &out, nullptr, 0),
          TENON_NOT_FINITE, "state 0: q[0] is NaN");
  }

  Model model = load("iiwa14");
  Constraints set = welds(model, {"iiwa_link_7"});
  Batch b = batch(model, set);
};

TEST_F(BatchArguments, NoStatesAreNoWork) {
  std::vector<double> x(1, 77), no;
  const tenon_batch_array empty = rows_of(no, 7), some = strided(x, 7, 0, 0), rows = rows_of(no, 6);
  const int32_t link = 3;
  int32_t status = 77;
  for (const tenon_batch_array* a : {static_cast<const tenon_batch_array*>(nullptr), &empty, &some}) {
    fail_once();
    works(tenon_batch_forward_dynamics(b.get(), 0, a, a, a, nullptr, a, &status, 0));
    works(tenon_batch_inverse_dynamics(b.get(), 0, a, a, a, nullptr, a, &status, 0));
    works(tenon_batch_constrained_dynamics(b.get(), nullptr, 0, a, a, a, nullptr, &rows, a, &rows, &status, 0,
                                           &status, 0));
    works(tenon_batch_impact(b.get(), 0, &rows, a, a, a, &rows, &status, 0));
    works(tenon_batch_rollout(b.get(), options_of(tenon_rollout_options_init, [](auto& o) { o.steps = 5; }),
                              0, a, a, a, nullptr, a, a, &status, 0));
    works(tenon_batch_anchor_here(b.get(), 0, a, &status, 0));
    const tenon_batch_array* matrix = nullptr;
    works(tenon_batch_mass_matrix(b.get(), 0, a, matrix, &status, 0));
    works(tenon_batch_mass_matrix_lower(b.get(), 0, a, matrix, &status, 0));
    works(tenon_batch_mass_matrix_factor(b.get(), 0, a, matrix, &status, 0));
    works(tenon_batch_delassus(b.get(), nullptr, 0, a, matrix, &status, 0));
    works(tenon_batch_delassus_inverse_times(b.get(), nullptr, 0, 2, a, matrix, matrix, &status, 0));
    works(tenon_batch_kinematics(b.get(), 0, &link, 1, TENON_AXES_WORLD, a, a, matrix, matrix, matrix,
                                 &status, 0));
    works(tenon_batch_kinematics_vjp(b.get(), nullptr, 0, &link, 1, TENON_AXES_WORLD, a, a, matrix, matrix,
                                     matrix, matrix, a, a, &status, 0));
    works(tenon_batch_kinematics_jvp(b.get(), nullptr, 0, &link, 1, TENON_AXES_WORLD, a, a, a, a, matrix,
                                     matrix, matrix, matrix, &status, 0));
    works(tenon_batch_link_motion(b.get(), 0, &link, 1, TENON_AXES_WORLD, a, a, a, matrix, matrix, matrix,
                                  matrix, &status, 0));
    works(tenon_batch_link_motion_vjp(b.get(), nullptr, 0, &link, 1, TENON_AXES_WORLD, a, a, a, matrix,
                                      matrix, matrix, matrix, matrix, matrix, a, a, a, &status, 0));
    works(tenon_batch_link_motion_jvp(b.get(), nullptr, 0, &link, 1, TENON_AXES_WORLD, a, a, a, a, a, a,
                                      matrix, matrix, matrix, matrix, matrix, matrix, &status, 0));
    works(tenon_batch_joint_torque_regressor(b.get(), 0, a, a, a, matrix, &status, 0));
    works(tenon_batch_centroidal(b.get(), 0, a, a, matrix, matrix, matrix, matrix, matrix, &status, 0));
    works(tenon_batch_centroidal_vjp(b.get(), nullptr, 0, a, a, matrix, matrix, matrix, matrix, matrix,
                                     matrix, matrix, matrix, matrix, matrix, a, a, &status, 0));
    works(tenon_batch_centroidal_parameter_vjp(b.get(), nullptr, 0, a, a, matrix, matrix, matrix, matrix,
                                               matrix, matrix, a, matrix, &status, 0));
    works(tenon_batch_centroidal_jvp(b.get(), nullptr, 0, a, a, a, a, matrix, matrix, matrix, matrix, matrix,
                                     matrix, matrix, matrix, matrix, matrix, &status, 0));
    works(tenon_batch_set_anchors(b.get(), 0, matrix));
    works(tenon_batch_anchors(b.get(), 0, matrix));
    works(tenon_batch_robots(b.get(), 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, a, a, a,
                             nullptr));
    works(tenon_batch_constraints(b.get(), 0, nullptr, nullptr, nullptr, a, a, &rows, nullptr));
    works(tenon_batch_set_active(b.get(), 0, matrix));
    works(tenon_batch_set_gains(b.get(), 0, matrix, matrix));
    works(tenon_batch_set_parameters(b.get(), 0, nullptr));
    works(tenon_batch_set_parameters(b.get(), 0, options_of(tenon_batch_parameters_init, [&](auto& o) {
                                       o.masses = o.gravity = matrix;
                                     })));
  }
  EXPECT_EQ(x[0], 77);
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
  fail_once(), works(tenon_batch_robots(b.get(), 1, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                        nullptr, nullptr, nullptr, nullptr));
  fail_once(), works(tenon_batch_constraints(b.get(), 1, &n, &n, &n, &p, &p, nullptr, nullptr));
  numbers[0] = 1;
  fail_once(), works(tenon_batch_coordinates(b.get(), nullptr, nullptr));
  fail_once(), works(tenon_batch_set_guess(b.get(), q.data(), 7));
  fail_once(), works(tenon_batch_guess(b.get(), q.data(), 7));
  fail_once(), works(tenon_batch_set_active(b.get(), 1, &n));
  fail_once(), works(tenon_batch_set_gains(b.get(), 1, &n, &n));
  fail_once(), works(tenon_batch_anchor_here(b.get(), 1, &qs, nullptr, 0));
}

TEST_F(BatchArguments, StridesThatLeadNowhere) {
  std::vector<double> q(70, 0.1), v(70), out(700, -77);
  auto qs = rows_of(q, 7), vs = rows_of(v, 7), to = rows_of(out, 7);
  const auto roll = [&](std::size_t steps) {
    return tenon_batch_rollout(b.get(),
                               options_of(tenon_rollout_options_init, [&](auto& o) { o.steps = steps; }), 2,
                               &qs, &vs, &vs, nullptr, &to, nullptr, nullptr, 0);
  };
  fails(roll(10), TENON_WRONG_SIZE, "q_out: with a record_stride of 0");
  to.record_stride = 14;
  works(roll(10));
  fails(roll(51), TENON_WRONG_SIZE,
        "q_out: number 6 of state 1, record 50 needs 714 numbers in data, and size is 700");
  fails(roll(std::numeric_limits<std::size_t>::max()), TENON_WRONG_SIZE, "or more numbers in data");
  to.record_stride = 0;
  works(roll(1));
  const auto forward = [&](std::size_t states) {
    return tenon_batch_forward_dynamics(b.get(), states, &qs, &vs, &vs, nullptr, &to, nullptr, 0);
  };
  qs.state_stride = 0, vs.state_stride = 0;
  fails(forward(101), TENON_WRONG_SIZE, "qdd: number 6 of state 100, record 0 needs 707 numbers in data");
  fails(forward(std::size_t{1} << 62), TENON_WRONG_SIZE, "or more numbers in data");
  for (const ptrdiff_t stride : {farthest, -farthest - 1, farthest / 8}) {
    to.state_stride = stride;
    fails(forward(10), TENON_WRONG_SIZE, "qdd: number");
    to.state_stride = 7;
    qs.number_stride = stride;
    fails(forward(10), TENON_WRONG_SIZE, "q: number");
    qs.number_stride = 1;
  }
  works(forward(10));
  for (const std::size_t first :
       {std::size_t{631}, std::size_t{700}, std::numeric_limits<std::size_t>::max()}) {
    to.first = first;
    fails(forward(10), TENON_WRONG_SIZE, "qdd: number 6 of state 9");
  }
  to.first = 0, to.size = std::numeric_limits<std::size_t>::max();
  fails(forward(10), TENON_WRONG_SIZE, "qdd: size is 18446744073709551615");
  EXPECT_EQ(out[140], -77);
}

// With strides of every sign the numbers are those of the same states one after another, and nothing else is written.
TEST_F(BatchArguments, StridesOfAnySign) {
  constexpr std::size_t states = 11, n = 7;
  std::vector<double> q(states * n), v(states * n), expected(states * n, -77);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = 0.01 * static_cast<double>(i % 19), v[i] = 0.1 - q[i];
  const auto qs = rows_of(q, n), vs = rows_of(v, n), es = rows_of(expected, n);
  works(tenon_batch_forward_dynamics(b.get(), states, &qs, &vs, &vs, nullptr, &es, nullptr, 0));
  const ptrdiff_t whole = states, row = n;
  const std::pair<ptrdiff_t, ptrdiff_t> strides[] = {{1, -row},          {-1, row},      {-1, -row},
                                                     {-whole, 1},        {whole, -1},    {-whole, -1},
                                                     {-3, -3 * row - 2}, {2 * whole, -2}};
  for (const auto& pair : strides) {
    const ptrdiff_t number = pair.first, state = pair.second;
    SCOPED_TRACE(std::to_string(number) + ' ' + std::to_string(state));
    const std::size_t first = static_cast<std::size_t>((number < 0 ? -number * (row - 1) : 0) +
                                                       (state < 0 ? -state * (whole - 1) : 0)),
                      size = static_cast<std::size_t>(std::abs(number) * (row - 1) +
                                                      std::abs(state) * (whole - 1) + 1);
    std::vector<double> given(size, -77), out(size, -77);
    auto from = strided(given, n, number, state), to = strided(out, n, number, state);
    from.first = to.first = first;
    const auto at = [&](std::size_t s, std::size_t i) {
      return first + s * static_cast<std::size_t>(state) + i * static_cast<std::size_t>(number);
    };
    for (std::size_t s = 0; s < states; ++s)
      for (std::size_t i = 0; i < n; ++i) given[at(s, i)] = q[s * n + i];
    works(tenon_batch_forward_dynamics(b.get(), states, &from, &vs, &vs, nullptr, &to, nullptr, 0));
    for (std::size_t s = 0; s < states; ++s)
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[at(s, i)], expected[s * n + i]) << s << ' ' << i;
    EXPECT_EQ(static_cast<std::size_t>(std::count(out.begin(), out.end(), -77.0)), size - states * n);
    std::fill(out.begin(), out.end(), -77.0);
    to.size = size - 1;
    fails(tenon_batch_forward_dynamics(b.get(), states, &from, &vs, &vs, nullptr, &to, nullptr, 0),
          TENON_WRONG_SIZE, "numbers in data");
    to.size = size;
    if (first > 0) {
      from.first = first - 1;
      fails(tenon_batch_forward_dynamics(b.get(), states, &from, &vs, &vs, nullptr, &to, nullptr, 0),
            TENON_WRONG_SIZE, "before data[first]");
    }
    EXPECT_EQ(static_cast<std::size_t>(std::count(out.begin(), out.end(), -77.0)), size);
  }
}

TEST_F(BatchArguments, ResultsHaveAPlaceEach) {
  std::vector<double> q(7, 0.1), v(7), out(700, -77);
  const auto qs = strided(q, 7, 1, 0), vs = strided(v, 7, 0, 0);
  const auto forward = [&](ptrdiff_t number, ptrdiff_t state) {
    auto to = strided(out, 7, number, state);
    to.first = 350;
    return tenon_batch_forward_dynamics(b.get(), 3, &qs, &vs, &vs, nullptr, &to, nullptr, 0);
  };
  fails(forward(0, 1), TENON_WRONG_SIZE, "qdd: with a number_stride of 0");
  fails(forward(1, 0), TENON_WRONG_SIZE, "qdd: with a state_stride of 0");
  fails(forward(1, 6), TENON_WRONG_SIZE,
        "qdd: with a state_stride of 6 numbers would overwrite each other; smaller "
        "strides reach over 6");
  fails(forward(1, -6), TENON_WRONG_SIZE, "qdd: with a state_stride of -6");
  fails(forward(-2, 2), TENON_WRONG_SIZE, "2 numbers would overwrite");
  fails(forward(2, 1), TENON_WRONG_SIZE, "qdd: with a number_stride of 2");
  EXPECT_EQ(static_cast<std::size_t>(std::count(out.begin(), out.end(), -77.0)), out.size());
  works(forward(1, 7));
  works(forward(3, -1));
  works(forward(-3, 1));
}

TEST_F(BatchArguments, ArraysThatGrow) {
  std::vector<double> q(14, 0.1), v(14), out(14, -77);
  const auto vs = rows_of(v, 7), to = rows_of(out, 7);
  struct Newer {
    tenon_batch_array known;
    std::uint64_t more;
  } newer = {rows_of(q, 7), 0};
  newer.known.struct_size = sizeof newer;
  const auto forward = [&](const tenon_batch_array* given) {
    return tenon_batch_forward_dynamics(b.get(), 2, given, &vs, &vs, nullptr, &to, nullptr, 0);
  };
  works(forward(&newer.known));
  newer.more = 1;
  fails(forward(&newer.known), TENON_UNSUPPORTED, "q: a field that this version of Tenon does not know");
  auto spoiled = rows_of(q, 7);
  spoiled.reserved = 1;
  fails(forward(&spoiled), TENON_UNSUPPORTED, "q: the field 'reserved' is not 0");
  for (const std::uint32_t size : {0U, 7U, 4097U, 0xffffffffU}) {
    spoiled = rows_of(q, 7), spoiled.struct_size = size;
    fails(forward(&spoiled), TENON_WRONG_SIZE, "q: struct_size is none");
  }
  // Of a version that ended with count: number_stride is 1, and the others 0.
  spoiled = rows_of(q, 7), spoiled.struct_size = offsetof(tenon_batch_array, number_stride);
  spoiled.number_stride = spoiled.state_stride = farthest;
  works(forward(&spoiled));
  spoiled.struct_size = offsetof(tenon_batch_array, data);  // or without data
  fails(forward(&spoiled), TENON_INVALID_ARGUMENT, "q is NULL");
  EXPECT_EQ(tenon_batch_array_init(nullptr, sizeof spoiled), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_batch_array_init(&spoiled, 7), TENON_WRONG_SIZE);
}

TEST_F(BatchArguments, StatusesAndIterationsHaveTheirCounts) {
  std::vector<double> q(14, 0.1), v(14), out(14, -77);
  const auto qs = rows_of(q, 7), vs = rows_of(v, 7), to = rows_of(out, 7);
  int32_t status[3] = {77, 77, 77}, iterations[3] = {77, 77, 77};
  const auto solve = [&](std::size_t iteration_places, std::size_t places) {
    return tenon_batch_constrained_dynamics(b.get(), nullptr, 2, &qs, &vs, &vs, nullptr, nullptr, &to,
                                            nullptr, iterations, iteration_places, status, places);
  };
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    fails(solve(2, wrong), TENON_WRONG_SIZE,
          ("status has " + std::to_string(wrong) + " places; there are 2 states").c_str());
    fails(solve(wrong, 2), TENON_WRONG_SIZE, ("iterations has " + std::to_string(wrong)).c_str());
    fails(tenon_batch_anchor_here(b.get(), 2, &qs, status, wrong), TENON_WRONG_SIZE, "status has");
  }
  EXPECT_EQ(out, std::vector<double>(14, -77));
  EXPECT_EQ(status[0], 77);
  works(solve(2, 2));
  EXPECT_EQ(status[1], TENON_OK);
  EXPECT_NE(iterations[1], 77);
  EXPECT_EQ(status[2], 77);
}

TEST_F(BatchArguments, ParametersHaveTheirSizes) {
  const std::size_t links = static_cast<std::size_t>(tenon_model_link_count(model.get()));
  std::vector<double> numbers(7 * links * 4, 1.0);
  const auto set_to = [&](std::size_t count, ptrdiff_t stride,
                          const tenon_batch_array* tenon_batch_parameters::*field) {
    const tenon_batch_array a = strided(numbers, count, 1, stride);
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
        Part{&P::weights, 6, "weights"}, Part{&P::compliance, 6, "compliance"}, Part{&P::frames, 7, "frames"},
        Part{&P::payload_masses, links, "payload_masses"},
        Part{&P::payload_centers_of_mass, 3 * links, "payload_centers_of_mass"},
        Part{&P::payload_inertias, 6 * links, "payload_inertias"}}) {
    const std::string counts =
        std::string(part.name) + " has " + std::to_string(part.count + 1) + " numbers for each state";
    fails(set_to(part.count + 1, 0, part.field), TENON_WRONG_SIZE, counts.c_str());
    const std::string reach = std::string(part.name) + ": number";
    fails(set_to(part.count, farthest, part.field), TENON_WRONG_SIZE, reach.c_str());
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
    const tenon_batch_array a = strided(to, count, 1, state, record);
    return tenon_batch_rollout(b.get(),
                               options_of(tenon_rollout_options_init,
                                          [&](auto& o) {
                                            o.steps = 4, o.*field = &a;
                                            if (field == &R::stiffness) o.q_target = &qs;
                                          }),
                               3, &qs, &vs, &vs, nullptr, nullptr, nullptr, nullptr, 0);
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
    fails(roll(part.count, farthest, one, part.field), TENON_WRONG_SIZE, (name + ": number").c_str());
    if (part.written)
      fails(roll(part.count, 4 * one, 0, part.field), TENON_WRONG_SIZE,
            (name + ": with a record_stride of 0").c_str());
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
  fails(tenon_batch_mass_matrix_lower(b.get(), 1, &qs, &whole, nullptr, 0), TENON_WRONG_SIZE, what);
  fails(tenon_batch_mass_matrix_factor(b.get(), 1, &qs, &whole, nullptr, 0), TENON_WRONG_SIZE, what);
  fails(tenon_batch_mass_matrix_lower(b.get(), 1, &qs, nullptr, nullptr, 0), TENON_INVALID_ARGUMENT,
        "M is NULL");
  fails(tenon_batch_mass_matrix_factor(b.get(), 1, &qs, nullptr, nullptr, 0), TENON_INVALID_ARGUMENT,
        "L is NULL");
  works(tenon_batch_mass_matrix_factor(b.get(), 1, &qs, &triangle, nullptr, 0));
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
    const bool single = precision == TENON_PRECISION_SINGLE;
    const tenon_batch_array poses = single ? rows_of(floats, 7) : rows_of(doubles, 7),
                            velocities = single ? rows_of(floats, 6) : rows_of(doubles, 6);
    const int32_t link = 0;
    int32_t status[19];
    std::vector<double> nothing;
    const tenon_batch_array none = rows_of(nothing, 0);
    for (const tenon_batch_array* a : {static_cast<const tenon_batch_array*>(nullptr), &none}) {
      std::fill_n(status, 19, 77);
      works(tenon_batch_forward_dynamics(b.get(), 19, a, a, a, nullptr, a, status, 19));
      EXPECT_EQ(status[18], TENON_OK);
      works(tenon_batch_inverse_dynamics(b.get(), 19, a, a, a, nullptr, a, status, 19));
      works(tenon_batch_mass_matrix(b.get(), 19, a, a, status, 19));
      works(tenon_batch_mass_matrix_lower(b.get(), 19, a, a, status, 19));
      works(tenon_batch_mass_matrix_factor(b.get(), 19, a, a, status, 19));
      works(tenon_batch_constrained_dynamics(b.get(), nullptr, 19, a, a, a, nullptr, a, a, a, nullptr, 0,
                                             status, 19));
      works(tenon_batch_impact(b.get(), 19, a, a, a, a, a, status, 19));
      works(tenon_batch_impact_derivatives(b.get(), nullptr, 19, a, a, a, a, a, a, a, a, a, status, 19));
      works(tenon_batch_impact_vjp(b.get(), nullptr, 19, a, a, a, a, a, a, a, a, a, status, 19));
      works(tenon_batch_impact_jvp(b.get(), nullptr, 19, a, a, a, a, a, a, a, a, a, status, 19));
      works(tenon_batch_delassus(b.get(), nullptr, 19, a, a, status, 19));
      works(tenon_batch_delassus_inverse_times(b.get(), nullptr, 19, 2, a, a, a, status, 19));
      works(tenon_batch_rollout(b.get(), nullptr, 19, a, a, a, nullptr, a, a, status, 19));
      works(tenon_batch_anchor_here(b.get(), 19, a, status, 19));
      works(tenon_batch_kinematics(b.get(), 19, &link, 1, TENON_AXES_WORLD, a, a, nullptr, &velocities,
                                   nullptr, status, 19));
      EXPECT_EQ(doubles[5] == 0 || floats[5] == 0, true);
      works(tenon_batch_kinematics(b.get(), 19, &link, 1, TENON_AXES_WORLD, a, a, &poses, nullptr, nullptr,
                                   status, 19));
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
                                               &out, nullptr, nullptr, 0, nullptr, 0),
              TENON_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(tenon_batch_message(b.get()), "has no anchors"), nullptr)
        << tenon_batch_message(b.get());
    works(tenon_batch_anchor_here(b.get(), states, &qs, nullptr, 0));
    works(tenon_batch_anchors(b.get(), states, &poses));
    EXPECT_NEAR(anchors[28 * 20], anchors[0] + 20, 0.1);  // each stands where it is
    for (std::size_t s = 0; s < states; ++s) anchors[28 * s + 2] += 0.05;
    works(tenon_batch_set_anchors(b.get(), states, &poses));
    works(tenon_batch_set_active(b.get(), states, &on));
    works(tenon_batch_set_gains(b.get(), states, &omega, &zeta));
    works(tenon_batch_constrained_dynamics(b.get(), nullptr, states, &qs, &vs, &ts, nullptr, nullptr, &out,
                                           nullptr, nullptr, 0, nullptr, 0));
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
    EXPECT_EQ(tenon_batch_rollout(b.get(), nullptr, states - 1, &qs, &vs, &ts, nullptr, nullptr, nullptr,
                                  nullptr, 0),
              TENON_WRONG_SIZE);
  }
}

}  // namespace
