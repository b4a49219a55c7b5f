// A mechanism as described: links, joints, frames, loops. Made by the URDF reader or by calls. It may be
// wrong in any way: Model::compile (model.hpp) checks it and names the link or joint at fault.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tenon {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<double, 9>;  // row by row

inline constexpr Matrix3 identity3 = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// Pose of a child frame in a parent frame: x_parent = rotation * x_child + translation.
struct Pose {
  Matrix3 rotation = identity3;
  Vector3 translation = {0, 0, 0};
};

// R = Rz(yaw) Ry(pitch) Rx(roll), the URDF convention.
Matrix3 rotation_from_rpy(double roll, double pitch, double yaw);
// Quaternions x y z w. The rotation is divided by the squared norm, so that a quaternion rounded to unit norm
// still gives a rotation; quaternion_from_rotation gives w >= 0.
Matrix3 rotation_from_quaternion(const std::array<double, 4>& xyzw);
std::array<double, 4> quaternion_from_rotation(const Matrix3& R);
Pose operator*(const Pose& a, const Pose& b);
Pose inverse(const Pose& a);

// Positions and velocities of each: section 4 of include/tenon.h.
enum class JointType : std::int32_t {
  fixed = 0,
  revolute = 1,    // about axis
  continuous = 2,  // revolute without limits
  prismatic = 3,   // along axis
  spherical = 4,
  planar = 5,  // in the plane normal to axis
  floating = 6,
  universal = 7,  // revolute about axis, then about axis2 (given in the joint frame at q = 0): two joints,
                  // name and name + "_2"
  screw = 8,      // about axis, and along it by pitch for one radian; q = angle, v = its rate
};

bool is_known(JointType type);  // one of these constants
// Position and velocity coordinates of one joint of this type (universal: of its two joints together).
int position_count(JointType type);
int velocity_count(JointType type);
bool has_axis(JointType type);
// The rows (as in ConstraintSpec::rows) that a joint along z holds where it closes a loop; 0 where it cannot.
std::uint32_t held_rows(JointType type);
const char* type_name(JointType type);  // the name in URDF

struct MechanismLink {
  std::string name;
  double mass = 0;
  Vector3 center_of_mass = {0, 0, 0};  // in the link frame, m
  std::array<double, 6> inertia = {
      0, 0, 0, 0, 0, 0};  // ixx ixy ixz iyy iyz izz about the centre of mass, link axes, kg m^2
};

struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();
};

struct MechanismJoint {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent, child;  // link names
  Pose
      origin;  // pose of the joint frame in the parent link; the child link frame is the joint frame at q = 0
  Vector3 axis = {1, 0, 0};   // in the joint frame; any length but zero, normalised when compiled
  Vector3 axis2 = {0, 1, 0};  // universal only
  double pitch = std::numeric_limits<double>::quiet_NaN();  // screw only: m for one radian; to be given
  double armature = 0;  // rotor inertia seen at the joint, kg m^2 or kg, added to the diagonal of M
  JointLimits limits;
  double damping = 0, friction = 0;  // carried for the user; no algorithm here applies them
  // false: a loop or coupling moves this joint, and its coordinates must follow from the others.
  bool independent = true;
};

// Each of the following constrains joints of the tree by phi(q) = 0; when the mechanism is compiled, the
// joints it moves become a cluster (model.hpp).

// How the constraints of a model's loops are kept.
enum class LoopTreatment : std::int32_t {
  embed = 0,      // clusters: the joints of a loop move together, with independent and dependent coordinates
  open = 1,       // none: the spanning tree; the user may close it by constraint rows
  rows = 2,       // the loop's joints move freely; every solve has the rows that close it
  automatic = 3,  // embed or rows, whichever costs less: rows for loops through many joints
  by_model = 4,   // for one loop: as CompileOptions::loops says
};

// A joint that closes a kinematic loop: it connects two links of the tree, whose end frames move against each
// other as a joint of this type does.
struct MechanismLoop {
  std::string name;
  JointType type = JointType::revolute;     // revolute, continuous, prismatic, planar, spherical or fixed
  std::string predecessor, successor;       // link names; any two links that move against each other
  Pose predecessor_frame, successor_frame;  // the ends, each in its link's frame
  // Revolute, continuous, prismatic, planar: the joint's axis, the same in both end frames, which differ by
  // the joint's motion alone.
  Vector3 axis = {1, 0, 0};
  LoopTreatment treatment = LoopTreatment::by_model;
};

// Positions of one-dof joints that follow others (tenon_builder_add_coupling).
struct MechanismCoupling {
  std::string name;
  std::vector<std::string> dependent,
      independent;              // joint names ("name_2": second axis of a universal joint)
  std::vector<double> ratios;   // dependent x independent, row by row
  std::vector<double> offsets;  // one for each dependent joint; empty for none
};

// A gear or belt between two links, as URDF+ describes it (tenon_builder_add_gear).
struct MechanismGear {
  std::string name, predecessor, successor;
  double ratio = 1, offset = 0;
};

// Any other constraint on the positions of some joints, given by a function (tenon_builder_add_implicit).
struct MechanismImplicit {
  std::string name;
  std::vector<std::string> joints;
  int rows = 0;
  std::function<void(const double* q, const double* v, double* phi, double* K, double* Kdot_v)> evaluate;
};

// An extra named frame fixed to a link.
struct MechanismFrame {
  std::string name, link;
  Pose placement;  // in the link frame
};

struct Mechanism {
  std::string name;
  std::string source;  // where it came from, for messages: a file name, "text", "builder"
  std::vector<MechanismLink> links;
  std::vector<MechanismJoint> joints;
  std::vector<MechanismFrame> frames;
  std::vector<MechanismLoop> loops;
  std::vector<MechanismCoupling> couplings;
  std::vector<MechanismGear> gears;
  std::vector<MechanismImplicit> implicits;
  // What the reader ignored or kept with doubt, one sentence each (an unknown element, a strange value).
  std::vector<std::string> warnings;
};

}  // namespace tenon
