// A recording is held against the calls of the library, at another state than its own.
#include "tenonx/recording.hpp"
#include "reference/decompositions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <tuple>

#include "model/small_mechanisms.hpp"
#include "support/largest.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"
#include "tenonx/evaluate.hpp"

namespace tenon::trace {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using tenon::testing::Random;

struct Scene {
  std::string name;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const ConstraintSet> constraints;  // null: none
};

Scene scene(const char* robot, bool floating, const std::vector<const char*>& welds,
            const std::vector<const char*>& points) {
  CompileOptions options;
  options.floating_base = floating;
  Scene s{robot, Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/" + robot + ".urdf"), options),
          nullptr};
  std::vector<ConstraintSpec> specs;
  for (const char* link : welds) specs.push_back(weld_constraint(s.model->find_link(link), {}));
  for (const char* link : points)
    specs.push_back(point_constraint(s.model->find_link(link), {0.01, 0.02, 0.03}));
  if (!specs.empty()) s.constraints = ConstraintSet::bind(s.model, specs);
  return s;
}

// Rows that are independent by far, so that rounding decides nothing.
bool are_independent(const Scene& s) {
  Workspace w(s.model, s.constraints);
  const int rows = s.constraints->row_count();
  std::vector<double> q(static_cast<std::size_t>(s.model->nq));
  random_configuration(*s.model, 77, q.data());
  Eigen::MatrixXd delassus(rows, rows);
  if (delassus_matrix(w, DelassusMethod::dense, q.data(), delassus.data(), rows) != Status::ok) return false;
  const Eigen::VectorXd e = reference::eigenvalues(delassus);
  return e[0] > 1e-3 * e[rows - 1];
}

std::vector<Scene> scenes() {
  std::vector<Scene> all = {
      scene("double_pendulum", false, {}, {}),
      scene("iiwa14", false, {"iiwa_link_7"}, {}),
      scene("solo12", true, {}, {"FL_FOOT", "HR_FOOT"}),
      scene("atlas", true, {"l_foot", "r_foot"}, {}),
      scene("mini_cheetah", true, {}, {"FL_knee_link", "HR_knee_link"}),
      scene("mit_humanoid", false, {}, {}),
      scene("four_bar", false, {}, {}),
      scene("six_bar", false, {}, {}),
  };
  for (int seed = 0; seed < 12; ++seed) {
    const testing::Robot robot = testing::random_robot(static_cast<std::uint64_t>(seed), 12);
    if (robot.model->nv == 0) continue;
    Random random(static_cast<std::uint64_t>(seed));
    Scene s{"random " + std::to_string(seed), robot.model, nullptr};
    s.constraints = ConstraintSet::bind(
        s.model,
        {point_constraint(static_cast<int>(s.model->links.size()) - 1, {0.1, 0.2, 0.3}, RowAxes::world)});
    if (s.constraints->data().node_row_first[0] > 0 || !are_independent(s)) s.constraints = nullptr;
    all.push_back(s);
  }
  return all;
}

std::vector<double> other_state(const Array& array, const Scene& s, Random& random) {
  std::vector<double> x(number(array.size, *s.model, s.constraints.get()));
  if (array.size == Size::nq) {
    random_configuration(*s.model, 77, x.data());
    Workspace w(s.model);
    EXPECT_EQ(close_loops(w, LoopMoves::all, x.data(), nullptr), Status::ok) << s.name;
  } else
    for (double& value : x) value = random.uniform(-2, 2);
  return x;
}

// What an algorithm returns, by the calls of the library; of constrained dynamics by the dense method.
using Given = std::vector<std::vector<double>>;
MatrixXd tree_mass_matrix(Workspace& w, const double* q) {
  MatrixXd M(w.model().nv, w.model().nv);
  EXPECT_EQ(mass_matrix(w, q, M.data(), w.model().nv), Status::ok);
  return M;
}

// Rotations are those to world axes.
void pose_of_links(Workspace& w, const Given& in, const std::vector<double*>& out) {
  ASSERT_EQ(kinematics(w, in[0].data(), nullptr, nullptr), Status::ok);
  double* pose = out[0];
  for (std::size_t i = 0; i < w.model().links.size(); ++i) {
    if (w.model().links[i].is_frame) continue;
    ASSERT_EQ(link_pose(w, static_cast<int>(i), pose, nullptr, pose + 3), Status::ok);
    pose += 12;
  }
}

// M = L^T D L, from the last row to the first.
void factor_of_mass_matrix(Workspace& w, const Given& in, const std::vector<double*>& out) {
  MatrixXd M = tree_mass_matrix(w, in[0].data());
  Eigen::Map<MatrixXd> L(out[0], M.rows(), M.cols());
  for (auto k = M.rows() - 1; k >= 0; --k) {
    out[1][k] = 1 / M(k, k);
    L.row(k).head(k + 1) = M.row(k).head(k + 1) / M(k, k);
    M.topLeftCorner(k, k) -= M(k, k) * L.row(k).head(k).transpose() * L.row(k).head(k);
  }
}

void constrained_by_dense(Workspace& w, const Given& in, const std::vector<double*>& out) {
  SolveOptions dense;
  dense.method = Method::dense;
  ASSERT_EQ(constrained_dynamics(w, dense, {in[0].data(), in[1].data(), in[2].data(), nullptr, in[3].data()},
                                 out[0], out[1]),
            Status::ok)
      << w.message();
}

MatrixXd delassus_by_dense(Workspace& w, const Given& in, bool inverse, double mu) {
  const ConstraintData& c = w.constraints()->data();
  MatrixXd A(c.row_count, c.row_count);
  std::vector<double> mu_of_row(static_cast<std::size_t>(c.row_count));
  for (int r = 0; r < c.row_count; ++r)
    mu_of_row[static_cast<std::size_t>(c.user_row[r])] = 1 / proximal_term({}, c, r, mu);
  EXPECT_EQ(inverse ? damped_delassus_inverse(w, DampedInverseMethod::dense, in[0].data(),
                                              {0, mu_of_row.data()}, A.data(), c.row_count)
                    : delassus_matrix(w, DelassusMethod::dense, in[0].data(), A.data(), c.row_count),
            Status::ok);
  return A;
}

// By what integrate() moves to in h, 2 h and backward, to fourth order.
void rate_of_positions(Workspace& w, const Given& in, const std::vector<double*>& out) {
  const double h = 5e-4;
  const std::size_t nq = in[0].size();
  const auto moved = [&](double dt) {
    std::vector<double> q(nq);
    EXPECT_EQ(integrate(w, in[0].data(), in[1].data(), dt, q.data()), Status::ok);
    return q;
  };
  const std::vector<double> one = moved(h), back = moved(-h), two = moved(2 * h), back_two = moved(-2 * h);
  for (std::size_t i = 0; i < nq; ++i)
    out[0][i] = (8 * (one[i] - back[i]) - (two[i] - back_two[i])) / (12 * h);
}

void by_the_library(const Algorithm& algorithm, double mu, Workspace& w, const Given& in,
                    const std::vector<double*>& out) {
  const std::string name = algorithm.about.name, result = algorithm.outputs[0].name;
  const auto nv = w.model().nv;
  const double *q = in[0].data(), *second = in.size() > 1 ? in[1].data() : nullptr,
               *third = in.size() > 2 ? in[2].data() : nullptr;
  if (algorithm.about.constrained && result == "qdd") return constrained_by_dense(w, in, out);
  if (result == "delassus" || result == "inverse") {
    const MatrixXd A = delassus_by_dense(w, in, result == "inverse", mu);
    std::copy_n(A.data(), A.size(), out[0]);
  } else if (result == "x" && algorithm.about.constrained) {
    const MatrixXd A = delassus_by_dense(w, in, true, mu);
    Eigen::Map<VectorXd>(out[0], A.rows()) = A * Eigen::Map<const VectorXd>(second, A.rows());
  } else if (name == "kinematics") {
    pose_of_links(w, in, out);
  } else if (name == "position_rate") {
    rate_of_positions(w, in, out);
  } else if (name == "rnea") {
    ASSERT_EQ(inverse_dynamics(w, {q, second, nullptr, nullptr, nullptr, third}, out[0]), Status::ok);
  } else if (name == "bias") {
    ASSERT_EQ(bias_force(w, q, second, nullptr, out[0]), Status::ok);
  } else if (name == "crba") {
    ASSERT_EQ(mass_matrix(w, q, out[0], nv), Status::ok);
  } else if (name == "ltl_factor") {
    factor_of_mass_matrix(w, in, out);
  } else if (name == "ltl_solve") {
    Eigen::Map<VectorXd>(out[0], nv) =
        reference::solved<double>(tree_mass_matrix(w, q), Eigen::Map<const VectorXd>(second, nv));
  } else {
    ASSERT_EQ(name, "aba");
    ASSERT_EQ(forward_dynamics(w, {q, second, third}, out[0]), Status::ok);
  }
}

class RecordingOf : public ::testing::TestWithParam<std::size_t> {};

// At another state than that of the recording. Those made for loops: loop_recording_test.cpp.
TEST_P(RecordingOf, DoesWhatTheLibraryDoes) {
  const Algorithm& algorithm = algorithms()[GetParam()];
  const std::string name = algorithm.about.name;
  const bool solves = algorithm.about.constrained && std::string(algorithm.outputs[0].name) == "qdd";
  TraceOptions options;
  if (!solves) options.mu = 100;  // rounding is multiplied by it
  // One penalty leaves a ten thousandth; three steps leave nothing that matters.
  const double tolerance = name == "pv_soft" ? 1e-3 : solves ? 1e-7 : 1e-10;
  if (algorithm.about.for_loops) return;
  int compared = 0;
  for (const Scene& s : scenes()) {
    if (algorithm.about.constrained && !s.constraints) continue;
    if (!s.model->loops.clusters.empty() && !algorithm.about.loops) continue;
    SCOPED_TRACE(s.name + ", " + name);
    const auto recording = record(*s.model, s.constraints.get(), name, options);
    Random random(5);
    Given inputs, outputs;
    std::vector<double> all_inputs;
    std::vector<double*> out;
    for (const Array& array : algorithm.inputs) {
      inputs.push_back(other_state(array, s, random));
      all_inputs.insert(all_inputs.end(), inputs.back().begin(), inputs.back().end());
    }
    for (const Array& array : algorithm.outputs)
      outputs.emplace_back(number(array.size, *s.model, s.constraints.get()));
    for (auto& x : outputs) out.push_back(x.data());
    Workspace w(s.model, algorithm.about.constrained ? s.constraints : nullptr);
    by_the_library(algorithm, options.mu, w, inputs, out);

    const std::vector<double> recorded = evaluate(recording->graph, all_inputs, recording->all_outputs());
    std::size_t next = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double scale = std::max(testing::largest(outputs[i]), 1e-3);
      double worst = 0;
      for (const double expected : outputs[i])
        worst = testing::larger(worst, std::abs(recorded[next++] - expected) / scale);
      EXPECT_LE(worst, tolerance) << algorithm.outputs[i].name;
    }
    ++compared;
  }
  EXPECT_GE(compared, 3);
}

