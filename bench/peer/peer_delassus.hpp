// The peer's Delassus matrix and its damped inverse behind a plain interface, as peer.hpp.
#pragma once

#include <memory>

#include "peer/peer.hpp"

namespace bench {

enum class PeerDelassusMethod {
  efpa,         // computeDelassusMatrix
  pv,           // computePvDelassusMatrix, of which its headers make no more than a part of the next
  damped_efpa,  // computeDampedDelassusMatrixInverse, by either sweep on augmented inertias
  damped_pv,
};
inline constexpr int peer_delassus_method_count = 4;
const char* peer_delassus_method_name(PeerDelassusMethod method);

class PeerDelassus {
 public:
  // Of a peer with its states; must not outlive it.
  explicit PeerDelassus(const Peer& peer);
  ~PeerDelassus();
  PeerDelassus(const PeerDelassus&) = delete;
  PeerDelassus& operator=(const PeerDelassus&) = delete;

  // mu: its own, one over the papers'.
  void run(PeerDelassusMethod method, int state, double mu = 1e-6);
  // Of the last run, in the order of Tenon's rows, both triangles.
  void result(double* out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bench
