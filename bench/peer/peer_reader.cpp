// Reads a URDF file with Pinocchio's own reader and prints the tree as plain numbers:
//
//   peer_reader FILE (fixed|floating)
//
// A program of its own because the reader comes compiled: its shared libraries are built for other alignment
// rules than -march=native gives Eigen, and they carry a second TinyXML-2. The timed code shares no process
// with them.
#include <boost/variant.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <pinocchio/multibody.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <sstream>

namespace {

struct AxisOf : boost::static_visitor<Eigen::Vector3d> {
  template <typename Joint>
  auto axis(const Joint& joint, int) const -> decltype(Eigen::Vector3d(joint.axis)) {
    return joint.axis;
  }
  template <typename Joint>
  Eigen::Vector3d axis(const Joint&, long) const {
    return Eigen::Vector3d::Zero();
  }
  template <typename Joint>
  Eigen::Vector3d operator()(const Joint& joint) const {
    return axis(joint, 0);
  }
};

void print_pose(const pinocchio::SE3& pose) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) std::printf(" %.17g", pose.rotation()(i, j));
  }
  for (int i = 0; i < 3; ++i) std::printf(" %.17g", pose.translation()[i]);
}

// joint PARENT KIND axis(3) R(9) p(3) mass com(3) ixx ixy iyy ixz iyz izz NAME
// frame JOINT R(9) p(3) NAME
void print(const pinocchio::Model& model) {
  for (int i = 1; i < model.njoints; ++i) {
    const auto index = static_cast<pinocchio::JointIndex>(i);
    const auto& joint = model.joints[index];
    const Eigen::Vector3d axis = boost::apply_visitor(AxisOf(), joint.toVariant());
    const pinocchio::Inertia& inertia = model.inertias[index];
    std::printf("joint %zu %s %.17g %.17g %.17g", static_cast<std::size_t>(model.parents[index]),
                joint.shortname().c_str(), axis[0], axis[1], axis[2]);
    print_pose(model.jointPlacements[index]);
    std::printf(" %.17g", inertia.mass());
    for (int k = 0; k < 3; ++k) std::printf(" %.17g", inertia.lever()[k]);
    for (int k = 0; k < 6; ++k) std::printf(" %.17g", inertia.inertia().data()[k]);
    std::printf(" %s\n", model.names[index].c_str());
  }
  for (const auto& frame : model.frames) {
    if (frame.type != pinocchio::BODY) continue;
    std::printf("frame %zu", static_cast<std::size_t>(frame.parentJoint));
    print_pose(frame.placement);
    std::printf(" %s\n", frame.name.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: peer_reader FILE (fixed|floating)\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  pinocchio::Model model;
  if (std::strcmp(argv[2], "floating") == 0) {
    pinocchio::urdf::buildModelFromXML(text.str(), pinocchio::JointModelFreeFlyer(), model);
  } else {
    pinocchio::urdf::buildModelFromXML(text.str(), model);
  }
  print(model);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "peer_reader: %s\n", error.what());
  return 1;
}
