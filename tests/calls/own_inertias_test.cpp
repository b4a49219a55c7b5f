// Inertias of links, loads, armatures and friction that a workspace has of its own, against models compiled anew with these
// numbers; and clones of workspaces.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "data/inputs.hpp"
#include "support/geared_robot.hpp"
#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/methods.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Numbers = std::vector<double>;

struct Question {
  std::string name;
  double tolerance;
  std::function<Status(Workspace&, const State&, Numbers&)> ask;
};

// All that depends on the robot's inertias.
std::vector<Question> questions(const Model& model, const ConstraintSet* set) {
  const std::size_t n = static_cast<std::size_t>(model.nv);
  const int nv = model.nv, rows = set ? set->row_count() : 0;
  const std::size_t m = static_cast<std::size_t>(rows);
  std::vector<Question> all;
  const auto add = [&](std::string name, std::size_t count, double tolerance, auto ask) {
    all.push_back({std::move(name), tolerance, [=](Workspace& w, const State& s, Numbers& out) {
                     out.assign(count, 0.0);
                     return ask(w, s, out.data());
                   }});
  };
  using W = Workspace;
  add("forward", n, 1e-8, [](W& w, const State& s, double* x) {
    return forward_dynamics(w, {s.q.data(), s.v.data(), s.tau.data(), s.wrenches.data()}, x);
  });
  add("inverse", n, 1e-10, [](W& w, const State& s, double* x) {
    return inverse_dynamics(w, {s.q.data(), s.v.data(), nullptr, s.wrenches.data(), nullptr, s.a.data()}, x);
  });
  add("bias", n, 1e-10,
      [](W& w, const State& s, double* x) { return bias_force(w, s.q.data(), s.v.data(), nullptr, x); });
  add("gravity", n, 1e-10, [](W& w, const State& s, double* x) { return gravity_force(w, s.q.data(), x); });
  add("coriolis", n * n, 1e-9,
      [nv](W& w, const State& s, double* x) { return coriolis_matrix(w, s.q.data(), s.v.data(), x, nv); });
  add("mass matrix", n * n, 1e-10,
      [nv](W& w, const State& s, double* x) { return mass_matrix(w, s.q.data(), x, nv); });
  add("mass factor", 2 * n, 1e-7, [nv, n](W& w, const State& s, double* x) {
    const Status status = factor_mass_matrix(w, s.q.data());
    if (status != Status::ok) return status;
    multiply_mass_matrix(w, s.a.data(), nv, 1, x + n, nv);
    return solve_mass_matrix(w, s.a.data(), nv, 1, x, nv);
  });
  add("inverse mass", n, 1e-7, [nv](W& w, const State& s, double* x) {
    return inverse_mass_times(w, s.q.data(), s.a.data(), nv, 1, x, nv);
  });
  add("kinematics", 6 + 6 + 6 + 6 * n + 2, 1e-9, [nv, n](W& w, const State& s, double* x) {
    const Status status = kinematics(w, s.q.data(), s.v.data(), s.a.data());
    if (status != Status::ok) return status;
    Status other = center_of_mass(w, x, x + 3, nullptr, 3);
    if (other != Status::ok) return other;
    centroidal_momentum(w, x + 6), centroidal_momentum_bias(w, x + 12);
    centroidal_momentum_matrix(w, x + 18, 6);
    static_cast<void>(nv);
    return energy(w, x + 18 + 6 * n, x + 19 + 6 * n);
  });
  add("underactuated", n, 1e-7, [](W& w, const State& s, double* x) {
    return underactuated_inverse_dynamics(w, nullptr, s.q.data(), s.v.data(), s.a.data(), nullptr, nullptr,
                                          x);
  });
  add("step", n, 1e-8, [](W& w, const State& s, double* x) {
    State moved = s;
    return step_runge_kutta_4(w, {}, 1e-3, moved.q.data(), moved.v.data(), s.tau.data(), s.wrenches.data(), x,
                              nullptr);
  });
  if (model.loop_count() > 0)
    add("loop velocities", n, 1e-8, [n](W& w, const State& s, double* x) {
      std::copy_n(s.a.data(), n, x);
      return project_velocity(w, LoopMoves::all, s.q.data(), x);
    });
  if (rows == 0) return all;
  for (const MethodFacts& facts : method_facts)
    add(std::string("constrained by ") + std::to_string(static_cast<int>(facts.method)), n, 1e-6,
        [method = facts.method](W& w, const State& s, double* x) {
          SolveOptions options;
          options.method = method;
          if (method == Method::pv_soft) options.mu = 100;  // Tenon's choice is made for the model
          return constrained_dynamics(
              w, options, {s.q.data(), s.v.data(), s.tau.data(), s.wrenches.data(), nullptr}, x, nullptr);
        });
  for (int k = 0; k < 7; ++k) {
    add("delassus by " + std::to_string(k), m * m, 1e-8, [k, rows](W& w, const State& s, double* x) {
      return delassus_matrix(w, static_cast<DelassusMethod>(k), s.q.data(), x, rows);
    });
    add("damped inverse by " + std::to_string(k), m * m, 1e-6, [k, rows](W& w, const State& s, double* x) {
      return damped_delassus_inverse(w, static_cast<DampedInverseMethod>(k), s.q.data(), {100.0}, x, rows);
    });
  }
  add("operational space", n * n, 1e-6, [nv](W& w, const State& s, double* x) {
    OperationalSpace out;
    out.N = x, out.ld_N = nv;
    return operational_space(w, s.q.data(), out);
  });
  add("impact", n, 1e-6, [n](W& w, const State& s, double* x) {
    std::copy_n(s.v.data(), n, x);
    return impact(w, nullptr, 0, s.q.data(), x, nullptr);
  });
  add("projection", n, 1e-6, [n](W& w, const State& s, double* x) {
    std::copy_n(s.v.data(), n, x);
    return project_velocities(w, s.q.data(), x);
  });
  add("constrained inverse", n, 1e-9, [m](W& w, const State& s, double* x) {
    const Numbers lambda(m, 0.7);
    return constrained_inverse_dynamics(w, s.q.data(), s.v.data(), s.a.data(), nullptr, lambda.data(), x);
  });
  return all;
}

