// Pinocchio as each compiler built it, and MuJoCo, beside Tenon: their rows, and the checks that all solve the same
// problem. Rows of a build end in @ and its compiler.
#include <array>
#include <sstream>
#include <thread>
#include <tuple>

#include "dynamics/rows.hpp"
#include "peer/peer_delassus.hpp"
#ifdef TENON_BENCH_MUJOCO
#include "peer/mujoco_peer.hpp"
#endif

namespace bench {
namespace {

using BuiltPeer = Fixture::BuiltPeer;

std::string row_name(const Fixture& fixture, const std::string& quantity, const std::string& method,
                     const BuiltPeer& built) {
  return fixture.name() + "/" + quantity + "/pinocchio:" + method + "@" + built.compiler;
}

double peer_error(Fixture& fixture, Peer& peer, PeerMethod method) {
  double error = 0;
  std::vector<double> qdd(static_cast<std::size_t>(fixture.nv()));
  for (int i = 0; i < static_cast<int>(fixture.reference().size()); ++i) {
    peer.run(method, i);
    peer.result(method, qdd.data());
    error = std::max(error, fixture.error_of(i, qdd));
  }
  return error;
}

void register_tree_method(Fixture& fixture, const BuiltPeer& built, const std::string& quantity,
                          PeerMethod method) {
  register_one(
      row_name(fixture, quantity, peer_method_name(method), built),
      [&fixture, &peer = *built.peer, method](benchmark::State& state) {
        peer.prepare(method);
        cycle(state, fixture.state_count(), [&](int i) { peer.run(method, i); });
        label(state, fixture,
              method == PeerMethod::constrained_derivatives || method == PeerMethod::impact_derivatives);
      });
}

void register_constrained_method(Fixture& fixture, const BuiltPeer& built, PeerMethod method,
                                 int iterations) {
  const std::string name = peer_method_name(method) + std::string(iterations == 1 ? "_1" : "");
  register_one(row_name(fixture, "constrained", name, built),
               [&fixture, &peer = *built.peer, method, iterations](benchmark::State& state) {
                 PeerSettings settings;
                 settings.iterations = iterations;
                 peer.prepare(method, settings);
                 state.counters["error"] = peer_error(fixture, peer, method);
                 state.counters["sweeps"] = iterations;
                 cycle(state, fixture.state_count(), [&](int i) { peer.run(method, i); });
                 label(state, fixture, true);
               });
}

void register_matrix(Fixture& fixture, const BuiltPeer& built, PeerDelassusMethod method) {
  const bool damped = method == PeerDelassusMethod::damped_efpa || method == PeerDelassusMethod::damped_pv;
  const RowMatrix& wanted = damped ? damped_inverse : delassus;
  register_one(row_name(fixture, wanted.quantity, peer_delassus_method_name(method), built),
               [&fixture, &wanted, &built_peer = *built.peer, method](benchmark::State& state) {
                 const std::unique_ptr<PeerDelassus> peer = built_peer.make_delassus();
                 std::vector<double> matrix(fixture.delassus().size());
                 state.counters["error"] = worst_error(fixture, wanted, [&](int i) {
                   peer->run(method, i);
                   peer->result(matrix.data());
                   return matrix;
                 });
                 cycle(state, fixture.state_count(), [&](int i) { peer->run(method, i); });
                 label(state, fixture, true);
               });
}

// All states a call, on `threads` threads.
void register_pool(Fixture& fixture, const BuiltPeer& built, PeerPoolMethod method, int threads) {
  const bool forward = method == PeerPoolMethod::aba;
  const std::string name =
      row_name(fixture, forward ? "batch_aba" : "batch_rnea", threads == 1 ? "pool" : "pool_threads", built);
  const auto row =
      register_one(name, [&fixture, &peer = *built.peer, method, threads](benchmark::State& state) {
        peer.prepare_pool(threads);
        for (auto _ : state) peer.run_pool(method);
        label(state, fixture, false);
        state.counters["states"] = fixture.state_count();
        state.counters["workers"] = threads;
      });
  if (threads > 1) row->UseRealTime();
}

#ifdef TENON_BENCH_MUJOCO
void register_mujoco(Fixture& fixture) {
  if (!fixture.mujoco()) return;
  register_one(fixture.name() + "/constrained/mujoco:mj_forward", [&fixture](benchmark::State& state) {
    MujocoPeer& peer = *fixture.mujoco();
    // Soft rows: of the errors the median, since the largest are those of near-singular postures.
    std::vector<double> errors, qdd(static_cast<std::size_t>(fixture.nv()));
    double iterations = 0;
    const int count = static_cast<int>(fixture.reference().size());
    for (int i = 0; i < count; ++i) {
      peer.run(i);
      peer.result(i, qdd.data());
      errors.push_back(fixture.error_of(i, qdd));
      iterations += static_cast<double>(peer.iterations()) / count;
    }
    std::sort(errors.begin(), errors.end());
    state.counters["error"] = errors.empty() ? 0 : errors[errors.size() / 2];
    state.counters["sweeps"] = iterations;
    cycle(state, fixture.state_count(), [&](int i) { peer.run(i); });
    label(state, fixture, true);
    state.counters["m"] = peer.rows();
  });
}
#else
void register_mujoco(Fixture&) {}
#endif

std::string sentence(const Fixture& fixture, const std::string& what, double difference) {
  std::ostringstream text;
  text << fixture.name() << ": Tenon and " << what << " differ by " << difference
       << " relative; they do not solve the same problem";
  return text.str();
}

}  // namespace

void register_peers(Fixture& fixture) {
  for (const BuiltPeer& built : fixture.peers()) {
    register_tree_method(fixture, built, "aba", PeerMethod::aba_local);
    register_tree_method(fixture, built, "aba", PeerMethod::aba_world);
    register_tree_method(fixture, built, "rnea", PeerMethod::rnea);
    register_tree_method(fixture, built, "crba", PeerMethod::crba_local);
    register_tree_method(fixture, built, "crba", PeerMethod::crba_world);
    register_tree_method(fixture, built, "rnea_derivatives", PeerMethod::rnea_derivatives);
    register_tree_method(fixture, built, "aba_derivatives", PeerMethod::aba_derivatives);
    register_tree_method(fixture, built, "constrained_derivatives", PeerMethod::constrained_derivatives);
    register_tree_method(fixture, built, "impact_derivatives", PeerMethod::impact_derivatives);
    register_tree_method(fixture, built, "rnea_regressor", PeerMethod::rnea_regressor);
    for (const PeerMethod method :
         {PeerMethod::constrained_aba, PeerMethod::pv, PeerMethod::lcaba, PeerMethod::prox_ltl})
      for (const int iterations : {1, 3}) register_constrained_method(fixture, built, method, iterations);
    for (int k = 0; k < peer_delassus_method_count; ++k)
      register_matrix(fixture, built, static_cast<PeerDelassusMethod>(k));
    const int threads = static_cast<int>(std::thread::hardware_concurrency());
    for (const PeerPoolMethod method : {PeerPoolMethod::aba, PeerPoolMethod::rnea}) {
      register_pool(fixture, built, method, 1);
      if (threads > 1) register_pool(fixture, built, method, threads);
    }
  }
  register_mujoco(fixture);
}

void describe_peers() {
  for (const PeerBuild& build : peer_builds())
    benchmark::AddCustomContext("peer@" + build.compiler, build.description);
#ifdef TENON_BENCH_MUJOCO
  benchmark::AddCustomContext("mujoco", MujocoPeer::description());
#endif
}

std::vector<JointCoordinates> Fixture::joint_coordinates() const {
  std::vector<JointCoordinates> joints;
  for (int32_t i = 0; i < tenon_model_joint_count(model_); ++i) {
    tenon_joint_info info;
    tenon_joint_info_init(&info, sizeof info);
    tenon_model_joint_info(model_, i, &info);
    joints.push_back({info.name, info.q_index, info.v_index, info.nq, info.nv});
  }
  return joints;
}

void Fixture::make_peers(const Robot& robot) {
  for (const PeerBuild& build : peer_builds()) {
    peers_.push_back(
        {build.compiler, build.make(robot.urdf, robot.floating_base, joint_coordinates(), robot.contacts)});
    Peer& peer = *peers_.back().peer;
    for (const State& s : states_) peer.add_state(s.q.data(), s.v.data(), s.tau.data(), s.a.data());
  }
}

// Each matrix against the largest number of its own.
void Fixture::compare_derivatives(const BuiltPeer& built, std::vector<std::string>& sentences) {
  using Call = tenon_status (Fixture::*)(int);
  const std::tuple<PeerMethod, Call, std::ptrdiff_t> calls[] = {
      {PeerMethod::rnea_derivatives, &Fixture::inverse_dynamics_derivatives, 3},
      {PeerMethod::aba_derivatives, &Fixture::forward_dynamics_derivatives, 3},
      {PeerMethod::constrained_derivatives, &Fixture::constrained_dynamics_derivatives, 3},
      {PeerMethod::impact_derivatives, &Fixture::impact_derivatives, 2}};
  const auto size = static_cast<std::ptrdiff_t>(nv_ * nv_);
  std::vector<double> theirs(3 * nv_ * nv_);
  for (const auto& [method, call, matrices] : calls) {
    double worst = 0;
    for (int i = 0; i < std::min(5, state_count()); ++i) {
      // Anew: derivatives of impacts of a floating base depend on earlier calls (derivatives/peer_wrong.py).
      built.peer->prepare(method, {0, 1e-8, 10});
      const tenon_status status = (this->*call)(i);
      if (status == TENON_SINGULAR_CONFIGURATION)
        continue;  // rows that depend on each other at this state alone
      check(status, message());
      built.peer->run(method, i);
      built.peer->derivatives(method, theirs.data());
      for (std::ptrdiff_t k = 0; k < matrices; ++k) {
        const auto part = [&](const std::vector<double>& all) {
          return std::vector<double>(all.begin() + k * size, all.begin() + (k + 1) * size);
        };
        worst = std::max(worst, relative_difference(part(theirs), part(derivatives_)));
      }
    }
    // Of spherical_chain_14 those of Pinocchio by g++ are 1.6e-6 apart, where ours agree with solves in long double to 1e-12.
    // Impacts next to a singular configuration, as the first of panda_arm, show its damping.
    if (worst > (method == PeerMethod::impact_derivatives ? 1e-4 : 1e-5))
      sentences.push_back(sentence(
          *this, std::string(peer_method_name(method)) + " of the peer by " + built.compiler, worst));
  }
}

void Fixture::compare(const BuiltPeer& built, std::vector<std::string>& sentences) {
  Peer& peer = *built.peer;
  if (peer.nv() != nv()) {
    sentences.push_back(name_ + ": the peer counts " + std::to_string(peer.nv()) + " velocities");
    return;
  }
  constexpr PeerMethod methods[] = {PeerMethod::aba_local, PeerMethod::rnea, PeerMethod::crba_local,
                                    PeerMethod::prox_ltl, PeerMethod::rnea_regressor};
  std::vector<double> theirs(nv_), their_matrix(nv_ * nv_);
  std::array<double, 6> worst{};
  const auto see = [&](std::size_t k, const std::vector<double>& ours, const std::vector<double>& other) {
    worst[k] = std::max(worst[k], relative_difference(other, ours));
  };
  // Stiffer and more iterations than are timed: this asks whether the problem is the same.
  for (const PeerMethod method : methods) peer.prepare(method, {0, 1e-8, 10});
  peer.prepare_pool(1);
  peer.run_pool(PeerPoolMethod::aba);
  for (int i = 0; i < std::min(5, state_count()); ++i) {
    for (const PeerMethod method : methods) peer.run(method, i);
    check(forward_dynamics(i), message());
    peer.result(PeerMethod::aba_local, theirs.data());
    see(0, out_, theirs);
    peer.pool_result(i, theirs.data());
    see(5, out_, theirs);
    check(inverse_dynamics(i), message());
    peer.result(PeerMethod::rnea, theirs.data());
    see(1, out_, theirs);
    peer.result(PeerMethod::rnea_regressor, theirs.data());
    see(4, out_, theirs);
    check(mass_matrix(i), message());
    peer.mass_matrix(PeerMethod::crba_local, their_matrix.data());
    see(2, matrix_, their_matrix);
    peer.result(PeerMethod::prox_ltl, theirs.data());
    see(3, reference_[static_cast<std::size_t>(i)], theirs);
  }
  compare_derivatives(built, sentences);
  for (std::size_t k = 0; k < worst.size(); ++k) {
    // Fingers of grams on a body of 180 kg lose eight digits; long chains in the world's axes, as in the pool, more.
    if (worst[k] <= (k == 3 || k == 5 ? 1e-6 : 1e-8)) continue;
    const std::string what = k == 5 ? "abaInParallel" : peer_method_name(methods[k]);
    sentences.push_back(sentence(*this, what + " of the peer by " + built.compiler, worst[k]));
  }
}

#ifdef TENON_BENCH_MUJOCO

void Fixture::make_mujoco(const Robot& robot) {
  const std::vector<std::string> timed = {"panda_arm", "iiwa14", "solo12", "go1", "atlas"};
  if (std::find(timed.begin(), timed.end(), robot.name) == timed.end()) return;
  mujoco_ =
      std::make_unique<MujocoPeer>(robot.urdf, robot.floating_base, joint_coordinates(), robot.contacts);
  for (const State& s : states_) mujoco_->add_state(s.q.data(), s.v.data(), s.tau.data());
}

// Its rows are soft: without them its accelerations must be those of forward dynamics.
void Fixture::compare_mujoco(std::vector<std::string>& sentences) {
  std::vector<double> theirs(nv_);
  double worst = 0;
  mujoco_->hold(false);
  for (int i = 0; i < std::min(5, state_count()); ++i) {
    mujoco_->run(i);
    mujoco_->result(i, theirs.data());
    check(forward_dynamics(i), message());
    worst = std::max(worst, relative_difference(theirs, out_));
  }
  mujoco_->hold(true);
  mujoco_->run(0);
  if (worst > 1e-9) sentences.push_back(sentence(*this, "mj_forward without rows", worst));
  if (mujoco_->rows() != rows())
    sentences.push_back(name_ + ": MuJoCo has " + std::to_string(mujoco_->rows()) + " rows");
}

#else

void Fixture::make_mujoco(const Robot&) {}
void Fixture::compare_mujoco(std::vector<std::string>&) {}

#endif

std::vector<std::string> Fixture::disagreements() {
  std::vector<std::string> sentences;
  for (const BuiltPeer& built : peers_) compare(built, sentences);
  if (mujoco_) compare_mujoco(sentences);
  return sentences;
}

}  // namespace bench
