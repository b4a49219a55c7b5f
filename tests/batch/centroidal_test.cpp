// Numbers of whole robots of many states, and products with their derivatives: values against sums over links and against J v,
// A v and v^T M v / 2, products against the matrices of single calls, which come from other formulas; gradients against
// changes; on random trees, of robots of states' own, and with embedded loops in all coordinates. Differences of whole calls:
// tests/capi/derivatives/centroidal_products_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "batch/loop_products.hpp"
#include "scalar/index.hpp"
#include "support/largest.hpp"
#include "support/test_robots.hpp"
#include "tenon/kinematics_derivatives.hpp"

namespace tenon::testing {
namespace {

const int robots = std::max(25, test_robots() / 10);
constexpr std::size_t parts = std::size_t{centroidal_parts}, numbers = std::size_t{centroidal_count};
constexpr std::size_t at(std::size_t i) {
  return static_cast<std::size_t>(centroidal_at[i]);
}
constexpr std::size_t size(std::size_t i) {
  return static_cast<std::size_t>(centroidal_size[i]);
}

// States, what derivatives are multiplied with, and the results.
template <class N>
struct Products {
  using Numbers = std::vector<N>;

  Products(std::shared_ptr<const Model> model_, Numbers q_, Numbers v_, std::size_t count_, std::size_t nq_,
           std::size_t nv_, std::uint64_t seed)
      : model(std::move(model_)), q(std::move(q_)), v(std::move(v_)), count(count_), nq(nq_), nv(nv_) {
    Random random(seed);
    const auto drawn = [&](std::size_t n) {
      Numbers x(count * n);
      for (N& e : x) e = static_cast<N>(random.uniform(-1, 1));
      return x;
    };
    dq = drawn(nv), dv = drawn(nv);
    for (std::size_t i = 0; i < parts; ++i) gradients[i] = drawn(size(i));
    status.assign(count, 77);
  }
  BatchCall call(BatchFunction function, DerivativeForm form = DerivativeForm::vjp, bool accumulate = false) {
    BatchCall c;
    c.function = function, c.states = count, c.status = status.data();
    c.q = array_of(q, nq);
    if (moves()) c.v = array_of(v, nv);
    for (std::size_t i = 0; i < parts; ++i) {
      values[i].assign(count * size(i), N(0)), changes[i].assign(count * size(i), N(0.25));
      if (wanted[i]) c.centroidal.values[i] = array_of(values[i], size(i));
    }
    if (function == BatchFunction::centroidal) return c;
    c.derivatives.form = form, c.derivatives.accumulate = accumulate;
    by_q.assign(count * nv, N(0.25)), by_v.assign(count * nv, N(0.25));
    if (form == DerivativeForm::vjp) {
      for (std::size_t i = 0; i < parts; ++i)
        if (wanted[i]) c.centroidal.gradients[i] = array_of(gradients[i], size(i));
      c.out[1] = array_of(by_q, nv), c.out[2] = array_of(by_v, nv);
    } else {
      c.derivatives.along_q = array_of(dq, nv), c.derivatives.along_v = array_of(dv, nv);
      for (std::size_t i = 0; i < parts; ++i)
        if (wanted[i]) c.centroidal.changes[i] = array_of(changes[i], size(i));
    }
    return c;
  }
  bool moves() const { return wanted[1] || wanted[2] || wanted[3]; }

  std::shared_ptr<const Model> model;
  Numbers q, v, dq, dv, by_q, by_v;
  Numbers gradients[parts], values[parts], changes[parts];
  std::size_t count, nq, nv, packed = 0;
  bool wanted[parts] = {true, true, true, true, true};
  std::vector<std::int32_t> status;
};

// Of one state, after kinematics(): the numbers by other formulas with the size of their terms, and numbers x nv matrices,
// column by column.
struct Expected {
  Sum value[numbers];
  List by_q, by_v;

