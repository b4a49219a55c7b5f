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
inline const char* peer_delassus_method_name(PeerDelassusMethod method) {
  constexpr const char* names[peer_delassus_method_count] = {
      "computeDelassusMatrix", "computePvDelassusMatrix", "computeDampedDelassusMatrixInverse_EFPA",
      "computeDampedDelassusMatrixInverse_PV"};
  return names[static_cast<int>(method)];
}

class PeerDelassus {
 public:
  virtual ~PeerDelassus() = default;
  // mu: its own, one over the papers'.
  virtual void run(PeerDelassusMethod method, int state, double mu = 1e-6) = 0;
  // Of the last run, in the order of Tenon's rows, both triangles.
  virtual void result(double* out) const = 0;
};

}  // namespace bench
