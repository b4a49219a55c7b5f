// The memory of a workspace for scalar T: an aligned block, cut into the fields of WorkspaceData, and the
// small index tables of sweeps. Two blocks are separate, because sweeps over bodies do not need them: the
// matrices of the methods in joint space, whose size is the square of the tree's depth or of the number of
// rows, and the mass matrix that is kept with its factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/workspace_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

// Flags of nodes and the layout of path rows of a model (workspace_data.hpp).
struct SweepTables {
  std::vector<std::int32_t> node_flags, support_flags, dof_depth, row_first, axis_place, root_node, rows_node;
  std::vector<DofRun> runs;
  std::vector<DofPanel> panels;
  SweepTables(const ModelData& m, const ConstraintData* c);

  // Makes a workspace point to the tables, which must live longer.
  template <class T>
  void bind(WorkspaceData<T>& w) const {
    w.node_flags = node_flags.data();
    w.support_flags = support_flags.empty() ? nullptr : support_flags.data();
    w.dof_depth = dof_depth.data();
    w.row_first = row_first.data();
    w.axis_place = axis_place.data();
    w.root_node = root_node.data();
    w.rows_node = rows_node.data();
    w.run_count = static_cast<std::int32_t>(runs.size());
    w.runs = runs.data();
    w.panel_count = static_cast<std::int32_t>(panels.size());
    w.panels = panels.data();
  }
  std::size_t count() const {
    return node_flags.size() + support_flags.size() + dof_depth.size() + row_first.size() +
           axis_place.size() + root_node.size() + rows_node.size() +
           sizeof(DofRun) / sizeof(std::int32_t) * runs.size() +
           sizeof(DofPanel) / sizeof(std::int32_t) * panels.size();
  }
};

// Coordinates must be numbered depth first. m: only v_parent is read; depth: of each coordinate.
std::vector<DofPanel> panels_of(const ModelData& m, const std::vector<std::int32_t>& depth);

// The axis of the body frame that the motion subspace of velocity coordinate k selects (model_data.hpp).
int axis_of_dof(const ModelData& m, int k);

