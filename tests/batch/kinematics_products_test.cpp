// Poses, velocities and accelerations of links of many states, against single calls, and products with their derivatives:
// against the matrices of single calls, link_jacobian, point_velocity_derivatives and point_acceleration_derivatives, which come
// from other formulas; gradients against changes; packs against single states; on random trees and with embedded loops in all
// coordinates. Differences of whole calls: tests/capi/derivatives/kinematics_products_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "batch/loop_products.hpp"
#include "scalar/index.hpp"
#include "support/tello.hpp"
#include "support/test_robots.hpp"
#include "tenon/kinematics_derivatives.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(25, test_robots() / 10);

// States with chosen links, what derivatives are multiplied with, and the results.
template <class N>
struct Products {
  using Numbers = std::vector<N>;

  Products(std::shared_ptr<const Model> model_, Numbers q_, Numbers v_, std::size_t count_, std::size_t nq_,
           std::size_t nv_, std::uint64_t seed)
      : model(std::move(model_)), q(std::move(q_)), v(std::move(v_)), count(count_), nq(nq_), nv(nv_) {
    Random random(seed);
    const int all = static_cast<int>(model->links.size());
    for (int i = 0; i < 3; ++i) links.push_back(random.integer(0, all - 1));
    links.push_back(links[0]);  // twice
    for (int i = 0; i < all; ++i)
      if (model->links[index(i)].body < 0) links.push_back(i);  // fixed to the world
    numbers = 6 * links.size();
    const auto drawn = [&](std::size_t n) {
      Numbers x(count * n);
      for (N& e : x) e = static_cast<N>(random.uniform(-1, 1));
      return x;
    };
    dq = drawn(nv), dv = drawn(nv), on_poses = drawn(numbers), on_velocities = drawn(numbers);
    a = drawn(nv), da = drawn(nv), on_accelerations = drawn(numbers);
    status.assign(count, 77);
  }
  BatchCall call(DerivativeForm form, bool accumulate) {
    BatchCall c;
    const bool vjp = form == DerivativeForm::vjp;
    const std::size_t along = vjp ? numbers : nv, by = vjp ? nv : numbers;
    c.function = BatchFunction::kinematics_derivatives, c.states = count, c.status = status.data();
    c.links = links.data(), c.link_count = static_cast<int>(links.size()), c.axes = axes;
    c.q = array_of(q, nq);
    if (velocities || accelerations) c.v = array_of(v, nv);
    if (moved) c.x = array_of(a, nv);
    c.derivatives.form = form, c.derivatives.accumulate = accumulate;
    if (poses) c.derivatives.along_q = array_of(vjp ? on_poses : dq, along);
    if (velocities || !vjp) c.derivatives.along_v = array_of(vjp ? on_velocities : dv, along);
    if (accelerations || !vjp) c.derivatives.along_x = array_of(vjp ? on_accelerations : da, along);
    for (Numbers* x : {&first, &second, &third}) x->assign(count * by, N(0.25));
    if (vjp || poses) c.out[1] = array_of(first, by);
    if (vjp || velocities) c.out[2] = array_of(second, by);
    if (vjp || accelerations) c.out[3] = array_of(third, by);
    pose.assign(count * 7 * links.size(), N(0));
    velocity.assign(count * numbers, N(0)), acceleration.assign(count * numbers, N(0));
    c.out[0] = array_of(pose, 7 * links.size());
    if (velocities) c.out[4] = array_of(velocity, numbers);
    if (accelerations) c.out[5] = array_of(acceleration, numbers);
    return c;
  }

  std::shared_ptr<const Model> model;
  Numbers q, v, a, dq, dv, da, on_poses, on_velocities, on_accelerations, first, second, third, pose,
      velocity, acceleration;
  std::size_t count, nq, nv, numbers = 0, packed = 0;
  RowAxes axes = RowAxes::link;
  bool poses = true, velocities = true, accelerations = true;  // what is given by, or asked for
  bool moved = true;                                           // joints accelerate, by a
  std::vector<std::int32_t> links, status;
};

