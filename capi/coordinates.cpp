// In which coordinates a workspace takes and returns states.
#include "support/call.hpp"
#include "tenon/loops.hpp"

using namespace tenon::capi;
using tenon::Coordinates;

tenon_status tenon_workspace_set_coordinates(tenon_workspace* workspace, int32_t positions,
                                             int32_t velocities) {
  Call call(workspace, __func__);
  call.one_of(kinds::coordinates, "positions", positions);
  call.one_of(kinds::coordinates, "velocities", velocities);
  return call.run([&] {
    return tenon::set_coordinates(workspace->core, static_cast<Coordinates>(positions),
                                  static_cast<Coordinates>(velocities));
  });
}

tenon_status tenon_workspace_coordinates(const tenon_workspace* workspace, int32_t* positions,
                                         int32_t* velocities) {
  Call call(workspace, __func__);
  return call.run_glue([&](tenon::Workspace& w) {
    if (positions) *positions = static_cast<int32_t>(tenon::position_coordinates(w));
    if (velocities) *velocities = static_cast<int32_t>(tenon::velocity_coordinates(w));
  });
}

int32_t tenon_workspace_position_count(const tenon_workspace* workspace) {
  return workspace ? tenon::position_count(workspace->core) : TENON_INVALID_ARGUMENT;
}
int32_t tenon_workspace_velocity_count(const tenon_workspace* workspace) {
  return workspace ? tenon::velocity_count(workspace->core) : TENON_INVALID_ARGUMENT;
}

int32_t tenon_workspace_row_count(const tenon_workspace* workspace) {
  if (workspace == nullptr) return TENON_INVALID_ARGUMENT;
  const tenon::ConstraintSet* set = workspace->core.constraints();
  return set ? set->row_count() : 0;
}

tenon_status tenon_workspace_set_guess(tenon_workspace* workspace, const double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  return call.run([&] { return tenon::set_guess(workspace->core, q); });
}

tenon_status tenon_workspace_guess(const tenon_workspace* workspace, double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  return call.run([&](tenon::Workspace& w) { return tenon::guess(w, q); });
}
