/* Workspaces: the memory of computations on one state at a time. Included by tenon.hpp. */
#ifndef TENON_WORKSPACE_HPP
#define TENON_WORKSPACE_HPP

#include <optional>
#include <tenon.hpp>

namespace tenon {
inline namespace cpp {

/* Accelerations, nv, and the forces of the constraint rows, m. status: 0, or a caveat. */
struct Motion {
  Vector qdd, lambda;
  Status status = TENON_OK;
};

/* The rows at a state: J qdd = rhs. */
struct RowValues {
  Matrix J;
  Vector rhs, position_error, velocity;
};

/* One thread at a time. wrenches: 6 for each link, [moment about its origin; force] along link axes; none without. */
class Workspace {
 public:
  explicit Workspace(const Model& model, const WorkspaceOptions& options = {}) : model_(model) {
    create(&options);
  }
  explicit Workspace(const Constraints& constraints, const WorkspaceOptions& options = {})
      : model_(constraints.model()), constraints_(constraints.finish()) {
    create(&options);
  }
  Workspace(const Model& model, const Constraints& constraints, const WorkspaceOptions& options = {})
      : model_(model), constraints_(constraints.finish()) {
    create(&options);
  }

  tenon_workspace* get() const { return handle_.get(); }
  const Model& model() const { return model_; }
  /* Numbers of positions and velocities that computations take, and of rows. */
  std::size_t nq() const { return std::size_t(tenon_workspace_position_count(get())); }
  std::size_t nv() const { return std::size_t(tenon_workspace_velocity_count(get())); }
  std::size_t m() const { return std::size_t(tenon_workspace_row_count(get())); }
  std::size_t size_bytes() const { return tenon_workspace_size_bytes(get()); }
  /* Why the last call failed, "" after a good one. */
  const char* message() const { return tenon_workspace_message(get()); }
  /* The status of the last computation. */
  Status status() const { return status_; }
  /* false: what returns a status returns negative ones too. What returns a result throws all the same. */
  void exceptions(bool thrown) { exceptions_ = thrown; }
  SolveReport report() const {
    SolveReport report;
    sure(tenon_workspace_report(get(), &report));
    return report;
  }

  // ---- settings

  Status set_gravity(In g) { return done(tenon_workspace_set_gravity(get(), g.data(), g.size())); }
  std::array<double, 3> gravity() const {
    return result<std::array<double, 3>>([&](double* x) { return tenon_workspace_gravity(get(), x, 3); });
  }
  Status set_anchor(Which constraint, In pose) {
    return done(tenon_workspace_set_anchor(get(), row_index(constraint), pose.data(), pose.size()));
  }
  Status anchor_here(In q) { return done(tenon_anchor_here(get(), q.data(), q.size())); }
  Status set_active(Which constraint, bool active) {
    return done(tenon_workspace_set_active(get(), row_index(constraint), active ? 1 : 0));
  }
  Status set_gains(Which constraint, double frequency, double damping_ratio = 1) {
    return done(tenon_workspace_set_gains(get(), row_index(constraint), frequency, damping_ratio));
  }
  /* TENON_COORDINATES_*. Changes nq and nv. */
  Status set_coordinates(std::int32_t positions, std::int32_t velocities) {
    return done(tenon_workspace_set_coordinates(get(), positions, velocities));
  }

  // ---- configurations

  Vector zeros() const { return Vector(nv(), 0.0); }
  Vector neutral() const {
    return vector(nq(), [&](double* x, std::size_t n) { return tenon_neutral(get(), x, n); });
  }
  /* The same for the same seed everywhere, within the limits. */
  Vector random(std::uint64_t seed) const {
    return vector(nq(), [&](double* x, std::size_t n) { return tenon_random(get(), seed, x, n); });
  }
  Status integrate_into(Out next, In q, In v, double dt) {
    return done(tenon_integrate(get(), q.data(), q.size(), v.data(), v.size(), dt, next.data(), next.size()));
  }
  Vector integrate(In q, In v, double dt) {
    return vector(nq(), [&](double* x, std::size_t n) {
      return tenon_integrate(get(), q.data(), q.size(), v.data(), v.size(), dt, x, n);
    });
  }
  /* The velocity that leads from one configuration to another in unit time. */
  Vector difference(In from, In to) {
    return vector(nv(), [&](double* x, std::size_t n) {
      return tenon_difference(get(), from.data(), from.size(), to.data(), to.size(), x, n);
    });
  }
  Status normalize(Out q) { return done(tenon_normalize(get(), q.data(), q.size())); }
  Status project_positions(Out q, const ProjectionOptions& options = {}) {
    return done(tenon_project_positions(get(), &options, q.data(), q.size()));
  }
  Status project_velocities(In q, Out v) {
    return done(tenon_project_velocities(get(), q.data(), q.size(), v.data(), v.size()));
  }

  // ---- kinematics: what follows answers for the state of the last call of kinematics

  Status kinematics(In q, In v = {}, In a = {}) {
    return done(tenon_kinematics(get(), q.data(), q.size(), v.data(), v.size(), a.data(), a.size()));
  }
  /* [x y z qx qy qz qw] in the world. */
  std::array<double, 7> link_pose(Which link) {
    const std::int32_t i = model_.link_index(link);
    return result<std::array<double, 7>>(
        [&](double* x) { return tenon_link_pose(get(), i, x, 7, nullptr, 0); });
  }
  Status link_pose_into(Out pose, Which link) {
    return done(tenon_link_pose(get(), model_.link_index(link), pose.data(), pose.size(), nullptr, 0));
  }
  /* [angular; linear at the link's origin], along axes. */
  std::array<double, 6> link_velocity(Which link, std::int32_t axes = TENON_AXES_WORLD) {
    return of_link(tenon_link_velocity, link, axes);
  }
  std::array<double, 6> link_acceleration(Which link, std::int32_t axes = TENON_AXES_WORLD) {
    return of_link(tenon_link_acceleration, link, axes);
  }
  /* 6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin]. */
  Matrix jacobian(Which link, In point = {}, std::int32_t axes = TENON_AXES_WORLD) {
    Matrix J(6, nv());
    sure(jacobian_at(J, link, point, axes));
    return J;
  }
  Status jacobian_into(OutMatrix J, Which link, In point = {}, std::int32_t axes = TENON_AXES_WORLD) {
    return done(jacobian_at(J, link, point, axes));
  }
  std::array<double, 3> center_of_mass() {
    return result<std::array<double, 3>>(
        [&](double* x) { return tenon_center_of_mass(get(), x, 3, nullptr, 0, nullptr, 0, 0); });
  }
  /* Kinetic and potential, J, after kinematics with v. */
  std::pair<double, double> energy() {
    std::pair<double, double> both;
    sure(tenon_energy(get(), &both.first, &both.second));
    return both;
  }

  // ---- dynamics without constraints

  Status forward_dynamics_into(Out qdd, In q, In v, In tau, In wrenches = {}) {
    return done(force(tenon_forward_dynamics, qdd, q, v, tau, wrenches));
  }
  Vector forward_dynamics(In q, In v, In tau, In wrenches = {}) {
    return vector(nv(), [&](double* x, std::size_t n) {
      return force(tenon_forward_dynamics, Out(x, n), q, v, tau, wrenches);
    });
  }
  /* tau = M a + c - external. */
  Status inverse_dynamics_into(Out tau, In q, In v, In a, In wrenches = {}) {
    return done(force(tenon_inverse_dynamics, tau, q, v, a, wrenches));
  }
  Vector inverse_dynamics(In q, In v, In a, In wrenches = {}) {
    return vector(nv(), [&](double* x, std::size_t n) {
      return force(tenon_inverse_dynamics, Out(x, n), q, v, a, wrenches);
    });
  }
  /* c(q, v). */
  Vector bias(In q, In v, In wrenches = {}) {
    return vector(nv(),
                  [&](double* x, std::size_t n) { return force(tenon_bias, Out(x, n), q, v, wrenches); });
  }
  Vector gravity_force(In q) {
    return vector(nv(), [&](double* x, std::size_t n) { return force(tenon_gravity_force, Out(x, n), q); });
  }
  Matrix mass_matrix(In q) {
    Matrix M(nv(), nv());
    sure(tenon_mass_matrix(get(), q.data(), q.size(), M.data(), M.size(), std::int32_t(nv())));
    return M;
  }
  Status mass_matrix_into(OutMatrix M, In q) {
    return done(tenon_mass_matrix(get(), q.data(), q.size(), M.data(), M.count(), M.leading()));
  }

  // ---- dynamics with constraints

  /* lambda: m, written, and the start of a warm start. desired: accelerations of the rows; zero without. */
  Status constrained_dynamics_into(Out qdd, Out lambda, In q, In v, In tau, In wrenches = {}, In desired = {},
                                   const tenon_solve_options* options = nullptr) {
    return done(solve(options, q, v, tau, wrenches, desired, qdd, lambda));
  }
  Motion constrained_dynamics(In q, In v, In tau, In wrenches = {}, In desired = {},
                              const tenon_solve_options* options = nullptr) {
    Motion motion{Vector(nv()), Vector(m()), TENON_OK};
    motion.status = sure(solve(options, q, v, tau, wrenches, desired, motion.qdd, motion.lambda));
    return motion;
  }
  /* tau = M a + c - J^T lambda - external. */
  Vector constrained_inverse_dynamics(In q, In v, In a, In lambda, In wrenches = {}) {
    return vector(nv(), [&](double* x, std::size_t n) {
      return force(tenon_constrained_inverse_dynamics, Out(x, n), q, v, a, wrenches, lambda);
    });
  }
  RowValues constraint_rows(In q, In v, In desired = {}) {
    RowValues rows{Matrix(m(), nv()), Vector(m()), Vector(m()), Vector(m())};
    sure(tenon_constraint_rows(get(), q.data(), q.size(), v.data(), v.size(), desired.data(), desired.size(),
                               rows.J.data(), rows.J.size(), OutMatrix(rows.J).leading(), rows.rhs.data(),
                               m(), rows.position_error.data(), m(), rows.velocity.data(), m()));
    return rows;
  }
  /* J M^-1 J^T. */
  Matrix delassus(In q, const DelassusOptions& options = {}) {
    Matrix A(m(), m());
    sure(delassus_at(A, q, &options));
    return A;
  }
  Status delassus_into(OutMatrix A, In q, const tenon_delassus_options* options = nullptr) {
    return done(delassus_at(A, q, options));
  }
  /* (J M^-1 J^T + R + 1 / mu)^-1. */
  Matrix delassus_inverse(In q, const DampedOptions& options = {}) {
    Matrix A(m(), m());
    sure(tenon_delassus_inverse(get(), &options, q.data(), q.size(), A.data(), A.size(),
                                OutMatrix(A).leading()));
    return A;
  }
  /* One step in time; q and v are changed in place. integrator: TENON_INTEGRATOR_*. */
  Status step(Out q, Out v, In tau, double dt, In wrenches = {},
              std::int32_t integrator = TENON_INTEGRATOR_SEMI_IMPLICIT_EULER,
              const tenon_solve_options* options = nullptr) {
    const bool fourth = integrator == TENON_INTEGRATOR_RUNGE_KUTTA_4;
    const auto function = fourth ? tenon_step_runge_kutta_4 : tenon_step_semi_implicit_euler;
    return done(function(get(), options, dt, q.data(), q.size(), v.data(), v.size(), tau.data(), tau.size(),
                         wrenches.data(), wrenches.size(), nullptr, 0, nullptr, 0));
  }

 private:
  void create(const tenon_workspace_options* options) {
    tenon_workspace* workspace = nullptr;
    detail::checked([&](char* text, std::size_t size) {
      return tenon_workspace_create(model_.get(), constraints_ ? constraints_->get() : nullptr, options,
                                    &workspace, text, size);
    });
    handle_.reset(workspace);
  }
  /* Of what returns a status: no throw where none is wanted. Of what returns a result: a throw in any case. */
  Status done(Status status) { return exceptions_ ? sure(status) : status_ = status; }
  Status sure(Status status) const {
    status_ = status;
    if (status < 0) throw Error(status, message());
    return status;
  }
  std::int32_t row_index(Which constraint) const {
    return constraint.in(constraints_ ? constraints_->get() : nullptr, tenon_constraints_find_constraint);
  }
  template <class A, class Call>
  A result(Call&& call) const {
    A numbers{};
    sure(call(numbers.data()));
    return numbers;
  }
  template <class Call>
  Vector vector(std::size_t count, Call&& call) const {
    Vector numbers(count);
    sure(call(numbers.data(), count));
    return numbers;
  }
  template <class F>
  std::array<double, 6> of_link(F function, Which link, std::int32_t axes) {
    const std::int32_t i = model_.link_index(link);
    return result<std::array<double, 6>>([&](double* x) { return function(get(), i, axes, x, 6); });
  }
  /* A vector out of some: pointer and count of each. */
  template <class F>
  Status force(F function, Out out, In a) {
    return function(get(), a.data(), a.size(), out.data(), out.size());
  }
  template <class F>
  Status force(F function, Out out, In a, In b, In c) {
    return function(get(), a.data(), a.size(), b.data(), b.size(), c.data(), c.size(), out.data(),
                    out.size());
  }
  template <class F>
  Status force(F function, Out out, In a, In b, In c, In d) {
    return function(get(), a.data(), a.size(), b.data(), b.size(), c.data(), c.size(), d.data(), d.size(),
                    out.data(), out.size());
  }
  template <class F>
  Status force(F function, Out out, In a, In b, In c, In d, In e) {
    return function(get(), a.data(), a.size(), b.data(), b.size(), c.data(), c.size(), d.data(), d.size(),
                    e.data(), e.size(), out.data(), out.size());
  }
  Status solve(const tenon_solve_options* options, In q, In v, In tau, In wrenches, In desired, Out qdd,
               Out lambda) {
    return tenon_constrained_dynamics(get(), options, q.data(), q.size(), v.data(), v.size(), tau.data(),
                                      tau.size(), wrenches.data(), wrenches.size(), desired.data(),
                                      desired.size(), qdd.data(), qdd.size(), lambda.data(), lambda.size());
  }
  Status jacobian_at(OutMatrix J, Which link, In point, std::int32_t axes) {
    return tenon_point_jacobian(get(), model_.link_index(link), point.data(), point.size(), axes, J.data(),
                                J.count(), J.leading());
  }
  Status delassus_at(OutMatrix A, In q, const tenon_delassus_options* options) {
    return tenon_delassus(get(), options, q.data(), q.size(), A.data(), A.count(), A.leading());
  }

  struct Destroy {
    void operator()(tenon_workspace* workspace) const { tenon_workspace_destroy(workspace); }
  };
  Model model_;
  std::optional<Constraints> constraints_;
  std::unique_ptr<tenon_workspace, Destroy> handle_;
  bool exceptions_ = true;
  mutable Status status_ = TENON_OK;
};

}  // namespace cpp
}  // namespace tenon

#endif
