#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace client {
namespace {

using Clock = std::chrono::steady_clock;

// One line of the table: a call on one state, and how long its passes over all states took.
struct Candidate {
  Timing timing;
  std::function<tenon_status(std::size_t state)> call;
  std::size_t slice = 0;  // states of a pass
  std::size_t begin = 0;  // first state of the next pass
  double spent = 0;       // s
  Vector microseconds;    // of a call, one for each pass
};

// The calls share the outputs: what they write is not looked at.
class Bench {
 public:
  Bench(tenon_workspace* workspace, const tenon_model* model, const ContactSet& contacts,
        const States& states)
      : workspace_(workspace),
        states_(states),
        nv_(static_cast<std::size_t>(tenon_model_nv(model))),
        tau_(nv_),
        qdd_(nv_),
        M_(nv_ * nv_),
        J_(6 * nv_),
        lambda_(contacts.rows),
        link_(tenon_model_link_count(model) - 1) {}

  std::vector<Candidate> candidates() {
    std::vector<Candidate> all;
    const auto add = [&](const char* name, std::function<tenon_status(std::size_t)> call) {
      all.push_back({});
      all.back().timing.name = name;
      all.back().call = std::move(call);
    };
    const int32_t ld = static_cast<int32_t>(nv_);
    add("kinematics: poses and velocities",
        [this](std::size_t i) { return tenon_kinematics(workspace_, q(i), nq(), v(i), nv_, nullptr, 0); });
    add("kinematics and the Jacobian of a link", [this](std::size_t i) {
      const tenon_status status = tenon_kinematics(workspace_, q(i), nq(), nullptr, 0, nullptr, 0);
      return status < 0 ? status
                        : tenon_link_jacobian(workspace_, link_, TENON_AXES_LINK, J_.data(), J_.size(), 6);
    });
    add("inverse dynamics (RNEA)", [this](std::size_t i) {
      return tenon_inverse_dynamics(workspace_, q(i), nq(), v(i), nv_, states_.a[i].data(), nv_, nullptr, 0,
                                    tau_.data(), nv_);
    });
    add("mass matrix (CRBA)", [this, ld](std::size_t i) {
      return tenon_mass_matrix(workspace_, q(i), nq(), M_.data(), M_.size(), ld);
    });
    add("mass matrix factored (CRBA, sparse LTL)",
        [this](std::size_t i) { return tenon_mass_matrix_factor(workspace_, q(i), nq()); });
    add("forward dynamics (ABA)", [this](std::size_t i) {
      return tenon_forward_dynamics(workspace_, q(i), nq(), v(i), nv_, states_.tau[i].data(), nv_, nullptr, 0,
                                    qdd_.data(), nv_);
    });
    if (lambda_.empty()) return all;
    for (int32_t method = TENON_METHOD_AUTOMATIC; method < tenon_constant_count(TENON_CONSTANT_METHOD);
         ++method) {
      if (solve(method, 0) == TENON_UNSUPPORTED) continue;
      add(tenon_constant_name(TENON_CONSTANT_METHOD, method),
          [this, method](std::size_t i) { return solve(method, i); });
      all.back().timing.constrained = true;
      all.back().timing.method = method;
    }
    return all;
  }

  tenon_status solve(int32_t method, std::size_t i) {
    tenon_solve_options options;
    tenon_solve_options_init(&options, sizeof options);
    options.method = method;
    return tenon_constrained_dynamics(workspace_, &options, q(i), nq(), v(i), nv_, states_.tau[i].data(), nv_,
                                      nullptr, 0, nullptr, 0, qdd_.data(), nv_, lambda_.data(),
                                      lambda_.size());
  }

  // Iterations and residuals of every state, and the difference from the dense answer on the first hundred.
  void examine(Timing& timing) {
    double iterations = 0;
    timing.difference = 0;
    std::vector<std::size_t> answers(static_cast<std::size_t>(tenon_constant_count(TENON_CONSTANT_METHOD)));
    const int32_t method = timing.method;
    for (std::size_t i = 0; i < states_.count; ++i) {
      timing.troubled += solve(method, i) == TENON_MAX_ITERATIONS;
      tenon_solve_report report;
      tenon_solve_report_init(&report, sizeof report);
      check(tenon_workspace_report(workspace_, &report), workspace_, "reading the report");
      iterations += report.iterations;
      ++answers[static_cast<std::size_t>(report.method)];
      timing.most_iterations = std::max(timing.most_iterations, report.iterations);
      timing.residual = std::max(timing.residual, report.primal_residual);
      if (i < 100) timing.difference = std::max(timing.difference, difference_from_dense(i));
    }
    timing.mean_iterations = iterations / static_cast<double>(states_.count);
    for (int32_t other = 0; other < tenon_constant_count(TENON_CONSTANT_METHOD); ++other) {
      const std::size_t count = answers[static_cast<std::size_t>(other)];
      if (other == method || count == 0) continue;
      timing.answered_by += (timing.answered_by.empty() ? "" : ", ") +
                            std::string(tenon_constant_name(TENON_CONSTANT_METHOD, other));
      if (count < states_.count)
        timing.answered_by += " in " + std::to_string(count) + " of " + std::to_string(states_.count);
    }
  }

