// Converters of states; the table is in tenon/conventions.hpp. The velocity of a joint is split into its
// angular and linear parts; conventions differ in their order and in the axes of each.
#include "tenon/conventions.hpp"

#include <algorithm>
#include <cmath>

#include "spatial/spatial.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"

namespace tenon {
namespace {

using Vec = Vec3<double>;

int position_count(JointType type, Convention convention) {
  if (convention == Convention::pinocchio && type == JointType::continuous) return 2;
  if (convention == Convention::pinocchio && type == JointType::planar) return 4;
  if (convention == Convention::drake && type == JointType::spherical) return 3;
  return tenon::position_count(type);
}

// Calls body(joint, q index, v index in the other library) for each joint in the other library's order.
template <class Body>
void for_each_joint(const Model& model, const OtherState& other, Body&& body) {
  int q = 0, v = 0;
  for (int j = 0; j < model.body_count(); ++j) {
    const Model::Joint& joint = model.joints[index(other.joints ? other.joints[j] : j)];
    body(joint, q, v);
    q += position_count(joint.type, other.convention);
    v += joint.nv;
  }
}

Status check_order(WorkspaceImpl& w, const OtherState& other) {
  if (!other.joints) return Status::ok;
  const int count = w.model->body_count();
  // With count entries in range, a missing joint means that another is listed twice. The search is O(n^2),
  // but touches few cache lines and needs no memory.
  for (int i = 0; i < count; ++i) {
    if (other.joints[i] < 0 || other.joints[i] >= count)
      return w.fail(Status::out_of_range, "joints[%d] is %d; the model has joints 0 to %d", i,
                    other.joints[i], count - 1);
    if (std::find(other.joints, other.joints + i, other.joints[i]) != other.joints + i)
      return w.fail(Status::invalid_argument,
                    "joints[%d] is %d ('%s'), which stands there before; list each joint once", i,
                    other.joints[i], w.model->joints[index(other.joints[i])].name.c_str());
  }
  return Status::ok;
}

void rotate_first(const double* x, int n, double* out, int shift) {
  for (int i = 0; i < n; ++i) out[(i + shift) % n] = x[i];
}
void xyzw_to_wxyz(const double* x, double* out) {
  rotate_first(x, 4, out, 1);
}
void wxyz_to_xyzw(const double* x, double* out) {
  rotate_first(x, 4, out, 3);
}

void rpy_to_quaternion(const double* rpy, double* q) {
  const double cr = std::cos(rpy[0] / 2), sr = std::sin(rpy[0] / 2), cp = std::cos(rpy[1] / 2),
               sp = std::sin(rpy[1] / 2), cy = std::cos(rpy[2] / 2), sy = std::sin(rpy[2] / 2);
  q[0] = sr * cp * cy - cr * sp * sy;
  q[1] = cr * sp * cy + sr * cp * sy;
  q[2] = cr * cp * sy - sr * sp * cy;
  q[3] = cr * cp * cy + sr * sp * sy;
}
// At pitch +-pi/2 roll and yaw turn about the same axis; yaw gets the whole angle.
void quaternion_to_rpy(const double* q, double* rpy) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double sp = 2 * (w * y - z * x);
  if (std::abs(sp) > 1 - 1e-14) {
    rpy[0] = 0, rpy[1] = std::copysign(1.5707963267948966, sp), rpy[2] = 2 * std::atan2(z, w);
    return;
  }
  rpy[0] = std::atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  rpy[1] = std::asin(sp);
  rpy[2] = std::atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

void joint_configuration(const Model::Joint& joint, Convention convention, Direction direction,
                         const double* in, double* out) {
  const bool to = direction == Direction::to_other;
  const int same = std::min(joint.nq, position_count(joint.type, convention));
  if (convention == Convention::pinocchio) {
    if (joint.type != JointType::continuous && joint.type != JointType::planar) {
      std::copy_n(in, same, out);
      return;
    }
    const int angle = joint.type == JointType::planar ? 2 : 0;
    std::copy_n(in, angle, out);
    if (to)
      out[angle] = std::cos(in[angle]), out[angle + 1] = std::sin(in[angle]);
    else
      out[angle] = std::atan2(in[angle + 1], in[angle]);
    return;
  }
  const auto turn = to ? xyzw_to_wxyz : wxyz_to_xyzw;
  if (joint.type == JointType::spherical) {
    if (convention == Convention::mujoco)
      turn(in, out);
    else
      (to ? quaternion_to_rpy : rpy_to_quaternion)(in, out);
  } else if (joint.type == JointType::floating) {
    const int other_p = convention == Convention::drake ? 4 : 0,
              other_turn = convention == Convention::drake ? 0 : 3;
    std::copy_n(in + (to ? 0 : other_p), 3, out + (to ? other_p : 0));
    turn(in + (to ? 3 : other_turn), out + (to ? other_turn : 3));
  } else {
    std::copy_n(in, same, out);
  }
}

// Indices of the parts of a joint's velocity in the other library, and whether each part is in the axes of F.
struct Layout {
  int angular, linear;
  bool angular_in_parent, linear_in_parent;
};
Layout layout(const Model::Joint& joint, Convention convention) {
  const int after_linear = joint.type == JointType::planar ? 2 : 3;
  switch (convention) {
    case Convention::pinocchio:
      return {joint.type == JointType::spherical ? 0 : after_linear, 0, false, false};
    case Convention::mujoco:
      return {joint.type == JointType::spherical ? 0 : after_linear, 0, false, true};
    default:
      return joint.type == JointType::planar ? Layout{2, 0, true, true} : Layout{0, 3, true, true};
  }
}

// Rotation from F' to F.
Mat3<double> orientation(const Model::Joint& joint, const double* q) {
  if (joint.type == JointType::planar) {
    const double c = std::cos(q[2]), s = std::sin(q[2]);
    return {c, -s, 0, s, c, 0, 0, 0, 1};
  }
  const double* x = q + (joint.type == JointType::floating ? 3 : 0);
  return load_mat3<double>(rotation_from_quaternion({x[0], x[1], x[2], x[3]}).data());
}

struct JointMotion {
  Vec angular{}, linear{};
};
// Splits a joint's numbers; a planar joint has one angular and two linear numbers.
JointMotion read(const Model::Joint& joint, const double* x, int angular, int linear) {
  if (joint.type == JointType::planar) return {{0, 0, x[angular]}, {x[linear], x[linear + 1], 0}};
  JointMotion out{load_vec3<double>(x + angular), {}};
  if (joint.type == JointType::floating) out.linear = load_vec3<double>(x + linear);
  return out;
}
void write(const Model::Joint& joint, const JointMotion& motion, double* x, int angular, int linear) {
  if (joint.type == JointType::planar) {
    x[angular] = motion.angular.z;
    x[linear] = motion.linear.x, x[linear + 1] = motion.linear.y;
    return;
  }
  store(x + angular, motion.angular);
  if (joint.type == JointType::floating) store(x + linear, motion.linear);
}

// in, out: the joint's numbers. rate: our velocity when accelerations are converted, else null. Turning axes
// add a term to accelerations, d(R u)/dt = R (du/dt + w x u). Forces transform as velocities do: R^-T = R.
void joint_motion(const Model::Joint& joint, Convention convention, Direction direction, const double* q,
                  const double* rate, const double* in, double* out) {
  if (joint.nv == 1) {
    out[0] = in[0];
    return;
  }
  const int linear = joint.type == JointType::planar ? 1 : 3;
  const Layout other = layout(joint, convention);
  const Mat3<double> R = orientation(joint, q);
  JointMotion drift;  // w x v for linear velocity in turning axes; the angular part has w x w = 0
  if (rate && other.linear_in_parent) {
    const JointMotion v = read(joint, rate, 0, linear);
    drift.linear = cross(v.angular, v.linear);
  }
  if (direction == Direction::to_other) {
    JointMotion motion = read(joint, in, 0, linear);
    if (other.angular_in_parent) motion.angular = R * motion.angular;
    if (other.linear_in_parent) motion.linear = R * (motion.linear + drift.linear);
    write(joint, motion, out, other.angular, other.linear);
  } else {
    JointMotion motion = read(joint, in, other.angular, other.linear);
    if (other.angular_in_parent) motion.angular = transpose_times(R, motion.angular);
    if (other.linear_in_parent) motion.linear = transpose_times(R, motion.linear) - drift.linear;
    write(joint, motion, out, 0, linear);
  }
}

enum class Quantity { velocity, acceleration, force };

// Maps our numbers from the coordinates of the workspace to spanning ones.
Status map_in_motion(WorkspaceImpl& w, Quantity quantity, const double* q, const double* v,
                     const double*& in) {
  if (quantity == Quantity::velocity) return map_in_velocities(w, q, in, "in");
  if (quantity == Quantity::acceleration) return map_in_accelerations(w, q, v, in, "in");
  return map_in_forces(w, in, "in");
}

Status convert_motion(Workspace& workspace, const OtherState& other, Direction direction, Quantity quantity,
                      const double* q, const double* rate, const double* in, double* user) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_order(w, other));
  TENON_CHECK(map_in_state(w, q, rate));
  if (direction == Direction::to_other)
    TENON_CHECK(map_in_motion(w, quantity, q, rate, in));
  else
    TENON_CHECK(check_finite(w, "in", in, w.model->nv));
  double* out = direction == Direction::to_other ? w.stage.data() : result_room(w);
  for_each_joint(*w.model, other, [&](const Model::Joint& joint, int, int v) {
    const bool to = direction == Direction::to_other;
    joint_motion(joint, other.convention, direction, q + joint.q_index, rate ? rate + joint.v_index : nullptr,
                 in + (to ? joint.v_index : v), out + (to ? v : joint.v_index));
  });
  if (direction == Direction::to_other) return give_numbers(w, out, w.model->nv, user);
  if (quantity != Quantity::force) return map_out_motion(w, out, user);
  TENON_CHECK(update_loops(w, q, nullptr));
  return map_out_forces(w, out, user);
}

}  // namespace

