// How many proximal iterations constrained dynamics takes: [CABA] Fig. 5 (share of random cases whose rows
// hold to 1e-10 after k iterations) and Fig. 4 (residual after k iterations, by method), with mu fixed at 1e6
// as in the paper and with the schedule. README.md says how to run it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/file.hpp"
#include "support/machine.hpp"
#include "support/problem.hpp"

namespace {

using bench::ContactSpec;
using bench::hold;
using bench::Problem;
using tenon::Method;
using tenon::SolveOptions;

constexpr double accuracy = 1e-10;  // m/s^2 or rad/s^2, of the largest row
constexpr int most_iterations = 30;
constexpr int written_iterations = 12;
constexpr double papers_mu = 1e6;

// ---- what is solved ---------------------------------------------------------------------------------------

struct Scenario {
  // constraints: in the paper's words: T tips, F feet, H hands; rows below, how many above
  std::string robot, constraints;
  std::vector<ContactSpec> contacts;
  // Velocities are made to agree with the rows, which would contradict each other else.
  bool dependent = false;
};

std::vector<ContactSpec> both(std::vector<ContactSpec> a, const std::vector<ContactSpec>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The corners of the soles of Atlas.
std::vector<ContactSpec> soles() {
  return bench::corners({{"l_foot", {0.05, 0, -0.08}, 3}, {"r_foot", {0.05, 0, -0.08}, 3}}, 0.13, 0.06);
}

std::vector<Scenario> scenarios() {
  const std::vector<ContactSpec> feet = hold({"l_foot", "r_foot"}, 6);
  const std::vector<std::string> fingers = bench::fingertips();
  const std::vector<std::string> left(fingers.begin(), fingers.begin() + 5);
  return {{"iiwa14", "H3", {{"iiwa_link_7", {0, 0, 0.1}, 3}}},
          {"iiwa14", "H6", {{"iiwa_link_7", {0, 0, 0.1}, 6}}},
          {"solo12", "F3^2", hold({"FL_FOOT", "FR_FOOT"}, 3)},
          {"solo12", "F3^4", hold({"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}, 3)},
          {"atlas", "F6^2", feet},
          {"atlas", "F6^2 H6^2", both(feet, hold({"l_hand", "r_hand"}, 6))},
          {"atlas", "F3^8", soles(), true},
          {"atlas_shadow_hands", "F6^2", feet},
          {"atlas_shadow_hands", "F6^2 T3^5", both(feet, hold(left, 3))},
          {"atlas_shadow_hands", "F6^2 T3^10", both(feet, hold(fingers, 3))}};
}

Problem problem_of(const Scenario& s) {
  return {s.robot + " " + s.constraints, bench::robot_named(s.robot), s.contacts};
}

// ---- how -------------------------------------------------------------------------------------------------

struct Way {
  const char* name;
  SolveOptions options;
};

std::vector<Way> ways(Method method) {
  SolveOptions fixed, scheduled;
  fixed.method = scheduled.method = method;
  fixed.mu = papers_mu;
  fixed.accelerate = false;
  for (SolveOptions* o : {&fixed, &scheduled}) o->absolute_tolerance = accuracy, o->relative_tolerance = 0;
  return {{"fixed mu 1e6", fixed}, {"schedule", scheduled}};
}

// Cases by the number of iterations after which the rows held; what never did stands beyond the last.
struct Histogram {
  std::vector<long> cases = std::vector<long>(most_iterations + 2, 0);
  long total = 0;
  double worst_residual = 0;     // of those that held, J qdd - rhs taken by itself
  double worst_relative = 0;     // of those that did not, over the largest acceleration of the rows
  std::uint64_t worst_case = 0;  // seed of the one that took the most iterations
  int most = 0;

  void add(int iterations, std::uint64_t seed) {
    ++cases[static_cast<std::size_t>(std::min(iterations, most_iterations + 1))];
    ++total;
    if (iterations <= most) return;
    most = iterations;
    worst_case = seed;
  }
  double share_within(int k) const {
    long sum = 0;
    for (int i = 0; i <= k; ++i) sum += cases[static_cast<std::size_t>(i)];
    return static_cast<double>(sum) / static_cast<double>(total);
  }
  long beyond(int k) const {
    long sum = 0;
    for (std::size_t i = static_cast<std::size_t>(k) + 1; i < cases.size(); ++i) sum += cases[i];
    return sum;
  }
};

// The first k after which the largest residual is within the accuracy; most_iterations + 1 if none.
int iterations_needed(Problem& problem, const bench::CoreState& state, SolveOptions options) {
  for (int k = 1; k <= most_iterations; ++k) {
    options.max_iterations = k;
    if (static_cast<int>(problem.solve(state, options)) < 0)
      throw std::runtime_error(problem.name() + ": " + problem.message());
    if (problem.report().primal_residual <= accuracy) return k;
    if (problem.report().iterations < k) break;  // it gave up earlier, and would again
  }
  return most_iterations + 1;
}

Histogram study(Problem& problem, const Scenario& scenario, const Way& way, long cases) {
  Histogram histogram;
  for (long i = 1; i <= cases; ++i) {
    const std::uint64_t seed = static_cast<std::uint64_t>(i);
    const bench::CoreState state = problem.draw(seed, scenario.dependent);
    const int iterations = iterations_needed(problem, state, way.options);
    histogram.add(iterations, seed);
    if (iterations <= most_iterations)
      histogram.worst_residual = std::max(histogram.worst_residual, problem.residual(state));
  }
  return histogram;
}

// ---- Fig. 5 ----------------------------------------------------------------------------------------------

struct Result {
  const Scenario* scenario;
  int rows;
  std::vector<Histogram> by_way;
};

void print_share(double share) {
  std::printf(" %9.4f", 100 * share);
}

void print_shares(const std::vector<Result>& results, const std::vector<Way>& all) {
  const int columns[] = {1, 2, 3, 4, 5, 7, 10};
  std::printf("Share of cases (%%) whose largest residual is within %.0e after k iterations\n", accuracy);
  std::printf("%-20s %-11s %3s %-13s", "robot", "rows", "m", "");
  for (const int k : columns) std::printf(" %9d", k);
  std::printf("  >10 of cases  most  true residual\n");
  for (const Result& r : results) {
    for (std::size_t w = 0; w < all.size(); ++w) {
      const Histogram& h = r.by_way[w];
      std::printf("%-20s %-11s %3d %-13s", r.scenario->robot.c_str(), r.scenario->constraints.c_str(), r.rows,
                  all[w].name);
      for (const int k : columns) print_share(h.share_within(k));
      std::printf(" %5ld of %ld", h.beyond(10), h.total);
      if (h.most > most_iterations)
        std::printf("   never");
      else
        std::printf("   %5d", h.most);
      std::printf("  %.1e\n", h.worst_residual);
    }
  }
}

void write_csv(const std::string& path, const std::vector<Result>& results, const std::vector<Way>& all) {
  const bench::File opened = bench::create_file(path);
  std::FILE* file = opened.get();
  std::fprintf(file, "robot,rows,m,mu,iterations,cases,share_within_1e-10\n");
  for (const Result& r : results)
    for (std::size_t w = 0; w < all.size(); ++w)
      for (int k = 1; k <= written_iterations; ++k)
        std::fprintf(file, "%s,%s,%d,%s,%d,%ld,%.6f\n", r.scenario->robot.c_str(),
                     r.scenario->constraints.c_str(), r.rows, all[w].name, k, r.by_way[w].total,
                     r.by_way[w].share_within(k));
}

// ---- Fig. 4 ----------------------------------------------------------------------------------------------

// Quantiles of the residual after each of ten plain iterations with the paper's mu, J qdd - rhs taken by
// itself. The robot of the paper is Talos; here Atlas, feet and a hand welded, an elbow of the same arm held
// at a point.
void print_residuals(long cases, const std::string& path) {
  std::vector<ContactSpec> contacts = hold({"l_foot", "r_foot", "l_hand"}, 6);
  contacts.push_back({"l_larm", {0, 0, 0}, 3});
  Problem problem("atlas F6^2 H6 and an elbow", bench::robot_named("atlas"), contacts);
  const bench::File opened = bench::create_file(path);
  std::FILE* file = opened.get();
  std::fprintf(file, "method,iterations,lowest,quartile_1,median,quartile_3,highest\n");
  std::printf(
      "\nLargest residual after k plain iterations, mu 1e6: %s, %d rows, %ld cases: median (highest)\n",
      problem.name().c_str(), problem.rows(), cases);
  std::printf("%2s", "k");
  const Method methods[] = {Method::constrained_aba, Method::prox_ltls, Method::prox_ltl, Method::prox_pv};
  for (const Method method : methods) std::printf(" %20s", bench::name_of(method));
  std::printf("\n");
  for (int k = 1; k <= 10; ++k) {
    std::printf("%2d", k);
    for (const Method method : methods) {
      SolveOptions options;
      options.method = method;
      options.mu = papers_mu;
      options.accelerate = false;
      options.max_iterations = k;
      options.absolute_tolerance = options.relative_tolerance = 0;
      std::vector<double> residuals;
      for (long i = 1; i <= cases; ++i) {
        const bench::CoreState state = problem.draw(static_cast<std::uint64_t>(i), true);
        problem.solve(state, options);
        residuals.push_back(problem.residual(state));
      }
      std::sort(residuals.begin(), residuals.end());
      const auto quantile = [&](double share) {
        return residuals[static_cast<std::size_t>(share * static_cast<double>(residuals.size() - 1))];
      };
      std::printf("   %8.1e (%7.1e)", quantile(0.5), quantile(1));
      std::fprintf(file, "%s,%d,%.3e,%.3e,%.3e,%.3e,%.3e\n", bench::name_of(method), k, quantile(0),
                   quantile(0.25), quantile(0.5), quantile(0.75), quantile(1));
    }
    std::printf("\n");
  }
}

Method proximal_method(const std::string& name) {
  for (const Method method : {Method::constrained_aba, Method::prox_ltl, Method::prox_ltls, Method::prox_pv})
    if (name == bench::name_of(method)) return method;
  throw std::runtime_error("'" + name +
                           "' does not iterate; give constrained_aba, prox_ltl, prox_ltls or prox_pv");
}

struct Arguments {
  long cases = 100000;
  std::string folder = ".", robot;
  Method method = Method::constrained_aba;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--cases=", 8) == 0)
      arguments.cases = std::atol(argv[i] + 8);
    else if (std::strncmp(argv[i], "--out=", 6) == 0)
      arguments.folder = argv[i] + 6;
    else if (std::strncmp(argv[i], "--robot=", 8) == 0)
      arguments.robot = argv[i] + 8;
    else if (std::strncmp(argv[i], "--method=", 9) == 0)
      arguments.method = proximal_method(argv[i] + 9);
    else
      throw std::runtime_error(
          "unknown argument '" + std::string(argv[i]) +
          "'; usage: convergence_study [--cases=N] [--robot=NAME] [--method=NAME] [--out=FOLDER]");
  }
  if (arguments.cases < 1) throw std::runtime_error("--cases must be a number above 0");
  return arguments;
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = parse(argc, argv);
  std::printf("%s: %ld cases, positions within the limits, velocities and forces within +-1, seeds from 1\n",
              bench::name_of(arguments.method), arguments.cases);
  std::printf("%s, %s\n", bench::cpu_model().c_str(), bench::compiler().c_str());
  const std::vector<Scenario> all = scenarios();
  const std::vector<Way> both_ways = ways(arguments.method);
  std::vector<Result> results;
  for (const Scenario& scenario : all) {
    if (!arguments.robot.empty() && scenario.robot != arguments.robot) continue;
    Problem problem = problem_of(scenario);
    results.push_back({&scenario, problem.rows(), {}});
    for (const Way& way : both_ways)
      results.back().by_way.push_back(study(problem, scenario, way, arguments.cases));
    std::fprintf(stderr, "%s: done\n", problem.name().c_str());
  }
  print_shares(results, both_ways);
  write_csv(arguments.folder + "/convergence.csv", results, both_ways);
  print_residuals(std::min(arguments.cases, 1000L), arguments.folder + "/residuals.csv");
  long failed = 0;
  for (const Result& r : results) failed += r.by_way[1].beyond(10);
  std::printf("\nWith the schedule %ld cases take more than 10 iterations.\n", failed);
  return failed == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "convergence_study: %s\n", error.what());
  return 2;
}
