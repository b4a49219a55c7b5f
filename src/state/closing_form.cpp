#include "state/closing_form.hpp"

#include "state/coordinates.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

// The rows of the loops come after those of the user.
std::unique_ptr<Workspace> without_rows_of_user(const WorkspaceImpl& whole, const WorkspaceOptions& options) {
  const ConstraintSet& set = *whole.constraints;
  const int first = set.constraint_count() - static_cast<int>(whole.model->row_loops.size());
  if (first == 0) return nullptr;
  return std::make_unique<Workspace>(
      std::make_unique<WorkspaceImpl>(whole.model, ConstraintSet::bind(whole.model, {}), options,
                                      whole.settings, first, set.first_row(first)));
}

}  // namespace

RowLoops::RowLoops(const WorkspaceImpl& whole, const WorkspaceOptions& options)
    : form(*whole.model->closing),
      alone(without_rows_of_user(whole, options)),
      closing(std::make_unique<WorkspaceImpl>(form.model, nullptr, options, whole.settings, 0, 0)),
      q(form.q.size()),
      v(form.v.size()),
      tau(v),
      qdd(v),
      end_q(q),
      end_v(v) {
  const ConstraintSet& set = *whole.constraints;
  const int first = set.constraint_count() - static_cast<int>(whole.model->row_loops.size());
  row_count_ = set.row_count() - (first < set.constraint_count() ? set.first_row(first) : set.row_count());
}

void RowLoops::take(const double* q_, const double* v_) {
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = q_[form.q[k]];
  for (std::size_t k = 0; v_ && k < v.size(); ++k) v[k] = v_[form.v[k]];
}

void RowLoops::give(double* q_, double* v_) const {
  for (std::size_t k = 0; q_ && k < q.size(); ++k) q_[form.q[k]] = q[k];
  for (std::size_t k = 0; v_ && k < v.size(); ++k) v_[form.v[k]] = v[k];
}

void RowLoops::give_guess(double* q_) {
  guess(closing, q.data());
  give(q_, nullptr);
}

std::size_t RowLoops::bytes() const {
  return bytes_of(closing, alone, q, v, tau, qdd, end_q, end_v);
}

Status solve_closing_form(WorkspaceImpl& w, LoopMethod method, const double* q, const double* v,
                          const double* tau, const double* wrenches, double* qdd) {
  RowLoops& loops = *w.row_loops;
  loops.take(q, v);
  for (std::size_t k = 0; k < loops.tau.size(); ++k) loops.tau[k] = tau[loops.form.v[k]];
  const Status status = loop_forward_dynamics(loops.closing, method, loops.q.data(), loops.v.data(),
                                              loops.tau.data(), wrenches, loops.qdd.data());
  if (static_cast<std::int32_t>(status) < 0) return w.fail(status, "%s", loops.closing.message());
  for (std::size_t k = 0; k < loops.qdd.size(); ++k) qdd[loops.form.v[k]] = loops.qdd[k];
  return status;
}

Status solve_row_loops(Workspace& workspace, const double* q, const double* v, const double* tau,
                       const double* wrenches, double* qdd) {
  WorkspaceImpl& w = workspace.impl();
  if (!w.row_loops->alone)
    return constrained_dynamics(workspace, {}, q, v, tau, wrenches, nullptr, qdd, nullptr);
  Workspace& alone = *w.row_loops->alone;
  // The other workspace checks its inputs, but it takes spanning coordinates only.
  if (w.coordinates.independent_q || w.coordinates.independent_v) {
    TENON_CHECK(take_state(w, q, v));
    TENON_CHECK(take_forces(w, tau));
  }
  const Status status = constrained_dynamics(alone, {}, q, v, tau, wrenches, nullptr, w.w().qdd, nullptr);
  if (static_cast<std::int32_t>(status) < 0) return w.fail(status, "%s", alone.message());
  w.report = alone.report();
  TENON_CHECK(give_motion(w, w.w().qdd, qdd));
  return status;
}

}  // namespace tenon
