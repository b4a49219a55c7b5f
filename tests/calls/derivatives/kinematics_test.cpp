// Derivatives of motion, of the centre of mass, momentum, energy and the gravity force against dual numbers through
// kinematics and sums over bodies, and against central differences of whole calls.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "state/workspace_impl.hpp"
#include "support/described_model.hpp"
#include "support/exact/dual.hpp"
#include "support/geared_robot.hpp"
#include "support/loop_scene.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/kinematics_derivatives.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(240, test_robots() / 2);
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A matrix with two more rows than are asked for.
struct Block {
  Block(int rows_, int columns, double start = nan)
      : rows(rows_), x(MatrixXd::Constant(rows_ + 2, columns, nan)) {
    x.topRows(rows).setConstant(start);
  }
  DerivativeOut out() { return {x.data(), rows + 2}; }
  MatrixXd get() const {
    EXPECT_TRUE(x.bottomRows(2).array().isNaN().all());
    return x.topRows(rows);
  }
  int rows;
  MatrixXd x;
};

// Blocks by q, v and a; empty where there is none.
struct Blocks {
  VectorXd times(const Direction& d) const { return product(d.q, d.v, d.third, false); }
  double terms(const Direction& d) const { return largest(product(d.q, d.v, d.third, true)); }
  VectorXd product(const VectorXd& q, const VectorXd& v, const VectorXd& a, bool sizes) const {
    VectorXd sum = VectorXd::Zero(by_q.rows());
    const auto add = [&](const MatrixXd& x, const VectorXd& y) {
      if (x.size() > 0) sum += sizes ? VectorXd(x.cwiseAbs() * y.cwiseAbs()) : VectorXd(x * y);
    };
    add(by_q, q), add(by_v, v), add(by_a, a);
    return sum;
  }
  MatrixXd by_q, by_v, by_a;
};

struct All {
  Blocks velocity, acceleration, com_velocity, com_acceleration, momentum, rate, kinetic, potential;
  Eigen::Vector3d acceleration_of_com;
  VectorXd rate_of_momentum;
};

// What a workspace gives at (q, v, a), of one point along axes; n columns. start: what outputs hold.
All derivatives_at(Workspace& w, int n, const double* q, const double* v, const double* a, int link,
                   const double* point, RowAxes axes, const DerivativeOptions& options = {},
                   double start = nan) {
  All x;
  EXPECT_EQ(kinematics(w, q, v, a), Status::ok) << w.message();
  const auto block = [&](int rows) { return Block(rows, n, start); };
  Block u_q = block(6), u_v = block(6), a_q = block(6), a_v = block(6), a_a = block(6);
  EXPECT_EQ(point_velocity_derivatives(w, options, link, point, axes, u_q.out(), u_v.out()), Status::ok)
      << w.message();
  EXPECT_EQ(point_acceleration_derivatives(w, options, link, point, axes, {a_q.out(), a_v.out(), a_a.out()}),
            Status::ok)
      << w.message();
  x.velocity = {u_q.get(), u_v.get(), {}}, x.acceleration = {a_q.get(), a_v.get(), a_a.get()};
  Block c_q = block(3), c_v = block(3), g_q = block(3), g_v = block(3);
  EXPECT_EQ(
      center_of_mass_derivatives(w, options, x.acceleration_of_com.data(), {c_q.out(), g_q.out(), g_v.out()}),
      Status::ok)
      << w.message();
  EXPECT_EQ(center_of_mass(w, nullptr, nullptr, c_v.x.data(), 5), Status::ok);
  if (options.accumulate) c_v.x.array() += start;
  x.com_velocity = {c_q.get(), c_v.get(), {}}, x.com_acceleration = {g_q.get(), g_v.get(), c_v.get()};
  Block h_q = block(6), h_v = block(6), r_q = block(6), r_v = block(6);
  x.rate_of_momentum.resize(6);
  EXPECT_EQ(centroidal_momentum_derivatives(w, options, x.rate_of_momentum.data(),
                                            {h_q.out(), h_v.out(), r_q.out(), r_v.out()}),
            Status::ok)
      << w.message();
  x.momentum = {h_q.get(), h_v.get(), {}}, x.rate = {r_q.get(), r_v.get(), h_v.get()};
  for (MatrixXd* g : {&x.kinetic.by_q, &x.kinetic.by_v, &x.potential.by_q})
    *g = MatrixXd::Constant(1, n, start);
  EXPECT_EQ(
      energy_gradients(w, options, x.kinetic.by_q.data(), x.kinetic.by_v.data(), x.potential.by_q.data()),
      Status::ok)
      << w.message();
  return x;
}

