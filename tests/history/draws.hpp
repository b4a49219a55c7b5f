// How single arguments are drawn, in the words of tenon.h.
#pragma once

#include <cmath>

#include "history/arguments.hpp"

namespace tenon::testing::history::draws {

template <class T>
T any_of(Frame& f, std::initializer_list<T> from) {
  return from.begin()[f.random.integer(0, static_cast<int>(from.size()) - 1)];
}

inline Numbers uniform(Frame& f, std::size_t count, double low, double high) {
  Numbers numbers(count);
  for (double& x : numbers) x = f.random.uniform(low, high);
  return numbers;
}

inline Numbers pose_numbers(Frame& f) {
  Numbers pose = uniform(f, 7, -1, 1);
  f.random.quaternion(pose.data() + 3);
  if (f.random.chance(0.03)) pose[3] += 0.1;
  return pose;
}

// States.
inline const auto q = [](Frame& f) {
  Numbers numbers = f.positions();
  if (f.random.chance(0.02) && !numbers.empty()) numbers.back() *= 1 + 1e-4;  // of a quaternion, now and then
  return f.in("q", numbers);
};
inline const auto v = [](Frame& f) { return f.in("v", f.velocities(f.state().v)); };
inline const auto v_or_null = [](Frame& f) { return f.in_or_null("v", f.velocities(f.state().v)); };
inline const auto a = [](Frame& f) { return f.in("a", f.velocities(f.state().a)); };
inline const auto a_or_null = [](Frame& f) { return f.in_or_null("a", f.velocities(f.state().a)); };
inline const auto tau = [](Frame& f) { return f.in("tau", f.velocities(f.state().tau)); };
inline const auto wrenches = [](Frame& f) { return f.in_or_null("wrenches", f.state().wrenches); };
inline const auto q_inout = [](Frame& f) { return f.inout("q", f.positions()); };
inline const auto v_inout = [](Frame& f) { return f.inout("v", f.velocities(f.state().v)); };
// Where a function takes them in spanning, or in independent coordinates, whatever is set.
inline const auto all_q = [](Frame& f) { return f.in("q", f.state().q); };
inline const auto all_q_inout = [](Frame& f) { return f.inout("q", f.state().q); };
inline const auto all_v = [](Frame& f) { return f.in("v", f.state().v); };
inline const auto all_v_or_null = [](Frame& f) { return f.in_or_null("v", f.state().v); };
inline const auto all_v_inout = [](Frame& f) { return f.inout("v", f.state().v); };
inline const auto all_tau = [](Frame& f) { return f.in("tau", f.state().tau); };
inline const auto guess_or_null = [](Frame& f) { return f.in_or_null("guess", f.state().q); };
inline const auto y = [](Frame& f) {
  Numbers numbers;
  const SceneState& s = f.state();
  for (const std::int32_t i : f.scene.q_index) numbers.push_back(s.q[static_cast<std::size_t>(i)]);
  return f.in("y", numbers);
};
inline const auto ydot = [](Frame& f) {
  Numbers numbers;
  const SceneState& s = f.state();
  for (const std::int32_t i : f.scene.v_index) numbers.push_back(s.v[static_cast<std::size_t>(i)]);
  return f.in("ydot", numbers);
};

// Rows.
inline const auto desired = [](Frame& f) { return f.in_or_null("desired", uniform(f, f.scene.rows, -3, 3)); };
inline const auto lambda_in = [](Frame& f) {
  return f.in_or_null("lambda", uniform(f, f.scene.rows, -3, 3));
};
inline const auto lambda_inout = [](Frame& f) -> Frame::Output {
  if (f.random.chance(0.15)) return {nullptr, 0};
  return f.inout("lambda", uniform(f, f.scene.rows, -3, 3));
};
inline const auto restitution = [](Frame& f) {
  return f.in_or_null("restitution", uniform(f, f.random.chance(0.5) ? 1 : f.scene.rows, 0, 1));
};
inline const auto constraint = [](Frame& f) {
  return f.constraint = f.index("constraint", f.scene.rows_of.size());
};
inline std::size_t rows_of_it(const Frame& f) {
  const auto i = static_cast<std::size_t>(f.constraint);
  return i < f.scene.rows_of.size() ? f.scene.rows_of[i] : 3;
}
inline const auto weights = [](Frame& f) {
  return f.in_or_null("weights", uniform(f, rows_of_it(f), 0.1, 10));
};
inline const auto compliance = [](Frame& f) {
  const double reach = std::pow(10, f.random.uniform(-6, 0));
  return f.in_or_null("compliance", uniform(f, rows_of_it(f), 0, reach));
};
inline const auto active = [](Frame& f) { return f.value("active", 0, 1); };
inline const auto frequency = [](Frame& f) {
  return f.number("frequency", f.random.chance(0.3) ? 0 : f.random.uniform(0, 20));
};
inline const auto damping_ratio = [](Frame& f) { return f.number("damping ratio", f.random.uniform(0, 2)); };
inline const auto pose = [](Frame& f) { return f.in("pose", pose_numbers(f)); };

// Selectors.
inline const auto link = [](Frame& f) { return f.index("link", f.scene.links); };
inline const auto axes = [](Frame& f) { return f.value("axes", TENON_AXES_LINK, TENON_AXES_WORLD); };
inline const auto link_with_slot = [](Frame& f) { return f.constraint = f.index("link", f.scene.links); };
inline const auto point = [](Frame& f) { return f.in_or_null("point", uniform(f, 3, -1, 1)); };
inline const auto gravity = [](Frame& f) {
  return f.in("gravity", f.random.chance(0.2) ? Numbers{0, 0, 0} : uniform(f, 3, -10, 10));
};
// center_of_mass, inertia: those of a body, or none.
inline std::tuple<const double*, std::size_t, const double*, std::size_t> center_and_inertia(Frame& f) {
  const Frame::Array center = f.in_or_null("centre of mass", uniform(f, 3, -0.2, 0.2));
  const double x = f.random.uniform(0.02, 0.03);
  return std::tuple_cat(center, f.in_or_null("inertia", {x, 0.004, -0.003, 0.03, 0.002, 0.03}));
}
inline const auto load = [](Frame& f) {
  const double mass = f.number("mass", f.random.chance(0.3) ? 0 : f.random.uniform(0, 3));
  return std::tuple_cat(std::make_tuple(mass), center_and_inertia(f));
};
inline const auto body = [](Frame& f) {
  const double mass = f.number("mass", f.random.uniform(0.3, 3));
  return std::tuple_cat(std::make_tuple(mass), center_and_inertia(f));
};
inline const auto armatures = [](Frame& f) {
  return std::tuple_cat(f.in("armatures", uniform(f, f.scene.nv, 0, 0.2)),
                        std::tuple<const double*, std::size_t, const double*, std::size_t>{});
};
inline const auto friction = [](Frame& f) {
  return std::tuple_cat(Frame::Array{}, f.in("damping", uniform(f, f.scene.nv, 0, 0.5)),
                        f.in("friction", uniform(f, f.scene.nv, 0, 0.3)));
};
// All constraints at once: activity, gains, anchors, frames, weights, compliance.
inline const auto all_constraints = [](Frame& f) {
  const std::size_t count = f.scene.rows_of.size();
  std::vector<std::int32_t> on(count, 1);
  for (std::int32_t& x : on) x = f.random.chance(0.9);
  const std::vector<std::int32_t>& kept = *f.kept(std::move(on));
  const auto poses = [&] {
    Numbers all;
    for (std::size_t c = 0; c < count; ++c) {
      const Numbers one = pose_numbers(f);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  };
  const auto frequencies = f.in("frequencies", uniform(f, count, 0, 20));
  const auto ratios = f.in("damping ratios", uniform(f, count, 0, 2));
  const auto anchors = f.in("anchors", poses());
  const auto frames = f.in("frames", poses());
  const auto of_rows = f.in("weights", uniform(f, f.scene.rows, 0.1, 10));
  return std::tuple_cat(std::make_tuple(kept.data(), kept.size()), frequencies, ratios, anchors, frames,
                        of_rows, f.in("compliance", uniform(f, f.scene.rows, 0, 1e-3)));
};
inline const auto seed = [](Frame& f) { return f.random.bits(); };
inline const auto dt = [](Frame& f) { return f.number("dt", any_of(f, {1e-3, 1e-2, 0.3, -1e-3})); };
inline const auto actuated = [](Frame& f) {
  std::vector<std::int32_t> motors(f.nv());
  for (std::int32_t& motor : motors) motor = f.random.chance(0.8);
  return f.integers(motors);
};
inline const auto coordinates = [](Frame& f) {
  f.asked.positions = f.value("positions", 0, 1), f.asked.velocities = f.value("velocities", 0, 1);
  return std::make_tuple(f.asked.positions, f.asked.velocities);
};
inline const auto joints = [](Frame& f) {
  std::vector<std::int32_t> order(f.scene.joints);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(f.random.integer(0, static_cast<int>(i) - 1))]);
  return f.integers(order);
};

