// The inside of a Workspace: arena, tables, memory of the methods, last message and report.
#pragma once

#include <memory>
#include <vector>

#include "data/inputs.hpp"
#include "kernels/kernel_table.hpp"
#include "plan/arena.hpp"
#include "plan/branches/branch_lanes.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/coordinate_trees.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/memory/loop_derivative_memory.hpp"
#include "plan/memory/loop_memory.hpp"
#include "plan/memory/row_memory.hpp"
#include "plan/memory_block.hpp"
#include "scalar/printf.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

struct FoldedWorkspace;
struct RowLoops;

struct WorkspaceImpl {
  WorkspaceImpl(std::shared_ptr<const Model> model_, std::shared_ptr<const ConstraintSet> constraints_,
                const WorkspaceOptions& options);
  // One that computes for another workspace, of which it has the settings. first_constraint, first_row: where those
  // of `constraints_` begin there.
  WorkspaceImpl(std::shared_ptr<const Model> model_, std::shared_ptr<const ConstraintSet> constraints_,
                const WorkspaceOptions& options, std::shared_ptr<Settings> settings_, int first_constraint,
                int first_row);
  ~WorkspaceImpl();

  struct Quaternion {
    int q_index, joint;
  };

  std::shared_ptr<const Model> model;
  std::shared_ptr<const ConstraintSet> constraints;
  WorkspaceOptions made_with;  // instructions: those that run
  LoopSplit split;
  // Of bodies and velocity coordinates, where these are not the model's (state/own_inertias.hpp); else empty. `split` points
  // to them.
  std::vector<NodeData> own_nodes;
  std::vector<double> own_armature;
  bool folds = true;  // `folded` has the inertias of all rotors
  std::shared_ptr<Settings> settings;
  RowSettings row_settings;  // of `settings`, by follow_settings()
  const KernelTable<double>* kernels;
  SweepMemory tables;
  Arena<double> arena;
  std::unique_ptr<BranchLanes> branches;  // null where they do not pay
  // For inverse dynamics, where joints move alone; null: `branches` serves, or they do not pay.
  std::unique_ptr<BranchLanes> tree_branches;
  OnDemand<PvMemory<double>> pv;
  OnDemand<PvEarlyMemory<double>> pv_early;
  OnDemand<DelassusMemory<double>> delassus;
  LoopMemory loops;
  CoordinateMemory coordinates;
  std::unique_ptr<FoldedWorkspace> folded;  // null where the model has no folded form, or the rows have none
  std::unique_ptr<RowLoops> row_loops;      // null where no loop of the model is closed by rows
  OnDemand<DampedInverseMemory> damped;
  OnDemand<CoriolisMemory> coriolis;
  OnDemand<DerivativeMemory> derivatives;
  OnDemand<StepDerivativeMemory> step_derivatives;
  OnDemand<KinematicsDerivativeMemory> kinematics_derivatives;
  OnDemand<RowDerivativeMemory> row_derivatives;
  OnDemand<SecondOrderMemory> second_order;
  OnDemand<SecondProductMemory> second_products;
  OnDemand<LoopDerivativeMemory> loop_derivatives;
  OnDemand<ParameterMemory> parameters;
  OnDemand<ParameterMatrixMemory> parameter_matrices;
  OnDemand<UnderactuatedMemory> underactuated;
  OnDemandArray body_room;                            // for centroidal momentum: 10 numbers a body
  std::unique_ptr<EliminationTree> elimination_tree;  // made with the arena's part of joint space
  OnDemand<IndependentSpace> independent;             // none without embedded loops
  std::vector<std::int32_t> item_of;                  // constraint in user order -> item
  ProximalScratch proximal;
  Choice choice;                    // of Method::automatic
  std::vector<double> lambda;       // rows, kernels' order
  std::vector<double> user_lambda;  // of the last solve, in the user's order
  std::vector<double> row_scratch;  // rows, within one function
  OnDemand<DenseMemory> dense;
  OnDemandArray dense_delassus;     // of the method `dense`: J, L^-1 J^T, L
  std::vector<double> step;         // a stage of a step in time and its end, and sums
  std::vector<double> step_lambda;  // rows: multipliers of its first stage
  std::vector<double> stage;        // results before they are copied to the user (state/check.hpp)
  bool moderate = false;            // no number of the model is so large that products overflow
  std::vector<double> zeros;        // max(nv, rows) zeros
  // Of the last kinematics(): v, for the energy of armatures, and a; where the map of loops varies, q.
  std::vector<double> kinematics_v, kinematics_a, kinematics_q;
  std::vector<Quaternion> quaternions;  // their places in q
  int kinematics_order = -1;            // of the last kinematics(): 0 poses, 1 velocities, 2 accelerations
  bool factored = false;                // arena.L holds a factor
  char message[512] = "";
  SolveReport report;

  const ModelData& md() const { return split.data; }
  const ConstraintData* cd() const { return constraints ? &row_settings.data : nullptr; }
  // `branches` where they can be used: their clusters have the independent coordinates of the model.
  BranchLanes* usable_branches() const { return split.any_changed ? nullptr : branches.get(); }
  int rows() const { return constraints ? constraints->row_count() : 0; }
  WorkspaceData<double>& w() { return arena.data; }
  Inputs<double> at_rest(const double* q) const { return {q, zeros.data(), zeros.data()}; }

  // The memory of forward dynamics and of the method in `choice` is made with the workspace, all other memory
  // by the first call that needs it (plan/memory_block.hpp).
  void need(Method method);
  void need_row_derivatives();  // of derivatives with constraint rows
  void need_projection();       // of projections onto rows, and of impacts
  // Makes the memory of all methods and products that `options` name.
  void make_room(const WorkspaceOptions& options);
  void need(ArenaPart part);
  // Sets tree_branches for a model without clusters, with the velocity coordinates of the spanning tree.
  void make_tree_branches(const ModelData& tree, const WorkspaceOptions& options);
  // Starts what reads settings of rows: where these have changed, updates what is computed from them.
  void follow_settings() {
    if (row_settings.differ_from(*settings)) update_rows();
  }
  void update_rows();

  // Keeps the message and returns the status.
  Status fail(Status status, const char* format, ...) TENON_PRINTF(3, 4);
};

}  // namespace tenon
