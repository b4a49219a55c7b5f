#include "plan/choice/what_automatic_takes.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "data/rank.hpp"
#include "model/body_poses.hpp"
#include "model/loops/loops.hpp"
#include "plan/choice/choice_constants.hpp"
#include "plan/choice/cost_model.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

// ---- constrained dynamics

// The term of a body without rows; that of a body with rows is four further on.
int kind_term(const ModelData& m, int node) {
  const int dofs = dofs_of(m, node);
  if (dofs > 3) return cost_floats;
  if (dofs > 1) return cost_balls;
  return is_oblique(m.nodes[node]) ? cost_obliques : cost_hinges;
}

double rows_below(const ConstraintData& c, int node) {
  return c.moved_end[node] - c.moved_begin[node];
}

bool has_inter_body_rows(const ConstraintData* c) {
  return c && c->inter_body_count > 0;
}
bool is_tree(const ModelData& m) {
  return m.cluster_count == 0 && m.rotor_count == 0;
}

// ---- the Delassus matrix and its damped inverse

// The cost of a path from a branch to the next one inward: `away` for each dof, but `root` for those of the
// root joint.
double cost_of_path(const ModelData& m, const std::vector<OsimrBranch>& branches, const OsimrBranch& branch,
                    double away, double root) {
  const std::int32_t to = branch.up < 0 ? -1 : branches[index(branch.up)].node;
  double sum = 0;
  for_path(m, branch.node, to,
           [&](std::int32_t parent, std::int32_t columns) { sum += columns * (parent < 0 ? root : away); });
  return sum;
}

// ---- loops of a description

// A cluster costs its size times the square of its freedom: a ring of 40 links costs 40 times as much embedded as with its
// two rows. Contacts are not known here; each increases m.
class Costs {
 public:
  explicit Costs(const Model& model) : model_(model), parent_(parents_of(model.nodes)) {
    for (const LoopConstraintData& c : model.loops.constraints) bodies_.push_back(tied_bodies(model, c));
  }

  double of(const std::vector<bool>& rows) const { return of_clusters(rows) + of_rows(rows); }

 private:
  double of_clusters(const std::vector<bool>& rows) const {
    std::vector<std::vector<std::int32_t>> tied;
    std::vector<double> held;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] || bodies_[i].empty()) continue;
      tied.push_back(bodies_[i]);
      held.push_back(model_.loops.constraints[i].row_count);
    }
    const std::vector<std::int32_t> cluster = form_clusters(parent_, tied);
    struct Cluster {
      double bodies = 0, velocities = 0, rows = 0;
    };
    std::vector<Cluster> clusters(tied.size());  // no more than constraints
    for (std::size_t i = 0; i < cluster.size(); ++i) {
      if (cluster[i] < 0) continue;
      Cluster& c = clusters[index(cluster[i])];
      c.bodies += 1, c.velocities += model_.joints[i].nv;
    }
    for (std::size_t i = 0; i < tied.size(); ++i)
      clusters[index(cluster[index(tied[i].front())])].rows += held[i];
    double sum = 0;
    for (const Cluster& c : clusters) {
      const double dependent = std::min(c.rows, c.velocities), y = c.velocities - dependent;
      sum += c.bodies * (loop_cost::cluster_body + loop_cost::cluster_body_y * y +
                         loop_cost::cluster_body_yy * y * y) +
             loop_cost::cluster_split * dependent * dependent * (dependent + y + 1);
    }
    return sum;
  }

  double of_rows(const std::vector<bool>& rows) const {
    double m = 0, sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i]) continue;
      const double own = model_.loops.constraints[i].row_count;
      m += own;
      sum += loop_cost::loop + loop_cost::row_body * own * static_cast<double>(bodies_[i].size());
    }
    return m > 0 ? loop_cost::call + sum + loop_cost::rows_squared * m * m + loop_cost::rows_cubed * m * m * m
                 : 0;
  }

  const Model& model_;
  std::vector<std::int32_t> parent_;
  std::vector<std::vector<std::int32_t>> bodies_;  // per constraint: those whose joints it ties
};

