#include "tenon/workspace.hpp"

#include <algorithm>

#include "mechanism/utf8.hpp"
#include "plan/dispatch.hpp"
#include "scalar/classic_text.hpp"
#include "state/check.hpp"
#include "state/closing_form.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/own_inertias.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

// Room for a configuration of any convention, the Jacobian of a frame or of the rows, and matrices of nv or
// `rows` columns, but at most half a megabyte for these: larger ones are computed twice (give_columns).
std::size_t stage_size(const Model& model, std::size_t rows) {
  constexpr std::size_t most = 65536;
  const std::size_t nv = index(model.nv), columns = std::max(nv, rows);
  return std::max(
      {2 * index(model.nq), 6 * nv, rows * nv, columns, std::size_t{6}, std::min(columns * columns, most)});
}

// The number of coordinates that method dense solves in.
int dense_coordinates(const Model& model) {
  return model.loops.clusters.empty() ? model.nv : model.ny;
}

std::vector<LinkPlace> places_of_links(const Model& model) {
  std::vector<LinkPlace> places;
  for (const Model::Link& link : model.links) {
    LinkPlace place{link.is_frame ? -1 : link.body, {}, {}};
    std::copy_n(link.in_body.rotation.begin(), 9, place.R);
    std::copy_n(link.in_body.translation.begin(), 3, place.p);
    places.push_back(place);
  }
  return places;
}

}  // namespace

WorkspaceImpl::WorkspaceImpl(std::shared_ptr<const Model> model_,
                             std::shared_ptr<const ConstraintSet> constraints_,
                             const WorkspaceOptions& options)
    : WorkspaceImpl(model_, constraints_, options,
                    std::make_shared<Settings>(model_->data().gravity, constraints_.get()), 0, 0) {}

