#include "tenonx/recording.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "scalar/random.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon {

TENON_INSTRUCTION_SET(isa_recorded, TENON_NO_GROUP)
template <>
const KernelTable<trace::Recorded>& kernels<trace::Recorded>() {
  return isa_recorded::table<trace::Recorded>();
}

namespace trace {
namespace {

// The names of algorithms, for messages.
template <class Wanted>
std::string names_of(const Wanted& wanted) {
  std::string names;
  for (const TraceableAlgorithm& x : traceable_algorithms())
    if (wanted(x)) names += (names.empty() ? "" : ", ") + std::string(x.name);
  return names;
}
std::string that_take_inter_body_rows(const Model& model) {
  return names_of([loops = !model.loops.clusters.empty()](const TraceableAlgorithm& x) {
    return x.inter_body_rows && (x.loops || !loops);
  });
}

const Algorithm& find(std::string_view name) {
  const List<Algorithm> all = algorithms();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Algorithm& x) { return x.about.name == name; });
  if (found != all.end()) return *found;
  throw Error(Status::not_found, "algorithm '" + std::string(name) +
                                     "' is none that can be recorded; there are " +
                                     names_of([](const TraceableAlgorithm&) { return true; }));
}

void check_loops(const TraceableAlgorithm& about, const Model& model, bool has_functions) {
  if (model.loops.clusters.empty()) return;
  if (!about.loops) {
    const std::string names =
        names_of([&](const TraceableAlgorithm& x) { return x.loops && x.constrained == about.constrained; });
    refuse("algorithm '", about.name, "' is recorded on trees, and this mechanism has kinematic loops; ",
           names.empty() ? "ignore its loops" : "take one of " + names);
  }
  for (std::size_t i = 0; i < model.loops.constraints.size(); ++i)
    if (model.loops.constraints[i].kind == loop_callback && !has_functions)
      refuse("the loop '", model.loops.names[i],
             "' is given by a function of the program's, which computes in double and cannot be recorded; "
             "describe it as a loop or a coupling");
}

// Without rows in the algorithm, loops that rows close would come apart.
void check_row_loops(const Algorithm& algorithm, const Model& model) {
  const std::string_view result = algorithm.outputs[0].name;
  if (model.row_loops.empty() || algorithm.about.constrained || (result != "qdd" && result != "yddot"))
    return;
  refuse("algorithm '", algorithm.about.name, "' records no constraint rows, and rows close the loop '",
         model.row_loops.front().name, "' of this robot; take one of ", that_take_inter_body_rows(model),
         ", or embed the loop");
}

void check(const Algorithm& algorithm, const Model& model, const ConstraintSet* constraints,
           const TraceOptions& options, bool has_functions) {
  const std::string name = std::string("algorithm '") + algorithm.about.name + "'";
  if (options.iterations < 1 || options.iterations > 1000)
    throw Error(Status::invalid_argument,
                text_of("iterations is ", options.iterations, "; give a number from 1 to 1000"));
  if (!(options.mu > 0 && options.mu <= 1e300))
    throw Error(Status::invalid_argument, "mu must be positive and finite; 1e6 is a good value");
  check_row_loops(algorithm, model);
  check_loops(algorithm.about, model, has_functions);
  if (!algorithm.about.constrained) return;
  if (!constraints || constraints->row_count() == 0)
    throw Error(Status::invalid_argument, name + " needs constraint rows; add a point, a weld or a row");
  if (&*constraints->model() != &model)
    throw Error(Status::invalid_argument,
                "the constraint set is bound to another model; bind it to the model that is recorded");
  if (constraints->data().node_row_first[0] > 0)
    refuse(
        "a constraint holds a link that is part of the world, so its rows can never be met; leave that "
        "constraint out");
  const std::string_view method = algorithm.about.name;
  if (method == "pv_early" && constraints->data().inter_body_count == 0 &&
      !early_work(model.data(), constraints->data()).possible)
    refuse("more than ", early_rows<Recorded>,
           " rows meet on a link, and pv_early takes no more; take prox_pv or constrained_aba");
  if (constraints->data().inter_body_count == 0 || algorithm.about.inter_body_rows) return;
  const bool moves = algorithm.outputs[0].size == Size::nv;
  refuse(name, " is not recorded with rows between two moving links; ",
         moves ? "take one of " + that_take_inter_body_rows(model)
               : "no algorithm for this matrix is; hold links against the world alone");
}

std::shared_ptr<const Model> borrowed(const Model& model) {
  return {std::shared_ptr<const Model>(), &model};
}

