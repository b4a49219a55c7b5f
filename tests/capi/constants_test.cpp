// Every constant of the headers has a name, the one it has there in lower case, and is found by it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tenonx.h"

namespace {

std::string text_of(const char* header) {
  std::ifstream file(std::string(TENON_INCLUDE_DIR "/") + header);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Functions {
  int32_t (*count)(void);
  const char* (*string)(int32_t);
  tenon_status (*from_string)(const char*, int32_t*);
};

#define FUNCTIONS(kind) \
  { kind##_count, kind##_string, kind##_from_string }
const std::map<std::string, Functions>& kinds() {
  static const std::map<std::string, Functions> all = {
      {"TENON_METHOD_", FUNCTIONS(tenon_method)},
      {"TENON_DELASSUS_METHOD_", FUNCTIONS(tenon_delassus_method)},
      {"TENON_DAMPED_METHOD_", FUNCTIONS(tenon_damped_method)},
      {"TENON_SPLIT_", FUNCTIONS(tenon_split)},
      {"TENON_JOINT_TYPE_", FUNCTIONS(tenon_joint_type)},
      {"TENON_BASE_", FUNCTIONS(tenon_base)},
      {"TENON_AXES_", FUNCTIONS(tenon_axes)},
      {"TENON_COORDINATES_", FUNCTIONS(tenon_coordinates)},
      {"TENON_LOOP_TREATMENT_", FUNCTIONS(tenon_loop_treatment)},
      {"TENON_LOOP_MOVES_", FUNCTIONS(tenon_loop_moves)},
      {"TENON_LOOP_KIND_", FUNCTIONS(tenon_loop_kind)},
      {"TENON_CONVENTION_", FUNCTIONS(tenon_convention)},
      {"TENON_DIRECTION_", FUNCTIONS(tenon_direction)},
      {"TENON_LOG_LEVEL_", FUNCTIONS(tenon_log_level)},
      {"TENON_INSTRUCTION_SET_", FUNCTIONS(tenon_instruction_set)},
      {"TENON_PRECISION_", FUNCTIONS(tenon_precision)},
      {"TENON_INTEGRATOR_", FUNCTIONS(tenon_integrator)},
#ifdef TENON_EXPERIMENTAL
      {"TENONX_LOOP_METHOD_", FUNCTIONS(tenonx_loop_method)},
#endif
  };
  return all;
}

// The constants that have no name: versions, bits, and the link that stands for the world.
bool nameless(const std::string& name) {
  for (const char* start : {"TENON_VERSION", "TENON_ROWS_", "TENON_PRODUCT_", "TENONX_TRAIT_"})
    if (name.rfind(start, 0) == 0) return true;
  return name == "TENON_WORLD";
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

TEST(Constants, HaveTheirNames) {
  std::map<std::string, int32_t> found;
  int32_t statuses = 0;
#ifdef TENON_EXPERIMENTAL
  std::istringstream text(text_of("tenon.h") + text_of("tenonx.h"));
#else
  std::istringstream text(text_of("tenon.h"));
#endif
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
      EXPECT_EQ(tenon_status_from_string(tenon_status_string(value), &back), TENON_OK);
    } else {
      const Functions& functions = kind->second;
      EXPECT_EQ(value, found[kind->first]++) << "numbered without gaps";
      EXPECT_EQ(functions.string(value), lower(name.substr(kind->first.size())));
      EXPECT_EQ(functions.from_string(functions.string(value), &back), TENON_OK);
    }
    EXPECT_EQ(back, value);
  }
  for (const auto& [prefix, functions] : kinds()) {
    SCOPED_TRACE(prefix);
    EXPECT_EQ(functions.count(), found[prefix]);
    EXPECT_STREQ(functions.string(functions.count()), "unknown");
    EXPECT_STREQ(functions.string(-1), "unknown");
    int32_t value = 77;
    EXPECT_EQ(functions.from_string("no such name", &value), TENON_NOT_FOUND);
    EXPECT_EQ(functions.from_string(nullptr, &value), TENON_INVALID_ARGUMENT);
    EXPECT_EQ(functions.from_string(functions.string(0), nullptr), TENON_INVALID_ARGUMENT);
    EXPECT_EQ(value, 77);
  }
  EXPECT_EQ(tenon_status_count(), statuses);
}

TEST(Constants, StatusesCanBeListed) {
  std::map<tenon_status, int> seen;
  for (int32_t i = 0; i < tenon_status_count(); ++i) {
    ++seen[tenon_status_at(i)];
    EXPECT_STRNE(tenon_status_string(tenon_status_at(i)), "unknown");
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(tenon_status_count()));
  EXPECT_EQ(tenon_status_at(-1), TENON_OUT_OF_RANGE);
  EXPECT_EQ(tenon_status_at(tenon_status_count()), TENON_OUT_OF_RANGE);
  EXPECT_STREQ(tenon_status_string(-999), "unknown");
}

}  // namespace
