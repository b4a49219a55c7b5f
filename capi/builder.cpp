// tenon_builder: a Mechanism filled by calls.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "support/arguments.hpp"
#include "support/constants.hpp"
#include "support/descriptor.hpp"
#include "support/factory.hpp"
#include "support/guard.hpp"
#include "support/object.hpp"

using namespace tenon::capi;
using tenon::Error;
using tenon::Status;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

constexpr tenon_joint_options default_joint_options = {sizeof(tenon_joint_options),
                                                       TENON_JOINT_TYPE_REVOLUTE,
                                                       TENON_NONE,
                                                       TENON_NONE,
                                                       {0, 0, 0, 0, 0, 0, 1},
                                                       {1, 0, 0},
                                                       {0, 1, 0},
                                                       0,
                                                       -unbounded,
                                                       unbounded,
                                                       unbounded,
                                                       unbounded,
                                                       0,
                                                       0,
                                                       0,
                                                       0,
                                                       std::numeric_limits<double>::quiet_NaN()};

template <class Items>
std::string unused_name(const char* name, const Items& items, const char* what) {
  std::string text = need_name(name, "name");
  if (std::any_of(items.begin(), items.end(), [&](const auto& item) { return item.name == text; }))
    throw Error(Status::invalid_argument,
                "there is a " + std::string(what) + " named '" + text + "' already; choose another name");
  return text;
}

void need_number(double value, const char* name) {
  need_finite(&value, 1, name);
}

void need_limit(double value, const char* name) {
  if (value != value)
    throw Error(Status::not_finite, std::string(name) + " is NaN; give a number, or infinity for none");
}

void check(const tenon_joint_options& options, std::size_t link_count) {
  need_one_of(kinds::joint_type, options.type, "type");
  need_index(options.parent_link, link_count, "parent_link", "links");
  need_index(options.child_link, link_count, "child_link", "links");
  need_finite(options.axis, 3, "axis");
  need_finite(options.axis2, 3, "axis2");
  if (options.type == TENON_JOINT_TYPE_SCREW) need_number(options.pitch, "pitch");
  need_number(options.armature, "armature");
  need_number(options.damping, "damping");
  need_number(options.friction, "friction");
  need_limit(options.lower, "lower");
  need_limit(options.upper, "upper");
  need_limit(options.velocity, "velocity");
  need_limit(options.effort, "effort");
  if (options.dependent != 0 && options.dependent != 1)
    throw Error(Status::invalid_argument,
                "dependent is " + std::to_string(options.dependent) + "; give 0 or 1");
}

}  // namespace

tenon_status tenon_joint_options_init(tenon_joint_options* options, size_t size) {
  return init(options, size, default_joint_options);
}

tenon_status tenon_builder_create(const char* name, tenon_builder** builder, char* message,
                                  size_t message_size) {
  if (builder != nullptr) *builder = nullptr;
  return guard(message, message_size, [&] {
    need(builder, "builder");
    tenon::Mechanism mechanism;
    mechanism.name = need_name(name, "name");
    mechanism.source = "builder";
    *builder = new tenon_builder{std::move(mechanism)};
  });
}

tenon_status tenon_builder_load_urdf(const char* path, const tenon_model_options* options,
                                     tenon_builder** builder, char* message, size_t message_size) {
  if (builder != nullptr) *builder = nullptr;
  return guard(message, message_size, [&] {
    need(builder, "builder");
    *builder = new tenon_builder{read_urdf(path, model_options(options))};
  });
}

tenon_status tenon_builder_parse_urdf(const char* text, size_t text_size, const tenon_model_options* options,
                                      tenon_builder** builder, char* message, size_t message_size) {
  if (builder != nullptr) *builder = nullptr;
  return guard(message, message_size, [&] {
    need(builder, "builder");
    *builder = new tenon_builder{read_urdf(text, text_size, model_options(options))};
  });
}

tenon_status tenon_builder_find_link(const tenon_builder* builder, const char* name, int32_t* index,
                                     char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    need(builder, "builder");
    need(index, "index");
    const std::string wanted = need_name(name, "name");
    std::vector<const std::string*> names;
    int number = -1;
    for (const auto& link : builder->mechanism.links) {
      if (link.name == wanted) number = static_cast<int>(names.size());
      names.push_back(&link.name);
    }
    *index = found(number, wanted, "link", names);
  });
}

void tenon_builder_destroy(tenon_builder* builder) {
  delete builder;
}

tenon_status tenon_builder_add_link(tenon_builder* builder, const char* name, double mass,
                                    const double* center_of_mass, size_t center_of_mass_count,
                                    const double* inertia, size_t inertia_count, int32_t* index,
                                    char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    need(builder, "builder");
    auto& links = builder->mechanism.links;
    tenon::MechanismLink link;
    link.name = unused_name(name, links, "link");
    need_number(mass, "mass");
    link.mass = mass;
    link.center_of_mass = vector3(center_of_mass, center_of_mass_count, "center_of_mass", {0, 0, 0});
    if (inertia != nullptr) {
      need_count(inertia_count, 6, "inertia");
      need_finite(inertia, 6, "inertia");
      std::copy(inertia, inertia + 6, link.inertia.begin());
    }
    links.push_back(std::move(link));
    if (index != nullptr) *index = static_cast<int32_t>(links.size() - 1);
  });
}

tenon_status tenon_builder_add_joint(tenon_builder* builder, const char* name,
                                     const tenon_joint_options* options, char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    need(builder, "builder");
    need(options, "options");
    auto& mechanism = builder->mechanism;
    tenon::MechanismJoint joint;
    joint.name = unused_name(name, mechanism.joints, "joint");
    const tenon_joint_options checked = completed(options, default_joint_options, "tenon_joint_options");
    check(checked, mechanism.links.size());
    joint.type = static_cast<tenon::JointType>(checked.type);
    joint.parent = mechanism.links[static_cast<std::size_t>(checked.parent_link)].name;
    joint.child = mechanism.links[static_cast<std::size_t>(checked.child_link)].name;
    joint.origin = pose(checked.origin, pose_count, "origin");
    joint.axis = {checked.axis[0], checked.axis[1], checked.axis[2]};
    joint.axis2 = {checked.axis2[0], checked.axis2[1], checked.axis2[2]};
    joint.pitch = checked.pitch;
    joint.armature = checked.armature;
    joint.limits = {checked.lower, checked.upper, checked.effort, checked.velocity};
    joint.damping = checked.damping;
    joint.friction = checked.friction;
    joint.independent = checked.dependent == 0;
    mechanism.joints.push_back(std::move(joint));
  });
}

tenon_status tenon_builder_add_frame(tenon_builder* builder, const char* name, int32_t link,
                                     const double* frame, size_t frame_count, char* message,
                                     size_t message_size) {
  return guard(message, message_size, [&] {
    need(builder, "builder");
    auto& mechanism = builder->mechanism;
    need_index(link, mechanism.links.size(), "link", "links");
    unused_name(name, mechanism.links, "link");
    mechanism.frames.push_back({unused_name(name, mechanism.frames, "frame"),
                                mechanism.links[static_cast<std::size_t>(link)].name,
                                pose(frame, frame_count, "pose")});
  });
}

tenon_status tenon_builder_finish(const tenon_builder* builder, const tenon_model_options* options,
                                  tenon_model** model, char* message, size_t message_size) {
  if (model != nullptr) *model = nullptr;
  return guard(message, message_size, [&] {
    need(model, "model");
    need(builder, "builder");
    tell_sizes(*builder);
    *model = make_model(builder->mechanism, model_options(options));
  });
}
