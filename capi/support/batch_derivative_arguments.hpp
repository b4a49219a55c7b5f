// What the calls of derivatives of many states are given.
#pragma once

#include <utility>

#include "support/batch_arguments.hpp"
#include "support/derivative_options.hpp"

// An argument and its name.
#define GIVEN(array) #array, array

namespace tenon::capi {

using tenon::DerivativeForm;

// What all have.
class DerivativeArguments : public Arguments {
 public:
  DerivativeArguments(tenon_batch* batch, BatchFunction function, DerivativeForm form,
                      const tenon_derivative_options* options, size_t states, std::int32_t* status,
                      size_t status_count, const char* name) noexcept
      : Arguments(batch, function, states, status, status_count, name) {
    call.derivatives.form = form;
    const CheckedDerivativeOptions how = checked(*this, options);
    call.derivatives.accumulate = how.accumulate;
    row_major_ = how.row_major;
  }
  void state(const tenon_batch_array* q, const tenon_batch_array* v, const char* x_name,
             const tenon_batch_array* x, const tenon_batch_array* wrenches) noexcept {
    position(q);
    velocity(v);
    forces(x_name, x, wrenches);
  }
  BatchArray velocities(const char* name, const tenon_batch_array* a) noexcept {
    return optional_array(name, a, velocity_count());
  }
  void change(const tenon_batch_array* dq, const tenon_batch_array* dv, const char* name,
              const tenon_batch_array* third) noexcept {
    call.derivatives.along_q = velocities("dq", dq);
    call.derivatives.along_v = velocities("dv", dv);
    call.derivatives.along_x = velocities(name, third);
  }
  void results(const char* name, const tenon_batch_array* value, const BatchArray& by_q,
               const BatchArray& by_v, const BatchArray& by_x) noexcept {
    call.out[0] = output(name, value, velocity_count(), false);
    call.out[1] = by_q, call.out[2] = by_v, call.out[3] = by_x;
  }
  // What constrained dynamics has besides; along, out: of rows.
  void constraints(const tenon_batch_array* desired, const char* along_name, const tenon_batch_array* along,
                   const tenon_batch_array* lambda, const char* out_name,
                   const tenon_batch_array* out) noexcept {
    call.desired = optional_array("desired", desired, rows());
    call.derivatives.along_rows = optional_array(along_name, along, rows());
    call.out[4] = output("lambda", lambda, rows(), false);
    call.out[5] = output(out_name, out, rows(), false);
  }
  // Of an impact.
  void impact(const tenon_batch_array* restitution, const tenon_batch_array* q, const tenon_batch_array* v,
              const tenon_batch_array* v_after, const tenon_batch_array* impulse) noexcept {
    hit(restitution, q, v);
    call.out[0] = output("v_after", v_after, velocity_count(), false);
    call.out[4] = output("impulse", impulse, rows(), false);
  }
  // Of a step.
  void end(tenon::Integrator integrator, double dt, const tenon_batch_array* next_q,
           const tenon_batch_array* next_v) noexcept {
    finite("dt", &dt, 1);
    call.integrator = integrator;
    call.dt = dt;
    call.out[0] = output("next_q", next_q, position_count(), false);
    call.out[4] = output("next_v", next_v, velocity_count(), false);
  }
  // Of kinematics of links, from gradients by their motion, or from a change to that of their motion.
  void gradients_by_links(const Motion& by, const tenon_batch_array* gradient_q,
                          const tenon_batch_array* gradient_v, const tenon_batch_array* gradient_a) noexcept {
    const size_t count = 6 * static_cast<size_t>(call.link_count);
    call.derivatives.along_q = optional_array("pose_gradients", by.poses, count);
    call.derivatives.along_v = optional_array("velocity_gradients", by.velocities, count);
    call.derivatives.along_x = optional_array("acceleration_gradients", by.accelerations, count);
    call.out[1] = gradient_by("gradient_q", gradient_q);
    call.out[2] = gradient_by("gradient_v", gradient_v);
    call.out[3] = gradient_by("gradient_a", gradient_a);
  }
  void changes_of_links(const Motion& of) noexcept {
    const size_t count = 6 * static_cast<size_t>(call.link_count);
    call.out[1] = output("dposes", of.poses, count, false);
    call.out[2] = output("dvelocities", of.velocities, count, false);
    call.out[3] = output("daccelerations", of.accelerations, count, false);
  }
  BatchArray gradient_by(const char* name, const tenon_batch_array* a) noexcept {
    return output(name, a, velocity_count(), false);
  }
  // The same, which has to be given.
  BatchArray needed_matrix(const char* name, const tenon_batch_array* a, size_t rows,
                           size_t columns) noexcept {
    const BatchArray out = matrix(name, a, rows, columns);
    if (out.data == nullptr) needed_array(name, nullptr, rows * columns);
    return out;
  }
  // A matrix of `rows` x `columns` numbers, to write; its columns are records, also of a row-major one, whose strides
  // change places.
  BatchArray matrix(const char* name, const tenon_batch_array* a, size_t rows, size_t columns) noexcept {
    const size_t in_line = row_major_ ? columns : rows, lines = row_major_ ? rows : columns;
    auto given = over(a, default_batch_array, name);
    BatchArray out;
    if (given.data == nullptr || given.record_stride == 0) {
      out = output(name, a, rows * columns, false);
      out.record_stride = static_cast<std::ptrdiff_t>(in_line * static_cast<size_t>(out.number_stride));
    } else {
      if (given.count != rows * columns)
        fail(Status::wrong_size, "%s has %zu numbers for each state; this model needs %zu x %zu", name,
             given.count, rows, columns);
      given.count = in_line;
      out = output(name, &given, in_line, false, lines);
    }
    if (row_major_) std::swap(out.number_stride, out.record_stride);
    return out;
  }
  BatchArray square(const char* name, const tenon_batch_array* a) noexcept {
    return matrix(name, a, velocity_count(), velocity_count());
  }
  // Of second derivatives: what they are of, then matrices or their products with a change.
  void gradient_of(const tenon_batch_array* gradient) noexcept {
    call.derivatives.gradient = needed_array("gradient", gradient, velocity_count());
  }
  void gradient_of(const tenon_batch_array* desired, const tenon_batch_array* gradient,
                   const tenon_batch_array* gradient_lambda) noexcept {
    call.desired = optional_array("desired", desired, rows());
    call.derivatives.gradient = velocities("gradient", gradient);
    call.derivatives.gradient_of_rows = optional_array("gradient_lambda", gradient_lambda, rows());
  }
  void hessian(const tenon_batch_array* qq, const tenon_batch_array* qv, const tenon_batch_array* vv,
               const char* name, const tenon_batch_array* third) noexcept {
    call.out[1] = square("hessian_qq", qq);
    call.out[2] = square("hessian_qv", qv);
    call.out[3] = square("hessian_vv", vv);
    call.out[4] = square(name, third);
  }
  void products(const tenon_batch_array* by_q, const tenon_batch_array* by_v, const char* name,
                const tenon_batch_array* by_third) noexcept {
    call.out[1] = gradient_by("product_q", by_q);
    call.out[2] = gradient_by("product_v", by_v);
    call.out[3] = gradient_by(name, by_third);
  }

 private:
  bool row_major_ = false;
};

}  // namespace tenon::capi
