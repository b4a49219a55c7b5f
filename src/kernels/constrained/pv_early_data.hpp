// Tables and memory of pv_early: plain arrays (see model/model_data.hpp).
//
// Rows are propagated in sets of at most six; where two sets meet, up to twelve are held for a moment. The
// inward sweep records all it does to rows, and the outward sweep undoes it: reflections and eliminations of
// joints (EarlyColumn), of meeting sets (EarlySqueeze).
#pragma once

#include <cstdint>

namespace tenon {

inline constexpr int early_max = 6, early_meet = 12;

// Rows that are added to a set.
struct EarlyJoin {
  std::int32_t child;                 // their place in `nodes`, or -1: rows on the node itself
  std::int32_t row_begin, row_count;  // those rows, in hard_rows
  std::int32_t squeeze;               // -1 where there are never more than six
};

// A node that carries rows. In the order of the sweep, leaves first.
struct EarlyNode {
  std::int32_t node;
  std::int32_t parent;                // place in `nodes`, -1 at a root
  std::int32_t join_begin, join_end;  // in the order of arrival: children, then rows on the node itself
  std::int32_t up_join;               // the join that adds its rows to the parent
  std::int32_t soft_begin, soft_end;  // in soft_rows
  std::int32_t root_squeeze;          // if it is a root
};

// Propagated rows, K a' + L lambda = k of a node, without eliminated ones. A row is 8 numbers [K k 0].
template <class T>
struct EarlySet {
  T row[early_max][8];
  T L[early_max][early_max];  // valid if coupled
  T size;                     // sum of squares of all K at the start, for the test of rounding
  std::int32_t count;
  std::int32_t coupled;  // L is not zero
};

enum EarlyState : std::int32_t {
  early_untouched = 0,   // no row depends on the joint
  early_kept = 1,        // one row depends on it, too weakly to be carried
  early_eliminated = 2,  // it carries the last row
};

// The effect of a degree of freedom on the rows.
template <class T>
struct EarlyColumn {
  T v[early_max], beta;  // reflection 1 - beta v v^T
  T alpha;               // entry K S of the last row
  T K[6], k, inv_s;      // the last row after it, and 1 / its dual Hessian
  T L[early_max];        // that row's coupling with the others; valid if coupled
  std::int32_t rows, state, coupled;
};

// The reduction of a set of more than six rows, or of the rows left at a root: reflections until the last
// rows have no K, then these solved by the eigenvectors of their L.
template <class T>
struct EarlySqueeze {
  T v[early_max][early_meet], beta[early_max];
  T V[early_meet][early_meet];         // eigenvectors, one a column
  T couple[early_meet][early_max];     // V^T L between these rows and the others
  T k[early_meet], inv_e[early_meet];  // V^T k, 1 / eigenvalue; 0: redundant
  std::int32_t kept, total, coupled;   // kept: rows with K
};

struct EarlyJoined {
  std::int32_t before, added, after;
};
struct EarlyPassed {
  std::int32_t in, out;  // rows before and after the joint
};

template <class T>
struct PvEarlyData {
  std::int32_t node_count, world_rows;
  const EarlyNode* nodes;
  const EarlyJoin* joins;
  const std::int32_t* hard_rows;  // rows that are propagated
  const std::int32_t* soft_rows;  // rows soft enough to be eliminated on their own link

  const T* row_scale;       // rows are multiplied by it
  const T* compliance;      // rows
  EarlySet<T>* sets;        // nodes
  EarlyPassed* passed;      // nodes
  EarlyJoined* joined;      // joins
  EarlyColumn<T>* columns;  // nv
  EarlySqueeze<T>* squeezes;
  T* lambda_out;  // six a node: multipliers of the rows that left it

  std::int32_t redundant;  // of the last sweep: rows that could not be eliminated
};

}  // namespace tenon
