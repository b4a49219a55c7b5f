// Batches: every function, with arrays of any strides. What tenon.h promises of them is demanded: a state that fails
// writes nothing, the others are finite, nothing between or behind the numbers is touched, and a state gives the same
// bits alone.
#include "targets/batch_calls.hpp"

namespace tenon::fuzz {
namespace {

// Restitution, one number for all rows and states; not given: none.
template <class Real>
struct Rebound {
  Rebound(std::size_t rows, bool given_) : given(given_) {
    tenon_batch_array_init(&array, sizeof array);
    array.data = &number, array.size = 1, array.count = rows, array.number_stride = 0;
  }
  Rebound(const Rebound&) = delete;
  const tenon_batch_array* get() const { return given ? &array : nullptr; }

  Real number = Real(0.5);
  bool given;
  tenon_batch_array array;
};

template <class Real>
void compute(Input& in, Batch& b) {
  Call<Real> c(in, b);
  tenon_batch* batch = b.batch;
  const bool wrenches = in.once_in(3), optional = in.once_in(2);
  switch (in.below(10)) {
    case 0:
      c.read(c.nq, true), c.read(c.nv), c.read(c.nv), c.read_wrenches(wrenches), c.write(c.nv);
      return run(c, "forward_dynamics",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_forward_dynamics(batch, n, x, x + 1, x + 2, wrenches ? x + 3 : nullptr,
                                                       y, s, n);
                 });
    case 1:
      c.read(c.nq, true), c.read(c.nv), c.read(c.nv), c.read_wrenches(wrenches), c.write(c.nv);
      return run(c, "inverse_dynamics",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_inverse_dynamics(batch, n, x, x + 1, x + 2, wrenches ? x + 3 : nullptr,
                                                       y, s, n);
                 });
    case 2: {
      const bool whole = optional, factor = wrenches;
      c.read(c.nq, true), c.write(whole ? c.nv * c.nv : c.nv * (c.nv + 1) / 2);
      return run(c, "mass_matrix",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return whole    ? tenon_batch_mass_matrix(batch, n, x, y, s, n)
                          : factor ? tenon_batch_mass_matrix_factor(batch, n, x, y, s, n)
                                   : tenon_batch_mass_matrix_lower(batch, n, x, y, s, n);
                 });
    }
    case 3: {
      std::vector<std::int32_t> links(static_cast<std::size_t>(in.below(4)));
      for (std::int32_t& link : links) {
        link = in.index(static_cast<int>(c.links));
        c.wrong |= link < 0 || link >= static_cast<std::int32_t>(c.links);
      }
      const std::int32_t axes = in.constant(2);
      c.wrong |= axes < 0 || axes > 1 || links.size() > c.links;
      const std::size_t numbers = 6 * links.size();
      const int product = in.below(3);
      const bool faster = in.once_in(2);
      const int parts = faster ? 3 : 2;
      c.read(c.nq, true), c.read(c.nv);
      if (faster) c.read(c.nv);
      if (product > 0) {
        tenon_derivative_options how;
        tenon_derivative_options_init(&how, sizeof how);
        how.accumulate = in.once_in(2);
        const bool vjp = product == 1;
        for (int i = 0; i < parts; ++i) c.read(vjp ? numbers : c.nv);
        c.write(7 * links.size());
        for (int i = 1; i < parts; ++i) c.write(numbers);
        for (int i = 0; i < parts; ++i) {
          c.write(vjp ? c.nv : numbers);
          if (how.accumulate != 0) c.add();
        }
        const auto f = vjp ? tenon_batch_kinematics_vjp : tenon_batch_kinematics_jvp;
        const auto g = vjp ? tenon_batch_link_motion_vjp : tenon_batch_link_motion_jvp;
        return run(
            c, vjp ? "kinematics_vjp" : "kinematics_jvp",
            [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
              return faster ? g(batch, &how, n, links.data(), links.size(), axes, x, x + 1, x + 2, x + 3,
                                x + 4, x + 5, y, y + 1, y + 2, y + 3, y + 4, y + 5, s, n)
                            : f(batch, &how, n, links.data(), links.size(), axes, x, x + 1, x + 2, x + 3, y,
                                y + 1, y + 2, y + 3, s, n);
            },
            &how);
      }
      c.write(7 * links.size());
      for (int i = 1; i < parts; ++i) c.write(numbers);
      if (optional) c.write(c.nv * numbers);
      return run(c, faster ? "link_motion" : "kinematics",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   const tenon_batch_array* const J = optional ? y + parts : nullptr;
                   return faster ? tenon_batch_link_motion(batch, n, links.data(), links.size(), axes, x,
                                                           x + 1, x + 2, y, y + 1, y + 2, J, s, n)
                                 : tenon_batch_kinematics(batch, n, links.data(), links.size(), axes, x,
                                                          x + 1, y, y + 1, J, s, n);
                 });
    }
    case 4: {
      static constexpr std::size_t sizes[] = {3, 3, 6, 1, 1};
      const int product = in.below(4);
      c.read(c.nq, true), c.read(c.nv);
      if (product == 0) {
        for (const std::size_t size : sizes) c.write(size);
        return run(
            c, "centroidal",
            [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
              return tenon_batch_centroidal(batch, n, x, x + 1, y, y + 1, y + 2, y + 3, y + 4, s, n);
            });
      }
      tenon_derivative_options how;
      tenon_derivative_options_init(&how, sizeof how);
      how.accumulate = in.once_in(2);
      const bool vjp = product != 2;
      if (vjp)
        for (const std::size_t size : sizes) c.read(size);
      else
        c.read(c.nv), c.read(c.nv);
      if (product == 3) {
        const auto spanning = static_cast<std::size_t>(tenon_model_nv(b.model));
        for (const std::size_t size : {10 * c.links, spanning, std::size_t{3}}) {
          c.write(size);
          if (how.accumulate != 0) c.add();
        }
        return run(
            c, "centroidal_parameter_vjp",
            [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
              return tenon_batch_centroidal_parameter_vjp(batch, &how, n, x, x + 1, x + 2, x + 3, x + 4,
                                                          x + 5, x + 6, y, y + 1, y + 2, s, n);
            },
            &how);
      }
      for (const std::size_t size : sizes) c.write(size);
      for (int i = 0; i < (vjp ? 2 : 5); ++i) {
        c.write(vjp ? c.nv : sizes[i]);
        if (how.accumulate != 0) c.add();
      }
      return run(
          c, vjp ? "centroidal_vjp" : "centroidal_jvp",
          [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
            return vjp ? tenon_batch_centroidal_vjp(batch, &how, n, x, x + 1, x + 2, x + 3, x + 4, x + 5,
                                                    x + 6, y, y + 1, y + 2, y + 3, y + 4, y + 5, y + 6, s, n)
                       : tenon_batch_centroidal_jvp(batch, &how, n, x, x + 1, x + 2, x + 3, y, y + 1, y + 2,
                                                    y + 3, y + 4, y + 5, y + 6, y + 7, y + 8, y + 9, s, n);
          },
          &how);
    }
    case 5: {
      const Struct<tenon_solve_options> options(in, tenon_solve_options_init, [&](tenon_solve_options& o) {
        if (in.once_in(2)) o.method = in.constant(tenon_constant_count(TENON_CONSTANT_METHOD));
        if (in.once_in(8)) o.max_iterations = in.constant(4);
        if (in.once_in(16)) o.mu = in.number();
        if (in.once_in(16)) o.relative_tolerance = in.number();
      });
      c.wrong |= options.refused();
      c.read(c.nq, true), c.read(c.nv), c.read(c.nv), c.read_wrenches(wrenches), c.read(c.rows),
          c.write(c.nv);
      if (optional) c.write(c.rows);
      return run(c, "constrained_dynamics",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   const Exact<std::int32_t> iterations = exact<std::int32_t>(n);
                   return tenon_batch_constrained_dynamics(
                       batch, options.get(), n, x, x + 1, x + 2, wrenches ? x + 3 : nullptr, x + 4, y,
                       optional ? y + 1 : nullptr, optional ? nullptr : iterations.get(), n, s, n);
                 });
    }
    case 6: {
      const Struct<tenon_delassus_options> options(
          in, tenon_delassus_options_init, [&](tenon_delassus_options& o) {
            o.method = in.constant(tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD));
          });
      c.wrong |= options.refused();
      c.read(c.nq, true), c.write(c.rows * c.rows);
      return run(c, "delassus",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_delassus(batch, options.get(), n, x, y, s, n);
                 });
    }
    case 7: {
      const Struct<tenon_damped_options> options(in, tenon_damped_options_init, [&](tenon_damped_options& o) {
        o.method = in.constant(tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD));
        if (in.once_in(4)) o.mu = in.number();
      });
      c.wrong |= options.refused();
      const int columns = in.below(5);
      c.read(c.nq, true), c.read(c.rows * static_cast<std::size_t>(columns)),
          c.write(c.rows * static_cast<std::size_t>(columns));
      return run(c, "delassus_inverse_times",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_delassus_inverse_times(batch, options.get(), n, columns, x, x + 1, y, s,
                                                             n);
                 });
    }
    case 8: {
      const Rebound<Real> rebound(c.rows, wrenches);
      c.read(c.nq, true), c.read(c.nv), c.write(c.nv);
      if (optional) c.write(c.rows);
      return run(c, "impact",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_impact(batch, n, rebound.get(), x, x + 1, y, optional ? y + 1 : nullptr,
                                             s, n);
                 });
    }
    default: {
      const std::size_t steps = static_cast<std::size_t>(in.below(6));
      const std::size_t every = static_cast<std::size_t>(in.once_in(16) ? 0 : 1 + in.below(3));
      const bool each = in.once_in(2);
      const Struct<tenon_rollout_options> options(in, tenon_rollout_options_init,
                                                  [&](tenon_rollout_options& o) {
                                                    o.integrator = in.constant(2);
                                                    o.steps = steps, o.every = every;
                                                    if (in.once_in(4)) o.dt = in.number();
                                                  });
      c.wrong |= options.refused();
      // A short struct, or none, makes one step and one record.
      const tenon_rollout_options* given = options.get();
      const bool whole = given && given->struct_size >= offsetof(tenon_rollout_options, solve);
      const std::size_t made = whole                                                                   ? steps
                               : given && given->struct_size >= offsetof(tenon_rollout_options, every) ? steps
                                                                                                       : 1;
      const std::size_t between = whole ? every : 1;
      c.wrong |= between == 0 || (made > 0 && between > made);
      const std::size_t records = between == 0 ? 0 : made / between;
      c.read(c.nq, true), c.read(c.nv);
      const tenon_batch_array* tau = c.read(c.nv, false, each ? made : 1);
      if (!each && tau->record_stride != 0) c.inputs.back().changed().record_stride = 0;
      c.read_wrenches(wrenches);
      c.write(c.nq, records);
      if (optional) c.write(c.nv, records);
      const tenon_status result = tenon_batch_rollout(
          batch, given, c.states, c.inputs[0].array(), c.inputs[1].array(), c.inputs[2].array(),
          wrenches ? c.inputs[3].array() : nullptr, c.outputs[0].array(),
          optional ? c.outputs[1].array() : nullptr, c.status.data(), c.states);
      return c.check(result, "rollout", true);
    }
  }
}