VectorXd changes(const Dual* x, int n) {
  return VectorXd::NullaryExpr(n, [x](Eigen::Index i) { return static_cast<double>(x[i].d); });
}
VectorXd values(const Dual* x, int n) {
  return VectorXd::NullaryExpr(n, [x](Eigen::Index i) { return static_cast<double>(x[i].x); });
}

struct Scene {
  explicit Scene(MovingTree& t_)
      : t(t_),
        w(t.w),
        link(random_link(t.random, *t.robot.model)),
        axes(t.random.chance(0.5) ? RowAxes::link : RowAxes::world),
        point(t.random.vector(1)),
        x(derivatives_at(w, t.nv(), t.s.q.data(), t.s.v.data(), t.s.a.data(), link, point.data(), axes)) {}
  Direction random_direction() {
    const int n = t.nv();
    return {random_vector(t.random, n), random_vector(t.random, n), random_vector(t.random, n)};
  }

  MovingTree& t;
  Workspace& w;
  int link;
  RowAxes axes;
  Vector3 point;
  All x;
};

template <class Check>
void for_scenes(int count, int most_links, Check check) {
  for (int seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree tree(seed, most_links);
    if (!(moved_mass(*tree.robot.model) > 0)) continue;
    Scene scene(tree);
    check(scene);
  }
}

void expect_dual(const All& x, const DualMotion& m, const Direction& d, double most) {
  const auto compare = [&](const char* what, const Blocks& blocks, const Dual* expected, int rows) {
    const double size = std::max(blocks.terms(d), largest(values(expected, rows)));
    EXPECT_LE(relative_error(blocks.times(d), changes(expected, rows), size), most) << what;
  };
  compare("velocity", x.velocity, m.velocity, 6);
  compare("acceleration", x.acceleration, m.acceleration, 6);
  compare("velocity of the centre of mass", x.com_velocity, m.com_velocity, 3);
  compare("acceleration of the centre of mass", x.com_acceleration, m.com_acceleration, 3);
  compare("momentum", x.momentum, m.momentum, 6);
  compare("rate of momentum", x.rate, m.rate, 6);
  compare("kinetic energy", x.kinetic, m.energy, 1);
  compare("potential energy", x.potential, m.energy + 1, 1);
  EXPECT_LE(relative_error(x.acceleration_of_com, values(m.com_acceleration, 3)), 10 * most);
  EXPECT_LE(relative_error(x.rate_of_momentum, values(m.rate, 6)), 10 * most);
}
void expect_dual(Scene& s, const Direction& d, double most) {
  DualDynamics exact(s.w, s.t.s.q, s.t.s.v, {});
  expect_dual(s.x, exact.motion(s.t.s.a, d, s.link, s.point.data(), s.axes), d, most);
}

TEST(KinematicsDerivatives, OfRandomTreesAlongADirectionAreThoseOfDualNumbers) {
  std::set<int> kinds;
  int count = 0;
  for_scenes(robots, 40, [&](Scene& s) {
    for (const NodeData& n : s.t.robot.model->nodes) kinds.insert(n.kind);
    ++count;
    expect_dual(s, s.random_direction(), 1e-12);
  });
  EXPECT_GE(count, 200);
  EXPECT_EQ(kinds.size(), 12U);  // every kind of joint
}

