// One state with limbs side by side against one body after another: the same numbers to rounding, on robots
// with equal limbs, unequal ones, limbs on limbs, and on every robot of models/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "batch/batch_states.hpp"
#include "kernels/limb_scene.hpp"
#include "state/folded_rotors.hpp"
#include "support/campaign/limbed_robot.hpp"
#include "support/constrained_scene.hpp"
#include "support/geared_robot.hpp"
#include "support/largest.hpp"
#include "support/loop_scene.hpp"
#include "support/methods/delassus_methods.hpp"
#include "support/random_mechanism.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {
namespace {

using BranchLanes = LimbsSideBySide;

// M in a matrix with `margin` more rows, which stay as they are.
void compare_mass_matrix(Workspace& lanes, Workspace& scalar, const double* q, int margin, double tolerance) {
  const int nv = scalar.model().nv, ld = nv + margin;
  std::vector<double> M(static_cast<std::size_t>(ld * nv), 7), expected = M;
  ASSERT_EQ(mass_matrix(scalar, q, expected.data(), ld), Status::ok);
  ASSERT_EQ(mass_matrix(lanes, q, M.data(), ld), Status::ok);
  expect_near(M, expected, tolerance);
  const auto at = [&](int i, int j) { return M[static_cast<std::size_t>(i + ld * j)]; };
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < ld; ++i) ASSERT_EQ(at(i, j), i < nv ? at(j, i) : 7);
}

// Tolerance: rounding errors grow with the ratio of the accelerations of light tips to those of the base.
void compare(const std::shared_ptr<const Model>& model, Random& random, double tolerance,
             Instructions instructions = Instructions::automatic) {
  const auto lanes = workspace(model, BranchLanesUse::always, instructions),
             scalar = workspace(model, BranchLanesUse::never, instructions);
  if (random.chance(0.3)) {
    const Vector3 gravity = random.vector(10);
    lanes->set_gravity(gravity), scalar->set_gravity(gravity);
  }
  for (int k = 0; k < 3; ++k) {
    State s = closed_state(random, *scalar);
    if (k == 1) clear_rotor_wrenches(*model, s.wrenches.data());
    const double* wrenches = k == 0 ? nullptr : s.wrenches.data();
    std::vector<double> qdd(s.v.size()), expected(s.v.size());
    const Status status =
        forward_dynamics(*scalar, {s.q.data(), s.v.data(), s.tau.data(), wrenches}, expected.data());
    ASSERT_EQ(forward_dynamics(*lanes, {s.q.data(), s.v.data(), s.tau.data(), wrenches}, qdd.data()), status);
    if (status == Status::ok) expect_near(qdd, expected, tolerance);
    ASSERT_EQ(inverse_dynamics(*scalar, {s.q.data(), s.v.data(), nullptr, wrenches, nullptr, s.a.data()},
                               expected.data()),
              Status::ok);
    ASSERT_EQ(inverse_dynamics(*lanes, {s.q.data(), s.v.data(), nullptr, wrenches, nullptr, s.a.data()},
                               qdd.data()),
              Status::ok);
    expect_near(qdd, expected, tolerance);
    compare_mass_matrix(*lanes, *scalar, s.q.data(), random.integer(0, 3), tolerance);
  }
}

TEST_F(BranchLanes, GiveWhatBodiesOneByOneGive) {
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ASSERT_NO_FATAL_FAILURE(compare(robot_with_limbs(seed).model, random, 1e-10));
  }
}

// The number of robots of which limbs go side by side.
void compare_robots(Limbs kind, double tolerance, int* in_lanes, int* inverse_in_lanes) {
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Robot robot = robot_with_limbs(seed, kind);
    if (!robot.model) continue;
    const auto always = workspace(robot.model, BranchLanesUse::always);
    const WorkspaceImpl& w = always->impl();
    *in_lanes += lanes_of(*always) != nullptr;
    *inverse_in_lanes += (w.folded ? w.folded->workspace.impl() : w).tree_branches != nullptr;
    ASSERT_NO_FATAL_FAILURE(compare(robot.model, random, tolerance));
  }
}

// Lanes write the mass matrix too.
TEST_F(BranchLanes, OfLimbsOnOneBase) {
  int in_lanes = 0;
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Robot robot = robot_with_limbs(seed, Limbs::on_base);
    const auto always = workspace(robot.model, BranchLanesUse::always);
    in_lanes += lanes_of(*always) && lanes_of(*always)->takes_mass();
    ASSERT_NO_FATAL_FAILURE(compare(robot.model, random, 1e-10));
  }
  EXPECT_GT(in_lanes, test_robots() / 5);  // limbs with screws are in none
}

