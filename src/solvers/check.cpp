#include "solvers/check.hpp"

#include <cmath>

namespace tenon {

Status check_finite(WorkspaceImpl& w, const char* what, const double* x, int n) {
  if (!x || all_finite(x, n)) return Status::ok;
  int i = 0;
  while (std::isfinite(x[i])) ++i;
  return w.fail(Status::not_finite, "%s[%d] is %s; every input must be finite", what, i,
                std::isnan(x[i]) ? "NaN" : "infinite");
}

Status check_configuration(WorkspaceImpl& w, const char* what, const double* q) {
  if (const Status s = check_finite(w, what, q, w.model->nq); s != Status::ok) return s;
  for (const WorkspaceImpl::Quaternion& place : w.quaternions) {
    const double* x = q + place.q_index;
    const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    if (std::abs(norm - 1) > 1e-6)
      return w.fail(
          Status::not_normalized,
          "%s[%d..%d], the quaternion of joint '%s', has norm %.9g; give a unit quaternion (x y z w) "
          "or call normalize first",
          what, place.q_index, place.q_index + 3,
          w.model->joints[static_cast<std::size_t>(place.joint)].name.c_str(), norm);
  }
  return Status::ok;
}

Status check_no_bridges(WorkspaceImpl& w, const char* who, const char* instead) {
  if (w.rows() == 0 || w.cd()->bridge_count == 0) return Status::ok;
  return w.fail(Status::unsupported, "unsupported: %s cannot take rows between two moving links; use %s", who,
                instead);
}

}  // namespace tenon
