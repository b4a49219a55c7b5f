// What the mass matrix on branch lanes needs besides the sweeps of forward dynamics (branch_data.hpp).
#pragma once

#include "kernels/branches/branch_data.hpp"

namespace tenon {

// The velocity coordinates of the limbs of a bundle. They are consecutive.
template <int W>
struct LimbCoordinates {
  const LimbParent*
      parents;  // of each lane, for the pose; the world's stands where the root frame has its origin
  std::int32_t one_parent;  // they are the same
  std::int32_t limb_count, body_count;
  std::int32_t first[W];
  // How many places of the last group of four coordinates are written: up to four where what is written too much is
  // written again later, or is zero in M; else those of the limb. In S and F, in blocks of M, in rows of the root.
  std::int32_t F_places[W], M_places[W], root_places[W];
  std::int32_t carries;  // other bundles have limbs on these
};

// Consecutive coordinates of the trunk: their first place there and in the model.
struct TrunkCoordinates {
  std::int32_t from, to, count;
};

// A body of the trunk that carries limbs, and its own inertia.
struct LimbCarrier {
  std::int32_t node;
  double inertia[10];
};

template <int W>
struct MassOfBranches {
  ModelData trunk;  // its own numbers of bodies and of velocity coordinates
  WorkspaceData<double> w;
  std::int32_t carrier_count, run_count;
  const LimbCarrier* carriers;
  const TrunkCoordinates* runs;     // ascending
  const LimbCoordinates<W>* limbs;  // of each bundle
  std::int32_t
      is_star;  // the trunk is nothing, or one floating body that carries all limbs; no limb carries others
  const ModelData* model;
  std::int32_t model_run_count;
  const DofRun*
      model_runs;  // of the model; those of limbs that carry nothing have no subtree: lanes write it
};

}  // namespace tenon
