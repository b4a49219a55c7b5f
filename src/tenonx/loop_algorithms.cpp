// Forward and inverse dynamics of models with kinematic loops: by recursion over clusters, and by the methods
// that [LOOPS1] II compares with it. Torques and accelerations are in the spanning tree's coordinates
// (inverse dynamics: in the independent ones); G and g are recorded too.
//
// Where a cluster has more than two dependent coordinates, or more rows than those, values choose the pivots
// of its split; the recording holds the choice at its own state, a closed configuration.
#include <algorithm>

#include "kernels/cluster/explicit_form.hpp"
#include "model/body_poses.hpp"
#include "plan/assembly.hpp"
#include "spatial/small_ldl.hpp"
#include "state/folded_rotors.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenonx/recording.hpp"

namespace tenon::trace {
namespace {

// The user's loops, as recorders see them.
void evaluate_functions(Subject& s, const Recorded* q_in, const Recorded* v_in) {
  if (s.loop_functions.empty()) return;
  Numbers scratch(s.model.loops.callback_scratch);
  evaluate_callbacks(s.model, q_in, v_in, s.w, scratch.data(),
                     [&](std::size_t item, int, const Recorded* qj, const Recorded* vj, Recorded* phi,
                         Recorded* K, Recorded* Kdot_v) {
                       s.loop_functions[item](qj, vj, phi, K, Kdot_v);
                       return true;
                     });
}

// Null where it is zero.
const Recorded* g_of(const Subject& s) {
  return s.m().cluster_count > 0 ? s.w.g : nullptr;
}

// M of the spanning tree, both triangles. Path rows work with the order of coordinates in clusters.
Numbers mass_matrix(Subject& s, const Recorded* q_in) {
  Numbers M(s.m().nv * s.m().nv);
  s.kernels.crba_rows(s.m(), q_in, s.w.H, s.w);
  spread_path_rows(s.m(), s.w.H, s.w.row_first, s.w.dof_depth, M.data(), s.m().nv);
  return M;
}

// A model whose dependent joints are held at zero. A body behind such a joint is part of its parent if it
// carries no other joint; its mass is set to zero, so that nothing is recorded for it. If this holds for all
// dependent bodies of a cluster, its nodes become ordinary ones. Other clusters have G = [1; 0].
struct HeldModel {
  explicit HeldModel(const ModelData& m)
      : nodes(m.nodes, m.nodes + m.node_count),
        armature(m.armature, m.armature + m.nv),
        node_cluster(m.node_cluster, m.node_cluster + m.node_count),
        data(m) {
    std::vector<bool> bears(nodes.size(), false);
    for (const NodeData& n : nodes)
      if (n.parent >= 0) bears[index(n.parent)] = true;
    const auto is_held = [&](std::size_t i) { return m.y_index[nodes[i].v_index] < 0; };
    for (std::size_t i = nodes.size(); i-- > 0;)
      if (is_held(i) && !bears[i]) lump(nodes[i]);
    for (int c = 0; c < m.cluster_count; ++c) {
      const std::size_t begin = index(m.clusters[c].node_begin), count = index(m.clusters[c].node_count);
      bool lumped = true;
      for (std::size_t i = begin; i < begin + count; ++i) lumped = lumped && (!is_held(i) || !bears[i]);
      if (lumped) std::fill_n(&node_cluster[begin], count, -1);
    }
    data.varying_clusters = 0;
    data.nodes = nodes.data();
    data.armature = armature.data();
    data.node_cluster = node_cluster.data();
  }
  HeldModel(const HeldModel&) = delete;  // `data` points into it
  HeldModel& operator=(const HeldModel&) = delete;

  void lump(NodeData& n) {
    armature[n.v_index] = 1;
    if (n.parent >= 0) {
      NodeData& parent = nodes[index(n.parent)];
      const Placement X = {{load_mat3<double>(n.R)}, load_vec3<double>(n.p)};
      set_inertia(parent, body_inertia(parent) + inertia_to_parent(X, body_inertia(n)));
    }
    set_inertia(n, {});
  }

