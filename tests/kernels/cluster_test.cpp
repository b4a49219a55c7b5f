// Sweeps over clusters against dense projection: random trees, runs of their nodes tied together by random
// qdd = G ydd + g. The sweeps do not know where G comes from, so no loop needs to be closed here.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "plan/arena.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "reference/decompositions.hpp"
#include "support/random_mechanism.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing {
namespace {

using reference::scaled_condition;
using reference::solved;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

const std::uint64_t robots = test_robots();

// A random robot some of whose nodes are tied together, at a random state, and the same as dense matrices.
struct ClusteredScene {
  // most_rows 0: no constraints.
  explicit ClusteredScene(std::uint64_t seed, int most_rows = 0)
      : random(seed), robot(random_robot(seed, 25)) {
    model = robot.model->data();
    choose_clusters();
    if (most_rows > 0) constrain(most_rows);
    model.cluster_count = static_cast<std::int32_t>(clusters.size());
    model.clusters = clusters.data();
    model.node_cluster = node_cluster.data();
    choose_independent();
    model.y_index = y_index.data();
    G_initial.assign(static_cast<std::size_t>(G_size), 0.0);
    model.G_size = G_size;
    model.G_initial = G_initial.data();
    spin.assign(static_cast<std::size_t>(model.nv), 0.0);
    model.spin = spin.data();
    const ConstraintData* rows = set ? &constraints : nullptr;
    tables = std::make_unique<SweepMemory>(model, rows);
    arena = std::make_unique<Arena<double>>(model, rows, static_cast<std::size_t>(tables->entry_count));
    WorkspaceData<double>& d = arena->data;
    static_cast<SweepTables&>(d) = *tables;
    d.gravity = model.gravity;
    state = random_state(random, *robot.model);
    tie();
  }

  // Runs of nodes behind one node: node p and the first of its descendants.
  void choose_clusters() {
    node_cluster.assign(static_cast<std::size_t>(model.node_count), -1);
    std::vector<int> subtree_end(static_cast<std::size_t>(model.node_count) + 1, 0);
    subtree_end[0] = model.node_count;
    for (int i = model.node_count - 1; i >= 0; --i) {
      int& end = subtree_end[static_cast<std::size_t>(i) + 1];
      end = std::max(end, i + 1);
      int& above = subtree_end[static_cast<std::size_t>(model.nodes[i].parent) + 1];
      above = std::max(above, end);
    }
    for (int p = -1; p + 1 < model.node_count;) {
      const int descendants = subtree_end[static_cast<std::size_t>(p) + 1] - (p + 1);
      if (descendants == 0 || random.chance(0.5)) {
        ++p;
        continue;
      }
      const int count = random.integer(1, std::min(descendants, 5));
      ClusterData c{};
      c.parent = p;
      c.node_begin = p + 1;
      c.node_count = count;
      c.v_begin = model.nodes[p + 1].v_index;
      const int last = p + count;
      c.v_count = (last + 1 < model.node_count ? model.nodes[last + 1].v_index : model.nv) - c.v_begin;
      c.y_count = random.integer(random.chance(0.2) ? 0 : 1, c.v_count);
      c.G_begin = G_size;
      G_size += c.v_count * c.y_count;
      for (int i = p + 1; i <= last; ++i) node_cluster[static_cast<std::size_t>(i)] = int(clusters.size());
      clusters.push_back(c);
      p = last;
    }
  }

  // Some hinges are independent coordinates of their cluster themselves.
  void choose_independent() {
    y_index.assign(static_cast<std::size_t>(model.nv), -1);
    std::int32_t y_begin = 0;
    for (ClusterData& c : clusters) {
      c.y_begin = y_begin;
      y_begin += c.y_count;
      std::int32_t y = 0;
      for (int k = c.v_begin; k < c.v_begin + c.v_count && y < c.y_count; ++k)
        if (model.nodes[model.v_node[k]].kind <= joint_prismatic_oblique && random.chance(0.5))
          y_index[static_cast<std::size_t>(k)] = c.y_begin + y++;
    }
  }

