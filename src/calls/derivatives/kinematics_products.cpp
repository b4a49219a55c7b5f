// Products with the derivatives of poses, velocities and accelerations of links, and of numbers of the whole robot
// (kernels/derivatives/kinematics_derivatives.hpp). In independent coordinates q moves by G dy, v by G dydot and by what
// positions change of G, accelerations by G dyddot and by what positions and velocities change of G and g; transposed,
// gradients by those of the tree become those by y, ydot and yddot (embedded_loops.hpp).
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
  int order = 0;       // 1: velocities have part, 2: accelerations too
  bool turns = false;  // with them the map of loops, which changes with positions
  const KinematicsDerivativeMemory* d = nullptr;

  Status start(int of_order) {
    order = of_order;
    turns = order > 0 && map_varies(w);
    if (turns) TENON_CHECK(place_state(w, loops, order > 1 ? w.kinematics_a.data() : nullptr));
    d = &*w.kinematics_derivatives;
    return Status::ok;
  }
  const double* v() const { return w.kinematics_v.data(); }
  const double* a() const { return w.kinematics_a.data(); }
  BodyMotions<double> bodies() const {
    const BodyMotions<double>& all = d->data.products;
    return {all.poses, order > 0 ? all.velocities : nullptr, order > 1 ? all.accelerations : nullptr};
  }
  int coordinates() const { return w.coordinates.independent_v ? w.model->ny : w.model->nv; }
  DerivativeProducts products() const { return {w, loops, true, nullptr, nullptr}; }

  // Where kernels write gradients by coordinates of the tree.
  JointMotions<double> gradients() const {
    double* const(&g)[4] = d->matrix;
    for (double* x : {g[1], g[2]}) std::fill_n(x, w.model->nv, 0.0);  // of what has no part
    return {g[0], g[1], g[2]};
  }
  Status give_gradients(const DerivativeOptions& options, const JointMotions<double>& to) const {
    double *const g_q = d->matrix[0], *const g_v = d->matrix[1], *const g_a = d->matrix[2];
    if (turns && order > 1) add_held_accelerations(g_a, g_v, g_q);
    if (turns) w.kernels->hold_velocities(w.md(), loops.which(), g_v, g_q, loops.memory(), w.w());
    const int n = coordinates();
    for (double* g : {g_q, g_v, g_a}) {
      if (!w.coordinates.independent_v) break;
      to_independent_force(w, g, result_room(w), w.coordinates.G.data());
      std::copy_n(result_room(w), n, g);
    }
    return give_derivatives(w, options.accumulate, {},
                            {{g_q, n, 1, n, "gradient_q", {to.q, n}},
                             {g_v, n, 1, n, "gradient_v", {to.v, n}},
                             {g_a, n, 1, n, "gradient_a", {to.a, n}}});
  }
  // Adds to g_q and g_v what dependent accelerations, which loops make follow the state, give for a gradient g_a by them.
  void add_held_accelerations(const double* g_a, double* g_v, double* g_q) const {
    double* const(&room)[4] = loops.memory().numbers;
    std::fill_n(room[0], w.model->nv, 0.0);
    products().vjp(room[0], nullptr, g_a, room[1], room[2], nullptr);  // - b^T ds, where g_a^T h = b^T ds
    for (int k = 0; k < w.model->nv; ++k) g_q[k] -= room[1][k], g_v[k] -= room[2][k];
  }

  // A change of the user in coordinates of the tree.
  Status take_change(const JointMotions<const double>& user, JointMotions<const double>& change) const {
    TENON_CHECK(check_finite(w, "dq", user.q, coordinates()));
    TENON_CHECK(check_finite(w, "dv", user.v, coordinates()));
    TENON_CHECK(check_finite(w, "da", user.a, coordinates()));
    change = user;
    if (turns) {
      double* const(&room)[4] = loops.memory().numbers;
      const DerivativeProducts::Change x =
          products().spanning(v(), {user.q, user.v, user.a}, true, room[0], room[1], room[3]);
      change = {x.q, x.v, x.third};
      if (order < 2) return Status::ok;
      double *const dependent = loops.memory().h, *const sum = d->matrix[2];
      products().jvp(v(), or_zero(w, x.q), x.v, nullptr, w.derivatives->numbers[0], nullptr, dependent);
      for (int k = 0; k < w.model->nv; ++k) sum[k] = dependent[k] + (x.third ? x.third[k] : 0);
      change.a = sum;
    } else if (w.coordinates.independent_v) {
      const auto expand = [&](const double*& x, double* room) {
        if (x) from_independent(w, x, nullptr, room, w.coordinates.G.data()), x = room;
      };
      expand(change.q, d->matrix[0]), expand(change.v, d->matrix[1]), expand(change.a, d->matrix[2]);
    }
    return Status::ok;
  }
};

