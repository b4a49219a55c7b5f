/* Batches: many states in one call. Included by tenon.hpp. */
#ifndef TENON_BATCH_HPP
#define TENON_BATCH_HPP

#include <tenon.hpp>

namespace tenon {
inline namespace cpp {

/* Computes what a workspace does, of many states; Real is double, or float for single precision.
 *   Arrays have the numbers of one state after those of another: q is states x nq. An input of the numbers of one state
 * is the same for all. Without joints a state has no numbers, and a call is of one. A state that fails spoils only
 * itself: nothing is written for it, its status() is negative, and the call throws when the others are done, or returns
 * that status after exceptions(false). */
template <class Real>
class BasicBatch {
 public:
  using In = Span<const Real>;
  using Out = Span<Real>;
  using Numbers = std::vector<Real>;
  struct Motions {
    Numbers qdd, lambda;
  };
  struct Records {
    Numbers q, v; /* states x records x numbers */
  };

  explicit BasicBatch(const Model& model, BatchOptions options = {})
      : BasicBatch(Constraints(model), options) {}
  explicit BasicBatch(const Constraints& constraints, BatchOptions options = {})
      : constraints_(constraints.finish()),
        nq_(constraints.model().nq()),
        nv_(constraints.model().nv()),
        m_(constraints.row_count()),
        constraint_count_(std::size_t(constraints.count())),
        wrench_count_(6 * std::size_t(constraints.model().link_count())) {
    static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>,
                  "a batch is of double or of float");
    options.precision = std::is_same_v<Real, float> ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE;
    tenon_batch* batch = nullptr;
    detail::checked([&](char* text, std::size_t size) {
      return tenon_batch_create(constraints.model().get(), constraints.get(), &options, &batch, text, size);
    });
    handle_.reset(batch);
  }

  tenon_batch* get() const { return handle_.get(); }
  std::size_t nq() const { return nq_; }
  std::size_t nv() const { return nv_; }
  std::size_t m() const { return m_; }
  /* States computed side by side. */
  std::int32_t width() const { return tenon_batch_width(get()); }
  const char* message() const { return tenon_batch_message(get()); }
  /* Of each state of the last call. */
  const std::vector<Status>& status() const { return status_; }
  void exceptions(bool thrown) { exceptions_ = thrown; }
  Status set_gravity(Span<const double> g) {
    return done(tenon_batch_set_gravity(get(), g.data(), g.size()));
  }

  // ---- settings of constraints: those of many states are for calls of as many; those of one state hold in all

  /* The anchor of a constraint in all states; pose of 7. */
  Status set_anchor(Which constraint, Span<const double> pose) {
    return done(tenon_batch_set_anchor(get(), constraints_.index(constraint), pose.data(), pose.size()));
  }
  /* states x constraints x 7. */
  Status set_anchors(In poses) {
    const std::size_t count = pose_numbers(), n = states("poses", poses, count);
    return done(tenon_batch_set_anchors(get(), n, Array("poses", poses, count, n)));
  }
  /* What was set, states x constraints x 7. */
  Numbers anchors(std::size_t states) const {
    Numbers poses(detail::product({states, constraint_count_, 7}));
    const Array out("poses", Out(poses), pose_numbers(), states);
    const Status status = tenon_batch_anchors(get(), states, out);
    detail::checked(status, message());
    return poses;
  }
  /* The anchors of all constraints are where they are at q. */
  Status anchor_here(In q) {
    const std::size_t n = begin(q);
    return done(tenon_batch_anchor_here(get(), n, Array("q", q, nq_, n), status_.data(), status_.size()));
  }
  /* states x constraints, 1, or 0 for one that is switched off. */
  Status set_active(In active) {
    const std::size_t n = states("active", active, constraint_count_);
    return done(tenon_batch_set_active(get(), n, Array("active", active, constraint_count_, n)));
  }
  /* states x constraints. damping_ratios: 1 without. */
  Status set_gains(In frequencies, In damping_ratios = {}) {
    const std::size_t n = states("frequencies", frequencies, constraint_count_);
    const Numbers ones(constraint_count_, Real(1));
    const Array f("frequencies", frequencies, constraint_count_, n),
        r("damping_ratios", damping_ratios.empty() ? In(ones) : damping_ratios, constraint_count_, n);
    return done(tenon_batch_set_gains(get(), n, f, r));
  }

  // ---- computations

  Status forward_dynamics_into(Out qdd, In q, In v, In tau, In wrenches = {}) {
    return dynamics(tenon_batch_forward_dynamics, qdd, q, v, tau, wrenches);
  }
  Numbers forward_dynamics(In q, In v, In tau, In wrenches = {}) {
    return result(nv_, q, [&](Out qdd) { return forward_dynamics_into(qdd, q, v, tau, wrenches); });
  }
  Status inverse_dynamics_into(Out tau, In q, In v, In a, In wrenches = {}) {
    return dynamics(tenon_batch_inverse_dynamics, tau, q, v, a, wrenches);
  }
  Numbers inverse_dynamics(In q, In v, In a, In wrenches = {}) {
    return result(nv_, q, [&](Out tau) { return inverse_dynamics_into(tau, q, v, a, wrenches); });
  }
  /* M, states x nv x nv; its lower triangle row by row, states x nv (nv + 1) / 2; and that of L, M = L^T L. */
  Status mass_matrix_into(Out M, In q) {
    return matrix(tenon_batch_mass_matrix, M, detail::product({nv_, nv_}), q);
  }
  Numbers mass_matrix(In q) {
    return result(detail::product({nv_, nv_}), q, [&](Out M) { return mass_matrix_into(M, q); });
  }
  Status mass_matrix_lower_into(Out M, In q) {
    return matrix(tenon_batch_mass_matrix_lower, M, triangle(), q);
  }
  Numbers mass_matrix_lower(In q) {
    return result(triangle(), q, [&](Out M) { return mass_matrix_lower_into(M, q); });
  }
  Status mass_matrix_factor_into(Out L, In q) {
    return matrix(tenon_batch_mass_matrix_factor, L, triangle(), q);
  }
  Numbers mass_matrix_factor(In q) {
    return result(triangle(), q, [&](Out L) { return mass_matrix_factor_into(L, q); });
  }
  /* lambda: states x m, written, and read where options->warm_start says so. */
  Status constrained_dynamics_into(Out qdd, Out lambda, In q, In v, In tau, In wrenches = {}, In desired = {},
                                   const tenon_solve_options* options = nullptr) {
    const std::size_t n = begin(q);
    const Array x("q", q, nq_, n), y("v", v, nv_, n), z("tau", tau, nv_, n),
        w("wrenches", wrenches, wrench_count_, n);
    const Array k("desired", desired, m_, n), out("qdd", qdd, nv_, n), rows("lambda", lambda, m_, n);
    return done(tenon_batch_constrained_dynamics(get(), options, n, x, y, z, w, k, out, rows, nullptr, 0,
                                                 status_.data(), status_.size()));
  }
  Motions constrained_dynamics(In q, In v, In tau, In wrenches = {}, In desired = {},
                               const tenon_solve_options* options = nullptr) {
    Motions both{Numbers(detail::product({states(q), nv_})), Numbers(detail::product({states(q), m_}))};
    constrained_dynamics_into(both.qdd, both.lambda, q, v, tau, wrenches, desired, options);
    return both;
  }
  /* options.steps steps in time; a record after each options.every. tau is the same in all steps. */
  Records rollout(In q, In v, In tau, const RolloutOptions& options, In wrenches = {}) {
    const std::size_t n = begin(q), records = options.steps / (options.every == 0 ? 1 : options.every);
    Records all{Numbers(detail::product({n, records, nq_})), Numbers(detail::product({n, records, nv_}))};
    const Array x("q", q, nq_, n), y("v", v, nv_, n), z("tau", tau, nv_, n),
        w("wrenches", wrenches, wrench_count_, n);
    const Array to_q("q", Out(all.q), nq_, n, records), to_v("v", Out(all.v), nv_, n, records);
    done(tenon_batch_rollout(get(), &options, n, x, y, z, w, to_q, to_v, status_.data(), status_.size()));
    return all;
  }

 private:
  /* Numbers of all states, `count` of each and record, one state after another; an input also of one for all. */
  class Array {
   public:
    Array(const char* what, In numbers, std::size_t count, std::size_t states)
        : Array(what, const_cast<Real*>(numbers.data()), numbers.size(), count,
                numbers.size() == count ? 1 : states, 1) {
      if (numbers.size() == count) array_.state_stride = 0;
    }
    Array(const char* what, Out numbers, std::size_t count, std::size_t states, std::size_t records = 1)
        : Array(what, numbers.data(), numbers.size(), count, states, records) {}
    operator const tenon_batch_array*() const { return &array_; } /* one without data is none */

   private:
    Array(const char* what, Real* data, std::size_t size, std::size_t count, std::size_t states,
          std::size_t records)
        : array_{sizeof array_,
                 0,
                 data,
                 size,
                 0,
                 count,
                 1,
                 std::ptrdiff_t(detail::product({count, records})),
                 records > 1 ? std::ptrdiff_t(count) : 0} {
      if (data != nullptr && size != detail::product({states, records, count}))
        throw Error(TENON_WRONG_SIZE, std::string(what) + ": " + std::to_string(size) + " numbers; " +
                                          std::to_string(states * records) + " times " +
                                          std::to_string(count) + " are needed");
    }
    tenon_batch_array array_;
  };

  /* How many states these numbers are of, `count` of each. */
  static std::size_t states(const char* what, In numbers, std::size_t count) {
    if (count == 0 ? !numbers.empty() : numbers.size() % count != 0)
      throw Error(TENON_WRONG_SIZE, std::string(what) + ": " + std::to_string(numbers.size()) +
                                        " numbers, not states x " + std::to_string(count) +
                                        ", one state after another");
    return count == 0 ? 1 : numbers.size() / count;
  }
  std::size_t states(In q) const { return states("q", q, nq_); }
  std::size_t pose_numbers() const { return detail::product({7, constraint_count_}); }
  std::size_t begin(In q) {
    status_.assign(states(q), TENON_OK);
    return status_.size();
  }
  Status done(Status status) {
    if (status < 0 && exceptions_) throw Error(status, message());
    return status;
  }
  template <class F>
  Status dynamics(F function, Out out, In q, In v, In third, In wrenches) {
    const std::size_t n = begin(q);
    const Array x("q", q, nq_, n), y("v", v, nv_, n), w("wrenches", wrenches, wrench_count_, n);
    const Array z("the third input", third, nv_, n), to("the output", out, nv_, n);
    return done(function(get(), n, x, y, z, w, to, status_.data(), status_.size()));
  }
  std::size_t triangle() const { return detail::product({nv_, nv_ + 1}) / 2; }
  template <class F>
  Status matrix(F function, Out out, std::size_t count, In q) {
    const std::size_t n = begin(q);
    const Array x("q", q, nq_, n), to("the output", out, count, n);
    return done(function(get(), n, x, to, status_.data(), status_.size()));
  }
  template <class Call>
  Numbers result(std::size_t count, In q, Call&& call) {
    Numbers numbers(detail::product({states(q), count}));
    call(Out(numbers));
    return numbers;
  }

  struct Destroy {
    void operator()(tenon_batch* batch) const { tenon_batch_destroy(batch); }
  };
  Constraints constraints_;
  std::size_t nq_, nv_, m_, constraint_count_, wrench_count_;
  std::unique_ptr<tenon_batch, Destroy> handle_;
  std::vector<Status> status_;
  bool exceptions_ = true;
};

using Batch = BasicBatch<double>;
using FloatBatch = BasicBatch<float>;

}  // namespace cpp
}  // namespace tenon

#endif
