// Tables and memory of the kernels of methods, beside those of the sweeps (plan/arena.hpp): made once for a model and
// its constraints, which may be null.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/constraint_data.hpp"
#include "data/model_data.hpp"
#include "data/workspace_data.hpp"
#include "kernels/constrained/pv_data.hpp"
#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/delassus/caba_osim_data.hpp"
#include "kernels/delassus/delassus_data.hpp"
#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/derivatives/kinematics_derivative_data.hpp"
#include "kernels/derivatives/parameter_data.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "kernels/derivatives/second_order_data.hpp"
#include "kernels/tree/momentum_data.hpp"
#include "plan/arena.hpp"
#include "plan/memory_block.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

// Where rows of limbs arrive at their parents by branch lanes: the trunk's numbers of the model's nodes, -1 on limbs, and
// its first row on each of its nodes.
struct OsimrTrunk {
  const std::int32_t *node_of, *node_row_first;
};

// Make the tables of kernels, which are the same for all numbers. `memory` keeps their lists.
void make_tables(const ModelData& m, const ConstraintData& c, Memory& memory, PvTables& to);
void make_tables(const ModelData& m, const ConstraintData& c, Memory& memory, PvOsimfTables& to);
void make_tables(const ModelData& m, const ConstraintData& c, Memory& memory, CabaOsimTables& to);
void make_tables(const ModelData& m, const ConstraintData& c, const OsimrTrunk* trunk, Memory& memory,
                 OsimrTables& to);
void make_tables(const ModelData& m, const ConstraintData& c, Memory& memory, KjrTables& to);
void make_tables(const ModelData& m, const PvTables& pv, Memory& memory, EfpaTables& to);

// Of pv and prox_pv.
template <class T>
struct PvMemory : Memory {
  PvMemory(const ModelData& m, const ConstraintData* constraints) {
    if (!constraints || constraints->row_count == 0) return;
    make_tables(m, *constraints, *this, data);
    const std::size_t rows = index(constraints->row_count), lanes = index(data.lane_count),
                      slots = index(data.slot_count), columns = index(data.column_count),
                      matrix = index(data.matrix_size);
    cut<T>({{&data.K, 6 * lanes},
            {&data.k, lanes},
            {&data.W, index(data.W_size)},
            {&data.d_inv, columns},
            {&data.scaled, 4 * std::max(columns, slots)},
            {&data.L, lanes * lanes},
            {&data.b, rows},
            {&data.row_damping, rows},
            {&data.residual, rows},
            {&data.A, matrix},
            {&data.F, matrix},
            {&data.F_inv_d, slots},
            {&data.damping, slots},
            {&data.x, slots},
            {&data.Y, 6 * slots},
            {&data.C, 36}});
  }

  PvData<T> data{};
};

// Of pv_osimr, on the whole model, or on the trunk of branch lanes.
template <class T>
struct OsimrMemory : Memory {
  OsimrMemory() = default;
  OsimrMemory(const ModelData& m, const ConstraintData& c, const OsimrTrunk* trunk = nullptr) {
    make_tables(m, c, trunk, *this, data);
    const std::size_t stride = index(data.row_stride), branches = index(data.branch_count),
                      paths = index(data.W_size);
    cut<T>({{&data.K, 6 * stride},
            {&data.G, 6 * stride},
            {&data.P, 48 * branches},
            {&data.Omega, 48 * branches},
            {&data.W, paths},
            {&data.W_d, paths},
            {&data.x, index(data.x_size)},
            {&data.X, index(data.X_size)}});
  }

  OsimrData<T> data{};
};

