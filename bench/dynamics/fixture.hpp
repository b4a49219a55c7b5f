// One robot in both libraries with the same random states, and the checks that they solve the same problem.
#pragma once

#include <tenon.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/robots.hpp"

namespace bench {

class MujocoPeer;

// Inputs in Tenon's coordinates. v satisfies the constraints (J v = 0), so that the conventions of the
// libraries for the acceleration of a weld, spatial or classical, ask for the same motion. tau is that of a
// random acceleration a of the order of one, free of the constraints, which keeps light fingers at the pace
// of heavy legs.
struct State {
  std::vector<double> q, v, tau, a;
};

class Fixture {
 public:
  // Throws std::runtime_error with Tenon's message.
  Fixture(const Robot& robot, int state_count);
  ~Fixture();
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  const std::string& name() const { return name_; }
  int nv() const { return static_cast<int>(nv_); }
  int rows() const { return static_cast<int>(rows_); }
  std::size_t workspace_bytes() const { return tenon_workspace_size_bytes(workspace_); }
  int state_count() const { return static_cast<int>(states_.size()); }
  const std::vector<State>& states() const { return states_; }
  // Makes state number rounded_state: this state as floats hold it, which is what a batch in floats is given.
  static constexpr int rounded_state = -1;
  void round_to_floats(int state);
  const tenon_model* model() const { return model_; }
  const tenon_constraints* constraints() const { return constraints_; }

