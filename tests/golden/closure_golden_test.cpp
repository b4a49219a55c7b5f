// Robots whose loops are closed by closure rows on the spanning tree, against the numbers of independent
// programs (tests/golden/data/README.md). Their loops are read as facts here, not by the reader of URDF, and
// closed by three rows each as there.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
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
  std::vector<LoopFact> loops;
};

// The <loop> elements of the files in models/.
const std::vector<RobotFact>& robots() {
  // Two rows of Cassie are redundant but for the eleventh digit of its coordinates: left out by the rank.
  static const std::vector<RobotFact> all = {
      {"four_bar", 1e-8, {{"link2", "link3", {1, 0, 0}, {0.5, 0, 0}}}},
      {"six_bar", 1e-8, {{"link3", "link5", {0.3, 0, 0}, {0.5, 0, 0}}}},
      {"planar_leg_linkage", 1e-8, {{"foot", "shank_support", {0.031, 0, 0}, {0.096, 0, 0}}}},
      {"cassie",
       1e-5,
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
    EXPECT_LE(largest(error), 1e-10) << "the loops of the file are not these";
    for (const Method method : closure_methods()) {
      SolveOptions solve;
      solve.method = method;
      const Status status =
          constrained_dynamics(w, solve, {q.data(), v.data(), tau.data()}, qdd.data(), nullptr);
      EXPECT_GE(static_cast<int>(status), 0) << name_of(method) << ": " << w.message();
      EXPECT_LE(relative_error(qdd, ours(numbers(state.at("loop").at("qdd")), places.v)), fact.tolerance)
          << name_of(method);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, ClosedByRows, ::testing::ValuesIn(robots()),
                         [](const auto& test) { return std::string(test.param.name); });

// The same with the loops of the file, the first ones embedded and the others closed by rows that the model
// brings, and with contacts on top.
class DividedLoops : public ::testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(DividedLoops, LoopsAndContacts) {
  const auto [name, embedded] = GetParam();
  const Json file = Json::parse(std::ifstream(std::string(TENON_GOLDEN_DIR "/") + name + ".json"));
  CompileOptions options;
  options.floating_base = file.at("base") == "floating";
  for (std::size_t i = 0; i < 3; ++i) options.gravity[i] = file.at("gravity")[i].get<double>();
  Mechanism mechanism = load_urdf(std::string(TENON_MODELS_DIR "/") + file.at("urdf").get<std::string>());
  for (std::size_t i = 0; i < mechanism.loops.size(); ++i)
    mechanism.loops[i].treatment =
        static_cast<int>(i) < embedded ? LoopTreatment::embed : LoopTreatment::rows;
  const auto model = Model::compile(mechanism, options);
  ASSERT_EQ(model->row_loops.size() + static_cast<std::size_t>(embedded), mechanism.loops.size());
  const Places places = places_of(file, *model, options);
  std::vector<ConstraintSpec> contacts;
  for (const Json& contact : file.at("contacts")) {
    Pose frame;
    for (std::size_t i = 0; i < 3; ++i) frame.translation[i] = contact.at("point")[i].get<double>();
    const int link = model->find_link(contact.at("link").get<std::string>());
    contacts.push_back(contact.at("dim") == 6 ? weld_constraint(link, frame)
                                              : point_constraint(link, frame.translation));
  }
  const double tolerance = std::string(name).find("cassie") == 0 ? 1e-5 : 1e-8;
  Workspace free(model), w(model, ConstraintSet::bind(model, contacts));
  int compared = 0;
  for (const Json& state : file.at("cases")) {
    VectorXd theirs(model->nq), qdd(model->nv);
    theirs << numbers(state.at("q_base")), numbers(state.at("q_joints"));
    const VectorXd q = ours(theirs, places.q), v = ours(numbers(state.at("v")), places.v),
                   tau = ours(numbers(state.at("tau")), places.v);
    ASSERT_EQ(forward_dynamics(free, {q.data(), v.data(), tau.data()}, qdd.data()), Status::ok)
        << free.message();
    EXPECT_LE(relative_error(qdd, ours(numbers(state.at("loop").at("qdd")), places.v)), tolerance);
    ++compared;
    if (!state.contains("loop_and_contact")) continue;
    for (const Method method : {Method::automatic, Method::dense, Method::pv, Method::prox_pv}) {
      SolveOptions solve;
      solve.method = method;
      const Status status =
          constrained_dynamics(w, solve, {q.data(), v.data(), tau.data()}, qdd.data(), nullptr);
      EXPECT_EQ(status, Status::ok) << name_of(method) << ": " << w.message();
      const Json& answer = state.at("loop_and_contact");
      EXPECT_LE(relative_error(qdd, ours(numbers(answer.at("qdd")), places.v)),
                tolerance * std::max(1.0, 1e-6 / answer.at("min_kept_over_max").get<double>()))
          << name_of(method);
      ++compared;
    }
  }
  EXPECT_GE(compared, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Robots, DividedLoops,
    ::testing::Values(std::make_tuple("four_bar.loops", 0), std::make_tuple("six_bar.loops", 0),
                      std::make_tuple("planar_leg_linkage.loops", 0), std::make_tuple("cassie.loops", 0),
                      std::make_tuple("cassie.loops", 1), std::make_tuple("cassie.loops", 3),
                      std::make_tuple("cassie.F6x2", 0), std::make_tuple("cassie.F6x2", 1),
                      std::make_tuple("cassie.F6x2", 3)),
    [](const auto& test) {
      std::string name = std::get<0>(test.param);
      name.replace(name.find('.'), 1, "_");
      return name + "_" + std::to_string(std::get<1>(test.param)) + "_embedded";
    });

}  // namespace
}  // namespace tenon::testing
