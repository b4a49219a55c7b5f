// What automatic takes for constrained dynamics.
#include <algorithm>
#include <limits>
#include <vector>

#include "plan/choice/choice_constants.hpp"
#include "plan/choice/cost_model.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"

namespace tenon {

namespace {

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

}  // namespace

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

Method projection_method(const ModelData& m) {
  return m.cluster_count > 0 ? Method::prox_pv : Method::prox_ltl;
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

}  // namespace tenon
