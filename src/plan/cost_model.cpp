#include "plan/cost_model.hpp"

#include <limits>
#include <vector>

#include "plan/cost_constants.hpp"
#include "plan/memory/pv_early_memory.hpp"
#include "plan/method_facts.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

constexpr const char* term_names[cost_term_count] = {
    "call",           "hinges",         "obliques",         "balls",
    "floats",         "hinge_supports", "oblique_supports", "ball_supports",
    "float_supports", "rows",           "row_bodies",       "row_passes",
    "segments",       "surplus_rows",   "row_pairs",        "row_paths",
    "paths",          "squared_paths",  "rows_squared",     "rows_cubed"};

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

}  // namespace

const char* name_of(CostTerm term) {
  return term_names[term];
}

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
  // By which limbs side by side make the rows of pv_early faster, and the share of its sweeps that is done when limbs turn
  // out to need pivoting; of binary trees, solo12 and atlas with hands by fit_costs --check.
  constexpr double rows_gain = 1.3, in_vain = 0.6;
  for (const CostConstants& method : cost_constants) {
    const MethodFacts& facts = *find_facts(method.method);
    if (inter_body && !facts.takes_inter_body_rows) continue;
    if (method.method == Method::pv_early && !early_work(m, *c).possible) continue;
    const double chance = method.method == Method::pv_early ? early_chance : 1;
    const bool on_lanes =
        method.method == Method::constrained_aba || (method.method == Method::pv_early && chance > 0);
    double alone = 0, shared = 0;
    for (std::size_t i = 0; i < cost_term_count; ++i) {
      const double of_term = method.nanoseconds[i] * terms[i];
      const bool of_bodies = i >= cost_hinges && i <= cost_float_supports,
                 of_rows = i == cost_rows && method.method == Method::pv_early;
      alone += of_term, shared += of_term / (of_bodies ? lanes_gain : of_rows ? rows_gain : 1);
    }
    const double again = 1 - chance;
    const double cost = on_lanes ? (chance + again * in_vain) * shared + again * alone : alone;
    if (cost < least) least = cost, choice.any = method.method;
    if (facts.iterates && cost < least_proximal) least_proximal = cost, choice.proximal = method.method;
  }
  // Closures are seldom redundant, and pv then needs no iterations.
  if (inter_body && choice.any == Method::prox_pv) choice.any = Method::pv;
  return choice;
}

bool factor_is_faster(int bodies, int rows, int links, int inner_links, double lanes_gain) {
  // One segment: caba_osimf propagates the same rows and has less to do with them.
  if (links < 2) return false;
  // Nanoseconds of the matrix that is formed, by which the robots of bench/dynamics differ between the methods (AMD
  // EPYC, g++ 12).
  constexpr double both = -150, outer_link = 100, inner_link = 190, body_inertia = 26;
  constexpr double pair = 0.35, factor = 0.035;
  const double m = rows, outer_links = links - inner_links;
  return both + outer_link * outer_links + inner_link * inner_links +
             body_inertia * bodies * (1 - 1 / lanes_gain) >
         (pair + factor * m) * m * m;
}

}  // namespace tenon
