// The kernels that work on the numbers of several states at a time (spatial/slots.hpp), one table for each
// instruction set and precision. They compute what the kernels of the same names compute for one state.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/workspace_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "spatial/slots.hpp"

namespace tenon {

// Anchors, gains and activity of constraints in each state (kernels/pack/states_rows.hpp). Arrays: by the items of the
// set.
template <class T>
struct PackedSettings {
  ConstraintPoses poses;  // those that a row of some state needs
  bool some_inactive;
  const T* anchors;  // 12 an item: R row by row, p
  const T* gains;    // 2 an item: frequency, damping ratio
  const T* active;   // 1 or 0
};

// What constrained_aba on packs needs besides the rows (kernels/pack/constrained_pack.hpp). Arrays: rows.
template <class T>
struct PackedRows {
  PackedSettings<T> settings;
  const double* inv_mu;      // proximal terms, 0 for rows with compliance that are exact without a multiplier
  const double* root_scale;  // square roots of ConstraintData::scale
  double absolute;           // subtracted from each residual
  T *f, *step, *unit;        // proximal centre; the last step; units of residuals (solve/row_residual.hpp)
  T primal;                  // the largest residual in units, of each lane
  T first_force, force;      // the largest force of the first evaluation and of the last
};

// The memory of the Delassus matrix of packs (kernels/pack/delassus_pack.hpp).
template <class T>
struct PackedDelassus {
  PackedSettings<T> settings;
  std::ptrdiff_t rows;
  const std::int32_t *first, *end;  // per velocity coordinate: the rows that it moves; none for [0, 0)
  T* x;                             // nv x rows: K S L^-T of the rows
  T* inverse;                       // nv: 1 / D
  T* zeros;                         // nv: set to zero
};

// Numbers of type Io of W states (kernels/pack/exchange_pack.hpp).
template <class Io, class T>
struct PackExchange {
  // to[i][l] := from[l][i], and its reverse, for the first `count` numbers. ahead: where the next pack's numbers
  // are.
  void (*gather)(const Io* const* from, std::ptrdiff_t count, std::ptrdiff_t ahead, T* to);
  void (*scatter)(const T* from, std::ptrdiff_t count, std::ptrdiff_t ahead, Io* const* to);
  // within[l] := whether all numbers of lane l are numbers, as Io, and none beyond `largest`.
  void (*find_within)(const T* x, std::ptrdiff_t count, Io largest, bool* within);
};

template <class N, int W>
struct PackKernels {
  using T = Slots<N, W>;
  bool (*aba)(const ModelData&, const T* q, const T* v, const T* tau, bool has_wrenches, T* qdd,
              WorkspaceData<T>&);
  void (*rnea)(const ModelData&, const T* q, const T* v, const T* qdd, bool has_wrenches, T* tau,
               WorkspaceData<T>&);
  // Does not write the zeros between branches.
  void (*crba)(const ModelData&, const T* q, T* M, int ld, WorkspaceData<T>&);
  // World poses of bodies, and with v velocities in body frames.
  void (*kinematics)(const ModelData&, const T* q, const T* v, WorkspaceData<T>&);
  // After kinematics. R (9 numbers, row by row), p (3): the world pose of a frame that is fixed to a node;
  // V (6, null: not wanted): its velocity, J (6 x nv, null): its Jacobian, along the axes of the world or of
  // the frame.
  void (*frame_motion)(const ModelData&, int node, const double* R_in_body, const double* p_in_body,
                       bool world_axes, T* R, T* p, T* V, T* J, const WorkspaceData<T>&);
  // q := q moved by v for dt (model/joint_motion.hpp).
  void (*integrate)(const ModelData&, const T* v, double dt, T* q);
  // v := v + [u, v] / 2 + [u, [u, v]] / 12 with u = h u_of_one (calls/steps.cpp).
  void (*add_brackets)(const ModelData&, const T* u_of_one, double h, T* v);
  // The first evaluation of constrained_aba, a refining one, and the nodes that support no rows.
  bool (*constrained_start)(const ModelData&, const ConstraintData&, const T* q, const T* v, const T* tau,
                            bool has_wrenches, T* qdd, PackedRows<T>&, WorkspaceData<T>&);
  void (*constrained_refine)(const ModelData&, const ConstraintData&, const T* tau, T* qdd, PackedRows<T>&,
                             WorkspaceData<T>&);
  void (*constrained_finish)(const ModelData&, const ConstraintData&, const T* v, T* qdd, WorkspaceData<T>&);
  // J M^-1 J^T, rows x rows in the kernels' order, the lower triangle row by row; and X := (A + damping)^-1 X.
  bool (*delassus)(const ModelData&, const ConstraintData&, const T* q, PackedDelassus<T>&, T* A,
                   WorkspaceData<T>&);
  bool (*solve_damped)(int rows, const double* damping, T* A, T* X, int columns);
  // G and g of the clusters (kernels/pack/loops_pack.hpp), before the kernels of dynamics. largest: the largest
  // entry of G, 1e30 at a dead centre. Null in single precision, which has no kernels for models with loops.
  void (*loops)(const ModelData&, const T* q, const T* v, T& largest, WorkspaceData<T>&);
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
