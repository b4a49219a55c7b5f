// Times Tenon's dynamics through the C API, and Pinocchio's and MuJoCo's in the same process on the same states when
// built with -DTENON_BENCH_PEERS=ON. Names: robot/quantity/library:method. ../README.md says how to run and read it.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

#include "dynamics/rows.hpp"
#include "support/machine.hpp"

namespace {

using bench::Fixture;

constexpr int state_count = 1000;

using bench::register_one;
using bench::RowMatrix;

using bench::label;

template <typename Call>
void cycle(benchmark::State& state, Call&& call) {
  bench::cycle(state, state_count, std::forward<Call>(call));
}

using TreeCall = tenon_status (Fixture::*)(int);

void register_tenon_tree(Fixture& fixture, const std::string& quantity, TreeCall call,
                         bool constrained = false) {
  register_one(fixture.name() + "/" + quantity + "/tenon",
               [&fixture, call, constrained](benchmark::State& state) {
                 cycle(state, [&](int i) { (fixture.*call)(i); });
                 label(state, fixture, constrained);
               });
}

// Worst relative error of the first states against the dense solution, and the mean number of proximal
// iterations. (Google Benchmark has a counter named iterations of its own.)
struct Accuracy {
  double error = 0, sweeps = 0;
};

Accuracy tenon_accuracy(Fixture& fixture, const tenon_solve_options& options) {
  Accuracy accuracy;
  const int count = static_cast<int>(fixture.reference().size());
  for (int i = 0; i < count; ++i) {
    if (fixture.constrained_dynamics(i, options) < 0) throw std::runtime_error(fixture.message());
    accuracy.error = std::max(accuracy.error, fixture.error_of(i, fixture.out()));
    accuracy.sweeps += static_cast<double>(fixture.report().iterations) / count;
  }
  return accuracy;
}

void register_tenon_constrained(Fixture& fixture, const std::string& method_name,
                                const tenon_solve_options& options) {
  const std::string name = fixture.name() + "/constrained/tenon:" + method_name;
  register_one(name, [&fixture, options](benchmark::State& state) {
    const Accuracy accuracy = tenon_accuracy(fixture, options);
    cycle(state, [&](int i) { fixture.constrained_dynamics(i, options); });
    label(state, fixture, true);
    state.counters["error"] = accuracy.error;
    state.counters["sweeps"] = accuracy.sweeps;
    state.counters["workspace_bytes"] = static_cast<double>(fixture.workspace_bytes());
  });
}

bool iterates(int32_t method) {
  return method == TENON_METHOD_CONSTRAINED_ABA || method == TENON_METHOD_PROX_LTL ||
         method == TENON_METHOD_PROX_LTLS || method == TENON_METHOD_PROX_PV;
}

void register_tenon_matrix(Fixture& fixture, const RowMatrix& wanted, int32_t method, const char* name) {
  if ((fixture.*wanted.compute)(0, method) == TENON_UNSUPPORTED) return;
  register_one(fixture.name() + "/" + wanted.quantity + "/tenon:" + name,
               [&fixture, &wanted, method](benchmark::State& state) {
                 state.counters["error"] = bench::worst_error(fixture, wanted, [&](int i) {
                   if ((fixture.*wanted.compute)(i, method) < 0) throw std::runtime_error(fixture.message());
                   return (fixture.*wanted.get)();
                 });
                 cycle(state, [&](int i) { (fixture.*wanted.compute)(i, method); });
                 label(state, fixture, true);
               });
}

void register_tenon_product(Fixture& fixture, int32_t method) {
  if (fixture.damped_product(0, method) == TENON_UNSUPPORTED) return;
  register_one(
      fixture.name() + "/damped_product/tenon:" + tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method),
      [&fixture, method](benchmark::State& state) {
        cycle(state, [&](int i) { fixture.damped_product(i, method); });
        label(state, fixture, true);
      });
}

