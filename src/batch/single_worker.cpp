#include "batch/single_worker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "scalar/index.hpp"
#include "state/check.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon {

BatchSizes::BatchSizes(const BatchCall& call, Workspace& w)
    : q(index(position_count(w))),
      v(index(velocity_count(w))),
      rows(w.constraints() ? index(w.constraints()->row_count()) : 0),
      wrenches(6 * w.model().links.size()),
      out{v, 0, 0, 0, 0, 0},
      x(v),
      along(v),
      by(v) {
  const std::size_t all_v = index(w.model().nv);
  const std::size_t each[parameter_kinds] = {10 * w.model().links.size(), all_v, all_v, all_v, wrenches, 3};
  std::copy_n(each, parameter_kinds, parameters);
  const std::size_t links = index(call.link_count);
  switch (call.function) {
    case BatchFunction::mass_matrix:
      out[0] = v * v;
      break;
    case BatchFunction::mass_matrix_lower:
    case BatchFunction::mass_matrix_factor:
      out[0] = v * (v + 1) / 2;
      break;
    case BatchFunction::kinematics:
      out[0] = 7 * links, out[1] = 6 * links, out[2] = 6 * v * links;
      break;
    case BatchFunction::kinematics_derivatives:
      out[0] = 0;
      (call.derivatives.form == DerivativeForm::vjp ? along : by) = 6 * links;
      break;
    case BatchFunction::centroidal:
    case BatchFunction::centroidal_derivatives:
      out[0] = 0;
      (call.forward_mode() ? by : along) = centroidal_count;
      break;
    case BatchFunction::constrained_dynamics:
    case BatchFunction::impact:
      out[1] = rows;
      break;
    case BatchFunction::delassus:
      out[0] = rows * rows;
      break;
    case BatchFunction::damped_product:
      out[0] = x = rows * index(call.columns);
      break;
    case BatchFunction::inverse_derivatives:
    case BatchFunction::forward_derivatives:
      if (call.derivatives.form == DerivativeForm::matrices) columns = v;
      if (call.derivatives.form == DerivativeForm::regressor) columns = parameters[0];
      break;
    case BatchFunction::step_derivatives:
      out[0] = q, out[4] = v;
      break;
    case BatchFunction::constrained_derivatives:
    case BatchFunction::impact_derivatives:
      out[4] = out[5] = rows;
      if (call.derivatives.form == DerivativeForm::matrices) columns = v;
      break;
    case BatchFunction::inverse_hessian:
    case BatchFunction::forward_hessian:
    case BatchFunction::constrained_hessian:
      out[0] = 0;
      if (call.derivatives.form == DerivativeForm::matrices) columns = v;
      break;
    case BatchFunction::rollout:
    case BatchFunction::rollout_derivatives:
      out[0] = q, out[1] = v, out[2] = v, out[3] = rows;
      break;
    default:
      break;
  }
}

template <class N>
SingleWorker<N>::SingleWorker(std::shared_ptr<const Model> model,
                              std::shared_ptr<const ConstraintSet> constraints,
                              const WorkspaceOptions& options, int width_)
    : Worker(std::move(model), std::move(constraints), options, width_), robot_(single) {
  const WorkspaceImpl& w = single.impl();
  const std::size_t nq = index(w.model->nq), nv = index(w.model->nv), rows = index(w.rows());
  q_.resize(nq), v_.resize(nv), x_.resize(std::max(nv, rows)), wrenches_.resize(6 * w.model->links.size());
  desired_.resize(rows), second_.resize(rows);
  out_.resize(std::max({nq, std::size_t{13} + 6 * nv}));
  for (const Model::Joint& joint : w.model->joints)
    position_of_.insert(position_of_.end(), index(joint.nv), joint.nv == 1 ? joint.q_index : -1);
}

// Of impacts and derivatives that states take one by one.
static void make_memory(const BatchCall& call, WorkspaceImpl& w) {
  const bool loops = w.md().cluster_count > 0, rows = call.of_steps() ? w.rows() > 0 : call.of_constraints(),
             twice = call.differentiates_twice(),
             by_parameters = call.derivatives.form == DerivativeForm::parameter_vjp ||
                             call.derivatives.form == DerivativeForm::regressor ||
                             call.derivatives.by_some_parameter();
  if (call.of_kinematics() && call.differentiates()) *w.kinematics_derivatives;
  if (call.function == BatchFunction::impact && w.rows() > 0) w.need_projection();
  if (!call.differentiates() || !(loops || rows || twice || call.rolls() || by_parameters)) return;
  *w.derivatives;
  if (by_parameters) *w.parameters;
  if (call.of_steps()) *w.step_derivatives;
  if (twice || loops) w.need(of_joint_space);
  if (twice && call.derivatives.form == DerivativeForm::jvp) *w.second_products;
  if (twice && call.derivatives.form == DerivativeForm::matrices) *w.second_order;
  if (rows && w.rows() > 0) w.need_row_derivatives();
  if (loops) *w.loop_derivatives;
}

