#include "tenonx/casadi.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "client.hpp"
#include "tenonx/head_comment.hpp"

namespace client {
namespace {

using Array = GeneratedArray;

// A function of i: one result for each of the list.
template <class Result>
std::string cases(const std::vector<Array>& list, const Result& result) {
  std::string text = "  switch (i) {\n";
  for (const Array& x : list)
    text += format("    case %zu: ", static_cast<std::size_t>(&x - &list[0])) + result(x);
  return text + "    default: return 0;\n  }\n";
}
std::string names(const std::vector<Array>& list) {
  return cases(list, [](const Array& x) { return "return \"" + x.name + "\";\n"; });
}
std::string dense(const std::vector<Array>& list) {
  return cases(list, [](const Array& x) {
    return format("{ static const casadi_int dense[3] = {%zu, %zu, 1}; return dense; }\n", x.rows, x.columns);
  });
}

// Arrays of a function of CasADi. What the C function behind it does not know is not handed over: results that CasADi
// has found already, and derivatives by these, which are zero.
struct Arguments {
  std::vector<Array> arrays;
  std::vector<bool> handed;
  void add(const std::vector<Array>& more, bool hand_over, const std::string& prefix = "") {
    for (const Array& x : more)
      arrays.push_back({prefix + x.name, x.rows, x.columns}), handed.push_back(hand_over);
  }
};

// Where Jacobians have entries: by the C function's own answer, or nowhere.
std::string sparse(const Arguments& jacobians, const std::string& plain) {
  std::size_t next = 0;
  return cases(jacobians.arrays, [&](const Array& x) {
    const std::size_t i = static_cast<std::size_t>(&x - &jacobians.arrays[0]);
    if (jacobians.handed[i]) return format("return %s_sparsity(%zu);\n", plain.c_str(), next++);
    return format("{ static const casadi_int none[%zu] = {%zu, %zu}; return none; }\n", x.columns + 3, x.rows,
                  x.columns);
  });
}

// What casadi.external looks for, by this name. plain: the C function. sparsity_out: the text of the function that tells
// where results have entries.
std::string external(const std::string& name, const std::string& plain, const Arguments& in,
                     const Arguments& out, const std::string& sparsity_out) {
  // What CasADi does not ask for, or leaves out because it is zero, is given room in w.
  std::string arguments, zeros, types;
  std::size_t room = 0;
  const auto hand_over = [&](const Arguments& list, const char* role, const char* type, bool zero) {
    for (std::size_t i = 0; i < list.arrays.size(); ++i) {
      if (!list.handed[i]) continue;
      const std::size_t count = list.arrays[i].count();
      if (zero)
        zeros +=
            format("  for (i = 0; i < (%s[%zu] ? 0 : %zu); ++i) w[%zu + i] = 0;\n", role, i, count, room);
      arguments +=
          format("%s%s[%zu] ? %s[%zu] : w + %zu", arguments.empty() ? "" : ", ", role, i, role, i, room);
      types += (types.empty() ? "" : ", ") + std::string(type);
      room += count;
    }
  };
  hand_over(in, "arg", "const double *", true);
  hand_over(out, "res", "double *", false);
  const auto function = [&](const char* type, const char* what, const char* takes, const std::string& body) {
    return format("CASADI_SYMBOL_EXPORT %s %s%s(%s) {\n", type, name.c_str(), what, takes) + body + "}\n";
  };
  // By a name that no argument below has: w, res and such are names of functions too.
  const std::string called = plain + "_for_casadi";
  return "static void (*const " + called + ")(" + types + ") = " + plain + ";\n" +
         function("casadi_int", "_n_in", "void", format("  return %zu;\n", in.arrays.size())) +
         function("casadi_int", "_n_out", "void", format("  return %zu;\n", out.arrays.size())) +
         function("const char *", "_name_in", "casadi_int i", names(in.arrays)) +
         function("const char *", "_name_out", "casadi_int i", names(out.arrays)) +
         function("const casadi_int *", "_sparsity_in", "casadi_int i", dense(in.arrays)) +
         function("const casadi_int *", "_sparsity_out", "casadi_int i", sparsity_out) +
         function("int", "_work",
                  "casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w",
                  format("  if (sz_arg) *sz_arg = %zu;\n  if (sz_res) *sz_res = %zu;\n"
                         "  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = %zu;\n  return 0;\n",
                         in.arrays.size(), out.arrays.size(), room)) +
         function("int", "", "const double **arg, double **res, casadi_int *iw, double *w, int mem",
                  "  casadi_int i;\n  (void)iw;\n  (void)mem;\n" + zeros + "  " + called + "(" + arguments +
                      ");\n  return 0;\n");
}

}  // namespace

std::string casadi_wrapper(const std::string& generated) {
  const std::vector<Array> in = arrays_of(generated, "in"), out = arrays_of(generated, "out"),
                           jacobians = arrays_of(generated, "jac"), gradients = arrays_of(generated, "adj"),
                           second = arrays_of(generated, "hess");
  const std::string plain = function_of(generated), name = plain + "_casadi";
  if (in.empty() || out.empty() || plain.empty())
    throw Failure("--casadi: arguments and head comment of the function do not fit: a fault in Tenon.");
  const std::string options = jacobians.empty() ? ", {\"enable_fd\": true}" : "";
  std::string text = "\n/* For CasADi: casadi.external(\"" + name + "\", \"./" + plain + ".so\"" + options +
                     "). */\n" +
                     R"(#ifndef casadi_int
#define casadi_int long long int
#endif
#ifndef CASADI_SYMBOL_EXPORT
#if defined(_WIN32)
#define CASADI_SYMBOL_EXPORT __declspec(dllexport)
#else
#define CASADI_SYMBOL_EXPORT
#endif
#endif

)";
  Arguments inputs, outputs, first;
  inputs.add(in, true);
  outputs.add(out, true);
  text += external(name, plain, inputs, outputs, dense(out));
  if (jacobians.empty()) return text;
  // CasADi's derivatives take the function's results too, in case these help; here they do not.
  inputs.add(out, false, "out_");
  first.add(jacobians, true);
  text += "\n" + external("jac_" + name, plain + "_jac", inputs, first, sparse(first, plain + "_jac"));
  if (gradients.empty()) return text;
  // CasADi makes Hessians of the Jacobian of the reverse function.
  inputs.add(out, true, "adj_");
  Arguments adjoint, hessian;
  adjoint.add(in, true, "adj_");
  text += "\n" + external("adj1_" + name, plain + "_adj", inputs, adjoint, dense(adjoint.arrays));
  std::size_t next = 0;
  for (const Array& of : adjoint.arrays)
    for (std::size_t i = 0; i < inputs.arrays.size(); ++i) {
      const Array& by = inputs.arrays[i];
      if (inputs.handed[i])
        hessian.add({second.at(next++)}, true);
      else
        hessian.add({{"jac_" + of.name + "_" + by.name, of.count(), by.count()}}, false);
    }
  inputs.add(adjoint.arrays, false, "out_");
  return text + "\n" +
         external("jac_adj1_" + name, plain + "_adj_jac", inputs, hessian,
                  sparse(hessian, plain + "_adj_jac"));
}

}  // namespace client
