// The arguments of a call on a batch.
#pragma once

#include <cstdint>

#include "support/batch_arrays.hpp"
#include "support/call.hpp"
#include "tenon/batch.hpp"

namespace tenon::capi {

using tenon::BatchArray;
using tenon::BatchCall;
using tenon::BatchFunction;
using tenon::Status;

inline constexpr tenon_batch_array default_batch_array = [] {
  tenon_batch_array a{};
  a.struct_size = sizeof a;
  a.number_stride = 1;
  return a;
}();

inline bool has_data(const tenon_batch_array* a) noexcept {
  return a != nullptr && a->data != nullptr;
}

// What all functions of a batch are given.
class Arguments : public Call {
 public:
  Arguments(const tenon_batch* batch, const char* function) noexcept
      : Call(batch ? &batch->core.workspace() : nullptr, batch ? &batch->message : nullptr, function),
        batch_(const_cast<tenon_batch*>(batch)) {}
  Arguments(const tenon_batch* batch, size_t states, const char* function) noexcept
      : Arguments(batch, function) {
    call.states = states;
  }
  Arguments(tenon_batch* batch, BatchFunction which, size_t states, std::int32_t* status, size_t status_count,
            const char* function) noexcept
      : Arguments(batch, states, function) {
    call.function = which;
    call.status = integers("status", status, status_count);
  }
  // One for each state, or NULL.
  std::int32_t* integers(const char* name, std::int32_t* given, size_t count) noexcept {
    if (given != nullptr && count != call.states)
      fail(Status::wrong_size, "%s has %zu places; there are %zu states", name, count, call.states);
    return given;
  }

