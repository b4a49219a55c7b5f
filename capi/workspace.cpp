// tenon_workspace: its life, its message and report, gravity and anchors.
#include "support/arguments.hpp"
#include "support/call.hpp"
#include "support/descriptor.hpp"
#include "support/guard.hpp"
#include "support/object.hpp"
#include "support/solve_report.hpp"
#include "tenon/dynamics.hpp"

static_assert(TENON_PRODUCT_PROJECTION == tenon::product_projection &&
              TENON_PRODUCT_CORIOLIS == tenon::product_coriolis &&
              TENON_PRODUCT_MASS_MATRIX == tenon::product_mass_matrix &&
              TENON_PRODUCT_INVERSE_MASS == tenon::product_inverse_mass &&
              TENON_PRODUCT_OPERATIONAL_SPACE == tenon::product_operational_space &&
              TENON_PRODUCT_CENTROIDAL == tenon::product_centroidal &&
              TENON_PRODUCT_UNDERACTUATED == tenon::product_underactuated &&
              TENON_PRODUCT_LOOP_VELOCITIES == tenon::product_loop_velocities &&
              TENON_PRODUCT_DERIVATIVES == tenon::product_derivatives &&
              TENON_PRODUCT_SECOND_DERIVATIVES == tenon::product_second_derivatives &&
              TENON_PRODUCT_ALL == tenon::product_all);

using namespace tenon::capi;
using tenon::Error;
using tenon::Status;

constexpr tenon_workspace_options default_workspace_options = {
    sizeof(tenon_workspace_options), TENON_INSTRUCTION_SET_AUTOMATIC, TENON_PRECISION_DOUBLE, 0, 0, 0, 0, 0};
constexpr tenon_projection_options default_projection_options = {sizeof(tenon_projection_options), 50, 1e-9};

static void need_bits(uint32_t bits, uint32_t known, const char* name, const char* constants) {
  if ((bits & ~known) == 0) return;
  throw Error(Status::invalid_argument, "tenon_workspace_options: " + std::string(name) +
                                            " has a bit that stands for none of " + constants);
}

static tenon::WorkspaceOptions checked(const tenon_workspace_options* options) {
  const auto o = completed(options, default_workspace_options, "tenon_workspace_options");
  need_one_of(kinds::instruction_set, o.instruction_set, "tenon_workspace_options: instruction_set");
  need_one_of(kinds::precision, o.precision, "tenon_workspace_options: precision");
  if (o.precision != TENON_PRECISION_DOUBLE)
    throw Error(Status::unsupported,
                "tenon_workspace_options: precision is TENON_PRECISION_SINGLE; this version computes "
                "in TENON_PRECISION_DOUBLE");
  const auto all = [](const Kind& kind) { return (1U << kind.count) - 1; };
  need_bits(o.methods, all(kinds::method), "methods", kinds::method.constants);
  need_bits(o.delassus_methods, all(kinds::delassus_method), "delassus_methods",
            kinds::delassus_method.constants);
  need_bits(o.damped_methods, all(kinds::damped_method), "damped_methods", kinds::damped_method.constants);
  need_bits(o.products, TENON_PRODUCT_ALL, "products", "TENON_PRODUCT_*");
  return {static_cast<tenon::Instructions>(o.instruction_set),
          o.methods,
          o.delassus_methods,
          o.damped_methods,
          o.products,
          o.disable_branch_lanes ? tenon::BranchLanesUse::never : tenon::BranchLanesUse::where_faster};
}

tenon_status tenon_workspace_options_init(tenon_workspace_options* options, size_t size) {
  return init(options, size, default_workspace_options);
}
tenon_status tenon_projection_options_init(tenon_projection_options* options, size_t size) {
  return init(options, size, default_projection_options);
}

