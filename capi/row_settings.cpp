// What a workspace changes of its constraints between calls.
#include <initializer_list>

#include "support/arguments.hpp"
#include "support/call.hpp"
#include "support/descriptor.hpp"
#include "tenon/dynamics.hpp"

using namespace tenon::capi;

namespace {

// Rows of a constraint; 0 where there is none, which the call has found already.
std::size_t rows_of(const Call& call, const tenon_workspace* workspace, std::int32_t constraint) {
  if (!call.good()) return 0;
  return static_cast<std::size_t>(workspace->core.constraints()->row_count(constraint));
}

}  // namespace

tenon_status tenon_constraint_settings_init(tenon_constraint_settings* settings, size_t size) {
  return init(settings, size, tenon_constraint_settings{});
}

tenon_status tenon_workspace_set_active(tenon_workspace* workspace, int32_t constraint, int32_t active) {
  Call call(workspace, __func__);
  call.index("constraint", constraint, call.constraints(), "constraints");
  if (active != 0 && active != 1)
    call.fail(tenon::Status::invalid_argument,
              "active is %d; give 1 for an active constraint, 0 for one switched off",
              static_cast<int>(active));
  return call.run([&] { return tenon::set_constraint_active(workspace->core, constraint, active == 1); });
}

tenon_status tenon_workspace_set_frame(tenon_workspace* workspace, int32_t constraint, const double* frame,
                                       size_t frame_count) {
  Call call(workspace, __func__);
  call.index("constraint", constraint, call.constraints(), "constraints");
  call.unit_pose(frame, frame_count);
  return call.run([&] {
    return tenon::set_constraint_frame(workspace->core, constraint, pose(frame, frame_count, "pose"));
  });
}

tenon_status tenon_workspace_frame(const tenon_workspace* workspace, int32_t constraint, double* frame,
                                   size_t frame_count) {
  Call call(workspace, __func__);
  call.index("constraint", constraint, call.constraints(), "constraints");
  call.needed({"pose", frame, frame_count}, pose_count);
  return call.run([&](tenon::Workspace& w) {
    tenon::Pose in_link;
    const tenon::Status status = tenon::constraint_frame(w, constraint, in_link);
    if (status == tenon::Status::ok) put_pose(in_link, frame);
    return status;
  });
}

tenon_status tenon_workspace_set_gains(tenon_workspace* workspace, int32_t constraint, double frequency,
                                       double damping_ratio) {
  Call call(workspace, __func__);
  call.index("constraint", constraint, call.constraints(), "constraints");
  call.finite("frequency", &frequency, 1);
  call.finite("damping_ratio", &damping_ratio, 1);
  return call.run(
      [&] { return tenon::set_constraint_gains(workspace->core, constraint, frequency, damping_ratio); });
}

tenon_status tenon_workspace_set_weights(tenon_workspace* workspace, int32_t constraint,
                                         const double* weights, size_t weights_count) {
  Call call(workspace, __func__);
  call.index("constraint", constraint, call.constraints(), "constraints");
  call.optional(ARRAY(weights), rows_of(call, workspace, constraint));
  return call.run([&] { return tenon::set_constraint_weights(workspace->core, constraint, weights); });
}

tenon_status tenon_workspace_set_compliance(tenon_workspace* workspace, int32_t constraint,
                                            const double* compliance, size_t compliance_count) {
  Call call(workspace, __func__);
  call.index("constraint", constraint, call.constraints(), "constraints");
  call.optional(ARRAY(compliance), rows_of(call, workspace, constraint));
  return call.run([&] { return tenon::set_constraint_compliance(workspace->core, constraint, compliance); });
}

tenon_status tenon_workspace_constraint_settings(const tenon_workspace* workspace, int32_t constraint,
                                                 tenon_constraint_settings* settings, double* weights,
                                                 size_t weights_count, double* compliance,
                                                 size_t compliance_count) {
  Call call(workspace, __func__);
  call.index("constraint", constraint, call.constraints(), "constraints");
  call.needed_information("settings", settings);
  call.optional(ARRAY(weights), rows_of(call, workspace, constraint));
  call.optional(ARRAY(compliance), rows_of(call, workspace, constraint));
  return call.run([&](tenon::Workspace& w) {
    tenon::ConstraintSettings found;
    const tenon::Status status = tenon::constraint_settings(w, constraint, found, weights, compliance);
    if (status != tenon::Status::ok) return status;
    tenon_constraint_settings known{};
    known.active = found.active ? 1 : 0;
    known.frequency = found.frequency;
    known.damping_ratio = found.damping_ratio;
    return put(settings, known);
  });
}

// Of all constraints; active is an array of integers.
static void check_all(Call& call, const std::int32_t* active, std::size_t active_count,
                      std::initializer_list<Array> of_constraints, std::initializer_list<Array> poses,
                      std::initializer_list<Array> of_rows) {
  call.optional("active", active, active_count, call.constraints());
  for (const Array& x : of_constraints) call.optional(x, call.constraints());
  for (const Array& x : poses) call.optional(x, pose_count * call.constraints());
  for (const Array& x : of_rows) call.optional(x, call.rows());
}

tenon_status tenon_workspace_set_constraints(tenon_workspace* workspace, const int32_t* active,
                                             size_t active_count, const double* frequencies,
                                             size_t frequencies_count, const double* damping_ratios,
                                             size_t damping_ratios_count, const double* anchors,
                                             size_t anchors_count, const double* frames, size_t frames_count,
                                             const double* weights, size_t weights_count,
                                             const double* compliance, size_t compliance_count) {
  Call call(workspace, __func__);
  check_all(call, active, active_count, {ARRAY(frequencies), ARRAY(damping_ratios)},
            {ARRAY(anchors), ARRAY(frames)}, {ARRAY(weights), ARRAY(compliance)});
  return call.run([&] {
    return tenon::set_constraints(
        workspace->core, {active, frequencies, damping_ratios, anchors, frames, weights, compliance});
  });
}

tenon_status tenon_workspace_constraints(const tenon_workspace* workspace, int32_t* active,
                                         size_t active_count, double* frequencies, size_t frequencies_count,
                                         double* damping_ratios, size_t damping_ratios_count, double* anchors,
                                         size_t anchors_count, double* frames, size_t frames_count,
                                         double* weights, size_t weights_count, double* compliance,
                                         size_t compliance_count) {
  Call call(workspace, __func__);
  check_all(call, active, active_count, {ARRAY(frequencies), ARRAY(damping_ratios)},
            {ARRAY(anchors), ARRAY(frames)}, {ARRAY(weights), ARRAY(compliance)});
  return call.run_glue([&](tenon::Workspace& w) {
    const tenon::ConstraintSet* set = w.constraints();
    for (int c = 0; set != nullptr && c < set->constraint_count(); ++c) {
      const int row = set->first_row(c);
      tenon::ConstraintSettings found;
      tenon::constraint_settings(w, c, found, weights ? weights + row : nullptr,
                                 compliance ? compliance + row : nullptr);
      if (active != nullptr) active[c] = found.active ? 1 : 0;
      if (frequencies != nullptr) frequencies[c] = found.frequency;
      if (damping_ratios != nullptr) damping_ratios[c] = found.damping_ratio;
      if (anchors != nullptr) put_pose(w.anchor(c), anchors + 7 * c);
      tenon::Pose frame;
      if (tenon::has_frame(set->specs()[static_cast<std::size_t>(c)])) tenon::constraint_frame(w, c, frame);
      if (frames != nullptr) put_pose(frame, frames + 7 * c);
    }
  });
}
