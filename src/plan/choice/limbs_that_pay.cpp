// Limbs side by side: the part of what_automatic_takes.hpp that says whether they pay.
#include <algorithm>
#include <vector>

#include "plan/choice/choice_constants.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/units.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

double cost_of_body(const ModelData& m, std::int32_t body) {
  if (m.cluster_count > 0 && m.node_cluster[body] >= 0) return limb_cost::in_cluster;
  return dofs_of(m, body) == 1 ? 1 : limb_cost::several_dofs;
}

// Relative to the inertia of a body alone. copied: for each body.
double saved_by_inertias(const std::vector<LimbBundle>& bundles, double copied) {
  double saved = 0;
  for (const LimbBundle& b : bundles)
    saved += static_cast<double>(b.bodies.size()) *
             ((1 - copied) * static_cast<double>(b.limbs) - limb_osimr_cost::bundle_body);
  return saved;
}

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

bool limbs_pay_in_matrices(const std::vector<LimbBundle>& bundles) {
  std::size_t limbs = 0, longest = 0;
  for (const LimbBundle& b : bundles) limbs += b.limbs, longest = std::max(longest, b.bodies.size());
  const double least = limb_cost::least_limbs_of_matrices * static_cast<double>(bundles.size());
  return static_cast<double>(limbs) > least && longest <= limb_cost::most_bodies_of_matrices;
}

bool limbs_pay_in_products(double gain) {
  return gain > limb_cost::least_gain_of_products;
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

}  // namespace tenon
