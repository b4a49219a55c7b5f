#include "state/link_frames.hpp"

#include <algorithm>
#include <cmath>

#include "state/check.hpp"

namespace tenon {

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
  if (const Status s = check_finite(w, "wrenches", wrenches, 6 * links); s != Status::ok) return s;
  std::fill_n(w.w().wrench, 6 * w.model->body_count(), 0.0);
  for (int link = 0; link < links; ++link) {
    const double* x = wrenches + 6 * link;
    const Model::Link& l = w.model->links[index(link)];
    if (l.body < 0 || std::all_of(x, x + 6, [](double e) { return e == 0; })) continue;
    const Transform<Rot3<double>, double> X = {{load_mat3<double>(l.in_body.rotation.data())},
                                               load_vec3<double>(l.in_body.translation.data())};
    double* sum = w.w().wrench + 6 * l.body;
    store(sum, load_force<double>(sum) + force_to_parent(X, load_force<double>(x)));
  }
  return Status::ok;
}

}  // namespace tenon