std::string name_of_algorithm(const ::testing::TestParamInfo<std::size_t>& info) {
  return traceable_algorithms()[info.param].name;
}
INSTANTIATE_TEST_SUITE_P(Recording, RecordingOf,
                         ::testing::Range(std::size_t{0}, traceable_algorithms().size()), name_of_algorithm);

// ---- rows between two moving links, and loops that rows close

std::shared_ptr<const Model> with_row_loops(const char* robot, bool floating) {
  CompileOptions options;
  options.floating_base = floating;
  options.loops = LoopTreatment::rows;
  return Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/" + robot + ".urdf"), options);
}

// Recorded, the algorithm gives at another state what the dense method gives there. set null: a workspace has
// the rows of the loops alone, and so has the recording.
void expect_as_dense(const std::shared_ptr<const Model>& model,
                     const std::shared_ptr<const ConstraintSet>& set, const char* algorithm) {
  SCOPED_TRACE(algorithm);
  const auto recording = record(*model, set.get(), algorithm, {});
  Workspace w(model, set);
  const int rows = w.constraints()->row_count();
  ASSERT_GT(w.constraints()->data().inter_body_count, 0);
  const std::size_t nq = static_cast<std::size_t>(model->nq), nv = static_cast<std::size_t>(model->nv);
  Random random(3);
  std::vector<double> q(nq), v(nv), tau(nv), qdd(nv), lambda(static_cast<std::size_t>(rows)), desired(lambda);
  random_configuration(*model, 77, q.data());
  ASSERT_EQ(close_loops(w, LoopMoves::all, q.data(), nullptr), Status::ok);
  for (double& x : v) x = random.uniform(-1, 1);
  ASSERT_EQ(project_velocity(w, LoopMoves::all, q.data(), v.data()), Status::ok);
  for (double& x : tau) x = random.uniform(-1, 1);
  for (double& x : desired) x = random.uniform(-1, 1);
  SolveOptions dense;
  dense.method = Method::dense;
  ASSERT_EQ(constrained_dynamics(w, dense, {q.data(), v.data(), tau.data(), nullptr, desired.data()},
                                 qdd.data(), lambda.data()),
            Status::ok);
  std::vector<double> inputs, expected = qdd;
  for (const auto* x : {&q, &v, &tau, &desired}) inputs.insert(inputs.end(), x->begin(), x->end());
  expected.insert(expected.end(), lambda.begin(), lambda.end());
  const std::vector<double> recorded = evaluate(recording->graph, inputs, recording->all_outputs());
  ASSERT_EQ(recorded.size(), expected.size());
  const double scale = testing::largest(expected);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(recorded[i], expected[i], 1e-7 * scale);
}

