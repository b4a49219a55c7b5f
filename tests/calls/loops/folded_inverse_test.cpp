// Inverse dynamics with rotors folded into their carriers, against Newton-Euler equations of every body by
// dense matrices (reference/), made from the description, and against the sweep over every rotor.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <string>

#include "reference/dense_dynamics.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"
#include "support/geared_robot.hpp"
#include "support/mechanism_tree.hpp"
#include "support/methods/loop_methods.hpp"
#include "support/test_robots.hpp"
#include "tenon/constraints.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const std::uint64_t robots = test_robots() / 2;

VectorXd vector_of(const std::vector<double>& x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

struct GearedRobot {
  explicit GearedRobot(std::uint64_t seed) : random(seed) {
    robot = random_robot(seed, 20);
    GearOptions gears;
    gears.symmetric = seed % 3 == 0 ? 1 : 0.4;
    gears.belt = seed % 2 == 0 ? 0 : 0.3;
    add_gears(random, robot.mechanism, gears);
    model = Model::compile(robot.mechanism, robot.options);
    state = random_state(random, *model);
  }
  int nv() const { return model->nv; }

  // No wrench on links whose bodies are folded.
  std::vector<double> wrenches_beside_rotors() const {
    std::vector<double> wrenches = state.wrenches;
    clear_rotor_wrenches(*model, wrenches.data());
    return wrenches;
  }

  Random random;
  Robot robot;
  std::shared_ptr<const Model> model;
  State state;
};

// Dense inverse dynamics of the description, and of its terms the sizes, which cancel in sums.
struct Dense {
  explicit Dense(const GearedRobot& robot)
      : dynamics(tree_of(robot.robot.mechanism, robot.robot.options, *robot.model)),
        gravity(robot.robot.options.gravity),
        M(robot.nv(), robot.nv()) {}
  VectorXd force(const State& s, const VectorXd& a, const double* v, const double* wrenches) {
    dynamics.set_state(s.q.data(), v);
    dynamics.mass_matrix(M);
    VectorXd c(M.rows());
    dynamics.bias_force(gravity, wrenches, c);
    const VectorXd inertial = M * a;
    size = inertial.norm() + c.norm();
    return inertial + c;
  }
  reference::DenseDynamics<double> dynamics;
  Vector3 gravity;
  MatrixXd M;
  double size = 0;
};

// By the sweep over all bodies.
VectorXd unfolded(Workspace& workspace, const State& s, const double* a, const double* v,
                  const double* wrenches) {
  WorkspaceImpl& w = workspace.impl();
  VectorXd tau(workspace.model().nv);
  EXPECT_EQ(load_wrenches(w, wrenches), Status::ok);
  w.kernels->rnea(w.md(), {s.q.data(), v, nullptr, wrenches ? w.w().wrench : nullptr, nullptr, a}, tau.data(),
                  w.w());
  return tau;
}

TEST(FoldedInverse, IsThatOfEveryBody) {
  int folded = 0, wobbling = 0, belts = 0;
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GearedRobot robot(seed);
    if (!robot.model->folding) continue;
    const ModelData& m = robot.model->folding->spanning;
    ++folded;
    wobbling += m.wobbling_rotors > 0;
    belts += !robot.model->folding->model->loops.clusters.empty();
    Workspace w(robot.model);
    Dense dense(robot);
    const std::vector<double> beside = robot.wrenches_beside_rotors();
    const State& s = robot.state;
    // Rates and accelerations of rotors are any numbers, not those of their gears.
    const VectorXd a = vector_of(s.a), zero = VectorXd::Zero(robot.nv());
    for (const double* wrenches :
         std::initializer_list<const double*>{nullptr, beside.data(), s.wrenches.data()}) {
      VectorXd tau(robot.nv());
      ASSERT_EQ(
          inverse_dynamics(w, {s.q.data(), s.v.data(), nullptr, wrenches, nullptr, a.data()}, tau.data()),
          Status::ok);
      VectorXd expected = dense.force(s, a, s.v.data(), wrenches);
      EXPECT_LE((tau - expected).norm(), 1e-11 * dense.size);
      EXPECT_LE((tau - unfolded(w, s, a.data(), s.v.data(), wrenches)).norm(), 1e-12 * dense.size);
      ASSERT_EQ(bias_force(w, s.q.data(), s.v.data(), wrenches, tau.data()), Status::ok);
      expected = dense.force(s, zero, s.v.data(), wrenches);
      EXPECT_LE((tau - expected).norm(), 1e-11 * dense.size);
      EXPECT_LE((tau - unfolded(w, s, nullptr, s.v.data(), wrenches)).norm(), 1e-12 * dense.size);
    }
    // Also from the values of the call before, and with gravity that has changed.
    dense.gravity = {0.3, -7, 2};
    w.set_gravity(dense.gravity);
    VectorXd g(robot.nv());
    ASSERT_EQ(gravity_force(w, s.q.data(), g.data()), Status::ok);
    const VectorXd expected = dense.force(s, zero, nullptr, nullptr);
    EXPECT_LE((g - expected).norm(), 1e-11 * dense.size);
  }
  EXPECT_GT(folded, static_cast<int>(robots / 2));
  EXPECT_GT(wobbling, static_cast<int>(robots / 16));
  EXPECT_GT(belts, static_cast<int>(robots / 20));
}

