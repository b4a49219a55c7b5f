// The functions of tenon.h that take a batch, in the order of the header.
#include <cmath>

#include "history/batch_arguments.hpp"
#include "history/history.hpp"

namespace tenon::testing::history {
namespace {

using namespace draws;
// Settings of all constraints, mostly for one state, which is then every state.
const auto states_to_set = [](Frame& f) {
  if (f.random.chance(0.1)) {
    const std::size_t count = states(f);
    f.sets_nothing = count == 0;
    return count;
  }
  f.batch.assign(1, f.random.integer(0, static_cast<int>(f.scene.states.size()) - 1));
  return std::size_t{1};
};
template <class Draw>
auto of_constraints(const char* name, std::size_t numbers, Draw draw) {
  return [=](Frame& f) {
    return input(f, name, numbers * f.scene.rows_of.size(), [&f, numbers, draw](const SceneState&) {
      Numbers all;
      for (std::size_t i = 0; i < f.scene.rows_of.size(); ++i)
        for (const double x : draw(f, numbers)) all.push_back(x);
      return all;
    });
  };
}
const auto poses_of_all = of_constraints("poses", 7, [](Frame& f, std::size_t) { return pose_numbers(f); });
const auto active_of_all = of_constraints(
    "active", 1, [](Frame& f, std::size_t) { return Numbers{f.random.chance(0.8) ? 1.0 : 0.0}; });
const auto frequencies_of_all = of_constraints("frequencies", 1, [](Frame& f, std::size_t) {
  return f.random.chance(0.5) ? Numbers{0} : uniform(f, 1, 1, 30);
});
const auto ratios_of_all =
    of_constraints("damping_ratios", 1, [](Frame& f, std::size_t n) { return uniform(f, n, 0, 2); });
const auto all_poses = [](const Frame& f) { return 7 * f.scene.rows_of.size(); };
const auto all_constraints = [](const Frame& f) { return f.scene.rows_of.size(); };
const auto all_links = [](const Frame& f) { return f.scene.links; };
const auto spanning_nv = [](const Frame& f) { return f.scene.nv; };
const auto m = [](const Frame& f) { return f.scene.rows; };
const auto three = [](const Frame&) { return std::size_t{3}; };
template <std::size_t by, class Count>
auto times(Count count) {
  return [=](const Frame& f) { return by * count(f); };
}
const auto number = [](Frame& f) { return f.result<std::int32_t>(true); };

// tenon_batch_set_parameters, of some of its arrays, whose settings replace one another: the others stay.
using Arrays =
    std::vector<std::pair<const tenon_batch_array * tenon_batch_parameters::*, const tenon_batch_array*>>;
template <class Draw>
auto parameters(Draw draw) {
  return [=](Frame& f) {
    tenon_batch_parameters p;
    tenon_batch_parameters_init(&p, sizeof p);
    bool whole = true;
    for (const auto& [place, array] : Arrays(draw(f))) {
      p.*place = array;
      whole = whole && array && array->data;
    }
    if (!whole) p.struct_size = 3;  // without numbers it would leave what an earlier call set
    return static_cast<const tenon_batch_parameters*>(f.options(p, false));
  };
}
template <class Draw>
const tenon_batch_array* numbers_of_all(Frame& f, const char* name, std::size_t count, Draw draw) {
  return input(f, name, count, [&, count](const SceneState&) { return draw(count); });
}
const auto bodies = parameters([](Frame& f) -> Arrays {
  const std::size_t links = f.scene.links;
  const auto between = [&f](double low, double high) {
    return [&f, low, high](std::size_t count) { return uniform(f, count, low, high); };
  };
  const auto inertia = [&](std::size_t count) {
    Numbers all = uniform(f, count, -0.02, 0.02);
    for (std::size_t i = 0; i < count; i += 6)
      for (const std::size_t diagonal : {0, 3, 5}) all[i + diagonal] += 0.3;
    return all;
  };
  return {{&tenon_batch_parameters::masses, numbers_of_all(f, "masses", links, between(0.5, 3))},
          {&tenon_batch_parameters::centers_of_mass,
           numbers_of_all(f, "centers_of_mass", 3 * links, between(-0.1, 0.1))},
          {&tenon_batch_parameters::inertias, numbers_of_all(f, "inertias", 6 * links, inertia)},
          {&tenon_batch_parameters::armatures, numbers_of_all(f, "armatures", f.scene.nv, between(0, 0.2))}};
});
const auto loads = parameters([](Frame& f) -> Arrays {
  const std::size_t many = f.scene.links;
  const auto mass = [&f](std::size_t count) { return uniform(f, count, 0, 1); };
  const auto place = [&f](std::size_t count) { return uniform(f, count, -0.1, 0.1); };
  const auto inertia = [](std::size_t count) {
    Numbers all(count);
    for (std::size_t i = 0; i < count; i += 6)
      for (const std::size_t diagonal : {0, 3, 5}) all[i + diagonal] = 0.1;
    return all;
  };
  return {
      {&tenon_batch_parameters::payload_masses, numbers_of_all(f, "payload_masses", many, mass)},
      {&tenon_batch_parameters::payload_centers_of_mass,
       numbers_of_all(f, "payload_centers_of_mass", 3 * many, place)},
      {&tenon_batch_parameters::payload_inertias, numbers_of_all(f, "payload_inertias", 6 * many, inertia)}};
});
const auto friction_of_all = parameters([](Frame& f) -> Arrays {
  const auto some = [&f](std::size_t count) { return uniform(f, count, 0, 0.5); };
  return {{&tenon_batch_parameters::damping, numbers_of_all(f, "damping", f.scene.nv, some)},
          {&tenon_batch_parameters::friction, numbers_of_all(f, "friction", f.scene.nv, some)}};
});
const auto gravity_of_all = parameters([](Frame& f) -> Arrays {
  const auto any = [&f](std::size_t count) { return uniform(f, count, -10, 10); };
  return {{&tenon_batch_parameters::gravity, numbers_of_all(f, "gravity", 3, any)}};
});
const auto frames_of_all = of_constraints("frames", 7, [](Frame& f, std::size_t) { return pose_numbers(f); });
const auto rows_of_all = parameters([](Frame& f) -> Arrays {
  const auto some = [&f](std::size_t count) { return uniform(f, count, 0.1, 2); };
  return {{&tenon_batch_parameters::weights, numbers_of_all(f, "weights", f.scene.rows, some)},
          {&tenon_batch_parameters::compliance, numbers_of_all(f, "compliance", f.scene.rows, some)},
          {&tenon_batch_parameters::frames, frames_of_all(f)}};
});

// columns, q, B, X
const auto product = [](Frame& f) {
  const std::int32_t columns = f.value("columns", 1, 3);
  const std::size_t count = f.scene.rows * static_cast<std::size_t>(columns);
  const tenon_batch_array *q_array = q_of_all(f), *B = input(f, "B", count, [&](const SceneState&) {
    return uniform(f, count, -2, 2);
  });
  return std::make_tuple(columns, q_array, B, f.batch_array("X", count, false));
};

// Only joints of one coordinate have some, but for a mistake now and then.
Numbers stiffness(Frame& f) {
  Numbers numbers = uniform(f, f.scene.nv, 0, 5);
  const bool mistaken = f.random.chance(0.03);
  for (std::size_t i = 0; i < f.scene.joints && !mistaken; ++i) {
    tenon_joint_info joint;
    tenon_joint_info_init(&joint, sizeof joint);
    tenon_model_joint_info(f.scene.model.get(), static_cast<std::int32_t>(i), &joint);
    for (int k = 0; joint.nv > 1 && k < joint.nv; ++k)
      numbers[static_cast<std::size_t>(joint.v_index + k)] = 0;
  }
  return numbers;
}
// At times others in each step.
std::size_t records_of(Frame& f, const tenon_rollout_options& o) {
  return f.random.chance(0.5) ? 1 : o.steps;
}
Numbers scaled(Frame& f, Numbers numbers) {
  const double by = f.random.uniform(0.5, 1.5);
  for (double& x : numbers) x *= by;
  return numbers;
}

// Of the records of a rollout.
const tenon_batch_array* weights_of_records(Frame& f, const char* name, std::size_t records) {
  return input(
      f, name, f.nv(), [&](const SceneState&) { return uniform(f, f.nv(), -1, 1); }, true, records);
}

// options, states, q, v, tau, wrenches, and results(f, records, steps)
template <class Results>
auto rollout_with(Frame& f, const Results& results) {
  tenon_rollout_options o;
  tenon_rollout_options_init(&o, sizeof o);
  o.integrator = f.random.integer(0, 1);
  o.steps = std::min(static_cast<std::size_t>(f.value("steps", 1, 4)), std::size_t{4});
  o.every = static_cast<std::size_t>(f.random.integer(1, 2));
  o.every = std::min(o.every, std::max(o.steps, std::size_t{1}));
  o.dt = dt(f);
  o.solve = solve_options(f);
  const std::size_t records = std::max(o.steps / o.every, std::size_t{1}), steps = o.steps;
  const std::size_t count = states(f);
  if (f.random.chance(0.3)) {
    o.qdd_out = f.batch_array("qdd_out", f.nv(), true, records);
    o.lambda_out = f.batch_array("lambda_out", f.scene.rows, true, records);
    o.damping = numbers_of_all(f, "damping", f.scene.nv, [&f](std::size_t n) { return uniform(f, n, 0, 1); });
    const auto any = [&f](std::size_t n) {
      return [&f, n](const SceneState&) { return uniform(f, n, -1, 1); };
    };
    o.v_target = input(f, "v_target", f.scene.nv, any(f.scene.nv), true, records_of(f, o));
    if (f.random.chance(0.6)) {
      o.stiffness = input(f, "stiffness", f.scene.nv, [&f](const SceneState&) { return stiffness(f); });
      o.q_target = input(f, "q_target", f.scene.nq, any(f.scene.nq), true, records_of(f, o));
    }
  }
  const auto* given = f.options(o, false);
  const tenon_batch_array *q_array = q_of_all(f), *v_array = v_of_all(f);
  const tenon_batch_array* tau_array = input(
      f, "tau", f.nv(), [&](const SceneState& s) { return scaled(f, f.velocities(s.tau)); }, false,
      records_of(f, o));
  const tenon_batch_array* wrenches_array = input(
      f, "wrenches", 6 * f.scene.links, [&f](const SceneState& s) { return scaled(f, s.wrenches); }, true,
      records_of(f, o));
  return std::tuple_cat(std::make_tuple(given, count, q_array, v_array, tau_array, wrenches_array),
                        results(f, records, steps));
}
const auto rollout = [](Frame& f) {
  return rollout_with(f, [](Frame& of, std::size_t records, std::size_t) {
    return std::tuple{of.batch_array("q_out", of.nq(), true, records),
                      of.batch_array("v_out", of.nv(), true, records)};
  });
};
const auto gradients_of_records = [](Frame& f, std::size_t records, std::size_t steps) {
  return std::tuple{weights_of_records(f, "record_gradient_q", records),
                    weights_of_records(f, "record_gradient_v", records),
                    f.batch_array("gradient_q", f.nv(), true), f.batch_array("gradient_v", f.nv(), true),
                    f.batch_array("gradient_tau", f.nv(), true, steps)};
};
const auto rollout_gradients = [](Frame& f) { return rollout_with(f, gradients_of_records); };
// Gradients by parameters; steps: of a rollout, 0: sums that may be added to.
auto by_parameters(Frame& f, std::size_t steps) {
  const auto one = [&](const char* name, std::size_t count, std::size_t records = 0) {
    if (steps > 0) return f.batch_array(name, count, true, records);
    return f.batch_array(name, count, true, 0,
                         [&f, count](const SceneState&) { return uniform(f, count, -1, 1); });
  };
  const bool with_loads = f.random.chance(0.5);  // with these states go one by one
  return std::tuple{one("gradient_inertia", 10 * f.scene.links),
                    one("gradient_armature", f.scene.nv),
                    one("gradient_damping", f.scene.nv),
                    one("gradient_friction", f.scene.nv),
                    with_loads ? one("gradient_wrenches", 6 * f.scene.links, steps) : nullptr,
                    with_loads ? one("gradient_gravity", 3) : nullptr};
}
const auto parameter_sums = [](Frame& f) { return by_parameters(f, 0); };
const auto rollout_parameter_gradients = [](Frame& f) {
  return rollout_with(f, [](Frame& of, std::size_t records, std::size_t steps) {
    auto by_state = gradients_of_records(of, records, steps);
    return std::tuple_cat(by_state, by_parameters(of, steps));
  });
};

std::vector<Entry> made() {
  return {
      makes("tenon_batch_create"),
      makes("tenon_batch_clone"),
      makes("tenon_batch_destroy"),
      asks(entry(TENON_NAMED(tenon_batch_message))),
      asks(entry(TENON_NAMED(tenon_batch_size_bytes))),
      silent(entry(TENON_NAMED(tenon_batch_width))),
      silent(entry(TENON_NAMED(tenon_batch_instruction_set))),
      setter("gravity", entry(TENON_NAMED(tenon_batch_set_gravity), gravity)),
      setter("anchor", of_constraint(entry(TENON_NAMED(tenon_batch_set_anchor), constraint, pose))),
      setter("anchor", entry(TENON_NAMED(tenon_batch_set_anchors), states_to_set, poses_of_all)),
      setter("anchor",
             reading(entry(TENON_NAMED(tenon_batch_anchor_here), states_to_set, q_of_all, integers))),
      entry(TENON_NAMED(tenon_batch_anchors), states_to_set, output("poses", all_poses)),
      entry(TENON_NAMED(tenon_batch_robots), states_to_set, output("masses", all_links, true),
            output("centers_of_mass", times<3>(all_links), true),
            output("inertias", times<6>(all_links), true), output("payload_masses", all_links, true),
            output("payload_centers_of_mass", times<3>(all_links), true),
            output("payload_inertias", times<6>(all_links), true), output("armatures", spanning_nv, true),
            output("damping", spanning_nv, true), output("friction", spanning_nv, true),
            output("gravity", three, true)),
      entry(TENON_NAMED(tenon_batch_constraints), states_to_set, output("active", all_constraints, true),
            output("frequencies", all_constraints, true), output("damping_ratios", all_constraints, true),
            output("anchors", all_poses, true), output("frames", all_poses, true), output("weights", m, true),
            output("compliance", m, true)),
      setter("active", entry(TENON_NAMED(tenon_batch_set_active), states_to_set, active_of_all)),
      setter("gains",
             entry(TENON_NAMED(tenon_batch_set_gains), states_to_set, frequencies_of_all, ratios_of_all)),
      setter("bodies", entry(TENON_NAMED(tenon_batch_set_parameters), states_to_set, bodies)),
      setter("friction", entry(TENON_NAMED(tenon_batch_set_parameters), states_to_set, friction_of_all)),
      setter("gravity", entry(TENON_NAMED(tenon_batch_set_parameters), states_to_set, gravity_of_all)),
      setter("rows", entry(TENON_NAMED(tenon_batch_set_parameters), states_to_set, rows_of_all)),
      setter("loads", entry(TENON_NAMED(tenon_batch_set_parameters), states_to_set, loads)),
      setter("coordinates", entry(TENON_NAMED(tenon_batch_set_coordinates), coordinates)),
      entry(TENON_NAMED(tenon_batch_coordinates), number, number),
      silent(entry(TENON_NAMED(tenon_batch_position_count))),
      silent(entry(TENON_NAMED(tenon_batch_velocity_count))),
      silent(entry(TENON_NAMED(tenon_batch_row_count))),
      setter("guess", entry(TENON_NAMED(tenon_batch_set_guess), all_q)),
      entry(TENON_NAMED(tenon_batch_guess), [](Frame& f) { return f.out("q", f.scene.nq); }),
      asks(entry(
          TENON_NAMED(tenon_batch_report), [](Frame& f) { return std::size_t(f.random.integer(0, 3)); },
          [](Frame& f) { return f.information(tenon_solve_report_init); })),
      entry(TENON_NAMED(tenon_batch_forward_dynamics), states, q_of_all, v_of_all, tau_of_all,
            wrenches_of_all, output("qdd", nv), integers),
      entry(TENON_NAMED(tenon_batch_inverse_dynamics), states, q_of_all, v_of_all, a_of_all, wrenches_of_all,
            output("tau", nv), integers),
      entry(TENON_NAMED(tenon_batch_joint_torque_regressor), states, q_of_all, v_of_all, a_of_all,
            output("Y", nv_by_parameters), integers),
      entry(TENON_NAMED(tenon_batch_mass_matrix), states, q_of_all, output("M", nv_by_nv), integers),
      entry(TENON_NAMED(tenon_batch_mass_matrix_lower), states, q_of_all, output("M", triangle), integers),
      entry(TENON_NAMED(tenon_batch_mass_matrix_factor), states, q_of_all, output("L", triangle), integers),
      entry(TENON_NAMED(tenon_batch_kinematics), states, of_links, integers),
      entry(TENON_NAMED(tenon_batch_kinematics_vjp), derivative_options, states, products_of_links(true),
            integers),
      entry(TENON_NAMED(tenon_batch_kinematics_jvp), derivative_options, states, products_of_links(false),
            integers),
      entry(TENON_NAMED(tenon_batch_link_motion), states, of_moving_links, integers),
      entry(TENON_NAMED(tenon_batch_link_motion_vjp), derivative_options, states,
            products_of_moving_links(true), integers),
      entry(TENON_NAMED(tenon_batch_link_motion_jvp), derivative_options, states,
            products_of_moving_links(false), integers),
      entry(TENON_NAMED(tenon_batch_centroidal), states, of_whole_robots, integers),
      entry(TENON_NAMED(tenon_batch_centroidal_vjp), derivative_options, states, vjp_of_whole_robots,
            integers),
      entry(TENON_NAMED(tenon_batch_centroidal_parameter_vjp), derivative_options, states,
            parameters_of_whole_robots, integers),
      entry(TENON_NAMED(tenon_batch_centroidal_jvp), derivative_options, states, jvp_of_whole_robots,
            integers),
      entry(TENON_NAMED(tenon_batch_constrained_dynamics), solve_options, states, q_of_all, v_of_all,
            tau_of_all, wrenches_of_all, desired_of_all, output("qdd", nv), lambda_of_all, integers,
            integers),
      entry(TENON_NAMED(tenon_batch_impact), states, restitution_of_all, q_of_all, v_of_all,
            output("v_after", nv), output("impulse", m, true), integers),
      entry(TENON_NAMED(tenon_batch_delassus), delassus_options, states, q_of_all, output("A", m_by_m),
            integers),
      entry(TENON_NAMED(tenon_batch_delassus_inverse_times), damped_options, states, product, integers),
      entry(TENON_NAMED(tenon_batch_rollout), rollout, integers),
      entry(TENON_NAMED(tenon_batch_rollout_vjp), rollout_gradients, integers),
      entry(TENON_NAMED(tenon_batch_rollout_parameter_vjp), rollout_parameter_gradients, integers),
      entry(TENON_NAMED(tenon_batch_inverse_dynamics_derivatives), derivative_options, states, q_of_all,
            v_of_all, a_of_all, wrenches_of_all, output("tau", nv, true), sum("dtau_dq", nv_by_nv),
            sum("dtau_dv", nv_by_nv), sum("dtau_da", nv_by_nv), integers),
      entry(TENON_NAMED(tenon_batch_inverse_dynamics_vjp), derivative_options, states, q_of_all, v_of_all,
            a_of_all, wrenches_of_all, change("gradient"), output("tau", nv, true), sum("gradient_q", nv),
            sum("gradient_v", nv), sum("gradient_a", nv), integers),
      entry(TENON_NAMED(tenon_batch_inverse_dynamics_parameter_vjp), derivative_options, states, q_of_all,
            v_of_all, a_of_all, wrenches_of_all, change("gradient"), output("tau", nv, true), parameter_sums,
            integers),
      entry(TENON_NAMED(tenon_batch_forward_dynamics_parameter_vjp), derivative_options, states, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, change("gradient"), output("qdd", nv, true),
            parameter_sums, integers),
      entry(TENON_NAMED(tenon_batch_constrained_dynamics_parameter_vjp), derivative_options, states, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, desired_of_all, change("gradient", true),
            row_change("gradient_lambda"), output("qdd", nv, true), output("lambda", m, true), parameter_sums,
            integers),
      entry(TENON_NAMED(tenon_batch_inverse_dynamics_jvp), derivative_options, states, q_of_all, v_of_all,
            a_of_all, wrenches_of_all, change("dq", true), change("dv", true), change("da", true),
            output("tau", nv, true), sum("dtau", nv, false), integers),
      entry(TENON_NAMED(tenon_batch_forward_dynamics_derivatives), derivative_options, states, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, output("qdd", nv, true), sum("dqdd_dq", nv_by_nv),
            sum("dqdd_dv", nv_by_nv), sum("dqdd_dtau", nv_by_nv), integers),
      entry(TENON_NAMED(tenon_batch_forward_dynamics_vjp), derivative_options, states, q_of_all, v_of_all,
            tau_of_all, wrenches_of_all, change("gradient"), output("qdd", nv, true), sum("gradient_q", nv),
            sum("gradient_v", nv), sum("gradient_tau", nv), integers),
      entry(TENON_NAMED(tenon_batch_forward_dynamics_jvp), derivative_options, states, q_of_all, v_of_all,
            tau_of_all, wrenches_of_all, change("dq", true), change("dv", true), change("dtau", true),
            output("qdd", nv, true), sum("dqdd", nv, false), integers),
      entry(TENON_NAMED(tenon_batch_constrained_dynamics_derivatives), derivative_options, states, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, desired_of_all, output("qdd", nv, true),
            output("lambda", m, true), sum("dqdd_dq", nv_by_nv), sum("dqdd_dv", nv_by_nv),
            sum("dqdd_dtau", nv_by_nv), sum("dqdd_ddesired", nv_by_m), sum("dlambda_dq", nv_by_m),
            sum("dlambda_dv", nv_by_m), sum("dlambda_dtau", nv_by_m), sum("dlambda_ddesired", m_by_m),
            integers),
      entry(TENON_NAMED(tenon_batch_constrained_dynamics_vjp), derivative_options, states, q_of_all, v_of_all,
            tau_of_all, wrenches_of_all, desired_of_all, change("gradient", true),
            row_change("gradient_lambda"), output("qdd", nv, true), output("lambda", m, true),
            sum("gradient_q", nv), sum("gradient_v", nv), sum("gradient_tau", nv), sum("gradient_desired", m),
            integers),
      entry(TENON_NAMED(tenon_batch_constrained_dynamics_jvp), derivative_options, states, q_of_all, v_of_all,
            tau_of_all, wrenches_of_all, desired_of_all, change("dq", true), change("dv", true),
            change("dtau", true), row_change("ddesired"), output("qdd", nv, true), output("lambda", m, true),
            sum("dqdd", nv), sum("dlambda", m), integers),
      entry(TENON_NAMED(tenon_batch_impact_derivatives), derivative_options, states, restitution_of_all,
            q_of_all, v_of_all, output("v_after", nv, true), output("impulse", m, true),
            sum("dv_dq", nv_by_nv), sum("dv_dv", nv_by_nv), sum("dimpulse_dq", nv_by_m),
            sum("dimpulse_dv", nv_by_m), integers),
      entry(TENON_NAMED(tenon_batch_impact_vjp), derivative_options, states, restitution_of_all, q_of_all,
            v_of_all, change("gradient", true), row_change("gradient_impulse"), output("v_after", nv, true),
            output("impulse", m, true), sum("gradient_q", nv), sum("gradient_v", nv), integers),
      entry(TENON_NAMED(tenon_batch_impact_jvp), derivative_options, states, restitution_of_all, q_of_all,
            v_of_all, change("dq", true), change("dv", true), output("v_after", nv, true),
            output("impulse", m, true), sum("dv_after", nv), sum("dimpulse", m), integers),
      entry(TENON_NAMED(tenon_batch_inverse_dynamics_hessian), derivative_options, states, q_of_all, v_of_all,
            a_of_all, wrenches_of_all, change("gradient"), sum("hessian_qq", nv_by_nv),
            sum("hessian_qv", nv_by_nv), sum("hessian_vv", nv_by_nv), sum("hessian_qa", nv_by_nv), integers),
      entry(TENON_NAMED(tenon_batch_forward_dynamics_hessian), derivative_options, states, q_of_all, v_of_all,
            tau_of_all, wrenches_of_all, change("gradient"), sum("hessian_qq", nv_by_nv),
            sum("hessian_qv", nv_by_nv), sum("hessian_vv", nv_by_nv), sum("hessian_qtau", nv_by_nv),
            integers),
      entry(TENON_NAMED(tenon_batch_constrained_dynamics_hessian), derivative_options, states, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, desired_of_all, change("gradient", true),
            row_change("gradient_lambda"), sum("hessian_qq", nv_by_nv), sum("hessian_qv", nv_by_nv),
            sum("hessian_vv", nv_by_nv), sum("hessian_qtau", nv_by_nv), sum("hessian_qdesired", nv_by_m),
            integers),
      entry(TENON_NAMED(tenon_batch_inverse_dynamics_hvp), derivative_options, states, q_of_all, v_of_all,
            a_of_all, wrenches_of_all, change("gradient"), change("dq", true), change("dv", true),
            change("da", true), sum("product_q", nv), sum("product_v", nv), sum("product_a", nv), integers),
      entry(TENON_NAMED(tenon_batch_forward_dynamics_hvp), derivative_options, states, q_of_all, v_of_all,
            tau_of_all, wrenches_of_all, change("gradient"), change("dq", true), change("dv", true),
            change("dtau", true), sum("product_q", nv), sum("product_v", nv), sum("product_tau", nv),
            integers),
      entry(TENON_NAMED(tenon_batch_constrained_dynamics_hvp), derivative_options, states, q_of_all, v_of_all,
            tau_of_all, wrenches_of_all, desired_of_all, change("gradient", true),
            row_change("gradient_lambda"), change("dq", true), change("dv", true), change("dtau", true),
            row_change("ddesired"), sum("product_q", nv), sum("product_v", nv), sum("product_tau", nv),
            sum("product_desired", m), integers),
      entry(TENON_NAMED(tenon_batch_step_semi_implicit_euler_vjp), derivative_options, states, dt, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, change("gradient_next_q", true),
            change("gradient_next_v", true), output("next_q", nq, true), output("next_v", nv, true),
            sum("gradient_q", nv), sum("gradient_v", nv), sum("gradient_tau", nv), integers),
      entry(TENON_NAMED(tenon_batch_step_semi_implicit_euler_jvp), derivative_options, states, dt, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, change("dq", true), change("dv", true),
            change("dtau", true), output("next_q", nq, true), output("next_v", nv, true), sum("dnext_q", nv),
            sum("dnext_v", nv), integers),
      entry(TENON_NAMED(tenon_batch_step_runge_kutta_4_vjp), derivative_options, states, dt, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, change("gradient_next_q", true),
            change("gradient_next_v", true), output("next_q", nq, true), output("next_v", nv, true),
            sum("gradient_q", nv), sum("gradient_v", nv), sum("gradient_tau", nv), integers),
      entry(TENON_NAMED(tenon_batch_step_runge_kutta_4_jvp), derivative_options, states, dt, q_of_all,
            v_of_all, tau_of_all, wrenches_of_all, change("dq", true), change("dv", true),
            change("dtau", true), output("next_q", nq, true), output("next_v", nv, true), sum("dnext_q", nv),
            sum("dnext_v", nv), integers),
  };
}

}  // namespace

const std::vector<Entry>& batch_functions() {
  static const std::vector<Entry> all = made();
  return all;
}

const Kind& batch_kind() {
  static const Kind kind = {"batch",
                            &batch_functions(),
                            [](const Scene& scene, const Making&) {
                              return std::shared_ptr<void>(scene.batch().release(), [](void* b) {
                                tenon_batch_destroy(static_cast<tenon_batch*>(b));
                              });
                            },
                            [](void* b) { return tenon_batch_message(static_cast<tenon_batch*>(b)); },
                            nullptr,
                            true,
                            [](void* b) {
                              tenon_batch* clone = nullptr;
                              tenon_batch_clone(static_cast<tenon_batch*>(b), &clone, nullptr, 0);
                              return std::shared_ptr<void>(
                                  clone, [](void* c) { tenon_batch_destroy(static_cast<tenon_batch*>(c)); });
                            }};
  return kind;
}

}  // namespace tenon::testing::history
