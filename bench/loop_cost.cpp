// What exact kinematic loops cost: forward dynamics of robots with geared motors against the same robots with
// their rotors as armature, and of linkages.
//
//     loop_cost [--seconds 0.5] [--model NAME]...
//
// Both models of a robot are timed in turn, so that what else the machine does meets both; the fastest of all
// rounds counts.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace {

using namespace tenon;

constexpr int state_count = 1000;
constexpr int round_count =
    100;  // states of a round: short beside the time that a busy machine gives at once

// The independent joints alone: dependent ones fixed at zero, and what is seen of them at the independent
// ones as armature, diag(G_d^T M_dd G_d).
Mechanism armature_approximation(Mechanism mechanism) {
  const auto model = Model::compile(mechanism);
  Workspace w(model);
  const int nv = model->nv;
  const std::size_t size = static_cast<std::size_t>(nv);
  std::vector<double> M(size * size), G(size * static_cast<std::size_t>(model->ny));
  mass_matrix(w, model->loops.closed.data(), M.data(), nv);
  loop_map(w, model->loops.closed.data(), nullptr, G.data(), nv, nullptr);
  std::map<std::string, double> armature;
  std::map<std::string, bool> follows;
  const auto joint_of = [&](int k) {
    return model->joints[static_cast<std::size_t>(model->v_node[static_cast<std::size_t>(k)])].name;
  };
  for (int k = 0; k < nv; ++k) {
    if (model->loops.y_index[static_cast<std::size_t>(k)] >= 0) continue;
    follows[joint_of(k)] = true;
    for (int j = 0; j < model->ny; ++j) {
      const double ratio = G[static_cast<std::size_t>(k + j * nv)];
      armature[joint_of(model->loops.independent[static_cast<std::size_t>(j)])] +=
          ratio * ratio * M[static_cast<std::size_t>(k + k * nv)];
    }
  }
  for (MechanismJoint& joint : mechanism.joints) {
    joint.armature += armature[joint.name];
    if (follows[joint.name]) joint.type = JointType::fixed;
  }
  mechanism.loops.clear();
  mechanism.couplings.clear();
  mechanism.gears.clear();
  return mechanism;
}

// A model at many states on its constraint.
class Timed {
 public:
  explicit Timed(const Mechanism& mechanism, bool floating = false)
      : model_(compiled(mechanism, floating)), w_(model_) {
    const std::size_t nq = static_cast<std::size_t>(model_->nq), nv = static_cast<std::size_t>(model_->nv);
    qdd_.resize(nv);
    for (std::uint64_t seed = 1; count() < state_count && seed < 20 * state_count; ++seed) {
      std::vector<double> q(nq), v(nv), tau(nv);
      random_configuration(*model_, seed, q.data());
      for (std::size_t k = 0; k < nv; ++k) v[k] = std::sin(static_cast<double>(7 * k + seed));
      for (std::size_t k = 0; k < nv; ++k) tau[k] = std::cos(static_cast<double>(11 * k + seed));
      if (close_loops(w_, LoopMoves::all, q.data(), nullptr) != Status::ok) continue;
      if (project_velocity(w_, LoopMoves::dependent, q.data(), v.data()) != Status::ok) continue;
      q_.insert(q_.end(), q.begin(), q.end());
      v_.insert(v_.end(), v.begin(), v.end());
      tau_.insert(tau_.end(), tau.begin(), tau.end());
    }
  }

  int count() const { return model_->nv == 0 ? 0 : static_cast<int>(v_.size()) / model_->nv; }
  // Microseconds a call, the mean over the next states.
  double time() {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t nq = static_cast<std::size_t>(model_->nq), nv = static_cast<std::size_t>(model_->nv);
    for (int call = 0; call < round_count; ++call) {
      const std::size_t i = next_;
      if (forward_dynamics(w_, &q_[i * nq], &v_[i * nv], &tau_[i * nv], nullptr, qdd_.data()) < Status::ok)
        std::exit(1);
      if (++next_ == static_cast<std::size_t>(count())) next_ = 0;
    }
    const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begin;
    return passed.count() / round_count;
  }

 private:
  static std::shared_ptr<const Model> compiled(const Mechanism& mechanism, bool floating) {
    CompileOptions options;
    options.floating_base = floating;
    return Model::compile(mechanism, options);
  }

  std::shared_ptr<const Model> model_;
  Workspace w_;
  std::vector<double> q_, v_, tau_, qdd_;
  std::size_t next_ = 0;
};

Mechanism robot(const std::string& name) {
  return load_urdf(std::string(TENON_BENCH_MODELS) + "/" + name + ".urdf");
}

// The fastest of rounds in turn.
std::vector<double> fastest(std::vector<Timed*> models, double seconds) {
  std::vector<double> best(models.size(), INFINITY);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds)
    for (std::size_t i = 0; i < models.size(); ++i) best[i] = std::min(best[i], models[i]->time());
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0.5;
  std::vector<std::string> only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--seconds") seconds = std::atof(argv[i + 1]);
    if (std::string(argv[i]) == "--model") only.push_back(argv[i + 1]);
  }
  const auto wanted = [&](const char* name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  std::printf("%-22s %9s %9s %7s   microseconds a call of forward_dynamics\n", "robot", "exact", "armature",
              "ratio");
  for (const auto& [name, floating] :
       {std::pair{"mini_cheetah", true}, std::pair{"mit_humanoid", true}, std::pair{"jvrc1", true},
        std::pair{"mit_humanoid_leg", false}, std::pair{"revolute_rotor_chain", false}}) {
    if (!wanted(name)) continue;
    Timed exact(robot(name), floating), approximate(armature_approximation(robot(name)), floating);
    const std::vector<double> t = fastest({&exact, &approximate}, seconds);
    std::printf("%-22s %9.3f %9.3f %7.3f\n", name, t[0], t[1], t[0] / t[1]);
  }
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage", "strandbeest_leg", "cassie"}) {
    if (!wanted(name)) continue;
    Timed exact(robot(name), std::string(name) == "cassie");
    std::printf("%-22s %9.3f\n", name, fastest({&exact}, seconds)[0]);
  }
  return 0;
}
