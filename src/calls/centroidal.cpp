// The centroidal momentum matrix A(q), momentum = A v, and Adot v (kernels/tree/centroidal.hpp). In
// independent coordinates: A G, and Adot v + A g.
#include <algorithm>

#include "calls/kinematics.hpp"
#include "state/coordinates.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

// The centre of mass of the moving bodies.
Status find_center(WorkspaceImpl& w, double* com) {
  double mass = 0;
  for (const NodeData& n : w.model->nodes) mass += n.mass;
  if (!(mass > 0))
    return w.fail(Status::invalid_argument, "the moving bodies have no mass, so there is no centre of mass");
  w.kernels->center_of_mass(w.md(), com, nullptr, 3, w.w());
  return Status::ok;
}

}  // namespace

Status centroidal_momentum_matrix(Workspace& workspace, double* A, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, 0));
  double com[3];
  TENON_CHECK(find_center(w, com));
  double* columns = jacobian_room(w, A);
  if (!columns) return Status::ok;
  w.kernels->centroidal_matrix(w.md(), com, columns, 6, w.body_room.data(), w.w());
  return give_jacobian(w, columns, 6, A, ld);
}

Status centroidal_momentum_bias(Workspace& workspace, double* out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, 1));
  double com[3], rate[6];
  TENON_CHECK(find_center(w, com));
  w.kernels->centroidal_bias(w.md(), com, rate, w.body_room.data(), w.w());
  if (w.coordinates.independent_v) {
    double* A = w.coordinates.jacobian.data();
    w.kernels->centroidal_matrix(w.md(), com, A, 6, w.body_room.data(), w.w());
    for (int k = 0; k < w.model->nv; ++k)
      for (int e = 0; e < 6; ++e) rate[e] += A[6 * k + e] * w.coordinates.g[static_cast<std::size_t>(k)];
  }
  return give_numbers(w, rate, 6, out);
}

}  // namespace tenon
