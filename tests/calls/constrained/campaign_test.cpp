// The first cases of bench/studies/campaign.cpp: every kind of robot, contact and state, against the
// reference.
#include "support/campaign/campaign.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "support/constrained_scene.hpp"

namespace tenon::testing {
namespace {

TEST(Campaign, FindsNoWrongAnswer) {
  constexpr long solves = TENON_TEST_ROBOTS * 10;
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
  EXPECT_EQ(contacts.size(), std::size_t{contact_kinds});
  EXPECT_EQ(states.size(), std::size_t{state_kinds});
  if (solves >= 2000) {
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

}  // namespace
}  // namespace tenon::testing
