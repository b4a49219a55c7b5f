// Sines and cosines for angles of every size: of single states, and of packs of states and of limbs. Joints that
// turn without limits come far: a rotor at 1,000 rad/s passes 8e5 rad after 14 minutes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "batch/batch_states.hpp"
#include "kernels/joint/sincos.hpp"
#include "model/small_mechanisms.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/batch.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {
namespace {

// Where formulas change, and the double next to a multiple of pi / 2 by the smallest share of all.
std::vector<double> angles() {
  std::vector<double> all = {0.0,
                             8e5,
                             std::nextafter(8e5, 1e6),
                             823549.6645,
                             823550.0,
                             1e6,
                             std::nextafter(1e6, 2e6),
                             1e22,
                             std::ldexp(6381956970095103.0, 797),
                             std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::min()};
  for (int e = -300; e <= 308; ++e)
    for (const double mantissa : {1.0, 1.234567890123456, 1.7}) all.push_back(mantissa * std::pow(10.0, e));
  const double quarter = 1.5707963267948966;
  for (double k = 1; k < 1e15; k = std::ceil(1.37 * k)) {
    all.push_back(k * quarter);
    all.push_back(std::nextafter(k * quarter, 0.0));
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) all.push_back(-all[i]);
  all.resize((all.size() + 15) / 16 * 16, 0.0);
  return all;
}

// With an error of a digit and a half of the value. Next to a zero of the function the last of 100 bits of pi / 2
// count too, by 1e-29; in single precision, which has fewer of them, digits of 1.
template <class N>
void expect_sine(N found, long double exact, N angle, const char* what) {
  const auto value = static_cast<long double>(found);
  const bool single = sizeof(N) < sizeof(double);
  const long double size = single ? std::max(std::abs(exact), 1.0L) : std::abs(exact) + 1e-13L;
  EXPECT_LE(std::abs(value - exact),
            1.5L * static_cast<long double>(std::numeric_limits<N>::epsilon()) * size)
      << what << " of " << angle;
}

// Values by 700 digits of pi, so that the standard library is not its own judge.
TEST(Angles, OfTheReference) {
  const auto expect = [](double angle, double sine, double cosine) {
    EXPECT_NEAR(static_cast<double>(std::sin(static_cast<long double>(angle))) / sine, 1, 3e-16) << angle;
    EXPECT_NEAR(static_cast<double>(std::cos(static_cast<long double>(angle))) / cosine, 1, 3e-16) << angle;
  };
  expect(823550.0, 0.3291632977102722, 0.9442730131908349);
  expect(1e6, -0.34999350217129294, 0.9367521275331447);
  expect(1e22, -0.8522008497671888, 0.523214785395139);
  expect(1e73, 0.9910559706826229, 0.13344685449393015);
  expect(std::ldexp(6381956970095103.0, 797), 1, -4.687165924254628e-19);
  expect(std::numeric_limits<double>::max(), 0.004961954789184062, -0.9999876894265599);
}

TEST(Angles, OneByOne) {
  std::vector<double> x = angles(), s(x.size()), c(x.size());
  sin_cos(x.data(), s.data(), c.data(), static_cast<int>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    expect_sine(s[i], std::sin(static_cast<long double>(x[i])), x[i], "sine");
    expect_sine(c[i], std::cos(static_cast<long double>(x[i])), x[i], "cosine");
  }
}

#ifdef TENON_PACKS
template <class N, int W>
void expect_pack() {
  for (const double angle : angles()) {
    if (std::abs(angle) > static_cast<double>(std::numeric_limits<N>::max())) continue;
    const N x = static_cast<N>(angle);
    Pack<N, W> all(0.25), s, c;  // the others are ordinary
    all.x[W - 1] = x;
    sin_cos(all, s, c);
    expect_sine<N>(s.x[W - 1], std::sin(static_cast<long double>(x)), x, "sine");
    expect_sine<N>(c.x[W - 1], std::cos(static_cast<long double>(x)), x, "cosine");
    expect_sine<N>(s.x[0], std::sin(0.25L), x, "sine of the other lane");
  }
}
TEST(Angles, InPacks) {
  expect_pack<double, 2>();
  expect_pack<float, 4>();
}
#endif

// A hinge at every angle, with every instruction set that the machine has.
TEST(Angles, OfJointsInAWorkspace) {
  const std::vector<double> q = angles();
  Mechanism star;
  star.links.push_back(solid_link("base"));
  for (std::size_t i = 0; i < q.size(); ++i) {
    const std::string name = "l" + std::to_string(i);
    star.links.push_back(solid_link(name));
    star.joints.push_back(joint_between("j" + std::to_string(i), JointType::continuous, "base", name));
  }
  const auto model = Model::compile(star, {});
  ASSERT_EQ(model->nq, static_cast<int>(q.size()));
  for (const Instructions set : instruction_sets_here()) {
    SCOPED_TRACE(static_cast<int>(set));
    WorkspaceOptions options;
    options.instructions = set;
    Workspace w(model, nullptr, options);
    ASSERT_EQ(kinematics(w, q.data(), nullptr, nullptr), Status::ok) << w.message();
    for (const Model::Joint& joint : model->joints) {
      const double x = q[static_cast<std::size_t>(joint.q_index)];
      double R[9];
      ASSERT_EQ(link_pose(w, joint.child_link, nullptr, nullptr, R), Status::ok);
      expect_sine(R[1], std::sin(static_cast<long double>(x)), x, "sine");
      expect_sine(R[0], std::cos(static_cast<long double>(x)), x, "cosine");
    }
  }
}

// The angle in [-pi, pi] of a hinge that has come round.
double unwound(double angle) {
  const auto x = static_cast<long double>(angle);
  return static_cast<double>(std::atan2(std::sin(x), std::cos(x)));
}

// Four equal limbs, which go side by side where the machine can.
Mechanism four_limbs() {
  Mechanism robot;
  robot.links.push_back(solid_link("base", 5));
  for (int limb = 0; limb < 4; ++limb) {
    std::string parent = "base";
    for (int k = 0; k < 4; ++k) {
      const std::string name = "l" + std::to_string(limb) + std::to_string(k);
      robot.links.push_back(solid_link(name));
      const Vector3 axis = {k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0.3, k > 1 ? 1.0 : 0};
      robot.joints.push_back(joint_between("j" + name, JointType::continuous, parent, name, axis));
      parent = name;
    }
  }
  return robot;
}

TEST(Angles, DynamicsDoNotCountTurns) {
  CompileOptions compile;
  compile.floating_base = true;
  for (const bool limbs : {true, false}) {
    Random random(7);
    const auto model = limbs ? Model::compile(four_limbs(), compile) : random_robot(3, 20).model;
    for (const double size : {1e6, 1e9, 1e40, 1e300}) {
      States<double> s(model, nullptr, 9, 5);
      States<double> turned = s;
      const std::size_t nq = static_cast<std::size_t>(model->nq);
      for (std::size_t i = 0; i < s.count; ++i)
        for (const Model::Joint& joint : model->joints) {
          if (joint.type != JointType::revolute && joint.type != JointType::continuous) continue;
          double& x = turned.q[i * nq + static_cast<std::size_t>(joint.q_index)];
          x = size * random.uniform(-1, 1);
          s.q[i * nq + static_cast<std::size_t>(joint.q_index)] = unwound(x);
        }
      for (const Instructions set : instruction_sets_here()) {
        SCOPED_TRACE(std::to_string(size) + " with " + std::to_string(static_cast<int>(set)));
        WorkspaceOptions options;
        options.instructions = set;
        const std::size_t nv = static_cast<std::size_t>(model->nv);
        for (const BranchLanesUse use : {BranchLanesUse::always, BranchLanesUse::never}) {
          options.branch_lanes = use;
          Workspace w(model, nullptr, options);
          std::vector<double> expected(nv), found(nv);
          for (std::size_t i = 0; i < s.count; ++i) {
            const double *v = s.v.data() + i * nv, *x = s.x.data() + i * nv;
            ASSERT_EQ(forward_dynamics(w, {s.q.data() + i * nq, v, x}, expected.data()), Status::ok);
            ASSERT_EQ(forward_dynamics(w, {turned.q.data() + i * nq, v, x}, found.data()), Status::ok)
                << w.message();
            EXPECT_LE(difference(found.data(), expected.data(), nv), 1e-11);
          }
        }
        Batch batch(model, nullptr, batch_options(false, set));
        ASSERT_EQ(batch.run(s.call(BatchFunction::forward_dynamics)), Status::ok);
        ASSERT_EQ(batch.run(turned.call(BatchFunction::forward_dynamics)), Status::ok) << batch.message();
        EXPECT_LE(difference(s.out.data(), turned.out.data(), s.count * nv), 1e-11);
      }
    }
  }
}

}  // namespace
}  // namespace tenon::testing
