#include "tenonx/acados.hpp"

#include <algorithm>
#include <cstddef>

#include "tenonx/acados_texts.hpp"
#include "tenonx/head_comment.hpp"
#include "tenonx/recording.hpp"

namespace client {
namespace {

using namespace acados_texts;

// Puts the name for each @, and one of the values for each $, in their order.
std::string fill(const char* pattern, const std::string& name, const std::vector<std::string>& values) {
  std::string text;
  std::size_t next = 0;
  for (const char* c = pattern; *c != '\0'; ++c) {
    if (*c == '@')
      text += name;
    else if (*c == '$')
      text += values.at(next++);
    else
      text += *c;
  }
  return text;
}

// Arrays as they are declared, and as they are handed over. C has no arrays of no numbers.
std::string declared(const std::vector<GeneratedArray>& arrays) {
  std::string text;
  for (const GeneratedArray& x : arrays)
    text +=
        format("%s%s[%zu]", text.empty() ? "" : ", ", x.name.c_str(), std::max<std::size_t>(x.count(), 1));
  return text;
}
std::string listed(const std::vector<GeneratedArray>& arrays) {
  std::string text;
  for (const GeneratedArray& x : arrays) text += (text.empty() ? "" : ", ") + x.name;
  return text;
}

bool are_named(const std::vector<GeneratedArray>& arrays, const std::vector<const char*>& names) {
  return std::equal(arrays.begin(), arrays.end(), names.begin(), names.end(),
                    [](const GeneratedArray& x, const char* name) { return x.name == name; });
}

bool is_free_base(const tenon_joint_info& joint) {
  return joint.type == TENON_JOINT_TYPE_FLOATING && joint.parent_link == TENON_WORLD;
}

// Which number of u each velocity coordinate has; -1: none.
std::vector<int32_t> motors(const tenon_model* model, const std::vector<std::string>& passive) {
  std::vector<int32_t> number(static_cast<std::size_t>(tenon_model_nv(model)), 0);
  const auto has_none = [&](const tenon_joint_info& joint) {
    std::fill_n(number.begin() + joint.v_index, joint.nv, -1);
  };
  const std::vector<tenon_joint_info> all = joints(model);
  for (const tenon_joint_info& joint : all)
    if (is_free_base(joint)) has_none(joint);
  for (const std::string& name : passive)
    has_none(all[static_cast<std::size_t>(find_joint(model, name, "--passive"))]);
  int32_t count = 0;
  for (int32_t& x : number)
    if (x == 0) x = count++;
  return number;
}

struct Dynamics {
  std::string name;
  bool forward;
  std::string arguments;  // their types
  std::vector<GeneratedArray> inputs, outputs, derivatives, second, of_rate;
  bool rows() const { return outputs.size() > 1; }
};

Dynamics dynamics_of(const tenon_model* model, const std::string& generated) {
  const std::vector<GeneratedArray> in = arrays_of(generated, "in");
  Dynamics d = {
      function_of(generated),       true, "", in, arrays_of(generated, "out"), arrays_of(generated, "jac"),
      arrays_of(generated, "hess"), {}};
  for (std::size_t i = 0; i < in.size(); ++i) d.arguments += "const double *, ";
  d.arguments += d.rows() ? "double *, double *" : "double *";
  if (tenon_model_nv(model) == 0) throw Failure("--acados: nothing moves on this robot.");
  if (are_named(in, {"q", "v", "tau"}) && are_named(d.outputs, {"qdd"})) return d;
  if (are_named(in, {"q", "v", "tau", "desired"}) && are_named(d.outputs, {"qdd", "lambda"})) return d;
  d.forward = false;
  if (!are_named(in, {"q", "v", "a"}) || !are_named(d.outputs, {"tau"}))
    throw Failure(
        "--acados: needs an algorithm that takes q, v and tau and gives qdd, or rnea; take aba or rnea, with "
        "loops c_aba, with contacts pv or constrained_aba.",
        2);
  if (tenon_model_loop_count(model) > 0)
    throw Failure(
        "--acados: rnea is that of the tree, and this robot has loops or couplings, whose forces it lacks; "
        "take c_aba, or pv where rows close them.",
        2);
  return d;
}

void check_step(const tenon_model* model, const Dynamics& d) {
  if (!d.forward)
    throw Failure("--step: a step needs accelerations, and rnea takes them; take aba, or leave --step away.",
                  2);
  for (const tenon_joint_info& joint : joints(model))
    if (!has_one_coordinate(joint))
      throw Failure(
          format("--step: positions of joint '%s' are not the sum of its velocities, so that a step by "
                 "entries of q would leave what they may be; leave --step away, and take acados' "
                 "integrator IRK with Gauss-Legendre stages, which keep the norm of quaternions.",
                 joint.name),
          2);
}

std::string numbers(const std::vector<int32_t>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i)
    text += format("%s%d", i == 0 ? "" : i % 25 == 0 ? ",\n    " : ", ", list[i]);
  return text;
}

// How many inputs of the dynamics the state and the controls move.
constexpr std::size_t moving = 3;

// A function that adds the Hessian of weighted results by the first inputs. function: which writes the second derivatives,
// for as many `arguments`. given: those behind the state, as they are handed over; room: for what is none. name: of the
// dynamics. Empty where rates move with the state by nothing but its entries.
std::string hessian_of(const std::string& function, std::size_t inputs, std::size_t arguments,
                       const std::vector<GeneratedArray>& second, const std::string& given,
                       const std::string& room, const std::string& name) {
  const char* const places[moving] = {"to_q", "to_v", "to_last"};
  std::string adds;
  for (std::size_t i = 0; i < inputs; ++i)
    for (std::size_t j = 0; j < inputs; ++j) {
      const std::size_t k = i * arguments + j;
      if (second.at(k).count() > 0)
        adds += format("  %s_add_second(%s_adj_jac_sparsity(%zu), %s, %s, %s, A, ai, aj);\n", name.c_str(),
                       function.c_str(), k, second[k].name.c_str(), places[i], places[j]);
    }
  const bool last = inputs == moving;
  if (adds.empty() && !last) return "";
  if (adds.empty())
    adds = "  (void)to_q, (void)to_v, (void)to_last, (void)A, (void)ai, (void)aj, (void)" + name +
           "_add_second;\n";
  return fill(add_hessian, name,
              {function, last ? "const double *last, " : "", last ? "const int *to_last, " : "",
               declared(second) + room, function, given, listed(second), adds});
}

std::string about(const Dynamics& d, const std::vector<int32_t>& motor, int32_t nx, int32_t nu, double step) {
  std::string text =
      "\n/* For acados: functions of its models with dyn_ext_fun_type 'generic', compiled with its headers.\n"
      " * x = [q; v], " +
      format("%d numbers. u, %d numbers: the forces along", nx, nu);
  std::size_t on_line = 0;
  for (std::size_t i = 0; i < motor.size(); ++i)
    if (motor[i] >= 0) text += format("%sv[%zu]", on_line++ % 15 == 0 ? "\n *   " : " ", i);
  text += nu == 0 ? " none.\n" : ".\n";
  text +=
      " * dyn_impl_dae_fun @_impl_dae_fun, dyn_impl_dae_fun_jac @_impl_dae_fun_jac, dyn_impl_dae_jac\n"
      " * @_impl_dae_jac: 0 = [qdot - rate of q; ";
  text += d.forward ? "vdot - qdd]" : "inverse dynamics - tau]";
  text += ", for the integrator IRK.\n";
  if (step > 0)
    text +=
        " * dyn_disc_fun @_disc_dyn_fun, dyn_disc_fun_jac @_disc_dyn_fun_jac:\n"
        " * v' = v + h qdd, q' = q + h v', for the integrator DISCRETE.\n";
  if (!d.second.empty())
    text += std::string(" * Exact Hessians: ") +
            (step > 0 ? "dyn_disc_fun_jac_hess @_disc_dyn_fun_jac_hess; " : "") +
            "impl_dae_hess @_impl_dae_hess.\n";
  text += " * Parameters and time are not read.";
  if (d.rows()) text += " The desired accelerations of rows are zero.";
  return text + " */\n";
}

}  // namespace

