// What the translation units of the peer share. Included by nothing else: these headers cost a minute.
#pragma once

#include <array>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/constraints.hpp>
#include <pinocchio/multibody.hpp>
#include <string>
#include <vector>

#include "peer/peer.hpp"

namespace bench {

// Memory of one method: the constraint solvers keep different sizes in the same fields of Data.
struct PeerScratch {
  explicit PeerScratch(const pinocchio::Model& model) : data(model) {}
  pinocchio::Data data;
  PeerSettings settings;
  virtual ~PeerScratch() = default;
};

struct PeerContact {
  pinocchio::JointIndex joint;
  pinocchio::SE3 placement;
  int rows;
};

struct PeerState {
  Eigen::VectorXd q, v, tau, a;
};

struct Peer::Impl {
  pinocchio::Model model;
  std::vector<PeerContact> contacts;
  std::vector<PeerState> states;
  std::vector<int> v_of_tenon;  // index in the peer's v of each of Tenon's velocity coordinates
  struct Coordinates {
    pinocchio::JointIndex joint;
    JointCoordinates tenon;
  };
  std::vector<Coordinates> coordinates;
  std::array<std::unique_ptr<PeerScratch>, peer_method_count> scratch;  // by method
};

// Memory of a method with constraints, and the method.
struct ConstrainedScratch : PeerScratch {
  using PeerScratch::PeerScratch;
  virtual void solve(const pinocchio::Model& model, PeerMethod method, const PeerState& state) = 0;
};

// peer_constrained.cpp
std::unique_ptr<PeerScratch> make_constrained_scratch(const Peer::Impl& peer, PeerMethod method,
                                                      const PeerSettings& settings);
void run_constrained(const Peer::Impl& peer, PeerMethod method, PeerScratch& scratch, const PeerState& state);

}  // namespace bench
