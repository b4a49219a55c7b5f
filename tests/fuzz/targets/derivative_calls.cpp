// Derivatives of dynamics, one call of many.
#include "targets/calls.hpp"

namespace tenon::fuzz {

tenon_derivative_options derivative_layout(Scene& s) {
  tenon_derivative_options o;  // sizes are those of columns, which rows may find too small
  tenon_derivative_options_init(&o, sizeof o), o.row_major = s.in.once_in(3);
  return o;
}

namespace {

void make_derivative_call_with_rows(Scene& s) {
  const In wrenches{s.wrenches, true}, desired{s.desired, true}, change{s.v, true};
  const Matrix square{s.nv, s.nv, nullptr, true}, wide{s.rows, s.nv, nullptr, true},
      tall{s.nv + s.rows, s.nv, nullptr, true};
  const Out each{s.nv, true}, of_rows{s.rows, true}, next_q{s.nq, true};
  const tenon_derivative_options layout = derivative_layout(s), *how = &layout;
  const double dt = s.in.once_in(4) ? s.in.number() : 0.01;
  const double* none = nullptr;
  const std::size_t none_count = 0;
  switch (s.in.below(18)) {
    case 12:
      s.CALL(tenon_inverse_dynamics_hvp, how, In{s.q}, In{s.v}, In{s.a}, wrenches, In{s.v}, change, change,
             change, each, each, each);
      return;
    case 13:
      s.CALL(tenon_forward_dynamics_hvp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, In{s.v}, change, change,
             change, each, each, each);
      return;
    case 14:
      s.CALL(tenon_constrained_dynamics_hvp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, desired, change,
             desired, change, change, change, desired, each, each, each, of_rows);
      return;
    case 15:
      s.CALL(tenon_constrained_dynamics_parameter_derivatives, how, In{s.q}, In{s.v}, In{s.tau}, wrenches,
             desired, each, of_rows, Matrix{s.nv + s.rows, 10 * s.links, nullptr, true}, tall, tall, tall);
      return;
    case 9:
      s.CALL(tenon_inverse_dynamics_hessian, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, In{s.v}, square,
             square, square, square);
      return;
    case 10:
      s.CALL(tenon_forward_dynamics_hessian, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, In{s.v}, square,
             square, square, square);
      return;
    case 11:
      s.CALL(tenon_constrained_dynamics_hessian, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, desired, change,
             desired, square, square, square, square, Matrix{s.nv, s.rows, nullptr, true});
      return;
    case 6:
      s.CALL(tenon_impact_derivatives, how, none, none_count, In{s.q}, In{s.v}, each, of_rows, square, square,
             wide, wide);
      return;
    case 7:
      s.CALL(tenon_impact_vjp, how, none, none_count, In{s.q}, In{s.v}, change, desired, each, of_rows, each,
             each);
      return;
    case 8:
      s.CALL(tenon_impact_jvp, how, none, none_count, In{s.q}, In{s.v}, change, change, each, of_rows, each,
             of_rows);
      return;
    case 0:
      s.CALL(tenon_constrained_dynamics_derivatives, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, desired,
             each, of_rows, square, square, square, Matrix{s.nv, s.rows, nullptr, true});
      return;
    case 4:
      s.CALL(tenon_constrained_solution_derivatives, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, desired,
             each, of_rows, tall, tall, tall, Matrix{s.nv + s.rows, s.rows, nullptr, true});
      return;
    case 1:
      s.CALL(tenon_constrained_dynamics_vjp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, desired, change,
             desired, each, of_rows, each, each, each, of_rows);
      return;
    case 2:
      s.CALL(tenon_constrained_dynamics_jvp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, desired, change,
             change, change, desired, each, of_rows, each, of_rows);
      return;
    case 3:
      s.CALL(tenon_step_semi_implicit_euler_vjp, how, dt, In{s.q}, In{s.v}, In{s.tau}, wrenches, change,
             change, next_q, each, each, each, each);
      return;
    case 16:
      s.CALL(tenon_step_runge_kutta_4_vjp, how, dt, In{s.q}, In{s.v}, In{s.tau}, wrenches, change, change,
             next_q, each, each, each, each);
      return;
    case 17:
      s.CALL(tenon_step_runge_kutta_4_jvp, how, dt, In{s.q}, In{s.v}, In{s.tau}, wrenches, change, change,
             change, next_q, each, each, each);
      return;
    default:
      s.CALL(tenon_step_semi_implicit_euler_jvp, how, dt, In{s.q}, In{s.v}, In{s.tau}, wrenches, change,
             change, change, next_q, each, each, each);
  }
}

// By parameters, and by what acts on links.
void make_parameter_call(Scene& s) {
  const In wrenches{s.wrenches, true}, desired{s.desired, true}, change{s.v, true};
  const std::size_t spanning = static_cast<std::size_t>(tenon_model_nv(s.model)),
                    ratios = static_cast<std::size_t>(tenon_model_ratio_count(s.model));
  const Out each{s.nv, true}, of_rows{s.rows, true}, of_inertias{10 * s.links, true},
      of_joints{spanning, true}, of_wrenches{6 * s.links, true}, of_gravity{3, true}, of_ratios{ratios, true};
  const tenon_derivative_options layout = derivative_layout(s), *how = &layout;
  switch (s.in.below(8)) {
    case 0: {
      const std::int32_t zeros = s.in.once_in(16) ? 2 : 1;  // with 0 not all is written
      s.CALL(tenon_joint_torque_regressor, In{s.q}, In{s.v}, In{s.a}, zeros, Matrix{s.nv, 10 * s.links});
      return;
    }
    case 1:
      s.CALL(tenon_inverse_dynamics_parameter_vjp, how, In{s.q}, In{s.v}, In{s.a}, wrenches, In{s.tau}, each,
             of_inertias, of_joints, of_joints, of_joints, of_wrenches, of_gravity);
      return;
    case 2:
      s.CALL(tenon_forward_dynamics_parameter_vjp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, In{s.a}, each,
             of_inertias, of_joints, of_joints, of_joints, of_wrenches, of_gravity);
      return;
    case 3:
      s.CALL(tenon_constrained_dynamics_parameter_vjp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, desired,
             change, desired, each, of_rows, of_inertias, of_joints, of_joints, of_joints, of_wrenches,
             of_gravity);
      return;
    case 4:
      s.CALL(tenon_inverse_dynamics_ratio_vjp, how, In{s.q}, In{s.v}, In{s.a}, wrenches, In{s.tau},
             of_ratios);
      return;
    case 5:
      s.CALL(tenon_constrained_dynamics_ratio_vjp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, desired,
             change, desired, of_ratios);
      return;
    case 6:
      s.CALL(tenon_kinematics, In{s.q}, In{s.v, true}, In{s.a, true});
      s.CALL(tenon_energy_regressors, of_inertias, of_inertias);
      return;
    default: {
      Exact<std::int32_t> links = exact<std::int32_t>(3);
      const std::size_t count = static_cast<std::size_t>(s.in.below(4));
      for (std::size_t i = 0; i < count; ++i) links[i] = s.link();
      s.CALL(tenon_constrained_dynamics_load_derivatives, how, links.get(), count, In{s.q}, In{s.v},
             In{s.tau}, wrenches, desired, each, of_rows, Matrix{s.nv + s.rows, 6 * count, nullptr, true},
             Matrix{s.nv + s.rows, 3, nullptr, true});
    }
  }
}

}  // namespace

void make_derivative_call(Scene& s) {
  const In wrenches{s.wrenches, true}, change{s.v, true};
  const Matrix square{s.nv, s.nv, nullptr, true};
  const Out each{s.nv, true};
  const tenon_derivative_options layout = derivative_layout(s), *how = &layout;
  const int kind = s.in.below(14);  // 0 to 5 and 7 to 12 are the same
  if (kind == 13) return make_parameter_call(s);
  switch (kind % 7) {
    case 6:
      return make_derivative_call_with_rows(s);
    case 0:
      s.CALL(tenon_inverse_dynamics_derivatives, how, In{s.q}, In{s.v}, In{s.a}, wrenches, each, square,
             square, square);
      return;
    case 1:
      s.CALL(tenon_inverse_dynamics_vjp, how, In{s.q}, In{s.v}, In{s.a}, wrenches, In{s.tau}, each, each,
             each, each);
      return;
    case 2:
      s.CALL(tenon_inverse_dynamics_jvp, how, In{s.q}, In{s.v}, In{s.a}, wrenches, change, change, change,
             each, Out{s.nv});
      return;
    case 3:
      s.CALL(tenon_forward_dynamics_derivatives, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, each, square,
             square, square);
      return;
    case 4:
      s.CALL(tenon_forward_dynamics_vjp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, In{s.a}, each, each,
             each, each);
      return;
    default:
      s.CALL(tenon_forward_dynamics_jvp, how, In{s.q}, In{s.v}, In{s.tau}, wrenches, change, change, change,
             each, Out{s.nv});
  }
}

}  // namespace tenon::fuzz