template <class T>
BodyMotions<T> of_link(const BodyMotions<T>& all, int i) {
  const auto part = [i](T* list) { return list ? list + std::ptrdiff_t{6} * i : nullptr; };
  return {part(all.poses), part(all.velocities), part(all.accelerations)};
}

Status check_links(WorkspaceImpl& w, const ChosenLinks& links, int order) {
  for (int i = 0; i < links.count; ++i) TENON_CHECK(check_link(w, links.index[i], order));
  return Status::ok;
}

}  // namespace

Status check_differentiable_kinematics(Workspace& workspace) {
  WorkspaceImpl& w = begin(workspace);
  return map_varies(w) ? EmbeddedLoops(w).check() : Status::ok;
}

Status kinematics_vjp(Workspace& workspace, const DerivativeOptions& options, const ChosenLinks& links,
                      RowAxes axes, const BodyMotions<const double>& by, const JointMotions<double>& to) {
  WorkspaceImpl& w = begin(workspace);
  KinematicsProduct product{w};
  TENON_CHECK(check_links(w, links, by.order()));
  TENON_CHECK(product.start(by.order()));
  TENON_CHECK(check_finite(w, "pose_gradients", by.poses, 6 * links.count));
  TENON_CHECK(check_finite(w, "velocity_gradients", by.velocities, 6 * links.count));
  TENON_CHECK(check_finite(w, "acceleration_gradients", by.accelerations, 6 * links.count));
  const BodyMotions<double> bodies = product.bodies();
  for (double* field : {bodies.poses, bodies.velocities, bodies.accelerations})
    if (field) std::fill_n(field, 6 * w.model->body_count(), 0.0);
  for (int i = 0; i < links.count; ++i)
    w.kernels->add_link_forces(place(w, links.index[i], axes), of_link(by, i), bodies, w.w());
  w.kernels->kinematics_vjp(w.md(), product.v(), product.a(), bodies, product.gradients(), w.w());
  return product.give_gradients(options, to);
}

Status kinematics_jvp(Workspace& workspace, const DerivativeOptions& options, const ChosenLinks& links,
                      RowAxes axes, const JointMotions<const double>& along, const BodyMotions<double>& to) {
  WorkspaceImpl& w = begin(workspace);
  KinematicsProduct product{w};
  TENON_CHECK(check_links(w, links, to.order()));
  TENON_CHECK(product.start(to.order()));
  JointMotions<const double> change{};
  TENON_CHECK(product.take_change(along, change));
  const BodyMotions<double> bodies = product.bodies();
  w.kernels->kinematics_jvp(w.md(), product.v(), product.a(), change, bodies, w.w());
  // First all is looked at, then written.
  for (const bool write : {false, true})
    for (int i = 0; i < links.count; ++i) {
      double pose[6], velocity[6], acceleration[6];
      const BodyMotions<double> out = of_link(to, i);
      w.kernels->link_changes(place(w, links.index[i], axes), bodies,
                              {out.poses ? pose : nullptr, out.velocities ? velocity : nullptr,
                               out.accelerations ? acceleration : nullptr},
                              w.w());
      const std::initializer_list<DerivativeBlock> blocks = {
          {pose, 6, 1, 6, "dposes", {out.poses, 6}},
          {velocity, 6, 1, 6, "dvelocities", {out.velocities, 6}},
          {acceleration, 6, 1, 6, "daccelerations", {out.accelerations, 6}}};
      TENON_CHECK(write ? give_derivatives(w, options.accumulate, {}, blocks)
                        : check_derivatives(w, options.accumulate, blocks));
    }
  return Status::ok;
}