  std::vector<NodeData> nodes;
  NumbersOf<double> armature;
  std::vector<std::int32_t> node_cluster;
  ModelData data;
};

}  // namespace

void update_loops(Subject& s, const Recorded* q_in, const Recorded* v_in) {
  const ModelData& m = s.m();
  if (m.varying_clusters == 0) return;
  evaluate_functions(s, q_in, v_in);
  const int singular = s.kernels.cluster_constraints(m, q_in, v_in, s.w);
  if (singular >= 0)
    throw Error(
        Status::singular_configuration,
        "the loop '" + s.model.loops.names[index(m.clusters[singular].constraint_begin)] +
            "' is at a singular configuration wherever it was closed, so that nothing can be recorded");
}

// ---- recursive

void run_c_aba(Subject& s, In in, Out out) {
  update_loops(s, in[0], in[1]);
  s.kernels.aba(s.m(), {in[0], in[1], in[2]}, out[0], s.w);
}

// The same as forward_dynamics.
void run_c_aba_folded(Subject& s, In in, Out out) {
  if (!s.folded) return run_c_aba(s, in, out);
  const Model::Folding& folding = *s.model.folding;
  const RotorMap map(folding);
  const int nv = s.folded->m().nv;
  Numbers q_folded(s.folded->m().nq), v_folded(nv), tau_folded(nv), a(nv);
  const Inputs<Recorded> at = fold_inputs<Recorded>(folding, map, {in[0], in[1], in[2]}, q_folded.data(),
                                                    v_folded.data(), tau_folded.data(), s.folded->w);
  const Recorded* inputs[] = {at.q, at.v, at.tau};
  Recorded* outputs[] = {a.data()};
  run_c_aba(*s.folded, inputs, outputs);
  unfold_accelerations(folding, map, a.data(), out[0]);
}

// The same as loop_inverse_dynamics.
void run_c_rnea(Subject& s, In in, Out out) {
  update_loops(s, in[0], in[1]);
  Numbers a(s.m().nv), force(s.m().nv);
  times_explicit(s.m(), s.w.G, in[2], g_of(s), a.data());
  const Inputs<Recorded> moving = {in[0], in[1], nullptr, nullptr, nullptr, a.data()};
  if (s.folded)
    s.kernels.rnea(s.model.folding->spanning, moving, force.data(), s.folded->w);
  else
    s.kernels.rnea(s.m(), moving, force.data(), s.w);
  times_explicit_transposed(s.m(), s.w.G, force.data(), out[0]);
}

// ---- for comparison

// (G^T M G)^-1 G^T (tau - c - M g), [LOOPS1] II-D.
void run_projection(Subject& s, In in, Out out) {
  const ModelData& m = s.m();
  update_loops(s, in[0], in[1]);
  Numbers rest(m.nv), y(m.ny), MG(m.nv * m.ny), A(m.ny * m.ny);
  s.kernels.rnea(m, {in[0], in[1], nullptr, nullptr, nullptr, g_of(s)}, rest.data(), s.w);
  for (int k = 0; k < m.nv; ++k) rest[k] = in[2][k] - rest[k];
  times_explicit_transposed(m, s.w.G, rest.data(), y.data());
  project_matrix(m, s.w.G, mass_matrix(s, in[0]).data(), MG.data(), A.data());
  factor_ldl(m.ny, m.ny, A.data());
  solve_ldl(m.ny, m.ny, A.data(), y.data());
  times_explicit(m, s.w.G, y.data(), g_of(s), out[0]);
}

// [M K^T; K 0] by the sparse factor of M, [LOOPS1] II-D. Rows must be independent.
void run_multipliers(Subject& s, In in, Out out) {
  const ModelData& m = s.m();
  const int nv = m.nv, rows = m.loop_row_count;
  Numbers free(nv);
  s.kernels.rnea(m, {in[0], in[1]}, free.data(), s.w);
  for (int k = 0; k < nv; ++k) free[k] = in[2][k] - free[k];
  // From the leaves to the root the factor has the zeros of the tree ([RBDA] 6.5), which are not recorded.
  Numbers M = mass_matrix(s, in[0]);
  std::reverse(M.begin(), M.end());
  factor_ldl(nv, nv, M.data());
  const auto solve = [&](Numbers& x) {
    std::reverse(x.begin(), x.end());
    solve_ldl(nv, nv, M.data(), x.data());
    std::reverse(x.begin(), x.end());
  };
  solve(free);
  if (rows > 0) evaluate_functions(s, in[0], in[1]);
  if (rows > 0) s.kernels.loop_constraints(m, in[0], in[1], s.w);

  const auto for_entry = [&](int row, const auto& f) {
    for (int i = 0; i < m.cluster_count; ++i) {
      const ClusterData& c = m.clusters[i];
      if (row < c.row_begin || row >= c.row_begin + c.row_count) continue;
      for (int k = 0; k < c.v_count; ++k)
        f(c.v_begin + k, s.w.loop_K[c.K_begin + k * c.row_count + row - c.row_begin]);
    }
  };
  std::vector<Numbers> X;  // M^-1 K^T
  Numbers A(rows * rows), lambda(rows);
  for (int r = 0; r < rows; ++r) {
    X.emplace_back(nv);
    lambda[r] = s.w.loop_k[r];
    for_entry(r, [&](int k, const Recorded& K) {
      X.back()[k] = K;
      lambda[r] = lambda[r] - K * free[k];
    });
    solve(X.back());
  }
  for (int j = 0; j < rows; ++j)
    for (int i = j; i < rows; ++i)
      for_entry(i, [&](int k, const Recorded& K) { A[i * rows + j] = A[i * rows + j] + K * X[index(j)][k]; });
  factor_ldl(rows, rows, A.data());
  solve_ldl(rows, rows, A.data(), lambda.data());
  for (int k = 0; k < nv; ++k) {
    out[0][k] = free[k];
    for (int r = 0; r < rows; ++r) out[0][k] = out[0][k] + X[index(r)][k] * lambda[r];
  }
}

// ABA of the independent joints, with the inertia that moves with them as armature, diag(G_d^T M_dd G_d) at a
// closed configuration, [LOOPS1] II-D.
void run_approximate(Subject& s, In in, Out out) {
  const ModelData& m = s.m();
  Workspace home(std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &s.model));
  NumbersOf<double> M(m.nv * m.nv), G(m.nv * m.ny);
  std::vector<double> closed = s.model.loops.closed;
  if (closed.empty()) closed.resize(index(m.nq)), neutral(s.model, closed.data());
  mass_matrix(home, closed.data(), M.data(), m.nv);
  loop_map(home, closed.data(), nullptr, G.data(), m.nv, nullptr);

