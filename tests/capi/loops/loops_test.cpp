// Kinematic loops through tenon.h: described by calls and by URDF, their coordinates, options and errors.
#include <algorithm>
#include <cmath>
#include <functional>

#include "support.hpp"

using namespace tenon_test;

namespace {

constexpr size_t none = 0;

// A parallelogram of three bars, closed by add(builder) or not at all.
template <class Close>
Answer parallelogram(const Close& close, Model* model, const tenon_model_options* options = nullptr) {
  tenon_builder* made = nullptr;
  EXPECT_EQ(tenon_builder_create("four_bar", &made, nullptr, none), TENON_OK);
  Builder builder(made);
  const double com[3] = {0.25, 0, 0}, inertia[6] = {1e-3, 0, 0, 1e-2, 0, 1e-2};
  int32_t base = 0, links[3];
  EXPECT_EQ(tenon_builder_add_link(made, "base", 0, nullptr, 0, nullptr, 0, &base, nullptr, 0), TENON_OK);
  const char* const names[3] = {"left", "top", "right"};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(tenon_builder_add_link(made, names[i], 1, com, 3, inertia, 6, &links[i], nullptr, 0), TENON_OK);
  const char* const joints[3] = {"j1", "j2", "j3"};
  const double places[3] = {0, 0.5, 1};
  for (int i = 0; i < 3; ++i) {
    tenon_joint_options joint;
    EXPECT_EQ(tenon_joint_options_init(&joint, sizeof joint), TENON_OK);
    joint.parent_link = i == 1 ? links[0] : base;
    joint.child_link = links[i];
    joint.origin[0] = places[i];
    joint.axis[0] = 0, joint.axis[2] = 1;
    joint.dependent = i > 0;
    EXPECT_EQ(tenon_builder_add_joint(made, joints[i], &joint, nullptr, 0), TENON_OK);
  }
  close(made, links);
  char message[1024] = "?";
  tenon_model* finished = nullptr;
  const tenon_status status = tenon_builder_finish(made, options, &finished, message, sizeof message);
  model->reset(finished);
  return {status, message};
}

void add_loop(tenon_builder* builder, const int32_t* links) {
  tenon_loop_options loop;
  ASSERT_EQ(tenon_loop_options_init(&loop, sizeof loop), TENON_OK);
  loop.link = links[1];
  loop.second_link = links[2];
  loop.pose[0] = 1;
  loop.second_pose[0] = 0.5;
  loop.axis[0] = 0, loop.axis[2] = 1;
  ASSERT_EQ(tenon_builder_add_loop(builder, "closure", &loop, nullptr, 0), TENON_OK);
}

void add_coupling(tenon_builder* builder, const int32_t*) {
  const char* const follow[2] = {"j2", "j3"};
  const char* const lead[1] = {"j1"};
  const double ratios[2] = {-1, 1};
  ASSERT_EQ(tenon_builder_add_coupling(builder, "parallel", follow, 2, lead, 1, ratios, 2, 2, nullptr, 0,
                                       nullptr, 0),
            TENON_OK);
}

tenon_status closure(void* user, int32_t nq, int32_t nv, int32_t rows, const double* q, const double* v,
                     double* phi, double* K, double* Kdot_v) {
  if (nq != 3 || nv != 3 || rows != 2) return TENON_WRONG_SIZE;
  const double a = q[0], b = q[0] + q[1], c = q[2], da = v[0], db = v[0] + v[1], dc = v[2];
  ++*static_cast<int*>(user);
  phi[0] = 0.5 * std::cos(a) + std::cos(b) - 1 - 0.5 * std::cos(c);
  phi[1] = 0.5 * std::sin(a) + std::sin(b) - 0.5 * std::sin(c);
  K[2] = -std::sin(b), K[3] = std::cos(b);
  K[0] = -0.5 * std::sin(a) + K[2], K[1] = 0.5 * std::cos(a) + K[3];
  K[4] = 0.5 * std::sin(c), K[5] = -0.5 * std::cos(c);
  Kdot_v[0] = -0.5 * std::cos(a) * da * da - std::cos(b) * db * db + 0.5 * std::cos(c) * dc * dc;
  Kdot_v[1] = -0.5 * std::sin(a) * da * da - std::sin(b) * db * db + 0.5 * std::sin(c) * dc * dc;
  return TENON_OK;
}

}  // namespace

