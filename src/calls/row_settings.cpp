// Changes which constraints of a workspace are active, and their gains, weights and compliance, between
// calls. Tables and memory stay those of the whole set, so nothing is allocated.
#include <cmath>

#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

Status check_constraint(WorkspaceImpl& w, int constraint) {
  const int count = w.constraints ? w.constraints->constraint_count() : 0;
  if (constraint >= 0 && constraint < count) return Status::ok;
  return w.fail(Status::out_of_range, "constraint index %d is out of range; the workspace has %d constraints",
                constraint, count);
}

// Loops that are closed by constraint rows come after the user's constraints.
bool is_loop_of_model(const WorkspaceImpl& w, int constraint) {
  return constraint >= w.constraints->constraint_count() - static_cast<int>(w.model->row_loops.size());
}

const char* name_of(const WorkspaceImpl& w, int constraint) {
  return w.constraints->specs()[static_cast<std::size_t>(constraint)].name.c_str();
}

template <class F>
void change_rows(WorkspaceImpl& w, int constraint, F&& change) {
  w.settings.for_rows(constraint, w.constraints->first_row(constraint), change);
  w.settings.update_poses();
  w.update_rows();
}

// Applies the same change to the workspace of the model with folded rotors, if there is one.
template <class F>
Status then_on_folded(WorkspaceImpl& w, F&& set) {
  return w.folded ? set(w.folded->workspace) : Status::ok;
}

Status check_per_row(WorkspaceImpl& w, int constraint, const char* what, const double* x, bool zero) {
  const ConstraintSet& set = *w.constraints;
  const int end = constraint + 1 < set.constraint_count() ? set.first_row(constraint + 1) : set.row_count();
  const int rows = end - set.first_row(constraint);
  TENON_CHECK(check_finite(w, what, x, rows));
  for (int r = 0; x && r < rows; ++r)
    if (!(x[r] > 0 || (zero && x[r] == 0)))
      return w.fail(Status::invalid_argument, "%s[%d] of constraint %d '%s' is %g; give numbers %s", what, r,
                    constraint, name_of(w, constraint), x[r], zero ? "of zero or more" : "above zero");
  return Status::ok;
}

}  // namespace

Status set_constraint_active(Workspace& workspace, int constraint, bool active) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  if (!active && is_loop_of_model(w, constraint))
    return w.fail(
        Status::invalid_argument,
        "constraint %d is the loop '%s' of the model, which cannot be switched off; make the model with "
        "this loop open and close it by a constraint",
        constraint, name_of(w, constraint));
  change_rows(w, constraint,
              [&](ConstraintItem&, std::size_t row, int) { w.settings.active[row] = active ? 1 : 0; });
  return then_on_folded(w, [&](Workspace& f) { return set_constraint_active(f, constraint, active); });
}

Status set_constraint_gains(Workspace& workspace, int constraint, double frequency, double damping_ratio) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  const auto gain = [](double x) { return x >= 0 && x <= 1e300; };
  if (!gain(frequency) || !gain(damping_ratio))
    return w.fail(Status::invalid_argument,
                  "frequency %g and damping ratio %g of constraint %d '%s' must be finite and not negative",
                  frequency, damping_ratio, constraint, name_of(w, constraint));
  change_rows(w, constraint, [&](ConstraintItem& item, std::size_t, int) {
    item.frequency = frequency, item.damping_ratio = damping_ratio;
  });
  return then_on_folded(
      w, [&](Workspace& f) { return set_constraint_gains(f, constraint, frequency, damping_ratio); });
}

Status set_constraint_weights(Workspace& workspace, int constraint, const double* weights) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  TENON_CHECK(check_per_row(w, constraint, "weights", weights, false));
  change_rows(w, constraint, [&](ConstraintItem&, std::size_t row, int i) {
    w.settings.weight[row] = weights ? weights[i] : 1;
  });
  return then_on_folded(w, [&](Workspace& f) { return set_constraint_weights(f, constraint, weights); });
}

Status set_constraint_compliance(Workspace& workspace, int constraint, const double* compliance) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  TENON_CHECK(check_per_row(w, constraint, "compliance", compliance, true));
  change_rows(w, constraint, [&](ConstraintItem&, std::size_t row, int i) {
    w.settings.compliance[row] = compliance ? compliance[i] : 0;
  });
  return then_on_folded(w,
                        [&](Workspace& f) { return set_constraint_compliance(f, constraint, compliance); });
}

Status constraint_settings(Workspace& workspace, int constraint, ConstraintSettings& settings,
                           double* weights, double* compliance) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  w.settings.for_rows(constraint, w.constraints->first_row(constraint),
                      [&](const ConstraintItem& item, std::size_t row, int i) {
                        settings = {w.settings.active[row] != 0, item.frequency, item.damping_ratio};
                        if (weights) weights[i] = w.settings.weight[row];
                        if (compliance) compliance[i] = w.settings.compliance[row];
                      });
  return Status::ok;
}

}  // namespace tenon