// Changes the treatment of one loop at a time, the best first, as long as the total gets cheaper.
double improve(const Costs& costs, const std::vector<bool>& may_be, std::vector<bool>& rows) {
  double cost = costs.of(rows);
  for (;;) {
    std::size_t best = rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!may_be[i]) continue;
      rows[i] = !rows[i];
      if (const double changed = costs.of(rows); changed < cost) cost = changed, best = i;
      rows[i] = !rows[i];
    }
    if (best == rows.size()) return cost;
    rows[best] = !rows[best];
  }
}

// ---- packs of states

constexpr SolveOptions defaults{};

bool default_solve(const SolveOptions& o) {
  const bool method = o.method == Method::automatic || o.method == Method::constrained_aba;
  return method && o.mu == 0 && o.tikhonov == 0 && o.accelerate && !o.warm_start && o.max_iterations == 0 &&
         o.absolute_tolerance >= defaults.absolute_tolerance &&
         o.relative_tolerance >= defaults.relative_tolerance;
}

// Functions of the user are called with the numbers of one state.
bool has_callbacks(const ModelData& m) {
  return std::any_of(m.loop_constraints, m.loop_constraints + m.loop_constraint_count,
                     [](const LoopConstraintData& l) { return l.kind == loop_callback; });
}

// Of matrices whose numbers kernels count with 32 bits.
constexpr int most_rows = 46340;

}  // namespace

// ---- constrained dynamics

CostTerms cost_terms(const ModelData& m, const ConstraintData& c) {
  CostTerms t{};
  const double rows = c.row_count;
  t[cost_call] = 1;
  t[cost_rows] = rows;
  t[cost_rows_squared] = rows * rows;
  t[cost_rows_cubed] = rows * rows * rows;
  const EarlyWork early = early_work(m, c);
  t[cost_row_passes] = early.passes;
  t[cost_segments] = early.segments;
  t[cost_surplus_rows] = early.surplus;
  for (int i = 0; i < m.node_count; ++i) ++t[index(kind_term(m, i))];
  std::vector<double> depth(index(m.nv), 1);
  for (int k = 0; k < m.nv; ++k) {
    double& d = depth[index(k)];
    if (m.v_parent[k] >= 0) d += depth[index(m.v_parent[k])];
    t[cost_paths] += d;
    t[cost_squared_paths] += d * d;
  }
  for (int s = 0; s < c.support_count; ++s) {
    const int node = c.support[s];
    const double below = rows_below(c, node);
    ++t[index(kind_term(m, node) + cost_hinge_supports - cost_hinges)];
    t[cost_row_bodies] += below;
    for (int k = m.nodes[node].v_index; k < m.nodes[node].v_index + dofs_of(m, node); ++k) {
      t[cost_row_pairs] += below * below;
      t[cost_row_paths] += below * depth[index(k)];
    }
  }
  return t;
}

Choice choose(const ModelData& m, const ConstraintData* c, double lanes_gain, double early_chance) {
  Choice choice;
  if (!c || c->row_count == 0) return choice;
  const CostTerms terms = cost_terms(m, *c);
  const bool inter_body = c->inter_body_count > 0;
  double least = std::numeric_limits<double>::infinity(), least_proximal = least;
  for (const CostConstants& method : cost_constants) {
    const MethodFacts& facts = *find_facts(method.method);
    if (inter_body && facts.inter_body_rows == InterBodyRows::never) continue;
    if (method.method == Method::pv_early && !early_work(m, *c).possible) continue;
    const double chance = method.method == Method::pv_early ? early_chance : 1;
    const bool on_lanes =
        method.method == Method::constrained_aba || (method.method == Method::pv_early && chance > 0);
    double alone = 0, shared = 0;
    for (std::size_t i = 0; i < cost_term_count; ++i) {
      const double of_term = method.nanoseconds[i] * terms[i];
      const bool of_bodies = i >= cost_hinges && i <= cost_float_supports,
                 of_rows = i == cost_rows && method.method == Method::pv_early;
      alone += of_term, shared += of_term / (of_bodies ? lanes_gain : of_rows ? early_limbs::rows_gain : 1);
    }
    const double again = 1 - chance;
    const double cost = on_lanes ? (chance + again * early_limbs::in_vain) * shared + again * alone : alone;
    if (cost < least) least = cost, choice.any = method.method;
    if (facts.iterates && cost < least_proximal) least_proximal = cost, choice.proximal = method.method;
  }
  // Closures are seldom redundant, and pv then needs no iterations.
  if (inter_body && choice.any == Method::prox_pv) choice.any = Method::pv;
  return choice;
}

