// The peer's Delassus matrix behind a plain interface, as peer.hpp.
#pragma once

#include <memory>

#include "peer.hpp"

namespace bench {

class PeerDelassusMatrix {
 public:
  // Of a peer with its states; must not outlive it.
  explicit PeerDelassusMatrix(const Peer& peer);
  ~PeerDelassusMatrix();
  PeerDelassusMatrix(const PeerDelassusMatrix&) = delete;
  PeerDelassusMatrix& operator=(const PeerDelassusMatrix&) = delete;

  void run(int state);
  // Of the last run, in the order of Tenon's rows, both triangles.
  void result(double* out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bench
