// The kernels that work on the numbers of several states at a time (spatial/pack.hpp), one table for each
// instruction set and precision. They compute what the kernels of the same names, without `_of_states`, compute for one.
#pragma once

#include <cstddef>
#include <type_traits>

#include "data/constraint_data.hpp"
#include "kernels/constrained/proximal_point.hpp"
#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/joint/joint_torques.hpp"
#include "kernels/kernel_list.hpp"
#include "spatial/pack.hpp"

namespace tenon {

// Rows of W states, each of which has settings of its own.
template <class T>
using RowsOfStates = ConstraintDataOf<double, T>;

// What constrained dynamics of packs needs besides the rows (kernels/pack/constrained_pack.hpp).
template <class T>
struct PackedRows : ProximalPoint<T> {
  RowSettingsOf<T> settings;
  double mu;  // relative to 1 / ConstraintData::scale: penalties of constrained_aba
};

// The memory of the Delassus matrix of packs (kernels/pack/delassus_pack.hpp).
template <class T>
struct PackedDelassus {
  RowSettingsOf<T> settings;
  std::ptrdiff_t rows;
  const std::int32_t *first, *end;  // per velocity coordinate: the rows that it moves; none for [0, 0)
  T* x;                             // nv x rows: K S L^-T of the rows
  T* inverse;                       // nv: 1 / D
  T* zeros;                         // nv: set to zero
};

// A step in time between two states, in the coordinates of the tree (kernels/pack/step_pack.hpp).
template <class T>
struct StepOfStates {
  const T *K, *phi;          // WorkspaceData::loop_K and loop_phi at the beginning
  const T *v, *end_v;        // of both ends
  const T *tau, *bias;       // forces at the beginning; bias null: power is there in its place
  T before, after, power;    // kinetic energies, and the power of bias forces
  double dt, closed, share;  // as most_gap (kernels/cluster/step_limits.hpp) has them
};

// Numbers of W states in packs, and where they are in the array of the caller: `count` of state s from array + s stride on.
template <class Io, class T>
struct StateList {
  Io* array;
  std::ptrdiff_t stride, count;
  T* packs;
  std::ptrdiff_t ahead;  // how far behind those of the next pack are, which are fetched; 0: they are not
};

// The lists (kernels/kernel_list.hpp); T: the numbers of W states.

// Numbers of type Io of W states (kernels/pack/exchange_pack.hpp); state: those in the lanes.
#define TENON_PACK_EXCHANGE(KERNEL)                                                                                       \
  /* packs[i][l] := number i of the state in lane l, and its reverse, of all lists. */                                    \
  /* Lanes of `beyond` become not zero where a number is not finite, others are left as they are. */                      \
  KERNEL(void, gather_states, const StateList<Io, T>* lists, std::size_t list_count,                                      \
         const std::size_t* state, Pack<Io, T::width>* beyond)                                                            \
  KERNEL(void, scatter_states, const StateList<Io, T>* lists, std::size_t list_count,                                     \
         const std::size_t* state)                                                                                        \
  /* Number i of lane l to to[l][i]. zeros, null: a byte for each W whole numbers, not 0: they are zero, and not read. */ \
  KERNEL(void, scatter_lines, const T* from, std::ptrdiff_t count, const char* zeros, Io* const* to)                      \
  /* The same as gather_states finds where numbers, as Io, are none or beyond `largest`. */                               \
  KERNEL(void, find_beyond, const StateList<Io, T>* lists, std::size_t list_count, Io largest,                            \
         Pack<Io, T::width>* beyond)

#define TENON_PACK_KERNELS(KERNEL)                                                                             \
  KERNEL(bool, aba_of_states, Model, In, T* qdd, Work)                                                         \
  KERNEL(bool, aba_of_measured, Model, In, T* qdd, Work)                                                       \
  KERNEL(void, rnea, Model, In, T* tau, Work)                                                                  \
  /* The whole matrix, or its lower triangle row by row; does not write the zeros between branches. And */     \
  /* the factor in the place of such a triangle, with entries that are no numbers in lanes without one. */     \
  KERNEL(void, crba_of_states, Model, const T* q, bool whole, T* M, Work)                                      \
  KERNEL(bool, factor_along_tree, int n, const std::int32_t* parent, T* A)                                     \
                                                                                                               \
  /* World poses of bodies, with v velocities and with a accelerations in body frames. */                      \
  KERNEL(void, kinematics, Model, const T* q, const T* v, const T* a, Work)                                    \
  /* After that. R (9 numbers, row by row), p (3): the world pose of a frame that is fixed to a node; */       \
  /* V, A (6 each, null: not wanted): its velocity and the classical acceleration of its origin, J (6 x nv, */ \
  /* null): its Jacobian, along the axes of the world or of the frame. */                                      \
  KERNEL(void, frame_motion, Model, int node, const double* R_in_body, const double* p_in_body,                \
         bool world_axes, T* R, T* p, T* V, T* A, T* J, const WorkspaceData<T>&)                               \
  /* The numbers of the whole robot, centroidal_room of them; v null: at rest. center: not only energies. */   \
  KERNEL(void, centroidal_state, Model, const T* v, bool center, T* state, const WorkspaceData<T>&)            \
                                                                                                               \
  /* q := q moved by v for dt (kernels/joint/integrate.hpp). */                                                \
  KERNEL(void, integrate_joints, Model, const T* v, double dt, T* q)                                           \
  /* v := v + [u, v] / 2 + [u, [u, v]] / 12 with u = h u_of_one (calls/steps.cpp). */                          \
  KERNEL(void, add_brackets, Model, const T* u_of_one, double h, T* v)                                         \
                                                                                                               \
  /* Torques that follow from motion (kernels/joint/joint_torques.hpp); n: how many. */                        \
  KERNEL(void, apply_friction, const T* tau, double sign, const T* damping, const T* dry, const T* v, int n,   \
         T* out)                                                                                               \
  KERNEL(void, apply_springs, const JointSprings<T>&, int n, T* tau)                                           \
                                                                                                               \
  /* Rows at a state, WorkspaceData::row_velocity among them. */                                               \
  KERNEL(void, evaluate_rows_of_states, Model, Rows, const RowSettingsOf<T>&, In, Work)                        \
  /* pv_early; residuals are in PackedRows::primal. Answers of seven digits are refined once, and how much */  \
  /* that moves joints is in motion_error. */                                                                  \
  KERNEL(bool, pv_early_of_states, Model, Rows, In, T* qdd, PackedRows<T>&, PvEarlyData<T>&, Work)             \
  /* The first evaluation of constrained_aba, a refining one, and the nodes that support no rows. */           \
  KERNEL(bool, constrained_start, Model, Rows, In, T* qdd, PackedRows<T>&, Work)                               \
  KERNEL(void, constrained_refine, Model, Rows, In, T* qdd, PackedRows<T>&, Work)                              \
  KERNEL(void, finish_others, Model, Rows, In, T* qdd, Work)                                                   \
                                                                                                               \
  /* J M^-1 J^T, rows x rows in the kernels' order, the lower triangle row by row; and */                      \
  /* X := (A + damping)^-1 X. */                                                                               \
  KERNEL(bool, delassus_of_states, Model, Rows, const T* q, PackedDelassus<T>&, T* A, Work)                    \
  KERNEL(bool, solve_damped, int rows, const T* damping, T* A, T* X, int columns)                              \
                                                                                                               \
  /* G and g of the clusters (kernels/pack/loops_pack.hpp), before the kernels of dynamics. largest: the */    \
  /* largest entry of G, 1e30 at a dead centre. v null: at rest. In double precision only, and: closes */      \
  /* loops at the end of a step by dependent coordinates; gap: what stays open. */                             \
  KERNEL(void, loops_of_states, Model, const T* q, const T* v, T& largest, Work)                               \
  KERNEL(void, close_loops_of_states, Model, T* q, T& largest, T& gap, Work)                                   \
                                                                                                               \
  /* The ends of a step in time (kernels/pack/step_pack.hpp): gaps of loops without G and g. After these, */   \
  /* or loops_of_states, at q: kinetic energy, and the power of bias forces without wrenches. With the gaps */ \
  /* of the end: 1 where a loop opens too much, and what the gain of energy has above the most. */             \
  KERNEL(void, gaps_of_states, Model, const T* q, Work)                                                        \
  KERNEL(void, measure_motion, Model, const T* q, const T* v, T& energy, T& power, Work)                       \
  KERNEL(void, find_long_steps, Model, const StepOfStates<T>&, T& opens, T& excess, Work)

template <class Io, class T>
struct PackExchange {
  TENON_PACK_EXCHANGE(TENON_KERNEL_ENTRY)
};

template <class N, int W>
struct PackKernels {
  using T = Pack<N, W>;
  TENON_KERNEL_ENTRIES(TENON_PACK_KERNELS)
  PackExchange<N, T> exchange;
  PackExchange<float, T> exchange_floats;
  // Of numbers of type Io, N or float.
  template <class Io>
  const PackExchange<Io, T>& exchange_of() const {
    if constexpr (std::is_same_v<Io, N>)
      return exchange;
    else
      return exchange_floats;
  }
};

}  // namespace tenon