// J, dV/dq, dV/dv, dA/dq, dA/dv and dA/da of a link, 6 x nv each, and A, by single calls after kinematics().
struct LinkMatrices {
  List J, by_q, by_v, faster_by_q, faster_by_v, faster_by_a;
  List acceleration = List(6);
};
LinkMatrices matrices_of(Workspace& w, int link, RowAxes axes, std::size_t nv, bool moves, bool accelerates) {
  const List zeros(6 * nv);
  LinkMatrices x{zeros, zeros, zeros, zeros, zeros, zeros};
  EXPECT_EQ(link_jacobian(w, link, axes, x.J.data(), 6), Status::ok);
  if (moves) {
    EXPECT_EQ(point_velocity_derivatives(w, {}, link, nullptr, axes, {x.by_q.data(), 6}, {x.by_v.data(), 6}),
              Status::ok)
        << w.message();
  }
  if (accelerates) {
    EXPECT_EQ(point_acceleration_derivatives(
                  w, {}, link, nullptr, axes,
                  {{x.faster_by_q.data(), 6}, {x.faster_by_v.data(), 6}, {x.faster_by_a.data(), 6}}),
              Status::ok)
        << w.message();
    EXPECT_EQ(link_acceleration(w, link, axes, x.acceleration.data()), Status::ok) << w.message();
  }
  return x;
}

template <class N>
void expect_near(const std::vector<N>& found, const std::vector<N>& expected, double tolerance) {
  for (std::size_t e = 0; e < expected.size(); ++e)
    EXPECT_LE(std::abs(static_cast<double>(found[e] - expected[e])),
              tolerance * (1 + std::abs(static_cast<double>(expected[e]))))
        << e;
}

// What is given by or asked for; moved: joints accelerate.
struct Given {
  bool poses, velocities, accelerations, moved, accumulate;
};
constexpr Given all_given[] = {{true, true, true, true, false},   {true, true, false, false, false},
                               {false, true, false, false, true}, {true, false, false, false, false},
                               {false, false, true, true, true},  {true, false, true, false, false},
                               {true, true, false, true, false}};

// Each state of both forms against matrices of `w`, gradients against changes, and values against those of kinematics.
template <class N>
void expect_products(Products<N>& p, Batch& batch, Workspace& w, double tolerance) {
  for (const RowAxes axes : {RowAxes::link, RowAxes::world})
    for (const Given& which : all_given) {
      p.axes = axes, p.poses = which.poses, p.velocities = which.velocities;
      p.accelerations = which.accelerations;
      const bool moves = p.velocities || p.accelerations;
      p.moved = which.moved && moves;
      const double before = which.accumulate ? 0.25 : 0;
      SCOPED_TRACE(::testing::Message()
                   << "axes " << static_cast<int>(axes) << " given " << (&which - all_given));
      BatchCall call = p.call(DerivativeForm::jvp, which.accumulate);
      const Status whole = batch.run(call);
      ASSERT_TRUE(whole == Status::ok || whole == Status::open_loop) << batch.message();
      const std::vector<N> dposes = p.first, dvelocities = p.second, daccelerations = p.third, pose = p.pose,
                           velocity = p.velocity, acceleration = p.acceleration;
      call = p.call(DerivativeForm::vjp, which.accumulate);
      ASSERT_EQ(batch.run(call), whole) << batch.message();
      p.packed = batch.packed();
      EXPECT_EQ(p.pose, pose);
      EXPECT_EQ(p.velocity, velocity);
      EXPECT_EQ(p.acceleration, acceleration);
      BatchCall plain = call;
      plain.function = BatchFunction::kinematics, plain.derivatives = {};
      plain.out[1] = plain.out[4], plain.out[3] = plain.out[5];
      plain.out[2] = plain.out[4] = plain.out[5] = {};
      ASSERT_EQ(batch.run(plain), whole);
      EXPECT_EQ(batch.packed(), p.packed);
      expect_near(p.pose, pose, tolerance), expect_near(p.velocity, velocity, tolerance);
      expect_near(p.acceleration, acceleration, 100 * tolerance);
      for (std::size_t i = 0; i < p.count; ++i) {
        SCOPED_TRACE(i);
        const List q = part(p.q, i, p.nq), v = part(p.v, i, p.nv), dq = part(p.dq, i, p.nv),
                   dv = part(p.dv, i, p.nv), da = part(p.da, i, p.nv), F = part(p.on_poses, i, p.numbers),
                   G = part(p.on_velocities, i, p.numbers), H = part(p.on_accelerations, i, p.numbers);
        const List a = p.moved ? part(p.a, i, p.nv) : List(p.nv);
        const Status single = kinematics(w, q.data(), moves ? v.data() : nullptr,
                                         p.accelerations || p.moved ? a.data() : nullptr);
        ASSERT_EQ(p.status[i], static_cast<std::int32_t>(single)) << w.message();
        if (single != Status::ok) continue;
        std::vector<Sum> g_q(p.nv), g_v(p.nv), g_a(p.nv);
        Sum along, by;
        for (std::size_t l = 0; l < p.links.size(); ++l) {
          const LinkMatrices x = matrices_of(w, p.links[l], axes, p.nv, moves, p.accelerations);
          const double size = 1 + largest(x.acceleration);
          for (std::size_t r = 0; r < 6; ++r) {
            Sum turn, change, faster;
            const std::size_t at = 6 * l + r, place = i * p.numbers + at;
            for (std::size_t k = 0; k < p.nv; ++k) {
              const std::size_t e = 6 * k + r;
              if (p.poses)
                turn.add(x.J[e] * dq[k]), change.add(x.by_q[e] * dq[k]), faster.add(x.faster_by_q[e] * dq[k]);
              change.add(x.by_v[e] * dv[k]);
              faster.add(x.faster_by_v[e] * dv[k]), faster.add(x.faster_by_a[e] * da[k]);
              if (p.poses) g_q[k].add(x.J[e] * F[at]);
              if (p.velocities) g_q[k].add(x.by_q[e] * G[at]), g_v[k].add(x.by_v[e] * G[at]);
              if (!p.accelerations) continue;
              g_q[k].add(x.faster_by_q[e] * H[at]), g_v[k].add(x.faster_by_v[e] * H[at]);
              g_a[k].add(x.faster_by_a[e] * H[at]);
            }
            const auto compare = [&](const std::vector<N>& found, const Sum& expected, double force) {
              const double is = static_cast<double>(found[place]) - before;
              EXPECT_LE(std::abs(is - expected.value), tolerance * (1 + expected.size))
                  << "link " << p.links[l] << " number " << r;
              along.add(force * is);
            };
            if (p.poses) compare(dposes, turn, F[at]);
            if (p.velocities) compare(dvelocities, change, G[at]);
            if (!p.accelerations) continue;
            compare(daccelerations, faster, H[at]);
            EXPECT_LE(std::abs(static_cast<double>(acceleration[place]) - x.acceleration[r]),
                      tolerance * size)
                << "link " << p.links[l] << " number " << r;
          }
        }
        for (std::size_t k = 0; k < p.nv; ++k) {
          const auto compare = [&](const std::vector<N>& found, const Sum& expected, double to) {
            const double is = static_cast<double>(found[i * p.nv + k]) - before;
            EXPECT_LE(std::abs(is - expected.value), tolerance * (1 + expected.size)) << "by " << k;
            by.add(is * to);
          };
          compare(p.first, g_q[k], p.poses ? dq[k] : 0);
          compare(p.second, g_v[k], dv[k]), compare(p.third, g_a[k], da[k]);
        }
        EXPECT_LE(std::abs(by.value - along.value), tolerance * (1 + by.size + along.size));
      }
    }
}