template <class N>
void SingleWorker<N>::prepare(const BatchCall& call) {
  sizes_ = BatchSizes(call, single);
  if (call.robots) robot_.prepare(*call.robots, single.instructions());
  if (call.function == BatchFunction::kinematics) return;  // link by link
  const BatchSizes& n = sizes_;
  if (call.feedback.given()) {
    grow(q_target_, n.q);
    for (std::vector<double>* x : {&stiffness_, &damping_, &v_target_}) x->assign(n.v, 0.0);
  }
  const bool triangle =
      call.function == BatchFunction::mass_matrix_lower || call.function == BatchFunction::mass_matrix_factor;
  if (call.differentiates()) {
    for (std::size_t i = 0; i < 3; ++i) grow(along_[i], n.along), grow(by_[i], n.columns * n.by);
    grow(along_[3], n.rows), grow(by_[3], n.rows);
    for (std::size_t i = 0; call.of_whole_robots() && i < std::size_t{centroidal_parts}; ++i)
      grow(by_[i], n.by);
    for (std::size_t i = 0; i < parameter_kinds; ++i)
      if (call.derivatives.by_parameters[i].data) grow(by_parameters_[i], n.parameters[i]);
  }
  if (call.of_constraints() && !call.differentiates_twice() && call.of_matrices()) {
    for (std::size_t i = 3; i < 7; ++i) grow(by_[i], n.v * n.rows);
    grow(by_[7], n.rows * n.rows);
  }
  if (call.differentiates_twice()) {
    const bool matrices = call.derivatives.form == DerivativeForm::matrices;
    for (std::size_t i = 0; i < 2; ++i) grow(gradients_[i], i == 0 ? n.v : n.rows);
    grow(by_[3], n.v * n.columns), grow(by_[4], n.rows * (matrices ? n.v : 1));
  }
  if (call.function == BatchFunction::rollout_derivatives)
    grow(kept_, KeptStates<double>::bytes(call, n.q, n.v));
  // So that it does not matter which threads compute.
  make_memory(call, single.impl());
  if (call.robots && robot_.own()) make_memory(call, robot_.own()->impl());
  grow(second_, n.out[4]);
  grow(x_, n.x);
  grow(out_, triangle ? n.v * n.v : n.out[0]);  // of the whole matrix
}

template <class N>
std::size_t SingleWorker<N>::bytes() const {
  return single.bytes() +
         bytes_of(along_[0], along_[1], along_[2], along_[3], by_[0], by_[1], by_[2], by_[3], by_[4], by_[5],
                  by_[6], by_[7], gradients_[0], gradients_[1]) +
         bytes_of(by_parameters_[0], by_parameters_[1], by_parameters_[2], by_parameters_[3],
                  by_parameters_[4], by_parameters_[5]) +
         bytes_of(robot_, q_, v_, x_, wrenches_, desired_, out_, second_, stiffness_, damping_, q_target_,
                  v_target_, position_of_, kept_);
}

template <class N>
const double* SingleWorker<N>::take(const BatchArray& a, std::size_t state, std::size_t count,
                                    std::vector<double>& to, std::size_t record) const {
  if (!a.data) return nullptr;
  const N* from = place(a, state, record);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * a.number_stride]);
  return to.data();
}

template <class N>
Status SingleWorker<N>::check_range(const double* x, std::size_t count) {
  constexpr double largest = static_cast<double>(std::numeric_limits<N>::max());
  if (std::all_of(x, x + count, [](double e) { return std::abs(e) <= largest; })) return Status::ok;
  return used_->impl().fail(Status::not_finite, "the result is beyond the range of single precision");
}

template <class N>
void SingleWorker<N>::give(const double* from, std::size_t count, const BatchArray& a, std::size_t state,
                           std::size_t record) const {
  if (!a.data) return;
  N* to = place(a, state, record);
  for (std::size_t i = 0; i < count; ++i)
    to[static_cast<std::ptrdiff_t>(i) * a.number_stride] = static_cast<N>(from[i]);
}

template <class N>
void SingleWorker<N>::report(const BatchCall& call, std::size_t state, Status status,
                             const SolveReport& solve) {
  note(call, state, status, solve);
  if (static_cast<std::int32_t>(status) >= 0) return;
  if (failure.status != Status::ok && failure.state < state) return;
  failure.state = state;
  failure.status = status;
  std::snprintf(failure.message, sizeof failure.message, "state %zu: %s", state, used_->message());
}

