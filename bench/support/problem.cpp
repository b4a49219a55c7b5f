#include "support/problem.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

#include "support/timing.hpp"
#include "tenon/urdf.hpp"

namespace bench {

std::shared_ptr<const tenon::Model> compile(const tenon::Mechanism& mechanism, bool floating_base,
                                            tenon::LoopTreatment loops) {
  tenon::CompileOptions options;
  options.floating_base = floating_base;
  options.loops = loops;
  return tenon::Model::compile(mechanism, options);
}

std::shared_ptr<const tenon::Model> compile(const Robot& robot) {
  return compile(tenon::parse_urdf(robot.urdf, robot.name), robot.floating_base);
}

tenon::MechanismJoint& add_rod(tenon::Mechanism& mechanism, const std::string& name,
                               const std::string& parent, const tenon::Vector3& origin) {
  mechanism.links.push_back({name, 1, {0.1, 0, 0}, {0.002, 0, 0, 0.004, 0, 0.005}});
  tenon::MechanismJoint joint;
  joint.name = "joint_" + name;
  joint.type = tenon::JointType::revolute;
  joint.parent = parent;
  joint.child = name;
  joint.origin.translation = origin;
  mechanism.joints.push_back(joint);
  return mechanism.joints.back();
}

std::vector<tenon::ConstraintSpec> specs_of(const tenon::Model& model,
                                            const std::vector<ContactSpec>& contacts) {
  std::vector<tenon::ConstraintSpec> specs;
  for (const ContactSpec& contact : contacts) {
    const int link = model.find_link(contact.link);
    if (link < 0) throw std::runtime_error("no link '" + contact.link + "' in " + model.name);
    tenon::Pose frame;
    std::copy(std::begin(contact.point), std::end(contact.point), frame.translation.begin());
    specs.push_back(contact.rows == 3 ? tenon::point_constraint(link, frame.translation)
                                      : tenon::weld_constraint(link, frame));
  }
  return specs;
}

Problem::Problem(std::string name, std::shared_ptr<const tenon::Model> model,
                 std::vector<tenon::ConstraintSpec> specs)
    : name_(std::move(name)),
      model_(std::move(model)),
      set_(tenon::ConstraintSet::bind(model_, std::move(specs))),
      workspace_(std::make_unique<tenon::Workspace>(model_, set_)),
      qdd_(static_cast<std::size_t>(nv())),
      lambda_(static_cast<std::size_t>(rows())),
      J_(qdd_.size() * lambda_.size()),
      rhs_(lambda_.size()) {}

Problem::Problem(const std::string& name, const Robot& robot, const std::vector<ContactSpec>& contacts)
    : Problem(name, compile(robot), specs_of(*compile(robot), contacts)) {}

void Problem::use_bodies_one_by_one() {
  tenon::WorkspaceOptions options;
  options.branch_lanes = tenon::BranchLanesUse::never;
  workspace_ = std::make_unique<tenon::Workspace>(model_, set_, options);
}

CoreState Problem::draw(std::uint64_t seed, bool consistent) {
  CoreState s{std::vector<double>(static_cast<std::size_t>(model_->nq)), std::vector<double>(qdd_.size()),
              std::vector<double>(qdd_.size())};
  tenon::random_configuration(*model_, seed, s.q.data());
  std::mt19937_64 generator(seed);
  const auto uniform = [&generator] { return std::ldexp(static_cast<double>(generator() >> 11), -52) - 1.0; };
  for (double& x : s.v) x = uniform();
  for (double& x : s.tau) x = uniform();
  if (consistent) project(s);
  return s;
}

CoreState Problem::draw_at_pace(std::uint64_t seed) {
  CoreState s = draw(seed, true);
  const std::vector<double> a = s.tau;
  if (tenon::inverse_dynamics(*workspace_, {s.q.data(), s.v.data(), nullptr, nullptr, nullptr, a.data()},
                              s.tau.data()) != tenon::Status::ok)
    throw std::runtime_error(workspace_->message());
  return s;
}

// v -= J^+ J v, twice for the rounding.
void Problem::project(CoreState& s) {
  Eigen::Map<Eigen::VectorXd> v(s.v.data(), nv());
  const Eigen::Map<const Eigen::MatrixXd> J(J_.data(), rows(), nv());
  if (tenon::constraint_rows(*workspace_, s.q.data(), s.v.data(), nullptr, J_.data(), rows(), nullptr,
                             nullptr, nullptr) != tenon::Status::ok)
    throw std::runtime_error(workspace_->message());
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse(J);
  for (int pass = 0; pass < 2; ++pass) v -= inverse.solve(J * v).eval();
}

tenon::Status Problem::solve(const CoreState& s, const tenon::SolveOptions& options, const double* desired) {
  return tenon::constrained_dynamics(*workspace_, options,
                                     {s.q.data(), s.v.data(), s.tau.data(), nullptr, desired}, qdd_.data(),
                                     lambda_.data());
}

double Problem::residual(const CoreState& s) {
  tenon::constraint_rows(*workspace_, s.q.data(), s.v.data(), nullptr, J_.data(), rows(), rhs_.data(),
                         nullptr, nullptr);
  const Eigen::Map<const Eigen::MatrixXd> J(J_.data(), rows(), nv());
  const Eigen::Map<const Eigen::VectorXd> qdd(qdd_.data(), nv()), rhs(rhs_.data(), rows());
  return (J * qdd - rhs).cwiseAbs().maxCoeff();
}

std::vector<double> solve_times(Problem& problem, const std::vector<tenon::Method>& methods, int states,
                                int passes, const double* desired) {
  std::vector<CoreState> drawn;
  for (int i = 0; i < states; ++i) drawn.push_back(problem.draw_at_pace(static_cast<std::uint64_t>(i) + 1));
  std::vector<std::function<void()>> calls;
  for (const tenon::Method method : methods) {
    tenon::SolveOptions options;
    options.method = method;
    calls.push_back([&problem, &drawn, options, desired] {
      for (const CoreState& state : drawn)
        if (static_cast<int>(problem.solve(state, options, desired)) < 0)
          throw std::runtime_error(problem.name() + ": " + name_of(options.method) + ": " +
                                   problem.message());
    });
  }
  std::vector<double> times = fastest_passes(calls, passes);
  for (double& seconds : times) seconds /= states;
  return times;
}

}  // namespace bench
