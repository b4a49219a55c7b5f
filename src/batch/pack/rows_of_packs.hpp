// Constrained dynamics of packs, and which states have an answer by it: members of PackDynamics, for its source alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "batch/pack/pack_dynamics.hpp"
#include "data/rank.hpp"
#include "plan/cluster_pivot.hpp"
#include "scalar/index.hpp"
#include "solve/limits.hpp"
#include "solve/proximal.hpp"

namespace tenon {

template <class N, int W>
void PackDynamics<N, W>::keep_pivots(Mask& lanes) const {
  const Sweep& s = swept();
  for (int l = 0; l < W; ++l) {
    const auto D = [&](int e) { return static_cast<double>(s.arena.data.cluster_D[e][l]); };
    lanes.lane[l] = lanes.lane[l] && smallest_pivot_by(s.m, D) > refine_again;
  }
}

template <class N, int W>
void PackDynamics<N, W>::give_answer(const Mask& lanes, const SolveReport& solve, Numbers& n, Mask& done,
                                     SolveReport* reports) {
  const ConstraintData& c = *swept().w.cd();
  const WorkspaceData<Pack>& d = swept().arena.data;
  const bool whole = lanes.all();
  map_out_motion(d.qdd, lanes, n);
  for (int r = 0; r < c.row_count; ++r) {
    Pack& to = n.second[index(c.user_row[r])];
    if (whole) to = d.row_lambda[r];
    for (int l = 0; l < W && !whole; ++l)
      if (lanes.lane[l]) to[l] = d.row_lambda[r][l];
  }
  for (int l = 0; l < W; ++l) {
    if (!lanes.lane[l]) continue;
    done.lane[l] = true;
    reports[l] = solve;
    for (std::size_t r = 0; keeps_reports_ && r < index(c.row_count); ++r) {
      const N residual = d.k[r][l] - d.Ka[r][l] - n.compliance[r][l] * d.row_lambda[r][l];
      reports[l].primal_residual =
          std::max(reports[l].primal_residual, std::abs(static_cast<double>(residual)));
    }
  }
}

template <class N, int W>
void PackDynamics<N, W>::leave_undamped(const Numbers& n, Mask& lanes) {
  const ConstraintData& c = *swept().w.cd();
  for (std::size_t r = 0; r < index(c.row_count); ++r)
    for (int l = 0; l < W; ++l) {
      damping_[r][l] = n.compliance[r][l] + static_cast<N>(damping_of_call_[r]);
      lanes.lane[l] = lanes.lane[l] && static_cast<double>(damping_[r][l]) >= least_row_damping * c.scale[r];
    }
}

// False: some lane has no positive definite mass matrix.
template <class N, int W>
bool PackDynamics<N, W>::solve_early(const In& in, Numbers& n, const Mask& wanted, Mask& done,
                                     SolveReport* reports) {
  using Schedule = RowSchedule<N>;
  Sweep& s = swept();
  WorkspaceData<Pack>& d = s.arena.data;
  PvEarlyData<Pack>& early = early_->data;
  if (!kernels_.pv_early_of_states(s.m, *s.w.cd(), in, d.qdd, rows_, early, d)) return false;
  Mask good = wanted;
  keep_pivots(good);
  for (int l = 0; l < W; ++l) {
    good.lane[l] = good.lane[l] && (early.left_over >> l & 1) == 0 &&
                   static_cast<double>(rows_.primal[l]) <= Schedule::early_residual &&
                   (!refines_early<Pack> || static_cast<double>(d.motion_error[l]) <= Schedule::early_motion);
  }
  keep_finite<N>(kernels_, d.qdd, index(s.m.nv), good);
  keep_finite<N>(kernels_, d.row_lambda, index(s.w.rows()), good);
  SolveReport how;
  how.iterations = 1, how.method = Method::pv_early;
  if (good.first() < W) give_answer(good, how, n, done, reports);
  return true;
}

template <class N, int W>
RowSettingsOf<Pack<N, W>> PackDynamics<N, W>::settings_of(const BatchCall& call, const Numbers& n) const {
  if (!call.rows) return {};
  RowSettingsOf<Pack> settings = Settings::of_rows(*call.rows, poses_without_gains_, n);
  if (call.of_impacts()) settings.poses = poses_without_gains_, settings.gains = no_gains_.data();
  return settings;
}

template <class N, int W>
bool PackDynamics<N, W>::solve_rows(Method method, const In& in, Numbers& n, const Mask& wanted, Mask& done,
                                    SolveReport* reports) {
  if (early_ && method != Method::constrained_aba) {
    if (!solve_early(in, n, wanted, done, reports)) return false;
    if (method == Method::pv_early || std::equal(wanted.lane, wanted.lane + W, done.lane)) return true;
  }
  return iterate(in, n, wanted, done, reports);
}

// By constrained_aba, the lanes of `wanted` that are not done. False: as solve_early.
template <class N, int W>
bool PackDynamics<N, W>::iterate(const In& in, Numbers& n, Mask wanted, Mask& done, SolveReport* reports) {
  using Schedule = RowSchedule<N>;
  Sweep& s = swept();
  const ConstraintData& c = *s.w.cd();
  WorkspaceData<Pack>& d = s.arena.data;
  rows_.mu = s.m.cluster_count > 0 ? Schedule::mu_of_clusters : Schedule::mu_of_trees;
  if (!kernels_.constrained_start(s.m, c, in, d.qdd, rows_, d)) return false;
  // Where penalties cost the inertia of a cluster more digits than one refinement recovers, a single call refines again.
  keep_pivots(wanted);
  const Pack first_force = rows_.force;
  RefinedMotion motion[W];
  for (int k = 1; k <= Schedule::refinements; ++k) {
    kernels_.constrained_refine(s.m, c, in, d.qdd, rows_, d);
    const double limit =
        k == Schedule::refinements ? Schedule::acceptable_residual : Schedule::target_residual;
    Mask now{};
    bool all = true;
    for (int l = 0; l < W; ++l) {
      if (!wanted.lane[l] || done.lane[l]) continue;
      motion[l].add(static_cast<double>(d.motion_error[l]));
      // About directions that rows hardly move a single call decides.
      now.lane[l] = static_cast<double>(rows_.primal[l]) <= limit &&
                    !strained(static_cast<double>(rows_.force[l]), static_cast<double>(first_force[l]),
                              scheduled_mu_of_trees) &&
                    motion[l].holds(Schedule::motion);
      all = all && now.lane[l];
    }
    if (now.first() < W) {
      kernels_.finish_others(s.m, c, in, d.qdd, d);
      SolveReport how;
      how.iterations = 1 + k, how.method = Method::constrained_aba;
      give_answer(now, how, n, done, reports);
    }
    if (all) break;
  }
  return true;
}

}  // namespace tenon
