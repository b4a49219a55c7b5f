// Tables and memory of pv_early: plain arrays (see data/model_data.hpp).
#pragma once

#include <cstdint>

#include "spatial/pack.hpp"

namespace tenon {

// Most rows that one segment propagates: its own and those that segments outward of it left over. In packs all rows are
// eliminated where their segment ends, or the lane has no answer.
inline constexpr int unpivoted_rows = 6;
template <class T>
inline constexpr int early_rows = is_pack<T> ? 8 : 16;
// Whether the sweeps are those of constrained_aba, and the answer is refined (pv_early_refine.hpp): packs of seven
// digits.
template <class T>
inline constexpr bool refines_early = false;
template <int W>
inline constexpr bool refines_early<Pack<float, W>> = true;
// PvEarlyData::left_over of all lanes.
inline constexpr std::int32_t every_lane = -1;
// EarlySegment::up where no segment follows.
inline constexpr std::int32_t at_world = -1, at_limb_parents = -2;

// A path of bodies and clusters between places where rows start or meet. Sorted as they are swept, leaves first. A
// cluster is named by its first body.
struct EarlySegment {
  std::int32_t first, last;           // its outermost and its innermost body or cluster
  std::int32_t parent;                // of `last`
  std::int32_t up;                    // the segment of this parent; at_world; at_limb_parents
  std::int32_t row_begin, row_count;  // rows on `first`
  std::int32_t dof_begin, dof_count;  // its coordinates in `crossings`
};

// What the rows of a segment do at one coordinate of a joint: W = K S and Y = W D^-1. At one of a cluster (D = L diag
// L^T): W = K S G L^-T and Y = W diag^-1.
template <class T>
struct alignas(64) EarlyCrossing {
  T W[early_rows<T>], Y[early_rows<T>];
};

// The rows that a segment propagates, a row in each lane: its own first.
template <class T>
struct alignas(64) EarlySet {
  static constexpr int most = early_rows<T>;
  T K[8][most];     // the six components of K, then k, then zeros
  T L[most][most];  // at the start of the segment: compliance, and what rows bring along
  T weight[most];
  T scale[most];             // usual Delassus diagonal of the row (ConstraintData::scale)
  T Z[most][8];              // of eliminated rows: L^-1 [K k 0]
  T couple[most][most];      // of eliminated rows with those after them: L^-1 times their part of L
                             // (where answers are refined: the LDL^T factor of L, with 1/D)
  T lambda[most];            // multipliers
  std::int32_t entry[most];  // of a segment that begins at a cluster: the body that a row enters by
  std::int32_t order[most];  // eliminated rows, then those that go on, then dependent ones
  std::int32_t count, eliminated, going_on;
  std::int32_t up_lane;  // of the first row that goes on, in the set of the next segment
  std::int32_t pivoted;  // 0: all rows were eliminated, in their order
};

template <class T>
struct PvEarlyData {
  std::int32_t segment_count, world_rows;
  const EarlySegment* segments;
  const std::int32_t *segment_of_node,
      *dof_of_node;  // -1: no rows pass the node, or a cluster at its first body
  const std::int32_t* node_of_row;
  // Inner bodies: segments end at them or at their descendants, so their inertias get K^T L^-1 K of rows. Ascending.
  std::int32_t inner_count;
  const std::int32_t* inner;
  EarlySet<T>* sets;  // segments
  EarlyCrossing<T>* crossings;

  // Of the last sweep.
  std::int32_t redundant;  // rows that depend on others, or that nothing moves
  // Not zero: some rows have no clear rank or no room, or hide inertias of bodies. In packs a bit for each lane.
  std::int32_t left_over;
};

}  // namespace tenon
