// The Delassus matrix, its damped inverse, and products with the inverse mass matrix of models with embedded
// loops and rotors, against J G (G^T M G)^-1 G^T J^T with M, J and G as dense matrices.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reference/decompositions.hpp"
#include "state/folded_rotors.hpp"
#include "state/projection.hpp"
#include "support/geared_robot.hpp"
#include "support/methods/delassus_methods.hpp"
#include "support/moving.hpp"
#include "support/oracle.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/status.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

const std::uint64_t robots = std::max(40, test_robots() / 4);

// A model with loops at a configuration, and what it is made of.
struct Scene {
  Scene(std::shared_ptr<const Model> model_, const VectorXd& q_, const std::vector<ConstraintSpec>& specs)
      : model(std::move(model_)), set(ConstraintSet::bind(model, specs)), workspace(model, set), q(q_) {
    const int nv = model->nv, rows = set->row_count();
    MatrixXd M(nv, nv), G_double = MatrixXd::Identity(nv, model->ny), J_double(rows, nv);
    const VectorXd v = VectorXd::Zero(nv);
    EXPECT_EQ(mass_matrix(workspace, q.data(), M.data(), nv), Status::ok);
    if (!model->loops.clusters.empty()) {
      EXPECT_EQ(loop_map(workspace, q.data(), nullptr, G_double.data(), nv, nullptr), Status::ok)
          << workspace.message();
    }
    if (rows > 0) {
      EXPECT_EQ(constraint_rows(workspace, q.data(), v.data(), nullptr, J_double.data(), rows, nullptr,
                                nullptr, nullptr),
                Status::ok);
    }
    G = G_double.cast<Real>();
    J = J_double.cast<Real>();
    inverse = G * reference::solved<Real>(G.transpose() * M.cast<Real>() * G, G.transpose());
  }
  int rows() const { return set->row_count(); }
  MatrixXd expected() const { return (J * inverse * J.transpose()).cast<double>(); }

  std::shared_ptr<const Model> model;
  std::shared_ptr<const ConstraintSet> set;
  Workspace workspace;
  VectorXd q;
  RealMatrix G, J, inverse;
};

Eigen::Map<const VectorXd> positions(const State& state) {
  return as_vector(state.q);
}

std::vector<ConstraintSpec> contacts(Random& random, const Model& model) {
  ConstraintOptions options;
  options.most_rows = 24;
  options.stabilisation = 0;
  options.duplicates = 0.2;
  std::vector<ConstraintSpec> specs = random_constraints(random, model, options);
  if (!random.chance(0.5)) return specs;
  // Rows on neighbours, often bodies of one cluster.
  const int links = static_cast<int>(model.links.size()), first = random.integer(0, links - 1);
  for (int link = first; link < std::min(first + 3, links); ++link)
    specs.push_back(point_constraint(link, random.vector(0.3)));
  return specs;
}

// Rotors, most of which fold, on random trees.
Scene geared_scene(std::uint64_t seed) {
  Random random(seed);
  Robot tree = random_robot(seed, 20);
  add_gears(random, tree.mechanism);
  const auto model = Model::compile(tree.mechanism, tree.options);
  const State state = random_state(random, *model);
  return Scene(model, positions(state), contacts(random, *model));
}
// Loops and couplings of every type.
Scene looped_scene(std::uint64_t seed) {
  Random random(seed + 5000);
  const LoopScene scene = random_loop_scene(seed, 8);
  return Scene(scene.model, scene.q, contacts(random, *scene.model));
}

MatrixXd delassus(Scene& s, DelassusMethod method) {
  MatrixXd A = MatrixXd::Constant(s.rows() + 2, s.rows(), 1e99);
  EXPECT_EQ(delassus_matrix(s.workspace, method, s.q.data(), A.data(), static_cast<int>(A.rows())),
            Status::ok)
      << s.workspace.message();
  return A.topRows(s.rows());
}