Method method_for(const SolveOptions& options, const Choice& choice, const ModelData& m,
                  const ConstraintData* c) {
  const Method any = options.mu > 0 || !options.accelerate ? choice.proximal : choice.any;
  const Method method = options.tikhonov > 0 ? Method::pv : any;
  if (is_tree(m) || find_facts(method)->crosses_clusters) return method;
  return has_inter_body_rows(c) ? Method::pv : Method::constrained_aba;
}

// constrained_aba, linear in coordinates and in rows, where dense costs much more, else dense.
Method next_method(const ModelData& m, const ConstraintData& c, const std::int32_t* depth,
                   Method stalled_one) {
  double work = 0;
  for (int k = 0; k < m.nv; ++k) {
    const double squared = static_cast<double>(depth[k]) * depth[k];
    work += squared + static_cast<double>(c.row_count) * std::min(c.row_count, m.nv);
  }
  const bool sweeps = stalled_one != Method::constrained_aba && c.inter_body_count == 0;
  return sweeps && work > dense_products_of_a_sweep * m.nv ? Method::constrained_aba : Method::dense;
}

std::vector<Method> methods_in_advance(const Choice& choice, const ModelData& m, const ConstraintData& c,
                                       std::size_t entries) {
  if (c.row_count == 0) return {};
  std::vector<Method> methods = {choice.any, choice.proximal, Method::constrained_aba};
  if (entries <= most_entries_in_advance) methods.push_back(Method::dense);
  if (!is_tree(m) && has_inter_body_rows(&c)) methods.push_back(Method::pv);
  return methods;
}

bool split_saves(std::int32_t rows, const std::vector<PvBlock>& branches) {
  const auto cube = [](double count) { return count * count * count; };
  double saved = cube(rows);
  for (const PvBlock& b : branches) saved -= cube(b.row_count);
  return saved > least_products_saved_by_split;
}

bool ends_segment(std::int32_t coordinates, int bodies_left) {
  return coordinates >= most_coordinates_of_segment && bodies_left >= least_bodies_of_segment;
}

// ---- the Delassus matrix and its damped inverse

DelassusMethod delassus_method(const ConstraintData* c) {
  return c && c->inter_body_count > 0 ? DelassusMethod::ltl_osim : DelassusMethod::pv_osimr;
}

bool inversion_is_faster(int bodies, int rows, int inner_links, double lanes_gain) {
  using namespace delassus_cost;
  const double m = rows;
  return both + inner_link * inner_links + delassus_cost::body_inertia * bodies * (1 - 1 / lanes_gain) >
         body * bodies + (pair + inversion * m) * m * m;
}

// Where rows are redundant caba_osimf would turn to a method that factors anyway.
DampedInverseMethod damped_inverse_method(const ModelData& m, const ConstraintData* c,
                                          const CabaOsimTables& caba, double lanes_gain) {
  if (c && c->inter_body_count > 0) return DampedInverseMethod::ltl_cholesky;
  if (m.cluster_count > 0 || m.rotor_count > 0 || caba.more_rows_than_joints)
    return DampedInverseMethod::pv_osimr;
  int inner_links = 0;
  for (int l = 0; l < caba.link_count; ++l) inner_links += caba.links[l].inner;
  return inversion_is_faster(m.node_count, caba.row_count, inner_links, lanes_gain)
             ? DampedInverseMethod::pv_osimr
             : DampedInverseMethod::caba_osimf;
}

