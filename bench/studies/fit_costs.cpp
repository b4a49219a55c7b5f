// Fits the constants of the cost model by which Method::automatic chooses (src/plan/choice/cost_model.hpp): times
// every method on robots of many shapes, finds non-negative constants of least relative error, and shows what
// they would choose on the rows of the benchmark. README.md says how to run it.
#include <unistd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/choice/cost_model.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "support/file.hpp"
#include "support/machine.hpp"
#include "support/problem.hpp"

namespace {

using bench::Problem;
using tenon::CostTerm;
using tenon::Method;

// Of CostTerm, in its order.
constexpr const char* term_names[] = {"call",           "hinges",         "obliques",         "balls",
                                      "floats",         "hinge_supports", "oblique_supports", "ball_supports",
                                      "float_supports", "rows",           "row_bodies",       "row_passes",
                                      "segments",       "surplus_rows",   "row_pairs",        "row_paths",
                                      "paths",          "squared_paths",  "rows_squared",     "rows_cubed"};
static_assert(std::size(term_names) == tenon::cost_term_count);

struct Candidate {
  Method method;
  std::vector<CostTerm>
      terms;  // those its cost is made of; none: timed, but never chosen (what_automatic_takes.hpp)
};

std::vector<Candidate> candidates() {
  using namespace tenon;
  const std::vector<CostTerm> sweep = {
      cost_call,           cost_hinges,           cost_obliques,      cost_balls,          cost_floats,
      cost_hinge_supports, cost_oblique_supports, cost_ball_supports, cost_float_supports, cost_rows};
  const auto with = [&](std::vector<CostTerm> more) {
    more.insert(more.begin(), sweep.begin(), sweep.end());
    return more;
  };
  const std::vector<CostTerm> dual =
      with({cost_row_bodies, cost_row_pairs, cost_rows_squared, cost_rows_cubed});
  return {{Method::pv_early, with({cost_row_passes, cost_segments, cost_surplus_rows})},
          {Method::constrained_aba, sweep},
          {Method::prox_pv, dual},
          {Method::prox_ltl, with({cost_row_bodies, cost_row_pairs, cost_row_paths, cost_paths,
                                   cost_squared_paths, cost_rows_squared, cost_rows_cubed})},
          {Method::prox_ltls,
           with({cost_row_bodies, cost_row_pairs, cost_row_paths, cost_paths, cost_squared_paths})},
          {Method::pv, {}}};
}

// ---- problems -------------------------------------------------------------------------------------------

struct Row {
  std::string name;
  bool of_benchmark = false;  // its robot and contacts are a row of dynamics_bench
  tenon::CostTerms terms{};
  std::vector<double> nanoseconds;  // by candidate
  std::size_t chosen_here = 0;      // candidate that automatic takes
  bool early = true;                // pv_early takes these rows itself
  bool taken_by(Method method) const { return early || method != Method::pv_early; }
};

// A chain whose joints are of these types in turn, on a floating base or none, each third link with a side
// arm.
tenon::Mechanism mixed_tree(const std::vector<tenon::JointType>& types, int links) {
  tenon::Mechanism mechanism;
  mechanism.name = "mixed";
  mechanism.links.push_back({"link0", 2, {0, 0, 0.1}, {0.02, 0, 0, 0.02, 0, 0.02}});
  for (int i = 1; i <= links; ++i) {
    const std::string parent = "link" + std::to_string(i % 3 == 0 && i > 3 ? i - 2 : i - 1);
    tenon::MechanismJoint& joint = bench::add_rod(mechanism, "link" + std::to_string(i), parent, {0.2, 0, 0});
    joint.type = types[static_cast<std::size_t>(i) % types.size()];
    joint.axis = i % 2 ? tenon::Vector3{0, 0, 1} : tenon::Vector3{0.3, 0.5, 0.8};
  }
  return mechanism;
}

std::vector<Problem> mixed_problems() {
  using tenon::JointType;
  const std::vector<std::pair<std::string, std::vector<JointType>>> kinds = {
      {"spherical", {JointType::spherical}},
      {"oblique", {JointType::revolute}},
      {"planar", {JointType::planar, JointType::revolute}},
      {"mixed", {JointType::revolute, JointType::spherical, JointType::prismatic, JointType::revolute}},
      {"floating", {JointType::floating, JointType::revolute, JointType::revolute}}};
  std::vector<Problem> problems;
  for (const auto& [name, types] : kinds) {
    for (const int links : {4, 10, 24}) {
      const auto model = bench::compile(mixed_tree(types, links), links == 10);
      const std::string title = name + "_" + std::to_string(links);
      problems.emplace_back(title + "/tip", model,
                            std::vector<tenon::ConstraintSpec>{tenon::weld_constraint(links, {})});
      std::vector<tenon::ConstraintSpec> many;
      for (int link = links; link > 0; link -= 3) many.push_back(tenon::point_constraint(link, {0.2, 0, 0}));
      problems.emplace_back(title + "/points", model, many);
    }
  }
  return problems;
}

// Calls take(problem, whether it is a row of the benchmark) on one after the other.
template <class Take>
void each_problem(Take&& take) {
  for (const bench::Robot& robot : bench::all_robots()) {
    const auto& own = robot.contacts;
    const std::vector<bench::ContactSpec> first = {own.front()};
    std::vector<bench::ContactSpec> point = first,
                                    half(own.begin(), own.begin() + static_cast<long>((own.size() + 1) / 2));
    point[0].rows = 3;
    const auto problem = [&](const char* what, const std::vector<bench::ContactSpec>& contacts,
                             bool of_benchmark) {
      Problem made(robot.name + what, robot, contacts);
      take(made, of_benchmark);
    };
    problem("", own, true);
    problem("/one_point", point, false);
    if (own.size() > 1) problem("/first", first, false);
    if (own.size() > 3) problem("/half", half, false);
    if (own.size() < 12) problem("/four_points_each", bench::corners(own), false);
  }
  for (Problem& problem : mixed_problems()) take(problem, false);
}

// Of a solve by each method, in turns.
std::vector<double> nanoseconds(Problem& problem, const std::vector<Candidate>& candidates) {
  std::vector<Method> methods;
  for (const Candidate& c : candidates) methods.push_back(c.method);
  std::vector<double> times = bench::solve_times(problem, methods, 100, 60);
  for (double& time : times) time *= 1e9;
  return times;
}

// The place in `candidates` of the method that automatic takes.
std::size_t chosen_by_library(Problem& problem, const std::vector<Candidate>& candidates) {
  problem.solve(problem.draw(1, true), {});
  std::size_t k = 0;
  while (k + 1 < candidates.size() && candidates[k].method != problem.report().method) ++k;
  return k;
}

// ---- fit ------------------------------------------------------------------------------------------------

// x >= 0 of least |A x - b|: Lawson and Hanson's active set, Solving Least Squares Problems, 1974, ch. 23.
Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  const Eigen::Index n = A.cols();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<bool> free(static_cast<std::size_t>(n), false);
  const auto is_free = [&](Eigen::Index j) { return free[static_cast<std::size_t>(j)]; };
  for (int round = 0; round < 10 * n; ++round) {
    const Eigen::VectorXd gradient = A.transpose() * (b - A * x);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < n; ++j)
      if (!is_free(j) && gradient(j) > 1e-9 && (best < 0 || gradient(j) > gradient(best))) best = j;
    if (best < 0) break;
    free[static_cast<std::size_t>(best)] = true;
    for (bool inside = false; !inside;) {
      std::vector<Eigen::Index> columns;
      for (Eigen::Index j = 0; j < n; ++j)
        if (is_free(j)) columns.push_back(j);
      Eigen::MatrixXd B(A.rows(), static_cast<Eigen::Index>(columns.size()));
      for (std::size_t c = 0; c < columns.size(); ++c)
        B.col(static_cast<Eigen::Index>(c)) = A.col(columns[c]);
      const Eigen::VectorXd z = B.completeOrthogonalDecomposition().solve(b);
      double step = 1;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double target = z(static_cast<Eigen::Index>(c)), now = x(columns[c]);
        if (target <= 0) step = std::min(step, now > 0 ? now / (now - target) : 0.0);
      }
      inside = step == 1;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        double& value = x(columns[c]);
        value += step * (z(static_cast<Eigen::Index>(c)) - value);
        if (!inside && value <= 1e-12) value = 0, free[static_cast<std::size_t>(columns[c])] = false;
      }
    }
  }
  return x;
}

