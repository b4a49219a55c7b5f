// Atlas held at hands and feet, and calls under watch: none may allocate.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hooks.hpp"
#include "support.hpp"

namespace tenon_test {

class Allocation : public ::testing::Test {
 protected:
  template <class Call>
  void expect_none(const char* name, tenon_status least, const Call& call) {
    allocations = releases = 0;
    watching = true;
    const tenon_status status = call();
    watching = false;
    EXPECT_EQ(allocations, 0) << name;
    EXPECT_EQ(releases, 0) << name;
    EXPECT_GE(status, least) << name << ": " << tenon_workspace_message(w.get());
  }
  template <class Call>
  void expect_none(const char* name, const Call& call) {
    expect_none(name, TENON_OK, call);
  }
  // The first call may.
  template <class Call>
  void expect_none_later(const char* name, const Call& call) {
    EXPECT_GE(call(), TENON_OK) << name << ": " << tenon_workspace_message(w.get());
    expect_none(name, call);
  }

  Allocation() {
    tenon_constraint_options options;
    EXPECT_EQ(tenon_constraint_options_init(&options, sizeof options), TENON_OK);
    options.frequency = 10;
    const double K[6] = {0, 0, 1, 0, 0, 0};
    for (const char* foot : {"l_foot", "r_foot"})
      EXPECT_EQ(
          tenon_constraints_add_weld(set.get(), link(model, foot), nullptr, 0, &options, nullptr, nullptr, 0),
          TENON_OK);
    options.axes = TENON_AXES_WORLD;
    for (const char* name : {"l_foot", "r_hand"})
      EXPECT_EQ(tenon_constraints_add_point(set.get(), link(model, name), nullptr, 0, &options, nullptr,
                                            nullptr, 0),
                TENON_OK);
    EXPECT_EQ(tenon_constraints_add_rows(set.get(), link(model, "l_hand"), 1, K, 6, 1, nullptr, nullptr,
                                         nullptr, 0),
              TENON_OK);
    EXPECT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);
    w = workspace(model, set);
  }

  Model model = load("atlas", TENON_BASE_FLOATING);
  Constraints set = constraints(model);
  Workspace w;
};

}  // namespace tenon_test
