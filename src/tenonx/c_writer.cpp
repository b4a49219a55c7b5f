// Writes a recording as a C99 function: straight-line code in the order of the graph, with a variable for
// every operation that is used more than once.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "scalar/classic_text.hpp"
#include "tenonx/c_names.hpp"
#include "tenonx/jacobian.hpp"
#include "tenonx/parts.hpp"
#include "tenonx/recording.hpp"

namespace tenon::trace {
namespace {

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
  const auto definition = [&](const trace::Recording& of, const std::string& called) {
    const std::string prototype = trace::signature(of, called);
    const std::string body = trace::Writer(of, name, lanes).body();
    return lanes == 1 ? trace::definition_in_parts(prototype, body)
                      : prototype + ";\n" + prototype + " {\n" + body + "}\n";
  };
  std::string about, code = definition(*recording, name);
  const auto add_derivatives = [&](trace::Recording& of, const std::string& called, const trace::Kind& kind) {
    const std::vector<trace::Jacobian> jacobians = trace::differentiate(of, kind);
    about += trace::about_jacobians(jacobians, called, kind);
    std::vector<trace::RecordedArray> entries;
    for (const trace::Jacobian& x : jacobians) entries.push_back({{x.name.c_str(), "", {}}, x.terms});
    std::swap(of.outputs, entries);
    code += "\n" + definition(of, called + "_jac") + trace::sparsity_function(jacobians, called);
    std::swap(of.outputs, entries);
  };
  const auto adjoint = function.hessian ? trace::adjoint_of(*recording) : nullptr;
  if (function.derivatives || function.hessian) add_derivatives(*recording, name, trace::of_function);
  if (adjoint) {
    about += trace::about_adjoint(*adjoint, *recording, name);
    code += "\n" + definition(*adjoint, name + "_adj");
    add_derivatives(*adjoint, name + "_adj", trace::of_adjoint);
  }
  if (!about.empty()) about += trace::about_entries(model, function.hessian);
  return trace::head_comment(*recording, model, constraints, options, function, about) +
         "#include <math.h>\n" +
         (lanes > 1 ? "#include <string.h>\n" + trace::lane_helpers(name, lanes) : "\n") + code;
}

}  // namespace tenon
