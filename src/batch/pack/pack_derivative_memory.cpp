#include "batch/pack/pack_derivative_memory.hpp"

#include <algorithm>

#include "batch/pack/pack_numbers.hpp"
#include "calls/step_stages.hpp"
#include "plan/coordinate_trees.hpp"
#include "plan/units.hpp"

namespace tenon {

SolvedSpace SolvedSpaceTables::space(const ModelData& m, bool closed, bool independent,
                                     const ConstraintData* c) {
  const std::int32_t columns = independent ? m.ny : m.nv;
  // The joint of a column, or its cluster.
  const auto unit_of_column = [&](std::int32_t column) {
    return unit_of(m, m.v_node[independent ? m.independent[column] : column]);
  };
  if (parent_.empty()) {
    if (closed) {
      parent_ = independent_tree(m, last_row_);
    } else {
      parent_.assign(m.v_parent, m.v_parent + m.nv);
      for (std::int32_t i = 0; i < m.node_count; ++i)
        last_row_.push_back(m.nodes[i].v_index + dofs_of(m, i) - 1);
    }
    for (std::int32_t j = 0; j < columns; ++j) {
      const std::int32_t unit = unit_of_column(j), count = columns_of(m, unit);
      row_of_.push_back(closed ? last_row_[index(unit)] - std::max(count, 1) + 1 : j);
    }
    subtree_end_.resize(parent_.size());
    for (std::size_t k = parent_.size(); k-- > 0;) {
      std::int32_t& own = subtree_end_[k];
      own = std::max(own, static_cast<std::int32_t>(k) + 1);
      if (parent_[k] < 0) continue;
      std::int32_t& above = subtree_end_[index(parent_[k])];
      above = std::max(above, own);
    }
  }
  for (std::int32_t j = 0; c && first_.size() < index(columns); ++j) {
    const std::int32_t unit = unit_of_column(j);
    first_.push_back(c->node_row_first[unit]), end_.push_back(end_of_rows(m, *c, unit));
  }
  return {static_cast<std::int32_t>(parent_.size()),
          columns,
          m.nv,
          closed ? MatrixOrder::rows : MatrixOrder::columns,
          parent_.data(),
          subtree_end_.data(),
          row_of_.data(),
          last_row_.data(),
          first_.data(),
          end_.data()};
}

template <class N, int W>
PackDerivativeMemory<N, W>::PackDerivativeMemory(WorkspaceImpl& single, const ModelData& m)
    : single_(single), nq_(index(m.nq)), nv_(index(m.nv)), nodes_(index(m.node_count)) {
  related_.resize(nv_);
  data.related = related_.data();
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare(const BatchCall& call, const ConstraintData* c, bool with_loops,
                                         bool closes, bool independent) {
  const std::size_t row_count = c ? index(c->row_count) : 0;
  const bool matrices = call.of_matrices();
  if (matrices)
    data.space = spaces_[closes ? 1 + (independent ? 1 : 0) : 0].space(single_.model->data(), closes,
                                                                       closes && independent, c);
  if (c && of_rows_.is_empty()) prepare_rows(index(whole_packs(c->row_count)));
  if (with_loops && of_loops_.is_empty()) prepare_loops();
  grow(torques, nv_);
  if (call.derivatives.by_some_parameter()) *single_.parameters;
  if (call.of_steps()) prepare_steps(call);
  if (call.of_impacts()) prepare_impacts(row_count, call.of_matrices());
  if (matrices && lines_.is_empty()) prepare_lines();
  if (matrices && matrices_.is_empty()) prepare_matrices();
  if (closes && closed_.is_empty()) prepare_closed_matrices();
  if (matrices && c && row_matrices_.is_empty()) prepare_matrices_with_rows(row_count);
  if ((!matrices || c) && products_.is_empty()) prepare_products();
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_rows(std::size_t count) {
  std::vector<Field<Pack>> fields = {{&rows.A, count * count},
                                     {&rows.x, nv_},
                                     {&rows.wrench, 6 * nodes_},
                                     {&rows.data.turning, 6 * nodes_},
                                     {&rows.data.theta, 6 * (nodes_ + 1), 6}};
  for (Pack** field : {&rows.usual, &rows.lambda, &rows.b, &rows.ds, &rows.rest, &rows.step})
    fields.push_back({field, count});
  for (Pack** field : {&rows.Kw, &rows.data.N, &rows.data.P}) fields.push_back({field, 6 * count});
  of_rows_.cut(fields);
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_loops() {
  const LoopDerivativeMemory& single = *single_.loop_derivatives;
  const std::size_t count = index(whole_packs(single.rows.row_count)),
                    block = index(single_.model->data().loop_K_size),
                    sides = index(single.rows.inter_body_row_count);
  loops.rows = &single.rows;
  Pack* gains;
  std::vector<Field<Pack>> fields = {{&gains, 2 * index(single.rows.item_count)},
                                     {&loops.factor.Q, block},
                                     {&loops.factor.R, block},
                                     {&loops.factor.room, nv_},
                                     {&loops.turning, 6 * nodes_},
                                     {&loops.theta, 6 * (nodes_ + 1), 6},
                                     {&loops.sum, 6 * nodes_},
                                     {&loops.rest, nv_},
                                     {&loops.h, nv_},
                                     {&loops.of_accelerations.bent, 9 * count}};
  for (Pack** field : {&loops.mu, &loops.b, &loops.ds}) fields.push_back({field, count});
  for (RowDerivativeData<Pack>* d : {&loops.of_velocities, &loops.of_accelerations}) {
    for (Pack** field : {&d->N, &d->P}) fields.push_back({field, 6 * count});
    for (Pack** field : {&d->side_N, &d->side_P}) fields.push_back({field, 12 * sides});
  }
  of_loops_.cut(fields);
  loops.settings.gains = gains;
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_steps(const BatchCall& call) {
  const auto stages = static_cast<std::size_t>(rule_of(call.integrator).stages);
  grow(zeros, nv_);
  for (std::vector<Pack>& x : step) grow(x, nv_);
  for (std::vector<Pack>* x : {&path_v, &path_u}) grow(*x, stages * nv_);
  grow(path_q, stages * nq_);
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_impacts(std::size_t count, bool matrices) {
  OfImpacts& x = of_impacts;
  for (std::vector<Pack>* list : {&x.zeros, &x.change, &x.by_q, &x.by_v, &x.by_x}) grow(*list, nv_);
  grow(x.rebound, count), grow(x.of_v, matrices ? count * nv_ : count);
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_lines() {
  // Three matrices: 18 kB, or up to twice as much so that whole packs of numbers leave and none one by one.
  constexpr std::size_t most = 6144 / sizeof(Pack);
  const auto leave_whole = [&](std::size_t of_them) { return of_them * nv_ % W == 0; };
  std::size_t count = std::min(std::max(most / nv_, std::size_t{1}), nv_);
  const std::size_t usual = count, more = std::min(2 * most / nv_, nv_);
  while (count > 1 && !leave_whole(count)) --count;
  if (!leave_whole(count))
    for (count = usual; count <= more && !leave_whole(count);) ++count;
  if (count > more || usual == nv_) count = usual;
  constexpr std::size_t block = columns_at_once;
  const std::size_t columns = std::min(std::max(most / nv_ / block * block, block), nv_);
  lines.most_lines = static_cast<int>(count), lines.most_columns = static_cast<int>(columns);
  std::vector<Field<Pack>> fields = {{&data.B, 12 * nodes_}, {&data.N, 3 * nv_}};
  for (Pack** field : {&data.psi_dot, &data.psi_ddot, &data.S_rate, &data.F, &data.F_q, &data.F_v})
    fields.push_back({field, 6 * nv_});
  for (Pack*& room : lines.room) fields.push_back({&room, std::max(count, columns) * nv_});
  lines_.cut(fields);
  // What is below each coordinate, and what is neither there nor above it.
  const ModelData& m = single_.model->data();
  std::vector<std::int32_t> begin[2] = {{0}, {0}};
  std::vector<CoordinateRange> ranges[2];
  std::vector<char> of(nv_);
  enum { gap, above, below };
  for (std::int32_t k = 0; k < m.nv; ++k) {
    std::fill(of.begin(), of.end(), char{gap});
    for (std::int32_t j = k; j >= 0; j = m.v_parent[j]) of[index(j)] = above;
    for (std::int32_t i = k + 1; i < m.nv; ++i)
      if (const std::int32_t parent = m.v_parent[i];
          parent == k || (parent > k && of[index(parent)] == below))
        of[index(i)] = below;
    for (const int which : {0, 1}) {
      std::vector<CoordinateRange>& list = ranges[which];
      const std::size_t before = list.size();
      for (std::int32_t i = 0; i < m.nv; ++i) {
        if (of[index(i)] != (which == 0 ? below : gap)) continue;
        if (list.size() == before || list.back().end != i) list.push_back({i, i});
        list.back().end = i + 1;
      }
      begin[which].push_back(static_cast<std::int32_t>(list.size()));
    }
  }
  data.below_begin = lines_.keep(std::move(begin[0])), data.below = lines_.keep(std::move(ranges[0]));
  data.gaps_begin = lines_.keep(std::move(begin[1])), data.gaps = lines_.keep(std::move(ranges[1]));
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_matrices() {
  matrices_.cut<Pack>({{&data.M, nv_ * (nv_ + 1) / 2},
                       {&data.inverse, nv_ * nv_},
                       {&data.tile, columns_at_once * nv_},
                       {&data.columns, 2 * columns_at_once * nv_}});
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_matrices_with_rows(std::size_t count) {
  std::vector<Field<Pack>> fields = {{&rows.tile, columns_at_once * count}};
  for (Pack** field : {&rows.J, &rows.by_q, &rows.by_v, &rows.response, &rows.motion})
    fields.push_back({field, count * nv_});
  row_matrices_.cut(fields);
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_closed_matrices() {
  const ModelData& m = single_.model->data();
  std::vector<Field<Pack>> fields = {{&closed.wrench, 6 * nodes_}};
  for (Pack** field : {&closed.by_q, &closed.by_v, &closed.M, &closed.room.h})
    fields.push_back({field, nv_ * nv_});
  if (m.varying_clusters > 0) {
    for (Pack** field : {&closed.room.s_q, &closed.room.s_v, &closed.room.velocity_q})
      fields.push_back({field, index(m.loop_row_count) * nv_});
    for (Pack** field : {&closed.room.turned, &closed.room.h_q, &closed.room.h_v})
      fields.push_back({field, nv_ * nv_});
  }
  closed_.cut(fields);
}

template <class N, int W>
void PackDerivativeMemory<N, W>::prepare_products() {
  std::vector<Field<Pack>> fields = {{&data.x, nv_}, {&data.moment, 6 * nodes_}, {&data.force, 6 * nodes_}};
  for (Pack** field : {&data.moved, &data.dv_body, &data.da_body})
    fields.push_back({field, 6 * (nodes_ + 1), 6});
  products_.cut(fields);
}

template <class N, int W>
std::size_t PackDerivativeMemory<N, W>::bytes() const {
  const OfImpacts& hit = of_impacts;
  std::size_t of_steps = bytes_of(path_q, path_v, path_u, zeros) +
                         bytes_of(hit.zeros, hit.change, hit.rebound, hit.by_q, hit.by_v, hit.by_x, hit.of_v);
  for (const std::vector<Pack>& x : step) of_steps += bytes_of(x);
  return products_.bytes() + lines_.bytes() + matrices_.bytes() + of_rows_.bytes() + row_matrices_.bytes() +
         of_loops_.bytes() + closed_.bytes() + of_steps +
         bytes_of(related_, torques, spaces_[0], spaces_[1], spaces_[2]);
}

TENON_FOR_ALL_PACKS(template class PackDerivativeMemory)

}  // namespace tenon
