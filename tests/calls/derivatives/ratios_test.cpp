// Gradients by the ratios of couplings and gears against differences of whole calls, on models compiled with other ratios, whose
// independent coordinates are the same.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>

#include "state/workspace_impl.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

const int robots = std::max(20, test_robots() / 5);
constexpr DerivativeOptions write{};
enum Subject { inverse, forward, constrained };

// The ratio of the mechanism that is this of the model; null: none.
double* ratio_of(Mechanism& mechanism, const Model& model, int ratio) {
  const Model::Loops& loops = model.loops;
  for (std::size_t l = 0; l < loops.constraints.size(); ++l) {
    const int at = ratio - loops.first_ratio[l];
    if (loops.first_ratio[l] < 0 || at < 0) continue;
    for (MechanismGear& gear : mechanism.gears)
      if (gear.name == loops.names[l] && at == 0) return &gear.ratio;
    for (MechanismCoupling& coupling : mechanism.couplings) {
      const std::size_t d = coupling.dependent.size(), y = coupling.independent.size(),
                        place = static_cast<std::size_t>(at);
      if (coupling.name == loops.names[l] && place < d * y)
        return &coupling.ratios[place % d * y + place / d];
    }
  }
  return nullptr;
}

// A number that calls give: w^T result + z^T lambda.
struct Scene {
  Scene(const LoopScene& scene_, Subject subject_, bool independent_, std::uint64_t seed)
      : scene(scene_),
        subject(subject_),
        independent(independent_),
        random(seed),
        specs(subject == constrained ? contacts(seed) : std::vector<ConstraintSpec>()),
        loops(scene, random, ConstraintSet::bind(scene.model, specs)),
        n(independent ? scene.model->ny : scene.model->nv),
        m(loops.w.impl().rows()),
        weight(random_vector(random, n)),
        force_weight(random_vector(random, m)),
        damping(random_vector(random, scene.model->nv).cwiseAbs()) {}

  std::vector<ConstraintSpec> contacts(std::uint64_t seed) const {
    Random drawn(seed + 0x5000000);
    ConstraintOptions few;
    few.most_rows = scene.model->ny / 2;
    few.compliance = 0.2;
    return random_constraints(drawn, *scene.model, few);
  }
  Workspace& workspace() { return independent ? loops.independent : loops.w; }

  Inputs<double> in(const VectorXd& q, const VectorXd& v) const {
    Inputs<double> x{};
    x.q = q.data(), x.v = v.data(), x.wrenches = loops.wrenches.data();
    x.tau = independent ? loops.tau_y.data() : loops.tau.data();
    x.qdd = independent ? loops.yddot.data() : loops.qdd.data();
    return x;
  }
  // Empty on failure, else the number.
  VectorXd value(Workspace& w, const VectorXd& q, const VectorXd& v) const {
    VectorXd result(n), lambda(m);
    const Inputs<double> x = in(q, v);
    const Status status = subject == inverse   ? inverse_dynamics(w, x, result.data())
                          : subject == forward ? forward_dynamics(w, x, result.data())
                                               : constrained_dynamics(w, {}, x, result.data(), lambda.data());
    if (status != Status::ok) return {};
    return VectorXd::Constant(1,
                              weight.dot(result) + (subject == constrained ? force_weight.dot(lambda) : 0));
  }
  Status gradient(VectorXd& by_ratios) {
    Workspace& w = workspace();
    EXPECT_EQ(set_joint_parameters(w, nullptr, damping.data(), nullptr), Status::ok);
    const VectorXd& v = independent ? loops.ydot : loops.v;
    const Inputs<double> x = in(loops.q, v);
    ParameterGradient out;
    out.by_ratios = by_ratios.data();
    return subject == inverse   ? inverse_dynamics_parameter_vjp(w, write, x, weight.data(), nullptr, out)
           : subject == forward ? forward_dynamics_parameter_vjp(w, write, x, weight.data(), nullptr, out)
                                : constrained_dynamics_parameter_vjp(
                                      w, write, x, weight.data(), force_weight.data(), nullptr, nullptr, out);
  }
  // The number with a ratio changed; empty where the model cannot be compared.
  VectorXd value_with(int ratio, double change) {
    Mechanism mechanism = scene.mechanism;
    double* at = ratio_of(mechanism, *scene.model, ratio);
    if (!at) {
      ADD_FAILURE() << "no ratio " << ratio;
      return {};
    }
    *at += change;
    std::shared_ptr<const Model> model;
    try {
      model = Model::compile(mechanism, scene.options);
    } catch (const Error&) {
      return {};
    }
    if (model->loops.independent != scene.model->loops.independent || model->nq != scene.model->nq) return {};
    Workspace w(model, ConstraintSet::bind(model, specs));
    VectorXd q(loops.q.size()), v(loops.v.size());
    if (spanning_positions(w, loops.y.data(), loops.q.data(), q.data()) != Status::ok) return {};
    if ((q - loops.q).norm() > 1e3 * std::abs(change) * (1 + loops.q.norm())) return {};
    if (spanning_velocity(w, q.data(), loops.ydot.data(), v.data()) != Status::ok) return {};
    if (independent) {
      EXPECT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
    }
    EXPECT_EQ(set_joint_parameters(w, nullptr, damping.data(), nullptr), Status::ok);
    return value(w, q, independent ? loops.ydot : v);
  }
  // By differences of the fourth order; empty where they fail.
  VectorXd slope(int ratio, double h) {
    VectorXd x[4];
    const double steps[] = {-2 * h, -h, h, 2 * h};
    for (int i = 0; i < 4; ++i) {
      x[i] = value_with(ratio, steps[i]);
      if (x[i].size() == 0) return {};
    }
    return (x[0] - 8 * x[1] + 8 * x[2] - x[3]) / (12 * h);
  }

