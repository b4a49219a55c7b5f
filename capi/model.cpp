// tenon_model: made from URDF, asked for what it holds.
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/arguments.hpp"
#include "support/constants.hpp"
#include "support/descriptor.hpp"
#include "support/factory.hpp"
#include "support/guard.hpp"
#include "support/log.hpp"
#include "support/object.hpp"
#include "tenon/urdf.hpp"

namespace tenon::capi {

constexpr tenon_model_options default_model_options = {sizeof(tenon_model_options),
                                                       TENON_BASE_FIXED,
                                                       nullptr,
                                                       {0, 0, -9.81},
                                                       nullptr,
                                                       nullptr,
                                                       TENON_LOG_LEVEL_WARNING,
                                                       TENON_LOOP_TREATMENT_EMBED,
                                                       0,
                                                       0,
                                                       0,
                                                       0};

tenon_model_options model_options(const tenon_model_options* options) {
  const auto checked = completed(options, default_model_options, "tenon_model_options");
  need_one_of(kinds::base, checked.base, "tenon_model_options: base");
  need_finite(checked.gravity, 3, "tenon_model_options: gravity");
  need_one_of(kinds::loop_treatment, checked.loop_treatment, "tenon_model_options: loop_treatment");
  if (checked.loop_treatment == TENON_LOOP_TREATMENT_BY_MODEL)
    throw Error(
        Status::invalid_argument,
        "tenon_model_options: loop_treatment is TENON_LOOP_TREATMENT_BY_MODEL, which is for one loop; "
        "give one of the others");
  for (const int32_t flag : {checked.ignore_loops, checked.ignore_mimic, checked.tolerant_inertias})
    if (flag != 0 && flag != 1)
      throw Error(Status::invalid_argument,
                  "tenon_model_options: ignore_loops, ignore_mimic and tolerant_inertias are 0 or 1");
  return checked;
}

static UrdfOptions urdf_options(const tenon_model_options& options) {
  return {options.ignore_loops == 1, options.ignore_mimic == 1};
}

tenon_model* make_model(const Mechanism& mechanism, const tenon_model_options& options) {
  CompileOptions compile;
  compile.floating_base = options.base == TENON_BASE_FLOATING;
  if (options.floating_joint_name != nullptr)
    compile.floating_joint_name = need_name(options.floating_joint_name, "floating_joint_name");
  compile.loops = static_cast<LoopTreatment>(options.loop_treatment);
  compile.tolerant_inertias = options.tolerant_inertias == 1;
  compile.gravity = {options.gravity[0], options.gravity[1], options.gravity[2]};

  Log log(options);
  auto model = Model::compile(mechanism, compile);
  for (const std::string& warning : model->warnings) log.warning(warning);
  log.info("model '" + model->name + "': " + std::to_string(model->links.size()) + " links, " +
           std::to_string(model->joints.size()) + " moving joints, " + std::to_string(model->nv) +
           " velocity coordinates");
  return new tenon_model{std::move(model)};
}

Mechanism read_urdf(const char* path, const tenon_model_options& options) {
  return load_urdf(need_path(path), urdf_options(options));
}

Mechanism read_urdf(const char* text, std::size_t text_size, const tenon_model_options& options) {
  need(text, "text");
  std::string_view urdf(text, text_size);
  while (!urdf.empty() && urdf.back() == '\0') urdf.remove_suffix(1);
  return parse_urdf(urdf, "text", urdf_options(options));
}

int32_t found(int index, const std::string& name, const char* what,
              const std::vector<const std::string*>& names) {
  if (index >= 0) return index;
  throw Error(Status::not_found,
              "no " + std::string(what) + " is named '" + name + "'" + did_you_mean(name, names));
}

template <class Items>
static int32_t found_in(const Items& items, int index, const std::string& name, const char* what) {
  std::vector<const std::string*> names;
  for (const auto& item : items) names.push_back(&item.name);
  return found(index, name, what, names);
}

}  // namespace tenon::capi

using namespace tenon::capi;
using tenon::Status;

tenon_status tenon_model_options_init(tenon_model_options* options, size_t size) {
  return init(options, size, default_model_options);
}

tenon_status tenon_model_load_urdf(const char* path, const tenon_model_options* options, tenon_model** model,
                                   char* message, size_t message_size) {
  if (model != nullptr) *model = nullptr;
  return guard(message, message_size, [&] {
    need(model, "model");
    const auto checked = model_options(options);
    *model = make_model(read_urdf(path, checked), checked);
  });
}

tenon_status tenon_model_parse_urdf(const char* text, size_t text_size, const tenon_model_options* options,
                                    tenon_model** model, char* message, size_t message_size) {
  if (model != nullptr) *model = nullptr;
  return guard(message, message_size, [&] {
    need(model, "model");
    const auto checked = model_options(options);
    *model = make_model(read_urdf(text, text_size, checked), checked);
  });
}

void tenon_model_destroy(tenon_model* model) {
  delete model;
}

