// The numbers of independent programs (tests/golden/data/README.md): mass matrix, bias force, inverse and
// forward dynamics; of robots without loops constrained accelerations and forces by every method, of those
// with loops accelerations with them closed.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden/files.hpp"
#include "support/constrained_scene.hpp"
#include "support/methods/delassus_methods.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Json = nlohmann::json;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Json read_json(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

VectorXd to_vector(const Json& list) {
  VectorXd x(static_cast<Eigen::Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) x(static_cast<Eigen::Index>(i)) = list[i].get<double>();
  return x;
}

MatrixXd to_matrix(const Json& rows) {
  MatrixXd M(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.at(0).size()));
  for (Eigen::Index i = 0; i < M.rows(); ++i)
    M.row(i) = to_vector(rows[static_cast<std::size_t>(i)]).transpose();
  return M;
}

// One file: the robot, its contacts, and where each coordinate of the file is in ours.
struct Golden {
  explicit Golden(const std::string& name)
      : file(read_json(std::string(TENON_GOLDEN_DIR "/") + name + ".json")) {
    CompileOptions options;
    options.floating_base = file.at("base") == "floating";
    for (std::size_t i = 0; i < 3; ++i) options.gravity[i] = file.at("gravity")[i].get<double>();
    model = Model::compile(load_urdf(std::string(TENON_MODELS_DIR "/") + file.at("urdf").get<std::string>()),
                           options);
    map_coordinates(options);
    for (const Json& contact : file.at("contacts")) {
      Pose frame;
      for (std::size_t i = 0; i < 3; ++i) frame.translation[i] = contact.at("point")[i].get<double>();
      const int link = model->find_link(contact.at("link").get<std::string>());
      if (link < 0) throw std::runtime_error("no link " + contact.at("link").dump());
      contacts.push_back(contact.at("dim") == 6 ? weld_constraint(link, frame)
                                                : point_constraint(link, frame.translation));
    }
    set = ConstraintSet::bind(model, contacts);
  }

  void map_coordinates(const CompileOptions& options) {
    if (options.floating_base) {
      const Model::Joint& base =
          model->joints.at(static_cast<std::size_t>(model->find_joint(options.floating_joint_name)));
      for (int k = 0; k < 6; ++k) v_index.push_back(base.v_index + k);
      for (int k = 0; k < 7; ++k) q_index.push_back(base.q_index + k);
    }
    for (const Json& name : file.at("joints")) {
      const int found = model->find_joint(name.get<std::string>());
      if (found < 0) throw std::runtime_error("no joint " + name.dump());
      const Model::Joint& joint = model->joints[static_cast<std::size_t>(found)];
      v_index.push_back(joint.v_index);
      q_index.push_back(joint.q_index);
    }
  }

  VectorXd ours(const Json& list) const { return scattered(to_vector(list), v_index); }
  VectorXd configuration(const Json& state) const {
    VectorXd base = to_vector(state.at("q_base")), joints = to_vector(state.at("q_joints"));
    VectorXd q(base.size() + joints.size());
    q << base, joints;
    return scattered(q, q_index);
  }
  MatrixXd ours_matrix(const Json& rows) const {
    const MatrixXd theirs = to_matrix(rows);
    MatrixXd M(theirs.rows(), theirs.cols());
    for (Eigen::Index i = 0; i < M.rows(); ++i)
      for (Eigen::Index j = 0; j < M.cols(); ++j)
        M(v_index[static_cast<std::size_t>(i)], v_index[static_cast<std::size_t>(j)]) = theirs(i, j);
    return M;
  }
  static VectorXd scattered(const VectorXd& x, const std::vector<int>& index) {
    VectorXd y(x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) y(index[static_cast<std::size_t>(i)]) = x(i);
    return y;
  }

  Json file;
  std::shared_ptr<const Model> model;
  std::vector<ConstraintSpec> contacts;
  std::shared_ptr<const ConstraintSet> set;
  std::vector<int> q_index, v_index;
};

