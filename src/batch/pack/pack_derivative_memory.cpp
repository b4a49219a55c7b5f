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
void PackDerivativeMemory<N, W>::prepare_matrices() {
  std::vector<Field<Pack>> fields = {{&data.B, 12 * nodes_},
                                     {&data.M, nv_ * (nv_ + 1) / 2},
                                     {&data.inverse, nv_ * nv_},
                                     {&data.tile, columns_at_once * nv_}};
  for (Pack** field : {&data.psi_dot, &data.psi_ddot, &data.S_rate}) fields.push_back({field, 6 * nv_});
  matrices_.cut(fields);
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
  return products_.bytes() + matrices_.bytes() + of_rows_.bytes() + row_matrices_.bytes() +
         of_loops_.bytes() + closed_.bytes() + of_steps +
         bytes_of(related_, torques, spaces_[0], spaces_[1], spaces_[2]);
}

TENON_FOR_ALL_PACKS(template class PackDerivativeMemory)

}  // namespace tenon
