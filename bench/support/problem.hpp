// A robot with contacts and random states at the face of the core, for the programs that study the methods
// themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/robots.hpp"
#include "tenon/constraints.hpp"
#include "tenon/dynamics.hpp"

namespace bench {

struct CoreState {
  std::vector<double> q, v, tau;
};

class Problem {
 public:
  Problem(std::string name, std::shared_ptr<const tenon::Model> model,
          std::vector<tenon::ConstraintSpec> specs);
  // Of a robot, with its own contacts or others.
  Problem(const std::string& name, const Robot& robot, const std::vector<ContactSpec>& contacts);

  // Makes the workspace again, without branch lanes.
  void use_bodies_one_by_one();

  const std::string& name() const { return name_; }
  int nv() const { return model_->nv; }
  int rows() const { return set_->row_count(); }
  const tenon::Model& model() const { return *model_; }
  const std::shared_ptr<const tenon::Model>& shared_model() const { return model_; }
  const tenon::ConstraintSet& constraints() const { return *set_; }

  // Random position (within the limits of the joints), velocity and force within +-1. consistent: the
  // velocity satisfies the rows, so that those that depend on each other do not contradict each other.
  CoreState draw(std::uint64_t seed, bool consistent);
  // Torques of a random acceleration of the order of one instead of random ones: light fingers then move at
  // the pace of heavy legs.
  CoreState draw_at_pace(std::uint64_t seed);

  // desired: an acceleration a row; null for zero.
  tenon::Status solve(const CoreState& state, const tenon::SolveOptions& options,
                      const double* desired = nullptr);
  const tenon::SolveReport& report() const { return workspace_->report(); }
  const char* message() const { return workspace_->message(); }
  const std::vector<double>& qdd() const { return qdd_; }
  const std::vector<double>& lambda() const { return lambda_; }
  // Largest |J qdd - rhs| of the last solve, with J and rhs taken by themselves.
  double residual(const CoreState& state);

 private:
  void project(CoreState& state);

  std::string name_;
  std::shared_ptr<const tenon::Model> model_;
  std::shared_ptr<const tenon::ConstraintSet> set_;
  std::unique_ptr<tenon::Workspace> workspace_;
  std::vector<double> qdd_, lambda_, J_, rhs_;
};

std::shared_ptr<const tenon::Model> compile(const tenon::Mechanism& mechanism, bool floating_base,
                                            tenon::LoopTreatment loops = tenon::LoopTreatment::embed);
std::shared_ptr<const tenon::Model> compile(const Robot& robot);
// Adds a rod of 1 kg along x and the joint at `origin` of the parent on which it hangs: revolute, unless the
// caller changes it.
tenon::MechanismJoint& add_rod(tenon::Mechanism& mechanism, const std::string& name,
                               const std::string& parent, const tenon::Vector3& origin);
std::vector<tenon::ConstraintSpec> specs_of(const tenon::Model& model,
                                            const std::vector<ContactSpec>& contacts);

// Seconds of a solve by each method, as fastest_passes has them, on the same states for all. Throws
// std::runtime_error where a method fails.
std::vector<double> solve_times(Problem& problem, const std::vector<tenon::Method>& methods, int states,
                                int passes, const double* desired = nullptr);

using tenon::name_of;

}  // namespace bench
