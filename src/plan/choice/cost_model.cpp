#include "plan/choice/cost_model.hpp"

#include <vector>

#include "plan/memory/pv_early_memory.hpp"
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

}  // namespace tenon
