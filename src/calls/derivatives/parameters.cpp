// Derivatives by inertial parameters: ten numbers pi of a link, its mass m, first moment h = m c and rotational inertia I about
// the origin of its frame, in link axes. Dynamics is linear in them (kernels/derivatives/regressor.hpp), energy too:
//
//   kinetic = m v.v / 2 + h . (v x w) + w . I w / 2,   potential = - g . (m p + R h)
//
// with the pose (R, p) of the link and its motion [w; v] in its own axes. And by what acts on links: wrenches and gravity.
#include <algorithm>
#include <cmath>
#include <limits>

#include "calls/derivatives/outputs.hpp"
#include "calls/kinematics.hpp"
#include "kernels/cluster/explicit_form.hpp"
#include "kernels/tree/joint_space.hpp"
#include "model/body_poses.hpp"
#include "spatial/spatial.hpp"
#include "state/check.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"

namespace tenon {

namespace {

double largest_of(const double* x, std::ptrdiff_t n) {
  double largest = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    if (!(std::abs(x[i]) <= largest)) largest = std::isnan(x[i]) ? HUGE_VAL : std::abs(x[i]);
  return largest;
}

// The root of the tree of body i.
int root_of(const ModelData& m, int i) {
  while (m.nodes[i].parent >= 0) i = m.nodes[i].parent;
  return i;
}
// A force along the axes of the root frame of the tree with this root, along those of the world.
Vec3<double> to_world(WorkspaceImpl& w, int root, const Vec3<double>& f) {
  const NodeData& n = w.md().nodes[root];
  return n.kind == joint_floating ? rotate(FloatingJoint::load(n, root, w.w()).R, f) : f;
}

// With the motion of bodies for joint rates y, a wrench does the work of the motion of its link, and gravity that of the
// momentum of bodies: both act against the torques of inverse dynamics. After this the motion is that for y. Adds sign times
// these.
void add_products_of_loads(WorkspaceImpl& w, const double* q, const double* y, double sign,
                           double* by_wrenches, double* by_gravity) {
  w.kernels->sweep_motion(w.md(), q, y, nullptr, w.w());
  const auto motion = [&](int body) {
    return motion_to_child(root_pose(w.w(), body), load_body_motion(w.w().vw, body));
  };
  if (by_wrenches) {
    for (const Model::Link& link : w.model->links) {
      if (link.body >= 0) {
        double own[6];
        store(own, motion_to_child(to_placement(link.in_body), motion(link.body)));
        for (int e = 0; e < 6; ++e) by_wrenches[e] += sign * own[e];
      }
      by_wrenches += 6;
    }
  }
  Vec3<double> momentum{};
  for (int i = 0, root = 0; by_gravity && i < w.md().node_count; ++i) {
    if (w.md().nodes[i].parent != i - 1) root = root_of(w.md(), i);  // limbs of several trees may alternate
    const double* inertia = w.w().body_inertia + 40 * (i / 4) + i % 4;  // of four bodies side by side: m, h
    const Motion<double> V = motion(i);
    const Vec3<double> h = {inertia[4], inertia[8], inertia[12]};
    momentum = momentum + to_world(w, root, root_pose(w.w(), i).R.R * (inertia[0] * V.v + cross(V.w, h)));
  }
  if (by_gravity) store(by_gravity, load_vec3<double>(by_gravity) + sign * momentum);
}

}  // namespace

static std::ptrdiff_t column_count(const WorkspaceImpl& w) {
  return 10 * static_cast<std::ptrdiff_t>(w.model->links.size());
}

double* place_regressor(WorkspaceImpl& w) {
  const int ld = w.derivatives->ld;
  double* Y = w.parameter_matrices->of_qdd;
  std::fill_n(Y, ld * column_count(w), 0.0);
  w.kernels->unit_forces(w.parameters->data, w.w());
  w.kernels->torque_regressor(w.md(), w.parameters->data, false, Y, ld, w.w());
  return Y;
}

// Whether independent coordinate y moves link i of d.
static bool moves(const WorkspaceImpl& w, int y, const ParameterData<double>& d, int i) {
  bool some = false;
  for_column(w.md(), w.arena.data.G, y, [&](int k, double) {
    for (int r = d.ranges_begin[i]; r < d.ranges_begin[i + 1]; ++r)
      some = some || (k >= d.ranges[r].first && k < d.ranges[r].end);
  });
  return some;
}

// G^T Y; nothing is written unless all of it is finite. After sweep_motion, with G in the arena.
static Status independent_regressor(WorkspaceImpl& w, bool zeros, double* Y, int ld) {
  const int nv = w.model->nv, ny = w.model->ny, rows = w.derivatives->ld;
  const std::ptrdiff_t columns = column_count(w);
  double *X = place_regressor(w), *column = w.derivatives->numbers[0];
  for (std::ptrdiff_t c = 0; c < columns; ++c) {
    std::copy_n(X + c * rows, nv, column);
    to_independent_force(w, column, X + c * rows);
  }
  TENON_CHECK(check_result(w, X, columns * rows));
  if (zeros) {
    for (std::ptrdiff_t c = 0; c < columns; ++c) std::copy_n(X + c * rows, ny, Y + c * ld);
    return Status::ok;
  }
  const ParameterData<double>& d = w.parameters->data;
  for (int i = 0; i < d.count; ++i)
    for (int y = 0; y < ny; ++y) {
      if (!moves(w, y, d, i)) continue;
      const std::ptrdiff_t first = std::ptrdiff_t{10} * d.link[i];
      for (std::ptrdiff_t c = first; c < first + 10; ++c) Y[c * ld + y] = X[c * rows + y];
    }
  return Status::ok;
}

// in := user of inverse dynamics, checked. moderate: whether it is known that nothing overflows; then all is finite.
static Status map_in_for_regressor(WorkspaceImpl& w, const Inputs<double>& user, Inputs<double>& in,
                                   bool& moderate) {
  moderate = !w.coordinates.independent_q && !w.coordinates.independent_v && cannot_overflow(w, user);
  if (!moderate) {
    TENON_CHECK(map_in_inverse(w, user, in));
    moderate = cannot_overflow(w, in);
    return Status::ok;
  }
  in = user;
  for (const WorkspaceImpl::Quaternion& place : w.quaternions)
    TENON_CHECK(check_quaternion(w, "q", in.q, place.q_index, place.joint));
  return Status::ok;
}

Status joint_torque_regressor(Workspace& workspace, const Inputs<double>& user, bool zeros, double* Y,
                              int ld) {
  WorkspaceImpl& w = begin(workspace);
  const ParameterMemory& p = *w.parameters;
  Inputs<double> in;
  bool moderate = false;
  TENON_CHECK(map_in_for_regressor(w, user, in, moderate));
  w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
  if (w.coordinates.independent_v) {
    TENON_CHECK(update_loops(w, in.q, in.v));
    return independent_regressor(w, zeros, Y, ld);
  }
  w.kernels->unit_forces(p.data, w.w());
  const int nv = w.model->nv;
  if (!moderate) {
    const double force =
        largest_of(p.data.unit, std::ptrdiff_t{p.data.unit_size} * whole_packs(p.data.own_axes));
    const double shifted = 1 + 6 * largest_of(p.data.shift, std::ptrdiff_t{9} * p.data.count);
    const int root = dofs_of_floating_root(w.md());
    double motion = root > 0 ? 1 : 0;  // the identity, which is not written
    for (std::ptrdiff_t e = 0; e < 6; ++e)
      motion = std::max(motion, largest_of(w.w().S_root + e * dof_stride(w.md()) + root, nv - root));
    if (!std::isfinite(6 * motion * force * shifted * shifted)) return fail_result(w);
  }
  for (std::size_t l = 0; zeros && l < w.model->links.size(); ++l) {
    const Model::Link& link = w.model->links[l];
    for (int c = 0; (link.body < 0 || link.is_frame) && c < 10; ++c)
      std::fill_n(Y + (10 * static_cast<std::ptrdiff_t>(l) + c) * ld, nv, 0.0);
  }
  w.kernels->torque_regressor(w.md(), p.data, zeros, Y, ld, w.w());
  return Status::ok;
}

Status energy_regressors(Workspace& workspace, double* kinetic, double* potential) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, kinetic ? 1 : 0));
  const ParameterMemory& p = *w.parameters;
  const std::ptrdiff_t count = column_count(w);
  const Vec3<double> g = load_vec3<double>(w.w().gravity);
  const auto compute = [&](bool moving, double* out) {
    std::fill_n(out, count, 0.0);
    for (int i = 0; i < p.data.count; ++i) {
      const int body = p.data.body[i];
      const Model::Link& link = w.model->links[index(p.data.link[i])];
      const Mat3<double> own = load_mat3<double>(link.in_body.rotation.data());
      const Vec3<double> at = load_vec3<double>(link.in_body.translation.data());
      double* to = out + std::ptrdiff_t{10} * p.data.link[i];
      if (moving) {
        const Motion<double> v = load_motion<double>(w.w().v0 + 6 * body);
        const Vec3<double> u = transpose_times(own, v.v + cross(v.w, at)), r = transpose_times(own, v.w);
        to[0] = 0.5 * dot(u, u);
        store(to + 1, cross(u, r));
        to[4] = 0.5 * r.x * r.x, to[5] = r.x * r.y, to[6] = r.x * r.z;
        to[7] = 0.5 * r.y * r.y, to[8] = r.y * r.z, to[9] = 0.5 * r.z * r.z;
      } else {
        const Mat3<double> R = load_mat3<double>(w.w().R0 + 9 * body);
        to[0] = -dot(g, load_vec3<double>(w.w().p0 + 3 * body) + R * at);
        store(to + 1, -transpose_times(R * own, g));
      }
    }
    return check_result(w, out, count);
  };
  // Nothing is written unless all of it is finite.
  for (const bool moving : {true, false})
    if (moving ? kinetic : potential) TENON_CHECK(compute(moving, p.by_inertia));
  if (potential) std::copy_n(p.by_inertia, count, potential);
  if (kinetic) TENON_CHECK(compute(true, kinetic));
  return Status::ok;
}