// Embedded, as rows, and by the cost model: the same motion.
TEST(CapiLoops, EveryTreatmentGivesTheSameMotion) {
  double expected[3] = {};
  for (const int32_t treatment :
       {TENON_LOOP_TREATMENT_EMBED, TENON_LOOP_TREATMENT_ROWS, TENON_LOOP_TREATMENT_AUTOMATIC}) {
    SCOPED_TRACE(treatment);
    tenon_model_options options;
    ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
    options.loop_treatment = treatment;
    Model model;
    const Answer made = parallelogram(add_loop, &model, &options);
    ASSERT_EQ(made.status, TENON_OK) << made.message;
    const bool rows = treatment == TENON_LOOP_TREATMENT_ROWS;
    EXPECT_EQ(tenon_model_ny(model.get()), rows ? 3 : 1);
    EXPECT_EQ(tenon_model_cluster_count(model.get()), rows ? 0 : 1);
    Constraints none_of_mine = constraints(model);
    ASSERT_EQ(tenon_constraints_finish(none_of_mine.get(), nullptr, 0), TENON_OK);
    EXPECT_EQ(tenon_constraints_row_count(none_of_mine.get()), rows ? 2 : 0);
    Workspace w = workspace(model, nullptr);
    double q[3] = {0.4, -0.4, 0.4}, v[3] = {1, -1, 1}, gap = 1, qdd[3];
    const double tau[3] = {0.1, 0, 0};
    ASSERT_EQ(tenon_loop_gap(w.get(), q, 3, &gap), TENON_OK);
    EXPECT_LT(gap, 1e-12);
    ASSERT_EQ(tenon_forward_dynamics(w.get(), q, 3, v, 3, tau, 3, nullptr, 0, qdd, 3), TENON_OK);
    EXPECT_NEAR(qdd[1], -qdd[0], 1e-9);
    EXPECT_NEAR(qdd[2], qdd[0], 1e-9);
    if (treatment == TENON_LOOP_TREATMENT_EMBED) std::copy(qdd, qdd + 3, expected);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(qdd[i], expected[i], 1e-9);
    q[1] += 0.1;
    ASSERT_EQ(tenon_close_loops(w.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), q, 3, &gap), TENON_OK);
    EXPECT_NEAR(q[1], -0.4, 1e-9);
  }
}

TEST(CapiLoops, UnknownTreatmentsAreRefused) {
  Model model;
  tenon_model_options options;
  ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.loop_treatment = 5;
  const Answer made = parallelogram(add_loop, &model, &options);
  EXPECT_EQ(made.status, TENON_INVALID_ARGUMENT);
  EXPECT_NE(made.message.find("TENON_LOOP_TREATMENT_*"), std::string::npos) << made.message;
  parallelogram(
      [](tenon_builder* builder, const int32_t* links) {
        tenon_loop_options loop;
        ASSERT_EQ(tenon_loop_options_init(&loop, sizeof loop), TENON_OK);
        EXPECT_EQ(loop.treatment, TENON_LOOP_TREATMENT_BY_MODEL);
        loop.link = links[1];
        loop.second_link = links[2];
        loop.treatment = 7;
        char message[256] = "";
        EXPECT_EQ(tenon_builder_add_loop(builder, "closure", &loop, message, sizeof message),
                  TENON_INVALID_ARGUMENT);
        EXPECT_NE(std::string(message).find("treatment is 7"), std::string::npos) << message;
      },
      &model);
}

