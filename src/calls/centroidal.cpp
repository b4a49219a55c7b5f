// The centroidal momentum matrix A(q), momentum = A v, and Adot v (kernels/tree/centroidal.hpp). In
// independent coordinates: A G, and Adot v + A g.
#include "calls/kinematics.hpp"
#include "state/coordinates.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

Status centroidal_momentum_matrix(Workspace& workspace, double* A, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, 0));
  double mass, com[3];
  TENON_CHECK(find_center_of_mass(w, mass, com));
  double* columns = jacobian_room(w, A);
  if (!columns) return Status::ok;
  w.kernels->centroidal_matrix(w.md(), com, columns, 6, w.body_room.data(), w.w());
  return give_jacobian(w, columns, 6, A, ld);
}

Status centroidal_momentum_bias(Workspace& workspace, double* out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_link(w, 0, 1));
  double mass, com[3], rate[6];
  TENON_CHECK(find_center_of_mass(w, mass, com));
  w.kernels->centroidal_bias(w.md(), com, rate, w.body_room.data(), w.w());
  if (w.coordinates.independent_v) {
    double* A = w.coordinates.jacobian.data();
    w.kernels->centroidal_matrix(w.md(), com, A, 6, w.body_room.data(), w.w());
    for (int k = 0; k < w.model->nv; ++k)
      for (int e = 0; e < 6; ++e) rate[e] += A[6 * k + e] * w.coordinates.g[index(k)];
  }
  return give_numbers(w, rate, 6, out);
}

}  // namespace tenon