WorkspaceImpl::WorkspaceImpl(std::shared_ptr<const Model> model_,
                             std::shared_ptr<const ConstraintSet> constraints_,
                             const WorkspaceOptions& options, std::shared_ptr<Settings> settings_,
                             int first_constraint, int first_row)
    : model(std::move(model_)),
      constraints(std::move(constraints_)),
      made_with(options),
      split(*model),
      settings(std::move(settings_)),
      row_settings(constraints.get(), *settings, first_constraint, first_row),
      kernels(kernels_of(resolve(options.instructions))),
      tables(model->data(), cd()),
      arena(model->data(), cd(), index(tables.entry_count), {of_sweeps}),
      pv([this] { return std::make_unique<PvMemory<double>>(md(), cd()); }),
      pv_early([this] { return std::make_unique<PvEarlyMemory<double>>(md(), cd()); }),
      delassus([this] {
        if (branches && constraints) branches->make_osimr(*cd());
        return std::make_unique<DelassusMemory<double>>(md(), cd(), pv->data);
      }),
      loops(*model, *kernels),
      coordinates(*model, rows()),
      damped([this] {
        return std::make_unique<DampedInverseMemory>(md(), cd(), branches ? branches->gain() : 1);
      }),
      coriolis([this] { return std::make_unique<CoriolisMemory>(md()); }),
      derivatives([this] {
        for (BranchLanes* limbs : {branches.get(), tree_branches.get()})
          if (limbs) limbs->make_products();
        return std::make_unique<DerivativeMemory>(md(), tables);
      }),
      step_derivatives([this] { return std::make_unique<StepDerivativeMemory>(md()); }),
      kinematics_derivatives([this] { return std::make_unique<KinematicsDerivativeMemory>(md()); }),
      row_derivatives(
          [this] { return std::make_unique<RowDerivativeMemory>(md(), cd(), (*derivatives).costs); }),
      second_order([this] { return std::make_unique<SecondOrderMemory>(md(), cd(), tables); }),
      second_products([this] { return std::make_unique<SecondProductMemory>(md(), cd(), tables); }),
      loop_derivatives([this] { return std::make_unique<LoopDerivativeMemory>(md(), independent->data.w); }),
      parameters([this] {
        return std::make_unique<ParameterMemory>(md(), places_of_links(*model), model->loops.ratio_count);
      }),
      parameter_matrices([this] {
        return std::make_unique<ParameterMatrixMemory>(md(), cd(), static_cast<int>(model->links.size()));
      }),
      underactuated([this] { return std::make_unique<UnderactuatedMemory>(rows(), model->nv); }),
      proximal(rows()),
      choice(choose(model->data(), cd())),
      dense([this] { return std::make_unique<DenseMemory>(cd(), dense_coordinates(*model), stage.data()); }) {
  made_with.instructions = resolve(options.instructions);
  const std::size_t nv = index(model->nv), nq = index(model->nq);
  step.assign(nq + 6 * nv, 0.0);
  step_lambda.assign(index(rows()), 0.0);
  const std::size_t ny = index(model->ny);
  dense_delassus.resize(index(rows()) * (nv + ny) + ny * ny);
  // The dense solve and the results share this memory: results are written to it after the solve.
  stage.assign(
      std::max(stage_size(*model, index(rows())), DenseMemory::room_size(cd(), dense_coordinates(*model))),
      0.0);
  body_room.resize(10 * index(md().node_count));
  moderate = numbers_are_moderate(md());
  kinematics_v.assign(nv, 0.0), kinematics_a.assign(nv, 0.0);
  if (md().varying_clusters > 0) kinematics_q.assign(nq, 0.0);
  zeros.assign(std::max({nv, index(rows()), std::size_t{1}}), 0.0);
  for (std::size_t j = 0; j < model->joints.size(); ++j) {
    const Model::Joint& joint = model->joints[j];
    if (joint.has_quaternion()) quaternions.push_back({joint.quaternion(), static_cast<int>(j)});
  }
  if (constraints) {
    const ConstraintData& c = constraints->data();
    item_of.assign(constraints->specs().size(), 0);
    // A constraint of many rows is several items; its first item stands for it (it has no frame).
    for (int item = c.item_count - 1; item >= 0; --item) item_of[index(c.items[item].constraint)] = item;
    user_lambda.assign(index(c.row_count), 0.0);
    row_scratch.assign(index(c.row_count), 0.0);
    lambda.assign(index(c.row_count), 0.0);
  }
  WorkspaceData<double>& d = arena.data;
  static_cast<SweepTables&>(d) = tables;
  d.gravity = settings->gravity;
  if (options.branch_lanes != BranchLanesUse::never)
    branches = BranchLanes::make(md(), cd(), &d, d.gravity, *kernels,
                                 branch_kernels_of(resolve(options.instructions)),
                                 options.branch_lanes == BranchLanesUse::always);
  if (md().cluster_count > 0) {
    ModelData tree = md();
    tree.cluster_count = tree.varying_clusters = 0;
    make_tree_branches(tree, options);
  }
  if (md().cluster_count > 0)
    independent = OnDemand<IndependentSpace>([this] {
      need(of_joint_space);
      return std::make_unique<IndependentSpace>(md(), cd(), w());
    });
  if (model->folding && (!constraints || constraints->folded()))
    folded = std::make_unique<FoldedWorkspace>(*this, options);
  const BranchLanes* lanes = folded ? folded->workspace.impl().branches.get() : branches.get();
  if (lanes && lanes->takes_rows())
    choice = choose(model->data(), cd(), lanes->gain(), lanes->takes_early() ? lanes->early_chance() : 0);
  if (model->closing) row_loops = std::make_unique<RowLoops>(*this, options);
  if (rows() > 0)
    for (const Method method : methods_in_advance(choice, md(), *cd(), index(tables.entry_count))) {
      need(method);
      if (folded && find_facts(method)->crosses_clusters) folded->workspace.impl().need(method);
    }
  make_room(options);
}

WorkspaceImpl::~WorkspaceImpl() = default;