int32_t tenon_model_nq(const tenon_model* model) {
  return model ? model->core->nq : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_nv(const tenon_model* model) {
  return model ? model->core->nv : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_link_count(const tenon_model* model) {
  return model ? static_cast<int32_t>(model->core->links.size()) : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_joint_count(const tenon_model* model) {
  return model ? static_cast<int32_t>(model->core->joints.size()) : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_body_count(const tenon_model* model) {
  return model ? model->core->body_count() : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_depth(const tenon_model* model) {
  return model ? model->core->depth : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_floating_base(const tenon_model* model) {
  return model ? static_cast<int32_t>(model->core->floating_base) : TENON_INVALID_ARGUMENT;
}
double tenon_model_total_mass(const tenon_model* model) {
  return model ? model->core->total_mass : std::numeric_limits<double>::quiet_NaN();
}

tenon_status tenon_model_gravity(const tenon_model* model, double* gravity, size_t gravity_count) {
  if (model == nullptr || gravity == nullptr) return TENON_INVALID_ARGUMENT;
  if (gravity_count != 3) return TENON_WRONG_SIZE;
  std::copy_n(model->core->data().gravity, 3, gravity);
  return TENON_OK;
}

int32_t tenon_model_root_link(const tenon_model* model) {
  return model ? model->core->root_link() : TENON_INVALID_ARGUMENT;
}

// Element number index, or null.
template <class Items>
static const typename Items::value_type* element(const Items& items, int32_t index) {
  return index >= 0 && static_cast<std::size_t>(index) < items.size()
             ? &items[static_cast<std::size_t>(index)]
             : nullptr;
}

const char* tenon_model_name(const tenon_model* model) {
  return model ? model->core->name.c_str() : nullptr;
}
const char* tenon_model_link_name(const tenon_model* model, int32_t link) {
  const auto* item = model ? element(model->core->links, link) : nullptr;
  return item ? item->name.c_str() : nullptr;
}
const char* tenon_model_joint_name(const tenon_model* model, int32_t joint) {
  const auto* item = model ? element(model->core->joints, joint) : nullptr;
  return item ? item->name.c_str() : nullptr;
}

tenon_status tenon_model_find_link(const tenon_model* model, const char* name, int32_t* index, char* message,
                                   size_t message_size) {
  return guard(message, message_size, [&] {
    need(model, "model");
    need(index, "index");
    const std::string wanted = need_name(name, "name");
    *index = found_in(model->core->links, model->core->find_link(wanted), wanted, "link");
  });
}

tenon_status tenon_model_find_joint(const tenon_model* model, const char* name, int32_t* index, char* message,
                                    size_t message_size) {
  return guard(message, message_size, [&] {
    need(model, "model");
    need(index, "index");
    const std::string wanted = need_name(name, "name");
    *index = found_in(model->core->joints, model->core->find_joint(wanted), wanted, "moving joint");
  });
}

tenon_status tenon_link_info_init(tenon_link_info* info, size_t size) {
  return init(info, size, tenon_link_info{});
}
tenon_status tenon_joint_info_init(tenon_joint_info* info, size_t size) {
  return init(info, size, tenon_joint_info{});
}

tenon_status tenon_model_link_info(const tenon_model* model, int32_t link, tenon_link_info* info) {
  if (model == nullptr) return TENON_INVALID_ARGUMENT;
  const auto* item = element(model->core->links, link);
  if (item == nullptr) return TENON_OUT_OF_RANGE;
  tenon_link_info known{};
  known.parent_link = or_world(item->parent_link);
  known.joint = item->joint;
  known.body = or_world(item->body);
  known.is_frame = item->is_frame;
  known.name = item->name.c_str();
  known.mass = item->mass;
  std::copy(item->center_of_mass.begin(), item->center_of_mass.end(), known.center_of_mass);
  std::copy(item->inertia.begin(), item->inertia.end(), known.inertia);
  return code(put(info, known));
}

tenon_status tenon_model_joint_info(const tenon_model* model, int32_t joint, tenon_joint_info* info) {
  if (model == nullptr) return TENON_INVALID_ARGUMENT;
  const auto* item = element(model->core->joints, joint);
  if (item == nullptr) return TENON_OUT_OF_RANGE;
  tenon_joint_info known{};
  known.type = static_cast<int32_t>(item->type);
  known.parent_link = or_world(item->parent_link);
  known.child_link = item->child_link;
  known.q_index = item->q_index;
  known.nq = item->nq;
  known.v_index = item->v_index;
  known.nv = item->nv;
  known.name = item->name.c_str();
  std::copy(item->axis.begin(), item->axis.end(), known.axis);
  known.lower = item->limits.lower;
  known.upper = item->limits.upper;
  known.velocity = item->limits.velocity;
  known.effort = item->limits.effort;
  known.armature = item->armature;
  known.damping = item->damping;
  known.friction = item->friction;
  const tenon::Model& core = *model->core;
  known.cluster = core.data().node_cluster[joint];
  for (int k = item->v_index; k < item->v_index + item->nv; ++k)
    known.independent += core.data().y_index[k] >= 0;
  put_pose(item->origin, known.origin);
  known.pitch = item->pitch;
  const auto* folding = core.folding.get();
  known.folded = folding && std::count(folding->rotor_node.begin(), folding->rotor_node.end(), joint) > 0;
  return code(put(info, known));
}

tenon_status tenon_model_describe(const tenon_model* model, char* text, size_t text_size, size_t* needed) {
  return guard([&] {
    need(model, "model");
    const std::string description = model->core->describe();
    if (needed != nullptr) *needed = description.size() + 1;
    write_message(text, text_size, description.c_str());
  });
}

int32_t tenon_model_warning_count(const tenon_model* model) {
  return model ? static_cast<int32_t>(model->core->warnings.size()) : TENON_INVALID_ARGUMENT;
}

const char* tenon_model_warning(const tenon_model* model, int32_t warning) {
  const auto* item = model ? element(model->core->warnings, warning) : nullptr;
  return item ? item->c_str() : nullptr;
}