// Column by column.
TEST(KinematicsDerivatives, OfSmallTreesAreThoseOfDualNumbers) {
  for_scenes(robots / 4, 8, [](Scene& s) {
    const int n = s.t.nv();
    for (int k = 0; k < n; ++k) {
      SCOPED_TRACE(::testing::Message() << "coordinate " << k);
      const VectorXd unit = VectorXd::Unit(n, k), zero = VectorXd::Zero(n);
      expect_dual(s, {unit, zero, zero}, 1e-12);
      expect_dual(s, {zero, unit, zero}, 1e-12);
      expect_dual(s, {zero, zero, unit}, 1e-12);
    }
  });
}

TEST(KinematicsDerivatives, HoldIdentities) {
  for_scenes(robots / 4, 40, [](Scene& s) {
    const int n = s.t.nv();
    MatrixXd J(6, n), A(6, n), M(n, n);
    VectorXd bias(6), g(n);
    ASSERT_EQ(point_jacobian(s.w, s.link, s.point.data(), s.axes, J.data(), 6), Status::ok);
    ASSERT_EQ(centroidal_momentum_matrix(s.w, A.data(), 6), Status::ok);
    ASSERT_EQ(centroidal_momentum_bias(s.w, bias.data()), Status::ok);
    EXPECT_EQ(s.x.velocity.by_v, J);
    EXPECT_EQ(s.x.acceleration.by_a, J);
    EXPECT_LE(relative_error(s.x.momentum.by_v, A), 1e-13);
    EXPECT_LE(relative_error(s.x.rate_of_momentum, A * as_vector(s.t.s.a) + bias, A.norm()), 1e-12);
    EXPECT_LE(relative_error(moved_mass(*s.t.robot.model) * s.x.acceleration_of_com,
                             s.x.rate_of_momentum.tail<3>()),
              1e-14);
    ASSERT_EQ(mass_matrix(s.w, s.t.s.q.data(), M.data(), n), Status::ok);
    EXPECT_LE(relative_error(s.x.kinetic.by_v.transpose(), M * as_vector(s.t.s.v),
                             largest(M) * largest(as_vector(s.t.s.v))),
              1e-12);
    ASSERT_EQ(gravity_force(s.w, s.t.s.q.data(), g.data()), Status::ok);
    EXPECT_LE(relative_error(s.x.potential.by_q.transpose(), g), 1e-11);
    // What is kept by kinematics() stays.
    MatrixXd again(6, n);
    ASSERT_EQ(point_velocity_derivatives(s.w, {}, s.link, s.point.data(), s.axes, {again.data(), 6}, {}),
              Status::ok);
    EXPECT_EQ(again, s.x.velocity.by_q);
  });
}

// The same of a call and its results: along integrate(), so that the tangent is that of the library.
template <class Value>
VectorXd slope(Workspace& w, const State& s, const Direction& d, const Value& value) {
  constexpr double h = 1e-5;
  VectorXd at[2];
  for (int side = 0; side < 2; ++side) {
    const double step = side == 0 ? -h : h;
    std::vector<double> q(s.q.size());
    EXPECT_EQ(integrate(w, s.q.data(), d.q.data(), step, q.data()), Status::ok);
    const VectorXd v = as_vector(s.v) + step * d.v, a = as_vector(s.a) + step * d.third;
    EXPECT_EQ(kinematics(w, q.data(), v.data(), a.data()), Status::ok);
    at[side] = value(q.data());
  }
  return (at[1] - at[0]) / (2 * h);
}