  HeldModel held(m);
  Numbers held_q(in[0], in[0] + m.nq), held_v(in[1], in[1] + m.nv), force(in[2], in[2] + m.nv), a(m.nv);
  for (int k = 0; k < m.nv; ++k) {
    if (m.y_index[k] >= 0) continue;
    const NodeData& n = m.nodes[m.v_node[k]];
    held_q[n.q_index + k - n.v_index] = Recorded(0);
    held_v[k] = Recorded(0);
    for (int j = 0; j < m.ny; ++j) {
      const double entry = G[k + j * m.nv];
      held.armature[m.independent[j]] += entry * entry * M[k + k * m.nv];
      Recorded& at_drive = force[m.independent[j]];
      at_drive = at_drive + entry * in[2][k];
    }
    force[k] = Recorded(0);
  }
  std::fill_n(s.w.G, m.G_size, Recorded(0));
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    for (int y = 0; y < c.y_count; ++y)
      s.w.G[c.G_begin + y * c.v_count + m.independent[c.y_begin + y] - c.v_begin] = Recorded(1);
  }
  s.kernels.aba(held.data, {held_q.data(), held_v.data(), force.data()}, a.data(), s.w);
  for (int j = 0; j < m.ny; ++j) out[0][j] = a[m.independent[j]];
}

}  // namespace tenon::trace