static Status check_centroidal_gradient(WorkspaceImpl& w, const double* gradient) {
  static constexpr const char* names[] = {"center_gradients", "center_velocity_gradients",
                                          "momentum_gradients", "kinetic_gradients", "potential_gradients"};
  for (int i = 0; i < centroidal_parts; ++i)
    TENON_CHECK(check_finite(w, names[i], gradient + centroidal_at[i], centroidal_size[i]));
  return Status::ok;
}

Status centroidal_vjp(Workspace& workspace, const DerivativeOptions& options, const CentroidalParts& given,
                      const double* gradient, double* by_q, double* by_v) {
  WorkspaceImpl& w = begin(workspace);
  KinematicsProduct product{w};
  double state[centroidal_room];
  TENON_CHECK(find_centroidal_state(w, given, state));
  TENON_CHECK(product.start(given.move() ? 1 : 0));
  TENON_CHECK(check_centroidal_gradient(w, gradient));
  w.kernels->centroidal_vjp(w.md(), product.v(), state, gradient, product.bodies(), product.gradients(),
                            w.w());
  return product.give_gradients(options, {by_q, by_v, nullptr});
}

Status centroidal_parameter_vjp(Workspace& workspace, const DerivativeOptions& options,
                                const CentroidalParts& given, const double* gradient,
                                const ParameterGradient& out) {
  WorkspaceImpl& w = begin(workspace);
  double state[centroidal_room];
  TENON_CHECK(find_centroidal_state(w, given, state));
  TENON_CHECK(check_centroidal_gradient(w, gradient));
  const ParameterMemory& p = *w.parameters;
  clear_parameter_sums(w);
  w.kernels->centroidal_parameter_vjp(w.md(), p.data, given.move() ? w.kinematics_v.data() : nullptr, state,
                                      gradient, {p.by_inertia, p.by_armature, p.by_gravity}, w.w());
  return give_parameter_sums(w, options.accumulate, {}, out);
}

Status centroidal_jvp(Workspace& workspace, const DerivativeOptions& options, const double* dq,
                      const double* dv, double* const (&changes)[centroidal_parts]) {
  WorkspaceImpl& w = begin(workspace);
  KinematicsProduct product{w};
  CentroidalParts wanted;
  for (int i = 0; i < centroidal_parts; ++i) wanted.part[i] = changes[i] != nullptr;
  double state[centroidal_room], x[centroidal_count];
  TENON_CHECK(find_centroidal_state(w, wanted, state));
  TENON_CHECK(product.start(wanted.move() ? 1 : 0));
  JointMotions<const double> change{};
  TENON_CHECK(product.take_change({dq, dv, nullptr}, change));
  w.kernels->centroidal_jvp(w.md(), product.v(), state, change, product.bodies(), x, w.w());
  const auto block = [&](int i, const char* name) {
    const int size = centroidal_size[i];
    return DerivativeBlock{x + centroidal_at[i], size, 1, size, name, {changes[i], size}};
  };
  return give_derivatives(w, options.accumulate, {},
                          {block(0, "dcenters"), block(1, "dcenter_velocities"), block(2, "dmomenta"),
                           block(3, "dkinetic"), block(4, "dpotential")});
}

}  // namespace tenon
