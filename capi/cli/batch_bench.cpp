#include "batch_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

namespace client {
namespace {

using Clock = std::chrono::steady_clock;

struct DestroyBatch {
  void operator()(tenon_batch* batch) const { tenon_batch_destroy(batch); }
};
using BatchHandle = std::unique_ptr<tenon_batch, DestroyBatch>;

// The numbers of all states, as the batch takes them.
template <class N>
struct Column {
  std::vector<N> data;
  tenon_batch_array array{};

  Column(std::size_t states, std::size_t count) : data(states * count) {
    tenon_batch_array_init(&array, sizeof array);
    array.data = data.data(), array.size = data.size(), array.count = count;
    array.state_stride = static_cast<ptrdiff_t>(count);
  }
  Column(const std::vector<Vector>& rows, std::size_t count) : Column(rows.size(), count) {
    auto* to = data.data();
    for (const Vector& row : rows)
      for (const double x : row) *to++ = static_cast<N>(x);
  }
};

template <class N>
class BatchBench {
 public:
  BatchBench(const tenon_model* model, const ContactSet& contacts, tenon_workspace* workspace,
             const States& states, const BatchRequest& request)
      : workspace_(workspace),
        states_(states),
        request_(request),
        nq_(static_cast<std::size_t>(tenon_model_nq(model))),
        nv_(static_cast<std::size_t>(tenon_model_nv(model))),
        rows_(contacts.rows),
        q_(states.q, nq_),
        v_(states.v, nv_),
        a_(states.a, nv_),
        tau_(states.tau, nv_),
        out_(states.count, nv_),
        M_(states.count, nv_ * nv_),
        lambda_(states.count, rows_),
        ones_(std::vector<Vector>(states.count, Vector(rows_, 1.0)), rows_),
        A_(states.count, rows_ * rows_),
        single_(std::max(nv_ * nv_, rows_ * rows_)),
        right_(rows_, 1.0),
        single_lambda_(rows_) {
    tenon_batch_options options;
    tenon_batch_options_init(&options, sizeof options);
    options.threads = request.threads;
    options.precision = sizeof(N) == sizeof(float) ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE;
    tenon_batch* made = nullptr;
    char message[512];
    if (tenon_batch_create(model, contacts.handle.get(), &options, &made, message, sizeof message) < 0)
      throw Failure(message);
    batch_.reset(made);
  }

  BatchTimings run() {
    BatchTimings all;
    all.instruction_set =
        tenon_constant_name(TENON_CONSTANT_INSTRUCTION_SET, tenon_batch_instruction_set(batch_.get()));
    all.width = tenon_batch_width(batch_.get());
    time(
        all, "inverse dynamics (RNEA)", out_, nv_,
        [&] {
          return tenon_batch_inverse_dynamics(batch_.get(), states_.count, &q_.array, &v_.array, &a_.array,
                                              nullptr, &out_.array, nullptr, 0);
        },
        [&](std::size_t i) {
          return tenon_inverse_dynamics(workspace_, q(i), nq_, v(i), nv_, states_.a[i].data(), nv_, nullptr,
                                        0, single_.data(), nv_);
        });
    time(
        all, "mass matrix (CRBA)", M_, nv_ * nv_,
        [&] {
          return tenon_batch_mass_matrix(batch_.get(), states_.count, &q_.array, &M_.array, nullptr, 0);
        },
        [&](std::size_t i) {
          return tenon_mass_matrix(workspace_, q(i), nq_, single_.data(), single_.size(),
                                   static_cast<int32_t>(nv_));
        });
    time(
        all, "forward dynamics (ABA)", out_, nv_,
        [&] {
          return tenon_batch_forward_dynamics(batch_.get(), states_.count, &q_.array, &v_.array, &tau_.array,
                                              nullptr, &out_.array, nullptr, 0);
        },
        [&](std::size_t i) {
          return tenon_forward_dynamics(workspace_, q(i), nq_, v(i), nv_, states_.tau[i].data(), nv_, nullptr,
                                        0, single_.data(), nv_);
        });
    if (rows_ > 0)
      time(
          all, "constrained dynamics", out_, nv_,
          [&] {
            return tenon_batch_constrained_dynamics(batch_.get(), nullptr, states_.count, &q_.array,
                                                    &v_.array, &tau_.array, nullptr, nullptr, &out_.array,
                                                    &lambda_.array, nullptr, 0, nullptr, 0);
          },
          [&](std::size_t i) {
            return tenon_constrained_dynamics(workspace_, nullptr, q(i), nq_, v(i), nv_,
                                              states_.tau[i].data(), nv_, nullptr, 0, nullptr, 0,
                                              single_.data(), nv_, single_lambda_.data(), rows_);
          });
    if (rows_ > 0) time_delassus(all);
    time_rollout(all);
    return all;
  }

