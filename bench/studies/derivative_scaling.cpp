// How the time of derivatives grows with coordinates: exponents fitted over chains and trees that double. README.md says how
// to run it.
//
//   chains  of 12 to 192 hinges, the tip welded: the depth is n
//   trees   binary, of 21 to 381 hinges, every leaf at a point: the depth grows as log n only, the rows as n
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/timing.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/workspace.hpp"

namespace {

using bench::Problem;

// What is timed, at one state.
class Derivatives {
 public:
  explicit Derivatives(Problem problem)
      : problem_(std::move(problem)),
        with_rows_(problem_.shared_model(), {std::shared_ptr<void>(), &problem_.constraints()}),
        without_(problem_.shared_model()),
        state_(problem_.draw(1, true)),
        w_(size(problem_.nv()), 0.5),
        out_(5 * size(problem_.nv()) * size(problem_.nv()) + 8 * size(problem_.nv())) {}

  int nv() const { return problem_.nv(); }
  int rows() const { return problem_.rows(); }

  std::vector<std::function<void()>> calls() {
    const std::size_t n = size(nv()), matrix = n * n;
    double *x = out_.data(), *A = x + 4 * n, *g = x + n;
    const tenon::Derivatives matrices = {{A, nv()}, {A + matrix, nv()}, {A + 2 * matrix, nv()}};
    const tenon::Derivatives vectors = {{g, 0}, {g + n, 0}, {g + 2 * n, 0}};
    const tenon::Inputs<double> forces = {state_.q.data(), state_.v.data(), state_.tau.data()};
    tenon::Inputs<double> motion = {state_.q.data(), state_.v.data()};
    motion.qdd = state_.tau.data();
    const double* w = w_.data();
    return {[=] { check(tenon::inverse_dynamics_derivatives(without_, {}, motion, x, matrices)); },
            [=] { check(tenon::forward_dynamics_derivatives(without_, {}, forces, x, matrices)); },
            [=] {
              check(tenon::constrained_dynamics_derivatives(with_rows_, {}, forces, x, nullptr,
                                                            {matrices, {}, {}, {}}));
            },
            [=] { check(tenon::inverse_dynamics_vjp(without_, {}, motion, w, x, vectors)); },
            [=] { check(tenon::forward_dynamics_vjp(without_, {}, forces, w, x, vectors)); },
            [=] {
              check(tenon::constrained_dynamics_vjp(with_rows_, {}, forces, w, nullptr, x, nullptr,
                                                    {vectors, {}}));
            },
            [=] {
              check(tenon::constrained_dynamics_jvp(with_rows_, {}, forces, {{w, w, w}, nullptr}, x, nullptr,
                                                    g, nullptr));
            },
            [=] { check(tenon::constrained_dynamics(with_rows_, {}, forces, x, nullptr)); }};
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  static void check(tenon::Status status) {
    if (status != tenon::Status::ok) throw std::runtime_error("a call failed");
  }

  Problem problem_;
  tenon::Workspace with_rows_, without_;
  bench::CoreState state_;
  std::vector<double> w_, out_;
};

const std::vector<const char*> names = {"inverse",     "forward",         "constrained",     "inverse vjp",
                                        "forward vjp", "constrained vjp", "constrained jvp", "the dynamics"};

void run(const char* title, const std::vector<int>& sizes, const std::function<bench::Robot(int)>& robot_of) {
  std::printf("\n%s\n%6s %6s", title, "n", "m");
  for (const char* name : names) std::printf(" %16s", name);
  std::printf("  us\n");
  std::vector<double> n;
  std::vector<std::vector<double>> times(names.size());
  for (const int each : sizes) {
    const bench::Robot robot = robot_of(each);
    Derivatives derivatives(Problem("robot", robot, robot.contacts));
    n.push_back(derivatives.nv());
    const std::vector<double> seconds = bench::fastest_passes(derivatives.calls(), 50, 0.5);
    std::printf("%6d %6d", derivatives.nv(), derivatives.rows());
    for (std::size_t k = 0; k < seconds.size(); ++k) {
      times[k].push_back(1e6 * seconds[k]);
      std::printf(" %16.2f", times[k].back());
    }
    std::printf("\n");
  }
  const auto half = static_cast<std::ptrdiff_t>(n.size() / 2);
  std::printf("exponent     ");
  for (const std::vector<double>& t : times)
    std::printf(" %16.2f", bench::exponent({n.begin() + half, n.end()}, {t.begin() + half, t.end()}));
  std::printf("  of the larger half\n");
}

}  // namespace

int main() try {
  std::printf("%s, %s\n", bench::cpu_model().c_str(), bench::compiler().c_str());
  run("chain, tip welded", {12, 24, 48, 96, 192}, bench::chain);
  run("binary tree, leaves at a point", {3, 4, 5, 6, 7}, bench::binary_tree);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "derivative_scaling: %s\n", error.what());
  return 1;
}