// The mass matrix and the torques for an acceleration, whether or not the file has loops.
void expect_inverse_dynamics(const Golden& golden, Workspace& w, const Json& state) {
  const int n = golden.model->nv;
  const VectorXd q = golden.configuration(state), v = golden.ours(state.at("v")),
                 a = golden.ours(state.at("acc"));
  VectorXd x(n);
  ASSERT_EQ(inverse_dynamics(w, {q.data(), v.data(), nullptr, nullptr, nullptr, a.data()}, x.data()),
            Status::ok)
      << w.message();
  EXPECT_LE(relative_error(x, golden.ours(state.at("rnea_tau_for_acc"))), 1e-10);
  if (!state.contains("M")) return;
  MatrixXd M(n, n);
  ASSERT_EQ(mass_matrix(w, q.data(), M.data(), n), Status::ok);
  EXPECT_LE(relative_error(M, golden.ours_matrix(state.at("M"))), 1e-10);
}

class GoldenTree : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTree, UnconstrainedDynamics) {
  const Golden golden(GetParam());
  const int n = golden.model->nv;
  ASSERT_EQ(n, golden.file.at("nv").get<int>());
  Workspace w(golden.model);
  for (const Json& state : golden.file.at("cases")) {
    const VectorXd q = golden.configuration(state), v = golden.ours(state.at("v"));
    const VectorXd tau = golden.ours(state.at("tau"));
    VectorXd x(n);
    ASSERT_EQ(bias_force(w, q.data(), v.data(), nullptr, x.data()), Status::ok) << w.message();
    EXPECT_LE(relative_error(x, golden.ours(state.at("bias_c"))), 1e-10);
    ASSERT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data()}, x.data()), Status::ok);
    EXPECT_LE(relative_error(x, golden.ours(state.at("aba_qdd"))), 1e-10);
    expect_inverse_dynamics(golden, w, state);
  }
}

TEST_P(GoldenTree, DelassusByEveryMethod) {
  const Golden golden(GetParam());
  const int rows = golden.set->row_count();
  Workspace w(golden.model, golden.set);
  for (const Json& state : golden.file.at("cases")) {
    if (!state.contains("contact") || !state.at("contact").contains("delassus")) continue;
    const MatrixXd expected = to_matrix(state.at("contact").at("delassus"));
    const VectorXd q = golden.configuration(state);
    for (const NamedDelassus& m : delassus_methods) {
      MatrixXd A(rows, rows);
      ASSERT_EQ(delassus_matrix(w, m.method, q.data(), A.data(), rows), Status::ok) << w.message();
      EXPECT_LE(relative_error(A, expected), 1e-10) << m.name;
    }
  }
}

void check_contact(const Golden& golden, const Json& state, Method method) {
  const Json& contact = state.at("contact");
  const VectorXd q = golden.configuration(state), v = golden.ours(state.at("v")),
                 tau = golden.ours(state.at("tau"));
  const int n = golden.model->nv, rows = golden.set->row_count();
  ASSERT_EQ(rows, contact.at("rows").get<int>());
  const double kept = contact.at("min_kept_over_max").get<double>();
  const double tolerance = 1e-8 * std::max(1.0, 1e-6 / kept);

  Workspace w(golden.model, golden.set);
  SolveOptions options;
  options.method = method;
  VectorXd qdd(n), lambda(rows);
  const Status status =
      constrained_dynamics(w, options, {q.data(), v.data(), tau.data()}, qdd.data(), lambda.data());
  const bool contradictory = contact.at("residual_inf").get<double>() > 1e-6;
  EXPECT_EQ(status, contradictory ? Status::infeasible : Status::ok) << w.message();
  EXPECT_LE(relative_error(qdd, golden.ours(contact.at("qdd"))), tolerance);

  MatrixXd J(rows, n);
  ASSERT_EQ(constraint_rows(w, q.data(), v.data(), nullptr, J.data(), rows, nullptr, nullptr, nullptr),
            Status::ok);
  EXPECT_LE(relative_error(J.transpose() * lambda, golden.ours(contact.at("JT_lambda"))), tolerance);
  if (contact.at("rank") == rows) {
    EXPECT_LE(relative_error(lambda, to_vector(contact.at("lambda"))),
              tolerance * std::max(1.0, 1e-3 / kept));
  }
  if (contradictory) {
    EXPECT_NEAR(w.report().primal_residual, contact.at("residual_inf").get<double>(), 1e-8);
  } else {
    EXPECT_LE(w.report().primal_residual, 1e-8);
  }
}

