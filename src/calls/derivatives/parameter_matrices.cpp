// Derivatives of constrained dynamics by parameters and by loads, as matrices. Positions and velocities stay, so rows and the map of
// embedded loops do, and with the equations of constrained.cpp
//
//   [ M  -J^T ] [dqdd   ]     [ dr ]      dr = Y(q, v, qdd) dpi,   e_k qdd_k,   e_k v_k,   e_k sign v_k
//   [ J   R   ] [dlambda] = - [ 0  ]
//
// by the inertias of links (kernels/derivatives/regressor.hpp), and by the armature, damping and dry friction of a joint
// coordinate k, which share one solve; and dr = - J^T df, dr = ID(q, 0, 0) for dg alone by a wrench f on a link with the
// Jacobian J and by gravity. With embedded loops G^T dr, and dqdd = G times the result.
#include <algorithm>

#include "calls/derivatives/outputs.hpp"
#include "calls/derivatives/solution.hpp"
#include "kernels/joint/root_frame_poses.hpp"
#include "model/body_poses.hpp"
#include "scalar/index.hpp"
#include "spatial/spatial.hpp"

namespace tenon {

namespace {

// X: forces in the coordinates of the tree, become right-hand sides of a solve.
void take_forces(const Solution& s, int columns, double* X) {
  const int nv = s.w.model->nv, ld = s.d().ld;
  double* force = s.d().numbers[0];
  for (std::ptrdiff_t c = 0; s.loops.some() && c < columns; ++c) {
    std::copy_n(X + c * ld, nv, force);
    std::fill_n(X + c * ld, ld, 0.0);
    s.take_force(force, X + c * ld);
  }
}
// X: results of a solve, become what users get.
void give_motions(const Solution& s, int columns, double* X) {
  const int nv = s.w.model->nv, ld = s.d().ld;
  double* motion = s.d().numbers[0];
  for (std::ptrdiff_t c = 0; s.loops.some() && !s.w.coordinates.independent_v && c < columns; ++c) {
    s.give_motion(X + c * ld, nullptr, motion);
    std::copy_n(motion, nv, X + c * ld);
  }
}
// X := dqdd for dr = X, and G := dlambda, as many columns at a time as a solve takes.
void solve_forces(Solution& s, int columns, double* X, double* G) {
  const std::ptrdiff_t stride = s.with_rows ? s.of_rows().stride : 0;
  if (s.with_rows) std::fill_n(G, stride * columns, 0.0);
  take_forces(s, columns, X);
  const int most = std::max(8, whole_eights(s.w.model->nv));
  for (std::ptrdiff_t first = 0; first < columns; first += most)
    s.solve(RightSide::full, std::min(most, columns - static_cast<int>(first)), -1, X + first * s.d().ld,
            s.with_rows ? G + first * stride : nullptr);
  give_motions(s, columns, X);
}

// Columns times factors: of one of the parameters of joint coordinates.
void scale_columns(const double* X, int ld, int columns, const double* factor, double* to) {
  for (std::ptrdiff_t k = 0; k < columns; ++k)
    for (std::ptrdiff_t i = k * ld; i < (k + 1) * ld; ++i) to[i] = factor[k] * X[i];
}

// By the parameters of joints: of qdd in the matrices of the memory of derivatives, of lambda in those of rows.
void fill_by_joints(Solution& s) {
  const WorkspaceImpl& w = s.w;
  const DerivativeMemory& d = s.d();
  const int nv = w.model->nv;
  double *X = d.matrix[2], *G = s.with_rows ? s.of_rows().of_lambda[2] : nullptr, *sign = d.numbers[1];
  std::fill_n(X, std::ptrdiff_t{d.ld} * nv, 0.0);
  for (std::ptrdiff_t k = 0; k < nv; ++k) X[k * d.ld + k] = 1, sign[k] = (s.in.v[k] > 0) - (s.in.v[k] < 0);
  solve_forces(s, nv, X, G);
  const double* const factor[3] = {s.in.qdd, s.in.v, sign};
  for (int which = 0; which < 3; ++which) {  // the last in its place
    scale_columns(X, d.ld, nv, factor[which], d.matrix[which]);
    if (G) scale_columns(G, s.of_rows().stride, nv, factor[which], s.of_rows().of_lambda[which]);
  }
}

// X := dr for unit wrenches on a link, [moment about its origin; force] along its axes: less the motion of the link, seen from
// itself, for each joint rate. After the sweep at the solution.
void place_wrench_columns(WorkspaceImpl& w, const Model::Link& link, double* X, int ld) {
  if (link.body < 0) return;
  const ModelData& m = w.md();
  const int stride = dof_stride(m), root = dofs_of_floating_root(m);
  const auto body = root_pose(w.w(), link.body);
  const Placement in_body = to_placement(link.in_body);
  for (int i = link.body; i >= 0; i = m.nodes[i].parent)
    for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
      double unit[6] = {};
      if (k < root) unit[k] = 1;  // S is the identity, which is not written
      const Motion<double> S =
          k < root ? load_motion<double>(unit) : load_dof_motion<double>(w.w().S_root + k, stride);
      double motion[6];
      store(motion, motion_to_child(in_body, motion_to_child(body, S)));
      for (std::ptrdiff_t e = 0; e < 6; ++e) X[e * ld + k] = -motion[e];
    }
}

}  // namespace

