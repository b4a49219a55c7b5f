// The promises of tenon.h that hold for every call: structs that grow, buffers for messages, order of
// destruction, threads that share a model.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <typeinfo>

#include "support.hpp"

using namespace tenon_test;

namespace {

// A struct as a newer or older caller knows it: the same fields, then more, or fewer.
template <class T>
struct Newer {
  T known;
  uint64_t unknown[2];
};

template <class T>
struct Descriptor : ::testing::Test {
  static tenon_status init(T*, size_t);
};
template <>
tenon_status Descriptor<tenon_model_options>::init(tenon_model_options* s, size_t n) {
  return tenon_model_options_init(s, n);
}
template <>
tenon_status Descriptor<tenon_joint_options>::init(tenon_joint_options* s, size_t n) {
  return tenon_joint_options_init(s, n);
}
template <>
tenon_status Descriptor<tenon_constraint_options>::init(tenon_constraint_options* s, size_t n) {
  return tenon_constraint_options_init(s, n);
}
template <>
tenon_status Descriptor<tenon_solve_options>::init(tenon_solve_options* s, size_t n) {
  return tenon_solve_options_init(s, n);
}
template <>
tenon_status Descriptor<tenon_link_info>::init(tenon_link_info* s, size_t n) {
  return tenon_link_info_init(s, n);
}
template <>
tenon_status Descriptor<tenon_joint_info>::init(tenon_joint_info* s, size_t n) {
  return tenon_joint_info_init(s, n);
}
template <>
tenon_status Descriptor<tenon_constraint_info>::init(tenon_constraint_info* s, size_t n) {
  return tenon_constraint_info_init(s, n);
}
template <>
tenon_status Descriptor<tenon_solve_report>::init(tenon_solve_report* s, size_t n) {
  return tenon_solve_report_init(s, n);
}
#ifdef TENON_EXPERIMENTAL
template <>
tenon_status Descriptor<tenonx_trace_options>::init(tenonx_trace_options* s, size_t n) {
  return tenonx_trace_options_init(s, n);
}
template <>
tenon_status Descriptor<tenonx_operation_counts>::init(tenonx_operation_counts* s, size_t n) {
  return tenonx_operation_counts_init(s, n);
}
#endif

template <>
tenon_status Descriptor<tenon_loop_options>::init(tenon_loop_options* s, size_t n) {
  return tenon_loop_options_init(s, n);
}
template <>
tenon_status Descriptor<tenon_cluster_info>::init(tenon_cluster_info* s, size_t n) {
  return tenon_cluster_info_init(s, n);
}
template <>
tenon_status Descriptor<tenon_loop_info>::init(tenon_loop_info* s, size_t n) {
  return tenon_loop_info_init(s, n);
}
template <>
tenon_status Descriptor<tenon_loop_state>::init(tenon_loop_state* s, size_t n) {
  return tenon_loop_state_init(s, n);
}

using Descriptors =
    ::testing::Types<tenon_model_options, tenon_joint_options, tenon_constraint_options, tenon_solve_options,
                     tenon_link_info, tenon_joint_info, tenon_constraint_info, tenon_solve_report,
#ifdef TENON_EXPERIMENTAL
                     tenonx_trace_options, tenonx_operation_counts,
#endif
                     tenon_loop_options, tenon_cluster_info, tenon_loop_info, tenon_loop_state>;
// Test names end in the name of the struct.
struct StructName {
  template <class T>
  static std::string GetName(int) {
    return std::string(typeid(T).name()).substr(2);  // behind the length that the mangled name begins with
  }
};
TYPED_TEST_SUITE(Descriptor, Descriptors, StructName);

TYPED_TEST(Descriptor, InitKeepsToTheSizeItIsGiven) {
  const auto init = TestFixture::init;
  TypeParam full;
  ASSERT_EQ(init(&full, sizeof full), TENON_OK);
  EXPECT_EQ(full.struct_size, sizeof full);

  unsigned char older[sizeof(TypeParam)];
  std::memset(older, 0xee, sizeof older);
  ASSERT_EQ(init(reinterpret_cast<TypeParam*>(older), 8), TENON_OK);
  uint32_t size = 0;
  std::memcpy(&size, older, sizeof size);
  EXPECT_EQ(size, 8U);
  EXPECT_TRUE(std::all_of(older + 8, older + sizeof older, [](unsigned char b) { return b == 0xee; }));

  Newer<TypeParam> newer;
  std::memset(static_cast<void*>(&newer), 0xee, sizeof newer);
  ASSERT_EQ(init(&newer.known, sizeof newer), TENON_OK);
  EXPECT_EQ(newer.known.struct_size, sizeof newer);
  EXPECT_EQ(newer.unknown[0], 0U);
  EXPECT_EQ(newer.unknown[1], 0U);

  EXPECT_EQ(init(nullptr, sizeof full), TENON_INVALID_ARGUMENT);
  for (size_t bad : {size_t{0}, size_t{4}, size_t{7}}) EXPECT_EQ(init(&full, bad), TENON_WRONG_SIZE) << bad;
}

// Whole fields or not, multiple of an alignment or not.
TYPED_TEST(Descriptor, InitTakesAnySizeOfEightOrMore) {
  const auto init = TestFixture::init;
  TypeParam full;
  ASSERT_EQ(init(&full, sizeof full), TENON_OK);
  std::vector<unsigned char> room(10000 + sizeof(double));
  for (size_t n = 8; n < 10000; n = n < 300 ? n + 1 : 2 * n) {
    std::fill(room.begin(), room.end(), static_cast<unsigned char>(0xee));
    ASSERT_EQ(init(reinterpret_cast<TypeParam*>(room.data()), n), TENON_OK) << n;
    uint32_t size = 0;
    std::memcpy(&size, room.data(), sizeof size);
    EXPECT_EQ(size, n);
    const auto* defaults = reinterpret_cast<const unsigned char*>(&full);
    const size_t known = std::min(n, sizeof full);
    EXPECT_TRUE(std::equal(room.begin() + 4, room.begin() + static_cast<std::ptrdiff_t>(known), defaults + 4))
        << n;
    for (size_t at = known; at < room.size(); ++at)
      EXPECT_EQ(room[at], at < n ? 0 : 0xee) << n << " at " << at;
  }
}

class Contract : public ::testing::Test {
 protected:
  Model model = load("iiwa14");
  Constraints set = welds(model, {"iiwa_link_7"});
  Workspace w = workspace(model, set);
  State good{model, w.get(), 2, 6};

