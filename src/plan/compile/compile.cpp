// Model::compile. It stands above model/, because the choice of independent coordinates runs kernels.
#include "model/compile.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "mechanism/description.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/compile/loop_analysis.hpp"
#include "scalar/index.hpp"

namespace tenon {

namespace {

using Names = std::unordered_set<std::string>;

LoopTreatment treatment_of(const MechanismLoop& loop, const CompileOptions& options) {
  return loop.treatment == LoopTreatment::by_model ? options.loops : loop.treatment;
}

// For each joint of a description: whether a loop or coupling ties it, apart from the loops `without`.
std::vector<char> tied_joints(const Description& description, const Names& without) {
  std::vector<char> tied(description.joints.size(), 0);
  for (const Description::Loop& loop : description.loops)
    for (const std::size_t joint : loop.joints) tied[joint] |= without.count(loop.name) == 0;
  for (const Description::Coupling& coupling : description.couplings)
    for (const Description::CouplingRow& row : coupling.rows)
      for (const auto& term : row.terms) tied[term.joint] = 1;
  for (const Description::Implicit& implicit : description.implicits)
    for (const std::size_t joint : implicit.joints) tied[joint] = 1;
  return tied;
}

// The mechanism without the given loops. Joints tied by these loops alone become independent.
Mechanism without_loops(const Mechanism& mechanism, const Description& description, const Names& names) {
  Mechanism rest = mechanism;
  const std::vector<char> tied = tied_joints(description, names);
  auto next = tied.begin();
  for (MechanismJoint& joint : rest.joints) {
    bool is_tied = *next++;
    if (joint.type == JointType::universal) is_tied = *next++ || is_tied;  // two joints in the description
    joint.independent = joint.independent || !is_tied;
  }
  const auto gone = [&](const MechanismLoop& loop) { return names.count(loop.name) > 0; };
  rest.loops.erase(std::remove_if(rest.loops.begin(), rest.loops.end(), gone), rest.loops.end());
  return rest;
}

// Loops with treatment rows, and automatic ones for which rows are cheaper.
Names names_of_row_loops(const Mechanism& mechanism, const CompileOptions& options, const Model& embedded) {
  std::unordered_map<std::string, LoopTreatment> wanted;
  for (const MechanismLoop& loop : mechanism.loops) wanted.emplace(loop.name, treatment_of(loop, options));
  std::vector<bool> may_be, are;
  for (std::size_t i = 0; i < embedded.loops.names.size(); ++i) {
    const bool geometric = embedded.loops.constraints[i].kind == loop_geometric;
    const LoopTreatment treatment = geometric ? wanted.at(embedded.loops.names[i]) : LoopTreatment::embed;
    may_be.push_back(treatment == LoopTreatment::automatic);
    are.push_back(treatment == LoopTreatment::rows);
  }
  const std::vector<bool> rows = cheaper_as_rows(embedded, may_be, are);
  Names names;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i]) names.insert(embedded.loops.names[i]);
  return names;
}

Pose end_of(const Model& model, int link, const double (&R)[9], const double (&p)[3]) {
  Pose end;
  std::copy_n(R, 9, end.rotation.begin());
  std::copy_n(p, 3, end.translation.begin());
  return inverse(model.links[index(link)].in_body) * end;
}

void add_row_loops(const Mechanism& mechanism, const Names& names, const Model& embedded, Model& model) {
  for (std::size_t i = 0; i < embedded.loops.names.size(); ++i) {
    const std::string& name = embedded.loops.names[i];
    const LoopConstraintData& c = embedded.loops.constraints[i];
    if (names.count(name) == 0 || c.row_count == 0) continue;
    const auto loop = std::find_if(mechanism.loops.begin(), mechanism.loops.end(),
                                   [&](const MechanismLoop& l) { return l.name == name; });
    const int predecessor = model.find_link(loop->predecessor), successor = model.find_link(loop->successor);
    model.row_loops.push_back({name, predecessor, successor,
                               end_of(embedded, predecessor, c.predecessor_R, c.predecessor_p),
                               end_of(embedded, successor, c.successor_R, c.successor_p), c.rows});
  }
}

