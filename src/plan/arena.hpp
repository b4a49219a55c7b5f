// The memory of a workspace for scalar T: aligned blocks, cut into the fields of WorkspaceData, and the small
// index tables of sweeps. A field belongs to the block of those who use it (ArenaPart).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "data/constraint_data.hpp"
#include "data/model_data.hpp"
#include "data/workspace_data.hpp"
#include "kernels/joint/root_frame_poses.hpp"
#include "model/body_poses.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

// NodeFlag bits of the nodes of a model. supports: a flag for each node, or empty for sweeps that treat all
// nodes alike.
template <class N>
std::vector<std::int32_t> sweep_flags(const ModelDataOf<N>& m, const std::vector<bool>& supports);

// `memory` keeps the lists.
void make_tables(const std::int32_t* v_parent, std::int32_t nv, Memory& memory, PathTables& to);

// Made once for a model and its constraints, which may be null.
struct SweepMemory : Memory, SweepTables {
  SweepMemory(const ModelData& m, const ConstraintData* c);
};

// Fields without part of their own are of sweeps.
enum ArenaPart {
  of_sweeps,
  of_row_sweeps,        // constrained_aba over bodies one by one, and pv_early
  of_joint_space,       // matrices as large as the square of the tree's depth or of the number of rows
  of_prox_ltl,          // the factor of the Delassus matrix
  of_prox_ltls,         // J^T and what else the method alone needs
  of_kept_mass_matrix,  // the mass matrix that is kept with its factor
  arena_part_count
};

// A field of WorkspaceData: its place in the list of fields, how many numbers it has, and how many of these stand
// before its beginning, for the world.
struct FieldSize {
  std::size_t field, count, of_world;
};
std::vector<FieldSize> field_sizes(const ModelData& m, const ConstraintData* c, std::size_t path_entries,
                                   ArenaPart part);

constexpr std::size_t whole_lines_of_angles(std::size_t n) {
  return (n + 15) / 16 * 16;  // the sines of angles are computed sixteen at a time
}

template <class T>
class Arena : public Memory {
 public:
  using Parts = std::initializer_list<ArenaPart>;
  static constexpr Parts all = {of_sweeps,   of_row_sweeps, of_joint_space,
                                of_prox_ltl, of_prox_ltls,  of_kept_mass_matrix};

  // parts: with of_sweeps.
  Arena(const ModelData& m, const ConstraintData* c, std::size_t path_entries, Parts parts = all) {
    for (const ArenaPart part : parts) add(part, m, c, path_entries);
    std::fill_n(data.angle, whole_lines_of_angles(index(m.node_count)), T(0));
    place_constants(m);
    place_loop_constants(m);
  }

  bool has(ArenaPart part) const { return has_[part]; }
  // For the model and constraints that the arena was made for.
  void add(ArenaPart part, const ModelData& m, const ConstraintData* c, std::size_t path_entries) {
    if (!has(part)) make(m, c, path_entries, part);
    has_[part] = true;
  }

  void place_inertias(const ModelData& m) {
    for (int e = 0; e < 10 * whole_eights(m.node_count); ++e) data.body_inertia[e] = T(0);
    for (int i = 0; i < m.node_count; ++i) {
      const NodeData& n = m.nodes[i];
      const double numbers[10] = {n.mass, n.h[0], n.h[1], n.h[2], n.I[0],
                                  n.I[1], n.I[2], n.I[3], n.I[4], n.I[5]};
      T* to = data.body_inertia + (is_pack<T> ? 10 * i : i / 4 * 40 + i % 4);
      for (int e = 0; e < 10; ++e) to[is_pack<T> ? e : 4 * e] = T(numbers[e]);
    }
    for (int k = 0; k < m.nv; ++k) data.armature[k] = T(m.armature[k]);
  }

  WorkspaceData<T> data{};

 private:
  // By tables: in line, a hundred fields for each type of numbers are much code.
  void make(const ModelData& m, const ConstraintData* c, std::size_t path_entries, ArenaPart part) {
#define TENON_FIELD(name, size, item) &WorkspaceData<T>::name,
    static constexpr T* WorkspaceData<T>::*members[] = {TENON_WORKSPACE_FIELDS(TENON_FIELD)};
#undef TENON_FIELD
    std::vector<Field<T>> fields;
    for (const FieldSize& x : field_sizes(m, c, path_entries, part))
      fields.push_back({&(data.*members[x.field]), x.count, x.of_world});
#ifdef NDEBUG
    cut(fields);
#else
    cut(fields, std::numeric_limits<T>::quiet_NaN());  // shows reads of unset values
#endif
  }

  void place_constants(const ModelData& m) {
    place_inertias(m);
    for (int k = 0; k < dof_stride(m); ++k) data.angular_sign[k] = data.linear_sign[k] = T(0);
    for (int k = 0; k < m.nv; ++k) {
      const NodeData& n = m.nodes[m.v_node[k]];
      const Motion<double> S = subspace_column(n, k - n.v_index);
      data.angular_sign[k] = T(m.v_sign[k] * (S.w.x + S.w.y + S.w.z));
      data.linear_sign[k] = T(m.v_sign[k] * (S.v.x + S.v.y + S.v.z));
    }
    // S of a floating root is constant.
    if (m.node_count == 0 || m.nodes[0].kind != joint_floating) return;
    for (int k = 0; k < 6; ++k)
      for (int e = 0; e < 6; ++e) data.S_root[e * dof_stride(m) + k] = T(e == k ? 1 : 0);
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

  bool has_[arena_part_count] = {};
};

}  // namespace tenon
