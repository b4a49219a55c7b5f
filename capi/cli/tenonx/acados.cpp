#include "tenonx/acados.hpp"

#include <algorithm>
#include <cstddef>

#include "tenonx/head_comment.hpp"
#include "tenonx/recording.hpp"

namespace client {
namespace {

// In the texts below @ stands for the name of the function, and $ for what differs between algorithms.

constexpr const char* includes =
    "\n#include \"blasfeo_d_aux.h\"\n#include \"acados/utils/external_function_generic.h\"\n";

constexpr const char* basics = R"(
/* By a name that no argument below has. */
static void (*const @_dynamics)($) = @;

/* Which number of u is the force along each velocity coordinate; -1: none. */
static const int @_motor[] = {$};

/* The numbers of a blasfeo_dvec_args. */
static double *@_numbers(void *argument) {
  const struct blasfeo_dvec_args *x = (const struct blasfeo_dvec_args *)argument;
  return &BLASFEO_DVECEL(x->x, x->xi);
}

static void @_forces(const double *u, double *tau) {
  int i;
  for (i = 0; i < @_nv; ++i) tau[i] = @_motor[i] < 0 ? 0.0 : u[@_motor[i]];
}

/* Adds scale times a sparse matrix, or its transpose, to A from row ai and column aj on. to: where its columns go, -1:
 * nowhere; 0: all in their order. */
static void @_add(const casadi_int *sparsity, const double *entries, double scale, int transposed, const int *to,
                  struct blasfeo_dmat *A, int ai, int aj) {
  const casadi_int columns = sparsity[1], *first = sparsity + 2, *row = first + columns + 1;
  casadi_int j, k;
  for (j = 0; j < columns; ++j) {
    const int column = to ? to[j] : (int)j;
    if (column < 0) continue;
    for (k = first[j]; k < first[j + 1]; ++k) {
      const int r = ai + (transposed ? column : (int)row[k]), c = aj + (transposed ? (int)row[k] : column);
      BLASFEO_DMATEL(A, r, c) += scale * entries[k];
    }
  }
}

)";

constexpr const char* of_forward_dynamics =
    R"(static void @_residual(const double *x, const double *xdot, const double *u, double *f) {
  double tau[@_nv]$;
  int i;
  @_forces(u, tau);
  @_rate(x, x + @_nq, f);
  @_dynamics(x, x + @_nq, tau, $);
  for (i = 0; i < @_nx; ++i) f[i] = xdot[i] - f[i];
}

static void @_derivatives(const double *x, const double *xdot, const double *u, struct blasfeo_dmat *by_x,
                          struct blasfeo_dmat *by_xdot, struct blasfeo_dmat *by_u) {
  double tau[@_nv], $;
  int i;
  (void)xdot;
  @_forces(u, tau);
  @_rate_derivatives(x, by_x);
  @_jac(x, x + @_nq, tau, $);
  @_add(@_jac_sparsity(0), $, -1.0, 0, 0, by_x, @_nq, 0);
  @_add(@_jac_sparsity(1), $, -1.0, 0, 0, by_x, @_nq, @_nq);
  blasfeo_dgese(@_nx, @_nx, 0.0, by_xdot, 0, 0);
  for (i = 0; i < @_nx; ++i) BLASFEO_DMATEL(by_xdot, i, i) = 1.0;
  if (!by_u) return;
  blasfeo_dgese(@_nx, @_nu, 0.0, by_u, 0, 0);
  @_add(@_jac_sparsity(2), $, -1.0, 0, @_motor, by_u, @_nq, 0);
}
)";

constexpr const char* of_inverse_dynamics =
    R"(static void @_residual(const double *x, const double *xdot, const double *u, double *f) {
  double tau[@_nv];
  int i;
  @_forces(u, tau);
  @_rate(x, x + @_nq, f);
  for (i = 0; i < @_nq; ++i) f[i] = xdot[i] - f[i];
  @_dynamics(x, x + @_nq, xdot + @_nq, f + @_nq);
  for (i = 0; i < @_nv; ++i) f[@_nq + i] -= tau[i];
}

static void @_derivatives(const double *x, const double *xdot, const double *u, struct blasfeo_dmat *by_x,
                          struct blasfeo_dmat *by_xdot, struct blasfeo_dmat *by_u) {
  double $;
  int i;
  (void)u;
  @_rate_derivatives(x, by_x);
  @_jac(x, x + @_nq, xdot + @_nq, $);
  @_add(@_jac_sparsity(0), $, 1.0, 0, 0, by_x, @_nq, 0);
  @_add(@_jac_sparsity(1), $, 1.0, 0, 0, by_x, @_nq, @_nq);
  blasfeo_dgese(@_nx, @_nx, 0.0, by_xdot, 0, 0);
  for (i = 0; i < @_nq; ++i) BLASFEO_DMATEL(by_xdot, i, i) = 1.0;
  @_add(@_jac_sparsity(2), $, 1.0, 0, 0, by_xdot, @_nq, @_nq);
  if (!by_u) return;
  blasfeo_dgese(@_nx, @_nu, 0.0, by_u, 0, 0);
  for (i = 0; i < @_nv; ++i)
    if (@_motor[i] >= 0) BLASFEO_DMATEL(by_u, @_nq + i, @_motor[i]) = -1.0;
}
)";

