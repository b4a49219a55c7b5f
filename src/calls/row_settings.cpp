// Writes the settings of constraints: which are active, their gains, weights and compliance. What follows from
// them is computed by the calls that use it (WorkspaceImpl::follow_settings).
#include <algorithm>

#include "scalar/index.hpp"
#include "state/coordinates.hpp"
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
  return w.constraints->specs()[index(constraint)].name.c_str();
}

// The settings of a constraint, to be changed.
Settings::Constraint& changed(WorkspaceImpl& w, int constraint) {
  ++w.settings->revision;
  return w.settings->constraints[index(constraint)];
}

// Checks and writes numbers of the rows of a constraint, or `usual` where x is null. zero: a number may be zero.
Status set_rows(WorkspaceImpl& w, int constraint, const char* what, const double* x, bool zero, double usual,
                std::vector<double>& to) {
  TENON_CHECK(check_constraint(w, constraint));
  const int rows = w.constraints->row_count(constraint);
  TENON_CHECK(check_finite(w, what, x, rows));
  for (int r = 0; x && r < rows; ++r)
    if (!(x[r] > 0 || (zero && x[r] == 0)))
      return w.fail(Status::invalid_argument, "%s[%d] of constraint %d '%s' is %g; give numbers %s", what, r,
                    constraint, name_of(w, constraint), x[r], zero ? "of zero or more" : "above zero");
  ++w.settings->revision;
  const auto first = to.begin() + w.constraints->first_row(constraint);
  if (x)
    std::copy_n(x, rows, first);
  else
    std::fill_n(first, rows, usual);
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
  changed(w, constraint).active = active;
  return Status::ok;
}

Status set_constraint_gains(Workspace& workspace, int constraint, double frequency, double damping_ratio) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  const auto gain = [](double x) { return x >= 0 && x <= 1e300; };
  if (!gain(frequency) || !gain(damping_ratio))
    return w.fail(Status::invalid_argument,
                  "frequency %g and damping ratio %g of constraint %d '%s' must be finite and not negative",
                  frequency, damping_ratio, constraint, name_of(w, constraint));
  Settings::Constraint& own = changed(w, constraint);
  own.frequency = frequency, own.damping_ratio = damping_ratio;
  return Status::ok;
}

static Status check_frame(WorkspaceImpl& w, int constraint) {
  TENON_CHECK(check_constraint(w, constraint));
  if (has_frame(w.constraints->specs()[index(constraint)])) return Status::ok;
  return w.fail(
      Status::invalid_argument,
      "constraint %d '%s' is a closure, or has rows of its own, and no frame that is held at an anchor",
      constraint, name_of(w, constraint));
}

Status set_constraint_frame(Workspace& workspace, int constraint, const Pose& frame) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_frame(w, constraint));
  Settings::Constraint& own = changed(w, constraint);
  own.moved = true, own.frame = frame;
  return Status::ok;
}

Status constraint_frame(Workspace& workspace, int constraint, Pose& frame) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_frame(w, constraint));
  frame = w.settings->constraints[index(constraint)].frame;
  return Status::ok;
}

Status set_constraint_weights(Workspace& workspace, int constraint, const double* weights) {
  WorkspaceImpl& w = begin(workspace);
  return set_rows(w, constraint, "weights", weights, false, 1, w.settings->weight);
}

Status set_constraint_compliance(Workspace& workspace, int constraint, const double* compliance) {
  WorkspaceImpl& w = begin(workspace);
  return set_rows(w, constraint, "compliance", compliance, true, 0, w.settings->compliance);
}

Status constraint_settings(Workspace& workspace, int constraint, ConstraintSettings& settings,
                           double* weights, double* compliance) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  const Settings::Constraint& own = w.settings->constraints[index(constraint)];
  settings = {own.active, own.frequency, own.damping_ratio};
  const auto first = w.constraints->first_row(constraint);
  const int rows = w.constraints->row_count(constraint);
  if (weights) std::copy_n(w.settings->weight.begin() + first, rows, weights);
  if (compliance) std::copy_n(w.settings->compliance.begin() + first, rows, compliance);
  return Status::ok;
}

}  // namespace tenon
