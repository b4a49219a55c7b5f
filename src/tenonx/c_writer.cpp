// Writes a recording as a C99 function: straight-line code in the order of the graph, with a variable for
// every operation that is used more than once.
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "scalar/classic_text.hpp"
#include "tenonx/jacobian.hpp"
#include "tenonx/parts.hpp"
#include "tenonx/recording.hpp"

namespace tenon::trace {
namespace {

// ---- names

// Of C up to C23 and of C++ up to C++20; main, which is no function of this shape; macros of compilers and headers.
constexpr std::string_view words =
    " linux unix i386 alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
    "char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval "
    "constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit "
    "export extern false float for friend goto if inline int long main mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq NULL errno ";

// Of <math.h> up to C23 and POSIX, with the extensions of GNU; most have forms for other types (sinf, sinl, sinf64).
constexpr std::string_view mathematics =
    " acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi canonicalize cbrt ceil compoundn "
    "copysign cos cosh cospi dadd ddiv dfma dmul drem dsqrt dsub erf erfc exp exp10 exp10m1 exp2 exp2m1 "
    "expm1 fabs fadd fdim fdiv ffma finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num "
    "fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul "
    "fpclassify frexp fromfp fromfpx fsqrt fsub gamma getpayload hypot ilogb iscanonical iseqsig isfinite "
    "isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal issignaling "
    "issubnormal isunordered iszero j0 j1 jn ldexp lgamma llogb llrint llround log log10 log10p1 log1p "
    "log2 log2p1 logb logp1 lrint lround math_errhandling modf nan nearbyint nextafter nextdown "
    "nexttoward nextup pow pown powr remainder remquo rint rootn round roundeven rsqrt scalb scalbln "
    "scalbn setpayload setpayloadsig signbit signgam significand sin sincos sinh sinpi sqrt tan tanh "
    "tanpi tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn float_t double_t HUGE_VAL "
    "INFINITY NAN SNAN MAXFLOAT MATH_ERRNO MATH_ERREXCEPT M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 "
    "M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL "
    "FP_ILOGB0 FP_ILOGBNAN FP_LLOGB0 FP_LLOGBNAN FP_FAST_FMA FP_INT_UPWARD FP_INT_DOWNWARD "
    "FP_INT_TOWARDZERO FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO ";

constexpr std::string_view strings =
    " basename bcmp bcopy bzero explicit_bzero ffs ffsl ffsll index memalignment memccpy memchr memcmp "
    "memcpy memfrob memmem memmove mempcpy memrchr memset memset_explicit rawmemchr rindex sigabbrev_np "
    "sigdescr_np stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll "
    "strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strerrordesc_np strerrorname_np "
    "strfry strlcat strlcpy strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen "
    "strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r strverscmp strxfrm strxfrm_l ";

bool is_in(std::string_view list, std::string_view name) {
  return list.find(" " + std::string(name) + " ") != list.npos;
}

// f32addf64: sums in one type rounded to another.
bool narrows(std::string_view name) {
  for (const char* result : {"f32x", "f32", "f64x", "f64"})
    for (const char* operation : {"addf", "subf", "mulf", "divf", "fmaf", "sqrtf"})
      for (const char* operand : {"32x", "64", "64x", "128"})
        if (name == std::string(result) + operation + operand) return true;
  return false;
}

bool of_mathematics(std::string_view name) {
  if (name.size() > 2 && name.substr(name.size() - 2) == "_r") name.remove_suffix(2);
  if (is_in(mathematics, name) || narrows(name)) return true;
  for (const std::string_view type :
       {"f",   "l",    "F",    "L",     "f16",   "f32",   "f64", "f128", "f32x", "f64x", "d32",
        "d64", "_F32", "_F64", "_F128", "_F32X", "_F64X", "F32", "F64",  "F128", "F32X", "F64X"})
    if (name.size() > type.size() && name.substr(name.size() - type.size()) == type &&
        is_in(mathematics, name.substr(0, name.size() - type.size())))
      return true;
  return false;
}

// @ stands for the name, # for the number of lanes. The angle less the nearest multiple of pi / 2 in three
// parts, and polynomials: kernels/joint/sincos.hpp has the sources.
constexpr const char* helpers = R"(
typedef double @_lanes __attribute__((vector_size(8 * #)));
typedef long long @_bits __attribute__((vector_size(8 * #)));
static inline @_lanes @_load(const double *x) { @_lanes y; memcpy(&y, x, sizeof y); return y; }
static inline void @_store(double *x, @_lanes y) { memcpy(x, &y, sizeof y); }
static inline @_lanes @_all(double x) { const @_lanes zero = {0}; return zero + x; }
/* Sine of x and quarter right angles; for |x| below a million. */
static inline @_lanes @_sine(@_lanes x, int quarter) {
  const @_lanes up = x * 0.63661977236758134308 + 6755399441055744.0, k = up - 6755399441055744.0;
  const @_lanes r = ((x - k * 1.57079632673412561417e+00) - k * 6.07710050630396597660e-11) -
                    k * 2.02226624879595063154e-21, z = r * r;
  const @_lanes s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 +
                    z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const @_lanes c = 1.0 - (0.5 * z - z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 +
                    z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 +
                    z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  const @_bits quadrant = (@_bits)up + quarter, odd = -(quadrant & 1);
  return (@_lanes)(((odd & (@_bits)c) | (~odd & (@_bits)s)) ^ ((quadrant & 2) << 62));
}
/* y, but of larger x the value of f. */
static inline @_lanes @_far(@_lanes x, @_lanes y, double (*f)(double)) {
  const @_bits far = (@_bits)(x > 1e6) | (@_bits)(x < -1e6);
  long long some = 0;
  for (int i = 0; i < #; ++i) some |= far[i];
  if (some) for (int i = 0; i < #; ++i) if (far[i]) y[i] = f(x[i]);
  return y;
}
static inline @_lanes @_sin(@_lanes x) { return @_far(x, @_sine(x, 0), sin); }
static inline @_lanes @_cos(@_lanes x) { return @_far(x, @_sine(x, 1), cos); }
static inline @_lanes @_sqrt(@_lanes x) { for (int i = 0; i < #; ++i) x[i] = sqrt(x[i]); return x; }
static inline @_lanes @_atan2(@_lanes y, @_lanes x) { for (int i = 0; i < #; ++i) y[i] = atan2(y[i], x[i]); return y; }

)";

// The text with _ for what no identifier has; never one that belongs to the compiler or the C library.
std::string identifier(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 0x80;
    name += fits ? c : '_';
  }
  if (name.empty() || name[0] == '_' || std::isdigit(static_cast<unsigned char>(name[0])))
    name = "robot_" + name;
  return name;
}

// Throws unless a function in C and C++ that includes <math.h> and <string.h> can have this name.
void check_function_name(const std::string& name) {
  const auto refuse = [&](const char* reason) {
    throw Error(Status::invalid_argument, "'" + name + "' is no name for a C function: " + reason);
  };
  if (!name.empty() && name[0] == '_')
    refuse("names that begin with _ belong to the compiler; begin with a letter");
  if (identifier(name) != name) refuse("use letters, digits and _, and begin with a letter");
  if (is_in(words, name)) refuse("it is a word of C or C++; take another one");
  if (of_mathematics(name)) refuse("<math.h> has that name; take another one");
  if (is_in(strings, name)) refuse("<string.h> has that name; take another one");
}

// What a function for several states needs besides its operations: a vector type, its loads and stores, and functions of
// all its lanes. name: what the names of these begin with.
std::string lane_helpers(const std::string& name, int lanes) {
  std::string out;
  for (const char* c = helpers; *c != '\0'; ++c) {
    if (*c == '@')
      out += name;
    else if (*c == '#')
      out += std::to_string(lanes);
    else
      out += *c;
  }
  return out;
}

// ---- the function

constexpr std::size_t longest_expression = 90;  // characters; a longer one gets a variable

std::string literal(double value) {
  char text[40];
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;  // of the same locale
  }
  use_point(text);
  std::string number = text;
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  return number;
}

// The precedence of an expression's outer operator.
enum Binding { sum, product, atom };
struct Expression {
  std::string text;
  Binding binding = atom;
  std::string at_least(Binding needed) const { return binding >= needed ? text : "(" + text + ")"; }
};

class Writer {
 public:
  // name: of the function.
  Writer(const Recording& recording, std::string name, int lanes)
      : name_(std::move(name)),
        lanes_(lanes),
        r_(recording),
        nodes_(recording.graph.nodes()),
        live_(recording.graph.live(recording.all_outputs())) {}

  std::string body() {
    count_uses();
    name_inputs();
    expressions_.resize(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (live_[i]) write_node(i);
    for (const RecordedArray& output : r_.outputs) {
      for (std::size_t i = 0; i < output.terms.size(); ++i) write_output(output, i);
      if (output.terms.empty()) code_ += std::string("  (void)") + output.array.name + ";\n";
    }
    return code_;
  }

 private:
  using Node = Graph::Node;

  const Expression& of(std::int32_t node) const { return expressions_[index(node)]; }

  void count_uses() {
    uses_.assign(nodes_.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& n = nodes_[i];
      if (!live_[i] || n.operation == Operation::input || n.operation == Operation::constant) continue;
      ++uses_[index(n.a)];
      if (n.b >= 0) ++uses_[index(n.b)];
    }
    for (const Term& x : r_.all_outputs()) ++uses_[index(x.node)];
  }

  void name_inputs() {
    for (const RecordedArray& input : r_.inputs) {
      bool used = false;
      for (std::size_t i = 0; i < input.terms.size(); ++i) {
        used = used || live_[index(input.terms[i].node)];
        inputs_.push_back(lanes_ == 1 ? std::string(input.array.name) + "[" + std::to_string(i) + "]"
                                      : input.array.name + ("_" + std::to_string(i)));
        if (lanes_ > 1 && live_[index(input.terms[i].node)])
          code_ += "  const " + name_ + "_lanes " + inputs_.back() + " = " + name_ + "_load(" +
                   place(input.array.name, i) + ");\n";
      }
      if (!used) code_ += std::string("  (void)") + input.array.name + ";\n";
    }
  }

  Expression expression(const Node& n) const {
    const auto call = [&](const char* function) {
      return Expression{of_lanes(function) + "(" + of(n.a).text + ")", atom};
    };
    switch (n.operation) {
      case Operation::input:
        return {inputs_[index(n.a)], atom};
      case Operation::constant:
        return {literal(n.value), atom};
      case Operation::add:
        return {of(n.a).text + " + " + of(n.b).at_least(product), sum};
      case Operation::subtract:
        return {of(n.a).text + " - " + of(n.b).at_least(product), sum};
      case Operation::multiply:
        return {of(n.a).at_least(product) + " * " + of(n.b).at_least(atom), product};
      case Operation::divide:
        return {of(n.a).at_least(product) + " / " + of(n.b).at_least(atom), product};
      case Operation::negate:
        return {"-" + of(n.a).at_least(atom), sum};
      case Operation::square_root:
        return call("sqrt");
      case Operation::sine:
        return call("sin");
      case Operation::cosine:
        return call("cos");
      case Operation::arctangent:
        return {of_lanes("atan2") + "(" + of(n.a).text + ", " + of(n.b).text + ")", atom};
    }
    return {};
  }

  void write_node(std::size_t i) {
    Expression e = expression(nodes_[i]);
    const bool leaf = nodes_[i].operation == Operation::input || nodes_[i].operation == Operation::constant;
    if (!leaf && (uses_[i] > 1 || e.text.size() > longest_expression)) {
      const std::string name = "t" + std::to_string(variables_++);
      code_ += "  const " + (lanes_ == 1 ? "double" : name_ + "_lanes") + " " + name + " = " + e.text + ";\n";
      e = {name, atom};
    }
    expressions_[i] = std::move(e);
  }

  void write_output(const RecordedArray& output, std::size_t i) {
    const Term& x = output.terms[i];
    const bool zero = r_.graph.is_constant(x) && r_.graph.value(x) == 0;
    const std::string value = x.negative && !zero ? "-" + of(x.node).at_least(atom) : of(x.node).text;
    if (lanes_ == 1)
      code_ += std::string("  ") + output.array.name + "[" + std::to_string(i) + "] = " + value + ";\n";
    else
      code_ += "  " + name_ + "_store(" + place(output.array.name, i) + ", " +
               (r_.graph.is_constant(x) ? name_ + "_all(" + value + ")" : value) + ");\n";
  }

  std::string of_lanes(const char* function) const { return lanes_ == 1 ? function : name_ + "_" + function; }
  std::string place(const char* array, std::size_t i) const {
    return array + (" + " + std::to_string(index(lanes_) * i));
  }

  const std::string name_;
  const int lanes_;
  const Recording& r_;
  const std::vector<Node>& nodes_;
  const std::vector<bool> live_;
  std::vector<std::size_t> uses_;
  std::vector<std::string> inputs_;
  std::vector<Expression> expressions_;
  std::string code_;
  std::size_t variables_ = 0;
};

// A user's text, made safe for a comment.
std::string in_comment(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20)
      safe += ' ';
    else if (c == '/' && !safe.empty() && (safe.back() == '*' || safe.back() == '/'))
      safe += " /";
    else if (c == '*' && !safe.empty() && safe.back() == '/')
      safe += " *";
    else
      safe += c;
  }
  return safe;
}

std::string range(const char* array, int first, int count) {
  const std::string begin = std::string(array) + "[" + std::to_string(first);
  return count == 1 ? begin + "]" : begin + ".." + std::to_string(first + count - 1) + "]";
}

void describe_joints(const Model& model, std::string& text) {
  text += " *\n * Joints and their coordinates:\n";
  for (const Model::Joint& j : model.joints)
    text += " *   " + in_comment(j.name) + " (" + type_name(j.type) + "): " + range("q", j.q_index, j.nq) +
            ", " + range("v", j.v_index, j.nv) + "\n";
}

void describe_links(const Model& model, std::string& text) {
  text += " *\n * Links, 12 numbers each:\n";
  int first = 0;
  for (const Model::Link& link : model.links) {
    if (link.is_frame) continue;
    text += " *   " + in_comment(link.name) + ": " + range("poses", first, 12) + "\n";
    first += 12;
  }
}

std::string link_name(const Model& model, int link) {
  return link < 0 ? "the world" : "link " + model.links[index(link)].name;
}

void describe_rows(const Model& model, const ConstraintSet& constraints, std::string& text) {
  text += " *\n * Constraint rows, desired and lambda alike:\n";
  for (int i = 0; i < constraints.constraint_count(); ++i) {
    const ConstraintSpec& spec = constraints.specs()[index(i)];
    const int first = constraints.first_row(i);
    const int end =
        i + 1 < constraints.constraint_count() ? constraints.first_row(i + 1) : constraints.row_count();
    text += " *   " + in_comment(spec.name.empty() ? "constraint " + std::to_string(i) : spec.name) + " on " +
            in_comment(link_name(model, spec.link)) +
            (spec.closure ? " and " + in_comment(link_name(model, spec.second_link)) : "") + ": " +
            range("rows", first, end - first) + "\n";
  }
}

void describe_independent(const Model& model, std::string& text) {
  text += " *\n * Kinematic loops tie the joints together; independent are " + std::to_string(model.ny) +
          " velocities:\n *  ";
  for (const std::int32_t k : model.loops.independent) text += " v[" + std::to_string(k) + "]";
  text += "\n";
}

std::string signature(const Recording& r, const std::string& name) {
  std::string text = "void " + name + "(";
  bool first = true;
  const auto add = [&](const RecordedArray& array, const char* type) {
    text += std::string(first ? "" : ", ") + type + array.array.name;
    first = false;
  };
  for (const RecordedArray& input : r.inputs) add(input, "const double *");
  for (const RecordedArray& output : r.outputs) add(output, "double *");
  return text + ")";
}

std::string head_comment(const Recording& r, const Model& model, const ConstraintSet* constraints,
                         const TraceOptions& options, const GeneratedFunction& function,
                         const std::string& about_derivatives) {
  std::string text = "/* " + std::string(r.about->name) + ": " + r.about->summary + "\n * of the robot '" +
                     in_comment(model.name) + "', nq " + std::to_string(model.nq) + ", nv " +
                     std::to_string(model.nv) + ".\n";
  if (r.about->constrained)
    text += " * Constraint rows: " + std::to_string(constraints->row_count()) +
            ". Proximal methods: " + std::to_string(options.iterations) + " iterations, mu " +
            literal(options.mu) + ".\n";
  text += " *\n";
  const auto describe = [&](const RecordedArray& array, const char* direction) {
    text += std::string(" * ") + array.array.name + " (" + direction + ", " +
            std::to_string(array.terms.size()) + "): " + array.array.meaning + "\n";
  };
  for (const RecordedArray& input : r.inputs) describe(input, "in");
  for (const RecordedArray& output : r.outputs) describe(output, "out");
  text += about_derivatives;
  const auto& g = model.data().gravity;
  text += " *\n * SI units and radians. Quaternions x y z w of unit norm. Gravity " + literal(g[0]) + " " +
          literal(g[1]) + " " + literal(g[2]) +
          " m/s^2.\n * Arrays must not overlap. Nothing is allocated or checked: where the mass matrix "
          "cannot be factored\n * or rows depend on each other, results are not finite or have no digits.\n";
  if (model.nv > 0) describe_joints(model, text);
  if (r.outputs[0].array.size == Size::link_poses) describe_links(model, text);
  if (r.about->constrained) describe_rows(model, *constraints, text);
  if (model.ny < model.nv) describe_independent(model, text);
  if (function.lanes > 1) {
    const std::string lanes = std::to_string(function.lanes);
    text += " *\n * " + lanes + " states at a time: every array has " + lanes +
            " times the numbers above, number i of state l at [" + lanes +
            " * i + l].\n * By gcc or clang, for instance with -O2 -march=native -ffp-contract=fast; not "
            "with -ffast-math.\n";
  }
  if (!function.generator.empty()) text += " *\n * Generated by " + in_comment(function.generator) + ".\n";
  return text + " */\n";
}

// With two dependent coordinates and two rows the split divides by their determinant; larger ones are
// eliminated with pivots, which values choose (kernels/joint/small_split.hpp).
void check_pivots(const Recording& r, const Model& model) {
  for (const ClusterData& c : model.loops.clusters) {
    if (c.constant_G != 0 || (c.d_count <= 2 && c.row_count == c.d_count)) continue;
    refuse(
        "algorithm '", r.about->name, "' chooses pivots by values for the loop '",
        model.loops.names[index(c.constraint_begin)], "', which ties ", c.d_count,
        " dependent coordinates by ", c.row_count,
        " rows, so that one recording does not hold for all states; functions are written for gears, belts "
        "and loops of two dependent coordinates");
  }
}

void check(const Recording& r, const Model& model, const ConstraintSet* constraints,
           const std::string& name) {
  if (r.about->for_loops || r.about->constrained) check_pivots(r, model);
  if (!r.about->fixed_path)
    refuse("algorithm '", r.about->name,
           "' chooses its operations by values, so that one recording does not hold for all states; take "
           "constrained_aba or pv");
  if (r.about->constrained)
    for (const ConstraintSpec& spec : constraints->specs())
      if (spec.frequency > 0 && spec.custom.empty())
        refuse(
            "constraint '", spec.name,
            "' is stabilised against an anchor, which a generated function has not; set its frequency to 0 "
            "and give the correction in the desired accelerations");
  check_function_name(name);
  for (const Term& x : r.all_outputs())
    if (!std::isfinite(r.graph.value(x)))
      throw Error(Status::not_positive_definite,
                  std::string("algorithm '") + r.about->name +
                      "' divides by zero on this robot: a moving body has no inertia along its joint, or a "
                      "constraint row holds no motion");
}

}  // namespace
}  // namespace tenon::trace

namespace tenon {

std::string generate_c(const Model& model, const ConstraintSet* constraints, std::string_view algorithm,
                       const TraceOptions& options, const GeneratedFunction& function) {
  const auto recording = trace::record(model, constraints, algorithm, options);
  const std::string name =
      function.name.empty() ? trace::identifier(model.name) + "_" + std::string(algorithm) : function.name;
  constraints = recording->constraints;
  trace::check(*recording, model, constraints, name);
  const int lanes = function.lanes;
  if (lanes < 1 || lanes > 16 || (lanes & (lanes - 1)) != 0)
    throw Error(Status::invalid_argument, "lanes is " + std::to_string(lanes) + "; give 1, 2, 4, 8 or 16");
  const auto definition = [&](const std::string& of) {
    const std::string prototype = trace::signature(*recording, of);
    const std::string body = trace::Writer(*recording, name, lanes).body();
    return lanes == 1 ? trace::definition_in_parts(prototype, body)
                      : prototype + ";\n" + prototype + " {\n" + body + "}\n";
  };
  std::string about, code = definition(name);
  if (function.derivatives) {
    const std::vector<trace::Jacobian> jacobians = trace::differentiate(*recording);
    about = trace::about_jacobians(jacobians, name, model);
    std::vector<trace::RecordedArray> entries;
    for (const trace::Jacobian& x : jacobians) entries.push_back({{x.name.c_str(), "", {}}, x.terms});
    const std::vector<trace::RecordedArray> outputs = std::exchange(recording->outputs, entries);
    code += "\n" + definition(name + "_jac") + trace::sparsity_function(jacobians, name);
    recording->outputs = outputs;
  }
  return trace::head_comment(*recording, model, constraints, options, function, about) +
         "#include <math.h>\n" +
         (lanes > 1 ? "#include <string.h>\n" + trace::lane_helpers(name, lanes) : "\n") + code;
}

}  // namespace tenon
