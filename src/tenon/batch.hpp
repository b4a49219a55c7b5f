// Many states of one model in one call (tenon_batch). The result of a state depends on nothing but the state, the
// model, the rows and the instruction set: not on the number of states, their order, or threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// Numbers of all states, of type double or float as the batch computes. Strides count numbers. data null: not
// given. Number i of state s in record r is data[s * state_stride + i * number_stride + r * record_stride].
struct BatchArray {
  void* data = nullptr;
  std::ptrdiff_t number_stride = 1, state_stride = 0, record_stride = 0;
};

enum class BatchFunction {
  forward_dynamics,    // q, v, x = tau, wrenches -> out[0] = qdd
  inverse_dynamics,    // q, v, x = qdd, wrenches -> out[0] = tau
  mass_matrix,         // q -> out[0] = M, column-major
  mass_matrix_lower,   // q -> out[0] = M, its lower triangle row by row
  mass_matrix_factor,  // q -> out[0] = L, likewise, M = L^T L
  // q, v, x = a (null: zero) -> out: poses (7 a link: position, quaternion), velocities (6), Jacobians (6 nv), accelerations (6)
  kinematics,
  centroidal,  // q, v -> BatchCall::centroidal: the numbers of the whole robot (data/centroidal_numbers.hpp)
  constrained_dynamics,  // q, v, x = tau, wrenches, desired -> out: qdd, lambda
  impact,                // q, v, restitution -> out: v after it, impulse
  delassus,              // q -> out[0] = A, rows x rows
  damped_product,        // q, x = B (rows x columns) -> out[0] = X
  anchor_here,           // q -> anchors, 12 numbers a constraint
  rollout,  // q, v, x = tau, wrenches, feedback (a record a step) -> out: q, v, qdd, lambda (one each `every` steps)
  inverse_derivatives,  // as inverse_dynamics, and by BatchCall::derivatives -> out[1], out[2], out[3]: by q, v, x
  forward_derivatives,  // the same, as forward_dynamics without constraints
  // Of a step in time, with rows: q, v, x = tau, wrenches -> out[0] = q, out[4] = v at its end, and the same, as
  // products; gradients by the end are along_q and along_v, its changes out[1] and out[2].
  step_derivatives,
  // The same of constrained_dynamics: q, v, x = tau, wrenches, desired -> out[0] = qdd, out[4] = lambda. Gradients by
  // lambda and changes of the desired accelerations are along_rows, gradients by the desired ones and changes of lambda
  // out[5]. Matrices: of qdd by q, v, x out[1] to out[3] and by the desired accelerations out[5]; of lambda out[6] to
  // out[9].
  constrained_derivatives,
  // The same of impact: q, v, restitution -> out[0] = v after it, out[4] = impulse. Gradients by the impulse are along_rows;
  // results of v after it are out[1] and out[2], of the impulse out[5] (jvp) or out[6] and out[7] (matrices).
  impact_derivatives,
  // Products with the derivatives of kinematics: q, v, x = a -> out[0], out[4], out[5]: poses, velocities, accelerations, and
  // from gradients by these, along_q, along_v and along_x (6 a link), those by q, v, a -> out[1], out[2], out[3]; or from
  // changes of q, v, a those of poses, velocities, accelerations.
  kinematics_derivatives,
  // The same of centroidal: from gradients in BatchCall::centroidal those by q, v -> out[1], out[2], or by inertias, armatures and
  // gravity; or changes there.
  centroidal_derivatives,
  // Of a rollout, with all that it takes and gives: from gradients by its records, along_q and
  // along_v, those by q, v -> out[4], out[5], and by x -> out[6] (a record a step), and by parameters.
  rollout_derivatives,
  // Second derivatives of inverse and forward dynamics, without and with constraints: q, v, x, wrenches, desired, gradient and
  // gradient_of_rows -> as matrices out[1] to out[5]: qq, qv, vv, qx, q_desired (tenon/derivatives.hpp), a record a column; times
  // a change (jvp), as those of first derivatives take it, out[1] to out[3] and out[5]: by q, v, x and desired.
  inverse_hessian,
  forward_hessian,
  constrained_hessian,
};

// How derivatives are given: as matrices, column by column, a record a column; as a gradient times these; as these
// times a change, in out[1]; as a gradient times those by parameters (tenon/derivatives.hpp); and of inverse dynamics as the matrix
// by the inertias of links, in out[1].
enum class DerivativeForm { matrices, vjp, jvp, parameter_vjp, regressor };

// In the order of ParameterGradient.
enum class ByParameter { inertia, armature, damping, friction, wrenches, gravity };
inline constexpr std::size_t parameter_kinds = 6;

