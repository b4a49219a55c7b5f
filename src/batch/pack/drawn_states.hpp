// Random states of a robot in the lanes of a pack, by which a batch finds out once what its rows are like.
#pragma once

#include <random>
#include <vector>

#include "data/inputs.hpp"
#include "model/body_poses.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/pack.hpp"

namespace tenon {

template <class N, int W>
class DrawnStates {
 public:
  using Pack = tenon::Pack<N, W>;

  explicit DrawnStates(const ModelData& m) : m_(m), v_(index(m.nv)), tau_(index(m.nv)) {
    std::vector<double> neutral(index(m.nq));
    neutral_configuration({m.nodes, m.nodes + m.node_count}, neutral.data());
    q_ = std::vector<Pack>(neutral.begin(), neutral.end());
  }
  // Other angles of hinges and other velocities and torques, the same numbers in each program.
  Inputs<Pack> draw() {
    constexpr double pi = 3.14159265358979323846;
    for (std::int32_t i = 0; i < m_.node_count; ++i)
      if (dofs_of(m_, i) == 1) draw(pi, q_[index(m_.nodes[i].q_index)]);
    for (std::vector<Pack>* x : {&v_, &tau_})
      for (Pack& e : *x) draw(1, e);
    return {q_.data(), v_.data(), tau_.data()};
  }

 private:
  void draw(double size, Pack& x) {
    for (int l = 0; l < W; ++l) x[l] = static_cast<N>(size * (2.0 * random_() / std::minstd_rand::max() - 1));
  }

  const ModelData& m_;
  std::minstd_rand random_;
  std::vector<Pack> q_, v_, tau_;
};

}  // namespace tenon
