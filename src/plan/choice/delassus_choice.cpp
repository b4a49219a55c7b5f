// What automatic takes for the Delassus matrix and its damped inverse.
#include <algorithm>

#include "plan/choice/choice_constants.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"

namespace tenon {

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

namespace {

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

}  // namespace

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

}  // namespace tenon