// Options.
inline const auto solve_options = [](Frame& f) {
  tenon_solve_options o;
  tenon_solve_options_init(&o, sizeof o);
  if (f.random.chance(0.6)) o.method = f.value("method", 0, tenon_constant_count(TENON_CONSTANT_METHOD) - 1);
  if (f.random.chance(0.2)) o.max_iterations = any_of(f, {1, 2, 5, 30});
  o.warm_start = f.random.chance(0.2);
  o.accelerate = !f.random.chance(0.2);
  o.split_base = f.random.integer(0, 2);
  if (f.random.chance(0.2)) o.relative_tolerance = any_of(f, {0.0, 1e-14, 1e-6, 1e-3});
  if (f.random.chance(0.2)) o.absolute_tolerance = any_of(f, {1e-15, 1e-8, 1e-3});
  if (f.random.chance(0.2)) o.mu = any_of(f, {1e-3, 1.0, 1e4, 1e9});
  if (f.random.chance(0.1)) o.tikhonov = any_of(f, {1e-8, 1e-3, 1.0});
  return f.options(o);
};
inline const auto derivative_options = [](Frame& f) {
  tenon_derivative_options o;
  tenon_derivative_options_init(&o, sizeof o);
  o.accumulate = f.random.chance(0.2);
  o.row_major = f.random.chance(0.3);
  const tenon_derivative_options* given = f.options(o);
  f.row_major = given && given->row_major == 1;
  return given;
};
inline const auto delassus_options = [](Frame& f) {
  tenon_delassus_options o;
  tenon_delassus_options_init(&o, sizeof o);
  o.method = f.value("Delassus method", 0, tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD) - 1);
  return f.options(o);
};
inline const auto damped_options = [](Frame& f) {
  tenon_damped_options o;
  tenon_damped_options_init(&o, sizeof o);
  o.method = f.value("damped method", 0, tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD) - 1);
  if (f.random.chance(0.5)) o.mu = any_of(f, {1e-3, 1.0, 1e6, 1e12});
  if (f.random.chance(0.2))
    std::tie(o.row_mu, o.row_mu_count) = f.in("row_mu", uniform(f, f.scene.rows, 0.1, 1e4));
  return f.options(o);
};
inline const auto projection_options = [](Frame& f) {
  tenon_projection_options o;
  tenon_projection_options_init(&o, sizeof o);
  if (f.random.chance(0.5)) o.max_iterations = f.value("iterations", 1, 10);
  return f.options(o);
};
inline const auto closing_options = [](Frame& f) {
  tenon_closing_options o;
  tenon_closing_options_init(&o, sizeof o);
  o.moves = f.value("moves", TENON_LOOP_MOVES_DEPENDENT, TENON_LOOP_MOVES_ALL);
  return f.options(o);
};
inline const auto assembly_options = [](Frame& f) {
  tenon_assembly_options o;
  tenon_assembly_options_init(&o, sizeof o);
  o.starts = f.random.integer(1, 5);
  return f.options(o, false);
};

}  // namespace tenon::testing::history::draws
