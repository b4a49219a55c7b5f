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
  for (const Model::Joint& joint : w.model->joints) {
    int first = -1;
    if (joint.type == JointType::spherical) first = joint.q_index;
    if (joint.type == JointType::floating) first = joint.q_index + 3;
    if (first < 0) continue;
    const double* x = q + first;
    const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    if (std::abs(norm - 1) > 1e-6)
      return w.fail(
          Status::not_normalized,
          "%s[%d..%d], the quaternion of joint '%s', has norm %.9g; give a unit quaternion (x y z w) or call "
          "normalize first",
          what, first, first + 3, joint.name.c_str(), norm);
  }
  return Status::ok;
}

}  // namespace tenon