TEST_F(BranchLanes, WithFoldedRotors) {
  for (const Limbs kind : {Limbs::plain_rotors, Limbs::any_gears}) {
    int in_lanes = 0, inverse_in_lanes = 0;
    ASSERT_NO_FATAL_FAILURE(compare_robots(kind, 1e-10, &in_lanes, &inverse_in_lanes));
    EXPECT_GT(in_lanes, test_robots() / 4);
    EXPECT_GT(inverse_in_lanes, test_robots() / 4);
  }
}

TEST_F(BranchLanes, WithLoops) {
  int in_lanes = 0, inverse_in_lanes = 0;
  ASSERT_NO_FATAL_FAILURE(compare_robots(Limbs::loops, 1e-9, &in_lanes, &inverse_in_lanes));
  EXPECT_GT(in_lanes, test_robots() / 8);
  EXPECT_GT(inverse_in_lanes, test_robots() / 8);
}

TEST_F(BranchLanes, OnTreesWithoutEqualLimbs) {
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ASSERT_NO_FATAL_FAILURE(compare(random_robot(seed).model, random, 1e-10));
  }
}

TEST_F(BranchLanes, OnEveryRobotOfModels) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(TENON_MODELS_DIR)) {
    if (file.path().extension() != ".urdf") continue;
    for (const bool floating : {false, true}) {
      for (const Instructions instructions : instruction_sets_here()) {
        SCOPED_TRACE(file.path().filename().string());
        CompileOptions options;
        options.floating_base = floating;
        std::shared_ptr<const Model> model;
        try {
          model = Model::compile(load_urdf(file.path().string()), options);
        } catch (const Error&) {
          continue;  // linkages on the ground have no mass to float with
        }
        Random random(7);
        ASSERT_NO_FATAL_FAILURE(compare(model, random, 1e-12, instructions));
        ++count;
      }
    }
  }
  EXPECT_GT(count, 20);
}

PvEarlyData<double>& early_of(Workspace& workspace) {
  WorkspaceImpl& w = workspace.impl();
  return (w.folded ? w.folded->workspace.impl() : w).pv_early->data;
}
// Whether the last call went body by body, after this was -1: then limbs gave no answer.
std::int32_t& rows_by_bodies(Workspace& workspace) {
  return early_of(workspace).sets[0].count;
}
// Of the last call, body by body: limbs need no pivoting either.
bool needed_pivoting(Workspace& workspace) {
  const PvEarlyData<double>& d = early_of(workspace);
  return std::any_of(d.sets, d.sets + d.segment_count,
                     [](const EarlySet<double>& set) { return set.count > 0 && set.pivoted; });
}

// few: rows that the joints of a limb can move, rigid, which pv_early takes on lanes.
void compare_with_rows(Limbs kind, int least_in_lanes, bool few = false) {
  int in_lanes = 0, by_limbs = 0, tried = 0, other_methods = 0;
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Robot robot = robot_with_limbs(seed, kind);
    if (!robot.model) continue;
    const std::vector<ConstraintSpec> specs = rows_on_limbs(random, robot, few);
    if (specs.empty()) continue;
    const auto set = ConstraintSet::bind(robot.model, specs);
    const auto lanes = workspace(robot.model, BranchLanesUse::always, Instructions::automatic, set),
               scalar = workspace(robot.model, BranchLanesUse::never, Instructions::automatic, set);
    if (!lanes_of(*lanes) || !lanes_of(*lanes)->takes_rows()) continue;
    in_lanes += !few || lanes_of(*lanes)->takes_early();
    const std::size_t rows = static_cast<std::size_t>(set->row_count());
    for (int k = 0; k < 3; ++k) {
      State s = closed_state(random, *scalar);
      clear_rotor_wrenches(*robot.model, s.wrenches.data());
      if (k == 2) {
        ASSERT_NO_FATAL_FAILURE(change_settings(*lanes, *scalar, specs, random));
      }
      for (const Method method : {Method::constrained_aba, Method::pv_soft, Method::pv_early}) {
        if (few && method != Method::pv_early) continue;
        SCOPED_TRACE(name_of(method));
        SolveOptions options;
        options.method = method;
        std::vector<double> qdd(s.v.size()), expected(s.v.size()), lambda(rows), expected_lambda(rows),
            desired(rows);
        for (double& x : desired) x = random.uniform(-1, 1);
        const auto solve = [&](Workspace& w, std::vector<double>& a, std::vector<double>& forces) {
          return constrained_dynamics(
              w, options,
              {s.q.data(), s.v.data(), s.tau.data(), k == 0 ? nullptr : s.wrenches.data(), desired.data()},
              a.data(), forces.data());
        };
        const Status status = solve(*scalar, expected, expected_lambda);
        const bool early = few && kind <= Limbs::plain_rotors && lanes_of(*lanes)->takes_early();
        if (early) rows_by_bodies(*lanes) = -1;
        ASSERT_EQ(solve(*lanes, qdd, lambda), status);
        ASSERT_EQ(lanes->report().rank, scalar->report().rank);
        other_methods += lanes->report().method != scalar->report().method;
        if (early && scalar->report().method == Method::pv_early && !needed_pivoting(*scalar))
          by_limbs += rows_by_bodies(*lanes) == -1, ++tried;
        ASSERT_NO_FATAL_FAILURE(expect_near(qdd, expected, 1e-9));
        ASSERT_NO_FATAL_FAILURE(expect_near(lambda, expected_lambda, 1e-9));
      }
    }
  }
  EXPECT_GT(in_lanes, least_in_lanes);
  EXPECT_GE(by_limbs, tried * 99 / 100) << "of " << tried;
  EXPECT_LE(other_methods, 2);  // at the border of what pv_early answers
}

