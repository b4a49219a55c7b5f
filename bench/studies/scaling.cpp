// How the time of each method grows with coordinates and with rows: exponents fitted over chains and trees
// that double. README.md says how to run it.
//
//   more links  chains of 25 to 400 hinges, the tip welded: n for the recursive methods, n^3 in joint space
//   more rows   a comb of 48 teeth on one chain, 9 to 144 rows: the tree stays, the number of held tips grows
//   both        binary trees of 21 to 381 hinges, every leaf at a point: the depth grows as log n only
//
// --contradicting: the same with every constraint twice, once asking for one acceleration and once for two,
// and how much longer the second takes.
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/timing.hpp"

namespace {

using bench::Problem;
using tenon::Method;

const std::vector<Method> methods = {Method::pv_soft, Method::pv_early, Method::constrained_aba, Method::pv,
                                     Method::prox_pv, Method::prox_ltl, Method::prox_ltls};

struct Series {
  std::string name, size_name;
  std::vector<int> sizes;
  std::function<Problem(int)> problem;
};

// A chain of hinges with a tooth of two hinges on each link.
tenon::Mechanism comb(int teeth) {
  tenon::Mechanism mechanism;
  mechanism.name = "comb";
  mechanism.links.push_back({"base", 1, {0, 0, 0}, {0.01, 0, 0, 0.01, 0, 0.01}});
  const auto add = [&](const std::string& name, const std::string& parent, const tenon::Vector3& origin,
                       const tenon::Vector3& axis) {
    bench::add_rod(mechanism, name, parent, origin).axis = axis;
  };
  const tenon::Vector3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::string back = "base";
  for (int i = 0; i < teeth; ++i) {
    const std::string number = std::to_string(i);
    add("back" + number, back, {0.2, 0, 0}, axes[i % 3]);
    back = "back" + number;
    add("root" + number, back, {0, 0.05, 0}, axes[(i + 1) % 3]);
    add("mid" + number, "root" + number, {0.2, 0, 0}, axes[(i + 2) % 3]);
    add("tip" + number, "mid" + number, {0.2, 0, 0}, axes[i % 3]);
  }
  return mechanism;
}

Problem comb_with_rows(int rows) {
  constexpr int teeth = 48;
  const auto model = tenon::Model::compile(comb(teeth));
  std::vector<tenon::ConstraintSpec> specs;
  // The last teeth first, so that all sets are carried by the whole chain.
  for (int i = 0; i < rows / 3; ++i)
    specs.push_back(
        tenon::point_constraint(model->find_link("tip" + std::to_string(teeth - 1 - i)), {0.2, 0, 0}));
  return {"comb", model, specs};
}

std::vector<Series> all_series() {
  return {{"more links: chain, tip welded",
           "n",
           {25, 50, 100, 200, 400},
           [](int n) {
             const bench::Robot robot = bench::chain(n);
             return Problem("chain", robot, robot.contacts);
           }},
          {"more rows: comb of 192 hinges, tips at a point", "m", {9, 18, 36, 72, 144}, comb_with_rows},
          {"both: binary tree, leaves at a point", "n", {3, 4, 5, 6, 7}, [](int generations) {
             const bench::Robot robot = bench::binary_tree(generations);
             return Problem("tree", robot, robot.contacts);
           }}};
}

// us of a solve by each method.
std::vector<double> microseconds(Problem& problem, const double* desired = nullptr, int passes = 25) {
  std::vector<double> times = bench::solve_times(problem, methods, 20, passes, desired);
  for (double& time : times) time *= 1e6;
  return times;
}

void run(const Series& series) {
  std::vector<double> sizes;
  std::vector<std::vector<double>> times(methods.size());
  std::printf("\n%s\n%6s %6s", series.name.c_str(), "n", "m");
  for (const Method method : methods) std::printf(" %16s", bench::name_of(method));
  std::printf("  us a solve\n");
  for (const int size : series.sizes) {
    Problem problem = series.problem(size);
    sizes.push_back(series.size_name == "n" ? problem.nv() : problem.rows());
    const std::vector<double> us = microseconds(problem);
    std::printf("%6d %6d", problem.nv(), problem.rows());
    for (std::size_t k = 0; k < us.size(); ++k) {
      times[k].push_back(us[k]);
      std::printf(" %16.2f", us[k]);
    }
    std::printf("\n");
  }
  const std::size_t half = sizes.size() / 2;
  for (const std::size_t first : {std::size_t{0}, half}) {
    std::printf("%-13s", first == 0 ? "exponent, all" : "larger half");
    const auto from = static_cast<std::ptrdiff_t>(first);
    for (const std::vector<double>& t : times)
      std::printf(" %16.2f",
                  bench::exponent({sizes.begin() + from, sizes.end()}, {t.begin() + from, t.end()}));
    std::printf("\n");
  }
}

// Every constraint twice: a solve in us where the two agree, and how many times that where they do not.
void run_contradicting(const Series& series) {
  std::printf("\n%s, every constraint twice\n%6s %6s", series.name.c_str(), "n", "m");
  for (const Method method : methods) std::printf(" %22s", bench::name_of(method));
  std::printf("  us where they agree, ratio where they do not\n");
  for (const int size : series.sizes) {
    const Problem once = series.problem(size);
    std::vector<tenon::ConstraintSpec> specs = once.constraints().specs();
    for (const tenon::ConstraintSpec& spec : once.constraints().specs()) {
      specs.push_back(spec);
      specs.back().name += "_again";
    }
    Problem problem(once.name(), once.shared_model(), specs);
    std::vector<double> desired(static_cast<std::size_t>(problem.rows()), 0.0);
    const std::vector<double> agreeing = microseconds(problem, desired.data(), 5);
    for (std::size_t r = 0; r < desired.size(); ++r) desired[r] = std::sin(static_cast<double>(r));
    const std::vector<double> contradicting = microseconds(problem, desired.data(), 5);
    std::printf("%6d %6d", problem.nv(), problem.rows());
    for (std::size_t k = 0; k < agreeing.size(); ++k)
      std::printf(" %13.2f %8.2f", agreeing[k], contradicting[k] / agreeing[k]);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const bool contradicting = argc == 2 && std::string(argv[1]) == "--contradicting";
  if (argc > 1 && !contradicting) throw std::invalid_argument("usage: scaling [--contradicting]");
  std::printf("%s, %s\n", bench::cpu_model().c_str(), bench::compiler().c_str());
  for (const Series& series : all_series()) contradicting ? run_contradicting(series) : run(series);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "scaling: %s\n", error.what());
  return 1;
}
