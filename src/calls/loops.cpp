// Coordinates of models with kinematic loops: closing, maps between independent and spanning coordinates.
#include "tenon/loops.hpp"

#include <algorithm>
#include <cmath>

#include "state/closing_form.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

// Some twenty starts find all assembly modes of simple linkages. Where the independent coordinates are within
// reach, one start of sixteen is enough.
constexpr int random_starts = 16;
// Between any two configurations angles change by up to 2 pi: 24 steps keep each below a sixth of a turn.
constexpr int path_steps = 24;
// m or rad. Configurations closed to loop_tolerance from different starts count as one assembly where they
// differ by no more than a gap of that size can cause: with a bad choice of dependent coordinates, whose
// pivot is a thousandth of a full one, they move a thousand times as far.
constexpr double same_position = 1e3 * loop_tolerance;

bool without_loops(const WorkspaceImpl& w) {
  return w.md().cluster_count == 0;
}

void copy_independent_positions(const WorkspaceImpl& w, const double* from, double* to) {
  for (const std::int32_t k : w.model->loops.independent_q) to[k] = from[k];
}

// Closes the loops along a path in small steps from the closed configuration of the model to the independent
// coordinates of target, so that the assembly mode stays the same. Leaves the result in q.
double follow_loops(WorkspaceImpl& w, const double* target, double* q) {
  double* closed = w.loops.best.data();
  std::copy(w.model->loops.closed.begin(), w.model->loops.closed.end(), closed);
  std::copy_n(closed, w.model->nq, q);
  double gap = 0;
  for (int step = 1; step <= path_steps; ++step) {
    const double share = static_cast<double>(step) / path_steps;
    for (const std::int32_t k : w.model->loops.independent_q)
      q[k] = closed[k] + share * (target[k] - closed[k]);
    normalize_quaternions(w, q);
    gap = w.loops.assembly.close(q, Assembly::Moves::dependent, w.w());
  }
  return gap;
}

// Copies start to q where its gap is below that of q, best.
void keep_better(const WorkspaceImpl& w, double gap, double& best, double* q) {
  if (!(gap < best)) return;
  best = gap;
  std::copy_n(w.loops.start.data(), w.model->nq, q);
}

double close_from_anywhere(WorkspaceImpl& w, double* q) {
  double* start = w.loops.start.data();
  double* target = w.loops.target.data();
  std::copy_n(q, w.model->nq, target);
  std::copy_n(q, w.model->nq, start);
  double best = INFINITY;
  keep_better(w, w.loops.assembly.close(start, Assembly::Moves::dependent, w.w()), best, q);
  if (best < loop_tolerance) return best;
  keep_better(w, follow_loops(w, target, start), best, q);
  for (int attempt = 1; attempt <= random_starts && !(best < loop_tolerance); ++attempt) {
    random_configuration(*w.model, static_cast<std::uint64_t>(attempt), start);
    copy_independent_positions(w, target, start);
    keep_better(w, w.loops.assembly.close(start, Assembly::Moves::dependent, w.w()), best, q);
  }
  return best;
}

bool same_assembly(const Model& model, const double* a, const double* b) {
  constexpr double turn = 6.283185307179586;
  for (const Model::Joint& joint : model.joints) {
    const bool turns = joint.type == JointType::revolute || joint.type == JointType::continuous;
    double flip = 1;
    if (joint.has_quaternion()) {
      double product = 0;
      for (int k = joint.quaternion(); k < joint.quaternion() + 4; ++k) product += a[k] * b[k];
      flip = product < 0 ? -1 : 1;
    }
    for (int k = joint.q_index; k < joint.q_index + joint.nq; ++k) {
      const bool turned = joint.has_quaternion() && k >= joint.quaternion();
      double d = a[k] - (turned ? flip : 1) * b[k];
      if (turns) d -= turn * std::round(d / turn);
      if (std::abs(d) > same_position) return false;
    }
  }
  return true;
}

// Calls a function on the closing form; copies the results back where there are any.
template <class Call>
Status by_closing_form(WorkspaceImpl& w, const double* q, const double* v, Call call) {
  RowLoops& loops = *w.row_loops;
  loops.map_in(q, v);
  const Status status = call(loops);
  return status == Status::ok ? status : w.fail(status, "%s", loops.closing.message());
}

// Embedded loops and those closed by rows, numbered as Model::loop_count counts them.
Status check_all_loops(WorkspaceImpl& w, const double* q, const double* v, LoopState& state) {
  return by_closing_form(w, q, v, [&](RowLoops& loops) {
    const Status status = check_loops(loops.closing, loops.q.data(), v ? loops.v.data() : nullptr, state);
    if (status != Status::ok) return status;
    for (int* loop : {&state.position_loop, &state.velocity_loop})
      if (*loop >= 0) *loop = loops.form.loop[index(*loop)];
    return Status::ok;
  });
}