template <class T>
class Arena {
 public:
  // whole: with all blocks.
  Arena(const ModelData& m, const ConstraintData* c, std::size_t path_entries, bool whole = true) {
    cut(m, c, path_entries, of_sweeps);
    if (whole) {
      add_joint_space(m, c, path_entries);
      add_kept_mass_matrix(m, c, path_entries);
    }
    for (std::size_t i = 0; i < (static_cast<std::size_t>(m.node_count) + 15) / 16 * 16; ++i)
      data.angle[i] = T(0);
    place_constants(m);
    place_loop_constants(m);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // For the model and constraints that the arena was made for. Does nothing where the block exists.
  void add_joint_space(const ModelData& m, const ConstraintData* c, std::size_t path_entries) {
    cut(m, c, path_entries, of_joint_space);
  }
  // Adds L and M.
  void add_kept_mass_matrix(const ModelData& m, const ConstraintData* c, std::size_t path_entries) {
    cut(m, c, path_entries, of_kept_mass_matrix);
  }

  std::size_t bytes() const {
    std::size_t count = 0;
    for (const Block& block : blocks_) count += block.count;
    return count * sizeof(T);
  }

  WorkspaceData<T> data{};

 private:
  struct Block {
    T* begin = nullptr;
    std::size_t count = 0;
    ~Block() { ::operator delete(begin, std::align_val_t(64)); }
  };

  enum Item {
    node,
    node_packs,
    node_lanes,
    angle,
    dof,
    row,
    dof_columns,
    dof_lanes,
    row_columns,
    path_rows,
    dof_row,
    row_pair,
    inter_body_row,
    loop_node,
    loop_dof,
    loop_row,
    loop_block,
    G_block,
    loop_work,
    rotor
  };

  enum Part { of_sweeps, of_joint_space, of_kept_mass_matrix, part_count };
  static Part part_of(std::string_view field, Item item) {
    if (field == "L" || field == "M") return of_kept_mass_matrix;
    return item == path_rows || item == dof_row || item == row_pair ? of_joint_space : of_sweeps;
  }

  void cut(const ModelData& m, const ConstraintData* c, std::size_t path_entries, Part part) {
    Block& block = blocks_[part];
    if (block.begin) return;
    const std::size_t nodes = static_cast<std::size_t>(m.node_count), nv = static_cast<std::size_t>(m.nv);
    const std::size_t rows = c ? static_cast<std::size_t>(c->row_count) : 0;
    const bool loops = m.cluster_count > 0 || m.rotor_count > 0;
    const std::size_t inter_body_rows = c ? static_cast<std::size_t>(c->inter_body_row_count) : 0;
    // The first pass measures, the second cuts. Node fields begin one item early, at the world's slot.
    for (const bool cutting : {false, true}) {
      std::size_t used = 0;
      const auto take = [&](std::string_view field, std::size_t size, Item item, T* before) -> T* {
        if (part_of(field, item) != part) return before;
        const std::size_t count = item == node          ? nodes + 1
                                  : item == node_packs  ? padded(nodes) + 1
                                  : item == node_lanes  ? padded(nodes)
                                  : item == angle       ? (nodes + 15) / 16 * 16
                                  : item == row         ? rows
                                  : item == dof         ? nv
                                  : item == dof_columns ? padded(nv)
                                  : item == dof_lanes   ? padded(nv + 3)
                                  : item == row_columns ? padded(rows)
                                  : item == path_rows   ? path_entries
                                  : item == dof_row     ? nv * padded(rows)
                                  : item == loop_node   ? (loops ? nodes + 1 : 0)
                                  : item == loop_dof    ? (loops ? nv : 0)
                                  : item == rotor ? (static_cast<std::size_t>(m.rotor_count) + 15) / 16 * 16
                                  : item == loop_row       ? static_cast<std::size_t>(m.loop_row_count)
                                  : item == loop_block     ? static_cast<std::size_t>(m.loop_K_size)
                                  : item == G_block        ? static_cast<std::size_t>(m.G_size)
                                  : item == loop_work      ? static_cast<std::size_t>(m.loop_scratch_size)
                                  : item == inter_body_row ? inter_body_rows
                                                           : padded(rows) * padded(rows);
        T* begin = cutting ? block.begin + used : nullptr;
        used += (size * count + line - 1) / line * line;
        const bool has_world = item == node || item == node_packs || (item == loop_node && loops);
        return cutting && has_world ? begin + size : begin;
      };
#define TENON_FIELD(name, size, item) data.name = take(#name, size, item, data.name);
      TENON_WORKSPACE_FIELDS(TENON_FIELD)
#undef TENON_FIELD
      if (!cutting) {
        block.begin = static_cast<T*>(::operator new(used * sizeof(T), std::align_val_t(64)));
        block.count = used;
#ifdef NDEBUG
        const T fill = T(0);
#else
        const T fill = std::numeric_limits<T>::quiet_NaN();  // NaN shows reads of fields that no sweep wrote
#endif
        for (std::size_t i = 0; i < used; ++i) block.begin[i] = fill;
      }
    }
  }

  void place_constants(const ModelData& m) {
    for (int e = 0; e < 10 * whole_packs(m.node_count); ++e) data.body_inertia[e] = T(0);
    for (int i = 0; i < m.node_count; ++i) {
      const NodeData& n = m.nodes[i];
      const double numbers[10] = {n.mass, n.h[0], n.h[1], n.h[2], n.I[0],
                                  n.I[1], n.I[2], n.I[3], n.I[4], n.I[5]};
      T* lane = data.body_inertia + i / 4 * 40 + i % 4;
      for (int e = 0; e < 10; ++e) lane[4 * e] = T(numbers[e]);
    }
    for (int k = 0; k < whole_packs(m.nv); ++k) data.angular_sign[k] = data.linear_sign[k] = T(0);
    for (int k = 0; k < m.nv; ++k)
      (axis_of_dof(m, k) < 3 ? data.angular_sign : data.linear_sign)[k] = T(m.v_sign[k]);
  }

  // Constants of loops: rows of K and G; g, phi and k start at zero.
  void place_loop_constants(const ModelData& m) {
    for (int e = 0; e < m.loop_K_size; ++e) data.loop_K[e] = T(0);
    for (int e = 0; e < m.G_size; ++e) data.G[e] = T(m.G_initial[e]);
    for (int e = 0; e < m.loop_row_count; ++e) data.loop_phi[e] = data.loop_k[e] = T(0);
    const bool loops = m.cluster_count > 0 || m.rotor_count > 0;
    for (int e = 0; loops && e < m.nv; ++e) data.g[e] = data.drive_bias[e] = T(0);
    for (int r = 0; r < (m.rotor_count + 15) / 16 * 16; ++r) data.rotor_angle[r] = T(0);
    for (int l = 0; l < m.loop_constraint_count; ++l) {
      const LoopConstraintData& loop = m.loop_constraints[l];
      const ClusterData& c = m.clusters[loop.cluster];
      for (int e = loop.entry_begin; e < loop.entry_end; ++e) {
        const CouplingEntry& entry = m.coupling_entries[e];
        data.loop_K[c.K_begin + (entry.v_index - c.v_begin) * c.row_count + entry.row - c.row_begin] =
            T(entry.coefficient);
      }
    }
  }

  static std::size_t padded(std::size_t n) {
    return static_cast<std::size_t>(whole_packs(static_cast<int>(n)));
  }
  static constexpr std::size_t line = 64 / sizeof(T);
  Block blocks_[part_count];
};

}  // namespace tenon
