// Batches through the C API: all robots of models/ against single calls, arguments, and threads (which run
// under ThreadSanitizer by their name, Contract).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "support.hpp"

using namespace tenon_test;

namespace {

constexpr std::size_t states = 19;

template <class N>
double error(const N* found, const double* expected, std::size_t count) {
  double largest = 0, size = 1e-300;
  for (std::size_t i = 0; i < count; ++i) {
    largest = larger(largest, std::abs(static_cast<double>(found[i]) - expected[i]));
    size = larger(size, std::abs(expected[i]));
  }
  return largest / size;
}

// States of a robot: closed where it has loops.
template <class N>
struct Rows {
  Rows(const Model& model, tenon_workspace* w, std::size_t count)
      : nq(static_cast<std::size_t>(tenon_model_nq(model.get()))),
        nv(static_cast<std::size_t>(tenon_model_nv(model.get()))) {
    std::vector<double> one(nq);
    for (std::size_t s = 0; s < count; ++s) {
      if (tenon_model_cluster_count(model.get()) > 0)
        EXPECT_EQ(tenon_workspace_guess(w, one.data(), nq), TENON_OK);
      else
        EXPECT_EQ(tenon_random(w, s + 1, one.data(), nq), TENON_OK);
      for (const double x : one) q.push_back(static_cast<N>(x));
      for (std::size_t k = 0; k < nv; ++k) {
        const double phase = static_cast<double>(s * nv + k);
        v.push_back(static_cast<N>(tenon_model_cluster_count(model.get()) > 0 ? 0 : std::sin(phase)));
        tau.push_back(static_cast<N>(std::cos(2 * phase)));
      }
    }
    qdd.assign(count * nv, static_cast<N>(-77));
  }
  tenon_batch_array q_of() { return rows_of(q, nq); }
  tenon_batch_array v_of() { return rows_of(v, nv); }
  tenon_batch_array tau_of() { return rows_of(tau, nv); }
  tenon_batch_array qdd_of() { return rows_of(qdd, nv); }

