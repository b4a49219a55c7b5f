// The Coriolis matrix and the gravity force against the dense reference: what C is defined by are identities
// of M and c, whose derivatives are taken by differences of the reference's M in long double.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/tello.hpp"
#include "support/test_robots.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(30, test_robots() / 10);
const int mechanisms = std::max(20, test_robots() / 15);
constexpr double h = 1e-5;

double error(const MatrixXd& x, const MatrixXd& expected, double scale = 1) {
  return relative_error(x, expected, scale);
}

std::vector<double> moved(Workspace& w, const std::vector<double>& q, const VectorXd& v, double dt) {
  std::vector<double> next(q.size());
  EXPECT_EQ(integrate(w, q.data(), v.data(), dt, next.data()), Status::ok) << w.message();
  return next;
}

// Of the reference's mass matrix, along v.
MatrixXd mass_rate(Oracle& oracle, Workspace& w, const std::vector<double>& q, const VectorXd& v) {
  const auto at = [&](double dt) {
    const std::vector<double> there = moved(w, q, v, dt), rest(static_cast<std::size_t>(v.size()), 0.0);
    oracle.set_state(there, rest);
    return oracle.mass_matrix();
  };
  return ((at(h) - at(-h)) / (2 * static_cast<Real>(h))).cast<double>();
}

TEST(GravityForce, IsTheDerivativeOfThePotentialEnergy) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 30);
    const int nv = t.nv();
    VectorXd g(nv), slope(nv), rest = VectorXd::Zero(nv);
    ASSERT_EQ(gravity_force(t.w, t.s.q.data(), g.data()), Status::ok) << t.w.message();
    const std::vector<double> still(static_cast<std::size_t>(nv), 0.0);
    t.oracle.set_state(t.s.q, still);
    EXPECT_LE(relative_error(g, t.oracle.bias_force(nullptr), 1), 1e-12);
    for (int k = 0; k < nv; ++k) {
      const auto at = [&](double dt) {
        t.oracle.set_state(moved(t.w, t.s.q, VectorXd::Unit(nv, k), dt), still);
        return t.oracle.dynamics.potential_energy(t.robot.options.gravity);
      };
      slope(k) = static_cast<double>((at(h) - at(-h)) / (2 * static_cast<Real>(h)));
    }
    EXPECT_LE(error(g, slope, 1), 1e-8);
  }
}

TEST(CoriolisMatrix, GivesVelocityTermsAndRatesOfM) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 40);
    const int nv = t.nv();
    const VectorXd v = as_vector(t.s.v);
    MatrixXd C = MatrixXd::Constant(nv + 2, nv, 77);
    ASSERT_EQ(coriolis_matrix(t.w, t.s.q.data(), t.s.v.data(), C.data(), nv + 2), Status::ok)
        << t.w.message();
    EXPECT_TRUE((C.bottomRows(2).array() == 77).all());
    C.conservativeResize(nv, nv);
    t.oracle.set_state(t.s.q, t.s.v);
    const VectorXd all = t.oracle.bias_force(nullptr).cast<double>();
    t.oracle.set_state(t.s.q, std::vector<double>(t.s.v.size(), 0.0));
    const VectorXd gravity = t.oracle.bias_force(nullptr).cast<double>();
    EXPECT_LE(error(C * v, all - gravity, 1 + C.cwiseAbs().sum()), 1e-12);
    EXPECT_LE(error(C * v, all - gravity), 1e-10);
    EXPECT_LE(error(C + C.transpose(), mass_rate(t.oracle, t.w, t.s.q, v), 1), 1e-7);
  }
}

// Gamma_jk = sum_i (dM_jk / dq_i + dM_ji / dq_k - dM_ik / dq_j) v_i / 2.
template <class Mass>
MatrixXd christoffel(int n, const VectorXd& v, const Mass& mass_derivative) {
  std::vector<MatrixXd> d;
  for (int i = 0; i < n; ++i) d.push_back(mass_derivative(i));
  MatrixXd C = MatrixXd::Zero(n, n);
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i)
        C(j, k) += 0.5 * v(i) *
                   (d[static_cast<std::size_t>(i)](j, k) + d[static_cast<std::size_t>(k)](j, i) -
                    d[static_cast<std::size_t>(j)](i, k));
  return C;
}

TEST(CoriolisMatrix, HoldsChristoffelSymbolsOfHinges) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const MechanismOptions options = {static_cast<Shape>(seed % 4), 3 + seed % 10, true};
    MovingTree t(random_robot(static_cast<std::uint64_t>(seed), options, false), seed);
    const int nv = t.nv();
    MatrixXd C(nv, nv);
    ASSERT_EQ(coriolis_matrix(t.w, t.s.q.data(), t.s.v.data(), C.data(), nv), Status::ok);
    const MatrixXd expected = christoffel(
        nv, as_vector(t.s.v), [&](int i) { return mass_rate(t.oracle, t.w, t.s.q, VectorXd::Unit(nv, i)); });
    EXPECT_LE(error(C, expected), 1e-7);
  }
}