// Of robots of a batch (batch/batch_robots.hpp). data null: as before; of the first three, where one is given: those of
// the model.
struct BatchParameters {
  BatchArray masses, centers_of_mass, inertias;  // of links: 1, 3, 6 numbers each, as the builder takes them
  // What links carry besides, likewise; where one is given: the others are zero.
  BatchArray payload_masses, payload_centers_of_mass, payload_inertias;
  BatchArray armatures, damping, friction;  // of velocity coordinates
  BatchArray gravity;                       // 3
  BatchArray weights, compliance;           // of rows
  BatchArray frames;  // of constraints: pose in the link, 7; those of closures and custom rows are not read
};

// All that can be read of a batch.
struct BatchSettings : BatchParameters {
  BatchArray active, frequencies, damping_ratios, anchors;  // of constraints: 1, 1, 1, 7
};

class BatchRows;
class BatchRobots;

struct BatchCall {
  BatchFunction function = BatchFunction::forward_dynamics;
  std::size_t states = 0;
  BatchArray q, v, x, wrenches, desired, restitution, out[10];
  std::int32_t *status = nullptr, *iterations = nullptr;  // one for each state; null: not wanted
  SolveOptions solve;                                     // constrained_dynamics, rollout
  const std::int32_t* links = nullptr;                    // kinematics and its derivatives
  int link_count = 0;
  RowAxes axes = RowAxes::link;
  // Parts of the numbers of whole robots, their derivatives too.
  struct Centroidal {
    BatchArray values[centroidal_parts], gradients[centroidal_parts], changes[centroidal_parts];
    static CentroidalParts given(const BatchArray (&arrays)[centroidal_parts]) {
      CentroidalParts parts;
      for (int i = 0; i < centroidal_parts; ++i) parts.part[i] = arrays[i].data != nullptr;
      return parts;
    }
    bool have_center() const {
      return given(values).have_center() || given(gradients).have_center() || given(changes).have_center();
    }
  } centroidal;
  DelassusMethod delassus_method = DelassusMethod::automatic;
  DampedInverseMethod damped_method = DampedInverseMethod::automatic;
  Damping damping;
  int columns = 0;                                          // damped_product
  Integrator integrator = Integrator::semi_implicit_euler;  // of steps and rollouts
  double dt = 0;
  std::size_t steps = 0, every = 1;
  // Of rollouts, in spanning coordinates: stiffness (q_target - q) + damping (v_target - v) at the beginning of a step
  // acts in all of it, besides x. What is not given is zero.
  struct Feedback {
    BatchArray stiffness, damping, q_target, v_target;
    bool given() const { return stiffness.data || damping.data; }
  } feedback;
  struct Differentiation {
    DerivativeForm form = DerivativeForm::matrices;
    bool accumulate = false;                // as DerivativeOptions
    BatchArray along_q, along_v, along_x;   // of jvp; the gradient of vjp is along_x
    BatchArray along_rows;                  // of constrained_derivatives, constrained_hessian
    BatchArray gradient, gradient_of_rows;  // of second derivatives
    // Of the form parameter_vjp, and of rollouts: sums over the steps, but of wrenches a record a step.
    BatchArray by_parameters[parameter_kinds];
    BatchArray& by(ByParameter kind) { return by_parameters[static_cast<std::size_t>(kind)]; }
    const BatchArray& by(ByParameter kind) const { return by_parameters[static_cast<std::size_t>(kind)]; }
    bool by_some_parameter() const {
      for (const BatchArray& a : by_parameters)
        if (a.data) return true;
      return false;
    }
    bool by_loads() const { return by(ByParameter::wrenches).data || by(ByParameter::gravity).data; }
  } derivatives;
  std::size_t records() const { return steps / every; }
  bool differentiates() const { return function >= BatchFunction::inverse_derivatives; }
  bool differentiates_twice() const { return function >= BatchFunction::inverse_hessian; }
  // Derivatives of steps, one or many.
  bool of_steps() const {
    return function == BatchFunction::step_derivatives || function == BatchFunction::rollout_derivatives;
  }
  bool rolls() const {
    return function == BatchFunction::rollout || function == BatchFunction::rollout_derivatives;
  }
  // Of links, or of whole robots.
  bool of_kinematics() const {
    return function == BatchFunction::kinematics || function == BatchFunction::kinematics_derivatives ||
           of_whole_robots();
  }
  bool of_whole_robots() const {
    return function == BatchFunction::centroidal || function == BatchFunction::centroidal_derivatives;
  }
  bool forward_mode() const { return derivatives.form == DerivativeForm::jvp; }
  // Of products with derivatives of kinematics: what is differentiated goes up to poses (0), velocities (1) or accelerations.
  int differentiated_order() const {
    if (of_whole_robots())
      return Centroidal::given(forward_mode() ? centroidal.changes : centroidal.gradients).move() ? 1 : 0;
    if ((forward_mode() ? out[3] : derivatives.along_x).data) return 2;
    return (forward_mode() ? out[2] : derivatives.along_v).data ? 1 : 0;
  }
  // Of links: whether accelerations are given or wanted, in values or derivatives.
  bool accelerates() const {
    if (!of_kinematics() || of_whole_robots()) return false;
    return x.data || out[differentiates() ? 5 : 3].data || (differentiates() && differentiated_order() > 1);
  }
  bool of_matrices() const { return differentiates() && derivatives.form == DerivativeForm::matrices; }
  // Derivatives of constrained dynamics, or of impacts, which are its solution at rest.
  bool of_constraints() const {
    return function == BatchFunction::constrained_derivatives ||
           function == BatchFunction::constrained_hessian || function == BatchFunction::impact_derivatives;
  }
  // Impacts, in which stabilisation of rows has no part.
  bool of_impacts() const {
    return function == BatchFunction::impact || function == BatchFunction::impact_derivatives;
  }
  // Whether constraint rows are solved, of which a report tells.
  bool solves_rows() const {
    return function == BatchFunction::constrained_dynamics || function == BatchFunction::impact;
  }
  // Whether x are accelerations.
  bool of_inverse_dynamics() const {
    return function == BatchFunction::inverse_dynamics || function == BatchFunction::inverse_derivatives ||
           function == BatchFunction::inverse_hessian;
  }
  // Set by the batch.
  const BatchRows* rows = nullptr;
  const BatchRobots* robots = nullptr;  // null: those of the model
  double* anchors = nullptr;
  SolveReport* reports = nullptr;  // of functions that solve rows, one for each state; null: not kept
};

