// A short run of the search for answers that depend on earlier calls, and that no function is left out of it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "history/history.hpp"

namespace tenon::testing::history {
namespace {

TEST(History, AnswersDependOnArgumentsAndSettingsAlone) {
  RobotLibrary library(TENON_MODELS_DIR);
  Search s;
  s.enough = [](long calls) { return calls >= 20000; };
  s.failed = [](const Failure& f) {
    ADD_FAILURE() << "seed " << f.seed << ", " << f.title << ": " << name_of(f.finding.fault) << ", "
                  << f.finding.what << "\n"
                  << f.text;
  };
  EXPECT_GE(search(s, library), 20000);
}

TEST(History, KnowsEveryFunctionOfTheHeaders) {
  std::ifstream file(TENON_API_JSON);
  const nlohmann::json api = nlohmann::json::parse(file);
  for (const auto& [object, kind] :
       {std::make_pair("tenon_workspace", &workspace_kind()), std::make_pair("tenon_batch", &batch_kind())}) {
    std::set<std::string> known, there;
    for (const Entry& function : *kind->functions) known.insert(function.name);
    for (const auto& function : api.at("functions"))
      for (const auto& argument : function.at("arguments"))
        if (argument.at("base") == object) there.insert(function.at("name").get<std::string>());
    EXPECT_EQ(known, there) << "tests/history/" << kind->name << "_functions.cpp has an entry for each";
  }
}

}  // namespace
}  // namespace tenon::testing::history
