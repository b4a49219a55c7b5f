// What packs sweep: the model of a batch, or its folded form.
#pragma once

#include <vector>

#include "kernels/pack/pack_table.hpp"
#include "plan/arena.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

template <class N, int W>
class PackSweep {
 public:
  using Pack = tenon::Pack<N, W>;

  explicit PackSweep(WorkspaceImpl& w_)
      : w(w_), m(w.model->data()), arena(m, w.cd(), index(w.tables.entry_count), {of_sweeps, of_row_sweeps}) {
    static_cast<SweepTables&>(arena.data) = w.tables;
    arena.data.gravity = gravity;
    if (w.rows() > 0) list_rows();
  }
  PackSweep(const PackSweep&) = delete;

  // For the Delassus matrix, without memory of numbers.
  PackedDelassus<Pack> row_tables() const {
    return {{}, w.rows(), row_first_.data(), row_end_.data(), nullptr, nullptr, nullptr};
  }
  // The same with memory, which the first call makes.
  PackedDelassus<Pack> delassus() {
    grow(path_rows_, index(m.nv) * index(w.rows()));
    for (std::vector<Pack>* x : {&inverse_, &zeros_}) grow(*x, index(m.nv));
    PackedDelassus<Pack> d = row_tables();
    d.x = path_rows_.data(), d.inverse = inverse_.data(), d.zeros = zeros_.data();
    return d;
  }
  std::size_t bytes() const { return bytes_of(arena, row_first_, row_end_, path_rows_, inverse_, zeros_); }

  WorkspaceImpl& w;
  ModelData m;  // not WorkspaceImpl::md(), which single calls change at dead centres
  Arena<Pack> arena;
  Pack gravity[3];

 private:
  // The rows that each coordinate moves.
  void list_rows() {
    for (int k = 0; k < m.nv; ++k) {
      const std::int32_t unit = unit_of(m, m.v_node[k]);
      const bool moves =
          k - m.nodes[unit].v_index < columns_of(m, unit);  // a cluster has fewer coordinates than its joints
      row_first_.push_back(moves ? w.cd()->node_row_first[unit] : 0);
      row_end_.push_back(moves ? end_of_rows(m, *w.cd(), unit) : 0);
    }
  }

  std::vector<std::int32_t> row_first_, row_end_;
  std::vector<Pack> path_rows_, inverse_, zeros_;
};

}  // namespace tenon
