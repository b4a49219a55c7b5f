#include "studies/loop_methods.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/problem.hpp"
#include "support/timing.hpp"
#include "tenon/constraints.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenonx/loop_methods.hpp"

namespace bench {
namespace {

using tenon::Model;
using tenon::Status;
using tenon::Workspace;

constexpr int state_count = 100, least_passes = 15;
constexpr double least_seconds = 0.3;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void need(Status status, const Workspace& w) {
  if (static_cast<int>(status) < 0) throw std::runtime_error(w.message());
}

// False where the library has no such method.
bool done(Status status, const Workspace& w) {
  if (status == Status::unsupported) return false;
  need(status, w);
  return true;
}

std::vector<std::string> first(const std::vector<std::string>& ends, int count) {
  return {ends.begin(),
          ends.begin() + std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(ends.size()))};
}

}  // namespace

std::vector<ClosedState> closed_states(Workspace& w, int count) {
  const Model& model = w.model();
  std::vector<ClosedState> states;
  const std::size_t nv = static_cast<std::size_t>(model.nv);
  for (int seed = 1; static_cast<int>(states.size()) < count; ++seed) {
    if (seed > 50 * count) throw std::runtime_error(model.name + " cannot be closed");
    const auto wave = [seed](std::size_t i) { return std::sin(7.0 * static_cast<double>(i) + 1.3 * seed); };
    ClosedState s{model.loops.closed, std::vector<double>(nv), std::vector<double>(nv),
                  std::vector<double>(static_cast<std::size_t>(model.ny))};
    if (s.q.empty()) {
      s.q.resize(static_cast<std::size_t>(model.nq));
      tenon::neutral(model, s.q.data());
    }
    for (std::size_t i = 0; i < nv; ++i) s.v[i] = wave(i), s.tau[i] = wave(i + 5);
    for (std::size_t i = 0; i < s.yddot.size(); ++i) s.yddot[i] = wave(i + 9);
    need(tenon::integrate(w, s.q.data(), s.v.data(), 0.5, s.q.data()), w);
    if (tenon::close_loops(w, tenon::LoopMoves::dependent, s.q.data(), nullptr) != Status::ok ||
        tenon::project_velocity(w, tenon::LoopMoves::dependent, s.q.data(), s.v.data()) != Status::ok)
      continue;
    states.push_back(std::move(s));
  }
  return states;
}

LoopMethods::Subject::Subject(std::shared_ptr<const Model> of, const std::vector<std::string>& ends)
    : model(std::move(of)),
      w(model, tenon::ConstraintSet::bind(model, specs_of(*model, hold(ends, 6)))),
      states(closed_states(w, state_count)) {}

LoopMethods::Subject::Subject(const LoopRobot& robot, const Subject& exact)
    : model(robot.open), w(model, tenon::ConstraintSet::bind(model, robot.closures)), states(exact.states) {
  const auto number = [](int i) { return static_cast<std::size_t>(i); };
  for (std::size_t i = 0; i < states.size(); ++i) {
    const State& from = exact.states[i];
    for (const Model::Joint& joint : model->joints) {
      const Model::Joint& same = robot.exact->joints[number(robot.exact->find_joint(joint.name))];
      std::copy_n(&from.q[number(same.q_index)], joint.nq, &states[i].q[number(joint.q_index)]);
      std::copy_n(&from.v[number(same.v_index)], joint.nv, &states[i].v[number(joint.v_index)]);
      std::copy_n(&from.tau[number(same.v_index)], joint.nv, &states[i].tau[number(joint.v_index)]);
    }
  }
}

LoopMethods::LoopMethods(const LoopRobot& robot, int end_effectors)
    : exact_(robot.exact, first(robot.ends, end_effectors)) {
  if (robot.open) {
    open_ = std::make_unique<Subject>(robot, exact_);
    for (const Model::Joint& joint : robot.open->joints)
      for (int k = 0; k < joint.nv; ++k)
        open_v_.push_back(
            robot.exact->joints[static_cast<std::size_t>(robot.exact->find_joint(joint.name))].v_index + k);
  }
  if (robot.approximate)
    approximate_ = std::make_unique<Subject>(robot.approximate, first(robot.ends, end_effectors));
  const Model& model = *robot.exact;
  const int rows = model.data().loop_row_count;
  const int contacts = 6 * std::min(end_effectors, static_cast<int>(robot.ends.size()));
  out_.resize(std::max(model.nv, contacts * contacts));
  c_.resize(model.nv), qdd_.resize(model.nv), k_.resize(rows);
  M_.resize(model.nv, model.nv), K_.resize(rows, model.nv), G_.resize(model.nv, model.ny);
  J_.resize(contacts, model.nv), osim_.resize(contacts, contacts);
}