// Of a link with a load, by Steiner's theorem.
void weld(MechanismLink& link, const Pose& frame, const LinkInertia& load) {
  using Eigen::Map, Eigen::Matrix3d, Eigen::Vector3d;
  const auto full = [](const std::array<double, 6>& I) {
    Matrix3d A;
    A << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
    return A;
  };
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(frame.rotation.data());
  const Vector3d p = R * Vector3d(load.center_of_mass.data()) + Vector3d(frame.translation.data());
  const Vector3d c(link.center_of_mass.data());
  const double mass = link.mass + load.mass;
  const Vector3d center = mass > 0 ? Vector3d((link.mass * c + load.mass * p) / mass) : c;
  const auto about = [&](const Matrix3d& I, double m, const Vector3d& at) {
    const Vector3d d = at - center;
    return Matrix3d(I + m * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose()));
  };
  const Matrix3d I =
      about(full(link.inertia), link.mass, c) + about(R * full(load.inertia) * R.transpose(), load.mass, p);
  link.mass = mass;
  link.center_of_mass = {center[0], center[1], center[2]};
  link.inertia = {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
}

LinkInertia random_load(Random& random) {
  LinkInertia load;
  load.mass = random.uniform(0.1, 2);
  for (double& x : load.center_of_mass) x = random.uniform(-0.2, 0.2);
  load.inertia = {random.uniform(0.02, 0.03), 0.004, -0.003, random.uniform(0.02, 0.03), 0.002, 0.025};
  return load;
}

// How a workspace differs from its model.
struct Change {
  bool loads = true, inertias = true, armatures = true, on_rotors = true;
};