void clear_parameter_sums(WorkspaceImpl& w) {
  const ParameterMemory& p = *w.parameters;
  const std::size_t links = w.model->links.size();
  std::fill_n(p.by_inertia, 10 * links, 0.0);
  std::fill_n(p.by_wrenches, 6 * links, 0.0);
  for (double* of_joints : {p.by_armature, p.by_damping, p.by_friction})
    std::fill_n(of_joints, w.model->nv, 0.0);
  std::fill_n(p.by_gravity, 3, 0.0);
}

void add_parameter_products(WorkspaceImpl& w, const Inputs<double>& in, const double* y, double sign,
                            const ParameterGradient& out) {
  const ParameterMemory& p = *w.parameters;
  const ParameterData<double>& d = p.data;
  if (out.by_inertia) {
    w.kernels->parameter_products(w.md(), y, d, w.derivatives->data, w.w());
    for (int i = 0; i < d.count; ++i)
      for (int c = 0; c < 10; ++c)
        p.by_inertia[10 * d.link[i] + c] += sign * d.product[40 * (i / 4) + 4 * c + i % 4];
  }
  for (int k = 0; k < w.model->nv; ++k) {
    p.by_armature[k] += sign * y[k] * in.qdd[k], p.by_damping[k] += sign * y[k] * in.v[k];
    p.by_friction[k] += sign * y[k] * ((in.v[k] > 0) - (in.v[k] < 0));
  }
  if (out.by_wrenches || out.by_gravity)
    add_products_of_loads(w, in.q, y, -sign, out.by_wrenches ? p.by_wrenches : nullptr,
                          out.by_gravity ? p.by_gravity : nullptr);
}

