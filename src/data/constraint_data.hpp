// A constraint set as kernels see it: plain arrays (see data/model_data.hpp).
#pragma once

#include <cstdint>

namespace tenon {

struct ConstraintItem {
  std::int32_t constraint;  // index of its constraint in the set
  std::int32_t node;        // the body its rows are numbered with; -1: the link is part of the world
  std::int32_t row_begin, row_count;
  std::uint32_t rows;       // bits: angular x y z, linear x y z; 0 for custom rows
  std::int32_t world_axes;  // 1: rows along the world's axes
  std::int32_t custom;      // index into custom (six numbers a row, body frame), -1 otherwise
  double R[9], p[3];        // constrained frame in the body frame, where the set has it
  // Closures: the frame is held against a frame on a second body instead of an anchor.
  std::int32_t closure;        // 1: this is one
  std::int32_t embedded;       // 1: of a loop in the model, whose angular rows are those of loop_rows.hpp
  std::int32_t first, second;  // nodes of the two frames, -1: the world
  std::int32_t meet;           // nearest common ancestor of the two, -1: the world
  std::int32_t side_row;       // first of its rows among the inter-body ones; -1: at most one body moves
  double R2[9], p2[3];         // second frame in its body frame
};

// The world poses that rows need: none (axes of links), world axes, or poses for errors against anchors.
enum class ConstraintPoses : std::int32_t { none, axes, with_errors };

// Of one item whose errors act with this frequency. A set needs the largest of its items.
inline ConstraintPoses needed_poses(const ConstraintItem& item, double frequency) {
  if (frequency > 0) return ConstraintPoses::with_errors;
  return item.world_axes != 0 ? ConstraintPoses::axes : ConstraintPoses::none;
}

// Rows are numbered in the order of the items, so that the rows of a subtree are contiguous; user_row gives
// the order in which constraints were added.
//
// Inter-body rows are closures between two moving bodies. They act on the two paths outward from `meet` and
// on nothing inward of it, where the two sides cancel. They are numbered as the last rows of `meet` (of the
// root of the first body if the two meet at the world), so that subtrees that hold both bodies have them
// among their rows. Other closures move one body or none and are rows of that body or of the world.
template <class N>
struct RowTables {
  std::int32_t item_count, row_count;
  const ConstraintItem* items;  // sorted by node, world ones (node -1) first
  const N* custom;
  const N* scale;                        // per row: typical diagonal of J M^-1 J^T, sets the size of mu
  const N *root_scale, *per_root_scale;  // its square root, and one over that
  // The minimum over all rows of the row's typical length of J L^-T, divided by the length for a free body.
  // Small for a point near the axis of the only joint that moves it; penalties are then much larger than
  // inertias.
  double least_leverage;
  // Per velocity coordinate of the model: the largest D = S^T U + armature, without rows, of some configurations.
  const N* joint_inertia;
  const std::int32_t* user_row;  // per row: its number among the user's rows
  std::int32_t support_count;
  const std::int32_t* support;  // nodes that carry a constrained node, themselves included, and with one
                                // body of a cluster, all others of it, ascending
  const std::int32_t* node_row_first;  // node_count + 1: rows on node i itself are [., node_row_first[i + 1])
  const std::int32_t*
      subtree_row_end;  // node_count: rows on node i and its descendants are [node_row_first[i], .)
  std::int32_t inter_body_count, inter_body_row_count;
  const std::int32_t* inter_body;  // items of inter-body rows
  // node_count: the joint of node i moves only rows in [moved_begin[i], moved_end[i]): those of its subtree,
  // and inter-body rows on paths across it. The range contains the ranges of all descendants.
  const std::int32_t* moved_begin;
  const std::int32_t* moved_end;
};

// What users set, of one state or of each lane.
template <class N>
struct RowSettingsOf {
  ConstraintPoses poses;  // those that some row needs, in some lane
  bool some_inactive;
  const N* anchors;              // 12 an item: R row by row, p (world pose of the held frame)
  const N* gains;                // 2 an item: frequency, damping ratio
  const N* active;               // per row: 1, or 0 if the row is inactive; all its numbers are then zero
  const N* frames;               // 12 an item: as anchors, the constrained frame in the body frame
  const N *weight, *compliance;  // per row
};

// N: as of a model (model_data.hpp). S: of the settings, which each of several states has too.
template <class N, class S = N>
struct ConstraintDataOf : RowTables<N>, RowSettingsOf<S> {};
using ConstraintData = ConstraintDataOf<double>;

}  // namespace tenon
