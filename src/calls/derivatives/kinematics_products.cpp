// Products with the derivatives of poses and velocities of links, and of numbers of the whole robot
// (kernels/derivatives/kinematics_derivatives.hpp). In independent coordinates q moves by G dy and v by G dydot and by what positions change of G; transposed, gradients by q
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

// A product directly after kinematics(), and its memory.
struct KinematicsProduct {
  WorkspaceImpl& w;
  EmbeddedLoops loops{w};
  bool turns = false;  // velocities are in it, and change with positions through the map of loops
  const KinematicsDerivativeMemory* d = nullptr;

  Status start(bool velocities) {
    turns = velocities && map_varies(w);
    if (turns) TENON_CHECK(place_state(w, loops, nullptr));
    d = &*w.kinematics_derivatives;
    return Status::ok;
  }
  const double* v() const { return w.kinematics_v.data(); }
  int coordinates() const { return w.coordinates.independent_v ? w.model->ny : w.model->nv; }
  // Gradients by coordinates of the tree, in matrix[0] and matrix[1].
  Status give_gradients(const DerivativeOptions& options, double* by_q, double* by_v) {
    double *const g_q = d->matrix[0], *const g_v = d->matrix[1];
    if (turns) w.kernels->hold_velocities(w.md(), loops.which(), g_v, g_q, loops.memory(), w.w());
    const int n = coordinates();
    for (double* g : {g_q, g_v}) {
      if (!w.coordinates.independent_v) break;
      to_independent_force(w, g, result_room(w), w.coordinates.G.data());
      std::copy_n(result_room(w), n, g);
    }
    return give_derivatives(
        w, options.accumulate, {},
        {{g_q, n, 1, n, "gradient_q", {by_q, n}}, {g_v, n, 1, n, "gradient_v", {by_v, n}}});
  }
  // A change of the user in coordinates of the tree.
  Status take_change(const double* dq, const double* dv, DerivativeProducts::Change& change) {
    TENON_CHECK(check_finite(w, "dq", dq, coordinates()));
    TENON_CHECK(check_finite(w, "dv", dv, coordinates()));
    change = {dq, dv, nullptr};
    if (turns) {
      double* const(&room)[4] = loops.memory().numbers;
      const DerivativeProducts products = {w, loops, true, nullptr, nullptr};
      change = products.spanning(v(), change, true, room[0], room[1], room[3]);
    } else if (w.coordinates.independent_v) {
      const auto expand = [&](const double*& x, double* room) {
        if (x) from_independent(w, x, nullptr, room, w.coordinates.G.data()), x = room;
      };
      expand(change.q, d->matrix[0]), expand(change.v, d->matrix[1]);
    }
    return Status::ok;
  }
};

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
  KinematicsProduct product{w};
  for (int i = 0; i < links.count; ++i) TENON_CHECK(check_link(w, links.index[i], by_velocities ? 1 : 0));
  TENON_CHECK(product.start(by_velocities != nullptr));
  TENON_CHECK(check_finite(w, "pose_gradients", by_poses, 6 * links.count));
  TENON_CHECK(check_finite(w, "velocity_gradients", by_velocities, 6 * links.count));
  const KinematicsDerivativeMemory& d = *product.d;
  double *const of_poses = d.data.of_poses, *const of_velocities = d.data.of_velocities,
                *const g_v = d.matrix[1];
  for (double* field : {of_poses, of_velocities}) std::fill_n(field, 6 * w.model->body_count(), 0.0);
  std::fill_n(g_v, w.model->nv, 0.0);
  for (int i = 0; i < links.count; ++i)
    w.kernels->add_link_forces(place(w, links.index[i], axes), part(by_poses, i), part(by_velocities, i),
                               of_poses, of_velocities, w.w());
  w.kernels->kinematics_vjp(w.md(), product.v(), of_poses, by_velocities ? of_velocities : nullptr,
                            d.matrix[0], g_v, w.w());
  return product.give_gradients(options, by_q, by_v);
}

Status kinematics_jvp(Workspace& workspace, const DerivativeOptions& options, const ChosenLinks& links,
                      RowAxes axes, const double* dq, const double* dv, double* dposes, double* dvelocities) {
  WorkspaceImpl& w = begin(workspace);
  KinematicsProduct product{w};
  for (int i = 0; i < links.count; ++i) TENON_CHECK(check_link(w, links.index[i], dvelocities ? 1 : 0));
  TENON_CHECK(product.start(dvelocities != nullptr));
  DerivativeProducts::Change change{};
  TENON_CHECK(product.take_change(dq, dv, change));
  double *const of_poses = product.d->data.of_poses, *const of_velocities =
                                                         dvelocities ? product.d->data.of_velocities
                                                                     : nullptr;
  w.kernels->kinematics_jvp(w.md(), product.v(), change.q, change.v, of_poses, of_velocities, w.w());
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

Status centroidal_vjp(Workspace& workspace, const DerivativeOptions& options, const CentroidalParts& given,
                      const double* gradient, double* by_q, double* by_v) {
  static constexpr const char* names[] = {"center_gradients", "center_velocity_gradients",
                                          "momentum_gradients", "kinetic_gradients", "potential_gradients"};
  WorkspaceImpl& w = begin(workspace);
  KinematicsProduct product{w};
  double state[centroidal_room];
  TENON_CHECK(find_centroidal_state(w, given, state));
  TENON_CHECK(product.start(given.move()));
  for (int i = 0; i < centroidal_parts; ++i)
    TENON_CHECK(check_finite(w, names[i], gradient + centroidal_at[i], centroidal_size[i]));
  const KinematicsDerivativeMemory& d = *product.d;
  if (!given.move()) std::fill_n(d.matrix[1], w.model->nv, 0.0);
  w.kernels->centroidal_vjp(w.md(), product.v(), state, gradient, d.data.of_poses,
                            given.move() ? d.data.of_velocities : nullptr, d.matrix[0], d.matrix[1], w.w());
  return product.give_gradients(options, by_q, by_v);
}

Status centroidal_jvp(Workspace& workspace, const DerivativeOptions& options, const double* dq,
                      const double* dv, double* const (&changes)[centroidal_parts]) {
  WorkspaceImpl& w = begin(workspace);
  KinematicsProduct product{w};
  CentroidalParts wanted;
  for (int i = 0; i < centroidal_parts; ++i) wanted.part[i] = changes[i] != nullptr;
  double state[centroidal_room], x[centroidal_count];
  TENON_CHECK(find_centroidal_state(w, wanted, state));
  TENON_CHECK(product.start(wanted.move()));
  DerivativeProducts::Change change{};
  TENON_CHECK(product.take_change(dq, dv, change));
  const KinematicsDerivativeData<double>& d = product.d->data;
  w.kernels->centroidal_jvp(w.md(), product.v(), state, change.q, change.v, d.of_poses,
                            wanted.move() ? d.of_velocities : nullptr, x, w.w());
  const auto block = [&](int i, const char* name) {
    const int size = centroidal_size[i];
    return DerivativeBlock{x + centroidal_at[i], size, 1, size, name, {changes[i], size}};
  };
  return give_derivatives(w, options.accumulate, {},
                          {block(0, "dcenters"), block(1, "dcenter_velocities"), block(2, "dmomenta"),
                           block(3, "dkinetic"), block(4, "dpotential")});
}

}  // namespace tenon
