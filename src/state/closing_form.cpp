#include "state/closing_form.hpp"

#include "state/coordinates.hpp"

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
  row_count_ = set.row_count() - set.first_row(first);
}

void RowLoops::map_in(const double* q_, const double* v_) {
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = q_[form.q[k]];
  for (std::size_t k = 0; v_ && k < v.size(); ++k) v[k] = v_[form.v[k]];
}

void RowLoops::map_out(double* q_, double* v_) const {
  for (std::size_t k = 0; q_ && k < q.size(); ++k) q_[form.q[k]] = q[k];
  for (std::size_t k = 0; v_ && k < v.size(); ++k) v_[form.v[k]] = v[k];
}

void RowLoops::map_out_guess(double* q_) {
  guess(closing, q.data());
  map_out(q_, nullptr);
}

std::size_t RowLoops::bytes() const {
  return bytes_of(closing, alone, q, v, tau, qdd, end_q, end_v);
}

}  // namespace tenon