// The bodies of clusters are those of the tree, in another order.
TEST(CoriolisMatrix, InSpanningCoordinatesIsThatOfTheTree) {
  for (int seed = 0; seed < mechanisms && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 8);
    const int nv = scene.model->nv;
    Random random(static_cast<std::uint64_t>(seed));
    VectorXd g(nv), g_open(nv);
    const VectorXd v = random_vector(random, nv);
    const VectorXd q_open = open_positions(scene, scene.q), v_open = open_velocities(scene, v);
    Workspace w(scene.model), open(scene.open);
    MatrixXd C(nv, nv), C_open(nv, nv);
    ASSERT_EQ(coriolis_matrix(w, scene.q.data(), v.data(), C.data(), nv), Status::ok) << w.message();
    ASSERT_EQ(coriolis_matrix(open, q_open.data(), v_open.data(), C_open.data(), nv), Status::ok);
    MatrixXd turned(nv, nv);
    for (int k = 0; k < nv; ++k) turned.col(k) = open_velocities(scene, C.col(k));
    turned.transposeInPlace();
    for (int k = 0; k < nv; ++k) turned.col(k) = open_velocities(scene, turned.col(k).eval());
    turned.transposeInPlace();
    EXPECT_LE(error(turned, C_open), 1e-10);
    ASSERT_EQ(gravity_force(w, scene.q.data(), g.data()), Status::ok);
    ASSERT_EQ(gravity_force(open, q_open.data(), g_open.data()), Status::ok);
    EXPECT_LE(error(open_velocities(scene, g), g_open), 1e-10);
  }
}

// Of the mass matrix of independent coordinates along ydot, by closed configurations at both ends. False
// where they cannot be had.
bool reduced_mass_rate(Workspace& w, const VectorXd& q, const VectorXd& ydot, MatrixXd& rate) {
  const int ny = static_cast<int>(ydot.size());
  MatrixXd H[2] = {MatrixXd(ny, ny), MatrixXd(ny, ny)};
  for (int i = 0; i < 2; ++i) {
    VectorXd there(q.size());
    if (integrate(w, q.data(), ydot.data(), i == 0 ? -h : h, there.data()) != Status::ok) return false;
    if (mass_matrix(w, there.data(), H[i].data(), ny) != Status::ok) return false;
  }
  rate = (H[1] - H[0]) / (2 * h);
  return true;
}

// C_y ydot and C_y + C_y^T, and not next to a dead centre, where differences tell nothing.
bool check_reduced(const LoopScene& scene, std::uint64_t seed) {
  const int nv = scene.model->nv, ny = scene.model->ny;
  Random random(seed + 77);
  MovingLoops t(scene, random);
  if (ny == 0 || !t.regular() || t.g.norm() > 100) return false;
  Workspace& w = t.independent;
  const VectorXd& ydot = t.ydot;
  VectorXd bias(ny), g(ny);
  MatrixXd C(ny, ny), rate;
  EXPECT_EQ(coriolis_matrix(w, scene.q.data(), ydot.data(), C.data(), ny), Status::ok) << w.message();
  EXPECT_EQ(bias_force(w, scene.q.data(), ydot.data(), nullptr, bias.data()), Status::ok);
  EXPECT_EQ(gravity_force(w, scene.q.data(), g.data()), Status::ok) << w.message();
  EXPECT_LE(error(C * ydot, bias - g, 1 + largest(C)), 1e-9);
  VectorXd spanning(nv);
  EXPECT_EQ(gravity_force(t.w, scene.q.data(), spanning.data()), Status::ok);
  EXPECT_LE(error(g, t.G.transpose() * spanning), 1e-12);
  if (!reduced_mass_rate(w, scene.q, ydot, rate)) return false;
  EXPECT_LE(error(C + C.transpose(), rate, 1 + largest(C)), 1e-5);
  return true;
}

TEST(CoriolisMatrix, InIndependentCoordinatesOfRandomMechanisms) {
  int compared = 0;
  for (int seed = 0; seed < mechanisms && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto number = static_cast<std::uint64_t>(seed);
    compared += check_reduced(random_loop_scene(number, 8), number);
  }
  EXPECT_GE(compared, mechanisms / 2);
}

LoopScene scene_of(const std::string& name) {
  if (name == "tello") return loop_scene(tello(), {});
  if (name == "cassie_floating") return model_scene("cassie", true);
  return model_scene(name, name == "mini_cheetah");
}

// Loops, gears, rotors and constraints by functions.
TEST(CoriolisMatrix, InIndependentCoordinatesOfModels) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage", "revolute_rotor_chain",
                           "mini_cheetah", "cassie", "cassie_floating", "tello"}) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(check_reduced(scene_of(name), 3));
  }
}

TEST(CoriolisMatrix, HoldsChristoffelSymbolsOfIndependentHinges) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage", "cassie", "tello"}) {
    SCOPED_TRACE(name);
    const LoopScene scene = scene_of(name);
    const int ny = scene.model->ny;
    Random random(9);
    MovingLoops t(scene, random);
    MatrixXd C(ny, ny);
    ASSERT_EQ(coriolis_matrix(t.independent, scene.q.data(), t.ydot.data(), C.data(), ny), Status::ok);
    const MatrixXd expected = christoffel(ny, t.ydot, [&](int i) {
      MatrixXd rate;
      EXPECT_TRUE(reduced_mass_rate(t.independent, scene.q, VectorXd::Unit(ny, i), rate));
      return rate;
    });
    EXPECT_LE(error(C, expected, 1e-3), 1e-5);
  }
}

TEST(CoriolisMatrix, AtRestIsZero) {
  const LoopScene scene = scene_of("cassie_floating");
  Workspace w(scene.model);
  const int nv = scene.model->nv;
  for (const Coordinates velocities : {Coordinates::spanning, Coordinates::independent}) {
    ASSERT_EQ(set_coordinates(w, Coordinates::spanning, velocities), Status::ok);
    const int n = velocity_count(w);
    const VectorXd rest = VectorXd::Zero(n);
    MatrixXd C = MatrixXd::Constant(n, n, 77);
    ASSERT_EQ(coriolis_matrix(w, scene.q.data(), rest.data(), C.data(), n), Status::ok);
    EXPECT_EQ(C, MatrixXd::Zero(n, n)) << nv;
  }
}

}  // namespace
}  // namespace tenon::testing
