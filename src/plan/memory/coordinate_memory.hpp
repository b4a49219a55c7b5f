// Memory of a workspace for coordinates other than the spanning tree's (state/coordinates.hpp). Without loops
// all but `result` are empty.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/on_demand.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

struct CoordinateMemory {
  CoordinateMemory(const Model& model, int rows);
  std::size_t bytes() const;

  // A dependent position that follows from a coupling alone: q[at] = offset + sum of its terms.
  struct Follower {
    std::int32_t at, term_begin, term_end;
    double offset;
  };
  struct Term {
    std::int32_t of;
    double ratio;
  };
  struct Quaternion {
    int y_index, joint;
  };

  Coordinates positions = Coordinates::spanning, velocities = Coordinates::spanning;  // as set
  bool independent_q = false, independent_v = false;  // the same, never true without loops
  bool map_changes = false;                           // some cluster's G is not constant
  int split_joint = -1;                               // a joint with coordinates of both kinds, or -1
  std::vector<double> guess;                          // closed; the path to independent positions starts here
  std::vector<Follower> followers;
  std::vector<Term> terms;
  std::vector<std::int32_t> turned;     // independent positions of clusters that need iteration
  std::vector<Quaternion> quaternions;  // among the independent positions
  // Arguments of a call in coordinates of the spanning tree, and its result.
  std::vector<double> q, v, a, tau, result;
  std::vector<double> jacobian;  // rows of nv
  std::vector<double> G, g;      // of the last kinematics()
  OnDemandArray H, H_factor;     // of factor_mass_matrix(), ny x ny
};

}  // namespace tenon
