// Products with the derivatives of poses and velocities of links (kernels/derivatives/kinematics_derivatives.hpp). In
// independent coordinates q moves by G dy and v by G dydot and by what positions change of G; transposed, gradients by q
// and v of the tree become those by y and ydot (embedded_loops.hpp).
#include <algorithm>

#include "calls/derivatives/independent_state.hpp"
#include "calls/derivatives/outputs.hpp"
#include "calls/kinematics.hpp"
#include "state/coordinates.hpp"
#include "tenon/kinematics_derivatives.hpp"

namespace tenon {

namespace {

PlacedLink place(const WorkspaceImpl& w, int number, RowAxes axes) {
  const Model::Link& link = w.model->links[index(number)];
  return {link.body, link.in_body.rotation.data(), link.in_body.translation.data(), axes == RowAxes::world};
}

// Starts a product that has velocities, or not. turns: whether these change with positions through the map of loops, whose
// rows are placed then.
Status start(WorkspaceImpl& w, const ChosenLinks& links, bool velocities, EmbeddedLoops& loops, bool& turns) {
  for (int i = 0; i < links.count; ++i) TENON_CHECK(check_link(w, links.index[i], velocities ? 1 : 0));
  turns = velocities && map_varies(w);
  return turns ? place_state(w, loops, nullptr) : Status::ok;
}

int coordinates(const WorkspaceImpl& w) {
  return w.coordinates.independent_v ? w.model->ny : w.model->nv;
}

const double* part(const double* list, int i) {
  return list ? list + std::ptrdiff_t{6} * i : nullptr;
}

}  // namespace

Status check_differentiable_kinematics(Workspace& workspace) {
  WorkspaceImpl& w = begin(workspace);
  return map_varies(w) ? EmbeddedLoops(w).check() : Status::ok;
}

Status kinematics_vjp(Workspace& workspace, const DerivativeOptions& options, const ChosenLinks& links,
                      RowAxes axes, const double* by_poses, const double* by_velocities, double* by_q,
                      double* by_v) {
  WorkspaceImpl& w = begin(workspace);
  EmbeddedLoops loops(w);
  bool turns = false;
  TENON_CHECK(start(w, links, by_velocities != nullptr, loops, turns));
  TENON_CHECK(check_finite(w, "pose_gradients", by_poses, 6 * links.count));
  TENON_CHECK(check_finite(w, "velocity_gradients", by_velocities, 6 * links.count));
  const KinematicsDerivativeMemory& d = *w.kinematics_derivatives;
  double *const of_poses = d.data.of_poses, *const of_velocities = d.data.of_velocities,
                *const g_q = d.matrix[0], *const g_v = d.matrix[1];
  for (double* field : {of_poses, of_velocities}) std::fill_n(field, 6 * w.model->body_count(), 0.0);
  std::fill_n(g_v, w.model->nv, 0.0);
  for (int i = 0; i < links.count; ++i)
    w.kernels->add_link_forces(place(w, links.index[i], axes), part(by_poses, i), part(by_velocities, i),
                               of_poses, of_velocities, w.w());
  w.kernels->kinematics_vjp(w.md(), w.kinematics_v.data(), of_poses, by_velocities ? of_velocities : nullptr,
                            g_q, g_v, w.w());
  if (turns) w.kernels->hold_velocities(w.md(), loops.which(), g_v, g_q, loops.memory(), w.w());
  const int n = coordinates(w);
  for (double* g : {g_q, g_v}) {
    if (!w.coordinates.independent_v) break;
    to_independent_force(w, g, result_room(w), w.coordinates.G.data());
    std::copy_n(result_room(w), n, g);
  }
  return give_derivatives(w, options.accumulate, {},
                          {{g_q, n, 1, n, "gradient_q", {by_q, n}}, {g_v, n, 1, n, "gradient_v", {by_v, n}}});
}

Status kinematics_jvp(Workspace& workspace, const DerivativeOptions& options, const ChosenLinks& links,
                      RowAxes axes, const double* dq, const double* dv, double* dposes, double* dvelocities) {
  WorkspaceImpl& w = begin(workspace);
  EmbeddedLoops loops(w);
  bool turns = false;
  TENON_CHECK(start(w, links, dvelocities != nullptr, loops, turns));
  TENON_CHECK(check_finite(w, "dq", dq, coordinates(w)));
  TENON_CHECK(check_finite(w, "dv", dv, coordinates(w)));
  const KinematicsDerivativeMemory& d = *w.kinematics_derivatives;
  const double* const v = w.kinematics_v.data();
  DerivativeProducts::Change change = {dq, dv, nullptr};
  if (turns) {
    double* const(&room)[4] = loops.memory().numbers;
    const DerivativeProducts products = {w, loops, true, nullptr, nullptr};
    change = products.spanning(v, change, true, room[0], room[1], room[3]);
  } else if (w.coordinates.independent_v) {
    const auto expand = [&](const double*& x, double* room) {
      if (x) from_independent(w, x, nullptr, room, w.coordinates.G.data()), x = room;
    };
    expand(change.q, d.matrix[0]), expand(change.v, d.matrix[1]);
  }
  double *const of_poses = d.data.of_poses, *const of_velocities =
                                                dvelocities ? d.data.of_velocities : nullptr;
  w.kernels->kinematics_jvp(w.md(), v, change.q, change.v, of_poses, of_velocities, w.w());
  // First all is looked at, then written.
  for (const bool write : {false, true})
    for (int i = 0; i < links.count; ++i) {
      double pose[6], velocity[6];
      w.kernels->link_changes(place(w, links.index[i], axes), of_poses, of_velocities, pose,
                              dvelocities ? velocity : nullptr, w.w());
      const std::ptrdiff_t at = std::ptrdiff_t{6} * i;
      const std::initializer_list<DerivativeBlock> blocks = {
          {pose, 6, 1, 6, "dposes", {dposes ? dposes + at : nullptr, 6}},
          {velocity, 6, 1, 6, "dvelocities", {dvelocities ? dvelocities + at : nullptr, 6}}};
      TENON_CHECK(write ? give_derivatives(w, options.accumulate, {}, blocks)
                        : check_derivatives(w, options.accumulate, blocks));
    }
  return Status::ok;
}

}  // namespace tenon