  // G, g in the workspace and as dense ones.
  void tie() {
    int columns = 0;
    for (int i = 0; i < model.node_count; ++i) {
      const int cluster = node_cluster[static_cast<std::size_t>(i)];
      if (cluster < 0) {
        columns +=
            (i + 1 < model.node_count ? model.nodes[i + 1].v_index : model.nv) - model.nodes[i].v_index;
      } else if (clusters[static_cast<std::size_t>(cluster)].node_begin == i) {
        columns += clusters[static_cast<std::size_t>(cluster)].y_count;
      }
    }
    G = Matrix::Zero(model.nv, columns);
    g = Vector::Zero(model.nv);
    int column = 0;
    for (int k = 0; k < model.nv;) {
      const int cluster = node_cluster[static_cast<std::size_t>(model.v_node[k])];
      if (cluster < 0) {
        G(k++, column++) = 1;
        continue;
      }
      const ClusterData& c = clusters[static_cast<std::size_t>(cluster)];
      for (int j = 0; j < c.v_count; ++j) {
        const std::int32_t own = y_index[static_cast<std::size_t>(k + j)];
        g(k + j) = arena->data.g[k + j] = own < 0 ? random.uniform(-1, 1) : 0;
        for (int y = 0; y < c.y_count; ++y)
          G(k + j, column + y) = arena->data.G[c.G_begin + y * c.v_count + j] =
              own < 0 ? random.uniform(-1, 1) : (own == c.y_begin + y ? 1.0 : 0.0);
      }
      k += c.v_count;
      column += c.y_count;
    }
  }

  // Random rows; with one body of a cluster, all its bodies support.
  void constrain(int most_rows) {
    ConstraintOptions options;
    options.most_rows = most_rows;
    options.weights = options.stabilisation = 0;
    set = ConstraintSet::bind(robot.model, random_constraints(random, *robot.model, options));
    constraints = set->data();
    std::vector<bool> carries(static_cast<std::size_t>(model.node_count), false);
    for (int s = 0; s < constraints.support_count; ++s)
      carries[static_cast<std::size_t>(constraints.support[s])] = true;
    for (const ClusterData& c : clusters) {
      const auto begin = carries.begin() + c.node_begin, end = begin + c.node_count;
      if (std::find(begin, end, true) != end) std::fill(begin, end, true);
    }
    for (int i = 0; i < model.node_count; ++i)
      if (carries[static_cast<std::size_t>(i)]) support.push_back(i);
    constraints.support_count = static_cast<std::int32_t>(support.size());
    constraints.support = support.data();
  }

  void evaluate_dense() {
    M.resize(model.nv, model.nv);
    bias.resize(model.nv);
    kernel.crba(model, state.q.data(), M.data(), model.nv, arena->data);
    kernel.rnea(model, {state.q.data(), state.v.data()}, bias.data(), arena->data);
  }

  // Kernels' rows in the user's order.
  Vector user(const double* x) const {
    Vector y(constraints.row_count);
    for (int r = 0; r < constraints.row_count; ++r) y(constraints.user_row[r]) = x[r];
    return y;
  }

