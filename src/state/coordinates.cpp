#include "state/coordinates.hpp"

#include <cmath>

#include "kernels/cluster/explicit_form.hpp"
#include "scalar/nan_code.hpp"
#include "state/closing_form.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

// On the path from the guess, independent positions move at most this far at a time (m or rad), in at most
// this many steps. The steps are short so that dependent joints keep their assembly mode.
constexpr double stride = 0.3;
constexpr int most_strides = 64;

const Model::Joint& joint_of(const Model& model, int v_index) {
  return model.joints[index(model.data().v_node[v_index])];
}

int split_joint_of(const Model& model) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Model::Joint& joint = model.joints[j];
    int independent = 0;
    for (int k = joint.v_index; k < joint.v_index + joint.nv; ++k)
      independent += model.data().y_index[k] >= 0;
    if (independent > 0 && independent < joint.nv) return static_cast<int>(j);
  }
  return -1;
}

// A cluster of couplings alone: q_d = closed_d + G (q_y - closed_y), for joints of one coordinate.
void add_followers(const Model& model, const ClusterData& c, CoordinateMemory& memory) {
  const ModelData& m = model.data();
  for (int i = c.d_begin; i < c.d_begin + c.d_count; ++i) {
    const int k = m.dependent[i];
    CoordinateMemory::Follower follower{};
    follower.at = joint_of(model, k).q_index;
    follower.term_begin = static_cast<std::int32_t>(memory.terms.size());
    follower.offset = model.loops.closed[index(follower.at)];
    for (int y = 0; y < c.y_count; ++y) {
      const double ratio = m.G_initial[c.G_begin + y * c.v_count + k - c.v_begin];
      if (ratio == 0) continue;
      const int of = joint_of(model, m.independent[c.y_begin + y]).q_index;
      memory.terms.push_back({of, ratio});
      follower.offset -= ratio * model.loops.closed[index(of)];
    }
    follower.term_end = static_cast<std::int32_t>(memory.terms.size());
    memory.followers.push_back(follower);
  }
}

void place_followers(const WorkspaceImpl& w, double* q) {
  for (const CoordinateMemory::Follower& f : w.coordinates.followers) {
    q[f.at] = f.offset;
    for (std::int32_t t = f.term_begin; t < f.term_end; ++t) {
      const CoordinateMemory::Term& term = w.coordinates.terms[index(t)];
      q[f.at] += term.ratio * q[term.of];
    }
  }
}

// q holds the wanted independent positions and the guess for all others; closes its loops along a path from
// the guess.
Status follow_from_guess(WorkspaceImpl& w, double* q) {
  const CoordinateMemory& c = w.coordinates;
  place_followers(w, q);
  if (c.turned.empty()) return Status::ok;
  double way = 0;
  for (const std::int32_t k : c.turned) way = std::max(way, std::abs(q[k] - c.guess[index(k)]));
  const int strides =
      static_cast<int>(std::min<double>(most_strides, std::max(1.0, std::ceil(way / stride))));
  double* target = w.loops.target.data();
  std::copy_n(q, w.model->nq, target);
  for (int i = 1; i < strides; ++i) {
    const double share = static_cast<double>(i) / strides;
    for (const std::int32_t k : c.turned) {
      const double from = c.guess[index(k)];
      q[k] = from + share * (target[k] - from);
    }
    normalize_quaternions(w, q);
    w.loops.assembly.close(q, Assembly::Moves::dependent, w.w());
  }
  for (const std::int32_t k : c.turned) q[k] = target[k];
  return close_dependent(w, q);
}

}  // namespace

