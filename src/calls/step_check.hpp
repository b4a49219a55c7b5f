// What a step in time promises where a mechanism has loops: it neither opens them nor makes energy.
#pragma once

#include "state/workspace_impl.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

// A step of dt from (start.q, start.v) to (end_q, end_v), spanning coordinates, all finite, under start.tau and
// start.wrenches. lambda: multipliers at its beginning, in the user's order of rows.
struct StepEnds {
  double dt;
  const Inputs<double>& start;
  const double* lambda;
  const double *end_q, *end_v;
};

// Status::singular_configuration where the step is too long for what happens at or next to a dead centre: its end has
// more kinetic energy than its forces can have given, or a loop has opened by a good part of what its joints moved.
Status check_step(WorkspaceImpl& w, const StepEnds& step);

// What a step of dt says of this state, but for rows that contradict each other, which it takes.
Status check_whole_step(Workspace& w, Integrator integrator, double dt, const Inputs<double>& in);

// not_finite: the step leads beyond the range of doubles.
Status fail_step(WorkspaceImpl& w, double dt);

// Closes the loops at the end of a step in independent coordinates, which keep their values. Next to a dead
// centre, however, all joints move a little, and v is projected by the coordinates that sweeps use there: at_dead_centre.
Status close_step(WorkspaceImpl& w, double* q, double* v, bool& at_dead_centre);

}  // namespace tenon
