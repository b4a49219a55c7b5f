// Couplings and constraints that the caller's functions know: matrices, sizes, and when `user` is given back.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

using namespace tenon_test;

namespace {

// Hinges j0, j1, ... about y in a row.
Builder hinges(int count) {
  tenon_builder* made = nullptr;
  EXPECT_EQ(tenon_builder_create("hinges", &made, nullptr, 0), TENON_OK);
  Builder builder(made);
  const double com[3] = {0.2, 0, 0}, inertia[6] = {0.01, 0, 0, 0.02, 0, 0.02};
  int32_t last = 0;
  EXPECT_EQ(tenon_builder_add_link(made, "base", 0, nullptr, 0, nullptr, 0, &last, nullptr, 0), TENON_OK);
  for (int i = 0; i < count; ++i) {
    tenon_joint_options joint;
    EXPECT_EQ(tenon_joint_options_init(&joint, sizeof joint), TENON_OK);
    joint.parent_link = last, joint.axis[0] = 0, joint.axis[1] = 1, joint.origin[0] = 0.4;
    const std::string name = std::to_string(i);
    EXPECT_EQ(tenon_builder_add_link(made, ("l" + name).c_str(), 1, com, 3, inertia, 6, &last, nullptr, 0),
              TENON_OK);
    joint.child_link = last;
    EXPECT_EQ(tenon_builder_add_joint(made, ("j" + name).c_str(), &joint, nullptr, 0), TENON_OK);
  }
  return builder;
}

Model finished(const Builder& builder) {
  tenon_model* made = nullptr;
  char message[512] = "";
  EXPECT_EQ(tenon_builder_finish(builder.get(), nullptr, &made, message, sizeof message), TENON_OK)
      << message;
  return Model(made);
}

constexpr const char* lead[2] = {"j0", "j1"};
constexpr const char* follow[2] = {"j2", "j3"};

tenon_status couple(const Builder& builder, const double* ratios, std::size_t count, int32_t ldr,
                    char* message) {
  return tenon_builder_add_coupling(builder.get(), "coupling", follow, 2, lead, 2, ratios, count, ldr,
                                    nullptr, 0, message, 512);
}

TEST(Coupling, RatiosAreColumnMajorWithALeadingDimension) {
  const Builder builder = hinges(4);
  const double ratios[5] = {0.5, -0.25, 77, 2, 0.125};  // ldr 3: 77 is not read
  ASSERT_EQ(couple(builder, ratios, 5, 3, nullptr), TENON_OK);
  const Model model = finished(builder);
  const Workspace w = workspace(model, nullptr);
  const double q[4] = {}, ydot[2] = {1, 10};
  double v[4];
  ASSERT_EQ(tenon_spanning_velocity(w.get(), q, 4, ydot, 2, v, 4), TENON_OK);
  EXPECT_DOUBLE_EQ(v[2], 0.5 * 1 + 2 * 10);
  EXPECT_DOUBLE_EQ(v[3], -0.25 * 1 + 0.125 * 10);
}

TEST(Coupling, RatiosThatDoNotFit) {
  const Builder builder = hinges(4);
  const double ratios[5] = {0.5, -0.25, 77, 2, std::nan("")};
  char message[512];
  const auto fails = [&](tenon_status status, tenon_status expected, const char* words) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(message).find(words), std::string::npos) << message;
  };
  fails(couple(builder, ratios, 4, 1, message), TENON_WRONG_SIZE, "ldr is 1; a matrix of 2 rows");
  fails(couple(builder, ratios, 4, -2, message), TENON_WRONG_SIZE, "ldr is -2");
  fails(couple(builder, ratios, 4, 3, message), TENON_WRONG_SIZE,
        "ratios has 4 numbers; 2 x 2 with this ldr needs 5");
  fails(couple(builder, ratios, 4, 2147483647, message), TENON_WRONG_SIZE, "needs 2147483649");
  fails(couple(builder, ratios, 5, 3, message), TENON_NOT_FINITE, "ratios");
  fails(couple(builder, nullptr, 4, 2, message), TENON_INVALID_ARGUMENT, "ratios is NULL");
}

// Two joints turn alike.
struct Alike {
  int released = 0;
  int32_t nq = -1, nv = -1, rows = -1;
};
tenon_status alike(void* user, int32_t nq, int32_t nv, int32_t rows, const double* q, const double*,
                   double* phi, double* K, double* Kdot_v) {
  Alike& seen = *static_cast<Alike*>(user);
  EXPECT_EQ(seen.released, 0);
  seen.nq = nq, seen.nv = nv, seen.rows = rows;
  phi[0] = q[0] - q[1], K[0] = 1, K[1] = -1, Kdot_v[0] = 0;
  return TENON_OK;
}
void release(void* user) {
  ++static_cast<Alike*>(user)->released;
}

tenon_status add(const Builder& builder, Alike& user, const char* name = "alike", int32_t rows = 1,
                 tenon_implicit_callback callback = alike) {
  return tenon_builder_add_implicit(builder.get(), name, lead, 2, rows, callback, &user, release, nullptr, 0);
}

