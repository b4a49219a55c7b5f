// Clones of workspaces, loads on links and other numbers of a robot, and the settings of all constraints at once.
#include <algorithm>
#include <cmath>
#include <functional>

#include "support.hpp"

using namespace tenon_test;

namespace {

struct WorkspaceSettings : ::testing::Test {
  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = feet();
  Workspace w = made(set.get());
  const size_t nq = static_cast<size_t>(tenon_model_nq(model.get()));
  const size_t nv = static_cast<size_t>(tenon_model_nv(model.get()));
  const std::vector<double> v = std::vector<double>(nv, 0.3), tau = std::vector<double>(nv, 1.0);

  Constraints feet() {
    tenon_constraints* made = nullptr;
    EXPECT_EQ(tenon_constraints_create(model.get(), &made, nullptr, 0), TENON_OK);
    const char* const names[] = {"front", "rear"};
    for (int i = 0; i < 2; ++i) {
      tenon_constraint_options o;
      EXPECT_EQ(tenon_constraint_options_init(&o, sizeof o), TENON_OK);
      o.name = names[i], o.frequency = 3;
      EXPECT_EQ(tenon_constraints_add_point(made, 5 + i, nullptr, 0, &o, nullptr, nullptr, 0), TENON_OK);
    }
    EXPECT_EQ(tenon_constraints_finish(made, nullptr, 0), TENON_OK);
    return Constraints(made);
  }
  Workspace made(const tenon_constraints* rows) {
    tenon_workspace* workspace = nullptr;
    EXPECT_EQ(tenon_workspace_create(model.get(), rows, nullptr, &workspace, nullptr, 0), TENON_OK);
    return Workspace(workspace);
  }
  // qdd and lambda of constrained dynamics, then M.
  std::vector<double> answer(tenon_workspace* from) {
    std::vector<double> q(nq), x(nv + 6 + nv * nv, std::nan(""));
    EXPECT_EQ(tenon_random(from, 3, q.data(), nq), TENON_OK);
    EXPECT_GE(tenon_constrained_dynamics(from, nullptr, q.data(), nq, v.data(), nv, tau.data(), nv, nullptr,
                                         0, nullptr, 0, x.data(), nv, x.data() + nv, 6),
              TENON_OK)
        << tenon_workspace_message(from);
    EXPECT_EQ(tenon_mass_matrix(from, q.data(), nq, x.data() + nv + 6, nv * nv, static_cast<int32_t>(nv)),
              TENON_OK);
    return x;
  }
  // Each changes the answer.
  std::vector<std::function<tenon_status(tenon_workspace*)>> setters() {
    static const double gravity[3] = {0, 1, -5}, pose[7] = {0.1, 0.2, 0.3, 0, 0, 0, 1},
                        weights[3] = {1, 2, 3}, soft[3] = {0.1, 0.2, 0.3}, center[3] = {0, 0.1, 0},
                        inertia[6] = {0.1, 0.01, 0, 0.1, 0, 0.1};
    const std::vector<double> some(nv, 0.2);
    return {[](tenon_workspace* x) { return tenon_workspace_set_gravity(x, gravity, 3); },
            [](tenon_workspace* x) { return tenon_workspace_set_anchor(x, 0, pose, 7); },
            [](tenon_workspace* x) { return tenon_workspace_set_frame(x, 1, pose, 7); },
            [](tenon_workspace* x) { return tenon_workspace_set_gains(x, 0, 7, 0.3); },
            [](tenon_workspace* x) { return tenon_workspace_set_compliance(x, 0, soft, 3); },
            [](tenon_workspace* x) { return tenon_workspace_set_payload(x, 4, 2, center, 3, inertia, 6); },
            [](tenon_workspace* x) { return tenon_workspace_set_inertia(x, 6, 2, center, 3, inertia, 6); },
            [=](tenon_workspace* x) {
              return tenon_workspace_set_joint_parameters(x, some.data(), nv, some.data(), nv, some.data(),
                                                          nv);
            },
            [](tenon_workspace* x) { return tenon_workspace_set_active(x, 1, 0); },
            [](tenon_workspace* x) { return tenon_workspace_set_weights(x, 0, weights, 3); }};
  }
};

tenon_workspace* clone_of(const tenon_workspace* workspace) {
  tenon_workspace* clone = nullptr;
  char message[200] = "?";
  EXPECT_EQ(tenon_workspace_clone(workspace, &clone, message, sizeof message), TENON_OK) << message;
  EXPECT_STREQ(message, "");
  return clone;
}

TEST_F(WorkspaceSettings, ClonesHaveAllThatSettersSaid) {
  for (const auto& set_one : setters())
    ASSERT_EQ(set_one(w.get()), TENON_OK) << tenon_workspace_message(w.get());
  const Workspace clone(clone_of(w.get()));
  EXPECT_EQ(answer(clone.get()), answer(w.get()));
  EXPECT_EQ(tenon_workspace_instruction_set(clone.get()), tenon_workspace_instruction_set(w.get()));
  const Workspace second(clone_of(clone.get()));
  EXPECT_EQ(answer(second.get()), answer(w.get()));
}

TEST_F(WorkspaceSettings, ClonesAndTheFirstKnowNothingOfEachOther) {
  size_t number = 0;
  for (const auto& set_one : setters()) {
    SCOPED_TRACE(number++);
    Workspace first = made(set.get());
    Workspace clone(clone_of(first.get()));
    const std::vector<double> before = answer(first.get());
    ASSERT_EQ(set_one(clone.get()), TENON_OK);
    EXPECT_EQ(answer(first.get()), before);
    if (number < setters().size()) {
      EXPECT_NE(answer(clone.get()), before);  // weights count where rows contradict
    }
    const std::vector<double> changed = answer(clone.get());
    Workspace other(clone_of(clone.get()));
    clone.reset();
    first.reset();
    EXPECT_EQ(answer(other.get()), changed);
  }
}

TEST_F(WorkspaceSettings, ClonesHaveCoordinatesAndGuess) {
  Model loops = load("four_bar");
  tenon_workspace* made = nullptr;
  ASSERT_EQ(tenon_workspace_create(loops.get(), nullptr, nullptr, &made, nullptr, 0), TENON_OK);
  const Workspace first(made);
  const size_t n = static_cast<size_t>(tenon_model_nq(loops.get()));
  std::vector<double> q(n), guess(n), copied(n);
  ASSERT_EQ(tenon_workspace_guess(first.get(), q.data(), n), TENON_OK);
  q[0] += 0.1;
  ASSERT_EQ(tenon_close_loops(first.get(), nullptr, q.data(), n, nullptr), TENON_OK);
  ASSERT_EQ(tenon_workspace_set_guess(first.get(), q.data(), n), TENON_OK);
  ASSERT_EQ(tenon_workspace_set_coordinates(first.get(), TENON_COORDINATES_INDEPENDENT,
                                            TENON_COORDINATES_INDEPENDENT),
            TENON_OK);
  const Workspace clone(clone_of(first.get()));
  EXPECT_EQ(tenon_workspace_position_count(clone.get()), tenon_workspace_position_count(first.get()));
  EXPECT_EQ(tenon_workspace_velocity_count(clone.get()), tenon_workspace_velocity_count(first.get()));
  ASSERT_EQ(tenon_workspace_guess(first.get(), guess.data(), n), TENON_OK);
  ASSERT_EQ(tenon_workspace_guess(clone.get(), copied.data(), n), TENON_OK);
  EXPECT_EQ(guess, copied);
}

TEST_F(WorkspaceSettings, ClonesOfNothingAreRefused) {
  tenon_workspace* clone = w.get();
  char message[200] = "";
  EXPECT_EQ(tenon_workspace_clone(nullptr, &clone, message, sizeof message), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(clone, nullptr);
  EXPECT_STRNE(message, "");
  EXPECT_EQ(tenon_workspace_clone(w.get(), nullptr, nullptr, 0), TENON_INVALID_ARGUMENT);
}

TEST_F(WorkspaceSettings, LoadsAndInertiasAreReadBackAsSet) {
  const double center[3] = {0.1, 0.2, 0.3}, inertia[6] = {1, 0.1, 0.2, 2, 0.3, 2.5};
  double mass = -1, c[3], I[6];
  ASSERT_EQ(tenon_workspace_payload(w.get(), 3, &mass, c, 3, I, 6), TENON_OK);
  EXPECT_EQ(mass, 0);
  ASSERT_EQ(tenon_workspace_set_payload(w.get(), 3, 1.5, center, 3, inertia, 6), TENON_OK);
  ASSERT_EQ(tenon_workspace_payload(w.get(), 3, &mass, c, 3, I, 6), TENON_OK);
  EXPECT_EQ(mass, 1.5);
  EXPECT_TRUE(std::equal(c, c + 3, center) && std::equal(I, I + 6, inertia));
  const std::vector<double> loaded = answer(w.get());
  ASSERT_EQ(tenon_workspace_set_payload(w.get(), 3, 0, nullptr, 0, nullptr, 0), TENON_OK);
  EXPECT_NE(answer(w.get()), loaded);
  EXPECT_EQ(answer(w.get()), answer(made(set.get()).get()));

  ASSERT_EQ(tenon_workspace_inertia(w.get(), 3, &mass, nullptr, 0, nullptr, 0), TENON_OK);
  EXPECT_GT(mass, 0);
  ASSERT_EQ(tenon_workspace_set_inertia(w.get(), 3, 2 * mass, center, 3, inertia, 6), TENON_OK);
  double after = 0;
  ASSERT_EQ(tenon_workspace_inertia(w.get(), 3, &after, c, 3, I, 6), TENON_OK);
  EXPECT_EQ(after, 2 * mass);

  EXPECT_EQ(tenon_workspace_set_payload(w.get(), -1, 1, nullptr, 0, nullptr, 0), TENON_OUT_OF_RANGE);
  EXPECT_EQ(tenon_workspace_set_payload(w.get(), 3, 1, center, 2, nullptr, 0), TENON_WRONG_SIZE);
  EXPECT_EQ(tenon_workspace_set_inertia(w.get(), 3, 1, nullptr, 0, inertia, 5), TENON_WRONG_SIZE);
  EXPECT_EQ(tenon_workspace_set_inertia(w.get(), 3, -1, nullptr, 0, nullptr, 0), TENON_INVALID_INERTIA);
}

TEST_F(WorkspaceSettings, JointParametersAreReadBackAsSet) {
  std::vector<double> x(nv, 0.5), armature(nv), damping(nv), friction(nv);
  ASSERT_EQ(tenon_workspace_set_joint_parameters(w.get(), nullptr, 0, x.data(), nv, nullptr, 0), TENON_OK);
  const auto read = [&] {
    return tenon_workspace_joint_parameters(w.get(), armature.data(), nv, damping.data(), nv, friction.data(),
                                            nv);
  };
  ASSERT_EQ(read(), TENON_OK);
  EXPECT_EQ(damping, x);
  EXPECT_EQ(friction, std::vector<double>(nv, 0.0));
  x.back() = -1;
  EXPECT_EQ(tenon_workspace_set_joint_parameters(w.get(), nullptr, 0, nullptr, 0, x.data(), nv),
            TENON_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("friction["), std::string::npos);
  ASSERT_EQ(read(), TENON_OK);
  EXPECT_EQ(friction, std::vector<double>(nv, 0.0));
}

struct AllConstraints {
  std::vector<int32_t> active = {1, 0};
  std::vector<double> frequencies = {2, 4}, ratios = {0.5, 1.5}, weights = {1, 2, 3, 4, 5, 6},
                      compliance = {0, 0.1, 0.2, 0.3, 0.4, 0.5};
  std::vector<double> anchors = {1, 2, 3, 0, 0, 0, 1, 4, 5, 6, 1, 0, 0, 0};
  std::vector<double> frames = {0.1, 0, 0, 0, 0, 0, 1, 0, 0.2, 0, 0, 1, 0, 0};

  tenon_status give(tenon_workspace* w) const {
    return tenon_workspace_set_constraints(w, active.data(), active.size(), frequencies.data(),
                                           frequencies.size(), ratios.data(), ratios.size(), anchors.data(),
                                           anchors.size(), frames.data(), frames.size(), weights.data(),
                                           weights.size(), compliance.data(), compliance.size());
  }
  tenon_status take(tenon_workspace* w) {
    return tenon_workspace_constraints(w, active.data(), active.size(), frequencies.data(),
                                       frequencies.size(), ratios.data(), ratios.size(), anchors.data(),
                                       anchors.size(), frames.data(), frames.size(), weights.data(),
                                       weights.size(), compliance.data(), compliance.size());
  }
  bool operator==(const AllConstraints& o) const {
    return active == o.active && frequencies == o.frequencies && ratios == o.ratios && weights == o.weights &&
           compliance == o.compliance && anchors == o.anchors && frames == o.frames;
  }
};

TEST_F(WorkspaceSettings, OfAllConstraintsAreThoseOfEach) {
  const AllConstraints all;
  ASSERT_EQ(all.give(w.get()), TENON_OK) << tenon_workspace_message(w.get());
  const Workspace one_by_one = made(set.get());
  for (int32_t c = 0; c < 2; ++c) {
    const size_t i = static_cast<size_t>(c);
    tenon_workspace* x = one_by_one.get();
    EXPECT_EQ(tenon_workspace_set_active(x, c, all.active[i]), TENON_OK);
    EXPECT_EQ(tenon_workspace_set_gains(x, c, all.frequencies[i], all.ratios[i]), TENON_OK);
    EXPECT_EQ(tenon_workspace_set_anchor(x, c, all.anchors.data() + 7 * i, 7), TENON_OK);
    EXPECT_EQ(tenon_workspace_set_frame(x, c, all.frames.data() + 7 * i, 7), TENON_OK);
    EXPECT_EQ(tenon_workspace_set_weights(x, c, all.weights.data() + 3 * i, 3), TENON_OK);
    EXPECT_EQ(tenon_workspace_set_compliance(x, c, all.compliance.data() + 3 * i, 3), TENON_OK);
  }
  EXPECT_EQ(answer(w.get()), answer(one_by_one.get()));
  AllConstraints read, other;
  ASSERT_EQ(read.take(w.get()), TENON_OK);
  EXPECT_TRUE(read == all);
  ASSERT_EQ(other.take(one_by_one.get()), TENON_OK);
  EXPECT_TRUE(other == all);
  // NULL: as before.
  EXPECT_EQ(tenon_workspace_set_constraints(w.get(), nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr,
                                            0, nullptr, 0, nullptr, 0),
            TENON_OK);
  ASSERT_EQ(read.take(w.get()), TENON_OK);
  EXPECT_TRUE(read == all);
}

TEST_F(WorkspaceSettings, OfAllConstraintsStayWhereOneIsWrong) {
  const AllConstraints all;
  ASSERT_EQ(all.give(w.get()), TENON_OK);
  const double nan = std::nan("");
  const auto refused = [&](tenon_status expected, auto change) {
    AllConstraints wrong;
    wrong.frequencies[0] = 9, wrong.active[0] = 0, wrong.weights[0] = 7;
    change(wrong);
    EXPECT_EQ(wrong.give(w.get()), expected);
    EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("1 'rear'"), std::string::npos)
        << tenon_workspace_message(w.get());
    AllConstraints read;
    EXPECT_EQ(read.take(w.get()), TENON_OK);
    EXPECT_TRUE(read == all);
  };
  refused(TENON_INVALID_ARGUMENT, [](auto& x) { x.active[1] = 2; });
  refused(TENON_INVALID_ARGUMENT, [](auto& x) { x.frequencies[1] = -1; });
  refused(TENON_NOT_FINITE, [&](auto& x) { x.ratios[1] = nan; });
  refused(TENON_NOT_FINITE, [&](auto& x) { x.anchors[8] = nan; });
  refused(TENON_NOT_NORMALIZED, [](auto& x) { x.frames[13] = 2; });
  refused(TENON_INVALID_ARGUMENT, [](auto& x) { x.weights[4] = 0; });
  refused(TENON_INVALID_ARGUMENT, [](auto& x) { x.compliance[5] = -1; });
  AllConstraints less;
  less.anchors.pop_back();
  EXPECT_EQ(less.give(w.get()), TENON_WRONG_SIZE);
  less = {};
  less.active.pop_back();
  EXPECT_EQ(less.give(w.get()), TENON_WRONG_SIZE);
}

TEST_F(WorkspaceSettings, ModelsTellGravityAndRoot) {
  double gravity[3] = {1, 1, 1};
  ASSERT_EQ(tenon_model_gravity(model.get(), gravity, 3), TENON_OK);
  EXPECT_EQ(gravity[2], -9.81);
  EXPECT_EQ(tenon_model_gravity(model.get(), gravity, 2), TENON_WRONG_SIZE);
  EXPECT_EQ(tenon_model_gravity(nullptr, gravity, 3), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_model_gravity(model.get(), nullptr, 3), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_model_root_link(nullptr), TENON_INVALID_ARGUMENT);
  // Described leaf first.
  tenon_builder* made = nullptr;
  ASSERT_EQ(tenon_builder_create("arm", &made, nullptr, 0), TENON_OK);
  const Builder builder(made);
  const double inertia[6] = {1, 0, 0, 1, 0, 1};
  for (const char* name : {"hand", "base"})
    ASSERT_EQ(tenon_builder_add_link(made, name, 1, nullptr, 0, inertia, 6, nullptr, nullptr, 0), TENON_OK);
  tenon_joint_options o;
  ASSERT_EQ(tenon_joint_options_init(&o, sizeof o), TENON_OK);
  o.parent_link = 1, o.child_link = 0;
  ASSERT_EQ(tenon_builder_add_joint(made, "joint", &o, nullptr, 0), TENON_OK);
  tenon_model* arm = nullptr;
  ASSERT_EQ(tenon_builder_finish(made, nullptr, &arm, nullptr, 0), TENON_OK);
  const Model owner(arm);
  EXPECT_EQ(tenon_model_root_link(arm), 1);
}

}  // namespace
