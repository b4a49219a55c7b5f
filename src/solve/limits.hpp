// Limits of the proximal iteration and of constrained_aba, for single states (proximal.cpp, constrained_aba.cpp)
// and for packs of them (batch/pack_dynamics.cpp).
#pragma once

#include "data/rank.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

// The method refines, so mu can be large. A cluster eliminates coordinates that rows hold together with free
// ones, and a large mu costs the free ones digits; so mu is smaller there.
inline constexpr double scheduled_mu_of_trees = 2e8, scheduled_mu_of_clusters = 3e6;

// Iterations continue to this share of the tolerance while they converge fast: a residual means the larger an
// error of the motion, the harder its row is to move; and the last step of an ordinary solve goes from 1e-7
// to 1e-14.
inline constexpr double safety_factor = 0.02;

// A first refining step leaves the square of the error of motion that it finds (WorkspaceData::motion_error), if that is
// small: below this, 1e-10 or less.
inline constexpr double refined_motion = 1e-5;

// The errors of motion that refining steps found since the sweep of inertias. Each step shrinks the error by the same
// factor, which digits of the inertias decide; the first finds this factor itself.
class RefinedMotion {
 public:
  void add(double error) {
    before_ = error_;
    error_ = error;
  }
  double factor() const { return before_ > 0 ? error_ / before_ : error_; }
  // What the last step left, about, is the square of the limit or less.
  bool holds(double limit) const { return error_ * factor() <= limit * limit; }

 private:
  double error_ = 1, before_ = 1;
};

// Whether an answer needs large forces along directions that rows hardly move. Sizes of forces: ProximalPoint::force, of the
// answer and of the first evaluation.
inline bool strained(double force, double first, double mu) {
  return !(force <= most_growth(mu) * first);
}

// The proximal terms and tolerances of packs of states. In double they are those of single states, so that the results are.
// Single precision has seven digits, of which a mu of 1e3 takes three; each refining evaluation then removes all but a
// thirtieth of the residual.
template <class N>
struct RowSchedule;
template <>
struct RowSchedule<double> {
  static constexpr double mu_of_trees = scheduled_mu_of_trees, mu_of_clusters = scheduled_mu_of_clusters;
  static constexpr double acceptable_residual = SolveOptions{}.relative_tolerance,
                          target_residual = safety_factor * acceptable_residual;
  static constexpr double absolute = safety_factor * SolveOptions{}.absolute_tolerance;
  static constexpr int refinements = 4;
  static constexpr double motion = refined_motion;
  static constexpr double early_residual = acceptable_residual, early_motion = 0;  // not measured
};
template <>
struct RowSchedule<float> {
  static constexpr double mu_of_trees = 1e3, mu_of_clusters = mu_of_trees;
  static constexpr double target_residual = 2e-6, acceptable_residual = 2e-5, absolute = 1e-6;
  static constexpr int refinements = 8;
  static constexpr double motion = 1e-2;
  // Of pv_early, after and before its refinement.
  static constexpr double early_residual = target_residual, early_motion = 3e-3;
};

}  // namespace tenon
