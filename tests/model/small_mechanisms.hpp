// Small mechanisms written by hand, for tests that change one thing in them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tenon/model.hpp"

namespace tenon::testing {

inline MechanismLink solid_link(const std::string& name, double mass = 1) {
  MechanismLink link;
  link.name = name;
  link.mass = mass;
  link.center_of_mass = {0.02, -0.03, 0.1};
  link.inertia = {0.02, 0.001, -0.002, 0.03, 0.0015, 0.025};
  return link;
}

inline MechanismJoint joint_between(const std::string& name, JointType type, const std::string& parent,
                                    const std::string& child, const Vector3& axis = {0, 0, 1}) {
  MechanismJoint joint;
  joint.name = name;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.axis = axis;
  joint.origin.translation = {0.1, 0.2, 0.3};
  return joint;
}

// base - shoulder - upper - elbow - lower.
inline Mechanism two_link_arm() {
  Mechanism mechanism;
  mechanism.name = "arm";
  mechanism.source = "arm.urdf";
  mechanism.links = {solid_link("base"), solid_link("upper"), solid_link("lower")};
  mechanism.joints = {joint_between("shoulder", JointType::revolute, "base", "upper"),
                      joint_between("elbow", JointType::revolute, "upper", "lower", {0, 1, 0})};
  return mechanism;
}

// The call fails with this status, and the message has all of these words in it.
template <class Call>
void expect_error(Status status, const std::vector<std::string>& words, Call&& call) {
  try {
    std::forward<Call>(call)();
    ADD_FAILURE() << "no error, expected " << status_name(status);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << status_name(error.status()) << ": " << error.what();
    for (const std::string& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << " in: " << error.what();
    }
  }
}

inline void expect_rejected(const Mechanism& mechanism, Status status, const std::vector<std::string>& words,
                            const CompileOptions& options = {}) {
  expect_error(status, words, [&] { Model::compile(mechanism, options); });
}

}  // namespace tenon::testing