constexpr const char* rate_derivatives =
    R"(static void @_rate_derivatives(const double *x, struct blasfeo_dmat *by_x) {
  double $;
  @_rate_jac(x, x + @_nq, $);
  blasfeo_dgese(@_nx, @_nx, 0.0, by_x, 0, 0);
  @_add(@_rate_jac_sparsity(0), $, -1.0, 0, 0, by_x, 0, 0);
  @_add(@_rate_jac_sparsity(1), $, -1.0, 0, 0, by_x, 0, @_nq);
}

)";

// in: x (dvec), xdot (dvec_args), u (numbers), z and what follows, which is not read.
constexpr const char* implicit = R"(
int @_impl_dae_fun(void **in, void **out, void *params);
int @_impl_dae_fun(void **in, void **out, void *params) {
  (void)params;
  @_residual(&BLASFEO_DVECEL((struct blasfeo_dvec *)in[0], 0), @_numbers(in[1]), (const double *)in[2],
             @_numbers(out[0]));
  return 0;
}

int @_impl_dae_fun_jac(void **in, void **out, void *params);
int @_impl_dae_fun_jac(void **in, void **out, void *params) {
  @_derivatives(&BLASFEO_DVECEL((struct blasfeo_dvec *)in[0], 0), @_numbers(in[1]), (const double *)in[2],
                (struct blasfeo_dmat *)out[1], (struct blasfeo_dmat *)out[2], 0);
  return @_impl_dae_fun(in, out, params);
}

int @_impl_dae_jac(void **in, void **out, void *params);
int @_impl_dae_jac(void **in, void **out, void *params) {
  (void)params;
  @_derivatives(&BLASFEO_DVECEL((struct blasfeo_dvec *)in[0], 0), @_numbers(in[1]), (const double *)in[2],
                (struct blasfeo_dmat *)out[0], (struct blasfeo_dmat *)out[1], (struct blasfeo_dmat *)out[2]);
  return 0;
}
)";

// in: x and u (dvec_args). out: x' (dvec_args) and the transposed Jacobian [by u; by x] (dmat_args).
constexpr const char* discrete = R"(
/* Seconds of a step. */
static const double @_step = $;

int @_disc_dyn_fun(void **in, void **out, void *params);
int @_disc_dyn_fun(void **in, void **out, void *params) {
  const double *x = @_numbers(in[0]);
  double *next = @_numbers(out[0]), tau[@_nv]$;
  int i;
  (void)params;
  @_forces(@_numbers(in[1]), tau);
  @_dynamics(x, x + @_nq, tau, $);
  for (i = 0; i < @_nv; ++i) next[@_nq + i] = x[@_nq + i] + @_step * next[@_nq + i];
  for (i = 0; i < @_nq; ++i) next[i] = x[i] + @_step * next[@_nq + i];
  return 0;
}

int @_disc_dyn_fun_jac(void **in, void **out, void *params);
int @_disc_dyn_fun_jac(void **in, void **out, void *params) {
  const double *x = @_numbers(in[0]), h = @_step;
  const struct blasfeo_dmat_args *result = (const struct blasfeo_dmat_args *)out[1];
  struct blasfeo_dmat *A = result->A;
  const int by_u = result->ai, by_q = by_u + @_nu, by_v = by_q + @_nq, of_q = result->aj, of_v = of_q + @_nq;
  double tau[@_nv], $;
  int i;
  @_forces(@_numbers(in[1]), tau);
  @_jac(x, x + @_nq, tau, $);
  blasfeo_dgese(@_nu + @_nx, @_nx, 0.0, A, by_u, of_q);
  for (i = 0; i < @_nq; ++i) {
    BLASFEO_DMATEL(A, by_q + i, of_q + i) = 1.0;
    BLASFEO_DMATEL(A, by_v + i, of_q + i) = h;
    BLASFEO_DMATEL(A, by_v + i, of_v + i) = 1.0;
  }
  for (i = 0; i < 2; ++i) {
    const int of = i == 0 ? of_q : of_v;
    const double scale = i == 0 ? h * h : h;
    @_add(@_jac_sparsity(0), $, scale, 1, 0, A, by_q, of);
    @_add(@_jac_sparsity(1), $, scale, 1, 0, A, by_v, of);
    @_add(@_jac_sparsity(2), $, scale, 1, @_motor, A, by_u, of);
  }
  return @_disc_dyn_fun(in, out, params);
}
)";

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
  std::vector<GeneratedArray> outputs, derivatives, of_rate;
  bool rows() const { return outputs.size() > 1; }
};

Dynamics dynamics_of(const tenon_model* model, const std::string& generated) {
  const std::vector<GeneratedArray> in = arrays_of(generated, "in");
  Dynamics d = {function_of(generated),      true, "", arrays_of(generated, "out"),
                arrays_of(generated, "jac"), {}};
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
  return text;
}

}  // namespace client