// Settings drawn for w; the model that has them.
std::shared_ptr<const Model> change(Random& random, const Change& what, const Mechanism& mechanism,
                                    const CompileOptions& options, Workspace& w) {
  const Model& model = w.model();
  Mechanism own = mechanism;
  const auto rotor = [&](std::size_t i) {
    const auto& folding = model.folding;
    return folding &&
           std::count(folding->rotor_node.begin(), folding->rotor_node.end(), model.links[i].body) > 0;
  };
  for (std::size_t i = 0; i < own.links.size(); ++i) {
    MechanismLink& link = own.links[i];
    const int at = static_cast<int>(i);
    if (!what.on_rotors && rotor(i)) continue;
    if (what.inertias && random.chance(0.6)) {
      const double scale = random.uniform(0.6, 1.6);
      link.mass *= random.uniform(0.6, 1.6);
      for (double& x : link.inertia) x *= scale;
      for (double& x : link.center_of_mass) x += random.uniform(-0.02, 0.02);
      EXPECT_EQ(set_link_inertia(w, at, {link.mass, link.center_of_mass, link.inertia}), Status::ok)
          << w.message();
    }
    if (what.loads && random.chance(0.6)) {
      const LinkInertia load = random_load(random);
      EXPECT_EQ(set_payload(w, at, load), Status::ok) << w.message();
      weld(link, {}, load);
    }
  }
  if (what.armatures)
    for (MechanismJoint& joint : own.joints) joint.armature = random.chance(0.5) ? random.uniform(0, 0.1) : 0;
  auto there = Model::compile(own, options);
  if (what.armatures) {
    EXPECT_EQ(set_joint_parameters(w, there->armature.data(), nullptr, nullptr), Status::ok) << w.message();
  }
  return there;
}

void expect_alike(Workspace& changed, Workspace& anew, const State& s) {
  for (const Question& question : questions(changed.model(), changed.constraints())) {
    Numbers x, y;
    const Status status = question.ask(anew, s, y);
    EXPECT_EQ(question.ask(changed, s, x), status)
        << question.name << ": " << changed.message() << anew.message();
    if (status != Status::ok) continue;
    EXPECT_LE(largest_difference(x, y), question.tolerance * (1 + largest(y))) << question.name;
  }
}

std::shared_ptr<const ConstraintSet> rows_on(std::uint64_t seed, const std::shared_ptr<const Model>& model) {
  Random random(seed);
  ConstraintOptions options;
  options.most_rows = 9, options.stabilisation = 0;
  return ConstraintSet::bind(model, random_constraints(random, *model, options));
}

WorkspaceOptions with_lanes(BranchLanesUse use) {
  WorkspaceOptions options;
  options.branch_lanes = use;
  return options;
}

TEST(OwnInertias, OfTreesAreThoseOfModelsCompiledAnew) {
  for (int seed = 0; seed < std::max(12, test_robots() / 20); ++seed) {
    SCOPED_TRACE(seed);
    const std::uint64_t number = static_cast<std::uint64_t>(seed);
    Random random(number);
    const Robot robot = random_robot(number, 25);
    const auto set = rows_on(number, robot.model);
    const auto lanes = seed % 3 == 0 ? BranchLanesUse::never : BranchLanesUse::always;
    Workspace w(robot.model, set, with_lanes(lanes));
    const State s = random_state(random, *robot.model);
    const auto there = change(random, {}, robot.mechanism, robot.options, w);
    Workspace anew(there, ConstraintSet::bind(there, set->specs()), with_lanes(lanes));
    expect_alike(w, anew, s);
  }
}

TEST(OwnInertias, OfLimbsSideBySideAreThoseOfModelsCompiledAnew) {
  for (const char* name : {"go1", "atlas"}) {
    SCOPED_TRACE(name);
    Random random(4);
    const Mechanism mechanism = load_urdf(std::string(TENON_MODELS_DIR "/") + name + ".urdf");
    CompileOptions options;
    options.floating_base = true;
    const auto model = Model::compile(mechanism, options);
    const auto set = ConstraintSet::bind(
        model, {point_constraint(static_cast<int>(model->links.size()) - 1, {0.1, 0, 0})});
    Workspace w(model, set, with_lanes(BranchLanesUse::always));
    const State s = random_state(random, *model);
    const auto there = change(random, {}, mechanism, options, w);
    Workspace anew(there, ConstraintSet::bind(there, set->specs()), with_lanes(BranchLanesUse::always));
    expect_alike(w, anew, s);
  }
}