// Of the methods for the Delassus matrix and of the operational-space products. pv: tables for the same model and
// constraints, whose lanes efpa uses.
template <class T>
struct DelassusMemory : Memory {
  DelassusMemory(const ModelData& m, const ConstraintData* constraints, const PvTables& pv) {
    std::size_t rows = 0;
    for (std::int32_t r = 0; constraints && r < constraints->row_count; ++r)
      in_order = in_order && constraints->user_row[r] == r;
    // No tables for inter-body rows in models with clusters: only dense takes such rows.
    if (constraints && constraints->row_count > 0 &&
        (m.cluster_count == 0 || constraints->inter_body_count == 0)) {
      rows = index(constraints->row_count);
      osimr = OsimrMemory<T>(m, *constraints);
      make_tables(m, pv, *this, efpa);
      make_tables(m, *constraints, *this, kjr);
    }
    const std::size_t nodes = index(m.node_count), nv = index(m.nv), y_packs = 4 * index(kjr.most_y);
    cut<T>({{&efpa.K, index(efpa.K_size)},
            {&efpa.Y, 6 * index(pv.lane_count)},
            {&kjr.Omega, rows > 0 ? 48 * nodes : 0},
            {&inverse_mass.body, 24 * nodes},
            {&inverse_mass.u, 4 * nv},
            {&J, rows * nv},
            {&inverse_mass_JT, rows * nv},
            {&Lambda, rows * rows},
            {&kjr.x, y_packs},
            {&kjr.y, y_packs},
            {&inverse_mass.ydd, m.cluster_count > 0 ? 4 * nv : 0}});
  }

  std::size_t bytes() const { return Memory::bytes() + osimr.bytes(); }

  OsimrMemory<T> osimr;
  EfpaData<T> efpa{};
  KjrData<T> kjr{};
  InverseMassData<T> inverse_mass{};
  T* J = nullptr;                // rows x nv, kernels' order
  T* inverse_mass_JT = nullptr;  // nv x rows: M^-1 J^T, kernels' order
  T* Lambda = nullptr;           // rows x rows, kernels' order
  bool in_order = true;          // the user's order of rows is the kernels'
};

// Of caba_osim and caba_osimf. Makes nothing for inter-body rows.
template <class T>
struct CabaOsimMemory : Memory {
  CabaOsimMemory(const ModelData& m, const ConstraintData* constraints) {
    if (!constraints || constraints->row_count == 0 || constraints->inter_body_count > 0) return;
    make_tables(m, *constraints, *this, data);
    const std::size_t links = index(data.link_count), stride = index(data.stride), nv = index(m.nv);
    const std::size_t row_array = 6 * stride, matrix6 = 48;
    const std::size_t places = index(data.places), most = index(data.most_rows);
    cut<T>({{&data.carried, matrix6},
            {&data.segment_W, 8 * nv},
            {&data.segment_inv_d, nv},
            {&data.own_K, 8 * most},
            {&data.own_KT, 6 * most},
            {&data.response, 8 * most},
            {&data.own_A, most * most},
            {&data.stack, most * (16 + most)},
            {&data.damping, stride},
            {&data.Phi, 21 * links},
            {&data.axes, matrix6 * links},
            {&data.propagate, matrix6 * links},
            {&data.omega, matrix6 * links},
            {&data.psi, matrix6 * links},
            {&data.own, index(data.own_size)},
            {&data.gain, 6 * places},
            {&data.drive, 6 * places},
            {&data.gain_up, row_array},
            {&data.drive_up, row_array},
            {&data.matrix, stride * stride},
            {&data.force, 8 * links},
            {&data.motion, 8 * links},
            {&data.own_b, places}});
  }

  CabaOsimData<T> data{};
};

// Of pv_osimf. Makes nothing for inter-body rows.
template <class T>
struct PvOsimfMemory : Memory {
  PvOsimfMemory(const ModelData& m, const ConstraintData* constraints) {
    if (!constraints || constraints->row_count == 0 || constraints->inter_body_count > 0) return;
    make_tables(m, *constraints, *this, data);
    const std::size_t slots = index(data.slot_count), matrix = index(data.matrix_size);
    cut<T>({{&data.damping, slots},
            {&data.A, matrix},
            {&data.F, matrix},
            {&data.inv_d, slots},
            {&data.scratch, matrix + 8 * slots},
            {&data.x, slots},
            {&data.Y, 6 * slots},
            {&data.Z, 6 * slots},
            {&data.C, 36}});
  }

