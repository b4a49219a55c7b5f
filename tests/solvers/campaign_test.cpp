// The first cases of bench/campaign: every kind of robot, contact and state, against the reference.
#include "support/campaign.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

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

}  // namespace
}  // namespace tenon::testing