  Expected(Workspace& w, const List& q, const List& v) : by_q(numbers * v.size()), by_v(by_q) {
    const std::size_t nv = v.size();
    const int n = static_cast<int>(nv);
    List J(3 * nv), A(6 * nv), center_v(3 * nv), momentum_q(6 * nv), kinetic_q(nv), kinetic_v(nv),
        potential_q(nv), M(nv * nv);
    const auto good = [&](Status status) { EXPECT_EQ(status, Status::ok) << w.message(); };
    good(center_of_mass(w, nullptr, nullptr, J.data(), 3));
    good(centroidal_momentum_matrix(w, A.data(), 6));
    good(center_of_mass_derivatives(w, {}, nullptr, {{center_v.data(), 3}, {}, {}}));
    good(centroidal_momentum_derivatives(w, {}, nullptr, {{momentum_q.data(), 6}, {}, {}, {}}));
    good(energy_gradients(w, {}, kinetic_q.data(), kinetic_v.data(), potential_q.data()));
    for (std::size_t k = 0; k < nv; ++k) {
      double *q_k = &by_q[numbers * k], *v_k = &by_v[numbers * k];
      for (std::size_t e = 0; e < 3; ++e)
        q_k[e] = v_k[3 + e] = J[3 * k + e], q_k[3 + e] = center_v[3 * k + e];
      for (std::size_t e = 0; e < 6; ++e) q_k[6 + e] = momentum_q[6 * k + e], v_k[6 + e] = A[6 * k + e];
      q_k[12] = kinetic_q[k], v_k[12] = kinetic_v[k], q_k[13] = potential_q[k];
      for (std::size_t e = 3; e < 12; ++e) value[e].add(v_k[e] * v[k]);
    }
    add_links(w);
    good(mass_matrix(w, q.data(), M.data(), n));
    for (std::size_t k = 0; k < nv; ++k)
      for (std::size_t l = 0; l < nv; ++l) value[12].add(v[k] * M[k * nv + l] * v[l] / 2);
    good(kinematics(w, q.data(), v.data(), nullptr));
  }
  // The centre of mass and the potential energy.
  void add_links(Workspace& w) {
    double mass = 0;
    const Vector3 gravity = w.gravity();
    for (std::size_t l = 0; l < w.model().links.size(); ++l) {
      const Model::Link& link = w.model().links[l];
      if (link.body < 0 || link.is_frame) continue;
      double p[3], quaternion[4], R[9];
      EXPECT_EQ(link_pose(w, static_cast<int>(l), p, quaternion, R), Status::ok);
      mass += link.mass;
      for (std::size_t e = 0; e < 3; ++e) {
        double x = p[e];
        for (std::size_t c = 0; c < 3; ++c) x += R[3 * c + e] * link.center_of_mass[c];
        value[e].add(link.mass * x), value[13].add(-link.mass * gravity[e] * x);
      }
    }
    for (std::size_t e = 0; e < 3; ++e) value[e].value /= mass, value[e].size /= mass;
  }
};

template <class N>
void expect_products(Products<N>& p, Batch& batch, double tolerance, Status whole,
                     const std::function<Workspace&(std::size_t)>& workspace) {
  const bool all[parts] = {true, true, true, true, true}, still[parts] = {true, false, false, false, true},
             moving[parts] = {false, false, true, false, false},
             energies[parts] = {false, false, false, true, true};
  for (const auto& which : {&all, &still, &moving, &energies}) {
    std::copy_n(*which, parts, p.wanted);
    const bool accumulate = which == &still || which == &energies;
    const double before = accumulate ? 0.25 : 0;
    SCOPED_TRACE(::testing::Message() << "given " << p.wanted[0] << p.moves() << p.wanted[3]);
    ASSERT_EQ(batch.run(p.call(BatchFunction::centroidal)), whole) << batch.message();
    std::vector<N> alone[parts], changes[parts];
    for (std::size_t i = 0; i < parts; ++i) alone[i] = p.values[i];
    p.packed = batch.packed();
    ASSERT_EQ(batch.run(p.call(BatchFunction::centroidal_derivatives, DerivativeForm::jvp, accumulate)),
              whole)
        << batch.message();
    EXPECT_EQ(p.packed, batch.packed());
    for (std::size_t i = 0; i < parts; ++i) {
      changes[i] = p.changes[i];
      EXPECT_EQ(p.values[i], alone[i]);
    }
    ASSERT_EQ(batch.run(p.call(BatchFunction::centroidal_derivatives, DerivativeForm::vjp, accumulate)),
              whole)
        << batch.message();
    EXPECT_EQ(p.packed, batch.packed());
    for (std::size_t i = 0; i < parts; ++i) EXPECT_EQ(p.values[i], alone[i]);
    for (std::size_t i = 0; i < p.count; ++i) {
      SCOPED_TRACE(i);
      const List q = part(p.q, i, p.nq), v = part(p.v, i, p.nv), dq = part(p.dq, i, p.nv),
                 dv = part(p.dv, i, p.nv);
      Workspace& w = workspace(i);
      const Status single = kinematics(w, q.data(), v.data(), nullptr);
      ASSERT_EQ(p.status[i], static_cast<std::int32_t>(single)) << w.message();
      if (single != Status::ok) continue;
      const Expected x(w, q, v);
      Sum along, by;
      std::vector<Sum> g_q(p.nv), g_v(p.nv);
      for (std::size_t which_part = 0; which_part < parts; ++which_part)
        for (std::size_t e = 0; p.wanted[which_part] && e < size(which_part); ++e) {
          const std::size_t row = at(which_part) + e, place = i * size(which_part) + e;
          const double g = static_cast<double>(p.gradients[which_part][place]),
                       found = static_cast<double>(changes[which_part][place]) - before;
          EXPECT_LE(std::abs(static_cast<double>(p.values[which_part][place]) - x.value[row].value),
                    tolerance * (1 + x.value[row].size))
              << "value " << row;
          Sum change;
          for (std::size_t k = 0; k < p.nv; ++k) {
            const double of_q = x.by_q[numbers * k + row], of_v = x.by_v[numbers * k + row];
            change.add(of_q * dq[k]), change.add(of_v * dv[k]);
            g_q[k].add(of_q * g), g_v[k].add(of_v * g);
          }
          EXPECT_LE(std::abs(found - change.value), tolerance * (1 + change.size + x.value[row].size))
              << "change " << row;
          along.add(g * found), along.size += std::abs(g) * change.size;
        }
      for (std::size_t k = 0; k < p.nv; ++k) {
        const double of_q = static_cast<double>(p.by_q[i * p.nv + k]) - before,
                     of_v = static_cast<double>(p.by_v[i * p.nv + k]) - before;
        EXPECT_LE(std::abs(of_q - g_q[k].value), tolerance * (1 + g_q[k].size + along.size)) << "by q " << k;
        EXPECT_LE(std::abs(of_v - g_v[k].value), tolerance * (1 + g_v[k].size)) << "by v " << k;
        by.add(of_q * dq[k]), by.add(of_v * dv[k]);
      }
      EXPECT_LE(std::abs(by.value - along.value), tolerance * (1 + by.size + along.size));
    }
  }
}

template <class N>
Products<N> products_of(const States<N>& s, std::uint64_t seed) {
  return {s.model, s.q, s.v, s.count, index(s.model->nq), index(s.model->nv), seed};
}

bool has_mass(const Model& model) {
  double mass = 0;
  for (const Model::Link& link : model.links) mass += link.body >= 0 ? link.mass : 0;
  return mass > 0;
}

template <class N>
void expect_on_trees(Instructions here, std::size_t count, int bodies, double tolerance) {
  for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(static_cast<std::uint64_t>(seed), bodies);
    if (!has_mass(*robot.model)) continue;
    Workspace w(robot.model);
    const States<N> s(robot, nullptr, count, 3);
    auto p = products_of(s, static_cast<std::uint64_t>(seed));
    Batch batch(robot.model, nullptr, batch_options(sizeof(N) == sizeof(float), here));
    expect_products<N>(p, batch, tolerance, Status::ok, [&](std::size_t) -> Workspace& { return w; });
    if (robot.model->nv > 0 && batch.width() > 1) {
      EXPECT_EQ(p.packed, s.count);
    }
  }
}

TEST(Centroidal, OfRandomTreesIsThatOfMatrices) {
  for (const Instructions here : instruction_sets_here()) expect_on_trees<double>(here, 11, 30, 1e-11);
}
// By workers that have no packs, which compute states as packs compute those whose results are not finite.
TEST(Centroidal, OneByOneIsThatOfMatrices) {
  expect_on_trees<double>(Instructions::baseline, 3, 30, 1e-11);
}
TEST(Centroidal, InSinglePrecision) {
  expect_on_trees<float>(Instructions::automatic, 19, 20, 1e-4);
}

// By inertias of links, from the gradients by what is wanted; ten numbers a link and state.
template <class N>
std::vector<N> by_inertias(Products<N>& p, Batch& batch) {
  const std::size_t count = 10 * p.model->links.size();
  std::vector<N> by(p.count * count, N(77));
  BatchCall c = p.call(BatchFunction::centroidal_derivatives);
  c.derivatives.form = DerivativeForm::parameter_vjp;
  c.out[1] = c.out[2] = {};
  for (BatchArray& value : c.centroidal.values) value = {};
  c.derivatives.by(ByParameter::inertia) = array_of(by, count);
  EXPECT_EQ(batch.run(c), Status::ok) << batch.message();
  p.packed = batch.packed();
  return by;
}

// Of energies the regressors of single calls, which come from other text; of all numbers in packs of all instruction sets those
// of single states. tests/capi/derivatives/centroidal_parameters_test.cpp has differences.
TEST(Centroidal, ByInertiasInPacksIsThatOfSingleStatesAndOfRegressors) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(static_cast<std::uint64_t>(seed), 20);
      if (!has_mass(*robot.model)) continue;
      const States<double> s(robot, nullptr, 11, 3);
      auto p = products_of(s, static_cast<std::uint64_t>(seed));
      Batch batch(robot.model, nullptr, batch_options(false, here)),
          alone(robot.model, nullptr, batch_options(false, Instructions::baseline));
      const List all = by_inertias(p, batch);
      if (robot.model->nv > 0 && batch.width() > 1) {
        EXPECT_EQ(p.packed, s.count);
      }
      const List single = by_inertias(p, alone);
      const double size = 1 + largest(single);
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_LE(std::abs(all[i] - single[i]), 1e-11 * size) << i;
      std::fill_n(p.wanted, 3, false);
      const List of_energies = by_inertias(p, batch);
      Workspace w(robot.model);
      const std::size_t count = 10 * robot.model->links.size();
      for (std::size_t i = 0; i < s.count; ++i) {
        List kinetic(count), potential(count);
        const List q = part(p.q, i, p.nq), v = part(p.v, i, p.nv);
        ASSERT_EQ(kinematics(w, q.data(), v.data(), nullptr), Status::ok);
        ASSERT_EQ(energy_regressors(w, kinetic.data(), potential.data()), Status::ok);
        for (std::size_t e = 0; e < count; ++e) {
          const double a = p.gradients[3][i] * kinetic[e], b = p.gradients[4][i] * potential[e];
          EXPECT_LE(std::abs(of_energies[i * count + e] - a - b), 1e-11 * (size + std::abs(a) + std::abs(b)));
        }
      }
    }
}