std::string acados_functions(const tenon_model* model, const std::string& generated,
                             const AcadosSettings& settings) {
  Dynamics d = dynamics_of(model, generated);
  if (settings.step > 0) check_step(model, d);
  const std::vector<int32_t> motor = motors(model, settings.passive);
  const int32_t nq = tenon_model_nq(model), nv = tenon_model_nv(model),
                nu = 1 + *std::max_element(motor.begin(), motor.end());

  tenonx_trace_options options;
  tenonx_trace_options_init(&options, sizeof options);
  const std::string rate_name = d.name + "_rate";
  options.function_name = rate_name.c_str();
  options.derivatives = 1;
  options.hessian = d.second.empty() ? 0 : 1;
  const std::string rate = generate_code(model, nullptr, "position_rate", options);
  d.of_rate = arrays_of(rate, "jac");
  if (d.derivatives.size() < 3 || d.of_rate.size() != 2)
    throw Failure("--acados: derivatives and head comment of the function do not fit: a fault in Tenon.");

  // Rows are asked for no acceleration of their own.
  const std::string rows = d.rows() ? format("%zu", d.outputs[1].count()) : "";
  const std::string room = d.rows() ? ", desired[" + rows + "] = {0}, lambda[" + rows + "]" : "";
  const std::string desired = d.rows() ? ", desired[" + rows + "] = {0}" : "";
  const auto to = [&](const std::string& qdd) { return d.rows() ? "desired, " + qdd + ", lambda" : qdd; };
  const std::string all = listed(d.derivatives), by_jac = (d.rows() ? "desired, " : "") + all;
  const std::string &by_q = d.derivatives[0].name, &by_v = d.derivatives[1].name,
                    &by_last = d.derivatives[2].name;
  const auto filled = [&](const char* pattern, const std::vector<std::string>& values) {
    return fill(pattern, d.name, values);
  };

  const std::string include = "#include <math.h>\n";
  std::string text = "\n/* Rates of positions. */" + rate.substr(rate.find(include) + include.size());
  text += filled(about(d, motor, nq + nv, nu, settings.step).c_str(), {});
  text += filled("enum { @_nq = $, @_nv = $, @_nx = $, @_nu = $ };\n",
                 {format("%d", nq), format("%d", nv), format("%d", nq + nv), format("%d", nu)});
  text += includes + filled(basics, {d.arguments, numbers(motor)});
  text += filled(rate_derivatives,
                 {declared(d.of_rate), listed(d.of_rate), d.of_rate[0].name, d.of_rate[1].name});
  if (d.forward)
    text += filled(of_forward_dynamics, {room, to("f + " + d.name + "_nq"), declared(d.derivatives) + desired,
                                         by_jac, by_q, by_v, by_last});
  else
    text += filled(of_inverse_dynamics, {declared(d.derivatives), all, by_q, by_v, by_last});
  text += filled(implicit, {});
  if (settings.step > 0)
    text += filled(discrete, {format("%.17g", settings.step), room, to("next + " + d.name + "_nq"),
                              declared(d.derivatives) + desired, by_jac, by_q, by_v, by_last});
  if (d.second.empty()) return text;

  const std::vector<GeneratedArray> of_rate = arrays_of(rate, "hess");
  const std::string by_rate = hessian_of(rate_name, 2, 3, of_rate, "weights", "", d.name);
  const std::string unmoved = desired.empty() ? "" : desired + ", of_lambda[" + rows + "] = {0}";
  text += filled(add_second, {}) + by_rate +
          hessian_of(d.name, moving, d.inputs.size() + d.outputs.size(), d.second,
                     d.rows() ? "last, desired, weights, of_lambda" : "last, weights", unmoved, d.name);
  const std::string place = d.forward ? "@_motor[i] < 0 ? -1 : 2 * @_nx + @_motor[i]" : "@_nx + @_nq + i";
  text += filled(implicit_hessian, {d.forward ? "tau[" + d.name + "_nv], " : "", filled(place.c_str(), {}),
                                    by_rate.empty() ? "" : filled(of_rates, {}),
                                    filled(d.forward ? of_forces : of_accelerations, {}),
                                    d.forward ? "tau" : filled("@_numbers(in[1]) + @_nq", {})});
  if (settings.step > 0) text += filled(discrete_hessian, {});
  return text;
}

}  // namespace client
