#include "tenonx/jacobian.hpp"

#include <cmath>
#include <cstddef>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

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

std::vector<Jacobian> differentiate(Graph& graph, const Recording& recording, Order order) {
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

std::vector<Jacobian> differentiate(Recording& recording) {
  const Graph recorded = recording.graph;
  std::vector<Jacobian> best;
  std::size_t fewest = 0;
  for (const Order order : {Order::reverse, Order::forward, Order::markowitz}) {
    Graph graph = recorded;
    std::vector<Jacobian> jacobians = differentiate(graph, recording, order);
    const std::size_t count = operations(graph, jacobians);
    if (!best.empty() && count >= fewest) continue;
    fewest = count;
    best = std::move(jacobians);
    recording.graph = std::move(graph);
  }
  for (const Jacobian& x : best)
    for (const Term& term : x.terms)
      if (!std::isfinite(recording.graph.value(term)))
        refuse("the derivative of ", x.output, " by ", x.input,
               " divides by zero on this robot: there is none that one function could compute; leave "
               "derivatives out");
  return best;
}

std::string about_jacobians(const std::vector<Jacobian>& jacobians, const std::string& function,
                            const Model& model) {
  std::string text = " *\n * Derivatives, which " + function + "_jac writes for the same inputs:\n";
  for (const Jacobian& x : jacobians)
    text += " * " + x.name + " (jac, " + std::to_string(x.terms.size()) + "): of " + x.output + " by " +
            x.input + ", " + std::to_string(x.rows) + " x " + std::to_string(x.columns) + "\n";
  text += " * An array holds the entries that are not zero in every state, column by column. " + function +
          "_jac_sparsity(i) tells\n * where those of array i stand, as CasADi does: rows, columns, for each "
          "column the number of "
          "its first entry,\n * the number of all entries, and the row of each.\n";
  if (model.nq != model.nv)
    text +=
        " * A derivative by q is by its entries, those of quaternions too, of the function as it is written, "
        "which takes\n"
        " * any four numbers. Derivatives in tenon.h are by tangents: for a quaternion (x y z w) these are "
        "its columns "
        "times\n * 1/2 [w -z y; z w -x; -y x w; -x -y -z], for positions of a free base times the rotation "
        "matrix of "
        "the base.\n";
  if (model.ny < model.nv)
    text +=
        " * By q and v the joints of loops move on their own: times dq and dv that keep loops closed, they "
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