// qdd = M^-1 (tau - c + K^T lambda) with K M^-1 K^T lambda = k - K M^-1 (tau - c), both by Cholesky.
bool LoopMethods::solve_multipliers(const State& s) {
  Workspace& w = exact_.w;
  const int nv = exact_.model->nv;
  need(tenon::mass_matrix(w, s.q.data(), M_.data(), nv), w);
  need(tenon::bias_force(w, s.q.data(), s.v.data(), nullptr, c_.data()), w);
  need(tenon::loop_jacobian(w, s.q.data(), s.v.data(), K_.data(), static_cast<int>(K_.rows()), k_.data(),
                            nullptr),
       w);
  const Eigen::Map<const Eigen::VectorXd> tau(s.tau.data(), nv);
  const Eigen::LLT<Eigen::MatrixXd> factor(M_);
  const Eigen::MatrixXd X = factor.matrixL().solve(K_.transpose());
  const Eigen::VectorXd free = factor.matrixL().solve(tau - c_);
  const Eigen::VectorXd lambda = (X.transpose() * X).ldlt().solve(k_ - X.transpose() * free);
  out_.head(nv) = factor.matrixU().solve(free + X * lambda);
  return true;
}

// tau_y = G^T RNEA(q, v, G yddot + g), every matrix dense.
bool LoopMethods::project_inverse(const State& s) {
  Workspace& w = exact_.w;
  const int nv = exact_.model->nv, ny = exact_.model->ny;
  need(tenon::loop_map(w, s.q.data(), s.v.data(), G_.data(), nv, c_.data()), w);
  qdd_.noalias() = G_ * Eigen::Map<const Eigen::VectorXd>(s.yddot.data(), ny);
  qdd_ += c_;
  need(
      tenon::inverse_dynamics(w, {s.q.data(), s.v.data(), nullptr, nullptr, nullptr, qdd_.data()}, c_.data()),
      w);
  out_.head(ny).noalias() = G_.transpose() * c_;
  return true;
}

// J G (G^T M G)^-1 G^T J^T.
bool LoopMethods::project_osim(const State& s) {
  Workspace& w = exact_.w;
  const int nv = exact_.model->nv, rows = static_cast<int>(J_.rows());
  need(tenon::mass_matrix(w, s.q.data(), M_.data(), nv), w);
  need(tenon::loop_map(w, s.q.data(), nullptr, G_.data(), nv, nullptr), w);
  need(tenon::constraint_rows(w, s.q.data(), s.v.data(), nullptr, J_.data(), rows, nullptr, nullptr, nullptr),
       w);
  const Eigen::LLT<Eigen::MatrixXd> factor(G_.transpose() * M_ * G_);
  const Eigen::MatrixXd X = factor.matrixL().solve((J_ * G_).transpose());
  Eigen::Map<Eigen::MatrixXd>(out_.data(), rows, rows).noalias() = X.transpose() * X;
  return true;
}

// Proximal and sparse ([LOOPS2] VI) on the spanning tree, to the default tolerance.
bool LoopMethods::solve_rows(const State& s) {
  tenon::SolveOptions options;
  options.method = tenon::Method::prox_ltl;
  return done(tenon::constrained_dynamics(open_->w, options, {s.q.data(), s.v.data(), s.tau.data()},
                                          out_.data(), nullptr),
              open_->w);
}

void LoopMethods::forward(std::vector<Method>& methods, TaskTimes& times) {
  const auto by = [this](tenon::LoopMethod method) {
    return [this, method](const State& s) {
      return done(
          tenon::loop_forward_dynamics(exact_.w, method, {s.q.data(), s.v.data(), s.tau.data()}, out_.data()),
          exact_.w);
    };
  };
  methods.push_back({by(tenon::LoopMethod::automatic), &exact_, &times.cluster, 1e-8});
  methods.push_back({by(tenon::LoopMethod::projection), &exact_, &times.projection, 1e-8});
  methods.push_back(
      {[this](const State& s) { return solve_multipliers(s); }, &exact_, &times.multipliers, 1e-6});
  if (open_)
    methods.push_back({[this](const State& s) { return solve_rows(s); }, open_.get(), &times.rows, 1e-6});
  if (approximate_)
    methods.push_back(
        {[this](const State& s) {
           return done(
               tenon::forward_dynamics(approximate_->w, {s.q.data(), s.v.data(), s.tau.data()}, out_.data()),
               approximate_->w);
         },
         approximate_.get(), &times.approximate, 0});
}

void LoopMethods::inverse(std::vector<Method>& methods, TaskTimes& times) {
  const auto cluster = [this](Subject* of) {
    return [this, of](const State& s) {
      return done(tenon::loop_inverse_dynamics(of->w, tenon::LoopMethod::automatic, s.q.data(), s.v.data(),
                                               s.yddot.data(), nullptr, out_.data()),
                  of->w);
    };
  };
  methods.push_back({cluster(&exact_), &exact_, &times.cluster, 1e-8});
  methods.push_back(
      {[this](const State& s) { return project_inverse(s); }, &exact_, &times.projection, 1e-8});
  if (approximate_)
    methods.push_back({cluster(approximate_.get()), approximate_.get(), &times.approximate, 0});
}