TEST(CapiLoops, LoopCouplingAndCallbackAgree) {
  static int calls = 0;
  Model models[3];
  EXPECT_EQ(parallelogram(add_loop, &models[0]).status, TENON_OK);
  EXPECT_EQ(parallelogram(add_coupling, &models[1]).status, TENON_OK);
  const Answer called = parallelogram(
      [](tenon_builder* builder, const int32_t*) {
        const char* const joints[3] = {"j1", "j2", "j3"};
        ASSERT_EQ(tenon_builder_add_implicit(builder, "closure", joints, 3, 2, closure, &calls, nullptr,
                                             nullptr, 0),
                  TENON_OK);
      },
      &models[2]);
  EXPECT_EQ(called.status, TENON_OK) << called.message;
  double first[3] = {};
  for (const Model& model : models) {
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(tenon_model_ny(model.get()), 1);
    EXPECT_EQ(tenon_model_cluster_count(model.get()), 1);
    EXPECT_EQ(tenon_model_loop_row_count(model.get()), 2);
    int32_t independent = -1;
    EXPECT_EQ(tenon_model_independent_v(model.get(), &independent, 1), TENON_OK);
    EXPECT_EQ(independent, 0);
    Workspace w = workspace(model, nullptr);
    const double y = 0.6, ydot = 2, tau[3] = {1, 0.5, -3}, guess[3] = {0.5, -0.5, 0.5};
    double q[3], v[3], qdd[3], gap = 1;
    ASSERT_EQ(tenon_spanning_position(w.get(), &y, 1, guess, 3, q, 3), TENON_OK);
    EXPECT_NEAR(q[1], -0.6, 1e-12);
    EXPECT_NEAR(q[2], 0.6, 1e-12);
    ASSERT_EQ(tenon_loop_gap(w.get(), q, 3, &gap), TENON_OK);
    EXPECT_LE(gap, 1e-13);
    ASSERT_EQ(tenon_spanning_velocity(w.get(), q, 3, &ydot, 1, v, 3), TENON_OK);
    EXPECT_NEAR(v[1], -2, 1e-12);
    ASSERT_EQ(tenon_forward_dynamics(w.get(), q, 3, v, 3, tau, 3, nullptr, 0, qdd, 3), TENON_OK);
    for (int i = 0; i < 3; ++i) {
      if (&model == models) first[i] = qdd[i];
      EXPECT_NEAR(qdd[i], first[i], 1e-11 * std::abs(first[0]));
    }
  }
  EXPECT_GT(calls, 0);
}

namespace {

// The closure above, which writes NaN into one of its outputs on request.
struct Faulty {
  enum { nothing, phi, K, Kdot_v } where = nothing;
  int calls = 0;
};
tenon_status faulty_closure(void* user, int32_t nq, int32_t nv, int32_t rows, const double* q,
                            const double* v, double* phi, double* K, double* Kdot_v) {
  Faulty& faulty = *static_cast<Faulty*>(user);
  const tenon_status status = closure(&faulty.calls, nq, nv, rows, q, v, phi, K, Kdot_v);
  if (faulty.where == Faulty::phi) phi[0] = std::nan("");
  if (faulty.where == Faulty::K) K[3] = INFINITY;
  if (faulty.where == Faulty::Kdot_v) Kdot_v[1] = std::nan("");
  return status;
}

Answer with_faulty_closure(Faulty& faulty, Model* model) {
  return parallelogram(
      [&](tenon_builder* builder, const int32_t*) {
        const char* const joints[3] = {"j1", "j2", "j3"};
        ASSERT_EQ(tenon_builder_add_implicit(builder, "closure", joints, 3, 2, faulty_closure, &faulty,
                                             nullptr, nullptr, 0),
                  TENON_OK);
      },
      model);
}

}  // namespace

