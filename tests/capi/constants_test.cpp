// Every constant of the headers has a name, the one it has there in lower case, and is found by it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tenonx.h"

namespace {

// Of tenon.h and its parts.
std::string text_of_headers() {
  std::ostringstream text;
  text << std::ifstream(TENON_INCLUDE_DIR "/tenon.h").rdbuf();
  for (const auto& part : std::filesystem::directory_iterator(TENON_INCLUDE_DIR "/tenon"))
    text << std::ifstream(part.path()).rdbuf();
  return text.str();
}

const std::map<std::string, int32_t>& kinds() {
  static const std::map<std::string, int32_t> all = {
      {"TENON_METHOD_", TENON_CONSTANT_METHOD},
      {"TENON_DELASSUS_METHOD_", TENON_CONSTANT_DELASSUS_METHOD},
      {"TENON_DAMPED_METHOD_", TENON_CONSTANT_DAMPED_METHOD},
      {"TENON_SPLIT_", TENON_CONSTANT_SPLIT},
      {"TENON_JOINT_TYPE_", TENON_CONSTANT_JOINT_TYPE},
      {"TENON_BASE_", TENON_CONSTANT_BASE},
      {"TENON_AXES_", TENON_CONSTANT_AXES},
      {"TENON_COORDINATES_", TENON_CONSTANT_COORDINATES},
      {"TENON_LOOP_TREATMENT_", TENON_CONSTANT_LOOP_TREATMENT},
      {"TENON_LOOP_MOVES_", TENON_CONSTANT_LOOP_MOVES},
      {"TENON_LOOP_KIND_", TENON_CONSTANT_LOOP_KIND},
      {"TENON_CONVENTION_", TENON_CONSTANT_CONVENTION},
      {"TENON_DIRECTION_", TENON_CONSTANT_DIRECTION},
      {"TENON_LOG_LEVEL_", TENON_CONSTANT_LOG_LEVEL},
      {"TENON_INSTRUCTION_SET_", TENON_CONSTANT_INSTRUCTION_SET},
      {"TENON_PRECISION_", TENON_CONSTANT_PRECISION},
      {"TENON_INTEGRATOR_", TENON_CONSTANT_INTEGRATOR},
  };
  return all;
}

// The constants that have no name: versions, kinds, bits, and what stands in the place of an index.
bool nameless(const std::string& name) {
  for (const char* start : {"TENON_VERSION", "TENON_CONSTANT_", "TENON_ROWS_", "TENON_PRODUCT_"})
    if (name.rfind(start, 0) == 0) return true;
  return name == "TENON_NONE" || name == "TENON_WORLD";
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

TEST(Constants, HaveTheirNames) {
  std::map<std::string, int32_t> found;
  int32_t statuses = 0;
  std::istringstream text(text_of_headers());
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string define, name;
    int32_t value = 0;
    if (!(words >> define >> name >> value) || define != "#define" || name.rfind("TENON", 0) != 0) continue;
    SCOPED_TRACE(name);
    if (nameless(name)) continue;
    int32_t back = -99;
    const auto kind = std::find_if(kinds().begin(), kinds().end(), [&](const auto& k) {
      return name.compare(0, k.first.size(), k.first) == 0;
    });
    if (kind == kinds().end()) {  // a status
      ++statuses;
      EXPECT_EQ(tenon_status_string(value), lower(name.substr(6)));
      EXPECT_EQ(tenon_constant_from_name(TENON_CONSTANT_STATUS, tenon_status_string(value), &back), TENON_OK);
    } else {
      EXPECT_EQ(value, found[kind->first]++) << "numbered without gaps";
      EXPECT_EQ(tenon_constant_name(kind->second, value), lower(name.substr(kind->first.size())));
      EXPECT_EQ(tenon_constant_from_name(kind->second, tenon_constant_name(kind->second, value), &back),
                TENON_OK);
    }
    EXPECT_EQ(back, value);
  }
  int32_t value = 77;
  for (const auto& [prefix, kind] : kinds()) {
    SCOPED_TRACE(prefix);
    EXPECT_EQ(tenon_constant_count(kind), found[prefix]);
    EXPECT_STREQ(tenon_constant_name(kind, tenon_constant_count(kind)), "unknown");
    EXPECT_STREQ(tenon_constant_name(kind, -1), "unknown");
    EXPECT_EQ(tenon_constant_from_name(kind, "no such name", &value), TENON_NOT_FOUND);
    EXPECT_EQ(tenon_constant_from_name(kind, nullptr, &value), TENON_INVALID_ARGUMENT);
    EXPECT_EQ(tenon_constant_from_name(kind, tenon_constant_name(kind, 0), nullptr), TENON_INVALID_ARGUMENT);
  }
  EXPECT_EQ(tenon_constant_count(TENON_CONSTANT_STATUS), statuses);
  for (const int32_t none : {-1, TENON_CONSTANT_INTEGRATOR + 1, 999, 1001}) {
    EXPECT_EQ(tenon_constant_count(none), 0);
    EXPECT_STREQ(tenon_constant_name(none, 0), "unknown");
    EXPECT_EQ(tenon_constant_from_name(none, "automatic", &value), TENON_INVALID_ARGUMENT);
  }
  EXPECT_EQ(value, 77);
}

#ifdef TENON_EXPERIMENTAL
TEST(Constants, LoopMethodsHaveTheirNames) {
  const char* names[] = {"automatic", "projection", "multipliers", "approximate", "unconstrained"};
  ASSERT_EQ(tenonx_loop_method_count(), 5);
  for (int32_t value = 0; value < 5; ++value) {
    int32_t back = -99;
    EXPECT_STREQ(tenonx_loop_method_name(value), names[value]);
    EXPECT_EQ(tenonx_loop_method_from_name(names[value], &back), TENON_OK);
    EXPECT_EQ(back, value);
  }
  int32_t value = 77;
  EXPECT_STREQ(tenonx_loop_method_name(5), "unknown");
  EXPECT_EQ(tenonx_loop_method_from_name("no such name", &value), TENON_NOT_FOUND);
  EXPECT_EQ(tenonx_loop_method_from_name(nullptr, &value), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenonx_loop_method_from_name("automatic", nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(value, 77);
}
#endif

TEST(Constants, StatusesCanBeListed) {
  std::map<tenon_status, int> seen;
  for (int32_t i = 0; i < tenon_constant_count(TENON_CONSTANT_STATUS); ++i) {
    ++seen[tenon_status_at(i)];
    EXPECT_STRNE(tenon_status_string(tenon_status_at(i)), "unknown");
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(tenon_constant_count(TENON_CONSTANT_STATUS)));
  EXPECT_EQ(tenon_status_at(-1), TENON_OUT_OF_RANGE);
  EXPECT_EQ(tenon_status_at(tenon_constant_count(TENON_CONSTANT_STATUS)), TENON_OUT_OF_RANGE);
  EXPECT_STREQ(tenon_status_string(-999), "unknown");
}

}  // namespace
