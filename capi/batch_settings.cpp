// What a batch changes of its robots and constraints between calls, for each state or for all.
#include <cstdint>

#include "support/arguments.hpp"
#include "support/batch_arguments.hpp"
#include "tenon/loops.hpp"

using namespace tenon::capi;
using tenon::BatchArray;
using tenon::Status;

constexpr tenon_batch_parameters default_batch_parameters = [] {
  tenon_batch_parameters p{};
  p.struct_size = sizeof p;
  return p;
}();

tenon_status tenon_batch_set_gravity(tenon_batch* batch, const double* gravity, size_t gravity_count) {
  Arguments arguments(batch, __func__);
  arguments.needed(ARRAY(gravity), 3);
  arguments.finite("gravity", gravity, 3);
  return arguments.run_glue([&] { batch->core.set_gravity({gravity[0], gravity[1], gravity[2]}); });
}

tenon_status tenon_batch_set_anchor(tenon_batch* batch, int32_t constraint, const double* frame,
                                    size_t frame_count) {
  Arguments arguments(batch, __func__);
  arguments.anchor(constraint, frame, frame_count);
  return arguments.run_glue([&] { batch->core.set_anchor(constraint, pose(frame, frame_count, "pose")); });
}

tenon_status tenon_batch_set_anchors(tenon_batch* batch, size_t states, const tenon_batch_array* poses) {
  Arguments a(batch, states, __func__);
  const BatchArray given = a.needed_array("poses", poses, pose_count * a.constraints());
  return a.run_glue([&] { batch->core.set_anchors(states, given); });
}

tenon_status tenon_batch_anchors(const tenon_batch* batch, size_t states, const tenon_batch_array* poses) {
  Arguments a(batch, states, __func__);
  const BatchArray out = a.output("poses", poses, pose_count * a.constraints(), true);
  return a.run_glue([&] { batch->core.anchors(states, out); });
}

tenon_status tenon_batch_anchor_here(tenon_batch* batch, size_t states, const tenon_batch_array* q,
                                     int32_t* status, size_t status_count) {
  Arguments a(batch, states, __func__);
  a.position(q);
  a.integers("status", status, status_count);
  return a.run([&] { return batch->core.anchor_here(states, a.call.q, status); });
}

tenon_status tenon_batch_set_active(tenon_batch* batch, size_t states, const tenon_batch_array* active) {
  Arguments a(batch, states, __func__);
  const BatchArray given = a.needed_array("active", active, a.constraints());
  return a.run_glue([&] { batch->core.set_active(states, given); });
}

tenon_status tenon_batch_set_gains(tenon_batch* batch, size_t states, const tenon_batch_array* frequencies,
                                   const tenon_batch_array* damping_ratios) {
  Arguments a(batch, states, __func__);
  const BatchArray frequency = a.needed_array("frequencies", frequencies, a.constraints()),
                   ratio = a.needed_array("damping_ratios", damping_ratios, a.constraints());
  return a.run_glue([&] { batch->core.set_gains(states, frequency, ratio); });
}

tenon_status tenon_batch_parameters_init(tenon_batch_parameters* parameters, size_t size) {
  return init(parameters, size, default_batch_parameters);
}

tenon_status tenon_batch_set_parameters(tenon_batch* batch, size_t states,
                                        const tenon_batch_parameters* parameters) {
  Arguments a(batch, states, __func__);
  if (states > 0) a.needed_struct("parameters", parameters);
  const auto p = a.over(parameters, default_batch_parameters, "tenon_batch_parameters");
  const size_t links = a.links(), nv = a.nv();
  const tenon::BatchParameters given = {
      a.optional_array("masses", p.masses, links),
      a.optional_array("centers_of_mass", p.centers_of_mass, 3 * links),
      a.optional_array("inertias", p.inertias, 6 * links),
      a.optional_array("payload_masses", p.payload_masses, links),
      a.optional_array("payload_centers_of_mass", p.payload_centers_of_mass, 3 * links),
      a.optional_array("payload_inertias", p.payload_inertias, 6 * links),
      a.optional_array("armatures", p.armatures, nv),
      a.optional_array("damping", p.damping, nv),
      a.optional_array("friction", p.friction, nv),
      a.optional_array("gravity", p.gravity, 3),
      a.optional_array("weights", p.weights, a.rows()),
      a.optional_array("compliance", p.compliance, a.rows()),
      a.optional_array("frames", p.frames, pose_count * a.constraints())};
  return a.run_glue([&] { batch->core.set_parameters(states, given); });
}

