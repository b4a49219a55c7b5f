// Matrices of first derivatives of stars, limbs side by side against one body after another: the same to rounding.
#include <gtest/gtest.h>

#include <bitset>
#include <map>
#include <string>

#include "batch/batch_states.hpp"
#include "kernels/limb_scene.hpp"
#include "scalar/index.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::testing {
namespace {

using LimbMatrices = LimbsSideBySide;

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

// The best for most robots, each of this machine for the others.
Instructions instructions_for(int seed) {
  const std::vector<Instructions> sets = instruction_sets_here();
  return seed % 4 == 3 ? sets[index(seed / 4) % sets.size()] : Instructions::automatic;
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

// The two give the same, and the same status.
void compare_matrices(Call call, Workspace& lanes, Workspace& scalar, const Inputs<double>& in,
                      unsigned wanted, bool row_major, bool accumulate, int gap) {
  Status status, status_of_lanes;
  const auto expected = matrices(call, scalar, in, wanted, row_major, accumulate, gap, status),
             found = matrices(call, lanes, in, wanted, row_major, accumulate, gap, status_of_lanes);
  ASSERT_EQ(status_of_lanes, status);
  ASSERT_EQ(status, Status::ok);
  const std::size_t n = static_cast<std::size_t>(scalar.model().nv),
                    size = n * (n + static_cast<std::size_t>(gap));
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

TEST_F(LimbMatrices, OfStarsAreThoseOfBodiesOneByOne) {
  int stars = 0, fixed = 0;
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto model = random_star(random);
    const Instructions instructions = instructions_for(seed);
    const auto lanes = workspace(model, BranchLanesUse::always, instructions),
               scalar = workspace(model, BranchLanesUse::never, instructions);
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
          ASSERT_NO_FATAL_FAILURE(
              compare_matrices(call, *lanes, *scalar, in, wanted, row_major, accumulate, gap));
        }
    }
    const BranchLanes* used = lanes->impl().branches.get();
    stars += used && used->takes_matrices();
    fixed += used && used->takes_matrices() && !model->floating_base;
  }
  EXPECT_GT(stars, test_robots() / 4);
  EXPECT_GT(fixed, test_robots() / 16);
}

// Matrices go to the user's memory at once where they are finite for certain, and else not before they are.
TEST_F(LimbMatrices, ThatOverflowAreNotWritten) {
  int large = 0, stars = 0;
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto model = random_star(random);
    const auto lanes = workspace(model, BranchLanesUse::always),
               scalar = workspace(model, BranchLanesUse::never);
    if (!lanes->impl().branches || !lanes->impl().branches->takes_matrices()) continue;
    ++stars;
    State s = random_state(random, *model);
    const Inputs<double> in = {s.q.data(), s.v.data(), s.tau.data()};
    for (const double size : {1e20, 1e80, 1e150, 1e250, 1.7e308}) {
      for (double& x : s.tau) x = random.chance(0.5) ? size : -size;
      Status status = Status::ok;
      const auto found = matrices(forward_dynamics_derivatives, *lanes, in, 7, false, false, 0, status);
      if (status == Status::ok) {
        ASSERT_NO_FATAL_FAILURE(
            compare_matrices(forward_dynamics_derivatives, *lanes, *scalar, in, 7, false, false, 0));
        continue;
      }
      ++large;
      EXPECT_EQ(found, std::vector<double>(found.size(), 0.25));
    }
    for (double& x : s.tau) x = 1;
    ASSERT_NO_FATAL_FAILURE(
        compare_matrices(forward_dynamics_derivatives, *lanes, *scalar, in, 7, false, false, 0));
  }
  EXPECT_GT(stars, 10);
  EXPECT_GT(large, stars / 2);
}

// Rows of one kind on a link of each limb, or none on some of them; as many as its joints can move.
std::vector<ConstraintSpec> rows_on_star(Random& random, const Model& model) {
  std::map<std::string, std::vector<int>> links;  // of each limb
  for (std::size_t link = 0; link < model.links.size(); ++link) {
    const std::string& name = model.links[link].name;
    if (name != "base") links[name.substr(0, name.find('_'))].push_back(static_cast<int>(link));
  }
  std::map<char, std::pair<std::size_t, ConstraintSpec>> kinds;  // of limbs with one name, and on which link
  std::vector<ConstraintSpec> specs;
  for (const auto& [limb, of_limb] : links) {
    if (kinds.count(limb[0]) == 0) {
      ConstraintSpec kind;
      const std::size_t last = of_limb.size() - 1,
                        place = random.chance(0.7) ? last : index(random.integer(0, static_cast<int>(last)));
      do kind.rows = static_cast<std::uint32_t>(random.integer(1, 63));
      while (std::bitset<6>(kind.rows).count() > place + 1);
      kind.axes = random.chance(0.5) ? RowAxes::link : RowAxes::world;
      kinds.emplace(limb[0], std::make_pair(place, kind));
    }
    if (random.chance(0.2)) continue;
    ConstraintSpec spec = kinds.at(limb[0]).second;
    spec.link = of_limb[kinds.at(limb[0]).first];
    spec.frame = random.pose(0.3);
    if (random.chance(0.4)) spec.frequency = random.uniform(1, 10);
    specs.push_back(spec);
  }
  return specs;
}

