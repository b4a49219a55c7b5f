// All memory of a computation beside the model, used by one thread at a time. No dynamics call locks or logs.
// A workspace is made with the memory of forward dynamics, of the method that automatic takes and of those
// in WorkspaceOptions. Other methods, the factor of the mass matrix, projections, Delassus matrices and
// operational space allocate theirs in the first call, which throws std::bad_alloc on failure; no later call
// allocates or throws.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "tenon/constraints.hpp"
#include "tenon/methods.hpp"
#include "tenon/model.hpp"

namespace tenon {

enum class SplitBase : std::int32_t {
  automatic = 0,  // where it saves time, with many rows
  always = 1,     // where several branches of one root body carry rows
  never = 2,
};

// The coordinates of states of models with kinematic loops (tenon/loops.hpp): those of all joints of the
// spanning tree, or independent ones only.
enum class Coordinates : std::int32_t { spanning = 0, independent = 1 };

// As tenon_solve_options.
struct SolveOptions {
  Method method = Method::automatic;
  double absolute_tolerance = 1e-12;
  double relative_tolerance = 1e-11;
  int max_iterations = 0;  // 0: no limit from the caller
  double mu = 0;           // 0: scheduled
  bool warm_start = false;
  bool accelerate = true;
  double tikhonov = 0;
  SplitBase split_base = SplitBase::automatic;
};

// As tenon_solve_report.
struct SolveReport {
  int iterations = 0;
  double primal_residual = 0;
  double dual_residual = 0;  // [CABA] Eq. 15
  double mu = 0;
  int rank = -1;
  Method method = Method::automatic;
};

// The instruction set of the kernels that a workspace runs.
enum class Instructions : std::int32_t {
  automatic = 0,  // the best that the machine supports
  baseline = 1,   // supported by every machine that the library can run on
  x86_64_v3 = 2,  // with AVX2 and FMA
  x86_64_v4 = 3,  // with AVX-512, for batches
};

// Products whose memory can be made with the workspace: bits of WorkspaceOptions::products.
enum Product : std::uint32_t {
  product_projection = 0x01,         // of positions and velocities onto the rows, and impacts
  product_coriolis = 0x02,           // coriolis_matrix
  product_mass_matrix = 0x04,        // the mass matrix with loops, its factor and products with it
  product_inverse_mass = 0x08,       // inverse_mass_times
  product_operational_space = 0x10,  // operational_space
  product_centroidal = 0x20,         // matrix and bias of the centroidal momentum
  product_underactuated = 0x40,      // underactuated_inverse_dynamics
  product_loop_velocities = 0x80,    // project_velocity with LoopMoves::all
  product_derivatives = 0x100,       // what tenon/derivatives.hpp declares
  product_second_derivatives = 0x200,
  product_all = 0x3ff,
};

// Limbs of equal shape side by side in the lanes of a register (plan/branches/branch_lanes.hpp). always: also where the
// cost model expects no gain; for tests.
enum class BranchLanesUse : std::int32_t { never, where_faster, always };

// The memory that is made at once. Bit k of a mask of methods stands for method k.
struct WorkspaceOptions {
  Instructions instructions = Instructions::automatic;
  std::uint32_t methods = 0, delassus_methods = 0, damped_methods = 0;
  std::uint32_t products = 0;
  BranchLanesUse branch_lanes = BranchLanesUse::where_faster;
};

// Of a link: the inertia is about the centre of mass. All in its axes.
struct LinkInertia {
  double mass = 0;
  Vector3 center_of_mass = {0, 0, 0};
  std::array<double, 6> inertia = {};
};

struct WorkspaceImpl;

class Workspace {
 public:
  explicit Workspace(std::shared_ptr<const Model> model,
                     std::shared_ptr<const ConstraintSet> constraints = nullptr,
                     const WorkspaceOptions& options = {});
  explicit Workspace(std::unique_ptr<WorkspaceImpl> impl);
  // Another one with all that setters said.
  struct Clone {};
  Workspace(const Workspace& from, Clone);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const Model& model() const;
  const ConstraintSet* constraints() const;
  std::size_t bytes() const;             // all memory it holds
  const char* message() const noexcept;  // of the last failed call, "" after a good one
  const SolveReport& report() const noexcept;
  Instructions instructions() const noexcept;  // those that it runs; never automatic

  void set_gravity(const Vector3& gravity);
  Vector3 gravity() const;
  // World pose at which stabilisation holds the constrained frame. Starts as the identity.
  void set_anchor(int constraint, const Pose& world_pose);
  Pose anchor(int constraint) const;

  WorkspaceImpl& impl() { return *impl_; }
  const WorkspaceImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<WorkspaceImpl> impl_;
};

}  // namespace tenon
