// What a model tells about itself, and models made by the builder.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "support.hpp"

using namespace tenon_test;

namespace {

TEST(Version, IsThatOfTheHeader) {
  EXPECT_EQ(tenon_version(), TENON_VERSION);
  const std::string expected = std::to_string(TENON_VERSION_MAJOR) + "." +
                               std::to_string(TENON_VERSION_MINOR) + "." +
                               std::to_string(TENON_VERSION_PATCH);
  EXPECT_EQ(tenon_version_string(), expected);
  const std::string info = tenon_build_info();
  EXPECT_EQ(info.find("tenon " + expected), 0U) << info;
  // The best of which a workspace can be made; single states gain from AVX-512 in derivatives alone.
  const Model model = load("four_bar");
  int32_t best = TENON_INSTRUCTION_SET_BASELINE;
  for (const int32_t more : {TENON_INSTRUCTION_SET_X86_64_V3, TENON_INSTRUCTION_SET_X86_64_V4}) {
    const auto options = options_of(tenon_workspace_options_init, [&](auto& o) { o.instruction_set = more; });
    tenon_workspace* made = nullptr;
    if (tenon_workspace_create(model.get(), nullptr, options, &made, nullptr, 0) == TENON_OK) best = more;
    tenon_workspace_destroy(made);
  }
  const auto name = [](int32_t set) {
    return std::string(tenon_constant_name(TENON_CONSTANT_INSTRUCTION_SET, set));
  };
  const std::string words = ", kernels " + name(std::min(best, TENON_INSTRUCTION_SET_X86_64_V3)) +
                            ", derivatives " + name(best) + ", batches " + name(best);
  EXPECT_EQ(info.find(words), info.size() - words.size()) << info;
}

TEST(Model, CountsOfAtlas) {
  const Model model = load("atlas", TENON_BASE_FLOATING);
  EXPECT_EQ(tenon_model_nq(model.get()), 37);
  EXPECT_EQ(tenon_model_nv(model.get()), 36);
  EXPECT_EQ(tenon_model_joint_count(model.get()), 31);
  EXPECT_EQ(tenon_model_body_count(model.get()), 31);
  EXPECT_EQ(tenon_model_floating_base(model.get()), 1);
  EXPECT_NEAR(tenon_model_total_mass(model.get()), 175.118, 1e-3);
  const Model fixed = load("atlas");
  EXPECT_EQ(tenon_model_nv(fixed.get()), 30);
  EXPECT_EQ(tenon_model_floating_base(fixed.get()), 0);
}

TEST(Model, LinksAndJointsAreFoundByName) {
  const Model model = load("atlas", TENON_BASE_FLOATING);
  int32_t covered = 0;
  for (int32_t i = 0; i < tenon_model_link_count(model.get()); ++i)
    EXPECT_EQ(link(model, tenon_model_link_name(model.get(), i)), i);
  for (int32_t i = 0; i < tenon_model_joint_count(model.get()); ++i) {
    int32_t index = -1;
    ASSERT_EQ(tenon_model_find_joint(model.get(), tenon_model_joint_name(model.get(), i), &index, nullptr, 0),
              TENON_OK);
    EXPECT_EQ(index, i);
    tenon_joint_info info;
    ASSERT_EQ(tenon_joint_info_init(&info, sizeof info), TENON_OK);
    ASSERT_EQ(tenon_model_joint_info(model.get(), i, &info), TENON_OK);
    EXPECT_STREQ(info.name, tenon_model_joint_name(model.get(), i));
    EXPECT_EQ(info.v_index, covered);
    covered += info.nv;
    tenon_link_info child;
    ASSERT_EQ(tenon_link_info_init(&child, sizeof child), TENON_OK);
    ASSERT_EQ(tenon_model_link_info(model.get(), info.child_link, &child), TENON_OK);
    EXPECT_EQ(child.joint, i);
    EXPECT_EQ(child.parent_link, info.parent_link);
    EXPECT_EQ(child.body, i);
  }
  EXPECT_EQ(covered, tenon_model_nv(model.get()));
  EXPECT_STREQ(tenon_model_joint_name(model.get(), 0), "root_joint");
  EXPECT_EQ(tenon_model_link_name(model.get(), -1), nullptr);
  EXPECT_EQ(tenon_model_joint_name(model.get(), 31), nullptr);
}

tenon_joint_info joint_info(const Model& model, int32_t joint) {
  tenon_joint_info info;
  EXPECT_EQ(tenon_joint_info_init(&info, sizeof info), TENON_OK);
  EXPECT_EQ(tenon_model_joint_info(model.get(), joint, &info), TENON_OK);
  return info;
}

// What hangs on the world says so, and where there is nothing it is not the world.
TEST(Model, TellsTheWorldFromNothing) {
  const Model arm = load("iiwa14"), humanoid = load("atlas", TENON_BASE_FLOATING), linkage = load("four_bar");
  tenon_link_info root;
  ASSERT_EQ(tenon_link_info_init(&root, sizeof root), TENON_OK);
  ASSERT_EQ(tenon_model_link_info(arm.get(), 0, &root), TENON_OK);
  EXPECT_EQ(root.parent_link, TENON_WORLD);
  EXPECT_EQ(root.joint, TENON_NONE);
  EXPECT_EQ(root.body, TENON_WORLD);
  EXPECT_EQ(joint_info(humanoid, 0).parent_link, TENON_WORLD);
  EXPECT_EQ(joint_info(humanoid, 0).cluster, TENON_NONE);
  tenon_cluster_info cluster;
  ASSERT_EQ(tenon_cluster_info_init(&cluster, sizeof cluster), TENON_OK);
  ASSERT_EQ(tenon_model_cluster_info(linkage.get(), 0, &cluster), TENON_OK);
  EXPECT_EQ(cluster.parent_joint, TENON_WORLD);
}

// Where q is zero a child stands in its joint's frame: parent pose times origin.
TEST(Model, OriginsOfJointsPlaceTheirChildren) {
  for (const char* name : {"atlas", "iiwa14", "cassie", "mini_cheetah"}) {
    SCOPED_TRACE(name);
    const Model model = load(name, TENON_BASE_FLOATING);
    const Workspace w = workspace(model);
    std::vector<double> q(static_cast<std::size_t>(tenon_model_nq(model.get())));
    ASSERT_EQ(tenon_neutral(w.get(), q.data(), q.size()), TENON_OK);
    ASSERT_EQ(tenon_kinematics(w.get(), q.data(), q.size(), nullptr, 0, nullptr, 0), TENON_OK);
    for (int32_t i = 0; i < tenon_model_joint_count(model.get()); ++i) {
      const tenon_joint_info info = joint_info(model, i);
      double parent[7] = {0, 0, 0, 0, 0, 0, 1}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, child[7];
      if (info.parent_link >= 0) {
        ASSERT_EQ(tenon_link_pose(w.get(), info.parent_link, parent, 7, R, 9), TENON_OK);
      }
      ASSERT_EQ(tenon_link_pose(w.get(), info.child_link, child, 7, nullptr, 0), TENON_OK);
      const double *p = parent + 3, *o = info.origin + 3;
      const double turned[4] = {p[3] * o[0] + p[0] * o[3] + p[1] * o[2] - p[2] * o[1],
                                p[3] * o[1] + p[1] * o[3] + p[2] * o[0] - p[0] * o[2],
                                p[3] * o[2] + p[2] * o[3] + p[0] * o[1] - p[1] * o[0],
                                p[3] * o[3] - p[0] * o[0] - p[1] * o[1] - p[2] * o[2]};
      double alike = 0;
      for (int e = 0; e < 4; ++e) alike += turned[e] * child[3 + e];
      EXPECT_NEAR(std::abs(alike), 1, 1e-12) << info.name;
      for (int e = 0; e < 3; ++e) {
        double expected = parent[e];
        for (int f = 0; f < 3; ++f) expected += R[e + 3 * f] * info.origin[f];
        EXPECT_NEAR(child[e], expected, 1e-12) << info.name;
      }
    }
  }
}

TEST(Model, OriginsOfJointsAreThoseOfTheDescription) {
  const Model atlas = load("atlas", TENON_BASE_FLOATING);
  const double none[7] = {0, 0, 0, 0, 0, 0, 1};
  const tenon_joint_info root = joint_info(atlas, 0);
  for (int e = 0; e < 7; ++e) EXPECT_EQ(root.origin[e], none[e]);

  tenon_builder* made = nullptr;
  ASSERT_EQ(tenon_builder_create("two", &made, nullptr, 0), TENON_OK);
  const Builder builder(made);
  const double inertia[6] = {1, 0, 0, 1, 0, 1};
  for (const char* name : {"base", "arm"})
    ASSERT_EQ(tenon_builder_add_link(made, name, 1, nullptr, 0, inertia, 6, nullptr, nullptr, 0), TENON_OK);
  tenon_joint_options options;
  ASSERT_EQ(tenon_joint_options_init(&options, sizeof options), TENON_OK);
  options.type = TENON_JOINT_TYPE_UNIVERSAL, options.parent_link = 0, options.child_link = 1;
  const double origin[7] = {0.1, -0.2, 0.3, 0.5, -0.5, 0.5, 0.5};
  std::copy_n(origin, 7, options.origin);
  ASSERT_EQ(tenon_builder_add_joint(made, "wrist", &options, nullptr, 0), TENON_OK);
  tenon_model* finished = nullptr;
  ASSERT_EQ(tenon_builder_finish(made, nullptr, &finished, nullptr, 0), TENON_OK);
  const Model model(finished);
  for (int32_t joint = 0; joint < 2; ++joint) {
    const tenon_joint_info info = joint_info(model, joint);
    EXPECT_EQ(info.parent_link, 0);
    EXPECT_EQ(info.child_link, joint == 0 ? TENON_NONE : 1);
    for (int e = 0; e < 7; ++e) EXPECT_NEAR(info.origin[e], origin[e], 1e-15) << joint;
  }

  // An older caller's struct ends before it.
  tenon_joint_info older;
  std::memset(&older, 0xee, sizeof older);
  ASSERT_EQ(tenon_joint_info_init(&older, offsetof(tenon_joint_info, origin)), TENON_OK);
  ASSERT_EQ(tenon_model_joint_info(model.get(), 0, &older), TENON_OK);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&older);
  EXPECT_TRUE(std::all_of(bytes + offsetof(tenon_joint_info, origin), bytes + sizeof older,
                          [](unsigned char b) { return b == 0xee; }));
}

