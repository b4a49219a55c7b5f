// The calls on a workspace, each with its arguments as tenon.h counts them.
#include "targets/calls.hpp"
#include "tenonx.h"

namespace tenon::fuzz {
namespace {

std::int32_t any_axes(Scene& s) {
  return s.in.once_in(8) ? s.in.constant(2) : s.in.below(2);
}

Struct<tenon_solve_options> solve_options(Scene& s) {
  Input& in = s.in;
  return Struct<tenon_solve_options>(in, tenon_solve_options_init, [&](tenon_solve_options& o) {
    o.method = in.constant(tenon_constant_count(TENON_CONSTANT_METHOD));
    if (in.once_in(4)) o.max_iterations = in.constant(6);
    if (in.once_in(4)) o.warm_start = in.below(2);
    if (in.once_in(8)) o.accelerate = in.below(2);
    if (in.once_in(8)) o.split_base = in.constant(3);
    if (in.once_in(8)) o.absolute_tolerance = in.number();
    if (in.once_in(8)) o.relative_tolerance = in.number();
    if (in.once_in(8)) o.mu = in.number();
    if (in.once_in(8)) o.tikhonov = in.number();
  });
}

Struct<tenon_damped_options> damped_options(Scene& s, const std::vector<double>& row_mu) {
  Input& in = s.in;
  return Struct<tenon_damped_options>(in, tenon_damped_options_init, [&](tenon_damped_options& o) {
    o.method = in.constant(tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD));
    if (in.once_in(4)) o.mu = in.number();
    if (in.once_in(8)) o.row_mu = row_mu.data(), o.row_mu_count = row_mu.size();
  });
}

// A struct that a call fills: of any size, and no byte of it beyond that.
template <class T, class Fill>
void ask(Scene& s, tenon_status (*init)(T*, std::size_t), const Fill& fill) {
  constexpr std::size_t sizes[] = {sizeof(T), 8, 12, sizeof(T) - 4, sizeof(T) + 8, 64, 4096};
  const std::size_t size = sizes[s.in.below(7)];
  const Exact<unsigned char> bytes = exact<unsigned char>(size);
  T* info = reinterpret_cast<T*>(bytes.get());
  DEMAND(init(info, size) == TENON_OK, "size %zu", size);
  const bool spoiled = s.in.once_in(16);
  const std::uint32_t others[] = {0, 7, 4097, UINT32_MAX};
  if (spoiled) info->struct_size = others[s.in.below(4)];
  const tenon_status status = fill(info);
  DEMAND(status <= 0 && status != TENON_INTERNAL_ERROR, "status %d", status);
  DEMAND(status < 0 || !spoiled, "a struct_size of %u was taken", info->struct_size);
}

// A product of a matrix with B, into X or B itself.
template <class F>
void product(Scene& s, const char* name, F f, std::size_t rows) {
  const std::int32_t columns = s.in.once_in(32) ? s.in.index(3) : s.in.below(4);
  if (columns < 0 || columns > 64) {
    if (rows == 0) return;  // so many columns of nothing take long
    double one = 1;
    const tenon_status status = f(s.w, columns, &one, 1, 1, &one, 1, 1);
    DEMAND(status != TENON_INTERNAL_ERROR && status < 0, "%s: %d columns", name, columns);
    return;
  }
  const std::vector<double> B = s.in.numbers(rows * static_cast<std::size_t>(columns));
  const std::size_t count = static_cast<std::size_t>(columns);
  s.call(name, f, columns, Matrix{rows, count, &B}, Matrix{rows, count});
}

void make_step(Scene& s) {
  const Struct<tenon_solve_options> options = solve_options(s);
  const double dt = s.in.once_in(4) ? s.in.number() : 0.01;
  if (s.in.once_in(2))
    s.CALL(tenon_step_semi_implicit_euler, options, dt, Changed{s.q}, Changed{s.v}, In{s.tau},
           In{s.wrenches, true}, Out{s.nv, true}, Changed{s.lambda, true});
  else
    s.CALL(tenon_step_runge_kutta_4, options, dt, Changed{s.q}, Changed{s.v}, In{s.tau}, In{s.wrenches, true},
           Out{s.nv, true}, Changed{s.lambda, true});
}

}  // namespace