  tenon_status forward_dynamics(int state) {
    const State& s = at(state);
    return tenon_forward_dynamics(workspace_, s.q.data(), nq_, s.v.data(), nv_, s.tau.data(), nv_, nullptr, 0,
                                  out_.data(), nv_);
  }
  tenon_status inverse_dynamics(int state) {
    const State& s = at(state);
    return tenon_inverse_dynamics(workspace_, s.q.data(), nq_, s.v.data(), nv_, s.a.data(), nv_, nullptr, 0,
                                  out_.data(), nv_);
  }
  tenon_status mass_matrix(int state) {
    return tenon_mass_matrix(workspace_, at(state).q.data(), nq_, matrix_.data(), matrix_.size(),
                             static_cast<int32_t>(nv_));
  }
  // With their derivatives by all three: a function, and the accelerations or forces of a state.
  tenon_status inverse_dynamics_derivatives(int state) {
    return derivatives(tenon_inverse_dynamics_derivatives, at(state), at(state).a);
  }
  tenon_status forward_dynamics_derivatives(int state) {
    return derivatives(tenon_forward_dynamics_derivatives, at(state), at(state).tau);
  }
  // Of constrained dynamics, accelerations by q, v and tau; of the whole solution, forces too, likewise.
  tenon_status constrained_dynamics_derivatives(int state) {
    return constrained_derivatives(
        state, nv_, [](auto... arguments) { return tenon_constrained_dynamics_derivatives(arguments...); });
  }
  tenon_status constrained_solution_derivatives(int state) {
    return constrained_derivatives(state, nv_ + rows_, [](auto... arguments) {
      return tenon_constrained_solution_derivatives(arguments...);
    });
  }
  // Of an impact from velocities a, which the rows do not hold, by q and by these.
  tenon_status impact_derivatives(int state) {
    const State& s = at(state);
    const std::size_t count = nv_ * nv_;
    const auto ld = static_cast<int32_t>(nv_);
    double* by = derivatives_.data();
    return tenon_impact_derivatives(workspace_, nullptr, nullptr, 0, s.q.data(), nq_, s.a.data(), nv_,
                                    out_.data(), nv_, lambda_.data(), rows_, by, count, ld, by + count, count,
                                    ld, nullptr, 0, 0, nullptr, 0, 0);
  }
  // The regressor of the forces on the joints, in a matrix that has its zeros.
  tenon_status regressor(int state) {
    const State& s = at(state);
    return tenon_joint_torque_regressor(workspace_, s.q.data(), nq_, s.v.data(), nv_, s.a.data(), nv_, 0,
                                        regressor_.data(), regressor_.size(), static_cast<int32_t>(nv_));
  }
  // Matrices, column by column, one behind the other.
  const std::vector<double>& derivatives() const { return derivatives_; }
  // The gradients of the sum of their results.
  tenon_status inverse_dynamics_vjp(int state) {
    return vjp(tenon_inverse_dynamics_vjp, at(state), at(state).a);
  }
  tenon_status forward_dynamics_vjp(int state) {
    return vjp(tenon_forward_dynamics_vjp, at(state), at(state).tau);
  }
  tenon_status constrained_dynamics_vjp(int state) {
    const State& s = at(state);
    double* by = derivatives_.data();
    return tenon_constrained_dynamics_vjp(workspace_, nullptr, s.q.data(), nq_, s.v.data(), nv_, s.tau.data(),
                                          nv_, nullptr, 0, nullptr, 0, ones_of_nv_.data(), nv_, nullptr, 0,
                                          out_.data(), nv_, lambda_.data(), rows_, by, nv_, by + nv_, nv_,
                                          by + 2 * nv_, nv_, nullptr, 0);
  }
  // At mu = 1e6, as the peer is timed.
  static tenon_damped_options damped_options(int32_t method) {
    return {sizeof(tenon_damped_options), method, 1e6, nullptr, 0};
  }
  tenon_status damped_inverse(int state, int32_t method) {
    const tenon_damped_options options = damped_options(method);
    return tenon_delassus_inverse(workspace_, &options, at(state).q.data(), nq_, inverse_.data(),
                                  inverse_.size(), static_cast<int32_t>(rows_));
  }
  // The same for those who need one product, of ones.
  tenon_status damped_product(int state, int32_t method) {
    const tenon_damped_options options = damped_options(method);
    const tenon_status status = tenon_delassus_factor(workspace_, &options, at(state).q.data(), nq_);
    const int32_t ld = static_cast<int32_t>(rows_);
    return status < 0
               ? status
               : tenon_delassus_solve(workspace_, 1, ones_.data(), rows_, ld, lambda_.data(), rows_, ld);
  }
  tenon_status constrained_dynamics(int state, const tenon_solve_options& options) {
    const State& s = at(state);
    return tenon_constrained_dynamics(workspace_, &options, s.q.data(), nq_, s.v.data(), nv_, s.tau.data(),
                                      nv_, nullptr, 0, nullptr, 0, out_.data(), nv_, lambda_.data(), rows_);
  }

  tenon_status delassus(int state, int32_t method) {
    const tenon_delassus_options options = {sizeof options, method};
    return tenon_delassus(workspace_, &options, at(state).q.data(), nq_, delassus_.data(), delassus_.size(),
                          static_cast<int32_t>(rows_));
  }

  // What the last call wrote.
  const std::vector<double>& out() const { return out_; }
  const std::vector<double>& matrix() const { return matrix_; }
  const std::vector<double>& inverse() const { return inverse_; }
  const std::vector<double>& delassus() const { return delassus_; }
  const char* message() const { return tenon_workspace_message(workspace_); }
  tenon_solve_report report() const;

  // Largest |qdd - reference| over largest |reference|, the worst over the first states. The reference is the
  // dense solution of the KKT system.
  static constexpr int reference_count = 30;
  const std::vector<std::vector<double>>& reference() const { return reference_; }
  double error_of(int state, const std::vector<double>& qdd) const;
  // By the dense method. The first time they overwrite delassus() and inverse().
  const std::vector<double>& dense_delassus(int state);
  const std::vector<double>& dense_inverse(int state);
  // The same of a Delassus matrix, against the dense method. Overwrites delassus().
  double delassus_error_of(int state, const std::vector<double>& matrix);
  // Of a damped inverse at mu = 1e6, likewise. Overwrites inverse().
  double inverse_error_of(int state, const std::vector<double>& matrix);

