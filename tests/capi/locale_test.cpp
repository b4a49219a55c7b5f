// What the library writes is the same in every locale of the process.
#include "../support/locale/decimal_comma.hpp"
#include "support.hpp"

using namespace tenon_test;

namespace {

// Texts with numbers from every place that writes some.
std::vector<std::string> texts() {
  std::vector<std::string> found;
  const Model model = load("iiwa14");
  char text[4000] = "", message[1000] = "";
  EXPECT_EQ(tenon_model_describe(model.get(), text, sizeof text, nullptr), TENON_OK);
  found.emplace_back(text);

  found.push_back(
      parse("<robot name='r'><link name='a'/><link name='b'><inertial><mass value='-1.5'/><inertia ixx='1' "
            "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
            "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>")
          .message);
  const double compliance[6] = {0, 0, -1234.5, 0, 0, 0};
  const auto soft = options_of(tenon_constraint_options_init,
                               [&](auto& o) { o.compliance = compliance, o.compliance_count = 6; });
  const Constraints set = constraints(model);
  EXPECT_EQ(tenon_constraints_add_weld(set.get(), 7, nullptr, 0, soft, nullptr, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  found.emplace_back(message);

  const Workspace w = workspace(model);
  std::vector<double> q(7), v(7), tau(7);
  EXPECT_EQ(tenon_close_loops(w.get(), nullptr, q.data(), 3, nullptr), TENON_WRONG_SIZE);
  EXPECT_EQ(tenon_project_positions(w.get(), projection_to(-2.5, 5), q.data(), 7), TENON_INVALID_ARGUMENT);
  found.emplace_back(tenon_workspace_message(w.get()));
  const auto options = options_of(tenon_solve_options_init, [](auto& o) { o.relative_tolerance = -0.25; });
  EXPECT_EQ(tenon_constrained_dynamics(w.get(), options, q.data(), 7, v.data(), 7, tau.data(), 7, nullptr, 0,
                                       nullptr, 0, v.data(), 7, nullptr, 0),
            TENON_INVALID_ARGUMENT);
  found.emplace_back(tenon_workspace_message(w.get()));
#ifdef TENON_EXPERIMENTAL
  size_t needed = 0;
  EXPECT_EQ(tenonx_generate_c(model.get(), nullptr, "bias", nullptr, nullptr, 0, &needed, nullptr, 0),
            TENON_OK);
  std::string code(needed, ' ');
  EXPECT_EQ(tenonx_generate_c(model.get(), nullptr, "bias", nullptr, &code[0], needed, nullptr, nullptr, 0),
            TENON_OK);
  found.push_back(code);
#endif
  return found;
}

TEST(Locale, TextsAreTheSameInEveryLocale) {
  const std::vector<std::string> expected = texts();
  const char* const numbers[] = {"mass ", "-1.5 kg", "-1234.5", "-2.5", "-0.25", "0."};
  ASSERT_GE(expected.size(), 5U);
  ASSERT_LE(expected.size(), std::size(numbers));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NE(expected[i].find(numbers[i]), std::string::npos) << expected[i];
  const tenon::testing::DecimalComma locale;
  if (!locale.here()) GTEST_SKIP() << "no locale with a decimal comma";
  EXPECT_EQ(texts(), expected);
}

}  // namespace