int position_count(const Model& model, Convention convention) {
  int count = 0;
  for (const Model::Joint& joint : model.joints) count += position_count(joint.type, convention);
  return count;
}

Status convert_configuration(Workspace& workspace, const OtherState& other, Direction direction,
                             const double* in, double* out) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_order(w, other));
  const bool to = direction == Direction::to_other;
  const bool mapped = w.coordinates.independent_q;
  double* ours = mapped ? w.coordinates.q.data() : w.stage.data();
  if (to && mapped) {
    TENON_CHECK(map_independent_positions(w, "in", in, ours));
    in = ours;
  } else if (to) {
    TENON_CHECK(check_configuration(w, "in", in));
  } else {
    TENON_CHECK(check_finite(w, "in", in, position_count(*w.model, other.convention)));
  }
  double* written = to ? w.stage.data() : ours;
  for_each_joint(*w.model, other, [&](const Model::Joint& joint, int q, int) {
    joint_configuration(joint, other.convention, direction, in + (to ? joint.q_index : q),
                        written + (to ? q : joint.q_index));
  });
  if (to) return give_numbers(w, written, position_count(*w.model, other.convention), out);
  TENON_CHECK(check_configuration(w, "in, as Tenon writes it,", written));
  return map_out_positions(w, written, out);
}

Status convert_velocity(Workspace& workspace, const OtherState& other, Direction direction, const double* q,
                        const double* in, double* out) {
  return convert_motion(workspace, other, direction, Quantity::velocity, q, nullptr, in, out);
}
Status convert_acceleration(Workspace& workspace, const OtherState& other, Direction direction,
                            const double* q, const double* v, const double* in, double* out) {
  return convert_motion(workspace, other, direction, Quantity::acceleration, q, v, in, out);
}
Status convert_force(Workspace& workspace, const OtherState& other, Direction direction, const double* q,
                     const double* in, double* out) {
  return convert_motion(workspace, other, direction, Quantity::force, q, nullptr, in, out);
}

}  // namespace tenon