// x := G y + offset (null: none), checked and copied to the user.
Status give_spanning(WorkspaceImpl& w, const double* y, const double* offset, double* x) {
  from_independent(w, y, offset, w.stage.data());
  return give_numbers(w, w.stage.data(), w.model->nv, x);
}

// Closes the embedded loops only, in place.
Status close_clusters(WorkspaceImpl& w, LoopMoves moves, double* q, double* gap) {
  double left = 0;
  if (!without_loops(w)) {
    left = moves == LoopMoves::all ? w.loops.assembly.close(q, Assembly::Moves::all, w.w())
                                   : close_from_anywhere(w, q);
  }
  if (!(left < INFINITY)) return fail_of_gap(w);
  if (gap) *gap = left;
  if (left < loop_tolerance) return Status::ok;
  return w.fail(Status::infeasible,
                "the loops could not be closed: the smallest gap found is %.3g m or rad; the independent "
                "coordinates may be out of reach",
                left);
}

}  // namespace

Status loop_gap(Workspace& workspace, const double* q, double* gap) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  if (w.row_loops)
    return by_closing_form(w, q, nullptr,
                           [&](RowLoops& loops) { return loop_gap(loops.closing, loops.q.data(), gap); });
  const double largest = without_loops(w) ? 0 : w.loops.assembly.evaluate(q, nullptr, w.w());
  if (!(largest < INFINITY)) return fail_of_gap(w);
  *gap = largest;
  return Status::ok;
}

Status check_loops(Workspace& workspace, const double* q, const double* v, LoopState& state) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  if (w.row_loops) return check_all_loops(w, q, v, state);
  state = LoopState{};
  if (without_loops(w)) return Status::ok;
  const double gap = w.loops.assembly.evaluate(q, v, w.w());
  if (!(gap < INFINITY)) return fail_of_gap(w);
  state.position_gap = gap;
  state.position_loop = worst_loop(w);
  if (!v) return Status::ok;
  state.velocity_gap = -1;
  for (int l = 0; l < w.md().loop_constraint_count; ++l) {
    const LoopConstraintData& loop = w.md().loop_constraints[l];
    const ClusterData& c = w.md().clusters[loop.cluster];
    for (int r = loop.row_begin; r < loop.row_begin + loop.row_count; ++r) {
      double rate = 0;
      for (int k = 0; k < c.v_count; ++k)
        rate += w.w().loop_K[c.K_begin + k * c.row_count + r - c.row_begin] * v[c.v_begin + k];
      TENON_CHECK(check_result(w, &rate, 1));
      if (std::abs(rate) <= state.velocity_gap) continue;
      state.velocity_gap = std::abs(rate), state.velocity_loop = l;
    }
  }
  state.velocity_gap = std::max(state.velocity_gap, 0.0);
  return Status::ok;
}

Status close_loops(Workspace& workspace, LoopMoves moves, double* q, double* gap) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  if (!w.row_loops) {
    double* found = w.stage.data();
    std::copy_n(q, w.model->nq, found);
    const Status status = close_clusters(w, moves, found, gap);
    if (static_cast<std::int32_t>(status) >= 0) std::copy_n(found, w.model->nq, q);
    return status;
  }
  return by_closing_form(w, q, nullptr, [&](RowLoops& loops) {
    const Status status = close_loops(loops.closing, moves, loops.q.data(), gap);
    if (static_cast<std::int32_t>(status) >= 0) loops.map_out(q, nullptr);
    return status;
  });
}

Status find_assemblies(Workspace& workspace, const double* q, int starts, int capacity, double* assemblies,
                       int* count) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  const int nq = w.model->nq;
  if (w.row_loops)
    return by_closing_form(w, q, nullptr, [&](RowLoops& loops) {
      const Status status =
          find_assemblies(loops.closing, loops.q.data(), starts, capacity, assemblies, count);
      for (int i = 0; status == Status::ok && i < *count; ++i) {
        double* assembly = assemblies + std::ptrdiff_t{i} * nq;
        std::copy_n(assembly, nq, loops.q.data());
        loops.map_out(assembly, nullptr);
      }
      return status;
    });
  if (without_loops(w)) {  // every position is independent
    std::copy_n(q, nq, assemblies);
    *count = 1;
    return Status::ok;
  }
  double* start = w.loops.start.data();
  int found = 0;
  for (int attempt = 0; attempt < starts && found < capacity; ++attempt) {
    if (attempt == 0)
      std::copy_n(q, nq, start);
    else
      random_configuration(*w.model, static_cast<std::uint64_t>(attempt), start);
    copy_independent_positions(w, q, start);
    if (!(w.loops.assembly.close(start, Assembly::Moves::dependent, w.w()) < loop_tolerance)) continue;
    bool known = false;
    for (int i = 0; i < found; ++i)
      known = known || same_assembly(*w.model, start, assemblies + std::ptrdiff_t{i} * nq);
    if (!known) std::copy_n(start, nq, assemblies + std::ptrdiff_t{found++} * nq);
  }
  *count = found;
  return Status::ok;
}