void make_settings_call(Scene& s) {
  Input& in = s.in;
  switch (in.below(15)) {
    case 0: {
      const std::vector<double> gravity = in.numbers(3, 10);
      s.CALL(tenon_workspace_set_gravity, In{gravity});
      s.CALL(tenon_workspace_gravity, Out{3});
      return;
    }
    case 1: {
      const std::int32_t at = s.constraint();
      const std::vector<double> pose = in.pose();
      s.CALL(tenon_workspace_set_anchor, at, In{pose});
      s.CALL(tenon_workspace_anchor, at, Out{7});
      return;
    }
    case 2: {
      const std::int32_t at = s.constraint(), active = in.constant(2);
      s.CALL(tenon_workspace_set_active, at, active);
      return;
    }
    case 3: {
      const std::int32_t at = s.constraint();
      const double frequency = in.number(), ratio = in.number();
      s.CALL(tenon_workspace_set_gains, at, frequency, ratio);
      return;
    }
    case 4:
    case 5: {
      const std::int32_t at = s.constraint();
      tenon_constraint_info info;
      tenon_constraint_info_init(&info, sizeof info);
      if (tenon_constraints_constraint_info(s.set, at, &info) != TENON_OK) info.row_count = 1;
      std::vector<double> x = in.numbers(static_cast<std::size_t>(info.row_count));
      if (!in.once_in(4))
        for (double& each : x) each = std::fabs(each);
      if (in.once_in(2))
        s.CALL(tenon_workspace_set_weights, at, In{x, true});
      else
        s.CALL(tenon_workspace_set_compliance, at, In{x, true});
      return;
    }
    case 6:
      s.CALL(tenon_workspace_anchor_here, In{s.q});
      return;
    case 7: {
      const std::int32_t positions = in.constant(2), velocities = in.constant(2);
      if (s.CALL(tenon_workspace_set_coordinates, positions, velocities) != TENON_OK) return;
      s.nq = static_cast<std::size_t>(tenon_workspace_position_count(s.w));
      s.nv = static_cast<std::size_t>(tenon_workspace_velocity_count(s.w));
      s.q.resize(s.nq), s.v.resize(s.nv), s.a.resize(s.nv), s.tau.resize(s.nv);
      DEMAND(tenon_random(s.w, 1, s.q.data(), s.nq) == TENON_OK, "%s", tenon_workspace_message(s.w));
      return;
    }
    case 8: {
      const std::int32_t at = s.constraint();
      return ask<tenon_constraint_settings>(
          s, tenon_constraint_settings_init, [&](tenon_constraint_settings* out) {
            return tenon_workspace_constraint_settings(s.w, at, out, nullptr, 0, nullptr, 0);
          });
    }
    case 9:
      return ask<tenon_solve_report>(s, tenon_solve_report_init, [&](tenon_solve_report* out) {
        return tenon_workspace_report(s.w, out);
      });
    case 10: {
      const std::int32_t at = s.constraint();
      return ask<tenon_constraint_info>(s, tenon_constraint_info_init, [&](tenon_constraint_info* out) {
        return tenon_constraints_constraint_info(s.set, at, out);
      });
    }
    case 11: {
      const std::int32_t at = s.link();
      return ask<tenon_link_info>(s, tenon_link_info_init, [&](tenon_link_info* out) {
        return tenon_model_link_info(s.model, at, out);
      });
    }
    case 12: {
      const std::int32_t at = in.index(tenon_model_joint_count(s.model));
      return ask<tenon_joint_info>(s, tenon_joint_info_init, [&](tenon_joint_info* out) {
        return tenon_model_joint_info(s.model, at, out);
      });
    }
    case 13: {
      const std::int32_t at = in.index(tenon_model_cluster_count(s.model));
      return ask<tenon_cluster_info>(s, tenon_cluster_info_init, [&](tenon_cluster_info* out) {
        return tenon_model_cluster_info(s.model, at, out);
      });
    }
    default: {
      const std::int32_t at = in.index(tenon_model_loop_count(s.model));
      return ask<tenon_loop_info>(s, tenon_loop_info_init, [&](tenon_loop_info* out) {
        return tenon_model_loop_info(s.model, at, out);
      });
    }
  }
}

