#include "tenonx/jacobian.hpp"

#include <cmath>
#include <cstddef>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "scalar/random.hpp"

namespace tenon::trace {
namespace {

enum class Order { forward, reverse, markowitz };

// The graph's derivatives while vertices are taken out. Vertices are nodes, and behind these the outputs.
class Elimination {
 public:
  Elimination(Graph& graph, const Recording& recording)
      : graph_(graph), outputs_(recording.all_outputs()), count_(graph.nodes().size()) {
    operands_.resize(count_ + outputs_.size());
    users_.resize(operands_.size());
    const std::vector<bool> live = graph.live(outputs_);
    std::vector<bool> moves(count_, false);  // with an input
    for (std::size_t i = 0; i < count_; ++i) {
      const Graph::Node n = graph.nodes()[i];  // a copy: partial derivatives are new nodes
      if (!live[i] || n.operation == Operation::constant) continue;
      if (n.operation == Operation::input) {
        moves[i] = true;
        continue;
      }
      const bool by_a = moves[index(n.a)], by_b = n.b >= 0 && moves[index(n.b)];
      moves[i] = by_a || by_b;
      if (by_a) add(i, index(n.a), partial(i, n, true));
      if (by_b) add(i, index(n.b), partial(i, n, false));
      if (moves[i]) inner_.push_back(i);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (moves[index(outputs_[i].node)])
        add(count_ + i, index(outputs_[i].node), outputs_[i].negative ? -1.0 : 1.0);
  }

  void run(Order order) {
    if (order == Order::markowitz) return run_markowitz();
    if (order == Order::forward)
      for (const std::size_t i : inner_) take_out(i);
    else
      for (std::size_t i = inner_.size(); i-- > 0;) take_out(inner_[i]);
  }

  // The derivatives of output number i of all, by inputs' nodes.
  const std::map<std::size_t, Recorded>& row(std::size_t i) const { return operands_[count_ + i]; }

 private:
  void add(std::size_t user, std::size_t operand, Recorded derivative) {
    const auto [known, fresh] = operands_[user].emplace(operand, derivative);
    if (!fresh) known->second = known->second + derivative;
    users_[operand].insert(user);
  }

  // The derivative of node n, number i, by its first operand or its second.
  Recorded partial(std::size_t i, const Graph::Node& n, bool by_first) {
    const auto number = [&](std::int32_t node) { return Recorded(graph_, {node, false}); };
    const Recorded self = number(static_cast<std::int32_t>(i)), a = number(n.a),
                   b = n.b >= 0 ? number(n.b) : 0.0;
    switch (n.operation) {
      case Operation::add:
        return 1.0;
      case Operation::subtract:
        return by_first ? 1.0 : -1.0;
      case Operation::multiply:
        return by_first ? b : a;
      case Operation::divide: {
        const Recorded inverse = Recorded(1.0) / b;
        return by_first ? inverse : -(self * inverse);
      }
      case Operation::negate:
        return -1.0;
      case Operation::square_root:
        return Recorded(0.5) / self;
      case Operation::sine:
        return cos(a);
      case Operation::cosine:
        return -sin(a);
      case Operation::arctangent: {
        const Recorded square = a * a + b * b;
        return by_first ? b / square : -(a / square);
      }
      case Operation::input:
      case Operation::constant:
        break;
    }
    return 0.0;
  }

  void take_out(std::size_t j) {
    for (const std::size_t k : users_[j]) {
      const Recorded by_j = operands_[k].at(j);
      operands_[k].erase(j);
      for (const auto& [i, derivative] : operands_[j]) add(k, i, by_j * derivative);
    }
    for (const auto& operand : operands_[j]) users_[operand.first].erase(j);
  }

  void run_markowitz() {
    // Cost, and the latest vertex of those that cost the same; entries with an old cost are passed over.
    std::priority_queue<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::size_t, std::size_t>>,
                        Costlier>
        next;
    std::vector<bool> waits(operands_.size(), false);
    const auto cost = [&](std::size_t i) { return operands_[i].size() * users_[i].size(); };
    for (const std::size_t i : inner_) waits[i] = true, next.emplace(cost(i), i);
    while (!next.empty()) {
      const auto [known_cost, j] = next.top();
      next.pop();
      if (!waits[j] || known_cost != cost(j)) continue;
      waits[j] = false;
      take_out(j);
      for (const std::size_t k : users_[j])
        if (waits[k]) next.emplace(cost(k), k);
      for (const auto& operand : operands_[j])
        if (waits[operand.first]) next.emplace(cost(operand.first), operand.first);
    }
  }

  struct Costlier {
    bool operator()(const std::pair<std::size_t, std::size_t>& x,
                    const std::pair<std::size_t, std::size_t>& y) const {
      return std::tie(x.first, y.second) > std::tie(y.first, x.second);
    }
  };

  Graph& graph_;
  const std::vector<Term> outputs_;
  const std::size_t count_;                                // of nodes before derivatives
  std::vector<std::map<std::size_t, Recorded>> operands_;  // of each vertex, with the derivative by it
  std::vector<std::set<std::size_t>> users_;
  std::vector<std::size_t> inner_;  // vertices to take out, operands before users
};

std::vector<Jacobian> differentiated(Graph& graph, const Recording& recording, Order order) {
  Elimination elimination(graph, recording);
  elimination.run(order);
  std::vector<Jacobian> all;
  std::size_t output_begin = 0;
  for (const RecordedArray& output : recording.outputs) {
    for (const RecordedArray& input : recording.inputs) {
      Jacobian x = {std::string("jac_") + output.array.name + "_" + input.array.name,
                    output.array.name,
                    input.array.name,
                    output.terms.size(),
                    input.terms.size(),
                    {0},
                    {},
                    {}};
      for (const Term& by : input.terms) {
        for (std::size_t i = 0; i < output.terms.size(); ++i) {
          const auto& row = elimination.row(output_begin + i);
          const auto found = row.find(index(by.node));
          if (found == row.end() || (!found->second.graph() && found->second.value() == 0)) continue;
          x.row.push_back(i);
          x.terms.push_back(found->second.term_in(graph));
        }
        x.first.push_back(x.row.size());
      }
      all.push_back(std::move(x));
    }
    output_begin += output.terms.size();
  }
  return all;
}

// Of derivatives of a gradient, whose outputs stand as its first inputs do: entries on both sides of the diagonal are one
// term, that above it or below.
std::vector<Jacobian> with_one_triangle(const std::vector<Jacobian>& all, const Recording& gradient,
                                        bool upper) {
  std::vector<std::size_t> begin = {0};
  for (const RecordedArray& input : gradient.inputs) begin.push_back(begin.back() + input.terms.size());
  const std::size_t outputs = gradient.outputs.size(), inputs = gradient.inputs.size();
  const auto place = [&](const Jacobian& x, std::size_t k, std::size_t column) {
    const auto i = static_cast<std::size_t>(&x - all.data());
    return std::pair{begin[i / inputs] + x.row[k], begin[i % inputs] + column};
  };
  std::map<std::pair<std::size_t, std::size_t>, Term> entries;
  for (const Jacobian& x : all)
    for (std::size_t j = 0; j < x.columns; ++j)
      for (std::size_t k = x.first[j]; k < x.first[j + 1]; ++k) entries.emplace(place(x, k, j), x.terms[k]);
  std::vector<Jacobian> shared;
  for (const Jacobian& x : all) {
    Jacobian y = {x.name, x.output, x.input, x.rows, x.columns, {0}, {}, {}};
    for (std::size_t j = 0; j < x.columns; ++j) {
      for (std::size_t k = x.first[j]; k < x.first[j + 1]; ++k) {
        const auto [row, column] = place(x, k, j);
        const bool moves = column < begin[outputs], other = moves && (row < column) != upper;
        const auto mirrored = entries.find({column, row});
        if (moves && mirrored == entries.end()) continue;
        y.row.push_back(x.row[k]);
        y.terms.push_back(other ? mirrored->second : x.terms[k]);
      }
      y.first.push_back(y.row.size());
    }
    shared.push_back(std::move(y));
  }
  return shared;
}

std::size_t operations(const Graph& graph, const std::vector<Jacobian>& jacobians) {
  std::vector<Term> all;
  for (const Jacobian& x : jacobians) all.insert(all.end(), x.terms.begin(), x.terms.end());
  std::size_t sum = 0;
  for (const std::size_t count : graph.count(all)) sum += count;
  return sum;
}

std::string list(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i % 20 == 0 ? ",\n    " : ", ") + std::to_string(numbers[i]);
  return text;
}

}  // namespace

std::vector<Jacobian> differentiate(Recording& recording, const Kind& kind) {
  const Graph recorded = recording.graph;
  std::vector<Jacobian> best;
  std::size_t fewest = 0;
  for (const Order order : {Order::reverse, Order::forward, Order::markowitz}) {
    Graph graph = recorded;
    const std::vector<Jacobian> jacobians = differentiated(graph, recording, order);
    for (const bool upper : {true, false}) {
      if (!kind.symmetric && !upper) continue;
      std::vector<Jacobian> candidate =
          kind.symmetric ? with_one_triangle(jacobians, recording, upper) : jacobians;
      const std::size_t count = operations(graph, candidate);
      if (!best.empty() && count >= fewest) continue;
      fewest = count;
      best = std::move(candidate);
      recording.graph = graph;
    }
  }
  for (const Jacobian& x : best)
    for (const Term& term : x.terms)
      if (!std::isfinite(recording.graph.value(term)))
        refuse("the derivative of ", x.output, " by ", x.input,
               " divides by zero on this robot: there is none that one function could compute; leave ",
               kind.option, " out");
  return best;
}

std::unique_ptr<Recording> adjoint_of(const Recording& recording) {
  auto adjoint = std::make_unique<Recording>(recording);
  Graph& graph = adjoint->graph;
  const auto named = [&](const Array& array, const char* meaning) {
    adjoint->names.push_back(std::make_shared<const std::string>(std::string("adj_") + array.name));
    return Array{adjoint->names.back()->c_str(), meaning, array.size};
  };
  RandomNumbers random(2);
  Recorded product = 0.0;
  for (const RecordedArray& output : recording.outputs) {
    adjoint->inputs.push_back({named(output.array, "weights of the numbers above"), {}});
    for (const Term& term : output.terms) {
      const Term seed = graph.input(random.uniform(0.5, 1));
      adjoint->inputs.back().terms.push_back(seed);
      product = product + Recorded(graph, seed) * Recorded(graph, term);
    }
  }
  adjoint->outputs = {{{"product", "", {}}, {product.term_in(graph)}}};
  const std::vector<Jacobian> gradient = differentiated(graph, *adjoint, Order::reverse);
  adjoint->outputs.clear();
  for (std::size_t i = 0; i < recording.inputs.size(); ++i) {
    const RecordedArray& input = recording.inputs[i];
    const Jacobian& by = gradient[i];
    RecordedArray sum = {named(input.array, "derivative of the weighted sum"), {}};
    for (std::size_t j = 0; j < by.columns; ++j)
      sum.terms.push_back(by.first[j] < by.first[j + 1] ? by.terms[by.first[j]] : graph.constant(0));
    adjoint->outputs.push_back(std::move(sum));
  }
  return adjoint;
}

std::string about_jacobians(const std::vector<Jacobian>& jacobians, const std::string& function,
                            const Kind& kind) {
  std::string text = " *\n * " + std::string(kind.title) + ", which " + function +
                     "_jac writes for the inputs of " + function + ":\n";
  for (const Jacobian& x : jacobians)
    text += " * " + x.name + " (" + kind.role + ", " + std::to_string(x.terms.size()) + "): of " + x.output +
            " by " + x.input + ", " + std::to_string(x.rows) + " x " + std::to_string(x.columns) + "\n";
  return text + " * An array holds the entries that are not zero in every state, column by column. " +
         function +
         "_jac_sparsity(i) tells\n * where those of array i stand, as CasADi does: rows, columns, for each "
         "column the number of its first entry,\n * the number of all entries, and the row of each.\n";
}

std::string about_adjoint(const Recording& adjoint, const Recording& recording, const std::string& function) {
  std::string sum, text;
  const auto describe = [&](const RecordedArray& array, const char* role, const std::string& what) {
    text += std::string(" * ") + array.array.name + " (" + role + ", " + std::to_string(array.terms.size()) +
            "): " + what + "\n";
  };
  for (std::size_t i = 0; i < recording.outputs.size(); ++i) {
    const RecordedArray& seed = adjoint.inputs[recording.inputs.size() + i];
    const std::string output = recording.outputs[i].array.name;
    sum += (i == 0 ? "" : " + ") + std::string(seed.array.name) + " . " + output;
    describe(seed, "seed", "weights of " + output);
  }
  for (std::size_t i = 0; i < recording.inputs.size(); ++i)
    describe(adjoint.outputs[i], "adj", std::string("derivative by ") + recording.inputs[i].array.name);
  return " *\n * The sum " + sum + " and its derivatives, which " + function +
         "_adj writes for the same inputs\n * and, behind these, the weights:\n" + text;
}

std::string about_entries(const Model& model, bool second) {
  std::string text;
  if (model.nq != model.nv)
    text +=
        " *\n * A derivative by q is by its entries, those of quaternions too, of the function as it is "
        "written, which takes\n"
        " * any four numbers. Derivatives in tenon.h are by tangents: for a quaternion (x y z w) these are "
        "its columns "
        "times\n * 1/2 [w -z y; z w -x; -y x w; -x -y -z], for positions of a free base times the rotation "
        "matrix of "
        "the base.\n";
  if (model.nq != model.nv && second)
    text +=
        " * Second derivatives by tangents have, besides, first ones times the changes of these matrices.\n";
  if (model.ny < model.nv)
    text +=
        " *\n * By q and v the joints of loops move on their own: times dq and dv that keep loops closed, "
        "they "
        "are right.\n";
  return text;
}

std::string sparsity_function(const std::vector<Jacobian>& jacobians, const std::string& function) {
  const std::string prototype = "const casadi_int *" + function + "_jac_sparsity(int i)";
  std::string text = "\n#ifndef casadi_int\n#define casadi_int long long int\n#endif\n" + prototype + ";\n" +
                     prototype + " {\n",
              names;
  for (std::size_t i = 0; i < jacobians.size(); ++i) {
    const Jacobian& x = jacobians[i];
    const std::string name = "of_" + std::to_string(i);
    text += "  static const casadi_int " + name + "[] = {" + std::to_string(x.rows) + ", " +
            std::to_string(x.columns) + list(x.first) + list(x.row) + "};\n";
    names += (i == 0 ? "" : ", ") + name;
  }
  const std::string count = std::to_string(jacobians.size());
  return text + "  static const casadi_int *const all[] = {" + names + "};\n  return i < 0 || i >= " + count +
         " ? 0 : all[i];\n}\n";
}

}  // namespace tenon::trace