void expect_all_methods(Scene& s, double tolerance, const std::string& what) {
  if (s.rows() == 0) return;
  const MatrixXd expected = s.expected();
  // Rows on links that their loops hold still see rounding alone.
  const double scale = 1e-12 * static_cast<double>(s.J.cwiseAbs2().maxCoeff() * largest(s.inverse));
  for (const NamedDelassus& m : delassus_methods) {
    const MatrixXd A = delassus(s, m.method);
    EXPECT_LE(relative_error(A, expected, scale), tolerance) << what << ", " << m.name;
    EXPECT_TRUE((A.array() == A.transpose().array()).all()) << what << ", " << m.name << " is not symmetric";
  }
}

TEST(LoopDelassus, AllMethodsMatchDenseOnGearedRobots) {
  int folded = 0;
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    Scene s = geared_scene(seed);
    folded += s.model->folding && s.set->folded() ? 1 : 0;
    expect_all_methods(s, 1e-9, "seed " + std::to_string(seed));
  }
  EXPECT_GT(folded, static_cast<int>(robots / 10));
}

TEST(LoopDelassus, AllMethodsMatchDenseOnRandomMechanisms) {
  int clusters = 0;
  for (std::uint64_t seed = 0; seed < robots / 4 && !HasFailure(); ++seed) {
    Scene s = looped_scene(seed);
    clusters += static_cast<int>(s.model->loops.clusters.size());
    expect_all_methods(s, 1e-9, "seed " + std::to_string(seed));
  }
  EXPECT_GT(clusters, static_cast<int>(robots / 4));
}

// Contacts on every third body, several of them in one cluster.
TEST(LoopDelassus, AllMethodsMatchDenseOnModels) {
  for (const char* name :
       {"four_bar", "six_bar", "planar_leg_linkage", "mini_cheetah", "mit_humanoid", "jvrc1", "cassie"}) {
    const bool planar =
        std::string(name).find("bar") != std::string::npos || std::string(name) == "planar_leg_linkage";
    for (const bool floating : {true, false}) {
      if (floating && planar) continue;
      const LoopScene scene = model_scene(name, floating);
      Random random(7);
      std::vector<ConstraintSpec> specs;
      for (int link = 1; link < static_cast<int>(scene.model->links.size()); link += 3)
        specs.push_back(point_constraint(link, random.vector(0.2)));
      Scene s(scene.model, scene.q, specs);
      expect_all_methods(s, std::string(name) == "cassie" ? 1e-7 : 1e-9, name);
    }
  }
}

// Rows between two moving links are for the dense method, which automatic takes.
TEST(LoopDelassus, RowsBetweenTwoLinks) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < robots / 8 && !HasFailure(); ++seed) {
    const LoopScene whole = random_loop_scene(seed, 8);
    std::vector<bool> embedded(whole.mechanism.loops.size());
    for (std::size_t i = 0; i < embedded.size(); i += 2) embedded[i] = true;
    PartlyEmbedded part;
    try {
      part = partly_embedded(whole, embedded);
    } catch (const Error&) {
      continue;  // hard to close without the others
    }
    Scene s(part.scene.model, part.scene.q, part.closures);
    if (s.set->data().inter_body_count == 0 || s.model->loops.clusters.empty()) continue;
    ++compared;
    for (const DelassusMethod method : {DelassusMethod::automatic, DelassusMethod::dense})
      EXPECT_LE(relative_error(delassus(s, method), s.expected()), 1e-9) << "seed " << seed;
  }
  EXPECT_GE(compared, static_cast<int>(robots / 40));
}

// f^T A f is what the accelerations that a test force makes do along it.
TEST(LoopDelassus, AnswersATestForce) {
  for (std::uint64_t seed = 0; seed < robots / 4 && !HasFailure(); ++seed) {
    Scene s = geared_scene(seed);
    if (s.rows() == 0) continue;
    Random random(seed + 31);
    VectorXd f(s.rows());
    for (double& x : f) x = random.uniform(-1, 1);
    s.workspace.set_gravity({0, 0, 0});
    const VectorXd tau = (s.J.transpose() * f.cast<Real>()).cast<double>(), v = VectorXd::Zero(s.model->nv);
    VectorXd qdd(s.model->nv);
    ASSERT_EQ(forward_dynamics(s.workspace, {s.q.data(), v.data(), tau.data()}, qdd.data()), Status::ok);
    const double moved = f.dot((s.J * qdd.cast<Real>()).cast<double>());
    const MatrixXd A = delassus(s, DelassusMethod::automatic);
    EXPECT_NEAR(f.dot(A * f), moved, 1e-9 * (1e-6 + std::abs(moved))) << "seed " << seed;
  }
}