  std::size_t nq, nv;
  std::vector<N> q, v, tau, qdd;
};

template <class N>
std::vector<double> doubles(const std::vector<N>& x, std::size_t first, std::size_t count) {
  return {x.begin() + static_cast<ptrdiff_t>(first), x.begin() + static_cast<ptrdiff_t>(first + count)};
}

template <class N>
void expect_dynamics(const char* name, int32_t base, double tolerance) {
  SCOPED_TRACE(name);
  const Model model = load(name, base);
  const Workspace w = workspace(model);
  const Batch b = batch(model, nullptr, 1, sizeof(N) == 4 ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE);
  Rows<N> r(model, w.get(), states);
  std::vector<int32_t> status(states, 77);
  const auto q = r.q_of(), v = r.v_of(), tau = r.tau_of(), out = r.qdd_of();
  ASSERT_EQ(tenon_batch_forward_dynamics(b.get(), states, &q, &v, &tau, nullptr, &out, status.data(), states),
            TENON_OK)
      << tenon_batch_message(b.get());
  std::vector<double> expected(r.nv);
  for (std::size_t s = 0; s < states; ++s) {
    const auto qs = doubles(r.q, s * r.nq, r.nq), vs = doubles(r.v, s * r.nv, r.nv),
               ts = doubles(r.tau, s * r.nv, r.nv);
    ASSERT_EQ(tenon_forward_dynamics(w.get(), qs.data(), r.nq, vs.data(), r.nv, ts.data(), r.nv, nullptr, 0,
                                     expected.data(), r.nv),
              TENON_OK);
    EXPECT_EQ(status[s], TENON_OK);
    EXPECT_LE(error(&r.qdd[s * r.nv], expected.data(), r.nv), tolerance) << s;
  }
  ASSERT_EQ(tenon_batch_inverse_dynamics(b.get(), states, &q, &v, &tau, nullptr, &out, nullptr, 0), TENON_OK);
  for (std::size_t s = 0; s < states; ++s) {
    const auto qs = doubles(r.q, s * r.nq, r.nq), vs = doubles(r.v, s * r.nv, r.nv),
               as = doubles(r.tau, s * r.nv, r.nv);
    ASSERT_EQ(tenon_inverse_dynamics(w.get(), qs.data(), r.nq, vs.data(), r.nv, as.data(), r.nv, nullptr, 0,
                                     expected.data(), r.nv),
              TENON_OK);
    EXPECT_LE(error(&r.qdd[s * r.nv], expected.data(), r.nv), tolerance) << s;
  }
}

TEST(BatchOf, EveryRobot) {
  for (const char* name :
       {"iiwa14", "panda_arm", "double_pendulum", "chain", "shadow_hand", "four_bar", "six_bar",
        "planar_leg_linkage", "revolute_rotor_chain", "mit_humanoid_leg", "strandbeest_leg"})
    expect_dynamics<double>(name, TENON_BASE_FIXED, 1e-11);
  for (const char* name :
       {"solo12", "go1", "atlas", "atlas_shadow_hands", "cassie", "mini_cheetah", "mit_humanoid", "jvrc1"})
    expect_dynamics<double>(name, TENON_BASE_FLOATING, 1e-11);
}

TEST(BatchOf, EveryRobotInSinglePrecision) {
  expect_dynamics<float>("iiwa14", TENON_BASE_FIXED, 1e-4);
  expect_dynamics<float>("solo12", TENON_BASE_FLOATING, 1e-4);
  expect_dynamics<float>("atlas", TENON_BASE_FLOATING, 1e-4);
  expect_dynamics<float>("atlas_shadow_hands", TENON_BASE_FLOATING, 1e-3);
  // Loops and rotors are computed in double precision.
  expect_dynamics<float>("four_bar", TENON_BASE_FIXED, 1e-6);
  expect_dynamics<float>("cassie", TENON_BASE_FLOATING, 1e-6);
  expect_dynamics<float>("mini_cheetah", TENON_BASE_FLOATING, 1e-6);
}

TEST(BatchOf, FeetOnTheGroundAndDelassus) {
  const Model model = load("atlas", TENON_BASE_FLOATING);
  const Constraints set = welds(model, {"l_foot", "r_foot"});
  const Workspace w = workspace(model, set);
  const Batch b = batch(model, set, 2);
  Rows<double> r(model, w.get(), states);
  constexpr std::size_t m = 12;
  std::vector<double> lambda(states * m), A(states * m * m), B(states * m, 1.0), X(states * m);
  std::vector<int32_t> status(states), iterations(states);
  const auto q = r.q_of(), v = r.v_of(), tau = r.tau_of(), out = r.qdd_of(), l = rows_of(lambda, m),
             a = rows_of(A, m * m), x = rows_of(X, m), rhs = rows_of(B, m);
  ASSERT_EQ(tenon_batch_constrained_dynamics(b.get(), nullptr, states, &q, &v, &tau, nullptr, nullptr, &out,
                                             &l, iterations.data(), states, status.data(), states),
            TENON_OK)
      << tenon_batch_message(b.get());
  ASSERT_EQ(tenon_batch_delassus(b.get(), nullptr, states, &q, &a, nullptr, 0), TENON_OK);
  ASSERT_EQ(tenon_batch_delassus_inverse_times(b.get(), nullptr, states, 1, &q, &rhs, &x, nullptr, 0),
            TENON_OK);
  std::vector<double> qdd(r.nv), forces(m), matrix(m * m), product(m);
  for (std::size_t s = 0; s < states; ++s) {
    const double *qs = &r.q[s * r.nq], *vs = &r.v[s * r.nv], *ts = &r.tau[s * r.nv];
    ASSERT_EQ(tenon_constrained_dynamics(w.get(), nullptr, qs, r.nq, vs, r.nv, ts, r.nv, nullptr, 0, nullptr,
                                         0, qdd.data(), r.nv, forces.data(), m),
              TENON_OK);
    EXPECT_EQ(status[s], TENON_OK);
    EXPECT_GE(iterations[s], 1);
    EXPECT_LE(error(&r.qdd[s * r.nv], qdd.data(), r.nv), 1e-9);
    EXPECT_LE(error(&lambda[s * m], forces.data(), m), 1e-9);
    ASSERT_EQ(tenon_delassus(w.get(), nullptr, qs, r.nq, matrix.data(), m * m, m), TENON_OK);
    EXPECT_LE(error(&A[s * m * m], matrix.data(), m * m), 1e-12);
    ASSERT_EQ(tenon_delassus_factor(w.get(), nullptr, qs, r.nq), TENON_OK);
    ASSERT_EQ(tenon_delassus_solve(w.get(), 1, B.data(), m, m, product.data(), m, m), TENON_OK);
    EXPECT_LE(error(&X[s * m], product.data(), m), 1e-12);
  }
}

TEST(BatchOf, WrongArgumentsAreToldByName) {
  const Model model = load("iiwa14");
  const Workspace w = workspace(model);
  const Batch b = batch(model);
  Rows<double> r(model, w.get(), states);
  const auto q = r.q_of(), v = r.v_of(), tau = r.tau_of(), out = r.qdd_of();
  const auto fails = [&](tenon_status status, tenon_status expected, const char* words) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::strstr(tenon_batch_message(b.get()), words), nullptr) << tenon_batch_message(b.get());
  };
  auto wrong = q;
  wrong.count = 6;
  fails(tenon_batch_forward_dynamics(b.get(), states, &wrong, &v, &tau, nullptr, &out, nullptr, 0),
        TENON_WRONG_SIZE, "q has 6 numbers for each state; this model and constraint set need 7");
  fails(tenon_batch_forward_dynamics(b.get(), states, &q, nullptr, &tau, nullptr, &out, nullptr, 0),
        TENON_INVALID_ARGUMENT, "v is NULL");
  wrong = out;
  wrong.state_stride = 0;
  fails(tenon_batch_forward_dynamics(b.get(), states, &q, &v, &tau, nullptr, &wrong, nullptr, 0),
        TENON_WRONG_SIZE, "qdd: with a state_stride of 0 numbers would overwrite each other");
  const int32_t no_link = 99;
  fails(tenon_batch_kinematics(b.get(), states, &no_link, 1, TENON_AXES_WORLD, &q, &v, nullptr, nullptr,
                               nullptr, nullptr, 0),
        TENON_OUT_OF_RANGE, "links is 99; there are 11 links, 0 to 10");
  fails(tenon_batch_rollout(b.get(), options_of(tenon_rollout_options_init, [](auto& o) { o.every = 0; }),
                            states, &q, &v, &tau, nullptr, nullptr, nullptr, nullptr, 0),
        TENON_INVALID_ARGUMENT, "every is 0");
  const auto rare = [](auto& o) { o.steps = 3, o.every = 4; };
  fails(tenon_batch_rollout(b.get(), options_of(tenon_rollout_options_init, rare), states, &q, &v, &tau,
                            nullptr, nullptr, nullptr, nullptr, 0),
        TENON_INVALID_ARGUMENT, "every is 4, and the rollout of 3 steps");
  EXPECT_EQ(tenon_batch_forward_dynamics(b.get(), states, &q, &v, &tau, nullptr, &out, nullptr, 0), TENON_OK);
  EXPECT_STREQ(tenon_batch_message(b.get()), "");
  EXPECT_EQ(tenon_batch_forward_dynamics(nullptr, states, &q, &v, &tau, nullptr, &out, nullptr, 0),
            TENON_INVALID_ARGUMENT);
  tenon_batch* made = nullptr;
  char message[512] = "";
  EXPECT_EQ(tenon_batch_create(model.get(), nullptr,
                               options_of(tenon_batch_options_init, [](auto& o) { o.threads = 0; }), &made,
                               message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(made, nullptr);
  // No states: nothing to do.
  EXPECT_EQ(tenon_batch_forward_dynamics(b.get(), 0, &q, &v, &tau, nullptr, &out, nullptr, 0), TENON_OK);
}

// The triangle against the whole matrix of single calls, and L^T L against it, in arrays whose states go backwards and
// whose numbers are apart.
template <class N>
void expect_triangles(const char* name, int32_t base, int32_t velocities, double tolerance) {
  SCOPED_TRACE(name);
  const Model model = load(name, base);
  const Workspace w = workspace(model);
  const Batch b = batch(model, nullptr, 1, sizeof(N) == 4 ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE);
  Rows<N> r(model, w.get(), states);
  ASSERT_EQ(tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_SPANNING, velocities), TENON_OK);
  ASSERT_EQ(tenon_batch_set_coordinates(b.get(), TENON_COORDINATES_SPANNING, velocities), TENON_OK);
  const std::size_t nv = static_cast<std::size_t>(tenon_workspace_velocity_count(w.get())),
                    numbers = nv * (nv + 1) / 2, gap = 2 * numbers + 3;
  std::vector<N> lower(states * numbers), factor(states * gap, static_cast<N>(-77));
  const tenon_batch_array q = r.q_of(), M = rows_of(lower, numbers);
  tenon_batch_array L = strided(factor, numbers, 2, -static_cast<ptrdiff_t>(gap));
  L.first = (states - 1) * gap;
  ASSERT_EQ(tenon_batch_mass_matrix_factor(b.get(), states, &q, &L, nullptr, 0), TENON_OK)
      << tenon_batch_message(b.get());
  ASSERT_EQ(tenon_batch_mass_matrix_lower(b.get(), states, &q, &M, nullptr, 0), TENON_OK);
  std::vector<double> whole(nv * nv), expected(numbers), product(numbers);
  for (std::size_t s = 0; s < states; ++s) {
    const auto qs = doubles(r.q, s * r.nq, r.nq);
    ASSERT_EQ(tenon_mass_matrix(w.get(), qs.data(), r.nq, whole.data(), nv * nv, static_cast<int32_t>(nv)),
              TENON_OK);
    const auto at = [](std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; };
    const auto l = [&](std::size_t i, std::size_t j) {
      return static_cast<double>(factor[(states - 1 - s) * gap + 2 * at(i, j)]);
    };
    for (std::size_t i = 0; i < nv; ++i) {
      EXPECT_GT(l(i, i), 0);
      for (std::size_t j = 0; j <= i; ++j) {
        expected[at(i, j)] = whole[i * nv + j];
        product[at(i, j)] = 0;
        for (std::size_t k = i; k < nv; ++k) product[at(i, j)] += l(k, i) * l(k, j);
      }
    }
    EXPECT_LE(error(&lower[s * numbers], expected.data(), numbers), tolerance) << s;
    EXPECT_LE(error(product.data(), expected.data(), numbers), tolerance) << s;
  }
  EXPECT_EQ(factor[1], static_cast<N>(-77));
}

