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

}  // namespace

void make_derivative_call(Scene& s) {
  const In wrenches{s.wrenches, true}, change{s.v, true};
  const Matrix square{s.nv, s.nv, nullptr, true};
  const Out each{s.nv, true};
  const tenon_derivative_options layout = derivative_layout(s), *how = &layout;
  switch (s.in.below(7)) {
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
