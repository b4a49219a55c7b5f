// tenon_constraints: filled with specifications, then bound to its model.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <string>
#include <vector>

#include "scalar/classic_text.hpp"
#include "support/arguments.hpp"
#include "support/constants.hpp"
#include "support/descriptor.hpp"
#include "support/guard.hpp"
#include "support/object.hpp"

using namespace tenon::capi;
using tenon::ConstraintSpec;
using tenon::Error;
using tenon::Status;

namespace {

constexpr tenon_constraint_options default_constraint_options = {sizeof(tenon_constraint_options),
                                                                 TENON_AXES_LINK,
                                                                 TENON_ROWS_ALL,
                                                                 0,
                                                                 nullptr,
                                                                 0,
                                                                 1,
                                                                 nullptr,
                                                                 0,
                                                                 nullptr,
                                                                 0};

void need_gain(double value, const char* name) {
  need_finite(&value, 1, name);
  if (value < 0)
    throw Error(Status::invalid_argument,
                std::string(name) + " is " + std::to_string(value) + "; give 0 or more");
}

std::vector<double> per_row(const double* values, std::size_t count, std::size_t rows, const char* name,
                            bool may_be_0) {
  if (values == nullptr) return {};
  need_count(count, rows, name);
  need_finite(values, count, name);
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] < 0 || (values[i] == 0 && !may_be_0)) {
      tenon::ClassicText text;
      text << name << "[" << i << "] is " << values[i] << "; give a number "
           << (may_be_0 ? "of 0 or more" : "above 0");
      throw Error(Status::invalid_argument, text.str());
    }
  }
  return {values, values + count};
}

// What the three kinds of constraint have in common. rows: how many this one has.
void apply(const tenon_constraint_options& options, std::size_t rows, ConstraintSpec& spec) {
  if (options.name != nullptr && *options.name != '\0') spec.name = need_name(options.name, "name");
  need_gain(options.frequency, "frequency");
  need_gain(options.damping_ratio, "damping_ratio");
  spec.frequency = options.frequency;
  spec.damping_ratio = options.damping_ratio;
  spec.weight = per_row(options.weights, options.weights_count, rows, "weights", false);
  spec.compliance = per_row(options.compliance, options.compliance_count, rows, "compliance", true);
}

// For a point and a weld: axes, and the rows among `possible` that are held.
void apply_rows(const tenon_constraint_options& options, std::uint32_t possible, ConstraintSpec& spec) {
  need_one_of(kinds::axes, options.axes, "axes");
  if ((options.rows & ~TENON_ROWS_ALL) != 0)
    throw Error(Status::invalid_argument,
                "rows has bits beyond TENON_ROWS_ALL; bits 0 to 5 are [angular; linear]");
  spec.axes = static_cast<tenon::RowAxes>(options.axes);
  spec.rows = options.rows & possible;
  if (spec.rows == 0)
    throw Error(Status::invalid_argument,
                "rows holds nothing; set at least one bit, of the linear ones for a point");
  apply(options, std::bitset<6>(spec.rows).count(), spec);
}

void need_open(const tenon_constraints* constraints) {
  need(constraints, "constraints");
  if (constraints->core)
    throw Error(Status::invalid_argument,
                "the constraint set is finished and no longer changes; create another one");
}

// The options, once the set may be added to and the link is there.
tenon_constraint_options open(const tenon_constraints* constraints, int32_t link,
                              const tenon_constraint_options* options) {
  need_open(constraints);
  need_index(link, constraints->model->links.size(), "link", "links");
  return completed(options, default_constraint_options, "tenon_constraint_options");
}

// What was added and, once the set is finished, the loops of the model that rows close.
const std::vector<ConstraintSpec>& specs_of(const tenon_constraints& constraints) {
  return constraints.core ? constraints.core->specs() : constraints.specs;
}

void add(tenon_constraints& constraints, ConstraintSpec spec, int32_t* index) {
  constraints.specs.push_back(std::move(spec));
  if (index != nullptr) *index = static_cast<int32_t>(constraints.specs.size() - 1);
}

}  // namespace

tenon_status tenon_constraint_options_init(tenon_constraint_options* options, size_t size) {
  return init(options, size, default_constraint_options);
}

tenon_status tenon_constraints_create(const tenon_model* model, tenon_constraints** constraints,
                                      char* message, size_t message_size) {
  if (constraints != nullptr) *constraints = nullptr;
  return guard(message, message_size, [&] {
    need(constraints, "constraints");
    need(model, "model");
    *constraints = new tenon_constraints{model->core, {}, nullptr};
  });
}

void tenon_constraints_destroy(tenon_constraints* constraints) {
  delete constraints;
}

tenon_status tenon_constraints_add_point(tenon_constraints* constraints, int32_t link, const double* point,
                                         size_t point_count, const tenon_constraint_options* options,
                                         int32_t* index, char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    const auto checked = open(constraints, link, options);
    auto spec = tenon::point_constraint(link, vector3(point, point_count, "point", {0, 0, 0}));
    apply_rows(checked, TENON_ROWS_LINEAR, spec);
    add(*constraints, std::move(spec), index);
  });
}