// Of first and second derivatives, written or added to, matrices row by row or column by column; and of steps and whole
// rollouts.
template <class Real>
void differentiate(Input& in, Batch& b) {
  Call<Real> c(in, b);
  tenon_batch* batch = b.batch;
  const bool wrenches = in.once_in(3), inverse = in.once_in(2), finer = in.once_in(2);
  tenon_derivative_options layout;
  tenon_derivative_options_init(&layout, sizeof layout);
  const int drawn = in.below(6);
  layout.row_major = drawn % 3 == 2, layout.accumulate = drawn >= 3;
  tenon_derivative_options* const how = &layout;
  const double dt = in.once_in(4) ? in.number() : 0.01;
  const int kind = in.below(19);
  c.wrong |= kind >= 10 && kind < 12 && !std::isfinite(dt);
  const bool loads = in.once_in(2);
  using Array = const tenon_batch_array*;
  using Status = std::int32_t*;
  const auto read = [&](int vectors) {
    for (int i = 0; i < vectors; ++i) c.read(c.nv);
  };
  const auto write = [&](int vectors, std::size_t count) {
    for (int i = 0; i < vectors; ++i) c.write(count);
  };
  const auto sums = [&](int vectors, std::size_t count) {
    for (int i = 0; i < vectors; ++i) {
      c.write(count);
      if (layout.accumulate != 0) c.add();
    }
  };
  const auto matrices = [&](int count, std::size_t rows, std::size_t columns) {
    for (int i = 0; i < count; ++i) {
      layout.row_major != 0 ? c.write_matrix(columns, rows) : c.write_matrix(rows, columns);
      if (layout.accumulate != 0) c.add();
    }
  };
  // By links, by joints, and by loads, with which states go one by one. steps: of a rollout.
  const auto parameters = [&](std::size_t steps) {
    const std::size_t spanning = static_cast<std::size_t>(tenon_model_nv(b.model));
    const auto one = [&](std::size_t count) { steps > 0 ? void(c.write(count)) : sums(1, count); };
    one(10 * c.links);
    for (int i = 0; i < 3; ++i) one(spanning);
    if (!loads) return;
    steps > 0 ? void(c.write(6 * c.links, steps)) : sums(1, 6 * c.links);
    one(3);
  };
  const auto w = [&](Array x) { return wrenches ? x + 3 : nullptr; };
  if (kind == 18) {
    c.read(c.nq, true), read(2), c.write_matrix(c.nv, 10 * c.links);
    return run(c, "regressor", [&](std::size_t n, Array x, Array y, Status s) {
      return tenon_batch_joint_torque_regressor(batch, n, x, x + 1, x + 2, y, s, n);
    });
  }
  if (kind >= 15) {  // of impacts
    const Rebound<Real> rebound(c.rows, wrenches);
    c.read(c.nq, true), read(kind == 15 ? 1 : kind == 16 ? 2 : 3);
    if (kind == 16) c.read(c.rows);
    write(1, c.nv), write(1, c.rows);
    if (kind == 15) matrices(2, c.nv, c.nv), matrices(2, c.rows, c.nv);
    if (kind == 16) sums(2, c.nv);
    if (kind == 17) sums(1, c.nv), sums(1, c.rows);
    return run(
        c, "derivatives of impacts",
        [&](std::size_t n, Array x, Array y, Status s) {
          const tenon_batch_array* const e = rebound.get();
          if (kind == 15)
            return tenon_batch_impact_derivatives(batch, how, n, e, x, x + 1, y, y + 1, y + 2, y + 3, y + 4,
                                                  y + 5, s, n);
          const auto f = kind == 16 ? tenon_batch_impact_vjp : tenon_batch_impact_jvp;
          return f(batch, how, n, e, x, x + 1, x + 2, x + 3, y, y + 1, y + 2, y + 3, s, n);
        },
        how);
  }
  c.read(c.nq, true), read(2), c.read_wrenches(wrenches);
  if (kind >= 5 && kind < 10) c.read(c.rows);  // desired accelerations
  switch (kind) {
    case 0:
      write(1, c.nv), matrices(3, c.nv, c.nv);
      return run(
          c, "derivatives",
          [&](std::size_t n, Array x, Array y, Status s) {
            const auto f =
                inverse ? tenon_batch_inverse_dynamics_derivatives : tenon_batch_forward_dynamics_derivatives;
            return f(batch, how, n, x, x + 1, x + 2, w(x), y, y + 1, y + 2, y + 3, s, n);
          },
          how);
    case 1:
      read(1), write(1, c.nv), sums(3, c.nv);
      return run(
          c, "vjp",
          [&](std::size_t n, Array x, Array y, Status s) {
            const auto f = inverse ? tenon_batch_inverse_dynamics_vjp : tenon_batch_forward_dynamics_vjp;
            return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, y, y + 1, y + 2, y + 3, s, n);
          },
          how);
    case 2:
      read(3), write(1, c.nv), sums(1, c.nv);
      return run(
          c, "jvp",
          [&](std::size_t n, Array x, Array y, Status s) {
            const auto f = inverse ? tenon_batch_inverse_dynamics_jvp : tenon_batch_forward_dynamics_jvp;
            return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5, x + 6, y, y + 1, s, n);
          },
          how);
    case 3:
      read(1), matrices(4, c.nv, c.nv);
      return run(
          c, "hessian",
          [&](std::size_t n, Array x, Array y, Status s) {
            const auto f =
                inverse ? tenon_batch_inverse_dynamics_hessian : tenon_batch_forward_dynamics_hessian;
            return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, y, y + 1, y + 2, y + 3, s, n);
          },
          how);
    case 4:
      read(4), sums(3, c.nv);
      return run(
          c, "hvp",
          [&](std::size_t n, Array x, Array y, Status s) {
            const auto f = inverse ? tenon_batch_inverse_dynamics_hvp : tenon_batch_forward_dynamics_hvp;
            return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5, x + 6, x + 7, y, y + 1, y + 2, s, n);
          },
          how);
    case 5:
      write(1, c.nv), write(1, c.rows), matrices(3, c.nv, c.nv), matrices(1, c.nv, c.rows),
          matrices(3, c.rows, c.nv), matrices(1, c.rows, c.rows);
      return run(
          c, "constrained derivatives",
          [&](std::size_t n, Array x, Array y, Status s) {
            return tenon_batch_constrained_dynamics_derivatives(batch, how, n, x, x + 1, x + 2, w(x), x + 4,
                                                                y, y + 1, y + 2, y + 3, y + 4, y + 5, y + 6,
                                                                y + 7, y + 8, y + 9, s, n);
          },
          how);
    case 6:
      read(1), c.read(c.rows), write(1, c.nv), write(1, c.rows), sums(3, c.nv), sums(1, c.rows);
      return run(
          c, "constrained vjp",
          [&](std::size_t n, Array x, Array y, Status s) {
            return tenon_batch_constrained_dynamics_vjp(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5,
                                                        x + 6, y, y + 1, y + 2, y + 3, y + 4, y + 5, s, n);
          },
          how);
    case 7:
      read(3), c.read(c.rows), write(1, c.nv), write(1, c.rows), sums(1, c.nv), sums(1, c.rows);
      return run(
          c, "constrained jvp",
          [&](std::size_t n, Array x, Array y, Status s) {
            return tenon_batch_constrained_dynamics_jvp(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5,
                                                        x + 6, x + 7, x + 8, y, y + 1, y + 2, y + 3, s, n);
          },
          how);
    case 8:
      read(1), inverse ? void(c.read(c.rows)) : c.none();
      matrices(4, c.nv, c.nv), matrices(1, c.nv, c.rows);
      return run(
          c, "constrained hessian",
          [&](std::size_t n, Array x, Array y, Status s) {
            return tenon_batch_constrained_dynamics_hessian(batch, how, n, x, x + 1, x + 2, w(x), x + 4,
                                                            x + 5, inverse ? x + 6 : nullptr, y, y + 1, y + 2,
                                                            y + 3, y + 4, s, n);
          },
          how);
    case 9:
      read(1), inverse ? void(c.read(c.rows)) : c.none();
      read(3), c.read(c.rows), sums(3, c.nv), sums(1, c.rows);
      return run(
          c, "constrained hvp",
          [&](std::size_t n, Array x, Array y, Status s) {
            return tenon_batch_constrained_dynamics_hvp(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5,
                                                        inverse ? x + 6 : nullptr, x + 7, x + 8, x + 9,
                                                        x + 10, y, y + 1, y + 2, y + 3, s, n);
          },
          how);
    case 10:
      read(2), write(1, c.nq), write(1, c.nv), sums(3, c.nv);
      return run(
          c, "vjp of a step",
          [&](std::size_t n, Array x, Array y, Status s) {
            return (finer ? tenon_batch_step_runge_kutta_4_vjp : tenon_batch_step_semi_implicit_euler_vjp)(
                batch, how, n, dt, x, x + 1, x + 2, w(x), x + 4, x + 5, y, y + 1, y + 2, y + 3, y + 4, s, n);
          },
          how);
    case 11:
      read(3), write(1, c.nq), write(1, c.nv), sums(2, c.nv);
      return run(
          c, "jvp of a step",
          [&](std::size_t n, Array x, Array y, Status s) {
            return (finer ? tenon_batch_step_runge_kutta_4_jvp : tenon_batch_step_semi_implicit_euler_jvp)(
                batch, how, n, dt, x, x + 1, x + 2, w(x), x + 4, x + 5, x + 6, y, y + 1, y + 2, y + 3, s, n);
          },
          how);
    case 12:
    case 13: {
      const bool rows = kind == 13;
      read(1), write(1, c.nv);
      if (rows) c.read(c.rows), c.read(c.rows);
      if (rows) write(1, c.rows);
      parameters(0);
      return run(
          c, "vjp by parameters",
          [&](std::size_t n, Array x, Array y, Status s) {
            Array const g = rows ? y + 2 : y + 1, by_w = loads ? g + 4 : nullptr,
                        by_g = loads ? g + 5 : nullptr;
            if (rows)
              return tenon_batch_constrained_dynamics_parameter_vjp(batch, how, n, x, x + 1, x + 2, w(x),
                                                                    x + 5, x + 4, x + 6, y, y + 1, g, g + 1,
                                                                    g + 2, g + 3, by_w, by_g, s, n);
            const auto f = inverse ? tenon_batch_inverse_dynamics_parameter_vjp
                                   : tenon_batch_forward_dynamics_parameter_vjp;
            return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, y, g, g + 1, g + 2, g + 3, by_w, by_g, s,
                     n);
          },
          how);
    }
    default: {  // 14
      tenon_rollout_options options;
      tenon_rollout_options_init(&options, sizeof options);
      options.steps = static_cast<std::size_t>(in.below(6));
      options.every =
          std::min(static_cast<std::size_t>(1 + in.below(3)), std::max<std::size_t>(options.steps, 1));
      if (finer) options.integrator = TENON_INTEGRATOR_RUNGE_KUTTA_4;
      const std::size_t records = options.steps / options.every;
      c.read(c.nv, false, records), c.read(c.nv, false, records);
      write(2, c.nv), c.write(c.nv, options.steps);
      const bool of_parameters = in.once_in(2) && options.steps > 0;
      if (of_parameters) parameters(options.steps);
      const auto x = [&](std::size_t i) { return c.inputs[i].array(); };
      const auto y = [&](std::size_t i) { return c.outputs[i].array(); };
      tenon_batch_array tau = *x(2);
      tau.record_stride = 0;
      const tenon_status result =
          of_parameters ? tenon_batch_rollout_parameter_vjp(
                              batch, &options, c.states, x(0), x(1), &tau, wrenches ? x(3) : nullptr, x(4),
                              x(5), y(0), y(1), y(2), y(3), y(4), y(5), y(6), loads ? y(7) : nullptr,
                              loads ? y(8) : nullptr, c.status.data(), c.states)
                        : tenon_batch_rollout_vjp(batch, &options, c.states, x(0), x(1), &tau,
                                                  wrenches ? x(3) : nullptr, x(4), x(5), y(0), y(1), y(2),
                                                  c.status.data(), c.states);
      return c.check(result, "gradients through a rollout", true);
    }
  }
}

}  // namespace
}  // namespace tenon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::fuzz;
  Input in(data, size);
  Batch batch(in);
  for (int calls = 0; calls < 4 && !in.empty(); ++calls)
    batch.single ? compute<float>(in, batch) : compute<double>(in, batch);
  for (int calls = 0; calls < 4 && !in.empty(); ++calls)
    batch.single ? differentiate<float>(in, batch) : differentiate<double>(in, batch);
  return 0;
}