  // records: of a rollout.
  BatchArray needed_array(const char* name, const tenon_batch_array* a, size_t expected,
                          size_t records = 1) noexcept {
    const BatchArray given = optional_array(name, a, expected, records);
    if (given.data == nullptr && expected > 0 && call.states > 0)
      fail(Status::invalid_argument, "%s is NULL; give %zu numbers for each state", name, expected);
    return given;
  }
  BatchArray optional_array(const char* name, const tenon_batch_array* a, size_t expected,
                            size_t records = 1) noexcept {
    return checked_array(name, a, {expected, call.states, records}, false);
  }
  // An array to write.
  BatchArray output(const char* name, const tenon_batch_array* a, size_t expected, bool is_needed,
                    size_t records = 1) noexcept {
    const BatchArray out = checked_array(name, a, {expected, call.states, records}, true);
    if (is_needed && out.data == nullptr) needed_array(name, nullptr, expected);
    return out;
  }
  void position(const tenon_batch_array* q) noexcept { call.q = needed_array("q", q, position_count()); }
  void velocity(const tenon_batch_array* v) noexcept { call.v = needed_array("v", v, velocity_count()); }
  // What an impact is of.
  void hit(const tenon_batch_array* restitution, const tenon_batch_array* q,
           const tenon_batch_array* v) noexcept {
    call.restitution = optional_array("restitution", restitution, rows());
    position(q);
    velocity(v);
  }
  // Motion of links: values, gradients by them or changes of them.
  struct Motion {
    const tenon_batch_array *poses, *velocities, *accelerations;
    int order() const noexcept { return has_data(accelerations) ? 2 : has_data(velocities) ? 1 : 0; }
  };
  // Kinematics of links, `out` to write; v may be NULL where neither this nor `besides` needs it, and `a` is zero then.
  void links_in_motion(const std::int32_t* which, size_t link_count, std::int32_t axes,
                       const tenon_batch_array* q, const tenon_batch_array* v, const tenon_batch_array* a,
                       const Motion& out, const Motion& besides) noexcept {
    chosen_links(which, link_count);
    one_of(kinds::axes, "axes", axes);
    position(q);
    if (v != nullptr || has_data(a) || out.order() > 0 || besides.order() > 0) velocity(v);
    call.x = optional_array("a", a, velocity_count());
    call.links = which;
    call.link_count = static_cast<int>(link_count);
    call.axes = static_cast<tenon::RowAxes>(axes);
    const bool derived = call.differentiates();
    call.out[0] = output("poses", out.poses, 7 * link_count, false);
    call.out[derived ? 4 : 1] = output("velocities", out.velocities, 6 * link_count, false);
    call.out[derived ? 5 : 3] = output("accelerations", out.accelerations, 6 * link_count, false);
  }
  // Numbers of whole robots, in the order of data/centroidal_numbers.hpp: values to write, and where one of them or of
  // `others` is of motion, v.
  struct Whole {
    const tenon_batch_array* of[tenon::centroidal_parts];
  };
  void whole_robots(const tenon_batch_array* q, const tenon_batch_array* v, const Whole& values,
                    const Whole& others = {}) noexcept {
    const auto move = [](const Whole& x) {
      return has_data(x.of[1]) || has_data(x.of[2]) || has_data(x.of[3]);
    };
    position(q);
    if (v != nullptr || move(values) || move(others)) velocity(v);
    static constexpr const char* names[] = {"centers", "center_velocities", "momenta", "kinetic",
                                            "potential"};
    for (int i = 0; i < tenon::centroidal_parts; ++i)
      call.centroidal.values[i] = output(names[i], values.of[i], part_size(i), false);
  }
  void gradients_by_whole_robots(const Whole& x) noexcept {
    static constexpr const char* names[] = {"center_gradients", "center_velocity_gradients",
                                            "momentum_gradients", "kinetic_gradients", "potential_gradients"};
    for (int i = 0; i < tenon::centroidal_parts; ++i)
      call.centroidal.gradients[i] = optional_array(names[i], x.of[i], part_size(i));
  }
  static size_t part_size(int i) noexcept { return static_cast<size_t>(tenon::centroidal_size[i]); }
  void forces(const char* name, const tenon_batch_array* x, const tenon_batch_array* wrenches,
              size_t records = 1) noexcept {
    call.x = needed_array(name, x, velocity_count(), records);
    call.wrenches = optional_array("wrenches", wrenches, 6 * links(), records);
  }
  // Gradients by parameters. steps: of a rollout, in each of which other wrenches act.
  void parameter_gradients(const tenon_batch_array* inertia, const tenon_batch_array* armature,
                           const tenon_batch_array* damping, const tenon_batch_array* friction,
                           const tenon_batch_array* wrenches, const tenon_batch_array* gravity,
                           size_t steps = 1) noexcept {
    using tenon::ByParameter;
    auto& to = call.derivatives;
    to.by(ByParameter::inertia) = output("gradient_inertia", inertia, 10 * links(), false);
    to.by(ByParameter::armature) = output("gradient_armature", armature, nv(), false);
    to.by(ByParameter::damping) = output("gradient_damping", damping, nv(), false);
    to.by(ByParameter::friction) = output("gradient_friction", friction, nv(), false);
    to.by(ByParameter::wrenches) = output("gradient_wrenches", wrenches, 6 * links(), false, steps);
    to.by(ByParameter::gravity) = output("gradient_gravity", gravity, 3, false);
  }
  tenon_status compute() noexcept {
    return run([&] { return batch_->core.run(call); });
  }
  // Applies `change`, which returns Status, to every workspace of the batch.
  template <class Change>
  tenon_status change(const Change& change) noexcept {
    return run([&] {
      Status worst = Status::ok;
      batch_->core.change([&](tenon::Workspace& w) {
        const Status status = change(w);
        if (status != Status::ok) fail(status, "%s", w.message()), worst = status;
      });
      if (worst == Status::ok) batch_->message = {true, ""};  // no older one of the core
      return worst;
    });
  }

  BatchCall call;

 private:
  BatchArray checked_array(const char* name, const tenon_batch_array* given, const ArrayExtent& extent,
                           bool is_written) noexcept {
    const auto a = over(given, default_batch_array, name);
    if (a.data == nullptr) return {};
    const bool single = batch_ && batch_->core.single_precision();
    check_array(*this, name, a, extent, single ? sizeof(float) : sizeof(double), is_written);
    return array_of(a, single);
  }

  tenon_batch* batch_;
};

}  // namespace tenon::capi