void LoopMethods::osim(std::vector<Method>& methods, TaskTimes& times) {
  const auto delassus = [this](Subject* of) {
    return [this, of](const State& s) {
      return done(tenon::delassus_matrix(of->w, tenon::DelassusMethod::automatic, s.q.data(), out_.data(),
                                         static_cast<int>(J_.rows())),
                  of->w);
    };
  };
  methods.push_back({delassus(&exact_), &exact_, &times.cluster, 1e-8});
  methods.push_back({[this](const State& s) { return project_osim(s); }, &exact_, &times.projection, 1e-8});
  if (approximate_)
    methods.push_back({delassus(approximate_.get()), approximate_.get(), &times.approximate, 0});
}

void LoopMethods::compare(const std::vector<Method>& methods) {
  for (std::size_t i = 0; i < exact_.states.size(); ++i) {
    Eigen::VectorXd expected;
    for (const Method& m : methods) {
      if (m.accuracy == 0) continue;
      out_.setZero();
      m.call(m.subject->states[i]);
      Eigen::VectorXd result = out_;
      if (m.subject == open_.get())
        for (std::size_t k = 0; k < open_v_.size(); ++k)
          result[open_v_[k]] = out_[static_cast<Eigen::Index>(k)];
      if (expected.size() == 0) expected = result;
      const double error = (result - expected).norm() / expected.norm();
      if (!(error <= m.accuracy))
        throw std::runtime_error("methods disagree on " + exact_.model->name + " by " +
                                 std::to_string(error));
    }
  }
}

std::vector<PeerLink> LoopMethods::peer_links() const {
  std::vector<PeerLink> links;
  for (const Model::Joint& joint : exact_.model->joints)
    links.push_back({exact_.model->links[static_cast<std::size_t>(joint.child_link)].name, joint.q_index,
                     joint.v_index, joint.nv});
  return links;
}

void LoopMethods::add_peer(std::unique_ptr<LoopsPeer> peer) {
  const int nv = exact_.model->nv;
  for (const State& s : exact_.states) {
    need(tenon::loop_map(exact_.w, s.q.data(), s.v.data(), G_.data(), nv, c_.data()), exact_.w);
    qdd_ = G_ * Eigen::Map<const Eigen::VectorXd>(s.yddot.data(), exact_.model->ny) + c_;
    peer->add_state(s.q.data(), s.v.data(), s.tau.data(), qdd_.data());
  }
  peers_.push_back(std::move(peer));
}

double LoopMethods::peer_difference(Task task, std::size_t number) {
  LoopsPeer& peer = *peers_[number];
  if (!peer.comparable(task)) return unknown;
  const int nv = exact_.model->nv, ny = exact_.model->ny, rows = static_cast<int>(J_.rows());
  std::vector<Method> methods;
  TaskTimes times{};
  if (task == Task::forward_dynamics) forward(methods, times);
  if (task == Task::inverse_dynamics) inverse(methods, times);
  if (task == Task::inverse_osim) osim(methods, times);
  double largest = 0;
  Eigen::VectorXd theirs(out_.size());
  for (std::size_t i = 0; i < exact_.states.size(); ++i) {
    const State& s = exact_.states[i];
    methods.front().call(s);
    peer.run(task, static_cast<int>(i));
    peer.result(task, theirs.data());
    Eigen::VectorXd own, other;
    if (task == Task::forward_dynamics) own = out_.head(nv), other = theirs.head(nv);
    if (task == Task::inverse_dynamics) {
      need(tenon::loop_map(exact_.w, s.q.data(), nullptr, G_.data(), nv, nullptr), exact_.w);
      own = out_.head(ny), other = G_.transpose() * theirs.head(nv);
    }
    if (task == Task::inverse_osim) {
      const auto eigenvalues = [rows](const Eigen::VectorXd& matrix) {
        return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                   Eigen::Map<const Eigen::MatrixXd>(matrix.data(), rows, rows), Eigen::EigenvaluesOnly)
            .eigenvalues();
      };
      own = eigenvalues(out_), other = eigenvalues(theirs);
    }
    largest = std::max(largest, (other - own).norm() / own.norm());
  }
  return largest;
}

TaskTimes LoopMethods::time(Task task) {
  TaskTimes times{unknown, unknown, unknown, unknown, unknown, {}};
  std::vector<Method> methods;
  if (task == Task::forward_dynamics) forward(methods, times);
  if (task == Task::inverse_dynamics) inverse(methods, times);
  if (task == Task::inverse_osim) osim(methods, times);
  methods.erase(std::remove_if(methods.begin(), methods.end(),
                               [](const Method& m) { return !m.call(m.subject->states.front()); }),
                methods.end());
  compare(methods);
  std::vector<std::function<void()>> calls;
  for (const Method& m : methods)
    calls.push_back([&m] {
      for (const State& s : m.subject->states) m.call(s);
    });
  for (const auto& peer : peers_)
    calls.push_back([&peer, task] {
      for (int i = 0; i < state_count; ++i) peer->run(task, i);
    });
  const std::vector<double> seconds = fastest_passes(calls, least_passes, least_seconds);
  for (std::size_t k = 0; k < methods.size(); ++k) *methods[k].time = 1e6 * seconds[k] / state_count;
  for (std::size_t k = methods.size(); k < calls.size(); ++k)
    times.peers.push_back(1e6 * seconds[k] / state_count);
  return times;
}

}  // namespace bench