TEST(RecordingOfRows, HoldsLoopsThatRowsClose) {
  for (const auto& [robot, floating] : {std::pair("four_bar", false), std::pair("six_bar", false),
                                        std::pair("strandbeest_leg", false), std::pair("cassie", true)}) {
    SCOPED_TRACE(robot);
    const auto model = with_row_loops(robot, floating);
    const int foot = static_cast<int>(model->links.size()) - 1;
    const auto held = ConstraintSet::bind(model, {point_constraint(foot, {0.01, 0.02, 0.03})});
    const bool room = std::string(robot) == "cassie";  // for the point beside the loops
    for (const TraceableAlgorithm& about : traceable_algorithms()) {
      if (!about.inter_body_rows) continue;
      expect_as_dense(model, nullptr, about.name);
      if (room) expect_as_dense(model, held, about.name);
    }
  }
}

TEST(RecordingOfRows, HoldsClosuresOfTheUsers) {
  const Scene s = scene("solo12", true, {}, {});
  const auto set = ConstraintSet::bind(
      s.model,
      {closure_constraint(s.model->find_link("FL_FOOT"), {}, s.model->find_link("HR_FOOT"), {}, rows_linear),
       point_constraint(s.model->find_link("FR_FOOT"), {})});
  for (const TraceableAlgorithm& about : traceable_algorithms())
    if (about.inter_body_rows) expect_as_dense(s.model, set, about.name);
  // Beside embedded loops, of two dependent coordinates each and of rotors.
  for (const auto& [robot, link, second] : {std::tuple("mini_cheetah", "FL_knee_link", "HR_knee_link"),
                                            std::tuple("cassie", "left-foot", "right-foot")}) {
    SCOPED_TRACE(robot);
    const Scene looped = scene(robot, true, {}, {});
    const auto joined = ConstraintSet::bind(
        looped.model, {closure_constraint(looped.model->find_link(link), {}, looped.model->find_link(second),
                                          {}, rows_linear)});
    for (const TraceableAlgorithm& about : traceable_algorithms())
      if (about.inter_body_rows && about.loops) expect_as_dense(looped.model, joined, about.name);
  }
}