template <class N>
void SingleWorker<N>::take_rows(const BatchCall& call, std::size_t state) {
  const BatchRows& rows = *call.rows;
  if (rows.version == rows_taken_) return;
  rows.give(*single.impl().settings, call.function, state);
  rows_taken_ = rows.same_in_all() ? rows.version : 0;
}

template <class N>
Status SingleWorker<N>::anchor(const BatchCall& call, std::size_t state, const BatchSizes& n) {
  rows_taken_ = 0;  // because it writes anchors
  TENON_CHECK(anchor_here(single, take(call.q, state, n.q, q_)));
  const ConstraintSet* set = single.constraints();
  const int count = set ? set->constraint_count() : 0;
  double* to = call.anchors + 12 * index(count) * state;
  for (int c = 0; c < count; ++c, to += 12) store_pose(single.anchor(c), to);
  return Status::ok;
}

template <class N>
void SingleWorker<N>::run_one(const BatchCall& call, std::size_t state) {
  if (call.rows) take_rows(call, state);
  used_ = call.robots ? &robot_.take(*call.robots, state) : &single;
  const Status status = compute(call, state, sizes_);
  if (call.robots) robot_.leave();
  const bool solves = call.solves_rows() && static_cast<std::int32_t>(status) >= 0;
  report(call, state, status, solves ? used_->report() : SolveReport{});
}

template <class N>
Status SingleWorker<N>::kinematics_of(const BatchCall& call, std::size_t state, const BatchSizes& n) {
  const double* q = take(call.q, state, n.q, q_);
  const double* v = n.v > 0 ? take(call.v, state, n.v, v_) : used_->impl().zeros.data();
  const double* const rate =
      n.v > 0 && call.x.data ? take(call.x, state, n.v, x_) : used_->impl().zeros.data();
  TENON_CHECK(kinematics(*used_, q, v, call.accelerates() ? rate : nullptr));
  const bool derived = call.differentiates();
  const BatchArray &velocities = call.out[derived ? 4 : 1], jacobians = derived ? BatchArray{} : call.out[2],
                   &accelerations = call.out[derived ? 5 : 3];
  double* numbers = out_.data();
  const std::size_t jacobian = 6 * n.v;
  const Part products[3] = {
      {&call.out[1], n.by, 1, by_}, {&call.out[2], n.by, 1, by_ + 1}, {&call.out[3], n.by, 1, by_ + 2}};
  if (derived) TENON_CHECK(differentiate_kinematics(call, state, n, products));
  const auto part = [&](BatchArray a, std::size_t count, int link) {
    if (a.data)
      a.data = static_cast<N*>(a.data) + static_cast<std::ptrdiff_t>(index(link) * count) * a.number_stride;
    return a;
  };
  // First all is looked at, then written: nothing is for a state that fails.
  for (const bool write : {false, true}) {
    const auto give_or_check = [&](std::size_t count, const BatchArray& a) {
      if (write) give(numbers, count, a, state);
      return write ? Status::ok : check_range(numbers, count);
    };
    for (int i = 0; i < call.link_count; ++i) {
      const int link = call.links[i];
      TENON_CHECK(link_pose(*used_, link, numbers, numbers + 3, nullptr));
      TENON_CHECK(give_or_check(7, part(call.out[0], 7, i)));
      if (velocities.data) {
        TENON_CHECK(link_velocity(*used_, link, call.axes, numbers));
        TENON_CHECK(give_or_check(6, part(velocities, 6, i)));
      }
      if (accelerations.data) {
        TENON_CHECK(link_acceleration(*used_, link, call.axes, numbers));
        TENON_CHECK(give_or_check(6, part(accelerations, 6, i)));
      }
      if (jacobians.data) {
        TENON_CHECK(link_jacobian(*used_, link, call.axes, numbers, 6));
        TENON_CHECK(give_or_check(jacobian, part(jacobians, jacobian, i)));
      }
    }
    if (derived && !write)
      for (const Part& product : products)
        if (product.out->data) TENON_CHECK(check_range(product.at->data(), n.by));
  }
  return derived ? give_parts(state, products, 3) : Status::ok;
}

template <class N>
Status SingleWorker<N>::centroidal_of(const BatchCall& call, std::size_t state, const BatchSizes& n) {
  const double* q = take(call.q, state, n.q, q_);
  const double* v = n.v > 0 ? take(call.v, state, n.v, v_) : used_->impl().zeros.data();
  TENON_CHECK(kinematics(*used_, q, v, nullptr));
  double numbers[centroidal_count];
  const BatchArray(&values)[centroidal_parts] = call.centroidal.values;
  const CentroidalParts wanted = BatchCall::Centroidal::given(values);
  TENON_CHECK(centroidal_state(*used_, wanted, numbers));
  for (int i = 0; i < centroidal_parts; ++i)
    if (wanted.part[i]) TENON_CHECK(check_range(numbers + centroidal_at[i], index(centroidal_size[i])));
  if (call.differentiates()) TENON_CHECK(differentiate_centroidal(call, state, n));
  for (int i = 0; i < centroidal_parts; ++i)
    give(numbers + centroidal_at[i], index(centroidal_size[i]), values[i], state);
  return Status::ok;
}