  void SetUp() override {
    ASSERT_GE(good.constrained(w.get()), TENON_OK) << tenon_workspace_message(w.get());
  }
};

TEST_F(Contract, OlderOptionsAreCompletedWithDefaults) {
  tenon_solve_options options;
  ASSERT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
  options.struct_size = offsetof(tenon_solve_options, absolute_tolerance);
  options.absolute_tolerance = -1;  // behind the end of the older struct: must not be read
  options.relative_tolerance = -1;
  State s(model, w.get(), 2, 6);
  EXPECT_GE(s.constrained(w.get(), &options), TENON_OK) << tenon_workspace_message(w.get());
  EXPECT_EQ(s.qdd, good.qdd);
  // A size that ends inside a field, or that no version can have: what is no whole field is not read.
  options.struct_size = offsetof(tenon_solve_options, absolute_tolerance) + 3;
  EXPECT_GE(s.constrained(w.get(), &options), TENON_OK) << tenon_workspace_message(w.get());
  EXPECT_EQ(s.qdd, good.qdd);
  options.struct_size = sizeof options;
  EXPECT_EQ(s.constrained(w.get(), &options), TENON_INVALID_ARGUMENT);
  options.struct_size = 4097;
  EXPECT_EQ(s.constrained(w.get(), &options), TENON_WRONG_SIZE);
}

TEST_F(Contract, NewerOptionsAreTakenWithAZeroTailOnly) {
  Newer<tenon_solve_options> options;
  ASSERT_EQ(tenon_solve_options_init(&options.known, sizeof options), TENON_OK);
  State s(model, w.get(), 2, 6);
  EXPECT_GE(s.constrained(w.get(), &options.known), TENON_OK) << tenon_workspace_message(w.get());
  EXPECT_EQ(s.qdd, good.qdd);
  options.unknown[1] = 1;
  EXPECT_EQ(s.constrained(w.get(), &options.known), TENON_UNSUPPORTED);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("newer library"), std::string::npos);

  Newer<tenon_model_options> how;
  ASSERT_EQ(tenon_model_options_init(&how.known, sizeof how), TENON_OK);
  const std::string urdf = "<robot name='r'><link name='a'/></robot>";
  EXPECT_EQ(parse(urdf, nullptr, &how.known).status, TENON_OK);
  how.unknown[0] = 1;
  EXPECT_EQ(parse(urdf, nullptr, &how.known).status, TENON_UNSUPPORTED);
  how.known.struct_size = 0;
  EXPECT_EQ(parse(urdf, nullptr, &how.known).status, TENON_WRONG_SIZE);
}

TEST_F(Contract, UnpreparedOptionsAreRefused) {
  tenon_solve_options options{};
  EXPECT_EQ(good.constrained(w.get(), &options), TENON_WRONG_SIZE);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("_init"), std::string::npos);
  tenon_solve_report report{};
  EXPECT_EQ(tenon_workspace_report(w.get(), &report), TENON_WRONG_SIZE);
  EXPECT_EQ(tenon_workspace_report(w.get(), nullptr), TENON_INVALID_ARGUMENT);
}