Status project_velocity(Workspace& workspace, LoopMoves moves, const double* q, double* v) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  if (w.row_loops)
    return by_closing_form(w, q, v, [&](RowLoops& loops) {
      const Status status = project_velocity(loops.closing, moves, loops.q.data(), loops.v.data());
      if (status == Status::ok) loops.map_out(nullptr, v);
      return status;
    });
  if (without_loops(w)) return Status::ok;
  TENON_CHECK(update_loops(w, q, nullptr, moves == LoopMoves::all ? SplitFor::any : SplitFor::users));
  double* y = w.loops.independent.data();
  for (int j = 0; j < w.model->ny; ++j) y[j] = v[w.md().independent[j]];
  if (moves == LoopMoves::all) TENON_CHECK(project_by_mass(w, q, v, y));
  return give_spanning(w, y, nullptr, v);
}

Status independent_positions(Workspace& workspace, const double* q, double* y) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  for (const std::int32_t k : w.model->loops.independent_q) *y++ = q[k];
  return Status::ok;
}

Status spanning_positions(Workspace& workspace, const double* y, const double* guess, double* q) {
  WorkspaceImpl& w = begin(workspace);
  const std::vector<std::int32_t>& places = w.model->loops.independent_q;
  // Without loops y is a configuration.
  TENON_CHECK(without_loops(w) ? check_configuration(w, "y", y) : check_independent_positions(w, "y", y));
  double* found = w.stage.data();
  Status status = Status::open_loop;
  if (guess) {
    TENON_CHECK(check_configuration(w, "guess", guess));
    std::copy_n(guess, w.model->nq, found);
  } else if (without_loops(w)) {
    neutral(*w.model, found);
  } else {
    status = map_independent_positions(w, "y", y, found);
    if (status != Status::ok && status != Status::open_loop) return status;
  }
  if (status == Status::open_loop) {
    w.message[0] = '\0';  // of the first attempt
    for (std::size_t i = 0; i < places.size(); ++i) found[places[i]] = y[i];
    status = close_clusters(w, LoopMoves::dependent, found, nullptr);
    if (static_cast<std::int32_t>(status) < 0) return status;
  }
  std::copy_n(found, w.model->nq, q);
  return status;
}

Status independent_velocity(Workspace& workspace, const double* v, double* ydot) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  for (int j = 0; j < w.model->ny; ++j) ydot[j] = v[w.model->data().independent[j]];
  return Status::ok;
}

Status spanning_velocity(Workspace& workspace, const double* q, const double* ydot, double* v) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "ydot", ydot, w.model->ny));
  TENON_CHECK(update_loops(w, q, nullptr));
  return give_spanning(w, ydot, nullptr, v);
}

Status spanning_acceleration(Workspace& workspace, const double* q, const double* v, const double* yddot,
                             double* qdd) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "yddot", yddot, w.model->ny));
  TENON_CHECK(update_loops(w, q, v));
  return give_spanning(w, yddot, without_loops(w) ? nullptr : w.w().g, qdd);
}

Status independent_force(Workspace& workspace, const double* q, const double* tau, double* tau_y) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "tau", tau, w.model->nv));
  TENON_CHECK(update_loops(w, q, nullptr));
  to_independent_force(w, tau, w.stage.data());
  return give_numbers(w, w.stage.data(), w.model->ny, tau_y);
}

Status spanning_force(Workspace& workspace, const double* tau_y, double* tau) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_finite(w, "tau_y", tau_y, w.model->ny));
  scatter_independent(w, tau_y, tau);
  return Status::ok;
}

Status loop_map(Workspace& workspace, const double* q, const double* v, double* G, int ldG, double* g) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  if (v) TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(update_loops(w, q, v));
  if (!without_loops(w)) {
    if (G) TENON_CHECK(check_result(w, w.w().G, w.md().G_size));
    if (g) TENON_CHECK(check_result(w, w.w().g, w.model->nv));
  }
  if (G) dense_G(w, G, ldG);
  for (int k = 0; g && k < w.model->nv; ++k) g[k] = without_loops(w) ? 0 : w.w().g[k];
  return Status::ok;
}

Status loop_jacobian(Workspace& workspace, const double* q, const double* v, double* K, int ldK, double* k,
                     double* phi) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  if (v) TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  if (without_loops(w)) return Status::ok;
  const double gap = w.loops.assembly.evaluate(q, v, w.w());
  if (w.loops.assembly.broken() >= 0 || !(gap < INFINITY)) return fail_of_gap(w);
  const int rows = w.md().loop_row_count;
  if (K) TENON_CHECK(check_result(w, w.w().loop_K, w.md().loop_K_size));
  if (k) TENON_CHECK(check_result(w, w.w().loop_k, rows));
  if (phi) TENON_CHECK(check_result(w, w.w().loop_phi, rows));
  if (K) dense_K(w, K, ldK);
  if (k) std::copy_n(w.w().loop_k, rows, k);
  if (phi) std::copy_n(w.w().loop_phi, rows, phi);
  return Status::ok;
}

}  // namespace tenon
