// States brought onto constraint rows while the loops of the model stay closed.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <memory>
#include <string>

#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int mechanisms = std::max(10, test_robots() / 25);

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

// Cassie, feet at anchors of its straight neutral posture, where welds leave one row without motion and the loops are near
// a dead centre. Anchors can be reached from each start, for this posture does.
struct Stand {
  bool welds;
  LoopTreatment loops;
  const char* name;
};

class CassieStands : public ::testing::TestWithParam<Stand> {};

TEST_P(CassieStands, FromNearbyOnItsFeet) {
  CompileOptions options;
  options.floating_base = true;
  options.loops = GetParam().loops;
  const Mechanism mechanism = load_urdf(TENON_MODELS_DIR "/cassie.urdf");
  const auto model = Model::compile(mechanism, options);
  const auto link_of = [&](const std::string& name) {
    const auto is = [&](const Model::Link& link) { return link.name == name; };
    return static_cast<int>(std::find_if(model->links.begin(), model->links.end(), is) -
                            model->links.begin());
  };
  const int feet[] = {link_of("left-foot"), link_of("right-foot")};
  std::vector<ConstraintSpec> specs;
  for (const int foot : feet) {
    specs.push_back(GetParam().welds ? weld_constraint(foot, {}) : point_constraint(foot, {0, 0, 0}));
    specs.back().frequency = 10;
  }
  Workspace w(model, ConstraintSet::bind(model, specs));
  VectorXd neutral_q(model->nq);
  neutral(w, neutral_q.data());
  ASSERT_EQ(close_loops(w, LoopMoves::dependent, neutral_q.data(), nullptr), Status::ok);
  ASSERT_EQ(anchor_here(w, neutral_q.data()), Status::ok);

  // The oracle: poses of the links, and the ends of the loops as the file has them.
  struct Place {
    Eigen::Vector3d p;
    Eigen::Quaterniond turn;
  };
  const auto place_of = [&](int link, const Vector3& point) {
    double p[3], turn[4], R[9];
    EXPECT_EQ(link_pose(w, link, p, turn, R), Status::ok);
    return Place{Eigen::Map<Eigen::Vector3d>(p) +
                     Eigen::Map<Eigen::Matrix3d>(R) * Eigen::Vector3d(point[0], point[1], point[2]),
                 Eigen::Quaterniond(turn[3], turn[0], turn[1], turn[2])};
  };
  ASSERT_EQ(kinematics(w, neutral_q.data(), nullptr, nullptr), Status::ok);
  const Place anchors[] = {place_of(feet[0], {}), place_of(feet[1], {})};

  int starts = 0, stands = 0;
  for (std::uint64_t seed = 0; starts < 60; ++seed) {
    Random random(seed);
    VectorXd off(model->nv), q(model->nq);
    for (double& x : off) {  // a normal distribution, nearly
      x = 0;
      for (int i = 0; i < 12; ++i) x += 0.05 * random.uniform(-0.5, 0.5);
    }
    ASSERT_EQ(integrate(w, neutral_q.data(), off.data(), 1, q.data()), Status::ok);
    if (close_loops(w, LoopMoves::dependent, q.data(), nullptr) != Status::ok) continue;
    ++starts;
    const Status status = project_positions(w, 1e-9, 50, q.data());
    ASSERT_GE(static_cast<int>(status), 0) << w.message();
    if (status != Status::ok) continue;
    ++stands;
    ASSERT_EQ(kinematics(w, q.data(), nullptr, nullptr), Status::ok);
    for (int i = 0; i < 2; ++i) {
      const Place foot = place_of(feet[i], {});
      EXPECT_LE((foot.p - anchors[i].p).norm(), 2e-9) << "seed " << seed;
      if (GetParam().welds) {
        EXPECT_LE(foot.turn.angularDistance(anchors[i].turn), 2e-8) << "seed " << seed;
      }
    }
    for (const MechanismLoop& loop : mechanism.loops) {
      const Place first = place_of(link_of(loop.predecessor), loop.predecessor_frame.translation);
      const Place second = place_of(link_of(loop.successor), loop.successor_frame.translation);
      EXPECT_LE((first.p - second.p).norm(), 1e-7) << "seed " << seed << " " << loop.name;
    }
  }
  // Where the nearest solutions are singular themselves, some need more steps.
  EXPECT_GE(stands, GetParam().welds ? starts - 4 : starts);
}

INSTANTIATE_TEST_SUITE_P(Loops, CassieStands,
                         ::testing::Values(Stand{false, LoopTreatment::embed, "PointsEmbedded"},
                                           Stand{false, LoopTreatment::rows, "PointsRows"},
                                           Stand{true, LoopTreatment::embed, "WeldsEmbedded"},
                                           Stand{true, LoopTreatment::rows, "WeldsRows"}),
                         [](const auto& test) { return test.param.name; });

// A foot held far out of reach: the leg stretches as far as its loops let it.
TEST(LoopProjection, TellsWhatIsOutOfReach) {
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/cassie.urdf"), {});
  const auto is_foot = [](const Model::Link& link) { return link.name == "left-foot"; };
  const auto foot = std::find_if(model->links.begin(), model->links.end(), is_foot) - model->links.begin();
  Pose far;
  far.translation = {0, 0, -5};
  Workspace w(model, ConstraintSet::bind(
                         model, {closure_constraint(static_cast<int>(foot), {}, -1, far, rows_linear)}));
  VectorXd q(model->nq);
  neutral(w, q.data());
  ASSERT_EQ(close_loops(w, LoopMoves::dependent, q.data(), nullptr), Status::ok);
  ASSERT_EQ(kinematics(w, q.data(), nullptr, nullptr), Status::ok);
  const auto distance = [&] {
    double p[3], turn[4], R[9];
    EXPECT_EQ(kinematics(w, q.data(), nullptr, nullptr), Status::ok);
    EXPECT_EQ(link_pose(w, static_cast<int>(foot), p, turn, R), Status::ok);
    return (Eigen::Map<Eigen::Vector3d>(p) - Eigen::Vector3d(0, 0, -5)).norm();
  };
  const double before = distance();
  EXPECT_EQ(project_positions(w, 1e-9, 200, q.data()), Status::infeasible) << w.message();
  EXPECT_LT(distance(), before);
  double gap = 1;
  ASSERT_EQ(loop_gap(w, q.data(), &gap), Status::ok);
  EXPECT_LE(gap, 1e-9);
}

}  // namespace
}  // namespace tenon::testing
