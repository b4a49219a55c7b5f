// How the arguments of functions that take a batch are drawn.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "history/draws.hpp"
#include "history/entry.hpp"

namespace tenon::testing::history::draws {

using Of = std::function<Numbers(const SceneState&)>;

const auto states = [](Frame& f) {
  // At times more than one pack of any width.
  f.batch.resize(static_cast<std::size_t>(f.random.integer(1, f.random.chance(0.1) ? 40 : 10)));
  for (int& state : f.batch) state = f.random.integer(0, static_cast<int>(f.scene.states.size()) - 1);
  std::size_t count = f.batch.size();
  if (f.at_fault("states", 1) == 0) count = 0;
  f.text += ", batch of";
  for (const int state : f.batch) f.text += " " + std::to_string(state);
  return count;
};

inline const tenon_batch_array* input(Frame& f, const char* name, std::size_t count, const Of& of,
                                      bool may_be_null = false, std::size_t records = 0) {
  return f.batch_array(name, count, may_be_null, records, of, false);
}
const auto q_of_all = [](Frame& f) {
  return input(f, "q", f.nq(), [&](const SceneState& s) { return f.positions(s.q); });
};
const auto v_of_all = [](Frame& f) {
  return input(f, "v", f.nv(), [&](const SceneState& s) { return f.velocities(s.v); });
};
const auto v_of_all_or_null = [](Frame& f) {
  return input(
      f, "v", f.nv(), [&](const SceneState& s) { return f.velocities(s.v); }, true);
};
const auto a_of_all = [](Frame& f) {
  return input(f, "a", f.nv(), [&](const SceneState& s) { return f.velocities(s.a); });
};
const auto tau_of_all = [](Frame& f) {
  return input(f, "tau", f.nv(), [&](const SceneState& s) { return f.velocities(s.tau); });
};
const auto wrenches_of_all = [](Frame& f) {
  return input(
      f, "wrenches", 6 * f.scene.links, [](const SceneState& s) { return s.wrenches; }, true);
};
const auto desired_of_all = [](Frame& f) {
  return input(
      f, "desired", f.scene.rows, [&](const SceneState&) { return uniform(f, f.scene.rows, -3, 3); }, true);
};
const auto restitution_of_all = [](Frame& f) {
  return input(
      f, "restitution", f.scene.rows, [&](const SceneState&) { return uniform(f, f.scene.rows, 0, 1); },
      true);
};
const auto lambda_of_all = [](Frame& f) {
  return f.batch_array("lambda", f.scene.rows, true, 0,
                       [&](const SceneState&) { return uniform(f, f.scene.rows, -3, 3); });
};
template <class Count>
auto output(const char* name, Count count, bool may_be_null = false) {
  return [=](Frame& f) { return f.batch_array(name, count(f), may_be_null); };
}
const auto nq = [](const Frame& f) { return f.nq(); };
const auto nv = [](const Frame& f) { return f.nv(); };
const auto nv_by_nv = [](const Frame& f) { return f.nv() * f.nv(); };
const auto nv_by_parameters = [](const Frame& f) { return f.nv() * 10 * f.scene.links; };
const auto triangle = [](const Frame& f) { return f.nv() * (f.nv() + 1) / 2; };
const auto nv_by_m = [](const Frame& f) { return f.nv() * f.scene.rows; };
const auto m_by_m = [](const Frame& f) { return f.scene.rows * f.scene.rows; };
const auto integers = [](Frame& f) { return f.batch_integers(); };
// Of derivatives: what is changed or weighs, and outputs that may be added to.
auto change(const char* name, bool may_be_null = false) {
  return [=](Frame& f) {
    return input(
        f, name, f.nv(), [&](const SceneState&) { return uniform(f, f.nv(), -1, 1); }, may_be_null);
  };
}
auto row_change(const char* name) {
  return [=](Frame& f) {
    return input(
        f, name, f.scene.rows, [&](const SceneState&) { return uniform(f, f.scene.rows, -1, 1); }, true);
  };
}
template <class Count>
auto sum(const char* name, Count count, bool may_be_null = true) {
  return [=](Frame& f) {
    return f.batch_array(name, count(f), may_be_null, 0,
                         [&](const SceneState&) { return uniform(f, count(f), -1, 1); });
  };
}

// ---- kinematics of chosen links

// links, link_count, axes, q, v
const auto links_and_state = [](Frame& f) {
  std::vector<std::int32_t> some(static_cast<std::size_t>(f.random.integer(1, 4)));
  for (std::int32_t& each : some) each = link(f);
  const std::vector<std::int32_t>& links = *f.kept(some);
  const std::int32_t along = axes(f);
  const tenon_batch_array *q_array = q_of_all(f), *v_array = v_of_all_or_null(f);
  return std::make_tuple(links.data(), links.size(), along, q_array, v_array);
};
using LinksAndState = decltype(links_and_state(std::declval<Frame&>()));
inline auto poses_and_velocities(Frame& f, const LinksAndState& of) {
  const std::size_t count = std::get<1>(of);
  const tenon_batch_array *poses = f.batch_array("poses", 7 * count, true),
                          *velocities = f.batch_array("velocities", 6 * count, true);
  return std::make_tuple(poses, velocities);
}

// The same, poses, velocities, jacobians; and with accelerations of joints: a, and accelerations before jacobians
const auto of_links = [](Frame& f) {
  const LinksAndState of = links_and_state(f);
  const auto values = poses_and_velocities(f, of);
  const tenon_batch_array* jacobians = f.batch_array("jacobians", 6 * f.nv() * std::get<1>(of), true);
  return std::tuple_cat(of, values, std::make_tuple(jacobians));
};
inline auto accelerations_of_links(Frame& f, const LinksAndState& of) {
  const tenon_batch_array* accelerations = f.batch_array("accelerations", 6 * std::get<1>(of), true);
  return std::make_tuple(accelerations);
}
const auto of_moving_links = [](Frame& f) {
  const LinksAndState of = links_and_state(f);
  const auto given_a = std::make_tuple(change("a", true)(f));
  const auto values = poses_and_velocities(f, of);
  const auto faster = accelerations_of_links(f, of);
  const tenon_batch_array* jacobians = f.batch_array("jacobians", 6 * f.nv() * std::get<1>(of), true);
  return std::tuple_cat(of, given_a, values, faster, std::make_tuple(jacobians));
};
// What products with derivatives of motion of links are of, and what they give.
struct LinkProducts {
  bool vjp;
  std::size_t from, to;

