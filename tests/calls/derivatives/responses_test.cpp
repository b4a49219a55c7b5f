// Matrices of forward and of constrained dynamics by products with the responses of a robot, against columns that are solved,
// one layout against the other, and what is written of them.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "state/workspace_impl.hpp"
#include "support/constrained_scene.hpp"
#include "support/largest.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/mechanism.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;

const int robots = test_robots() / 4;
constexpr double untouched = 0.25;

// By q, v, tau and desired accelerations: of qdd, and of lambda. Each has rows and columns of another's matrix behind it.
struct Results {
  Results(Workspace& w, const Inputs<double>& in, bool with_rows, bool row_major, bool add = false) {
    const int n = w.impl().model->nv, m = with_rows ? w.impl().rows() : 0;
    const int heights[2] = {n, m}, widths[4] = {n, n, n, m};
    DerivativeOut out[2][4];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) {
        const int rows = heights[i], columns = widths[j], ld = (row_major ? columns : rows) + 3;
        room[i][j] = MatrixXd::Constant(ld, (row_major ? rows : columns) + 1, untouched);
        if (add && rows > 0 && columns > 0) block(i, j, rows, columns, row_major).setZero();
        if (rows > 0 && columns > 0) out[i][j] = {room[i][j].data(), ld, row_major};
      }
    const DerivativeOptions options = {add};
    const Derivatives of_qdd = {out[0][0], out[0][1], out[0][2]},
                      of_lambda = {out[1][0], out[1][1], out[1][2]};
    status = with_rows ? constrained_dynamics_derivatives(w, options, in, nullptr, nullptr,
                                                          {of_qdd, out[0][3], of_lambda, out[1][3]})
                       : forward_dynamics_derivatives(w, options, in, nullptr, of_qdd);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) {
        auto b = block(i, j, heights[i], widths[j], row_major);
        x[i][j] = row_major ? MatrixXd(b.transpose()) : MatrixXd(b);
        b.setConstant(untouched);
        EXPECT_EQ(room[i][j], MatrixXd::Constant(room[i][j].rows(), room[i][j].cols(), untouched));
      }
  }
  Eigen::Block<MatrixXd> block(int i, int j, int rows, int columns, bool row_major) {
    return row_major ? room[i][j].topLeftCorner(columns, rows) : room[i][j].topLeftCorner(rows, columns);
  }
  bool operator==(const Results& other) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        if (x[i][j] != other.x[i][j]) return false;
    return true;
  }

  Status status;
  MatrixXd x[2][4], room[2][4];
};

// A scene by products, and another one of the same seed by solves. M^-1 is by the factor of paths or by unit columns, whichever a
// robot of this size would take.
struct TwoWays {
  TwoWays(int seed, SceneKind kind) : products(seed, kind, 40), solves(seed, kind, 40) {
    for (ConstrainedScene* s : {&products, &solves}) {
      WorkspaceImpl& w = s->workspace.impl();
      DerivativeData<double>& d = (*w.derivatives).data;
      d.by_inverse = s == &products, d.inverse_by_paths = d.subtrees_adjoin && seed / 4 % 2 == 1;
      if (s == &solves) (*w.row_derivatives).responses.columns = nullptr;
    }
  }
  static Inputs<double> inputs(ConstrainedScene& s) {
    return {s.state.q.data(), s.state.v.data(), s.state.tau.data(), s.state.wrenches.data(),
            s.desired.data()};
  }
  bool by_products() {
    WorkspaceImpl& w = products.workspace.impl();
    return w.rows() > 0 && w.md().cluster_count == 0 && w.row_loops == 0 &&
           (*w.row_derivatives).responses.columns;
  }

  ConstrainedScene products, solves;
};

TEST(ResponseMatrices, AreThoseOfSolves) {
  int with_rows = 0, forward = 0, at_rest = 0;
  for (int seed = 0; seed < robots; ++seed) {
    SCOPED_TRACE(seed);
    TwoWays x(seed, scene_kinds[seed % 4]);
    for (const bool rows : {false, true}) {
      if (rows && !x.by_products()) continue;
      const Results a(x.products.workspace, x.inputs(x.products), rows, false),
          b(x.solves.workspace, x.inputs(x.solves), rows, false);
      ASSERT_EQ(a.status, b.status) << x.products.workspace.message();
      if (a.status != Status::ok) continue;
      (rows ? with_rows : forward) += 1;
      // Of what the free robot has: rows may take all of it away.
      const Results free(x.solves.workspace, x.inputs(x.solves), false, false);
      if (free.status != Status::ok) continue;
      for (int j = 0; j < 4; ++j) {
        const double size = larger(largest(b.x[0][j]), largest(free.x[0][j]));
        EXPECT_LE(largest(a.x[0][j] - b.x[0][j]), 1e-9 * size) << j;
        if (rows) EXPECT_LE(largest(a.x[1][j] - b.x[1][j]), 1e-8 * larger(largest(b.x[1][j]), size)) << j;
      }
      if (largest(a.x[0][1]) == 0) ++at_rest;
    }
  }
  EXPECT_GT(with_rows, robots / 8);
  EXPECT_GT(forward, robots / 4);
  EXPECT_LT(at_rest, robots / 4);
}