TEST(Centroidal, OfRobotsOfTheirOwnIsThatOfModelsCompiledAnew) {
  for (const Instructions here : instruction_sets_here())
    for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      const Robot robot = random_robot(static_cast<std::uint64_t>(seed), 20);
      if (!has_mass(*robot.model)) continue;
      States<double> s(robot, nullptr, 9, 3);
      s.draw_robots(robot.mechanism, robot.options, static_cast<std::uint64_t>(seed));
      std::vector<std::unique_ptr<Workspace>> workspaces;
      for (std::size_t i = 0; i < s.count; ++i) workspaces.push_back(s.workspace(i));
      auto p = products_of(s, static_cast<std::uint64_t>(seed));
      Batch batch(robot.model, nullptr, batch_options(false, here));
      s.give_rows(batch);
      expect_products<double>(p, batch, 1e-10, Status::ok,
                              [&](std::size_t i) -> Workspace& { return *workspaces[i]; });
    }
}

template <class N>
void expect_with_loops(const LoopScene& scene, double tolerance, std::uint64_t seed, Looked& looked) {
  if (!has_mass(*scene.model)) return;
  in_all_coordinates<N>(scene, 9, looked, [&](LoopStates<N>& s, Batch& batch) {
    Products<N> p(s.model, s.q, s.v, 9, s.nq, s.nv, seed);
    const Status whole = batch.run(p.call(BatchFunction::centroidal));
    EXPECT_TRUE(whole == Status::ok || whole == Status::open_loop) << batch.message();
    expect_products<N>(p, batch, tolerance, whole, [&](std::size_t) -> Workspace& { return s.w; });
    return p.packed;
  });
}

