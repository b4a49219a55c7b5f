// Whether limbs go side by side, and what packs of states compute.
#include <algorithm>

#include "data/rank.hpp"
#include "plan/choice/choice_constants.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/pv_early_memory.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

double cost_of_body(const ModelData& m, std::int32_t body) {
  if (m.cluster_count > 0 && m.node_cluster[body] >= 0) return limb_cost::in_cluster;
  return dofs_of(m, body) == 1 ? 1 : limb_cost::several_dofs;
}

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

// Relative to the inertia of a body alone. copied: for each body.
double saved_by_inertias(const std::vector<LimbBundle>& bundles, double copied) {
  double saved = 0;
  for (const LimbBundle& b : bundles)
    saved += static_cast<double>(b.bodies.size()) *
             ((1 - copied) * static_cast<double>(b.limbs) - limb_osimr_cost::bundle_body);
  return saved;
}

// Of matrices whose numbers kernels count with 32 bits.
constexpr int most_rows = 46340;

}  // namespace

double gain_of_limbs(const ModelData& m, const std::vector<std::int32_t>& trunk,
                     const std::vector<LimbBundle>& bundles) {
  using namespace limb_cost;
  double alone = 0, shared = 0;
  for (std::int32_t i = 0; i < m.node_count; ++i) alone += cost_of_body(m, i);
  for (const std::int32_t i : trunk) shared += cost_of_body(m, i);
  alone += rotor * m.rotor_count, shared += rotor * m.rotor_count;
  for (const LimbBundle& b : bundles) {
    shared += bundle_ends;
    for (const std::int32_t body : b.bodies) shared += bundle_body * cost_of_body(m, body);
    for (std::size_t l = 1; l < b.limbs; ++l) shared -= rotor * static_cast<double>(b.rotors);
  }
  return alone / shared;
}

double mass_gain_of_limbs(const ModelData& m, const std::vector<LimbBundle>& bundles) {
  using namespace limb_mass_cost;
  double shared = call;
  for (const LimbBundle& b : bundles)
    shared += bundle_ends + bundle_body * static_cast<double>(b.bodies.size());
  return static_cast<double>(m.node_count) / shared;
}

bool limbs_pay(double gain) {
  return gain > limb_cost::least_gain;
}

bool copied_inertias_pay(const std::vector<LimbBundle>& bundles) {
  return saved_by_inertias(bundles, limb_osimr_cost::copy) > 0;
}

bool limbs_pay_in_osimr(const std::vector<LimbBundle>& bundles) {
  using namespace limb_osimr_cost;
  double saved = saved_by_inertias(bundles, 0);
  for (const LimbBundle& b : bundles) {
    if (b.rows == 0) continue;
    const double packs = whole_packs(b.rows) / 4, bodies = b.bodies_with_rows;
    saved += b.limbs_with_rows * (body_rows + body_pack * packs * bodies) -
             (bundle_rows + bundle_row * b.rows * bodies);
  }
  return saved > std::max(0.0, saved_by_inertias(bundles, copy));
}

bool limbs_try_early(double chance) {
  return chance > early_limbs::least_chance;
}

bool packs_take(const BatchCall& call, const ModelData& swept, const ConstraintData* c, bool doubles) {
  const bool loops = swept.cluster_count > 0 || swept.rotor_count > 0;
  const bool moves = !loops || (doubles && !has_callbacks(swept));
  const bool rows = c && c->row_count > 0 && c->inter_body_count == 0;
  const bool matrix = moves && rows && c->row_count <= most_rows;
  switch (call.function) {
    case BatchFunction::forward_dynamics:
      return moves;
    case BatchFunction::constrained_dynamics:
    case BatchFunction::rollout:
      return moves && (!c || c->row_count == 0 ||
                       (rows && !(c->least_leverage < least_leverage) && default_solve(call.solve)));
    case BatchFunction::delassus:
      return matrix && call.delassus_method == DelassusMethod::automatic;
    case BatchFunction::damped_product:
      return matrix && doubles && call.damped_method == DampedInverseMethod::automatic &&
             call.damping.mu >= 0 && !call.damping.mu_of_row;
    case BatchFunction::anchor_here:
      return false;
    default:
      return true;
  }
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
