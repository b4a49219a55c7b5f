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
      {&data.N, 3 * dofs},      {&data.moment, 8 * nodes}, {&data.columns, 8 * packs},
      {&data.below, 8 * nv},    {&data.path, 8 * nv},      {&inverse_mass.body, 24 * nodes},
      {&inverse_mass.u, 4 * nv}};
  for (double** field : {&data.moved, &data.dv_body, &data.da_body, &data.force})
    fields.push_back({field, 8 * (nodes + 1), 8});
  for (double*& x : matrix) fields.push_back({&x, packs * columns});
  for (double*& x : numbers) fields.push_back({&x, packs});
  cut(fields);
}

RowDerivativeMemory::RowDerivativeMemory(const ModelData& m, const ConstraintData* c)
    : stride(c ? whole_packs(c->row_count) : 0) {
  if (!c) return;
  const std::size_t rows = index(stride), nodes = index(whole_packs(m.node_count)), nv = index(m.nv),
                    sides = 12 * index(c->inter_body_row_count), columns = (nv + 7) / 8 * 8,
                    row_columns = (rows + 7) / 8 * 8, packs = index(whole_packs(m.nv));
  std::vector<Field<double>> fields = {{&data.N, 6 * rows},
                                       {&data.P, 6 * rows},
                                       {&data.side_N, sides},
                                       {&data.side_P, sides},
                                       {&data.turning, 8 * nodes},
                                       {&data.b, 8 * rows},
                                       {&data.z, 8 * rows},
                                       {&data.x, 8 * rows},
                                       {&data.y, 8 * (nv + rows)},
                                       {&data.theta, 8 * (nodes + 1), 8},
                                       {&by_desired, packs * row_columns}};
  for (double*& x : of_lambda) fields.push_back({&x, rows * columns});
  fields.push_back({&lambda_by_desired, rows * row_columns});
  for (double*& x : numbers) fields.push_back({&x, rows});
  cut(fields);
}

}  // namespace tenon
