// States brought onto constraint rows while the loops of the model stay closed.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <string>

#include "support/largest.hpp"
#include "support/moving.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int mechanisms = std::max(10, TENON_TEST_ROBOTS / 25);

// A mechanism with loops and a few anchored points, which a small motion has moved.
struct Scene {
  explicit Scene(std::uint64_t seed) : scene(random_loop_scene(seed, 6)), random(seed + 900) {
    const Model& model = *scene.model;
    std::vector<ConstraintSpec> specs;
    for (int count = std::min(2, model.ny / 3); count > 0; --count) {
      const int link = random.integer(1, static_cast<int>(model.links.size()) - 1);
      specs.push_back(point_constraint(link, random.vector(0.2)));
      specs.back().frequency = 1;
    }
    set = ConstraintSet::bind(scene.model, specs);
    workspace = std::make_unique<Workspace>(scene.model, set);
    v.setZero(model.nv);
    ydot = random_vector(random, model.ny);
  }
  bool regular() {
    return set->row_count() > 0 &&
           spanning_velocity(*workspace, scene.q.data(), ydot.data(), v.data()) == Status::ok;
  }
  LoopScene scene;
  Random random;
  std::shared_ptr<const ConstraintSet> set;
  std::unique_ptr<Workspace> workspace;
  VectorXd v, ydot;
};

TEST(LoopProjection, PositionsComeOntoTheRowsWithLoopsClosed) {
  int projected = 0, tried = 0;
  for (int seed = 0; seed < mechanisms; ++seed) {
    Scene s(static_cast<std::uint64_t>(seed));
    if (!s.regular()) continue;
    Workspace& w = *s.workspace;
    ASSERT_EQ(anchor_here(w, s.scene.q.data()), Status::ok);
    VectorXd q(s.scene.q.size()), error(s.set->row_count());
    ASSERT_EQ(integrate(w, s.scene.q.data(), s.v.data(), 0.02, q.data()), Status::ok);
    if (close_loops(w, LoopMoves::dependent, q.data(), nullptr) != Status::ok) continue;
    ++tried;
    const Status status = project_positions(w, 1e-10, 50, q.data());
    double gap = 1;
    ASSERT_EQ(loop_gap(w, q.data(), &gap), Status::ok);
    EXPECT_LE(gap, 1e-9) << "seed " << seed;
    if (status != Status::ok) continue;  // near a dead centre
    ++projected;
    const VectorXd zero = VectorXd::Zero(s.scene.model->nv);
    ASSERT_EQ(constraint_rows(w, q.data(), zero.data(), nullptr, nullptr, 0, nullptr, error.data(), nullptr),
              Status::ok);
    EXPECT_LE(largest(error), 1e-10) << "seed " << seed;
  }
  EXPECT_GE(tried, mechanisms / 3);
  EXPECT_GE(projected, tried * 8 / 10);
}

TEST(LoopProjection, VelocitiesObeyRowsAndLoops) {
  int projected = 0;
  for (int seed = 0; seed < mechanisms; ++seed) {
    Scene s(static_cast<std::uint64_t>(seed));
    if (!s.regular()) continue;
    Workspace& w = *s.workspace;
    const int nv = s.scene.model->nv, rows = s.set->row_count(),
              loop_rows = s.scene.model->data().loop_row_count;
    VectorXd v = s.v, moved(rows);
    const Status status = project_velocities(w, s.scene.q.data(), v.data());
    ASSERT_GE(static_cast<int>(status), 0) << w.message();
    if (status != Status::ok) continue;  // a row that nothing moves
    ++projected;
    MatrixXd K(loop_rows, nv);
    ASSERT_EQ(
        constraint_rows(w, s.scene.q.data(), v.data(), nullptr, nullptr, 0, nullptr, nullptr, moved.data()),
        Status::ok);
    EXPECT_LE(largest(moved), 1e-8 * (1 + s.v.norm())) << "seed " << seed;
    ASSERT_EQ(loop_jacobian(w, s.scene.q.data(), v.data(), K.data(), loop_rows, nullptr, nullptr),
              Status::ok);
    EXPECT_LE(largest(K * v), 1e-8 * (1 + largest(K) * s.v.norm())) << "seed " << seed;
  }
  EXPECT_GE(projected, mechanisms / 4);
}

}  // namespace
}  // namespace tenon::testing