TEST_F(BranchLanes, WithRowsOnLimbs) {
  compare_with_rows(Limbs::hinges, test_robots() / 4);
}

TEST_F(BranchLanes, WithRowsOnLimbsAndFoldedRotors) {
  compare_with_rows(Limbs::plain_rotors, test_robots() / 4);
  compare_with_rows(Limbs::any_gears, test_robots() / 4);
}

TEST_F(BranchLanes, WithFewRowsOnLimbs) {
  compare_with_rows(Limbs::hinges, test_robots() / 4, true);
  compare_with_rows(Limbs::plain_rotors, test_robots() / 32, true);
  compare_with_rows(Limbs::any_gears, test_robots() / 32, true);
  compare_with_rows(Limbs::loops, test_robots() / 32, true);
}

TEST_F(BranchLanes, WithRowsOnLimbsAndLoops) {
  compare_with_rows(Limbs::loops, test_robots() / 16);
}

// The Delassus matrix, its damped inverse and M^-1 times vectors: lanes against bodies one by one, and the matrix
// against the textbook.
void compare_matrices(Workspace& lanes, Workspace& scalar, const State& s, double tolerance) {
  const int rows = lanes.constraints()->row_count(), nv = lanes.model().nv;
  const std::size_t numbers = static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows);
  std::vector<double> found(numbers), expected(numbers), textbook(numbers);
  const Status status = delassus_matrix(scalar, DelassusMethod::dense, s.q.data(), textbook.data(), rows);
  for (const auto& [method, name] : delassus_methods) {
    const DelassusMethodFacts* facts = find_facts(method);
    if (facts && !facts->crosses_clusters) continue;  // lanes have no part in it
    SCOPED_TRACE(std::string("Delassus matrix by ") + name);
    ASSERT_EQ(delassus_matrix(scalar, method, s.q.data(), expected.data(), rows), status);
    ASSERT_EQ(delassus_matrix(lanes, method, s.q.data(), found.data(), rows), status);
    if (status != Status::ok) continue;
    ASSERT_NO_FATAL_FAILURE(expect_near(found, expected, tolerance));
    ASSERT_NO_FATAL_FAILURE(expect_near(found, textbook, 1e-9));
  }
  for (const auto& [method, name] : damped_inverse_methods) {
    const DampedInverseFacts* facts = find_facts(method);
    if (facts && !facts->crosses_clusters()) continue;
    SCOPED_TRACE(std::string("damped inverse by ") + name);
    const Damping damping(10);
    ASSERT_EQ(damped_delassus_inverse(scalar, method, s.q.data(), damping, expected.data(), rows), status);
    ASSERT_EQ(damped_delassus_inverse(lanes, method, s.q.data(), damping, found.data(), rows), status);
    if (status != Status::ok) continue;
    ASSERT_NO_FATAL_FAILURE(expect_near(found, expected, 100 * tolerance));
    ASSERT_EQ(factor_damped_delassus(lanes, method, s.q.data(), damping), Status::ok);
    std::vector<double> b(static_cast<std::size_t>(rows)), x = b, product = b;
    for (int r = 0; r < rows; ++r) b[static_cast<std::size_t>(r)] = r % 3 - 1.5;
    ASSERT_EQ(apply_damped_delassus_inverse(lanes, b.data(), rows, 1, x.data(), rows), Status::ok);
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < rows; ++j)
        product[static_cast<std::size_t>(r)] +=
            expected[static_cast<std::size_t>(r + rows * j)] * b[static_cast<std::size_t>(j)];
    ASSERT_NO_FATAL_FAILURE(expect_near(x, product, 100 * tolerance));
  }
  std::vector<double> x(s.v.size()), expected_x(s.v.size());
  ASSERT_EQ(inverse_mass_times(scalar, s.q.data(), s.v.data(), nv, 1, expected_x.data(), nv), status);
  ASSERT_EQ(inverse_mass_times(lanes, s.q.data(), s.v.data(), nv, 1, x.data(), nv), status);
  if (status == Status::ok) expect_near(x, expected_x, tolerance);
}

