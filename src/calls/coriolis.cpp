// The gravity force, and the Coriolis matrix. In independent coordinates
//
//   C_y = G^T (C G + M Gdot),   so that C_y + C_y^T = d/dt (G^T M G) and C_y ydot = G^T (C v + M g).
//
// Gdot is computed column by column from g alone, which is quadratic: g(v) = Gdot(v) ydot. Two equations give
// Gdot(ydot) e_j. On the closed configurations, the vector fields of ydot and of e_j have the bracket
//
//   Gdot(ydot) e_j - Gdot(e_j) ydot = G z - v x G_j,   z the independent part of v x G_j,
//
// with x the bracket of joint velocities in child axes, zero for joints of one coordinate; and for any s
//
//   Gdot(ydot) e_j + Gdot(e_j) ydot = (g(v + s G_j) - g(v - s G_j)) / 2 s.
#include <algorithm>
#include <cmath>

#include "kernels/joint/integrate.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

const double* column_of_G(const WorkspaceImpl& w, const ClusterData& c, int y) {
  return w.arena.data.G + c.G_begin + std::ptrdiff_t{y} * c.v_count;
}

// The step s along column y of G: as fast as the cluster moves, so that no digits are lost.
double speed_along(const WorkspaceImpl& w, const ClusterData& c, int y, const double* v) {
  double speed = 0, most = 0;
  for (int k = 0; k < c.v_count; ++k) {
    speed = std::max(speed, std::abs(v[c.v_begin + k]));
    most = std::max(most, std::abs(column_of_G(w, c, y)[k]));
  }
  return speed / most;  // most >= 1: the independent coordinate itself
}

// Adds half of G z - v x G_y of cluster c to column y of the rate.
void add_half_bracket(WorkspaceImpl& w, const ClusterData& c, int y, const double* v, double* rate) {
  double* turned = w.loops.bias.data();
  const double* G_y = column_of_G(w, c, y);
  for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
    const NodeData& n = w.md().nodes[i];
    joint_bracket(n.kind, v + n.v_index, G_y + n.v_index - c.v_begin, turned + n.v_index);
  }
  for (int l = 0; l < c.y_count; ++l) {
    const double z = turned[w.md().independent[c.y_begin + l]];
    const double* G_l = column_of_G(w, c, l);
    for (int k = 0; z != 0 && k < c.v_count; ++k) rate[c.v_begin + k] += 0.5 * G_l[k] * z;
  }
  for (int k = c.v_begin; k < c.v_begin + c.v_count; ++k) rate[k] -= 0.5 * turned[k];
}

// w.coriolis->G_dot := Gdot. Clusters do not depend on each other, so that one evaluation of all finds column
// number `y` of each.
Status rate_of_map(WorkspaceImpl& w, const double* q, const double* v) {
  const ModelData& m = w.md();
  double* rate = w.coriolis->G_dot;
  std::fill_n(rate, std::ptrdiff_t{m.nv} * m.ny, 0.0);
  int most = 0;
  for (int i = 0; i < m.cluster_count; ++i)
    if (m.clusters[i].constant_G == 0) most = std::max(most, m.clusters[i].y_count);
  const auto for_clusters = [&](int y, auto&& f) {
    for (int i = 0; i < m.cluster_count; ++i) {
      const ClusterData& c = m.clusters[i];
      if (c.constant_G == 0 && y < c.y_count)
        f(c, rate + std::ptrdiff_t{c.y_begin + y} * m.nv, speed_along(w, c, y, v));
    }
  };
  for (int y = 0; y < most; ++y) {
    for (const double sign : {1.0, -1.0}) {
      double* moved = w.loops.spanning.data();
      std::copy_n(v, m.nv, moved);
      for_clusters(y, [&](const ClusterData& c, double*, double s) {
        for (int k = 0; k < c.v_count; ++k) moved[c.v_begin + k] += sign * s * column_of_G(w, c, y)[k];
      });
      TENON_CHECK(update_loops(w, q, moved));
      for_clusters(y, [&](const ClusterData& c, double* column, double s) {
        for (int k = c.v_begin; s > 0 && k < c.v_begin + c.v_count; ++k)
          column[k] += sign * w.w().g[k] / (4 * s);
      });
    }
    for_clusters(y,
                 [&](const ClusterData& c, double* column, double) { add_half_bracket(w, c, y, v, column); });
  }
  return Status::ok;
}

// C_y, from C of the spanning tree.
Status map_out_coriolis(WorkspaceImpl& w, const double* q, const double* v, double* out, int ld) {
  const int nv = w.model->nv, ny = w.model->ny;
  TENON_CHECK(update_loops(w, q, v));
  TENON_CHECK(rate_of_map(w, q, v));
  const double *M = w.loops.M.data(), *rate = w.coriolis->G_dot;
  double *product = w.loops.MG.data(), *C_y = w.loops.H.data();
  times_G(w, w.w().G, w.coriolis->C, nv, nv, product, nv);
  if (w.md().varying_clusters > 0) tree_mass_matrix(w, q, w.loops.M.data(), nv);
  for (int j = 0; j < ny; ++j) {
    double* column = product + std::ptrdiff_t{j} * nv;
    for (int k = 0; k < nv; ++k) {
      const double x = rate[std::ptrdiff_t{j} * nv + k];
      for (int i = 0; x != 0 && i < nv; ++i) column[i] += M[std::ptrdiff_t{k} * nv + i] * x;
    }
    to_independent_force(w, column, C_y + std::ptrdiff_t{j} * ny);
  }
  return give_matrix(w, C_y, ny, ny, ny, out, ld);
}

}  // namespace

Status gravity_force(Workspace& workspace, const double* q, double* g) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  if (w.coordinates.independent_v) TENON_CHECK(update_loops(w, q, nullptr));
  double* force = result_room(w);
  tree_inverse_dynamics(w, w.at_rest(q), force);
  return map_out_forces(w, force, g);
}

Status coriolis_matrix(Workspace& workspace, const double* q, const double* v, double* C, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_state(w, q, v));
  const int nv = w.model->nv;
  CoriolisMemory& memory = *w.coriolis;
  w.kernels->coriolis(w.md(), q, v, memory.C, nv, memory.data, w.w());
  if (w.coordinates.independent_v) return map_out_coriolis(w, q, v, C, ld);
  return give_matrix(w, memory.C, nv, nv, nv, C, ld);
}

}  // namespace tenon