// Places for matrices, one behind the other; those of `wanted`.
struct Places {
  double* next;
  unsigned wanted;
  bool row_major;

  DerivativeOut take(unsigned i, std::size_t rows, std::size_t columns) {
    DerivativeOut x{};
    if ((wanted >> i & 1) != 0)
      x.values = next, x.ld = static_cast<int>(row_major ? columns : rows), x.row_major = row_major;
    next += rows * columns;
    return x;
  }
};

// The solution and all matrices, qdd's and then those of the forces; those of `wanted`.
std::vector<double> row_matrices(Workspace& w, const Inputs<double>& in, unsigned wanted, bool row_major,
                                 bool accumulate, Status& status) {
  const std::size_t n = static_cast<std::size_t>(w.model().nv),
                    m = static_cast<std::size_t>(w.constraints()->row_count());
  std::vector<double> out((n + m) * (3 * n + m + 1), 0.25);
  DerivativeOptions options;
  options.accumulate = accumulate;
  Places at = {out.data() + n + m, wanted, row_major};
  ConstrainedDerivatives to{};
  to.qdd = {at.take(0, n, n), at.take(1, n, n), at.take(2, n, n)};
  to.qdd_by_desired = at.take(3, n, m);
  to.lambda = {at.take(4, m, n), at.take(5, m, n), at.take(6, m, n)};
  to.lambda_by_desired = at.take(7, m, m);
  status = constrained_dynamics_derivatives(w, options, in, out.data(), out.data() + n, to);
  return out;
}
// The same of impacts: velocities and impulses, and theirs by q and v.
std::vector<double> impact_matrices(Workspace& w, const ImpactInputs& in, unsigned wanted, bool row_major,
                                    bool accumulate, Status& status) {
  const std::size_t n = static_cast<std::size_t>(w.model().nv),
                    m = static_cast<std::size_t>(w.constraints()->row_count());
  std::vector<double> out((n + m) * (2 * n + 1), 0.25);
  DerivativeOptions options;
  options.accumulate = accumulate;
  Places at = {out.data() + n + m, wanted, row_major};
  ImpactDerivatives to{};
  to.after.by_q = at.take(0, n, n), to.after.by_v = at.take(1, n, n);
  to.impulse.by_q = at.take(2, m, n), to.impulse.by_v = at.take(3, m, n);
  status = impact_derivatives(w, options, in, out.data(), out.data() + n, to);
  return out;
}

// least: below it numbers of a part count as zero.
void compare_parts(const std::vector<double>& found, const std::vector<double>& expected,
                   const std::vector<std::size_t>& sizes, double least) {
  std::ptrdiff_t first = 0;
  for (const std::size_t size : sizes) {
    const std::ptrdiff_t end = first + static_cast<std::ptrdiff_t>(size);
    const auto part = [&](const std::vector<double>& x) {
      return std::vector<double>(x.begin() + first, x.begin() + end);
    };
    ASSERT_NO_FATAL_FAILURE(expect_near(part(found), part(expected), 1e-8, least)) << "from " << first;
    first = end;
  }
}

// A star with rows on its limbs, by limbs and by bodies, and which calls went by limbs.
struct HeldStars {
  std::shared_ptr<const Model> model;
  std::unique_ptr<Workspace> lanes, scalar;
  int calls = 0, by_limbs = 0, fixed = 0;