  const LoopScene& scene;
  Subject subject;
  bool independent;
  Random random;
  std::vector<ConstraintSpec> specs;
  MovingLoops loops;
  int n, m;
  VectorXd weight, force_weight, damping;
};

void expect_slopes(Subject subject, bool independent) {
  int looked_at = 0, in_loops = 0;
  for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    const int ratios = scene.model->loops.ratio_count;
    if (ratios == 0 || scene.model->ny == 0) continue;
    Scene x(scene, subject, independent, static_cast<std::uint64_t>(seed));
    if (!x.loops.regular() || (subject == constrained && x.m == 0)) continue;
    VectorXd by_ratios(ratios);
    const Status status = x.gradient(by_ratios);
    if (status == Status::singular_configuration || status == Status::not_positive_definite) continue;
    if (std::string(x.workspace().message()).find("contradict") != std::string::npos) continue;
    ASSERT_EQ(status, Status::ok) << x.workspace().message();
    if (subject == constrained && x.workspace().report().rank < x.m) continue;
    const VectorXd at = x.value(x.workspace(), x.loops.q, independent ? x.loops.ydot : x.loops.v);
    if (at.size() == 0 || largest(by_ratios) > 1e6) continue;
    for (int tries = 0; tries < 2; ++tries) {
      const int ratio = x.random.integer(0, ratios - 1);
      double error = INFINITY;
      for (const double h : {2e-4, 2e-5}) {
        const VectorXd slope = x.slope(ratio, h);
        if (slope.size() == 0) break;
        error = std::abs(by_ratios(ratio) - slope(0)) / (1 + largest(by_ratios) + largest(at));
        if (error <= 1e-6) break;
      }
      if (error == INFINITY) continue;
      EXPECT_LE(error, 1e-6) << "ratio " << ratio << " of " << ratios << ": " << by_ratios(ratio);
      ++looked_at;
      in_loops += scene.model->data().varying_clusters > 0;
    }
  }
  EXPECT_GT(looked_at, robots / 5);
  EXPECT_GT(in_loops, robots / 10);
}

TEST(RatioGradients, OfForwardDynamics) {
  for (const bool independent : {true, false}) expect_slopes(forward, independent);
}
TEST(RatioGradients, OfConstrainedDynamics) {
  for (const bool independent : {true, false}) expect_slopes(constrained, independent);
}
TEST(RatioGradients, OfInverseDynamics) {
  expect_slopes(inverse, true);
}

}  // namespace
}  // namespace tenon::testing