// G from the couplings that were compiled, not from the lists of the folding.
MatrixXd coupling_map(const Model& model) {
  const ModelData& m = model.data();
  MatrixXd G = MatrixXd::Zero(m.nv, m.ny);
  for (int y = 0; y < m.ny; ++y) {
    const int cluster = m.node_cluster[m.v_node[m.independent[y]]];
    if (cluster < 0) {
      G(m.independent[y], y) = 1;
      continue;
    }
    const ClusterData& c = m.clusters[cluster];
    for (int k = 0; k < c.v_count; ++k)
      G(c.v_begin + k, y) = m.G_initial[c.G_begin + (y - c.y_begin) * c.v_count + k];
  }
  return G;
}

TEST(FoldedInverse, OfIndependentCoordinates) {
  int alone = 0;
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GearedRobot robot(seed);
    const ModelData& m = robot.model->data();
    if (!robot.model->folding || m.varying_clusters > 0) continue;
    alone += robot.model->folding->rotors_alone_follow;
    const State& s = robot.state;
    const MatrixXd G = coupling_map(*robot.model);
    const VectorXd yddot = vector_of(s.a).head(m.ny), ydot = vector_of(s.v).head(m.ny), v = G * ydot;
    Workspace w(robot.model);
    Dense dense(robot);
    const VectorXd expected = G.transpose() * dense.force(s, G * yddot, v.data(), nullptr);
    const double size = G.norm() * dense.size;
    VectorXd tau(m.ny);
#ifdef TENON_EXPERIMENTAL
    for (const LoopMethod method : {LoopMethod::automatic, LoopMethod::projection}) {
      ASSERT_EQ(loop_inverse_dynamics(w, method, s.q.data(), v.data(), yddot.data(), nullptr, tau.data()),
                Status::ok);
      EXPECT_LE((tau - expected).norm(), 1e-12 * size);
    }
#endif
    ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
    tau.setZero();
    ASSERT_EQ(
        inverse_dynamics(w, {s.q.data(), ydot.data(), nullptr, nullptr, nullptr, yddot.data()}, tau.data()),
        Status::ok);
    EXPECT_LE((tau - expected).norm(), 1e-12 * size);
  }
  EXPECT_GT(alone, static_cast<int>(robots / 4));
}

// With forces of constraint rows, on robots whose constraint set may or may not have a folded form.
TEST(FoldedInverse, WithForcesOfRows) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < robots / 2 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GearedRobot robot(seed);
    ConstraintOptions options;
    options.most_rows = 9;
    const auto set =
        ConstraintSet::bind(robot.model, random_constraints(robot.random, *robot.model, options));
    const int rows = set->row_count();
    if (!robot.model->folding || rows == 0) continue;
    ++compared;
    Workspace w(robot.model, set);
    Dense dense(robot);
    const State& s = robot.state;
    MatrixXd J(rows, robot.nv());
    ASSERT_EQ(constraint_rows(w, s.q.data(), s.v.data(), nullptr, J.data(), rows, nullptr, nullptr, nullptr),
              Status::ok);
    VectorXd lambda(rows), tau(robot.nv());
    for (int r = 0; r < rows; ++r) lambda(r) = robot.random.uniform(-20, 20);
    ASSERT_EQ(constrained_inverse_dynamics(w, s.q.data(), s.v.data(), s.a.data(), s.wrenches.data(),
                                           lambda.data(), tau.data()),
              Status::ok);
    const VectorXd pushed = J.transpose() * lambda,
                   expected = dense.force(s, vector_of(s.a), s.v.data(), s.wrenches.data()) - pushed;
    EXPECT_LE((tau - expected).norm(), 1e-11 * (dense.size + J.norm() * lambda.norm()));
  }
  EXPECT_GT(compared, static_cast<int>(robots / 8));
}

}  // namespace
}  // namespace tenon::testing