TEST(KinematicsDerivatives, AreSlopesOfWholeCalls) {
  for_scenes(robots / 8, 15, [](Scene& s) {
    const Direction d = s.random_direction();
    const bool origin = s.t.random.chance(0.5);
    if (origin) {
      s.point = {0, 0, 0};
      s.x = derivatives_at(s.w, s.t.nv(), s.t.s.q.data(), s.t.s.v.data(), s.t.s.a.data(), s.link, nullptr,
                           s.axes);
      const VectorXd of_link = slope(s.w, s.t.s, d, [&](const double*) {
        VectorXd x(12);
        EXPECT_EQ(link_velocity(s.w, s.link, s.axes, x.data()), Status::ok);
        EXPECT_EQ(link_acceleration(s.w, s.link, s.axes, x.data() + 6), Status::ok);
        return x;
      });
      EXPECT_LE(relative_error(of_link.head<6>(), s.x.velocity.times(d), s.x.velocity.terms(d)), 1e-7);
      EXPECT_LE(relative_error(of_link.tail<6>(), s.x.acceleration.times(d), s.x.acceleration.terms(d)),
                1e-7);
    }
    const VectorXd of_all = slope(s.w, s.t.s, d, [&](const double*) {
      VectorXd x(17);
      EXPECT_EQ(center_of_mass(s.w, nullptr, x.data(), nullptr, 3), Status::ok);
      EXPECT_EQ(centroidal_momentum(s.w, x.data() + 3), Status::ok);
      EXPECT_EQ(centroidal_momentum_derivatives(s.w, {}, x.data() + 9, {}), Status::ok);
      EXPECT_EQ(energy(s.w, x.data() + 15, x.data() + 16), Status::ok);
      return x;
    });
    const auto compare = [&](const Blocks& x, int first, int rows) {
      EXPECT_LE(relative_error(of_all.segment(first, rows), x.times(d), x.terms(d)), 1e-7) << first;
    };
    compare(s.x.com_velocity, 0, 3), compare(s.x.momentum, 3, 6), compare(s.x.rate, 9, 6);
    compare(s.x.kinetic, 15, 1), compare(s.x.potential, 16, 1);
  });
}

TEST(KinematicsDerivatives, OfTheGravityForce) {
  for_scenes(robots, 30, [](Scene& s) {
    const int n = s.t.nv();
    Block by_q(n, n), by_gravity(n, 3);
    VectorXd g(n), expected(n);
    ASSERT_EQ(gravity_force_derivatives(s.w, {}, s.t.s.q.data(), g.data(), by_q.out(), by_gravity.out()),
              Status::ok)
        << s.w.message();
    ASSERT_EQ(gravity_force(s.w, s.t.s.q.data(), expected.data()), Status::ok);
    EXPECT_LE(relative_error(g, expected), 1e-12);
    const Vector3 gravity = s.w.gravity();
    EXPECT_LE(relative_error(by_gravity.get() * Eigen::Vector3d::Map(gravity.data()), expected,
                             largest(by_gravity.get()) * 10),
              1e-13);
    const std::vector<double> rest(s.t.s.v.size(), 0.0);
    DualDynamics exact(s.w, s.t.s.q, rest, {});
    const Direction d = {random_vector(s.t.random, n), {}, {}};
    const double terms = largest(by_q.get().cwiseAbs() * d.q.cwiseAbs());
    EXPECT_LE(relative_error(by_q.get() * d.q, exact.inverse(rest, d), terms), 1e-12);
    // Of each axis alone.
    const int axis = s.t.random.integer(0, 2);
    Vector3 other = gravity;
    other[static_cast<std::size_t>(axis)] += 1;
    s.w.set_gravity(other);
    VectorXd after(n);
    ASSERT_EQ(gravity_force(s.w, s.t.s.q.data(), after.data()), Status::ok);
    EXPECT_LE(
        relative_error(after - expected, by_gravity.get().col(axis), largest(after) + largest(expected)),
        1e-12);
  });
}