// Whether the rows of limbs go side by side.
bool carries_rows_of_limbs(Workspace& workspace) {
  return lanes_of(workspace) && lanes_of(workspace)->takes_osimr();
}

TEST_F(BranchLanes, DelassusMatricesOfRandomRobots) {
  int in_lanes = 0, with_rows = 0;
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 3);
    const Robot robot = robot_with_limbs(seed);
    const std::vector<ConstraintSpec> specs = rows_on_limbs(random, robot);
    if (specs.empty()) continue;
    const auto set = ConstraintSet::bind(robot.model, specs);
    const auto lanes = workspace(robot.model, BranchLanesUse::always, Instructions::automatic, set),
               scalar = workspace(robot.model, BranchLanesUse::never, Instructions::automatic, set);
    if (!lanes->impl().branches) continue;
    ++in_lanes;
    with_rows += carries_rows_of_limbs(*lanes);
    for (int k = 0; k < 2; ++k) {
      if (k == 1) {
        ASSERT_NO_FATAL_FAILURE(change_settings(*lanes, *scalar, specs, random));
      }
      const State s = random_state(random, *robot.model);
      ASSERT_NO_FATAL_FAILURE(compare_matrices(*lanes, *scalar, s, 1e-9));
    }
  }
  EXPECT_GT(in_lanes, test_robots() / 4);
  EXPECT_GT(with_rows, test_robots() / 8);
}

// With loops and folded rotors limbs leave their rows to the bodies one by one.
TEST_F(BranchLanes, DelassusMatricesWithLoopsAndRotors) {
  int in_lanes = 0;
  for (const Limbs kind : {Limbs::loops, Limbs::plain_rotors})
    for (int seed = 0; seed < test_robots() / 8; ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const Robot robot = robot_with_limbs(seed, kind);
      if (!robot.model) continue;
      const std::vector<ConstraintSpec> specs = rows_on_limbs(random, robot);
      if (specs.empty()) continue;
      const auto set = ConstraintSet::bind(robot.model, specs);
      const auto lanes = workspace(robot.model, BranchLanesUse::always, Instructions::automatic, set),
                 scalar = workspace(robot.model, BranchLanesUse::never, Instructions::automatic, set);
      if (!lanes_of(*lanes) || !lanes_of(*lanes)->takes_rows() || lanes_of(*lanes)->takes_inertias())
        continue;
      ++in_lanes;
      EXPECT_FALSE(carries_rows_of_limbs(*lanes));
      ASSERT_NO_FATAL_FAILURE(compare_matrices(*lanes, *scalar, closed_state(random, *scalar), 1e-9));
    }
  EXPECT_GT(in_lanes, test_robots() / 32);
}

