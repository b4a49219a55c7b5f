#include "model/divided_loops.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "mechanism/description.hpp"

namespace tenon {
namespace {

using Names = std::unordered_set<std::string>;

LoopTreatment treatment_of(const MechanismLoop& loop, const CompileOptions& options) {
  return loop.treatment == LoopTreatment::by_model ? options.loops : loop.treatment;
}

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// Names of the joints that are tied, without the given loops.
class TiedJoints {
 public:
  TiedJoints(const Mechanism& mechanism, const Names& without) {
    for (const MechanismJoint& joint : mechanism.joints) above_.emplace(joint.child, &joint);
    for (const MechanismLoop& loop : mechanism.loops)
      if (without.count(loop.name) == 0) add_way(loop.predecessor, loop.successor);
    for (const MechanismGear& gear : mechanism.gears) add_way(gear.predecessor, gear.successor);
    for (const MechanismCoupling& coupling : mechanism.couplings) {
      for (const std::string& joint : coupling.dependent) add(joint);
      for (const std::string& joint : coupling.independent) add(joint);
    }
    for (const MechanismImplicit& implicit : mechanism.implicits)
      for (const std::string& joint : implicit.joints) add(joint);
  }

  bool contain(const std::string& joint) const { return names_.count(joint) > 0; }

 private:
  // "name_2" is the second axis of a universal joint.
  void add(const std::string& joint) {
    names_.insert(joint);
    if (joint.size() > 2 && joint.compare(joint.size() - 2, 2, "_2") == 0)
      names_.insert(joint.substr(0, joint.size() - 2));
  }

  std::vector<const MechanismJoint*> way_up(const std::string& link) const {
    std::vector<const MechanismJoint*> way;
    for (auto found = above_.find(link); found != above_.end(); found = above_.find(way.back()->parent))
      way.push_back(found->second);
    return way;
  }

  void add_way(const std::string& a, const std::string& b) {
    std::vector<const MechanismJoint*> up = way_up(a), down = way_up(b);
    while (!up.empty() && !down.empty() && up.back() == down.back()) up.pop_back(), down.pop_back();
    for (const MechanismJoint* joint : up) names_.insert(joint->name);
    for (const MechanismJoint* joint : down) names_.insert(joint->name);
  }

  std::unordered_map<std::string, const MechanismJoint*> above_;
  Names names_;
};

// The mechanism without the given loops. Joints tied by these loops alone become independent.
Mechanism without_loops(const Mechanism& mechanism, const Names& names) {
  Mechanism rest = mechanism;
  const TiedJoints tied(mechanism, names);
  for (MechanismJoint& joint : rest.joints)
    joint.independent = joint.independent || !tied.contain(joint.name);
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
  const auto add = [&](const std::string& name) {
    places.emplace(name, static_cast<std::int32_t>(places.size()));
  };
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

}  // namespace

bool divides_loops(const Mechanism& mechanism, const CompileOptions& options) {
  return options.loops != LoopTreatment::open &&
         std::any_of(mechanism.loops.begin(), mechanism.loops.end(), [&](const MechanismLoop& loop) {
           return treatment_of(loop, options) != LoopTreatment::embed;
         });
}

std::shared_ptr<const Model> compile_divided(const Mechanism& mechanism, const CompileOptions& options) {
  // TiedJoints assumes that the links form a tree, so the description is checked first.
  check_description(mechanism, options);
  CompileOptions embed = options;
  embed.loops = LoopTreatment::embed;
  Names open;
  for (const MechanismLoop& loop : mechanism.loops)
    if (treatment_of(loop, options) == LoopTreatment::open) open.insert(loop.name);
  const Mechanism closed = without_loops(mechanism, open);
  const std::shared_ptr<Model> embedded = compile_embedded(closed, embed);
  const Names rows = names_of_row_loops(closed, options, *embedded);
  if (rows.empty()) return embedded;
  const std::shared_ptr<Model> model = compile_embedded(without_loops(closed, rows), embed);
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

}  // namespace tenon
