// The least motion, in the metric of the mass matrix, that changes rows as wanted: projections and impacts
// use it.
#pragma once

#include <algorithm>

#include "state/workspace_impl.hpp"

namespace tenon {

// Sets the gravity of the settings, the only one there is, to zero for its lifetime.
class Weightless {
 public:
  explicit Weightless(WorkspaceImpl& w) : gravity_(w.settings->gravity) {
    std::copy_n(gravity_, 3, kept_);
    std::fill_n(gravity_, 3, 0.0);
  }
  ~Weightless() { std::copy_n(kept_, 3, gravity_); }
  Weightless(const Weightless&) = delete;
  Weightless& operator=(const Weightless&) = delete;

 private:
  double* gravity_;
  double kept_[3];
};

// Rows are not stabilised for its lifetime: their position errors count nothing, to the last digit.
class Unstabilised {
 public:
  explicit Unstabilised(WorkspaceImpl& w) : w_(w), some_(some_gains(w)) { set(false); }
  ~Unstabilised() { set(true); }
  Unstabilised(const Unstabilised&) = delete;
  Unstabilised& operator=(const Unstabilised&) = delete;

 private:
  static bool some_gains(const WorkspaceImpl& w) {
    const ConstraintData* const c = w.cd();
    bool some = false;
    for (int i = 0; c && i < c->item_count; ++i) some = some || c->gains[2 * i] > 0;
    return some;
  }
  void set(bool stabilised) {
    if (!some_) return;
    w_.settings->stabilised = stabilised;
    ++w_.settings->revision;
    w_.follow_settings();
  }

  WorkspaceImpl& w_;
  const bool some_;
};

// Errors of all rows at q, into WorkspaceData::row_error.
Status evaluate_row_errors(WorkspaceImpl& w, const double* q);
// Velocities of all rows at (q, v), into WorkspaceData::row_velocity.
Status evaluate_row_velocities(WorkspaceImpl& w, const double* q, const double* v);
// WorkspaceData::qdd := the least motion that changes each row by `wanted` (kernels' order), by what automatic takes in
// constrained dynamics; WorkspaceImpl::user_lambda := its multipliers (the user's order). rounding: errors of `wanted`. gaps: of
// embedded loops (loop rows), which the motion closes, and no multipliers; null: it keeps loops closed.
Status least_motion(WorkspaceImpl& w, const double* q, const double* wanted, double rounding,
                    const double* gaps = nullptr);
// WorkspaceData::qdd := v + M^-1 J^T lambda, the velocities after rows have changed by `wanted` (kernels'
// order). v: spanning, checked.
Status change_velocities(WorkspaceImpl& w, const double* q, const double* v, const double* wanted);

// What rows are asked for at an impact (impact.cpp). The user's numbers: one for all rows, or one for each; null: zero.
struct Restitution {
  const double* values;
  int count;

  Status check(WorkspaceImpl& w) const;
  // 1 + e of a row, kernels' order.
  double rebound(const WorkspaceImpl& w, int row) const {
    return 1 + (!values ? 0 : count == 1 ? values[0] : values[w.cd()->user_row[row]]);
  }
  bool is_same_for_all() const { return !values || count == 1; }
  // The wanted changes of all rows. After evaluate_row_velocities.
  void place_changes(const WorkspaceImpl& w, double* wanted) const;
};

}  // namespace tenon