namespace {

void make_kinematics_call(Scene& s) {
  Input& in = s.in;
  const std::int32_t link = s.link(), axes = any_axes(s);
  const std::vector<double> point = in.numbers(3);
  const tenon_derivative_options layout = derivative_layout(s), *how = &layout;
  switch (in.below(14)) {
    case 0:
      s.CALL(tenon_kinematics, In{s.q}, nullptr, std::size_t{0}, nullptr, std::size_t{0});
      return;
    case 1:
    case 2:
      s.CALL(tenon_kinematics, In{s.q}, In{s.v, true}, In{s.a, true});
      return;
    case 3:
      s.CALL(tenon_link_pose, link, Out{7, true}, Out{9, true});
      return;
    case 4:
      s.CALL(tenon_link_velocity, link, axes, Out{6});
      s.CALL(tenon_link_acceleration, link, axes, Out{6});
      return;
    case 5:
      s.CALL(tenon_link_jacobian, link, axes, Matrix{6, s.nv});
      return;
    case 6:
      s.CALL(tenon_point_jacobian, link, In{point, true}, axes, Matrix{6, s.nv});
      return;
    case 7:
      s.CALL(tenon_point_bias_acceleration, link, In{point, true}, axes, Out{6});
      s.CALL(tenon_link_bias_acceleration, link, axes, Out{6});
      return;
    case 8:
      s.CALL(tenon_center_of_mass, Out{3, true}, Out{3, true}, Matrix{3, s.nv, nullptr, true});
      return;
    case 11:
      s.CALL(tenon_point_velocity_derivatives, how, link, In{point, true}, axes,
             Matrix{6, s.nv, nullptr, true}, Matrix{6, s.nv, nullptr, true});
      s.CALL(tenon_point_acceleration_derivatives, how, link, In{point, true}, axes,
             Matrix{6, s.nv, nullptr, true}, Matrix{6, s.nv, nullptr, true}, Matrix{6, s.nv, nullptr, true});
      return;
    case 12:
      s.CALL(tenon_center_of_mass_derivatives, how, Out{3, true}, Matrix{3, s.nv, nullptr, true},
             Matrix{3, s.nv, nullptr, true}, Matrix{3, s.nv, nullptr, true});
      s.CALL(tenon_centroidal_momentum_derivatives, how, Out{6, true}, Matrix{6, s.nv, nullptr, true},
             Matrix{6, s.nv, nullptr, true}, Matrix{6, s.nv, nullptr, true}, Matrix{6, s.nv, nullptr, true});
      return;
    case 13:
      s.CALL(tenon_energy_gradients, how, Out{s.nv, true}, Out{s.nv, true}, Out{s.nv, true});
      s.CALL(tenon_gravity_force_derivatives, how, In{s.q}, Out{s.nv, true},
             Matrix{s.nv, s.nv, nullptr, true}, Matrix{s.nv, 3, nullptr, true});
      return;
    case 9:
      s.CALL(tenon_centroidal_momentum, Out{6});
      s.CALL(tenon_centroidal_momentum_bias, Out{6});
      return;
    default: {
      s.CALL(tenon_centroidal_momentum_matrix, Matrix{6, s.nv});
      double kinetic = untouched, potential = untouched;
      const tenon_status status = s.CALL(tenon_energy, &kinetic, &potential);
      for (const double each : {kinetic, potential})
        DEMAND(status == TENON_OK ? std::isfinite(each) && !is_untouched(each) : is_untouched(each),
               "status %d, energy %g", status, each);
    }
  }
}

void make_dynamics_call(Scene& s) {
  const In wrenches{s.wrenches, true};
  switch (s.in.below(13)) {
    case 0:
      s.CALL(tenon_inverse_dynamics, In{s.q}, In{s.v}, In{s.a}, wrenches, Out{s.nv});
      return;
    case 12:
      return make_derivative_call(s);
    case 1:
      s.CALL(tenon_bias, In{s.q}, In{s.v}, wrenches, Out{s.nv});
      s.CALL(tenon_gravity_force, In{s.q}, Out{s.nv});
      return;
    case 2:
      s.CALL(tenon_coriolis_matrix, In{s.q}, In{s.v}, Matrix{s.nv, s.nv});
      return;
    case 3:
      s.CALL(tenon_mass_matrix, In{s.q}, Matrix{s.nv, s.nv});
      return;
    case 4:
      s.CALL(tenon_mass_matrix_factor, In{s.q});
      return;
    case 5:
      return product(s, "tenon_mass_matrix_solve", tenon_mass_matrix_solve, s.nv);
    case 6:
      return product(s, "tenon_mass_matrix_multiply", tenon_mass_matrix_multiply, s.nv);
    case 7: {
      const std::int32_t columns = s.in.below(4);
      const std::vector<double> B = s.in.numbers(s.nv * static_cast<std::size_t>(columns));
      const std::size_t count = static_cast<std::size_t>(columns);
      s.CALL(tenon_mass_matrix_inverse_times, In{s.q}, columns, Matrix{s.nv, count, &B}, Matrix{s.nv, count});
      return;
    }
    case 8: {
      const std::int32_t method = s.in.constant(5);
#ifdef TENON_EXPERIMENTAL
      s.CALL(tenonx_loop_forward_dynamics, method, In{s.q}, In{s.v}, In{s.tau}, wrenches, Out{s.nv});
#else
      static_cast<void>(method);
#endif
      return;
    }
    case 9: {
      std::vector<std::int32_t> actuated(s.nv, 1);
      for (std::int32_t& each : actuated) each = s.in.once_in(16) ? s.in.constant(2) : s.in.below(2);
      const bool given = s.in.once_in(2);
      s.CALL(tenon_underactuated_inverse_dynamics, given ? actuated.data() : nullptr, actuated.size(),
             In{s.q}, In{s.v}, In{s.a}, wrenches, Out{s.rows, true}, Out{s.nv});
      return;
    }
    case 10:
      s.CALL(tenon_constrained_inverse_dynamics, In{s.q}, In{s.v}, In{s.a}, wrenches, In{s.lambda, true},
             Out{s.nv});
      return;
    default:
      s.CALL(tenon_forward_dynamics, In{s.q}, In{s.v}, In{s.tau}, wrenches, Out{s.nv});
  }
}

void make_constrained_call(Scene& s) {
  const std::size_t m = s.rows;
  switch (s.in.below(12)) {
    case 0:
    case 1:
    case 2: {
      const Struct<tenon_solve_options> options = solve_options(s);
      s.CALL(tenon_constrained_dynamics, options, In{s.q}, In{s.v}, In{s.tau}, In{s.wrenches, true},
             In{s.desired, true}, Out{s.nv}, Changed{s.lambda, true});
      return;
    }
    case 3: {
      // One number, or one for each row.
      std::vector<double> restitution = s.in.numbers(s.in.once_in(2) ? 1 : m);
      for (double& each : restitution) each = std::fabs(each);
      const bool given = s.in.once_in(2);
      s.CALL(tenon_impact, given ? restitution.data() : nullptr, restitution.size(), In{s.q}, Changed{s.v},
             Out{m, true});
      return;
    }
    case 4:
      s.CALL(tenon_constraint_rows, In{s.q}, In{s.v}, In{s.desired, true}, Matrix{m, s.nv, nullptr, true},
             Out{m, true}, Out{m, true}, Out{m, true});
      return;
    case 5: {
      const Struct<tenon_delassus_options> options(
          s.in, tenon_delassus_options_init, [&](tenon_delassus_options& o) {
            o.method = s.in.constant(tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD));
          });
      s.CALL(tenon_delassus, options, In{s.q}, Matrix{m, m});
      return;
    }
    case 6: {
      const std::vector<double> row_mu = s.in.numbers(m, 100);
      const Struct<tenon_damped_options> options = damped_options(s, row_mu);
      s.CALL(tenon_delassus_inverse, options, In{s.q}, Matrix{m, m});
      return;
    }
    case 7: {
      const std::vector<double> row_mu = s.in.numbers(m, 100);
      const Struct<tenon_damped_options> options = damped_options(s, row_mu);
      s.CALL(tenon_delassus_factor, options, In{s.q});
      return;
    }
    case 8:
      return product(s, "tenon_delassus_solve", tenon_delassus_solve, m);
    case 9: {
      std::int32_t rank = -7;
      s.CALL(tenon_operational_space, In{s.q}, Matrix{m, m, nullptr, true}, Matrix{s.nv, m, nullptr, true},
             Matrix{s.nv, s.nv, nullptr, true}, &rank);
      return;
    }
    case 10: {
      const Struct<tenon_projection_options> options(s.in, tenon_projection_options_init,
                                                     [&](tenon_projection_options& o) {
                                                       o.max_iterations = s.in.constant(20);
                                                       if (s.in.once_in(4)) o.tolerance = s.in.number();
                                                       if (o.max_iterations > 50) o.max_iterations = 50;
                                                     });
      s.CALL(tenon_project_positions, options, Changed{s.q});
      return;
    }
    default:
      s.CALL(tenon_project_velocities, In{s.q}, Changed{s.v});
  }
}

}  // namespace

void make_computation(Scene& s) {
  switch (s.in.below(8)) {
    case 0:
    case 1:
      return make_kinematics_call(s);
    case 2:
    case 3:
    case 4:
      return make_dynamics_call(s);
    case 5:
      return make_step(s);
    default:
      return make_constrained_call(s);
  }
}

}  // namespace tenon::fuzz