 private:
  const double* q(std::size_t i) const { return states_.q[i].data(); }
  const double* v(std::size_t i) const { return states_.v[i].data(); }

  template <class Call>
  static double seconds_of(const Call& call) {
    const Clock::time_point begin = Clock::now();
    call();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void time(BatchTimings& all, const char* name, Column<N>& out, std::size_t count,
            const std::function<tenon_status()>& many, const std::function<tenon_status(std::size_t)>& one) {
    BatchTiming timing;
    timing.name = name;
    std::fill(out.data.begin(), out.data.end(), static_cast<N>(0));
    if (many() < 0) throw Failure(std::string(name) + ": " + tenon_batch_message(batch_.get()));
    for (std::size_t i = 0; i < states_.count; ++i) {
      if (one(i) < 0) {
        ++timing.failed;
        continue;
      }
      double largest = 1e-300, difference = 0;
      for (std::size_t k = 0; k < count; ++k) {
        largest = std::max(largest, std::abs(single_[k]));
        difference =
            std::max(difference, std::abs(single_[k] - static_cast<double>(out.data[i * count + k])));
      }
      timing.difference = std::max(timing.difference, difference / largest);
    }
    // In turns, each at least three times.
    double spent = 0, fastest = HUGE_VAL, fastest_single = HUGE_VAL;
    for (int pass = 0; pass < 3 || spent < request_.seconds; ++pass) {
      const double batch = seconds_of(many);
      const double single = seconds_of([&] {
        for (std::size_t i = 0; i < states_.count; ++i) one(i);
      });
      fastest = std::min(fastest, batch), fastest_single = std::min(fastest_single, single);
      spent += batch + single;
    }
    const double states = static_cast<double>(states_.count);
    timing.microseconds = 1e6 * fastest / states;
    timing.single_microseconds = 1e6 * fastest_single / states;
    all.functions.push_back(timing);
  }

  void time_delassus(BatchTimings& all) {
    const std::size_t m = rows_;
    const int32_t ld = static_cast<int32_t>(m);
    time(
        all, "Delassus matrix", A_, m * m,
        [&] {
          return tenon_batch_delassus(batch_.get(), nullptr, states_.count, &q_.array, &A_.array, nullptr, 0);
        },
        [&](std::size_t i) {
          return tenon_delassus(workspace_, nullptr, q(i), nq_, single_.data(), m * m, ld);
        });
    time(
        all, "damped inverse, a product", lambda_, m,
        [&] {
          return tenon_batch_delassus_inverse_times(batch_.get(), nullptr, states_.count, 1, &q_.array,
                                                    &ones_.array, &lambda_.array, nullptr, 0);
        },
        [&](std::size_t i) {
          const tenon_status status = tenon_delassus_factor(workspace_, nullptr, q(i), nq_);
          return status < 0
                     ? status
                     : tenon_delassus_solve(workspace_, 1, right_.data(), m, ld, single_.data(), m, ld);
        });
  }

  // A state and step: semi-implicit Euler, motors limp.
  void time_rollout(BatchTimings& all) {
    BatchTiming timing;
    timing.name = "rollout, a step";
    tenon_rollout_options options;
    tenon_rollout_options_init(&options, sizeof options);
    options.steps = options.every = request_.steps;
    std::vector<int32_t> status(states_.count);
    Column<N> limp(1, nv_);
    limp.array.state_stride = 0;
    const auto roll = [&] {
      tenon_batch_rollout(batch_.get(), &options, states_.count, &q_.array, &v_.array, &limp.array, nullptr,
                          nullptr, &out_.array, status.data(), states_.count);
    };
    double spent = 0, fastest = HUGE_VAL;
    for (int pass = 0; pass < 2 || spent < request_.seconds; ++pass) {
      const double seconds = seconds_of(roll);
      fastest = std::min(fastest, seconds);
      spent += seconds;
    }
    timing.failed = static_cast<std::size_t>(
        std::count_if(status.begin(), status.end(), [](int32_t s) { return s < 0; }));
    timing.microseconds = 1e6 * fastest / static_cast<double>(states_.count * request_.steps);
    timing.single_microseconds = -1;
    timing.difference = -1;
    all.functions.push_back(timing);
  }

  tenon_workspace* workspace_;
  const States& states_;
  const BatchRequest& request_;
  std::size_t nq_, nv_, rows_;
  Column<N> q_, v_, a_, tau_, out_, M_, lambda_, ones_, A_;
  Vector single_, right_, single_lambda_;
  BatchHandle batch_;
};

}  // namespace

BatchTimings time_batches(const tenon_model* model, const ContactSet& contacts, tenon_workspace* workspace,
                          const States& states, const BatchRequest& request) {
  if (request.single_precision) return BatchBench<float>(model, contacts, workspace, states, request).run();
  return BatchBench<double>(model, contacts, workspace, states, request).run();
}

}  // namespace client