// Column-major ones are written to the user's memory at once.
TEST(ResponseMatrices, AreTheSameInEachLayoutAndAdded) {
  int compared = 0;
  for (int seed = 0; seed < robots / 2; ++seed) {
    SCOPED_TRACE(seed);
    TwoWays x(seed, scene_kinds[seed % 4]);
    for (const bool rows : {false, true}) {
      if (rows && !x.by_products()) continue;
      const auto results = [&](bool row_major, bool add) {
        return Results(x.products.workspace, x.inputs(x.products), rows, row_major, add);
      };
      const Results a = results(false, false);
      if (a.status != Status::ok) continue;
      EXPECT_TRUE(a == results(true, false));
      EXPECT_TRUE(a == results(false, true));
      EXPECT_TRUE(a == results(false, false));
      ++compared;
    }
  }
  EXPECT_GT(compared, robots / 4);
}

TEST(ResponseMatrices, ThatOverflowAreNotWritten) {
  int refused = 0;
  for (int seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    TwoWays x(seed, scene_kinds[seed % 4]);
    State& s = x.products.state;
    const State before = s;
    for (const bool rows : {false, true}) {
      if (rows && !x.by_products()) continue;
      for (const double size : {1e20, 1e60, 1e100, 1e150, 1e200, 1e250, 1.7e308}) {
        for (std::vector<double>* which : {&s.v, &s.tau}) {
          s = before;
          for (std::size_t i = 0; i < which->size(); ++i) (*which)[i] = i % 2 == 0 ? size : -size;
          const Results at_once(x.products.workspace, x.inputs(x.products), rows, false),
              checked(x.products.workspace, x.inputs(x.products), rows, true);
          ASSERT_EQ(at_once.status, checked.status) << x.products.workspace.message();
          EXPECT_TRUE(at_once == checked);
          if (at_once.status == Status::ok) continue;
          ++refused;
          for (const MatrixXd& m : at_once.x[0])
            EXPECT_EQ(m, MatrixXd::Constant(m.rows(), m.cols(), untouched));
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
}

// Two links so light that M^-1 times what a wrench along them changes is beyond all numbers, while nothing accelerates.
TEST(ResponseMatrices, ThatOverflowByInertiasAreNotWritten) {
  for (const double mass : {1.0, 1e-250}) {
    Mechanism robot;
    for (const char* name : {"base", "upper", "lower"}) {
      MechanismLink link;
      link.name = name, link.mass = mass, link.center_of_mass = {1, 0, 0};
      for (const int e : {0, 3, 5}) link.inertia[static_cast<std::size_t>(e)] = mass;
      robot.links.push_back(link);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      MechanismJoint joint;
      joint.name = "at_" + robot.links[i + 1].name, joint.type = JointType::revolute, joint.axis = {0, 0, 1};
      joint.parent = robot.links[i].name, joint.child = robot.links[i + 1].name;
      joint.origin.translation = {1, 0, 0};
      robot.joints.push_back(joint);
    }
    const auto model = Model::compile(robot, {});
    Workspace w(model, nullptr);
    const double none[2] = {0, 0};
    w.set_gravity({0, 0, 0});
    std::vector<double> wrenches(6 * model->links.size(), 0.0);
    for (std::size_t link = 0; link < model->links.size(); ++link)
      if (model->links[link].name == "lower") wrenches[6 * link + 3] = 1e60;
    const Inputs<double> in = {none, none, none, wrenches.data()};
    double qdd[2];
    ASSERT_EQ(forward_dynamics(w, in, qdd), Status::ok);
    EXPECT_EQ(std::abs(qdd[0]) + std::abs(qdd[1]), 0);
    const Results x(w, in, false, false);
    EXPECT_EQ(x.status, mass == 1 ? Status::ok : Status::not_finite);
    for (int j = 0; j < 2; ++j) EXPECT_EQ(largest(x.x[0][j]) > untouched, mass == 1 && j == 0) << j;
  }
}

}  // namespace
}  // namespace tenon::testing
