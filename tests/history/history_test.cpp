// A short run of the search for answers that depend on earlier calls, and that no function is left out of it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "history/history.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing::history {
namespace {

TEST(History, AnswersDependOnArgumentsAndSettingsAlone) {
  RobotLibrary library(TENON_MODELS_DIR);
  const long wanted = 36L * test_robots();
  Search s;
  Statuses statuses;
  s.statuses = &statuses;
  s.enough = [wanted](long calls) { return calls >= wanted; };
  s.failed = [](const Failure& f) {
    ADD_FAILURE() << "seed " << f.seed << ", " << f.title << ": " << name_of(f.finding.fault) << ", "
                  << f.finding.what << "\n"
                  << f.text;
  };
  EXPECT_GE(search(s, library), wanted);
  if (wanted < 20000) return;
  // What is only refused is not tested. Few calls ask about earlier ones, and fewer have any to ask about.
  for (const Kind* kind : all_kinds())
    for (const Entry& function : *kind->functions) {
      if (function.role == Role::asks) continue;
      const auto& counts = statuses[function.name];
      EXPECT_TRUE(!function.run || (!counts.empty() && counts.rbegin()->first >= 0)) << function.name;
    }
}

// Sequences that once failed. 5048034: a recording read behind the Delassus matrix. 113551: after a batch had no memory
// for a matrix, a rollout wrote behind the numbers of a pack. 1062931: a pack took the poses that rows need from what the
// last state without a pack had left, and zeros had another sign.
TEST(History, WhatOnceFailed) {
  RobotLibrary library(TENON_MODELS_DIR);
  for (const std::uint64_t seed : {5048034, 113551, 1062931, 20000478, 20005415}) {
    Search s;
    s.first = seed;
    s.enough = [](long calls) { return calls > 0; };
    s.failed = [](const Failure& f) { ADD_FAILURE() << "seed " << f.seed << "\n" << f.text; };
    EXPECT_GT(search(s, library), 0);
  }
}

TEST(History, KnowsEveryFunctionOfTheHeaders) {
  std::ifstream file(TENON_API_JSON);
  if (!file) GTEST_SKIP() << "packaging/api/generate.sh has not made " << TENON_API_JSON;
  const nlohmann::json api = nlohmann::json::parse(file);
  std::set<std::string> known, there, objects;
  for (const Kind* kind : all_kinds())
    for (const Entry& function : *kind->functions) known.insert(function.name);
  for (const auto& handle : api.at("handles")) objects.insert(handle.at("name").get<std::string>());
  for (const auto& function : api.at("functions"))
    for (const auto& argument : function.at("arguments"))
      if (objects.count(argument.at("base").get<std::string>()) > 0)
        there.insert(function.at("name").get<std::string>());
  EXPECT_GT(there.size(), 100U);
  EXPECT_EQ(known, there) << "the tables of tests/history have an entry for each";
}

}  // namespace
}  // namespace tenon::testing::history