Status constrained_dynamics_parameter_derivatives(Workspace& workspace, const DerivativeOptions& options,
                                                  const Inputs<double>& user, double* qdd, double* lambda,
                                                  const ParameterDerivatives& of_qdd,
                                                  const ParameterDerivatives& of_lambda) {
  WorkspaceImpl& w = begin(workspace);
  Solution s(w, w.rows() > 0);
  s.by_state = false;
  TENON_CHECK(solve(user, s));
  const ParameterMatrixMemory& by_links = *w.parameter_matrices;
  const int n = s.n(), nv = w.model->nv, columns = 10 * static_cast<int>(w.model->links.size());
  const auto either = [&](DerivativeOut ParameterDerivatives::*by) {
    return (of_qdd.*by).values || (of_lambda.*by).values;
  };
  if (either(&ParameterDerivatives::by_inertia))
    solve_forces(s, columns, place_regressor(w), by_links.of_lambda);
  if (either(&ParameterDerivatives::by_armature) || either(&ParameterDerivatives::by_damping) ||
      either(&ParameterDerivatives::by_friction))
    fill_by_joints(s);
  const UserSolution solution(s, s.in.qdd, qdd, lambda);
  const DerivativeMemory& d = s.d();
  double* const none[3] = {};
  double* const* rows_by_joints = s.with_rows ? s.of_rows().of_lambda : none;
  return give_derivatives(w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
                          {{by_links.of_qdd, n, columns, d.ld, "dx_dinertia", of_qdd.by_inertia},
                           {d.matrix[0], n, nv, d.ld, "dx_darmature", of_qdd.by_armature},
                           {d.matrix[1], n, nv, d.ld, "dx_ddamping", of_qdd.by_damping},
                           {d.matrix[2], n, nv, d.ld, "dx_dfriction", of_qdd.by_friction},
                           s.block_of_rows(by_links.of_lambda, columns, "dx_dinertia", of_lambda.by_inertia),
                           s.block_of_rows(rows_by_joints[0], nv, "dx_darmature", of_lambda.by_armature),
                           s.block_of_rows(rows_by_joints[1], nv, "dx_ddamping", of_lambda.by_damping),
                           s.block_of_rows(rows_by_joints[2], nv, "dx_dfriction", of_lambda.by_friction)});
}

Status constrained_dynamics_load_derivatives(Workspace& workspace, const DerivativeOptions& options,
                                             const ChosenLinks& links, const Inputs<double>& user,
                                             double* qdd, double* lambda, const LoadDerivatives& of_qdd,
                                             const LoadDerivatives& of_lambda) {
  WorkspaceImpl& w = begin(workspace);
  Solution s(w, w.rows() > 0);
  s.by_state = false;
  TENON_CHECK(solve(user, s));
  const bool by_wrenches = of_qdd.by_wrenches.values || of_lambda.by_wrenches.values,
             by_gravity = of_qdd.by_gravity.values || of_lambda.by_gravity.values;
  const int n = s.n(), ld = s.d().ld, of_links = by_wrenches ? 6 * links.count : 0,
            columns = of_links + (by_gravity ? 3 : 0);
  const std::ptrdiff_t stride = s.with_rows ? s.of_rows().stride : 0;
  // Wrenches on all links and gravity have fewer columns than the parameters of links.
  double *X = w.parameter_matrices->of_qdd, *G = w.parameter_matrices->of_lambda;
  double *X_gravity = X + std::ptrdiff_t{ld} * of_links, *G_gravity = G + stride * of_links;
  std::fill_n(X, std::ptrdiff_t{ld} * columns, 0.0);
  for (std::ptrdiff_t i = 0; by_wrenches && i < links.count; ++i)
    place_wrench_columns(w, w.model->links[index(links.index[i])], X + 6 * i * ld, ld);
  if (by_gravity) place_gravity_columns(w, s.in.q, X_gravity, ld);
  solve_forces(s, columns, X, G);
  const UserSolution solution(s, s.in.qdd, qdd, lambda);
  return give_derivatives(w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
                          {{X, n, of_links, ld, "dx_dwrenches", of_qdd.by_wrenches},
                           {X_gravity, n, 3, ld, "dx_dgravity", of_qdd.by_gravity},
                           s.block_of_rows(G, of_links, "dx_dwrenches", of_lambda.by_wrenches),
                           s.block_of_rows(G_gravity, 3, "dx_dgravity", of_lambda.by_gravity)});
}

}  // namespace tenon
