// States as other libraries write them. The values describe the same motion; what differs is the order of
// joints, the numbers of a joint in q, and the axes of its velocities. The child frame F' of a joint moves in
// the joint frame F (of a floating joint F is the parent's frame):
//
//               Tenon                 Pinocchio             MuJoCo                  Drake
//   continuous  angle                 [cos sin]             angle                   angle
//   spherical   [x y z w]             [x y z w]             [w x y z]               [roll pitch yaw]
//               angular F'            angular F'            angular F'              angular F
//   planar      [x y angle]           [x y cos sin]         [x y angle]             [x y angle]
//               [angular; linear F']  [linear F'; angular]  [linear F; angular]     [linear F; angular]
//   floating    [p; x y z w]          [p; x y z w]          [p; w x y z]            [w x y z; p]
//               [angular F';          [linear F';           [linear F; angular F']  [angular F; linear F]
//                linear F']            angular F']
//
// Revolute and prismatic joints are the same everywhere. Sources: Pinocchio's joint models (RUBX ... Planar,
// FreeFlyer), the MuJoCo documentation of mjModel.jnt_type, Drake's classes QuaternionFloatingJoint,
// BallRpyJoint and PlanarJoint (roll, pitch, yaw about fixed axes, R = Rz Ry Rx). MuJoCo has no planar joint:
// two slides and a hinge take its place. F of a planar joint has z along its axis, x and y in the plane as
// JointType::planar says. MuJoCo's URDF reader places the slides in the same way; those of Pinocchio and
// Drake use z whatever the axis is.
//
// Accelerations are time derivatives of velocities in the same coordinates, and forces have the same power:
// where v_other = A(q) v, a_other = A a + dA/dt v and tau = A^T tau_other.
#pragma once

#include <cstdint>

#include "tenon/workspace.hpp"

namespace tenon {

enum class Convention : std::int32_t { pinocchio = 0, mujoco = 1, drake = 2 };
enum class Direction : std::int32_t { from_other = 0, to_other = 1 };

// The order of joints in a state of the other library: indices of our joints; null: our order.
struct OtherState {
  Convention convention;
  const std::int32_t* joints;
};

int position_count(const Model& model, Convention convention);

// q is always ours; out must not alias in.
Status convert_configuration(Workspace& w, const OtherState& other, Direction direction, const double* in,
                             double* out);
Status convert_velocity(Workspace& w, const OtherState& other, Direction direction, const double* q,
                        const double* in, double* out);
// v: our velocities.
Status convert_acceleration(Workspace& w, const OtherState& other, Direction direction, const double* q,
                            const double* v, const double* in, double* out);
Status convert_force(Workspace& w, const OtherState& other, Direction direction, const double* q,
                     const double* in, double* out);

}  // namespace tenon