  Random random;
  Robot robot;
  ModelData model;
  std::vector<ClusterData> clusters;
  std::vector<std::int32_t> node_cluster, y_index;
  std::vector<double> G_initial, spin;
  int G_size = 0;
  std::shared_ptr<const ConstraintSet> set;
  ConstraintData constraints{};
  std::vector<std::int32_t> support;
  std::unique_ptr<SweepMemory> tables;
  std::unique_ptr<Arena<double>> arena;
  State state;
  Matrix G, M;
  Vector g, bias;
  const KernelTable<double>& kernel = kernels<double>();
};

double relative_error(const Vector& x, const Vector& expected) {
  return (x - expected).norm() / std::max(1e-300, expected.norm());
}

// Rows in the user's order, J qdd = right_hand_side on the spanning tree.
struct DenseRows {
  explicit DenseRows(ClusteredScene& s) {
    const int rows = s.constraints.row_count;
    const double *q = s.state.q.data(), *v = s.state.v.data();
    WorkspaceData<double>& d = s.arena->data;
    s.evaluate_dense();
    std::fill_n(d.desired, rows, 0.0);
    J.resize(rows, s.model.nv);
    Vector rhs(rows);
    s.kernel.constraint_state(s.model, s.constraints, {q, v}, d);
    s.kernel.constraint_jacobian(s.model, s.constraints, J.data(), rows, d);
    s.kernel.constraint_right_hand_side(s.model, s.constraints, v, rhs.data(), d);
    right_hand_side = s.user(rhs.data());
  }
  Matrix J;
  Vector right_hand_side;
};

TEST(Clusters, ForwardDynamicsIsDenseProjection) {
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    ClusteredScene s(seed);
    s.evaluate_dense();
    const Eigen::Map<const Vector> tau(s.state.tau.data(), s.model.nv);
    const Matrix H = s.G.transpose() * s.M * s.G;
    const Vector ydd = solved<double>(H, s.G.transpose() * (tau - s.bias - s.M * s.g));
    const Vector expected = s.G * ydd + s.g;
    Vector qdd(s.model.nv);
    ASSERT_TRUE(
        s.kernel.aba(s.model, {s.state.q.data(), s.state.v.data(), tau.data()}, qdd.data(), s.arena->data))
        << "seed " << seed;
    const double amplified = 1e-14 * scaled_condition(H);
    EXPECT_LE(relative_error(qdd, expected), std::max(1e-9, amplified)) << "seed " << seed;
  }
}

// One penalty solve: (H + J^T mu J) ydd = G^T (tau - c - M g + J^T mu (k - ...)), then the change when the
// force on the rows changes, plain and refining.
TEST(Clusters, ConstrainedSweepsAreDensePenaltySolves) {
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusteredScene s(seed, 12);
    const int rows = s.constraints.row_count;
    if (rows == 0) continue;
    WorkspaceData<double>& d = s.arena->data;
    const double *q = s.state.q.data(), *v = s.state.v.data();
    const DenseRows dense(s);
    const Matrix& J = dense.J;
    const auto user = [&](const double* x) { return s.user(x); };
    const Vector Ka_at_rest = user(d.k) - dense.right_hand_side;
    Vector inv_mu(rows), mu(rows), f = Vector::Zero(rows), step(rows);
    for (int r = 0; r < rows; ++r) inv_mu(r) = s.random.uniform(0.1, 10) * s.constraints.scale[r];
    for (int r = 0; r < rows; ++r) mu(r) = 1 / (inv_mu(r) + s.constraints.compliance[r]);
    ProximalPoint<double> x;
    x.inv_mu = inv_mu.data(), x.f = f.data(), x.step = step.data();
    const auto force = [&] {
      const Vector k = Eigen::Map<const Vector>(d.k, rows);
      return user(Vector(mu.cwiseProduct(k + inv_mu.cwiseProduct(f))).data());
    };
    const Eigen::Map<const Vector> tau(s.state.tau.data(), s.model.nv);
    const Vector user_mu = user(mu.data());
    const auto expect = [&](const Vector& qdd, const Vector& row_force) {
      const Matrix A = s.M + J.transpose() * user_mu.asDiagonal() * J;
      const Vector b = tau - s.bias + J.transpose() * (row_force - user_mu.cwiseProduct(Ka_at_rest));
      const Matrix H = s.G.transpose() * A * s.G;
      const Vector expected = s.G * solved<double>(H, s.G.transpose() * (b - A * s.g)) + s.g;
      EXPECT_LE(relative_error(qdd, expected), std::max(1e-9, 1e-14 * scaled_condition(H)));
      EXPECT_LE((J * expected + Ka_at_rest - user(d.Ka)).norm(),
                1e-8 * (1 + user(d.Ka).norm() + expected.norm() * J.norm()));
    };
    Vector qdd(s.model.nv);
    s.kernel.constraint_state(s.model, s.constraints, {q, v}, d);
    const Inputs<double> in = {q, v, tau.data()};
    ASSERT_TRUE(s.kernel.constrained_aba_start(s.model, s.constraints, in, qdd.data(), x, d));
    for (const bool refine : {false, true, false}) {
      Vector finished = qdd;
      s.kernel.constrained_aba_finish(s.model, s.constraints, in, finished.data(), d);
      expect(finished, force());
      for (int r = 0; r < rows; ++r) f(r) += s.random.uniform(-1, 1) / inv_mu(r);
      s.kernel.constrained_aba_iterate(s.model, s.constraints, refine, in, qdd.data(), x, d);
    }
    s.kernel.constrained_aba_finish(s.model, s.constraints, in, qdd.data(), d);
    expect(qdd, force());
  }
}

