// Times Tenon's dynamics through the C API, and Pinocchio's in the same process on the same states when built
// with -DTENON_BENCH_PEERS=ON. Names: robot/quantity/library:method. ../README.md says how to run and
// read it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "dynamics/fixture.hpp"
#include "peer/peer_delassus.hpp"
#include "support/machine.hpp"

namespace {

using bench::Fixture;

constexpr int state_count = 1000;

void label(benchmark::State& state, const Fixture& fixture, bool constrained) {
  state.counters["n"] = fixture.nv();
  state.counters["m"] = constrained ? fixture.rows() : 0;
}

// One call an iteration, on the next of the states.
template <typename Call>
void cycle(benchmark::State& state, Call&& call) {
  int index = 0;
  for (auto _ : state) {
    call(index);
    if (++index == state_count) index = 0;
  }
}

template <typename Call>
void register_one(const std::string& name, Call&& run) {
  benchmark::RegisterBenchmark(name.c_str(), std::forward<Call>(run))->Unit(benchmark::kMicrosecond);
}

using TreeCall = tenon_status (Fixture::*)(int);

void register_tenon_tree(Fixture& fixture, const std::string& quantity, TreeCall call) {
  register_one(fixture.name() + "/" + quantity + "/tenon", [&fixture, call](benchmark::State& state) {
    cycle(state, [&](int i) { (fixture.*call)(i); });
    label(state, fixture, false);
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

// A matrix over the rows: how it is computed, and its relative error against the dense method.
struct RowMatrix {
  const char* quantity;
  tenon_status (Fixture::*compute)(int state, int32_t method);
  const std::vector<double>& (Fixture::*get)() const;
  double (Fixture::*error_of)(int state, const std::vector<double>& matrix);
};
const RowMatrix delassus = {"delassus", &Fixture::delassus, &Fixture::delassus, &Fixture::delassus_error_of};
const RowMatrix damped_inverse = {"damped_inverse", &Fixture::damped_inverse, &Fixture::inverse,
                                  &Fixture::inverse_error_of};

// The worst error over the first states; run(state) gives the matrix.
template <typename Run>
double worst_error(Fixture& fixture, const RowMatrix& wanted, Run&& run) {
  double error = 0;
  for (int i = 0; i < Fixture::reference_count; ++i) {
    const std::vector<double> matrix = run(i);
    error = std::max(error, (fixture.*wanted.error_of)(i, matrix));
  }
  return error;
}

void register_tenon_matrix(Fixture& fixture, const RowMatrix& wanted, int32_t method, const char* name) {
  if ((fixture.*wanted.compute)(0, method) == TENON_UNSUPPORTED) return;
  register_one(fixture.name() + "/" + wanted.quantity + "/tenon:" + name,
               [&fixture, &wanted, method](benchmark::State& state) {
                 state.counters["error"] = worst_error(fixture, wanted, [&](int i) {
                   if ((fixture.*wanted.compute)(i, method) < 0) throw std::runtime_error(fixture.message());
                   return (fixture.*wanted.get)();
                 });
                 cycle(state, [&](int i) { (fixture.*wanted.compute)(i, method); });
                 label(state, fixture, true);
               });
}

void register_tenon_product(Fixture& fixture, int32_t method) {
  if (fixture.damped_product(0, method) == TENON_UNSUPPORTED) return;
  register_one(fixture.name() + "/damped_product/tenon:" + tenon_damped_method_string(method),
               [&fixture, method](benchmark::State& state) {
                 cycle(state, [&](int i) { fixture.damped_product(i, method); });
                 label(state, fixture, true);
               });
}

// Every method but the reference.
void register_tenon_matrices(Fixture& fixture) {
  for (int32_t method = 0; method < tenon_delassus_method_count(); ++method)
    if (method != TENON_DELASSUS_METHOD_DENSE)
      register_tenon_matrix(fixture, delassus, method, tenon_delassus_method_string(method));
  for (int32_t method = 0; method < tenon_damped_method_count(); ++method) {
    if (method == TENON_DAMPED_METHOD_DENSE) continue;
    register_tenon_matrix(fixture, damped_inverse, method, tenon_damped_method_string(method));
    register_tenon_product(fixture, method);
  }
}

void register_tenon(Fixture& fixture) {
  register_tenon_tree(fixture, "aba", &Fixture::forward_dynamics);
  register_tenon_tree(fixture, "rnea", &Fixture::inverse_dynamics);
  register_tenon_tree(fixture, "crba", &Fixture::mass_matrix);
  for (int32_t method = 0; method < tenon_method_count(); ++method) {
    if (method == TENON_METHOD_DENSE) continue;  // the reference: cubic, and nobody's choice for speed
    const tenon_solve_options options = bench::default_options(method);
    if (fixture.constrained_dynamics(0, options) == TENON_UNSUPPORTED) continue;
    register_tenon_constrained(fixture, tenon_method_string(method), options);
    if (iterates(method)) {
      register_tenon_constrained(fixture, tenon_method_string(method) + std::string("_3"),
                                 bench::three_iterations(method));
    }
  }
  register_tenon_matrices(fixture);
}

#ifdef TENON_BENCH_PEERS

using bench::Peer;
using bench::PeerDelassus;
using bench::PeerDelassusMethod;
using bench::PeerMethod;

double peer_error(Fixture& fixture, PeerMethod method) {
  double error = 0;
  std::vector<double> qdd(static_cast<std::size_t>(fixture.nv()));
  for (int i = 0; i < static_cast<int>(fixture.reference().size()); ++i) {
    fixture.peer()->run(method, i);
    fixture.peer()->result(method, qdd.data());
    error = std::max(error, fixture.error_of(i, qdd));
  }
  return error;
}

void register_peer_method(Fixture& fixture, const std::string& quantity, PeerMethod method) {
  const std::string name = fixture.name() + "/" + quantity + "/pinocchio:" + bench::peer_method_name(method);
  register_one(name, [&fixture, method, quantity](benchmark::State& state) {
    const bool constrained = quantity == "constrained";
    Peer& peer = *fixture.peer();
    peer.prepare(method);
    if (constrained) state.counters["error"] = peer_error(fixture, method);
    if (constrained) state.counters["sweeps"] = 3;
    cycle(state, [&](int i) { peer.run(method, i); });
    label(state, fixture, constrained);
  });
}

void register_peer_matrix(Fixture& fixture, PeerDelassusMethod method) {
  const bool damped = method == PeerDelassusMethod::damped_efpa || method == PeerDelassusMethod::damped_pv;
  const RowMatrix& wanted = damped ? damped_inverse : delassus;
  register_one(
      fixture.name() + "/" + wanted.quantity + "/pinocchio:" + bench::peer_delassus_method_name(method),
      [&fixture, &wanted, method](benchmark::State& state) {
        PeerDelassus peer(*fixture.peer());
        std::vector<double> matrix(fixture.delassus().size());
        state.counters["error"] = worst_error(fixture, wanted, [&](int i) {
          peer.run(method, i);
          peer.result(matrix.data());
          return matrix;
        });
        cycle(state, [&](int i) { peer.run(method, i); });
        label(state, fixture, true);
      });
}

void register_peer(Fixture& fixture) {
  register_peer_method(fixture, "aba", PeerMethod::aba_local);
  register_peer_method(fixture, "aba", PeerMethod::aba_world);
  register_peer_method(fixture, "rnea", PeerMethod::rnea);
  register_peer_method(fixture, "crba", PeerMethod::crba_local);
  register_peer_method(fixture, "crba", PeerMethod::crba_world);
  for (const PeerMethod method :
       {PeerMethod::constrained_aba, PeerMethod::pv, PeerMethod::lcaba, PeerMethod::prox_ltl}) {
    register_peer_method(fixture, "constrained", method);
  }
  for (int k = 0; k < bench::peer_delassus_method_count; ++k)
    register_peer_matrix(fixture, static_cast<PeerDelassusMethod>(k));
}

void describe_peer() {
  benchmark::AddCustomContext("peer", bench::peer_description());
}

#else

void register_peer(Fixture&) {}
void describe_peer() {}

#endif

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
  describe_peer();

  std::vector<std::unique_ptr<Fixture>> fixtures;
  bool same_problem = true;
  for (const bench::Robot& robot : bench::all_robots()) {
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
    if (fixture.peer()) register_peer(fixture);
  }
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
