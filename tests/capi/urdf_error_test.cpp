// Broken descriptions: each with its own status and a message that names the place, and nothing left behind.
#include <cmath>
#include <fstream>

#include "support.hpp"

using namespace tenon_test;

namespace {

std::string inertial_text(const std::string& mass) {
  return "<inertial><mass value='" + mass +
         "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
}

std::string link_text(const std::string& name, const std::string& inside = inertial_text("1")) {
  return "  <link name='" + name + "'>" + inside + "</link>\n";
}
std::string joint_text(const std::string& name, const std::string& parent, const std::string& child,
                       const std::string& inside = "<axis xyz='0 0 1'/>") {
  return "  <joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" +
         child + "'/>" + inside + "</joint>\n";
}
std::string robot(const std::string& inside) {
  return "<robot name='r'>\n" + inside + "</robot>\n";
}
std::string good_robot() {
  return robot(link_text("a") + link_text("b") + joint_text("hinge", "a", "b"));
}

struct Case {
  const char* name;
  std::string text;
  tenon_status status;
  std::vector<std::string> words;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.text;
}

const Case cases[] = {
    {"Empty", "", TENON_PARSE_ERROR, {}},
    {"Blank", "  \n ", TENON_PARSE_ERROR, {}},
    {"NoRobot", "<mesh/>", TENON_PARSE_ERROR, {"robot"}},
    {"NoLinks", "<robot name='r'></robot>", TENON_INVALID_MODEL, {"link"}},
    {"CutOff", good_robot().substr(0, good_robot().size() - 40), TENON_PARSE_ERROR, {}},
    {"Cyclic",
     robot(link_text("root") + link_text("a") + link_text("b") + joint_text("ab", "a", "b") +
           joint_text("ba", "b", "a")),
     TENON_INVALID_MODEL,
     {"'a'"}},
    {"TwoRoots", robot(link_text("a") + link_text("b")), TENON_INVALID_MODEL, {"'a'", "'b'", "root"}},
    {"MissingParent",
     robot(link_text("b") + joint_text("hinge", "nowhere", "b")),
     TENON_INVALID_MODEL,
     {"'hinge'", "'nowhere'"}},
    {"MissingChild",
     robot(link_text("a") + joint_text("hinge", "a", "nowhere")),
     TENON_INVALID_MODEL,
     {"'hinge'", "'nowhere'"}},
    {"ZeroAxis",
     robot(link_text("a") + link_text("b") + joint_text("hinge", "a", "b", "<axis xyz='0 0 0'/>")),
     TENON_INVALID_MODEL,
     {"'hinge'", "axis"}},
    {"MasslessMovingLeaf",
     robot(link_text("a") + link_text("b", "") + joint_text("hinge", "a", "b")),
     TENON_INVALID_INERTIA,
     {"'b'"}},
    {"TextForNumber",
     robot(link_text("a") + link_text("b") + joint_text("hinge", "a", "b", "<axis xyz='0 zero 1'/>")),
     TENON_PARSE_ERROR,
     {"zero", "4"}},
    {"TextForMass", robot(link_text("a", inertial_text("heavy"))), TENON_PARSE_ERROR, {"heavy", "'a'"}},
    {"NotANumber",
     robot(link_text("a") + link_text("b") + joint_text("hinge", "a", "b", "<axis xyz='0 nan 1'/>")),
     TENON_PARSE_ERROR,
     {"nan"}},
    {"SameLinkTwice", robot(link_text("a") + link_text("a")), TENON_INVALID_MODEL, {"'a'"}},
    {"NegativeMass",
     robot(link_text("a") + link_text("b", inertial_text("-1")) + joint_text("hinge", "a", "b")),
     TENON_INVALID_INERTIA,
     {"'b'"}},
};

class UrdfError : public ::testing::TestWithParam<Case> {};

TEST_P(UrdfError, NamesThePlaceAndLeavesNothing) {
  const Case& c = GetParam();
  const Answer answer = parse(c.text);
  EXPECT_STREQ(tenon_status_string(answer.status), tenon_status_string(c.status)) << answer.message;
  EXPECT_GT(answer.message.size(), 20U);
  for (const std::string& word : c.words)
    EXPECT_NE(answer.message.find(word), std::string::npos) << answer.message;
  Model model;
  EXPECT_EQ(parse(good_robot(), &model).status, TENON_OK);
  EXPECT_EQ(tenon_model_nv(model.get()), 1);
}

INSTANTIATE_TEST_SUITE_P(All, UrdfError, ::testing::ValuesIn(cases),
                         [](const auto& test) { return test.param.name; });

TEST(UrdfFile, MissingFileNamesThePath) {
  char message[512];
  tenon_model* model = reinterpret_cast<tenon_model*>(message);
  EXPECT_EQ(tenon_model_load_urdf("no/such/robot.urdf", nullptr, &model, message, sizeof message),
            TENON_FILE_ERROR);
  EXPECT_EQ(model, nullptr);
  EXPECT_NE(std::string(message).find("no/such/robot.urdf"), std::string::npos) << message;
}

TEST(UrdfFile, ErrorNamesFileAndLine) {
  const std::string path = ::testing::TempDir() + "tenon_broken.urdf";
  std::ofstream(path) << robot(link_text("a") + link_text("b") +
                               joint_text("hinge", "a", "b", "<axis xyz='0 x 1'/>"));
  char message[512];
  tenon_model* model = nullptr;
  EXPECT_EQ(tenon_model_load_urdf(path.c_str(), nullptr, &model, message, sizeof message), TENON_PARSE_ERROR);
  EXPECT_NE(std::string(message).find(path + ":4"), std::string::npos) << message;
}

TEST(UrdfFile, Null) {
  char message[512];
  tenon_model* model = nullptr;
  EXPECT_EQ(tenon_model_load_urdf(nullptr, nullptr, &model, message, sizeof message), TENON_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "path is NULL; a value is needed");
  EXPECT_EQ(tenon_model_load_urdf("", nullptr, &model, message, sizeof message), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_model_parse_urdf(nullptr, 5, nullptr, &model, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_model_parse_urdf("", 0, nullptr, nullptr, message, sizeof message), TENON_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "model is NULL; a value is needed");
}

TEST(UrdfText, MayEndInNul) {
  const std::string text = good_robot();
  tenon_model* model = nullptr;
  ASSERT_EQ(tenon_model_parse_urdf(text.c_str(), text.size() + 1, nullptr, &model, nullptr, 0), TENON_OK);
  tenon_model_destroy(model);
}

TEST(ModelOptions, AreChecked) {
  tenon_model_options options;
  ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.base = 7;
  EXPECT_EQ(parse(good_robot(), nullptr, &options).status, TENON_INVALID_ARGUMENT);
  options.base = TENON_BASE_FIXED;
  options.gravity[1] = HUGE_VAL;
  EXPECT_EQ(parse(good_robot(), nullptr, &options).status, TENON_NOT_FINITE);
  options.gravity[1] = 0;
  options.log_level = 17;
  EXPECT_EQ(parse(good_robot(), nullptr, &options).status, TENON_INVALID_ARGUMENT);
}

TEST(ModelLog, HandsWarningsToTheCallback) {
  struct Heard {
    std::vector<std::string> text;
    std::vector<int32_t> level;
  } heard;
  tenon_model_options options;
  ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.log_callback = [](void* user, int32_t level, const char* message) {
    static_cast<Heard*>(user)->text.emplace_back(message);
    static_cast<Heard*>(user)->level.push_back(level);
  };
  options.log_user = &heard;
  const std::string text =
      robot("  <surprise/>\n" + link_text("a") + link_text("b") + joint_text("hinge", "a", "b"));
  Model model;
  ASSERT_EQ(parse(text, &model, &options).status, TENON_OK);
  ASSERT_EQ(tenon_model_warning_count(model.get()), 1);
  ASSERT_EQ(heard.text.size(), 1U);
  EXPECT_EQ(heard.text[0], tenon_model_warning(model.get(), 0));
  EXPECT_NE(heard.text[0].find("surprise"), std::string::npos);
  EXPECT_EQ(heard.level[0], TENON_LOG_LEVEL_WARNING);
  EXPECT_EQ(tenon_model_warning(model.get(), 1), nullptr);

  options.log_level = TENON_LOG_LEVEL_INFO;
  ASSERT_EQ(parse(text, nullptr, &options).status, TENON_OK);
  ASSERT_EQ(heard.text.size(), 3U);
  EXPECT_EQ(heard.level[2], TENON_LOG_LEVEL_INFO);
  options.log_level = TENON_LOG_LEVEL_OFF;
  ASSERT_EQ(parse(text, nullptr, &options).status, TENON_OK);
  EXPECT_EQ(heard.text.size(), 3U);
}

}  // namespace
