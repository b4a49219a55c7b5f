// Between link frames, which users see, and body frames, in which kernels compute.
#pragma once

#include "plan/workspace_impl.hpp"
#include "spatial/spatial.hpp"

namespace tenon {

// A link's frame from the poses of the last kinematics().
struct LinkFrame {
  int body;                // -1: the world
  Mat3<double> R;          // world <- link
  Vec3<double> p;          // world position of the link origin
  Mat3<double> body_link;  // body <- link
  Vec3<double> in_body;    // link origin, body frame
  // Body coordinates to the link's or the world's axes.
  Vec3<double> turn(RowAxes axes, const Vec3<double>& x) const {
    const Vec3<double> in_link = transpose_times(body_link, x);
    return axes == RowAxes::link ? in_link : R * in_link;
  }
};
LinkFrame link_frame(WorkspaceImpl& w, int link);

// x y z w of a rotation, w >= 0.
void quaternion_of_rotation(const Mat3<double>& R, double* q);

// Sums link wrenches into body wrenches (WorkspaceData::wrench). Checks that they are finite. Null: nothing
// to do.
Status load_wrenches(WorkspaceImpl& w, const double* wrenches);

}  // namespace tenon