// Every method but the reference.
void register_tenon_matrices(Fixture& fixture) {
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD); ++method)
    if (method != TENON_DELASSUS_METHOD_DENSE)
      register_tenon_matrix(fixture, bench::delassus, method,
                            tenon_constant_name(TENON_CONSTANT_DELASSUS_METHOD, method));
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD); ++method) {
    if (method == TENON_DAMPED_METHOD_DENSE) continue;
    register_tenon_matrix(fixture, bench::damped_inverse, method,
                          tenon_constant_name(TENON_CONSTANT_DAMPED_METHOD, method));
    register_tenon_product(fixture, method);
  }
}

void register_tenon(Fixture& fixture) {
  register_tenon_tree(fixture, "aba", &Fixture::forward_dynamics);
  register_tenon_tree(fixture, "rnea", &Fixture::inverse_dynamics);
  register_tenon_tree(fixture, "crba", &Fixture::mass_matrix);
  register_tenon_tree(fixture, "rnea_derivatives", &Fixture::inverse_dynamics_derivatives);
  register_tenon_tree(fixture, "aba_derivatives", &Fixture::forward_dynamics_derivatives);
  register_tenon_tree(fixture, "constrained_derivatives", &Fixture::constrained_dynamics_derivatives, true);
  register_tenon_tree(fixture, "solution_derivatives", &Fixture::constrained_solution_derivatives, true);
  register_tenon_tree(fixture, "impact_derivatives", &Fixture::impact_derivatives, true);
  register_tenon_tree(fixture, "rnea_regressor", &Fixture::regressor);
  register_tenon_tree(fixture, "rnea_vjp", &Fixture::inverse_dynamics_vjp);
  register_tenon_tree(fixture, "aba_vjp", &Fixture::forward_dynamics_vjp);
  register_tenon_tree(fixture, "constrained_vjp", &Fixture::constrained_dynamics_vjp, true);
  for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
    if (method == TENON_METHOD_DENSE) continue;  // the reference: cubic, and nobody's choice for speed
    const tenon_solve_options options = bench::default_options(method);
    if (fixture.constrained_dynamics(0, options) == TENON_UNSUPPORTED) continue;
    register_tenon_constrained(fixture, tenon_constant_name(TENON_CONSTANT_METHOD, method), options);
    if (iterates(method)) {
      for (const int32_t count : {1, 3})
        register_tenon_constrained(
            fixture, tenon_constant_name(TENON_CONSTANT_METHOD, method) + ("_" + std::to_string(count)),
            bench::fixed_iterations(method, count));
    }
  }
  register_tenon_matrices(fixture);
}

// --robot=NAME, may be repeated: only these.
std::vector<std::string> take_robot_names(int& argc, char** argv) {
  std::vector<std::string> names;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--robot=", 8) == 0) {
      names.push_back(argv[i] + 8);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return names;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> wanted = take_robot_names(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("cpu", bench::cpu_model());
  benchmark::AddCustomContext("tenon", tenon_build_info());
  bench::describe_peers();

  std::vector<std::unique_ptr<Fixture>> fixtures;
  bool same_problem = true;
  for (const bench::Robot& robot : bench::compared_robots()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), robot.name) == wanted.end()) continue;
    fixtures.push_back(std::make_unique<Fixture>(robot, state_count));
    Fixture& fixture = *fixtures.back();
    std::fprintf(stderr, "%s: n %d, m %d, workspace %zu bytes\n", robot.name.c_str(), fixture.nv(),
                 fixture.rows(), fixture.workspace_bytes());
    for (const std::string& sentence : fixture.disagreements()) {
      std::fprintf(stderr, "ERROR: %s\n", sentence.c_str());
      same_problem = false;
    }
    register_tenon(fixture);
    bench::register_peers(fixture);
    bench::register_batches(fixture);
  }
  bench::register_loop_batch();
  bench::register_creation();
  benchmark::AddCustomContext("libraries", same_problem ? "agree" : "DISAGREE");
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (!same_problem)
    std::fprintf(stderr, "ERROR: the libraries disagree (above): these times compare nothing.\n");
  return same_problem ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "dynamics_bench: %s\n", error.what());
  return 1;
}
