// Pinocchio behind a plain interface, so that its headers are compiled in as few translation units as
// possible and with flags of their own (-O3 -march=native -DNDEBUG, as its authors build their benchmarks).
//
// States are given in Tenon's coordinates and converted once, before anything is timed: the free flyer has
// v = [linear; angular] there, joints are matched by name, and a continuous joint is stored as (cos, sin).
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace bench {

struct ContactSpec {
  std::string link;
  double point[3] = {0, 0, 0};  // link frame
  int rows = 6;                 // 3: point, 6: weld
};

// One moving joint of the Tenon model, in its coordinates.
struct JointCoordinates {
  std::string name;
  int q_index = 0, v_index = 0;
  int nq = 1, nv = 1;
};

enum class PeerMethod {
  aba_local,
  aba_world,
  rnea,
  crba_local,
  crba_world,
  constrained_aba,  // constrainedABA, pv.hpp
  pv,               // pv, pv.hpp
  lcaba,            // lcaba, loop-constrained-aba.hpp
  prox_ltl,         // constraintDynamics, constrained-dynamics.hpp
  rnea_derivatives,
  aba_derivatives,
  constrained_derivatives,  // of accelerations and forces, the solution included
  impact_derivatives,  // of an impact from velocities a, without restitution: velocities after it and impulses
  rnea_regressor,
};
inline constexpr int peer_method_count = 14;
inline const char* peer_method_name(PeerMethod method) {
  constexpr const char* names[peer_method_count] = {"aba_local",
                                                    "aba_world",
                                                    "rnea",
                                                    "crba_local",
                                                    "crba_world",
                                                    "constrainedABA",
                                                    "pv",
                                                    "lcaba",
                                                    "constraintDynamics",
                                                    "computeRNEADerivatives",
                                                    "computeABADerivatives",
                                                    "computeConstraintDynamicsDerivatives",
                                                    "computeImpulseDynamicsDerivatives",
                                                    "computeJointTorqueRegressor"};
  return names[static_cast<int>(method)];
}

struct PeerSettings {
  double accuracy = 0;  // 0: all iterations are made
  double mu = 1e-6;     // its mu is one over the papers'
  int iterations = 3;
};

// What its pool of threads computes for all states in one call.
enum class PeerPoolMethod { aba, rnea };

class PeerDelassus;

class Peer {
 public:
  virtual ~Peer() = default;

  // a: what RNEA computes the forces for.
  virtual void add_state(const double* q, const double* v, const double* tau, const double* a) = 0;
  // Scratch memory of the method; called once before run().
  virtual void prepare(PeerMethod method, const PeerSettings& settings = {}) = 0;
  virtual void run(PeerMethod method, int state) = 0;
  // What the last run() of the method wrote, in Tenon's coordinates: acceleration, or tau of RNEA and of the regressor
  // times the parameters.
  virtual void result(PeerMethod method, double* out) const = 0;
  // Mass matrix of the last CRBA, nv x nv, both triangles.
  virtual void mass_matrix(PeerMethod method, double* out) const = 0;
  // Those of the last run() of a method of derivatives, in Tenon's coordinates: matrices nv x nv, column by column: by
  // q, by v, and but for impacts by a or tau.
  virtual void derivatives(PeerMethod method, double* out) const = 0;
  // Of the states added so far; must not outlive this.
  virtual std::unique_ptr<PeerDelassus> make_delassus() const = 0;

  // Its own pool of `threads` threads; called once before run_pool().
  virtual void prepare_pool(int threads) = 0;
  virtual void run_pool(PeerPoolMethod method) = 0;
  virtual void pool_result(int state, double* out) const = 0;

  virtual int nv() const = 0;
};

// The peer as one compiler built it: a shared library that shows nothing but this, so that several of them fit into
// one process.
struct PeerBuild {
  std::string compiler;     // "g++"
  std::string description;  // "Pinocchio 4.1.0, Eigen 3.4.1, GNU 12.2.0 -O3 -march=native -DNDEBUG"
  // Throws std::runtime_error when Pinocchio cannot read the text or a name is missing.
  std::unique_ptr<Peer> (*make)(const std::string& urdf, bool floating_base,
                                const std::vector<JointCoordinates>& joints,
                                const std::vector<ContactSpec>& contacts);
};
// All that were built.
std::vector<PeerBuild> peer_builds();

}  // namespace bench