// Constants by term, and the relative errors they leave.
struct Fit {
  std::vector<double> constants = std::vector<double>(tenon::cost_term_count, 0.0);
  double mean_error = 0, worst_error = 0;
};

double predicted(const Fit& fit, const tenon::CostTerms& terms) {
  double cost = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) cost += fit.constants[i] * terms[i];
  return cost;
}

Fit fit_method(const std::vector<Row>& all, std::size_t k, const Candidate& candidate) {
  Fit fit;
  if (candidate.terms.empty()) return fit;
  std::vector<Row> rows;
  for (const Row& row : all)
    if (row.taken_by(candidate.method)) rows.push_back(row);
  Eigen::MatrixXd A(static_cast<Eigen::Index>(rows.size()),
                    static_cast<Eigen::Index>(candidate.terms.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t t = 0; t < candidate.terms.size(); ++t)
      A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(t)) =
          rows[i].terms[candidate.terms[t]] / rows[i].nanoseconds[k];
  const Eigen::VectorXd scale = A.colwise().norm().cwiseMax(1e-300);
  const Eigen::VectorXd x =
      non_negative_least_squares(A * scale.cwiseInverse().asDiagonal(), Eigen::VectorXd::Ones(A.rows()));
  for (std::size_t t = 0; t < candidate.terms.size(); ++t)
    fit.constants[candidate.terms[t]] = x(static_cast<Eigen::Index>(t)) / scale(static_cast<Eigen::Index>(t));
  for (const Row& row : rows) {
    const double error = std::abs(predicted(fit, row.terms) / row.nanoseconds[k] - 1);
    fit.mean_error += error / static_cast<double>(rows.size());
    fit.worst_error = std::max(fit.worst_error, error);
  }
  return fit;
}

