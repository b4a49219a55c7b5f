// The memory of derivatives.
#include "plan/memory/kernel_memory.hpp"

namespace tenon {

DerivativeMemory::DerivativeMemory(const ModelData& m, const SweepTables& sweep) : ld(whole_packs(m.nv)) {
  std::vector<std::int32_t> panel_of(index(m.nv)), subtree_end(index(m.nv));
  for (int p = 0; p < sweep.panel_count; ++p)
    for (int k = sweep.panels[p].first; k < sweep.panels[p].end; ++k) panel_of[index(k)] = p;
  for (int r = 0; r < sweep.run_count; ++r)
    for (int k = sweep.runs[r].first; k < sweep.runs[r].end; ++k)
      subtree_end[index(k)] = sweep.runs[r].subtree_end;
  data.panel_of = keep(std::move(panel_of));
  data.subtree_end = keep(std::move(subtree_end));
  const std::size_t nodes = index(whole_packs(m.node_count)), nv = index(m.nv), packs = index(ld),
                    dofs = index(whole_packs(m.nv + 3)), columns = (nv + 7) / 8 * 8;
  std::vector<Field<double>> fields = {
      {&data.B, 12 * nodes},    {&data.psi_dot, 6 * dofs}, {&data.psi_ddot, 6 * dofs},
      {&data.S_rate, 6 * dofs}, {&data.F_q, 6 * dofs},     {&data.F_v, 6 * dofs},
      {&data.N, 3 * dofs},      {&data.moment, 4 * nodes}, {&data.columns, 8 * packs},
      {&data.below, 8 * nv},    {&data.path, 8 * nv},      {&inverse_mass.body, 24 * nodes},
      {&inverse_mass.u, 4 * nv}};
  for (double** field : {&data.moved, &data.dv_body, &data.da_body, &data.force})
    fields.push_back({field, 8 * (nodes + 1), 8});
  for (double*& x : matrix) fields.push_back({&x, packs * columns});
  for (double*& x : numbers) fields.push_back({&x, packs});
  cut(fields);
}

}  // namespace tenon