TEST(LoopDelassus, InverseMassTimesIsExact) {
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    Scene s = seed % 8 == 0 ? looped_scene(seed) : geared_scene(seed);
    Random random(seed + 3);
    const int nv = s.model->nv, count = random.integer(1, 6);
    MatrixXd B(nv + 1, count);
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < nv + 1; ++i) B(i, j) = random.uniform(-1, 1);
    const MatrixXd expected = (s.inverse * B.topRows(nv).cast<Real>()).cast<double>();
    MatrixXd X = MatrixXd::Constant(nv + 2, count, 1e99);
    ASSERT_EQ(inverse_mass_times(s.workspace, s.q.data(), B.data(), nv + 1, count, X.data(), nv + 2),
              Status::ok)
        << s.workspace.message();
    EXPECT_LE(relative_error(X.topRows(nv), expected), 1e-9) << "seed " << seed;
  }
}

// H = G^T M G, and the factor that is kept.
TEST(LoopDelassus, MassMatrixInIndependentCoordinates) {
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    Scene s = seed % 8 == 0 ? looped_scene(seed) : geared_scene(seed);
    const int nv = s.model->nv, ny = s.model->ny;
    MatrixXd M(nv, nv), H = MatrixXd::Constant(ny + 1, ny, 1e99);
    ASSERT_EQ(mass_matrix(s.workspace, s.q.data(), M.data(), nv), Status::ok);
    ASSERT_EQ(independent_mass_matrix(s.workspace.impl(), s.q.data(), H.data(), ny + 1), Status::ok);
    const MatrixXd expected = (s.G.transpose() * M.cast<Real>() * s.G).cast<double>();
    EXPECT_LE(relative_error(H.topRows(ny), expected), 1e-12) << "seed " << seed;

    ASSERT_EQ(factor_mass_matrix(s.workspace, s.q.data()), Status::ok) << s.workspace.message();
    Random random(seed + 3);
    VectorXd b(nv), x(nv), elsewhere(s.model->nq);
    for (double& e : b) e = random.uniform(-1, 1);
    // What is done elsewhere does not touch the factor.
    neutral(*s.model, elsewhere.data());
    inverse_mass_times(s.workspace, elsewhere.data(), b.data(), nv, 1, x.data(), nv);
    ASSERT_EQ(solve_mass_matrix(s.workspace, b.data(), nv, 1, x.data(), nv), Status::ok);
    EXPECT_LE(relative_error(x, (s.inverse * b.cast<Real>()).cast<double>()), 1e-9) << "seed " << seed;
    ASSERT_EQ(multiply_mass_matrix(s.workspace, b.data(), nv, 1, x.data(), nv), Status::ok);
    EXPECT_LE(relative_error(x, M * b), 1e-12) << "seed " << seed;
  }
}