CoordinateMemory::CoordinateMemory(const Model& model, int rows) {
  const Model::Loops& loops = model.loops;
  const std::size_t nq = index(model.nq), nv = index(model.nv);
  const std::size_t ny = index(model.ny);
  result.assign(nv, 0);
  if (loops.clusters.empty()) return;
  split_joint = split_joint_of(model);
  guess = loops.closed;
  for (const ClusterData& cluster : loops.clusters)
    if (cluster.constant_G == 1)
      add_followers(model, cluster, *this);
    else
      map_changes = true;
  for (std::size_t i = 0; i < loops.independent_q.size(); ++i) {
    const std::int32_t k = loops.independent_q[i];
    for (const ClusterData& cluster : loops.clusters)
      if (cluster.constant_G == 0 && k >= cluster.q_begin && k < cluster.q_begin + cluster.q_count)
        turned.push_back(k);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const Model::Joint& joint = model.joints[j];
      if (joint.has_quaternion() && k == joint.quaternion())
        quaternions.push_back({static_cast<int>(i), static_cast<int>(j)});
    }
  }
  q.assign(nq, 0);
  v.assign(nv, 0), a = tau = g = v;
  jacobian.assign(index(std::max(rows, 6)) * nv, 0);
  G.assign(loops.G_initial.size(), 0);
  H.resize(ny * ny), H_factor.resize(ny * ny);
}

std::size_t CoordinateMemory::bytes() const {
  return bytes_of(guess, followers, terms, turned, quaternions, q, v, a, tau, result, jacobian, G, g, H,
                  H_factor);
}

LinkFrame link_frame(WorkspaceImpl& w, int link) {
  const Model::Link& l = w.model->links[index(link)];
  const Mat3<double> R0 = load_mat3<double>(w.w().R0 + 9 * l.body);
  LinkFrame f;
  f.body = l.body;
  f.body_link = load_mat3<double>(l.in_body.rotation.data());
  f.in_body = load_vec3<double>(l.in_body.translation.data());
  f.R = R0 * f.body_link;
  f.p = load_vec3<double>(w.w().p0 + 3 * l.body) + R0 * f.in_body;
  return f;
}

// Divides by the largest of the four candidates, so that no digits are lost (Shepperd 1978).
void quaternion_of_rotation(const Mat3<double>& R, double* q) {
  const double t = R.xx + R.yy + R.zz;
  const double c[4] = {R.xx - R.yy - R.zz, R.yy - R.xx - R.zz, R.zz - R.xx - R.yy, t};
  const int k = static_cast<int>(std::max_element(c, c + 4) - c);
  const double s = 0.5 / std::sqrt(1 + c[k]), d = 0.5 * std::sqrt(1 + c[k]);
  const double wx = R.zy - R.yz, wy = R.xz - R.zx, wz = R.yx - R.xy;
  const double xy = R.xy + R.yx, xz = R.xz + R.zx, yz = R.yz + R.zy;
  const double candidates[4][4] = {{d, s * xy, s * xz, s * wx},
                                   {s * xy, d, s * yz, s * wy},
                                   {s * xz, s * yz, d, s * wz},
                                   {s * wx, s * wy, s * wz, d}};
  const double sign = candidates[k][3] < 0 ? -1 : 1;
  for (int e = 0; e < 4; ++e) q[e] = sign * candidates[k][e];
}

Status load_wrenches(WorkspaceImpl& w, const double* wrenches) {
  if (!wrenches) return Status::ok;
  const int links = static_cast<int>(w.model->links.size());
  TENON_CHECK(check_finite(w, "wrenches", wrenches, 6 * links));
  std::fill_n(w.w().wrench, 6 * w.model->body_count(), 0.0);
  for (int link = 0; link < links; ++link) {
    const double* x = wrenches + 6 * link;
    const Model::Link& l = w.model->links[index(link)];
    if (l.body < 0 || std::all_of(x, x + 6, [](double e) { return e == 0; })) continue;
    const Placement X = to_placement(l.in_body);
    double* sum = w.w().wrench + 6 * l.body;
    store(sum, load_force<double>(sum) + force_to_parent(X, load_force<double>(x)));
  }
  return Status::ok;
}