  // The peer as each compiler built it; none when the benchmark was built without peers.
  struct BuiltPeer {
    std::string compiler;
    std::unique_ptr<Peer> peer;
  };
  std::vector<BuiltPeer>& peers() { return peers_; }
  // Null without MuJoCo, and for robots that it is not timed on.
  MujocoPeer* mujoco() { return mujoco_.get(); }
  // Sentences about results on which the libraries disagree; empty when they solve the same problem.
  std::vector<std::string> disagreements();

 private:
  const State& at(int state) const {
    return state == rounded_state ? rounded_ : states_[static_cast<std::size_t>(state)];
  }
  template <class Function>
  tenon_status derivatives(Function function, const State& s, const std::vector<double>& third) {
    const std::size_t count = nv_ * nv_;
    const auto ld = static_cast<int32_t>(nv_);
    double* by = derivatives_.data();
    return function(workspace_, nullptr, s.q.data(), nq_, s.v.data(), nv_, third.data(), nv_, nullptr, 0,
                    out_.data(), nv_, by, count, ld, by + count, count, ld, by + 2 * count, count, ld);
  }
  template <class Function>
  tenon_status constrained_derivatives(int state, std::size_t results, Function function) {
    const State& s = at(state);
    const std::size_t count = results * nv_;
    const auto ld = static_cast<int32_t>(results);
    double* by = derivatives_.data();
    double* none = nullptr;
    const double* zero = nullptr;
    return function(workspace_, static_cast<const tenon_derivative_options*>(nullptr), s.q.data(), nq_,
                    s.v.data(), nv_, s.tau.data(), nv_, zero, std::size_t{0}, zero, std::size_t{0},
                    out_.data(), nv_, lambda_.data(), rows_, by, count, ld, by + count, count, ld,
                    by + 2 * count, count, ld, none, std::size_t{0}, 0);
  }
  template <class Function>
  tenon_status vjp(Function function, const State& s, const std::vector<double>& third) {
    double* by = derivatives_.data();
    return function(workspace_, nullptr, s.q.data(), nq_, s.v.data(), nv_, third.data(), nv_, nullptr, 0,
                    ones_of_nv_.data(), nv_, out_.data(), nv_, by, nv_, by + nv_, nv_, by + 2 * nv_, nv_);
  }
  void check(tenon_status status, const char* message) const;
  void make_model(const Robot& robot);
  void make_constraints(const Robot& robot);
  void make_states(int count);
  void make_reference();
  void project_velocity(State& state);
  std::vector<JointCoordinates> joint_coordinates() const;
  void make_peers(const Robot& robot);
  void make_mujoco(const Robot& robot);
  void compare(const BuiltPeer& built, std::vector<std::string>& sentences);
  void compare_derivatives(const BuiltPeer& built, std::vector<std::string>& sentences);
  void compare_mujoco(std::vector<std::string>& sentences);

  std::string name_;
  std::size_t nq_ = 0, nv_ = 0, rows_ = 0;
  tenon_model* model_ = nullptr;
  tenon_constraints* constraints_ = nullptr;
  tenon_workspace* workspace_ = nullptr;
  std::vector<State> states_;
  State rounded_;
  std::vector<double> out_, matrix_, lambda_, inverse_, ones_, delassus_, derivatives_, ones_of_nv_,
      regressor_;
  std::vector<std::vector<double>> reference_, dense_delassus_, dense_inverse_;
  std::vector<BuiltPeer> peers_;
  std::unique_ptr<MujocoPeer> mujoco_;
};

tenon_solve_options default_options(int32_t method);
// As the peer is timed: so many plain proximal iterations at mu = 1e6.
tenon_solve_options fixed_iterations(int32_t method, int32_t count);

// Largest |x - reference| over largest |reference|; infinite where x is not finite.
double relative_difference(const std::vector<double>& x, const std::vector<double>& reference);

}  // namespace bench