void WorkspaceImpl::need(Method method) {
  const MethodFacts* facts = find_facts(method);
  const MethodMemory memory = facts ? facts->memory : MethodMemory::bodies;
  const bool factors = memory == MethodMemory::prox_ltl, augments = memory == MethodMemory::prox_ltls;
  if (memory == MethodMemory::dense) *dense;
  if (memory == MethodMemory::dense || factors || augments) {
    need(of_joint_space);
    if (factors) need(of_prox_ltl);
    if (augments) need(of_prox_ltls);
    if (independent) *independent;
  }
  // Lanes are left where the coordinates of a cluster change.
  const bool on_lanes = branches && branches->takes_rows() && md().cluster_count == 0;
  if (memory == MethodMemory::pv_early || (memory == MethodMemory::bodies && !on_lanes)) need(of_row_sweeps);
  if (memory == MethodMemory::pv) *pv;
  if (memory == MethodMemory::pv_early) *pv_early;
}

void WorkspaceImpl::need_row_derivatives() {
  need(Method::dense), need(Method::ltl);
  *row_derivatives;
  if (branches && branches->takes_row_products()) *delassus;
}

void WorkspaceImpl::need_projection() {
  if (md().varying_clusters > 0) need(closing_method);
  need(Method::dense);
}

// The workspaces for folded rotors and for loops closed by rows make their own memory from the same options.
void WorkspaceImpl::make_room(const WorkspaceOptions& options) {
  const auto asked = [](std::uint32_t mask, auto member) {
    return (mask >> static_cast<std::uint32_t>(member) & 1U) != 0;
  };
  for (const MethodFacts& facts : method_facts)
    if (rows() > 0 && asked(options.methods, facts.method)) need(facts.method);

  const bool loops_here = md().cluster_count > 0;
  const std::uint32_t matrices = options.delassus_methods, inverses = options.damped_methods;
  bool dense_matrix = asked(matrices, DelassusMethod::dense);
  for (const DampedInverseFacts& facts : damped_inverse_facts)
    dense_matrix = dense_matrix || (asked(inverses, facts.method) && facts.matrix == DelassusMethod::dense);
  const bool operational = (options.products & product_operational_space) != 0;
  if (matrices != 0 || inverses != 0 || operational) {
    need(of_joint_space);
    *delassus;
    if (loops_here) loops.MG.data();
    if (independent) *independent;
  }
  if (inverses != 0) *damped;
  if (rows() > 0) {
    if (matrices != 0 || inverses != 0) *pv;
    if (dense_matrix) dense_delassus.data();
  }

  if ((options.products & product_projection) != 0 && rows() > 0) need_projection();
  if ((options.products & product_coriolis) != 0) *coriolis;
  const bool twice = (options.products & product_second_derivatives) != 0;
  if (twice) *second_order, *second_products;
  if (twice || (options.products & product_derivatives) != 0) {
    need(of_joint_space);
    *derivatives, *step_derivatives, *kinematics_derivatives, *parameters, *parameter_matrices;
    if (loops_here) *loop_derivatives;
    if (rows() > 0) need_row_derivatives();
  }
  if ((options.products & product_mass_matrix) != 0) {
    need(of_joint_space);
    need(of_kept_mass_matrix);
    if (independent) *independent;
    coordinates.H.data();
    coordinates.H_factor.data();
  }
  if ((options.products & product_inverse_mass) != 0) *delassus;
  if ((options.products & product_centroidal) != 0) body_room.data();
  if ((options.products & product_underactuated) != 0) *underactuated;
  const std::uint32_t of_tree = product_coriolis | product_inverse_mass | product_loop_velocities;
  if (loops_here && (dense_matrix || (options.products & of_tree) != 0)) {
    need(of_joint_space);
    for (OnDemandArray* matrix : {&loops.M, &loops.MG, &loops.H}) matrix->data();
  }
}

void WorkspaceImpl::need(ArenaPart part) {
  if (!arena.has(part)) {
    arena.add(part, md(), cd(), index(tables.entry_count));
    // These hold a copy of the pointers.
    if (elimination_tree) elimination_tree->follow(w());
    if (independent.made()) independent->follow(w());
  }
  if (part != of_joint_space || elimination_tree) return;
  elimination_tree = std::make_unique<EliminationTree>(md(), cd(), w());
  w().elimination_tree = elimination_tree->data();
}