template <class N>
Products<N> products_of(const States<N>& s, std::uint64_t seed) {
  return {s.model, s.q, s.v, s.count, index(s.model->nq), index(s.model->nv), seed};
}

TEST(KinematicsProducts, OfRandomTreesAreThoseOfMatrices) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(static_cast<std::uint64_t>(seed), 30);
      Workspace w(robot.model);
      const States<double> s(robot, nullptr, 11, 3);
      auto p = products_of(s, static_cast<std::uint64_t>(seed));
      Batch batch(robot.model, nullptr, batch_options(false, here));
      expect_products(p, batch, w, 1e-12);
      if (robot.model->nv > 0 && batch.width() > 1) {
        EXPECT_EQ(p.packed, s.count);
      }
    }
}

// By workers that have no packs, which compute states as packs compute those whose results are not finite.
TEST(KinematicsProducts, OneByOneAreThoseOfMatrices) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(static_cast<std::uint64_t>(seed), 30);
    Workspace w(robot.model);
    const States<double> s(robot, nullptr, 3, 3);
    auto p = products_of(s, static_cast<std::uint64_t>(seed));
    Batch batch(robot.model, nullptr, batch_options(false, Instructions::baseline));
    expect_products(p, batch, w, 1e-12);
  }
}

TEST(KinematicsProducts, InSinglePrecision) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(static_cast<std::uint64_t>(seed), 20);
    Workspace w(robot.model);
    const States<float> s(robot, nullptr, 19, 3);
    auto p = products_of(s, static_cast<std::uint64_t>(seed));
    Batch batch(robot.model, nullptr, batch_options(true));
    expect_products(p, batch, w, 2e-5);
  }
}

template <class N>
void expect_with_loops(const LoopScene& scene, double tolerance, std::uint64_t seed, Looked& looked) {
  in_all_coordinates<N>(scene, 9, looked, [&](LoopStates<N>& s, Batch& batch) {
    Products<N> p(s.model, s.q, s.v, 9, s.nq, s.nv, seed);
    expect_products(p, batch, s.w, tolerance);
    return p.packed;
  });
}