tenon_status tenon_constraints_add_weld(tenon_constraints* constraints, int32_t link, const double* frame,
                                        size_t frame_count, const tenon_constraint_options* options,
                                        int32_t* index, char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    const auto checked = open(constraints, link, options);
    auto spec = tenon::weld_constraint(link, pose(frame, frame_count, "pose"));
    apply_rows(checked, TENON_ROWS_ALL, spec);
    add(*constraints, std::move(spec), index);
  });
}

tenon_status tenon_constraints_add_rows(tenon_constraints* constraints, int32_t link, int32_t row_count,
                                        const double* K, size_t K_count, int32_t ldk,
                                        const tenon_constraint_options* options, int32_t* index,
                                        char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    const auto checked = open(constraints, link, options);
    need(K, "K");
    if (row_count < 1)
      throw Error(Status::wrong_size, "row_count is " + std::to_string(row_count) + "; give 1 or more");
    const auto rows = static_cast<std::size_t>(row_count);
    const std::size_t ld = need_matrix(K, K_count, rows, 6, ldk, "K", "ldk");
    ConstraintSpec spec;
    spec.link = link;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < 6; ++column) spec.custom.push_back(K[row + column * ld]);
    }
    need_finite(spec.custom.data(), spec.custom.size(), "K, row by row,");
    apply(checked, rows, spec);
    add(*constraints, std::move(spec), index);
  });
}

tenon_status tenon_constraints_add_closure(tenon_constraints* constraints, int32_t link, const double* frame,
                                           size_t frame_count, int32_t second_link,
                                           const double* second_frame, size_t second_frame_count,
                                           const tenon_constraint_options* options, int32_t* index,
                                           char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    need_open(constraints);
    const std::size_t links = constraints->model->links.size();
    const auto place = [links](int32_t given, const char* name) {
      if (given == TENON_WORLD) return core_world;
      need_index(given, links, name, "links");
      return given;
    };
    const int32_t first = place(link, "link"), second = place(second_link, "second_link");
    if (link == second_link)
      throw Error(Status::invalid_argument, "link and second_link are both " +
                                                (link == TENON_WORLD ? "TENON_WORLD" : std::to_string(link)) +
                                                "; a closure needs two links, or a link and TENON_WORLD");
    const auto checked = completed(options, default_constraint_options, "tenon_constraint_options");
    if (checked.axes == TENON_AXES_WORLD)
      throw Error(
          Status::unsupported,
          "a closure has no rows along the world's axes, but along frame 1; set axes to TENON_AXES_LINK");
    auto spec = tenon::closure_constraint(first, pose(frame, frame_count, "pose"), second,
                                          pose(second_frame, second_frame_count, "second_pose"));
    apply_rows(checked, TENON_ROWS_ALL, spec);
    add(*constraints, std::move(spec), index);
  });
}

tenon_status tenon_constraints_finish(tenon_constraints* constraints, char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    need(constraints, "constraints");
    if (constraints->core) throw Error(Status::invalid_argument, "the constraint set is finished already");
    constraints->core = tenon::ConstraintSet::bind(constraints->model, constraints->specs);
  });
}

int32_t tenon_constraints_constraint_count(const tenon_constraints* constraints) {
  return constraints ? static_cast<int32_t>(specs_of(*constraints).size()) : TENON_INVALID_ARGUMENT;
}

int32_t tenon_constraints_row_count(const tenon_constraints* constraints) {
  return constraints && constraints->core ? constraints->core->row_count() : TENON_INVALID_ARGUMENT;
}

tenon_status tenon_constraints_find_constraint(const tenon_constraints* constraints, const char* name,
                                               int32_t* index, char* message, size_t message_size) {
  return guard(message, message_size, [&] {
    need(constraints, "constraints");
    need(index, "index");
    const std::string wanted = need_name(name, "name");
    std::vector<const std::string*> names;
    for (const ConstraintSpec& spec : specs_of(*constraints)) {
      if (spec.name == wanted) {
        *index = static_cast<int32_t>(names.size());
        return;
      }
      names.push_back(&spec.name);
    }
    throw Error(Status::not_found, "no constraint is named '" + wanted + "'" + did_you_mean(wanted, names));
  });
}

tenon_status tenon_constraint_info_init(tenon_constraint_info* info, size_t size) {
  return init(info, size, tenon_constraint_info{});
}

tenon_status tenon_constraints_constraint_info(const tenon_constraints* constraints, int32_t constraint,
                                               tenon_constraint_info* info) {
  if (constraints == nullptr || !constraints->core) return TENON_INVALID_ARGUMENT;
  const auto& set = *constraints->core;
  if (constraint < 0 || constraint >= set.constraint_count()) return TENON_OUT_OF_RANGE;
  const ConstraintSpec& spec = set.specs()[static_cast<std::size_t>(constraint)];
  tenon_constraint_info known{};
  known.link = or_world(spec.link);
  known.first_row = set.first_row(constraint);
  known.row_count = set.row_count(constraint);
  known.rows = spec.custom.empty() ? spec.rows : 0;
  known.axes = static_cast<int32_t>(spec.axes);
  known.name = spec.name.c_str();
  known.frequency = spec.frequency;
  known.damping_ratio = spec.damping_ratio;
  known.closes_loop = spec.closure ? 1 : 0;
  known.second_link = spec.closure ? or_world(spec.second_link) : TENON_NONE;
  return code(put(info, known));
}
