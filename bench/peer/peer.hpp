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
};
inline constexpr int peer_method_count = 9;
const char* peer_method_name(PeerMethod method);

struct PeerSettings {
  double accuracy = 0;  // 0: all iterations are made
  double mu = 1e-6;     // its mu is one over the papers'
  int iterations = 3;
};

class Peer {
 public:
  // Throws std::runtime_error when Pinocchio cannot read the text or a name is missing.
  Peer(const std::string& urdf, bool floating_base, const std::vector<JointCoordinates>& joints,
       const std::vector<ContactSpec>& contacts);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // a: what RNEA computes the forces for.
  void add_state(const double* q, const double* v, const double* tau, const double* a);
  // Scratch memory of the method; called once before run().
  void prepare(PeerMethod method, const PeerSettings& settings = {});
  void run(PeerMethod method, int state);
  // What the last run() of the method wrote, in Tenon's coordinates: acceleration, or tau of RNEA.
  void result(PeerMethod method, double* out) const;
  // Mass matrix of the last CRBA, nv x nv, both triangles.
  void mass_matrix(PeerMethod method, double* out) const;

  int nv() const;

  struct Impl;

 private:
  friend class PeerDelassus;
  std::unique_ptr<Impl> impl_;
};

// "Pinocchio 4.1.0, Eigen 3.4.1, g++ 12.2.0 -O3 -march=native -DNDEBUG"
std::string peer_description();

}  // namespace bench
