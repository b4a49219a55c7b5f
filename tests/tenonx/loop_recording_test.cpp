// Recordings of models with kinematic loops: held against the library at closed states, their operations
// against published figures, and as C.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "model/small_mechanisms.hpp"
#include "support/largest.hpp"
#include "support/tello.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"
#include "tenonx/evaluate.hpp"
#include "tenonx/loop_methods.hpp"
#include "tenonx/recording.hpp"

namespace tenon::trace {
namespace {

std::shared_ptr<const Model> robot(const std::string& name, bool floating = false) {
  CompileOptions options;
  options.floating_base = floating;
  return Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/" + name + ".urdf"), options);
}

// A state on the constraint.
struct State {
  State(const std::shared_ptr<const Model>& model, std::uint64_t seed) : w(model) {
    const auto vector = [&](double frequency) {
      std::vector<double> x;
      for (int k = 0; k < model->nv; ++k)
        x.push_back(std::sin(frequency * (k + 1) + static_cast<double>(seed)));
      return x;
    };
    q.resize(static_cast<std::size_t>(model->nq));
    random_configuration(*model, seed, q.data());
    EXPECT_EQ(close_loops(w, LoopMoves::all, q.data(), nullptr), Status::ok) << model->name;
    v = vector(1.3);
    tau = vector(2.1);
    EXPECT_EQ(project_velocity(w, LoopMoves::dependent, q.data(), v.data()), Status::ok) << model->name;
    qdd.resize(v.size());
    EXPECT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data()}, qdd.data()), Status::ok) << model->name;
  }
  Workspace w;
  std::vector<double> q, v, tau, qdd;
};

std::vector<double> joined(std::vector<double> x, const std::vector<double>& y,
                           const std::vector<double>& z) {
  x.insert(x.end(), y.begin(), y.end());
  x.insert(x.end(), z.begin(), z.end());
  return x;
}

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  return testing::largest_difference(x, y) / testing::largest(y);
}

TEST(LoopRecording, MethodsAgreeWithForwardDynamicsAtAnotherState) {
  for (const char* name : {"mini_cheetah", "mit_humanoid", "four_bar", "six_bar", "planar_leg_linkage"}) {
    const auto model = robot(name);
    const State state(model, 5);
    for (const char* method : {"c_aba", "c_aba_unfolded", "projection", "multipliers"}) {
      const auto recording = record(*model, nullptr, method, {});
      EXPECT_LE(difference(
                    evaluate(recording->graph, joined(state.q, state.v, state.tau), recording->all_outputs()),
                    state.qdd),
                1e-9)
          << name << ", " << method;
    }
  }
}

TEST(LoopRecording, ContactsMayBeOnAnyBodyOfACluster) {
  const auto model = robot("mini_cheetah", true);
  const State state(model, 8);
  const auto set =
      ConstraintSet::bind(model, {point_constraint(model->find_link("FL_knee_link"), {0, 0, -0.2}),
                                  point_constraint(model->find_link("HR_knee_link"), {0, 0, -0.2})});
  Workspace w(model, set);
  const std::vector<double> desired = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6};
  std::vector<double> qdd(state.qdd.size()), lambda(desired.size());
  SolveOptions options;
  options.method = Method::dense;
  ASSERT_EQ(constrained_dynamics(w, options,
                                 {state.q.data(), state.v.data(), state.tau.data(), nullptr, desired.data()},
                                 qdd.data(), lambda.data()),
            Status::ok)
      << w.message();
  std::vector<double> inputs = joined(state.q, state.v, state.tau);
  inputs.insert(inputs.end(), desired.begin(), desired.end());
  qdd.insert(qdd.end(), lambda.begin(), lambda.end());
  for (const auto& [method, tolerance] :
       {std::pair{"pv", 1e-9}, std::pair{"prox_pv", 1e-8}, std::pair{"constrained_aba", 1e-7}}) {
    const auto recording = record(*model, set.get(), method, {});
    EXPECT_LE(difference(evaluate(recording->graph, inputs, recording->all_outputs()), qdd), tolerance)
        << method;
  }
}

TEST(LoopRecording, InverseDynamicsIsTheInverse) {
  for (const char* name : {"mini_cheetah", "six_bar"}) {
    const auto model = robot(name);
    State state(model, 6);
    std::vector<double> yddot, tau_y(static_cast<std::size_t>(model->ny));
    for (const std::int32_t k : model->loops.independent)
      yddot.push_back(state.qdd[static_cast<std::size_t>(k)]);
    ASSERT_EQ(independent_force(state.w, state.q.data(), state.tau.data(), tau_y.data()), Status::ok);
    const auto recording = record(*model, nullptr, "c_rnea", {});
    EXPECT_LE(
        difference(evaluate(recording->graph, joined(state.q, state.v, yddot), recording->all_outputs()),
                   tau_y),
        1e-9)
        << name;
  }
}

