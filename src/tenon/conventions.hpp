// States as other libraries write them (tenon_convert_...): include/tenon.h has the table. Sources: Pinocchio's joint
// models (RUBX ... Planar, FreeFlyer), the MuJoCo documentation of mjModel.jnt_type, Drake's classes
// QuaternionFloatingJoint, BallRpyJoint and PlanarJoint (roll, pitch, yaw about fixed axes, R = Rz Ry Rx).
#pragma once

#include <cstdint>

#include "tenon/workspace.hpp"

namespace tenon {

enum class Convention : std::int32_t { pinocchio = 0, mujoco = 1, drake = 2 };
enum class Direction : std::int32_t { from_other = 0, to_other = 1 };

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