template <class N>
Status SingleWorker<N>::compute(const BatchCall& call, std::size_t state, const BatchSizes& n) {
  if (call.function == BatchFunction::rollout) return roll(call, state, n);
  if (call.function == BatchFunction::rollout_derivatives) return roll_back(call, state, n);
  if (call.of_whole_robots()) return centroidal_of(call, state, n);
  if (call.of_kinematics()) return kinematics_of(call, state, n);
  if (call.function == BatchFunction::anchor_here) return anchor(call, state, n);
  const double* q = take(call.q, state, n.q, q_);
  const double* v = take(call.v, state, n.v, v_);
  const double* x = take(call.x, state, n.x, x_);
  const double* wrenches = take(call.wrenches, state, n.wrenches, wrenches_);
  double* out = out_.data();
  const int rows = used_->impl().rows();
  const auto restitution = [&] { return take(call.restitution, state, n.rows, desired_); };
  // Results of rows; the others follow at the end.
  const auto give_rows = [&] {
    TENON_CHECK(check_range(out, n.out[0]));
    TENON_CHECK(check_range(second_.data(), n.rows));
    give(second_.data(), n.rows, call.out[1], state);
    return Status::ok;
  };
  Status status = Status::ok;
  switch (call.function) {
    case BatchFunction::forward_dynamics:
      status = forward_dynamics(*used_, {q, v, x, wrenches}, out);
      break;
    case BatchFunction::inverse_dynamics:
      status = inverse_dynamics(*used_, {q, v, nullptr, wrenches, nullptr, x}, out);
      break;
    case BatchFunction::inverse_derivatives:
      return differentiate(call, state, n, {q, v, nullptr, wrenches, nullptr, x});
    case BatchFunction::forward_derivatives:
    case BatchFunction::step_derivatives:
      return differentiate(call, state, n, {q, v, x, wrenches});
    case BatchFunction::constrained_derivatives:
      return differentiate(call, state, n, {q, v, x, wrenches, take(call.desired, state, n.rows, desired_)});
    case BatchFunction::inverse_hessian:
      return differentiate_twice(call, state, n, {q, v, nullptr, wrenches, nullptr, x});
    case BatchFunction::forward_hessian:
      return differentiate_twice(call, state, n, {q, v, x, wrenches});
    case BatchFunction::constrained_hessian:
      return differentiate_twice(call, state, n,
                                 {q, v, x, wrenches, take(call.desired, state, n.rows, desired_)});
    case BatchFunction::mass_matrix:
      status = mass_matrix(*used_, q, out, static_cast<int>(n.v));
      break;
    case BatchFunction::mass_matrix_lower:
    case BatchFunction::mass_matrix_factor:
      status = mass_matrix_triangle(*used_, q, call.function == BatchFunction::mass_matrix_factor, out);
      break;
    case BatchFunction::constrained_dynamics:
      if (call.solve.warm_start) take(call.out[1], state, n.rows, second_);
      status = constrained_dynamics(*used_, call.solve,
                                    {q, v, x, wrenches, take(call.desired, state, n.rows, desired_)}, out,
                                    second_.data());
      if (static_cast<std::int32_t>(status) >= 0) TENON_CHECK(give_rows());
      break;
    case BatchFunction::impact:
      std::copy_n(v, n.v, out);
      status = impact(*used_, restitution(), rows, q, out, second_.data());
      if (static_cast<std::int32_t>(status) >= 0) TENON_CHECK(give_rows());
      break;
    case BatchFunction::impact_derivatives:
      return differentiate_impact(call, state, n, {restitution(), rows, q, v});
    case BatchFunction::delassus:
      status = delassus_matrix(*used_, call.delassus_method, q, out, rows);
      break;
    default:  // damped_product
      status = factor_damped_delassus(*used_, call.damped_method, q, call.damping);
      if (status == Status::ok)
        status = apply_damped_delassus_inverse(*used_, x, rows, call.columns, out, rows);
  }
  if (static_cast<std::int32_t>(status) < 0) return status;
  TENON_CHECK(check_range(out, n.out[0]));
  give(out, n.out[0], call.out[0], state);
  return status;
}

template class SingleWorker<double>;
template class SingleWorker<float>;

}  // namespace tenon
