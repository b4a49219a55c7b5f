// Products with the derivatives of poses and velocities of links, of many states: against the matrices of single calls,
// link_jacobian and point_velocity_derivatives, which come from other formulas; gradients against changes; packs against single
// states; on random trees and with embedded loops in all coordinates. Differences of whole calls:
// tests/capi/derivatives/kinematics_products_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "batch/loop_states.hpp"
#include "scalar/index.hpp"
#include "support/geared_robot.hpp"
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
    status.assign(count, 77);
  }
  BatchCall call(DerivativeForm form, bool accumulate) {
    BatchCall c;
    const bool vjp = form == DerivativeForm::vjp;
    const std::size_t along = vjp ? numbers : nv, by = vjp ? nv : numbers;
    c.function = BatchFunction::kinematics_derivatives, c.states = count, c.status = status.data();
    c.links = links.data(), c.link_count = static_cast<int>(links.size()), c.axes = axes;
    c.q = array_of(q, nq), c.v = array_of(v, nv);
    c.derivatives.form = form, c.derivatives.accumulate = accumulate;
    if (poses) c.derivatives.along_q = array_of(vjp ? on_poses : dq, along);
    if (velocities || !vjp) c.derivatives.along_v = array_of(vjp ? on_velocities : dv, along);
    for (Numbers* x : {&first, &second}) x->assign(count * by, N(0.25));
    if (vjp || poses) c.out[1] = array_of(first, by);
    if (vjp || velocities) c.out[2] = array_of(second, by);
    if (!velocities) c.v = {};
    pose.assign(count * 7 * links.size(), N(0)), velocity.assign(count * numbers, N(0));
    c.out[0] = array_of(pose, 7 * links.size());
    if (velocities) c.out[4] = array_of(velocity, numbers);
    return c;
  }

  std::shared_ptr<const Model> model;
  Numbers q, v, dq, dv, on_poses, on_velocities, first, second, pose, velocity;
  std::size_t count, nq, nv, numbers = 0, packed = 0;
  RowAxes axes = RowAxes::link;
  bool poses = true, velocities = true;  // what is given by, or asked for
  std::vector<std::int32_t> links, status;
};

// J, dV/dq and dV/dv of a link, 6 x nv each, by single calls after kinematics().
struct LinkMatrices {
  List J, by_q, by_v;
};
LinkMatrices matrices_of(Workspace& w, int link, RowAxes axes, std::size_t nv) {
  LinkMatrices x{List(6 * nv), List(6 * nv), List(6 * nv)};
  EXPECT_EQ(link_jacobian(w, link, axes, x.J.data(), 6), Status::ok);
  EXPECT_EQ(point_velocity_derivatives(w, {}, link, nullptr, axes, {x.by_q.data(), 6}, {x.by_v.data(), 6}),
            Status::ok)
      << w.message();
  return x;
}

// x := what is wanted, and the size of its terms.
struct Sum {
  double value = 0, size = 0;
  void add(double x) { value += x, size += std::abs(x); }
};

template <class N>
void expect_near(const std::vector<N>& found, const std::vector<N>& expected, double tolerance) {
  for (std::size_t e = 0; e < expected.size(); ++e)
    EXPECT_LE(std::abs(static_cast<double>(found[e] - expected[e])),
              tolerance * (1 + std::abs(static_cast<double>(expected[e]))))
        << e;
}