// ---- what comes of it -----------------------------------------------------------------------------------

// Writes the fitted part of the file; what stands before and after it stays.
void write_constants(const char* path, const std::vector<Candidate>& methods, const std::vector<Fit>& fits,
                     std::size_t problems) {
  const std::string old = bench::text_of(path);
  const std::size_t begin = old.find("// ---- fitted"), end = old.find("// ---- measured");
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw std::runtime_error(std::string(path) + " lacks the lines '// ---- fitted' and '// ---- measured'");
  const bench::File opened = bench::create_file(path);
  std::FILE* file = opened.get();
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::fputs(old.substr(0, begin).c_str(), file);
  std::fprintf(
      file,
      "// ---- fitted\n\n// Nanoseconds a term costs (CostTerm, in its order), by method. Written by "
      "bench/studies/fit_costs.cpp, which\n// says how it measures; bench/studies/README.md has the "
      "command. %s, %s,\n// %s, %zu problems.\n",
      date, bench::cpu_model().c_str(), bench::compiler().c_str(), problems);
  std::fprintf(file,
               "struct CostConstants {\n  Method method;\n  double nanoseconds[cost_term_count];\n};\n\n"
               "// clang-format off\ninline constexpr CostConstants cost_constants[] = {\n");
  for (std::size_t k = 0; k < methods.size(); ++k) {
    if (methods[k].terms.empty()) continue;
    std::fprintf(file, "    // mean error %.1f %%, at most %.0f %%\n    {Method::%s, {",
                 100 * fits[k].mean_error, 100 * fits[k].worst_error, bench::name_of(methods[k].method));
    for (std::size_t t = 0; t < tenon::cost_term_count; ++t)
      std::fprintf(file, "%s%.4g", t == 0 ? "" : t == 10 ? ",\n        " : ", ", fits[k].constants[t]);
    std::fprintf(file, "}},\n");
  }
  std::fprintf(file, "};\n// clang-format on\n\n%s", old.c_str() + end);
}