TEST(CapiLoops, WhatACallbackDoesNotKnowIsNoClosedLoop) {
  Faulty faulty;
  Model model;
  ASSERT_EQ(with_faulty_closure(faulty, &model).status, TENON_OK);
  Workspace w = workspace(model, nullptr);
  const std::vector<double> q = {0.6, -0.6, 0.6}, v = {1, -1, 1}, tau = {1, 0, 0};
  for (const auto where : {Faulty::phi, Faulty::K, Faulty::Kdot_v}) {
    SCOPED_TRACE(where);
    faulty.where = where;
    const auto expect_not_finite = [&](const char* call, tenon_status status) {
      EXPECT_EQ(status, TENON_NOT_FINITE) << call;
      EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("'closure' wrote NaN or infinity"),
                std::string::npos)
          << call << ": " << tenon_workspace_message(w.get());
    };
    double out[3] = {77, 77, 77}, moved[3] = {0.6, -0.5, 0.6}, speed[3] = {1, -1, 1}, gap = 77, G[3];
    const double ydot = 1;
    expect_not_finite("forward_dynamics", tenon_forward_dynamics(w.get(), q.data(), 3, v.data(), 3,
                                                                 tau.data(), 3, nullptr, 0, out, 3));
    expect_not_finite("constrained_dynamics",
                      tenon_constrained_dynamics(w.get(), nullptr, q.data(), 3, v.data(), 3, tau.data(), 3,
                                                 nullptr, 0, nullptr, 0, out, 3, nullptr, 0));
    expect_not_finite("spanning_acceleration",
                      tenon_spanning_acceleration(w.get(), q.data(), 3, v.data(), 3, &ydot, 1, out, 3));
    expect_not_finite("step", tenon_step_semi_implicit_euler(w.get(), nullptr, 1e-3, moved, 3, speed, 3,
                                                             tau.data(), 3, nullptr, 0, out, 3, nullptr, 0));
    expect_not_finite("loop_jacobian", tenon_loop_jacobian(w.get(), q.data(), 3, v.data(), 3, nullptr, 0, 0,
                                                           nullptr, 0, nullptr, 0));
#ifdef TENON_EXPERIMENTAL
    for (int32_t method = TENONX_LOOP_METHOD_AUTOMATIC; method <= TENONX_LOOP_METHOD_UNCONSTRAINED; ++method)
      expect_not_finite("loop_forward_dynamics",
                        tenonx_loop_forward_dynamics(w.get(), method, q.data(), 3, v.data(), 3, tau.data(), 3,
                                                     nullptr, 0, out, 3));
#endif
    if (where != Faulty::Kdot_v) {
      tenon_loop_state state;
      ASSERT_EQ(tenon_loop_state_init(&state, sizeof state), TENON_OK);
      expect_not_finite("loop_gap", tenon_loop_gap(w.get(), q.data(), 3, &gap));
      expect_not_finite("check_loops", tenon_check_loops(w.get(), q.data(), 3, v.data(), 3, &state));
      for (const int32_t moves : {TENON_LOOP_MOVES_DEPENDENT, TENON_LOOP_MOVES_ALL})
        expect_not_finite("close_loops", tenon_close_loops(w.get(), closing_by(moves), moved, 3, &gap));
      expect_not_finite("set_guess", tenon_workspace_set_guess(w.get(), q.data(), 3));
      expect_not_finite("loop_map", tenon_loop_map(w.get(), q.data(), 3, nullptr, 0, G, 3, 3, nullptr, 0));
      EXPECT_EQ(gap, 77);
    }
    EXPECT_EQ(moved[1], -0.5);
    EXPECT_EQ(speed[0], 1);
    for (const double x : out) EXPECT_EQ(x, 77);
  }
  faulty.where = Faulty::phi;
  Model none_made;
  const Answer made = with_faulty_closure(faulty, &none_made);
  EXPECT_EQ(made.status, TENON_NOT_FINITE) << made.message;
  EXPECT_NE(made.message.find("'closure' has no finite gap"), std::string::npos) << made.message;
}