TEST(BatchOf, TrianglesOfMassMatrices) {
  for (const int32_t velocities : {TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT}) {
    for (const char* name : {"iiwa14", "shadow_hand", "four_bar", "six_bar", "strandbeest_leg"})
      expect_triangles<double>(name, TENON_BASE_FIXED, velocities, 1e-12);
    for (const char* name : {"go1", "atlas", "atlas_shadow_hands", "cassie", "mini_cheetah", "tello"})
      expect_triangles<double>(name, TENON_BASE_FLOATING, velocities, 1e-12);
    expect_triangles<float>("iiwa14", TENON_BASE_FIXED, velocities, 1e-5);
    expect_triangles<float>("atlas", TENON_BASE_FLOATING, velocities, 1e-5);
    expect_triangles<float>("cassie", TENON_BASE_FLOATING, velocities, 1e-5);
  }
}

// A point mass on a slide, on the axis of the hinge that carries it: nothing resists the hinge there.
TEST(BatchOf, StatesWithoutAFactor) {
  Model model;
  ASSERT_EQ(
      parse("<robot name='r'><link name='a'/><link name='b'/><link name='c'><inertial><mass value='2'/>"
            "<inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>"
            "<joint name='turn' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 "
            "1'/></joint>"
            "<joint name='slide' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='1 0 0'/>"
            "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>",
            &model)
          .status,
      TENON_OK);
  const Batch b = batch(model);
  std::vector<double> q(2 * states, 0.5), out(3 * states, -77);
  q[2 * 7 + 1] = 0;
  std::vector<int32_t> status(states, 77);
  const auto qs = rows_of(q, 2), to = rows_of(out, 3);
  EXPECT_EQ(tenon_batch_mass_matrix_factor(b.get(), states, &qs, &to, status.data(), states),
            TENON_NOT_POSITIVE_DEFINITE);
  EXPECT_NE(std::string(tenon_batch_message(b.get())).find("state 7"), std::string::npos);
  for (std::size_t s = 0; s < states; ++s) {
    EXPECT_EQ(status[s], s == 7 ? TENON_NOT_POSITIVE_DEFINITE : TENON_OK);
    EXPECT_NEAR(out[3 * s], s == 7 ? -77 : std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(out[3 * s + 2], s == 7 ? -77 : std::sqrt(2.0), 1e-15);
  }
  EXPECT_EQ(tenon_batch_mass_matrix_lower(b.get(), states, &qs, &to, status.data(), states), TENON_OK);
  EXPECT_EQ(out[3 * 7], 0);
}

TEST(BatchOf, GravityAndCoordinates) {
  const Model model = load("four_bar");
  const Workspace w = workspace(model);
  const Batch b = batch(model);
  const double gravity[3] = {1, 2, 3};
  for (const auto& set :
       {tenon_workspace_set_gravity(w.get(), gravity, 3), tenon_batch_set_gravity(b.get(), gravity, 3),
        tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_INDEPENDENT,
                                        TENON_COORDINATES_INDEPENDENT),
        tenon_batch_set_coordinates(b.get(), TENON_COORDINATES_INDEPENDENT, TENON_COORDINATES_INDEPENDENT)})
    EXPECT_EQ(set, TENON_OK);
  std::vector<double> q(states), v(states, 0.4), tau(states, 0.1), yddot(states);
  for (std::size_t s = 0; s < states; ++s) q[s] = 0.3 + 0.01 * static_cast<double>(s);
  const auto qs = rows_of(q, 1), vs = rows_of(v, 1), ts = rows_of(tau, 1), out = rows_of(yddot, 1);
  ASSERT_EQ(tenon_batch_forward_dynamics(b.get(), states, &qs, &vs, &ts, nullptr, &out, nullptr, 0), TENON_OK)
      << tenon_batch_message(b.get());
  for (std::size_t s = 0; s < states; ++s) {
    double expected = 0;
    ASSERT_EQ(tenon_forward_dynamics(w.get(), &q[s], 1, &v[s], 1, &tau[s], 1, nullptr, 0, &expected, 1),
              TENON_OK);
    EXPECT_EQ(yddot[s], expected);
  }
}