Status check_independent_positions(WorkspaceImpl& w, const char* what, const double* y) {
  TENON_CHECK(check_finite(w, what, y, static_cast<int>(w.model->loops.independent_q.size())));
  for (const CoordinateMemory::Quaternion& place : w.coordinates.quaternions)
    TENON_CHECK(check_quaternion(w, what, y, place.y_index, place.joint));
  return Status::ok;
}

void scatter_positions(const WorkspaceImpl& w, const double* y, double* q) {
  std::copy_n(w.coordinates.guess.data(), w.model->nq, q);
  for (const std::int32_t k : w.model->loops.independent_q) q[k] = *y++;
}

void scatter_independent(const WorkspaceImpl& w, const double* y, double* v) {
  std::fill_n(v, w.model->nv, 0.0);
  for (int j = 0; j < w.model->ny; ++j) v[w.model->data().independent[j]] = y[j];
}

void normalize_quaternions(const WorkspaceImpl& w, double* q) {
  for (const WorkspaceImpl::Quaternion& place : w.quaternions) {
    double* x = q + place.q_index;
    const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    for (int e = 0; e < 4; ++e) x[e] /= norm;
  }
}

int worst_loop(const WorkspaceImpl& w) {
  const ModelData& m = w.md();
  int worst = 0;
  double largest = -1;
  for (int l = 0; l < m.loop_constraint_count; ++l) {
    const LoopConstraintData& loop = m.loop_constraints[l];
    for (int r = loop.row_begin; r < loop.row_begin + loop.row_count; ++r)
      if (std::abs(w.arena.data.loop_phi[r]) > largest)
        largest = std::abs(w.arena.data.loop_phi[r]), worst = l;
  }
  return worst;
}

Status fail_of_callback(WorkspaceImpl& w, int loop) {
  const char* name = w.model->loops.names[index(loop)].c_str();
  const double phi = w.arena.data.loop_phi[w.md().loop_constraints[loop].row_begin];
  const auto status = static_cast<Status>(code_of(phi, static_cast<std::int32_t>(Status::not_finite)));
  if (status != Status::not_finite)
    return w.fail(status, "the function of the constraint '%s' returned the status %s", name,
                  status_name(status));
  return w.fail(Status::not_finite,
                "the function of the constraint '%s' wrote NaN or infinity for this state; let it write "
                "finite numbers, or keep the state where it can",
                name);
}

Status fail_of_gap(WorkspaceImpl& w) {
  if (w.loops.assembly.broken() >= 0) return fail_of_callback(w, w.loops.assembly.broken());
  return w.fail(Status::not_finite,
                "the gap of the loop '%s' is not finite: the positions are too large for double precision",
                w.model->loops.names[index(worst_loop(w))].c_str());
}

Status fail_not_positive_definite(WorkspaceImpl& w) {
  const int steep = w.md().cluster_count > 0 ? steep_cluster(w) : -1;
  if (steep < 0)
    return w.fail(Status::not_positive_definite,
                  "the mass matrix is not positive definite; a moving body has no inertia along its joint");
  return w.fail(Status::singular_configuration,
                "the loop '%s' is next to a dead centre: its dependent joints move more than a thousand "
                "times as fast as the independent ones, and the mass matrix has too few digits left; move it "
                "off the dead centre or make another joint independent",
                w.model->loops.names[index(w.md().clusters[steep].constraint_begin)].c_str());
}

Status close_dependent(WorkspaceImpl& w, double* q) {
  const double gap = w.loops.assembly.close(q, Assembly::Moves::dependent, w.w());
  if (gap < loop_tolerance) return Status::ok;
  if (!(gap < INFINITY)) return fail_of_gap(w);
  return w.fail(Status::open_loop,
                "the loop '%s' stays open by %.3g m or rad: its independent positions are out of reach, or "
                "too far from where the search for the dependent ones starts; see close_loops and set_guess",
                w.model->loops.names[index(worst_loop(w))].c_str(), gap);
}