std::size_t choice_by(const std::vector<Fit>& fits, const std::vector<Candidate>& methods, const Row& row) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const double cost = predicted(fits[k], row.terms);
    if (cost >= least || methods[k].terms.empty() || !row.taken_by(methods[k].method)) continue;
    least = cost;
    best = k;
  }
  return best;
}

struct Regret {
  double worst = 1, sum = 0;
  int count = 0, beyond = 0;
  void see(double ratio) {
    worst = std::max(worst, ratio);
    sum += ratio;
    ++count;
    beyond += ratio > 1.1;
  }
  void print(const char* what) const {
    std::printf(
        "%s: the chosen method takes %.3f times the best one on average, at most %.3f; %d of %d beyond "
        "1.1\n",
        what, sum / count, worst, beyond, count);
  }
};

// choice_of: the place in `methods` of the method chosen for a row.
template <class ChoiceOf>
void print_choices(const std::vector<Row>& rows, const std::vector<Candidate>& methods,
                   ChoiceOf&& choice_of) {
  std::printf("%-36s %5s", "us a solve", "m");
  for (const Candidate& c : methods) std::printf(" %15s", bench::name_of(c.method));
  std::printf("  chosen, times the best\n");
  Regret benchmark, all;
  for (const Row& row : rows) {
    const std::size_t choice = choice_of(row);
    const double best = *std::min_element(row.nanoseconds.begin(), row.nanoseconds.end());
    const double ratio = row.nanoseconds[choice] / best;
    all.see(ratio);
    if (row.of_benchmark) benchmark.see(ratio);
    std::printf("%-36s %5.0f", row.name.c_str(), row.terms[tenon::cost_rows]);
    for (const double t : row.nanoseconds) std::printf(" %15.2f", 1e-3 * t);
    std::printf("  %s %.2f%s\n", bench::name_of(methods[choice].method), ratio, ratio > 1.1 ? " (!)" : "");
  }
  benchmark.print("rows of the benchmark");
  all.print("all problems");
}

}  // namespace

int main(int argc, char** argv) try {
  const char* path = nullptr;
  bool check = false;
  if (argc == 3 && std::strcmp(argv[1], "--write") == 0) {
    path = argv[2];
  } else if (argc == 2 && std::strcmp(argv[1], "--check") == 0) {
    check = true;
  } else if (argc != 1) {
    std::fprintf(stderr,
                 "fit_costs: unknown argument '%s'; usage: fit_costs [--write FILE], or fit_costs --check\n",
                 argv[1]);
    return 2;
  }
  const std::vector<Candidate> methods = candidates();
  std::vector<Row> rows;
  each_problem([&](Problem& problem, bool of_benchmark) {
    // The model counts work; what branch lanes save is divided out where the choice is made.
    if (!check) problem.use_bodies_one_by_one();
    const tenon::ModelData& m = problem.model().data();
    const tenon::ConstraintData& c = problem.constraints().data();
    rows.push_back({problem.name(), of_benchmark, tenon::cost_terms(m, c), nanoseconds(problem, methods),
                    chosen_by_library(problem, methods), tenon::early_work(m, c).possible});
    if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r%3zu problems timed", rows.size());
  });
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\n");
  if (check) {
    print_choices(rows, methods, [](const Row& row) { return row.chosen_here; });
    return 0;
  }
  std::vector<Fit> fits;
  for (std::size_t k = 0; k < methods.size(); ++k) fits.push_back(fit_method(rows, k, methods[k]));
  print_choices(rows, methods, [&](const Row& row) { return choice_by(fits, methods, row); });
  for (std::size_t k = 0; k < methods.size(); ++k) {
    if (methods[k].terms.empty()) continue;
    std::printf("\n%s: mean error %.1f %%, at most %.0f %%; nanoseconds of",
                bench::name_of(methods[k].method), 100 * fits[k].mean_error, 100 * fits[k].worst_error);
    for (int t = 0; t < tenon::cost_term_count; ++t) {
      const double constant = fits[k].constants[static_cast<std::size_t>(t)];
      if (constant > 0) std::printf(" %s %.3g", term_names[t], constant);
    }
    std::printf("\n");
  }
  if (path) write_constants(path, methods, fits, rows.size());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "fit_costs: %s\n", error.what());
  return 1;
}