// Each state of both forms against matrices of `w`, gradients against changes, and values against those of kinematics.
template <class N>
void expect_products(Products<N>& p, Batch& batch, Workspace& w, double tolerance) {
  for (const RowAxes axes : {RowAxes::link, RowAxes::world})
    for (const int which : {0, 1, 2}) {
      p.axes = axes, p.poses = which != 1, p.velocities = which != 2;
      const bool accumulate = which == 1;
      const double before = accumulate ? 0.25 : 0;
      SCOPED_TRACE(::testing::Message() << "axes " << static_cast<int>(axes) << " given " << which);
      BatchCall call = p.call(DerivativeForm::jvp, accumulate);
      const Status whole = batch.run(call);
      ASSERT_TRUE(whole == Status::ok || whole == Status::open_loop) << batch.message();
      const std::vector<N> dposes = p.first, dvelocities = p.second, pose = p.pose, velocity = p.velocity;
      call = p.call(DerivativeForm::vjp, accumulate);
      ASSERT_EQ(batch.run(call), whole) << batch.message();
      p.packed = batch.packed();
      EXPECT_EQ(p.pose, pose);
      EXPECT_EQ(p.velocity, velocity);
      BatchCall plain = call;
      plain.function = BatchFunction::kinematics, plain.derivatives = {};
      plain.out[1] = plain.out[4], plain.out[2] = plain.out[4] = {};
      ASSERT_EQ(batch.run(plain), whole);
      // In independent velocities kinematics alone goes one by one.
      expect_near(p.pose, pose, tolerance), expect_near(p.velocity, velocity, tolerance);
      for (std::size_t i = 0; i < p.count; ++i) {
        SCOPED_TRACE(i);
        const List q = part(p.q, i, p.nq), v = part(p.v, i, p.nv), dq = part(p.dq, i, p.nv),
                   dv = part(p.dv, i, p.nv), F = part(p.on_poses, i, p.numbers),
                   G = part(p.on_velocities, i, p.numbers);
        const Status single = kinematics(w, q.data(), v.data(), nullptr);
        ASSERT_EQ(p.status[i], static_cast<std::int32_t>(single)) << w.message();
        if (single != Status::ok) continue;
        std::vector<Sum> g_q(p.nv), g_v(p.nv);
        Sum along, by;
        for (std::size_t l = 0; l < p.links.size(); ++l) {
          const LinkMatrices x = matrices_of(w, p.links[l], axes, p.nv);
          for (std::size_t r = 0; r < 6; ++r) {
            Sum turn, change;
            const std::size_t at = 6 * l + r;
            for (std::size_t k = 0; k < p.nv; ++k) {
              const std::size_t e = 6 * k + r;
              if (p.poses) turn.add(x.J[e] * dq[k]), change.add(x.by_q[e] * dq[k]);
              change.add(x.by_v[e] * dv[k]);
              if (p.poses) g_q[k].add(x.J[e] * F[at]);
              if (p.velocities) g_q[k].add(x.by_q[e] * G[at]), g_v[k].add(x.by_v[e] * G[at]);
            }
            const auto compare = [&](const std::vector<N>& found, const Sum& expected) {
              EXPECT_LE(std::abs(static_cast<double>(found[i * p.numbers + at]) - before - expected.value),
                        tolerance * (1 + expected.size))
                  << "link " << p.links[l] << " number " << r;
            };
            if (p.poses) compare(dposes, turn), along.add(F[at] * (dposes[i * p.numbers + at] - before));
            if (p.velocities)
              compare(dvelocities, change), along.add(G[at] * (dvelocities[i * p.numbers + at] - before));
          }
        }
        for (std::size_t k = 0; k < p.nv; ++k) {
          const double by_q = static_cast<double>(p.first[i * p.nv + k]) - before,
                       by_v = static_cast<double>(p.second[i * p.nv + k]) - before;
          EXPECT_LE(std::abs(by_q - g_q[k].value), tolerance * (1 + g_q[k].size)) << "by q " << k;
          EXPECT_LE(std::abs(by_v - g_v[k].value), tolerance * (1 + g_v[k].size)) << "by v " << k;
          if (p.poses) by.add(by_q * dq[k]);
          by.add(by_v * dv[k]);
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

constexpr Coordinates both[] = {Coordinates::spanning, Coordinates::independent};

template <class N>
void expect_with_loops(const LoopScene& scene, std::size_t count, double tolerance, std::uint64_t seed,
                       int& looked_at, std::size_t (&packed)[2]) {
  for (const Coordinates positions : both)
    for (const Coordinates velocities : both) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(positions) << static_cast<int>(velocities));
      LoopStates<N> s(scene, nullptr, positions, velocities, count);
      if (!s.usable) continue;
      Products<N> p(s.model, s.q, s.v, count, s.nq, s.nv, seed);
      Batch batch(s.model, nullptr, batch_options(sizeof(N) == sizeof(float)));
      s.place(batch);
      expect_products(p, batch, s.w, tolerance);
      ++looked_at;
      if (positions != Coordinates::spanning || batch.width() == 1) continue;
      packed[0] += p.packed, packed[1] += count;
    }
}

TEST(KinematicsProducts, WithLoopsInAllCoordinates) {
  int looked_at = 0;
  std::size_t packed[2] = {};
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    if (scene.model->data().cluster_count == 0) continue;
    expect_with_loops<double>(scene, 9, 1e-9, static_cast<std::uint64_t>(seed), looked_at, packed);
  }
  EXPECT_GT(looked_at, robots);
  EXPECT_GE(10 * packed[0], 9 * packed[1]);
}

TEST(KinematicsProducts, OfLinkages) {
  int looked_at = 0;
  std::size_t packed[2] = {};
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage"}) {
    SCOPED_TRACE(name);
    expect_with_loops<double>(model_scene(name), 9, 1e-11, 1, looked_at, packed);
    expect_with_loops<float>(model_scene(name), 9, 1e-4, 1, looked_at, packed);
  }
  EXPECT_EQ(looked_at, 24);
}

// Gears and folded rotors are clusters too.
TEST(KinematicsProducts, OfGearedRobots) {
  int looked_at = 0;
  std::size_t packed[2] = {};
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    Robot tree = random_robot(static_cast<std::uint64_t>(seed), 20);
    add_gears(random, tree.mechanism);
    if (tree.mechanism.couplings.empty() && tree.mechanism.gears.empty()) continue;
    expect_with_loops<double>(loop_scene(tree.mechanism, tree.options), 9, 1e-10,
                              static_cast<std::uint64_t>(seed), looked_at, packed);
  }
  EXPECT_GT(looked_at, robots);
}

// A state that fails writes nothing; its neighbours in a pack have the digits that they have without it.
TEST(KinematicsProducts, OfAStateThatFailsNothingIsWritten) {
  const Robot robot = random_robot(3, 20);
  const States<double> s(robot, nullptr, 8, 3);
  for (const DerivativeForm form : {DerivativeForm::vjp, DerivativeForm::jvp}) {
    auto p = products_of(s, 5);
    Batch batch(robot.model, nullptr, batch_options());
    ASSERT_EQ(batch.run(p.call(form, false)), Status::ok);
    const auto first = p.first, second = p.second, pose = p.pose;
    auto& bad = form == DerivativeForm::vjp ? p.on_velocities : p.dv;
    bad[3 * bad.size() / p.count] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(batch.run(p.call(form, false)), Status::not_finite);
    EXPECT_EQ(p.status[3], static_cast<std::int32_t>(Status::not_finite));
    for (std::size_t i = 0; i < p.count; ++i) {
      const auto same = [&](const std::vector<double>& found, const std::vector<double>& expected,
                            double untouched) {
        const std::size_t n = found.size() / p.count;
        EXPECT_EQ(part(found, i, n), i == 3 ? List(n, untouched) : part(expected, i, n)) << i;
      };
      same(p.first, first, 0.25), same(p.second, second, 0.25), same(p.pose, pose, 0);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
