// Robots whose loops are closed by closure rows on the spanning tree, against the numbers of independent
// programs (tests/golden/data/README.md). Their loops are read as facts here, not by the reader of URDF, and
// closed by three rows each as there.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/closure_scene.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;
using Json = nlohmann::json;

struct LoopFact {
  const char *first, *second;
  Vector3 point, second_point;
};
struct RobotFact {
  const char* name;
  double tolerance;
  const std::vector<Method>& methods;
  std::vector<LoopFact> loops;
};

// The <loop> elements of the files in models/.
const std::vector<RobotFact>& robots() {
  // Two rows of Cassie are redundant but for the eleventh digit of its coordinates. Who looks at the rank
  // leaves them out, as the numbers do; an iteration meets them, with forces that the gap decides.
  static const std::vector<Method> by_rank = {Method::dense};
  static const std::vector<RobotFact> all = {
      {"four_bar", 1e-8, closure_methods(), {{"link2", "link3", {1, 0, 0}, {0.5, 0, 0}}}},
      {"six_bar", 1e-8, closure_methods(), {{"link3", "link5", {0.3, 0, 0}, {0.5, 0, 0}}}},
      {"planar_leg_linkage",
       1e-8,
       closure_methods(),
       {{"foot", "shank_support", {0.031, 0, 0}, {0.096, 0, 0}}}},
      {"cassie",
       1e-5,
       by_rank,
       {{"left-achilles-rod",
         "left-hip-pitch",
         {0.4498421483415014, -0.22101902390454692, 0.002691918868594448},
         {0, 0, 0.045}},
        {"right-achilles-rod",
         "right-hip-pitch",
         {0.4498265520837861, -0.2209531717624879, -0.0026950343307228786},
         {0, 0, -0.04500000000000001}},
        {"right-plantar-rod",
         "right-foot",
         {0.350057394615102, -7.435085231882743e-05, 0.006840000273206054},
         {0.055, 0, -0.007999999999999993}},
        {"left-plantar-rod",
         "left-foot",
         {0.3499962981056728, -0.0060046991425250495, -0.006839977943608577},
         {0.05500000000000001, 0, 0.008000000000000021}}}},
  };
  return all;
}

VectorXd numbers(const Json& list) {
  const auto values = list.get<std::vector<double>>();
  return as_vector(values);
}

// Where their coordinates stand among ours.
struct Places {
  std::vector<int> q, v;
};
Places places_of(const Json& file, const Model& model, const CompileOptions& options) {
  Places places;
  const auto add = [&](const Model::Joint& joint) {
    for (int k = 0; k < joint.nq; ++k) places.q.push_back(joint.q_index + k);
    for (int k = 0; k < joint.nv; ++k) places.v.push_back(joint.v_index + k);
  };
  if (options.floating_base)
    add(model.joints.at(static_cast<std::size_t>(model.find_joint(options.floating_joint_name))));
  for (const Json& name : file.at("joints"))
    add(model.joints.at(static_cast<std::size_t>(model.find_joint(name.get<std::string>()))));
  return places;
}
VectorXd ours(const VectorXd& theirs, const std::vector<int>& places) {
  VectorXd x(theirs.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) x(places[static_cast<std::size_t>(i)]) = theirs(i);
  return x;
}

class ClosedByRows : public ::testing::TestWithParam<RobotFact> {};

TEST_P(ClosedByRows, LoopsByEveryMethod) {
  const RobotFact& fact = GetParam();
  const std::string urdf = std::string(TENON_MODELS_DIR "/") + fact.name + ".urdf";
  ASSERT_TRUE(std::filesystem::exists(urdf)) << urdf;
  const Json file = Json::parse(std::ifstream(std::string(TENON_GOLDEN_DIR "/") + fact.name + ".loops.json"));
  CompileOptions options;
  options.floating_base = file.at("base") == "floating";
  for (std::size_t i = 0; i < 3; ++i) options.gravity[i] = file.at("gravity")[i].get<double>();
  UrdfOptions reading;
  reading.ignore_loops = true;
  const auto model = Model::compile(load_urdf(urdf, reading), options);
  const Places places = places_of(file, *model, options);
  std::vector<ConstraintSpec> specs;
  for (const LoopFact& loop : fact.loops) {
    Pose first, second;
    first.translation = loop.point;
    second.translation = loop.second_point;
    specs.push_back(closure_constraint(model->find_link(loop.first), first, model->find_link(loop.second),
                                       second, rows_linear));
  }
  const auto set = ConstraintSet::bind(model, specs);
  Workspace w(model, set);
  for (const Json& state : file.at("cases")) {
    VectorXd theirs(model->nq), qdd(model->nv), error(set->row_count());
    theirs << numbers(state.at("q_base")), numbers(state.at("q_joints"));
    const VectorXd q = ours(theirs, places.q), v = ours(numbers(state.at("v")), places.v),
                   tau = ours(numbers(state.at("tau")), places.v);
    ASSERT_EQ(constraint_rows(w, q.data(), v.data(), nullptr, nullptr, 0, nullptr, error.data(), nullptr),
              Status::ok);
    EXPECT_LE(error.cwiseAbs().maxCoeff(), 1e-10) << "the loops of the file are not these";
    for (const Method method : fact.methods) {
      SolveOptions solve;
      solve.method = method;
      const Status status = constrained_dynamics(w, solve, q.data(), v.data(), tau.data(), nullptr, nullptr,
                                                 qdd.data(), nullptr);
      EXPECT_GE(static_cast<int>(status), 0) << name_of(method) << ": " << w.message();
      EXPECT_LE(relative_error(qdd, ours(numbers(state.at("loop").at("qdd")), places.v)), fact.tolerance)
          << name_of(method);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, ClosedByRows, ::testing::ValuesIn(robots()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tenon::testing
