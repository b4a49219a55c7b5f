// The memory of derivatives.
#include <algorithm>

#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/memory/loop_derivative_memory.hpp"

namespace tenon {

namespace {

// What four columns that begin at any coordinate may reach behind whole eights (kernels/derivatives/block_product.hpp), and
// a run of rows in a basis (kernels/derivatives/row_basis.hpp).
constexpr std::size_t columns_behind = 3, basis_behind = 8;
// What a block of columns costs beside its products, in rows of them.
constexpr int block_cost = 4;

// The leading dimension of matrices with a column or a row for each coordinate: whole eights, and an odd number of them, so
// that what is read down a line of the other kind spreads over the whole cache.
constexpr int matrix_ld(int coordinates) {
  const int eights = whole_eights(coordinates) / 8;
  return 8 * (eights % 2 == 0 ? eights + 1 : eights);
}

// Arrays of products with derivatives, for any number.
template <class T>
std::vector<Field<T>> fields_of_products(const ModelData& m, DerivativeData<T>& data) {
  const std::size_t nodes = index(whole_eights(m.node_count));
  std::vector<Field<T>> fields = {{&data.moment, 8 * nodes}};
  for (T** field : {&data.moved, &data.dv_body, &data.da_body, &data.force})
    fields.push_back({field, 8 * (nodes + 1), 8});
  return fields;
}
template <class T>
std::vector<Field<T>> fields_of_row_products(const ModelData& m, const ConstraintData& c,
                                             RowDerivativeData<T>& data) {
  const std::size_t rows = index(whole_packs(c.row_count)), nodes = index(whole_eights(m.node_count)),
                    sides = 12 * index(c.inter_body_row_count);
  return {{&data.N, 6 * rows},   {&data.P, 6 * rows},        {&data.side_N, sides},
          {&data.side_P, sides}, {&data.turning, 8 * nodes}, {&data.theta, 8 * (nodes + 1), 8}};
}

// A geometric loop as a closure of its predecessor and its successor.
ConstraintItem closure_of(const LoopConstraintData& loop) {
  ConstraintItem item{};
  item.closure = item.embedded = 1, item.custom = -1, item.rows = loop.rows;
  item.row_begin = loop.row_begin, item.row_count = loop.row_count;
  item.first = loop.predecessor, item.second = loop.successor, item.meet = loop.ancestor;
  item.node = std::max(loop.predecessor, loop.successor);
  item.side_row = -1;
  std::copy_n(loop.predecessor_R, 9, item.R), std::copy_n(loop.predecessor_p, 3, item.p);
  std::copy_n(loop.successor_R, 9, item.R2), std::copy_n(loop.successor_p, 3, item.p2);
  return item;
}

// All of them. keep: of the memory.
template <class Keep>
ConstraintData closures_of(const ModelData& m, const Keep& keep) {
  ConstraintData rows{};
  std::vector<ConstraintItem> items;
  for (int l = 0; l < m.loop_constraint_count; ++l) {
    if (m.loop_constraints[l].kind != loop_geometric) continue;
    ConstraintItem item = closure_of(m.loop_constraints[l]);
    if (item.first >= 0 && item.second >= 0)
      item.side_row = rows.inter_body_row_count, rows.inter_body_row_count += item.row_count;
    items.push_back(item);
  }
  rows.row_count = m.loop_row_count;
  rows.gains = keep(std::vector<double>(2 * items.size(), 0.0));
  rows.active = keep(std::vector<double>(index(whole_packs(m.loop_row_count)), 1.0));
  rows.item_count = count_of(items);
  rows.items = keep(std::move(items));
  return rows;
}
// After closures_of.
template <class T>
std::vector<Field<T>> fields_of_loop_products(const ModelData& m, LoopDerivativeData<T>& data) {
  const std::size_t rows = index(whole_packs(m.loop_row_count)), nodes = index(whole_eights(m.node_count)),
                    packs = index(matrix_ld(m.nv)), sides = 12 * index(data.rows.inter_body_row_count);
  std::vector<Field<T>> fields = {
      {&data.of_accelerations.bent, 9 * rows}, {&data.turning, 8 * nodes}, {&data.theta, 8 * (nodes + 1), 8}};
  for (T** block : {&data.Q, &data.R}) fields.push_back({block, index(m.loop_K_size)});
  for (T** of_rows : {&data.mu, &data.b, &data.ds}) fields.push_back({of_rows, rows});
  for (T** numbers : {&data.rest, &data.column}) fields.push_back({numbers, packs});
  for (RowDerivativeData<T>* d : {&data.of_velocities, &data.of_accelerations})
    for (T** at : {&d->N, &d->P, &d->side_N, &d->side_P})
      fields.push_back({at, at == &d->N || at == &d->P ? 6 * rows : sides});
  return fields;
}

template <class T>
void append(std::vector<Field<T>>& to, const std::vector<Field<T>>& fields) {
  to.insert(to.end(), fields.begin(), fields.end());
}

// The chains of a tree, from its runs.
std::vector<DofChain> chains_of(const ModelData& m, const SweepTables& sweep,
                                std::vector<std::int32_t>& chain_of) {
  std::vector<DofChain> chains;
  const int root = m.node_count > 0 && m.nodes[0].kind == joint_floating ? 6 : 0;
  for (int r = 0; r < sweep.run_count; ++r) {
    const DofRun& run = sweep.runs[r];
    for (int first = run.first, end; first < run.end; first = end) {
      const bool is_root = first < root;
      end = is_root ? root : std::min(first + most_in_chain, static_cast<int>(run.end));
      const int last = m.v_parent[first], above = last >= 0 ? chain_of[index(last)] : -1;
      if (above >= 0) chains[index(above)].carries = true;
      for (int k = first; k < end; ++k) chain_of[index(k)] = count_of(chains);
      chains.push_back({first, end, above, false, is_root});
    }
  }
  return chains;
}

// Whether the bodies of each subtree are numbered one after the other. Those of a cluster are, and so may separate others.
bool adjoin_in_subtrees(const ModelData& m) {
  for (int i = 1; i < m.node_count; ++i) {
    int above = i - 1;
    while (above >= 0 && above != m.nodes[i].parent) above = m.nodes[above].parent;
    if (above != m.nodes[i].parent) return false;
  }
  return true;
}

// Ascending ranges of the coordinates that are marked.
std::vector<CoordinateRange> ranges_of(const std::vector<char>& marked) {
  std::vector<CoordinateRange> ranges;
  for (std::int32_t k = 0; k < count_of(marked); ++k) {
    if (marked[index(k)] == 0) continue;
    if (ranges.empty() || ranges.back().end != k) ranges.push_back({k, k});
    ranges.back().end = k + 1;
  }
  return ranges;
}

// Blocks whose products cost least: each has the rows of all its columns.
std::vector<ColumnBlock> blocks_of(const ModelData& m, const std::vector<std::int32_t>& subtree_end,
                                   std::vector<CoordinateRange>& rows) {
  constexpr int most = 4;
  std::vector<int> least(index(m.nv) + 1, 0), taken(index(m.nv) + 1, 0);  // of the coordinates from there on
  const auto rows_of = [&](int first, int count) {
    std::vector<char> marked(index(m.nv), 0);
    for (int k = first; k < first + count; ++k) {
      std::fill(marked.begin() + k, marked.begin() + subtree_end[index(k)], 1);
      for (int i = m.v_parent[k]; i >= 0; i = m.v_parent[i]) marked[index(i)] = 1;
    }
    return marked;
  };
  for (int first = m.nv - 1; first >= 0; --first) {
    for (int count = 1; count <= most && first + count <= m.nv; ++count) {
      const std::vector<char> marked = rows_of(first, count);
      const int cost = least[index(first + count)] +
                       static_cast<int>(std::count(marked.begin(), marked.end(), 1)) + block_cost;
      if (count > 1 && cost > least[index(first)]) continue;
      least[index(first)] = cost, taken[index(first)] = count;
    }
  }
  std::vector<ColumnBlock> blocks;
  for (int first = 0; first < m.nv; first += taken[index(first)]) {
    const std::vector<CoordinateRange> of_block = ranges_of(rows_of(first, taken[index(first)]));
    blocks.push_back({first, taken[index(first)], count_of(rows), count_of(of_block)});
    rows.insert(rows.end(), of_block.begin(), of_block.end());
  }
  return blocks;
}

// Links that joints move: first one for each body and axes, then those with the axes of the first of these, of the second, ...
struct LinksByAxes {
  explicit LinksByAxes(const std::vector<LinkPlace>& links) {
    std::vector<std::vector<std::int32_t>> shifted;
    for (std::size_t l = 0; l < links.size(); ++l) {
      if (links[l].body < 0) continue;
      const auto has_axes_of_l = [&](std::int32_t other) {
        const LinkPlace& place = links[index(other)];
        return place.body == links[l].body && std::equal(place.R, place.R + 9, links[l].R);
      };
      const auto at = std::find_if(order.begin(), order.end(), has_axes_of_l);
      if (at == order.end())
        order.push_back(static_cast<std::int32_t>(l)), shifted.emplace_back();
      else
        shifted[index(at - order.begin())].push_back(static_cast<std::int32_t>(l));
    }
    for (const std::vector<std::int32_t>& some : shifted) {
      begin.push_back(static_cast<std::int32_t>(order.size()));
      order.insert(order.end(), some.begin(), some.end());
    }
    begin.push_back(static_cast<std::int32_t>(order.size()));
  }