bool carries_rows(std::int32_t rows) {
  return rows <= most_rows_carried;
}

// Chooses whether the rows of a branch are propagated or its six coordinates: the cheaper, its subtree
// included.
void choose_what_is_propagated(const ModelData& m, std::vector<OsimrBranch>& branches) {
  struct Cost {
    double rows = 0, coordinates = 0;  // of the subtree of the next branch, for either choice
    double pairs = 0;                  // of rows whose blocks are already complete
    std::int32_t last_begin = 0;       // of the last of these; it pairs with no later rows
  };
  std::vector<Cost> costs(branches.size());
  for (std::size_t b = 0; b < branches.size(); ++b) {
    OsimrBranch& branch = branches[b];
    Cost& own = costs[b];
    const std::int32_t own_end = branch.row_begin + branch.own_count;
    const double rows = branch.row_end - branch.row_begin, own_rows = branch.own_count;
    const double pairs = rows * (rows + 1) / 2;
    const std::int32_t paired_end = own.last_begin > 0 ? own.last_begin : branch.row_end;
    own.rows += cost_of_path(
        m, branches, branch, propagation_cost::row_dof * rows + propagation_cost::pair_dof * pairs + rows,
        propagation_cost::root_row_dof * rows + propagation_cost::pair_dof * pairs + rows);
    const double path = cost_of_path(m, branches, branch, propagation_cost::coordinates_dof,
                                     propagation_cost::root_coordinates_dof);
    own.coordinates +=
        std::max(path - propagation_cost::unit_rows, 0.0) + propagation_cost::own_product * own_rows +
        propagation_cost::product * (paired_end - own_end) + propagation_cost::pair * (pairs - own.pairs);
    if (branch.up < 0) {
      branch.propagates_rows = own.rows < own.coordinates;
      continue;
    }
    const double rows_way =
        cost_of_path(m, branches, branch, propagation_cost::row_dof, propagation_cost::row_dof);
    own.coordinates += std::min(propagation_cost::sandwich, 6 * rows_way) +
                       std::min(propagation_cost::own_product, rows_way) * own_rows +
                       std::min(propagation_cost::product, rows_way) * (branch.row_end - own_end);
    // The next branch computes the pairs of its rows again, unless their blocks are complete.
    branch.propagates_rows = own.rows + propagation_cost::pair * pairs < own.coordinates;
    Cost& above = costs[index(branch.up)];
    above.rows += own.rows;
    above.coordinates += branch.propagates_rows ? own.rows : own.coordinates;
    if (branch.propagates_rows) continue;
    above.pairs += pairs;
    if (branch.row_end == branches[index(branch.up)].row_end) above.last_begin = branch.row_begin;
  }
  // If a branch propagates its rows, all branches in its subtree do; set from the root outward.
  for (std::size_t b = branches.size(); b-- > 0;)
    if (branches[b].up >= 0 && branches[index(branches[b].up)].propagates_rows)
      branches[b].propagates_rows = 1;
}

double multiply_adds_of_chains(const std::vector<DofChain>& chains) {
  double sum = 0;
  for (const DofChain& c : chains) {
    const int n = c.end - c.first;
    sum += c.is_root ? n * n : 12 * n + n * (n - 1) / 2;
  }
  return sum;
}

bool responses_pay(const ResponseCosts& costs, int coordinates, int rows) {
  const double n = coordinates, filled = costs.entries / std::max(n * n, 1.0);
  return costs.entries + n * rows * filled < response_gain * (1 + filled) * (costs.sweep + n * rows);
}

bool paths_pay(int parts, int coordinates) {
  return coordinates >= least_coordinates_of_a_part * parts;
}

// ---- loops of a description