Status map_independent_positions(WorkspaceImpl& w, const char* what, const double* y, double* q) {
  TENON_CHECK(check_independent_positions(w, what, y));
  scatter_positions(w, y, q);
  TENON_CHECK(follow_from_guess(w, q));
  return check_result(w, q, w.model->nq);
}

Status map_velocities(WorkspaceImpl& w, const double* q, const char* what, const double* user, double* v) {
  TENON_CHECK(check_finite(w, what, user, w.model->ny));
  if (w.coordinates.map_changes) TENON_CHECK(update_loops(w, q, nullptr));
  from_independent(w, user, nullptr, v);
  return check_result(w, v, w.model->nv);
}

Status map_accelerations(WorkspaceImpl& w, const double* q, const double* v, const char* what,
                         const double* user, double* a) {
  TENON_CHECK(check_finite(w, what, user, w.model->ny));
  TENON_CHECK(update_loops(w, q, v));
  if (user)
    from_independent(w, user, map_bias(w), a);
  else
    std::copy_n(w.w().g, w.model->nv, a);
  return check_result(w, a, w.model->nv);
}

Status map_forces(WorkspaceImpl& w, const char* what, const double* user, double* tau) {
  TENON_CHECK(check_finite(w, what, user, w.model->ny));
  scatter_independent(w, user, tau);
  return Status::ok;
}

void copy_motion(const WorkspaceImpl& w, const double* x, double* user) {
  if (user == x) return;
  if (!w.coordinates.independent_v) {
    std::copy_n(x, w.model->nv, user);
    return;
  }
  for (int j = 0; j < w.model->ny; ++j) user[j] = x[w.model->data().independent[j]];
}

void copy_positions(const WorkspaceImpl& w, const double* q, double* user) {
  if (user == q) return;
  if (!w.coordinates.independent_q) {
    std::copy_n(q, w.model->nq, user);
    return;
  }
  for (const std::int32_t k : w.model->loops.independent_q) *user++ = q[k];
}

Status map_out_motion(WorkspaceImpl& w, const double* x, double* user) {
  if (!user) return Status::ok;
  TENON_CHECK(check_result(w, x, w.model->nv));
  copy_motion(w, x, user);
  return Status::ok;
}

Status map_out_forces(WorkspaceImpl& w, const double* tau, double* user) {
  if (!w.coordinates.independent_v) return give_numbers(w, tau, w.model->nv, user);
  to_independent_force(w, tau, w.stage.data());
  return give_numbers(w, w.stage.data(), w.model->ny, user);
}

Status map_out_positions(WorkspaceImpl& w, const double* q, double* user) {
  TENON_CHECK(check_result(w, q, w.model->nq));
  copy_positions(w, q, user);
  return Status::ok;
}

void times_G(const WorkspaceImpl& w, const double* G, const double* J, int ldJ, int rows, double* out,
             int ld) {
  for (int j = 0; j < w.model->ny; ++j) {
    double* column = out + std::ptrdiff_t{j} * ld;
    std::fill_n(column, rows, 0.0);
    for_column(w.md(), G, j, [&](int k, double entry) {
      const double* from = J + std::ptrdiff_t{k} * ldJ;
      for (int r = 0; r < rows; ++r) column[r] += from[r] * entry;
    });
  }
}

Status set_coordinates(Workspace& workspace, Coordinates positions, Coordinates velocities) {
  WorkspaceImpl& w = begin(workspace);
  CoordinateMemory& c = w.coordinates;
  const bool independent_q = positions == Coordinates::independent;
  if (independent_q && c.split_joint >= 0)
    return w.fail(Status::unsupported,
                  "there are no independent positions of this model, whose joint '%s' has independent and "
                  "dependent coordinates; set spanning positions with independent velocities",
                  w.model->joints[index(c.split_joint)].name.c_str());
  const bool loops = w.md().cluster_count > 0;
  c.positions = positions, c.velocities = velocities;
  c.independent_q = loops && independent_q;
  c.independent_v = loops && velocities == Coordinates::independent;
  w.kinematics_order = -1;
  w.factored = false;
  return Status::ok;
}