TEST(Centroidal, WithLoopsInAllCoordinates) {
  with_random_loops(robots, [](const LoopScene& scene, std::uint64_t seed, Looked& looked) {
    expect_with_loops<double>(scene, 1e-9, seed, looked);
  });
}

TEST(Centroidal, OfLinkages) {
  of_linkages([](const LoopScene& scene, Looked& looked) {
    expect_with_loops<double>(scene, 1e-11, 1, looked);
    expect_with_loops<float>(scene, 1e-4, 1, looked);
  });
}

TEST(Centroidal, OfGearedRobots) {
  with_gears(robots, [](const LoopScene& scene, std::uint64_t seed, Looked& looked) {
    expect_with_loops<double>(scene, 1e-9, seed, looked);
  });
}

// Without mass there is no centre, but there are energies.
TEST(Centroidal, WithoutMassHasEnergies) {
  Mechanism mechanism;
  mechanism.links.resize(2);
  mechanism.links[0].name = "base", mechanism.links[1].name = "wheel";
  MechanismJoint joint;
  joint.name = "axle", joint.parent = "base", joint.child = "wheel", joint.type = JointType::revolute;
  joint.armature = 0.5;
  mechanism.joints.push_back(joint);
  const auto model = Model::compile(mechanism, {});
  Products<double> p(model, {0, 0, 0}, {1, 2, 3}, 3, 1, 1, 7);
  Batch batch(model, nullptr, batch_options());
  for (const DerivativeForm form : {DerivativeForm::vjp, DerivativeForm::jvp}) {
    std::fill_n(p.wanted, parts, true);
    EXPECT_EQ(batch.run(p.call(BatchFunction::centroidal_derivatives, form)), Status::invalid_model);
    EXPECT_NE(std::string(batch.message()).find("no centre of mass"), std::string::npos) << batch.message();
    std::fill_n(p.wanted, 3, false);
    ASSERT_EQ(batch.run(p.call(BatchFunction::centroidal_derivatives, form)), Status::ok) << batch.message();
    EXPECT_EQ(p.values[3], (List{0.25, 1, 2.25}));
    EXPECT_EQ(p.values[4], List(3));
    for (std::size_t i = 0; i < 3; ++i)
      if (form == DerivativeForm::vjp) {
        EXPECT_EQ(p.by_v[i], 0.5 * p.gradients[3][i] * p.v[i]);
        EXPECT_EQ(p.by_q[i], 0);
      } else {
        EXPECT_EQ(p.changes[3][i], 0.5 * p.dv[i] * p.v[i]);
      }
  }
}