  PvOsimfData<T> data{};
};

// Of the Coriolis matrix (kernels/tree/coriolis.hpp).
struct CoriolisMemory : Memory {
  explicit CoriolisMemory(const ModelData& m) {
    const std::size_t nodes = index(whole_eights(m.node_count)), dofs = index(dof_stride(m)),
                      path = index(whole_packs(m.nv)), nv = index(m.nv);
    cut<double>({{&data.B, 12 * nodes},
                 {&data.S_dot, 6 * dofs},
                 {&data.F, 6 * dofs},
                 {&data.N, 3 * dofs},
                 {&data.S_dot_path, 6 * path},
                 {&data.column, path},
                 {&data.row, path},
                 {&C, nv * nv},
                 {&G_dot, m.cluster_count > 0 ? nv * index(m.ny) : 0}});
  }

  CoriolisData<double> data{};
  double* C;      // of the spanning tree
  double* G_dot;  // nv x ny: the rate of G, with embedded loops
};

// Of derivatives (kernels/derivatives).
struct DerivativeMemory : Memory {
  DerivativeMemory(const ModelData& m, const SweepTables& sweep);

  DerivativeData<double> data{};
  InverseMassData<double> inverse_mass{};
  int ld;  // of the matrices
  ResponseCosts costs;
  double*
      matrix[3];  // by q, by v, by qdd or tau: nv columns, whole packs of rows and to whole eights of columns
  double* numbers[4];  // tau, and products: whole packs
};

// Of derivatives of steps in time (calls/derivatives/step_tangents.hpp).
struct StepDerivativeMemory : Memory {
  explicit StepDerivativeMemory(const ModelData& m);

  double *q, *v, *u;    // of the stages, most_stages of them, one behind the other
  double* end_q;        // nq: of the user
  double* numbers[16];  // nv each

  static constexpr int most_stages = 4;
};

// Of derivatives of kinematics.
struct KinematicsDerivativeMemory : Memory {
  explicit KinematicsDerivativeMemory(const ModelData& m);

  KinematicsDerivativeData<double> data{};
  double *matrix[4], *result[4];  // 6 x nv: of the tree, and in independent coordinates
  // nv x ny, where the map of loops varies, in independent coordinates: of v and qdd by positions, of qdd by velocities.
  double *velocity_q, *acceleration_q, *acceleration_v;
};

// Of derivatives with constraint rows, beside DerivativeMemory. Matrices have whole packs of rows and whole eights of
// columns.
struct RowDerivativeMemory : Memory {
  // c: null for none. costs: of DerivativeMemory.
  RowDerivativeMemory(const ModelData& m, const ConstraintData* c, const ResponseCosts& costs);

  RowDerivativeData<double> data{};
  RowBasisData<double> basis{};
  int stride;                     // whole packs of constraint rows, of the matrices of lambda
  double* of_lambda[3];           // by q, by v, by tau
  Responses<double> responses{};  // columns null: they do not pay
  double* J = nullptr;            // row-major, where the G of embedded loops varies
  double* by_desired;             // of qdd
  double* lambda_by_desired;
  double* numbers[4];  // whole packs of rows: lambda, and products
};

// Of a gradient on numbers with their changes. T: these.
template <class T>
struct GradientMemory : Memory {
  // c: null for none.
  GradientMemory(const ModelData& m, const ConstraintData* c, const SweepTables& sweep);
  std::size_t bytes() const { return Memory::bytes() + arena.bytes(); }

  Arena<T> arena;
  SecondOrderData<T> data{};
  T *gravity, *v, *qdd, *y, *lambda, *b, *wrenches;               // of data
  double *solution, *multipliers, *of_rows, *of_row_multipliers;  // qdd, y, lambda, b
  double* force;                                                  // of data
};
extern template struct GradientMemory<Changes>;
extern template struct GradientMemory<OneChange>;

// Of second derivatives times a change.
struct SecondProductMemory : GradientMemory<OneChange> {
  SecondProductMemory(const ModelData& m, const ConstraintData* c, const SweepTables& sweep);