// With folded rotors where these keep their inertias, without them where not.
TEST(OwnInertias, OfLoopsAndRotorsAreThoseOfModelsCompiledAnew) {
  const auto check = [](const Mechanism& mechanism, const CompileOptions& options, const State& s,
                        std::uint64_t seed, const std::vector<ConstraintSpec>& specs) {
    for (const Change& what : {Change{true, true, false, false}, Change{true, true, true, true}}) {
      SCOPED_TRACE(what.on_rotors);
      Random random(seed);
      const auto model = Model::compile(mechanism, options);
      const WorkspaceOptions lanes =
          with_lanes(seed % 2 == 1 ? BranchLanesUse::always : BranchLanesUse::where_faster);
      Workspace w(model, ConstraintSet::bind(model, specs), lanes);
      const auto there = change(random, what, mechanism, options, w);
      Workspace anew(there, ConstraintSet::bind(there, specs), lanes);
      expect_alike(w, anew, s);
      for (Workspace* each : {&w, &anew})
        set_coordinates(*each, Coordinates::spanning, Coordinates::independent);
      State y = s;
      for (Numbers* x : {&y.v, &y.a, &y.tau}) x->resize(static_cast<std::size_t>(model->ny));
      for (const bool velocity : {false, true}) {
        Numbers a(y.v.size()), b = a;
        const auto ask = [&](Workspace& each, Numbers& to) {
          return velocity
                     ? forward_dynamics(each, {s.q.data(), y.v.data(), y.tau.data()}, to.data())
                     : inverse_dynamics(each, {s.q.data(), y.v.data(), nullptr, nullptr, nullptr, y.a.data()},
                                        to.data());
        };
        ASSERT_EQ(ask(w, a), ask(anew, b)) << w.message();
        EXPECT_LE(largest_difference(a, b), 1e-8 * (1 + largest(b)));
      }
    }
  };
  for (const char* name : {"cassie", "mini_cheetah", "four_bar"}) {
    const LoopScene scene = model_scene(name, std::string(name) != "four_bar");
    for (const LoopTreatment loops : {LoopTreatment::embed, LoopTreatment::rows}) {
      SCOPED_TRACE(std::string(name) + (loops == LoopTreatment::rows ? " by rows" : ""));
      CompileOptions options = scene.options;
      options.loops = loops;
      const auto model = Model::compile(scene.mechanism, options);
      Random random(7);
      State s = random_state(random, *model);
      s.q = model->loops.closed;
      if (s.q.empty()) s.q.assign(scene.q.data(), scene.q.data() + scene.q.size());
      std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.wrenches.begin(), s.wrenches.end(), 0.0);
      check(scene.mechanism, options, s, 5,
            {point_constraint(static_cast<int>(scene.mechanism.links.size()) - 1, {0.1, 0, 0})});
    }
  }
  for (const std::uint64_t seed : {3, 8, 21}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Mechanism geared = random_mechanism(random, {Shape::binary, 8, false});
    add_gears(random, geared);
    const auto model = Model::compile(geared, {});
    State s = random_state(random, *model);
    clear_rotor_wrenches(*model, s.wrenches.data());
    Workspace at(model);
    project_velocity(at, LoopMoves::dependent, s.q.data(), s.v.data());
    check(geared, {}, s, seed, {});
  }
}

// Bits are those of a workspace that never knew other inertias, whose sweeps go on side by side.
TEST(OwnInertias, GoBackToTheModels) {
  const LoopScene scene = model_scene("mini_cheetah", true);
  Random random(5);
  const auto set = ConstraintSet::bind(scene.model, {point_constraint(5, {0.1, 0, 0})});
  Workspace w(scene.model, set), fresh(scene.model, set);
  State s = random_state(random, *scene.model);
  s.q.assign(scene.q.data(), scene.q.data() + scene.q.size());
  std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.wrenches.begin(), s.wrenches.end(), 0.0);
  change(random, {}, scene.mechanism, scene.options, w);
  for (std::size_t i = 0; i < scene.mechanism.links.size(); ++i) {
    const Model::Link& link = scene.model->links[i];
    ASSERT_EQ(set_payload(w, static_cast<int>(i), {}), Status::ok);
    ASSERT_EQ(set_link_inertia(w, static_cast<int>(i), {link.mass, link.center_of_mass, link.inertia}),
              Status::ok);
  }
  ASSERT_EQ(set_joint_parameters(w, scene.model->armature.data(), nullptr, nullptr), Status::ok);
  for (const Question& question : questions(*scene.model, set.get())) {
    Numbers x, y;
    EXPECT_EQ(question.ask(w, s, x), question.ask(fresh, s, y)) << question.name;
    EXPECT_EQ(x, y) << question.name;
  }
}