TEST(Model, UnknownNameGivesTheMostSimilarOne) {
  const Model model = load("atlas");
  char message[256];
  int32_t index = 77;
  EXPECT_EQ(tenon_model_find_link(model.get(), "l_fot", &index, message, sizeof message), TENON_NOT_FOUND);
  EXPECT_STREQ(message, "no link is named 'l_fot'; did you mean 'l_foot'?");
  EXPECT_EQ(tenon_model_find_joint(model.get(), "something quite different", &index, message, sizeof message),
            TENON_NOT_FOUND);
  EXPECT_EQ(
      std::string(message).find("no moving joint is named 'something quite different'; there are 'back_"), 0U)
      << message;
  EXPECT_EQ(tenon_model_find_joint(model.get(), "HPZ", &index, message, sizeof message), TENON_NOT_FOUND);
  EXPECT_STREQ(message, "no moving joint is named 'HPZ'; did you mean 'l_leg_hpz'?");
  EXPECT_EQ(tenon_model_find_link(model.get(), nullptr, &index, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_model_find_link(nullptr, "pelvis", &index, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_model_find_link(model.get(), "pelvis", nullptr, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(index, 77);
}

TEST(Model, OfNull) {
  EXPECT_EQ(tenon_model_nq(nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_model_link_count(nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_model_warning_count(nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_TRUE(std::isnan(tenon_model_total_mass(nullptr)));
  EXPECT_EQ(tenon_model_name(nullptr), nullptr);
  EXPECT_EQ(tenon_model_link_name(nullptr, 0), nullptr);
  EXPECT_EQ(tenon_model_describe(nullptr, nullptr, 0, nullptr), TENON_INVALID_ARGUMENT);
}

TEST(Model, DescribesItself) {
  const Model model = load("double_pendulum");
  size_t needed = 0;
  ASSERT_EQ(tenon_model_describe(model.get(), nullptr, 0, &needed), TENON_OK);
  std::vector<char> text(needed, '?');
  ASSERT_EQ(tenon_model_describe(model.get(), text.data(), text.size(), nullptr), TENON_OK);
  EXPECT_EQ(std::strlen(text.data()) + 1, needed);
  EXPECT_NE(std::string(text.data()).find("lower"), std::string::npos) << text.data();
  char small[8];
  ASSERT_EQ(tenon_model_describe(model.get(), small, sizeof small, &needed), TENON_OK);
  EXPECT_EQ(std::string(small), std::string(text.data(), 7));
}

class BuilderTest : public ::testing::Test {
 protected:
  BuilderTest() {
    tenon_builder* made = nullptr;
    EXPECT_EQ(tenon_builder_create("pendulum", &made, nullptr, 0), TENON_OK);
    builder.reset(made);
    EXPECT_EQ(tenon_joint_options_init(&options, sizeof options), TENON_OK);
  }
  tenon_status add_link(const char* name, double mass = 1, int32_t* index = nullptr) {
    const double com[3] = {0, 0, -0.5}, inertia[6] = {0.1, 0, 0, 0.1, 0, 0.1};
    return tenon_builder_add_link(builder.get(), name, mass, com, 3, inertia, 6, index, message,
                                  sizeof message);
  }
  tenon_status add_joint(const char* name) {
    return tenon_builder_add_joint(builder.get(), name, &options, message, sizeof message);
  }
  tenon_status finish(Model* model = nullptr, const tenon_model_options* how = nullptr) {
    tenon_model* made = nullptr;
    const tenon_status status = tenon_builder_finish(builder.get(), how, &made, message, sizeof message);
    Model owner(made);
    if (model != nullptr) *model = std::move(owner);
    return status;
  }
  bool says(const char* word) const { return std::string(message).find(word) != std::string::npos; }

  Builder builder;
  tenon_joint_options options;
  char message[512] = "";
};

// The pitch is to be given, and an older caller, whose struct ends before it, has given none.
TEST_F(BuilderTest, MakesAScrew) {
  ASSERT_EQ(add_link("base"), TENON_OK);
  ASSERT_EQ(add_link("nut"), TENON_OK);
  options.type = TENON_JOINT_TYPE_SCREW, options.parent_link = 0, options.child_link = 1;
  EXPECT_EQ(add_joint("spindle"), TENON_NOT_FINITE);
  EXPECT_TRUE(says("pitch")) << message;
  options.pitch = 0.002;
  options.struct_size = offsetof(tenon_joint_options, pitch);
  EXPECT_EQ(add_joint("spindle"), TENON_NOT_FINITE);
  options.struct_size = sizeof options;
  ASSERT_EQ(add_joint("spindle"), TENON_OK) << message;
  Model model;
  ASSERT_EQ(finish(&model), TENON_OK) << message;
  const tenon_joint_info info = joint_info(model, 0);
  EXPECT_EQ(info.type, TENON_JOINT_TYPE_SCREW);
  EXPECT_EQ(info.pitch, 0.002);
  EXPECT_EQ(info.nq, 1);
  EXPECT_EQ(info.nv, 1);
  char text[1000];
  ASSERT_EQ(tenon_model_describe(model.get(), text, sizeof text, nullptr), TENON_OK);
  EXPECT_NE(std::string(text).find("spindle  screw (1 0 0) pitch 0.002"), std::string::npos) << text;
  // In the coordinates of other libraries too.
  const double q = 5;
  for (const int32_t convention :
       {TENON_CONVENTION_PINOCCHIO, TENON_CONVENTION_MUJOCO, TENON_CONVENTION_DRAKE})
    EXPECT_EQ(tenon_convention_nq(model.get(), convention), 1);
  double other = 0;
  const Workspace w = workspace(model);
  ASSERT_EQ(tenon_convert_configuration(w.get(), TENON_CONVENTION_PINOCCHIO, TENON_DIRECTION_TO_OTHER,
                                        nullptr, 0, &q, 1, &other, 1),
            TENON_OK);
  EXPECT_EQ(other, q);
}

// A physical pendulum of mass 2 whose centre of mass is 0.5 m below a joint about y: M = Iyy + m l^2, and the
// bias is m g l sin q.
TEST_F(BuilderTest, MakesAPendulum) {
  int32_t base = -1, bob = -1;
  ASSERT_EQ(add_link("base", 0, &base), TENON_OK) << message;
  ASSERT_EQ(add_link("bob", 2, &bob), TENON_OK) << message;
  options.parent_link = base, options.child_link = bob;
  options.axis[0] = 0, options.axis[1] = 3;
  options.origin[2] = 1;
  options.armature = 0.25;
  ASSERT_EQ(add_joint("hinge"), TENON_OK) << message;
  const double tip[7] = {0, 0, -1, 0, 0, std::sqrt(0.5), std::sqrt(0.5)};
  ASSERT_EQ(tenon_builder_add_frame(builder.get(), "tip", bob, tip, 7, message, sizeof message), TENON_OK)
      << message;
  Model model;
  ASSERT_EQ(finish(&model), TENON_OK) << message;
  builder.reset();

  const Workspace w = workspace(model);
  const double q = 0.3, v = 0.7;
  double M = 0, c = 0;
  ASSERT_EQ(tenon_mass_matrix(w.get(), &q, 1, &M, 1, 1), TENON_OK);
  ASSERT_EQ(tenon_bias(w.get(), &q, 1, &v, 1, nullptr, 0, &c, 1), TENON_OK);
  EXPECT_NEAR(M, 0.1 + 2 * 0.25 + 0.25, 1e-14);
  EXPECT_NEAR(c, 2 * 9.81 * 0.5 * std::sin(q), 1e-13);

  tenon_link_info info;
  ASSERT_EQ(tenon_link_info_init(&info, sizeof info), TENON_OK);
  ASSERT_EQ(tenon_model_link_info(model.get(), link(model, "tip"), &info), TENON_OK);
  EXPECT_EQ(info.is_frame, 1);
  EXPECT_EQ(info.body, 0);
  double pose[7], rotation[9];
  ASSERT_EQ(tenon_kinematics(w.get(), &q, 1, &v, 1, nullptr, 0), TENON_OK);
  ASSERT_EQ(tenon_link_pose(w.get(), link(model, "tip"), pose, 7, rotation, 9), TENON_OK);
  EXPECT_NEAR(pose[0], -std::sin(q), 1e-14);
  EXPECT_NEAR(pose[2], 1 - std::cos(q), 1e-14);
  // Ry(q) Rz(90 degrees): its first column is the link's y, its second minus the link's x.
  const double expected[9] = {0, 1, 0, -std::cos(q), 0, std::sin(q), std::sin(q), 0, std::cos(q)};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(rotation[i], expected[i], 1e-14) << i;
  double velocity[6];
  ASSERT_EQ(tenon_link_velocity(w.get(), link(model, "tip"), TENON_AXES_WORLD, velocity, 6), TENON_OK);
  EXPECT_NEAR(velocity[1], v, 1e-14);
  EXPECT_NEAR(velocity[3], -v * std::cos(q), 1e-14);
  EXPECT_NEAR(velocity[5], v * std::sin(q), 1e-14);
}

TEST_F(BuilderTest, EveryJointTypeCounts) {
  const int32_t types[] = {TENON_JOINT_TYPE_FIXED,      TENON_JOINT_TYPE_REVOLUTE,
                           TENON_JOINT_TYPE_CONTINUOUS, TENON_JOINT_TYPE_PRISMATIC,
                           TENON_JOINT_TYPE_SPHERICAL,  TENON_JOINT_TYPE_PLANAR,
                           TENON_JOINT_TYPE_FLOATING,   TENON_JOINT_TYPE_UNIVERSAL};
  ASSERT_EQ(add_link("root"), TENON_OK);
  for (int32_t type : types) {
    options.type = type;
    options.parent_link = 0;
    ASSERT_EQ(add_link(tenon_constant_name(TENON_CONSTANT_JOINT_TYPE, type), 1, &options.child_link),
              TENON_OK);
    ASSERT_EQ(add_joint(tenon_constant_name(TENON_CONSTANT_JOINT_TYPE, type)), TENON_OK) << message;
  }
  Model model;
  ASSERT_EQ(finish(&model), TENON_OK) << message;
  EXPECT_EQ(tenon_model_nq(model.get()), 1 + 1 + 1 + 4 + 3 + 7 + 2);
  EXPECT_EQ(tenon_model_nv(model.get()), 1 + 1 + 1 + 3 + 3 + 6 + 2);
  for (const char* name : {"planar", "universal", "universal_2"}) {
    int32_t index = -1;
    EXPECT_EQ(tenon_model_find_joint(model.get(), name, &index, message, sizeof message), TENON_OK)
        << message;
  }
}

// The plane's x and y are the joint frame's, turned by the shortest rotation from z to the axis.
TEST_F(BuilderTest, PlanarJointsMoveInThePlaneOfTheirAxis) {
  const double h = 0.70710678118654752;
  const struct {
    double axis[3], x[3], y[3];
  } cases[] = {{{0, 0, 2}, {1, 0, 0}, {0, 1, 0}},   {{0, 0, -1}, {1, 0, 0}, {0, -1, 0}},
               {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},  {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}},
               {{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}},  {{h, 0, h}, {h, 0, -h}, {0, 1, 0}},
               {{0, h, -h}, {1, 0, 0}, {0, -h, -h}}};
  for (const auto& c : cases) {
    Builder own;
    tenon_builder* made = nullptr;
    ASSERT_EQ(tenon_builder_create("plane", &made, message, sizeof message), TENON_OK);
    own.reset(made);
    const double inertia[6] = {1, 0, 0, 1, 0, 1};
    for (const char* name : {"a", "b"})
      ASSERT_EQ(
          tenon_builder_add_link(made, name, 1, nullptr, 0, inertia, 6, nullptr, message, sizeof message),
          TENON_OK);
    tenon_joint_options joint;
    ASSERT_EQ(tenon_joint_options_init(&joint, sizeof joint), TENON_OK);
    joint.type = TENON_JOINT_TYPE_PLANAR, joint.parent_link = 0, joint.child_link = 1;
    for (int e = 0; e < 3; ++e) joint.axis[e] = c.axis[e];
    ASSERT_EQ(tenon_builder_add_joint(made, "j", &joint, message, sizeof message), TENON_OK);
    tenon_model* finished = nullptr;
    ASSERT_EQ(tenon_builder_finish(made, nullptr, &finished, message, sizeof message), TENON_OK) << message;
    const Model model(finished);
    const Workspace w = workspace(model);
    const double length = std::sqrt(c.axis[0] * c.axis[0] + c.axis[1] * c.axis[1] + c.axis[2] * c.axis[2]);
    // At some angle the velocity is along x and y as they have turned with the child.
    const double angle = 0.7, q[3] = {2, 3, angle}, v[3] = {0.5, 1, -2};
    ASSERT_EQ(tenon_kinematics(w.get(), q, 3, v, 3, nullptr, 0), TENON_OK);
    double pose[7], velocity[6];
    ASSERT_EQ(tenon_link_pose(w.get(), 1, pose, 7, nullptr, 0), TENON_OK);
    ASSERT_EQ(tenon_link_velocity(w.get(), 1, TENON_AXES_WORLD, velocity, 6), TENON_OK);
    for (int e = 0; e < 3; ++e) {
      EXPECT_NEAR(pose[e], 2 * c.x[e] + 3 * c.y[e], 1e-14);
      EXPECT_NEAR(pose[3 + e], std::sin(angle / 2) * c.axis[e] / length, 1e-14);
      const double x = std::cos(angle) * c.x[e] + std::sin(angle) * c.y[e],
                   y = std::cos(angle) * c.y[e] - std::sin(angle) * c.x[e];
      EXPECT_NEAR(velocity[e], 0.5 * c.axis[e] / length, 1e-14);
      EXPECT_NEAR(velocity[3 + e], x - 2 * y, 1e-14);
    }
  }
}

// Within limits of any size, and finite.
TEST_F(BuilderTest, RandomConfigurationsKeepLimitsOfAnySize) {
  const double none = INFINITY;
  const double limits[][2] = {{-0.1, 0.2},      {0, none},        {-none, -5}, {7, none},
                              {-1e308, 1e308},  {-1.7e308, none}, {3, 3},      {-none, none},
                              {1e300, 1.7e308}, {-none, -1.7e308}};
  ASSERT_EQ(add_link("l0"), TENON_OK);
  int32_t parent = 0;
  for (std::size_t k = 0; k < std::size(limits); ++k) {
    ASSERT_EQ(add_link(("l" + std::to_string(k + 1)).c_str(), 1, &options.child_link), TENON_OK);
    options.type = k % 2 ? TENON_JOINT_TYPE_REVOLUTE : TENON_JOINT_TYPE_PRISMATIC;
    options.parent_link = parent, parent = options.child_link;
    options.lower = limits[k][0], options.upper = limits[k][1];
    ASSERT_EQ(add_joint(("j" + std::to_string(k)).c_str()), TENON_OK) << message;
  }
  Model model;
  ASSERT_EQ(finish(&model), TENON_OK) << message;
  const Workspace w = workspace(model);
  std::vector<double> q(std::size(limits));
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    ASSERT_EQ(tenon_random(w.get(), seed, q.data(), q.size()), TENON_OK);
    for (std::size_t k = 0; k < q.size(); ++k) {
      EXPECT_TRUE(std::isfinite(q[k])) << k;
      EXPECT_GE(q[k], limits[k][0]) << k;
      EXPECT_LE(q[k], limits[k][1]) << k;
    }
  }
}

TEST_F(BuilderTest, RefusesWhatIsWrongAtOnce) {
  ASSERT_EQ(add_link("a"), TENON_OK);
  EXPECT_EQ(add_link("a"), TENON_INVALID_ARGUMENT);
  EXPECT_TRUE(says("'a'")) << message;
  EXPECT_EQ(add_link(""), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(add_link(nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(add_link("b", std::nan("")), TENON_NOT_FINITE);
  EXPECT_EQ(tenon_builder_add_link(builder.get(), "b", 1, options.axis, 2, nullptr, 0, nullptr, message,
                                   sizeof message),
            TENON_WRONG_SIZE);
  EXPECT_TRUE(says("center_of_mass has 2 numbers")) << message;
  ASSERT_EQ(add_link("b"), TENON_OK);

  EXPECT_EQ(add_joint("j"), TENON_OUT_OF_RANGE);
  EXPECT_TRUE(says("parent_link is -1")) << message;
  options.parent_link = 0, options.child_link = 2;
  EXPECT_EQ(add_joint("j"), TENON_OUT_OF_RANGE);
  options.child_link = 1;
  options.type = 9;
  EXPECT_EQ(add_joint("j"), TENON_INVALID_ARGUMENT);
  options.type = TENON_JOINT_TYPE_REVOLUTE;
  options.origin[6] = 0.9;
  EXPECT_EQ(add_joint("j"), TENON_NOT_NORMALIZED);
  options.origin[6] = 1;
  options.axis[2] = HUGE_VAL;
  EXPECT_EQ(add_joint("j"), TENON_NOT_FINITE);
  options.axis[2] = 0;
  options.lower = std::nan("");
  EXPECT_EQ(add_joint("j"), TENON_NOT_FINITE);
  options.lower = -HUGE_VAL;
  EXPECT_EQ(tenon_builder_add_joint(builder.get(), "j", nullptr, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_builder_add_frame(builder.get(), "f", 5, nullptr, 0, message, sizeof message),
            TENON_OUT_OF_RANGE);
  EXPECT_EQ(tenon_builder_add_frame(builder.get(), "a", 0, nullptr, 0, message, sizeof message),
            TENON_INVALID_ARGUMENT);
  ASSERT_EQ(add_joint("j"), TENON_OK) << message;
  EXPECT_EQ(finish(), TENON_OK) << message;
}

TEST_F(BuilderTest, FinishNamesTheCulpritAndLeavesTheBuilderUsable) {
  EXPECT_EQ(finish(), TENON_INVALID_MODEL);
  ASSERT_EQ(add_link("a"), TENON_OK);
  ASSERT_EQ(add_link("b"), TENON_OK);
  EXPECT_EQ(finish(), TENON_INVALID_MODEL);
  EXPECT_TRUE(says("'b'")) << message;
  options.parent_link = 0, options.child_link = 1;
  ASSERT_EQ(add_joint("j"), TENON_OK);
  tenon_model_options how;
  ASSERT_EQ(tenon_model_options_init(&how, sizeof how), TENON_OK);
  how.base = TENON_BASE_FLOATING;
  how.floating_joint_name = "sky";
  Model fixed, floating;
  ASSERT_EQ(finish(&fixed), TENON_OK) << message;
  ASSERT_EQ(finish(&floating, &how), TENON_OK) << message;
  EXPECT_EQ(tenon_model_nv(fixed.get()), 1);
  EXPECT_EQ(tenon_model_nv(floating.get()), 7);
  EXPECT_STREQ(tenon_model_joint_name(floating.get(), 0), "sky");
}

}  // namespace