  double* of_change[3];  // by q, v and a
  double* beyond[2];     // of rows that depend on others, kernels' order: what changes ask, and b
};

// Of second derivatives as matrices, which have whole packs of rows, those of rows in the user's order.
struct SecondOrderMemory : GradientMemory<Changes> {
  SecondOrderMemory(const ModelData& m, const ConstraintData* c, const SweepTables& sweep);

  int ld, stride;
  double *first[3], *lambda_first[3];  // of qdd and lambda, by q, v and tau
  double *by_desired, *lambda_by_desired;
  double *qq, *vq, *aq, *vv,
      *lambda_q;           // of the equations with constant multipliers: number i by coordinate k
  double *qx, *q_desired;  // results
};

// A link for ParameterMemory: the body it is fixed to (-1: the world), rotation row by row and position there.
struct LinkPlace {
  std::int32_t body;
  double R[9], p[3];
};

// Of derivatives by the parameters of links and joints. Others than links have body -1 too.
struct ParameterMemory : Memory {
  ParameterMemory(const ModelData& m, const std::vector<LinkPlace>& links, int ratios);

  ParameterData<double> data{};
  // Sums: of a solution, or of the stages of a step.
  double* by_inertia;                              // 10 a link of the model
  double *by_armature, *by_damping, *by_friction;  // nv
  double* by_wrenches;                             // 6 a link of the model
  double* by_gravity;                              // 3
  double* by_ratios;                               // of couplings and gears
};

// Of matrices by the parameters of links, ten columns a link of the model, to whole eights.
struct ParameterMatrixMemory : Memory {
  // c: null for none.
  ParameterMatrixMemory(const ModelData& m, const ConstraintData* c, int links);

  double* of_qdd;     // whole packs of rows (DerivativeMemory::ld)
  double* of_lambda;  // whole packs of constraint rows (RowDerivativeMemory::stride)
};

// What a solve of pv_early has to do.
struct EarlyWork {
  // A segment has room for the rows that meet, whatever the state.
  bool possible = true;
  double passes = 0;  // rows past coordinates, four at a time
  double segments = 0;
  double surplus =
      0;  // rows that a segment cannot eliminate: they need pivoting, and go on or depend on others
  int rows_at_once = 0;  // the most that a segment eliminates
  // Packs have room too, and nothing has to go on.
  bool on_packs() const { return possible && surplus == 0 && rows_at_once <= unpivoted_rows; }
};
// Of a tree, or of the limbs of a bundle (kernels/branches/branch_data.hpp).
template <class Model, class Rows>
EarlyWork early_work(const Model& m, const Rows& c);

struct EarlyTables {
  std::vector<EarlySegment> segments;
  std::vector<std::int32_t> segment_of, dof_of, node_of_row, inner;
};
template <class Model, class Rows>
EarlyTables early_tables(const Model& m, const Rows& c, bool carries_limbs);

template <class T>
struct PvEarlyMemory : Memory {
  // constraints: null for none. carries_limbs: on branch lanes, the model is what carries limbs, perhaps with rows.
  template <class Model, class Rows>
  PvEarlyMemory(const Model& m, const Rows* constraints, bool carries_limbs = false) {
    if (!constraints) return;
    EarlyTables tables = early_tables(m, *constraints, carries_limbs);
    data.sets = keep(std::vector<EarlySet<T>>(tables.segments.size()));
    data.crossings = keep(std::vector<EarlyCrossing<T>>(index(m.nv)));
    data.world_rows = constraints->node_row_first[0];  // none in a bundle
    keep(std::move(tables.segments), data.segments, data.segment_count);
    keep(std::move(tables.inner), data.inner, data.inner_count);
    data.segment_of_node = keep(std::move(tables.segment_of));
    data.dof_of_node = keep(std::move(tables.dof_of));
    data.node_of_row = keep(std::move(tables.node_of_row));
    takes_rows = early_work(m, *constraints).possible;
  }

  PvEarlyData<T> data{};
  bool takes_rows = false;  // EarlyWork::possible
};

}  // namespace tenon