  LinkProducts(Frame& f, bool vjp_, const LinksAndState& of)
      : vjp(vjp_), from(vjp ? 6 * std::get<1>(of) : f.nv()), to(vjp ? f.nv() : 6 * std::get<1>(of)) {}
  static auto drawn(Frame& f, std::size_t count) {
    return [&f, count](const SceneState&) { return uniform(f, count, -1, 1); };
  }
  const tenon_batch_array* given(Frame& f, int i) const {
    static constexpr const char* names[][3] = {
        {"dq", "dv", "da"}, {"pose_gradients", "velocity_gradients", "acceleration_gradients"}};
    return input(f, names[vjp ? 1 : 0][i], from, drawn(f, from), true);
  }
  const tenon_batch_array* result(Frame& f, int i) const {
    static constexpr const char* names[][3] = {{"dposes", "dvelocities", "daccelerations"},
                                               {"gradient_q", "gradient_v", "gradient_a"}};
    return f.batch_array(names[vjp ? 1 : 0][i], to, true, 0, drawn(f, to));
  }
};
// links and state; pose_gradients, velocity_gradients or dq, dv; poses, velocities; gradient_q, gradient_v or dposes, dvelocities
inline auto products_of_links(bool vjp) {
  return [=](Frame& f) {
    const LinksAndState of = links_and_state(f);
    const LinkProducts x(f, vjp, of);
    const tenon_batch_array *first = x.given(f, 0), *second = x.given(f, 1);
    const auto values = poses_and_velocities(f, of);
    const tenon_batch_array *by_first = x.result(f, 0), *by_second = x.result(f, 1);
    return std::tuple_cat(of, std::make_tuple(first, second), values, std::make_tuple(by_first, by_second));
  };
}
// The same with accelerations
inline auto products_of_moving_links(bool vjp) {
  return [=](Frame& f) {
    const LinksAndState of = links_and_state(f);
    const LinkProducts x(f, vjp, of);
    const tenon_batch_array *given_a = change("a", true)(f), *first = x.given(f, 0), *second = x.given(f, 1),
                            *third = x.given(f, 2);
    const auto values = poses_and_velocities(f, of);
    const auto faster = accelerations_of_links(f, of);
    const tenon_batch_array *by_first = x.result(f, 0), *by_second = x.result(f, 1),
                            *by_third = x.result(f, 2);
    return std::tuple_cat(of, std::make_tuple(given_a, first, second, third), values, faster,
                          std::make_tuple(by_first, by_second, by_third));
  };
}

// ---- numbers of whole robots

struct WholePart {
  const char *value, *gradient, *change;
  std::size_t size;
};
inline constexpr WholePart whole_parts[] = {
    {"centers", "center_gradients", "dcenters", 3},
    {"center_velocities", "center_velocity_gradients", "dcenter_velocities", 3},
    {"momenta", "momentum_gradients", "dmomenta", 6},
    {"kinetic", "kinetic_gradients", "dkinetic", 1},
    {"potential", "potential_gradients", "dpotential", 1}};
using WholeArrays = std::array<const tenon_batch_array*, 5>;

template <class Draw>
WholeArrays whole_arrays(const Draw& draw) {
  WholeArrays arrays{};
  for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i] = draw(whole_parts[i]);
  return arrays;
}
inline auto values_of_whole(Frame& f) {
  return whole_arrays([&](const WholePart& part) { return f.batch_array(part.value, part.size, true); });
}
// q, v, the values
const auto of_whole_robots = [](Frame& f) {
  const tenon_batch_array *q_array = q_of_all(f), *v_array = v_of_all_or_null(f);
  return std::tuple_cat(std::make_tuple(q_array, v_array), values_of_whole(f));
};
// q, v; gradients or dq, dv; the values; gradient_q, gradient_v or changes
inline auto drawn_numbers(Frame& f, std::size_t count) {
  return [&f, count](const SceneState&) { return uniform(f, count, -1, 1); };
}
const auto vjp_of_whole_robots = [](Frame& f) {
  const tenon_batch_array *q_array = q_of_all(f), *v_array = v_of_all_or_null(f);
  const WholeArrays gradients = whole_arrays([&](const WholePart& part) {
    return input(f, part.gradient, part.size, drawn_numbers(f, part.size), true);
  });
  const WholeArrays values = values_of_whole(f);
  const tenon_batch_array *by_q = f.batch_array("gradient_q", f.nv(), true, 0, drawn_numbers(f, f.nv())),
                          *by_v = f.batch_array("gradient_v", f.nv(), true, 0, drawn_numbers(f, f.nv()));
  return std::tuple_cat(std::make_tuple(q_array, v_array), gradients, values, std::make_tuple(by_q, by_v));
};
const auto parameters_of_whole_robots = [](Frame& f) {
  const tenon_batch_array *q_array = q_of_all(f), *v_array = v_of_all_or_null(f);
  const WholeArrays gradients = whole_arrays([&](const WholePart& part) {
    return input(f, part.gradient, part.size, drawn_numbers(f, part.size), true);
  });
  const auto to = [&](const char* name, std::size_t count) {
    return f.batch_array(name, count, true, 0, drawn_numbers(f, count));
  };
  const tenon_batch_array *by_links = to("gradient_inertia", 10 * f.scene.links),
                          *by_joints = to("gradient_armature", f.scene.nv),
                          *by_gravity = to("gradient_gravity", 3);
  return std::tuple_cat(std::make_tuple(q_array, v_array), gradients,
                        std::make_tuple(by_links, by_joints, by_gravity));
};
const auto jvp_of_whole_robots = [](Frame& f) {
  const tenon_batch_array *q_array = q_of_all(f), *v_array = v_of_all_or_null(f), *dq = change("dq", true)(f),
                          *dv = change("dv", true)(f);
  const WholeArrays values = values_of_whole(f);
  const WholeArrays changes = whole_arrays([&](const WholePart& part) {
    return f.batch_array(part.change, part.size, true, 0, drawn_numbers(f, part.size));
  });
  return std::tuple_cat(std::make_tuple(q_array, v_array, dq, dv), values, changes);
};

}  // namespace tenon::testing::history::draws
