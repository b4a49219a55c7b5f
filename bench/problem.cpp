#include "problem.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

#include "tenon/urdf.hpp"

namespace bench {

std::shared_ptr<const tenon::Model> compile(const Robot& robot) {
  tenon::CompileOptions options;
  options.floating_base = robot.floating_base;
  return tenon::Model::compile(tenon::parse_urdf(robot.urdf, robot.name), options);
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
  if (tenon::inverse_dynamics(*workspace_, s.q.data(), s.v.data(), a.data(), nullptr, s.tau.data()) !=
      tenon::Status::ok)
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
  return tenon::constrained_dynamics(*workspace_, options, s.q.data(), s.v.data(), s.tau.data(), nullptr,
                                     desired, qdd_.data(), lambda_.data());
}

double Problem::residual(const CoreState& s) {
  tenon::constraint_rows(*workspace_, s.q.data(), s.v.data(), nullptr, J_.data(), rows(), rhs_.data(),
                         nullptr, nullptr);
  const Eigen::Map<const Eigen::MatrixXd> J(J_.data(), rows(), nv());
  const Eigen::Map<const Eigen::VectorXd> qdd(qdd_.data(), nv()), rhs(rhs_.data(), rows());
  return (J * qdd - rhs).cwiseAbs().maxCoeff();
}

const char* name_of(tenon::Method method) {
  static const char* const names[] = {"automatic", "dense",   "constrained_aba", "prox_ltl", "prox_ltls",
                                      "pv",        "prox_pv", "pv_soft",         "pv_early"};
  return names[static_cast<int>(method)];
}

}  // namespace bench