TEST(KinematicsProducts, WithLoopsInAllCoordinates) {
  with_random_loops(robots, [](const LoopScene& scene, std::uint64_t seed, Looked& looked) {
    expect_with_loops<double>(scene, 1e-9, seed, looked);
  });
}

TEST(KinematicsProducts, OfLinkages) {
  of_linkages([](const LoopScene& scene, Looked& looked) {
    expect_with_loops<double>(scene, 1e-11, 1, looked);
    expect_with_loops<float>(scene, 1e-4, 1, looked);
  });
}

TEST(KinematicsProducts, OfGearedRobots) {
  with_gears(robots, [](const LoopScene& scene, std::uint64_t seed, Looked& looked) {
    expect_with_loops<double>(scene, 1e-10, seed, looked);
  });
}

// Packs do not call these functions, so that they have no map of independent velocities there.
TEST(KinematicsProducts, ValuesWhereFunctionsOfTheUserCloseLoops) {
  const LoopScene scene = loop_scene(tello(), {});
  for (const Coordinates velocities : {Coordinates::spanning, Coordinates::independent}) {
    SCOPED_TRACE(static_cast<int>(velocities));
    LoopStates<double> s(scene, nullptr, Coordinates::spanning, velocities, 9);
    ASSERT_TRUE(s.usable);
    Products<double> p(s.model, s.q, s.v, s.count, s.nq, s.nv, 7);
    Batch batch(s.model, nullptr, batch_options());
    s.place(batch);
    BatchCall call = p.call(DerivativeForm::vjp, false);
    call.function = BatchFunction::kinematics, call.derivatives = {};
    call.out[1] = call.out[4], call.out[3] = call.out[5];
    call.out[2] = call.out[4] = call.out[5] = {};
    ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
    List energies(s.count);
    BatchCall whole;
    whole.function = BatchFunction::centroidal, whole.states = s.count, whole.q = call.q, whole.v = call.v;
    whole.centroidal.values[3] = array_of(energies, 1);
    ASSERT_EQ(batch.run(whole), Status::ok) << batch.message();
    for (std::size_t i = 0; i < s.count; ++i) {
      SCOPED_TRACE(i);
      const List q = part(p.q, i, p.nq), v = part(p.v, i, p.nv), a = part(p.a, i, p.nv);
      ASSERT_EQ(kinematics(s.w, q.data(), v.data(), a.data()), Status::ok) << s.w.message();
      double energy_of_state = 0;
      ASSERT_EQ(energy(s.w, &energy_of_state, nullptr), Status::ok);
      EXPECT_NEAR(energies[i], energy_of_state, 1e-12 * (1 + std::abs(energy_of_state)));
      for (std::size_t l = 0; l < p.links.size(); ++l) {
        List acceleration(6);
        ASSERT_EQ(link_acceleration(s.w, p.links[l], p.axes, acceleration.data()), Status::ok);
        EXPECT_LE(largest_difference(part(p.acceleration, i * p.links.size() + l, 6), acceleration),
                  1e-12 * (1 + largest(acceleration)));
      }
    }
  }
}

// A state that fails writes nothing; its neighbours in a pack have the digits that they have without it.
TEST(KinematicsProducts, OfAStateThatFailsNothingIsWritten) {
  const Robot robot = random_robot(3, 20);
  const States<double> s(robot, nullptr, 8, 3);
  for (const DerivativeForm form : {DerivativeForm::vjp, DerivativeForm::jvp}) {
    auto p = products_of(s, 5);
    Batch batch(robot.model, nullptr, batch_options());
    ASSERT_EQ(batch.run(p.call(form, false)), Status::ok);
    const auto first = p.first, second = p.second, third = p.third, pose = p.pose;
    auto& bad = form == DerivativeForm::vjp ? p.on_accelerations : p.da;
    bad[3 * bad.size() / p.count] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(batch.run(p.call(form, false)), Status::not_finite);
    EXPECT_EQ(p.status[3], static_cast<std::int32_t>(Status::not_finite));
    for (std::size_t i = 0; i < p.count; ++i) {
      const auto same = [&](const std::vector<double>& found, const std::vector<double>& expected,
                            double untouched) {
        const std::size_t n = found.size() / p.count;
        EXPECT_EQ(part(found, i, n), i == 3 ? List(n, untouched) : part(expected, i, n)) << i;
      };
      same(p.first, first, 0.25), same(p.second, second, 0.25), same(p.third, third, 0.25);
      same(p.pose, pose, 0);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