namespace {

// Two branches, each of two hinges, and gears between them.
Answer geared(const std::function<void(tenon_builder*, const int32_t*)>& add_gears, Model* model) {
  tenon_builder* made = nullptr;
  EXPECT_EQ(tenon_builder_create("gears", &made, nullptr, none), TENON_OK);
  Builder builder(made);
  const double com[3] = {0.1, 0, 0}, inertia[6] = {1e-1, 0, 0, 1e-1, 0, 1e-1};
  int32_t base = 0, links[3];
  EXPECT_EQ(tenon_builder_add_link(made, "base", 1, nullptr, 0, nullptr, 0, &base, nullptr, 0), TENON_OK);
  const char* const names[3] = {"a", "b", "c"};
  const char* const joints[3] = {"ja", "jb", "jc"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(tenon_builder_add_link(made, names[i], 1, com, 3, inertia, 6, &links[i], nullptr, 0), TENON_OK);
    tenon_joint_options joint;
    EXPECT_EQ(tenon_joint_options_init(&joint, sizeof joint), TENON_OK);
    joint.parent_link = base;
    joint.child_link = links[i];
    joint.axis[0] = 0, joint.axis[2] = 1;
    EXPECT_EQ(tenon_builder_add_joint(made, joints[i], &joint, nullptr, 0), TENON_OK);
  }
  add_gears(made, links);
  char message[1024] = "?";
  tenon_model* finished = nullptr;
  const tenon_status status = tenon_builder_finish(made, nullptr, &finished, message, sizeof message);
  model->reset(finished);
  return {status, message};
}
Answer one_gear(double ratio, double offset, Model* model) {
  return geared(
      [&](tenon_builder* builder, const int32_t* links) {
        ASSERT_EQ(tenon_builder_add_gear(builder, "g", links[0], links[1], ratio, offset, nullptr, 0),
                  TENON_OK);
      },
      model);
}

}  // namespace

TEST(CapiLoops, GearsHoldFarOffsets) {
  for (const double offset : {200.0, -5e4, 1e6}) {
    SCOPED_TRACE(offset);
    Model model;
    const Answer made = one_gear(2, offset, &model);
    ASSERT_EQ(made.status, TENON_OK) << made.message;
    EXPECT_EQ(tenon_model_ny(model.get()), 2);
    Workspace w = workspace(model, nullptr);
    double q[3] = {0.3, 0, 0.1}, gap = 1;
    ASSERT_EQ(tenon_close_loops(w.get(), closing_by(TENON_LOOP_MOVES_DEPENDENT), q, 3, &gap), TENON_OK)
        << tenon_workspace_message(w.get());
    EXPECT_NEAR(q[1], 2 * 0.3 + offset, 1e-9);
  }
  Model none_made;
  const Answer made = one_gear(2, 1e9, &none_made);
  EXPECT_EQ(made.status, TENON_INVALID_MODEL);
  EXPECT_NE(made.message.find("gear 'g': its offset is 1e+09"), std::string::npos) << made.message;
}

TEST(CapiLoops, NoGearIsDroppedBesideAnother) {
  Model model;
  EXPECT_EQ(one_gear(1e12, 0, &model).status, TENON_OK);
  EXPECT_EQ(tenon_model_ny(model.get()), 2);
  Answer made = one_gear(1e200, 0, &model);
  EXPECT_EQ(made.status, TENON_INVALID_MODEL) << made.message;
  EXPECT_NE(made.message.find("'g'"), std::string::npos) << made.message;
  for (const double ratio : {1e3, 1e9}) {
    SCOPED_TRACE(ratio);
    made = geared(
        [&](tenon_builder* builder, const int32_t* links) {
          ASSERT_EQ(tenon_builder_add_gear(builder, "fast", links[0], links[1], ratio, 0, nullptr, 0),
                    TENON_OK);
          ASSERT_EQ(tenon_builder_add_gear(builder, "slow", links[1], links[2], 1, 0, nullptr, 0), TENON_OK);
        },
        &model);
    if (made.status == TENON_OK)
      EXPECT_EQ(tenon_model_ny(model.get()), 1);
    else
      EXPECT_EQ(made.status, TENON_INVALID_MODEL) << made.message;
    EXPECT_TRUE(made.status == TENON_OK || ratio > 1e6) << made.message;
  }
}