Status status_of_record(const Model& model, const ConstraintSet* set, const std::string& algorithm,
                        std::string* message) {
  try {
    record(model, set, algorithm, {});
  } catch (const Error& error) {
    *message = error.what();
    return error.status();
  }
  return Status::ok;
}

// What would drop the rows is refused; what has no motion as its result is that of the tree, as in a
// workspace.
TEST(RecordingOfRows, DropsNoLoop) {
  const auto model = with_row_loops("four_bar", false);
  for (const TraceableAlgorithm& about : traceable_algorithms()) {
    const std::string name = about.name;
    SCOPED_TRACE(name);
    std::string message;
    const Status status = status_of_record(*model, nullptr, name, &message);
    const bool moves = name == "aba" || name == "c_aba" || name == "c_aba_unfolded" ||
                       name == "approximate_aba" || name == "projection" || name == "multipliers";
    EXPECT_EQ(status,
              moves || (about.constrained && !about.inter_body_rows) ? Status::unsupported : Status::ok)
        << message;
    if (status == Status::ok) continue;
    EXPECT_EQ(moves, message.find("'loop1'") != std::string::npos) << message;
    // What the message advises is taken.
    const bool matrix = message.find("no algorithm for this matrix is") != std::string::npos;
    EXPECT_NE(message.find("take one of ") != std::string::npos, matrix) << message;
  }
}

}  // namespace
}  // namespace tenon::trace
