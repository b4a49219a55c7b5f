// The first cases of bench/studies/campaign.cpp: every kind of robot, contact and state, against the
// reference; and the beginning of its search.
#include "support/campaign/campaign.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "support/campaign/search.hpp"
#include "support/constrained_scene.hpp"
#include "support/test_robots.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {
namespace {

TEST(Campaign, FindsNoWrongAnswer) {
  const long solves = test_robots() * 10;
  RobotLibrary library(TENON_MODELS_DIR);
  std::set<RobotKind> robots;
  std::set<ContactKind> contacts;
  std::set<StateKind> states;
  long made = 0, border = 0, wrong = 0;
  for (std::uint64_t seed = 0; made < solves && wrong < 20; ++seed) {
    for (const Answer& a : run_case(seed, library, {}).answers) {
      ++made;
      border += a.verdict == Verdict::border;
      wrong += a.verdict == Verdict::wrong;
      EXPECT_TRUE(a.verdict != Verdict::wrong) << describe_answer(a);
      robots.insert(a.robot), contacts.insert(a.contacts), states.insert(a.state);
    }
  }
  if (wrong > 0) return;
  EXPECT_LE(border, made / 20) << "too many cases that say nothing";
  EXPECT_EQ(states.size(), std::size_t{state_kinds});
  if (solves >= 2000) {
    EXPECT_EQ(contacts.size(), std::size_t{contact_kinds});
    EXPECT_EQ(robots.size(), std::size_t{robot_kinds});
  }
}

// Cases in which the library once was wrong, by what they are about.
TEST(Campaign, FormerFailuresStayRight) {
  RobotLibrary library(TENON_MODELS_DIR);
  const struct {
    std::uint64_t seed;
    const char* about;
  } cases[] = {
      {1034855, "stiff springs: multipliers lose the digits of the motion"},
      {13558, "rigid and soft rows that contradict"},
      {7548, "small singular values that were dropped, and rows that contradict"},
      {1090465, "penalties on a row of a point beside the axis of the one joint that moves it"},
      {1041403, "the same, less so"},
      {5001727, "least squares of stiff rows by pv_early"},
      {1077419, "fast links on an axis, where a row sees rounding"},
      {8034705, "fast joints about one axis that cancel, where a row sees their rounding"},
      {7004436, "a start from the forces of a state with accelerations 1e5 times larger"},
      {31023090,
       "fast links of a kilometre on a held axis: rounding errors of their axes, for the judge too"},
      {410047711, "penalties 1e8 times the inertia that a resting body has without them"},
      {700046476, "a residual within the tolerance along a row with a lever of micrometres, for the judge"},
  };
  for (const auto& c : cases) {
    for (const Method method : available_methods()) {
      CampaignOptions options;
      options.method = method;
      for (const Answer& a : run_case(c.seed, library, options).answers)
        EXPECT_NE(a.verdict, Verdict::wrong) << c.about << ": " << describe_answer(a);
    }
  }
}

// What a case is follows from its number alone.
TEST(Campaign, DrawsTheSameCaseAgain) {
  RobotLibrary library(TENON_MODELS_DIR), other(TENON_MODELS_DIR);
  run_case(1, other, {});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const CaseAnswers first = run_case(seed, library, {}), again = run_case(seed, other, {});
    ASSERT_EQ(first.answers.size(), again.answers.size()) << "seed " << seed;
    for (std::size_t i = 0; i < first.answers.size(); ++i)
      EXPECT_EQ(describe_answer(first.answers[i]), describe_answer(again.answers[i]));
  }
}

// A tally is the largest of many errors; a comparison would pass over one that is no number.
TEST(Campaign, TallyTellsOfWhatIsNoNumber) {
  Tally tally;
  Answer a;
  a.error = 1e-3, a.tolerance = 1;
  tally.add(a);
  a.error = std::nan("");
  tally.add(a);
  EXPECT_EQ(tally.worst_error, HUGE_VAL);
  EXPECT_EQ(tally.worst_ratio, HUGE_VAL);
  EXPECT_EQ(tally.errors.back(), 1);
}

TEST(CampaignSearch, FindsNoWrongMotion) {
  for (int number = 0; number < search_classes; ++number) {
    const SearchClass kind = static_cast<SearchClass>(number);
    long solves = 0;
    for (std::uint64_t seed = 0; solves < test_robots(); ++seed) {
      SearchOptions options;
      options.kind = kind, options.seed = seed, options.changes = 50;
      const Climb found = climb(options);
      solves += found.solves;
      EXPECT_FALSE(found.worst.wrong()) << path_of(found.worst) << ": " << found.worst.error.motion;
    }
  }
}

// Robots at rest, all terms of whose equations cancel to rounding errors.
TEST(CampaignSearch, TakesNoRoundingErrorForAMotion) {
  for (const char* path :
       {"limbs:541439:1",
        "scaled:510290:0.1.2.15.23.24.37.42.44.56.57.58.63.70.88.91.94.95.97.102.156.169.180"})
    EXPECT_FALSE(solve_path(path, Method::automatic).wrong()) << path;
}

// A row that contradicts others asks for forces of 1e7 N, which cancel; a step of penalties loses the light joint there.
TEST(CampaignSearch, KeepsTheMotionOfLightJointsWhereLargeForcesCancel) {
  const Found found = solve_path(
      "light_wrist:517302:1.5.6.9.10.23.27.28.29.36.45.46.48.53.55.58.59.60.86.123.134", Method::automatic);
  EXPECT_EQ(found.status, Status::infeasible);
  EXPECT_LE(found.error.motion, 1e-9);
}

// What is wrong in one light joint alone is seen, and so is what is no number.
TEST(CampaignSearch, JudgesEveryJointByItsOwnSize) {
  Genes genes(3);
  const SearchCase c = draw_search_case(SearchClass::light_wrist, genes);
  const std::size_t n = c.state.v.size(), m = static_cast<std::size_t>(c.set->row_count());
  MotionJudge judge(c.robot, *c.set);
  std::vector<double> qdd(n), lambda(m);
  Workspace w(c.robot.model, c.set);
  SolveOptions how;
  how.method = Method::dense;
  const MotionState& s = c.state;
  ASSERT_EQ(constrained_dynamics(w, how, {s.q.data(), s.v.data(), s.tau.data(), nullptr, s.desired.data()},
                                 qdd.data(), lambda.data()),
            Status::ok);
  EXPECT_LE(judge.judge(s, qdd.data(), lambda.data()).motion, motion_allowed(SearchClass::light_wrist));
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> off = qdd;
    off[k] += 1e-3 * (std::abs(qdd[k]) + 1);
    EXPECT_GT(judge.judge(s, off.data(), lambda.data()).motion, 1e-5) << "joint " << k;
    off[k] = std::nan("");
    EXPECT_EQ(judge.judge(s, off.data(), lambda.data()).motion, HUGE_VAL) << "joint " << k;
  }
}

// A path is the robot.
TEST(CampaignSearch, FindsTheSameRobotByItsPath) {
  SearchOptions options;
  options.kind = SearchClass::limbs, options.seed = 5, options.changes = 40;
  const Climb found = climb(options);
  ASSERT_FALSE(found.worst.changes.empty());
  const Found again = solve_path(path_of(found.worst), options.method);
  EXPECT_EQ(path_of(again), path_of(found.worst));
  EXPECT_EQ(again.error.motion, found.worst.error.motion);
}

}  // namespace
}  // namespace tenon::testing
