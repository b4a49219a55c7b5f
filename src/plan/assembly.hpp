// Assembly of kinematic loops: from any configuration to one where phi(q) = 0, cluster by cluster, by damped
// Gauss-Newton steps (K. Levenberg, 1944; D. Marquardt, 1963): with K the columns of the coordinates that may
// move,
//
//   (K^T K + lambda 1) step = -K^T phi
//
// A step is taken if it shortens phi, else lambda grows; near the solution lambda vanishes with phi and
// convergence is quadratic. No joint turns more than half a radian in a step, so that a far start does not
// wind joints up; joints that only couplings constrain are linear and take the whole step. Clusters are
// independent of each other, so all of them move in the same evaluation. A cluster with a constant G has a
// linear phi and is closed directly.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "scalar/index.hpp"
#include "tenon/model.hpp"

namespace tenon {

// Computes phi, K and k of the user's constraints, for any scalar. v null: at rest. scratch:
// Model::Loops::callback_scratch numbers. evaluate(item, rows, q, v, phi, K, Kdot_v) calls one function, with the numbers
// of its joints, and tells whether what it wrote is finite. Returns the first constraint where it is not, or -1.
template <class T, class Evaluate>
int evaluate_callbacks(const Model& model, const T* q, const T* v, WorkspaceData<T>& w, T* scratch,
                       const Evaluate& evaluate) {
  const ModelData& m = model.data();
  int broken = -1;
  for (int l = 0; l < m.loop_constraint_count; ++l) {
    const LoopConstraintData& loop = m.loop_constraints[l];
    if (loop.kind != loop_callback) continue;
    const ClusterData& c = m.clusters[loop.cluster];
    const Model::LoopCallback& call = model.loops.callbacks[index(loop.item)];
    const std::size_t nq = call.q_index.size(), nv = call.v_index.size(), rows = index(loop.row_count);
    T *qj = scratch, *vj = qj + nq, *K = vj + nv, *Kdot_v = K + rows * nv;
    for (std::size_t i = 0; i < nq; ++i) qj[i] = q[call.q_index[i]];
    for (std::size_t i = 0; i < nv; ++i) vj[i] = v ? v[call.v_index[i]] : T(0);
    const bool finite =
        evaluate(index(loop.item), loop.row_count, qj, vj, w.loop_phi + loop.row_begin, K, Kdot_v);
    for (std::size_t i = 0; i < nv; ++i)
      std::copy_n(
          K + i * rows, rows,
          w.loop_K + c.K_begin + (call.v_index[i] - c.v_begin) * c.row_count + loop.row_begin - c.row_begin);
    for (std::size_t r = 0; r < rows; ++r) w.loop_k[loop.row_begin + static_cast<int>(r)] = -Kdot_v[r];
    if (!finite && broken < 0) broken = l;
  }
  return broken;
}
// The same in double, by the functions of the model: the first that wrote NaN or infinity.
int evaluate_callbacks(const Model& model, const double* q, const double* v, WorkspaceData<double>& w,
                       double* scratch);

class Assembly {
 public:
  // Everything is allocated here.
  Assembly(const Model& model, const KernelTable<double>& kernels);

  enum class Moves { dependent, all };
  // Moves q until phi is within rounding or shrinks no more. Returns the largest remaining |phi|, in m or
  // rad.
  double close(double* q, Moves moves, WorkspaceData<double>& w);
  // phi, K, and k if v is not null, at q. Returns the largest |phi|, infinity where phi or K is not finite.
  double evaluate(const double* q, const double* v, WorkspaceData<double>& w);
  // Largest |phi| of a cluster in the last evaluate or close.
  double gap(int cluster) const { return states_[index(cluster)].largest; }
  // The constraint whose function wrote NaN or infinity in the last evaluate, or -1.
  int broken() const { return broken_; }

  std::size_t bytes() const;

 private:
  struct State {
    double squares, largest;  // of phi at the current configuration
    double lambda;
    bool moving;
  };
  static bool by_rows(int columns, int rows);
  void project_constant(int cluster, Moves moves, double* q);
  bool take_step(int cluster, Moves moves, const double* q, const WorkspaceData<double>& w);
  void measure(int cluster, const WorkspaceData<double>& w, double& squares, double& largest) const;
  void integrate_cluster(int cluster, const double* q);

  const Model& model_;
  const KernelTable<double>& kernels_;
  std::vector<State> states_;
  bool knows_G_ = false;  // false while the model is compiled: clusters with a constant G are not moved
  std::vector<double> trial_, step_, matrix_, gradient_, scratch_;
  std::vector<char> bends_;  // per velocity coordinate: a loop depends on it nonlinearly
  int broken_ = -1;
};

}  // namespace tenon