TEST_F(Contract, InformationKeepsToTheRoomOfAnOlderCaller) {
  tenon_joint_info info;
  std::memset(static_cast<void*>(&info), 0xee, sizeof info);
  ASSERT_EQ(tenon_joint_info_init(&info, offsetof(tenon_joint_info, axis)), TENON_OK);
  ASSERT_EQ(tenon_model_joint_info(model.get(), 0, &info), TENON_OK);
  EXPECT_EQ(info.type, TENON_JOINT_TYPE_REVOLUTE);
  EXPECT_STREQ(info.name, tenon_model_joint_name(model.get(), 0));
  const auto* bytes = reinterpret_cast<const unsigned char*>(&info);
  EXPECT_TRUE(std::all_of(bytes + offsetof(tenon_joint_info, axis), bytes + sizeof info,
                          [](unsigned char b) { return b == 0xee; }));
}

// Wherever a message is cut, what is left is UTF-8.
bool is_utf8(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first >= 0x80 && first < 0xc2) return false;
    if (at + length > text.size()) return false;
    for (size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[at + k]) & 0xc0) != 0x80) return false;
    at += length;
  }
  return true;
}

TEST_F(Contract, MessagesAreNeverCutInsideACharacter) {
  for (const std::string letter : {"\xC3\xA9", "\xE6\x89\x8B", "\xF0\x9F\xA6\xBF"}) {
    std::string name = "x";
    for (int k = 0; k < 300; ++k) name += letter;
    int32_t index = 0;
    for (size_t size = 0; size < 100; ++size) {
      std::string buffer(101, '#');
      EXPECT_EQ(tenon_model_find_link(model.get(), name.c_str(), &index, buffer.data(), size),
                TENON_NOT_FOUND);
      if (size > 0) {
        EXPECT_TRUE(is_utf8(buffer.c_str())) << size;
      }
    }
    // In a workspace: a joint of that name whose quaternion is none. Its text is longer than the message may
    // be.
    for (int shift = 0; shift < 4; ++shift) {
      const std::string joint = std::string(static_cast<size_t>(shift), 'x') + name;
      const std::string inertial =
          "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
      Model ball;
      const Answer answer =
          parse("<robot name='r'><link name='a'/><link name='b'>" + inertial + "</link><joint name='" +
                    joint + "' type='spherical'><parent link='a'/><child link='b'/></joint></robot>",
                &ball);
      ASSERT_EQ(answer.status, TENON_OK) << answer.message;
      const Workspace alone = workspace(ball);
      const double q[4] = {2, 0, 0, 1}, zero[3] = {0, 0, 0};
      double qdd[3];
      EXPECT_EQ(tenon_forward_dynamics(alone.get(), q, 4, zero, 3, zero, 3, nullptr, 0, qdd, 3),
                TENON_NOT_NORMALIZED);
      const std::string message = tenon_workspace_message(alone.get());
      EXPECT_GT(message.size(), 500U) << message;
      EXPECT_TRUE(is_utf8(message)) << message;
    }
    // What a message quotes of a text.
    for (int shift = 0; shift < 4; ++shift) {
      const std::string value = std::string(static_cast<size_t>(shift), 'x') + name;
      const Answer bad = parse("<robot name='r'><link name='a'><inertial><mass value='" + value +
                               "'/></inertial></link></robot>");
      EXPECT_EQ(bad.status, TENON_PARSE_ERROR);
      EXPECT_TRUE(is_utf8(bad.message)) << bad.message;
    }
  }
}

