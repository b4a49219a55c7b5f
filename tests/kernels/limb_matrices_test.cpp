// Matrices of first derivatives of stars, limbs side by side against one body after another: the same to rounding.
#include <gtest/gtest.h>

#include "kernels/limb_scene.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::testing {
namespace {

// Chains of `joints` joints on one base, which floats or stands: the same joints in all of them, and masses of their own.
void add_limbs(Random& random, int limbs, int joints, const std::string& name, Mechanism& robot) {
  MechanismOptions options;
  options.shape = Shape::chain;
  options.links = joints;
  options.hinges_only = true;
  const Mechanism shape = random_mechanism(random, options);
  for (int l = 0; l < limbs; ++l) {
    const std::string prefix = name + std::to_string(l) + "_";
    for (MechanismLink link : shape.links) {
      link.name = prefix + link.name;
      link.mass *= random.uniform(0.5, 2);
      robot.links.push_back(link);
    }
    MechanismJoint hip = shape.joints.front();
    hip.parent = "", hip.child = shape.links.front().name, hip.name = "hip";
    std::vector<MechanismJoint> of_limb = shape.joints;
    of_limb.push_back(hip);
    for (MechanismJoint& joint : of_limb) {
      joint.name = prefix + joint.name;
      joint.parent = joint.parent.empty() ? "base" : prefix + joint.parent;
      joint.child = prefix + joint.child;
      if (joint.type == JointType::screw) joint.type = JointType::revolute;  // not on limbs
      joint.origin.translation = random.vector(0.4);
      if (random.chance(0.3)) joint.armature = random.uniform(0, 0.2);
      if (random.chance(0.5))
        for (double& x : joint.axis) x = -x;
      robot.joints.push_back(joint);
    }
  }
}
std::shared_ptr<const Model> random_star(Random& random) {
  Mechanism robot;
  MechanismLink base = random_mechanism(random, {}).links.front();
  base.name = "base";
  robot.links.push_back(base);
  add_limbs(random, random.integer(2, 6), random.integer(2, 9), "a", robot);
  if (random.chance(0.4)) add_limbs(random, random.integer(2, 5), random.integer(2, 5), "b", robot);
  CompileOptions options;
  options.floating_base = random.chance(0.7);
  return Model::compile(robot, options);
}

using Call = Status (*)(Workspace&, const DerivativeOptions&, const Inputs<double>&, double*,
                        const Derivatives&);

// The solution and its matrices, in a memory with gaps that must stay as they are; those of `wanted`.
std::vector<double> matrices(Call call, Workspace& w, const Inputs<double>& in, unsigned wanted,
                             bool row_major, bool accumulate, int gap, Status& status) {
  const std::size_t n = static_cast<std::size_t>(w.model().nv), ld = n + static_cast<std::size_t>(gap);
  std::vector<double> out(n + 3 * n * ld, 0.25);
  DerivativeOptions options;
  options.accumulate = accumulate;
  const auto at = [&](unsigned i) {
    DerivativeOut x{};
    if ((wanted >> i & 1) == 0) return x;
    x.values = out.data() + n + i * n * ld, x.ld = static_cast<int>(ld), x.row_major = row_major;
    return x;
  };
  status = call(w, options, in, out.data(), {at(0), at(1), at(2)});
  return out;
}

TEST(LimbMatrices, OfStarsAreThoseOfBodiesOneByOne) {
  int stars = 0, fixed = 0;
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto model = random_star(random);
    const auto lanes = workspace(model, BranchLanesUse::always),
               scalar = workspace(model, BranchLanesUse::never);
    Status status, status_of_lanes;
    for (int k = 0; k < 3; ++k) {
      const State s = random_state(random, *model);
      if (k == 2)
        for (Workspace* w : {lanes.get(), scalar.get()}) {
          std::vector<double> damping(s.v.size());
          for (std::size_t i = 0; i < damping.size(); ++i) damping[i] = 0.1 + 0.01 * static_cast<double>(i);
          ASSERT_EQ(set_joint_parameters(*w, nullptr, damping.data(), nullptr), Status::ok);
        }
      const double* wrenches = k == 0 ? nullptr : s.wrenches.data();
      const bool row_major = random.chance(0.5), accumulate = random.chance(0.2);
      const int gap = random.chance(0.5) ? 0 : random.integer(1, 9);
      for (const unsigned wanted : {7u, 1u, 2u, 4u, 5u})
        for (const bool forward : {true, false}) {
          SCOPED_TRACE(forward ? "forward" : "inverse");
          SCOPED_TRACE(wanted);
          const Call call = forward ? forward_dynamics_derivatives : inverse_dynamics_derivatives;
          const Inputs<double> in = {s.q.data(), s.v.data(), s.tau.data(),
                                     wrenches,   nullptr,    forward ? nullptr : s.a.data()};
          const auto expected = matrices(call, *scalar, in, wanted, row_major, accumulate, gap, status),
                     found = matrices(call, *lanes, in, wanted, row_major, accumulate, gap, status_of_lanes);
          ASSERT_EQ(status_of_lanes, status);
          ASSERT_EQ(status, Status::ok);
          const std::size_t n = s.v.size(), size = n * (n + static_cast<std::size_t>(gap));
          const auto compare = [&](std::size_t first, std::size_t count) {
            const auto part = [&](const std::vector<double>& x) {
              const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
              return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
            };
            ASSERT_NO_FATAL_FAILURE(expect_near(part(found), part(expected), 1e-9));
          };
          ASSERT_NO_FATAL_FAILURE(compare(0, n));
          for (std::size_t i = 0; i < 3; ++i) {
            SCOPED_TRACE(i);
            ASSERT_NO_FATAL_FAILURE(compare(n + i * size, size));
          }
        }
    }
    const BranchLanes* used = lanes->impl().branches.get();
    stars += used && used->takes_matrices();
    fixed += used && used->takes_matrices() && !model->floating_base;
  }
  EXPECT_GT(stars, test_robots() / 4);
  EXPECT_GT(fixed, test_robots() / 16);
}

}  // namespace
}  // namespace tenon::testing
