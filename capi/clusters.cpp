// What the clusters of a model hold: their joints, coordinates, rows and loops.
#include <algorithm>

#include "support/descriptor.hpp"
#include "support/guard.hpp"
#include "support/object.hpp"

using namespace tenon::capi;

int32_t tenon_model_ny(const tenon_model* model) {
  return model ? model->core->ny : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_nyq(const tenon_model* model) {
  return model ? static_cast<int32_t>(model->core->loops.independent_q.size()) : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_cluster_count(const tenon_model* model) {
  return model ? model->core->data().cluster_count : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_loop_count(const tenon_model* model) {
  return model ? model->core->loop_count() : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_loop_row_count(const tenon_model* model) {
  return model ? model->core->data().loop_row_count : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_ratio_count(const tenon_model* model) {
  return model ? model->core->loops.ratio_count : TENON_INVALID_ARGUMENT;
}

tenon_status tenon_model_independent_v(const tenon_model* model, int32_t* v_index, size_t v_index_count) {
  if (model == nullptr || (v_index == nullptr && v_index_count > 0)) return TENON_INVALID_ARGUMENT;
  const auto& independent = model->core->loops.independent;
  if (v_index_count != independent.size()) return TENON_WRONG_SIZE;
  std::copy(independent.begin(), independent.end(), v_index);
  return TENON_OK;
}

tenon_status tenon_model_independent_q(const tenon_model* model, int32_t* q_index, size_t q_index_count) {
  if (model == nullptr || (q_index == nullptr && q_index_count > 0)) return TENON_INVALID_ARGUMENT;
  const auto& independent = model->core->loops.independent_q;
  if (q_index_count != independent.size()) return TENON_WRONG_SIZE;
  std::copy(independent.begin(), independent.end(), q_index);
  return TENON_OK;
}

tenon_status tenon_cluster_info_init(tenon_cluster_info* info, size_t size) {
  return init(info, size, tenon_cluster_info{});
}
tenon_status tenon_loop_info_init(tenon_loop_info* info, size_t size) {
  return init(info, size, tenon_loop_info{});
}

// Rotors among the bodies of a cluster that their carriers have taken over.
static int32_t folded_rotors(const tenon::Model& model, const tenon::ClusterData& c) {
  if (!model.folding) return 0;
  const auto& rotors = model.folding->rotor_node;
  return static_cast<int32_t>(std::count_if(rotors.begin(), rotors.end(), [&](std::int32_t node) {
    return node >= c.node_begin && node < c.node_begin + c.node_count;
  }));
}

tenon_status tenon_model_cluster_info(const tenon_model* model, int32_t cluster, tenon_cluster_info* info) {
  if (model == nullptr) return TENON_INVALID_ARGUMENT;
  const auto& clusters = model->core->loops.clusters;
  if (cluster < 0 || static_cast<size_t>(cluster) >= clusters.size()) return TENON_OUT_OF_RANGE;
  const tenon::ClusterData& c = clusters[static_cast<size_t>(cluster)];
  tenon_cluster_info known{};
  known.parent_joint = or_world(c.parent);
  known.first_joint = c.node_begin, known.joint_count = c.node_count;
  known.q_index = c.q_begin, known.nq = c.q_count;
  known.v_index = c.v_begin, known.nv = c.v_count;
  known.y_index = c.y_begin, known.ny = c.y_count;
  known.first_row = c.row_begin, known.row_count = c.row_count, known.rank = c.d_count;
  known.constant_map = c.constant_G;
  known.first_loop = c.constraint_begin, known.loop_count = c.constraint_end - c.constraint_begin;
  known.folded_rotors = folded_rotors(*model->core, c);
  return code(put(info, known));
}

tenon_status tenon_model_loop_info(const tenon_model* model, int32_t loop, tenon_loop_info* info) {
  if (model == nullptr) return TENON_INVALID_ARGUMENT;
  if (loop < 0 || loop >= model->core->loop_count()) return TENON_OUT_OF_RANGE;
  const auto& loops = model->core->loops;
  const size_t place = static_cast<size_t>(loop), embedded = loops.constraints.size();
  tenon_loop_info known{};
  if (place >= embedded) {
    known.kind = TENON_LOOP_KIND_GEOMETRIC;
    known.cluster = known.first_row = known.first_ratio = TENON_NONE;
    known.name = model->core->row_loops[place - embedded].name.c_str();
    return code(put(info, known));
  }
  const tenon::LoopConstraintData& constraint = loops.constraints[place];
  known.kind = constraint.kind;
  known.cluster = constraint.cluster;
  known.first_row = constraint.row_begin, known.row_count = constraint.row_count;
  known.first_ratio = loops.first_ratio[place] < 0 ? TENON_NONE : loops.first_ratio[place];
  known.name = loops.names[static_cast<size_t>(loop)].c_str();
  return code(put(info, known));
}