Coordinates position_coordinates(Workspace& workspace) {
  return workspace.impl().coordinates.positions;
}
Coordinates velocity_coordinates(Workspace& workspace) {
  return workspace.impl().coordinates.velocities;
}

int position_count(const Workspace& workspace) {
  const WorkspaceImpl& w = workspace.impl();
  return w.coordinates.independent_q ? static_cast<int>(w.model->loops.independent_q.size()) : w.model->nq;
}
int velocity_count(const Workspace& workspace) {
  const WorkspaceImpl& w = workspace.impl();
  return w.coordinates.independent_v ? w.model->ny : w.model->nv;
}

// Where loops are closed by rows, the closing form keeps the guess. Where this model embeds loops too, its
// own guess is set to the same configuration.
static Status set_guess_of_all(WorkspaceImpl& w, const double* q) {
  RowLoops& loops = *w.row_loops;
  loops.map_in(q, nullptr);
  const Status status = set_guess(loops.closing, loops.q.data());
  if (status != Status::ok) return w.fail(status, "%s", loops.closing.message());
  if (w.md().cluster_count > 0) loops.map_out_guess(w.coordinates.guess.data());
  return Status::ok;
}

Status set_guess(Workspace& workspace, const double* q) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_configuration(w, "q", q));
  if (w.row_loops) return set_guess_of_all(w, q);
  if (w.md().cluster_count == 0) return Status::ok;
  double* closed = w.coordinates.q.data();
  std::copy_n(q, w.model->nq, closed);
  TENON_CHECK(close_dependent(w, closed));
  std::copy_n(closed, w.model->nq, w.coordinates.guess.data());
  return Status::ok;
}

Status guess(Workspace& workspace, double* q) {
  WorkspaceImpl& w = begin(workspace);
  if (w.row_loops)
    w.row_loops->map_out_guess(q);
  else if (w.md().cluster_count == 0)
    neutral(*w.model, q);
  else
    std::copy_n(w.coordinates.guess.data(), w.model->nq, q);
  return Status::ok;
}

void copy_guess(const WorkspaceImpl& from, WorkspaceImpl& to) {
  std::copy(from.coordinates.guess.begin(), from.coordinates.guess.end(), to.coordinates.guess.begin());
  if (from.row_loops) copy_guess(from.row_loops->closing.impl(), to.row_loops->closing.impl());
}

void neutral(Workspace& workspace, double* q) {
  WorkspaceImpl& w = workspace.impl();
  double* spanning = w.coordinates.independent_q ? w.coordinates.q.data() : q;
  neutral(*w.model, spanning);
  copy_positions(w, spanning, q);
}

void random_configuration(Workspace& workspace, std::uint64_t seed, double* q) {
  WorkspaceImpl& w = workspace.impl();
  CoordinateMemory& c = w.coordinates;
  if (!c.independent_q) {
    random_configuration(*w.model, seed, q);
    return;
  }
  double *drawn = w.loops.best.data(), *y = c.q.data();
  random_configuration(*w.model, seed, drawn);
  // Where the loops cannot be closed, try again half as far from the guess, where they can be.
  for (int halvings = 0; halvings < 30; ++halvings) {
    copy_positions(w, drawn, q);
    scatter_positions(w, q, y);
    if (follow_from_guess(w, y) == Status::ok) break;
    for (const std::int32_t k : c.turned) drawn[k] = 0.5 * (drawn[k] + c.guess[index(k)]);
    normalize_quaternions(w, drawn);
  }
  w.message[0] = '\0';
}

}  // namespace tenon