// A state that fails writes nothing; its neighbours in a pack have the digits that they have without it.
TEST(Centroidal, OfAStateThatFailsNothingIsWritten) {
  const Robot robot = random_robot(3, 20);
  const States<double> s(robot, nullptr, 8, 3);
  for (const DerivativeForm form : {DerivativeForm::vjp, DerivativeForm::jvp}) {
    auto p = products_of(s, 5);
    Batch batch(robot.model, nullptr, batch_options());
    ASSERT_EQ(batch.run(p.call(BatchFunction::centroidal_derivatives, form)), Status::ok);
    const auto good = p;
    auto& bad = form == DerivativeForm::vjp ? p.gradients[2] : p.dv;
    bad[3 * bad.size() / p.count] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(batch.run(p.call(BatchFunction::centroidal_derivatives, form)), Status::not_finite);
    EXPECT_EQ(p.status[3], static_cast<std::int32_t>(Status::not_finite));
    const auto same = [&](const List& found, const List& expected, double untouched) {
      const std::size_t n = found.size() / p.count;
      for (std::size_t i = 0; i < p.count; ++i)
        EXPECT_EQ(part(found, i, n), i == 3 ? List(n, untouched) : part(expected, i, n)) << i;
    };
    same(p.by_q, good.by_q, 0.25), same(p.by_v, good.by_v, 0.25);
    for (std::size_t i = 0; i < parts; ++i)
      same(p.values[i], good.values[i], 0), same(p.changes[i], good.changes[i], 0.25);
  }
}

}  // namespace
}  // namespace tenon::testing
