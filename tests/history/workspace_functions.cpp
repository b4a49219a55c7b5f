// The functions of tenon.h and tenonx.h that take a workspace, in the order of the headers.
#include <algorithm>

#include "history/draws.hpp"
#include "history/entry.hpp"

namespace tenon::testing::history {
namespace {

using namespace draws;

// Outputs: vectors and matrices by the numbers that Frame knows.
template <class Count>
auto out(const char* name, Count count, bool may_be_null = false) {
  return [=](Frame& f) { return f.out(name, count(f), may_be_null); };
}
template <class Rows, class Columns>
auto matrix(const char* name, Rows rows, Columns columns, bool may_be_null = false) {
  return [=](Frame& f) { return f.matrix(name, rows(f), columns(f), may_be_null); };
}
template <class T>
auto result(bool may_be_null = false) {
  return [=](Frame& f) { return f.result<T>(may_be_null); };
}
template <class T>
auto information(tenon_status (*init)(T*, std::size_t)) {
  return [=](Frame& f) { return f.information(init); };
}
const auto three = [](const Frame&) { return std::size_t{3}; };
const auto six = [](const Frame&) { return std::size_t{6}; };
const auto seven = [](const Frame&) { return std::size_t{7}; };
const auto nine = [](const Frame&) { return std::size_t{9}; };
const auto nq = [](const Frame& f) { return f.nq(); };
const auto nv = [](const Frame& f) { return f.nv(); };
const auto all_nq = [](const Frame& f) { return f.scene.nq; };
const auto all_nv = [](const Frame& f) { return f.scene.nv; };
const auto nyq = [](const Frame& f) { return f.scene.nyq(); };
const auto ny = [](const Frame& f) { return f.scene.ny(); };
const auto m = [](const Frame& f) { return f.scene.rows; };
const auto of_solution = [](const Frame& f) { return f.nv() + f.scene.rows; };
const auto loop_rows = [](const Frame& f) { return f.scene.loop_rows; };
const auto ratios = [](const Frame& f) { return f.scene.ratios; };
constexpr bool or_null = true;

// Of derivatives: what is changed or weighs, and outputs that may be added to.
auto change(const char* name, bool may_be_null = false) {
  return [=](Frame& f) {
    const Numbers numbers = uniform(f, f.nv(), -1, 1);
    return may_be_null ? f.in_or_null(name, numbers) : f.in(name, numbers);
  };
}
auto sum(const char* name) {
  return [=](Frame& f) { return f.inout(name, uniform(f, f.nv(), -1, 1)); };
}
auto sum_or_null(const char* name) {
  return [=](Frame& f) -> Frame::Output {
    if (f.random.chance(0.2)) return {nullptr, 0};
    return f.inout(name, uniform(f, f.nv(), -1, 1));
  };
}
auto row_sum_or_null(const char* name) {
  return [=](Frame& f) -> Frame::Output {
    if (f.random.chance(0.2)) return {nullptr, 0};
    return f.inout(name, uniform(f, f.scene.rows, -1, 1));
  };
}
auto row_change(const char* name) {
  return [=](Frame& f) { return f.in_or_null(name, uniform(f, f.scene.rows, -1, 1)); };
}
const auto parameters = [](const Frame& f) { return 10 * f.scene.links; };
template <class Size>
auto numbers_sum_or_null(const char* name, const Size& size) {
  return [=](Frame& f) -> Frame::Output {
    if (f.random.chance(0.2)) return {nullptr, 0};
    return f.inout(name, uniform(f, size(f), -1, 1));
  };
}
auto parameter_sum_or_null(const char* name) {
  return numbers_sum_or_null(name, parameters);
}
auto wrench_sum_or_null(const char* name) {
  return numbers_sum_or_null(name, [](const Frame& f) { return 6 * f.scene.links; });
}
auto gravity_sum_or_null(const char* name) {
  return numbers_sum_or_null(name, three);
}
// What stands behind the options of derivatives by loads on chosen links.
const auto loads_on_links = [](Frame& f) {
  std::vector<std::int32_t> some(static_cast<std::size_t>(
      f.random.integer(1, static_cast<int>(std::min(f.scene.links, std::size_t{3})))));
  for (std::int32_t& each : some) each = link(f);
  const auto links = f.integers(some);
  const auto at = q(f), moving = v(f), forces = tau(f), pulls = wrenches(f), rows = desired(f);
  const auto qdd = f.out("qdd", nv(f), or_null), lambda = f.out("lambda", m(f), or_null);
  const auto by_wrenches = f.matrix("dx_dwrenches", of_solution(f), 6 * some.size(), or_null),
             by_gravity = f.matrix("dx_dgravity", of_solution(f), 3, or_null);
  return std::tuple_cat(links, at, moving, forces, pulls, rows, qdd, lambda, by_wrenches, by_gravity);
};
// Numbers of a body that can exist, and now and then of one that cannot.
const auto body_parameters = [](Frame& f) {
  Numbers pi = uniform(f, 10, -0.1, 0.1);
  pi[0] += 2, pi[4] += 1, pi[7] += 1, pi[9] += f.random.chance(0.2) ? 3 : 1;
  return f.in("pi", pi);
};
const auto chart_parameters = [](Frame& f) { return f.in("theta", uniform(f, 10, -1, 1)); };
const auto zeros = [](Frame& f) { return f.value("zeros", 0, 1); };
const auto ten = [](const Frame&) { return std::size_t{10}; };
auto square(const char* name) {
  return matrix(name, nv, nv, or_null);
}

// columns, B, X
const auto columns_of_nv = [](Frame& f) { return f.columns(f.nv()); };
const auto columns_of_m = [](Frame& f) { return f.columns(f.scene.rows); };

// q, v, dt, next: next is now and then q itself.
const auto next_position = [](Frame& f) {
  const bool same = f.random.chance(0.3);
  const Frame::Output both = same ? f.inout("q", f.positions()) : Frame::Output{};
  const Frame::Array from =
      same ? Frame::Array{std::get<0>(both), std::get<1>(both)} : f.in("q", f.positions());
  const auto speed = v(f);
  const double step = dt(f);
  return std::tuple_cat(from, speed, std::make_tuple(step), same ? both : f.out("next", f.nq()));
};

const auto assemblies = [](Frame& f) {
  const std::int32_t capacity = f.value("capacity", 1, 4);
  return std::tuple_cat(std::make_tuple(capacity),
                        f.out("assemblies", f.scene.nq * static_cast<std::size_t>(capacity)));
};

const auto loop_method = [](Frame& f) { return f.value("loop method", 0, tenonx_loop_method_count() - 1); };

// convention, direction, joints, in, out of tenon_convert_configuration; convention, direction, joints of the others.
std::int32_t convention(Frame& f) {
  return f.value("convention", 0, tenon_constant_count(TENON_CONSTANT_CONVENTION) - 1);
}
const auto converted_configuration = [](Frame& f) {
  const std::int32_t other = convention(f), direction = f.value("direction", 0, 1);
  const auto order = joints(f);
  const std::int32_t count = tenon_convention_nq(f.scene.model.get(), other);
  const std::size_t theirs = count < 0 ? 0 : static_cast<std::size_t>(count);
  Numbers from = f.positions();
  std::size_t to = theirs;
  if (direction == TENON_DIRECTION_FROM_OTHER) {
    from = uniform(f, theirs, -1, 1);
    to = f.nq();
  }
  const Frame::Array in = f.in("in", from);
  return std::tuple_cat(std::make_tuple(other, direction), order, in, f.out("out", to));
};
const auto conversion = [](Frame& f) {
  const std::int32_t other = convention(f), direction = f.value("direction", 0, 1);
  return std::tuple_cat(std::make_tuple(other, direction), joints(f));
};

// active, frequencies, damping ratios, anchors, frames, weights, compliance
const auto constraints_out = [](Frame& f) {
  const std::size_t count = f.scene.rows_of.size();
  const auto active = f.written_integers(count);
  const auto frequencies = f.out("frequencies", count, or_null), ratios = f.out("ratios", count, or_null),
             anchors = f.out("anchors", 7 * count, or_null), frames = f.out("frames", 7 * count, or_null),
             weights = f.out("weights", f.scene.rows, or_null);
  return std::tuple_cat(std::make_tuple(active, count), frequencies, ratios, anchors, frames, weights,
                        f.out("compliance", f.scene.rows, or_null));
};

std::vector<Entry> made() {
  const auto qdd = out("qdd", nv), qdd_or_null = out("qdd", nv, or_null);
  return {
      makes("tenon_workspace_create"),
      makes("tenon_workspace_clone"),
      makes("tenon_workspace_destroy"),
      silent(entry(TENON_NAMED(tenon_workspace_instruction_set))),
      asks(entry(TENON_NAMED(tenon_workspace_message))),
      asks(entry(TENON_NAMED(tenon_workspace_size_bytes))),
      setter("gravity", entry(TENON_NAMED(tenon_workspace_set_gravity), gravity)),
      entry(TENON_NAMED(tenon_workspace_gravity), out("gravity", three)),
      setter("anchor", of_constraint(entry(TENON_NAMED(tenon_workspace_set_anchor), constraint, pose))),
      entry(TENON_NAMED(tenon_workspace_anchor), constraint, out("pose", seven)),
      setter("frame", of_constraint(entry(TENON_NAMED(tenon_workspace_set_frame), constraint, pose))),
      entry(TENON_NAMED(tenon_workspace_frame), constraint, out("pose", seven)),
      setter("active", of_constraint(entry(TENON_NAMED(tenon_workspace_set_active), constraint, active))),
      setter("gains", of_constraint(entry(TENON_NAMED(tenon_workspace_set_gains), constraint, frequency,
                                          damping_ratio))),
      setter("weights", of_constraint(entry(TENON_NAMED(tenon_workspace_set_weights), constraint, weights))),
      setter("compliance",
             of_constraint(entry(TENON_NAMED(tenon_workspace_set_compliance), constraint, compliance))),
      entry(TENON_NAMED(tenon_workspace_constraint_settings), constraint,
            information(tenon_constraint_settings_init), out("weights", rows_of_it, or_null),
            out("compliance", rows_of_it, or_null)),
      setter("anchor", reading(entry(TENON_NAMED(tenon_workspace_anchor_here), q))),
      // An array that is absent leaves what was set before, so that none of these replaces another.
      setter("added", entry(TENON_NAMED(tenon_workspace_set_constraints), all_constraints)),
      entry(TENON_NAMED(tenon_workspace_constraints), constraints_out),
      setter("payload", of_constraint(entry(TENON_NAMED(tenon_workspace_set_payload), link_with_slot, load))),
      entry(TENON_NAMED(tenon_workspace_payload), link, result<double>(or_null),
            out("centre", three, or_null), out("inertia", six, or_null)),
      // What can be set depends on what was set before.
      setter("inertia",
             of_constraint(reading(entry(TENON_NAMED(tenon_workspace_set_inertia), link_with_slot, body)))),
      entry(TENON_NAMED(tenon_workspace_inertia), link, result<double>(or_null),
            out("centre", three, or_null), out("inertia", six, or_null)),
      setter("added", reading(entry(TENON_NAMED(tenon_workspace_set_joint_parameters), armatures))),
      setter("added", entry(TENON_NAMED(tenon_workspace_set_joint_parameters), friction)),
      entry(TENON_NAMED(tenon_workspace_joint_parameters), out("armatures", all_nv, or_null),
            out("damping", all_nv, or_null), out("friction", all_nv, or_null)),
      entry(TENON_NAMED(tenon_project_positions), projection_options, q_inout),
      entry(TENON_NAMED(tenon_project_velocities), q, v_inout),

      keeper("kinematics", entry(TENON_NAMED(tenon_kinematics), q, v_or_null, a_or_null)),
      after("kinematics", entry(TENON_NAMED(tenon_link_pose), link, out("pose", seven, or_null),
                                out("rotation", nine, or_null))),
      after("kinematics", entry(TENON_NAMED(tenon_link_velocity), link, axes, out("velocity", six))),
      after("kinematics", entry(TENON_NAMED(tenon_link_acceleration), link, axes, out("acceleration", six))),
      after("kinematics", entry(TENON_NAMED(tenon_link_jacobian), link, axes, matrix("J", six, nv))),
      after("kinematics", entry(TENON_NAMED(tenon_point_jacobian), link, point, axes, matrix("J", six, nv))),
      after("kinematics",
            entry(TENON_NAMED(tenon_point_bias_acceleration), link, point, axes, out("acceleration", six))),
      after("kinematics",
            entry(TENON_NAMED(tenon_link_bias_acceleration), link, axes, out("acceleration", six))),
      after("kinematics", entry(TENON_NAMED(tenon_center_of_mass), out("position", three, or_null),
                                out("velocity", three, or_null), matrix("J", three, nv, or_null))),
      after("kinematics", entry(TENON_NAMED(tenon_centroidal_momentum), out("momentum", six))),
      after("kinematics", entry(TENON_NAMED(tenon_centroidal_momentum_matrix), matrix("A", six, nv))),
      after("kinematics", entry(TENON_NAMED(tenon_centroidal_momentum_bias), out("bias", six))),
      after("kinematics", entry(TENON_NAMED(tenon_energy), result<double>(or_null), result<double>(or_null))),

      entry(TENON_NAMED(tenon_inverse_dynamics), q, v, a, wrenches, out("tau", nv)),
      entry(TENON_NAMED(tenon_bias), q, v, wrenches, out("c", nv)),
      entry(TENON_NAMED(tenon_gravity_force), q, out("g", nv)),
      entry(TENON_NAMED(tenon_coriolis_matrix), q, v, matrix("C", nv, nv)),
      entry(TENON_NAMED(tenon_mass_matrix), q, matrix("M", nv, nv)),
      keeper("mass factor", entry(TENON_NAMED(tenon_mass_matrix_factor), q)),
      after("mass factor", entry(TENON_NAMED(tenon_mass_matrix_solve), columns_of_nv)),
      after("mass factor", entry(TENON_NAMED(tenon_mass_matrix_multiply), columns_of_nv)),
      entry(TENON_NAMED(tenon_forward_dynamics), q, v, tau, wrenches, qdd),

      entry(TENON_NAMED(tenon_inverse_dynamics_derivatives), derivative_options, q, v, a, wrenches,
            out("tau", nv, or_null), square("dtau_dq"), square("dtau_dv"), square("dtau_da")),
      entry(TENON_NAMED(tenon_inverse_dynamics_vjp), derivative_options, q, v, a, wrenches,
            change("gradient"), out("tau", nv, or_null), sum_or_null("gradient_q"), sum_or_null("gradient_v"),
            sum_or_null("gradient_a")),
      entry(TENON_NAMED(tenon_inverse_dynamics_jvp), derivative_options, q, v, a, wrenches,
            change("dq", or_null), change("dv", or_null), change("da", or_null), out("tau", nv, or_null),
            sum("dtau")),
      entry(TENON_NAMED(tenon_forward_dynamics_derivatives), derivative_options, q, v, tau, wrenches,
            qdd_or_null, square("dqdd_dq"), square("dqdd_dv"), square("dqdd_dtau")),
      entry(TENON_NAMED(tenon_forward_dynamics_vjp), derivative_options, q, v, tau, wrenches,
            change("gradient"), qdd_or_null, sum_or_null("gradient_q"), sum_or_null("gradient_v"),
            sum_or_null("gradient_tau")),
      entry(TENON_NAMED(tenon_forward_dynamics_jvp), derivative_options, q, v, tau, wrenches,
            change("dq", or_null), change("dv", or_null), change("dtau", or_null), qdd_or_null, sum("dqdd")),
      entry(TENON_NAMED(tenon_constrained_dynamics_derivatives), derivative_options, q, v, tau, wrenches,
            desired, qdd_or_null, out("lambda", m, or_null), square("dqdd_dq"), square("dqdd_dv"),
            square("dqdd_dtau"), matrix("dqdd_ddesired", nv, m, or_null)),
      entry(TENON_NAMED(tenon_constrained_solution_derivatives), derivative_options, q, v, tau, wrenches,
            desired, qdd_or_null, out("lambda", m, or_null), matrix("dx_dq", of_solution, nv, or_null),
            matrix("dx_dv", of_solution, nv, or_null), matrix("dx_dtau", of_solution, nv, or_null),
            matrix("dx_ddesired", of_solution, m, or_null)),
      entry(TENON_NAMED(tenon_constrained_dynamics_vjp), derivative_options, q, v, tau, wrenches, desired,
            change("gradient", or_null), row_change("gradient_lambda"), qdd_or_null,
            out("lambda", m, or_null), sum_or_null("gradient_q"), sum_or_null("gradient_v"),
            sum_or_null("gradient_tau"), row_sum_or_null("gradient_desired")),
      entry(TENON_NAMED(tenon_constrained_dynamics_jvp), derivative_options, q, v, tau, wrenches, desired,
            change("dq", or_null), change("dv", or_null), change("dtau", or_null), row_change("ddesired"),
            qdd_or_null, out("lambda", m, or_null), sum_or_null("dqdd"), row_sum_or_null("dlambda")),
      entry(TENON_NAMED(tenon_inverse_dynamics_hessian), derivative_options, q, v, a, wrenches,
            change("gradient"), square("hessian_qq"), square("hessian_qv"), square("hessian_vv"),
            square("hessian_qa")),
      entry(TENON_NAMED(tenon_forward_dynamics_hessian), derivative_options, q, v, tau, wrenches,
            change("gradient"), square("hessian_qq"), square("hessian_qv"), square("hessian_vv"),
            square("hessian_qtau")),
      entry(TENON_NAMED(tenon_constrained_dynamics_hessian), derivative_options, q, v, tau, wrenches, desired,
            change("gradient", or_null), row_change("gradient_lambda"), square("hessian_qq"),
            square("hessian_qv"), square("hessian_vv"), square("hessian_qtau"),
            matrix("hessian_qdesired", nv, m, or_null)),
      entry(TENON_NAMED(tenon_inverse_dynamics_hvp), derivative_options, q, v, a, wrenches,
            change("gradient"), change("dq", or_null), change("dv", or_null), change("da", or_null),
            sum_or_null("product_q"), sum_or_null("product_v"), sum_or_null("product_a")),
      entry(TENON_NAMED(tenon_forward_dynamics_hvp), derivative_options, q, v, tau, wrenches,
            change("gradient"), change("dq", or_null), change("dv", or_null), change("dtau", or_null),
            sum_or_null("product_q"), sum_or_null("product_v"), sum_or_null("product_tau")),
      entry(TENON_NAMED(tenon_constrained_dynamics_hvp), derivative_options, q, v, tau, wrenches, desired,
            change("gradient", or_null), row_change("gradient_lambda"), change("dq", or_null),
            change("dv", or_null), change("dtau", or_null), row_change("ddesired"), sum_or_null("product_q"),
            sum_or_null("product_v"), sum_or_null("product_tau"), row_sum_or_null("product_desired")),
      entry(TENON_NAMED(tenon_impact_derivatives), derivative_options, restitution, q, v,
            out("v_after", nv, or_null), out("impulse", m, or_null), square("dv_dq"), square("dv_dv"),
            matrix("dimpulse_dq", m, nv, or_null), matrix("dimpulse_dv", m, nv, or_null)),
      entry(TENON_NAMED(tenon_impact_vjp), derivative_options, restitution, q, v, change("gradient", or_null),
            row_change("gradient_impulse"), out("v_after", nv, or_null), out("impulse", m, or_null),
            sum_or_null("gradient_q"), sum_or_null("gradient_v")),
      entry(TENON_NAMED(tenon_impact_jvp), derivative_options, restitution, q, v, change("dq", or_null),
            change("dv", or_null), out("v_after", nv, or_null), out("impulse", m, or_null),
            sum_or_null("dv_after"), row_sum_or_null("dimpulse")),

      entry(TENON_NAMED(tenon_constrained_dynamics), solve_options, q, v, tau, wrenches, desired, qdd,
            lambda_inout),
      entry(TENON_NAMED(tenon_constrained_inverse_dynamics), q, v, a, wrenches, lambda_in, out("tau", nv)),
      entry(TENON_NAMED(tenon_underactuated_inverse_dynamics), actuated, q, v, a, wrenches,
            out("lambda", m, or_null), out("tau", nv)),
      entry(TENON_NAMED(tenon_impact), restitution, q, v_inout, out("impulse", m, or_null)),
      asks(entry(TENON_NAMED(tenon_workspace_report), information(tenon_solve_report_init))),
      entry(TENON_NAMED(tenon_constraint_rows), q, v, desired, matrix("J", m, nv, or_null),
            out("rhs", m, or_null), out("position_error", m, or_null), out("row_velocity", m, or_null)),

      entry(TENON_NAMED(tenon_delassus), delassus_options, q, matrix("A", m, m)),
      keeper("damped inverse",
             entry(TENON_NAMED(tenon_delassus_inverse), damped_options, q, matrix("inverse", m, m))),
      keeper("damped inverse", entry(TENON_NAMED(tenon_delassus_factor), damped_options, q)),
      after("damped inverse", entry(TENON_NAMED(tenon_delassus_solve), columns_of_m)),
      entry(TENON_NAMED(tenon_operational_space), q, matrix("Lambda", m, m, or_null),
            matrix("J_bar", nv, m, or_null), matrix("N", nv, nv, or_null), result<std::int32_t>(or_null)),
      entry(TENON_NAMED(tenon_mass_matrix_inverse_times), q, columns_of_nv),

      entry(TENON_NAMED(tenon_integrate), next_position),
      entry(TENON_NAMED(tenon_difference), q, q, out("v", nv)),
      entry(TENON_NAMED(tenon_neutral), out("q", nq)),
      entry(TENON_NAMED(tenon_random), seed, out("q", nq)),

      setter("coordinates", forgetting({"kinematics", "mass factor"},
                                       entry(TENON_NAMED(tenon_workspace_set_coordinates), coordinates))),
      entry(TENON_NAMED(tenon_workspace_coordinates), result<std::int32_t>(or_null),
            result<std::int32_t>(or_null)),
      silent(entry(TENON_NAMED(tenon_workspace_position_count))),
      silent(entry(TENON_NAMED(tenon_workspace_velocity_count))),
      silent(entry(TENON_NAMED(tenon_workspace_row_count))),
      setter("guess", entry(TENON_NAMED(tenon_workspace_set_guess), all_q)),
      entry(TENON_NAMED(tenon_workspace_guess), out("q", all_nq)),
      entry(TENON_NAMED(tenon_loop_gap), all_q, result<double>()),
      entry(TENON_NAMED(tenon_check_loops), all_q, all_v_or_null, information(tenon_loop_state_init)),
      entry(TENON_NAMED(tenon_close_loops), closing_options, all_q_inout, result<double>(or_null)),
      entry(TENON_NAMED(tenon_close_loop_velocities), closing_options, all_q, all_v_inout),
      entry(TENON_NAMED(tenon_independent_position), all_q, out("y", nyq)),
      entry(TENON_NAMED(tenon_spanning_position), y, guess_or_null, out("q", all_nq)),
      entry(TENON_NAMED(tenon_find_assemblies), assembly_options, all_q, assemblies, result<std::int32_t>()),
      entry(TENON_NAMED(tenon_independent_velocity), all_v, out("ydot", ny)),
      entry(TENON_NAMED(tenon_spanning_velocity), all_q, ydot, out("v", all_nv)),
      entry(TENON_NAMED(tenon_spanning_acceleration), all_q, all_v, ydot, out("qdd", all_nv)),
      entry(TENON_NAMED(tenon_independent_force), all_q, all_tau, out("tau_y", ny)),
      entry(TENON_NAMED(tenon_spanning_force), ydot, out("tau", all_nv)),
      entry(TENON_NAMED(tenon_loop_map), all_q, all_v_or_null, matrix("G", all_nv, ny, or_null),
            out("g", all_nv, or_null)),
      entry(TENON_NAMED(tenon_loop_jacobian), all_q, all_v_or_null, matrix("K", loop_rows, all_nv, or_null),
            out("k", loop_rows, or_null), out("phi", loop_rows, or_null)),

      entry(TENON_NAMED(tenon_convert_configuration), converted_configuration),
      entry(TENON_NAMED(tenon_convert_velocity), conversion, q, v, out("out", nv)),
      entry(TENON_NAMED(tenon_convert_acceleration), conversion, q, v, a, out("out", nv)),
      entry(TENON_NAMED(tenon_convert_force), conversion, q, tau, out("out", nv)),
      entry(TENON_NAMED(tenon_normalize), q_inout),
      entry(TENON_NAMED(tenon_step_semi_implicit_euler), solve_options, dt, q_inout, v_inout, tau, wrenches,
            qdd_or_null, lambda_inout),
      entry(TENON_NAMED(tenon_step_runge_kutta_4), solve_options, dt, q_inout, v_inout, tau, wrenches,
            qdd_or_null, lambda_inout),
      entry(TENON_NAMED(tenon_step_semi_implicit_euler_vjp), derivative_options, dt, q, v, tau, wrenches,
            change("gradient_next_q", or_null), change("gradient_next_v", or_null),
            out("next_q", nq, or_null), out("next_v", nv, or_null), sum_or_null("gradient_q"),
            sum_or_null("gradient_v"), sum_or_null("gradient_tau")),
      entry(TENON_NAMED(tenon_step_semi_implicit_euler_jvp), derivative_options, dt, q, v, tau, wrenches,
            change("dq", or_null), change("dv", or_null), change("dtau", or_null), out("next_q", nq, or_null),
            out("next_v", nv, or_null), sum_or_null("dnext_q"), sum_or_null("dnext_v")),
      entry(TENON_NAMED(tenon_step_runge_kutta_4_vjp), derivative_options, dt, q, v, tau, wrenches,
            change("gradient_next_q", or_null), change("gradient_next_v", or_null),
            out("next_q", nq, or_null), out("next_v", nv, or_null), sum_or_null("gradient_q"),
            sum_or_null("gradient_v"), sum_or_null("gradient_tau")),
      entry(TENON_NAMED(tenon_step_runge_kutta_4_jvp), derivative_options, dt, q, v, tau, wrenches,
            change("dq", or_null), change("dv", or_null), change("dtau", or_null), out("next_q", nq, or_null),
            out("next_v", nv, or_null), sum_or_null("dnext_q"), sum_or_null("dnext_v")),

      after("kinematics",
            entry(TENON_NAMED(tenon_point_velocity_derivatives), derivative_options, link, point, axes,
                  matrix("dvelocity_dq", six, nv, or_null), matrix("dvelocity_dv", six, nv, or_null))),
      after("kinematics",
            entry(TENON_NAMED(tenon_point_acceleration_derivatives), derivative_options, link, point, axes,
                  matrix("dacceleration_dq", six, nv, or_null), matrix("dacceleration_dv", six, nv, or_null),
                  matrix("dacceleration_da", six, nv, or_null))),
      after("kinematics",
            entry(TENON_NAMED(tenon_center_of_mass_derivatives), derivative_options,
                  out("acceleration", three, or_null), matrix("dvelocity_dq", three, nv, or_null),
                  matrix("dacceleration_dq", three, nv, or_null),
                  matrix("dacceleration_dv", three, nv, or_null))),
      after("kinematics", entry(TENON_NAMED(tenon_centroidal_momentum_derivatives), derivative_options,
                                out("rate", six, or_null), matrix("dmomentum_dq", six, nv, or_null),
                                matrix("dmomentum_dv", six, nv, or_null),
                                matrix("drate_dq", six, nv, or_null), matrix("drate_dv", six, nv, or_null))),
      after("kinematics",
            entry(TENON_NAMED(tenon_energy_gradients), derivative_options, sum_or_null("kinetic_q"),
                  sum_or_null("kinetic_v"), sum_or_null("potential_q"))),
      entry(TENON_NAMED(tenon_gravity_force_derivatives), derivative_options, q, out("g", nv, or_null),
            square("dg_dq"), matrix("dg_dgravity", nv, three, or_null)),

      entry(TENON_NAMED(tenon_joint_torque_regressor), q, v, a, zeros, matrix("Y", nv, parameters)),
      after("kinematics", entry(TENON_NAMED(tenon_energy_regressors), out("kinetic", parameters, or_null),
                                out("potential", parameters, or_null))),
      entry(TENON_NAMED(tenon_inverse_dynamics_parameter_vjp), derivative_options, q, v, a, wrenches,
            change("gradient"), out("tau", nv, or_null), parameter_sum_or_null("gradient_inertia"),
            numbers_sum_or_null("gradient_armature", all_nv), numbers_sum_or_null("gradient_damping", all_nv),
            numbers_sum_or_null("gradient_friction", all_nv), wrench_sum_or_null("gradient_wrenches"),
            gravity_sum_or_null("gradient_gravity")),
      entry(TENON_NAMED(tenon_forward_dynamics_parameter_vjp), derivative_options, q, v, tau, wrenches,
            change("gradient"), out("qdd", nv, or_null), parameter_sum_or_null("gradient_inertia"),
            numbers_sum_or_null("gradient_armature", all_nv), numbers_sum_or_null("gradient_damping", all_nv),
            numbers_sum_or_null("gradient_friction", all_nv), wrench_sum_or_null("gradient_wrenches"),
            gravity_sum_or_null("gradient_gravity")),
      entry(TENON_NAMED(tenon_constrained_dynamics_parameter_vjp), derivative_options, q, v, tau, wrenches,
            desired, change("gradient", or_null), row_change("gradient_lambda"), out("qdd", nv, or_null),
            out("lambda", m, or_null), parameter_sum_or_null("gradient_inertia"),
            numbers_sum_or_null("gradient_armature", all_nv), numbers_sum_or_null("gradient_damping", all_nv),
            numbers_sum_or_null("gradient_friction", all_nv), wrench_sum_or_null("gradient_wrenches"),
            gravity_sum_or_null("gradient_gravity")),
      entry(TENON_NAMED(tenon_inverse_dynamics_ratio_vjp), derivative_options, q, v, a, wrenches,
            change("gradient"), numbers_sum_or_null("gradient_ratios", ratios)),
      entry(TENON_NAMED(tenon_constrained_dynamics_ratio_vjp), derivative_options, q, v, tau, wrenches,
            desired, change("gradient", or_null), row_change("gradient_lambda"),
            numbers_sum_or_null("gradient_ratios", ratios)),
      entry(TENON_NAMED(tenon_constrained_dynamics_parameter_derivatives), derivative_options, q, v, tau,
            wrenches, desired, qdd_or_null, out("lambda", m, or_null),
            matrix("dx_dinertia", of_solution, parameters, or_null),
            matrix("dx_darmature", of_solution, all_nv, or_null),
            matrix("dx_ddamping", of_solution, all_nv, or_null),
            matrix("dx_dfriction", of_solution, all_nv, or_null)),
      entry(TENON_NAMED(tenon_constrained_dynamics_load_derivatives), derivative_options, loads_on_links),
      entry(TENON_NAMED(tenon_inertia_from_log_cholesky), chart_parameters, out("pi", ten, or_null),
            matrix("dpi_dtheta", ten, ten, or_null)),
      entry(TENON_NAMED(tenon_log_cholesky_from_inertia), body_parameters, out("theta", ten)),

      entry(TENON_NAMED(tenonx_loop_forward_dynamics), loop_method, q, v, tau, wrenches, qdd),
      entry(TENON_NAMED(tenonx_loop_inverse_dynamics), loop_method, q, v, ydot, wrenches, out("tau_y", ny)),
  };
}

}  // namespace

const std::vector<Entry>& workspace_functions() {
  static const std::vector<Entry> all = made();
  return all;
}

}  // namespace tenon::testing::history