TEST_F(Contract, NamesThatAreNotUtf8AreRefused) {
  for (const std::string bad :
       {"caf\xE9", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE6\x89", "\x80"}) {
    char message[200] = "";
    tenon_builder* builder = nullptr;
    EXPECT_EQ(tenon_builder_create(bad.c_str(), &builder, message, sizeof message), TENON_INVALID_ARGUMENT);
    EXPECT_NE(std::string(message).find("UTF-8"), std::string::npos) << message;
    EXPECT_EQ(builder, nullptr);
  }
}

TEST_F(Contract, MessagesAreCutToTheirBuffer) {
  const std::string whole = "no link is named 'iiwa_link'; did you mean 'iiwa_link_0'?";
  int32_t index = 0;
  for (size_t size :
       {size_t{0}, size_t{1}, size_t{2}, size_t{10}, whole.size(), whole.size() + 1, size_t{100}}) {
    std::string buffer(101, '#');
    EXPECT_EQ(tenon_model_find_link(model.get(), "iiwa_link", &index, buffer.data(), size), TENON_NOT_FOUND);
    if (size > 0) {
      EXPECT_EQ(buffer.c_str(), whole.substr(0, std::min(size - 1, whole.size())));
    }
    EXPECT_EQ(buffer.substr(size), std::string(101 - size, '#')) << size;
  }
  EXPECT_EQ(tenon_model_find_link(model.get(), "iiwa_link", &index, nullptr, 100), TENON_NOT_FOUND);
}

TEST_F(Contract, MessagesAreCutBetweenCharacters) {
  char message[64];
  int32_t index = 0;
  const std::string before = "no link is named '";
  EXPECT_EQ(tenon_model_find_link(model.get(), "\xc3\xa9\xc3\xa9", &index, message, before.size() + 4),
            TENON_NOT_FOUND);
  EXPECT_EQ(message, before + "\xc3\xa9");
}

TEST_F(Contract, HandlesMayBeDestroyedInAnyOrder) {
  std::vector<int> order = {0, 1, 2, 3};
  const std::string urdf = "<robot name='r'><link name='a'/></robot>";
  do {
    Model m = load("iiwa14");
    Constraints c = welds(m, {"iiwa_link_7"});
    Workspace first = workspace(m, c), second = workspace(m, c);
    for (int i : order) {
      if (i == 0) m.reset();
      if (i == 1) c.reset();
      if (i == 2) first.reset();
      if (i == 3) {
        State s(model, second.get(), 2, 6);
        EXPECT_GE(s.constrained(second.get()), TENON_OK);
        EXPECT_EQ(s.qdd, good.qdd);
        second.reset();
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  tenon_model_destroy(nullptr);
  tenon_constraints_destroy(nullptr);
  tenon_workspace_destroy(nullptr);
  tenon_builder_destroy(nullptr);
}

TEST_F(Contract, ThreadsShareAModelAndAConstraintSet) {
  constexpr std::size_t threads = 4;
  std::vector<std::vector<double>> results(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const Workspace own = workspace(model, set);
      for (uint64_t seed = 0; seed < 50; ++seed) {
        State s(model, own.get(), seed, 6);
        EXPECT_GE(s.constrained(own.get()), TENON_OK);
        results[t].insert(results[t].end(), s.qdd.begin(), s.qdd.end());
        results[t].insert(results[t].end(), s.lambda.begin(), s.lambda.end());
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (std::size_t t = 1; t < threads; ++t) EXPECT_EQ(results[t], results[0]);
}

TEST_F(Contract, SameCallGivesTheSameBits) {
  State once(model, w.get(), 2, 6), other(model, w.get(), 9, 6), again(model, w.get(), 2, 6);
  ASSERT_GE(once.constrained(w.get()), TENON_OK);
  ASSERT_GE(other.constrained(w.get()), TENON_OK);
  ASSERT_GE(again.constrained(w.get()), TENON_OK);
  EXPECT_EQ(once.qdd, again.qdd);
  EXPECT_EQ(once.lambda, again.lambda);
}

TEST_F(Contract, WorkspaceGravityIsItsOwn) {
  const double moon[3] = {0, 0, -1.62};
  double back[3] = {};
  Workspace other = workspace(model, set);
  ASSERT_EQ(tenon_workspace_set_gravity(other.get(), moon, 3), TENON_OK);
  ASSERT_EQ(tenon_workspace_gravity(other.get(), back, 3), TENON_OK);
  EXPECT_EQ(back[2], -1.62);
  ASSERT_EQ(tenon_workspace_gravity(w.get(), back, 3), TENON_OK);
  EXPECT_EQ(back[2], -9.81);
}

TEST_F(Contract, StepsLeaveTheStateAloneWhenTheyFail) {
  State s(model, w.get(), 2, 6);
  const State before = s;
  const auto refused = [&](double dt) {
    for (auto* step : {tenon_step_semi_implicit_euler, tenon_step_runge_kutta_4}) {
      EXPECT_EQ(step(w.get(), nullptr, dt, s.q.data(), s.q.size(), s.v.data(), s.v.size(), s.tau.data(),
                     s.tau.size(), nullptr, 0, s.qdd.data(), s.qdd.size(), s.lambda.data(), s.lambda.size()),
                TENON_NOT_FINITE);
      // The caller's velocities are fine; what a stage of the step made of them is not.
      EXPECT_EQ(std::string(tenon_workspace_message(w.get())).find("v["), std::string::npos);
      EXPECT_EQ(s.q, before.q);
      EXPECT_EQ(s.v, before.v);
      EXPECT_EQ(s.qdd, before.qdd);
      EXPECT_EQ(s.lambda, before.lambda);
    }
  };
  for (const double dt : {1e300, 1.7e308}) refused(dt);  // leave the range of doubles
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("finite"), std::string::npos);
  s.tau[3] = HUGE_VAL;
  refused(1e-3);
}

}  // namespace