// Far from the world's origin nothing is lost but the digits of the positions.
TEST(KinematicsDerivatives, AreExactFarAway) {
  MovingTree t(random_robot(4, {Shape::random, 12, false}, true), 4);
  const int n = t.nv(), link = static_cast<int>(t.robot.model->links.size()) - 1;
  const auto at = [&] {
    return derivatives_at(t.w, n, t.s.q.data(), t.s.v.data(), t.s.a.data(), link, nullptr, RowAxes::world);
  };
  const All near = at();
  for (std::size_t e = 0; e < 3; ++e) t.s.q[e] += 1e6;
  const All far = at();
  for (Blocks All::*of : {&All::velocity, &All::acceleration, &All::momentum, &All::rate, &All::kinetic}) {
    EXPECT_LE(relative_error((far.*of).by_q, (near.*of).by_q), 1e-8);
    EXPECT_LE(relative_error((far.*of).by_v, (near.*of).by_v), 1e-8);
  }
}

// Armatures, and a load that the workspace says.
TEST(KinematicsDerivatives, OfWorkspacesWithNumbersOfTheirOwn) {
  for (int seed = 0; seed < 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree tree(seed, 15);
    const VectorXd armatures = random_vector(tree.random, tree.nv()).cwiseAbs();
    ASSERT_EQ(set_joint_parameters(tree.w, armatures.data(), nullptr, nullptr), Status::ok);
    LinkInertia load;
    load.mass = 2, load.center_of_mass = {0.1, 0.2, 0.3};
    ASSERT_EQ(set_payload(tree.w, random_link(tree.random, *tree.robot.model), load), Status::ok);
    Scene s(tree);
    expect_dual(s, s.random_direction(), 1e-12);
  }
}

TEST(KinematicsDerivatives, RefuseWhatIsNotThere) {
  MovingTree t(7, 12);
  const int n = t.nv();
  MatrixXd x = MatrixXd::Constant(6, n, 5);
  const MatrixXd before = x;
  const DerivativeOut out = {x.data(), 6};
  EXPECT_EQ(point_velocity_derivatives(t.w, {}, 0, nullptr, RowAxes::link, out, {}),
            Status::invalid_argument);
  ASSERT_EQ(kinematics(t.w, t.s.q.data(), t.s.v.data(), nullptr), Status::ok);
  EXPECT_EQ(point_acceleration_derivatives(t.w, {}, 0, nullptr, RowAxes::link, {out, {}, {}}),
            Status::invalid_argument);
  EXPECT_EQ(centroidal_momentum_derivatives(t.w, {}, nullptr, {{}, {}, out, {}}), Status::invalid_argument);
  EXPECT_EQ(point_velocity_derivatives(t.w, {}, 1000, nullptr, RowAxes::link, out, {}), Status::out_of_range);
  const double bad[3] = {0, nan, 0};
  EXPECT_EQ(point_velocity_derivatives(t.w, {}, 0, bad, RowAxes::link, out, {}), Status::not_finite);
  EXPECT_EQ(x, before);
  EXPECT_EQ(point_velocity_derivatives(t.w, {}, 0, nullptr, RowAxes::link, {}, {}), Status::ok);
}