tenon_status tenon_workspace_create(const tenon_model* model, const tenon_constraints* constraints,
                                    const tenon_workspace_options* options, tenon_workspace** workspace,
                                    char* message, size_t message_size) {
  if (workspace != nullptr) *workspace = nullptr;
  return guard(message, message_size, [&] {
    need(workspace, "workspace");
    need(model, "model");
    if (constraints != nullptr && !constraints->core)
      throw Error(
          Status::invalid_argument,
          "the constraint set is not finished; call tenon_constraints_finish before a workspace is made");
    *workspace =
        new tenon_workspace(model->core, constraints ? constraints->core : nullptr, checked(options));
  });
}

tenon_status tenon_workspace_clone(const tenon_workspace* workspace, tenon_workspace** clone, char* message,
                                   size_t message_size) {
  if (clone != nullptr) *clone = nullptr;
  return guard(message, message_size, [&] {
    need(workspace, "workspace");
    need(clone, "clone");
    *clone = new tenon_workspace(*workspace);
  });
}

int32_t tenon_workspace_instruction_set(const tenon_workspace* workspace) {
  return workspace ? static_cast<int32_t>(workspace->core.instructions()) : TENON_INVALID_ARGUMENT;
}

void tenon_workspace_destroy(tenon_workspace* workspace) {
  delete workspace;
}

const char* tenon_workspace_message(const tenon_workspace* workspace) {
  if (workspace == nullptr) return "the workspace is NULL";
  return workspace->message.failed_before_core ? workspace->message.text : workspace->core.message();
}

size_t tenon_workspace_size_bytes(const tenon_workspace* workspace) {
  return workspace ? workspace->core.bytes() + sizeof *workspace - sizeof workspace->core : 0;
}

tenon_status tenon_workspace_set_gravity(tenon_workspace* workspace, const double* gravity,
                                         size_t gravity_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(gravity), 3);
  call.finite("gravity", gravity, 3);
  return call.run_glue([&] { workspace->core.set_gravity({gravity[0], gravity[1], gravity[2]}); });
}

tenon_status tenon_workspace_gravity(const tenon_workspace* workspace, double* gravity,
                                     size_t gravity_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(gravity), 3);
  return call.run_glue([&] {
    const auto g = workspace->core.gravity();
    std::copy(g.begin(), g.end(), gravity);
  });
}

tenon_status tenon_workspace_set_anchor(tenon_workspace* workspace, int32_t constraint, const double* frame,
                                        size_t frame_count) {
  Call call(workspace, __func__);
  call.anchor(constraint, frame, frame_count);
  return call.run_glue([&] { workspace->core.set_anchor(constraint, pose(frame, frame_count, "pose")); });
}

tenon_status tenon_workspace_anchor(const tenon_workspace* workspace, int32_t constraint, double* frame,
                                    size_t frame_count) {
  Call call(workspace, __func__);
  call.index("constraint", constraint, call.constraints(), "constraints");
  call.needed({"pose", frame, frame_count}, pose_count);
  return call.run_glue([&] { put_pose(workspace->core.anchor(constraint), frame); });
}

tenon_status tenon_workspace_anchor_here(tenon_workspace* workspace, const double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  return call.run([&] { return tenon::anchor_here(workspace->core, q); });
}

tenon_status tenon_project_positions(tenon_workspace* workspace, const tenon_projection_options* options,
                                     double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  const auto o = call.over(options, default_projection_options, "tenon_projection_options");
  return call.run(
      [&] { return tenon::project_positions(workspace->core, o.tolerance, o.max_iterations, q); });
}

tenon_status tenon_project_velocities(tenon_workspace* workspace, const double* q, size_t q_count, double* v,
                                      size_t v_count) {
  Call call(workspace, __func__);
  call.state(ARRAY(q), ARRAY(v));
  return call.run([&] { return tenon::project_velocities(workspace->core, q, v); });
}

tenon_status tenon_solve_report_init(tenon_solve_report* report, size_t size) {
  return init(report, size, tenon_solve_report{});
}

tenon_status tenon_workspace_report(const tenon_workspace* workspace, tenon_solve_report* report) {
  Call call(workspace, __func__);
  call.needed_information("report", report);
  return call.run_glue([&] { put(report, report_of(workspace->core.report())); });
}
