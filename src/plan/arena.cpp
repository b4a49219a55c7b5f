// The sizes of the fields of workspaces.
#include "plan/arena.hpp"

#include <string_view>

namespace tenon {

namespace {

std::size_t padded(std::size_t n) {
  return index(whole_packs(static_cast<int>(n)));
}

std::size_t eights(std::size_t n) {
  return index(whole_eights(static_cast<int>(n)));
}

ArenaPart part_of(std::string_view name, ArenaPart usual) {
  struct Exception {
    std::string_view name;
    ArenaPart part;
  };
  static constexpr Exception exceptions[] = {
      {"IB", of_row_sweeps},          {"pS", of_row_sweeps},
      {"delta_pA", of_row_sweeps},    {"delta_a", of_row_sweeps},
      {"delta_u", of_row_sweeps},     {"joint_residual", of_row_sweeps},
      {"joint_terms", of_row_sweeps}, {"dual_factor", of_prox_ltl},
      {"dual_inv_d", of_prox_ltl},    {"dual_scaled", of_prox_ltl},
      {"JT", of_prox_ltls},           {"Aw", of_prox_ltls},
      {"qdd_change", of_prox_ltls},   {"row_acceleration", of_prox_ltls},
      {"row_change", of_prox_ltls},   {"hard_share", of_prox_ltls},
      {"soft_share", of_prox_ltls},   {"L", of_kept_mass_matrix},
      {"M", of_kept_mass_matrix}};
  for (const Exception& exception : exceptions)
    if (exception.name == name) return exception.part;
  return usual;
}

}  // namespace

std::vector<FieldSize> field_sizes(const ModelData& m, const ConstraintData* c, std::size_t path_entries,
                                   ArenaPart part) {
  const std::size_t nodes = index(m.node_count), nv = index(m.nv), rows = c ? index(c->row_count) : 0;
  const bool loops = m.cluster_count > 0 || m.rotor_count > 0;
  struct Item {
    std::size_t count;
    ArenaPart part = of_sweeps;
    bool has_world = false;
  };
  const Item node = {nodes + 1, of_sweeps, true}, node_packs = {eights(nodes) + 1, of_sweeps, true},
             node_lanes = {eights(nodes)}, angle = {whole_lines_of_angles(nodes)}, dof = {nv},
             dof_columns = {padded(nv)}, dof_lanes = {eights(nv + 7)}, row = {rows},
             row_columns = {padded(rows)}, path_rows = {path_entries, of_joint_space},
             dof_row = {nv * padded(rows), of_joint_space},
             row_pair = {padded(rows) * padded(rows), of_joint_space},
             inter_body_row = {c ? index(c->inter_body_row_count) : 0},
             loop_node = {loops ? nodes + 1 : 0, of_sweeps, loops}, loop_dof = {loops ? nv : 0},
             loop_row = {index(m.loop_row_count)}, loop_block = {index(m.loop_K_size)},
             G_block = {index(m.G_size)}, loop_work = {index(m.loop_scratch_size)},
             rotor = {whole_lines_of_angles(index(m.rotor_count))};
  struct Named {
    std::string_view name;
    std::size_t size;
    const Item& item;
  };
#define TENON_FIELD(name, size, item) {#name, size, item},
  const Named named[] = {TENON_WORKSPACE_FIELDS(TENON_FIELD)};
#undef TENON_FIELD
  std::vector<FieldSize> fields;
  for (const Named& x : named)
    if (part == part_of(x.name, x.item.part))
      fields.push_back(
          {static_cast<std::size_t>(&x - named), x.size * x.item.count, x.item.has_world ? x.size : 0});
  return fields;
}

}  // namespace tenon