tenon_status tenon_batch_set_coordinates(tenon_batch* batch, int32_t positions, int32_t velocities) {
  Arguments arguments(batch, __func__);
  arguments.one_of(kinds::coordinates, "positions", positions);
  arguments.one_of(kinds::coordinates, "velocities", velocities);
  return arguments.change([&](tenon::Workspace& w) {
    return tenon::set_coordinates(w, static_cast<tenon::Coordinates>(positions),
                                  static_cast<tenon::Coordinates>(velocities));
  });
}

tenon_status tenon_batch_robots(const tenon_batch* batch, size_t states, const tenon_batch_array* masses,
                                const tenon_batch_array* centers_of_mass, const tenon_batch_array* inertias,
                                const tenon_batch_array* payload_masses,
                                const tenon_batch_array* payload_centers_of_mass,
                                const tenon_batch_array* payload_inertias, const tenon_batch_array* armatures,
                                const tenon_batch_array* damping, const tenon_batch_array* friction,
                                const tenon_batch_array* gravity) {
  Arguments a(batch, states, __func__);
  const size_t links = a.links(), nv = a.nv();
  tenon::BatchSettings out;
  out.masses = a.output("masses", masses, links, false);
  out.centers_of_mass = a.output("centers_of_mass", centers_of_mass, 3 * links, false);
  out.inertias = a.output("inertias", inertias, 6 * links, false);
  out.payload_masses = a.output("payload_masses", payload_masses, links, false);
  out.payload_centers_of_mass =
      a.output("payload_centers_of_mass", payload_centers_of_mass, 3 * links, false);
  out.payload_inertias = a.output("payload_inertias", payload_inertias, 6 * links, false);
  out.armatures = a.output("armatures", armatures, nv, false);
  out.damping = a.output("damping", damping, nv, false);
  out.friction = a.output("friction", friction, nv, false);
  out.gravity = a.output("gravity", gravity, 3, false);
  return a.run_glue([&] { batch->core.settings(states, out); });
}

tenon_status tenon_batch_constraints(const tenon_batch* batch, size_t states, const tenon_batch_array* active,
                                     const tenon_batch_array* frequencies,
                                     const tenon_batch_array* damping_ratios,
                                     const tenon_batch_array* anchors, const tenon_batch_array* frames,
                                     const tenon_batch_array* weights, const tenon_batch_array* compliance) {
  Arguments a(batch, states, __func__);
  const size_t constraints = a.constraints();
  tenon::BatchSettings out;
  out.active = a.output("active", active, constraints, false);
  out.frequencies = a.output("frequencies", frequencies, constraints, false);
  out.damping_ratios = a.output("damping_ratios", damping_ratios, constraints, false);
  out.anchors = a.output("anchors", anchors, pose_count * constraints, false);
  out.frames = a.output("frames", frames, pose_count * constraints, false);
  out.weights = a.output("weights", weights, a.rows(), false);
  out.compliance = a.output("compliance", compliance, a.rows(), false);
  return a.run_glue([&] { batch->core.settings(states, out); });
}

tenon_status tenon_batch_coordinates(const tenon_batch* batch, int32_t* positions, int32_t* velocities) {
  Arguments a(batch, __func__);
  return a.run_glue([&](tenon::Workspace& w) {
    if (positions) *positions = static_cast<int32_t>(tenon::position_coordinates(w));
    if (velocities) *velocities = static_cast<int32_t>(tenon::velocity_coordinates(w));
  });
}

int32_t tenon_batch_position_count(const tenon_batch* batch) {
  return batch ? tenon::position_count(batch->core.workspace()) : TENON_INVALID_ARGUMENT;
}
int32_t tenon_batch_velocity_count(const tenon_batch* batch) {
  return batch ? tenon::velocity_count(batch->core.workspace()) : TENON_INVALID_ARGUMENT;
}
int32_t tenon_batch_row_count(const tenon_batch* batch) {
  if (batch == nullptr) return TENON_INVALID_ARGUMENT;
  const tenon::ConstraintSet* set = batch->core.workspace().constraints();
  return set ? set->row_count() : 0;
}

tenon_status tenon_batch_set_guess(tenon_batch* batch, const double* q, size_t q_count) {
  Arguments a(batch, __func__);
  a.needed(ARRAY(q), a.nq());
  return a.change([&](tenon::Workspace& w) { return tenon::set_guess(w, q); });
}

tenon_status tenon_batch_guess(const tenon_batch* batch, double* q, size_t q_count) {
  Arguments a(batch, __func__);
  a.needed(ARRAY(q), a.nq());
  return a.run_glue([&](tenon::Workspace& w) { tenon::guess(w, q); });
}