TEST(CapiLoops, OptionsOpenOrIgnoreLoops) {
  tenon_model_options options;
  ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.loop_treatment = TENON_LOOP_TREATMENT_OPEN;
  Model open;
  EXPECT_EQ(parallelogram(add_loop, &open, &options).status, TENON_OK);
  EXPECT_EQ(tenon_model_ny(open.get()), 3);
  EXPECT_EQ(tenon_model_cluster_count(open.get()), 0);
  const std::string mimic =
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link><link name='c'><inertial><mass value='1'/><inertia ixx='1' "
      "iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><parent "
      "link='a'/>"
      "<child link='b'/></joint><joint name='k' type='continuous'><parent link='b'/><child link='c'/>"
      "<mimic joint='j' multiplier='-2'/></joint></robot>";
  Model tied, free;
  EXPECT_EQ(parse(mimic, &tied).status, TENON_OK);
  EXPECT_EQ(tenon_model_ny(tied.get()), 1);
  ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.ignore_mimic = 1;
  EXPECT_EQ(parse(mimic, &free, &options).status, TENON_OK);
  EXPECT_EQ(tenon_model_ny(free.get()), 2);
  options.ignore_mimic = 7;
  EXPECT_EQ(parse(mimic, nullptr, &options).status, TENON_INVALID_ARGUMENT);
}

TEST(CapiLoops, ErrorsNameTheCulprit) {
  Model model;
  const Answer circle = parallelogram(
      [](tenon_builder* builder, const int32_t* links) {
        add_coupling(builder, links);
        const char *const follow[1] = {"j1"}, *const lead[1] = {"j3"};
        const double ratio = 2;
        ASSERT_EQ(tenon_builder_add_coupling(builder, "back", follow, 1, lead, 1, &ratio, 1, 1, nullptr, 0,
                                             nullptr, 0),
                  TENON_OK);
      },
      &model);
  EXPECT_EQ(circle.status, TENON_INVALID_MODEL);
  EXPECT_NE(circle.message.find("circle"), std::string::npos) << circle.message;
  const Answer apart = parallelogram(
      [](tenon_builder* builder, const int32_t* links) {
        add_loop(builder, links);
        ASSERT_EQ(tenon_builder_add_gear(builder, "gear", links[0], links[0], 2, 0, nullptr, 0), TENON_OK);
      },
      &model);
  EXPECT_EQ(apart.status, TENON_INVALID_MODEL);
  EXPECT_NE(apart.message.find("gear 'gear'"), std::string::npos) << apart.message;
  const Answer open = parallelogram(
      [](tenon_builder* builder, const int32_t* links) {
        tenon_loop_options loop;
        ASSERT_EQ(tenon_loop_options_init(&loop, sizeof loop), TENON_OK);
        loop.type = TENON_JOINT_TYPE_SPHERICAL;
        loop.link = links[1];
        loop.second_link = links[2];
        loop.pose[0] = 10;
        ASSERT_EQ(tenon_builder_add_loop(builder, "far", &loop, nullptr, 0), TENON_OK);
      },
      &model);
  EXPECT_EQ(open.status, TENON_INVALID_MODEL);
  EXPECT_NE(open.message.find("'far' cannot be closed"), std::string::npos) << open.message;
  EXPECT_EQ(model, nullptr);
}