TEST(LoopDelassus, OperationalSpaceProductsAreConsistent) {
  for (std::uint64_t seed = 0; seed < robots / 2 && !HasFailure(); ++seed) {
    Scene s = seed % 8 == 0 ? looped_scene(seed) : geared_scene(seed);
    if (s.rows() == 0) continue;
    const int nv = s.model->nv, rows = s.rows();
    MatrixXd Lambda(rows, rows), J_bar(nv, rows), N(nv, nv);
    OperationalSpace out;
    out.Lambda = Lambda.data(), out.ld_Lambda = rows;
    out.J_bar = J_bar.data(), out.ld_J_bar = nv;
    out.N = N.data(), out.ld_N = nv;
    const Status status = operational_space(s.workspace, s.q.data(), out);
    ASSERT_TRUE(status == Status::ok || status == Status::rank_deficient) << s.workspace.message();
    const MatrixXd J = s.J.cast<double>(), A = s.expected();
    // The Moore-Penrose identity of the matrix scaled to its size, and what J_bar and N are made of.
    EXPECT_LE(relative_error(A * Lambda * A, A), 1e-6) << "seed " << seed;
    EXPECT_LE(relative_error(J_bar, (s.inverse * s.J.transpose()).cast<double>() * Lambda), 1e-7)
        << "seed " << seed;
    // G E: of any motion the one with the same independent coordinates that keeps the loops closed.
    MatrixXd closed = MatrixXd::Identity(nv, nv);
    if (!s.model->loops.clusters.empty()) {
      closed.setZero();
      for (int y = 0; y < s.model->ny; ++y)
        closed.col(s.model->data().independent[y]) = s.G.col(y).cast<double>();
    }
    EXPECT_LE(relative_error(N, closed - J_bar * J * closed, 1), 1e-9) << "seed " << seed;
    // Of dependent rows too.
    EXPECT_LE(relative_error(J * N, MatrixXd::Zero(rows, nv), largest(J)), 1e-6) << "seed " << seed;

    if (s.model->loops.clusters.empty()) continue;
    const int ny = s.model->ny;
    MatrixXd J_bar_y(ny, rows), N_y(ny, ny);
    out = {nullptr, 0, J_bar_y.data(), ny, N_y.data(), ny};
    ASSERT_EQ(set_coordinates(s.workspace, Coordinates::spanning, Coordinates::independent), Status::ok);
    ASSERT_GE(static_cast<int>(operational_space(s.workspace, s.q.data(), out)), 0) << s.workspace.message();
    EXPECT_LE(relative_error(s.G.cast<double>() * J_bar_y, J_bar), 1e-7) << "seed " << seed;
    const MatrixXd JG = (s.J * s.G).cast<double>();
    EXPECT_LE(relative_error(N_y, MatrixXd::Identity(ny, ny) - J_bar_y * JG, 1), 1e-9) << "seed " << seed;
  }
}

TEST(LoopDelassus, DampedInversesInvert) {
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    Scene s = seed % 8 == 0 ? looped_scene(seed) : geared_scene(seed);
    if (s.rows() == 0) continue;
    const int rows = s.rows();
    const MatrixXd A = s.expected();
    const double mu = 1e4 / std::max(1e-3, A.diagonal().maxCoeff());
    MatrixXd damped = A;
    damped.diagonal().array() += 1 / mu;
    const VectorXd b = VectorXd::LinSpaced(rows, -1, 1);
    for (const NamedInverse& m : damped_inverse_methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      MatrixXd X(rows, rows);
      ASSERT_EQ(damped_delassus_inverse(s.workspace, m.method, s.q.data(), mu, X.data(), rows), Status::ok)
          << s.workspace.message();
      EXPECT_LE(largest(damped * X - MatrixXd::Identity(rows, rows)), 1e-8);
      EXPECT_TRUE((X.array() == X.transpose().array()).all());
      VectorXd x(rows);
      ASSERT_EQ(factor_damped_delassus(s.workspace, m.method, s.q.data(), mu), Status::ok);
      ASSERT_EQ(apply_damped_delassus_inverse(s.workspace, b.data(), rows, 1, x.data(), rows), Status::ok);
      EXPECT_LE(relative_error(x, X * b), 1e-8);
    }
  }
}

// The default mu is the same by every method, folded or not.
TEST(LoopDelassus, DefaultDampingIsOneForAllMethods) {
  for (std::uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    Scene s = geared_scene(seed);
    if (s.rows() == 0) continue;
    const int rows = s.rows();
    MatrixXd first(rows, rows), X(rows, rows);
    ASSERT_EQ(
        damped_delassus_inverse(s.workspace, DampedInverseMethod::dense, s.q.data(), {}, first.data(), rows),
        Status::ok);
    for (const NamedInverse& m : damped_inverse_methods) {
      ASSERT_EQ(damped_delassus_inverse(s.workspace, m.method, s.q.data(), {}, X.data(), rows), Status::ok);
      EXPECT_LE(relative_error(X, first), 1e-6) << "seed " << seed << ", " << m.name;
    }
  }
}

