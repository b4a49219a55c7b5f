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

#include <cstdint>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "scalar/index.hpp"
#include "tenon/model.hpp"

namespace tenon {

// Computes phi, K and k of the user's constraints. v null: at rest. scratch: Model::Loops::callback_scratch
// numbers. Returns the first constraint whose function wrote NaN or infinity, or -1.
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
