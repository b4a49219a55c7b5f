/* Models, builders, constraint sets, workspaces and batches: what is not one call. Included by tenon.hpp. */
#ifndef TENON_OBJECTS_HPP
#define TENON_OBJECTS_HPP

namespace tenon {
inline namespace cpp {

/* A robot, immutable. */
class Model : public ModelCalls<Model> {
 public:
  using ModelCalls::ModelCalls;
};

/* A model from calls. */
class Builder : public BuilderCalls<Builder> {
 public:
  using BuilderCalls::BuilderCalls;
};

/* What is held on the links of a model: filled, then finished, by finish() or the first workspace or batch. Each add_...
 * returns the index of the constraint. Copies are the same set. */
class Constraints : public ConstraintsCalls<Constraints> {
 public:
  explicit Constraints(const Model& model) : ConstraintsCalls(model), model_(model) {}
  const Model& model() const { return model_; }
  /* Checks the set and makes it immutable; does nothing the second time. Before threads share it. */
  const Constraints& finish() const {
    if (get() == nullptr || tenon_constraints_row_count(get()) < 0)
      detail::checked(
          [&](char* text, std::size_t size) { return tenon_constraints_finish(get(), text, size); });
    return *this;
  }

 private:
  Model model_;
};

namespace detail {

/* What a workspace and a batch have in common: the set, which may be empty, and statuses. */
template <class Calls, class Options>
class Computing : public Calls {
 public:
  explicit Computing(const Model& model, const Options& options = {})
      : Computing(model, Constraints(model), options) {}
  explicit Computing(const Constraints& set, const Options& options = {})
      : Computing(set.model(), set, options) {}
  Computing(const Model& model, const Constraints& set, const Options& options = {})
      : Calls(model, &set.finish(), options), constraints_(set) {}
  Computing(Computing&&) = default;
  Computing& operator=(Computing&&) = default;

  const Model& model() const { return constraints_.model(); }
  /* false: what returns a status returns negative ones too. What returns a result throws all the same. */
  void exceptions(bool thrown) { exceptions_ = thrown; }
  std::int32_t index(Which constraint) const { return constraints_.index(constraint); }
  std::size_t constraint_count() const { return counted(constraints_.count()); }

 protected:
  friend Calls;
  /* A clone. */
  template <class Call>
  Computing(const Computing& original, Call&& call)
      : Calls(Made{}, std::forward<Call>(call)),
        constraints_(original.constraints_),
        exceptions_(original.exceptions_) {}
  Status done(Status status) { return exceptions_ ? sure(status) : last_ = status; }
  Status sure(Status status) const {
    last_ = status;
    if (status < 0) throw Error(status, this->message());
    return status;
  }
  Constraints constraints_;
  bool exceptions_ = true;
  mutable Status last_ = TENON_OK;
};

}  // namespace detail

/* One thread at a time. wrenches: 6 for each link, [moment about its origin; force] along link axes; none without. */
class Workspace : public detail::Computing<WorkspaceCalls<Workspace>, Chosen<tenon_workspace_options>> {
 public:
  using Computing::Computing;
  /* The status of the last computation. */
  Status status() const { return last_; }
  Vector zeros() const { return Vector(nv(), 0.0); }
  /* One step in time; q and v are changed in place. integrator: TENON_INTEGRATOR_*. */
  Status step(Out q, Out v, In tau, double dt, In wrenches = {},
              std::int32_t integrator = TENON_INTEGRATOR_SEMI_IMPLICIT_EULER,
              Chosen<tenon_solve_options> options = {}) {
    return integrator == TENON_INTEGRATOR_RUNGE_KUTTA_4
               ? step_runge_kutta_4(dt, q, v, tau, wrenches, options)
               : step_semi_implicit_euler(dt, q, v, tau, wrenches, options);
  }
};

/* Computes what a workspace does, of many states; Real is double, or float for single precision.
 *   Arrays have the numbers of one state after those of another: q is states x nq; States has other ways. An input of the
 * numbers of one state is the same for all. Without joints a state has no numbers, and a call is of one. A state that
 * fails spoils only itself: nothing is written for it, its status() is negative, and the call throws when the others are
 * done, or returns that status after exceptions(false). What is set for many states is for calls of as many. */
template <class Real>
class BasicBatch : public detail::Computing<BatchCalls<BasicBatch<Real>, Real>, BatchOptions> {
 public:
  using detail::Computing<BatchCalls<BasicBatch<Real>, Real>, BatchOptions>::Computing;
  /* Of each state of the last call; iterations of constrained dynamics. */
  const std::vector<Status>& status() const { return status_; }
  const std::vector<std::int32_t>& iterations() const { return iterations_; }

 private:
  friend BatchCalls<BasicBatch<Real>, Real>;
  std::size_t begin(const char* what, const States<const Real>& x, std::size_t count) {
    status_.assign(x.states(what, count), TENON_OK);
    iterations_.assign(status_.size(), 0);
    return status_.size();
  }
  std::vector<Status> status_;
  std::vector<std::int32_t> iterations_;
};

using Batch = BasicBatch<double>;
using FloatBatch = BasicBatch<float>;

}  // namespace cpp
}  // namespace tenon

#endif