// A load on a frame has the axes of the frame.
TEST(OwnInertias, LoadsOnFramesHaveTheirAxes) {
  Robot robot = random_robot(3, MechanismOptions{Shape::binary, 9, false}, true);
  Random random(3);
  Pose in_link;
  in_link.rotation = rotation_from_quaternion({0.5, 0.5, 0.5, 0.5}), in_link.translation = {0.1, -0.2, 0.3};
  robot.mechanism.frames.push_back({"tool", robot.mechanism.links[4].name, in_link});
  const auto model = Model::compile(robot.mechanism, robot.options);
  const int tool = model->find_link("tool");
  Workspace w(model);
  const LinkInertia load = random_load(random);
  ASSERT_EQ(set_payload(w, tool, load), Status::ok) << w.message();
  EXPECT_EQ(set_link_inertia(w, tool, load), Status::invalid_argument);
  Mechanism own = robot.mechanism;
  weld(own.links[4], in_link, load);
  Workspace anew(Model::compile(own, robot.options));
  expect_alike(w, anew, random_state(random, *model));
}

TEST(OwnInertias, FrictionActsInEveryDynamics) {
  const Robot robot = random_robot(6, MechanismOptions{Shape::binary, 9, false}, false);
  const auto set = rows_on(2, robot.model);
  Workspace w(robot.model, set), plain(robot.model, set);
  Random random(6);
  State s = random_state(random, *robot.model);
  const std::size_t n = s.v.size();
  Numbers damping(n), dry(n), force(n);
  for (std::size_t k = 0; k < n; ++k) {
    damping[k] = random.uniform(0, 0.5), dry[k] = random.uniform(0, 0.3);
    force[k] = damping[k] * s.v[k] + std::copysign(dry[k], s.v[k]);
  }
  ASSERT_EQ(set_joint_parameters(w, nullptr, damping.data(), dry.data()), Status::ok);
  State less = s;
  for (std::size_t k = 0; k < n; ++k) less.tau[k] -= force[k];
  for (const Question& question : questions(*robot.model, set.get())) {
    const bool forward = question.name == "forward" || question.name.rfind("constrained by", 0) == 0;
    const bool inverse =
        question.name == "inverse" || question.name == "bias" || question.name == "constrained inverse";
    if (question.name == "step" || question.name == "underactuated") continue;
    Numbers x, y;
    const Status status = question.ask(plain, forward ? less : s, y);
    EXPECT_EQ(question.ask(w, s, x), status) << question.name;
    for (std::size_t k = 0; inverse && k < n; ++k) y[k] += force[k];
    EXPECT_LE(largest_difference(x, y), 1e-12 * (1 + largest(y))) << question.name;
  }
}

TEST(OwnInertias, RefusesWhatNoBodyHas) {
  const Robot robot = random_robot(3, MechanismOptions{Shape::binary, 9, false}, true);
  Workspace w(robot.model), fresh(robot.model);
  const double nan = std::nan("");
  EXPECT_EQ(set_payload(w, 2, {-1, {0, 0, 0}, {}}), Status::invalid_inertia);
  EXPECT_EQ(set_payload(w, 2, {nan, {0, 0, 0}, {}}), Status::not_finite);
  EXPECT_EQ(set_payload(w, 2, {1, {0, 0, 0}, {1, 0, 0, -1, 0, 1}}), Status::invalid_inertia);
  EXPECT_EQ(set_link_inertia(w, 2, {1, {0, 0, 0}, {1, 0, 0, -1, 0, 1}}), Status::invalid_inertia);
  EXPECT_NE(std::string(w.message()).find(robot.model->links[2].name), std::string::npos) << w.message();
  Numbers armature = robot.model->armature;
  armature.back() = -1;
  EXPECT_EQ(set_joint_parameters(w, armature.data(), nullptr, nullptr), Status::invalid_argument);
  Random random(1);
  const State s = random_state(random, *robot.model);
  for (const Question& question : questions(*robot.model, nullptr)) {
    Numbers x, y;
    EXPECT_EQ(question.ask(w, s, x), question.ask(fresh, s, y)) << question.name;
    EXPECT_EQ(x, y) << question.name;
  }
}

}  // namespace
}  // namespace tenon::testing