void WorkspaceImpl::make_tree_branches(const ModelData& tree, const WorkspaceOptions& options) {
  if (options.branch_lanes == BranchLanesUse::never) return;
  tree_branches = BranchLanes::make(tree, nullptr, nullptr, settings->gravity, *kernels,
                                    branch_kernels_of(resolve(options.instructions)),
                                    options.branch_lanes == BranchLanesUse::always);
}

void WorkspaceImpl::update_rows() {
  row_settings.take(*settings);
  if (!constraints) return;
  if (independent.made()) independent->data.rows.poses = cd()->poses;
  if (branches) branches->update_rows(*cd());
}

Status WorkspaceImpl::fail(Status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  drop_cut_character(message, sizeof message, print_classic(message, sizeof message, format, arguments));
  va_end(arguments);
  return status;
}

Workspace::Workspace(std::shared_ptr<const Model> model, std::shared_ptr<const ConstraintSet> constraints,
                     const WorkspaceOptions& options) {
  if (!model) throw Error(Status::invalid_argument, "a workspace needs a model; give one");
  if (constraints && constraints->model() != model)
    throw Error(Status::invalid_argument,
                "the constraint set is bound to another model; bind it to the model of the workspace");
  if (!constraints && !model->row_loops.empty()) constraints = ConstraintSet::bind(model, {});
  impl_ = std::make_unique<WorkspaceImpl>(std::move(model), std::move(constraints), options);
}
Workspace::Workspace(std::unique_ptr<WorkspaceImpl> impl) : impl_(std::move(impl)) {}
Workspace::~Workspace() = default;

Workspace::Workspace(const Workspace& other, Clone)
    : Workspace(other.impl_->model, other.impl_->constraints, other.impl_->made_with) {
  const WorkspaceImpl& from = *other.impl_;
  WorkspaceImpl& to = *impl_;
  *to.settings = *from.settings;
  if (!from.own_nodes.empty()) {
    make_own_inertias(to);
    take_own_inertias(to);
  }
  set_coordinates(*this, from.coordinates.positions, from.coordinates.velocities);
  copy_guess(from, to);
}

const Model& Workspace::model() const {
  return *impl_->model;
}
const ConstraintSet* Workspace::constraints() const {
  return impl_->constraints.get();
}
const char* Workspace::message() const noexcept {
  return impl_->message;
}
const SolveReport& Workspace::report() const noexcept {
  return impl_->report;
}

Instructions Workspace::instructions() const noexcept {
  for (const Instructions instructions : {Instructions::baseline, Instructions::x86_64_v3})
    if (impl_->kernels == kernels_of(instructions)) return instructions;
  return Instructions::x86_64_v4;
}

std::size_t Workspace::bytes() const {
  const WorkspaceImpl& w = *impl_;
  return sizeof w + bytes_of(w.tables, w.arena, w.branches, w.tree_branches, w.pv, w.pv_early, w.delassus,
                             w.loops, w.coordinates, w.folded, w.row_loops, w.damped, w.coriolis,
                             w.derivatives, w.step_derivatives, w.kinematics_derivatives, w.row_derivatives,
                             w.loop_derivatives, w.second_order, w.second_products, w.parameters,
                             w.parameter_matrices, w.underactuated, w.body_room, w.elimination_tree,
                             w.independent, w.item_of, w.proximal, w.lambda, w.user_lambda, w.row_scratch,
                             w.dense, w.dense_delassus, w.step, w.step_lambda, w.stage, w.zeros,
                             w.kinematics_v, w.kinematics_q, w.kinematics_a, w.quaternions, w.split,
                             w.own_nodes, w.own_armature, w.row_settings, *w.settings);
}

void Workspace::set_gravity(const Vector3& gravity) {
  std::copy(gravity.begin(), gravity.end(), impl_->settings->gravity);
}
Vector3 Workspace::gravity() const {
  const double* g = impl_->settings->gravity;
  return {g[0], g[1], g[2]};
}

void Workspace::set_anchor(int constraint, const Pose& world_pose) {
  impl_->settings->constraints[index(constraint)].anchor = world_pose;
  ++impl_->settings->revision;
}
Pose Workspace::anchor(int constraint) const {
  return impl_->settings->constraints[index(constraint)].anchor;
}

}  // namespace tenon