TEST(LoopRecording, ApproximationIsThatOfTheLibrary) {
  const auto model = robot("mini_cheetah");
  State state(model, 7);
  // Dependent joints at zero, where the recording holds them.
  for (std::int32_t k = 0; k < model->nv; ++k) {
    if (model->loops.y_index[static_cast<std::size_t>(k)] >= 0) continue;
    const NodeData& n = model->nodes[static_cast<std::size_t>(model->v_node[static_cast<std::size_t>(k)])];
    state.q[static_cast<std::size_t>(n.q_index)] = 0;
  }
  ASSERT_EQ(loop_forward_dynamics(state.w, LoopMethod::approximate,
                                  {state.q.data(), state.v.data(), state.tau.data()}, state.qdd.data()),
            Status::ok);
  std::vector<double> yddot;
  for (const std::int32_t k : model->loops.independent)
    yddot.push_back(state.qdd[static_cast<std::size_t>(k)]);
  const auto recording = record(*model, nullptr, "approximate_aba", {});
  EXPECT_LE(
      difference(evaluate(recording->graph, joined(state.q, state.v, state.tau), recording->all_outputs()),
                 yddot),
      1e-9);
}

// Operations of generalized_rbda (commit 45fa7c4) as CasADi counts them, from q, v and spanning tau to
// spanning qdd.
TEST(LoopRecording, CountsAreBelowThoseOfThePapersImplementation) {
  struct Published {
    const char* name;
    bool floating;
    std::map<std::string, std::size_t> counts;
  };
  const auto of_robot = [](std::size_t c_aba, std::size_t approximate, std::size_t multipliers,
                           std::size_t projection) {
    return std::map<std::string, std::size_t>{{"c_aba", c_aba},
                                              {"c_aba_unfolded", c_aba},
                                              {"approximate_aba", approximate},
                                              {"multipliers", multipliers},
                                              {"projection", projection}};
  };
  const Published published[] = {
      {"mini_cheetah", true, of_robot(11191, 7190, 97127, 27478)},
      {"mit_humanoid", true, of_robot(21119, 12266, 258637, 60584)},
      {"jvrc1", true, of_robot(27633, 14859, 820430, 193314)},
      {"four_bar", false, {{"c_aba", 484}}},
      {"six_bar", false, {{"c_aba", 1481}}},
  };
  for (const Published& p : published) {
    const auto model = robot(p.name, p.floating);
    for (const auto& [algorithm, count] : p.counts)
      EXPECT_LT(count_operations(*model, nullptr, algorithm).total(), count * 9 / 10)
          << p.name << ", " << algorithm;
  }
}

// The differentials are functions, recorded as ours are written; upstream exchanges some of their
// coordinates, which changes no count.
TEST(LoopRecording, TelloIsBelowToo) {
  CompileOptions options;
  options.floating_base = true;
  const auto model = Model::compile(tenon::testing::tello(), options);
  LoopFunctions functions;
  for (const MechanismImplicit& implicit : tenon::testing::tello().implicits)
    if (implicit.name.find("hip") != std::string::npos)
      functions.emplace_back(tenon::testing::tello_hip<Recorded>);
    else
      functions.emplace_back(tenon::testing::tello_knee_ankle<Recorded>);
  const State state(model, 2);
  const std::map<std::string, std::size_t> published = {{"c_aba", 20951},
                                                        {"c_aba_unfolded", 20951},
                                                        {"approximate_aba", 10195},
                                                        {"multipliers", 256618},
                                                        {"projection", 58007}};
  for (const auto& [method, count] : published) {
    const auto recording = record(*model, nullptr, method, {}, functions);
    const auto counts = recording->graph.count(recording->all_outputs());
    std::size_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (i != static_cast<std::size_t>(Operation::input) &&
          i != static_cast<std::size_t>(Operation::constant))
        total += counts[i];
    EXPECT_LT(total, count * 9 / 10) << method;
    RecordProperty(method, static_cast<int>(total));
    if (method == "approximate_aba") continue;
    EXPECT_LE(
        difference(evaluate(recording->graph, joined(state.q, state.v, state.tau), recording->all_outputs()),
                   state.qdd),
        1e-9)
        << method;
  }
}

// On a tree they do what the algorithms of trees do.
TEST(LoopRecording, ATreeIsATree) {
  const auto model = robot("iiwa14");
  const auto count = [&](const char* algorithm) {
    return count_operations(*model, nullptr, algorithm).total();
  };
  EXPECT_EQ(count("c_aba"), count("aba"));
  EXPECT_EQ(count("approximate_aba"), count("aba"));
  EXPECT_EQ(count("c_rnea"), count("rnea"));
}

TEST(LoopRecording, RefusesWhatItCannotRecord) {
  const auto model = robot("four_bar");
  tenon::testing::expect_error(Status::unsupported, {"'aba'", "kinematic loops", "c_aba"},
                               [&] { count_operations(*model, nullptr, "aba"); });
  Mechanism m = tenon::testing::two_link_arm();
  MechanismImplicit callback;
  callback.name = "callback";
  callback.joints = {m.joints[0].name, m.joints[1].name};
  callback.rows = 1;
  callback.evaluate = [](const double* q, const double*, double* phi, double* K, double* Kdot_v) {
    phi[0] = q[0] - q[1];
    K[0] = 1, K[1] = -1, Kdot_v[0] = 0;
  };
  m.implicits.push_back(callback);
  const auto called = Model::compile(m);
  tenon::testing::expect_error(Status::unsupported, {"'callback'", "function", "coupling"},
                               [&] { count_operations(*called, nullptr, "c_aba"); });
}

}  // namespace
}  // namespace tenon::trace