// (A + E) X = 1 at the default mu by caba_osim and caba_osimf, X applied as formed. True: they crossed the
// clusters themselves and did not leave the configuration to pv_osimr.
bool expect_caba_inverts(Scene& s) {
  const int rows = s.rows();
  const MatrixXd identity = MatrixXd::Identity(rows, rows);
  MatrixXd damped = s.expected();
  const ConstraintData& c = s.set->data();
  for (int r = 0; r < rows; ++r) damped(c.user_row[r], c.user_row[r]) += c.scale[r] / default_relative_mu;
  bool crossed = true;
  for (const DampedInverseMethod method : {DampedInverseMethod::caba_osim, DampedInverseMethod::caba_osimf}) {
    MatrixXd formed(rows, rows), applied = identity;
    EXPECT_EQ(damped_delassus_inverse(s.workspace, method, s.q.data(), {}, formed.data(), rows), Status::ok)
        << s.workspace.message();
    EXPECT_EQ(factor_damped_delassus(s.workspace, method, s.q.data(), {}), Status::ok);
    EXPECT_EQ(apply_damped_delassus_inverse(s.workspace, applied.data(), rows, rows, applied.data(), rows),
              Status::ok);
    EXPECT_LE(largest(damped * formed - identity), 1e-8);
    EXPECT_LE(largest(damped * applied - identity), 1e-8);
    EXPECT_TRUE((formed.array() == formed.transpose().array()).all());
    const WorkspaceImpl& w = s.workspace.impl();
    crossed = crossed && !(w.folded ? w.folded->workspace.impl() : w).damped->dependent;
  }
  return crossed;
}

// On one body of a cluster or more; on several they go to pv_osimr.
TEST(LoopDelassus, CabaOsimCrossesClusters) {
  int crossed = 0, left = 0;
  for (std::uint64_t seed = 0; seed < robots / 2 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 77);
    const LoopScene scene = random_loop_scene(seed, seed % 2 ? 8 : 2);
    const int links = static_cast<int>(scene.model->links.size());
    std::vector<ConstraintSpec> specs;
    for (int k = random.integer(1, 3); k > 0; --k) {
      const int link = random.integer(0, links - 1);
      specs.push_back(random.chance(0.3) ? weld_constraint(link, {})
                                         : point_constraint(link, random.vector(0.3)));
    }
    Scene s(scene.model, scene.q, specs);
    const ModelData& m = s.model->data();
    const ConstraintData& c = s.set->data();
    const bool passed = std::any_of(c.support, c.support + c.support_count,
                                    [&](std::int32_t i) { return m.node_cluster[i] >= 0; });
    const bool itself = expect_caba_inverts(s);
    crossed += passed && itself ? 1 : 0;
    left += itself ? 0 : 1;
  }
  EXPECT_GT(crossed, static_cast<int>(robots / 10));
  EXPECT_GT(left, static_cast<int>(robots / 50));
}

// Contacts on the feet, where rotors fold: into single joints, or into knee and ankle tied by a belt.
TEST(LoopDelassus, CabaOsimInvertsOnModels) {
  const std::pair<const char*, std::vector<const char*>> robots_with_feet[] = {
      {"mini_cheetah", {"FL_knee_link", "FR_knee_link", "HL_knee_link", "HR_knee_link"}},
      {"mit_humanoid", {"left_ankle_link", "right_ankle_link"}},
      {"jvrc1", {"left-ankle-pitch", "right-ankle-pitch"}},
  };
  for (const auto& [name, feet] : robots_with_feet) {
    SCOPED_TRACE(name);
    const LoopScene scene = model_scene(name, true);
    std::vector<ConstraintSpec> specs;
    for (const char* foot : feet)
      specs.push_back(point_constraint(scene.model->find_link(foot), {0.02, 0, -0.1}));
    Scene s(scene.model, scene.q, specs);
    EXPECT_TRUE(expect_caba_inverts(s));
  }
}

}  // namespace
}  // namespace tenon::testing