// A link of go1 and its rows.
struct Held {
  std::string link;
  std::uint32_t rows;
  RowAxes axes = RowAxes::link;
};
void compare_held(const std::vector<Held>& links, bool in_lanes) {
  CompileOptions options;
  options.floating_base = true;
  const std::shared_ptr<const Model> model = Model::compile(load_urdf(TENON_MODELS_DIR "/go1.urdf"), options);
  Random random(5);
  std::vector<ConstraintSpec> specs;
  for (const Held& held : links) {
    SCOPED_TRACE(held.link);
    const auto link = std::find_if(model->links.begin(), model->links.end(),
                                   [&](const auto& one) { return one.name == held.link; });
    ASSERT_NE(link, model->links.end());
    specs.push_back(
        weld_constraint(static_cast<int>(link - model->links.begin()), random.pose(0.3), held.axes));
    specs.back().rows = held.rows;
  }
  const auto set = ConstraintSet::bind(model, specs);
  for (const Instructions instructions : instruction_sets_here()) {
    const auto lanes = workspace(model, BranchLanesUse::always, instructions, set),
               scalar = workspace(model, BranchLanesUse::never, instructions, set);
    if (!lanes->impl().branches) continue;
    EXPECT_EQ(carries_rows_of_limbs(*lanes), in_lanes);
    for (int k = 0; k < 3; ++k) {
      if (k == 1) {
        ASSERT_NO_FATAL_FAILURE(change_settings(*lanes, *scalar, specs, random));
      }
      ASSERT_NO_FATAL_FAILURE(compare_matrices(*lanes, *scalar, random_state(random, *model), 1e-11));
    }
  }
}

TEST_F(BranchLanes, DelassusMatricesWithRowsOnLimbsThatDiffer) {
  const RowAxes world = RowAxes::world;
  const std::uint32_t one = 1u << 4, two = 3u << 3, four = 0xfu << 2;
  const Held base = {"trunk", rows_all};
  compare_held({{"FR_foot", rows_linear},
                {"FL_foot", rows_linear},
                {"RR_foot", rows_linear},
                {"RL_foot", rows_linear}},
               true);
  compare_held({{"RL_foot", rows_all, world}, {"FL_foot", rows_all}, base}, false);  // axes differ
  compare_held({{"RL_foot", rows_all, world}, {"FL_foot", rows_all, world}, base}, true);
  compare_held({{"FL_foot", four}}, true);
  compare_held({base}, true);
  compare_held({{"RL_foot", two}, {"FL_thigh", rows_linear}}, false);  // neither has the other's
  compare_held({{"RL_thigh", rows_all}, {"RL_foot", two}}, false);     // too many rows
  // One limb has the first rows of the others only.
  const std::string legs[] = {"FL", "FR", "RL", "RR"};
  for (const std::uint32_t rows : {one, two, static_cast<std::uint32_t>(rows_linear), four})
    for (const std::string& shorter : legs) {
      std::vector<Held> links = {base};
      for (const std::string& leg : legs) {
        links.push_back({leg + "_thigh", rows});
        if (leg != shorter) links.push_back({leg + "_foot", two, world});
      }
      SCOPED_TRACE(shorter + " " + std::to_string(rows));
      ASSERT_NO_FATAL_FAILURE(compare_held(links, true));
      links.erase(links.begin());
      ASSERT_NO_FATAL_FAILURE(compare_held(links, true));
    }
}

// Points on the last links of all limbs.
TEST_F(BranchLanes, DelassusMatricesOfEveryRobotOfModels) {
  int in_lanes = 0;
  for (const auto& file : std::filesystem::directory_iterator(TENON_MODELS_DIR)) {
    if (file.path().extension() != ".urdf") continue;
    SCOPED_TRACE(file.path().filename().string());
    CompileOptions options;
    options.floating_base = true;
    std::shared_ptr<const Model> model;
    try {
      model = Model::compile(load_urdf(file.path().string()), options);
    } catch (const Error&) {
      continue;
    }
    std::vector<bool> carries(model->links.size(), false);
    for (const Model::Joint& joint : model->joints)
      if (joint.parent_link >= 0) carries[static_cast<std::size_t>(joint.parent_link)] = true;
    std::vector<ConstraintSpec> specs;
    for (const Model::Joint& joint : model->joints)
      if (!carries[static_cast<std::size_t>(joint.child_link)])
        specs.push_back(point_constraint(joint.child_link, {0.01, 0.02, -0.03}));
    const auto set = ConstraintSet::bind(model, specs);
    for (const Instructions instructions : instruction_sets_here()) {
      const auto lanes = workspace(model, BranchLanesUse::always, instructions, set),
                 scalar = workspace(model, BranchLanesUse::never, instructions, set);
      if (!lanes->impl().branches) continue;
      ++in_lanes;
      Random random(11);
      for (int k = 0; k < 2; ++k)
        ASSERT_NO_FATAL_FAILURE(compare_matrices(*lanes, *scalar, random_state(random, *model), 1e-12));
    }
  }
  EXPECT_GT(in_lanes, 5);
}

}  // namespace
}  // namespace tenon::testing
