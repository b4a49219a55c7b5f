// Bad input of every kind: each ends in an Error with the right status and a sentence that names place,
// culprit and value; none crashes, hangs or leaks (the sanitizer build runs these too).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "mechanism/urdf/decimal.hpp"
#include "support/locale/decimal_comma.hpp"
#include "tenon/status.hpp"
#include "tenon/urdf.hpp"

namespace tenon {
namespace {

// Expects an Error of this status whose message holds every one of the parts.
template <class Call>
void expect_error(const Call& call, Status status, std::initializer_list<std::string> parts) {
  try {
    call();
    FAIL() << "no error; expected " << status_name(status);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_STREQ(status_name(error.status()), status_name(status)) << message;
    for (const std::string& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
  }
}

void expect_bad(const std::string& text, Status status, std::initializer_list<std::string> parts) {
  SCOPED_TRACE(text.substr(0, 300));
  expect_error([&] { parse_urdf(text, "r.urdf"); }, status, parts);
}

std::string robot(const std::string& inside) {
  return "<robot name='r'>\n" + inside + "\n</robot>\n";
}

// Line 2 holds the link, line 3 what is inside it.
std::string link(const std::string& inside) {
  return robot("<link name='l'>\n" + inside + "\n</link>");
}

// Lines 2 and 3 hold links, line 4 the joint, line 5 its parent and child, line 6 what is inside it.
std::string joint(const std::string& inside, const std::string& type = "revolute") {
  return robot("<link name='a'/>\n<link name='b'/>\n<joint name='knee' type='" + type +
               "'>\n<parent link='a'/><child link='b'/>\n" + inside + "\n</joint>");
}

TEST(BadUrdf, EmptyText) {
  expect_bad("", Status::parse_error, {"r.urdf: ", "empty", "<robot>"});
  expect_bad(" \n\t ", Status::parse_error, {"empty"});
}

TEST(BadUrdf, NoXml) {
  expect_bad("hello", Status::parse_error, {"r.urdf"});
  expect_bad("{\"robot\": 1}", Status::parse_error, {"r.urdf"});
  expect_bad("<", Status::parse_error, {"r.urdf:1: "});
  expect_bad("<robot name='r'><link name='l'/>", Status::parse_error, {"r.urdf:1: ", "cut off"});
  expect_bad("<robot name='r'>\n<link name='l'>\n</robot>", Status::parse_error, {"r.urdf:3: ", "closed"});
  expect_bad("<robot name='r' name='s'><link name='l'/></robot>", Status::parse_error,
             {"r.urdf:1: ", "twice"});
  expect_bad("<robot name='r><link/></robot>", Status::parse_error, {"r.urdf:1: "});
  expect_bad("<!-- open", Status::parse_error, {"r.urdf:1: ", "comment"});
}

// Each of these an XML reader may let pass, and read something else than what was meant.
TEST(BadUrdf, TagsThatAreNotXml) {
  for (const char* bad : {"< link name='l'/>", "<1link name='l'/>", "<link name='l'/ >", "<link name='l' / >",
                          "<link/name='l'>", "<link name='l'>\n</link name='l'>", "<link name='l'>\n</ link>",
                          "<link name='l'>\n</>", "<>", "</>"})
    expect_bad(robot("<!-- -->\n" + std::string(bad)), Status::parse_error,
               {"r.urdf:", "is the text cut off"});
  for (const char* bad : {"<link name='l'type='t'/>", "<link name/>", "<link name=l/>",
                          "<link name='l' type/>", "<link name 'l'/>", "<link name='l/>\n"})
    expect_bad(robot("\n" + std::string(bad)), Status::parse_error, {"r.urdf:", "an attribute is broken"});
  expect_bad(robot("<link name='l'/>\n</link>"), Status::parse_error, {"r.urdf:3: ", "closed by the tag of"});
  expect_bad("</robot>", Status::parse_error, {"r.urdf:1: ", "closed by the tag of"});
  expect_bad(robot("<link name='l'/>") + "</robot>", Status::parse_error,
             {"r.urdf:4: ", "closed by the tag"});
  expect_bad(robot("<link name='l'/>\n<!-- open"), Status::parse_error, {"comment is not closed"});
  expect_bad(robot("<link name='l'/>\n<![CDATA[ open"), Status::parse_error, {"r.urdf:", "cut off"});
  for (const char* bad : {"<?", "<? x?>", "<?x >"})
    expect_bad(bad + robot("<link name='l'/>"), Status::parse_error, {"r.urdf:", "declaration is broken"});
}

// Cutting a good file anywhere is an error, or leaves only blanks and comments off.
TEST(BadUrdf, EveryTruncationIsAnError) {
  const std::string text = joint("<origin xyz='0 0 1'/><axis xyz='0 0 1'/><limit lower='0' upper='1'/>");
  const std::size_t complete = text.find("</robot>") + 8;
  ASSERT_NO_THROW(parse_urdf(text.substr(0, complete)));
  for (std::size_t size = 0; size < complete; ++size)
    EXPECT_THROW(parse_urdf(text.substr(0, size)), Error) << text.substr(0, size);
}

TEST(BadUrdf, NoRobotOrTwo) {
  expect_bad("<!-- nothing -->", Status::parse_error, {"r.urdf"});
  expect_bad("<?xml version='1.0'?>\n<sdf version='1.7'/>", Status::parse_error,
             {"r.urdf:2: ", "'sdf', not 'robot'"});
  expect_bad("<robot name='r'><link name='l'/></robot>\n<robot name='s'/>", Status::parse_error,
             {"r.urdf:2: ", "second <robot>"});
  expect_bad("<robot name='r'><link name='l'/></robot>\ntrailing", Status::parse_error,
             {"r.urdf:2: ", "outside of <robot>"});
  expect_bad("<robot name='r'/>", Status::invalid_model, {"no <link>"});
  expect_bad("<robot><link name='l'/></robot>", Status::parse_error,
             {"r.urdf:1: ", "'name' of <robot> is missing"});
}

TEST(BadUrdf, TextWhereANumberBelongs) {
  expect_bad(joint("<limit lower='abc' upper='1'/>"), Status::parse_error,
             {"r.urdf:6: joint 'knee': attribute 'lower' of <limit> is 'abc', not a number; write"});
  for (const char* bad :
       {"nan", "NaN", "inf", "-inf", "INFINITY", "0x10", "1,5", "1.5f",  "1 2",    "--1",
        "+-1", "++1", "-",   "+",    ".",        "e5",   "1e",  "1e400", "-1e400", "\xC2\xBD"})
    expect_bad(
        link("<inertial><mass value='" + std::string(bad) +
             "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"),
        Status::parse_error,
        {"r.urdf:3: link 'l': attribute 'value' of <mass> is '" + std::string(bad) + "'", "not a number"});
  expect_bad(joint("<dynamics damping='much'/>"), Status::parse_error,
             {"r.urdf:6: joint 'knee': attribute 'damping' of <dynamics> is 'much'"});
  expect_bad(joint("<dynamics damping=' '/>"), Status::parse_error, {"'damping' of <dynamics> is empty"});
}

TEST(BadUrdf, VectorsOfTheWrongKind) {
  expect_bad(joint("<origin xyz='1 2'/>"), Status::parse_error,
             {"r.urdf:6: joint 'knee': attribute 'xyz' of <origin> is '1 2', 2 words", "three"});
  expect_bad(joint("<origin xyz='1 2 3 4'/>"), Status::parse_error, {"4 words"});
  expect_bad(joint("<origin rpy='0 0 ninety'/>"), Status::parse_error,
             {"'rpy' of <origin>", "'ninety' is not a number"});
  expect_bad(joint("<origin xyz='1,2,3'/>"), Status::parse_error, {"1 words"});
  expect_bad(joint("<axis xyz='0 0 nan'/>"), Status::parse_error, {"'nan' is not a number"});
  expect_bad(joint("<axis xyz=''/>"), Status::parse_error, {"'xyz' of <axis> is empty"});
  expect_bad(joint("<axis/>"), Status::parse_error, {"'xyz' of <axis> is missing"});
}

TEST(BadUrdf, ZeroAxis) {
  expect_bad(joint("<axis xyz='0 0 0'/>"), Status::invalid_model, {"r.urdf:6: joint 'knee': axis is zero"});
  expect_bad(joint("<axis xyz='0 -0 0'/>", "prismatic"), Status::invalid_model, {"axis is zero"});
  EXPECT_NO_THROW(
      parse_urdf(joint("<axis xyz='0 0 0'/>", "fixed")));  // exporters write this; it means nothing there
}

TEST(BadUrdf, ScrewWithoutAPitch) {
  expect_bad(joint("", "screw"), Status::parse_error, {"r.urdf:4: joint 'knee': <joint> has no <screw>"});
  expect_bad(joint("<screw/>", "screw"), Status::parse_error,
             {"r.urdf:6: joint 'knee'", "'pitch' of <screw> is missing"});
  expect_bad(joint("<screw pitch='inf'/>", "screw"), Status::parse_error,
             {"'pitch' of <screw> is 'inf', not a number"});
}

TEST(BadUrdf, UnsupportedOrigin) {
  expect_bad(joint("<origin quat_xyzw='0 0 0 1'/>"), Status::unsupported,
             {"r.urdf:6: joint 'knee'", "quat_xyzw", "rpy"});
}

TEST(BadUrdf, InertialThatLacksAPart) {
  expect_bad(link("<inertial/>"), Status::parse_error, {"r.urdf:3: link 'l': <inertial> has no <mass>"});
  expect_bad(link("<inertial><mass value='1'/></inertial>"), Status::parse_error,
             {"<inertial> has no <inertia>"});
  expect_bad(link("<inertial><mass/><inertia/></inertial>"), Status::parse_error,
             {"'value' of <mass> is missing"});
  expect_bad(link("<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0'/></inertial>"),
             Status::parse_error, {"'izz' of <inertia> is missing"});
}

TEST(BadUrdf, JointThatLacksAPart) {
  const std::string links = "<link name='a'/><link name='b'/>\n";
  expect_bad(robot(links + "<joint name='j' type='fixed'><parent link='a'/></joint>"), Status::parse_error,
             {"r.urdf:3: joint 'j': <joint> has no <child>"});
  expect_bad(robot(links + "<joint name='j' type='fixed'><child link='a'/></joint>"), Status::parse_error,
             {"<joint> has no <parent>"});
  expect_bad(robot(links + "<joint name='j' type='fixed'><parent/><child link='a'/></joint>"),
             Status::parse_error, {"'link' of <parent> is missing"});
  expect_bad(robot(links + "<joint name='j'><parent link='a'/><child link='b'/></joint>"),
             Status::parse_error, {"'type' of <joint> is missing"});
  expect_bad(robot(links + "<joint type='fixed'><parent link='a'/><child link='b'/></joint>"),
             Status::parse_error, {"r.urdf:3: <joint>: attribute 'name'"});
  expect_bad(robot("<link/>"), Status::parse_error,
             {"r.urdf:2: <link>: attribute 'name' of <link> is missing"});
  expect_bad(robot("<link name=''/>"), Status::parse_error, {"'name' of <link> is empty"});
}

TEST(BadUrdf, UnknownJointType) {
  expect_bad(joint("", "hinge"), Status::parse_error,
             {"r.urdf:4: joint 'knee': type 'hinge' is unknown; use fixed, revolute"});
  expect_bad(joint("", "universal"), Status::parse_error, {"type 'universal' is unknown", "two revolute"});
}

TEST(BadUrdf, RepeatedElements) {
  expect_bad(joint("<axis xyz='1 0 0'/>\n<axis xyz='0 1 0'/>"), Status::parse_error,
             {"r.urdf:7: joint 'knee': second <axis>", "line 6"});
  expect_bad(joint("<origin/>\n<origin/>"), Status::parse_error, {"second <origin>"});
  expect_bad(joint("<limit/>\n<limit/>"), Status::parse_error, {"second <limit>"});
  expect_bad(joint("<parent link='b'/>"), Status::parse_error, {"second <parent>"});
  expect_bad(link("<inertial/>\n<inertial/>"), Status::parse_error,
             {"r.urdf:4: link 'l': second <inertial>", "line 3"});
}

TEST(BadUrdf, RepeatedNames) {
  expect_bad(robot("<link name='l'/>\n<link name='l'/>"), Status::invalid_model,
             {"r.urdf:3: link 'l'", "line 2"});
  expect_bad(robot("<link name='a'/><link name='b'/><link name='c'/>\n"
                   "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
                   "<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>"),
             Status::invalid_model, {"r.urdf:4: joint 'j'", "line 3"});
}

TEST(BadUrdf, LinksThatDoNotFit) {
  const auto fixed = [](const char* name, const char* parent, const char* child) {
    return "<joint name='" + std::string(name) + "' type='fixed'><parent link='" + parent +
           "'/><child link='" + child + "'/></joint>\n";
  };
  const std::string links = "<link name='a'/><link name='b'/><link name='c'/>\n";
  expect_bad(robot(links + fixed("j", "x", "b")), Status::invalid_model,
             {"r.urdf:3: joint 'j': parent link 'x' does not exist"});
  expect_bad(robot(links + fixed("j", "a", "x")), Status::invalid_model,
             {"r.urdf:3: joint 'j': child link 'x' does not exist"});
  expect_bad(robot(links + fixed("j", "a", "a")), Status::invalid_model, {"both 'a'"});
  expect_bad(robot(links + fixed("j", "a", "c") + fixed("k", "b", "c")), Status::invalid_model,
             {"r.urdf:4: joint 'k': child link 'c' hangs on joint 'j' already"});
}

// Two hinges on link a; what the text ties together begins on line 6.
std::string pair_of_hinges(const std::string& tie) {
  std::string text = "<robot name='r'>\n<link name='a'/><link name='b'/><link name='c'/>\n";
  for (const char* child : {"b", "c"})
    text += std::string("<joint name='to_") + child + "' type='continuous'><parent link='a'/><child link='" +
            child + "'/></joint>\n";
  return text + "\n" + tie + "</robot>";
}

TEST(BadUrdf, Loops) {
  const auto loop = [](const std::string& type, const std::string& p, const std::string& s,
                       const char* more = "") {
    return pair_of_hinges("<loop name='l' type='" + type + "'>\n<predecessor link='" + p +
                          "'/>\n<successor link='" + s + "'/>\n" + more + "</loop>");
  };
  EXPECT_NO_THROW(parse_urdf(loop("revolute", "b", "c")));
  expect_bad(loop("revolute", "x", "c"), Status::invalid_model,
             {"r.urdf:7: loop 'l': its predecessor link 'x' does not exist"});
  expect_bad(loop("revolute", "b", "x"), Status::invalid_model,
             {"r.urdf:8: loop 'l': its successor link 'x' does not exist"});
  expect_bad(loop("revolute", "b", "b"), Status::invalid_model,
             {"r.urdf:6: loop 'l': both its ends are on link 'b'"});
  expect_bad(loop("floating", "b", "c"), Status::parse_error,
             {"r.urdf:6: loop 'l': type 'floating' closes no loop"});
  expect_bad(loop("revolute' treatment='glue", "b", "c"), Status::parse_error,
             {"r.urdf:6: loop 'l': treatment 'glue' is unknown"});
  expect_bad(loop("revolute", "b", "c", "<axis xyz='0 0 0'/>"), Status::invalid_model, {"axis is zero"});
  expect_bad(pair_of_hinges("<loop name='l' type='fixed'><predecessor link='b'/></loop>"),
             Status::parse_error, {"r.urdf:6: loop 'l'", "successor"});
  expect_bad(pair_of_hinges("<loop type='fixed'/>"), Status::parse_error, {"name"});
  expect_bad(robot("<link name='l'/>\n<loop_joint name='c'/>"), Status::unsupported,
             {"r.urdf:3: loop_joint 'c': <loop_joint> is unsupported", "ignore_loops"});
}

TEST(BadUrdf, Couplings) {
  const auto coupling = [](const char* name, const char* p, const char* s, const char* ratio) {
    return std::string("<coupling name='") + name + "'>\n<predecessor link='" + p + "'/>\n<successor link='" +
           s + "'/>\n" + ratio + "\n</coupling>\n";
  };
  EXPECT_NO_THROW(parse_urdf(pair_of_hinges(coupling("k", "b", "c", "<ratio value='2'/>"))));
  expect_bad(pair_of_hinges(coupling("k", "b", "c", "<ratio value='0'/>")), Status::invalid_model,
             {"r.urdf:9: coupling 'k': the ratio is 0"});
  expect_bad(pair_of_hinges(coupling("k", "b", "c", "")), Status::parse_error,
             {"r.urdf:6: coupling 'k'", "ratio"});
  expect_bad(pair_of_hinges(coupling("k", "b", "x", "<ratio value='1'/>")), Status::invalid_model,
             {"r.urdf:8: coupling 'k': its successor link 'x' does not exist"});
  expect_bad(pair_of_hinges(coupling("k", "b", "c", "<ratio value='1'/>") +
                            coupling("k", "b", "c", "<ratio value='1'/>")),
             Status::invalid_model, {"r.urdf:11: coupling 'k'", "line 6"});
}

TEST(BadUrdf, MimicsAndFlags) {
  expect_bad(joint("<mimic joint='x'/>"), Status::invalid_model,
             {"r.urdf:6: joint 'knee': it mimics joint 'x', which does not exist"});
  expect_bad(joint("<mimic joint='knee' multiplier='0'/>"), Status::invalid_model,
             {"r.urdf:6: joint 'knee'", "is 0"});
  expect_bad(joint("<mimic multiplier='1'/>"), Status::parse_error, {"r.urdf:6: joint 'knee'", "joint"});
  for (const char* flag : {"true", "True", "1", "false", "False", "0"})
    EXPECT_EQ(parse_urdf("<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed' "
                         "independent='" +
                         std::string(flag) + "'><parent link='a'/><child link='b'/></joint></robot>")
                  .joints[0]
                  .independent,
              std::string("tT1").find(flag[0]) != std::string::npos);
  expect_bad(
      "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed' independent='maybe'>"
      "<parent link='a'/><child link='b'/></joint></robot>",
      Status::parse_error, {"r.urdf:2: joint 'j'", "'maybe'"});
}

TEST(BadUrdf, UnexpandedXacro) {
  expect_bad(robot("<xacro:property name='m' value='1'/>\n<link name='l'/>"), Status::unsupported,
             {"r.urdf:2: ", "'xacro:property'", "expand"});
  expect_bad(link("<inertial><mass value='${m}'/><inertia/></inertial>"), Status::parse_error,
             {"'${m}', not a number"});
}

TEST(BadUrdf, NulBytes) {
  expect_bad(std::string("<robot name='r'>\n<link name='a\0b'/></robot>", 42), Status::parse_error,
             {"r.urdf:2: ", "NUL"});
  expect_bad(std::string(1000, '\0'), Status::parse_error, {"NUL"});
  std::string utf16;
  for (const char c : link("")) utf16 += {c, '\0'};
  expect_bad("\xFF\xFE" + utf16, Status::parse_error, {"NUL", "UTF-16"});
}

TEST(BadUrdf, DocumentTypesAndEntityBombs) {
  expect_bad(
      "<?xml version='1.0'?>\n<!DOCTYPE lolz [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]>\n<robot "
      "name='&b;'/>",
      Status::parse_error, {"r.urdf:2: ", "DOCTYPE"});
  expect_bad("<!DOCTYPE r SYSTEM 'file:///etc/passwd'><robot name='r'/>", Status::parse_error, {"DOCTYPE"});
  expect_bad("<robot name='&xxe;'><link name='l'/></robot>", Status::parse_error, {"r.urdf:1: ", "'&xxe;'"});
}

TEST(BadUrdf, ReferencesThatNameNoCharacter) {
  for (const char* bad : {"&#0;",     "&#x0;",      "&#8;",
                          "&#xD800;", "&#xDFFF;",   "&#55296;",
                          "&#xFFFE;", "&#x110000;", "&#99999999999999;",
                          "&#;",      "&#x;",       "&#-65;",
                          "&#6 5;",   "&#x4G;",     "&Amp;",
                          "&foo;",    "&;",         "&",
                          "a & b",    "&amp",       "&lt&gt;"}) {
    expect_bad(robot("<link\nname='a" + std::string(bad) + "'/>"), Status::parse_error, {"r.urdf:3: ", "&"});
    expect_bad(robot("<link name='a'/>\ntext " + std::string(bad)), Status::parse_error, {"r.urdf:3: ", "&"});
  }
  // Not where nobody reads: a comment, a declaration, literal text.
  EXPECT_NO_THROW(parse_urdf(robot("<!-- a & b &foo; --><?x &foo; ?><link name='l'/><![CDATA[&foo;]]>")));
  const Mechanism good = parse_urdf(robot("<link name='&lt;&amp;&gt; &quot;&apos; &#65;&#x42;&#x1F9BF;'/>"));
  EXPECT_EQ(good.links[0].name, "<&> \"' AB\xF0\x9F\xA6\xBF");
}

TEST(BadUrdf, BytesThatAreNotUtf8) {
  for (const char* bad :
       {"\xFF", "\x80", "caf\xE9", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF8\x88\x80\x80", "\xE6\x89", "\xE6\x89x"}) {
    expect_bad(robot("<link\nname='" + std::string(bad) + "'/>"), Status::parse_error,
               {"r.urdf:3: ", "UTF-8"});
    expect_bad(robot("\n<link" + std::string(bad) + " name='l'/>"), Status::parse_error,
               {"r.urdf:3: ", "UTF-8"});
    expect_bad(robot("<link name='l'/>\n" + std::string(bad)), Status::parse_error, {"r.urdf:3: ", "UTF-8"});
    expect_bad(robot("<link name='l'/>\n<![CDATA[" + std::string(bad) + "]]>"), Status::parse_error,
               {"UTF-8"});
    expect_bad(robot("\n<link a" + std::string(bad) + "='' a" + bad + "='' name='l'/>"), Status::parse_error,
               {"r.urdf:3: ", "UTF-8"});
    EXPECT_NO_THROW(parse_urdf(robot("<!-- by " + std::string(bad) + " --><link name='l'/>")));
  }
  EXPECT_EQ(parse_urdf(robot("<link name='\xE6\x89\x8B \xF4\x8F\xBF\xBF \xC3\x84'/>")).links[0].name,
            "\xE6\x89\x8B \xF4\x8F\xBF\xBF \xC3\x84");
}

TEST(BadUrdf, DeepNesting) {
  std::string deep, end;
  for (int i = 0; i < 100000; ++i) {
    deep += "<a>";
    end += "</a>";
  }
  expect_bad(deep, Status::parse_error, {"r.urdf:1: "});
  expect_bad(robot("<link name='l'>" + deep + end + "</link>"), Status::parse_error, {"nested too deeply"});
  // 90 elements, with the robot and the link.
  const auto nested = [&](std::size_t depth) {
    return robot("<link name='l'>\n" + deep.substr(0, 3 * depth) + "text" + end.substr(0, 4 * depth) +
                 "</link>");
  };
  EXPECT_NO_THROW(parse_urdf(nested(88)));
  expect_bad(nested(89), Status::parse_error, {"r.urdf:3: ", "nested too deeply"});
}

// Quadratic work or unbounded memory would show as a test that does not end.
TEST(BadUrdf, FloodsOfAttributesAndElements) {
  std::string attributes = "<robot name='r'";
  for (int i = 0; i < 300000; ++i) attributes += " a" + std::to_string(i) + "=''";
  expect_bad(attributes + "><link name='l'/></robot>", Status::parse_error, {"r.urdf:1: ", "attributes"});

  std::string elements = "<robot name='r'>\n";
  for (int i = 0; i < 2100000; ++i) elements += "<a/>";
  expect_bad(elements + "</robot>", Status::parse_error, {"r.urdf:2: ", "elements"});
}

TEST(BadUrdf, LongValuesAreCutInMessages) {
  try {
    parse_urdf(joint("<limit lower='" + std::string(1000000, 'x') + "'/>"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 400u);
  }
}

TEST(BadUrdf, NumbersDoNotDependOnTheLocale) {
  const testing::DecimalComma locale;
  if (!locale.here()) GTEST_SKIP() << "no locale with a decimal comma";
  EXPECT_EQ(parse_urdf(joint("<origin xyz='1.5 0 0'/>")).joints[0].origin.translation[0], 1.5);
  EXPECT_EQ(parse_decimal_by_stream("1.5"), 1.5);
  EXPECT_THROW(parse_urdf(joint("<origin xyz='1,5 0 0'/>")), Error);
}

class BadUrdfFile : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        std::filesystem::path(::testing::TempDir()) /
        ("tenon_urdf_" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void expect_bad_file(const std::filesystem::path& path, const std::string& part) {
    expect_error([&] { load_urdf(path.string()); }, Status::file_error, {path.string() + ": ", part});
  }

  std::filesystem::path directory_;
};

TEST_F(BadUrdfFile, GoodFileIsRead) {
  std::ofstream(directory_ / "good.urdf") << link("");
  const Mechanism m = load_urdf((directory_ / "good.urdf").string());
  EXPECT_EQ(m.links.size(), 1u);
  EXPECT_EQ(m.source, (directory_ / "good.urdf").string());
}

TEST_F(BadUrdfFile, MissingFile) {
  expect_bad_file(directory_ / "none.urdf", "no such file");
  expect_error([] { load_urdf(""); }, Status::file_error, {"no such file"});
}

TEST_F(BadUrdfFile, PathThatIsNotUtf8) {
  const std::string path = (directory_ / "r\xff.urdf").string();
  std::ofstream(path) << link("");
  expect_error([&] { load_urdf(path); }, Status::file_error,
               {"not UTF-8", "after '" + directory_.string(), "r'"});
  std::ofstream(directory_ / "R\xc3\xbcssel \xe6\x97\xa5.urdf") << link("");
  EXPECT_EQ(load_urdf((directory_ / "R\xc3\xbcssel \xe6\x97\xa5.urdf").string()).links.size(), 1u);
}

TEST_F(BadUrdfFile, Directory) {
  expect_bad_file(directory_, "is a directory");
}

TEST_F(BadUrdfFile, Device) {
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP();
  expect_bad_file("/dev/zero", "not a regular file");
}

TEST_F(BadUrdfFile, EmptyFile) {
  std::ofstream(directory_ / "empty.urdf").flush();
  expect_error([&] { load_urdf((directory_ / "empty.urdf").string()); }, Status::parse_error,
               {"empty.urdf: the text is empty"});
}

// Sparse: takes no room on the disk, and is refused before anything is read.
TEST_F(BadUrdfFile, TwoGigabytes) {
  const std::filesystem::path path = directory_ / "huge.urdf";
  std::ofstream(path).flush();
  std::error_code error;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 31, error);
  if (error) GTEST_SKIP() << error.message();
  expect_bad_file(path, "2147483648 bytes");
}

TEST_F(BadUrdfFile, MessageOfBadContentNamesFileAndLine) {
  const std::filesystem::path path = directory_ / "knee.urdf";
  std::ofstream(path) << joint("<limit lower='abc'/>");
  expect_error([&] { load_urdf(path.string()); }, Status::parse_error,
               {path.string() + ":6: joint 'knee': attribute 'lower'"});
}

}  // namespace
}  // namespace tenon