TEST(Implicit, UserIsGivenBackWhenTheLastHolderGoes) {
  Alike user;
  Builder builder = hinges(2);
  ASSERT_EQ(add(builder, user), TENON_OK);
  Model first = finished(builder), second = finished(builder);
  Workspace w = workspace(second, nullptr);
  EXPECT_EQ(user.nq, 2);
  EXPECT_EQ(user.nv, 2);
  EXPECT_EQ(user.rows, 1);
  builder.reset();
  first.reset();
  second.reset();
  EXPECT_EQ(user.released, 0);
  double q[2] = {0.3, 0.3}, gap = 1;
  EXPECT_EQ(tenon_loop_gap(w.get(), q, 2, &gap), TENON_OK);
  EXPECT_EQ(gap, 0);
  w.reset();
  EXPECT_EQ(user.released, 1);
}

TEST(Implicit, BuildersHoldUserToo) {
  Alike user, other;
  Builder builder = hinges(2);
  ASSERT_EQ(add(builder, user), TENON_OK);
  finished(builder).reset();
  EXPECT_EQ(user.released, 0);
  EXPECT_EQ(
      tenon_builder_add_implicit(builder.get(), "other", follow, 2, 1, alike, &other, release, nullptr, 0),
      TENON_OK);
  tenon_model* none = nullptr;
  EXPECT_EQ(tenon_builder_finish(builder.get(), nullptr, &none, nullptr, 0),
            TENON_INVALID_MODEL);  // no such joints
  EXPECT_EQ(other.released, 0);
  builder.reset();
  EXPECT_EQ(user.released, 1);
  EXPECT_EQ(other.released, 1);
}

TEST(Implicit, WhereAddingFailsUserStaysTheCallers) {
  Alike user;
  Builder builder = hinges(2);
  EXPECT_EQ(add(builder, user, "alike", 0), TENON_WRONG_SIZE);
  EXPECT_EQ(add(builder, user, nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(add(builder, user, "alike", 1, nullptr), TENON_INVALID_ARGUMENT);
  builder.reset();
  EXPECT_EQ(user.released, 0);
}

struct Failing {
  tenon_status status = TENON_OK;
  bool everywhere = true;
};
tenon_status fails_at_will(void* user, int32_t, int32_t, int32_t, const double* q, const double*, double* phi,
                           double* K, double* Kdot_v) {
  phi[0] = q[0] - q[1], K[0] = 1, K[1] = -1, Kdot_v[0] = 0;
  const Failing& failing = *static_cast<Failing*>(user);
  return failing.everywhere || q[0] > 1 ? failing.status : TENON_OK;
}

TEST(Implicit, WhatItReturnsIsReturned) {
  Failing failing;
  const Builder builder = hinges(2);
  ASSERT_EQ(tenon_builder_add_implicit(builder.get(), "moody", lead, 2, 1, fails_at_will, &failing, nullptr,
                                       nullptr, 0),
            TENON_OK);
  const Model model = finished(builder);
  const Workspace w = workspace(model, nullptr);
  const double q[2] = {0.3, 0.3}, v[2] = {1, 1}, tau[2] = {1, 0};
  const std::pair<tenon_status, tenon_status> statuses[] = {
      {TENON_NOT_FINITE, TENON_NOT_FINITE}, {TENON_OUT_OF_MEMORY, TENON_OUT_OF_MEMORY},
      {TENON_WRONG_SIZE, TENON_WRONG_SIZE}, {TENON_MAX_ITERATIONS, TENON_INVALID_ARGUMENT},
      {-9999, TENON_INVALID_ARGUMENT},      {77, TENON_INVALID_ARGUMENT}};
  for (const auto& pair : statuses) {
    const tenon_status returned = pair.first, expected = pair.second;
    SCOPED_TRACE(returned);
    failing.status = returned, failing.everywhere = true;
    double qdd[2] = {77, 77}, gap = 77, closed[2] = {0.3, 0.4}, speed[2] = {1, 1};
    const auto told = [&](tenon_status status) {
      EXPECT_EQ(status, expected);
      EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("constraint 'moody'"), std::string::npos)
          << tenon_workspace_message(w.get());
    };
    told(tenon_forward_dynamics(w.get(), q, 2, v, 2, tau, 2, nullptr, 0, qdd, 2));
    told(tenon_loop_gap(w.get(), q, 2, &gap));
    told(tenon_close_loops(w.get(), nullptr, closed, 2, nullptr));
    told(tenon_step_semi_implicit_euler(w.get(), nullptr, 1e-3, closed, 2, speed, 2, tau, 2, nullptr, 0, qdd,
                                        2, nullptr, 0));
    EXPECT_EQ(qdd[0], 77);
    EXPECT_EQ(gap, 77);
    EXPECT_EQ(closed[1], 0.4);
    // Searches keep away from where it fails.
    failing.everywhere = false;
    EXPECT_EQ(tenon_close_loops(w.get(), nullptr, closed, 2, &gap), TENON_OK)
        << tenon_workspace_message(w.get());
    EXPECT_LT(gap, 1e-12);
  }
}

TEST(Implicit, ReleaseMayBeMissing) {
  Alike user;
  const Builder builder = hinges(2);
  ASSERT_EQ(tenon_builder_add_implicit(builder.get(), "alike", lead, 2, 1, alike, &user, nullptr, nullptr, 0),
            TENON_OK);
  finished(builder).reset();
  EXPECT_EQ(user.rows, 1);
}

}  // namespace
