// Seeded mechanisms with kinematic loops, and the answer that the spanning tree with multipliers gives for
// them.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "support/random_mechanism.hpp"
#include "tenon/constraints.hpp"
#include "tenon/model.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {

// One mechanism compiled twice: loops embedded in clusters, and left open.
struct LoopScene {
  Mechanism mechanism;
  CompileOptions options;
  std::shared_ptr<const Model> model, open;
  Eigen::VectorXd q;  // a closed configuration of the embedded model
  int refused = 0;    // loops that the compiler could not close and that were left away
};

// A random tree with up to `most` loops and couplings of every type, closed at a random configuration.
LoopScene random_loop_scene(std::uint64_t seed, int most);
LoopScene loop_scene(const Mechanism& mechanism, const CompileOptions& options);

// Vectors of the embedded model in the order of the open one: positions and velocity coordinates.
Eigen::VectorXd open_positions(const LoopScene& scene, const Eigen::VectorXd& q);
Eigen::VectorXd open_velocities(const LoopScene& scene, const Eigen::VectorXd& v);
Eigen::VectorXd embedded_velocities(const LoopScene& scene, const Eigen::VectorXd& v);

// How well posed the rows of multiplier_accelerations were.
struct Posedness {
  double kept = 1;       // BasicKktSolver::min_kept_over_max
  bool feasible = true;  // rows do not contradict each other
};

// Accelerations by the spanning tree from the description, in long double, with closure rows for loops,
// constant rows for couplings and gears and those contacts; nothing of clusters, G or g. In the order of the
// embedded model. contact_scale: ConstraintData::scale of their rows; empty: as KktInputs does without it.
Eigen::VectorXd multiplier_accelerations(const LoopScene& scene, const std::vector<ConstraintSpec>& contacts,
                                         const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                         const Eigen::VectorXd& tau, const double* wrenches,
                                         Posedness* posedness = nullptr,
                                         const std::vector<double>& contact_scale = {});

// The scene with only some of its geometric loops in the model: `embedded` of scene.mechanism.loops. The
// others are closure constraints on it.
struct PartlyEmbedded {
  LoopScene scene;  // model with some loops, open as ever
  std::vector<ConstraintSpec> closures;
};
PartlyEmbedded partly_embedded(const LoopScene& scene, const std::vector<bool>& embedded);

// The same with the others closed by rows that the model itself brings.
LoopScene with_row_loops(const LoopScene& scene, const std::vector<bool>& embedded);

// Positions or velocity coordinates of one model in the order of another, by the joints' names.
Eigen::VectorXd in_order_of(const Model& to, const Model& from, const Eigen::VectorXd& x, bool positions);

}  // namespace tenon::testing
