// Loops that constraint rows close (TENON_LOOPS_ROWS), through tenon.h: they are constraints of every set,
// loops of the model, and part of every answer about loops.
#include <vector>

#include "support.hpp"

using namespace tenon_test;

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