// Derivatives are added, values are written.
void expect_added(Workspace& w, int n, const double* q, const double* v, const double* a, int link) {
  const double start = 3;
  const All x = derivatives_at(w, n, q, v, a, link, nullptr, RowAxes::world),
            sum = derivatives_at(w, n, q, v, a, link, nullptr, RowAxes::world, {true}, start);
  const auto compare = [&](const MatrixXd& more, const MatrixXd& less) {
    EXPECT_EQ(more, MatrixXd(less.array() + start));
  };
  for (Blocks All::*of : {&All::velocity, &All::acceleration, &All::com_velocity, &All::com_acceleration,
                          &All::momentum, &All::rate, &All::kinetic, &All::potential}) {
    const Blocks &more = sum.*of, &less = x.*of;
    compare(more.by_q, less.by_q), compare(more.by_v, less.by_v), compare(more.by_a, less.by_a);
  }
  EXPECT_EQ(sum.acceleration_of_com, x.acceleration_of_com);
  EXPECT_EQ(sum.rate_of_momentum, x.rate_of_momentum);
  Block by_q(n, n), by_gravity(n, 3), q_sum(n, n, start), gravity_sum(n, 3, start);
  VectorXd g(n), again(n);
  ASSERT_EQ(gravity_force_derivatives(w, {}, q, g.data(), by_q.out(), by_gravity.out()), Status::ok);
  ASSERT_EQ(gravity_force_derivatives(w, {true}, q, again.data(), q_sum.out(), gravity_sum.out()),
            Status::ok);
  EXPECT_LE(relative_error(MatrixXd(q_sum.get().array() - start), by_q.get()), 1e-13);
  compare(gravity_sum.get(), by_gravity.get());
  EXPECT_LE(relative_error(again, g), 1e-14);
  // To what is not finite nothing is added, and nothing else is written.
  const MatrixXd kept = q_sum.x, force = again;
  gravity_sum.x(0, 1) = nan;
  EXPECT_EQ(gravity_force_derivatives(w, {true}, q, again.data(), q_sum.out(), gravity_sum.out()),
            Status::not_finite);
  EXPECT_EQ(q_sum.get(), MatrixXd(kept.topRows(n)));
  EXPECT_EQ(again, force);
}

LoopScene geared_scene(std::uint64_t seed) {
  Random random(seed);
  Mechanism mechanism = random_mechanism(random, {Shape::random, 6, false});
  add_gears(random, mechanism);
  CompileOptions options;
  options.floating_base = random.chance(0.5);
  if (mechanism.couplings.empty() && mechanism.gears.empty()) return random_loop_scene(seed, 1);
  return loop_scene(mechanism, options);
}

// Embedded loops, in independent coordinates: against dual numbers through G and g, and where G is constant those of
// the tree times G.
TEST(KinematicsDerivatives, WithEmbeddedLoops) {
  int constant = 0, varying = 0;
  for (int seed = 0; seed < 240 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = seed % 2 == 0 ? random_loop_scene(static_cast<std::uint64_t>(seed), 3)
                                          : geared_scene(static_cast<std::uint64_t>(seed));
    const int nv = scene.model->nv, ny = scene.model->ny;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random);
    if (ny == 0 || !t.regular() || !(moved_mass(*scene.model) > 0)) continue;
    const int link = random_link(random, *scene.model);
    const Vector3 point = random.vector(1);
    const RowAxes axes = random.chance(0.5) ? RowAxes::link : RowAxes::world;
    const All tree =
        derivatives_at(t.w, nv, scene.q.data(), t.v.data(), t.qdd.data(), link, point.data(), axes);
    Workspace& w = t.independent;
    const All x =
        derivatives_at(w, ny, scene.q.data(), t.ydot.data(), t.yddot.data(), link, point.data(), axes);
    DualDynamics exact(t.w, {scene.q.data(), scene.q.data() + scene.q.size()}, {t.v.data(), t.v.data() + nv},
                       {});
    Direction d = {random_vector(random, ny), random_vector(random, ny), random_vector(random, ny)};
    const double steep = 1 + t.G.norm();
    expect_dual(x, exact.looped_motion(t.ydot, t.yddot, d, link, point.data(), axes), d,
                1e-12 * steep * steep);
    for (int k = 0; k < ny && seed % 8 < 2; ++k)
      for (int of = 0; of < 3; ++of) {
        SCOPED_TRACE(::testing::Message() << "coordinate " << k << " of " << of);
        const VectorXd unit = VectorXd::Unit(ny, k), zero = VectorXd::Zero(ny);
        d = {of == 0 ? unit : zero, of == 1 ? unit : zero, of == 2 ? unit : zero};
        expect_dual(x, exact.looped_motion(t.ydot, t.yddot, d, link, point.data(), axes), d,
                    1e-11 * steep * steep);
      }
    w.impl().md().varying_clusters > 0 ? ++varying : ++constant;
    if (w.impl().md().varying_clusters == 0) {
      const auto compare = [&](const Blocks& a, const Blocks& b) {
        EXPECT_LE(relative_error(a.by_q, b.by_q * t.G, largest(b.by_q)), 1e-12);
        if (b.by_v.size() > 0) {
          EXPECT_LE(relative_error(a.by_v, b.by_v * t.G, largest(b.by_v)), 1e-12);
        }
        if (b.by_a.size() > 0) {
          EXPECT_LE(relative_error(a.by_a, b.by_a * t.G, largest(b.by_a)), 1e-12);
        }
      };
      compare(x.velocity, tree.velocity), compare(x.acceleration, tree.acceleration);
      compare(x.com_velocity, tree.com_velocity), compare(x.com_acceleration, tree.com_acceleration);
      compare(x.momentum, tree.momentum), compare(x.rate, tree.rate);
      compare(x.kinetic, tree.kinetic), compare(x.potential, tree.potential);
    }
    // The gravity force has derivatives in both.
    MatrixXd by_q(ny, ny), by_gravity(ny, 3);
    VectorXd g(ny), sides[2] = {VectorXd(ny), VectorXd(ny)};
    ASSERT_EQ(gravity_force_derivatives(w, {}, scene.q.data(), g.data(), {by_q.data(), ny},
                                        {by_gravity.data(), ny}),
              Status::ok)
        << w.message();
    ASSERT_EQ(gravity_force(w, scene.q.data(), sides[0].data()), Status::ok);
    EXPECT_LE(relative_error(g, sides[0]), 1e-10);
    const Vector3 gravity = w.gravity();
    EXPECT_LE(relative_error(by_gravity * Eigen::Vector3d::Map(gravity.data()), g, largest(by_gravity)),
              1e-10);
  }
  EXPECT_GE(constant, 10);
  EXPECT_GE(varying, 10);
}