  std::size_t rows() const { return static_cast<std::size_t>(lanes->constraints()->row_count()); }
  // A call's matrices are those of bodies. matrices(workspace, wanted, status): the call.
  template <class Matrices>
  void compare(const std::vector<unsigned>& all_wanted, const std::vector<std::size_t>& sizes, double least,
               const Matrices& matrices) {
    for (const unsigned wanted : all_wanted) {
      SCOPED_TRACE(wanted);
      Status status, status_of_lanes;
      const auto expected = matrices(*scalar, wanted, status),
                 found = matrices(*lanes, wanted, status_of_lanes);
      ASSERT_EQ(status_of_lanes, status);
      const bool of_limbs = lanes->report().method == Method::pv;
      ++calls, by_limbs += of_limbs, fixed += of_limbs && !model->floating_base;
      if (status != Status::ok) return;
      ASSERT_NO_FATAL_FAILURE(compare_parts(found, expected, sizes, least));
    }
  }
  // Calls check(k, state, random) for states of many stars; at the last one all settings have changed.
  template <class Check>
  void for_states(const Check& check) {
    for (int seed = 0; seed < test_robots(); ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      model = random_star(random);
      const std::vector<ConstraintSpec> specs = rows_on_star(random, *model);
      if (specs.empty()) continue;
      const auto set = ConstraintSet::bind(model, specs);
      const Instructions instructions = instructions_for(seed);
      lanes = workspace(model, BranchLanesUse::always, instructions, set);
      scalar = workspace(model, BranchLanesUse::never, instructions, set);
      if (!lanes->impl().branches || !lanes->impl().branches->takes_row_matrices()) continue;
      for (int k = 0; k < 3; ++k) {
        const State s = random_state(random, *model);
        if (k == 2) {
          ASSERT_NO_FATAL_FAILURE(change_settings(*lanes, *scalar, specs, random));
          std::vector<double> damping(s.v.size(), 0.3);
          damping.back() = 0.1;
          for (Workspace* w : {lanes.get(), scalar.get()})
            ASSERT_EQ(set_joint_parameters(*w, nullptr, damping.data(), nullptr), Status::ok);
        }
        ASSERT_NO_FATAL_FAILURE(check(k, s, random));
      }
    }
    EXPECT_GT(calls, 5 * test_robots());
    EXPECT_GT(2 * by_limbs, calls);  // rows that depend on each other, or nearly, are for bodies
    EXPECT_GT(fixed, test_robots() / 4);
  }
};

TEST_F(LimbMatrices, WithRowsAreThoseOfBodiesOneByOne) {
  HeldStars stars;
  stars.for_states([&](int k, const State& s, Random& random) {
    const std::size_t n = s.v.size(), m = stars.rows(), nn = n * n, mn = m * n;
    std::vector<double> desired(m);
    for (double& x : desired) x = random.uniform(-1, 1);
    const Inputs<double> in = {s.q.data(), s.v.data(), s.tau.data(), k == 0 ? nullptr : s.wrenches.data(),
                               k == 1 ? nullptr : desired.data()};
    const bool row_major = random.chance(0.5), accumulate = random.chance(0.2);
    ASSERT_NO_FATAL_FAILURE(stars.compare({255u, 1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 0x53u},
                                          {n, m, nn, nn, nn, mn, mn, mn, mn, m * m}, 0.01,
                                          [&](Workspace& w, unsigned wanted, Status& status) {
                                            return row_matrices(w, in, wanted, row_major, accumulate, status);
                                          }));
    // Rows do not act in forward dynamics.
    ASSERT_NO_FATAL_FAILURE(compare_matrices(forward_dynamics_derivatives, *stars.lanes, *stars.scalar, in, 7,
                                             row_major, accumulate, 1));
  });
}

// Some rows rebound one by one, which are for bodies. Where rows stop the whole robot, what is left by q are rounding errors of
// terms of ordinary size.
TEST_F(LimbMatrices, OfImpactsAreThoseOfBodiesOneByOne) {
  HeldStars stars;
  stars.for_states([&](int k, const State& s, Random& random) {
    const std::size_t n = s.v.size(), m = stars.rows();
    std::vector<double> restitution(m);
    for (double& x : restitution) x = random.uniform(0, 1);
    const bool one_by_one = k > 0 && m > 1 && random.chance(0.2);
    const ImpactInputs in = {k == 0 ? nullptr : restitution.data(), one_by_one ? static_cast<int>(m) : 1,
                             s.q.data(), s.v.data()};
    const bool row_major = random.chance(0.5), accumulate = random.chance(0.2);
    const int before = stars.by_limbs;
    ASSERT_NO_FATAL_FAILURE(stars.compare({15u, 0u, 1u, 2u, 4u, 8u, 6u}, {n, m, n * n, n * n, m * n, m * n},
                                          1, [&](Workspace& w, unsigned wanted, Status& status) {
                                            return impact_matrices(w, in, wanted, row_major, accumulate,
                                                                   status);
                                          }));
    EXPECT_FALSE(one_by_one && stars.by_limbs > before);
  });
}

}  // namespace
}  // namespace tenon::testing