struct BatchOptions {
  bool single_precision = false;
  Instructions instructions = Instructions::automatic;
  int threads = 1;
  bool reports = false;  // to be kept, of each state of functions that solve rows
};

class BatchImpl;
class Batch {
 public:
  Batch(std::shared_ptr<const Model> model, std::shared_ptr<const ConstraintSet> constraints,
        const BatchOptions& options);
  ~Batch();
  // Another for the same model and constraints, with all that was set.
  struct Clone {};
  Batch(const Batch& other, Clone);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Status::ok, or the negative status of the first state that failed; its number and the reason are in
  // message(). Other states are not affected. Pointers and options are checked by the caller.
  Status run(const BatchCall& call);

  // Settings of the constraints (batch/batch_rows.hpp) of states 0, 1, ...: later calls that use constraints must have
  // as many states. Those of one state are taken for all states of any call. poses: 7 numbers a constraint, position and
  // quaternion. Throw Error where a number is wrong; then nothing has changed.
  void set_anchors(std::size_t states, const BatchArray& poses);
  void set_gains(std::size_t states, const BatchArray& frequencies, const BatchArray& damping_ratios);
  void set_active(std::size_t states, const BatchArray& active);
  void set_anchor(int constraint, const Pose& pose);  // in all states
  void set_parameters(std::size_t states, const BatchParameters& given);
  void set_gravity(const Vector3& gravity);  // of all states
  // Where a state fails, no anchor changes.
  Status anchor_here(std::size_t states, const BatchArray& q, std::int32_t* status);
  // Writes what is given, as it was set for so many states or for one.
  void settings(std::size_t states, const BatchSettings& to) const;
  void anchors(std::size_t states, const BatchArray& poses) const {
    BatchSettings to;
    to.anchors = poses;
    settings(states, to);
  }
  // Of the last function that solves rows; empty where they are not kept.
  const std::vector<SolveReport>& reports() const noexcept;
  bool keeps_reports() const noexcept;

  // One of the workspaces that compute single states: sizes, coordinates.
  Workspace& workspace() const;
  // Changes every workspace: gravity, coordinates.
  template <class Change>
  void change(const Change& change) {
    for (int i = 0; i < threads(); ++i) change(workspace(i));
  }
  int threads() const noexcept;
  int width() const noexcept;           // states in a pack; 1: state by state
  std::size_t packed() const noexcept;  // states of the last call that were computed in packs, not one by one
  Instructions instructions() const noexcept;
  bool single_precision() const noexcept;
  std::size_t bytes() const;
  const char* message() const noexcept;

 private:
  Workspace& workspace(int thread) const;
  std::unique_ptr<BatchImpl> impl_;
};

}  // namespace tenon