TEST(KinematicsDerivatives, AreAddedToWhatIsThere) {
  int looped = 0;
  for (int seed = 0; seed < 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 15);
    if (moved_mass(*t.robot.model) > 0)
      expect_added(t.w, t.nv(), t.s.q.data(), t.s.v.data(), t.s.a.data(),
                   random_link(t.random, *t.robot.model));
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 3);
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops x(scene, random);
    if (scene.model->ny == 0 || !x.regular() || !(moved_mass(*scene.model) > 0)) continue;
    expect_added(x.independent, scene.model->ny, x.q.data(), x.ydot.data(), x.yddot.data(),
                 random_link(random, *scene.model));
    ++looped;
  }
  EXPECT_GE(looped, 5);
}

TEST(KinematicsDerivatives, ByEveryInstructionSet) {
  for (const Instructions set : {Instructions::baseline, Instructions::x86_64_v3, Instructions::x86_64_v4}) {
    for (int seed = 0; seed < 20; ++seed) {
      MovingTree tree(seed, 30);
      if (!(moved_mass(*tree.robot.model) > 0)) continue;
      Scene s(tree);
      const auto other = tree.with(set);
      if (!other) break;  // not on this machine
      const All x = derivatives_at(*other, tree.nv(), tree.s.q.data(), tree.s.v.data(), tree.s.a.data(),
                                   s.link, s.point.data(), s.axes);
      EXPECT_LE(relative_error(x.acceleration.by_q, s.x.acceleration.by_q), 1e-12);
      EXPECT_LE(relative_error(x.acceleration.by_v, s.x.acceleration.by_v), 1e-12);
      EXPECT_LE(relative_error(x.rate.by_q, s.x.rate.by_q), 1e-12);
      EXPECT_LE(relative_error(x.kinetic.by_q, s.x.kinetic.by_q), 1e-12);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
