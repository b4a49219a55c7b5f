// The jump of velocities at an impact on the rows, with Newton's law of restitution:
//
//   M (v+ - v) = J^T Lambda,   J v+ + R Lambda = - e J v
//
// The projection of velocities (row_projection.cpp) is the case e = 0; redundant and contradictory rows are
// treated alike in both.
#include <algorithm>

#include "calls/row_projection.hpp"
#include "state/coordinates.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

Status Restitution::check(WorkspaceImpl& w) const {
  TENON_CHECK(check_finite(w, "restitution", values, count));
  for (int i = 0; values && i < count; ++i)
    if (!(values[i] >= 0 && values[i] <= 1))
      return w.fail(Status::invalid_argument, "restitution[%d] is %g; give a number from 0 to 1", i,
                    values[i]);
  return Status::ok;
}

void Restitution::place_changes(const WorkspaceImpl& w, double* wanted) const {
  for (int r = 0; r < w.rows(); ++r) wanted[r] = -rebound(w, r) * w.arena.data.row_velocity[r];
}

Status impact(Workspace& workspace, const double* restitution, int count, const double* q, double* user_v,
              double* impulse) {
  WorkspaceImpl& w = begin(workspace);
  const double* v = user_v;
  const Restitution e = {restitution, count};
  TENON_CHECK(e.check(w));
  TENON_CHECK(map_in_state(w, q, v));
  w.report = SolveReport{};
  const int rows = w.rows();
  if (rows == 0) return Status::ok;
  TENON_CHECK(evaluate_row_velocities(w, q, v));
  double* wanted = w.row_scratch.data();
  e.place_changes(w, wanted);
  const Status status = change_velocities(w, q, v, wanted);
  if (static_cast<std::int32_t>(status) < 0) return status;
  TENON_CHECK(map_out_motion(w, w.w().qdd, user_v));
  if (impulse) std::copy_n(w.user_lambda.data(), rows, impulse);
  return status;
}

}  // namespace tenon