TEST(CapiLoops, TellsWhatAClusterHolds) {
  Model leg = load("planar_leg_linkage"), cheetah = load("mini_cheetah", TENON_BASE_FLOATING);
  tenon_cluster_info cluster;
  tenon_loop_info loop;
  ASSERT_EQ(tenon_cluster_info_init(&cluster, sizeof cluster), TENON_OK);
  ASSERT_EQ(tenon_loop_info_init(&loop, sizeof loop), TENON_OK);
  for (const Model& model : {std::cref(leg), std::cref(cheetah)}) {
    int32_t nv = 0, ny = 0, rows = 0, loops = 0, folded = 0, flagged = 0, free = 0;
    for (int32_t i = 0; i < tenon_model_cluster_count(model.get()); ++i) {
      ASSERT_EQ(tenon_model_cluster_info(model.get(), i, &cluster), TENON_OK);
      EXPECT_EQ(cluster.rank, cluster.nv - cluster.ny);
      EXPECT_GE(cluster.row_count, cluster.rank);
      EXPECT_EQ(cluster.first_row, rows);
      EXPECT_EQ(cluster.first_loop, loops);
      EXPECT_EQ(cluster.constant_map, &model == &cheetah);
      EXPECT_LT(cluster.parent_joint, cluster.first_joint);
      nv += cluster.nv, ny += cluster.ny, rows += cluster.row_count, loops += cluster.loop_count;
      folded += cluster.folded_rotors;
      for (int32_t j = cluster.first_loop; j < cluster.first_loop + cluster.loop_count; ++j) {
        ASSERT_EQ(tenon_model_loop_info(model.get(), j, &loop), TENON_OK);
        EXPECT_EQ(loop.cluster, i);
        EXPECT_GT(loop.row_count, 0);
        EXPECT_STRNE(loop.name, "");
        EXPECT_EQ(loop.kind, &model == &cheetah ? TENON_LOOP_KIND_COUPLING : TENON_LOOP_KIND_GEOMETRIC);
      }
      int32_t independent = 0;
      for (int32_t j = cluster.first_joint; j < cluster.first_joint + cluster.joint_count; ++j) {
        tenon_joint_info joint;
        ASSERT_EQ(tenon_joint_info_init(&joint, sizeof joint), TENON_OK);
        ASSERT_EQ(tenon_model_joint_info(model.get(), j, &joint), TENON_OK);
        EXPECT_EQ(joint.cluster, i);
        independent += joint.independent;
        flagged += joint.folded;
      }
      EXPECT_EQ(independent, cluster.ny);
    }
    for (int32_t j = 0; j < tenon_model_joint_count(model.get()); ++j) {
      tenon_joint_info joint;
      ASSERT_EQ(tenon_joint_info_init(&joint, sizeof joint), TENON_OK);
      ASSERT_EQ(tenon_model_joint_info(model.get(), j, &joint), TENON_OK);
      if (joint.cluster < 0) free += joint.nv;
    }
    EXPECT_EQ(free + nv, tenon_model_nv(model.get()));
    EXPECT_EQ(free + ny, tenon_model_ny(model.get()));
    EXPECT_EQ(rows, tenon_model_loop_row_count(model.get()));
    EXPECT_EQ(loops, tenon_model_loop_count(model.get()));
    EXPECT_EQ(folded, flagged);
    EXPECT_EQ(folded, &model == &cheetah ? 12 : 0);
  }
  EXPECT_EQ(tenon_model_cluster_info(leg.get(), 99, &cluster), TENON_OUT_OF_RANGE);
  EXPECT_EQ(tenon_model_loop_info(leg.get(), -1, &loop), TENON_OUT_OF_RANGE);
  EXPECT_EQ(tenon_model_cluster_info(nullptr, 0, &cluster), TENON_INVALID_ARGUMENT);
  std::vector<int32_t> index(static_cast<size_t>(tenon_model_nyq(cheetah.get())));
  EXPECT_EQ(tenon_model_independent_q(cheetah.get(), index.data(), index.size()), TENON_OK);
  EXPECT_EQ(index[6], 6);
  EXPECT_EQ(tenon_model_independent_q(cheetah.get(), index.data(), 3), TENON_WRONG_SIZE);
}
