// Loops that constraint rows close (TENON_LOOPS_ROWS), through tenon.h: they are constraints of every set,
// loops of the model, and part of every answer about loops.
#include <vector>

#include "support.hpp"

using namespace tenon_test;

TEST(CapiRowLoops, CycleOfJointsIsRefused) {
  const std::string inertial =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
  for (const char* treatment : {"embed", "open", "rows", "auto"}) {
    SCOPED_TRACE(treatment);
    const Answer made =
        parse("<robot name='r'><link name='a'>" + inertial + "</link><link name='b'>" + inertial +
              "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
              "</joint><joint name='k' type='continuous'><parent link='b'/><child link='a'/>"
              "</joint><loop name='L' type='revolute' treatment='" +
              treatment + "'><predecessor link='a'/><successor link='b'/><axis xyz='0 0 1'/></loop></robot>");
    EXPECT_EQ(made.status, TENON_INVALID_MODEL);
    EXPECT_NE(made.message.find("form a cycle through the links 'a', 'b'"), std::string::npos)
        << made.message;
  }
}

TEST(CapiLoopAnswers, AssembliesWithoutLoopsAreOne) {
  const Model model = load("iiwa14");
  const Workspace w = workspace(model);
  State s(model, w.get());
  std::vector<double> assemblies(4 * s.q.size(), 77);
  int32_t found = -1;
  ASSERT_EQ(tenon_find_assemblies(w.get(), s.q.data(), s.q.size(), 4, 4, assemblies.data(), assemblies.size(),
                                  &found),
            TENON_OK);
  EXPECT_EQ(found, 1);
  assemblies.resize(s.q.size());
  EXPECT_EQ(assemblies, s.q);
}