// The dual Hessian L = J M^-1 J^T of the tied robot, its factor, what the rows see without multipliers, and the roll-out.
TEST(Clusters, PopovVereshchaginSweepIsDense) {
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusteredScene s(seed, 12);
    const int rows = s.constraints.row_count;
    if (rows == 0) continue;
    WorkspaceData<double>& d = s.arena->data;
    const double *q = s.state.q.data(), *v = s.state.v.data();
    const DenseRows dense(s);
    const Eigen::Map<const Vector> tau(s.state.tau.data(), s.model.nv);
    const Matrix H = s.G.transpose() * s.M * s.G, JG = dense.J * s.G;
    const double tolerance = std::max(1e-9, 1e-14 * scaled_condition(H));
    PvMemory<double> pv(s.model, &s.constraints);
    for (const bool split : {false, true}) {
      if (split && pv.data.split.count == 0) continue;
      s.kernel.constraint_state(s.model, s.constraints, {q, v}, d);
      ASSERT_TRUE(s.kernel.pv_reduce(s.model, split, {q, v, tau.data()}, pv.data, d));
      // L shows in the residual b - L f, and in the step (L + E)^-1 (b - L f).
      const Matrix L = JG * solved<double>(H, JG.transpose());
      const double typical = L.trace() > 0 ? L.trace() / rows : 1;  // 0 where nothing moves the rows
      const std::vector<double> rigid(static_cast<std::size_t>(rows) + 8, 0.0);
      std::vector<double> f = rigid, step = rigid;
      for (int r = 0; r < rows; ++r) {
        f[static_cast<std::size_t>(r)] = s.random.uniform(-1, 1) / typical;
        pv.data.row_damping[r] = typical * s.random.uniform(0.5, 2);
      }
      s.kernel.pv_factor(s.model, split, s.constraints.scale, pv.data);
      s.kernel.pv_step(s.model, split, rigid.data(), f.data(), step.data(), pv.data);
      const Vector b = s.user(pv.data.b), user_f = s.user(f.data()), residual = b - L * user_f;
      const double size = b.norm() + L.norm() * user_f.norm();
      EXPECT_LE((s.user(pv.data.residual) - residual).norm(), tolerance * size);
      Matrix damped = L;
      damped.diagonal() += s.user(pv.data.row_damping);
      EXPECT_LE((damped * s.user(step.data()) - residual).norm(), tolerance * size);
      Vector lambda(rows), qdd(s.model.nv);
      for (int r = 0; r < rows; ++r) lambda(r) = s.random.uniform(-5, 5);
      s.kernel.pv_roll_out(s.model, s.constraints, {q, v}, lambda.data(), qdd.data(), pv.data, d);
      const auto accelerations = [&](const Vector& row_force) {
        const Vector b = tau - s.bias - s.M * s.g + dense.J.transpose() * row_force;
        return Vector(s.G * solved<double>(H, s.G.transpose() * b) + s.g);
      };
      EXPECT_LE(relative_error(qdd, accelerations(s.user(lambda.data()))), tolerance);
      const Vector free = accelerations(Vector::Zero(rows));
      const Vector expected_b = dense.right_hand_side - dense.J * free;
      EXPECT_LE((s.user(pv.data.b) - expected_b).norm(),
                tolerance * (dense.right_hand_side.norm() + dense.J.norm() * free.norm()));
    }
  }
}

}  // namespace
}  // namespace tenon::testing
