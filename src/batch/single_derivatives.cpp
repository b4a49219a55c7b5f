// Derivatives of single states of a batch.
#include <algorithm>

#include "batch/single_worker.hpp"
#include "scalar/index.hpp"
#include "state/check.hpp"
#include "tenon/kinematics_derivatives.hpp"

namespace tenon {

template <class N>
DerivativeOut SingleWorker<N>::begin_part(const BatchCall& call, std::size_t state, const Part& part) {
  const BatchArray& a = *part.out;
  if (!a.data) return {};
  if constexpr (std::is_same_v<N, double>) {
    if (is_written_at_once(part)) {
      const bool row_major = a.number_stride != 1;
      return {place(a, state), static_cast<int>(row_major ? a.number_stride : a.record_stride), row_major};
    }
  }
  double* const to = part.at->data();
  if (call.derivatives.accumulate)
    for_columns(a, state, part.count, part.columns,
                [to](std::size_t e, N x) { to[e] = static_cast<double>(x); });
  return {to, static_cast<int>(part.count)};
}

template <class N>
Status SingleWorker<N>::give_parts(std::size_t state, const Part* parts, std::size_t count) {
  const auto for_others = [&](const auto& each) {
    for (const Part* part = parts; part != parts + count; ++part)
      if (part->out->data && !is_written_at_once(*part)) TENON_CHECK(each(*part, part->at->data()));
    return Status::ok;
  };
  TENON_CHECK(for_others(
      [&](const Part& part, const double* x) { return check_range(x, part.columns * part.count); }));
  return for_others([&](const Part& part, const double* from) {
    for_columns(*part.out, state, part.count, part.columns,
                [from](std::size_t e, N& x) { x = static_cast<N>(from[e]); });
    return Status::ok;
  });
}

template <class N>
Status SingleWorker<N>::differentiate(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                      const Inputs<double>& in) {
  const BatchCall::Differentiation& how = call.derivatives;
  const bool inverse = call.of_inverse_dynamics(), step = call.function == BatchFunction::step_derivatives,
             constrained = call.function == BatchFunction::constrained_derivatives,
             matrices = how.form == DerivativeForm::matrices;
  // By q, v and x, and of rows; matrices of multipliers.
  const Part parts[8] = {{&call.out[1], n.v, n.columns, by_},
                         {&call.out[2], n.v, n.columns, by_ + 1},
                         {&call.out[3], n.v, n.columns, by_ + 2},
                         {&call.out[5], matrices ? n.v : n.out[5], matrices ? n.rows : 1, by_ + 3},
                         {&call.out[6], n.rows, n.columns, by_ + 4},
                         {&call.out[7], n.rows, n.columns, by_ + 5},
                         {&call.out[8], n.rows, n.columns, by_ + 6},
                         {&call.out[9], n.rows, n.rows, by_ + 7}};
  const double* const given[4] = {
      take(how.along_q, state, n.v, along_[0]), take(how.along_v, state, n.v, along_[1]),
      take(how.along_x, state, n.v, along_[2]), take(how.along_rows, state, n.rows, along_[3])};
  DerivativeOut by[8];
  for (std::size_t i = 0; i < 8; ++i) by[i] = begin_part(call, state, parts[i]);
  double* const end_v = call.out[4].data ? second_.data() : nullptr;
  const DerivativeOptions options{how.accumulate};
  const Derivatives out = {by[0], by[1], by[2]};
  const StateChange change = {given[0], given[1], given[2]};
  double* const value = call.out[0].data ? out_.data() : nullptr;
  switch (how.form) {
    case DerivativeForm::matrices: {
      if (constrained) {
        TENON_CHECK(constrained_dynamics_derivatives(*used_, options, in, value, end_v,
                                                     {out, by[3], {by[4], by[5], by[6]}, by[7]}));
        break;
      }
      const auto function = inverse ? inverse_dynamics_derivatives : forward_dynamics_derivatives;
      TENON_CHECK(function(*used_, options, in, value, out));
      break;
    }
    case DerivativeForm::vjp: {
      if (constrained) {
        TENON_CHECK(
            constrained_dynamics_vjp(*used_, options, in, given[2], given[3], value, end_v, {out, by[3]}));
        break;
      }
      if (step) {
        TENON_CHECK(
            step_vjp(*used_, call.integrator, options, call.dt, in, given[0], given[1], {value, end_v}, out));
        break;
      }
      const auto function = inverse ? inverse_dynamics_vjp : forward_dynamics_vjp;
      TENON_CHECK(function(*used_, options, in, given[2], value, out));
      break;
    }
    case DerivativeForm::jvp: {
      if (constrained) {
        TENON_CHECK(constrained_dynamics_jvp(*used_, options, in, {change, given[3]}, value, end_v,
                                             by[0].values, by[3].values));
        break;
      }
      if (step) {
        TENON_CHECK(step_jvp(*used_, call.integrator, options, call.dt, in, change, {value, end_v}, out));
        break;
      }
      const auto function = inverse ? inverse_dynamics_jvp : forward_dynamics_jvp;
      TENON_CHECK(function(*used_, options, in, change, value, by[0].values));
      break;
    }
    case DerivativeForm::parameter_vjp:
      return differentiate_by_parameters(call, state, n, in);
    case DerivativeForm::regressor: {
      const DerivativeOut Y = by[0].row_major ? DerivativeOut{by_[0].data(), static_cast<int>(n.v)} : by[0];
      TENON_CHECK(joint_torque_regressor(*used_, in, true, Y.values, Y.ld));
      for_columns(call.out[1], state, n.v, by[0].row_major ? n.columns : 0,
                  [&](std::size_t e, N& x) { x = static_cast<N>(by_[0][e]); });
      break;
    }
  }
  return give_solution(call, state, n, parts, 8);
}

template <class N>
Status SingleWorker<N>::give_solution(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                      const Part* parts, std::size_t count) {
  if (call.out[0].data) TENON_CHECK(check_range(out_.data(), n.out[0]));
  if (call.out[4].data) TENON_CHECK(check_range(second_.data(), n.out[4]));
  TENON_CHECK(give_parts(state, parts, count));
  give(out_.data(), n.out[0], call.out[0], state);
  give(second_.data(), n.out[4], call.out[4], state);
  return Status::ok;
}

template <class N>
Status SingleWorker<N>::differentiate_impact(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                             const ImpactInputs& in) {
  const BatchCall::Differentiation& how = call.derivatives;
  const bool matrices = how.form == DerivativeForm::matrices;
  // By q and v; of the impulse their change, or by q and v.
  const Part parts[4] = {{&call.out[1], n.v, n.columns, by_},
                         {&call.out[2], n.v, n.columns, by_ + 1},
                         {&call.out[matrices ? 6 : 5], n.rows, n.columns, by_ + (matrices ? 4 : 3)},
                         {&call.out[7], n.rows, n.columns, by_ + 5}};
  DerivativeOut by[4];
  for (std::size_t i = 0; i < 4; ++i) by[i] = begin_part(call, state, parts[i]);
  const double *const along_q = take(how.along_q, state, n.v, along_[0]),
                      *const along_v = take(how.along_v, state, n.v, along_[1]),
                      *const gradient = take(how.along_x, state, n.v, along_[2]),
                      *const of_rows = take(how.along_rows, state, n.rows, along_[3]);
  double* const after = call.out[0].data ? out_.data() : nullptr;
  double* const impulse = call.out[4].data ? second_.data() : nullptr;
  const DerivativeOptions options{how.accumulate};
  if (matrices) {
    TENON_CHECK(
        impact_derivatives(*used_, options, in, after, impulse, {{by[0], by[1], {}}, {by[2], by[3], {}}}));
  } else if (how.form == DerivativeForm::vjp) {
    TENON_CHECK(impact_vjp(*used_, options, in, gradient, of_rows, after, impulse, {by[0], by[1], {}}));
  } else {
    TENON_CHECK(
        impact_jvp(*used_, options, in, along_q, along_v, after, impulse, by[0].values, by[2].values));
  }
  return give_solution(call, state, n, parts, 4);
}

template <class N>
Status SingleWorker<N>::differentiate_kinematics(const BatchCall& call, std::size_t state,
                                                 const BatchSizes& n, const Part (&to)[3]) {
  const BatchCall::Differentiation& how = call.derivatives;
  const double* const along[3] = {take(how.along_q, state, n.along, along_[0]),
                                  take(how.along_v, state, n.along, along_[1]),
                                  take(how.along_x, state, n.along, along_[2])};
  double* by[3];
  for (std::size_t i = 0; i < 3; ++i) by[i] = begin_part(call, state, to[i]).values;
  const DerivativeOptions options{how.accumulate};
  const ChosenLinks links{call.links, call.link_count};
  if (call.forward_mode())
    return kinematics_jvp(*used_, options, links, call.axes, {along[0], along[1], along[2]},
                          {by[0], by[1], by[2]});
  return kinematics_vjp(*used_, options, links, call.axes, {along[0], along[1], along[2]},
                        {by[0], by[1], by[2]});
}

template <class N>
Status SingleWorker<N>::differentiate_centroidal(const BatchCall& call, std::size_t state,
                                                 const BatchSizes& n) {
  const BatchCall::Differentiation& how = call.derivatives;
  const DerivativeOptions options{how.accumulate};
  double gradient[centroidal_count] = {};
  for (int i = 0; i < centroidal_parts; ++i) {
    const std::size_t size = index(centroidal_size[i]);
    if (const double* given = take(call.centroidal.gradients[i], state, size, along_[0]))
      std::copy_n(given, size, gradient + centroidal_at[i]);
  }
  const CentroidalParts given = BatchCall::Centroidal::given(call.centroidal.gradients);
  if (how.form == DerivativeForm::parameter_vjp) {
    Part by[parameter_kinds];
    begin_parameters(call, state, n, by);
    TENON_CHECK(centroidal_parameter_vjp(*used_, options, given, gradient, parameter_gradient(call)));
    return give_parts(state, by, parameter_kinds);
  }
  Part parts[centroidal_parts];
  double* to[centroidal_parts] = {};
  const std::size_t count = call.forward_mode() ? centroidal_parts : 2;
  for (std::size_t i = 0; i < count; ++i) {
    if (call.forward_mode())
      parts[i] = {&call.centroidal.changes[i], index(centroidal_size[i]), 1, by_ + i};
    else
      parts[i] = {&call.out[1 + i], n.v, 1, by_ + i};
    to[i] = begin_part(call, state, parts[i]).values;
  }
  if (call.forward_mode()) {
    const double *const dq = take(how.along_q, state, n.v, along_[0]), *const dv = take(how.along_v, state,
                                                                                        n.v, along_[1]);
    TENON_CHECK(centroidal_jvp(*used_, options, dq, dv, to));
  } else {
    TENON_CHECK(centroidal_vjp(*used_, options, given, gradient, to[0], to[1]));
  }
  return give_parts(state, parts, count);
}

template <class N>
ParameterGradient SingleWorker<N>::parameter_gradient(const BatchCall& call) {
  const auto at = [&](ByParameter kind) {
    return call.derivatives.by(kind).data ? by_parameters_[static_cast<std::size_t>(kind)].data() : nullptr;
  };
  ParameterGradient to;
  to.by_inertia = at(ByParameter::inertia), to.by_armature = at(ByParameter::armature);
  to.by_damping = at(ByParameter::damping), to.by_friction = at(ByParameter::friction);
  to.by_wrenches = at(ByParameter::wrenches), to.by_gravity = at(ByParameter::gravity);
  return to;
}

template <class N>
void SingleWorker<N>::begin_parameters(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                       Part (&parts)[parameter_kinds]) {
  for (std::size_t i = 0; i < parameter_kinds; ++i) {
    parts[i] = {&call.derivatives.by_parameters[i], n.parameters[i], 1, by_parameters_ + i};
    begin_part(call, state, parts[i]);
  }
}

template <class N>
Status SingleWorker<N>::differentiate_by_parameters(const BatchCall& call, std::size_t state,
                                                    const BatchSizes& n, const Inputs<double>& in) {
  const BatchCall::Differentiation& how = call.derivatives;
  Part parts[parameter_kinds];
  begin_parameters(call, state, n, parts);
  const double* const gradient = take(how.along_x, state, n.v, along_[2]);
  const double* const of_rows = take(how.along_rows, state, n.rows, along_[3]);
  double *const value = call.out[0].data ? out_.data() : nullptr, *const lambda = call.out[4].data
                                                                                      ? second_.data()
                                                                                      : nullptr;
  const DerivativeOptions options{how.accumulate};
  const ParameterGradient out = parameter_gradient(call);
  if (call.of_constraints()) {
    TENON_CHECK(
        constrained_dynamics_parameter_vjp(*used_, options, in, gradient, of_rows, value, lambda, out));
  } else {
    const auto function =
        call.of_inverse_dynamics() ? inverse_dynamics_parameter_vjp : forward_dynamics_parameter_vjp;
    TENON_CHECK(function(*used_, options, in, gradient, value, out));
  }
  return give_solution(call, state, n, parts, parameter_kinds);
}

template <class N>
Status SingleWorker<N>::differentiate_twice(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                            const Inputs<double>& in) {
  const BatchCall::Differentiation& how = call.derivatives;
  const bool inverse = call.of_inverse_dynamics(), constrained = call.of_constraints(),
             product = how.form == DerivativeForm::jvp;
  const Part parts[5] = {{&call.out[1], n.v, n.columns, by_},
                         {&call.out[2], n.v, n.columns, by_ + 1},
                         {&call.out[3], n.v, n.columns, by_ + 2},
                         {&call.out[4], n.v, n.columns, by_ + 3},
                         {&call.out[5], product ? n.rows : n.v, product ? 1 : n.rows, by_ + 4}};
  const double* const gradient = take(how.gradient, state, n.v, gradients_[0]);
  const double* const of_rows = take(how.gradient_of_rows, state, n.rows, gradients_[1]);
  DerivativeOut to[5];
  for (std::size_t i = 0; i < 5; ++i) to[i] = begin_part(call, state, parts[i]);
  const DerivativeOptions options{how.accumulate};
  if (product) {
    const StateChange change = {take(how.along_q, state, n.v, along_[0]),
                                take(how.along_v, state, n.v, along_[1]),
                                take(how.along_x, state, n.v, along_[2])};
    const Derivatives out = {to[0], to[1], to[2]};
    if (constrained) {
      const double* const desired = take(how.along_rows, state, n.rows, along_[3]);
      TENON_CHECK(
          constrained_dynamics_hvp(*used_, options, in, gradient, of_rows, {change, desired}, {out, to[4]}));
    } else {
      const auto function = inverse ? inverse_dynamics_hvp : forward_dynamics_hvp;
      TENON_CHECK(function(*used_, options, in, gradient, change, out));
    }
  } else {
    const Hessian out = {to[0], to[1], to[2], to[3], to[4]};
    if (constrained) {
      TENON_CHECK(constrained_dynamics_hessian(*used_, options, in, gradient, of_rows, out));
    } else {
      const auto function = inverse ? inverse_dynamics_hessian : forward_dynamics_hessian;
      TENON_CHECK(function(*used_, options, in, gradient, out));
    }
  }
  return give_parts(state, parts, 5);
}

#define TENON_DERIVATIVES_OF(N)                                                                           \
  template Status SingleWorker<N>::differentiate(const BatchCall&, std::size_t, const BatchSizes&,        \
                                                 const Inputs<double>&);                                  \
  template Status SingleWorker<N>::differentiate_impact(const BatchCall&, std::size_t, const BatchSizes&, \
                                                        const ImpactInputs&);                             \
  template Status SingleWorker<N>::differentiate_twice(const BatchCall&, std::size_t, const BatchSizes&,  \
                                                       const Inputs<double>&);                            \
  template Status SingleWorker<N>::differentiate_kinematics(const BatchCall&, std::size_t,                \
                                                            const BatchSizes&, const Part(&)[3]);         \
  template Status SingleWorker<N>::differentiate_centroidal(const BatchCall&, std::size_t,                \
                                                            const BatchSizes&);                           \
  template Status SingleWorker<N>::give_parts(std::size_t, const Part*, std::size_t);                     \
  template ParameterGradient SingleWorker<N>::parameter_gradient(const BatchCall&)
TENON_DERIVATIVES_OF(double);
TENON_DERIVATIVES_OF(float);

}  // namespace tenon