 private:
  const double* q(std::size_t i) const { return states_.q[i].data(); }
  const double* v(std::size_t i) const { return states_.v[i].data(); }
  std::size_t nq() const { return states_.q.front().size(); }

  double difference_from_dense(std::size_t i) {
    const Vector answer = qdd_;
    check(solve(TENON_METHOD_DENSE, i), workspace_, "solving by the dense method");
    double difference = 0, size = 1e-300;
    for (std::size_t k = 0; k < nv_; ++k) {
      difference = std::max(difference, std::abs(answer[k] - qdd_[k]));
      size = std::max(size, std::abs(qdd_[k]));
    }
    return difference / size;
  }

  tenon_workspace* workspace_;
  const States& states_;
  std::size_t nv_;
  Vector tau_, qdd_, M_, J_, lambda_;
  int32_t link_;
};

void pass(Candidate& candidate, const tenon_workspace* workspace, std::size_t states) {
  const Clock::time_point begin = Clock::now();
  tenon_status worst = TENON_OK;
  for (std::size_t k = 0; k < candidate.slice; ++k)
    worst = std::min(worst, candidate.call((candidate.begin + k) % states));
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  check(worst, workspace, candidate.timing.name.c_str());
  candidate.begin = (candidate.begin + candidate.slice) % states;
  candidate.spent += seconds;
  candidate.microseconds.push_back(1e6 * seconds / static_cast<double>(candidate.slice));
}

void summarise(Candidate& candidate) {
  Vector& times = candidate.microseconds;
  std::sort(times.begin(), times.end());
  candidate.timing.minimum = times.front();
  candidate.timing.median = times[times.size() / 2];
  candidate.timing.passes = times.size();
}

}  // namespace

States random_states(tenon_workspace* workspace, const tenon_model* model, std::size_t count) {
  States states;
  states.count = count;
  std::mt19937_64 generator(20240607);
  const auto uniform = [&](double reach) {
    return reach * (2.0 * static_cast<double>(generator() >> 11) * 0x1p-53 - 1.0);
  };
  const std::size_t nv = static_cast<std::size_t>(tenon_model_nv(model));
  for (std::size_t i = 0; i < count; ++i) {
    states.q.emplace_back(static_cast<std::size_t>(tenon_model_nq(model)));
    check(tenon_random(workspace, i + 1, states.q.back().data(), states.q.back().size()), workspace,
          "drawing random states");
    for (const auto& [vectors, reach] :
         {std::pair(&states.v, 1.0), std::pair(&states.a, 1.0), std::pair(&states.tau, 10.0)}) {
      vectors->emplace_back(nv);
      for (double& number : vectors->back()) number = uniform(reach);
    }
  }
  return states;
}

std::vector<Timing> time_algorithms(tenon_workspace* workspace, const tenon_model* model,
                                    const ContactSet& contacts, const States& states, double seconds_each,
                                    const std::function<void(double)>& progress) {
  Bench bench(workspace, model, contacts, states);
  std::vector<Candidate> all = bench.candidates();
  for (Candidate& candidate : all) {
    if (candidate.timing.constrained) bench.examine(candidate.timing);
    candidate.slice = states.count;
    pass(candidate, workspace, states.count);  // warms caches and tells how long a pass takes; not counted
    // At least five passes; those of slow methods share the states between them.
    if (5 * candidate.spent > seconds_each) candidate.slice = (states.count + 4) / 5;
    candidate.microseconds.clear();
    candidate.spent = 0;
  }
  // In turns: one pass of each, until each has had its time and its five passes.
  bool busy = true;
  while (busy) {
    busy = false;
    double done = 0;
    for (Candidate& candidate : all) {
      if (candidate.spent < seconds_each || candidate.microseconds.size() < 5) {
        pass(candidate, workspace, states.count);
        busy = true;
      }
      done += std::min(1.0, candidate.spent / seconds_each) / static_cast<double>(all.size());
    }
    progress(done);
  }
  std::vector<Timing> timings;
  for (Candidate& candidate : all) {
    summarise(candidate);
    timings.push_back(candidate.timing);
  }
  return timings;
}

std::vector<std::string> missing_methods(tenon_workspace* workspace, const States& states, std::size_t rows) {
  std::vector<std::string> missing;
  const Vector& v = states.v.front();
  Vector qdd(v.size()), lambda(rows);
  for (int32_t method = 1; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
    tenon_solve_options options;
    tenon_solve_options_init(&options, sizeof options);
    options.method = method;
    if (tenon_constrained_dynamics(workspace, &options, states.q.front().data(), states.q.front().size(),
                                   v.data(), v.size(), states.tau.front().data(), v.size(), nullptr, 0,
                                   nullptr, 0, qdd.data(), qdd.size(), lambda.data(),
                                   lambda.size()) == TENON_UNSUPPORTED)
      missing.push_back(tenon_constant_name(TENON_CONSTANT_METHOD, method));
  }
  return missing;
}

}  // namespace client