Status give_parameter_sums(WorkspaceImpl& w, bool accumulate, std::initializer_list<SolutionBlock> solution,
                           const ParameterGradient& out) {
  const ParameterMemory& p = *w.parameters;
  const int n = w.model->nv, links = static_cast<int>(w.model->links.size()),
            ratios = w.model->loops.ratio_count;
  return give_derivatives(
      w, accumulate, solution,
      {{p.by_inertia, 10 * links, 1, 10 * links, "gradient_inertia", {out.by_inertia, 0}},
       {p.by_armature, n, 1, n, "gradient_armature", {out.by_armature, 0}},
       {p.by_damping, n, 1, n, "gradient_damping", {out.by_damping, 0}},
       {p.by_friction, n, 1, n, "gradient_friction", {out.by_friction, 0}},
       {p.by_wrenches, 6 * links, 1, 6 * links, "gradient_wrenches", {out.by_wrenches, 0}},
       {p.by_gravity, 3, 1, 3, "gradient_gravity", {out.by_gravity, 0}},
       {p.by_ratios, ratios, 1, ratios, "gradient_ratios", {out.by_ratios, 0}}});
}

Status give_parameter_gradients(WorkspaceImpl& w, bool accumulate, const Inputs<double>& in, const double* y,
                                double sign, std::initializer_list<SolutionBlock> solution,
                                const ParameterGradient& out) {
  clear_parameter_sums(w);
  add_parameter_products(w, in, y, sign, out);
  return give_parameter_sums(w, accumulate, solution, out);
}

}  // namespace tenon