TEST(ContractOfBatches, ThreadsAndCallersShareAModel) {
  const Model model = load("solo12", TENON_BASE_FLOATING);
  const Constraints set = welds(model, {"FL_FOOT"});
  const Workspace w = workspace(model, set);
  constexpr std::size_t many = 150;
  Rows<double> first(model, w.get(), many), second(model, w.get(), many);
  const auto compute = [&](Rows<double>& r, tenon_batch* b) {
    const auto q = r.q_of(), v = r.v_of(), tau = r.tau_of(), out = r.qdd_of();
    for (int repeat = 0; repeat < 20; ++repeat) {
      EXPECT_EQ(tenon_batch_constrained_dynamics(b, nullptr, many, &q, &v, &tau, nullptr, nullptr, &out,
                                                 nullptr, nullptr, 0, nullptr, 0),
                TENON_OK);
      EXPECT_EQ(tenon_batch_forward_dynamics(b, repeat % 2 == 0 ? many : 3, &q, &v, &tau, nullptr, &out,
                                             nullptr, 0),
                TENON_OK);
    }
  };
  const Batch threaded = batch(model, set, 3), single = batch(model, set, 1);
  std::thread other([&] { compute(second, single.get()); });
  compute(first, threaded.get());
  other.join();
  EXPECT_EQ(first.qdd, second.qdd);
}

}  // namespace
