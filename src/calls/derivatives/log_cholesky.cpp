// A chart of the inertial parameters that a body of positive density can have (C. Rucker, P. Wensing, Smooth parameterization of
// rigid-body inertia, RA-L 2022): the pseudo-inertia of pi = (m, h, I about the origin)
//
//   J = [ Sigma  h ]  = U U^T,   Sigma = tr(I) / 2 - I,   U = e^alpha [ e^d1  s12  s13  t1 ]
//       [ h^T    m ]                                                  [  0   e^d2  s23  t2 ]
//                                                                     [  0    0   e^d3  t3 ]
//                                                                     [  0    0    0    1  ]
//
// is positive definite for all theta = (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3), and each such J has one theta.
#include <algorithm>
#include <cmath>

#include "spatial/log_cholesky.hpp"
#include "state/check.hpp"
#include "state/coordinates.hpp"
#include "tenon/derivatives.hpp"

namespace tenon {

Status inertia_from_log_cholesky(Workspace& workspace, const double* theta, double* parameters,
                                 double* by_theta, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_finite(w, "theta", theta, 10));
  double pi[10], J[100];
  log_cholesky_inertia(theta, pi);
  TENON_CHECK(check_result(w, pi, 10));
  if (by_theta) {
    log_cholesky_jacobian(theta, J);
    TENON_CHECK(check_result(w, J, 100));
    for (int c = 0; c < 10; ++c) std::copy_n(J + 10 * c, 10, by_theta + std::ptrdiff_t{c} * ld);
  }
  if (parameters) std::copy_n(pi, 10, parameters);
  return Status::ok;
}

Status log_cholesky_from_inertia(Workspace& workspace, const double* parameters, double* theta) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_finite(w, "pi", parameters, 10));
  double result[10];
  if (!inertia_log_cholesky(parameters, result))
    return w.fail(
        Status::invalid_inertia,
        "pi: no body of positive density has mass %g with this first moment and inertia about "
        "the origin; all principal moments must be positive and each less than the sum of the others",
        parameters[0]);
  TENON_CHECK(check_result(w, result, 10));
  std::copy_n(result, 10, theta);
  return Status::ok;
}

}  // namespace tenon