std::vector<bool> cheaper_as_rows(const Model& embedded, const std::vector<bool>& may_be,
                                  const std::vector<bool>& are) {
  if (std::find(may_be.begin(), may_be.end(), true) == may_be.end()) return are;
  const Costs costs(embedded);
  // Starts from both ends: where two loops tie the same cluster, turning one alone into rows may not help.
  std::vector<bool> few = are, many = are;
  for (std::size_t i = 0; i < may_be.size(); ++i) many[i] = many[i] || may_be[i];
  return improve(costs, may_be, few) <= improve(costs, may_be, many) ? few : many;
}

// ---- packs of states

bool packs_take(const BatchCall& call, const ModelData& swept, const ConstraintData* c, bool doubles) {
  const bool loops = swept.cluster_count > 0 || swept.rotor_count > 0;
  const bool moves = !loops || (doubles && !has_callbacks(swept));
  const bool free = !c || c->row_count == 0, rows = !free && c->inter_body_count == 0;
  const bool matrix = moves && rows && c->row_count <= most_rows;
  const bool solves = rows && !(c->least_leverage < least_leverage) && default_solve(call.solve);
  const bool derived = rows && moves && packs_take_rows_of(swept, *c) && !call.derivatives.by_loads();
  switch (call.function) {
    case BatchFunction::forward_dynamics:
      return moves;
    case BatchFunction::constrained_dynamics:
    case BatchFunction::rollout:
      return moves && (free || solves);
    case BatchFunction::delassus:
      return matrix && call.delassus_method == DelassusMethod::automatic;
    case BatchFunction::damped_product:
      return matrix && doubles && call.damped_method == DampedInverseMethod::automatic &&
             call.damping.mu >= 0 && !call.damping.mu_of_row;
    case BatchFunction::inverse_derivatives:
    case BatchFunction::forward_derivatives:
      // A regressor has ten numbers a link and coordinate, which a single call writes where they stay.
      return moves && !call.derivatives.by_loads() && call.derivatives.form != DerivativeForm::regressor;
    case BatchFunction::step_derivatives:
      return free ? moves : derived;
    case BatchFunction::rollout_derivatives:
      if (loops && call.derivatives.by_some_parameter()) return false;
      return free ? moves && !call.derivatives.by_loads() : derived && solves;
    case BatchFunction::constrained_derivatives:
      return derived;
    case BatchFunction::impact_derivatives:
      return derived && !(loops && call.of_matrices());
    case BatchFunction::impact:
      return moves && solves;
    case BatchFunction::anchor_here:
    case BatchFunction::inverse_hessian:
    case BatchFunction::forward_hessian:
    case BatchFunction::constrained_hessian:
      return false;
    default:
      return true;
  }
}

bool packs_take_independent(const BatchCall& call, const ModelData& m) {
  if (has_callbacks(m)) return false;
  if (call.function == BatchFunction::kinematics) return !call.out[2].data;
  const BatchFunction those[] = {
      BatchFunction::forward_dynamics, BatchFunction::inverse_dynamics, BatchFunction::constrained_dynamics,
      BatchFunction::impact,           BatchFunction::rollout,          BatchFunction::centroidal};
  if (std::find(std::begin(those), std::end(those), call.function) != std::end(those)) return true;
  return call.differentiates() && !call.differentiates_twice() &&
         call.derivatives.form != DerivativeForm::parameter_vjp && !call.derivatives.by_some_parameter();
}

// More rows than coordinates depend on each other, which packs leave to single calls.
bool packs_take_rows_of(const ModelData& m, const ConstraintData& c) {
  return c.inter_body_count == 0 && c.row_count > 0 && c.row_count <= std::min(m.ny, most_rows) &&
         !has_callbacks(m);
}

bool packs_may_try_early(const ModelData& swept, const ConstraintData& c) {
  return c.inter_body_count == 0 && !has_callbacks(swept) && early_work(swept, c).on_packs();
}

bool early_pays_on_packs(double answered, double evaluations, bool doubles) {
  return doubles ? answered == 1 && evaluations > early_packs::least_evaluations
                 : answered >= early_packs::least_answered_in_floats &&
                       answered * evaluations >= early_packs::least_evaluations_in_floats;
}
bool early_pays_in_rollouts(double answered) {
  return answered == 1;
}

}  // namespace tenon
