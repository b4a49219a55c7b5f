#include "batch/batch_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "model/row_order.hpp"
#include "scalar/index.hpp"
#include "state/check.hpp"

namespace tenon {

namespace {

Pose pose_of(const double* numbers) {
  Pose pose;
  std::copy_n(numbers, 9, pose.rotation.begin()), std::copy_n(numbers + 9, 3, pose.translation.begin());
  return pose;
}

bool good_gain(double x) {
  return x >= 0 && x <= 1e300;
}

}  // namespace

BatchRows::BatchRows(const Workspace& w)
    : anchors(w.constraints() ? 12 * index(w.constraints()->constraint_count()) : 0),
      gains(anchors.count / 6),
      active(anchors.count / 12),
      weights(w.constraints() ? index(w.constraints()->row_count()) : 0),
      compliance(weights.count),
      frames(anchors.count),
      frames_in_bodies(anchors.count),
      set_(w.constraints()),
      first_loop_(active.count - (set_ ? w.model().row_loops.size() : 0)),
      anchored_(active.count),
      frequency_(active.count) {
  frames.list.clear();
  if (!set_) return;
  for (std::size_t c = 0; c < constraints(); ++c) {
    const ConstraintSpec& spec = set_->specs()[c];
    store_pose({}, &anchors.list[12 * c]);
    gains.list[2 * c] = spec.frequency, gains.list[2 * c + 1] = spec.damping_ratio;
    active.list[c] = 1;
    anchored_[c] = spec.closure || !spec.custom.empty();
  }
  const ConstraintData& data = set_->data();
  rows_to_user(&data, data.weight, weights.list.data());
  rows_to_user(&data, data.compliance, compliance.list.data());
  for (int i = 0; i < data.item_count; ++i)
    std::copy_n(data.frames + 12 * i, 12, &frames_in_bodies.list[12 * index(data.items[i].constraint)]);
  find_frequencies();
}

bool BatchRows::same_in_all() const {
  const PerState* const lists[] = {&anchors, &gains, &active, &weights, &compliance, &frames};
  return std::all_of(std::begin(lists), std::end(lists), [](const PerState* x) { return x->states == 1; });
}

std::string BatchRows::place_of(std::size_t state, std::size_t constraint) const {
  return "state " + std::to_string(state) + ", constraint " + std::to_string(constraint) + " '" +
         set_->specs()[constraint].name + "': ";
}

void BatchRows::find_frequencies() {
  std::fill(frequency_.begin(), frequency_.end(), 0.0);
  for (std::size_t i = 0; i < gains.list.size(); i += 2) {
    double& largest = frequency_[i / 2 % constraints()];
    largest = std::max(largest, gains.list[i]);
  }
  stabilised = std::any_of(frequency_.begin(), frequency_.end(), [](double f) { return f > 0; });
}

bool BatchRows::serve(BatchFunction function) const {
  switch (function) {
    case BatchFunction::constrained_dynamics:
    case BatchFunction::impact:
    case BatchFunction::delassus:
    case BatchFunction::damped_product:
    case BatchFunction::rollout:
    case BatchFunction::step_derivatives:
    case BatchFunction::constrained_derivatives:
    case BatchFunction::impact_derivatives:
    case BatchFunction::constrained_hessian:
    case BatchFunction::rollout_derivatives:
    case BatchFunction::anchor_here:
      return constraints() > 0;
    case BatchFunction::forward_dynamics:
      return constraints() > first_loop_;
    default:
      return false;
  }
}

Status BatchRows::check(const BatchCall& call, char* message, std::size_t message_size) const {
  // The anchors that a call sets may be those of other states than gains and activity are.
  if (call.function == BatchFunction::anchor_here)
    return check_states(frames, "frames of the constraints", call, message, message_size);
  struct Part {
    const PerState& list;
    const char* name;
  };
  for (const Part& part :
       {Part{anchors, "anchors of the constraints"}, Part{gains, "gains of the constraints"},
        Part{active, "activity of the constraints"}, Part{weights, "weights of the rows"},
        Part{compliance, "compliance of the rows"}, Part{frames, "frames of the constraints"}})
    TENON_CHECK(check_states(part.list, part.name, call, message, message_size));
  if (call.function == BatchFunction::delassus || call.function == BatchFunction::damped_product ||
      call.function == BatchFunction::forward_dynamics || call.of_impacts())
    return Status::ok;
  for (std::size_t c = 0; c < constraints(); ++c)
    if (frequency_[c] > 0 && !anchored_[c]) {
      std::snprintf(
          message, message_size,
          "constraint %zu '%s' holds a position (frequency %g rad/s), but this batch has no anchors for it; "
          "set them for each state, or where the states are (anchor_here), or its frequency to 0",
          c, set_->specs()[c].name.c_str(), frequency_[c]);
      return Status::invalid_argument;
    }
  return Status::ok;
}

// The pose of a constraint among those of a state. what: its name in messages.
void BatchRows::take_pose(const NumbersOfState& given, std::size_t state, std::size_t constraint,
                          const char* what, double* to) const {
  double x[7], square = 0;
  for (std::size_t e = 0; e < 7; ++e) x[e] = given[7 * constraint + e];
  for (int e = 3; e < 7; ++e) square += x[e] * x[e];
  if (!all_finite(x, 7))
    throw Error(Status::not_finite,
                place_of(state, constraint) + "the " + what + " holds NaN or infinity; give finite numbers");
  if (!(std::abs(std::sqrt(square) - 1) <= unit_norm_tolerance))
    throw Error(Status::not_normalized, place_of(state, constraint) + "numbers 3 to 6 of the " + what +
                                            " are the quaternion x y z w, and its norm "
                                            "is off 1 by more than 1e-6; divide it by its norm");
  store_pose({rotation_from_quaternion({x[3], x[4], x[5], x[6]}), {x[0], x[1], x[2]}}, to);
}

void BatchRows::set_anchors(std::size_t states, const BatchArray& poses, bool single_precision) {
  double* to = anchors.room(states);
  for (std::size_t s = 0; s < states; ++s) {
    const NumbersOfState given(poses, single_precision, s);
    for (std::size_t c = 0; c < constraints(); ++c, to += 12) {
      if (set_->specs()[c].closure) {
        store_pose({}, to);
        continue;
      }
      take_pose(given, s, c, "anchor", to);
    }
  }
  keep_anchors();
}

void BatchRows::keep_anchors() {
  anchors.commit();
  std::fill(anchored_.begin(), anchored_.end(), 1);
  ++version;
}

// The pose that 12 numbers are, among those of a state.
static void write_pose(const NumbersOfState& to, std::size_t constraint, const double* from) {
  Matrix3 R;
  std::copy_n(from, 9, R.begin());
  const std::array<double, 4> quaternion = quaternion_from_rotation(R);
  for (std::size_t e = 0; e < 3; ++e) to.set(7 * constraint + e, from[9 + e]);
  for (std::size_t e = 0; e < 4; ++e) to.set(7 * constraint + 3 + e, quaternion[e]);
}

void BatchRows::write(std::size_t states, const BatchSettings& to, bool single_precision) const {
  const auto need = [&](const BatchArray& array, const PerState& list, const char* what) {
    if (array.data) need_states(list, what, states);
  };
  need(to.active, active, "activity of the constraints");
  need(to.frequencies, gains, "gains of the constraints");
  need(to.damping_ratios, gains, "gains of the constraints");
  need(to.anchors, anchors, "anchors of the constraints");
  need(to.frames, frames, "frames of the constraints");
  need(to.weights, weights, "weights of the rows");
  need(to.compliance, compliance, "compliance of the rows");
  write_numbers(active, states, to.active, single_precision);
  const std::size_t n = constraints();
  write_numbers(gains, states, n, to.frequencies, single_precision, [](std::size_t c) { return 2 * c; });
  write_numbers(gains, states, n, to.damping_ratios, single_precision,
                [](std::size_t c) { return 2 * c + 1; });
  write_numbers(weights, states, to.weights, single_precision);
  write_numbers(compliance, states, to.compliance, single_precision);
  for (std::size_t s = 0; s < states; ++s)
    for (std::size_t c = 0; c < n; ++c) {
      if (to.anchors.data) write_pose({to.anchors, single_precision, s}, c, anchors.of(s) + 12 * c);
      if (!to.frames.data) continue;
      const ConstraintSpec& spec = set_->specs()[c];
      double own[12];
      store_pose(has_frame(spec) ? spec.frame : Pose{}, own);
      const bool moved = has_frame(spec) && !frames.list.empty();
      write_pose({to.frames, single_precision, s}, c, moved ? frames.of(s) + 12 * c : own);
    }
}

void BatchRows::take(const BatchRows& other) {
  const ConstraintSet* const own = set_;
  *this = other;
  set_ = own;
}

BatchRows::Numbers BatchRows::numbers_of(std::size_t states, const BatchParameters& given,
                                         bool single_precision) const {
  Numbers result = {weights, compliance, frames, frames_in_bodies};
  const auto rows = [&](const BatchArray& array, bool zero, const char* what, PerState& to) {
    if (!array.data || to.count == 0) return;
    to.resize(states);
    for (std::size_t s = 0; s < states; ++s)
      for (std::size_t r = 0; r < to.count; ++r) {
        double& x = to.list[s * to.count + r] = NumbersOfState(array, single_precision, s)[r];
        if (!all_finite(&x, 1) || !(x > 0 || (zero && x == 0)))
          throw Error(all_finite(&x, 1) ? Status::invalid_argument : Status::not_finite,
                      "state " + std::to_string(s) + ": " + what + " " + std::to_string(r) + " is " +
                          std::to_string(x) + "; give finite numbers " +
                          (zero ? "of zero or more" : "above zero"));
      }
  };
  rows(given.weights, false, "weight", result.weights);
  rows(given.compliance, true, "compliance", result.compliance);
  if (!given.frames.data || constraints() == 0) return result;
  for (PerState* x : {&result.frames, &result.frames_in_bodies}) x->resize(states);
  double *to = result.frames.list.data(), *in_body = result.frames_in_bodies.list.data();
  for (std::size_t s = 0; s < states; ++s)
    for (std::size_t c = 0; c < constraints(); ++c, to += 12, in_body += 12) {
      std::copy_n(frames_in_bodies.list.data() + 12 * c, 12, in_body);  // closures stay where they are
      if (!has_frame(set_->specs()[c])) continue;
      take_pose({given.frames, single_precision, s}, s, c, "frame", to);
      store_pose(frame_in_body(*set_, static_cast<int>(c), pose_of(to)), in_body);
    }
  return result;
}

void BatchRows::commit(Numbers numbers) {
  std::swap(weights, numbers.weights), std::swap(compliance, numbers.compliance);
  std::swap(frames, numbers.frames), std::swap(frames_in_bodies, numbers.frames_in_bodies);
  ++version;
}

void BatchRows::give(Settings& settings, BatchFunction function, std::size_t state) const {
  ++settings.revision;
  for (std::size_t c = 0; !frames.list.empty() && c < constraints(); ++c) {
    if (!has_frame(set_->specs()[c])) continue;
    settings.constraints[c].moved = true;
    settings.constraints[c].frame = pose_of(frames.of(state) + 12 * c);
  }
  if (function == BatchFunction::anchor_here) return;  // which writes anchors
  const double *anchor = anchors.of(state), *gain = gains.of(state), *on = active.of(state);
  for (Settings::Constraint& own : settings.constraints) {
    own.anchor = pose_of(anchor);
    own.frequency = gain[0], own.damping_ratio = gain[1];
    own.active = *on == 1;
    anchor += 12, gain += 2, ++on;
  }
  std::copy_n(weights.of(state), weights.count, settings.weight.begin());
  std::copy_n(compliance.of(state), compliance.count, settings.compliance.begin());
}

std::size_t BatchRows::bytes() const {
  return sizeof *this + bytes_of(anchors.list, anchors.next, gains.list, gains.next, active.list, active.next,
                                 anchored_, frequency_, weights.list, compliance.list, frames.list,
                                 frames_in_bodies.list);
}

void BatchRows::set_anchor(int constraint, const Pose& pose) {
  const std::size_t c = index(constraint);
  for (std::size_t s = 0; s < anchors.states; ++s)
    store_pose(pose, &anchors.list[s * anchors.count + 12 * c]);
  anchored_[c] = 1;
  ++version;
}

void BatchRows::set_gains(std::size_t states, const BatchArray& frequencies, const BatchArray& ratios,
                          bool single_precision) {
  double* to = gains.room(states);
  for (std::size_t s = 0; s < states; ++s) {
    const NumbersOfState frequency(frequencies, single_precision, s), ratio(ratios, single_precision, s);
    for (std::size_t c = 0; c < constraints(); ++c, to += 2) {
      to[0] = frequency[c], to[1] = ratio[c];
      if (!good_gain(to[0]) || !good_gain(to[1]))
        throw Error(all_finite(to, 2) ? Status::invalid_argument : Status::not_finite,
                    place_of(s, c) + "frequency " + std::to_string(to[0]) + " and damping ratio " +
                        std::to_string(to[1]) + " must be finite and not negative");
    }
  }
  gains.commit();
  find_frequencies();
  ++version;
}

void BatchRows::set_active(std::size_t states, const BatchArray& given_active, bool single_precision) {
  double* to = active.room(states);
  bool off = false;
  for (std::size_t s = 0; s < states; ++s) {
    const NumbersOfState given(given_active, single_precision, s);
    for (std::size_t c = 0; c < constraints(); ++c, ++to) {
      *to = given[c];
      if (!(*to == 0 || *to == 1))
        throw Error(Status::invalid_argument, place_of(s, c) + "active is " + std::to_string(*to) +
                                                  "; give 1, or 0 for one that is switched off");
      if (*to == 0 && c >= first_loop_)
        throw Error(Status::invalid_argument,
                    place_of(s, c) +
                        "a loop of the model cannot be switched off; make the model with "
                        "this loop open and close it by a constraint");
      off = off || *to == 0;
    }
  }
  active.commit();
  some_inactive = off;
  ++version;
}

}  // namespace tenon