// A random configuration with closed loops, so that pivots are chosen as at any other.
void sample_closed(const Model& model, double* q) {
  random_configuration(model, 1, q);
  if (model.loop_count() == 0) return;
  Workspace w(borrowed(model));
  const bool closed = close_loops(w, LoopMoves::all, q, nullptr) == Status::ok &&
                      loop_map(w, q, nullptr, nullptr, model.nv, nullptr) == Status::ok;
  if (!closed) std::copy(model.loops.closed.begin(), model.loops.closed.end(), q);
}

std::vector<double> sample_state(const Array& array, const Model& model, const ConstraintSet* constraints,
                                 RandomNumbers& random) {
  std::vector<double> x(number(array.size, model, constraints));
  if (array.size == Size::nq)
    sample_closed(model, x.data());
  else
    for (double& value : x) value = random.uniform(-1, 1);
  return x;
}

}  // namespace

Subject::Subject(const Model& model_, const ConstraintSet* rows_, const TraceOptions& options_,
                 const LoopFunctions& loop_functions_)
    : model(model_),
      constraints(rows_),
      options(options_),
      loop_functions(loop_functions_),
      kernels(tenon::kernels<Recorded>()),
      tables(m(), constraint_data()),
      arena(m(), constraint_data(), index(tables.entry_count)),
      w(arena.data),
      pv(m(), constraint_data()),
      pv_early(m(), constraint_data()),
      delassus(m(), constraint_data(), pv.data),
      caba(m(), constraint_data()),
      osimf(m(), constraint_data()),
      gravity{m().gravity[0], m().gravity[1], m().gravity[2]} {
  static_cast<SweepTables&>(w) = tables;
  w.gravity = gravity;
}

std::vector<Term> Recording::all_outputs() const {
  std::vector<Term> all;
  for (const RecordedArray& output : outputs) all.insert(all.end(), output.terms.begin(), output.terms.end());
  return all;
}

std::unique_ptr<Recording> record(const Model& model, const ConstraintSet* constraints, std::string_view name,
                                  const TraceOptions& options, const LoopFunctions& loop_functions) {
  const Algorithm& algorithm = find(name);
  auto recording = std::make_unique<Recording>();
  if (!constraints && algorithm.about.constrained && !model.row_loops.empty())
    constraints = (recording->rows_of_loops = ConstraintSet::bind(borrowed(model), {})).get();
  recording->constraints = constraints;
  check(algorithm, model, constraints, options, !loop_functions.empty());
  recording->about = &algorithm.about;
  Graph& graph = recording->graph;

  std::vector<std::vector<Recorded>> inputs, outputs;
  RandomNumbers random(1);
  for (const Array& array : algorithm.inputs) {
    recording->inputs.push_back({array, {}});
    inputs.emplace_back();
    for (const double value : sample_state(array, model, constraints, random)) {
      const Term term = graph.input(value);
      recording->inputs.back().terms.push_back(term);
      inputs.back().emplace_back(graph, term);
    }
  }
  for (const Array& array : algorithm.outputs) outputs.emplace_back(number(array.size, model, constraints));

  Subject subject(model, algorithm.about.constrained ? constraints : nullptr, options, loop_functions);
  if (algorithm.about.for_loops && model.folding)
    subject.folded = std::make_unique<Subject>(*model.folding->model, nullptr, options, loop_functions);
  std::vector<const Recorded*> in;
  std::vector<Recorded*> out;
  for (const auto& x : inputs) in.push_back(x.data());
  for (auto& x : outputs) out.push_back(x.data());
  algorithm.run(subject, in.data(), out.data());

  for (std::size_t i = 0; i < outputs.size(); ++i) {
    recording->outputs.push_back({algorithm.outputs[i], {}});
    for (const Recorded& x : outputs[i]) recording->outputs.back().terms.push_back(x.term_in(graph));
  }
  return recording;
}

}  // namespace trace

OperationCounts count_operations(const Model& model, const ConstraintSet* constraints,
                                 std::string_view algorithm, const TraceOptions& options) {
  using trace::Operation;
  const auto recording = trace::record(model, constraints, algorithm, options);
  const auto counts = recording->graph.count(recording->all_outputs());
  const auto of = [&](Operation operation) { return counts[static_cast<std::size_t>(operation)]; };
  return {of(Operation::add) + of(Operation::subtract),
          of(Operation::multiply),
          of(Operation::divide),
          of(Operation::square_root),
          of(Operation::sine),
          of(Operation::cosine),
          of(Operation::arctangent)};
}

}  // namespace tenon
