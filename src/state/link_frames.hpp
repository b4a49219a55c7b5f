// Maps between link frames, which users see, and body frames, in which kernels compute.
#pragma once

#include "spatial/spatial.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

// Frame of a link from the poses of the last kinematics().
struct LinkFrame {
  int body;                // -1: the world
  Mat3<double> R;          // world <- link
  Vec3<double> p;          // world position of the link origin
  Mat3<double> body_link;  // body <- link
  Vec3<double> in_body;    // link origin, body frame
  // x from body axes to the axes of the link or of the world.
  Vec3<double> turn(RowAxes axes, const Vec3<double>& x) const {
    const Vec3<double> in_link = transpose_times(body_link, x);
    return axes == RowAxes::link ? in_link : R * in_link;
  }
};
LinkFrame link_frame(WorkspaceImpl& w, int link);

// The quaternion x y z w of a rotation, w >= 0.
void quaternion_of_rotation(const Mat3<double>& R, double* q);

// Checks that link wrenches are finite and sums them into body wrenches (WorkspaceData::wrench). Null: does
// nothing.
Status load_wrenches(WorkspaceImpl& w, const double* wrenches);

}  // namespace tenon