  std::vector<std::int32_t> order, begin;  // begin: ParameterData::shifted_begin
};

}  // namespace

DerivativeMemory::DerivativeMemory(const ModelData& m, const SweepTables& sweep) : ld(matrix_ld(m.nv)) {
  std::vector<std::int32_t> panel_of(index(m.nv)), subtree_end(index(m.nv));
  for (int p = 0; p < sweep.panel_count; ++p)
    for (int k = sweep.panels[p].first; k < sweep.panels[p].end; ++k) panel_of[index(k)] = p;
  for (int r = 0; r < sweep.run_count; ++r)
    for (int k = sweep.runs[r].first; k < sweep.runs[r].end; ++k)
      subtree_end[index(k)] = sweep.runs[r].subtree_end;
  std::vector<CoordinateRange> related;
  std::vector<std::int32_t> related_begin = {0};
  for (int r = 0; r < sweep.run_count; ++r) {
    const DofRun& run = sweep.runs[r];
    std::vector<CoordinateRange> up = {{run.first, run.subtree_end}};  // from there to the root
    for (int k = m.v_parent[run.first]; k >= 0; k = m.v_parent[k]) {
      if (up.back().first != k + 1) up.push_back({k, k + 1});
      up.back().first = k;
    }
    for (const CoordinateRange& x : up) costs.entries += 1.0 * (run.end - run.first) * (x.end - x.first);
    related.insert(related.end(), up.rbegin(), up.rend());
    related_begin.push_back(count_of(related));
  }
  std::vector<std::int32_t> chain_of(index(m.nv));
  std::vector<DofChain> chains = chains_of(m, sweep, chain_of);
  const std::size_t of_chains = 96 * chains.size();
  data.chain_count = count_of(chains);
  data.subtrees_adjoin = adjoin_in_subtrees(m);
  costs.sweep = multiply_adds_of_chains(chains);
  data.by_inverse = responses_pay(costs, m.nv, 0);
  int parts = 0;  // of runs, as many as go at once
  for (int r = 0; r < sweep.run_count; ++r) parts += (sweep.runs[r].end - sweep.runs[r].first + 7) / 8;
  data.inverse_by_paths = data.subtrees_adjoin && paths_pay(parts, m.nv);
  std::vector<CoordinateRange> block_rows;
  std::vector<ColumnBlock> blocks = blocks_of(m, subtree_end, block_rows);
  data.block_count = count_of(blocks);
  data.blocks = keep(std::move(blocks));
  data.block_rows = keep(std::move(block_rows));
  data.chains = keep(std::move(chains));
  data.chain_of = keep(std::move(chain_of));
  data.related = keep(std::move(related));
  data.related_begin = keep(std::move(related_begin));
  data.panel_of = keep(std::move(panel_of));
  data.subtree_end = keep(std::move(subtree_end));
  const std::size_t nodes = index(whole_eights(m.node_count)), nv = index(m.nv), packs = index(ld),
                    dofs = index(dof_stride(m)), columns = index(whole_eights(m.nv));
  std::vector<Field<double>> fields = {{&data.B, 12 * nodes},
                                       {&data.psi_dot, 6 * dofs},
                                       {&data.psi_ddot, 6 * dofs},
                                       {&data.S_rate, 6 * dofs},
                                       {&data.F_q, 6 * dofs},
                                       {&data.F_v, 6 * dofs},
                                       {&data.N, 3 * dofs},
                                       {&data.columns, 16 * packs},
                                       {&data.axis, 8 * dofs},
                                       {&data.articulated, 48 * nodes},
                                       {&data.pull, 8 * nv},
                                       {&data.chain_L, 8 * nv},
                                       {&data.chain_inv_d, nv},
                                       {&data.chain_root_d, nv},
                                       {&data.root_inverse, 48},
                                       {&data.root_half, 48},
                                       {&data.chain_force, of_chains},
                                       {&data.chain_motion, of_chains},
                                       {&data.below, 16 * nv},
                                       {&data.path, 16 * nv},
                                       {&inverse_mass.body, 24 * nodes},
                                       {&inverse_mass.u, 4 * nv}};
  append(fields, fields_of_products(m, data));
  for (double*& x : matrix) fields.push_back({&x, packs * (columns + columns_behind)});
  for (double*& x : numbers) fields.push_back({&x, packs});
  cut(fields);
}

StepDerivativeMemory::StepDerivativeMemory(const ModelData& m) {
  const std::size_t nq = index(m.nq), nv = index(m.nv), stages = index(most_stages);
  std::vector<Field<double>> fields = {{&q, stages * nq}, {&v, stages * nv}, {&u, stages * nv}, {&end_q, nq}};
  for (double*& x : numbers) fields.push_back({&x, nv});
  cut(fields);
}

KinematicsDerivativeMemory::KinematicsDerivativeMemory(const ModelData& m) {
  const std::size_t nodes = index(m.node_count), nv = index(m.nv),
                    of_map = m.varying_clusters > 0 ? nv * index(m.ny) : 0;
  std::vector<Field<double>> fields = {{&data.inertia, 10 * nodes},
                                       {&data.momentum, 6 * nodes},
                                       {&data.force, 6 * nodes},
                                       {&data.B, 12 * nodes}};
  for (double** x : {&data.products.poses, &data.products.velocities, &data.products.accelerations})
    fields.push_back({x, 6 * (nodes + 1), 6});
  for (double*& x : matrix) fields.push_back({&x, 6 * nv});
  for (double*& x : result) fields.push_back({&x, m.cluster_count > 0 ? 6 * nv : 0});
  for (double** x : {&velocity_q, &acceleration_q, &acceleration_v}) fields.push_back({x, of_map});
  cut(fields);
}

RowDerivativeMemory::RowDerivativeMemory(const ModelData& m, const ConstraintData* c,
                                         const ResponseCosts& costs)
    : stride(c ? whole_packs(c->row_count) : 0) {
  if (!c) return;
  const std::size_t rows = index(stride), nv = index(m.nv), columns = index(whole_eights(m.nv)),
                    row_columns = index(whole_eights(stride)), packs = index(matrix_ld(m.nv));
  basis.ranks = static_cast<std::int64_t>(row_columns);
  std::vector<Field<double>> fields = {{&basis.V, packs * row_columns},
                                       {&basis.VT, row_columns * columns},
                                       {&basis.F, rows * row_columns},
                                       {&basis.FT, row_columns * rows},
                                       {&data.b, 16 * rows},
                                       {&data.z, 16 * rows},
                                       {&data.x, 16 * rows},
                                       {&data.y, 16 * (nv + rows)},
                                       {&by_desired, packs * row_columns}};
  append(fields, fields_of_row_products(m, *c, data));
  for (double*& x : basis.E)
    fields.push_back({&x, row_columns * (std::max(columns, row_columns) + basis_behind)});
  for (double*& x : of_lambda) fields.push_back({&x, rows * packs});
  if (m.varying_clusters > 0) fields.push_back({&J, rows * packs});
  // Rows between two bodies connect limbs, and so do loops.
  if (m.cluster_count == 0 && c->inter_body_count == 0 && responses_pay(costs, m.nv, c->row_count)) {
    responses.ld = matrix_ld(m.nv + stride), responses.rows = c->row_count;
    fields.push_back({&responses.columns, index(responses.ld) * (columns + rows + columns_behind)});
  }
  fields.push_back({&lambda_by_desired, rows * row_columns});
  for (double*& x : numbers) fields.push_back({&x, rows});
  cut(fields);
}

template <class T>
GradientMemory<T>::GradientMemory(const ModelData& m, const ConstraintData* c, const SweepTables& sweep)
    : arena(m, c, 0, {of_sweeps}) {
  const std::size_t nodes = index(m.node_count), packs = index(whole_packs(m.nv)), nq = index(m.nq),
                    rows = c ? index(whole_packs(c->row_count)) : 0;
  static_cast<SweepTables&>(arena.data) = sweep;
  std::vector<Field<T>> fields = {
      {&gravity, 3},          {&v, packs},         {&qdd, packs},          {&y, packs},
      {&lambda, rows},        {&b, rows},          {&wrenches, 6 * nodes}, {&data.q_moved, nq},
      {&data.v_moved, packs}, {&data.step, packs}, {&data.turned, packs},  {&data.wrench, 6 * nodes},
      {&data.by_q, packs},    {&data.by_v, packs}, {&data.by_a, packs},    {&data.by_lambda, rows}};
  append(fields, fields_of_products(m, data.products));
  if (c) append(fields, fields_of_row_products(m, *c, data.rows));
  if (m.cluster_count > 0)
    for (T** x : {&data.tree_step, &data.tree_v, &data.tree_qdd, &data.tree_y, &data.gathered})
      fields.push_back({x, packs});
  if (m.varying_clusters > 0) {
    data.loops.rows = closures_of(m, [&](auto list) { return keep(std::move(list)); });
    append(fields, fields_of_loop_products(m, data.loops));
  }
  cut(fields);
  arena.data.gravity = gravity;
  if (c) std::fill_n(arena.data.desired, c->row_count, T(0));  // not what derivatives depend on
  data.v = v, data.qdd = qdd, data.y = y, data.lambda = lambda, data.b = b, data.wrenches = wrenches;
  cut(std::vector<Field<double>>{{&solution, packs},
                                 {&multipliers, packs},
                                 {&force, packs},
                                 {&of_rows, rows},
                                 {&of_row_multipliers, rows}});
  data.force = force;
}
template struct GradientMemory<Changes>;
template struct GradientMemory<OneChange>;

SecondProductMemory::SecondProductMemory(const ModelData& m, const ConstraintData* c,
                                         const SweepTables& sweep)
    : GradientMemory(m, c, sweep) {
  std::vector<Field<double>> numbers;
  for (double*& x : of_change) numbers.push_back({&x, index(whole_packs(m.nv))});
  for (double*& x : beyond) numbers.push_back({&x, c ? index(whole_packs(c->row_count)) : 0});
  cut(numbers);
}

SecondOrderMemory::SecondOrderMemory(const ModelData& m, const ConstraintData* c, const SweepTables& sweep)
    : GradientMemory(m, c, sweep), ld(whole_packs(m.nv)), stride(c ? whole_packs(c->row_count) : 0) {
  const std::size_t packs = index(ld), nv = index(m.nv), rows = index(stride);
  std::vector<Field<double>> numbers = {{&by_desired, packs * rows},
                                        {&lambda_by_desired, rows * rows},
                                        {&q_desired, packs * rows},
                                        {&lambda_q, rows * nv}};
  for (double*& x : first) numbers.push_back({&x, packs * nv});
  for (double*& x : lambda_first) numbers.push_back({&x, rows * nv});
  for (double** x : {&qq, &vq, &aq, &vv, &qx}) numbers.push_back({x, packs * nv});
  cut(numbers);
}

LoopDerivativeMemory::LoopDerivativeMemory(const ModelData& m, const PathTables& independent) {
  rows = closures_of(m, [&](auto list) { return keep(std::move(list)); });
  const std::size_t packs = index(matrix_ld(m.nv)), ny = index(m.ny);
  std::vector<std::int32_t> panel_of(ny);
  for (int p = 0; p < independent.panel_count; ++p)
    for (int k = independent.panels[p].first; k < independent.panels[p].end; ++k) panel_of[index(k)] = p;
  columns.panel_of = keep(std::move(panel_of));
  std::vector<Field<double>> fields = {{&columns.columns, 16 * index(whole_packs(m.ny))},
                                       {&columns.below, 16 * ny},
                                       {&columns.path, 16 * ny},
                                       {&h, packs * index(whole_eights(m.nv))}};
  if (m.varying_clusters > 0) {
    for (double** x : {&matrices.s_q, &matrices.s_v, &matrices.velocity_q})
      fields.push_back({x, packs * index(m.loop_row_count)});
    for (double** x : {&matrices.turned, &matrices.h_q, &matrices.h_v})
      fields.push_back({x, packs * index(whole_eights(m.nv))});
  }
  append(fields, fields_of_loop_products<double>(m, *this));
  for (double*& at : numbers) fields.push_back({&at, packs});
  cut(fields);
  matrices.h = h;
}

ParameterMemory::ParameterMemory(const ModelData& m, const std::vector<LinkPlace>& links, int ratios) {
  LinksByAxes by_axes(links);
  std::vector<std::int32_t> link = std::move(by_axes.order), body, begin = {0};
  std::vector<CoordinateRange> ranges;
  for (const std::int32_t l : link) {
    body.push_back(links[index(l)].body);
    std::vector<CoordinateRange> up;  // from the link to the root
    for (int i = body.back(); i >= 0; i = m.nodes[i].parent) {
      const std::int32_t first = m.nodes[i].v_index,
                         end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
      if (first == end) continue;
      if (!up.empty() && up.back().first == end)
        up.back().first = first;
      else
        up.push_back({first, end});
    }
    ranges.insert(ranges.end(), up.rbegin(), up.rend());
    begin.push_back(static_cast<std::int32_t>(ranges.size()));
  }
  std::vector<double> shift(9 * link.size());
  for (std::size_t a = 0; a + 1 < by_axes.begin.size(); ++a)
    for (std::int32_t i = by_axes.begin[a]; i < by_axes.begin[a + 1]; ++i) {
      const LinkPlace &other = links[index(link[a])], &place = links[index(link[index(i)])];
      double* const to = shift.data() + 9 * i;
      for (int e = 0; e < 3; ++e) {
        for (int c = 0; c < 3; ++c) to[e] += other.R[3 * c + e] * (place.p[c] - other.p[c]);
        to[3 + e] = 2 * to[e], to[6 + e] = 0.5 * to[e];
      }
    }
  data.count = static_cast<std::int32_t>(link.size());
  data.by_first_body = true;
  for (int i = 1; i < m.node_count; ++i) data.by_first_body = data.by_first_body && m.nodes[i].parent >= 0;
  data.own_axes = static_cast<std::int32_t>(by_axes.begin.size()) - 1;
  while (link.size() % 4 != 0) link.push_back(link.back()), body.push_back(body.back());
  std::vector<double> in_body(12 * link.size());
  for (std::size_t i = 0; i < link.size(); ++i) {
    const LinkPlace& place = links[index(link[i])];
    double* to = in_body.data() + 48 * (i / 4) + i % 4;
    for (int e = 0; e < 9; ++e) to[4 * e] = place.R[e];
    for (int e = 0; e < 3; ++e) to[36 + 4 * e] = place.p[e];
  }
  const std::size_t places = link.size(), nv = index(m.nv);
  data.link = keep(std::move(link)), data.body = keep(std::move(body));
  data.in_body = keep(std::move(in_body));
  data.ranges_begin = keep(std::move(begin)), data.ranges = keep(std::move(ranges));
  data.shifted_begin = keep(std::move(by_axes.begin)), data.shift = keep(std::move(shift));
  cut<double>({{&data.unit, ParameterData<double>::unit_size * index(whole_packs(data.own_axes))},
               {&data.product, 10 * places},
               {&by_inertia, 10 * links.size()},
               {&by_armature, nv},
               {&by_damping, nv},
               {&by_friction, nv},
               {&by_wrenches, 6 * links.size()},
               {&by_gravity, 3},
               {&by_ratios, index(ratios)}});
}

ParameterMatrixMemory::ParameterMatrixMemory(const ModelData& m, const ConstraintData* c, int links) {
  const std::size_t columns = index(whole_eights(10 * links));
  cut<double>({{&of_qdd, index(matrix_ld(m.nv)) * columns},
               {&of_lambda, c ? index(whole_packs(c->row_count)) * columns : 0}});
}

}  // namespace tenon
