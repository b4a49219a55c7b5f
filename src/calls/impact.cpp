// The jump of velocities at an impact on the rows, with Newton's law of restitution:
//
//   M (v+ - v) = J^T Lambda,   J v+ + R Lambda = - e J v
//
// The projection of velocities (row_projection.cpp) is the case e = 0; redundant and contradictory rows are
// treated alike in both.
#include "calls/row_projection.hpp"
#include "model/row_order.hpp"
#include "state/coordinates.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

Status check_restitution(WorkspaceImpl& w, const double* restitution, int count) {
  TENON_CHECK(check_finite(w, "restitution", restitution, count));
  for (int i = 0; i < count; ++i)
    if (!(restitution[i] >= 0 && restitution[i] <= 1))
      return w.fail(Status::invalid_argument, "restitution[%d] is %g; give a number from 0 to 1", i,
                    restitution[i]);
  return Status::ok;
}

}  // namespace

Status impact(Workspace& workspace, const double* restitution, int count, const double* q, double* user_v,
              double* impulse) {
  WorkspaceImpl& w = begin(workspace);
  const double* v = user_v;
  if (restitution) TENON_CHECK(check_restitution(w, restitution, count));
  TENON_CHECK(map_in_state(w, q, v));
  w.report = SolveReport{};
  const int rows = w.rows();
  if (rows == 0) return Status::ok;
  TENON_CHECK(evaluate_rows(w, q, v));
  double* wanted = w.row_scratch.data();
  for (int r = 0; r < rows; ++r) {
    const double e = !restitution ? 0 : count == 1 ? restitution[0] : restitution[w.cd()->user_row[r]];
    wanted[r] = -(1 + e) * w.w().row_velocity[r];
  }
  const Status status = change_velocities(w, q, v, wanted);
  if (static_cast<std::int32_t>(status) < 0) return status;
  TENON_CHECK(check_result(w, w.lambda.data(), rows));
  TENON_CHECK(map_out_motion(w, w.w().qdd, user_v));
  rows_to_user(w.cd(), w.lambda.data(), impulse);
  return status;
}

}  // namespace tenon