TEST_P(GoldenTree, ContactsByEveryMethod) {
  const Golden golden(GetParam());
  for (const Method method : available_methods()) {
    int number = 0;
    for (const Json& state : golden.file.at("cases")) {
      SCOPED_TRACE(std::string(name_of(method)) + ", case " + std::to_string(number++));
      if (state.contains("contact")) check_contact(golden, state, method);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenTree,
                         ::testing::ValuesIn(tenon_golden::names(tenon_golden::Robots::without_loops)),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

class GoldenLoops : public ::testing::TestWithParam<std::string> {
 protected:
  // Two rows of cassie are redundant but for rounding.
  static double tolerance(const Golden& golden) {
    return golden.file.at("urdf") == "cassie.urdf" ? 1e-5 : 1e-8;
  }
};

TEST_P(GoldenLoops, SpanningTree) {
  const Golden golden(GetParam());
  const int n = golden.model->nv;
  ASSERT_EQ(n, golden.file.at("nv").get<int>());
  Workspace w(golden.model);
  for (const Json& state : golden.file.at("cases")) {
    const VectorXd q = golden.configuration(state), v = golden.ours(state.at("v"));
    VectorXd x(n);
    ASSERT_EQ(bias_force(w, q.data(), v.data(), nullptr, x.data()), Status::ok) << w.message();
    // Zero where gravity lies along all axes and nothing moves.
    EXPECT_LE((x - golden.ours(state.at("bias_c"))).norm(), 1e-10 * std::max(1e-6, x.norm()));
    expect_inverse_dynamics(golden, w, state);
  }
}

TEST_P(GoldenLoops, ForwardDynamics) {
  const Golden golden(GetParam());
  Workspace w(golden.model);
  for (const Json& state : golden.file.at("cases")) {
    const VectorXd q = golden.configuration(state), v = golden.ours(state.at("v")),
                   tau = golden.ours(state.at("tau"));
    VectorXd qdd(golden.model->nv);
    ASSERT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data()}, qdd.data()), Status::ok) << w.message();
    EXPECT_LE(relative_error(qdd, golden.ours(state.at("loop").at("qdd"))), tolerance(golden));
  }
}

TEST_P(GoldenLoops, Contacts) {
  const Golden golden(GetParam());
  Workspace w(golden.model, golden.set);
  for (const Json& state : golden.file.at("cases")) {
    if (!state.contains("loop_and_contact")) continue;
    const Json& answer = state.at("loop_and_contact");
    const VectorXd q = golden.configuration(state), v = golden.ours(state.at("v")),
                   tau = golden.ours(state.at("tau"));
    VectorXd qdd(golden.model->nv);
    ASSERT_EQ(constrained_dynamics(w, {}, {q.data(), v.data(), tau.data()}, qdd.data(), nullptr), Status::ok)
        << w.message();
    const double kept = answer.at("min_kept_over_max").get<double>();
    EXPECT_LE(relative_error(qdd, golden.ours(answer.at("qdd"))),
              tolerance(golden) * std::max(1.0, 1e-6 / kept));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenLoops,
                         ::testing::ValuesIn(tenon_golden::names(tenon_golden::Robots::with_loops)),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// A folder that is lost must not pass in silence.
TEST(Golden, FilesAreThere) {
  EXPECT_GE(tenon_golden::names(tenon_golden::Robots::without_loops).size(), 12u);
  EXPECT_GE(tenon_golden::names(tenon_golden::Robots::with_loops).size(), 11u);
}

}  // namespace
}  // namespace tenon::testing
