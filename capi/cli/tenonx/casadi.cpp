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

// What casadi.external looks for, by this name. plain: the C function; it takes the first of `in`, as many as `taken`, and
// all of `out`. sparsity_out: the text of the function that tells where results have entries.
std::string external(const std::string& name, const std::string& plain, const std::vector<Array>& in,
                     std::size_t taken, const std::vector<Array>& out, const std::string& sparsity_out) {
  // What CasADi does not ask for, or leaves out because it is zero, is given room in w.
  std::string arguments, zeros, types;
  std::size_t room = 0;
  for (std::size_t i = 0; i < taken; ++i) {
    const std::size_t count = in[i].count();
    zeros += format("  for (i = 0; i < (arg[%zu] ? 0 : %zu); ++i) w[%zu + i] = 0;\n", i, count, room);
    arguments += format("%sarg[%zu] ? arg[%zu] : w + %zu", i == 0 ? "" : ", ", i, i, room);
    types += std::string(i == 0 ? "" : ", ") + "const double *";
    room += count;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    arguments += format(", res[%zu] ? res[%zu] : w + %zu", i, i, room);
    types += ", double *";
    room += out[i].count();
  }
  const auto function = [&](const char* type, const char* what, const char* takes, const std::string& body) {
    return format("CASADI_SYMBOL_EXPORT %s %s%s(%s) {\n", type, name.c_str(), what, takes) + body + "}\n";
  };
  // By a name that no argument below has: w, res and such are names of functions too.
  const std::string called = plain + "_for_casadi";
  return "static void (*const " + called + ")(" + types + ") = " + plain + ";\n" +
         function("casadi_int", "_n_in", "void", format("  return %zu;\n", in.size())) +
         function("casadi_int", "_n_out", "void", format("  return %zu;\n", out.size())) +
         function("const char *", "_name_in", "casadi_int i", names(in)) +
         function("const char *", "_name_out", "casadi_int i", names(out)) +
         function("const casadi_int *", "_sparsity_in", "casadi_int i", dense(in)) +
         function("const casadi_int *", "_sparsity_out", "casadi_int i", sparsity_out) +
         function("int", "_work",
                  "casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w",
                  format("  if (sz_arg) *sz_arg = %zu;\n  if (sz_res) *sz_res = %zu;\n"
                         "  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = %zu;\n  return 0;\n",
                         in.size(), out.size(), room)) +
         function("int", "", "const double **arg, double **res, casadi_int *iw, double *w, int mem",
                  "  casadi_int i;\n  (void)iw;\n  (void)mem;\n" + zeros + "  " + called + "(" + arguments +
                      ");\n  return 0;\n");
}

}  // namespace

std::string casadi_wrapper(const std::string& generated) {
  const std::vector<Array> in = arrays_of(generated, "in"), out = arrays_of(generated, "out"),
                           jacobians = arrays_of(generated, "jac");
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

)" + external(name, plain, in, in.size(), out, dense(out));
  if (jacobians.empty()) return text;
  // CasADi's Jacobians take the function's results too, in case these help; here they do not.
  std::vector<Array> taken = in;
  for (const Array& x : out) taken.push_back({"out_" + x.name, x.rows, x.columns});
  return text + "\n" +
         external("jac_" + name, plain + "_jac", taken, in.size(), jacobians,
                  "  return " + plain + "_jac_sparsity((int)i);\n");
}

}  // namespace client
