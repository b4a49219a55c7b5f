// Loops, couplings, gears and implicit constraints of tenon_builder.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "scalar/nan_code.hpp"
#include "support/arguments.hpp"
#include "support/constants.hpp"
#include "support/descriptor.hpp"
#include "support/guard.hpp"
#include "support/object.hpp"

using namespace tenon::capi;
using tenon::Error;
using tenon::Status;

namespace {

constexpr tenon_loop_options default_loop_options = {sizeof(tenon_loop_options),
                                                     TENON_JOINT_TYPE_REVOLUTE,
                                                     TENON_NONE,
                                                     TENON_NONE,
                                                     {0, 0, 0, 0, 0, 0, 1},
                                                     {0, 0, 0, 0, 0, 0, 1},
                                                     {1, 0, 0},
                                                     TENON_LOOP_TREATMENT_BY_MODEL,
                                                     0};

std::string link_name(const tenon_builder& builder, int32_t link, const char* argument) {
  const auto& links = builder.mechanism.links;
  need_index(link, links.size(), argument, "links");
  return links[static_cast<std::size_t>(link)].name;
}

// A negative status of tenon.h.
bool is_failure(tenon_status status) {
  for (int32_t i = 0; status < 0 && i < tenon_constant_count(TENON_CONSTANT_STATUS); ++i)
    if (tenon_status_at(i) == status) return true;
  return false;
}

std::vector<std::string> names_of(const char* const* names, size_t count, const char* argument) {
  if (count > 0) need(names, argument);
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i) list.push_back(need_name(names[i], argument));
  return list;
}

}  // namespace

tenon_status tenon_loop_options_init(tenon_loop_options* options, size_t size) {
  return init(options, size, default_loop_options);
}

tenon_status tenon_builder_add_loop(tenon_builder* builder, const char* name,
                                    const tenon_loop_options* options, char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    need(builder, "builder");
    need(options, "options");
    const tenon_loop_options checked = completed(options, default_loop_options, "tenon_loop_options");
    need_one_of(kinds::joint_type, checked.type, "tenon_loop_options: type");
    need_one_of(kinds::loop_treatment, checked.treatment, "tenon_loop_options: treatment");
    tenon::MechanismLoop loop;
    loop.treatment = static_cast<tenon::LoopTreatment>(checked.treatment);
    loop.name = need_name(name, "name");
    loop.type = static_cast<tenon::JointType>(checked.type);
    loop.predecessor = link_name(*builder, checked.link, "link");
    loop.successor = link_name(*builder, checked.second_link, "second_link");
    loop.predecessor_frame = pose(checked.pose, pose_count, "pose");
    loop.successor_frame = pose(checked.second_pose, pose_count, "second_pose");
    loop.axis = vector3(checked.axis, 3, "axis", {1, 0, 0});
    builder->mechanism.loops.push_back(std::move(loop));
  });
}

tenon_status tenon_builder_add_coupling(tenon_builder* builder, const char* name,
                                        const char* const* dependent, size_t dependent_count,
                                        const char* const* independent, size_t independent_count,
                                        const double* ratios, size_t ratios_count, int32_t ldr,
                                        const double* offsets, size_t offsets_count, char* message,
                                        size_t message_size) {
  return guard(message, message_size, [&] {
    need(builder, "builder");
    tenon::MechanismCoupling coupling;
    coupling.name = need_name(name, "name");
    coupling.dependent = names_of(dependent, dependent_count, "dependent");
    coupling.independent = names_of(independent, independent_count, "independent");
    const std::size_t ld =
        need_matrix(ratios, ratios_count, dependent_count, independent_count, ldr, "ratios", "ldr");
    for (std::size_t row = 0; row < dependent_count; ++row) {
      for (std::size_t column = 0; column < independent_count; ++column)
        coupling.ratios.push_back(ratios[row + column * ld]);
    }
    need_finite(coupling.ratios.data(), coupling.ratios.size(), "ratios, row by row,");
    if (offsets != nullptr) {
      need_count(offsets_count, dependent_count, "offsets");
      need_finite(offsets, offsets_count, "offsets");
      coupling.offsets.assign(offsets, offsets + offsets_count);
    }
    builder->mechanism.couplings.push_back(std::move(coupling));
  });
}

tenon_status tenon_builder_add_gear(tenon_builder* builder, const char* name, int32_t link,
                                    int32_t second_link, double ratio, double offset, char* message,
                                    size_t message_size) {
  return guard(message, message_size, [&] {
    need(builder, "builder");
    need_finite(&ratio, 1, "ratio");
    need_finite(&offset, 1, "offset");
    builder->mechanism.gears.push_back({need_name(name, "name"), link_name(*builder, link, "link"),
                                        link_name(*builder, second_link, "second_link"), ratio, offset});
  });
}

tenon_status tenon_builder_add_implicit(tenon_builder* builder, const char* name, const char* const* joints,
                                        size_t joint_count, int32_t rows, tenon_implicit_callback callback,
                                        void* user, tenon_release_callback release, char* message,
                                        size_t message_size) {
  return guard(message, message_size, [&] {
    need(builder, "builder");
    if (callback == nullptr) throw Error(Status::invalid_argument, "callback is NULL; give the function");
    if (rows < 1) throw Error(Status::wrong_size, "rows is " + std::to_string(rows) + "; give 1 or more");
    tenon::MechanismImplicit implicit;
    implicit.name = need_name(name, "name");
    implicit.joints = names_of(joints, joint_count, "joints");
    implicit.rows = rows;
    const auto held = std::make_shared<ImplicitUser>();
    held->user = user;
    implicit.evaluate = [callback, held, rows](const double* q, const double* v, double* phi, double* K,
                                               double* Kdot_v) {
      const tenon_status status = callback(held->user, held->nq, held->nv, rows, q, v, phi, K, Kdot_v);
      if (status != TENON_OK)
        std::fill_n(phi, rows, tenon::nan_of(is_failure(status) ? status : TENON_INVALID_ARGUMENT));
    };
    builder->users.reserve(builder->users.size() + 1);
    builder->mechanism.implicits.push_back(std::move(implicit));
    builder->users.push_back(held);
    held->release = release;  // nothing can fail any more
  });
}

// Joints are known by then.
void tell_sizes(const tenon_builder& builder) {
  const auto& joints = builder.mechanism.joints;
  for (std::size_t i = 0; i < builder.users.size(); ++i) {
    int nq = 0, nv = 0;
    for (const std::string& name : builder.mechanism.implicits[i].joints) {
      const auto of_name = [&](const tenon::MechanismJoint& joint) {
        return name == joint.name || (joint.type == tenon::JointType::universal && name == joint.name + "_2");
      };
      const auto joint = std::find_if(joints.begin(), joints.end(), of_name);
      if (joint == joints.end()) continue;  // refused soon
      switch (joint->type) {
        case tenon::JointType::spherical:
          nq += 4, nv += 3;
          break;
        case tenon::JointType::planar:
          nq += 3, nv += 3;
          break;
        case tenon::JointType::floating:
          nq += 7, nv += 6;
          break;
        default:
          ++nq, ++nv;
      }
    }
    builder.users[i]->nq = nq, builder.users[i]->nv = nv;
  }
}