// The number of every loop of a model, by name.
std::unordered_map<std::string, std::int32_t> places_of_loops(const Model& model) {
  std::unordered_map<std::string, std::int32_t> places;
  const auto add = [&](const std::string& name) { places.emplace(name, count_of(places)); };
  for (const std::string& name : model.loops.names) add(name);
  for (const Model::RowLoop& loop : model.row_loops) add(loop.name);
  return places;
}

std::unique_ptr<const Model::Closing> closing_of(const Model& model, std::shared_ptr<const Model> embedded) {
  auto closing = std::make_unique<Model::Closing>();
  closing->q.resize(index(model.nq));
  closing->v.resize(index(model.nv));
  for (const Model::Joint& joint : embedded->joints) {
    const Model::Joint& here = model.joints[index(model.find_joint(joint.name))];
    for (int k = 0; k < joint.nq; ++k) closing->q[index(joint.q_index + k)] = here.q_index + k;
    for (int k = 0; k < joint.nv; ++k) closing->v[index(joint.v_index + k)] = here.v_index + k;
  }
  const std::unordered_map<std::string, std::int32_t> places = places_of_loops(model);
  for (const std::string& name : embedded->loops.names) {
    const auto found = places.find(name);
    closing->loop.push_back(found == places.end() ? -1 : found->second);
  }
  closing->model = std::move(embedded);
  return closing;
}

// Compiles with every loop, coupling, gear and implicit constraint embedded, or none if options say open.
std::shared_ptr<Model> compile_embedded(const Mechanism& mechanism, const CompileOptions& options) {
  const auto model = std::make_shared<Model>();
  const std::vector<char> dependent = compile_description(mechanism, options, *model);
  if (!model->loops.clusters.empty()) analyse_loops(mechanism, dependent, *model);
  model->publish(options.gravity);
  check_inertias(mechanism, options, *model);
  model->folding = fold_rotors(*model);
  return model;
}

// Whether some loop is not to be embedded (unless options leave all loops open).
bool divides_loops(const Mechanism& mechanism, const CompileOptions& options) {
  return options.loops != LoopTreatment::open &&
         std::any_of(mechanism.loops.begin(), mechanism.loops.end(), [&](const MechanismLoop& loop) {
           return treatment_of(loop, options) != LoopTreatment::embed;
         });
}

// For such models: rows close some loops and clusters embed the others (LoopTreatment::rows). Embeds all loops first,
// which checks them.
std::shared_ptr<const Model> compile_divided(const Mechanism& mechanism, const CompileOptions& options) {
  const Description description = check_description(mechanism, options);
  CompileOptions embed = options;
  embed.loops = LoopTreatment::embed;
  Names open;
  for (const MechanismLoop& loop : mechanism.loops)
    if (treatment_of(loop, options) == LoopTreatment::open) open.insert(loop.name);
  const Mechanism closed = without_loops(mechanism, description, open);
  const std::shared_ptr<Model> embedded = compile_embedded(closed, embed);
  const Names rows = names_of_row_loops(closed, options, *embedded);
  if (rows.empty()) return embedded;
  Names left_out = open;
  left_out.insert(rows.begin(), rows.end());
  const std::shared_ptr<Model> model =
      compile_embedded(without_loops(mechanism, description, left_out), embed);
  for (const Model::Loops::Warning& warning : embedded->loops.warnings)
    if (rows.count(embedded->loops.names[index(warning.constraint)]) > 0)
      model->warnings.push_back(embedded->warnings[warning.index]);
  add_row_loops(closed, rows, *embedded, *model);
  if (model->row_loops.empty()) return embedded;  // loops that constrain nothing
  model->closing = closing_of(*model, embedded);
  model->loops.closed.resize(index(model->nq));
  for (std::size_t k = 0; k < embedded->loops.closed.size(); ++k)
    model->loops.closed[index(model->closing->q[k])] = embedded->loops.closed[k];
  return model;
}

}  // namespace

std::shared_ptr<const Model> Model::compile(const Mechanism& mechanism, const CompileOptions& options) {
  const auto compiled = [&](const Mechanism& m) -> std::shared_ptr<const Model> {
    return divides_loops(m, options) ? compile_divided(m, options) : compile_embedded(m, options);
  };
  return options.tolerant_inertias ? compiled(hold_massless_joints(mechanism)) : compiled(mechanism);
}

}  // namespace tenon
